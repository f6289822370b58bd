"""What the columns of the spell data have in common: strict tables with help for misspelt keys, amounts, rounds, enumerations."""

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, cast, get_args

from pydantic import AfterValidator, Field, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError, core_schema

from duel_env.config import Settings
from duel_env.errors import ConfigError
from duel_env.rules.pathfinder.expressions import VARIABLES, Expression

CASTER_LEVELS: Final = range(1, 21)
"""Caster levels at which every amount of the data must make sense."""
_SPELL_LEVELS: Final = (0, 9)
_MODIFIERS: Final = (0, 30)
_ATTACKS: Final = (0, 20)

AbilityOrChoice = Literal["str", "dex", "con", "int", "wis", "cha", "choice"]
SaveOrNone = Literal["none", "fort", "ref", "will"]
Attack = Literal["none", "ranged_touch", "melee_touch"]
Energy = Literal["acid", "cold", "electricity", "fire", "sonic"]
Versus = Literal["fear", "death", "mind_affecting", "spells", "evil_opponent", "cannot_see_invisible"]
Cost = Literal["none", "free", "swift", "move", "standard", "full_round"]
EndingEvent = Literal["damaged", "hostile_act_by_subject", "hostile_act_by_caster"]

_ID = re.compile(r"[a-z][a-z0-9_]{0,39}")


def _identifier(text: str) -> str:
    if not _ID.fullmatch(text):
        raise ValueError("an id is lower-case letters, digits and _, begins with a letter, and has 40 characters at most")
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("control characters are not accepted")
    return text


Id = Annotated[str, AfterValidator(_identifier)]
"""What programs call something."""
Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_printable)]
"""What people call something."""
Text = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(_printable)]
"""A sentence or a place in a book."""
Count = Annotated[int, Field(ge=0, le=10_000)]


class Table(Settings):
    """Base of the tables in spell files: an unknown key is answered with the key that was probably meant."""

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        allowed = sorted(cls.model_fields)
        unknown = [key for key in values if key not in cls.model_fields]
        if not unknown:
            return values
        problems: list[InitErrorDetails] = []
        for key in unknown:
            near = difflib.get_close_matches(str(key), allowed, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            message = f"unknown key{hint}; allowed: {', '.join(allowed)}"
            problems.append(
                {
                    "type": PydanticCustomError("unknown_key", cast(Any, "{text}"), {"text": message}),
                    "loc": (key,),
                    "input": values[key],
                }
            )
        raise ValidationError.from_exception_data(cls.__name__, problems)


@lru_cache(maxsize=4096)
def _computable(expression: Expression) -> Expression:
    """Refuse what kernels could not compute, at any level."""
    for caster_level in CASTER_LEVELS:
        for spell_level in _SPELL_LEVELS if "SL" in expression.variables else _SPELL_LEVELS[:1]:
            expression.normal_form(caster_level, spell_level)
    return expression


@lru_cache(maxsize=4096)
def _not_negative(expression: Expression) -> Expression:
    for caster_level in CASTER_LEVELS:
        low, _ = expression.bounds({"CL": caster_level, "MOD": _MODIFIERS, "BAB": _ATTACKS, "SL": _SPELL_LEVELS})
        if low < 0:
            raise ConfigError(f"can be {low} at caster level {caster_level}, but must be 0 or more at each from 1 to 20")
    return expression


SignedFormula = Annotated[Expression, AfterValidator(_computable)]
"""An expression, or a whole number, that may be negative."""
Formula = Annotated[Expression, AfterValidator(_computable), AfterValidator(_not_negative)]
"""An expression, or a whole number, that is 0 or more."""

RoundsKind = Literal["amount", "spell", "permanent", "until_free", "until_stand", "until_healed", "while_in_zone_plus"]
_AFTER_ZONE: Final = "while_in_zone_plus:"
_WITH_AMOUNT: Final = ("amount", "while_in_zone_plus")
_KEYWORDS: Final = tuple(kind for kind in get_args(RoundsKind) if kind not in _WITH_AMOUNT)


def _length(value: Any) -> Expression:
    return _not_negative(_computable(Expression.of(value)))


@dataclass(frozen=True)
class Rounds:
    """How long something lasts. In a file: a number of rounds, an expression, a keyword, or `while_in_zone_plus:` and an expression."""

    kind: RoundsKind
    """`spell`: like the spell; `until_free`: until an escape succeeds; `while_in_zone_plus`: in the spell's zone and some rounds longer."""
    amount: Expression | None = None
    """Rounds, for the kinds `amount` and `while_in_zone_plus`."""

    def __str__(self) -> str:
        if self.amount is None:
            return self.kind
        return f"{_AFTER_ZONE}{self.amount}" if self.kind == "while_in_zone_plus" else str(self.amount)

    @classmethod
    def of(cls, value: Any) -> "Rounds":
        """Rounds from what a file may hold in their place.

        Raises:
            ConfigError: says what is not accepted.
        """
        if isinstance(value, Rounds):
            return value
        text = value.strip() if isinstance(value, str) else ""
        if text in _KEYWORDS:
            return cls(cast(RoundsKind, text))
        if text.startswith(_AFTER_ZONE):
            return cls("while_in_zone_plus", _length(text.removeprefix(_AFTER_ZONE)))
        if text.isidentifier() and text not in VARIABLES:
            near = difflib.get_close_matches(text, _KEYWORDS, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise ConfigError(
                f"no keyword{hint}; accepted: {', '.join(_KEYWORDS)}, {_AFTER_ZONE}EXPR, or an expression such as 10*CL"
            )
        return cls("amount", _length(value))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A field of this type takes what the class describes; it is written back as text."""
        return core_schema.no_info_plain_validator_function(
            cls.of,
            json_schema_input_schema=core_schema.union_schema([core_schema.str_schema(), core_schema.int_schema()]),
            serialization=core_schema.to_string_ser_schema(),
        )
