"""Pictures of the page: geometry only. A template writes them as SVG, so that every text in them is escaped where all texts are.

Pictures are 340 units wide, which is a phone: there a unit is a pixel, and elsewhere they grow. Colours are classes of the style
sheet, which knows light and dark; nothing is said by a colour alone, so each mark has a number or a letter beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from evaluation.report.page.shown import Text

WIDTH: Final = 340.0
"""Width of a picture in its own units."""
_ROW: Final = 42.0
_BAR: Final = 14.0
_LETTER: Final = 6.6
"""Width of a letter, at most on average."""
_TONES: Final = (("off", 0.5), ("between", 0.85), ("on", 1.0))
"""How text stands out from a filling, by the strength of the filling; what colour that is depends on the scheme."""
LEAST_SCALE: Final = 0.05
"""A scale of differences of shares reaches at least so far, so that what hardly matters does not look as if it did."""
_NOTHING: Final = 1e-9
"""A change that leaves no bar."""
CATEGORIES: Final = tuple(f"c{number}" for number in range(8))
"""Colours without an order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle."""

    kind: ClassVar = "box"
    x: float
    y: float
    width: float
    height: float
    style: str
    strength: float | None = None
    """Opacity of the filling, 0 to 1."""
    tip: str = ""
    """What is shown where the mouse rests on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A straight line."""

    kind: ClassVar = "line"
    x: float
    y: float
    to_x: float
    to_y: float
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A line of text; `anchor` is that of SVG: start, middle or end."""

    kind: ClassVar = "label"
    x: float
    y: float
    text: Text
    style: str = "label"
    anchor: str = "start"


