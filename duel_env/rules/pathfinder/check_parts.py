"""Checks of the parts of a state that come from outside: effects in force, and castings that are under way."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import SchemaError
from duel_env.rules.pathfinder.check_sheets import FLAG, LEVEL_OF_SPELL, Ranges, check_ranges, require
from duel_env.rules.pathfinder.codes import (
    ABILITY,
    ACTION,
    AUTO_ATTACK,
    CONDITION,
    DAMAGE,
    ENERGY_WARD,
    IMAGES,
    IMMUNITY,
    MISS_CHANCE,
    MODIFIER,
    NAMED,
    NAMED_CHOICE,
    NEGATIVE_LEVELS,
    REROLL,
    RETALIATE,
    SENSE,
    SPELL_WARD,
    STAGES,
    TOUCH_DELIVERY,
    ZONE,
)
from duel_env.rules.pathfinder.state import CASTING, LASTING, NONE, NUM_PICKS

POINTS: Final = (-30_000, 30_000)
COUNT: Final = (0, 30_000)

_LAID: Final = (
    DAMAGE,
    CONDITION,
    MODIFIER,
    ABILITY,
    NEGATIVE_LEVELS,
    MISS_CHANCE,
    IMAGES,
    ENERGY_WARD,
    SPELL_WARD,
    IMMUNITY,
    SENSE,
    ZONE,
    ACTION,
    AUTO_ATTACK,
    RETALIATE,
    REROLL,
    TOUCH_DELIVERY,
    STAGES,
)
"""Kinds of effects that can be in force."""


def check_equal(record: Any, expected: Any, where: str, problem: str) -> None:
    """Refuse a record that differs from what it has to be; names the first field that does."""
    for field in record.dtype.names:
        if record[field].tobytes() != expected[field].tobytes():
            if record.dtype[field].names:
                check_equal(record[field], expected[field], f"{where}.{field}", problem)
            raise SchemaError(f"{where}.{field} = {record[field].tolist()}: {problem}, so that it is {expected[field].tolist()}")


def check_ongoing(rules: Any, core: Any, player: int) -> None:
    """The effects in force on a duelist; SchemaError names the row and the field."""
    count, rows = int(core["num_ongoing"][player]), core["ongoing"][player]
    require(not any(rows[count:].tobytes()), f"state.now.ongoing[{player}]", f"expected zeros after the first {count}")
    ranges: Ranges = {
        "effect": (0, int(rules["num_effects"]) - 1),
        "casting": (1, int(core["castings"])),
        "caster": (0, 1),
        "caster_level": (0, 40),
        "slot_level": LEVEL_OF_SPELL,
        "dc": (0, 100),
        "until": (0, 7),
        "suppressed": FLAG,
        "stilled": FLAG,
        "escalated": FLAG,
        "stage": (0, 100),
        "choice": (-1, 11),
        "value": POINTS,
        "uses": COUNT,
        "rounds": (1, LASTING),
        "save_penalty": (0, 10),
        "due": (0, 0),
    }
    for i in range(count):
        where, row = f"state.now.ongoing[{player}][{i}]", rows[i]
        check_ranges(row, ranges, where)
        effect = rules["effects"][row["effect"]]
        kind = int(effect["kind"])
        require(kind in _LAID, f"{where}.effect", "is none that can be in force")
        require(row["spell"] == effect["spell"], f"{where}.spell", f"the effect is of spell {effect['spell']}")
        escalates = kind == CONDITION and effect["escalates_to"] >= 0
        require(row["escalated"] == 0 or escalates, f"{where}.escalated", "the effect is no condition that gets worse")
        require(row["stilled"] <= row["suppressed"], f"{where}.stilled", "what is stilled is suppressed")
        if kind == SPELL_WARD and effect["mode"] in (NAMED, NAMED_CHOICE):
            check_ranges(row, {"value": (0, int(rules["num_spells"]) - 1)}, where)
        elif kind in (MODIFIER, NEGATIVE_LEVELS):
            check_ranges(row, {"value": (-100, 100)}, where)
        elif kind == IMAGES:
            check_ranges(row, {"value": (1, 100)}, where)
        elif kind in (ABILITY, ENERGY_WARD):
            check_ranges(row, {"value": (0, 30_000)}, where)


def check_casting(rules: Any, casting: Any, sheets: NDArray[np.void], where: str) -> None:
    """A casting that is under way; without one it has to be blank."""
    spells = int(rules["num_spells"])
    check_ranges(casting, {"spell": (NONE, spells - 1), "caster": (0, 1)}, where)
    if casting["spell"] == NONE:
        blank = np.zeros((), CASTING)
        blank["spell"] = blank["pick"] = blank["named"] = NONE
        check_equal(casting, blank, where, "no spell is being cast")
        return
    caster = int(casting["caster"])
    sheet = sheets[caster]
    record = rules["spells"][casting["spell"]]
    ranges: Ranges = {
        "entry": (0, int(sheet["num_entries"]) - 1),
        "slot_level": (0, 50),  # charges of a staff
        "level": LEVEL_OF_SPELL,
        "by_bonded_object": FLAG,
        "at_self": FLAG,
        "caster_level": (0, 40),
        "dc": (0, 100),
        "num_chosen": (0, 8),
        "option": (0, max(int(record["num_options"]) - 1, 0)),
        "energy": (0, 4),
        "ability": (0, 5),
        "pick": (NONE, NUM_PICKS - 1),
        "named": (NONE, spells - 1),
        "identified": FLAG,
        "tried": FLAG,
        "save_penalty": (0, 2),
        "shown": FLAG,
        "counter_entry": (0, max(int(sheets[1 - caster]["num_entries"]) - 1, 0)),
        "counter_readied": FLAG,
        "hit_points": POINTS,
    }
    check_ranges(casting, ranges, where)
    entry = int(casting["entry"])
    for field in ("spell", "level", "quickened"):
        expected = sheet[f"entry_{field}"][entry]
        require(casting[field] == expected, f"{where}.{field}", f"{casting[field]}: entry {entry} of the sheet has {expected}")
