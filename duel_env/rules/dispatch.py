"""Functions whose implementation is chosen by the type of their first argument, compiled or not.

Loops over many duels are written once. Which ruleset, and whether its kernel or its transition table is used, is decided by
Numba while it compiles, from the record type or the named-tuple class of the first argument: no closures (which would never hit
Numba's cache), no function pointers, and no copies of the loops.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

_implementations: dict[tuple[str, Any], Callable[..., Any]] = {}


def _key_of_type(first: types.Type) -> Any:
    if isinstance(first, types.Record):
        return first
    if isinstance(first, types.Array) and isinstance(first.dtype, types.Record):
        return first.dtype
    return getattr(first, "instance_class", None)


def _key_of_value(first: Any) -> Any:
    dtype = getattr(first, "dtype", None)
    return type(first) if dtype is None else numba.from_dtype(dtype)


def dispatched(stub: Callable[..., Any]) -> Callable[..., Any]:
    """Make `stub` (a signature and a docstring) a function that calls the implementation registered for its first argument."""
    name = stub.__name__

    @functools.wraps(stub)
    def call(*arguments: Any) -> Any:
        return _implementations[name, _key_of_value(arguments[0])](*arguments)

    def choose(*argument_types: types.Type) -> Callable[..., Any] | None:
        found = _implementations.get((name, _key_of_type(argument_types[0])))
        return getattr(found, "py_func", found)

    choose.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]
    overload(call, jit_options={"error_model": "python", "nogil": True, "_nrt": False, "forceinline": True}, strict=True)(choose)
    return call


def implement(first: np.dtype[Any] | type, **functions: Callable[..., Any]) -> None:
    """Register implementations, by the stub's name, for first arguments that are records of a dtype or of a named-tuple class.

    The argument names must be those of the stub.
    """
    key = numba.from_dtype(first) if isinstance(first, np.dtype) else first
    for name, function in functions.items():
        _implementations[name, key] = function
