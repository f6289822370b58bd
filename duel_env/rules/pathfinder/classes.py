"""The class tables: slots, spells known, hit dice, base attack, saves, skills; and the domains and familiars that classes give."""

from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, model_validator

from duel_env.config import Settings, load, read_toml, shown
from duel_env.errors import ConfigError

Ability = Literal["str", "dex", "con", "int", "wis", "cha"]
Save = Literal["fort", "ref", "will"]
Skill = Literal["spellcraft", "bluff", "intimidate", "sense_motive"]
Bond = Literal["familiar", "object"]
ClassId = Literal["wizard", "sorcerer", "cleric", "druid", "bard", "witch"]

MAX_LEVEL = 20
MAX_SPELL_LEVEL = 9

_Name = Annotated[str, Field(min_length=1, max_length=60)]
_Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
_Count = Annotated[int, Field(ge=0, le=99)]
_Row = Annotated[tuple[_Count, ...], Field(min_length=1, max_length=MAX_SPELL_LEVEL, strict=False)]
_Rows = Annotated[tuple[_Row, ...], Field(min_length=MAX_LEVEL, max_length=MAX_LEVEL, strict=False)]


def ability_modifier(score: int) -> int:
    """The modifier of an ability score: half of what it is above 10, rounded down."""
    return (score - 10) // 2


def bonus_spells(modifier: int, spell_level: int) -> int:
    """Further slots of a spell level, 1..9, for a high casting ability; none for cantrips."""
    return 0 if spell_level < 1 or modifier < spell_level else (modifier - spell_level) // 4 + 1


