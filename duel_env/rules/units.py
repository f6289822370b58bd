"""Kernels that are compiled once and called by their address.

Numba compiles a kernel together with all that it calls, and anew for each of its callers: in a deep tree of calls that takes minutes.
A unit has one signature and is compiled by itself, when its module is imported (from the cache, but for the first time); its callers
refer to it by name and are linked with it when they are loaded. Use it where a tree of calls would otherwise be compiled from many
places: a call costs some nanoseconds more, and nothing is inlined.

Uncompiled, a unit is the function itself.
"""

import functools
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from llvmlite import binding
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from duel_env.rules.jit import Kernel, kernel

NUMBER: Final = types.int64
"""An integer argument."""
MASK: Final = types.Array(types.int8, 1, "C")
"""An int8 array that the unit writes."""
FEATURES: Final = types.Array(types.float32, 1, "C")
"""A float32 array that the unit writes."""


def records(dtype: np.dtype[Any]) -> types.Type:
    """The type of an argument that is an array of records, which the unit only reads."""
    return types.Array(numba.from_dtype(dtype), 1, "C", readonly=True, aligned=False)


def unit(*argument_types: Any) -> Callable[[Kernel], Kernel]:
    """Make a function a unit.

    Args:
        argument_types: of each argument: the dtype of a record, NUMBER, or one of the array types above. Integers of other sizes are
            converted.

    A unit cannot call itself, and all that it calls stands before it: it is compiled as soon as it is defined.
    """
    expected = tuple(numba.from_dtype(given) if isinstance(given, np.dtype) else given for given in argument_types)

    def make(function: Kernel) -> Kernel:
        if numba.config.DISABLE_JIT:
            return function
        compiled: Any = kernel(function)
        compiled.compile(expected)
        result = compiled.overloads[expected]
        symbol = f"unit.{function.__module__}.{function.__name__}"
        binding.add_symbol(symbol, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))

        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            return compiled(*arguments)

        _teach(call, expected, result.signature.return_type, symbol)
        return call

    return make


def _teach(call: Kernel, expected: tuple[types.Type, ...], returns: types.Type, symbol: str) -> None:
    """Teach the compiler to call a unit by its symbol instead of compiling it into the caller."""

    class Template(AbstractTemplate):  # type: ignore[misc]  # Numba is untyped here
        key = call

        def generic(self, args: Any, kws: Any) -> Any:
            return signature(returns, *expected) if len(args) == len(expected) and not kws else None

    infer_global(call, types.Function(Template))

    @lower_builtin(call, *expected)  # type: ignore[untyped-decorator]
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function_type = context.call_conv.get_function_type(returns, expected)
        function = cgutils.get_or_insert_function(builder.module, function_type, symbol)
        status, result = context.call_conv.call_function(builder, function, returns, expected, args)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result
