"""The state graph of a game as a stochastic game for `kernels`: laid out once per rules, filled with chances once per pair of sheets."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConfigError
from duel_env.game import NUM_PLAYERS, Game
from duel_env.rules.graph import NO_EDGE
from duel_env.rules.jit import kernel
from duel_env.rules.protocol import chance_class, player_return, write_chance_outcomes
from evaluation.exact.kernels import AVERAGE, ENDED, connected_components
from evaluation.exact.merge import merge_nodes, merged_edges

Policies = Sequence[NDArray[np.float64] | None]
"""For each player None, or float64 (P, A): probabilities at the P player nodes of the graph, those of the other player ignored."""


class StochasticGame(NamedTuple):
    """See `kernels`."""

    offsets: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float64]
    roles: NDArray[np.int8]
    blocks: NDArray[np.int32]


def without_impossible_edges(game: StochasticGame) -> StochasticGame:
    """The same game without edges of weight 0, which need no look: a deterministic policy leaves one edge of seven."""
    present = game.weights > 0.0
    offsets = np.concatenate([[0], np.cumsum(present)])[game.offsets].astype(np.int32)
    return StochasticGame(offsets, game.targets[present], game.weights[present], game.roles, game.blocks)


class Layout(NamedTuple):
    """A state graph as `kernels` want it, without its weights. n nodes, E edges.

    Attributes:
        offsets, targets, roles, blocks: as in a `StochasticGame`.
        sources: int32 (E,), where an edge comes from.
        choices: int32 (E,), the action or outcome that it stands for.
        index_of: int32 (N,), the node here for each node of the state graph.
        node_of: int32 (n,), a node of the state graph for each one here.
        payoffs: float64 (n,), of player 0 at ENDED nodes, 0 elsewhere.
    """

    offsets: NDArray[np.int32]
    targets: NDArray[np.int32]
    roles: NDArray[np.int8]
    blocks: NDArray[np.int32]
    sources: NDArray[np.int32]
    choices: NDArray[np.int32]
    index_of: NDArray[np.int32]
    node_of: NDArray[np.int32]
    payoffs: NDArray[np.float64]


@kernel
def _write_chances(states, nodes, rules, sheets, probability):
    for k in range(nodes.shape[0]):
        write_chance_outcomes(states[nodes[k]], rules[0], sheets, probability[k])


@kernel
def _write_chance_classes(states, rules, classes):
    for k in range(states.shape[0]):
        classes[k] = chance_class(states[k], rules[0])


@kernel
def _write_payoffs(states, payoffs):
    for k in range(states.shape[0]):
        payoffs[k] = player_return(states[k], 0)


class ExactModel:
    """What does not depend on the duelists.

    Attributes:
        game: the rules.
        num_nodes: N, nodes of the state graph.
        num_player: P, those where a player chooses: the first P.
        chooser: int8 (P,), who chooses there.
        legal: bool (P, A).
    """

    def __init__(self, game: Game) -> None:
        """Take the state graph.

        Raises:
            ConfigError: the rules have too many states.
        """
        graph = game.graph
        self.game = game
        self.num_nodes, self.num_player = len(graph.states), graph.num_player
        self.num_visible = graph.num_player + graph.num_terminal
        self.chooser = graph.states["current_player"][: self.num_player].astype(np.int8)
        self.legal = graph.edges[: self.num_player, : game.num_actions] != NO_EDGE
        self._roles = np.full(self.num_nodes, AVERAGE, np.int8)
        self._roles[: self.num_player] = self.chooser
        self._roles[self.num_player : self.num_visible] = ENDED
        self._payoffs = np.zeros(self.num_nodes)
        _write_payoffs(graph.states[self.num_player : self.num_visible], self._payoffs[self.num_player : self.num_visible])

    @cached_property
    def full(self) -> Layout:
        """All nodes of the state graph, each for itself."""
        everyone = np.arange(self.num_nodes, dtype=np.int32)
        return lay_out(self.game.graph.edges, self._roles, self._payoffs, everyone, everyone)

    @cached_property
    def merged(self) -> Layout:
        """Equivalent nodes merged; good for everything but given policies and forbidden actions, which may tell them apart."""
        graph = self.game.graph
        is_choice = np.arange(self.num_nodes) < self.num_player
        chance_classes = np.zeros(self.num_nodes - self.num_visible, np.int64)
        _write_chance_classes(graph.states[self.num_visible :], self.game.rules, chance_classes)
        kinds = 8 * self._roles.astype(np.int64) + np.int64(2) + np.sign(self._payoffs).astype(np.int64)
        kinds[self.num_visible :] += 8 * 4 * (1 + chance_classes)
        classes, representatives = merge_nodes(graph.edges, is_choice, kinds)
        edges = merged_edges(graph.edges, is_choice, classes, representatives)
        return lay_out(edges, self._roles[representatives], self._payoffs[representatives], classes, representatives)

    def stochastic_game(
        self,
        layout: Layout,
        sheets: NDArray[np.void],
        policies: Policies = (None, None),
        allowed: NDArray[np.bool_] | None = None,
    ) -> StochasticGame:
        """The game between two duelists.

        Args:
            layout: `merged`, or `full` where there are policies or forbidden actions.
            sheets: SHEET (2,).
            policies: a player whose policy is given plays it; its nodes are AVERAGE nodes.
            allowed: bool (P, A); other actions may not be taken, as if they were illegal. All legal ones without it.

        Raises:
            ConfigError: sheets or policies that do not fit the game; a node at which nothing is allowed.
        """
        self._check_sheets(sheets)
        nodes = layout.node_of[layout.sources]
        weights = np.ones(len(layout.targets))
        chance_nodes = np.flatnonzero(layout.node_of >= self.num_visible)
        rows = np.full(len(layout.node_of), -1, np.int32)
        rows[chance_nodes] = np.arange(len(chance_nodes))
        probability = np.zeros((len(chance_nodes), self.game.graph.edges.shape[1]))
        _write_chances(self.game.graph.states, layout.node_of[chance_nodes], self.game.rules, sheets, probability)
        is_chance = nodes >= self.num_visible
        weights[is_chance] = probability[rows[layout.sources[is_chance]], layout.choices[is_chance]]
        is_player = nodes < self.num_player
        if allowed is not None:
            self._check_allowed(allowed)
            weights[is_player] = allowed[nodes[is_player], layout.choices[is_player]]
        roles = layout.roles
        for player, policy in enumerate(policies):
            if policy is None:
                continue
            self.check_policy(policy, player)
            mine = np.flatnonzero(layout.roles[layout.sources] == player)
            weights[mine] = policy[nodes[mine], layout.choices[mine]]
            roles = np.where(layout.roles == player, np.int8(AVERAGE), roles)
        return StochasticGame(layout.offsets, layout.targets, weights, roles, layout.blocks)

    def _check_sheets(self, sheets: Any) -> None:
        dtype = self.game.ruleset.sheet_dtype
        if not isinstance(sheets, np.ndarray) or sheets.shape != (NUM_PLAYERS,) or sheets.dtype != dtype:
            raise ConfigError(f"sheets: expected two records of {dtype}, one for each player")

    def check_policy(self, policy: Any, player: int) -> None:
        """Refuse what is no policy of a player at every node.

        Raises:
            ConfigError: says what is wrong.
        """
        shape = self.legal.shape
        if not isinstance(policy, np.ndarray) or policy.shape != shape or policy.dtype != np.float64:
            raise ConfigError(f"policy of player {player}: expected float64 of shape {shape}")
        mine = policy[self.chooser == player]
        legal = self.legal[self.chooser == player]
        if not (np.all(mine >= 0.0) and np.all(np.abs(mine.sum(axis=1) - 1.0) < 1e-9)):  # nan is refused, too
            raise ConfigError(f"policy of player {player}: expected probabilities that sum to 1 at every node")
        if np.any(mine[~legal] != 0.0):
            raise ConfigError(f"policy of player {player}: an illegal action has a probability")

    def _check_allowed(self, allowed: Any) -> None:
        if not isinstance(allowed, np.ndarray) or allowed.shape != self.legal.shape or allowed.dtype != np.bool_:
            raise ConfigError(f"allowed: expected bool of shape {self.legal.shape}")
        if not np.all(np.any(allowed & self.legal, axis=1)):
            raise ConfigError("allowed: there are states in which a player would have no action left")


def lay_out(
    edges: NDArray[np.int32],
    roles: NDArray[np.int8],
    payoffs: NDArray[np.float64],
    classes: NDArray[np.int32],
    representatives: NDArray[np.int32],
) -> Layout:
    """Number nodes such that no edge leads from a strongly connected component to a later one, in which order they are solved."""
    num_nodes = len(edges)
    offsets, targets, _, _ = _compressed(edges)
    group = np.zeros(num_nodes, np.int32)
    nobody, no_choice, scratch = -1, np.zeros(1, np.int32), np.zeros((6, num_nodes), np.int32)
    connected_components(offsets, targets, np.ones(len(targets)), roles, nobody, no_choice, group, np.empty_like(group), scratch)
    # Within a component in the order in which a depth-first search left the nodes: all edges but those that close a circle then lead
    # back, so that a sweep in this order carries values far.
    order = np.lexsort((scratch[-1], group)).astype(np.int32)
    place = np.empty(num_nodes, np.int32)
    place[order] = np.arange(num_nodes, dtype=np.int32)
    offsets, targets, sources, choices = _compressed(edges[order])
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return Layout(
        offsets=offsets,
        targets=place[targets],
        roles=roles[order],
        blocks=np.append(starts, num_nodes).astype(np.int32),
        sources=sources,
        choices=choices,
        index_of=place[classes],
        node_of=representatives[order],
        payoffs=payoffs[order],
    )


def _compressed(edges: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
    """Offsets (N + 1,), targets (E,), sources (E,) and choices (E,) of edges (N, W)."""
    sources, choices = (found.astype(np.int32) for found in np.nonzero(edges != NO_EDGE))
    offsets = np.searchsorted(sources, np.arange(len(edges) + 1)).astype(np.int32)
    return offsets, edges[sources, choices] >> 1, sources, choices


def require_enumerable(game: Game) -> None:
    """Refuse a ruleset that is not solved exactly, before anything is asked of its duelists.

    Raises:
        ConfigError: its duels depend on more than chances.
    """
    if not game.ruleset.is_enumerable:
        raise ConfigError(
            f"duels of {game.ruleset.name} are not solved exactly: they depend on the duelists, and hide things from them"
        )


@lru_cache(maxsize=16)
def exact_model(game: Game) -> ExactModel:
    """The model of a game; the same one when asked again.

    Raises:
        ConfigError: the rules have too many states.
    """
    return ExactModel(game)
