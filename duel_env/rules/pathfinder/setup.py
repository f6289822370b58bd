"""How a duel begins: sheets that are fixed or drawn from a pool for each duel, and who acts first."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.state import NOBODY
from duel_env.rules.rng import below, bits_at, next_position

FIRST_0, FIRST_1, BY_OPENING = range(3)
"""Ways to begin: player 0 acts first, player 1 does, or the opening of the terms decides."""


@kernel
def draw_sheets(setup, sheets, position):
    """Draw a sheet for each player from its pool, one position of the stream each, also when there is only one.

    Args:
        setup: SETUP record.
        sheets: SHEET (2,), overwritten.
        position: uint64, start of the episode's SETUP stream.

    Returns:
        whether a sheet is another than before.

    Mutates:
        sheets.
    """
    changed = False
    for player in range(2):
        position = next_position(position)
        drawn = setup["pool"][player, below(bits_at(position), np.int64(setup["num_pool"][player]))]
        if sheets[player]["number"] != drawn["number"]:
            sheets[player] = drawn
            changed = True
    return changed


@kernel
def start_number(setup, sheets):
    """How the duel begins: FIRST_0, FIRST_1 or BY_OPENING."""
    if setup["first_caster"] != NOBODY:
        return np.int64(setup["first_caster"])
    return BY_OPENING
