"""A duelist as people write one: a TOML file of choices. `sheet_rules` says what they may be, `derive` what follows from them."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from pydantic import ConfigDict, Field, field_validator, model_validator

from duel_env.config import Settings, load, read_toml, shown
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.classes import MAX_LEVEL, MAX_SPELL_LEVEL, Ability, ClassId, Skill, ability_modifier
from duel_env.rules.pathfinder.spells import School, SpellBook

Alignment = Literal[
    "lawful_good",
    "neutral_good",
    "chaotic_good",
    "lawful_neutral",
    "neutral",
    "chaotic_neutral",
    "lawful_evil",
    "neutral_evil",
    "chaotic_evil",
]
Plan = Literal["blaster", "controller", "counter", "healer", "debuffer", "trickster"]

SCHOOL_FEATS: Final = ("spell_focus", "greater_spell_focus")
"""Feats taken for a school, written as `spell_focus(evocation)`."""
PLAIN_FEATS: Final = (
    "improved_initiative",
    "spell_penetration",
    "greater_spell_penetration",
    "quicken_spell",
    "improved_counterspell",
    "combat_casting",
    "toughness",
    "iron_will",
    "great_fortitude",
    "lightning_reflexes",
)
QUICKEN_LEVELS: Final = 4
"""How many levels above its spell's the slot of a quickened spell is."""

_FEAT = re.compile(r"(spell_focus|greater_spell_focus)\(([a-z]+)\)")
_Name = Annotated[str, Field(min_length=1, max_length=60)]
_SpellId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
_Score = Annotated[int, Field(ge=3, le=40)]
_Ranks = Annotated[int, Field(ge=0, le=MAX_LEVEL)]
_FULL_NAMES: Final[dict[Ability, str]] = {
    "str": "strength",
    "dex": "dexterity",
    "con": "constitution",
    "int": "intelligence",
    "wis": "wisdom",
    "cha": "charisma",
}


class Scores(Settings):
    """The six ability scores as they are in the duel: with race, levels and items."""

    strength: _Score
    dexterity: _Score
    constitution: _Score
    intelligence: _Score
    wisdom: _Score
    charisma: _Score

    def of(self, ability: Ability) -> int:
        """The score of an ability."""
        return int(getattr(self, _FULL_NAMES[ability]))

    def modifier(self, ability: Ability) -> int:
        """The modifier of an ability."""
        return ability_modifier(self.of(ability))

    def all(self) -> tuple[int, ...]:
        """The scores, in the order strength, dexterity, constitution, intelligence, wisdom, charisma."""
        return tuple(int(getattr(self, name)) for name in _FULL_NAMES.values())


class Ranks(Settings):
    """Ranks in the skills that a duel uses; other skill points went elsewhere."""

    spellcraft: _Ranks = 0
    bluff: _Ranks = 0
    intimidate: _Ranks = 0
    sense_motive: _Ranks = 0

    def of(self, skill: Skill) -> int:
        """The ranks in a skill."""
        return int(getattr(self, skill))


class Prepared(Settings):
    """Prepared copies of one spell."""

    spell: _SpellId
    count: Annotated[int, Field(ge=1, le=20)] = 1
    """How many copies."""
    slot: Annotated[int, Field(ge=1, le=MAX_SPELL_LEVEL)] | None = None
    """Level of their slots; none: the spell's own level, or four more if quickened."""
    quickened: bool = False
    """Cast as a swift action, from a slot four levels higher (Quicken Spell)."""
    domain: bool = False
    """In the domain slot of its level."""


class StaffSpell(Settings):
    """A spell of a staff."""

    spell: _SpellId
    charges: Annotated[int, Field(ge=1, le=5)] = 1
    """Charges that one casting uses."""


class Staff(Settings):
    """A staff: spells for charges. It casts at its own caster level or its bearer's, the higher; DCs are the bearer's."""

    en: _Name
    """English name."""
    fr: _Name
    """French name."""
    caster_level: Annotated[int, Field(ge=1, le=MAX_LEVEL)] = 8
    charges: Annotated[int, Field(ge=1, le=10)] = 10
    """Charges left at the start of a duel."""
    spells: tuple[StaffSpell, ...] = Field(min_length=1, max_length=6, strict=False)