class ClassRules(Settings):
    """One class, levels 1 to 20."""

    id: ClassId
    en: _Name
    """English name."""
    fr: _Name
    """French name."""
    source: str = ""
    """Where the numbers come from."""
    hit_die: Literal[6, 8, 10, 12]
    """Sides of the hit die of each level."""
    base_attack: Literal["half", "three_quarter", "full"]
    """How the base attack bonus grows."""
    good_saves: tuple[Save, ...] = Field(strict=False)
    """Saves that grow fast; the others grow slowly."""
    casting: Literal["prepared", "spontaneous"]
    tradition: Literal["arcane", "divine"]
    casting_ability: Literal["int", "wis", "cha"]
    skill_ranks: Annotated[int, Field(ge=1, le=10)]
    """Skill points of each level, before Intelligence."""
    class_skills: tuple[Skill, ...] = Field(strict=False)
    """Of the four skills of a duel, those that get +3 with the first rank."""
    bonds: tuple[Bond, ...] = Field(default=(), strict=False)
    """What the class may have, one of them: a familiar, or a bonded object."""
    school_slots: bool = False
    """Whether a duelist may specialise in a school: one more slot of each spell level for its spells, two opposition schools."""
    domains: Annotated[int, Field(ge=0, le=2)] = 0
    """Most domains of a duelist; with any, one more slot of each spell level for their spells."""
    domain_choices: tuple[_Id, ...] = Field(default=(), strict=False)
    """The domains to choose from; empty: all of them."""
    aligned_spells: bool = False
    """Whether spells of an alignment opposed to the duelist's are out of reach."""
    neutral: bool = False
    """Whether one part of the alignment must be neutral."""
    converts: bool = False
    """Whether a prepared spell may be turned into a cure or inflict spell of the same level or lower."""
    bonus_feat_levels: tuple[Annotated[int, Field(ge=1, le=MAX_LEVEL)], ...] = Field(default=(), strict=False)
    """Class levels that give a feat out of `bonus_feats`."""
    bonus_feats: tuple[_Id, ...] = Field(default=(), strict=False)
    cantrips: tuple[_Count, ...] = Field(min_length=MAX_LEVEL, max_length=MAX_LEVEL, strict=False)
    """By class level: spells of level 0 prepared, or known by a spontaneous class."""
    slots: _Rows
    """By class level, then by spell level from 1: slots a day without bonus spells."""
    known: tuple[_Row, ...] = Field(default=(), max_length=MAX_LEVEL, strict=False)
    """By class level, then by spell level from 1: spells known of a spontaneous class."""

    @model_validator(mode="after")
    def _check_tables(self) -> Self:
        spontaneous = self.casting == "spontaneous"
        if bool(self.known) != spontaneous:
            raise ValueError("known: a table of spells known is for spontaneous classes, which need one")
        for name, rows in (("slots", self.slots), ("known", self.known)):
            for level, (low, high) in enumerate(pairwise(rows), start=2):
                if len(high) < len(low) or any(later < earlier for earlier, later in zip(low, high, strict=False)):
                    raise ValueError(f"{name}: the row of class level {level} has less than the row before it")
        if spontaneous and [len(row) for row in self.known] != [len(row) for row in self.slots]:
            raise ValueError("known: needs the same spell levels as slots, for each of the 20 class levels")
        if any(later < earlier for earlier, later in pairwise(self.cantrips)):
            raise ValueError("cantrips: never less at a higher class level")
        if len(set(self.good_saves)) != len(self.good_saves) or len(set(self.class_skills)) != len(self.class_skills):
            raise ValueError("good_saves and class_skills: each entry once")
        return self

    def base_attack_bonus(self, level: int) -> int:
        """Base attack bonus at a class level."""
        return {"half": level // 2, "three_quarter": 3 * level // 4, "full": level}[self.base_attack]

    def base_save(self, save: Save, level: int) -> int:
        """Base save bonus at a class level: 2 + half of it, or a third of it."""
        return 2 + level // 2 if save in self.good_saves else level // 3

    def highest_spell_level(self, level: int) -> int:
        """Highest spell level that the class level gives access to."""
        return len(self.slots[level - 1])

    def slots_at(self, level: int, score: int) -> tuple[int, ...]:
        """Slots by spell level, with bonus spells, without the school slot and the domain slot.

        Args:
            level: class level.
            score: of the casting ability.

        Returns:
            ten numbers, for spell levels 0..9; 0 for level 0, whose spells use no slots.
        """
        row = self.slots[level - 1]
        modifier = ability_modifier(score)
        counts = [count + bonus_spells(modifier, i) for i, count in enumerate(row, start=1)]
        return (0, *counts, *([0] * (MAX_SPELL_LEVEL - len(counts))))

    def known_at(self, level: int) -> tuple[int, ...]:
        """Spells known by spell level, 0..9, of a spontaneous class."""
        row = self.known[level - 1] if self.known else ()
        return (self.cantrips[level - 1], *row, *([0] * (MAX_SPELL_LEVEL - len(row))))

    def bonus_feats_at(self, level: int) -> int:
        """Bonus feats of the class up to a class level."""
        return sum(at <= level for at in self.bonus_feat_levels)


class Domain(Settings):
    """A domain: a list of spells for the domain slots. What else a domain grants is no spell, and is left out."""

    id: _Id
    en: _Name
    fr: _Name
    spells: tuple[str, ...] = Field(min_length=MAX_SPELL_LEVEL, max_length=MAX_SPELL_LEVEL, strict=False)
    """The domain spell of spell level 1..9; empty where it is not a spell of the game."""


class Familiar(Settings):
    """A kind of familiar. All kinds give their master Alertness as well."""

    id: _Id
    en: _Name
    fr: _Name
    bonus_to: Literal["fort", "ref", "will", "hit_points", "initiative", "bluff", "nothing"]
    """What of the master's the bonus goes to; `nothing`: to a skill that no duel uses."""
    bonus: Annotated[int, Field(ge=0, le=10)]


class ClassTable(Settings):
    """All classes, domains and familiars."""

    classes: tuple[ClassRules, ...]
    domains: tuple[Domain, ...]
    familiars: tuple[Familiar, ...]

    def class_of(self, name: str) -> ClassRules:
        """The class of that id.

        Raises:
            ConfigError: there is none.
        """
        return _named(self.classes, name, "class")

    def domain(self, name: str) -> Domain:
        """The domain of that id.

        Raises:
            ConfigError: there is none.
        """
        return _named(self.domains, name, "domain")

    def familiar(self, name: str) -> Familiar:
        """The familiar of that kind.

        Raises:
            ConfigError: there is none.
        """
        return _named(self.familiars, name, "familiar")


_T = TypeVar("_T", ClassRules, Domain, Familiar)


class _RawTable(Settings):
    classes: tuple[dict[str, Any], ...] = Field(min_length=1, strict=False)
    domains: tuple[dict[str, Any], ...] = Field(default=(), strict=False)
    familiars: tuple[dict[str, Any], ...] = Field(default=(), strict=False)


def _named(entries: tuple[_T, ...], name: str, kind: str) -> _T:
    for entry in entries:
        if entry.id == name:
            return entry
    raise ConfigError(f"{shown(name)} is no {kind}; there are: {', '.join(entry.id for entry in entries)}")


def load_classes(path: Path) -> ClassTable:
    """Read a file of classes, domains and familiars.

    Raises:
        ConfigError: names the file, the class (or domain, or familiar) and the field that is not accepted.
    """
    raw = load(_RawTable, read_toml(path), str(path))
    table = ClassTable(
        classes=tuple(load(ClassRules, entry, _place(path, "class", entry)) for entry in raw.classes),
        domains=tuple(load(Domain, entry, _place(path, "domain", entry)) for entry in raw.domains),
        familiars=tuple(load(Familiar, entry, _place(path, "familiar", entry)) for entry in raw.familiars),
    )
    named: tuple[tuple[str, list[str]], ...] = (
        ("class", [entry.id for entry in table.classes]),
        ("domain", [entry.id for entry in table.domains]),
        ("familiar", [entry.id for entry in table.familiars]),
    )
    for kind, ids in named:
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ConfigError(f"{path}: {kind} {', '.join(twice)}: id: given more than once")
    domains = {domain.id for domain in table.domains}
    for entry in table.classes:
        missing = sorted(set(entry.domain_choices) - domains)
        if missing:
            raise ConfigError(f"{path}: class {entry.id}: domain_choices: no domain of the file: {', '.join(missing)}")
    return table


def _place(path: Path, kind: str, entry: dict[str, Any]) -> str:
    return f"{path}: {kind} {shown(entry.get('id', 'without id'))}"


@cache
def default_classes() -> ClassTable:
    """The classes of the game."""
    return load_classes(Path(str(files("duel_env.rules.pathfinder") / "data" / "classes.toml")))
