"""Packed records as JSON values and back."""

from typing import Any

import numpy as np

from duel_env.errors import SchemaError


def record_to_json(record: Any) -> dict[str, Any]:
    """A record as an object: field -> integer or list of integers. Reserved fields are left out."""
    return {name: record[name].tolist() for name in record.dtype.names if name != "reserved"}


def record_from_json(dtype: np.dtype[Any], value: Any, where: str) -> Any:
    """The record that `record_to_json` wrote.

    Args:
        dtype: of the record.
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
        record[name] = _integers(dtype[name], value[name], f"{where}.{name}")
    return record


def _integers(field: np.dtype[Any], value: Any, where: str) -> Any:
    items = value if field.shape else [value]
    length = field.shape[0] if field.shape else 1
    if not isinstance(items, list) or len(items) != length:
        raise SchemaError(f"{where}: expected {'a list of ' + str(length) + ' integers' if field.shape else 'an integer'}")
    limits = np.iinfo(field.base)
    for item in items:
        if not isinstance(item, int) or isinstance(item, bool) or not limits.min <= item <= limits.max:
            raise SchemaError(f"{where} = {item!r}: expected an integer from {limits.min} to {limits.max}")
    return value
