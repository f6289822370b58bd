"""Everything that follows from the choices of a duelist: the numbers of a sheet and the list of what it can cast."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from duel_env.rules.pathfinder.classes import Ability, ClassRules, Familiar, Save, Skill, default_classes
from duel_env.rules.pathfinder.codes import SCHOOLS
from duel_env.rules.pathfinder.duelist import QUICKEN_LEVELS, Duelist
from duel_env.rules.pathfinder.sheet_rules import SKILLS, check_legal
from duel_env.rules.pathfinder.sheet_spells import alignment_parts, capacity, conversions, domain_level, quickened_known, slot_of
from duel_env.rules.pathfinder.spells import Spell, SpellBook, default_spell_book

Source = Literal["at_will", "prepared", "known", "bonded", "staff"]

SAVES: Final[tuple[tuple[Save, Ability, str], ...]] = (
    ("fort", "con", "great_fortitude"),
    ("ref", "dex", "lightning_reflexes"),
    ("will", "wis", "iron_will"),
)
"""Each save, the ability that adds to it, and the feat that adds 2."""
SKILL_ABILITIES: Final[dict[Skill, Ability]] = {"spellcraft": "int", "bluff": "cha", "intimidate": "cha", "sense_motive": "wis"}
SAVE_FEAT: Final = 2
IMPROVED_INITIATIVE: Final = 4
CLASS_SKILL: Final = 3
ALERTNESS: Final = (2, 4, 10)
"""To Sense Motive; the second number from that many ranks on."""
SMALL: Final = 1
"""To attack rolls and AC of a small duelist, and from its combat manoeuvres."""
OWN_SCHOOL, OPPOSITION_SCHOOL = 2, -5
"""To identifying spells of a specialist's own school and of its opposition schools."""
PENETRATION_FEATS: Final = ("spell_penetration", "greater_spell_penetration")
PENETRATION_FEAT: Final = 2


@dataclass(frozen=True)
class Entry:
    """One thing that a duelist can cast."""

    spell: str
    """Id of the spell."""
    level: int
    """Of the spell, 0..9, on the duelist's class list; of a domain spell: its level in the domain."""
    slot_level: int
    """Level of the slot it takes: of `prepared`, of its slots; of `known`, the lowest that does (any higher one does too)."""
    count: int
    """Copies of `prepared`, 1 of `bonded`; 0 where the entry itself does not run out: `at_will`, `known` (slots), `staff` (charges)."""
    quickened: bool
    """Cast as a swift action."""
    is_domain: bool
    """In a domain slot; a cleric does not turn it into another spell."""
    source: Source
    """`bonded`: only the bonded object casts it. Once a day that object casts this or the spell of any `prepared` entry."""
    charges: int
    """Of `staff`: charges that one casting uses."""
    caster_level: int
    save_dc: int
    """10 + level + casting ability modifier + Spell Focus (rules.md, section 3: save DC); without meaning where there is no save."""