class Duelist(Settings):
    """The choices of a duelist. Every duelist is a living humanoid without armour or weapons.

    Left out on purpose, as they are no spells of the game: granted powers of domains and schools, bloodlines, hexes and patrons, bardic
    performances, wild shape, channelled energy, favoured-class bonuses, and all items but a staff and those that raise abilities.
    """

    model_config = ConfigDict(populate_by_name=True)

    en: _Name
    """English name."""
    fr: _Name
    """French name."""
    plan: Plan
    """What the duelist is built for; a label, without effect."""
    class_id: ClassId = Field(alias="class")
    """The class; the key in files is `class`."""
    level: Annotated[int, Field(ge=1, le=MAX_LEVEL)]
    """Class level."""
    human: bool = False
    """One more feat at level 1, and one more skill point each level."""
    size: Literal["small", "medium"] = "medium"
    alignment: Alignment
    scores: Scores
    hit_points: Literal["average", "max"] = "average"
    """Hit points of the levels after the first: half the hit die + 1, or the whole die."""
    feats: tuple[str, ...] = Field(default=(), strict=False)
    """Feats; those for a school as `spell_focus(evocation)`. Alertness comes with a familiar."""
    ranks: Ranks = Ranks()
    school: School | None = None
    """The school of a specialist; none: a universalist."""
    opposition: tuple[School, ...] = Field(default=(), strict=False)
    """The two opposition schools of a specialist, whose spells take two slots."""
    domains: tuple[str, ...] = Field(default=(), strict=False)
    converts_to: Literal["cure", "inflict"] | None = None
    """What spells a cleric's prepared spells may be turned into; good clerics cure, evil ones inflict, others choose (none: cure)."""
    familiar: str | None = None
    """The kind of familiar."""
    bonded_object: bool = False
    """A bonded object, which once a day casts any spell of the spellbook."""
    spellbook: tuple[_SpellId, ...] = Field(default=(), strict=False)
    """Spells in a wizard's book that are not prepared; they matter to a bonded object."""
    cantrips: tuple[_SpellId, ...] = Field(default=(), strict=False)
    """Spells of level 0, cast at will."""
    prepared: tuple[Prepared, ...] = Field(default=(), strict=False)
    """Spells in slots, of a class that prepares."""
    known: tuple[_SpellId, ...] = Field(default=(), strict=False)
    """Spells known of level 1 and more, of a spontaneous class."""
    staff: Staff | None = None

    @field_validator("en", "fr")
    @classmethod
    def _check_printable(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("control characters are not accepted")
        return value

    @field_validator("feats")
    @classmethod
    def _check_feats(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for feat in value:
            match = _FEAT.fullmatch(feat)
            if feat not in PLAIN_FEATS and not (match and match[2] in get_args(School)):
                raise ValueError(
                    f"{shown(feat)} is no feat of the game; there are: {', '.join(PLAIN_FEATS)}, "
                    f"{', '.join(f'{name}(SCHOOL)' for name in SCHOOL_FEATS)}"
                )
        return value

    @model_validator(mode="after")
    def _check_distinct(self) -> "Duelist":
        for name in ("feats", "opposition", "domains", "spellbook", "cantrips", "known"):
            entries = getattr(self, name)
            twice = sorted({entry for entry in entries if entries.count(entry) > 1})
            if twice:
                raise ValueError(f"{name}: each entry once, but more than once: {', '.join(twice)}")
        return self

    def has(self, feat: str) -> bool:
        """Whether the duelist has a feat."""
        return feat in self.feats

    def focus(self, school: str) -> int:
        """What Spell Focus and its greater form add to the save DCs of a school's spells: 0, 1 or 2."""
        return sum(f"{name}({school})" in self.feats for name in SCHOOL_FEATS)


def load_duelist(path: Path, book: SpellBook | None = None) -> Duelist:
    """Read a duelist from a TOML file.

    Args:
        path: of the file.
        book: the spells of the game; none: the default ones.

    Raises:
        ConfigError: names the file, the field, and the rule that the sheet breaks.
    """
    from duel_env.rules.pathfinder.sheet_rules import check_legal  # which needs this module

    duelist = load(Duelist, read_toml(path), str(path))
    check_legal(duelist, book, str(path))
    return duelist


def shipped_duelists() -> tuple[str, ...]:
    """Names of the duelists that come with the game, sorted."""
    return tuple(sorted(path.stem for path in shipped_folder().glob("*.toml")))


def find_duelist(name_or_path: str, book: SpellBook | None = None) -> Duelist:
    """A shipped duelist by name, or one from a TOML file.

    Args:
        name_or_path: a name of `shipped_duelists`, or a path that ends in .toml.
        book: the spells of the game; none: the default ones.

    Raises:
        ConfigError: there is no such duelist, or the file is not accepted.
    """
    if name_or_path.endswith(".toml"):
        return load_duelist(Path(name_or_path), book)
    names = shipped_duelists()
    if name_or_path not in names:
        raise ConfigError(
            f"{shown(name_or_path)} is no duelist; there are: {', '.join(names)}; or give the path of a file that ends in .toml"
        )
    return load_duelist(shipped_folder() / f"{name_or_path}.toml", book)


def shipped_folder() -> Path:
    """Where the files of the shipped duelists are."""
    return Path(str(files("duel_env.rules.pathfinder") / "data" / "duelists"))
