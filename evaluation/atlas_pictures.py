"""Pictures of an atlas: who wins, what acting first is worth, and how best to begin."""

import io
from collections.abc import Callable
from typing import Final

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import BoundaryNorm, Colormap, ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evaluation.atlas import Atlas
from evaluation.exact.solution import FIRST, SECOND

_STYLE: Final = {
    "font.size": 10,
    "svg.fonttype": "none",
    "text.parse_math": False,  # names of spells are no formulas, whatever is in them
    "svg.hashsalt": "duel_env",  # equal atlases give equal bytes
}
_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#7f7f7f", "#000000")
"""Okabe and Ito's palette, which colour-blind people can tell apart."""

_TEXT: Final = {
    "en": {
        "x": "skill of player 1",
        "y": "skill of player 0",
        "value": "Chance of player 0 to win, perfect play, averaged over who acts first",
        "first_move": "What acting first is worth to player 0, in points of the chance to win",
        "opening": "Best first action of player 0, acting first",
    },
    "fr": {
        "x": "Sortilèges du duelliste 1",
        "y": "Sortilèges du duelliste 0",
        "value": "Chance de victoire du duelliste 0, jeu parfait, moyenne sur qui commence",
        "first_move": "Ce que vaut de commencer pour le duelliste 0, en points de chance de victoire",
        "opening": "Meilleure première action du duelliste 0 s'il commence",
    },
}


def draw_atlas(atlas: Atlas, language: str) -> dict[str, bytes]:
    """SVG files by name: `value.svg`, `first_move.svg` and `opening.svg`.

    Args:
        atlas: solved.
        language: "en" or "fr".
    """
    text = _TEXT[language]
    value = 100.0 * atlas.value.mean(axis=2)
    first_move = 100.0 * (atlas.value[:, :, FIRST] - atlas.value[:, :, SECOND])
    widest = max(float(np.nanmax(np.abs(first_move))), 1e-9)
    return {
        "value.svg": _picture(atlas, text, "value", lambda figure: _shades(figure, atlas, value, "RdBu", 0.0, 100.0, "%")),
        "first_move.svg": _picture(
            atlas, text, "first_move", lambda figure: _shades(figure, atlas, first_move, "PuOr", -widest, widest, "")
        ),
        "opening.svg": _picture(atlas, text, "opening", lambda figure: _openings(figure, atlas, language)),
    }


def _picture(atlas: Atlas, text: dict[str, str], title: str, draw: Callable[[Figure], None]) -> bytes:
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.2, 5.6), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(text[title], fontsize=11)
        axes.set_xlabel(text["x"])
        axes.set_ylabel(text["y"])
        draw(figure)
        buffer = io.BytesIO()
        FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Title": text[title]})
    return buffer.getvalue()


def _edges(atlas: Atlas) -> NDArray[np.float64]:
    """Borders of the cells, halfway between neighbouring skills."""
    skills = atlas.skills.astype(np.float64)
    if len(skills) == 1:
        return np.array([skills[0] - 0.5, skills[0] + 0.5])
    middle = (skills[1:] + skills[:-1]) / 2.0
    return np.concatenate([[2.0 * skills[0] - middle[0]], middle, [2.0 * skills[-1] - middle[-1]]])


def _shades(
    figure: Figure, atlas: Atlas, cells: NDArray[np.float64], colours: str | Colormap, low: float, high: float, unit: str
) -> None:
    axes = figure.axes[0]
    mesh = axes.pcolormesh(_edges(atlas), _edges(atlas), cells, cmap=colours, vmin=low, vmax=high, rasterized=True)
    figure.colorbar(mesh, ax=axes, format=f"{{x:g}} {unit}".rstrip())


def _openings(figure: Figure, atlas: Atlas, language: str) -> None:
    axes = figure.axes[0]
    opening = atlas.opening[:, :, FIRST]
    used = np.unique(opening)
    names = [getattr(atlas.game.actions[number], language) for number in used]
    colours = ListedColormap([_COLOURS[number % len(_COLOURS)] for number in used])
    cells = np.searchsorted(used, opening)
    norm = BoundaryNorm(np.arange(len(used) + 1) - 0.5, len(used))
    mesh = axes.pcolormesh(_edges(atlas), _edges(atlas), cells, cmap=colours, norm=norm, rasterized=True)
    bar = figure.colorbar(mesh, ax=axes, ticks=range(len(used)))
    bar.ax.set_yticklabels(names)
