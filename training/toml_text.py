"""Settings as TOML text. The standard library reads TOML but does not write it, nor does it limit what it reads."""

import json
import re
import tomllib
from typing import Any

from duel_env.errors import ConfigError

_MAX_DEPTH = 32
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(values: dict[str, Any]) -> str:
    """The text of a table: `tomllib.loads` of it gives equal values.

    Args:
        values: nested dicts and lists of strings, booleans, integers and finite floats. Dicts within lists become inline tables.

    Raises:
        TypeError: a value that TOML does not know, such as None.
    """
    return "\n".join(_table(values, ())).strip() + "\n"


def parse_value(text: str) -> Any:
    """A TOML value as it is written on the command line; what is none is text, so that it needs no quotes.

    Raises:
        ConfigError: an integer of more than 64 bits, or tables and arrays within each other beyond any use.
    """
    try:
        parsed = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    except (ValueError, RecursionError) as error:  # an integer of thousands of digits; thousands of brackets
        raise _beyond_limits(text) from error
    if set(parsed) != {"value"}:
        return text
    check_limits(parsed["value"], text)
    return parsed["value"]


def check_limits(value: Any, where: str) -> None:
    """Refuse what Python reads and then cannot handle, hexadecimal integers of thousands of digits among it.

    Raises:
        ConfigError: `where`, and the limits.
    """
    level, depth = [value], 0
    while level:
        if depth > _MAX_DEPTH or any(isinstance(item, int) and item.bit_length() > 64 for item in level):
            raise _beyond_limits(where)
        level = [inner for item in level for inner in _items(item)]
        depth += 1


def _items(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def _beyond_limits(text: str) -> ConfigError:
    return ConfigError(f"{shortened(text)}: expected integers of at most 64 bits, nested at most {_MAX_DEPTH} deep")


def shortened(text: str) -> str:
    """A text for a message, cut off where it is longer than anybody reads."""
    return text if len(text) <= 100 else f"{text[:80]}... ({len(text):,} characters)"


def _table(values: dict[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = [f"\n[{'.'.join(_key(part) for part in path)}]"] if path else []
    lines += [f"{_key(key)} = {_value(value)}" for key, value in values.items() if not isinstance(value, dict)]
    for key, value in values.items():
        if isinstance(value, dict):
            lines += _table(value, (*path, key))
    return lines


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _string(value: str) -> str:
    # JSON's escapes are TOML's too, but for the one control character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(item)}' for key, item in value.items())}}}"
    raise TypeError(f"TOML has no {type(value).__name__}: {value!r}")
