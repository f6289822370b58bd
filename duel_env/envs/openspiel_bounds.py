"""How long a duel can last, and how many outcomes a die can have, from the state graph: OpenSpiel wants to know it beforehand."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConfigError
from duel_env.game import Game
from duel_env.rules.graph import NO_EDGE, StateGraph

_LONGEST_ROUND = 1_000


class PlayBounds(NamedTuple):
    """Most choices of both players together in one duel, most dice in one duel, most outcomes of one die."""

    choices: int
    dice: int
    outcomes: int


def longest_play(game: Game, start: NDArray[np.void], max_rounds: int) -> PlayBounds:
    """The bounds of duels that begin in STATE (1,) and are cut short after `max_rounds` rounds.

    A duel is a path through the first round and then through `max_rounds` - 1 more at most, each of which begins in some state that
    ends a round. Both counts are sums of the longest such paths, so that no duel exceeds them.

    Raises:
        ConfigError: the rules have too many states to enumerate, or rounds without end.
    """
    graph = game.graph
    first = next(int(node) for node in graph.starts if graph.states[node].tobytes() == start[0].tobytes())
    is_choice = np.arange(len(graph.states)) < graph.num_player
    is_die = np.arange(len(graph.states)) >= graph.num_player + graph.num_terminal
    edges = graph.edges[graph.edges != NO_EDGE]
    later = np.unique(edges[edges & 1 == 1] >> 1)

    def most(counted: NDArray[np.bool_]) -> int:
        longest = _longest_in_round(graph, counted)
        return int(longest[first] + (max_rounds - 1) * longest[later].max(initial=0))

    outcomes = np.sum(graph.edges[is_die] != NO_EDGE, axis=1)
    return PlayBounds(most(is_choice), most(is_die), int(outcomes.max(initial=1)))


def _longest_in_round(graph: StateGraph, counted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Most counted nodes on a path from each node to the end of its round, itself included."""
    within = (graph.edges != NO_EDGE) & (graph.edges & 1 == 0)
    target = np.where(within, graph.edges >> 1, 0)
    longest: NDArray[Any] = counted.astype(np.int64)
    for _ in range(_LONGEST_ROUND):
        extended = counted + np.where(within, longest[target], 0).max(axis=1)
        if np.array_equal(extended, longest):
            return longest
        longest = extended
    raise ConfigError(f"a round of these rules can have more than {_LONGEST_ROUND} choices or dice")
