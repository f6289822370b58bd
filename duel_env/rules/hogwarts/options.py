"""The options of the school duel, as people write them, and the records made from them."""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from duel_env.config import Settings, load, read_toml, shown
from duel_env.rules.hogwarts.state import MAX_SPELLS, NO_LIMIT, NOBODY, RULES, SETUP

PLAIN_ACTIONS = (
    ("retrieve_wand", "Retrieve the wand", "Récupérer sa baguette"),
    ("seize_wand", "Seize the opponent's wand", "Prendre la baguette adverse"),
    ("pass", "Pass", "Passer"),
)
"""The actions after the spells: id, English and French name."""

_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")
_Percentage = Annotated[int, Field(ge=-100, le=100)]


class Spell(Settings):
    """One spell of a list."""

    id: str
    """Lower-case name, unique in the list."""
    en: str = Field(min_length=1, max_length=60)
    """English name."""
    fr: str = Field(min_length=1, max_length=60)
    """French name."""
    penalty: _Percentage
    """Subtracted from the skill to give the highest successful face of the d100."""
    damage: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Hit points that the target loses."""
    disarm: bool = False
    """The target loses the wand; a target that has not acted yet in this round loses its riposte."""
    petrify: bool = False
    """The target cannot cast in the next round."""
    hex: bool = False
    """If the target's next spell misses, the target loses the wand."""
    block: bool = False
    """The opponent's spell of this round has no effect."""
    source: str = ""
    """Where the numbers come from."""

    @field_validator("id")
    @classmethod
    def _check_id(cls, value: str) -> str:
        taken = [name for name, _, _ in PLAIN_ACTIONS]
        if not _ID.fullmatch(value) or value in taken:
            raise ValueError(
                f"a spell's id is lower-case letters, digits and _, begins with a letter, and is none of {', '.join(taken)}"
            )
        return value

    @field_validator("en", "fr", "source")
    @classmethod
    def _check_printable(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("control characters are not accepted")
        return value


class SpellList(Settings):
    """A file of spells."""

    spells: tuple[Spell, ...] = Field(min_length=1, max_length=MAX_SPELLS, strict=False)

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        ids = [spell.id for spell in self.spells]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"spell ids must be unique; more than once: {', '.join(twice)}")
        return self


def load_spells(path: Path) -> tuple[Spell, ...]:
    """Read a list of spells.

    Raises:
        ConfigError: names the file, the entry and the key that is not accepted.
    """
    return load(SpellList, read_toml(path), str(path)).spells


@cache
def default_spells() -> tuple[Spell, ...]:
    """The six spells of the source."""
    return load_spells(Path(str(files("duel_env.rules.hogwarts") / "data" / "spells.toml")))


class HogwartsOptions(Settings):
    """Every reading of the rules that the source leaves open. The defaults follow the rules page; see the README of the ruleset."""

    riposte_sees_roll: bool = True
    """Whether the second caster sees the first caster's die before answering."""
    resolution: Literal["ordered", "simultaneous"] = "ordered"
    """Whether a duelist brought to 0 hit points still answers; `simultaneous`: yes, and both at 0 is a draw."""
    petrificus_timing: Literal["next_round", "riposte"] = "next_round"
    """What a first caster's petrification does: binds in the next round, or voids the riposte of the same round."""
    levicorpus_hits_riposte: bool = True
    """Whether the hexed duelist's "next spell" can be the riposte of the same round."""
    seize_after: Literal["expelliarmus", "any_disarm"] = "expelliarmus"
    """After which loss a wand can be seized."""
    petrified_may_retrieve: bool = True
    """Whether a petrified duelist may retrieve or seize a wand."""
    max_rounds: Annotated[int, Field(ge=1, le=1_000_000)] = 200
    """The duel is cut short, a draw, after this many rounds."""
    hit_points: Annotated[int, Field(ge=1, le=10_000)] = 5
    """Hit points of each duelist at the start."""
    observe_opponent_skill: bool = True
    """Whether the opponent's skill is in the observation."""
    spells: tuple[Spell, ...] = Field(default_factory=default_spells, min_length=1, max_length=MAX_SPELLS, strict=False)
    """The list of spells: a path of a TOML file, or the list itself."""

    @field_validator("spells", mode="before")
    @classmethod
    def _read_file(cls, value: Any) -> Any:
        if isinstance(value, str | Path):
            if not str(value):
                raise ValueError("expected the path of a TOML file, or a list of spells")
            return load_spells(Path(value))
        return value

    @model_validator(mode="after")
    def _check_unique(self) -> Self:
        SpellList(spells=self.spells)
        return self


