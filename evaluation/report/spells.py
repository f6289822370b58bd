"""Each spell: how often, where, whether something else is always as good, and what it is worth to have it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.game import NUM_PLAYERS
from duel_env.rules.graph import CHANCE, NO_EDGE, PLAYER
from evaluation.exact.solution import FIRST, Solution
from evaluation.report.context import STARTS, Context, Progress, first_caster_score, matrix, pair_of, ratio
from evaluation.report.figures import (
    AnswerFigures,
    Dominance,
    DominatingAction,
    HeatMap,
    OpeningFigures,
    Pair,
    PlainActionFigures,
    Restriction,
    Role,
    SpellFigures,
    SpellsFigures,
)

_EFFECTS = ("disarm", "petrify", "hex", "block")


def spells(context: Context, progress: Progress) -> SpellsFigures:
    """The second part of the report."""
    count = context.num_spells
    duels = list(zip(context.by_start, context.counted_visits(context.by_start), strict=True))
    uses = np.mean([found.action_uses(met) for found, met in duels], axis=0)  # (2, A)
    real_uses = np.mean([found.action_uses(np.where(_padded(context), met, 0.0)) for found, met in duels], axis=0)
    casts, real_casts = uses[:, :count].sum(), real_uses[:, :count].sum()
    figures = []
    for spell in range(count):
        progress("spells", spell, count)
        figures.append(_spell(context, spell, uses[:, spell], float(casts), float(real_uses[:, spell].sum()), float(real_casts)))
    progress("spells", count, count)
    plain = [
        PlainActionFigures(
            action=context.action(action), uses=float(uses[:, action].sum()), uses_by_player=_pair(uses[:, action])
        )
        for action in range(count, context.game.num_actions)
    ]
    shares = real_uses[:, :count].sum(axis=0) / real_casts if real_casts > 0.0 else np.zeros(0)
    shares = shares[shares > 0.0]
    return SpellsFigures(
        spells=tuple(figures),
        plain_actions=tuple(plain),
        all_casts=float(casts),
        all_real_casts=float(real_casts),
        counted_rounds=context.counted_rounds,
        effective_spells=float(np.exp(-np.sum(shares * np.log(shares)))) if len(shares) else None,
        openings_by_start=(openings(context, STARTS[0]), openings(context, STARTS[1])),
    )


def _padded(context: Context) -> NDArray[np.bool_]:
    """Nodes at which actions differ in what they are worth, bool (N,)."""
    real = np.zeros(context.model.num_nodes, np.bool_)
    real[: context.model.num_player] = context.is_real
    return real


def _pair(numbers: NDArray[np.float64]) -> Pair:
    return float(numbers[0]), float(numbers[1])


def _spell(
    context: Context, spell: int, uses: NDArray[np.float64], all_casts: float, real_casts: float, all_real_casts: float
) -> SpellFigures:
    described = context.options.spells[spell]
    visits, is_legal = context.decision_visits, context.model.legal[:, spell]
    chosen = context.perfect_chain.policy[:, spell]
    is_best = context.is_best[:, spell] & is_legal
    is_only = is_best & (context.is_best.sum(axis=1) == 1) & ~context.is_forced
    met = float(visits[is_legal].sum())
    states = is_legal & context.is_real & context.reachable[: len(visits)]
    restricted = _restricted(context, spell)
    mean_loss = ratio(float(visits[is_legal] @ context.losses[is_legal, spell]), met)
    return SpellFigures(
        spell=described.id,
        penalty=described.penalty,
        damage=described.damage,
        effects=tuple(effect for effect in _EFFECTS if getattr(described, effect)),
        chance=_pair(np.clip(np.array(context.skills) - described.penalty, 0, 100) / 100.0),
        casts=float(uses.sum()),
        casts_by_player=_pair(uses),
        casts_by_role=(
            float((visits * chosen)[~context.is_answer].sum()),
            float((visits * chosen)[context.is_answer].sum()),
        ),
        share=ratio(float(uses.sum()), all_casts),
        real_casts=real_casts,
        real_share=ratio(real_casts, all_real_casts),
        legal_share=ratio(float(visits[is_legal] @ chosen[is_legal]), met),
        optimal_share=ratio(float(visits[is_best].sum()), met),
        only_optimal_share=ratio(float(visits[is_only].sum()), met),
        heat_maps=_heat_maps(context, spell),
        dominance=_dominance(states, states & is_best, states & is_only, visits),
        states=int(states.sum()),
        optimal_states=int((states & is_best).sum()),
        only_optimal_states=int((states & is_only).sum()),
        least_loss=float(context.losses[states, spell].min()) if states.any() else None,
        mean_loss=mean_loss,
        dominated_by=_dominating(context, spell, states),
        ban=restricted.ban,
        own_alone=restricted.own_alone,
        ban_for_both=restricted.ban_for_both,
        ban_opening=restricted.ban_opening,
    )


def _dominance(
    states: NDArray[np.bool_], optimal: NDArray[np.bool_], only: NDArray[np.bool_], visits: NDArray[np.float64]
) -> Dominance:
    """What perfect play makes of a spell: states where it can be cast, where it is among the best, where nothing else is; bool (P,)."""
    if not states.any():
        return Dominance.NEVER_MATTERS
    if not optimal.any():
        return Dominance.NEVER_OPTIMAL
    if not only.any():
        return Dominance.NEVER_NEEDED
    return Dominance.NEEDED if visits[only].any() else Dominance.NEVER_REACHED


def _dominating(context: Context, spell: int, states: NDArray[np.bool_]) -> tuple[DominatingAction, ...]:
    """Spells that are at least as good in all of some states."""
    found = []
    for other in range(context.num_spells):
        if other == spell or not states.any() or not context.model.legal[states, other].all():
            continue
        margins = context.losses[states, spell] - context.losses[states, other]
        least = float(margins.min())
        if least >= -context.settings.tie:
            found.append(
                DominatingAction(
                    action=context.action(other),
                    strict=least > context.settings.tie,
                    least_margin=max(least, 0.0),
                    mean_margin=float(margins.mean()),
                )
            )
    return tuple(found)


# ---- where --------------------------------------------------------------------------------------------------------------------


def _heat_maps(context: Context, spell: int) -> tuple[HeatMap, ...]:
    players = (None,) if context.are_equal else tuple(range(NUM_PLAYERS))
    return tuple(_heat_map(context, spell, player, role) for player in players for role in Role)


def _heat_map(context: Context, spell: int, player: int | None, role: Role) -> HeatMap:
    size = context.options.hit_points
    mine = context.model.legal[:, spell] & (context.is_answer == (role is Role.ANSWER))
    if player is not None:
        mine &= context.chooser == player
    visits, is_best = context.decision_visits, context.is_best[:, spell]
    states = mine & context.is_real & context.reachable[: len(visits)]

    def by_hit_points(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        cells = np.zeros((size + 1, size + 1))
        np.add.at(cells, (context.own_hit_points, context.opponent_hit_points), weights)
        return cells[1:, 1:]

    decisions = by_hit_points(visits * mine)
    casts = by_hit_points(visits * mine * context.perfect_chain.policy[:, spell])
    optimal = by_hit_points(visits * mine * is_best)
    with np.errstate(invalid="ignore", divide="ignore"):
        return HeatMap(
            player=player,
            role=role,
            decisions=matrix(decisions),
            casts=matrix(casts),
            share=matrix(casts / decisions),
            optimal_share=matrix(optimal / decisions),
            best_in_states=matrix(by_hit_points(1.0 * (states & is_best)) / by_hit_points(1.0 * states)),
        )


# ---- restricted play ----------------------------------------------------------------------------------------------------------


def solve_without(context: Context, spell: int, players: tuple[int, ...]) -> Solution:
    """Perfect play when some players may not cast a spell."""
    allowed = context.model.legal.copy()
    allowed[np.isin(context.chooser, players), spell] = False
    return context.solve(allowed=allowed)


class Restricted(NamedTuple):
    """The fields of `SpellFigures` of these names."""

    ban: tuple[Restriction, ...] = ()
    own_alone: tuple[Restriction, ...] = ()
    ban_for_both: float | None = None
    ban_opening: str | None = None


def _restricted(context: Context, spell: int) -> Restricted:
    if context.num_spells < 2:
        return Restricted()
    neither = solve_without(context, spell, (0, 1))
    banned = [solve_without(context, spell, (player,)) for player in range(1 if context.are_equal else NUM_PLAYERS)]
    without: list[Pair] = [pair_of(found) for found in banned]
    if context.are_equal:
        ours = without[0]
        without.append((1.0 - ours[1], 1.0 - ours[0]))  # the mirror image: seats and who begins change places
    full, none = context.score_by_start, pair_of(neither)
    return Restricted(
        ban=tuple(_restriction(player, full, without[player]) for player in range(NUM_PLAYERS)),
        own_alone=tuple(_restriction(player, none, without[1 - player]) for player in range(NUM_PLAYERS)),
        ban_for_both=first_caster_score(neither) - context.first_caster_score,
        ban_opening=context.action(neither.actions[neither.start(FIRST)]),
    )


def _restriction(player: int, before: Pair, after: Pair) -> Restriction:
    """Change of a player's score, from scores of player 0."""
    sign = 1.0 if player == 0 else -1.0
    changes = (sign * (after[0] - before[0]), sign * (after[1] - before[1]))
    return Restriction(player=player, change=sum(changes) / 2.0, change_by_start=changes)


