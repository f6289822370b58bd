"""The solver on small random games against brute force: all pairs of strategies, each worth what a linear system says."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.exact.kernels import AVERAGE, ENDED, MAX, MIN, SLACK, certify, find_end_components, iterate_values
from evaluation.exact.model import StochasticGame, lay_out
from evaluation.exact.solution import solve_arrays
from evaluation.exact.strategy_iteration import iterate_strategies

CHANCES = (0.0, 0.3, 0.5, 1.0)


@st.composite
def games(draw, max_nodes=7):
    """Edges as of a state graph, roles, payoffs and the chance of the first edge of each node."""
    size = draw(st.integers(2, max_nodes))
    roles = np.array([ENDED, *(draw(st.sampled_from((MAX, MIN, AVERAGE, ENDED))) for _ in range(size - 1))], np.int8)
    payoffs = np.where(roles == ENDED, [draw(st.sampled_from((-1.0, 0.0, 1.0))) for _ in range(size)], 0.0)
    edges = np.full((size, 3), -1, np.int32)
    for node in range(size):
        if roles[node] != ENDED:
            count = 2 if roles[node] == AVERAGE else draw(st.integers(1, 3))
            edges[node, :count] = [2 * draw(st.integers(0, size - 1)) for _ in range(count)]
    return edges, roles, payoffs, np.array([draw(st.sampled_from(CHANCES)) for _ in range(size)])


def arrays_of(edges, roles, payoffs, chance):
    """The game for the solver, and its layout."""
    everyone = np.arange(len(edges), dtype=np.int32)
    layout = lay_out(edges, roles, payoffs, everyone, everyone)
    nodes = layout.node_of[layout.sources]
    is_chance = roles[nodes] == AVERAGE
    weights = np.where(is_chance, np.where(layout.choices == 0, chance[nodes], 1.0 - chance[nodes]), 1.0)
    return StochasticGame(layout.offsets, layout.targets, weights, layout.roles, layout.blocks), layout


def worth(edges, roles, payoffs, chance, chosen):
    """Values of a pair of strategies; where play cannot end, 0."""
    size = len(edges)
    moves = np.zeros((size, size))
    for node in range(size):
        if roles[node] == AVERAGE:
            moves[node, edges[node, 0] >> 1] += chance[node]
            moves[node, edges[node, 1] >> 1] += 1.0 - chance[node]
        elif roles[node] != ENDED:
            moves[node, edges[node, chosen[node]] >> 1] = 1.0
    can_end = roles == ENDED
    for _ in range(size):
        can_end = can_end | ((moves > 0.0) @ can_end > 0)
    moves[~can_end] = 0.0
    return np.linalg.solve(np.eye(size) - moves, np.where(can_end, payoffs, 0.0))


def brute_force(edges, roles, payoffs, chance):
    """Best of player 0's strategies against the best answer of player 1, node by node."""
    choices = {
        player: [[(node, k) for k in range(3) if edges[node, k] >= 0] for node in np.flatnonzero(roles == player)]
        for player in (MAX, MIN)
    }
    best = np.full(len(edges), -np.inf)
    for ours in itertools.product(*choices[MAX]):
        answers = [worth(edges, roles, payoffs, chance, dict(ours) | dict(theirs)) for theirs in itertools.product(*choices[MIN])]
        best = np.maximum(best, np.min(answers, axis=0))
    return best


@given(games())
@settings(max_examples=400, deadline=None)
def test_values_bounds_and_strategies_are_those_of_brute_force(game):
    expected = brute_force(*game)
    arrays, layout = arrays_of(*game)
    values = layout.payoffs.copy()
    found = solve_arrays(arrays, values)
    assert found.is_certified
    assert values[layout.index_of] == pytest.approx(expected, abs=1e-9)
    assert np.all(found.lower[layout.index_of] <= expected + 1e-15)
    assert np.all(found.upper[layout.index_of] >= expected - 1e-15)
    assert np.max(found.upper - found.lower) < 1e-9
    chosen = {node: layout.choices[found.chosen[layout.index_of[node]]] for node in np.flatnonzero(game[1] < AVERAGE)}
    assert worth(*game, chosen) == pytest.approx(expected, abs=1e-9)


