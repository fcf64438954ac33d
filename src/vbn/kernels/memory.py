"""What LLVM has to be told about memory: fetch rows that a loop will read soon."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_LINE, _LINES = 64, 4  # bytes per line of the cache, and lines fetched per row: 64 dimensions in float32
AHEAD = 24
"""Number of cells between the current one and the one that is fetched."""


@intrinsic
def _prefetch_row(_, array, row):
    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        found = make_array(kind)(context, builder, arguments[0])
        byte, word, number = ir.IntType(8), ir.IntType(64), ir.IntType(32)
        at = builder.mul(
            builder.extract_value(found.strides, 0),
            context.cast(builder, arguments[1], signature.args[1], types.int64),
        )
        start = builder.gep(builder.bitcast(found.data, byte.as_pointer()), [at])
        function = builder.module.declare_intrinsic(
            "llvm.prefetch",
            [byte.as_pointer()],
            ir.FunctionType(ir.VoidType(), [byte.as_pointer(), number, number, number]),
        )
        for line in range(_LINES):
            place = builder.gep(start, [word(line * _LINE)])
            builder.call(function, [place, number(0), number(2), number(1)])  # to read, into the second level, data
        return context.get_dummy_value()

    return types.void(array, row), generate


prefetch_row: Any = _prefetch_row
"""Fetch the first lines of a row of a 2-D array into the cache: prefetch_row(array, row)."""
