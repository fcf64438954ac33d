"""Vector code that LLVM does not find by itself: tiles of eight gathered rows by eight dimensions.

Written as plain loops, an update of an entity takes 1.3 times as long: there are sums across the lanes of a vector for
every cell, a remainder of each row, and checks for overlap before every short loop. Here they are written out in
vectors, for float32 and float64.

If the dimension is not a multiple of eight, the last tile of a row overlaps the one before. Weights by tile
are 0 where they overlap; `place` says where the weight or the sum of a dimension is. Rows of less than eight
dimensions have no tile.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from vbn.kernels.compile import helper

SIDE = 8
"""Cells and dimensions of a tile."""
SUMS = 14
"""Sums that `sum_four` writes: four pulls, four diagonal and six other products."""

# Which lanes of two rows, a step apart, become the lower one: patterns that are one instruction each.
_SWAPS = ((1, [0, 8, 1, 9, 4, 12, 5, 13]), (2, [0, 1, 8, 9, 4, 5, 12, 13]), (4, [0, 1, 2, 3, 8, 9, 10, 11]))
_ORDER = (0, 2, 1, 3, 4, 6, 5, 7)  # where these swaps leave the columns
_WORD, _BYTE = ir.IntType(64), ir.IntType(8)


class _Code:
    """Emits vector code that reads and writes the arrays of one call."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any, item: Any) -> None:
        self.builder = builder
        self.given = [
            make_array(kind)(context, builder, value)
            if isinstance(kind, types.Array)
            else context.cast(builder, value, kind, types.int64)
            for kind, value in zip(signature.args, arguments, strict=True)
        ]
        self.item = context.get_data_type(item)
        self.size = context.get_abi_sizeof(self.item)
        self.vector = ir.VectorType(self.item, SIDE)
        self.zero = ir.Constant(self.vector, [0.0] * SIDE)

    def row(self, array: Any, number: Any) -> Any:
        """Return the address of a row of a 2-D array in bytes."""
        offset = self.builder.mul(self.builder.extract_value(array.strides, 0), number)
        return self.builder.gep(self.builder.bitcast(array.data, _BYTE.as_pointer()), [offset])

    def _vector_at(self, row: Any, column: Any) -> Any:
        place = self.builder.gep(row, [self.builder.mul(column, _WORD(self.size))])
        return self.builder.bitcast(place, self.vector.as_pointer())

    def load(self, row: Any, column: Any) -> Any:
        """Return eight neighbours of a row from a column on."""
        found = self.builder.load(self._vector_at(row, column))
        found.align = self.size
        return found

    def store(self, value: Any, row: Any, column: Any) -> None:
        """Write eight neighbours of a row from a column on."""
        self.builder.store(value, self._vector_at(row, column), align=self.size)

    def start(self, array: Any) -> Any:
        """Return the address of a 1-D array in bytes."""
        return self.builder.bitcast(array.data, _BYTE.as_pointer())

    def spread(self, row: Any, column: Any, n: int) -> Any:
        """Return a vector of the number n places after a column of a row."""
        place = self.builder.gep(row, [self.builder.mul(self.builder.add(column, _WORD(n)), _WORD(self.size))])
        number = self.builder.load(self.builder.bitcast(place, self.item.as_pointer()))
        return self.filled(number)

    def filled(self, number: Any) -> Any:
        """Return a vector of one number."""
        one = self.builder.insert_element(ir.Constant(self.vector, ir.Undefined), number, ir.IntType(32)(0))
        same = ir.Constant(ir.VectorType(ir.IntType(32), SIDE), [0] * SIDE)
        return self.builder.shuffle_vector(one, ir.Constant(self.vector, ir.Undefined), same)

    def plus(self, total: Any, a: Any, b: Any) -> Any:
        """Return total + a b."""
        return self.builder.fadd(total, self.builder.fmul(a, b))

    def rows_of(self, source: Any, starts: Any, at: Any) -> list[Any]:
        """Return the addresses of eight rows, given where they start."""
        base, found = self.start(source), []
        for n in range(SIDE):
            start = self.builder.load(self.builder.gep(starts.data, [self.builder.add(at, _WORD(n))]))
            found.append(self.builder.gep(base, [start]))
        return found

    def tiles(self, source: Any) -> Any:
        """Loop over the tiles of a row: yield their place among weights by tile, and their first dimension."""
        t = self.builder.extract_value(source.shape, 1)
        return _Tiles(self.builder, t)

    def turned(self, vectors: list[Any]) -> list[Any]:
        """Return the columns of a tile that is given by row, in three steps that swap numbers of pairs of rows."""
        for step, low in _SWAPS:
            high = [lane + (4 if step == 4 else 2) for lane in low]
            found = list(vectors)
            for at in range(SIDE):
                if not at & step:
                    pair = vectors[at], vectors[at + step]
                    found[at], found[at + step] = (self._mixed(*pair, lanes) for lanes in (low, high))
            vectors = found
        return [vectors[at] for at in _ORDER]

    def _mixed(self, a: Any, b: Any, lanes: list[int]) -> Any:
        """Return some lanes of two vectors; those of the second are counted from eight."""
        return self.builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), SIDE), lanes))

    def total(self, vector: Any) -> Any:
        """Return the sum of the lanes of a vector, by halves."""
        undefined = ir.Constant(self.vector, ir.Undefined)
        for half in (4, 2, 1):
            lanes = [lane ^ half for lane in range(SIDE)]
            vector = self.builder.fadd(vector, self._mixed(vector, undefined, lanes))
        return self.builder.extract_element(vector, ir.IntType(32)(0))

    def variable(self) -> Any:
        """Return a variable that holds a vector, at first 0."""
        made = cgutils.alloca_once(self.builder, self.vector)
        self.builder.store(self.zero, made)
        return made

    def variables(self) -> list[Any]:
        """Return four of them, which add up to one sum: each addition waits for the one before."""
        return [self.variable() for _ in range(4)]

    def sum_of(self, variables: list[Any]) -> Any:
        """Return the sum of four variables."""
        a, b, c, d = map(self.builder.load, variables)
        return self.builder.fadd(self.builder.fadd(a, b), self.builder.fadd(c, d))

    def add_to(self, variable: Any, a: Any, b: Any) -> None:
        """Add a b to a variable."""
        self.builder.store(self.plus(self.builder.load(variable), a, b), variable)