Shape = Box | Line | Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture with its title, which names it, and its description, which says what it shows."""

    title: str
    description: str
    height: float
    shapes: tuple[Shape, ...]
    width: float = WIDTH


def shortened(text: str, width: float) -> str:
    """A text that fits into a width, cut off if it does not."""
    letters = max(int(width / _LETTER), 2)
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"


def _tick(x: float, y: float, text: str, width: float) -> Label:
    """A name below an axis, in the middle of its place unless that is too near to an edge of the picture."""
    half = _LETTER * len(text) / 2
    if x + half > width:
        return Label(x=width, y=y, text=text, style="tick", anchor="end")
    if x < half:
        return Label(x=0, y=y, text=text, style="tick")
    return Label(x=x, y=y, text=text, style="tick", anchor="middle")


# ---- bars ---------------------------------------------------------------------------------------------------------------------


class Bar(NamedTuple):
    """One bar: its name, its length from 0 to 1 of the scale, and the number that is written beside it."""

    name: str
    length: float
    number: Text
    style: str = "bar"


def bars(title: str, description: str, rows: Sequence[Bar], reference: tuple[float, str] | None = None) -> Picture:
    """Horizontal bars, each below its name.

    Args:
        title, description: of the picture.
        rows: from top to bottom.
        reference: place of a dashed line, from 0 to 1, and what it stands for.
    """
    shapes: list[Shape] = []
    top = 0.0
    length = WIDTH - _LETTER * max([len(str(row.number)) for row in rows] + [1]) - 14
    place = 0.0 if reference is None else length * reference[0]
    if reference is not None:
        anchor = "start" if reference[0] < 0.3 else "end" if reference[0] > 0.7 else "middle"
        top = 18.0
        shapes.append(Label(x=place, y=11, text=reference[1], style="note", anchor=anchor))
    for number, row in enumerate(rows):
        y = top + _ROW * number
        reach = length * min(max(row.length, 0.0), 1.0)
        shapes += (
            Label(x=0, y=y + 14, text=shortened(row.name, WIDTH)),
            Label(x=WIDTH, y=y + 32, text=row.number, style="number", anchor="end"),
            Box(x=0, y=y + 20, width=length, height=_BAR, style="track"),
            Box(x=0, y=y + 20, width=reach, height=_BAR, style=row.style, tip=f"{row.name}: {row.number}"),
        )
        if reference is not None:
            shapes.append(Line(x=place, y=y + 17, to_x=place, to_y=y + 37, style="reference"))
    return Picture(title=title, description=description, height=top + _ROW * len(rows), shapes=tuple(shapes))


class Swing(NamedTuple):
    """What a change does to a value: its name, where it leads in one and the other direction, and what is written there."""

    name: str
    low: float
    high: float
    low_text: Text
    high_text: Text


def swings(title: str, description: str, rows: Sequence[Swing], middle: float, middle_text: str) -> Picture:
    """A tornado: bars to both sides of a middle value; the scale is that of the longest, and `LEAST_SCALE` at least.

    `low` is drawn in one colour and `high` in another, wherever they lie.
    """
    reach = max([abs(end - middle) for row in rows for end in (row.low, row.high)] + [LEAST_SCALE])
    centre, half = WIDTH / 2, WIDTH / 2 - 58
    top = 20.0

    def place(value: float) -> float:
        return centre + half * (value - middle) / reach

    shapes: list[Shape] = [Label(x=centre, y=12, text=middle_text, style="note", anchor="middle")]
    for number, row in enumerate(rows):
        y = top + _ROW * number
        shapes.append(Label(x=centre, y=y + 13, text=shortened(row.name, WIDTH), anchor="middle"))
        shapes.append(Line(x=centre, y=y + 17, to_x=centre, to_y=y + 35, style="axis"))
        for value, text, style in ((row.low, row.low_text, "minus"), (row.high, row.high_text, "plus")):
            end = place(value)
            other = row.high if style == "minus" else row.low
            left = _is_left(value - middle, other - middle, style)
            shapes.append(
                Box(
                    x=min(centre, end),
                    y=y + 19,
                    width=abs(end - centre),
                    height=_BAR,
                    style=style,
                    tip=f"{row.name}: {text}",
                )
            )
            same_side = (value - middle) * (other - middle) > 0
            if not same_side or abs(value - middle) >= abs(other - middle):
                shapes.append(
                    Label(x=end + (-4 if left else 4), y=y + 30, text=text, style="number", anchor="end" if left else "start")
                )
    return Picture(title=title, description=description, height=top + _ROW * len(rows), shapes=tuple(shapes))


def _is_left(change: float, other: float, style: str) -> bool:
    """On which side of the middle a number stands: that of its bar; without a bar that which the other one leaves free."""
    if abs(change) > _NOTHING:
        return change < 0.0
    return other > 0.0 if abs(other) > _NOTHING else style == "minus"


# ---- grids --------------------------------------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """A cell of a grid: a class of the style sheet, how strongly it is filled (0 to 1), its text, what the mouse shows, a frame."""

    style: str
    strength: float
    text: Text
    tip: str
    is_framed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table drawn as coloured cells.

    Attributes:
        rows, columns: what stands beside the rows, from top to bottom, and below the columns.
        cells: cells[row][column]; None: there is nothing.
        row_title, column_title: what rows and columns are.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Cell | None]]
    row_title: str
    column_title: str


def grid_picture(title: str, description: str, grid: Grid, width: float = WIDTH, row_height: float = 30.0) -> Picture:
    """A grid with its labels; texts in the cells only where they fit."""
    left, top, bottom = 34.0, 18.0, 36.0
    step = (width - left) / max(len(grid.columns), 1)
    height = min(row_height, max(step, 14.0))
    every = max(1, -(-26 // max(int(step), 1)))
    shapes: list[Shape] = [Label(x=0, y=11, text=grid.row_title, style="note")]
    shapes.append(Box(x=left, y=top, width=width - left, height=height * len(grid.rows), style="track"))
    for number, name in enumerate(grid.rows):
        y = top + height * number
        if number % max(1, -(-13 // max(int(height), 1))) == 0:
            shapes.append(Label(x=left - 6, y=y + height / 2 + 4, text=name, style="tick", anchor="end"))
        for place, cell in enumerate(grid.cells[number]):
            if cell is None:
                continue
            x = left + step * place
            frame = " framed" if cell.is_framed else ""
            shapes.append(
                Box(
                    x=x + 0.75,
                    y=y + 0.75,
                    width=step - 1.5,
                    height=height - 1.5,
                    style=cell.style + frame,
                    strength=cell.strength,
                    tip=cell.tip,
                )
            )
            if str(cell.text) and _LETTER * len(str(cell.text)) <= step:
                tone = next(tone for tone, limit in _TONES if cell.strength <= limit)
                label = "cell letter" if cell.style in CATEGORIES else f"cell {tone}"
                shapes.append(Label(x=x + step / 2, y=y + height / 2 + 4, text=cell.text, style=label, anchor="middle"))
    end = top + height * len(grid.rows)
    for place, name in enumerate(grid.columns):
        if place % every == 0:
            shapes.append(_tick(left + step * (place + 0.5), end + 14, name, width))
    shapes.append(Label(x=width, y=end + 30, text=grid.column_title, style="note", anchor="end"))
    return Picture(title=title, description=description, height=end + bottom, width=width, shapes=tuple(shapes))


# ---- columns ------------------------------------------------------------------------------------------------------------------


def columns(
    title: str, description: str, heights: Sequence[tuple[str, float, str]], axis_title: str, height: float = 120.0
) -> Picture:
    """Upright bars side by side: (name below, height from 0 to 1, what the mouse shows)."""
    step = WIDTH / max(len(heights), 1)
    every = max(1, -(-26 // max(int(step), 1)))
    tallest = max([share for _, share, _ in heights] + [1e-9])
    shapes: list[Shape] = []
    for place, (name, share, tip) in enumerate(heights):
        tall = height * share / tallest
        x = step * place
        shapes.append(Box(x=x, y=0, width=step, height=height, style="sensor", tip=tip))
        shapes.append(Box(x=x + step * 0.1, y=height - tall, width=step * 0.8, height=tall, style="bar", tip=tip))
        if place % every == 0:
            shapes.append(_tick(x + step / 2, height + 15, name, WIDTH))
    shapes.append(Line(x=0, y=height, to_x=WIDTH, to_y=height, style="axis"))
    shapes.append(Label(x=WIDTH, y=height + 31, text=axis_title, style="note", anchor="end"))
    return Picture(title=title, description=description, height=height + 36, shapes=tuple(shapes))
