"""The effects of spells that hold no other effects, and what all effects share. See `effects`."""

from math import isclose
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, cast

from pydantic import Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from duel_env.rules.pathfinder.classes import Save
from duel_env.rules.pathfinder.fields import (
    AbilityOrChoice,
    Cost,
    Count,
    Energy,
    Formula,
    Id,
    Rounds,
    SaveOrNone,
    SignedFormula,
    Table,
    Versus,
)

Place: TypeAlias = tuple[str | int, ...]
"""Keys and positions that lead to an entry."""

Percent = Annotated[int, Field(ge=1, le=100)]
_Ids = Annotated[tuple[Id, ...], Field(min_length=1, strict=False)]


def refused(model: str, place: Place, value: Any, message: str) -> ValidationError:
    """An error that names the field inside a table at which something is wrong."""
    kind = PydanticCustomError("refused", cast(Any, "{text}"), {"text": message})
    details: InitErrorDetails = {"type": kind, "loc": place, "input": value}
    return ValidationError.from_exception_data(model, [details])


class EffectTable(Table):
    """What all effects share."""

    to: Literal["target", "self"] = "target"
    """Whom it concerns: the target of the spell, or its caster."""
    on_save: Literal["none", "half", "full", "only"] | None = None
    """After a successful save: nothing, half, all of it; or it happens only then. Nothing here where there is no save."""


class Repeat(Table):
    """The effect comes back on later turns."""

    rounds: Rounds
    """How often, after the first time."""
    amount: Formula | None = None
    """Each time; nothing: what the effect says."""
    start: Literal["next_turn", "next_caster_turn"]
    """On whose turns: the target's or the caster's."""
    save: SaveOrNone
    """Against each time."""
    save_ends: bool = False
    """Whether a successful save ends it."""


class TempHpGain(Table):
    """The caster gains the damage dealt as temporary hit points."""

    rounds: Rounds
    cap: Literal["target_hp+target_con"]
    """Never more than the target's hit points and Constitution together, what is needed to kill it."""


class Share(Table):
    """A part of the damage."""

    type: Literal["acid", "cold", "electricity", "fire", "sonic", "divine"]
    share: Annotated[float, Field(gt=0, lt=1)]


class DamageEffect(EffectTable):
    """Loss of hit points."""

    kind: Literal["damage"]
    amount: Formula
    type: Literal[
        "acid",
        "cold",
        "electricity",
        "fire",
        "sonic",
        "force",
        "negative",
        "bludgeoning",
        "untyped",
        "fire_or_cold",
        "choice",
        "split",
    ]
    """`fire_or_cold`: as the chosen shield; `choice`: one of `choices`; `split`: the parts of `split`."""
    choices: Annotated[tuple[Energy, ...], Field(strict=False)] = ()
    """Chosen from when the spell is cast."""
    split: Annotated[tuple[Share, ...], Field(strict=False)] = ()
    """Parts, together 1."""
    hits: Formula | None = None
    """Instances, each with its own roll of `amount`; nothing: one."""
    separate_saves: bool = False
    """A save for each instance."""
    nonlethal: bool = False
    min_hp_left: Count | None = None
    """Hit points that the target keeps."""
    kill_at_zero: bool = False
    """A target at 0 hit points or less is dead."""
    on_miss: bool = False
    """Dealt also where the attack roll misses."""
    save_penalty_on_hit: Annotated[int, Field(ge=-20, le=0)] | None = None
    """Added to the save of a target that was hit."""
    gain_temp_hp: TempHpGain | None = None
    delay: Literal["target_next_turn"] | None = None
    """When it is dealt, if not at once."""
    extra_save: Save | None = None
    """A further save, against the delayed damage."""
    returns_at_end: bool = False
    """The hit points come back when the spell ends."""
    repeat: Repeat | None = None

    @model_validator(mode="after")
    def _type_fits(self) -> Self:
        if (self.type == "choice") != bool(self.choices):
            raise refused("damage", ("choices",), list(self.choices), 'belongs to type "choice", and only to it')
        if (self.type == "split") != bool(self.split):
            raise refused("damage", ("split",), len(self.split), 'belongs to type "split", and only to it')
        if self.split and not isclose(sum(part.share for part in self.split), 1):
            raise refused("damage", ("split",), [part.share for part in self.split], "the shares must add up to 1")
        return self


