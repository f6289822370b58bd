"""Spells as data: the model of a spell, and `SpellBook`, all spells, conditions and forbidden spells of a duel, read from TOML files.

The format of the files is in the README of this folder. Own files add spells or replace those of the same id: see `load_spell_book`.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from duel_env.config import load, read_toml, shown
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.classes import ClassId
from duel_env.rules.pathfinder.conditions import Condition
from duel_env.rules.pathfinder.effects import (
    ActionEffect,
    ConditionEffect,
    Effect,
    EffectTable,
    ImmunityEffect,
    RemoveEffect,
    SpellWardEffect,
    ZoneEffect,
    walk,
)
from duel_env.rules.pathfinder.fields import Attack, Formula, Id, Name, SaveOrNone, Table, Text
from duel_env.rules.pathfinder.plain_effects import Place, refused

School = Literal["abjuration", "conjuration", "divination", "enchantment", "evocation", "illusion", "necromancy", "transmutation"]
CastingTime = Literal["standard", "swift", "immediate", "one_round", "full_round"]
Levels: TypeAlias = Annotated[dict[ClassId, Annotated[int, Field(ge=0, le=9)]], Field(min_length=1)]
Subschools: TypeAlias = Annotated[
    tuple[
        Literal[
            "calling",
            "charm",
            "compulsion",
            "creation",
            "figment",
            "glamer",
            "healing",
            "pattern",
            "phantasm",
            "polymorph",
            "scrying",
            "shadow",
            "summoning",
            "teleportation",
        ],
        ...,
    ],
    Field(strict=False),
]
Descriptor = Literal[
    "acid",
    "air",
    "chaotic",
    "cold",
    "curse",
    "darkness",
    "death",
    "disease",
    "earth",
    "electricity",
    "emotion",
    "evil",
    "fear",
    "fire",
    "force",
    "good",
    "language_dependent",
    "lawful",
    "light",
    "mind_affecting",
    "pain",
    "poison",
    "shadow",
    "sonic",
    "water",
]

_SAVED: Final = ("damage", "condition", "ability", "negative_levels", "modifier")
"""Kinds that must say what a successful save leaves of them."""
_REMOVED: Final = ("zone", "cursed", "ability_damage", "diseased", "poisoned")
_IMMUNITIES: Final = ("mental_control", "zone_movement", "negative_levels", "negative_damage", "fear")


class Duration(Table):
    """How long the spell lasts."""

    type: Literal["instantaneous", "rounds", "permanent", "concentration"]
    rounds: Formula | None = None
    """Of `rounds` and `concentration` (there: at most, or after it)."""
    dismissible: bool = False
    """The caster can end it."""
    discharge: bool = False
    """It ends when used up."""

    @model_validator(mode="after")
    def _rounds_where_due(self) -> Self:
        if (self.type in ("rounds", "concentration")) != (self.rounds is not None):
            raise refused("duration", ("rounds",), str(self.rounds), "belongs to type rounds or concentration, and only to them")
        return self


class SaveModifier(Table):
    """A change of the target's save in a situation."""

    when: Literal["in_combat", "different_creature_type", "target_arcane_caster", "caster_knows_name"]
    value: Annotated[int, Field(ge=-20, le=20)]


class Limits(Table):
    """Whom the spell concerns."""

    max_hd: Annotated[int, Field(ge=1, le=40)] | None = None
    """Hit dice."""
    max_hp: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Hit points at the moment."""
    min_int: Annotated[int, Field(ge=1, le=40)] | None = None
    humanoid: bool = False
    living: bool = False
    language: bool = False
    """Shares a language with the caster."""
    breathes: bool = False
    hears: bool = False
    flesh: bool = False
    arena: Literal["plants"] | None = None
    """What the arena must have."""


class Costs(Table):
    """Gold pieces of components."""

    material_gp: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Used up each time."""
    focus_gp: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class Source(Table):
    """Where the spell is printed."""

    book: Text
    page: Annotated[int, Field(ge=1, le=10_000)] | None = None
    prd: Text | None = None
    """Place in the Pathfinder Reference Document."""
    fr_wiki: Text | None = None
    """French wiki page."""