class _Tiles:
    """The loop over the tiles of a row; the last one begins eight dimensions before the end."""

    def __init__(self, builder: Any, t: Any) -> None:
        self.builder, self.t = builder, t
        self._loop = cgutils.for_range(builder, builder.udiv(builder.add(t, _WORD(SIDE - 1)), _WORD(SIDE)))

    def __enter__(self) -> tuple[Any, Any]:
        part = self._loop.__enter__().index
        at, latest = self.builder.mul(part, _WORD(SIDE)), self.builder.sub(self.t, _WORD(SIDE))
        return at, self.builder.select(self.builder.icmp_signed("<", at, latest), at, latest)

    def __exit__(self, *error: Any) -> None:
        self._loop.__exit__(*error)


@intrinsic
def _turn_tiles(_, source, starts, at, target, means, squares, scores, spreads):
    def generate(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments, signature.args[0].dtype)
        source, starts, at, target, means, squares, scores, spreads = code.given
        rows = code.rows_of(source, starts, at)
        score, spread = code.variables(), code.variables()
        with code.tiles(source) as (part, d):
            for n, column in enumerate(code.turned([code.load(row, d) for row in rows])):
                code.store(column, code.row(target, builder.add(d, _WORD(n))), at)
                code.add_to(score[n % 4], code.spread(code.start(means), part, n), column)
                code.add_to(spread[n % 4], code.spread(code.start(squares), part, n), builder.fmul(column, column))
        code.store(code.sum_of(score), code.start(scores), at)
        code.store(code.sum_of(spread), code.start(spreads), at)
        return context.get_dummy_value()

    return types.void(source, starts, at, target, means, squares, scores, spreads), generate