class HealEffect(EffectTable):
    """Hit points come back."""

    kind: Literal["heal"]
    amount: Formula


class TempHpEffect(EffectTable):
    """Temporary hit points, for the spell's duration; they go first."""

    kind: Literal["temp_hp"]
    amount: Formula


class RemoveEffect(EffectTable):
    """Conditions end."""

    kind: Literal["remove"]
    conditions: _Ids
    """Conditions; also `zone`, `cursed` (every curse), `ability_damage`, `diseased`, `poisoned`."""
    check: Literal["none", "new_save", "curse_dc"] = "none"
    """What it takes: nothing, a new save of the target, or a caster level check (d20 + CL) against the DC of the curse."""
    save_bonus: Annotated[int, Field(ge=0, le=20)] = 0
    """Added to the new save."""
    suppress_only: bool = False
    """They are away for the spell's duration only."""
    ends_turn: bool = False
    """The caster can do no more in this turn."""


class ModifierEffect(EffectTable):
    """A number is added to rolls or defences of the target."""

    kind: Literal["modifier"]
    stat: Literal[
        "ac",
        "attack",
        "save_all",
        "save_fort",
        "save_ref",
        "save_will",
        "skill_all",
        "ability_checks",
        "any_one_roll",
        "attack_or_save_or_opposed_check_or_ac",
        "spell_resistance",
        "dr",
        "own_spell_failure",
        "ability_str",
        "ability_dex",
        "ability_con",
        "ability_int",
        "ability_wis",
        "ability_cha",
    ]
    value: SignedFormula
    bonus_type: Literal[
        "armor",
        "shield",
        "deflection",
        "dodge",
        "morale",
        "luck",
        "insight",
        "resistance",
        "enhancement",
        "competence",
        "untyped",
        "penalty",
        "set",
        "percent",
    ]
    """Of one type the highest counts, but dodge, untyped and penalty add up. armor and shield do not count for touch AC."""
    rounds: Rounds
    vs: Versus | None = None
    """Only against this."""
    uses: Formula | None = None
    """Ends after so many uses."""
    pool: Formula | None = None
    """Ends when it has prevented so much (dr)."""
    bypass: Literal["adamantine"] | None = None
    """What it does not help against (dr)."""
    grants_save: bool = False
    """A save also where the spell allows none."""


class AbilityEffect(EffectTable):
    """An ability score falls."""

    kind: Literal["ability"]
    ability: Annotated[tuple[AbilityOrChoice, ...], Field(min_length=1, strict=False)]
    """Which ones; `choice`: one that the caster chooses."""
    mode: Literal["damage", "drain", "penalty"]
    amount: Formula
    rounds: Rounds | None = None
    """Of a penalty."""
    min_score: Count | None = None
    """The score does not fall lower."""
    at_zero: Id | None = None
    """The condition at a score of 0."""
    repeat: Repeat | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_ability(cls, values: Any) -> Any:
        if isinstance(values, dict) and isinstance(values.get("ability"), str):
            return {**values, "ability": [values["ability"]]}
        return values

    @model_validator(mode="after")
    def _choice_alone(self) -> Self:
        if len(set(self.ability)) != len(self.ability) or ("choice" in self.ability and len(self.ability) > 1):
            raise refused(
                "ability", ("ability",), list(self.ability), "expected one ability, several different ones, or choice alone"
            )
        if (self.mode == "penalty") != (self.rounds is not None):
            raise refused("ability", ("rounds",), str(self.rounds), "belongs to mode penalty, and only to it")
        return self


class NegativeLevelsEffect(EffectTable):
    """Negative levels: each -1 to d20 rolls and caster level, and 5 hit points."""

    kind: Literal["negative_levels"]
    amount: Formula
    rounds: Rounds


class ReducedMiss(Table):
    """A smaller chance for an attacker with a sense."""

    sense: Literal["see_invisible", "true_seeing"]
    percent: Percent


class MissChanceEffect(EffectTable):
    """Attacks or spells against the target fail with some probability."""

    kind: Literal["miss_chance"]
    percent: Percent
    vs: Literal["attacks", "ranged_attacks", "targeted_spells"]
    rounds: Rounds
    pierced_by: Annotated[
        tuple[Literal["true_seeing", "outlined", "see_invisible_and_strike_ethereal"], ...], Field(strict=False)
    ] = ()
    """What does away with it."""
    reduced_by: Annotated[tuple[ReducedMiss, ...], Field(strict=False)] = ()