class Spell(Table):
    """One spell."""

    id: Id
    """Unique."""
    en: Name
    """English name."""
    fr: Name
    """French name."""
    core: bool
    """In the smaller first set."""
    school: School
    subschool: Subschools = ()
    descriptors: Annotated[tuple[Descriptor, ...], Field(strict=False)] = ()
    levels: Levels
    """Spell level by class."""
    casting_time: CastingTime
    """one_round: a full-round action, and the effect comes just before the caster's next turn."""
    components: Annotated[tuple[Literal["V", "S", "M", "F", "DF", "M/DF", "F/DF"], ...], Field(min_length=1, strict=False)]
    range: Literal["personal", "touch", "close", "medium", "long", "feet"]
    """close: 25 ft + 5 for 2 levels; medium: 100 + 10 a level; long: 400 + 40 a level; feet: `range_ft`."""
    range_ft: Annotated[int, Field(ge=0, le=1000)] | None = None
    target: Literal["self", "creature", "area", "ray"]
    """creature: needs sight of it; area and ray do not."""
    duel_target: Literal["self", "opponent", "both"]
    """Whom it is cast at in a duel."""
    duel_target_alt: Literal["self", "opponent"] | None = None
    """Whom else it may be cast at."""
    attack: Attack = "none"
    attack_count: Formula | None = None
    """Attack rolls; nothing: one, where there is an attack."""
    touch_charges: Formula | None = None
    """Touches before it is used up, one a turn; nothing: one."""
    save: SaveOrNone = "none"
    save_effect: Literal["none", "negates", "half", "partial"] = "none"
    """What a successful save does, in short; the effects say it exactly."""
    save_modifiers: Annotated[tuple[SaveModifier, ...], Field(strict=False)] = ()
    beneficial: bool = False
    """Harmless: no save, no spell resistance."""
    spell_resistance: bool = False
    """A caster level check against the spell resistance of an unwilling target."""
    duration: Duration
    dispellable: bool
    curse: bool = False
    """What removes curses ends it, heal does not; so it is with spells that a spell which removes curses counters."""
    limits: Limits = Limits()
    counters: Annotated[tuple[Id, ...], Field(strict=False)] = ()
    """Spells that it counters as a readied action, besides itself."""
    costs: Costs = Costs()
    effects: Annotated[tuple[Effect, ...], Field(min_length=1, strict=False)]
    """In the order in which they happen."""
    notes: Annotated[tuple[Text, ...], Field(strict=False)] = ()
    """Rulings."""
    source: Source
    verified_in: Annotated[tuple[Id, ...], Field(strict=False)] = ()
    """Collections that agree on the facts."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for place, value, message in _problems(self):
            raise refused("spell", place, value, message)
        return self


def _problems(spell: Spell) -> Iterator[tuple[Place, Any, str]]:
    """What is wrong between the fields of a spell: place, value, reason."""
    if (spell.range == "feet") != (spell.range_ft is not None):
        yield ("range_ft",), spell.range_ft, 'belongs to range "feet", and only to it'
    if (spell.save == "none") != (spell.save_effect == "none"):
        yield ("save_effect",), spell.save_effect, "save and save_effect are either both none or both something"
    if spell.save_modifiers and spell.save == "none":
        yield ("save_modifiers",), len(spell.save_modifiers), "without a save there is nothing to modify"
    if spell.attack == "ranged_touch" and spell.target not in ("ray", "area"):
        yield ("target",), spell.target, 'attack "ranged_touch" needs target "ray" or "area"'
    if spell.attack == "melee_touch" and spell.range != "touch":
        yield ("range",), spell.range, 'attack "melee_touch" needs range "touch"'
    if spell.attack == "none" and (spell.attack_count is not None or spell.touch_charges is not None):
        yield ("attack",), spell.attack, "attack_count and touch_charges need an attack"
    if spell.beneficial and (spell.save != "none" or spell.spell_resistance):
        yield ("beneficial",), True, "a harmless spell has neither save nor spell_resistance"
    if spell.duel_target_alt == spell.duel_target:
        yield ("duel_target_alt",), spell.duel_target_alt, "is duel_target already"
    for name in ("components", "descriptors", "subschool", "counters"):
        values = getattr(spell, name)
        if len(set(values)) != len(values):
            yield (name,), list(values), "something is there twice"
    yield from _save_problems(spell.effects, ("effects",), spell.save)


def _save_problems(effects: tuple[EffectTable, ...], place: Place, save: str) -> Iterator[tuple[Place, Any, str]]:
    """`on_save` is there wherever a save is, and nowhere else; actions have saves of their own."""
    for position, effect in enumerate(effects):
        here = (*place, position)
        kind = getattr(effect, "kind", "")
        if effect.on_save is None and save != "none" and kind in _SAVED and effect.to != "self":
            yield (*here, "on_save"), "missing", f"with a save ({save}), {kind} must say on_save = none, half, full or only"
        if effect.on_save is not None and save == "none":
            yield (*here, "on_save"), effect.on_save, "there is no save here"
        for inner_place, inner in walk(effect):
            if inner_place and isinstance(inner, ActionEffect):
                yield (*here, *inner_place), inner.action_id, "an action cannot be inside another effect"
            elif inner_place and not isinstance(effect, ActionEffect) and inner.on_save is not None:
                yield (*here, *inner_place, "on_save"), inner.on_save, "belongs to the outermost effect"
        if isinstance(effect, ActionEffect):
            yield from _save_problems(effect.effects, (*here, "effects"), effect.save)


class ForbiddenSpell(Table):
    """A spell that a standard duel forbids, because it calls creatures or objects that help."""

    id: Id
    en: Name
    fr: Name
    levels: Levels
    subschool: Subschools = ()


Entry: TypeAlias = Spell | Condition | ForbiddenSpell
_MODELS: Final[dict[str, type[Entry]]] = {"spell": Spell, "condition": Condition, "forbidden": ForbiddenSpell}
"""Tables of a file and what their entries are."""


@dataclass(frozen=True)
class SpellBook:
    """Everything that is known about magic in a duel. All in a fixed order: sorted by id."""

    spells: tuple[Spell, ...]
    conditions: tuple[Condition, ...]
    forbidden: tuple[ForbiddenSpell, ...]
    by_id: Mapping[str, Spell] = field(init=False, repr=False, compare=False)
    """The spells by id."""
    condition_by_id: Mapping[str, Condition] = field(init=False, repr=False, compare=False)
    """The conditions by id."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {spell.id: spell for spell in self.spells})
        object.__setattr__(self, "condition_by_id", {condition.id: condition for condition in self.conditions})

    def number(self, spell_id: str) -> int:
        """Position of a spell in `spells`.

        Raises:
            ConfigError: there is no such spell.
        """
        if spell_id not in self.by_id:
            raise ConfigError(f"no spell {shown(spell_id)}{_hint(spell_id, self.by_id)}")
        return list(self.by_id).index(spell_id)


