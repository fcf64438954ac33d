"""One epoch's sample: thin the positives, draw the negatives, aggregate both into cells, row by row."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.random import UNITS, advanced, skipped, stream_state, unit, whole

_TRIES = 16  # how often a draw that hits a positive is repeated before it is given up
_BATCH = 256  # draws that are made at a time, without a branch among them


@kernel
def alias_table(weights, ids):
    """Walker's alias table of a discrete distribution over `ids`, one line for each of them.

    A line has a whole number T and two ids, the first in the low half of an integer: a random number below T * 2**-53
    means the first of them, any other the second.
    """
    n = len(weights)
    stay = weights * (n / weights.sum())
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
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger


@helper
def _draw(state, table, drawn, n):
    """Fill the first `n` entries of `drawn` from an alias table, by two random numbers each and without a branch."""
    for k in range(n):
        line = np.int64(unit(skipped(state, 2 * k + 1)) * len(table))
        moves = whole(skipped(state, 2 * k + 2)) >= table[line, 0]
        drawn[k] = np.int32(table[line, 1] >> (32 * np.int64(moves)))


@kernel
def sample_rows(
    first, last, first_row, seed, epoch, stream, indptr, indices, values, keep_row, keep_column, exact_row,
    exact_column, noise, negatives, reject, max_draws, draws_per_cell, place, dtype_like,
):  # fmt: skip
    """Cells of the rows first..last-1: lengths, columns, weight as positive, weight as negative.

    A positive of weight c is thinned to its expectation c * keep, rounded at random to a whole number unless its
    row or column is rare ("exact"). A row of positive weight W gets negatives of weight `negatives` * W in all, spread
    over at most `max_draws` draws and `draws_per_cell` for each of its positives, from the alias table `noise`; with
    `reject`, none falls on a pair that was observed. `place` is where a column stands in the row's output, or -2 where
    no negative may fall; it comes and goes with -1 for every column. Row 0 of the arrays is row `first_row` of all, and
    its random numbers are those of that one.
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
            kept = int(weight > 0.0)  # what is left out is overwritten by the next one: a branch would cost more
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
                batch = np.minimum(draws, _BATCH)  # each of the draws takes one try at least
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