class ImagesEffect(EffectTable):
    """Images that are hit instead of the target."""

    kind: Literal["images"]
    count: Formula
    rounds: Rounds


class EnergyWardEffect(EffectTable):
    """Protection from energy."""

    kind: Literal["energy_ward"]
    mode: Literal["resist", "absorb", "half", "half_area"]
    """`amount` less of each instance; a pool of `amount`; half the damage; half the damage of areas."""
    energy: Energy | Literal["choice", "all"]
    amount: Formula | None = None
    """For `resist` and `absorb`."""
    rounds: Rounds
    evasion_on_save: bool = False
    """No damage at all after a save that would halve it."""

    @model_validator(mode="after")
    def _amount_where_due(self) -> Self:
        if (self.mode in ("resist", "absorb")) != (self.amount is not None):
            raise refused("energy_ward", ("amount",), str(self.amount), "belongs to mode resist or absorb, and only to them")
        return self


_WARD_FIELDS: Final = {
    "max_level": {"value"},
    "named": {"spells"},
    "named_choice": {"count", "value"},
    "turn": {"value"},
    "antimagic": set[str](),
}


class SpellWardEffect(EffectTable):
    """Spells do not reach the target."""

    kind: Literal["spell_ward"]
    mode: Literal["max_level", "named", "named_choice", "turn", "antimagic"]
    """Spells up to level `value`; the `spells`; `count` spells up to level `value`, named when it is cast; `value` levels of spells turned
    back; all magic."""
    value: Formula | None = None
    count: Formula | None = None
    spells: Annotated[tuple[Id, ...], Field(strict=False)] = ()
    needs_sr: bool = False
    """Only spells that spell resistance concerns."""
    rounds: Rounds

    @model_validator(mode="after")
    def _fields_of_mode(self) -> Self:
        due = _WARD_FIELDS[self.mode]
        for name in ("value", "count", "spells"):
            given = getattr(self, name) not in (None, ())
            if given != (name in due):
                text = "belongs to" if given else "is needed with"
                modes = [mode for mode, fields in _WARD_FIELDS.items() if name in fields]
                raise refused("spell_ward", (name,), self.mode, f"{name} {text} mode {', '.join(modes) if given else self.mode}")
        return self


class ImmunityEffect(EffectTable):
    """Something does not touch the target."""

    kind: Literal["immunity"]
    immune_to: _Ids
    """Conditions; also `mental_control`, `zone_movement`, `negative_levels`, `negative_damage`, `fear`."""
    rounds: Rounds
    vs: Versus | None = None
    """Only from this source."""


class DispelEffect(EffectTable):
    """Ongoing spells of the target end."""

    kind: Literal["dispel"]
    mode: Literal["targeted_one", "targeted_many", "all"]
    check: Literal["caster_level", "auto"]
    """d20 + CL against 11 + the caster level of each spell; or none needed."""
    max: Literal["all"] | Formula
    """Spells that can be ended."""
    counter_bonus: Annotated[int, Field(ge=0, le=20)] = 0
    """Added to the check where it counters a spell being cast."""


class SenseEffect(EffectTable):
    """The target perceives more."""

    kind: Literal["sense"]
    sense: Literal["see_invisible", "true_seeing", "purge_invisible", "ignore_concealment"]
    rounds: Rounds
    uses: Formula | None = None


class Negation(Table):
    """How uses are taken away."""

    action: Cost
    per_use: Annotated[int, Field(ge=1, le=9)]
    """Uses that go for each such action."""


class RerollEffect(EffectTable):
    """The next d20 rolls are made twice."""

    kind: Literal["reroll"]
    mode: Literal["worst"]
    """Which one counts."""
    rolls: Formula
    rounds: Rounds
    negate: Negation | None = None


class ExtraTurnsEffect(EffectTable):
    """The caster takes turns alone."""

    kind: Literal["extra_turns"]
    turns: Formula
    restriction: Literal["cannot_affect_opponent"] | None = None


class TouchDeliveryEffect(EffectTable):
    """Touch spells reach over a distance."""

    kind: Literal["touch_delivery"]
    max_spell_level: Annotated[int, Field(ge=0, le=9)]
    attack_bonus: Annotated[int, Field(ge=0, le=20)]
    rounds: Rounds