@given(games())
@settings(max_examples=200, deadline=None)
def test_strategy_iteration_finds_the_same_values(game):
    arrays, layout = arrays_of(*game)
    values = layout.payoffs.copy()
    solve_arrays(arrays, values)
    assert iterate_strategies(arrays, layout.payoffs) == pytest.approx(values, abs=1e-9)


@given(games())
@settings(max_examples=200, deadline=None)
def test_blocks_are_solved_after_what_they_lead_to(game):
    arrays, layout = arrays_of(*game)
    block_of = np.repeat(np.arange(len(arrays.blocks) - 1), np.diff(arrays.blocks))
    assert len(block_of) == len(game[0])
    assert np.all(block_of[layout.targets] <= block_of[layout.sources])
    assert sorted(layout.node_of) == list(range(len(game[0])))


def small(*nodes):
    """A game from (role, payoff or targets) of each node; a die is fair."""
    edges = np.full((len(nodes), 3), -1, np.int32)
    payoffs = np.zeros(len(nodes))
    for node, (role, what) in enumerate(nodes):
        if role == ENDED:
            payoffs[node] = what
        else:
            edges[node, : len(what)] = [2 * target for target in what]
    return edges, np.array([role for role, _ in nodes], np.int8), payoffs, np.full(len(nodes), 0.5)


WON, LOST = (ENDED, 1.0), (ENDED, -1.0)


def solved(game):
    arrays, layout = arrays_of(*game)
    values = layout.payoffs.copy()
    found = solve_arrays(arrays, values)
    return values[layout.index_of], found, layout


def test_endless_play_is_a_draw_for_who_would_lose_otherwise():
    values, _, _ = solved(small(LOST, (MAX, [0, 2]), (MIN, [1, 0])))
    assert values.tolist() == [-1.0, -1.0, -1.0]  # player 1 can end it
    values, _, _ = solved(small(LOST, (MAX, [0, 2]), (MIN, [1])))
    assert values.tolist() == [-1.0, 0.0, 0.0]  # nobody can


def test_who_is_winning_makes_progress_instead_of_staying_where_the_value_is_as_good():
    game = small(WON, (MAX, [1, 2]), (AVERAGE, [0, 1]))
    values, found, layout = solved(game)
    assert values.tolist() == pytest.approx([1.0, 1.0, 1.0])
    assert layout.choices[found.chosen[layout.index_of[1]]] == 1


def test_a_strategy_that_only_stays_is_not_certified_as_winning():
    """The bounds judge the strategy that they are given, not the values."""
    arrays, layout = arrays_of(*small(WON, (MAX, [1, 0])))
    size = len(layout.roles)
    node = layout.index_of[1]
    chosen = np.zeros(size, np.int32)
    chosen[node] = arrays.offsets[node]  # for ever at the node itself
    bound = np.where(layout.roles == ENDED, layout.payoffs, 1.0)
    group, order, scratch = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros((6, size), np.int32)
    assert certify(*arrays, MAX, chosen, group, order, scratch, bound, 1_000)
    assert bound[node] == pytest.approx(0.0, abs=4 * SLACK)


def test_a_bound_that_needs_too_many_sweeps_is_no_bound():
    arrays, layout = arrays_of(*small(WON, LOST, (AVERAGE, [2, 3]), (AVERAGE, [2, 0])))
    size = len(layout.roles)
    scratch = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros((6, size), np.int32)
    bound = layout.payoffs.copy()
    assert not certify(*arrays, MAX, np.zeros(size, np.int32), *scratch, bound, 1)
    assert not iterate_values(*arrays, layout.payoffs.copy(), 0.0, 2)


def test_end_components_of_one_player():
    """1 and 2 can be kept up by player 1; a die at 3 leads out of its circle, so that it is none."""
    game = small(WON, (MAX, [2]), (MIN, [1, 0]), (AVERAGE, [3, 0]))
    arrays, layout = arrays_of(*game)
    size = len(layout.roles)
    chosen = arrays.offsets[:-1].copy()
    group, order, scratch = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros((6, size), np.int32)
    assert find_end_components(*arrays, MAX, chosen, group, order, scratch) == 2
    assert (group[layout.index_of] >= 0).tolist() == [False, True, True, False]
    assert group[layout.index_of[1]] == group[layout.index_of[2]]
