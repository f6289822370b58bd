"""What happens when both players' policies are given: how often each state is met, how the duel ends, and how long it takes.

With both policies fixed a duel is a Markov chain on the state graph. Expected visits solve a system of linear equations on the states
that play leaves for good; where it never leaves again (a closed class of states without an end), they are infinite. The number of
rounds is found by following the probabilities round by round.

Source: Kemeny and Snell, Finite Markov Chains, 1960, chapter III (fundamental matrix).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import one_hot
from duel_env.errors import ConfigError, ConvergenceError
from duel_env.game import NUM_PLAYERS, Game
from duel_env.rules.jit import kernel
from evaluation.exact.kernels import AVERAGE, connected_components
from evaluation.exact.model import exact_model
from evaluation.exact.solution import FIRST, SECOND, Solution

REST: Final = 1e-12
"""Rounds are followed until no more than this probability is left that a duel which ends has not ended."""
MAX_ROUNDS: Final = 100_000
"""And no longer than this, or than `_MAX_WORK` allows."""
_MAX_WORK = 500_000_000  # edges times rounds
_ROUNDING = 1e-6  # an error in the probabilities of the ends beyond which a solution is refused
_NEARLY_ENDLESS: Final = "play between these policies leaves some states so seldom that its length cannot be computed"
_NOBODY: Final = -1
_PERCENTILES: Final = (0.05, 0.5, 0.95)


def solution_policies(
    solution: Solution, policies: Sequence[NDArray[np.float64] | None] = (None, None)
) -> list[NDArray[np.float64]]:
    """Both players' policies, float64 (P, A), of a solution: its optimal actions, but for a player whose policy was given.

    Args:
        solution: from `solve`.
        policies: those that `solve` was given.
    """
    chosen = one_hot(np.maximum(solution.actions, 0).astype(np.int64), solution.game.num_actions)
    return [chosen if policy is None else policy for policy in policies]


# ---- kernels ------------------------------------------------------------------------------------------------------------------


@kernel
def mark_reached(offsets, targets, weights, start, reached, stack):
    """Mark in `reached` (n,) what can be reached from `start`, itself included; `stack` int32 (n,) is scratch."""
    reached[start] = True
    stack[0] = start
    size = 1
    while size > 0:
        size -= 1
        node = stack[size]
        for edge in range(offsets[node], offsets[node + 1]):
            target = targets[edge]
            if weights[edge] > 0.0 and not reached[target]:
                reached[target] = True
                stack[size] = target
                size += 1


@kernel
def _follow_rounds(order, offsets, targets, weights, advances, is_ended, is_endless, mass, following, visits, ended, rest):
    """Follow the probability of being at each node, round by round.

    Args:
        order: int32 (k,), the nodes reached; edges that stay within the round lead to later ones.
        advances: bool (E,), edges that begin a new round.
        is_ended, is_endless: bool (n,), ends, and nodes from which play never ends.
        mass: float64 (n,), probabilities at the beginning of the first round; overwritten.
        following: float64 (n,), zeros; scratch.
        visits: float64 (n,), overwritten: expected visits in the rounds followed.
        ended: float64 (R,), overwritten: probability that the duel ends in each round; R is the most rounds that are followed.
        rest: stop when no more than this has neither ended nor become endless.

    Returns:
        how many rounds were followed.
    """
    for number in range(ended.shape[0]):
        for place in range(order.shape[0]):
            node = order[place]
            here = mass[node]
            if here == 0.0:
                continue
            mass[node] = 0.0
            visits[node] += here
            if is_ended[node]:
                ended[number] += here
                continue
            for edge in range(offsets[node], offsets[node + 1]):
                if advances[edge]:
                    following[targets[edge]] += weights[edge] * here
                else:
                    mass[targets[edge]] += weights[edge] * here
        open_mass = 0.0
        for place in range(order.shape[0]):
            node = order[place]
            mass[node] = following[node]
            following[node] = 0.0
            if not is_endless[node]:
                open_mass += mass[node]
        if open_mass <= rest:
            return number + 1
    return ended.shape[0]


# ---- what comes of a start ----------------------------------------------------------------------------------------------------


class Rounds(NamedTuple):
    """How many rounds a duel takes; the round in which it ends counts.

    Attributes:
        ended: float64 (R,), probability that it ends in round 1, 2, ..., R; all but `REST` of the duels that end are in it, unless R is
            the most rounds that were followed.
        mean: expected number; infinite if play may never end.
        mean_if_ended: expected number of the duels within `ended`; nan if there are none.
        p5, median, p95: so many rounds are enough for 5, 50 and 95 % of all duels; None where no number of rounds in `ended` is.
    """

    ended: NDArray[np.float64]
    mean: float
    mean_if_ended: float
    p5: int | None
    median: int | None
    p95: int | None


@dataclass(frozen=True, eq=False)
class Occupancy:
    """A duel from one start. Node numbers are those of `game.graph`.

    Attributes:
        chain: the game, the duelists and their policies.
        start: the node it begins at.
        visits: float64 (N,), expected visits of each node, that of the start included; infinite where play can go on for ever.
        win, draw, loss: probabilities that player 0 wins, that nobody does by the rules, and that player 1 wins.
        endless: probability that the duel never ends. The four sum to 1.
    """

    chain: "Chain"
    start: int
    visits: NDArray[np.float64]
    win: float
    draw: float
    loss: float
    endless: float

    @property
    def value(self) -> float:
        """Expected return of player 0, from -1 to 1."""
        return self.win - self.loss

    @property
    def score(self) -> float:
        """Probability that player 0 wins, plus half of that of no winner."""
        return (1.0 + self.value) / 2.0

    @cached_property
    def expected_rounds(self) -> float:
        """How many rounds it takes on average; infinite if play may never end."""
        if self.endless > 0.0:
            return float("inf")
        return 1.0 + self.chain.expected_new_rounds(self.visits)  # one, and one more for each edge into a new round

    @cached_property
    def rounds(self) -> Rounds:
        """How long it takes."""
        chain = self.chain
        most = min(MAX_ROUNDS, max(_MAX_WORK // chain.num_edges_from(self.start), 1))
        _, ended = chain.follow(self.start, most, REST)
        reached, numbers = np.cumsum(ended), 1.0 + np.arange(len(ended))
        total = float(ended.sum())
        within = [int(np.argmax(reached >= share)) + 1 if reached[-1] >= share else None for share in _PERCENTILES]
        return Rounds(ended, self.expected_rounds, float(ended @ numbers) / total if total > 0.0 else float("nan"), *within)

    def visits_within(self, rounds: int) -> NDArray[np.float64]:
        """Expected visits in the first rounds, float64 (N,): finite also where play never ends."""
        visits, _ = self.chain.follow(self.start, rounds, 0.0)
        return visits

    def action_uses(self, visits: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Expected number of times that each player takes each action, float64 (2, A).

        Args:
            visits: those to count, as from `visits_within`; all of them without. Infinite ones give infinite numbers.
        """
        chain = self.chain
        met = (self.visits if visits is None else visits)[: chain.policy.shape[0], None]
        uses = np.where(chain.policy > 0.0, chain.policy * np.where(chain.policy > 0.0, met, 0.0), 0.0)
        return np.stack([uses[chain.chooser == player].sum(axis=0) for player in range(NUM_PLAYERS)])


