"""What a search for rules is told: one TOML file, complete and readable alone, checked in full before anything starts."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from duel_env.config import Settings, load, read_toml, shown
from duel_env.errors import ConfigError

Figure = Literal["first_caster", "spell_share", "mean_rounds", "draws", "one_spell"]

SHARES: Final = ("first_caster", "spell_share", "draws", "one_spell")
"""Figures that are probabilities or shares, from 0 to 1."""

MAX_VALUES: Final = 1_000
"""Of one thing that may change."""

_Skill = Annotated[int, Field(ge=0, le=100)]
_Number = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
_Finite = Annotated[float, Field(ge=0.0, le=1e6, allow_inf_nan=False)]


class TuneSettings(Settings):
    """The search itself."""

    seed: Annotated[int, Field(ge=0, lt=2**32)]
    """Decides everything that is random. The same seed gives the same result with any number of workers."""
    candidates: Annotated[int, Field(ge=1, le=1_000_000)]
    """Rule sets to try, today's among them."""
    batch: Annotated[int, Field(ge=1, le=1_024)]
    """Rule sets that are chosen together and then solved side by side; more of them learn less from each other."""
    workers: Annotated[int, Field(ge=1, le=256)]
    """Threads that solve."""
    time_limit_s: Annotated[float, Field(gt=0.0, le=1e7, allow_inf_nan=False)]
    """Seconds after which the search stops even if it has candidates left; it can be resumed."""


class Change(Settings):
    """What one thing may become: numbers from `low` to `high` in steps, or one of some `choices`."""

    low: _Number | None = None
    """The least value."""
    high: _Number | None = None
    """The greatest value."""
    step: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Distance of neighbouring values; today's value must be one of them."""
    choices: tuple[bool | int | str, ...] | None = Field(default=None, min_length=2, max_length=64, strict=False)
    """All values that are possible, today's among them."""
    cost: _Finite
    """How far one step, or another choice, is from today's rules; see `distance`."""

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        given = [name for name in ("low", "high", "step") if getattr(self, name) is not None]
        if self.choices is not None:
            if given:
                raise ValueError("either low, high and step, or choices, not both")
            if len(set(map(repr, self.choices))) < len(self.choices):
                raise ValueError("choices must differ from each other")
            return self
        if len(given) < 3:
            raise ValueError("expected low, high and step, or choices")
        low, high, step = self.range
        if low >= high:
            raise ValueError(f"low = {low} must be less than high = {high}")
        if (high - low) % step:
            raise ValueError(f"high - low = {high - low} must be a whole number of steps of {step}")
        if (high - low) // step >= MAX_VALUES:
            raise ValueError(f"at most {MAX_VALUES:,} values")
        return self

    @property
    def range(self) -> tuple[int, int, int]:
        """Low, high and step, of a change without choices."""
        assert self.low is not None
        assert self.high is not None
        assert self.step is not None
        return self.low, self.high, self.step

    @property
    def values(self) -> tuple[bool | int | str, ...]:
        """All values, in their order."""
        if self.choices is not None:
            return self.choices
        low, high, step = self.range
        return tuple(range(low, high + 1, step))


class Want(Settings):
    """A bound or two that an exact figure is wanted within."""

    figure: Figure
    """Which figure; see `Figures`."""
    skills: tuple[tuple[_Skill, _Skill], ...] = Field(min_length=1, max_length=32, strict=False)
    """Pairs of skills of player 0 and 1; the want is about each of them."""
    low: _Finite | None = None
    """At least this; no lower bound without it."""
    high: _Finite | None = None
    """At most this; no upper bound without it."""
    weight: Annotated[float, Field(gt=0.0, le=1e6, allow_inf_nan=False)]
    """How much being outside counts beside the other wants."""
    spells: tuple[str, ...] | None = Field(default=None, min_length=1, strict=False)
    """With `figure = "spell_share"`: which spells; all of them without it."""

    @field_validator("skills", mode="before")
    @classmethod
    def _pairs(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
            raise ValueError("expected a list of pairs, such as [[60, 60], [45, 45]]")
        return tuple(tuple(pair) for pair in value)

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if self.low is None and self.high is None:
            raise ValueError("expected low, high, or both")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError(f"low = {self.low} is more than high = {self.high}")
        if self.figure in SHARES:
            for name in ("low", "high"):
                bound = getattr(self, name)
                if bound is not None and bound > 1.0:
                    raise ValueError(f"{name} = {bound}: {self.figure} is a share, from 0 to 1")
        if self.spells is not None and self.figure != "spell_share":
            raise ValueError(f'spells belongs to figure = "spell_share", not to {self.figure!r}')
        if len(set(self.skills)) < len(self.skills):
            raise ValueError("a pair of skills is there twice")
        if self.spells is not None and len(set(self.spells)) < len(self.spells):
            raise ValueError("a spell is there twice")
        return self


class TuneConfig(Settings):
    """A search."""

    ruleset: str
    """Which game."""
    game: dict[str, Any]
    """Options of today's rules; those left out have the ruleset's default."""
    tune: TuneSettings
    change: dict[str, Change] = Field(min_length=1)
    """What may change: an option's name, or `spells.<id>.<key>`."""
    want: tuple[Want, ...] = Field(min_length=1, max_length=100, strict=False)
    """What is wanted."""

    @field_validator("change", mode="before")
    @classmethod
    def _flatten(cls, value: Any) -> Any:
        # TOML reads  spells.protego.penalty = {...}  without quotes as tables within each other; both spellings mean the same.
        return dict(_leaves(value, "")) if isinstance(value, dict) else value

    @property
    def digest(self) -> str:
        """Names the search: a hash of all that its candidates depend on, which is not how many there are nor who solves them."""
        content = self.model_dump(mode="json")
        for name in ("candidates", "workers", "time_limit_s"):
            del content["tune"][name]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def skills(self) -> tuple[tuple[int, int], ...]:
        """All pairs of skills that a want is about, each once, in the order in which they are met."""
        return tuple(dict.fromkeys(pair for want in self.want for pair in want.skills))


def _leaves(table: dict[Any, Any], prefix: str) -> Iterator[tuple[Any, Any]]:
    for key, value in table.items():
        is_branch = isinstance(value, dict) and value and all(isinstance(inner, dict) for inner in value.values())
        if is_branch:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield (f"{prefix}{key}" if isinstance(key, str) else key), value


def load_tune_config(path: Path) -> TuneConfig:
    """Read and check the file of a search; what it says about a ruleset is checked by `Space`.

    Raises:
        ConfigError: every problem, with its key and what is accepted.
    """
    values = read_toml(path)
    try:
        return load(TuneConfig, values, str(path))
    except RecursionError as error:
        raise ConfigError(f"{path}: tables within each other beyond any use: {shown(values)}") from error
