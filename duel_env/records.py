"""Packed records as JSON values and back."""

from typing import Any

import numpy as np

from duel_env.errors import SchemaError


def record_to_json(record: Any) -> dict[str, Any]:
    """A record as an object: field -> integer, object, or list of these. Reserved fields are left out."""
    return {name: _to_json(record[name]) for name in record.dtype.names if name != "reserved"}


def _to_json(value: Any) -> Any:
    if value.dtype.names is None:
        return value.tolist()
    return [_to_json(item) for item in value] if value.shape else record_to_json(value)


def record_from_json(dtype: np.dtype[Any], value: Any, where: str) -> Any:
    """The record that `record_to_json` wrote.

    Args:
        dtype: of the record; its fields may be records and arrays of them.
        value: JSON values.
        where: what the value is, for messages.

    Raises:
        SchemaError: a field is missing, unknown, of another shape, not an integer or too large for it.
    """
    names = [name for name in dtype.names or () if name != "reserved"]
    if not isinstance(value, dict) or set(value) != set(names):
        raise SchemaError(f"{where}: expected an object with exactly the fields {', '.join(names)}")
    record = np.zeros((), dtype)
    for name in names:
        record[name] = _from_json(dtype[name], value[name], f"{where}.{name}")
    return record


def _from_json(field: np.dtype[Any], value: Any, where: str) -> Any:
    if field.shape:
        length, inner = field.shape[0], np.dtype((field.base, field.shape[1:]))
        if not isinstance(value, list) or len(value) != length:
            what = "integers" if field.base.names is None and len(field.shape) == 1 else "lists or objects"
            raise SchemaError(f"{where}: expected a list of {length} {what}")
        items = [_from_json(inner, item, f"{where}[{i}]") for i, item in enumerate(value)]
        return np.array(items, field.base)
    if field.names:
        return record_from_json(field, value, where)
    limits = np.iinfo(field)
    if not isinstance(value, int) or isinstance(value, bool) or not limits.min <= value <= limits.max:
        raise SchemaError(f"{where} = {value!r}: expected an integer from {limits.min} to {limits.max}")
    return value