@intrinsic
def _dot_tiles(_, source, starts, at, weights, target):
    def generate(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments, signature.args[0].dtype)
        source, starts, at, weights, target = code.given
        rows, sums = code.rows_of(source, starts, at), [code.variable() for _ in range(SIDE)]
        with code.tiles(source) as (part, d):
            weight = code.load(code.start(weights), part)
            for row, total in zip(rows, sums, strict=True):
                code.add_to(total, weight, code.load(row, d))
        found = code.turned([builder.load(total) for total in sums])
        while len(found) > 1:
            found = [builder.fadd(a, b) for a, b in zip(found[::2], found[1::2], strict=True)]
        place = code.start(target)
        code.store(builder.fadd(code.load(place, at), found[0]), place, at)
        return context.get_dummy_value()

    return types.void(source, starts, at, weights, target), generate


@intrinsic
def _add_tiles(_, source, starts, at, weights, sums):
    def generate(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments, signature.args[0].dtype)
        source, starts, at, weights, sums = code.given
        rows = code.rows_of(source, starts, at)
        weight = [code.spread(code.start(weights), at, n) for n in range(SIDE)]
        with code.tiles(source) as (part, d):
            total = code.load(code.start(sums), part)
            for row, own in zip(rows, weight, strict=True):
                total = code.plus(total, own, code.load(row, d))
            code.store(total, code.start(sums), part)
        return context.get_dummy_value()

    return types.void(source, starts, at, weights, sums), generate


@intrinsic
def _sum_four(_, block, d, before, steps, residual, slopes, n, sums):
    def generate(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments, signature.args[0].dtype)
        block, d, before, steps, residual, slopes, n, sums = code.given
        now, then = ([code.row(block, builder.add(at, _WORD(k))) for k in range(4)] for at in (d, before))
        moved = [code.spread(code.start(steps), _WORD(0), k) for k in range(4)]
        totals = [code.variable() for _ in range(SUMS)]
        with cgutils.for_range(builder, builder.udiv(n, _WORD(SIDE))) as loop:
            at = builder.mul(loop.index, _WORD(SIDE))
            change = builder.fmul(moved[0], code.load(then[0], at))
            for k in range(1, 4):
                change = code.plus(change, moved[k], code.load(then[k], at))
            slope = code.load(code.start(slopes), at)
            rest = builder.fsub(code.load(code.start(residual), at), builder.fmul(slope, change))
            code.store(rest, code.start(residual), at)
            contexts = [code.load(row, at) for row in now]
            for k, own in enumerate(contexts):
                code.add_to(totals[k], own, rest)
            place = 4
            for k, own in enumerate(contexts):
                scaled = builder.fmul(slope, own)
                for other in contexts[: k + 1]:
                    code.add_to(totals[place], scaled, other)
                    place += 1
        for k, total in enumerate(totals):
            number = code.total(builder.load(total))
            builder.store(number, builder.gep(sums.data, [_WORD(k)]))
        return context.get_dummy_value()

    return types.void(block, d, before, steps, residual, slopes, n, sums), generate


@intrinsic
def _sum_rows(_, block, d, weights, n, sums):
    def generate(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments, signature.args[0].dtype)
        block, d, weights, n, sums = code.given
        rows = [code.row(block, builder.add(d, _WORD(k))) for k in range(4)]
        totals = [code.variable() for _ in rows]
        with cgutils.for_range(builder, builder.udiv(n, _WORD(SIDE))) as loop:
            at = builder.mul(loop.index, _WORD(SIDE))
            weight = code.load(code.start(weights), at)
            for row, total in zip(rows, totals, strict=True):
                code.add_to(total, weight, code.load(row, at))
        for k, total in enumerate(totals):
            number = code.total(builder.load(total))
            builder.store(number, builder.gep(sums.data, [_WORD(k)]))
        return context.get_dummy_value()

    return types.void(block, d, weights, n, sums), generate