Paths: TypeAlias = str | Path | Iterable[str | Path]


def load_spell_book(sources: Paths | None = None, *, extra: Paths = ()) -> SpellBook:
    """Read a spell book.

    Args:
        sources: a file, or a folder of which all `.toml` files are read, or several of both; none: the spells of the project.
        extra: the same. Each adds entries, and replaces those of the same id in `sources` and in those before it.

    Raises:
        ConfigError: names the file, the entry, the field and what is accepted. Also if an id is there twice among `sources`, or twice
            within one of `extra`, or if an entry speaks of a spell or condition that does not exist.
    """
    book = _default_layer() if sources is None else _read_layer(_paths(sources))
    for source in _paths(extra):
        book = book | _read_layer((source,))
    _check_references(book)
    ordered = [entry for _, (entry, _) in sorted(book.items())]
    return SpellBook(
        spells=tuple(entry for entry in ordered if isinstance(entry, Spell)),
        conditions=tuple(entry for entry in ordered if isinstance(entry, Condition)),
        forbidden=tuple(entry for entry in ordered if isinstance(entry, ForbiddenSpell)),
    )


@cache
def default_spell_book() -> SpellBook:
    """The 201 spells and 46 conditions of the project."""
    return load_spell_book()


_Layer = dict[tuple[str, str], tuple[Entry, Path]]
"""By table and id: an entry, and the file that it is from."""


