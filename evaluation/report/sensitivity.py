"""What each number of the rules is worth, and which opening is best between which skills."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from duel_env.errors import ConfigError, ConvergenceError
from duel_env.game import Game
from evaluation.exact.model import exact_model
from evaluation.exact.solution import FIRST, NO_ACTION, Solution
from evaluation.report.context import Context, Progress, first_caster_score, matrix, mean_of, pair_of, settled
from evaluation.report.figures import ChangedNumber, OpeningMap, ParameterFigures, SensitivityFigures

_MAX_SKILL = 100


def sensitivity(context: Context, progress: Progress) -> SensitivityFigures:
    """The sixth part of the report."""
    numbers = list(_numbers(context))
    found = []
    for done, number in enumerate(numbers):
        progress("sensitivity", done, len(numbers))
        found.append(_parameter(context, number))
    progress("sensitivity", len(numbers), len(numbers))
    return SensitivityFigures(
        parameters=tuple(sorted(found, key=lambda each: -settled(each.swing))), opening_map=opening_map(context, progress)
    )


class Number(NamedTuple):
    """A number of the rules, or a skill."""

    kind: Literal["hit_points", "penalty", "damage", "skill"]
    subject: str | None
    """A spell; for a skill the player."""
    value: int
    step: int

    @property
    def name(self) -> str:
        """As `ParameterFigures.parameter`."""
        if self.kind == "skill":
            return f"skill.{self.subject}"
        return self.kind if self.subject is None else f"{self.subject}.{self.kind}"


def _numbers(context: Context) -> Iterator[Number]:
    """All numbers; damage only of spells that have some, since it would make another spell of the others."""
    settings, options = context.settings, context.options
    yield Number("hit_points", None, options.hit_points, 1)
    for player in range(1 if context.are_equal else 2):
        yield Number("skill", str(player), context.skills[player], settings.skill_step)
    for spell in options.spells:
        yield Number("penalty", spell.id, spell.penalty, settings.penalty_step)
        if spell.damage > 0:
            yield Number("damage", spell.id, spell.damage, 1)


def changed(context: Context, number: Number, value: int) -> tuple[Game, tuple[int, int]] | None:
    """The game and the skills with a number changed; None if the rules do not accept it."""
    if number.kind == "skill":
        if not 0 <= value <= _MAX_SKILL:
            return None
        skills = list(context.skills)
        skills[int(number.subject or 0)] = value
        return context.game, (skills[0], skills[1])
    changes: dict[str, Any] = {"hit_points": value}
    if number.subject is not None:
        spells = context.game.options_json()["spells"]
        changes = {"spells": [spell | {number.kind: value} if spell["id"] == number.subject else spell for spell in spells]}
    try:
        game = context.varied(**changes)
        exact_model(game)  # asks for the state graph
    except ConfigError:
        return None
    return game, context.skills


def opening_loss(context: Context, other: Solution) -> float | None:
    """Points that the first caster's opening of the game as it is (player 0 begins) gives away in another solution."""
    action = int(context.solution.actions[context.solution.start(FIRST)])
    value = other.action_values[other.start(FIRST), action] if action != NO_ACTION else np.nan
    if np.isnan(value):
        return None
    return max(float(other.value(FIRST) - value) / 2.0, 0.0)


def opening(context: Context, solution: Solution) -> str:
    """The id of the first of the best openings when player 0 begins."""
    return context.action(solution.actions[solution.start(FIRST)])


def _changed_number(context: Context, number: Number, value: int) -> ChangedNumber | None:
    found = changed(context, number, value)
    if found is None:
        return None
    try:
        solution = context.solve_other(*found)
    except ConvergenceError:
        return None
    loss = opening_loss(context, solution)
    score = first_caster_score(solution)
    return ChangedNumber(
        value=value,
        first_caster_score=score,
        first_caster_change=score - context.first_caster_score,
        player_0_change=mean_of(pair_of(solution)) - context.player_0_score,
        opening=opening(context, solution),
        opening_changes=loss is None or loss > context.settings.tie,
        opening_loss=loss,
    )


def _parameter(context: Context, number: Number) -> ParameterFigures:
    down = _changed_number(context, number, number.value - number.step)
    up = _changed_number(context, number, number.value + number.step)
    scores = [context.first_caster_score] + [each.first_caster_score for each in (down, up) if each is not None]
    return ParameterFigures(
        parameter=number.name,
        kind=number.kind,
        subject=number.subject if number.kind != "skill" else None,
        value=number.value,
        step=number.step,
        down=down,
        up=up,
        swing=max(scores) - min(scores),
    )


# ---- the map of openings ------------------------------------------------------------------------------------------------------


def grid(step: int) -> tuple[int, ...]:
    """Skills from 0 to 100 in steps; 100 is always among them."""
    return tuple(sorted({*range(0, _MAX_SKILL + 1, step), _MAX_SKILL}))


def opening_map(context: Context, progress: Progress) -> OpeningMap:
    """Openings and scores over pairs of skills; player 0 is the first caster."""
    skills = grid(context.settings.grid_step)
    size = len(skills)
    score = np.zeros((size, size))
    openings, also_best = [], []
    for row, own in enumerate(skills):
        progress("openings", row, size)
        names, ties = [], []
        for column, other in enumerate(skills):
            solution = context.grid_solution((own, other))
            node = solution.start(FIRST)
            score[row, column] = solution.win_probability(FIRST)
            names.append(opening(context, solution))
            best = solution.action_values[node] >= solution.values[node] - 2.0 * context.settings.tie
            ties.append(int(np.sum(best)) - 1)
        openings.append(tuple(names))
        also_best.append(tuple(ties))
    progress("openings", size, size)
    return OpeningMap(
        skills=skills,
        openings=tuple(openings),
        also_best=tuple(also_best),
        score=matrix(score),
        first_turn_worth=matrix(score - (1.0 - score.T)),
    )
