"""Strict settings: TOML files and keyword arguments become checked, immutable models, or a `ConfigError` that says what to write."""

import difflib
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo

from duel_env.errors import ConfigError, SchemaError
from duel_env.files import read_limited

_MAX_TOML_BYTES = 4 * 1024 * 1024
_SHOWN = 80


class Settings(BaseModel):
    """Base of all settings: immutable, no unknown keys, no silent conversions but int to float and from NumPy's scalars."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _plain_scalars(cls, values: Any) -> Any:
        if isinstance(values, dict):
            return {key: value.item() if isinstance(value, np.generic) else value for key, value in values.items()}
        return values


S = TypeVar("S", bound=Settings)


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file.

    Raises:
        ConfigError: the file cannot be read, or is not TOML; the message names the file and the place.
    """
    try:
        return tomllib.loads(read_limited(path, _MAX_TOML_BYTES).decode("utf-8"))
    except SchemaError as error:
        raise ConfigError(str(error)) from error
    except (ValueError, RecursionError) as error:  # TOML and UTF-8 errors, numbers of thousands of digits, endless nesting
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def shown(value: Any) -> str:
    """A name or value from outside, fit for a message: nothing in it can move the cursor, and it is not long."""
    try:
        text = value if isinstance(value, str) and value.isprintable() and value else repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or endless nesting
        text = f"{type(value).__name__} too large to show"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def load(model: type[S], values: dict[str, Any], where: str) -> S:
    """Check `values` against a model.

    Args:
        model: the kind of settings.
        values: as from TOML or keyword arguments.
        where: what the values are, for the message: a file name or a call.

    Raises:
        ConfigError: every problem on a line of its own, with the key, the value and what is accepted.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        lines = [_explain(model, problem) for problem in problems if not _is_echo(problem, problems)]
        raise ConfigError(f"{where}: " + "; ".join(lines)) from error


def _is_echo(problem: Any, problems: list[Any]) -> bool:
    """Whether a list is only called too short because its entries were refused."""
    place = problem["loc"]
    return problem["type"] == "too_short" and any(
        len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in problems
    )


def _explain(model: type[BaseModel], problem: Any) -> str:
    if not problem["loc"]:
        return str(problem["msg"]).removeprefix("Value error, ")
    path = ".".join(shown(part) if isinstance(part, str) else str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        owner = _model_at(model, problem["loc"][:-1])
        allowed = sorted(owner.model_fields) if owner else []
        key = str(problem["loc"][-1])
        near = difflib.get_close_matches(key, allowed, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        return f"unknown key {path}{hint}; allowed: {', '.join(allowed)}"
    if problem["type"] == "missing":
        return f"missing key {path}"
    message = problem["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    given = shown(problem.get("input")) if not isinstance(problem.get("input"), str) else repr(problem["input"])[:_SHOWN]
    return f"{path} = {given}: {message[0].lower()}{message[1:]}"


def _model_at(model: type[BaseModel], path: tuple[Any, ...]) -> type[BaseModel] | None:
    """The model of the table at `path`, through nested models and sequences of models."""
    current: Any = model
    for part in path:
        if isinstance(part, int):
            continue
        field: FieldInfo | None = getattr(current, "model_fields", {}).get(part)
        current = _first_model(field.annotation) if field else None
        if current is None:
            return None
    return current  # type: ignore[no-any-return]


def _first_model(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _first_model(argument)
        if found is not None:
            return found
    return None