@dataclass(frozen=True)
class DerivedDuelist:
    """A duelist in numbers. Formulas are those of the rules page of the ruleset, section 3, unless said otherwise."""

    duelist: Duelist
    """The choices behind it."""
    hit_dice: int
    """The level."""
    hit_points: int
    """Whole hit die at level 1, then half of it + 1 (or all of it), + Constitution modifier each level, at least 1 a level; Toughness."""
    saves: tuple[int, int, int]
    """Fortitude, Reflex, Will: base + ability modifier + feat + familiar."""
    base_saves: tuple[int, int, int]
    """The same without ability modifiers."""
    base_attack: int
    """Half of the level, or three quarters of it (class table)."""
    initiative: int
    """Dexterity modifier + 4 with Improved Initiative + familiar."""
    base_initiative: int
    """The same without Dexterity."""
    armor_class: int
    """10 + Dexterity modifier + size: nobody wears armour."""
    touch_armor_class: int
    """10 + Dexterity modifier + size."""
    combat_maneuver_bonus: int
    """Base attack + Strength modifier - size."""
    combat_maneuver_defense: int
    """10 + base attack + Strength modifier + Dexterity modifier - size."""
    size_modifier: int
    """To attack rolls and AC: 0, or 1 when small."""
    scores: tuple[int, ...]
    """str, dex, con, int, wis, cha."""
    caster_level: int
    """The class level."""
    casting_ability: Ability
    casting_modifier: int
    spontaneous: bool
    arcane: bool
    evil: bool
    penetration: int
    """To caster level checks against spell resistance: 2 with Spell Penetration, 4 with its greater form."""
    concentration: int
    """Caster level + casting ability modifier."""
    combat_casting: bool
    """+4 to concentration when casting defensively or grappled."""
    skills: tuple[int, int, int, int]
    """Spellcraft, Bluff, Intimidate, Sense Motive: ranks + ability modifier + 3 if a class skill with a rank + familiar."""
    base_skills: tuple[int, int, int, int]
    """The same without ability modifiers."""
    focus: tuple[int, ...]
    """By school, in the order of `codes.SCHOOLS`: what feats add to save DCs."""
    identify: tuple[int, ...]
    """By school: +2 own school, -5 opposition schools, to the Spellcraft check that identifies a spell."""
    improved_counterspell: bool
    bonded_object: bool
    slots: tuple[int, ...]
    """By spell level 0..9, slots a day: class table + bonus spells + school or domain slot; 0 for level 0."""
    conversions: tuple[str, ...]
    """Cure or inflict spells into which a prepared spell of their level or a higher one, but no domain spell, may be turned."""
    staff_charges: int
    entries: tuple[Entry, ...]
    """What can be cast: at will, prepared or known, by the bonded object alone, from the staff."""

    def save_dc(self, level: int, school: str) -> int:
        """DC of a spell of a level and school: 10 + level + casting ability modifier + Spell Focus."""
        return 10 + level + self.casting_modifier + self.focus[SCHOOLS.index(school)]


def derive(duelist: Duelist, book: SpellBook | None = None) -> DerivedDuelist:
    """The numbers of a duelist.

    Args:
        duelist: its choices.
        book: the spells of the game; none: the default ones.

    Raises:
        ConfigError: the choices break a rule; see `sheet_rules`.
    """
    book = book or default_spell_book()
    check_legal(duelist, book, duelist.en)
    table = default_classes()
    rules = table.class_of(duelist.class_id)
    familiar = table.familiar(duelist.familiar) if duelist.familiar else None
    scores, size = duelist.scores, SMALL * (duelist.size == "small")
    strength, dexterity = scores.modifier("str"), scores.modifier("dex")
    attack = rules.base_attack_bonus(duelist.level)
    base_saves = tuple(
        rules.base_save(save, duelist.level) + SAVE_FEAT * duelist.has(feat) + _from(familiar, save) for save, _, feat in SAVES
    )
    base_skills = tuple(_skill(duelist, rules, familiar, skill) for skill in SKILLS)
    base_initiative = IMPROVED_INITIATIVE * duelist.has("improved_initiative") + _from(familiar, "initiative")
    casting = scores.modifier(rules.casting_ability)
    return DerivedDuelist(
        duelist=duelist,
        hit_dice=duelist.level,
        hit_points=_hit_points(duelist, rules, familiar),
        saves=tuple(base + scores.modifier(ability) for base, (_, ability, _) in zip(base_saves, SAVES, strict=True)),  # type: ignore[arg-type]
        base_saves=base_saves,  # type: ignore[arg-type]
        base_attack=attack,
        initiative=base_initiative + dexterity,
        base_initiative=base_initiative,
        armor_class=10 + dexterity + size,
        touch_armor_class=10 + dexterity + size,
        combat_maneuver_bonus=attack + strength - size,
        combat_maneuver_defense=10 + attack + strength + dexterity - size,
        size_modifier=size,
        scores=scores.all(),
        caster_level=duelist.level,
        casting_ability=rules.casting_ability,
        casting_modifier=casting,
        spontaneous=rules.casting == "spontaneous",
        arcane=rules.tradition == "arcane",
        evil="evil" in alignment_parts(duelist.alignment),
        penetration=PENETRATION_FEAT * sum(duelist.has(feat) for feat in PENETRATION_FEATS),
        concentration=duelist.level + casting,
        combat_casting=duelist.has("combat_casting"),
        skills=tuple(base + scores.modifier(SKILL_ABILITIES[skill]) for base, skill in zip(base_skills, SKILLS, strict=True)),  # type: ignore[arg-type]
        base_skills=base_skills,  # type: ignore[arg-type]
        focus=tuple(duelist.focus(school) for school in SCHOOLS),
        identify=tuple(
            OWN_SCHOOL * (school == duelist.school) + OPPOSITION_SCHOOL * (school in duelist.opposition) for school in SCHOOLS
        ),
        improved_counterspell=duelist.has("improved_counterspell"),
        bonded_object=duelist.bonded_object,
        slots=slots_a_day(duelist),
        conversions=conversions(duelist, rules, book),
        staff_charges=duelist.staff.charges if duelist.staff else 0,
        entries=tuple(_entries(duelist, rules, book, casting)),
    )