def rules_record(options: HogwartsOptions, *, unlimited: bool = False) -> NDArray[np.void]:
    """RULES (1,) of some options; `unlimited` leaves out the round limit."""
    record = np.zeros(1, RULES)
    rules = record[0]
    rules["hit_points"] = options.hit_points
    rules["max_rounds"] = NO_LIMIT if unlimited else options.max_rounds
    rules["num_spells"] = len(options.spells)
    rules["riposte_sees_roll"] = options.riposte_sees_roll
    rules["simultaneous"] = options.resolution == "simultaneous"
    rules["petrify_voids_riposte"] = options.petrificus_timing == "riposte"
    rules["hex_hits_riposte"] = options.levicorpus_hits_riposte
    rules["seize_after_any_disarm"] = options.seize_after == "any_disarm"
    rules["petrified_may_retrieve"] = options.petrified_may_retrieve
    rules["observe_opponent_skill"] = options.observe_opponent_skill
    for i, spell in enumerate(options.spells):
        for field in ("penalty", "damage", "disarm", "petrify", "hex", "block"):
            rules[field][i] = getattr(spell, field)
    return record


_Skill = Annotated[int, Field(ge=0, le=100)]
SkillRange = _Skill | tuple[_Skill, _Skill]


class HogwartsSetup(Settings):
    """Who duels, and who begins."""

    skills: tuple[SkillRange, SkillRange] = Field(default=(60, 60), strict=False)
    """Skill of each player, 0..100, or a range [low, high] from which it is drawn anew for each duel."""
    first_caster: Literal[0, 1] | None = None
    """Player who acts first in round 1; none: initiative by the rules, the higher skill, on a tie a coin."""

    @field_validator("skills", mode="before")
    @classmethod
    def _plain_integers(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple | np.ndarray) or len(value) != 2:
            raise ValueError("expected one skill for each of the two players, such as (60, 60) or ((20, 95), (20, 95))")
        skills = tuple(_plain(skill) for skill in value)
        for skill in skills:
            ends = skill if isinstance(skill, tuple) and len(skill) == 2 else (skill, skill)
            if not all(type(end) is int and 0 <= end <= 100 for end in ends):
                raise ValueError(f"{shown(skill)} is neither an integer from 0 to 100 nor a range (low, high) of them")
        return skills

    @field_validator("first_caster", mode="before")
    @classmethod
    def _no_bool(cls, value: Any) -> Any:
        if isinstance(value, bool):
            raise ValueError("expected 0, 1 or nothing")
        return value

    @field_validator("skills")
    @classmethod
    def _ordered_ranges(cls, value: tuple[Any, Any]) -> tuple[Any, Any]:
        for skill in value:
            if isinstance(skill, tuple) and skill[0] > skill[1]:
                raise ValueError(f"a range is (low, high), but {skill} has its ends the other way round")
        return value


def _plain(value: Any) -> Any:
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(_plain(item) for item in value)
    return value


def setup_record(setup: HogwartsSetup) -> NDArray[np.void]:
    """SETUP (1,) of a set-up."""
    record = np.zeros(1, SETUP)
    for player, skill in enumerate(setup.skills):
        record["skill_low"][0, player], record["skill_high"][0, player] = skill if isinstance(skill, tuple) else (skill, skill)
    record["first_caster"] = NOBODY if setup.first_caster is None else setup.first_caster
    return record
