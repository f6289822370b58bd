"""Ambiguous rules: how much it changes to read one of them otherwise, and where that turns the advantage round."""

from collections.abc import Iterator
from typing import Any, Final, Literal, get_args, get_origin

import numpy as np

from duel_env.errors import ConfigError, ConvergenceError
from duel_env.game import Game
from duel_env.rules.hogwarts.options import HogwartsOptions
from evaluation.exact.occupancy import Chain, solution_policies
from evaluation.exact.solution import FIRST
from evaluation.report.context import STARTS, Context, Progress, finite, first_caster_score, matrix, mean_of, pair_of, settled
from evaluation.report.figures import FlipFigures, ReadingFigures, ReadingsFigures
from evaluation.report.sensitivity import grid, opening, opening_loss

SAME_GAME: Final = frozenset({"observe_opponent_skill"})
"""Options that change what players see, not what they can do: perfect players who know both skills play the same."""


def readings(context: Context, progress: Progress) -> ReadingsFigures:
    """The seventh part of the report."""
    others = list(other_readings(context))
    found = []
    for done, (option, value) in enumerate(others):
        progress("readings", done, len(others))
        reading = _reading(context, option, value)
        if reading is not None:
            found.append(reading)
    progress("readings", len(others), len(others))
    return ReadingsFigures(readings=tuple(sorted(found, key=lambda each: -abs(settled(each.first_caster_change)))))


def other_readings(context: Context) -> Iterator[tuple[str, Any]]:
    """Options of the rules that are a choice between readings, each with another value than the game has."""
    for name, field in HogwartsOptions.model_fields.items():
        if name in SAME_GAME:
            continue
        values: tuple[Any, ...] = ()
        if field.annotation is bool:
            values = (True, False)
        elif get_origin(field.annotation) is Literal:
            values = get_args(field.annotation)
        for value in values:
            if value != getattr(context.options, name):
                yield name, value


def written(value: Any) -> str:
    """A value of an option as people write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _reading(context: Context, option: str, value: Any) -> ReadingFigures | None:
    """Figures of one reading; None if the game cannot be solved then."""
    try:
        game = context.varied(**{option: value})
        solution = context.solve_other(game, context.skills)
    except (ConfigError, ConvergenceError):
        return None
    chain = Chain(game, context.sheets, solution_policies(solution))
    rounds = mean_of([chain.occupancy(solution.start(start)).expected_rounds for start in STARTS])
    skills = grid(context.settings.readings_grid_step)
    change, flips = _over_skills(context, game, skills)
    largest = np.unravel_index(np.argmax(settled(np.abs(change))), change.shape)
    score = first_caster_score(solution)
    loss = opening_loss(context, solution)
    return ReadingFigures(
        option=option,
        value=written(getattr(context.options, option)),
        other=written(value),
        first_caster_score=score,
        first_caster_change=score - context.first_caster_score,
        player_0_change=mean_of(pair_of(solution)) - context.player_0_score,
        mean_rounds=finite(rounds),
        opening=opening(context, solution),
        opening_changes=loss is None or loss > context.settings.tie,
        skills=skills,
        change=matrix(change),
        largest_change=float(np.abs(change[largest])),
        largest_change_at=(skills[largest[0]], skills[largest[1]]),
        flips=flips,
    )


def _over_skills(context: Context, game: Game, skills: tuple[int, ...]) -> tuple[Any, tuple[FlipFigures, ...]]:
    """Change of the first caster's score, float64 (n, n), and where the advantage changes sides; player 0 is the first caster."""
    change, flips = np.zeros((len(skills), len(skills))), []
    for row, own in enumerate(skills):
        for column, other in enumerate(skills):
            before = context.grid_solution((own, other)).win_probability(FIRST)
            after = context.solve_other(game, (own, other)).win_probability(FIRST)
            change[row, column] = after - before
            margins = sorted((before - 0.5, after - 0.5))
            if margins[0] <= -context.settings.readings_flip and margins[1] >= context.settings.readings_flip:
                flips.append(FlipFigures(skills=(own, other), score=before, other_score=after))
    return change, tuple(flips)
