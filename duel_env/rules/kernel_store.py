"""The operations on rows that are state records: the ruleset's kernel does everything."""

from duel_env.rules import protocol
from duel_env.rules.dispatch import implement
from duel_env.rules.jit import inline_kernel
from duel_env.rules.protocol import (
    apply_action,
    apply_chance,
    die_sides,
    face_outcome,
    initial_state,
    start_number,
    state_size,
    write_action_mask,
    write_state_features,
)
from duel_env.rules.rng import below
from duel_env.rules.stores import KernelStore, next_face, note_end


@inline_kernel
def _kernel_settle(store, i):
    state = store.states[i]
    sides = die_sides(state)
    while sides > 0:
        roller = state["current_player"]
        face = next_face(store, i, sides, roller)
        outcome = face_outcome(state, store.rules[0], store.sheets[i], face)
        apply_chance(state, store.rules[0], store.sheets[i], outcome)
        sides = die_sides(state)
    note_end(store, i)


def _kernel_place_first_node(store, i):
    initial_state(store.states[i], store.rules[0], store.sheets[i], start_number(store.setup[0], store.sheets[i]))
    _kernel_settle(store, i)


def _kernel_advance(store, i, action):
    apply_action(store.states[i], store.rules[0], store.sheets[i], action)
    _kernel_settle(store, i)


def _kernel_forfeit(store, i):
    protocol.disqualify(store.states[i], store.rows[i]["current_player"])
    note_end(store, i)


def _kernel_is_legal_in(store, i, action):
    return protocol.is_legal(store.states[i], store.rules[0], store.sheets[i], action)


def _kernel_pick_legal(store, i, bits):
    count = 0
    for action in range(store.action_mask.shape[1]):
        count += protocol.is_legal(store.states[i], store.rules[0], store.sheets[i], action)
    skip = below(bits, count)
    for action in range(store.action_mask.shape[1]):
        if protocol.is_legal(store.states[i], store.rules[0], store.sheets[i], action):
            if skip == 0:
                return action
            skip -= 1
    return 0


def _kernel_write_view(store, i, player):
    size = state_size(store.rules[0])
    write_state_features(store.states[i], store.rules[0], store.sheets[i], player, store.observation[i, :size])
    for j in range(store.sheet_features.shape[2]):
        store.observation[i, size + j] = store.sheet_features[i, player, j]
    if store.rows[i]["current_player"] == player:
        write_action_mask(store.states[i], store.rules[0], store.sheets[i], store.action_mask[i])
    else:
        for action in range(store.action_mask.shape[1]):
            store.action_mask[i, action] = 0


implement(
    KernelStore,
    place_first_node=_kernel_place_first_node,
    advance=_kernel_advance,
    forfeit=_kernel_forfeit,
    is_legal_in=_kernel_is_legal_in,
    pick_legal=_kernel_pick_legal,
    write_view=_kernel_write_view,
)