class Chain:
    """The Markov chain of two duelists who both play given policies.

    Attributes:
        game: the rules.
        sheets: SHEET (2,).
        chooser: int8 (P,), who chooses at each node where a player does.
        policy: float64 (P, A), what whoever chooses does.
    """

    def __init__(self, game: Game, sheets: NDArray[np.void], policies: Sequence[NDArray[np.float64]]) -> None:
        """Fix the policies.

        Args:
            game: the rules.
            sheets: SHEET (2,).
            policies: of both players, float64 (P, A); see `policy_table` and `solution_policies`.

        Raises:
            ConfigError: rules with too many states, or arguments that do not fit them.
        """
        if len(policies) != NUM_PLAYERS or any(policy is None for policy in policies):
            raise ConfigError("policies: expected one of each player")
        model = exact_model(game)
        layout = model.full
        self.game, self.sheets, self.chooser = game, sheets.copy(), model.chooser
        self._layout = layout
        self._offsets, self._targets = layout.offsets, layout.targets
        self._weights = model.stochastic_game(layout, sheets, policies).weights  # checks the policies
        self.policy = np.where(self.chooser[:, None] == 0, policies[0], policies[1])
        self._roles = np.full(len(layout.roles), AVERAGE, np.int8)
        self._advances = (game.graph.edges[layout.node_of[layout.sources], layout.choices] & 1).astype(np.bool_)
        self._is_ended = (layout.node_of >= model.num_player) & (layout.node_of < model.num_visible)

    @cached_property
    def _is_endless(self) -> NDArray[np.bool_]:
        """Layout nodes of closed classes without an end, bool (n,)."""
        group, _ = self._components(self._weights)
        sources = self._layout.sources
        is_open = np.zeros(int(group.max()) + 1, np.bool_)
        leaves = (self._weights > 0.0) & (group[sources] != group[self._targets])
        is_open[group[sources[leaves]]] = True
        closed: NDArray[np.bool_] = ~is_open[group] & ~self._is_ended
        return closed

    def _components(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Strongly connected components along edges of positive weight: their numbers (n,), and the nodes in their order (n,)."""
        size = len(self._roles)
        group, order = np.zeros(size, np.int32), np.empty(size, np.int32)
        scratch, no_choice = np.zeros((6, size), np.int32), np.zeros(1, np.int32)
        connected_components(self._offsets, self._targets, weights, self._roles, _NOBODY, no_choice, group, order, scratch)
        return group, order

    @cached_property
    def _round_order(self) -> NDArray[np.int32]:
        """Layout nodes such that edges within a round lead to later ones."""
        group, order = self._components(np.where(self._advances, 0.0, self._weights))
        if len(np.unique(group)) != len(group):
            raise ConfigError("these rules have rounds that need not end: rounds cannot be counted")
        return order[::-1].copy()

    def _reached(self, start: int) -> NDArray[np.bool_]:
        reached = np.zeros(len(self._roles), np.bool_)
        mark_reached(self._offsets, self._targets, self._weights, start, reached, np.zeros(len(reached), np.int32))
        return reached

    def num_edges_from(self, start: int) -> int:
        """How many edges can be reached from a node of `game.graph`."""
        reached = self._reached(int(self._layout.index_of[start]))
        return int(np.count_nonzero(reached[self._layout.sources] & (self._weights > 0.0)))

    def occupancy(self, start: int) -> Occupancy:
        """The duel from a node of `game.graph`.

        Raises:
            ConfigError: there is no such node.
            ConvergenceError: play does end, but leaves some states so seldom that floating-point numbers cannot tell.
        """
        if not 0 <= start < len(self._layout.index_of):
            raise ConfigError(f"start = {start}: the graph has nodes 0 to {len(self._layout.index_of) - 1}")
        place = int(self._layout.index_of[start])
        reached = self._reached(place)
        begin = np.zeros(len(reached))
        begin[place] = 1.0
        visits = self._solve(begin, reached & ~self._is_endless)
        sources = self._layout.sources
        flow = self._weights * np.where(np.isfinite(visits), visits, 0.0)[sources]
        into_endless = self._is_endless[self._targets] & ~self._is_endless[sources]
        endless = float(flow[into_endless].sum()) if not self._is_endless[place] else 1.0
        visits[reached & self._is_endless] = np.inf
        payoffs = self._layout.payoffs
        win, draw, loss = (float(visits[self._is_ended & (np.sign(payoffs) == sign)].sum()) for sign in (1, 0, -1))
        if not abs(win + draw + loss + endless - 1.0) <= _ROUNDING:
            raise ConvergenceError(_NEARLY_ENDLESS)
        return Occupancy(self, start, visits[self._layout.index_of], win, draw, loss, min(endless, 1.0))

    def _solve(self, source: NDArray[np.float64], is_counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Expected visits, float64 (n,), of the nodes counted if play begins at each so often as `source` (n,) says; 0 elsewhere.

        What leaves the nodes counted is lost; it must be able to leave from each of them.

        Raises:
            ConvergenceError: as `occupancy`.
        """
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu

        visits = np.zeros(len(self._roles))
        nodes = np.flatnonzero(is_counted)
        if not np.any(source[nodes]):
            return visits
        number = np.full(len(visits), -1)
        number[nodes] = np.arange(len(nodes))
        kept = is_counted[self._layout.sources] & is_counted[self._targets] & (self._weights > 0.0)
        rows, columns = number[self._targets[kept]], number[self._layout.sources[kept]]
        moves = csc_matrix((self._weights[kept], (rows, columns)), (len(nodes),) * 2)
        matrix = (identity(len(nodes), format="csc") - moves).tocsc()
        try:
            # Nodes are in the order of the blocks, so that the matrix is nearly triangular as it stands; and since no column has more
            # off the diagonal than on it, pivots can stay where they are.
            factors = splu(matrix, permc_spec="NATURAL", diag_pivot_thresh=0.0)
        except RuntimeError as error:  # singular as far as floating-point numbers can tell
            raise ConvergenceError(_NEARLY_ENDLESS) from error
        found = factors.solve(source[nodes])
        found += factors.solve(source[nodes] - matrix @ found)  # one step of refinement: as exact as the numbers allow
        visits[nodes] = np.maximum(found, 0.0)
        return visits

    def visits_from(self, source: NDArray[np.float64], is_counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Expected visits of some nodes as long as play stays among them, if it begins at each of them so often as `source` says.

        Args:
            source: float64 (N,), by node of `game.graph`.
            is_counted: bool (N,), the nodes; those from which play never ends are left out.

        Returns:
            float64 (N,), 0 for nodes that are not counted.
        """
        counted = is_counted[self._layout.node_of] & ~self._is_endless
        return self._solve(source[self._layout.node_of], counted)[self._layout.index_of]

    def follow(self, start: int, max_rounds: int, rest: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Follow the duel round by round from a node of `game.graph`.

        Args:
            start: the node.
            max_rounds: rounds at most.
            rest: stop before that when no more than this probability has neither ended nor become endless.

        Returns:
            expected visits in these rounds, float64 (N,), and the probability that the duel ends in each of them.
        """
        place = int(self._layout.index_of[start])
        reached, order = self._reached(place), self._round_order
        mass, visits, ended = np.zeros(len(reached)), np.zeros(len(reached)), np.zeros(max_rounds)
        mass[place] = 1.0
        endless = self._is_endless if rest > 0.0 else np.zeros(len(reached), np.bool_)
        count = _follow_rounds(
            order[reached[order]],
            self._offsets,
            self._targets,
            self._weights,
            self._advances,
            self._is_ended,
            endless,
            mass,
            np.zeros(len(reached)),
            visits,
            ended,
            rest,
        )
        return visits[self._layout.index_of], ended[:count]

    def expected_new_rounds(self, visits: NDArray[np.float64]) -> float:
        """Expected number of edges into a new round, for visits (N,) of `game.graph`."""
        return float(self.flows(visits)[self._advances].sum())

    def flows(self, visits: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expected number of times that each edge of the layout `exact_model(game).full` is taken, float64 (E,)."""
        sources = self._layout.node_of[self._layout.sources]
        taken = self._weights > 0.0
        flow = np.zeros(len(taken))
        flow[taken] = self._weights[taken] * visits[sources[taken]]
        return flow


def occupancy(
    game: Game, sheets: NDArray[np.void], policies: Sequence[NDArray[np.float64]], starts: Sequence[int] = (FIRST, SECOND)
) -> list[Occupancy]:
    """What happens from each of the ways to begin when both players' policies are given.

    Args:
        game: the rules; their round limit does not count.
        sheets: SHEET (2,).
        policies: of both players, float64 (P, A).
        starts: numbers of the ways to begin.

    Raises:
        ConfigError: as `Chain`.
    """
    chain = Chain(game, sheets, policies)
    return [chain.occupancy(int(game.graph.starts[start])) for start in starts]
