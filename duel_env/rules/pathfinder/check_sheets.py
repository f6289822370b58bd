"""Checks of sheets that come from outside, and of records by a table of ranges."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import SchemaError
from duel_env.rules.pathfinder.codes import CLASSES, CONVERTED, KNOWN, PREPARED, STAFF
from duel_env.rules.pathfinder.state import MAX_ENTRIES, MAX_LEVEL, NUM_SLOT_LEVELS

Ranges = Mapping[str, tuple[int, int]]

FLAG: Final = (0, 1)
LEVEL_OF_SPELL: Final = (0, NUM_SLOT_LEVELS - 1)
_BONUS = (-20, 60)

SHEET_RANGES: Final[Ranges] = {
    "number": (0, 2**31 - 1),
    "class_id": (0, len(CLASSES) - 1),
    "level": (1, MAX_LEVEL),
    "casting_ability": (0, 5),
    "spontaneous": FLAG,
    "arcane": FLAG,
    "evil": FLAG,
    "scores": (1, 60),
    "hit_points": (1, 1_000),
    "base_attack": (0, MAX_LEVEL),
    "saves": _BONUS,
    "initiative": _BONUS,
    "spellcraft": _BONUS,
    "face_off": _BONUS,
    "penetration": _BONUS,
    "concentration": _BONUS,
    "focus": (0, 20),
    "identify": _BONUS,
    "improved_counterspell": FLAG,
    "has_bonded_object": FLAG,
    "size": (-8, 8),
    "slots": (0, 40),
    "staff_charges": (0, 50),
    "num_entries": (0, MAX_ENTRIES),
}


def check_ranges(record: Any, ranges: Ranges, where: str) -> None:
    """Refuse a record that has a field out of range.

    Args:
        record: with at least the fields of `ranges`.
        ranges: field -> least and greatest value.
        where: what the record is, for messages.

    Raises:
        SchemaError: names the field and the range.
    """
    for field, (low, high) in ranges.items():
        values = np.asarray(record[field])
        if np.any(values < low) or np.any(values > high):
            raise SchemaError(f"{where}.{field} = {values.tolist()}: expected {low} to {high}")


def require(holds: Any, where: str, problem: str) -> None:
    """Refuse what does not hold.

    Raises:
        SchemaError: `where: problem`.
    """
    if not holds:
        raise SchemaError(f"{where}: {problem}")


def check_sheets(rules: Any, sheets: NDArray[np.void]) -> None:
    """Refuse sheets that the kernels cannot read.

    Args:
        rules: RULES record.
        sheets: SHEET (2,).

    Raises:
        SchemaError: names the field and what is accepted.
    """
    spells = int(rules["num_spells"])
    for player in range(2):
        sheet, where = sheets[player], f"sheets[{player}]"
        check_ranges(sheet, SHEET_RANGES, where)
        count = int(sheet["num_entries"])
        used: Ranges = {
            "entry_spell": (0, spells - 1),
            "entry_level": LEVEL_OF_SPELL,
            "entry_slot": (0, 50),
            "entry_kind": (0, CONVERTED),
            "entry_quickened": FLAG,
            "entry_copies": (0, 100),
            "entry_caster_level": (0, MAX_LEVEL),
            "entry_is_domain": FLAG,
        }
        check_ranges({field: sheet[field][:count] for field in used}, used, where)
        check_ranges({field: sheet[field][count:] for field in used}, dict.fromkeys(used, (0, 0)), f"{where} after num_entries")
        kinds, slots = sheet["entry_kind"][:count], sheet["entry_slot"][:count]
        too_high = (kinds != STAFF) & (slots >= NUM_SLOT_LEVELS)
        require(not too_high.any(), f"{where}.entry_slot", f"{slots.tolist()}: expected 0 to 9, but for the charges of a staff")
        empty = (kinds != PREPARED) & (sheet["entry_copies"][:count] > 0)
        require(not empty.any(), f"{where}.entry_copies", "only prepared spells have copies")
        quick = (kinds == KNOWN) & (sheet["entry_quickened"][:count] > 0)
        require(not (quick & (slots == 0)).any(), f"{where}.entry_slot", "a quickened spell takes a slot")
