"""The operations on rows that are numbers of nodes: the edges of the state graph, which the kernel made, are followed."""

import numpy as np

from duel_env.rules.copying import copy_items
from duel_env.rules.dispatch import implement
from duel_env.rules.jit import inline_kernel
from duel_env.rules.protocol import is_past_limit, outcome_of_face, start_number
from duel_env.rules.rng import below
from duel_env.rules.stores import NOBODY, TableStore, next_face


@inline_kernel
def _table_settle(store, i, edge):
    row = store.rows[i]
    num_visible = store.visible.shape[0]
    node = edge >> 1
    row["round"] += edge & 1
    while node >= num_visible:
        die = store.chance[node - num_visible]
        roller = die["roller"]
        face = next_face(store, i, die["sides"], roller)
        edge = die["edges"][outcome_of_face(store.rules[0], store.sheets[i], roller, die["spell"], face)]
        node = edge >> 1
        row["round"] += edge & 1
    row["node"] = node
    seen = store.visible[node]
    row["current_player"] = seen["current_player"]
    if seen["over"] == 1:
        row["over"] = 1
        row["winner"] = seen["winner"]
    elif is_past_limit(store.rules[0], row["round"]):
        row["over"] = 1
        row["cut_short"] = 1
        row["current_player"] = NOBODY


def _table_place_first_node(store, i):
    store.rows[i]["round"] = 1
    _table_settle(store, i, 2 * store.starts[start_number(store.setup[0], store.sheets[i])])


def _table_advance(store, i, action):
    _table_settle(store, i, store.edges[store.rows[i]["node"], action])


def _table_forfeit(store, i):
    row = store.rows[i]
    row["over"] = 1
    row["forfeited"] = 1
    row["winner"] = 1 - row["current_player"]
    row["current_player"] = NOBODY


def _table_is_legal_in(store, i, action):
    return 0 <= action < store.masks.shape[1] and store.masks[store.rows[i]["node"], action] == 1


def _table_pick_legal(store, i, bits):
    node = store.rows[i]["node"]
    return np.int64(store.legal[node, below(bits, store.visible[node]["num_legal"])])


def _table_write_view(store, i, player):
    row = store.rows[i]
    size = store.features.shape[2]
    extra = store.sheet_features.shape[2]
    at = i * (size + extra)
    copy_items(store.observation, at, store.features, (2 * row["node"] + player) * size, size)
    copy_items(store.observation, at + size, store.sheet_features, (2 * i + player) * extra, extra)
    actions = store.masks.shape[1]
    if row["current_player"] == player:
        copy_items(store.action_mask, i * actions, store.masks, row["node"] * actions, actions)
    else:
        for action in range(actions):
            store.action_mask[i, action] = 0


implement(
    TableStore,
    place_first_node=_table_place_first_node,
    advance=_table_advance,
    forfeit=_table_forfeit,
    is_legal_in=_table_is_legal_in,
    pick_legal=_table_pick_legal,
    write_view=_table_write_view,
)
