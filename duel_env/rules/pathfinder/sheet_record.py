"""A duelist's numbers as the record that the kernels read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.codes import ABILITIES, CLASSES, ENTRY_KINDS
from duel_env.rules.pathfinder.derive import DerivedDuelist
from duel_env.rules.pathfinder.spells import SpellBook
from duel_env.rules.pathfinder.state import MAX_ENTRIES, SHEET


def sheet_record(derived: DerivedDuelist, book: SpellBook) -> NDArray[np.void]:
    """SHEET (1,) of a duelist; spells are numbered as in `book`.

    Raises:
        ConfigError: a spell that the book does not have, or more entries than a sheet has room for.
    """
    record = np.zeros(1, SHEET)
    sheet = record[0]
    duelist = derived.duelist
    sheet["class_id"] = CLASSES.index(duelist.class_id)
    sheet["level"] = derived.hit_dice
    sheet["casting_ability"] = ABILITIES.index(derived.casting_ability)
    for name in ("spontaneous", "arcane", "evil", "penetration", "improved_counterspell", "scores", "hit_points", "base_attack"):
        sheet[name] = getattr(derived, name)
    sheet["saves"] = derived.base_saves
    sheet["initiative"] = derived.base_initiative
    sheet["spellcraft"], sheet["face_off"] = derived.base_skills[0], derived.base_skills[1:]
    sheet["focus"], sheet["identify"] = derived.focus, derived.identify
    sheet["has_bonded_object"] = derived.bonded_object
    sheet["size"] = derived.size_modifier
    sheet["slots"] = derived.slots if derived.spontaneous else 0
    sheet["staff_charges"] = derived.staff_charges
    _write_entries(sheet, derived, book)
    return record


def _write_entries(sheet: Any, derived: DerivedDuelist, book: SpellBook) -> None:
    numbers = {spell.id: number for number, spell in enumerate(book.spells)}
    rows: list[tuple[str, int, int, str, bool, int, int, bool]] = [
        (
            entry.spell,
            entry.level,
            entry.charges if entry.source == "staff" else entry.slot_level,
            entry.source,
            entry.quickened,
            entry.count if entry.source == "prepared" else 0,
            entry.caster_level if entry.source == "staff" else 0,
            entry.is_domain,
        )
        for entry in derived.entries
    ]
    for spell in derived.conversions:
        level = book.by_id[spell].levels[derived.duelist.class_id]
        rows.append((spell, level, level, "converted", False, 0, 0, False))
    if len(rows) > MAX_ENTRIES:
        raise ConfigError(f"duelist {derived.duelist.en}: {len(rows)} different castings; a sheet has room for {MAX_ENTRIES}")
    sheet["num_entries"] = len(rows)
    for at, (spell, level, slot, kind, quickened, copies, caster_level, is_domain) in enumerate(rows):
        if spell not in numbers:
            raise ConfigError(f"duelist {derived.duelist.en}: the book has no spell {spell!r}")
        sheet["entry_spell"][at] = numbers[spell]
        sheet["entry_level"][at] = level
        sheet["entry_slot"][at] = slot
        sheet["entry_kind"][at] = ENTRY_KINDS.index(kind)
        sheet["entry_quickened"][at] = quickened
        sheet["entry_copies"][at] = copies
        sheet["entry_caster_level"][at] = caster_level
        sheet["entry_is_domain"][at] = is_domain