@intrinsic
def _score_rows(_, block, spread, d, means, seconds, variances, n, first, second):
    def generate(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments, signature.args[0].dtype)
        block, spread, d, means, seconds, variances, n, first, second = code.given
        rows, spreads = ([code.row(array, builder.add(d, _WORD(k))) for k in range(4)] for array in (block, spread))
        own = [[code.spread(code.start(array), d, k) for k in range(4)] for array in (means, seconds, variances)]
        with cgutils.for_range(builder, builder.udiv(n, _WORD(SIDE))) as loop:
            at = builder.mul(loop.index, _WORD(SIDE))
            score, others = code.load(code.start(first), at), code.load(code.start(second), at)
            for k in range(4):
                context_mean = code.load(rows[k], at)
                score = code.plus(score, own[0][k], context_mean)
                others = code.plus(others, own[1][k], code.load(spreads[k], at))
                others = code.plus(others, own[2][k], builder.fmul(context_mean, context_mean))
            code.store(score, code.start(first), at)
            code.store(others, code.start(second), at)
        return context.get_dummy_value()

    return types.void(block, spread, d, means, seconds, variances, n, first, second), generate


@intrinsic
def _score_columns(_, block, t, at, means, squares, scores, spreads):
    def generate(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments, signature.args[0].dtype)
        block, t, at, means, squares, scores, spreads = code.given
        score, spread = code.variables(), code.variables()
        with cgutils.for_range(builder, builder.udiv(builder.add(t, _WORD(3)), _WORD(4))) as loop:
            d = builder.mul(loop.index, _WORD(4))
            for n in range(4):
                column = code.load(code.row(block, builder.add(d, _WORD(n))), at)
                code.add_to(score[n], code.spread(code.start(means), d, n), column)
                code.add_to(spread[n], code.spread(code.start(squares), d, n), builder.fmul(column, column))
        code.store(code.sum_of(score), code.start(scores), at)
        code.store(code.sum_of(spread), code.start(spreads), at)
        return context.get_dummy_value()

    return types.void(block, t, at, means, squares, scores, spreads), generate


turn_tiles: Any = _turn_tiles
"""Turn eight gathered rows to columns, and sum weights over their dimensions.

turn_tiles(source, starts, at, target, means, squares, scores, spreads) sets target[d, at + k] = x[k, d],
scores[at + k] = sum means x[k], and spreads[at + k] = sum squares x[k]^2. Row x[k] begins starts[at + k] bytes into
`source`.
"""
dot_tiles: Any = _dot_tiles
"""Add sum weights x[k] to target[at + k] for eight rows x[k].

dot_tiles(source, starts, at, weights, target)
"""
add_tiles: Any = _add_tiles
"""Add weights[at + k] x[k] of eight rows to `sums`, which are by tile.

add_tiles(source, starts, at, weights, sums)
"""
sum_four: Any = _sum_four
"""Sum over the cells of a chunk for four dimensions x_0..x_3, from row d of a block of contexts on.

sum_four(block, d, before, steps, residual, slopes, n, sums): first the residuals lose slope * steps y, where y are the
four dimensions from row `before` on. Then `sums` are: x_k residual for each k, and slope x_k x_m for each m <= k, in
the order 00, 10, 11, 20 to 33. n is a multiple of eight.
"""
sum_rows: Any = _sum_rows
"""Sum weights w over the cells of a chunk for four rows of a block: sums[k] = sum w block[d + k].

sum_rows(block, d, weights, n, sums), n a multiple of eight.
"""
score_rows: Any = _score_rows
"""Add what four dimensions, from row d on, give to the moments of the scores of cells.

score_rows(block, spread, d, means, seconds, variances, n, first, second): first += sum means c, and
second += sum seconds w + variances c^2, with c and w from `block` and `spread`. n is a multiple of eight.
"""
score_columns: Any = _score_columns
"""Sum weights over the t dimensions of eight cells of a block of contexts.

score_columns(block, t, at, means, squares, scores, spreads): as `turn_tiles`, for columns that are there already.
"""


@helper
def width(t):
    """Return the length of weights or sums by tile."""
    return (t + SIDE - 1) // SIDE * SIDE


@helper
def place(d, t):
    """Return where dimension d is among weights or sums by tile."""
    late = width(t) - SIDE
    return d if d < late or t < SIDE else d + width(t) - t
