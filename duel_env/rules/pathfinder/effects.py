"""The effects of spells: one model for each of the 27 kinds, and `Effect`, any of them, told apart by `kind`.

What the fields mean for the duel is said here, once; the kernels do what is said. Amounts are expressions (see `expressions`), halves are
rounded down. Times are counted in rounds: a minute is 10, an hour 600, a day 14 400.
"""

import difflib
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, get_args

from pydantic import BeforeValidator, Field, model_validator

from duel_env.config import shown
from duel_env.rules.pathfinder.classes import Save
from duel_env.rules.pathfinder.fields import (
    Attack,
    Cost,
    EndingEvent,
    Energy,
    Formula,
    Id,
    Rounds,
    SaveOrNone,
    SignedFormula,
    Table,
)
from duel_env.rules.pathfinder.plain_effects import (
    AbilityEffect,
    DamageEffect,
    DispelEffect,
    EffectTable,
    EnergyWardEffect,
    ExtraTurnsEffect,
    HealEffect,
    ImagesEffect,
    ImmunityEffect,
    MissChanceEffect,
    ModifierEffect,
    NegativeLevelsEffect,
    Percent,
    Place,
    RemoveEffect,
    RerollEffect,
    SenseEffect,
    SpellWardEffect,
    TempHpEffect,
    TouchDeliveryEffect,
    refused,
)

__all__ = [
    "EFFECT_MODELS",
    "AbilityEffect",
    "ActionEffect",
    "AutoAttackEffect",
    "BandEffect",
    "BandRow",
    "ChoiceEffect",
    "ConditionEffect",
    "Critical",
    "DamageEffect",
    "DispelEffect",
    "Effect",
    "EffectTable",
    "EnergyWardEffect",
    "Escape",
    "ExitCheck",
    "ExtraTurnsEffect",
    "HealEffect",
    "ImagesEffect",
    "ImmunityEffect",
    "MissChanceEffect",
    "ModifierEffect",
    "NegativeLevelsEffect",
    "Option",
    "Place",
    "RandomEffect",
    "RandomRow",
    "RemoveEffect",
    "RerollEffect",
    "Resave",
    "RetaliateEffect",
    "SecondSaveEffect",
    "SenseEffect",
    "SpellWardEffect",
    "StagesEffect",
    "TempHpEffect",
    "TouchDeliveryEffect",
    "ZoneEffect",
    "walk",
]

_Effects = Annotated[tuple["Effect", ...], Field(strict=False)]
_SomeEffects = Annotated[tuple["Effect", ...], Field(min_length=1, strict=False)]
_Face = Annotated[int, Field(ge=2, le=20)]


class Resave(Table):
    """A further save later."""

    when: Literal["start_of_turn", "next_turn_only", "end_of_turn"]
    save: Literal["same"]
    """The spell's save at its DC."""
    action: Cost
    """What trying costs the target."""
    each_turn: bool
    bonus: Annotated[int, Field(ge=-20, le=20)] = 0
    """Added to the save."""


class Escape(Table):
    """A way out, as an action of the target."""

    check: Literal["str_or_escape_artist", "cmb_or_escape_artist", "str", "ref", "int"]
    dc: Literal["spell_dc"] | Formula
    action: Cost


class ConditionEffect(EffectTable):
    """The target gets a condition."""

    kind: Literal["condition"]
    condition: Id
    rounds: Rounds
    resave: Resave | None = None
    escape: Escape | None = None
    ends_on: Annotated[tuple[EndingEvent, ...], Field(strict=False)] = ()
    """What ends it early."""
    hp_set: Annotated[int, Field(ge=-100, le=100)] | None = None
    """Hit points are set to this."""
    escalates: Id | None = None
    """The condition that it becomes for a target that has it already."""
    on_crit_rounds: Rounds | None = None
    """Instead of `rounds` after a critical hit."""
    on_early_recovery: _Effects = ()
    """What follows a successful later save."""
    damage: Formula | None = None
    """Damage each turn, instead of what the condition says."""