# ---- openings -----------------------------------------------------------------------------------------------------------------


def openings(context: Context, start: int) -> tuple[OpeningFigures, ...]:
    """What the first caster can open with, and how perfect play answers; `start` is who that is."""
    node = context.solution.start(start)
    legal = np.flatnonzero(context.model.legal[node])
    return tuple(
        OpeningFigures(
            action=context.action(action),
            score=float(context.own_scores[node, action]),
            loss=float(context.losses[node, action]),
            is_best=bool(context.is_best[node, action]),
            answers=_answers(context, node, int(action), start),
        )
        for action in legal
    )


def _answers(context: Context, node: int, action: int, start: int) -> tuple[AnswerFigures, ...]:
    graph, solution = context.game.graph, context.solution
    after = int(graph.edges[node, action] >> 1)
    rolls = [("none", after)]
    if graph.states["node"][after] == CHANCE:
        outcomes = [int(edge >> 1) for edge in graph.edges[after] if edge != NO_EDGE]
        rolls = list(zip(("missed", "hit"), outcomes, strict=True))
    found = []
    for roll, reached in rolls:
        if graph.states["node"][reached] != PLAYER or not context.reachable[reached]:
            continue
        score = solution.values[reached] if start == 0 else -solution.values[reached]
        found.append(
            AnswerFigures(roll=roll, answer=context.action(solution.actions[reached]), score=float((1.0 + score) / 2.0))  # type: ignore[arg-type]
        )
    return tuple(found)
