"""Perfect play of a duel that is cut short after a number of rounds, by backward induction: exact, without any iteration."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConfigError
from duel_env.game import Game
from duel_env.rules.jit import kernel
from evaluation.exact.kernels import AVERAGE, ENDED, MIN
from evaluation.exact.model import Policies, exact_model
from evaluation.exact.solution import NO_ACTION, Solution

_ROUNDING = 2.0**-46
"""More than the rounding error of one step of look-ahead, a sum of at most 50 terms."""
_SETTLED = 2.0**-50
"""A round that changes no value by more than this, 9e-16, is the last that is computed: see `solve_truncated`."""
_TELL_EVERY = 64


@kernel
def _induct(order, edges, weights, roles, values, next_round, chosen, after):
    """Values of one round: `values` (N,) from those of the round that comes next, `next_round` (N,).

    Also writes the number of the first best edge, `chosen` (N,), and the values after each edge, `after` (N, W).
    """
    for place in range(order.shape[0]):
        node = order[place]
        role = roles[node]
        if role == ENDED:
            continue
        total, best = 0.0, -2.0
        for choice in range(edges.shape[1]):
            edge = edges[node, choice]
            if edge < 0:
                continue
            value = next_round[edge >> 1] if edge & 1 else values[edge >> 1]
            after[node, choice] = value
            if role == AVERAGE:
                total += weights[node, choice] * value
                continue
            if role == MIN:
                value = -value
            if weights[node, choice] > 0.0 and value > best:
                best = value
                chosen[node] = choice
        if role == AVERAGE:
            values[node] = total
        else:
            values[node] = -best if role == MIN else best


@kernel
def _sort_within_round(edges, order, level):
    """Put nodes in an order such that edges that stay within the round lead to earlier ones.

    Args:
        edges: int32 (N, W), of the state graph.
        order: int32 (N,), overwritten.
        level: int32 (N,), zeros; overwritten by the most steps that are left in the round, plus 1.

    Returns:
        how many nodes could be put in order; fewer than N if a round can go on for ever.
    """
    count = 0
    added = True
    while added:
        added = False
        for node in range(edges.shape[0]):
            if level[node] != 0:
                continue
            longest = 0
            for choice in range(edges.shape[1]):
                edge = edges[node, choice]
                if edge < 0 or edge & 1 == 1:
                    continue
                if level[edge >> 1] == 0:
                    longest = -1
                    break
                longest = max(longest, level[edge >> 1])
            if longest >= 0:
                level[node] = longest + 1
                order[count] = node
                count += 1
                added = True
    return count


def solve_truncated(
    game: Game,
    sheets: NDArray[np.void],
    rounds: int,
    policies: Policies = (None, None),
    allowed: NDArray[np.bool_] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Solution:
    """Solve the duel between two sheets that is cut short, a draw, after some rounds.

    Where another round changes no value by more than 9e-16, the rounds that are left are not computed. A round back is a monotone map
    that brings no two sets of values further apart, so that each of these rounds could add this change at most; the bounds hold it.

    Args:
        game: the rules; their own round limit does not count here.
        sheets: SHEET (2,).
        rounds: rounds that are left, the current one included; 1 or more.
        policies, allowed: as in `solution.solve`. A policy given does not know how many rounds are left.
        progress: is told now and then how many rounds are done, and in the end `rounds`.

    Returns:
        values, and the best actions, with `rounds` left. The bounds are those of rounding, and of the rounds that were not computed.

    Raises:
        ConfigError: rules with too many states, or arguments that do not fit them.
    """
    if not isinstance(rounds, int | np.integer) or isinstance(rounds, bool) or rounds < 1:
        raise ConfigError(f"rounds = {rounds!r}: expected 1 or more")
    model = exact_model(game)
    graph, size = game.graph, model.num_nodes
    arrays = model.stochastic_game(model.full, sheets, policies, allowed)
    weights = np.zeros(graph.edges.shape)
    weights[model.full.node_of[model.full.sources], model.full.choices] = arrays.weights
    roles = arrays.roles[model.full.index_of]
    order, level = np.zeros(size, np.int32), np.zeros(size, np.int32)
    if _sort_within_round(graph.edges, order, level) != size:
        raise ConfigError("these rules have rounds that need not end: they cannot be cut short after a number of rounds")
    chosen, after = np.zeros(size, np.int32), np.full(graph.edges.shape, np.nan)
    values = model.full.payoffs[model.full.index_of]  # without a round left a draw, unless it is over
    error = _ROUNDING * int(rounds) * int(level.max())
    for done in range(1, int(rounds) + 1):
        next_round = values.copy()
        _induct(order, graph.edges, weights, roles, values, next_round, chosen, after)
        change = float(np.max(np.abs(values - next_round)))
        if change <= _SETTLED:
            error += (int(rounds) - done) * change
            break
        if progress is not None and done % _TELL_EVERY == 0:
            progress(done)
    if progress is not None:
        progress(int(rounds))
    may = model.legal if allowed is None else model.legal & allowed
    is_free = roles[: model.num_player] != AVERAGE
    return Solution(
        game=game,
        sheets=sheets.copy(),
        values=values,
        lower=values - error,
        upper=values + error,
        actions=np.where(is_free, chosen[: model.num_player], NO_ACTION).astype(np.int32),
        action_values=np.where(may, after[: model.num_player, : game.num_actions], np.nan),
        rounds=int(rounds),
    )
