"""Perfect play: values of all states, an optimal strategy, and bounds that certify both."""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConvergenceError
from duel_env.game import Game
from evaluation.exact.kernels import AVERAGE, MAX, MIN, certify, choose_edges, iterate_values
from evaluation.exact.model import ExactModel, Layout, Policies, StochasticGame, exact_model, without_impossible_edges

_REST: Final = 1e-15
"""Values are at rest when none changes by more in a sweep."""
_MAX_SWEEPS: Final = 2_000_000

NO_ACTION: Final = -1

FIRST, SECOND = 0, 1
"""Ways to begin, as every ruleset has them: player 0 acts first, player 1 does."""


class Interval(NamedTuple):
    """Bounds of a number, both included."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Values of the nodes of `game.graph`: the expected return of player 0, from -1 to 1; endless play counts 0.

    Attributes:
        game: the rules.
        sheets: SHEET (2,).
        values: float64 (N,).
        lower, upper: float64 (N,), certified bounds of the true values.
        actions: int32 (P,), an optimal action at each node where a player chooses; -1 where a policy was given.
        action_values: float64 (P, A), value for player 0 after an action; nan where it is illegal or not allowed.
        rounds: rounds that are left from here, if the game was cut short after them; None without a limit.
    """

    game: Game
    sheets: NDArray[np.void]
    values: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    actions: NDArray[np.int32]
    action_values: NDArray[np.float64]
    rounds: int | None = None

    def start(self, first_caster: int) -> int:
        """The node at which a duel begins in which a player acts first."""
        return int(self.game.graph.starts[first_caster])

    def value(self, first_caster: int) -> float:
        """Expected return of player 0, from -1 to 1, when a player acts first."""
        return float(self.values[self.start(first_caster)])

    def win_probability(self, first_caster: int) -> float:
        """Probability that player 0 wins plus half of that of a draw, when a player acts first."""
        return (1.0 + self.value(first_caster)) / 2.0

    def win_bounds(self, first_caster: int) -> Interval:
        """Certified bounds of `win_probability`."""
        node = self.start(first_caster)
        return Interval((1.0 + float(self.lower[node])) / 2.0, (1.0 + float(self.upper[node])) / 2.0)

    @property
    def max_error(self) -> float:
        """Greatest distance between the bounds of any value."""
        return float(np.max(self.upper - self.lower))


def solve(
    game: Game, sheets: NDArray[np.void], policies: Policies = (None, None), allowed: NDArray[np.bool_] | None = None
) -> Solution:
    """Solve the duel between two sheets without a round limit; endless play is a draw.

    Args:
        game: the rules.
        sheets: SHEET (2,).
        policies: for each player None for perfect play, or float64 (P, A) to be played as it is (see `policy_table`). With one
            of them the values are those of the other player's best response; with both they are what the two are worth.
        allowed: bool (P, A), what may be chosen; all legal actions without it.

    Returns:
        the solution. Values are found by value iteration; the bounds do not rest on that, see `kernels`.

    Raises:
        ConfigError: rules with too many states, or arguments that do not fit them.
        ConvergenceError: no solution was found in a great many sweeps.
    """
    model = exact_model(game)
    is_plain = allowed is None and all(policy is None for policy in policies)
    layout = model.merged if is_plain else model.full
    arrays = without_impossible_edges(model.stochastic_game(layout, sheets, policies, allowed))
    values = layout.payoffs.copy()
    found = solve_arrays(arrays, values)
    if not found.is_certified:
        raise ConvergenceError(f"no certified solution after {_MAX_SWEEPS:,} sweeps")
    return _as_solution(model, layout, arrays, sheets, values, found, allowed)


class Certificate(NamedTuple):
    """What `solve_arrays` finds besides the values.

    Attributes:
        lower, upper: float64 (n,).
        chosen: int32 (n,), an optimal edge at each node where a player chooses.
        is_certified: whether the bounds hold.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    chosen: NDArray[np.int32]
    is_certified: bool


def solve_arrays(arrays: StochasticGame, values: NDArray[np.float64]) -> Certificate:
    """Solve a game given by arrays; `values` has the payoffs of ENDED nodes and 0 elsewhere, and is overwritten."""
    size = len(values)
    iterate_values(*arrays, values, _REST, _MAX_SWEEPS)
    chosen = np.zeros(size, np.int32)
    choose_edges(*arrays[:4], values, np.zeros(size, np.int8), chosen)
    group, order, scratch = np.zeros(size, np.int32), np.zeros(size, np.int32), np.zeros((6, size), np.int32)
    lower, upper = values.copy(), values.copy()
    holds = certify(*arrays, MAX, chosen, group, order, scratch, lower, _MAX_SWEEPS)
    holds = certify(*arrays, MIN, chosen, group, order, scratch, upper, _MAX_SWEEPS) and holds
    return Certificate(lower, upper, chosen, bool(holds))


def _as_solution(
    model: ExactModel,
    layout: Layout,
    arrays: StochasticGame,
    sheets: NDArray[np.void],
    values: NDArray[np.float64],
    found: Certificate,
    allowed: NDArray[np.bool_] | None,
) -> Solution:
    """What was found in a layout, in terms of the state graph."""
    index = layout.index_of
    mine = index[: model.num_player]
    reached = index[model.game.graph.edges[: model.num_player, : model.game.num_actions] >> 1]
    may = model.legal if allowed is None else model.legal & allowed
    is_chosen = may & (reached == arrays.targets[found.chosen[mine]][:, None])
    is_free = arrays.roles[mine] != AVERAGE
    return Solution(
        game=model.game,
        sheets=sheets.copy(),
        values=values[index],
        lower=found.lower[index],
        upper=found.upper[index],
        actions=np.where(is_free, is_chosen.argmax(axis=1), NO_ACTION).astype(np.int32),
        action_values=np.where(may, values[reached], np.nan),
    )
