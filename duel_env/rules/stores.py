"""Rows of duels in memory, and the few operations that all loops are made of, in versions with one behaviour.

`KernelStore` keeps the ruleset's state records and calls the kernel. `TableStore` keeps node numbers of the ruleset's state
graph, which was enumerated with the same kernel, and walks its edges: several times as fast, for rulesets small enough.
Both are bit-for-bit equal in everything a caller can see; the tests hold them to it. `CupStore` is for rulesets whose kernel takes all
dice of a move out of a cup at once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duel_env.rules.dispatch import dispatched
from duel_env.rules.graph import TERMINAL
from duel_env.rules.jit import inline_kernel
from duel_env.rules.protocol import (
    draw_sheets,
    is_disqualified,
    is_truncated,
    write_sheets_features,
)
from duel_env.rules.rng import DICE, POLICY, SETUP, below, bits_at, next_position, stream_position

RANDOM_SEAT = -1
NOBODY = -1

ROW = np.dtype(
    [
        ("key", np.uint64),  # from the seed of this row; the same for all its episodes
        ("dice", np.uint64),  # position in the episode's stream of dice
        ("policy", np.uint64),  # position in the episode's stream for sampled actions
        ("episode", np.int64),  # number of the episode, from 0; -1 before the first
        ("node", np.int32),  # TableStore: number of the node
        ("round", np.int32),  # TableStore: the round being played
        ("num_steps", np.int32),  # decisions of this episode so far, of both players
        ("num_events", np.int32),  # entries of the trace since it was last cleared
        # The duel being played:
        ("seat_choice", np.int8),  # 0, 1, or RANDOM_SEAT: drawn anew for each episode
        ("seat", np.int8),  # the learner's seat in this episode
        ("current_player", np.int8),  # who is to choose; NOBODY when the duel is over
        ("over", np.int8),  # 1 from the end of the duel until the next one begins
        ("reported", np.int8),  # 1: the caller was told of the end
        ("winner", np.int8),  # 0, 1 or NOBODY
        ("cut_short", np.int8),  # 1: over by the round limit
        ("forfeited", np.int8),  # 1: the loser was disqualified
        # The report of the last step; it outlives the duel when the next one begins in the same step:
        ("terminated", np.int8),
        ("truncated", np.int8),
        ("disqualified", np.int8),
        ("masked", np.int8),  # CupStore: 1: `action_mask` is that of the player who is to choose now
        ("reward", np.float32),  # the learner's
        ("rewards", np.float32, 2),  # [player]
    ]
)

_MAX_TRACED = 2**31 - 1

CHOICE, ROLL = range(2)
"""Kinds of events in a trace: (CHOICE, player, action) and (ROLL, player or NOBODY, face)."""

CHANCE_NODE = np.dtype([("edges", np.int32, 2), ("sides", np.int16), ("roller", np.int8), ("spell", np.int8)])
VISIBLE_NODE = np.dtype([("current_player", np.int8), ("winner", np.int8), ("over", np.int8), ("num_legal", np.uint8)])


class KernelStore(NamedTuple):
    """Rows as state records.

    Attributes:
        rows: ROW (B,).
        sheets: SHEET (B, 2).
        sheet_features: float32 (B, P, sheets_size), what each player sees of the sheets.
        observation: float32 (B, D), written by `write_view`.
        action_mask: int8 (B, A), written by `write_view`.
        trace: int32 (B, E, 3), events of the last step; E = 0 switches it off.
        rules: RULES (1,).
        setup: SETUP (1,).
        states: STATE (B,).
    """

    rows: NDArray[np.void]
    sheets: NDArray[np.void]
    sheet_features: NDArray[np.float32]
    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    trace: NDArray[np.int32]
    rules: NDArray[np.void]
    setup: NDArray[np.void]
    states: NDArray[np.void]


class TableStore(NamedTuple):
    """Rows as numbers of nodes of the state graph.

    Attributes:
        rows ... setup: as in `KernelStore`.
        starts: int32 (n,), first nodes by `start_number`.
        edges: int32 (players' nodes, A), as in `StateGraph`.
        chance: CHANCE_NODE (dice nodes,), for the nodes after the visible ones.
        visible: VISIBLE_NODE (V,), for the nodes where a player chooses or the duel is over.
        features: float32 (V, P, state_size).
        masks: int8 (V, A).
        legal: uint8 (V, A), the legal actions in the first `num_legal` places.
    """

    rows: NDArray[np.void]
    sheets: NDArray[np.void]
    sheet_features: NDArray[np.float32]
    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    trace: NDArray[np.int32]
    rules: NDArray[np.void]
    setup: NDArray[np.void]
    starts: NDArray[np.int32]
    edges: NDArray[np.int32]
    chance: NDArray[np.void]
    visible: NDArray[np.void]
    features: NDArray[np.float32]
    masks: NDArray[np.int8]
    legal: NDArray[np.uint8]


class CupStore(NamedTuple):
    """Rows as state records of a kernel that takes its dice out of a cup.

    Attributes:
        rows ... states: as in `KernelStore`; here a state holds no dice.
        cups: CUP (B,).
        blank: STATE (1,), what a state is before a duel begins.
    """

    rows: NDArray[np.void]
    sheets: NDArray[np.void]
    sheet_features: NDArray[np.float32]
    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]
    trace: NDArray[np.int32]
    rules: NDArray[np.void]
    setup: NDArray[np.void]
    states: NDArray[np.void]
    cups: NDArray[np.void]
    blank: NDArray[np.void]


# ---- the operations -----------------------------------------------------------------------------------------------------------


@dispatched
def place_first_node(store, i):
    """Put row i at the first node of a new duel; its sheets are drawn already."""


@dispatched
def advance(store, i, action):
    """Play a legal action in row i, throw the dice that it asks for, and note whether the duel is over."""


@dispatched
def forfeit(store, i):
    """End the duel of row i as lost by the player who is to choose."""


@dispatched
def is_legal_in(store, i, action):
    """Whether the player who is to choose in row i may take `action`, any integer."""


@dispatched
def pick_legal(store, i, bits):
    """A legal action of row i, uniform over them for uniform bits."""


@dispatched
def write_view(store, i, player):
    """Write what `player` sees in row i into `observation`, and what it may do now into `action_mask` (all 0 out of turn)."""


@inline_kernel
def begin_row(store, i):
    """Begin the next episode of row i."""
    row = store.rows[i]
    row["episode"] += 1
    row["dice"] = stream_position(row["key"], row["episode"], DICE)
    row["policy"] = stream_position(row["key"], row["episode"], POLICY)
    setup_position = stream_position(row["key"], row["episode"], SETUP)
    row["seat"] = row["seat_choice"]
    if row["seat_choice"] == RANDOM_SEAT:
        row["seat"] = below(bits_at(setup_position), 2)
    row["num_steps"] = 0
    row["over"] = 0
    row["winner"] = NOBODY
    row["cut_short"] = 0
    row["forfeited"] = 0
    row["reported"] = 0
    changed = draw_sheets(store.setup[0], store.sheets[i], setup_position)
    if changed or row["episode"] == 0:
        for player in range(2):
            write_sheets_features(store.rules[0], store.sheets[i], player, store.sheet_features[i, player])
    place_first_node(store, i)


@inline_kernel
def play_row(store, i, action):
    """Play any integer in row i: a legal action is carried out, any other disqualifies the player."""
    store.rows[i]["num_steps"] += 1
    note(store, i, CHOICE, store.rows[i]["current_player"], action)
    if is_legal_in(store, i, action):
        advance(store, i, action)
    else:
        forfeit(store, i)


@inline_kernel
def clear_report(store, i):
    """Nothing to tell of row i."""
    row = store.rows[i]
    row["terminated"] = 0
    row["truncated"] = 0
    row["disqualified"] = 0
    row["reward"] = 0.0
    row["rewards"][0] = 0.0
    row["rewards"][1] = 0.0


@inline_kernel
def report_row(store, i):
    """Tell the caller of the end of row i's duel, once: rewards are +1 / -1 / 0 at the step that ends it, and 0 at all others."""
    clear_report(store, i)
    row = store.rows[i]
    if row["over"] == 1 and row["reported"] == 0:
        row["reported"] = 1
        row["terminated"] = 1 - row["cut_short"]
        row["truncated"] = row["cut_short"]
        row["disqualified"] = row["forfeited"]
        if row["winner"] != NOBODY:
            row["rewards"][row["winner"]] = 1.0
            row["rewards"][1 - row["winner"]] = -1.0
            row["reward"] = row["rewards"][row["seat"]]


@inline_kernel
def next_policy_bits(store, i):
    """Draw from the stream for sampled actions of row i."""
    row = store.rows[i]
    row["policy"] = next_position(row["policy"])
    return bits_at(row["policy"])


@inline_kernel
def next_face(store, i, sides, roller):
    """Throw a die of row i: a face 1..sides from the episode's stream of dice, noted in the trace."""
    row = store.rows[i]
    row["dice"] = next_position(row["dice"])
    face = 1 + below(bits_at(row["dice"]), sides)
    note(store, i, ROLL, roller, face)
    return face


@inline_kernel
def note(store, i, kind, player, value):
    """Add an event to the trace of row i."""
    if store.trace.shape[1] > 0:
        at = store.rows[i]["num_events"]
        if at < store.trace.shape[1]:
            store.trace[i, at, 0] = kind
            store.trace[i, at, 1] = player
            store.trace[i, at, 2] = min(max(value, -1), _MAX_TRACED)  # an action may be any integer
        store.rows[i]["num_events"] = at + 1


@inline_kernel
def note_end(store, i):
    """Note in row i, whose state is a record, who is to choose next, or how the duel ended."""
    state = store.states[i]
    row = store.rows[i]
    row["current_player"] = state["current_player"]
    if state["node"] == TERMINAL:
        row["over"] = 1
        row["winner"] = state["winner"]
        row["cut_short"] = is_truncated(state)
        row["forfeited"] = is_disqualified(state)