def slots_a_day(duelist: Duelist) -> tuple[int, ...]:
    """Slots by spell level 0..9: class table + bonus spells (rules.md, section 3) + the school or domain slot (section 10)."""
    rules = default_classes().class_of(duelist.class_id)
    extra = bool(duelist.school or duelist.domains)
    return tuple(count + extra if count else 0 for count in capacity(duelist, rules))


def _hit_points(duelist: Duelist, rules: ClassRules, familiar: Familiar | None) -> int:
    constitution = duelist.scores.modifier("con")
    later = rules.hit_die if duelist.hit_points == "max" else rules.hit_die // 2 + 1
    dice = max(1, rules.hit_die + constitution) + (duelist.level - 1) * max(1, later + constitution)
    return dice + (max(3, duelist.level) if duelist.has("toughness") else 0) + _from(familiar, "hit_points")


def _from(familiar: Familiar | None, what: str) -> int:
    return familiar.bonus if familiar and familiar.bonus_to == what else 0


def _skill(duelist: Duelist, rules: ClassRules, familiar: Familiar | None, skill: Skill) -> int:
    ranks = duelist.ranks.of(skill)
    total = ranks + CLASS_SKILL * (skill in rules.class_skills and ranks > 0) + _from(familiar, skill)
    if skill == "sense_motive" and familiar:
        low, high, from_ranks = ALERTNESS
        total += high if ranks >= from_ranks else low
    return total


def _entries(duelist: Duelist, rules: ClassRules, book: SpellBook, casting: int) -> Iterator[Entry]:
    def entry(
        spell: Spell,
        level: int,
        slot_level: int,
        source: Source,
        *,
        count: int = 0,
        quickened: bool = False,
        is_domain: bool = False,
        charges: int = 0,
        caster_level: int = duelist.level,
    ) -> Entry:
        dc = 10 + level + casting + duelist.focus(spell.school)
        return Entry(spell.id, level, slot_level, count, quickened, is_domain, source, charges, caster_level, dc)

    for name in duelist.cantrips:
        yield entry(book.by_id[name], 0, 0, "at_will")
    for prepared in duelist.prepared:
        spell = book.by_id[prepared.spell]
        of_domain = domain_level(duelist, default_classes(), prepared) if prepared.domain else None
        level = spell.levels[rules.id] if of_domain is None else of_domain
        yield entry(
            spell,
            level,
            slot_of(prepared, level),
            "prepared",
            count=prepared.count,
            quickened=prepared.quickened,
            is_domain=prepared.domain,
        )
    for name in duelist.known:
        spell = book.by_id[name]
        yield entry(spell, spell.levels[rules.id], spell.levels[rules.id], "known")
    for spell in quickened_known(duelist, rules, book):
        yield entry(spell, spell.levels[rules.id], spell.levels[rules.id] + QUICKEN_LEVELS, "known", quickened=True)
    for name in duelist.spellbook:
        spell = book.by_id[name]
        yield entry(spell, spell.levels[rules.id], spell.levels[rules.id], "bonded", count=1)
    if duelist.staff:
        caster_level = max(duelist.level, duelist.staff.caster_level)
        for held in duelist.staff.spells:
            spell = book.by_id[held.spell]
            level = spell.levels[rules.id]
            yield entry(spell, level, level, "staff", charges=held.charges, caster_level=caster_level)
