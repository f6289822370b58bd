"""The state graph of a ruleset: every node that play can reach, equal states merged.

In the school duel skills only change probabilities, so that the graph depends on the rules alone: build it once, use it for every pair of
duelists.
The round number is left out of the states (the round limit is not a part of the position); an edge that begins a new round
is marked instead.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConfigError
from duel_env.rules.jit import kernel
from duel_env.rules.protocol import apply_action, apply_chance, is_legal, num_outcomes
from duel_env.rules.rng import mix

PLAYER, CHANCE, TERMINAL = range(3)
NO_EDGE = -1
_LEAST_WIDTH = 2


class StateGraph(NamedTuple):
    """Nodes sorted by kind: first those where a player chooses, then those where the duel is over, then those where a die is due.

    Attributes:
        states: STATE (N,); `round` is 1 throughout.
        starts: int32 (n,), numbers of the nodes that the search began with.
        num_player, num_terminal: how many nodes of the first and of the second kind; the others wait for a die.
        edges: int32 (N, W). `edges[node, action]` at a player's node, `edges[node, outcome]` at a die's node;
            twice the number of the node it leads to, plus 1 if a new round begins; -1 where there is none.
    """

    states: NDArray[np.void]
    starts: NDArray[np.int32]
    num_player: int
    num_terminal: int
    edges: NDArray[np.int32]


@kernel
def _insert(words, count, slots):
    """Number of the state in row `count`: an equal one's if there is one already, else `count` itself."""
    size = words.shape[1]
    value = np.uint64(0)
    for w in range(size):
        value = mix(value ^ np.uint64(words[count, w]))
    slot = np.int64(value & np.uint64(slots.shape[0] - 1))
    while True:
        other = slots[slot]
        if other < 0:
            slots[slot] = count
            return count
        equal = True
        for w in range(size):
            if words[other, w] != words[count, w]:
                equal = False
                break
        if equal:
            return other
        slot = (slot + 1) & (slots.shape[0] - 1)


@kernel
def _follow(states, words, node, choice, rules, sheets, count, slots):
    """Make one move from `node` in row `count` of `states`; returns the edge."""
    states[count] = states[node]
    state = states[count]
    if state["node"] == PLAYER:
        apply_action(state, rules, sheets, choice)
    else:
        apply_chance(state, rules, sheets, choice)
    advances = state["round"] - 1
    state["round"] = 1
    return 2 * _insert(words, count, slots) + advances


@kernel
def _explore(states, words, edges, slots, rules, sheets, count):
    """Breadth first from the `count` nodes that are there; returns the number of nodes, or -1 when the arrays are full."""
    for start in range(count):
        _insert(words, start, slots)
    node = 0
    while node < count:
        kind = states[node]["node"]
        choices = 0
        if kind == PLAYER:
            choices = edges.shape[1]
        elif kind == CHANCE:
            choices = num_outcomes(states[node])
        for choice in range(choices):
            if kind == PLAYER and not is_legal(states[node], rules, sheets, choice):
                continue
            if count + 1 >= states.shape[0]:
                return -1
            edges[node, choice] = _follow(states, words, node, choice, rules, sheets, count, slots)
            if edges[node, choice] >> 1 == count:
                count += 1
        node += 1
    return count


def build_graph(
    starts: NDArray[np.void],
    unlimited_rules: NDArray[np.void],
    sheets: NDArray[np.void],
    num_actions: int,
    max_nodes: int = 2_000_000,
) -> StateGraph:
    """Enumerate what can be reached from some states.

    Args:
        starts: STATE (n,), different from each other, in round 1.
        unlimited_rules: RULES (1,) without a round limit.
        sheets: SHEET (2,).
        num_actions: A.
        max_nodes: larger graphs are refused.

    Raises:
        ConfigError: more than `max_nodes` nodes.
    """
    capacity = min(1 << 16, max_nodes + 2)
    while True:
        states = np.zeros(capacity, starts.dtype)
        states[: len(starts)] = starts
        words = states.view(np.uint32).reshape(capacity, -1)
        edges = np.full((capacity, max(num_actions, _LEAST_WIDTH)), NO_EDGE, np.int32)
        slots = np.full(1 << (2 * capacity - 1).bit_length(), -1, np.int32)
        count = _explore(states, words, edges, slots, unlimited_rules[0], sheets, len(starts))
        if count >= 0:
            return _sorted_by_kind(states[:count], edges[:count], len(starts))
        if capacity > max_nodes:
            raise ConfigError(f"these rules have more than {max_nodes:,} states: too many to enumerate")
        capacity = min(4 * capacity, max_nodes + 2)


def _sorted_by_kind(states: NDArray[np.void], edges: NDArray[np.int32], num_starts: int) -> StateGraph:
    rank = np.array([0, 2, 1])[states["node"]]  # PLAYER, TERMINAL, CHANCE
    order = np.argsort(rank, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    moved = edges[order]
    present = moved != NO_EDGE
    moved[present] = 2 * number[moved[present] >> 1] + (moved[present] & 1)
    return StateGraph(states[order], number[:num_starts].astype(np.int32), int(np.sum(rank == 0)), int(np.sum(rank == 1)), moved)
