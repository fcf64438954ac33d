"""What LLVM has to be told about memory: fetch rows that a loop will read soon, and transpose gathered rows.

Rows are transposed eight by eight in the registers of the processor. Written as a plain loop, that is one store for
every number, the costliest part of an update of an entity.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from vbn.kernels.compile import helper

_LINE, _LINES = 64, 4  # bytes per line of the cache, and lines fetched per row: 64 dimensions in float32
AHEAD = 8
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
            builder.call(function, [place, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, row), generate


prefetch_row: Any = _prefetch_row
"""Fetch the first lines of a row of a 2-D array into the cache: prefetch_row(array, row)."""


_SIDE = 8


def _exchanged(builder, vectors, step):
    """Swap the off-diagonal blocks of all tiles of size 2 * `step`; steps 1, 2 and 4 transpose the tile."""
    ints = [ir.Constant(ir.IntType(32), n) for n in range(2 * _SIDE)]
    low = [ints[_SIDE + lane - step if lane & step else lane] for lane in range(_SIDE)]
    high = [ints[_SIDE + lane if lane & step else lane + step] for lane in range(_SIDE)]
    kind = ir.VectorType(ir.IntType(32), _SIDE)
    turned = list(vectors)
    for at in range(_SIDE):
        if not at & step:
            a, b = vectors[at], vectors[at + step]
            turned[at] = builder.shuffle_vector(a, b, ir.Constant(kind, low))
            turned[at + step] = builder.shuffle_vector(a, b, ir.Constant(kind, high))
    return turned


@intrinsic
def _turn_tile(_, source, ids, start, target, d, at):
    """Set target[d + a, at + b] = source[ids[start + b], d + a] for a, b < 8."""

    def generate(context, builder, signature, arguments):
        source, ids, target = (make_array(signature.args[n])(context, builder, arguments[n]) for n in (0, 1, 3))
        start, d, at = (context.cast(builder, arguments[n], signature.args[n], types.int64) for n in (2, 4, 5))
        item = context.get_data_type(signature.args[0].dtype)
        vector, byte = ir.VectorType(item, _SIDE), ir.IntType(8)
        size = context.get_abi_sizeof(item)

        def place(array, row, column):
            offset = builder.mul(builder.extract_value(array.strides, 0), row)
            offset = builder.add(offset, builder.mul(column, column.type(size)))
            start_of = builder.gep(builder.bitcast(array.data, byte.as_pointer()), [offset])
            return builder.bitcast(start_of, vector.as_pointer())

        vectors = []
        for n in range(_SIDE):
            row = builder.load(builder.gep(ids.data, [builder.add(start, start.type(n))]))
            row = builder.sext(row, start.type) if row.type != start.type else row
            found = builder.load(place(source, row, d))
            found.align = size
            vectors.append(found)
        for step in (1, 2, 4):
            vectors = _exchanged(builder, vectors, step)
        for n, column in enumerate(vectors):
            builder.store(column, place(target, builder.add(d, d.type(n)), at), align=size)
        return context.get_dummy_value()

    return types.void(source, ids, start, target, d, at), generate


_turn: Any = _turn_tile


@helper
def turn_rows(source, ids, start, n, target):
    """Set target[d, k] = source[ids[start + k], d] for k < n and every dimension d; both arrays are in C order.

    The last tile in a direction overlaps the one before it if the length is not a multiple of 8.
    """
    t = source.shape[1]
    if n < _SIDE or t < _SIDE:
        for k in range(n):
            for d in range(t):
                target[d, k] = source[ids[start + k], d]
        return
    for pair in range((n + 2 * _SIDE - 1) // (2 * _SIDE)):  # two tiles fill whole lines of the cache
        at = min(2 * pair * _SIDE, n - _SIDE)
        beside = min(at + _SIDE, n - _SIDE)
        for part in range((t + _SIDE - 1) // _SIDE):
            d = min(part * _SIDE, t - _SIDE)
            _turn(source, ids, start + at, target, d, at)
            _turn(source, ids, start + beside, target, d, beside)
