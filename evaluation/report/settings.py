"""What the report counts and where it draws lines: everything that a designer may want to change."""

from itertools import pairwise
from typing import Annotated

from pydantic import Field, field_validator

from duel_env.config import Settings, shown

_Share = Annotated[float, Field(ge=0.0, le=1.0)]
_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class Limits(Settings):
    """Two lines of one verdict: on the far side of `warn` it is a warning, on the far side of `fail` a failure."""

    warn: _Finite
    """Where a warning begins."""
    fail: _Finite
    """Where a failure begins."""


class Thresholds(Settings):
    """The lines of all verdicts. Which side of them is the bad one is said by each."""

    fairness: Limits = Limits(warn=0.03, fail=0.05)
    """Distance of the first caster's score from one half, averaged over which player it is; more is worse."""
    draws: Limits = Limits(warn=0.05, fail=0.2)
    """Share of duels that are drawn or never end; more is worse."""
    length: Limits = Limits(warn=40.0, fail=100.0)
    """Rounds of the longest 5 % of duels (95th percentile); more is worse."""
    skill: Limits = Limits(warn=0.5, fail=0.2)
    """Share of duels against random play that perfect play decides (`SkillFigures.skill_share`); less is worse."""
    dead_spell: Limits = Limits(warn=0.01, fail=0.0)
    """Share of the casts that matter that are this spell, where perfect play does without it nearly free of charge; less is worse. A
    failure at or below `fail`."""
    dead_spell_ban: _Share = 0.002
    """A spell can only count as dead if banning it for one side costs less than this."""
    must_have: Limits = Limits(warn=0.15, fail=0.3)
    """What banning a spell for one side costs; more is worse."""
    degenerate: Limits = Limits(warn=0.03, fail=0.01)
    """What a plain strategy (one spell, a fixed sequence, blind to hit points) gives away to perfect play; less is worse."""
    real_decisions: Limits = Limits(warn=0.3, fail=0.1)
    """Share of the decisions met in perfect play that are neither forced nor pointless; less is worse."""
    close_decisions: Limits = Limits(warn=0.1, fail=0.02)
    """Share of the real decisions met in perfect play with two or more actions close to the best; less is worse."""
    first_hit: Limits = Limits(warn=0.75, fail=0.9)
    """Score of whoever deals the first damage; more is worse."""
    snowball: Limits = Limits(warn=0.85, fail=0.95)
    """Score of whoever has just disarmed or petrified the opponent; more is worse."""
    sensitivity: Limits = Limits(warn=0.05, fail=0.1)
    """Most that one step of one number of the rules moves the first caster's score; more is worse."""
    readings: Limits = Limits(warn=0.02, fail=0.05)
    """Most that another reading of a rule moves the first caster's score at these skills; more is worse."""


class ReportSettings(Settings):
    """How the report is made."""

    thresholds: Thresholds = Thresholds()
    """Lines of the verdicts."""
    opponents: tuple[str, ...] = Field(default=("random", "greedy", "expectimax"), strict=False)
    """Agents against which perfect play is measured, by name; those that can play this game under other rules only are left out."""
    tie: _Positive = 1e-9
    """Actions whose scores differ by at most this are equally good."""
    close: _Share = 0.01
    """Actions whose scores differ from the best by at most this are close to it."""
    temperatures: tuple[_Positive, ...] = Field(default=(0.005, 0.02, 0.05), min_length=1, strict=False)
    """Of quantal play: a loss of one temperature, in score, makes an action e times less likely."""
    loss_bins: tuple[_Share, ...] = Field(default=(0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0), min_length=2, strict=False)
    """Edges of the histogram of what actions give away, rising from 0 to 1."""
    horizon: Annotated[int, Field(ge=1, le=10_000)] = 200
    """Where play may never end, visits and casts are counted in this many first rounds."""
    sequence_length: Annotated[int, Field(ge=1, le=6)] = 3
    """Longest fixed sequence of spells that is tried."""
    max_sequences: Annotated[int, Field(ge=1, le=100_000)] = 300
    """No longer sequences are tried than keep their number within this; those of one spell always are."""
    sequences_shown: Annotated[int, Field(ge=1)] = 10
    """How many of the best sequences, and of the best pairs of spells by role, the report lists."""
    blind_solves: Annotated[int, Field(ge=1, le=100_000)] = 150
    """Policies that the search for the best policy blind to hit points may try, for each player."""
    penalty_step: Annotated[int, Field(ge=1, le=50)] = 5
    """Step of a penalty in the sensitivity, in points of the d100."""
    skill_step: Annotated[int, Field(ge=1, le=50)] = 5
    """Step of a skill in the sensitivity."""
    grid_step: Annotated[int, Field(ge=1, le=100)] = 5
    """Step of the map of openings over skills from 0 to 100; 100 is always part of it."""
    readings_grid_step: Annotated[int, Field(ge=1, le=100)] = 10
    """The same for the comparison of readings."""
    readings_flip: _Share = 0.001
    """Least distance from one half on both sides at which a reading counts as flipping the advantage."""

    @field_validator("opponents", "temperatures")
    @classmethod
    def _each_once(cls, value: tuple[str | float, ...]) -> tuple[str | float, ...]:
        twice = [each for number, each in enumerate(value) if each in value[:number]]
        if twice:
            raise ValueError(f"more than once: {shown(twice[0])}")
        return value

    @field_validator("loss_bins")
    @classmethod
    def _rising(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if value[0] != 0.0 or value[-1] != 1.0 or any(low >= high for low, high in pairwise(value)):
            raise ValueError("expected edges that rise from 0 to 1")
        return value
