"""Copies of short runs of array items, eight at a time.

A plain loop over a dozen items is what most of a batch step would otherwise consist of: compilers unroll it for long runs and
send short ones through the scalar remainder.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from duel_env.rules.jit import inline_kernel

CHUNK = 8


def _copy_chunk(destination: Any, destination_start: int, source: Any, source_start: int) -> None:
    """Uncompiled stand-in for the intrinsic below."""
    flat = destination.reshape(-1)
    flat[destination_start : destination_start + CHUNK] = source.reshape(-1)[source_start : source_start + CHUNK]


if not numba.config.DISABLE_JIT:

    @intrinsic
    def _copy_chunk(typing_context, destination, destination_start, source, source_start):
        """Copy CHUNK items between C-contiguous arrays of one dtype, from one flat index to another; may overlap no array's end."""

        def generate(context, builder, signature, arguments):
            vector = ir.VectorType(context.get_data_type(destination.dtype), CHUNK).as_pointer()

            def pointer(array_type, array, start):
                data = context.make_array(array_type)(context, builder, array).data
                return builder.bitcast(builder.gep(data, [start]), vector)

            into = pointer(destination, arguments[0], arguments[1])
            items = builder.load(pointer(source, arguments[2], arguments[3]), align=1)
            builder.store(items, into, align=1)
            return context.get_dummy_value()

        return types.void(destination, types.intp, source, types.intp), generate


@inline_kernel
def copy_items(destination, destination_start, source, source_start, count):
    """Copy `count` items between C-contiguous arrays of one dtype, from one flat index to another. The arrays must not overlap.

    Mutates:
        destination.
    """
    if count >= CHUNK:
        done = 0
        while done + CHUNK <= count:
            _copy_chunk(destination, destination_start + done, source, source_start + done)
            done += CHUNK
        if done < count:  # the last chunk overlaps the one before
            _copy_chunk(destination, destination_start + count - CHUNK, source, source_start + count - CHUNK)
    else:
        for k in range(count):
            destination.flat[destination_start + k] = source.flat[source_start + k]
