"""The operations on rows whose kernel takes its dice out of a cup: each row has its own, filled from its stream of dice."""

from duel_env.rules import protocol
from duel_env.rules.dispatch import implement
from duel_env.rules.jit import inline_kernel
from duel_env.rules.protocol import start_number, state_size
from duel_env.rules.rng import below
from duel_env.rules.stores import ROLL, CupStore, note, note_end


@inline_kernel
def _before(store, i):
    store.rows[i]["masked"] = 0
    cup = store.cups[i]
    cup["sampling"] = 1
    cup["used"] = 0
    cup["position"] = store.rows[i]["dice"]


@inline_kernel
def _after(store, i):
    cup = store.cups[i]
    row = store.rows[i]
    row["dice"] = cup["position"]
    if store.trace.shape[1] > 0:
        for k in range(min(cup["used"], cup["faces"].shape[0])):
            note(store, i, ROLL, cup["rollers"][k], cup["faces"][k])
    note_end(store, i)


def _cup_place_first_node(store, i):
    store.states[i] = store.blank[0]
    _before(store, i)
    start = start_number(store.setup[0], store.sheets[i])
    protocol.begin_with_cup(store.states[i], store.rules[0], store.sheets[i], store.cups[i], start)
    _after(store, i)


def _cup_advance(store, i, action):
    _before(store, i)
    protocol.play_with_cup(store.states[i], store.rules[0], store.sheets[i], store.cups[i], action)
    _after(store, i)


def _cup_forfeit(store, i):
    store.rows[i]["masked"] = 0
    protocol.disqualify(store.states[i], store.rows[i]["current_player"])
    note_end(store, i)


def _cup_is_legal_in(store, i, action):
    return protocol.is_legal(store.states[i], store.rules[0], store.sheets[i], action)


@inline_kernel
def _write_mask(store, i):
    if store.rows[i]["masked"] == 0:
        protocol.write_action_mask(store.states[i], store.rules[0], store.sheets[i], store.action_mask[i])
        store.rows[i]["masked"] = 1


def _cup_pick_legal(store, i, bits):
    _write_mask(store, i)
    count = 0
    for action in range(store.action_mask.shape[1]):
        count += store.action_mask[i, action]
    skip = below(bits, count)
    for action in range(store.action_mask.shape[1]):
        if store.action_mask[i, action] == 1:
            if skip == 0:
                return action
            skip -= 1
    return 0


def _cup_write_view(store, i, player):
    size = state_size(store.rules[0])
    protocol.write_state_features(store.states[i], store.rules[0], store.sheets[i], player, store.observation[i, :size])
    for j in range(store.sheet_features.shape[2]):
        store.observation[i, size + j] = store.sheet_features[i, player, j]
    if store.rows[i]["current_player"] == player:
        _write_mask(store, i)
    else:
        store.rows[i]["masked"] = 0
        for action in range(store.action_mask.shape[1]):
            store.action_mask[i, action] = 0


implement(
    CupStore,
    place_first_node=_cup_place_first_node,
    advance=_cup_advance,
    forfeit=_cup_forfeit,
    is_legal_in=_cup_is_legal_in,
    pick_legal=_cup_pick_legal,
    write_view=_cup_write_view,
)
