"""Best responses to plain strategies, by exploring only what can happen against them.

A plain strategy is a fixed action at each state, or a cycle of them: what is played against it is a game of one player on the states
times the position in the cycle. Few of them can be reached, since the strategy never takes its other actions.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConvergenceError
from duel_env.game import NUM_PLAYERS
from duel_env.rules.jit import kernel
from duel_env.rules.protocol import write_chance_outcomes
from evaluation.exact.kernels import AVERAGE, ENDED, connected_components
from evaluation.exact.model import StochasticGame, exact_model
from evaluation.exact.solution import solve_arrays
from evaluation.report.context import STARTS, Context
from evaluation.report.figures import Pair


@kernel
def _write_chances(states, first, rules, sheets, probability):
    for node in range(first, states.shape[0]):
        write_chance_outcomes(states[node], rules[0], sheets, probability[node])


@kernel
def _enter(node, position, period, index, places, count):
    """Number of a pair of node and position in the cycle, a new one if it was never met; and how many there are."""
    place = node * period + position
    if index[place] < 0:
        index[place] = count
        places[count] = place
        return count, count + 1
    return index[place], count


@kernel
def _explore(edges, chance, is_ended, chooser, seat, choices, moves_on, starts, index, places, offsets, targets, weights, roles):
    """All pairs of node and position that can be reached.

    Args:
        edges: int32 (N, W), of the state graph.
        chance: float64 (N, W), of the outcomes of dice.
        is_ended: bool (N,).
        chooser: int8 (P,).
        seat: who plays the plain strategy.
        choices: int32 (P, n), its action at each position of its cycle.
        moves_on: bool (P,), whether the position moves on with the action taken.
        starts: int32 (2,), nodes to begin at, at position 0: the first two pairs.
        index: int32 (N * n,), all -1; overwritten: number of each pair.
        places: int32 (M,), overwritten: node * n + position of each pair.
        offsets, targets, weights, roles: room for a `StochasticGame` of M nodes and L edges, overwritten.

    Returns:
        how many pairs there are; -1 if there is not enough room.
    """
    period = choices.shape[1]
    count, num_edges, done = 0, 0, 0
    for start in starts:
        _, count = _enter(start, 0, period, index, places, count)
    while done < count:
        if num_edges + edges.shape[1] > targets.shape[0] or count + edges.shape[1] > places.shape[0]:
            return -1
        node, position = places[done] // period, places[done] % period
        offsets[done] = num_edges
        if is_ended[node]:
            roles[done] = ENDED
        elif node < chooser.shape[0]:
            is_free = chooser[node] != seat
            roles[done] = chooser[node] if is_free else AVERAGE
            following = position
            if not is_free and moves_on[node]:
                following = (position + 1) % period
            for action in range(edges.shape[1]):
                if edges[node, action] >= 0 and (is_free or choices[node, position] == action):
                    targets[num_edges], count = _enter(edges[node, action] >> 1, following, period, index, places, count)
                    weights[num_edges] = 1.0
                    num_edges += 1
        else:
            roles[done] = AVERAGE
            for outcome in range(edges.shape[1]):
                if edges[node, outcome] >= 0 and chance[node, outcome] > 0.0:
                    targets[num_edges], count = _enter(edges[node, outcome] >> 1, position, period, index, places, count)
                    weights[num_edges] = chance[node, outcome]
                    num_edges += 1
        done += 1
        offsets[done] = num_edges
    return count


class PlainGame:
    """The game of one player against plain strategies of the other.

    Attributes:
        context: the game.
        solved: how many strategies were answered.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.solved = 0
        graph, model = context.game.graph, exact_model(context.game)
        self._chance = np.zeros(graph.edges.shape)
        _write_chances(graph.states, model.num_visible, context.game.rules, context.sheets, self._chance)
        nodes = np.arange(model.num_nodes)
        self._is_ended = (nodes >= model.num_player) & (nodes < model.num_visible)
        self._payoffs = model.full.payoffs[model.full.index_of]
        self._edges = graph.edges
        self._starts = graph.starts[:NUM_PLAYERS].astype(np.int32)

    @cached_property
    def idle_choices(self) -> NDArray[np.int32]:
        """What is done where no spell is cast, int32 (P,): seize, else retrieve, else pass; -1 where a spell may be cast instead."""
        legal, spells = self.context.model.legal, self.context.num_spells
        retrieve, seize, idle = spells, spells + 1, spells + 2
        casts = legal[:, :spells].any(axis=1)
        found = np.where(casts, -1, np.where(legal[:, retrieve], retrieve, idle))
        return np.where(legal[:, seize], seize, found).astype(np.int32)

    def cycle_scores(self, spells: tuple[int, ...], seat: int) -> Pair:
        """Score of a player who casts some spells over and over against perfect play that knows it, by start.

        Where a wand can be seized it is; where no spell can be cast the wand is retrieved, or the turn passed, and the cycle waits.
        """
        idle = self.idle_choices[:, None]
        choices = np.where(idle >= 0, idle, np.array(spells, np.int32)[None, :]).astype(np.int32)
        return self._scores(choices, self.idle_choices < 0, seat)

    def policy_scores(self, actions: NDArray[np.int64], seat: int) -> Pair:
        """Score of a player who takes these actions, int64 (P,), against perfect play that knows it, by start."""
        return self._scores(actions[:, None].astype(np.int32), np.zeros(len(actions), np.bool_), seat)

    def _scores(self, choices: NDArray[np.int32], moves_on: NDArray[np.bool_], seat: int) -> Pair:
        self.solved += 1
        room, width, period = 4096, self._edges.shape[1], choices.shape[1]
        while True:
            room = min(room, len(self._edges) * period + width)
            index, places = np.full(len(self._edges) * period, -1, np.int32), np.zeros(room, np.int32)
            offsets, roles = np.zeros(room + 1, np.int32), np.zeros(room, np.int8)
            targets, weights = np.zeros(room * width, np.int32), np.zeros(room * width)
            count = _explore(
                self._edges,
                self._chance,
                self._is_ended,
                self.context.chooser,
                seat,
                choices,
                moves_on,
                self._starts,
                index,
                places,
                offsets,
                targets,
                weights,
                roles,
            )
            if count >= 0:
                break
            room *= 4
        edges = offsets[count]
        payoffs = self._payoffs[places[:count] // period]
        values = _solve(offsets[: count + 1], targets[:edges], weights[:edges], roles[:count], payoffs)
        sign = 1.0 if seat == 0 else -1.0
        first, second = ((1.0 + sign * float(values[start])) / 2.0 for start in STARTS)
        return first, second


def _solve(
    offsets: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.float64],
    roles: NDArray[np.int8],
    payoffs: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Values of a game whose nodes are not in any order yet, float64 (n,).

    Raises:
        ConvergenceError: no certified solution was found.
    """
    size = len(roles)
    group, scratch = np.zeros(size, np.int32), np.zeros((6, size), np.int32)
    connected_components(offsets, targets, weights, roles, -1, np.zeros(1, np.int32), group, np.empty_like(group), scratch)
    order = np.lexsort((scratch[-1], group))  # as in `evaluation.exact.model`
    place = np.empty(size, np.int32)
    place[order] = np.arange(size, dtype=np.int32)
    lengths = np.diff(offsets)[order]
    moved = np.zeros(size + 1, np.int32)
    np.cumsum(lengths, out=moved[1:])
    edges = np.repeat(offsets[:-1][order] - moved[:-1], lengths) + np.arange(len(targets))
    blocks = np.append(np.flatnonzero(np.diff(group[order], prepend=-1)), size).astype(np.int32)
    values = payoffs[order].copy()
    arrays = StochasticGame(moved, place[targets[edges]], weights[edges], roles[order], blocks)
    if not solve_arrays(arrays, values).is_certified:
        raise ConvergenceError("no certified answer to a plain strategy was found")
    return values[place]
