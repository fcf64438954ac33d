"""Sample an epoch: thin the positives, draw the negatives, and aggregate both into cells by row, then by column.

Random numbers depend on the position: a stream belongs to (seed, epoch, stream, row), never to a thread.

Cells by row become cells by column in two steps that both stay in the cache: by block of columns, then by column. In
between, an entry has three numbers: its row, counted from the first one of its range, its column within the block, and
its weight, as a positive or as a negative. A cell that is both has two entries. All entries of a range of rows take as
few halves of a word, two bytes each, as hold them: one if no pair is there twice, places are few and weights are small
whole numbers (an entry stands for a weight of 1, and is repeated), two if weights are whole numbers below 128, and else
four, or eight in float64.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel

_TRIES = 16  # attempts before a draw that keeps hitting positives is given up
_BATCH = 256  # draws made at a time, without branches
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31, _SHIFT_11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNITS = 9007199254740992.0
"""2 ** 53, the number of distinct random numbers in [0, 1)."""
_UNIT = 1.0 / UNITS


@helper
def mixed(state):
    """Scramble 64 bits (the finaliser of splitmix64)."""
    z = (state ^ (state >> _SHIFT_30)) * _MIX_1
    z = (z ^ (z >> _SHIFT_27)) * _MIX_2
    return z ^ (z >> _SHIFT_31)


@helper
def stream_state(seed, epoch, stream, row):
    """Return the initial state of a row's stream; each coordinate is scrambled before the next one is added."""
    state = mixed(np.uint64(seed) + _GOLDEN)
    state = mixed(state + np.uint64(epoch) * _MIX_1 + _GOLDEN)
    state = mixed(state + np.uint64(stream) * _MIX_2 + _GOLDEN)
    return mixed(state + np.uint64(row) * _GOLDEN + _MIX_1)


@helper
def advanced(state):
    """Return the next state; `mixed` turns it into a random integer, `unit` into a random number in [0, 1)."""
    return state + _GOLDEN


@helper
def skipped(state, steps):
    """Return the state that many steps ahead."""
    return state + np.uint64(steps) * _GOLDEN


@helper
def whole(state):
    """Return the random integer below `UNITS` of a state."""
    return np.int64(mixed(state) >> _SHIFT_11)


@helper
def unit(state):
    """Return the random number in [0, 1) of a state."""
    return whole(state) * _UNIT


