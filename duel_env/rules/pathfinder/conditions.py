"""Conditions: what a duelist in one of them can do, and what it changes."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from duel_env.rules.pathfinder.classes import Save
from duel_env.rules.pathfinder.expressions import Expression, parse
from duel_env.rules.pathfinder.fields import Count, Id, Table, Text
from duel_env.rules.pathfinder.plain_effects import refused

_Change = Annotated[int, Field(ge=-20, le=20)]


def _with_opponent(value: Any) -> Any:
    """An expression that may also name the combat manoeuvre bonus of whoever holds the subject."""
    return parse(value, ("CMB",)) if isinstance(value, str) else value


def _with_strength(value: Any) -> Any:
    """An expression that may also name the subject's own Strength modifier."""
    return parse(value, ("STR",)) if isinstance(value, str) else value


class TableRow(Table):
    """What a duelist does whose actions a d100 decides."""

    max: Annotated[int, Field(ge=1, le=100)]
    """Largest face of this row; the rows before it have the smaller ones."""
    does: Literal["act_normally", "nothing", "hurt_self", "attack_nearest"]
    damage: Annotated[Expression, BeforeValidator(_with_strength)] | None = None
    """Of `hurt_self`; STR is the Strength modifier."""


class ConditionEscape(Table):
    """A save that ends the condition."""

    save: Save
    dc: Annotated[int, Field(ge=1, le=60)]
    when: Literal["start_of_turn"]


class Condition(Table):
    """One condition. A change that is not named is none."""

    id: Id
    same_as: Id | None = None
    """Everything as for this condition; then nothing else is said here."""
    actions: Literal[
        "normal",
        "none",
        "single",
        "move_only",
        "no_move",
        "mental_only",
        "random_d100",
        "flee",
        "flee_or_cower",
        "half_turns_lost",
        "controlled",
        "escape_only",
    ] = "normal"
    """single: one standard or move action; mental_only: no body is needed; random_d100: see `table`; half_turns_lost: each turn with
    probability 1/2; escape_only: nothing but the way out."""
    cast: Literal[
        "yes",
        "no",
        "no_hostile",
        "no_hostile_vs_caster",
        "no_verbal",
        "no_targeted",
        "verbal_fail_20",
        "concentration",
        "continuous_damage",
        "if_normal",
        "controlled",
    ] = "yes"
    """no_targeted: no spell that needs sight of its target; verbal_fail_20: 20% failure with V; concentration: a check against
    `concentration_dc`; continuous_damage: a check for continuous damage; if_normal: when `actions` allow to act normally."""
    concentration_dc: Annotated[Expression, BeforeValidator(_with_opponent)] | None = None
    """Of casting; CMB is the combat manoeuvre bonus of whoever holds the subject."""
    counter: bool | Literal["if_last_roll_normal"] = True
    """Whether a dueling counter is possible."""
    identify: bool = True
    """Whether a spell being cast can be identified."""
    helpless: bool = False
    untargetable: bool = False
    untargetable_unless: Annotated[
        tuple[Literal["see_invisible", "true_seeing", "purge_invisible", "outlined"], ...], Field(strict=False)
    ] = ()
    """Cannot be targeted unless the opponent has, or the subject is, one of these."""
    lose_dex: bool = False
    """No Dexterity bonus to AC."""
    foe_lose_dex: bool = False
    """The opponent has no Dexterity bonus to AC against the subject."""
    ac: _Change = 0
    ac_vs_ranged: _Change = 0
    ac_vs_melee: _Change = 0
    attack: _Change = 0
    save_all: _Change = 0
    save_ref: _Change = 0
    skill_all: _Change = 0
    ability_checks: _Change = 0
    initiative: _Change = 0
    str: _Change = 0
    """Of the score, as the four after it."""
    dex: _Change = 0
    str_set: Count | None = None
    """The score becomes this, as the three after it."""
    dex_set: Count | None = None
    int_set: Count | None = None
    cha_set: Count | None = None
    own_miss_chance: Annotated[int, Field(ge=0, le=100)] = 0
    """Percent, of the subject's attacks."""
    miss_chance_vs_me: Annotated[int, Field(ge=0, le=100)] = 0
    """Percent, of attacks against the subject."""
    immune: Annotated[tuple[Literal["sonic", "language_dependent"], ...], Field(strict=False)] = ()
    """Descriptors of spells that do nothing to the subject."""
    damage_each_turn: Expression | None = None
    escape: ConditionEscape | None = None
    wakes_on: Literal["damaged"] | None = None
    broken_by: Literal["obvious_threat"] | None = None
    stand_up: Literal["move"] | None = None
    """The action that ends it."""
    table: Annotated[tuple[TableRow, ...], Field(strict=False)] = ()
    """Of `random_d100`."""
    ends_duel: bool | Literal["if_permanent"] = False
    """Whether a duelist in it cannot go on and has lost."""
    note: Text | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.same_as is not None and self.model_fields_set - {"id", "same_as", "note"}:
            raise refused("condition", ("same_as",), self.same_as, "everything else is said by the other condition")
        if (self.cast == "concentration") != (self.concentration_dc is not None):
            raise refused(
                "condition", ("concentration_dc",), str(self.concentration_dc), "belongs to cast concentration, and only to it"
            )
        if (self.actions == "random_d100") != bool(self.table):
            raise refused("condition", ("table",), self.actions, "belongs to actions random_d100, and only to it")
        for name, expression, known in (
            ("concentration_dc", self.concentration_dc, {"SL", "CMB"}),
            ("damage_each_turn", self.damage_each_turn, set[str]()),
            ("table", next((row.damage for row in self.table if row.damage is not None), None), {"STR"}),
        ):
            if expression is not None and not expression.variables <= known:
                accepted = ", ".join(sorted(known)) or "dice and numbers"
                raise refused("condition", (name,), str(expression), f"is not known for conditions; accepted: {accepted}")
        ends = [row.max for row in self.table]
        if ends and (ends != sorted(set(ends)) or ends[-1] != 100):
            raise refused("condition", ("table",), ends, "max must rise from row to row, to 100")
        return self
