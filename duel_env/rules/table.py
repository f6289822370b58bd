"""The state graph as arrays for `TableStore`, filled by calling the kernel on every node."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from duel_env.rules.graph import PLAYER, TERMINAL, StateGraph
from duel_env.rules.jit import kernel
from duel_env.rules.protocol import (
    cast_spell,
    die_sides,
    initial_state,
    player_return,
    state_size,
    write_action_mask,
    write_state_features,
)
from duel_env.rules.stores import CHANCE_NODE, NOBODY, VISIBLE_NODE

_NUM_PLAYERS = 2


@kernel
def _write_starts(states, rules, sheets):
    for start in range(states.shape[0]):
        initial_state(states[start], rules[0], sheets, start)


@kernel
def _state_size(rules):
    return state_size(rules[0])


@kernel
def _describe_visible(states, rules, sheets, features, masks, visible):
    for node in range(visible.shape[0]):
        state = states[node]
        for player in range(features.shape[1]):
            write_state_features(state, rules[0], sheets, player, features[node, player])
        write_action_mask(state, rules[0], sheets, masks[node])
        seen = visible[node]
        seen["current_player"] = state["current_player"] if state["node"] == PLAYER else NOBODY
        seen["over"] = state["node"] == TERMINAL
        seen["winner"] = NOBODY
        for player in range(features.shape[1]):
            if player_return(state, player) > 0.0:
                seen["winner"] = player
        seen["num_legal"] = masks[node].sum()


@kernel
def _describe_chance(states, chance):
    for k in range(chance.shape[0]):
        chance[k]["sides"] = die_sides(states[k])
        chance[k]["roller"] = states[k]["current_player"]
        chance[k]["spell"] = cast_spell(states[k])


def start_states(
    state_dtype: np.dtype[Any], num_starts: int, rules: NDArray[np.void], sheets: NDArray[np.void]
) -> NDArray[np.void]:
    """STATE (num_starts,): the first node of each way to begin."""
    states = np.zeros(num_starts, state_dtype)
    _write_starts(states, rules, sheets)
    return states


def num_state_features(rules: NDArray[np.void]) -> int:
    """Length of the part of the observation that depends on the state."""
    return int(_state_size(rules))


def build_table(
    graph: StateGraph, rules: NDArray[np.void], sheets: NDArray[np.void], num_actions: int
) -> tuple[NDArray[Any], ...]:
    """The fields of a `TableStore` after `setup`, in their order, read-only.

    Args:
        graph: all nodes.
        rules: RULES (1,).
        sheets: SHEET (2,).
        num_actions: A.
    """
    num_visible = graph.num_player + graph.num_terminal
    features = np.zeros((num_visible, _NUM_PLAYERS, num_state_features(rules)), np.float32)
    masks = np.zeros((num_visible, num_actions), np.int8)
    visible = np.zeros(num_visible, VISIBLE_NODE)
    _describe_visible(graph.states, rules, sheets, features, masks, visible)
    chance = np.zeros(len(graph.states) - num_visible, CHANCE_NODE)
    chance["edges"] = graph.edges[num_visible:, :2]
    _describe_chance(graph.states[num_visible:], chance)
    legal = np.argsort(-masks, axis=1, kind="stable").astype(np.uint8)
    table = (graph.starts, graph.edges[: graph.num_player].copy(), chance, visible, features, masks, legal)
    for array in table:
        array.flags.writeable = False
    return table
