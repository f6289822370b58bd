"""What each number of the rules is worth, and which opening is best over pairs of skills."""

from evaluation.report.page.blocks import Block, Figure, Pair, Paragraph, Section, Stack, Table
from evaluation.report.page.names import parameter_name
from evaluation.report.page.pictures import CATEGORIES, Cell, Grid, Swing, grid_picture, swings
from evaluation.report.page.shown import Reader, Text

_NOTHING = 5e-4
"""A swing of less is none, as far as people can see; the picture leaves it out."""


def sensitivity_section(reader: Reader) -> Section:
    """The tornado chart, and the maps over skills."""
    text = reader.wording
    blocks: list[Block] = [
        Paragraph(text("sensitivity.intro")),
        _tornado(reader),
        Pair([_opening_map(reader), _turn_map(reader)]),
    ]
    return Section(anchor="sensitivity", title=text("section.sensitivity"), blocks=blocks)


def _tornado(reader: Reader) -> Block:
    text, parameters = reader.wording, reader.report.sensitivity.parameters
    middle = reader.report.headline.first_caster_score
    rows, lines, idle = [], [], []
    for i, found in enumerate(parameters):
        path, name = f"sensitivity.parameters.{i}", parameter_name(reader, found.parameter)
        ends: list[Text] = []
        scores: list[float] = []
        for side, changed in (("down", found.down), ("up", found.up)):
            scores.append(middle if changed is None else changed.first_caster_score)
            ends.append("" if changed is None else reader.percent(f"{path}.{side}.first_caster_score"))
            lines.append(
                (name, text("none"), text("sensitivity.refused"), text("none"), text("none"))
                if changed is None
                else (
                    name,
                    text.rich(
                        "sensitivity.change", value=reader.count(f"{path}.value"), other=reader.count(f"{path}.{side}.value")
                    ),
                    reader.percent(f"{path}.{side}.first_caster_score"),
                    reader.points(f"{path}.{side}.first_caster_change"),
                    reader.action(f"{path}.{side}.opening"),
                )
            )
        if found.swing < _NOTHING:
            idle.append(name)
            continue
        label = text("sensitivity.row", name=name, value=text.decimal(found.value, 0), step=text.decimal(found.step, 0))
        rows.append(Swing(label, scores[0], scores[1], ends[0], ends[1]))
    header = (
        text("sensitivity.number"),
        *(text(f"sensitivity.{column}") for column in ("values", "score", "difference", "opening")),
    )
    table = Table(caption=text("sensitivity.title"), header=header, rows=lines)
    if not rows:
        return Stack([Paragraph(text("sensitivity.none")), table])
    return Figure(
        picture=swings(
            text("sensitivity.title"),
            text("sensitivity.description"),
            rows,
            middle,
            text("sensitivity.now", score=reader.percent("headline.first_caster_score")),
        ),
        table=table,
        key=(("minus", text("sensitivity.less")), ("plus", text("sensitivity.more"))),
        note=text("sensitivity.idle", names=text.join(idle)) if idle else text("sensitivity.note"),
    )


def _opening_map(reader: Reader) -> Figure:
    text, found = reader.wording, reader.report.sensitivity.opening_map
    path, skills = "sensitivity.opening_map", found.skills
    order = [action.id for action in reader.report.about.actions]
    used = sorted({opening for row in found.openings for opening in row}, key=order.index)
    letters = {action: chr(ord("A") + number) for number, action in enumerate(used)}
    # More openings than colours share them, and differ by their letters.
    styles = {action: CATEGORIES[number % len(CATEGORIES)] for number, action in enumerate(used)}
    cells: list[list[Cell | None]] = []
    lines: list[list[Text]] = []
    for own in reversed(range(len(skills))):
        row: list[Cell | None] = []
        for theirs in range(len(skills)):
            opening = found.openings[own][theirs]
            where = text("map.where", own=skills[own], theirs=skills[theirs])
            score = reader.percent(f"{path}.score.{own}.{theirs}")
            tip = text("map.tip", where=where, opening=reader.name(opening), score=score, others=found.also_best[own][theirs])
            row.append(Cell(styles[opening], 1.0, letters[opening], tip))
        cells.append(row)
        lines.append([str(skills[own]), *(reader.action(f"{path}.openings.{own}.{theirs}") for theirs in range(len(skills)))])
    names = [str(skill) for skill in skills]
    grid = Grid(rows=names[::-1], columns=names, cells=cells, row_title=text("map.own"), column_title=text("map.theirs"))
    return Figure(
        picture=grid_picture(text("map.title"), text("map.description"), grid),
        table=Table(caption=text("map.caption"), header=(text("map.corner"), *names), rows=lines),
        key=[(styles[action], f"{letters[action]} {reader.name(action)}") for action in used],
        note=text("map.note"),
    )


def _turn_map(reader: Reader) -> Figure:
    text = reader.wording
    return points_map(
        reader,
        "sensitivity.opening_map.first_turn_worth",
        reader.report.sensitivity.opening_map.skills,
        (text("turn.title"), text("turn.description"), text("turn.note")),
    )


def points_map(reader: Reader, path: str, skills: tuple[int, ...], texts: tuple[str, str, Text]) -> Figure:
    """Differences over pairs of skills, for or against the first caster.

    Args:
        path: of the matrix in the report.
        skills: of its rows and columns.
        texts: title, description and remark.
    """
    text, matrix = reader.wording, reader.value(path)
    title, description, note = texts
    largest = max([abs(value) for row in matrix for value in row if value is not None] + [1e-9])
    cells: list[list[Cell | None]] = []
    lines: list[list[Text]] = []
    for own in reversed(range(len(skills))):
        row: list[Cell | None] = []
        for theirs in range(len(skills)):
            value = matrix[own][theirs]
            if value is None:
                row.append(None)
                continue
            shown = reader.points(f"{path}.{own}.{theirs}")
            tip = f"{text('map.where', own=skills[own], theirs=skills[theirs])}: {shown}"
            sign = "+" if value > 0.0005 else "\u2212" if value < -0.0005 else ""
            row.append(Cell("plus" if value >= 0 else "minus", abs(value) / largest, sign, tip))
        cells.append(row)
        lines.append([str(skills[own]), *(reader.points(f"{path}.{own}.{theirs}") for theirs in range(len(skills)))])
    names = [str(skill) for skill in skills]
    grid = Grid(rows=names[::-1], columns=names, cells=cells, row_title=text("map.own"), column_title=text("map.theirs"))
    scale = text.points(largest, signed=False)
    return Figure(
        picture=grid_picture(title, description, grid),
        table=Table(caption=title, header=(text("map.corner"), *names), rows=lines),
        key=(("plus", text("map.better", scale=scale)), ("minus", text("map.worse", scale=scale))),
        note=note,
    )
