"""The settings of a ruleset as OpenSpiel's game parameters, which are whole numbers, truth values and text without commas.

A list or table is JSON in which ; stands for , and what OpenSpiel's own syntax needs is percent-encoded: `skills=[60;50]`.
"""

import json
from types import NoneType
from typing import Any, get_args
from urllib.parse import quote, unquote

from pydantic.fields import FieldInfo

from duel_env.config import Settings
from duel_env.game import Ruleset

Parameter = bool | int | str
NONE = -1
"""Stands for no value where a setting is a whole number or nothing."""
_OF_JSON = "[]{}\":,'"


def parameter_specification(ruleset: Ruleset) -> dict[str, Parameter]:
    """Every setting of a ruleset with its default as a parameter; text "" for a default that is not short."""
    return {name: _default(field) for name, field in _fields(ruleset).items()}


def settings_from_parameters(ruleset: Ruleset, parameters: dict[str, Any]) -> dict[str, Any]:
    """The settings that parameters stand for, unchecked; those at their default are left out."""
    defaults = parameter_specification(ruleset)
    fields = _fields(ruleset)
    return {
        name: _decode(value, fields.get(name))
        for name, value in parameters.items()
        if name not in defaults or value != defaults[name] or type(value) is not type(defaults[name])
    }


def parameters_from_settings(ruleset: Ruleset, *settings: Settings) -> dict[str, Parameter]:
    """The parameters of checked options and set-up; those at their default are left out."""
    found = {}
    fields = _fields(ruleset)
    for model in settings:
        for name, value in model.model_dump(mode="json").items():
            if getattr(model, name) != fields[name].get_default(call_default_factory=True):
                found[name] = _encode(value, fields[name])
    return found


def _fields(ruleset: Ruleset) -> dict[str, FieldInfo]:
    return {**ruleset.setup_model.model_fields, **ruleset.options_model.model_fields}


def _default(field: FieldInfo) -> Parameter:
    return "" if field.default_factory else _encode(field.default, field)


def _is_number_or_nothing(field: FieldInfo) -> bool:
    kinds = get_args(field.annotation)
    values = [value for kind in kinds for value in get_args(kind) or [kind]]
    return NoneType in values and all(value in (int, NoneType) or type(value) is int for value in values)


def _encode(value: Any, field: FieldInfo) -> Parameter:
    if value is None and _is_number_or_nothing(field):
        return NONE
    if isinstance(value, bool | int):
        return value
    text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return quote(text, safe=_OF_JSON).replace(",", ";")


def _decode(value: Any, field: FieldInfo | None) -> Any:
    if field is not None and value == NONE and _is_number_or_nothing(field):
        return None
    if not isinstance(value, str):
        return value
    text = unquote(value.replace(";", ","))
    try:
        return json.loads(text)
    except ValueError:  # a name, or a path: those are not quoted
        return text