class ExitCheck(Table):
    """What leaving a zone takes."""

    check: Literal["acrobatics", "cmb_or_escape_artist"]
    dc: Literal["spell_dc"] | Formula


class ZoneEffect(EffectTable):
    """A place with something in it. It stays where it is."""

    kind: Literal["zone"]
    on: Literal["self", "target"]
    """Who is in it at first."""
    rounds: Rounds
    exit_moves: Annotated[int, Field(ge=1, le=9)]
    """Move actions to leave it."""
    blocks_sight: bool
    """Nobody sees into it or out of it."""
    concealment: Percent | None = None
    """Miss chance inside."""
    on_exit_check: ExitCheck | None = None
    immediate: bool = False
    """`each_turn` happens at once for the first time."""
    each_turn: _Effects
    """On the caster's turn, to whoever is inside."""
    dispersed_by: Annotated[tuple[Id, ...], Field(strict=False)] = ()
    """Spells that end it."""
    burned_by: Energy | None = None
    """Energy that ends it."""


class ActionEffect(EffectTable):
    """The caster may do something again and again while the spell lasts."""

    kind: Literal["action"]
    action_id: Id
    cost: Cost
    uses: Formula
    first: Literal["same_turn", "next_turn", "on_completion"]
    """When it can be done for the first time: in the turn of casting, the next one, or as part of the casting."""
    first_cost: Cost | None = None
    """Of the first time, if not `cost`."""
    attack: Attack
    save: SaveOrNone
    spell_resistance: bool = False
    effects: _SomeEffects


class Critical(Table):
    """When and how attacks do more."""

    threat: Annotated[int, Field(ge=2, le=20)]
    """Least face of the d20 that threatens."""
    multiplier: Annotated[int, Field(ge=2, le=4)]


class AutoAttackEffect(EffectTable):
    """The spell attacks on its own."""

    kind: Literal["auto_attack"]
    bonus: SignedFormula
    bonus_if_grappling: Annotated[int, Field(ge=0, le=20)] = 0
    vs: Literal["ac", "cmd"]
    crit: Critical | None = None
    iterative: bool
    """More attacks at base attack bonus 6, 11 and 16, each at -5."""
    when: Literal["on_cast_and_each_own_turn", "on_cast_and_each_caster_turn"]
    rounds: Rounds
    effects: _SomeEffects


class RetaliateEffect(EffectTable):
    """Whoever touches the target suffers."""

    kind: Literal["retaliate"]
    vs: Literal["melee_touch_or_body"]
    spell_resistance: bool = False
    rounds: Rounds
    effects: _SomeEffects


class Option(Table):
    """One possibility of a choice."""

    id: Id
    effects: _SomeEffects


class ChoiceEffect(EffectTable):
    """The caster chooses when casting."""

    kind: Literal["choice"]
    options: Annotated[tuple[Option, ...], Field(min_length=2, strict=False)]

    @model_validator(mode="after")
    def _different(self) -> Self:
        ids = [option.id for option in self.options]
        if len(set(ids)) != len(ids):
            raise refused("choice", ("options",), ids, "ids must be different")
        return self


class BandRow(Table):
    """What happens to targets up to a size."""

    max: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Largest value that belongs here; nothing: all the others."""
    effects: _Effects


class BandEffect(EffectTable):
    """The effects of the first band whose `max` is not less than the target's value; nothing beyond the last."""

    kind: Literal["band"]
    by: Literal["target_hd", "target_hp"]
    """Hit dice, or hit points at the moment."""
    bands: Annotated[tuple[BandRow, ...], Field(min_length=1, strict=False)]

    @model_validator(mode="after")
    def _rising(self) -> Self:
        ends = [band.max for band in self.bands]
        known = [end for end in ends if end is not None]
        if None in ends[:-1] or known != sorted(set(known)):
            raise refused("band", ("bands",), ends, "max must rise from band to band, and only the last may be without")
        return self


