"""Settings as TOML text. The standard library reads TOML but does not write it."""

import json
import re
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def to_toml(values: dict[str, Any]) -> str:
    """The text of a table: `tomllib.loads` of it gives equal values.

    Args:
        values: nested dicts and lists of strings, booleans, integers and finite floats. Dicts within lists become inline tables.

    Raises:
        TypeError: a value that TOML does not know, such as None.
    """
    return "\n".join(_table(values, ())).strip() + "\n"


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
