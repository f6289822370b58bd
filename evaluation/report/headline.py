"""Fair or not, how long, how much skill: the first part of the report."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.registry import agent_names, make_agent
from duel_env.config import shown
from duel_env.errors import ConfigError
from duel_env.game import NUM_PLAYERS, make_game
from evaluation.exact.occupancy import Chain, Occupancy, solution_policies
from evaluation.exact.policies import policy_table
from evaluation.exact.solution import FIRST, SECOND
from evaluation.report.context import Context, Progress, finite, mean_of, pair_of, ratio
from evaluation.report.figures import HeadlineFigures, LengthFigures, Outcome, Pair, SkillFigures, StrengthFigures

_UNLISTED = 1e-6
"""Share of the duels that end of which the listed distribution of rounds may keep silent."""


def headline(context: Context, progress: Progress) -> HeadlineFigures:
    """The first part of the report.

    Raises:
        ConfigError: an opponent that is no agent of this game, under whatever rules.
    """
    by_start, solution = context.by_start, context.solution
    bounds = [solution.win_bounds(start) for start in (FIRST, SECOND)]
    opponents = _opponents(context)
    steps = len(opponents) + len(context.settings.temperatures)
    skill = []
    for number, name in enumerate(opponents):
        progress("headline", number, steps)
        skill.append(against(context, name))
    strengths = []
    for number, temperature in enumerate(context.settings.temperatures):
        progress("headline", len(opponents) + number, steps)
        strengths.append(_at_strength(context, temperature))
    progress("headline", steps, steps)
    return HeadlineFigures(
        first_caster_score=context.first_caster_score,
        second_caster_score=1.0 - context.first_caster_score,
        player_0_score=context.player_0_score,
        score_by_start=context.score_by_start,
        bounds_by_start=(tuple(bounds[0]), tuple(bounds[1])),  # type: ignore[arg-type]
        max_error=solution.max_error / 2.0,
        outcome_by_start=(_outcome(by_start[0]), _outcome(by_start[1])),
        decided=mean_of([found.win + found.loss for found in by_start]),
        drawn=mean_of([found.draw for found in by_start]),
        endless=mean_of([found.endless for found in by_start]),
        length=_length(by_start),
        length_by_start=(_length(by_start[:1]), _length(by_start[1:])),
        skill=tuple(skill),
        by_strength=tuple(strengths),
    )


def _opponents(context: Context) -> list[str]:
    """Names of the opponents that can play under these rules, in the order of the settings."""
    playing = {known.name for known in agent_names(context.game)}
    known = playing | {agent.name for agent in agent_names(make_game(context.game.ruleset.name))}
    for name in context.settings.opponents:
        if name not in known:
            raise ConfigError(f"opponents: unknown agent {shown(name)}; expected {', '.join(sorted(known))}")
    return [name for name in context.settings.opponents if name in playing]


def _outcome(found: Occupancy) -> Outcome:
    return Outcome(win=found.win, draw=found.draw, loss=found.loss, endless=found.endless)


def _length(duels: Sequence[Occupancy]) -> LengthFigures:
    """Length of duels that begin in each of some ways equally often."""
    ended = np.zeros(max(len(found.rounds.ended) for found in duels))
    for found in duels:
        ended[: len(found.rounds.ended)] += found.rounds.ended / len(duels)
    reached, total = np.cumsum(ended), float(ended.sum())
    within = [int(np.argmax(reached >= share)) + 1 if reached[-1] >= share else None for share in (0.05, 0.5, 0.95)]
    listed = int(np.argmax(reached >= total - _UNLISTED)) + 1 if total > 0.0 else 0
    return LengthFigures(
        mean=finite(mean_of([found.expected_rounds for found in duels])),
        mean_if_ended=ratio(float(ended @ (1.0 + np.arange(len(ended)))), total),
        p5=within[0],
        median=within[1],
        p95=within[2],
        distribution=tuple(ended[:listed].tolist()),
    )


# ---- skill and luck -----------------------------------------------------------------------------------------------------------


def against(context: Context, name: str) -> SkillFigures:
    """Perfect play, and the best response, against an agent."""
    theirs = policy_table(make_agent(name, context.game), context.game, context.sheets)
    perfect = solution_policies(context.solution)[0]
    seats = range(1 if context.are_equal else NUM_PLAYERS)
    by_seat = [_score_in_seat(context, perfect, theirs, seat) for seat in seats]
    responses = [_response_in_seat(context, theirs, seat) for seat in seats]
    response = (responses[0], responses[-1])
    score = mean_of(by_seat)
    return SkillFigures(
        opponent=name,
        perfect_score=score,
        best_response_score=mean_of(response),
        perfect_by_seat=(by_seat[0], by_seat[-1]),
        best_response_by_seat=response,
        skill_share=2.0 * score - 1.0,
    )


def _score_in_seat(context: Context, ours: NDArray[np.float64], theirs: NDArray[np.float64], seat: int) -> float:
    """Score of one policy in a seat against the other in the other seat, averaged over who begins."""
    policies = [ours, theirs] if seat == 0 else [theirs, ours]
    duels = context.from_starts(Chain(context.game, context.sheets, policies))
    score = mean_of([found.score for found in duels])
    return score if seat == 0 else 1.0 - score


def _response_in_seat(context: Context, theirs: NDArray[np.float64], seat: int) -> float:
    """Score of the best response in a seat, averaged over who begins."""
    score = mean_of(pair_of(context.solve((None, theirs) if seat == 0 else (theirs, None))))
    return score if seat == 0 else 1.0 - score


# ---- players who err ----------------------------------------------------------------------------------------------------------


def _at_strength(context: Context, temperature: float) -> StrengthFigures:
    _, duels = context.quantal_play(temperature)
    own: Pair = (duels[0].score, duels[1].score)
    visits = context.counted_visits(duels)
    casts = np.mean([found.action_uses(met).sum(axis=0) for found, met in zip(duels, visits, strict=True)], axis=0)
    casts = casts[: context.num_spells]
    return StrengthFigures(
        temperature=temperature,
        first_caster_score=(own[0] + 1.0 - own[1]) / 2.0,
        player_0_score=mean_of(own),
        decided=mean_of([found.win + found.loss for found in duels]),
        mean_rounds=finite(mean_of([found.expected_rounds for found in duels])),
        shares={spell: ratio(casts[number], float(casts.sum())) for number, spell in enumerate(context.spell_ids)},
    )
