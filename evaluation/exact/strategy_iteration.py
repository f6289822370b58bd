"""A second way to the values: strategy iteration with exact linear solves, which shares nothing with value iteration but the game.

Hoffman and Karp (1966): fix player 0's strategy, find player 1's best answer, change player 0's choices where another is better,
repeat. It is exact when all play ends. Here play may go on for ever, at a payoff of 0, and changing choices only where that helps
at once can then stop too early. So the first rounds are played with a little discount, which makes every change pay at once; the
undiscounted rounds start from what is found. Values at rest are checked by `solution.solve`'s certificate in the tests.
"""

from typing import Final

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
from numpy.typing import NDArray

from duel_env.errors import ConvergenceError
from duel_env.game import Game
from evaluation.exact.kernels import AVERAGE, ENDED, MAX, MIN
from evaluation.exact.model import Policies, StochasticGame, exact_model

_DISCOUNTS: Final = (1.0 - 1e-3, 1.0 - 1e-6, 1.0)
_GAIN: Final = 1e-12
"""A choice is changed for one that is better by more than this: less is rounding."""
_MAX_CHANGES: Final = 1_000


def solve_by_strategy_iteration(
    game: Game, sheets: NDArray[np.void], policies: Policies = (None, None), allowed: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Values of all nodes of `game.graph` for player 0, float64 (N,); arguments as for `solution.solve`.

    Raises:
        ConfigError: rules with too many states, or arguments that do not fit them.
        ConvergenceError: the strategies do not come to rest.
    """
    model = exact_model(game)
    layout = model.full
    values = iterate_strategies(model.stochastic_game(layout, sheets, policies, allowed), layout.payoffs)
    return values[layout.index_of]


def iterate_strategies(arrays: StochasticGame, payoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of a game given by arrays, float64 (n,); `payoffs` float64 (n,) counts at ENDED nodes.

    Raises:
        ConvergenceError: the strategies do not come to rest.
    """
    solver = _Strategies(arrays, payoffs)
    for discount in _DISCOUNTS:
        values = solver.improve_both(discount)
    return values


class _Strategies:
    """A strategy of both players, and what it is worth."""

    def __init__(self, arrays: StochasticGame, payoffs: NDArray[np.float64]) -> None:
        self._roles, self._payoffs = arrays.roles, payoffs
        present = arrays.weights > 0.0
        self._sources = np.repeat(np.arange(len(payoffs)), np.diff(arrays.offsets))[present]
        self._targets, self._weights = arrays.targets[present], arrays.weights[present]
        self._is_average = self._roles[self._sources] == AVERAGE
        first = np.searchsorted(self._sources, np.arange(len(payoffs)))
        self._choice = np.where((self._roles == MAX) | (self._roles == MIN), first, -1)  # edge by node

    def improve_both(self, discount: float) -> NDArray[np.float64]:
        """Improve until neither player can; returns the values."""
        for _ in range(_MAX_CHANGES):
            values = self._answer(discount)
            if not self._improve(MAX, values):
                return values
        raise ConvergenceError(f"strategy iteration has not come to rest after {_MAX_CHANGES:,} changes")

    def _answer(self, discount: float) -> NDArray[np.float64]:
        """Improve player 1's strategy as far as possible against player 0's; returns the values."""
        for _ in range(_MAX_CHANGES):
            values = self._evaluate(discount)
            if not self._improve(MIN, values):
                return values
        raise ConvergenceError(f"a best response has not come to rest after {_MAX_CHANGES:,} changes")

    def _improve(self, player: int, values: NDArray[np.float64]) -> bool:
        """Change the choices of a player where another is better; returns whether there was one."""
        sign = 1.0 if player == MAX else -1.0
        edges = np.flatnonzero(self._roles[self._sources] == player)
        if len(edges) == 0:
            return False
        after, sources = sign * values[self._targets[edges]], self._sources[edges]
        starts = np.flatnonzero(np.diff(sources, prepend=-1))
        nodes, best = sources[starts], np.maximum.reduceat(after, starts)
        is_better = best > sign * values[self._targets[self._choice[nodes]]] + _GAIN
        is_best = after == np.repeat(best, np.diff(np.append(starts, len(edges))))
        first_best = edges[np.minimum.reduceat(np.where(is_best, np.arange(len(edges)), len(edges)), starts)]
        self._choice[nodes[is_better]] = first_best[is_better]
        return bool(np.any(is_better))

    def _evaluate(self, discount: float) -> NDArray[np.float64]:
        """Values of the strategies as they are: a system of linear equations, with 0 where play can no longer end."""
        size = len(self._payoffs)
        chosen = self._choice[self._choice >= 0]
        edges = np.concatenate([np.flatnonzero(self._is_average), chosen])
        weights = np.where(self._is_average[edges], self._weights[edges], 1.0)
        moves = scipy.sparse.csr_matrix((weights, (self._sources[edges], self._targets[edges])), shape=(size, size))
        ends = np.flatnonzero(self._roles == ENDED)
        can_end = _reaching(moves, ends)
        open_nodes = np.flatnonzero(can_end & (self._roles != ENDED))
        values = np.where(self._roles == ENDED, self._payoffs, 0.0)
        if len(open_nodes):
            inner = moves[open_nodes][:, open_nodes]
            system = scipy.sparse.identity(len(open_nodes), format="csc") - discount * inner.tocsc()
            values[open_nodes] = scipy.sparse.linalg.spsolve(system, discount * (moves[open_nodes] @ values))
        return values


def _reaching(moves: scipy.sparse.csr_matrix, ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Nodes from which an end can be reached, bool (n,)."""
    size = moves.shape[0]
    backward = moves.T.tocoo()
    root = size  # a node more, from which all ends are reached
    rows = np.concatenate([backward.row, np.full(len(ends), root)])
    columns = np.concatenate([backward.col, ends])
    graph = scipy.sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(size + 1, size + 1))
    found = np.zeros(size + 1, np.bool_)
    found[scipy.sparse.csgraph.breadth_first_order(graph, root, return_predecessors=False)] = True
    return found[:size]
