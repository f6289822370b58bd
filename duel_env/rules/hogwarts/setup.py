"""How a duel begins: skills that are fixed or drawn anew for each duel, and who has the initiative."""

import numpy as np

from duel_env.rules.hogwarts.state import NOBODY
from duel_env.rules.jit import kernel
from duel_env.rules.rng import below, bits_at, next_position


@kernel
def draw_sheets(setup, sheets, position):
    """Draw both skills uniformly from their ranges, one position of the stream each, also when a range is a single number.

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
        low = np.int64(setup["skill_low"][player])
        span = np.int64(setup["skill_high"][player]) - low + 1
        skill = low + below(bits_at(position), span)
        changed = changed or skill != sheets[player]["skill"]
        sheets[player]["skill"] = skill
    return changed


FIRST_0, FIRST_1, BY_COIN = range(3)
"""Ways to begin: player 0 acts first, player 1 does, or a coin decides."""


@kernel
def start_number(setup, sheets):
    """How the duel begins: as the set-up forces it, else the higher skill has the initiative, on a tie a coin decides.

    Args:
        setup: SETUP record.
        sheets: SHEET (2,).

    Returns:
        FIRST_0, FIRST_1 or BY_COIN.

    Source: French text, "INITIATIVE".
    """
    if setup["first_caster"] != NOBODY:
        return np.int64(setup["first_caster"])
    if sheets[0]["skill"] == sheets[1]["skill"]:
        return BY_COIN
    return FIRST_0 if sheets[0]["skill"] > sheets[1]["skill"] else FIRST_1
