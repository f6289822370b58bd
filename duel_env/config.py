"""Strict settings: TOML files and keyword arguments become checked, immutable models, or a `ConfigError` that says what to write."""

import difflib
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from duel_env.errors import ConfigError


class Settings(BaseModel):
    """Base of all settings: immutable, no unknown keys, no silent conversions but int to float."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


S = TypeVar("S", bound=Settings)


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file.

    Raises:
        ConfigError: the file cannot be read, or is not TOML; the message names the file and the place.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


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
        lines = [_explain(model, problem) for problem in error.errors(include_url=False)]
        raise ConfigError(f"{where}: " + "; ".join(lines)) from error


def _explain(model: type[BaseModel], problem: Any) -> str:
    path = ".".join(str(part) for part in problem["loc"]) or "(all)"
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
    shown = repr(problem.get("input"))
    return f"{path} = {shown[:80]}: {message[0].lower()}{message[1:]}"


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