class SecondSaveEffect(EffectTable):
    """A further save at the spell's DC decides between two lists of effects."""

    kind: Literal["second_save"]
    save: Save
    fail: _Effects
    success: _Effects


class StagesEffect(EffectTable):
    """Steps, one at the start of each of the target's turns, unless the target saves."""

    kind: Literal["stages"]
    when: Literal["start_of_target_turn"]
    turns: Annotated[int, Field(ge=1, le=20)]
    """Turns after which it is over."""
    save: Save
    on_stage_save: Literal["skip_this_step"]
    """A success postpones the step to the next turn; `turns` still pass."""
    steps: Annotated[tuple[_SomeEffects, ...], Field(min_length=1, strict=False)]


class RandomRow(Table):
    """What one face does."""

    face: Annotated[int, Field(ge=1, le=20)]
    roll_twice: bool = False
    """Instead of effects: two further rolls, in which this face does not count."""
    effects: _Effects = ()

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.roll_twice == bool(self.effects):
            raise refused("row", ("effects",), self.roll_twice, "a row has either effects or roll_twice = true")
        return self


class RandomEffect(EffectTable):
    """A die decides."""

    kind: Literal["random"]
    die: _Face
    table: Annotated[tuple[RandomRow, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _every_face(self) -> Self:
        faces = sorted(row.face for row in self.table)
        if faces != list(range(1, self.die + 1)):
            raise refused("random", ("table",), faces, f"each face from 1 to {self.die} must have one row")
        return self


_Union: TypeAlias = (
    DamageEffect
    | HealEffect
    | TempHpEffect
    | ConditionEffect
    | RemoveEffect
    | ModifierEffect
    | AbilityEffect
    | NegativeLevelsEffect
    | MissChanceEffect
    | ImagesEffect
    | EnergyWardEffect
    | SpellWardEffect
    | ImmunityEffect
    | DispelEffect
    | SenseEffect
    | ZoneEffect
    | ActionEffect
    | AutoAttackEffect
    | RetaliateEffect
    | RerollEffect
    | ExtraTurnsEffect
    | TouchDeliveryEffect
    | ChoiceEffect
    | BandEffect
    | SecondSaveEffect
    | StagesEffect
    | RandomEffect
)
EFFECT_MODELS: Final[dict[str, type[EffectTable]]] = {
    get_args(model.model_fields["kind"].annotation)[0]: model for model in get_args(_Union)
}
"""The model of each kind."""


def _by_kind(value: Any) -> Any:
    """Choose the model before the union does: then the place of an error has no further part for the kind."""
    if not isinstance(value, dict):
        return value
    if "kind" not in value:
        raise refused("effect", ("kind",), None, f"missing; accepted: {', '.join(EFFECT_MODELS)}")
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in EFFECT_MODELS:
        near = difflib.get_close_matches(str(kind), EFFECT_MODELS, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise refused("effect", ("kind",), shown(kind), f"no kind of effect; {hint}accepted: {', '.join(EFFECT_MODELS)}")
    return EFFECT_MODELS[kind].model_validate(value)


Effect: TypeAlias = Annotated[_Union, Field(discriminator="kind"), BeforeValidator(_by_kind)]
"""Any effect."""

_MODELS: tuple[type[Table], ...] = (*EFFECT_MODELS.values(), Option, BandRow, RandomRow)
for _model in _MODELS:
    _model.model_rebuild()


def walk(value: Any, place: Place = ()) -> Iterator[tuple[Place, EffectTable]]:
    """Every effect in a table, tuple or effect, also those inside of effects, the outer ones first, each with its place."""
    if isinstance(value, EffectTable):
        yield place, value
    if isinstance(value, Table):
        for name in type(value).model_fields:
            yield from walk(getattr(value, name), (*place, name))
    elif isinstance(value, tuple):
        for position, item in enumerate(value):
            yield from walk(item, (*place, position))