@cache
def _default_layer() -> _Layer:
    data = Path(str(files("duel_env.rules.pathfinder") / "data"))
    return _read_layer((data / "spells", data / "conditions.toml", data / "forbidden.toml"))


def _read_layer(sources: Iterable[Path]) -> _Layer:
    """The entries of files that must not contradict each other."""
    layer: _Layer = {}
    for path in _toml_files(sources):
        for table, entry in _entries(path):
            key = (table, entry.id)
            if key in layer:
                other = layer[key][1]
                where = f"twice in {path}" if other == path else f"in {other} and in {path}"
                raise ConfigError(f"{table} {entry.id} is there {where}; ids must be unique")
            layer[key] = (entry, path)
    return layer


def _paths(paths: Paths) -> tuple[Path, ...]:
    return (Path(paths),) if isinstance(paths, str | Path) else tuple(Path(path) for path in paths)


def _toml_files(sources: Iterable[Path]) -> Iterator[Path]:
    for source in sources:
        if not source.is_dir():
            yield source
            continue
        inside = sorted(source.glob("*.toml"))
        if not inside:
            raise ConfigError(f"the folder {source} has no .toml file")
        yield from inside


def _entries(path: Path) -> Iterator[tuple[str, Entry]]:
    for table, rows in read_toml(path).items():
        if table not in _MODELS:
            raise ConfigError(f"{path.name}: unknown table {shown(table)}{_hint(table, _MODELS)}; accepted: {', '.join(_MODELS)}")
        if not isinstance(rows, list):
            raise ConfigError(f"{path.name}: {table} is not a list of tables; each entry begins with a line [[{table}]]")
        for position, row in enumerate(rows):
            name = row.get("id", f"number {position + 1}") if isinstance(row, dict) else f"number {position + 1}"
            yield table, load(_MODELS[table], row, f"{path.name}: {table} {shown(name)}")


def _check_references(book: _Layer) -> None:
    """Refuse entries that speak of spells or conditions that are not there."""
    spells = {name for table, name in book if table == "spell"}
    conditions = {name for table, name in book if table == "condition"}
    for entry, path in book.values():
        for kind, place, name, known in _references(entry, spells, conditions):
            if name not in known:
                table = next(table for table, model in _MODELS.items() if isinstance(entry, model))
                field_name = ".".join(str(part) for part in place)
                raise ConfigError(
                    f"{path.name}: {table} {entry.id}: {field_name} = {shown(name)!r}: no such {kind}{_hint(name, known)}"
                )


def _references(entry: Entry, spells: set[str], conditions: set[str]) -> Iterator[tuple[str, Place, str, set[str]]]:
    """What an entry speaks of: what it is, where, its name, and the names that there are."""
    if isinstance(entry, Condition) and entry.same_as is not None:
        yield "condition", ("same_as",), entry.same_as, conditions - {entry.id}
    if not isinstance(entry, Spell):
        return
    for position, name in enumerate(entry.counters):
        yield "spell", ("counters", position), name, spells - {entry.id}
    for place, effect in walk(entry):
        yield from (("condition", (*place, *inner), name, conditions) for inner, name in _conditions_of(effect))
        if isinstance(effect, RemoveEffect):
            for position, name in enumerate(effect.conditions):
                yield "condition", (*place, "conditions", position), name, conditions | {*_REMOVED}
        elif isinstance(effect, ImmunityEffect):
            for position, name in enumerate(effect.immune_to):
                yield "condition or immunity", (*place, "immune_to", position), name, conditions | {*_IMMUNITIES}
        elif isinstance(effect, SpellWardEffect):
            for position, name in enumerate(effect.spells):
                yield "spell", (*place, "spells", position), name, spells
        elif isinstance(effect, ZoneEffect):
            for position, name in enumerate(effect.dispersed_by):
                yield "spell", (*place, "dispersed_by", position), name, spells


def _conditions_of(effect: EffectTable) -> Iterator[tuple[Place, str]]:
    if isinstance(effect, ConditionEffect):
        yield ("condition",), effect.condition
    for name in ("escalates", "at_zero"):
        value = getattr(effect, name, None)
        if value is not None:
            yield (name,), value


def _hint(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
