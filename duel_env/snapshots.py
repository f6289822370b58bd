"""What of a batch changes while it is played, and what is believed of such data from outside."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import SchemaError
from duel_env.game import Game
from duel_env.rules.stores import NOBODY, CupStore, KernelStore, TableStore


def check_snapshot(game: Game, store: Any, snapshot: dict[str, NDArray[Any]]) -> None:
    """Refuse rows that compiled loops would follow out of bounds.

    Raises:
        SchemaError: names the field.
    """
    rows = snapshot["rows"]
    flags = ("over", "reported", "cut_short", "forfeited", "terminated", "truncated", "disqualified", "seat")
    ranges = dict.fromkeys(flags, (0, 1)) | dict.fromkeys(("seat_choice", "current_player", "winner"), (-1, 1))
    ranges |= {"num_events": (0, 2**31 - 1), "num_steps": (0, 2**31 - 1), "round": (0, 2**31 - 2), "episode": (-1, 2**62)}
    if isinstance(store, TableStore):
        ranges["node"] = (0, len(store.visible) - 1)
    for name, (low, high) in ranges.items():
        if np.any((rows[name] < low) | (rows[name] > high)):
            raise SchemaError(f"the snapshot's rows have a {name} outside {low}..{high}")
    begun = np.flatnonzero(rows["episode"] >= 0)
    if isinstance(store, TableStore):
        expected = np.where(rows["over"] == 1, NOBODY, store.visible["current_player"][rows["node"]])
    else:
        expected = np.where(rows["over"] == 1, NOBODY, snapshot["states"]["current_player"])
        for row in begun:
            state = snapshot["states"][row : row + 1]
            state = game.open_state(state[0]) if isinstance(store, CupStore) else state
            game.ruleset.check_records(game, state, snapshot["sheets"][row])
    if np.any(rows["current_player"] != expected) or np.any((rows["over"] == 0) & (expected == NOBODY)):
        raise SchemaError("the snapshot's rows have a current_player that does not fit their state")
    if not all(np.isfinite(snapshot[name]).all() for name in ("sheet_features", "observation")):
        raise SchemaError("the snapshot has numbers that are not finite")


def changing_fields(store: Any) -> tuple[str, ...]:
    """Names of the arrays of a store that change while it is played."""
    shared = ("rows", "sheets", "sheet_features", "observation", "action_mask", "trace")
    return (*shared, "states") if isinstance(store, KernelStore | CupStore) else shared
