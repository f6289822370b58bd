"""What a casting or a counter uses up: prepared copies, slots, charges of a staff, the bonded object."""

import numpy as np

from duel_env.rules.jit import kernel
from duel_env.rules.pathfinder.codes import AT_WILL, BONDED, CONVERTED, KNOWN, PREPARED, STAFF
from duel_env.rules.pathfinder.state import NONE, NUM_SLOT_LEVELS


@kernel
def lowest_slot(core, player, level):
    """The lowest level from `level` on of which a slot is left; NONE if there is none."""
    for slot in range(max(level, 1), NUM_SLOT_LEVELS):
        if core["slots"][player, slot] > 0:
            return slot
    return NONE


@kernel
def num_slot_levels(core, player, level):
    """Of how many levels from `level` on a slot is left."""
    count = 0
    for slot in range(max(level, 1), NUM_SLOT_LEVELS):
        count += core["slots"][player, slot] > 0
    return count


@kernel
def has_own_means(core, sheets, player, entry):
    """Whether an entry of the sheet can be cast without the bonded object."""
    sheet = sheets[player]
    kind = sheet["entry_kind"][entry]
    if kind == AT_WILL:
        return True
    if kind == PREPARED:
        return core["copies"][player, entry] > 0
    if kind == KNOWN:
        return lowest_slot(core, player, np.int64(sheet["entry_slot"][entry])) != NONE
    if kind == STAFF:
        return core["staff_charges"][player] >= sheet["entry_slot"][entry]
    return kind == CONVERTED and convertible(core, sheets, player, np.int64(sheet["entry_slot"][entry])) != NONE


@kernel
def convertible(core, sheets, player, level):
    """The prepared entry of the lowest slot from `level` on that can be turned into another spell; NONE if there is none."""
    sheet = sheets[player]
    best, best_slot = NONE, NUM_SLOT_LEVELS
    for entry in range(sheet["num_entries"]):
        if sheet["entry_kind"][entry] == PREPARED and sheet["entry_is_domain"][entry] == 0 and core["copies"][player, entry] > 0:
            slot = np.int64(sheet["entry_slot"][entry])
            if level <= slot < best_slot:
                best, best_slot = entry, slot
    return best


@kernel
def has_means(core, sheets, player, entry):
    """Whether an entry of the sheet can be cast.

    A bonded object casts once a day any spell of its owner, without metamagic, also one that is spent (rules page, section 5, line 12).
    """
    sheet = sheets[player]
    if has_own_means(core, sheets, player, entry):
        return True
    by_object = sheet["has_bonded_object"] == 1 and core["bonded_used"][player] == 0
    kind = sheet["entry_kind"][entry]
    return by_object and (kind == BONDED or (kind == PREPARED and sheet["entry_quickened"][entry] == 0))


@kernel
def pay_casting(core, sheets, player, entry, slot_level, by_bonded_object):
    """Use up what a casting takes."""
    kind = sheets[player]["entry_kind"][entry]
    if by_bonded_object == 1:
        core["bonded_used"][player] = 1
    elif kind == PREPARED:
        core["copies"][player, entry] -= 1
    elif kind == KNOWN:
        core["slots"][player, slot_level] -= 1
    elif kind == CONVERTED:
        core["copies"][player, convertible(core, sheets, player, np.int64(sheets[player]["entry_slot"][entry]))] -= 1
    elif kind == STAFF:
        core["staff_charges"][player] -= sheets[player]["entry_slot"][entry]


@kernel
def level_to_spend(core, sheets, player, entry, least):
    """The level that spending an entry on a counter counts as: a prepared copy's slot, or the lowest slot from `least` on.

    NONE if it cannot be spent.

    Neither the bonded object nor a staff counters (section 5, lines 12 and 16); a cantrip counters cantrips only (line 11).
    """
    sheet = sheets[player]
    kind = sheet["entry_kind"][entry]
    slot = np.int64(sheet["entry_slot"][entry])
    if kind == AT_WILL:
        return 0 if least == 0 else NONE
    if kind == PREPARED:
        return slot if core["copies"][player, entry] > 0 and slot >= least else NONE
    if kind == KNOWN and sheet["entry_quickened"][entry] == 0:
        return lowest_slot(core, player, max(slot, least))
    return NONE