@kernel
def alias_table(stay, ids):
    """Return Walker's alias table of a discrete distribution over `ids`, one line per id.

    `stay` are the probabilities of the ids, times their number; they are changed. A line has an integer T, and two ids
    packed into one integer, the first in its low half. A random number below T * 2**-53 selects the first id, any other
    the second.
    """
    n = len(stay)
    alias = np.arange(n)
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    n_small = n_large = 0
    for i in range(n):
        if stay[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small and n_large:
        n_small -= 1
        low, high = small[n_small], large[n_large - 1]
        alias[low] = high
        stay[high] -= 1.0 - stay[low]
        if stay[high] < 1.0:
            n_large -= 1
            small[n_small] = high
            n_small += 1
    for k in range(n_small):
        stay[small[k]] = 1.0
    for k in range(n_large):
        stay[large[k]] = 1.0
    table = np.empty((n, 2), np.int64)
    for i in range(n):
        table[i, 0] = np.int64(np.ceil(stay[i] * UNITS))
        table[i, 1] = np.int64(ids[i]) | np.int64(ids[alias[i]]) << 32
    return table


@helper
def _grown(array, size):
    """Return a longer array with the same beginning; a slice assignment would take two seconds to compile."""
    larger = np.empty(size, array.dtype)
    for k in range(len(array)):
        larger[k] = array[k]
    return larger


@helper
def _draw(state, table, drawn, n):
    """Fill the first `n` entries of `drawn` from an alias table, with two random numbers each and without branches."""
    for k in range(n):
        line = np.int64(unit(skipped(state, 2 * k + 1)) * len(table))
        moves = whole(skipped(state, 2 * k + 2)) >= table[line, 0]
        drawn[k] = np.int32(table[line, 1] >> (32 * np.int64(moves)))


@kernel
def sample_rows(
    first,
    last,
    first_row,
    seed,
    epoch,
    stream,
    indptr,
    indices,
    values,
    keep_row,
    keep_column,
    exact_row,
    exact_column,
    noise,
    negatives,
    reject,
    max_draws,
    draws_per_cell,
    place,
    dtype_like,
):
    """Return the cells of the rows first..last-1: lengths, columns, weights as positive, weights as negative.

    A positive of weight c is thinned to its expectation c * keep, which is rounded at random to an integer unless its
    row or column is rare ("exact"). A row of positive weight W gets negatives of total weight `negatives` * W, spread
    over at most `max_draws` draws, and at most `draws_per_cell` per positive, from the alias table `noise`. With
    `reject`, none of them is an observed pair. `place` is the position of a column in the row's output, or -2 where no
    negative may fall; it is -1 for every column before and after the call. Row 0 of the arrays is row `first_row` of
    the data, and uses the random numbers of that row.
    """
    lengths = np.zeros(last - first, np.int64)
    capacity = 2 * (indptr[last] - indptr[first]) + 1024
    columns = np.empty(capacity, np.int32)
    positive, negative = np.empty(capacity, dtype_like.dtype), np.empty(capacity, dtype_like.dtype)
    drawn = np.empty(_BATCH, np.int32)
    size = 0
    for i in range(first, last):
        if indptr[i] == indptr[i + 1]:
            continue
        state = stream_state(seed, epoch, stream, first_row + i)
        begin, total = size, 0.0
        need = size + (indptr[i + 1] - indptr[i])
        if need > len(columns):
            columns, positive, negative = (
                _grown(columns, 2 * need),
                _grown(positive, 2 * need),
                _grown(negative, 2 * need),
            )
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            weight = values[k]
            keep = keep_row[i] * keep_column[j]
            if keep < 1.0:
                weight *= keep
                if not (exact_row[i] or exact_column[j]):
                    state = advanced(state)
                    weight = np.floor(weight + unit(state))
            kept = int(weight > 0.0)  # the next entry overwrites a dropped one: a branch would cost more
            columns[size], positive[size], negative[size] = j, weight, 0.0
            place[j] = -2 if reject else size * kept + (kept - 1)
            size += kept
            total += weight
        wanted = negatives * total
        if wanted > 0.0 and len(noise) > 0:
            most = min(max_draws, draws_per_cell * (indptr[i + 1] - indptr[i]))
            draws = np.int64(np.ceil(min(wanted, most)))
            need = size + np.minimum(draws, len(noise))
            if need > len(columns):
                columns, positive, negative = (
                    _grown(columns, 2 * need),
                    _grown(positive, 2 * need),
                    _grown(negative, 2 * need),
                )
            accepted = tries = 0
            while draws > 0:
                batch = np.minimum(draws, _BATCH)  # each draw takes at least one attempt
                _draw(state, noise, drawn, batch)
                state = skipped(state, 2 * batch)
                for k in range(batch):
                    j = drawn[k]
                    at = place[j]
                    if at == -2:
                        tries += 1
                        if tries == _TRIES:
                            draws -= 1
                            tries = 0
                        continue
                    if at < 0:
                        columns[size], positive[size], negative[size] = j, 0.0, 0.0
                        place[j] = at = size
                        size += 1
                    negative[at] += 1.0
                    accepted += 1
                    draws -= 1
                    tries = 0
            if accepted:
                scale = wanted / accepted
                for k in range(begin, size):
                    negative[k] *= scale
        for k in range(begin, size):
            place[columns[k]] = -1
        for k in range(indptr[i], indptr[i + 1]):
            place[indices[k]] = -1
        lengths[i - first] = size - begin
    return lengths, columns[:size].copy(), positive[:size].copy(), negative[:size].copy()


@helper
def _is_byte(weight):
    """Return whether a weight that is not negative is a whole number below 128."""
    return (weight < 128) & (weight == np.int32(weight))


@helper
def _halves(cells, places, distinct):
    """Return how many halves an entry of some rows takes; `places` are the rows times the columns of a block."""
    total, entries, small = 0.0, np.int64(0), places <= 1 << 24
    for k in range(cells.indptr[0], cells.indptr[-1]):
        positive, negative = cells.positive[k], cells.negative[k]
        small &= _is_byte(positive) & _is_byte(negative)
        total += positive + negative
        entries += np.int64(positive > 0) + np.int64(negative > 0)
    if not small:
        return cells.positive.itemsize
    return 1 if distinct and places <= 1 << 15 and total <= 2 * entries else 2


@kernel
def pack_rows(cells, block_of, starts, bits, distinct, half_like):
    """Return the entries of some rows, at most 65,536, by block of columns: halves of an entry, block starts, halves.

    `starts` are the first columns of the blocks; a column within its block takes at most `bits`. `distinct` says that
    no pair has two cells.
    """
    n_rows, one = len(cells.indptr) - 1, np.uint64(1)
    each = _halves(cells, n_rows << bits, distinct)
    at, step = np.zeros(len(starts), np.uint64), np.uint64(each)
    for k in range(cells.indptr[0], cells.indptr[-1]):
        positive, negative = cells.positive[k], cells.negative[k]
        if each == 1:
            at[block_of[cells.indices[k]]] += np.uint64(positive) + np.uint64(negative)
        else:
            at[block_of[cells.indices[k]]] += np.uint64(positive > 0) + np.uint64(negative > 0)
    offsets = np.zeros(len(starts) + 1, np.int64)
    for block in range(len(starts)):
        offsets[block + 1] = offsets[block] + np.int64(at[block] * step)
        at[block] = offsets[block]
    halves = np.empty((offsets[-1] + 3) // 4 * 4, half_like.dtype)
    for k in range(offsets[-1] if each <= 4 else 0, len(halves)):  # what no entry fills is the same each time, too
        halves[k] = 0
    words, weights = halves.view(np.uint32), halves.view(cells.positive.dtype)
    to_weight = np.uint64(1 if weights.itemsize == 4 else 2)
    for i in range(n_rows):
        for k in range(cells.indptr[i], cells.indptr[i + 1]):
            j = cells.indices[k]
            block = block_of[j]
            here, column = at[block], j - starts[block]
            positive, negative = cells.positive[k], cells.negative[k]
            if each == 1:
                entry = np.uint16((i << bits | column) << 1)
                for _ in range(np.int64(positive)):
                    halves[here] = entry
                    here += one
                for _ in range(np.int64(negative)):
                    halves[here] = entry | 1
                    here += one
            else:
                place = np.int64(i << bits | column) << 8 if each == 2 else np.int64(i << 16 | column)
                if positive > 0:
                    words[here >> one] = np.uint32(place | np.int64(positive) if each == 2 else place)
                    if each > 2:
                        weights[(here >> to_weight) + one] = positive
                    here += step
                if negative > 0:
                    words[here >> one] = np.uint32(place | 128 | np.int64(negative) if each == 2 else place)
                    if each > 2:
                        weights[(here >> to_weight) + one] = -negative
                    here += step
            at[block] = here
    return each, offsets, halves


@kernel
def turn_block(firsts, each, offsets, halves, block, bits, latest, ends, rows, weights):
    """Go through a block of packed entries by row: count the cells of each column, or write them if there is room.

    Every range of rows has its first row, the halves of its entries and a line of `offsets`. `latest` is the row and
    sign of each column's latest entry; entries of one row are one cell if their signs differ or they are repeated.
    `ends` are the cells of each column so far, or the place after the latest one in `rows` and `weights`, which has two
    lines, one for positives and one for negatives.
    """
    mask, words, given, writes = (1 << bits) - 1, halves.view(np.uint32), halves.view(weights.dtype), len(rows) > 0
    to_weight = 1 if given.itemsize == 4 else 2
    for part in range(len(firsts)):
        first, step = np.int64(firsts[part]), np.int64(each[part])
        for at in range(np.int64(offsets[part, block]), np.int64(offsets[part, block + 1]), step):
            if step == 1:
                entry = np.int64(halves[at])
                row, j, sign, weight = entry >> (1 + bits), (entry >> 1) & mask, entry & 1, weights.dtype.type(1)
            elif step == 2:
                entry = np.int64(words[at >> 1])
                row, j, sign = entry >> (8 + bits), (entry >> 8) & mask, entry >> 7 & 1
                weight = weights.dtype.type(entry & 127)
            else:
                entry, weight = np.int64(words[at >> 1]), given[(at >> to_weight) + 1]
                row, j, sign = entry >> 16, entry & 65535, np.int64(weight < 0)
                weight = abs(weight)
            row += first
            key = 2 * row + sign
            same = latest[j] >> 1 == row if step == 1 else latest[j] ^ 1 == key
            end = ends[j] + np.int64(not same)
            latest[j], ends[j] = key, end
            if writes:
                rows[end - 1] = row
                weights[sign, end - 1] += weight
