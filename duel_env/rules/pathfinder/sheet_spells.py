"""The rules of a sheet about spells: what may be prepared, known, written in a book or held by a staff."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from duel_env.rules.pathfinder.classes import ClassRules, ClassTable
from duel_env.rules.pathfinder.duelist import QUICKEN_LEVELS, Duelist, Prepared
from duel_env.rules.pathfinder.spells import Spell, SpellBook
from duel_env.rules.pathfinder.state import MAX_ENTRIES

STAFF_LEVEL: Final = 9
STAFF_CASTER_LEVEL: Final = 8
STAFF_DEAR_LEVEL: Final = 4
STAFF_DEAR_CHARGES: Final = 2
"""Spells of a staff from `STAFF_DEAR_LEVEL` on cost this many charges or more."""
OPPOSITION_SLOTS: Final = 2
QUICKENABLE: Final = ("standard", "full_round")
OPPOSED: Final = {"good": "evil", "evil": "good", "lawful": "chaotic", "chaotic": "lawful"}


class Problem(NamedTuple):
    """A rule that a sheet breaks."""

    field: str
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.field}: {self.text} (rule: {self.rule})"


def alignment_parts(alignment: str) -> tuple[str, str]:
    """`lawful`, `chaotic` or nothing; `good`, `evil` or nothing."""
    parts = alignment.split("_")
    return next((p for p in parts if p in ("lawful", "chaotic")), ""), next((p for p in parts if p in ("good", "evil")), "")


def spell_problems(duelist: Duelist, rules: ClassRules, table: ClassTable, book: SpellBook) -> Iterator[Problem]:
    """Every rule about spells that a sheet breaks."""
    yield from _prepared(duelist, rules, table, book)
    yield from _known(duelist, rules, book)
    yield from _cantrips(duelist, rules, book)
    yield from _spellbook(duelist, rules, book)
    yield from _staff(duelist, rules, book)
    yield from _size(duelist, rules, book)


def domain_level(duelist: Duelist, table: ClassTable, prepared: Prepared) -> int | None:
    """Level of a spell in the duelist's domains: its slot's where a domain has it there, else the lowest; none: in no domain."""
    levels = [
        level
        for domain in table.domains
        if domain.id in duelist.domains
        for level, spell in enumerate(domain.spells, start=1)
        if spell == prepared.spell
    ]
    return prepared.slot if prepared.slot in levels else min(levels, default=None)


def slot_of(prepared: Prepared, spell_level: int) -> int:
    """Level of the slots that prepared copies take."""
    return prepared.slot or spell_level + QUICKEN_LEVELS * prepared.quickened


def capacity(duelist: Duelist, rules: ClassRules) -> tuple[int, ...]:
    """Slots by spell level 0..9 with bonus spells, without the school slot and the domain slot."""
    return rules.slots_at(duelist.level, duelist.scores.of(rules.casting_ability))


def _spell(name: str, field: str, book: SpellBook) -> Spell | Problem:
    """The spell, or why it is none of a standard duel."""
    if name in book.by_id:
        return book.by_id[name]
    if any(spell.id == name for spell in book.forbidden):
        return Problem(field, "summoning", f"{name}: summoned creatures are forbidden in a standard duel")
    return Problem(field, "spell", f"{name} is no spell of the game")


def _castable(duelist: Duelist, rules: ClassRules, spell: Spell, level: int | None, field: str) -> Iterator[Problem]:
    """Whether class, ability and alignment let the duelist cast a spell; `level` is none if it is on no list."""
    if level is None:
        yield Problem(field, "class list", f"{spell.id} is not on the spell list of a {rules.id}")
        return
    score = duelist.scores.of(rules.casting_ability)
    if score < 10 + level:
        yield Problem(
            field,
            "ability for the spell level",
            f"{spell.id} of level {level} needs {rules.casting_ability} {10 + level}, but it is {score}",
        )
    if rules.aligned_spells:
        for part in alignment_parts(duelist.alignment):
            if part and OPPOSED[part] in spell.descriptors:
                yield Problem(field, "alignment", f"{spell.id} is {OPPOSED[part]}, out of reach for a {part} {rules.id}")


def _prepared(duelist: Duelist, rules: ClassRules, table: ClassTable, book: SpellBook) -> Iterator[Problem]:
    field = "prepared"
    if duelist.prepared and rules.casting != "prepared":
        yield Problem(field, "preparing", f"a {rules.id} does not prepare spells; use known")
        return
    used: Counter[int] = Counter()
    of_school: set[int] = set()
    in_domain_slot: Counter[int] = Counter()
    lines: Counter[tuple[str, int, bool, bool]] = Counter()
    for prepared in duelist.prepared:
        spell = _spell(prepared.spell, field, book)
        if isinstance(spell, Problem):
            yield spell
            continue
        level = domain_level(duelist, table, prepared) if prepared.domain else spell.levels.get(duelist.class_id)
        if prepared.domain and level is None:
            yield Problem(field, "domain slot", f"{spell.id} is no spell of the domains {', '.join(duelist.domains) or '(none)'}")
            continue
        yield from _castable(duelist, rules, spell, level, field)
        if level is None:
            continue
        slot = slot_of(prepared, level)
        lines[(spell.id, slot, prepared.quickened, prepared.domain)] += 1
        yield from _slot_problems(duelist, prepared, spell, level, slot)
        if prepared.domain:
            in_domain_slot[slot] += prepared.count
            continue
        used[slot] += prepared.count * (OPPOSITION_SLOTS if spell.school in duelist.opposition else 1)
        if spell.school == duelist.school:
            of_school.add(slot)
    slots = capacity(duelist, rules)
    for slot, count in sorted(used.items()):
        room = slots[slot] + (slot in of_school) if 0 <= slot <= 9 and slots[slot] else 0
        if count > room:
            note = " (the school slot holds only spells of the school)" if duelist.school and slot not in of_school else ""
            yield Problem(field, "slots", f"{count} slots of level {slot} used, but there are {room}{note}")
    for slot, count in sorted(in_domain_slot.items()):
        room = 1 if 0 <= slot <= 9 and slots[slot] else 0
        if count > room:
            yield Problem(field, "domain slot", f"{count} spells in the domain slot of level {slot}, which holds {room}")
    for (name, slot, _, _), count in lines.items():
        if count > 1:
            yield Problem(field, "one line a spell", f"{name} in slots of level {slot} is on {count} lines; use count")


def _slot_problems(duelist: Duelist, prepared: Prepared, spell: Spell, level: int, slot: int) -> Iterator[Problem]:
    field = "prepared"
    if slot == 0:
        yield Problem(field, "cantrips", f"{spell.id} is of level 0: it belongs under cantrips")
    if slot < level:
        yield Problem(field, "slots", f"{spell.id} of level {level} does not go into a slot of level {slot}")
    if prepared.domain and (prepared.quickened or slot != level):
        yield Problem(field, "domain slot", f"{spell.id}: the domain slot holds a spell of its own level, not quickened")
    if prepared.quickened:
        if not duelist.has("quicken_spell"):
            yield Problem(field, "quickened spells", f"{spell.id} is quickened without the feat quicken_spell")
        if slot < level + QUICKEN_LEVELS:
            yield Problem(
                field,
                "quickened spells",
                f"{spell.id} of level {level}, quickened, takes a slot of level {level + QUICKEN_LEVELS}",
            )
        if spell.casting_time not in QUICKENABLE:
            yield Problem(
                field, "quickened spells", f"{spell.id} has casting time {spell.casting_time}, which cannot be quickened"
            )


def _known(duelist: Duelist, rules: ClassRules, book: SpellBook) -> Iterator[Problem]:
    field = "known"
    if rules.casting != "spontaneous":
        if duelist.known:
            yield Problem(field, "spells known", f"a {rules.id} prepares spells; use prepared")
        return
    counts: Counter[int] = Counter()
    for name in duelist.known:
        spell = _spell(name, field, book)
        if isinstance(spell, Problem):
            yield spell
            continue
        level = spell.levels.get(duelist.class_id)
        yield from _castable(duelist, rules, spell, level, field)
        if level == 0:
            yield Problem("cantrips", "cantrips", f"{name} is of level 0: it belongs under cantrips")
        elif level is not None:
            counts[level] += 1
    for level in range(1, 10):
        due = known_due(rules, duelist.level, level, book)
        if counts[level] != due:
            yield Problem(
                field,
                "spells known",
                f"{counts[level]} spells of level {level}, but a {rules.id} of level {duelist.level} knows {due}",
            )


def known_due(rules: ClassRules, class_level: int, spell_level: int, book: SpellBook) -> int:
    """How many spells of a level a spontaneous class knows: by its table, but never more than the game has for it."""
    there_are = sum(spell.levels.get(rules.id) == spell_level for spell in book.spells)
    return min(rules.known_at(class_level)[spell_level], there_are)


def _cantrips(duelist: Duelist, rules: ClassRules, book: SpellBook) -> Iterator[Problem]:
    field = "cantrips"
    for name in duelist.cantrips:
        spell = _spell(name, field, book)
        if isinstance(spell, Problem):
            yield spell
            continue
        level = spell.levels.get(duelist.class_id)
        yield from _castable(duelist, rules, spell, level, field)
        if level:
            yield Problem(field, "cantrips", f"{name} is of level {level}, not 0")
    number, table = len(duelist.cantrips), rules.cantrips[duelist.level - 1]
    if rules.casting == "spontaneous" and number != known_due(rules, duelist.level, 0, book):
        due = known_due(rules, duelist.level, 0, book)
        yield Problem(field, "spells known", f"{number} cantrips, but a {rules.id} of level {duelist.level} knows {due}")
    elif number > table:
        yield Problem(field, "cantrips", f"{number} cantrips, but a {rules.id} of level {duelist.level} prepares {table}")


def _spellbook(duelist: Duelist, rules: ClassRules, book: SpellBook) -> Iterator[Problem]:
    field, rule = "spellbook", "spellbook"
    if duelist.spellbook and not duelist.bonded_object:
        yield Problem(field, rule, "spells that are not prepared matter to a bonded object only, and there is none")
    if len(duelist.spellbook) > duelist.level:
        yield Problem(field, rule, f"{len(duelist.spellbook)} further spells, but at most one for each level, {duelist.level}")
    highest = rules.highest_spell_level(duelist.level)
    prepared = {entry.spell for entry in duelist.prepared}
    for name in duelist.spellbook:
        spell = _spell(name, field, book)
        if isinstance(spell, Problem):
            yield spell
            continue
        level = spell.levels.get(duelist.class_id)
        yield from _castable(duelist, rules, spell, level, field)
        if level is not None and not 1 <= level <= highest:
            yield Problem(field, rule, f"{name} is of level {level}; allowed: 1 to {highest}")
        if name in prepared:
            yield Problem(field, rule, f"{name} is prepared, so it is in the book already")


def _staff(duelist: Duelist, rules: ClassRules, book: SpellBook) -> Iterator[Problem]:
    staff, rule = duelist.staff, "staff"
    if staff is None:
        return
    if duelist.level < STAFF_LEVEL:
        yield Problem("staff", rule, f"staves are for level {STAFF_LEVEL} and more, not {duelist.level}")
    elif not STAFF_CASTER_LEVEL <= staff.caster_level <= duelist.level:
        yield Problem(
            "staff.caster_level", rule, f"{staff.caster_level}, but {STAFF_CASTER_LEVEL} to the bearer's level, {duelist.level}"
        )
    names = [entry.spell for entry in staff.spells]
    for entry in staff.spells:
        spell = _spell(entry.spell, "staff.spells", book)
        if isinstance(spell, Problem):
            yield spell
            continue
        level = spell.levels.get(duelist.class_id)
        if level is None:
            yield Problem(
                "staff.spells", "class list", f"{spell.id} is not on the spell list of a {rules.id}, which using a staff needs"
            )
        elif level < 1 or level > rules.highest_spell_level(staff.caster_level):
            highest = rules.highest_spell_level(staff.caster_level)
            yield Problem(
                "staff.spells", rule, f"{spell.id} is of level {level}; at caster level {staff.caster_level}: 1 to {highest}"
            )
        elif level >= STAFF_DEAR_LEVEL and entry.charges < STAFF_DEAR_CHARGES:
            yield Problem("staff.spells", rule, f"{spell.id} of level {level} costs {STAFF_DEAR_CHARGES} charges or more")
        if names.count(entry.spell) > 1:
            yield Problem("staff.spells", rule, f"{entry.spell} is there more than once")


def quickened_known(duelist: Duelist, rules: ClassRules, book: SpellBook) -> list[Spell]:
    """Spells that a spontaneous caster with Quicken Spell can also cast as a swift action, from slots four levels higher."""
    if rules.casting != "spontaneous" or not duelist.has("quicken_spell"):
        return []
    highest = rules.highest_spell_level(duelist.level)
    known = [book.by_id[name] for name in (*duelist.cantrips, *duelist.known) if name in book.by_id]
    return [
        spell
        for spell in known
        if spell.levels.get(rules.id, highest) + QUICKEN_LEVELS <= highest and spell.casting_time in QUICKENABLE
    ]


def conversions(duelist: Duelist, rules: ClassRules, book: SpellBook) -> tuple[str, ...]:
    """Cure or inflict spells into which a prepared spell may be turned, from the lowest level up; none of most classes."""
    if not rules.converts:
        return ()
    evil = "evil" in alignment_parts(duelist.alignment)
    kind = duelist.converts_to or ("inflict" if evil else "cure")
    highest = min(rules.highest_spell_level(duelist.level), duelist.scores.of(rules.casting_ability) - 10)
    found = [spell for spell in book.spells if spell.id.startswith(f"{kind}_") and spell.id.endswith("_wounds")]
    levels = {spell.id: spell.levels.get(rules.id, 99) for spell in found}
    return tuple(sorted((name for name, level in levels.items() if 1 <= level <= highest), key=lambda name: levels[name]))


def _size(duelist: Duelist, rules: ClassRules, book: SpellBook) -> Iterator[Problem]:
    staff = len(duelist.staff.spells) if duelist.staff else 0
    lines = len(duelist.cantrips) + len(duelist.prepared) + len(duelist.known) + len(duelist.spellbook) + staff
    lines += len(quickened_known(duelist, rules, book)) + len(conversions(duelist, rules, book))
    if lines > MAX_ENTRIES:
        yield Problem("prepared", "length of a sheet", f"{lines} lines of spells, but at most {MAX_ENTRIES}")
