"""One epoch's sample: thin the positives, draw the negatives, aggregate both into cells, row by row."""

from __future__ import annotations

import numpy as np

from vbn.kernels._compile import helper, kernel
from vbn.kernels._random import advanced, stream_state, unit

_TRIES = 16  # how often a draw that hits a positive is repeated before it is given up


@kernel
def alias_table(weights):
    """Walker's alias table of a discrete distribution: probability to stay, and where to go otherwise."""
    n = len(weights)
    stay = weights * (n / weights.sum())
    alias = np.arange(n, dtype=np.int32)
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
    return stay, alias


@helper
def _grown(array, size):
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def sample_rows(
    first, last, first_row, seed, epoch, stream, indptr, indices, values, keep_row, keep_column, exact_row,
    exact_column, noise_ids, stay, alias, negatives, reject, max_draws, draws_per_cell, place, dtype_like,
):  # fmt: skip
    """Cells of the rows first..last-1: lengths, columns, weight as positive, weight as negative.

    A positive of weight c is thinned to its expectation c * keep, rounded at random to a whole number unless its
    row or column is rare ("exact"). A row of positive weight W gets negatives of weight `negatives` * W in all, spread
    over at most `max_draws` draws and `draws_per_cell` for each of its positives. `place` is where a column stands in
    the row's output, -2 for a positive left out; it comes and goes with -1 for every column. Row 0 of the arrays is row
    `first_row` of all, and its random numbers are those of that one.
    """
    lengths = np.zeros(last - first, np.int64)
    capacity = 2 * (indptr[last] - indptr[first]) + 1024
    columns = np.empty(capacity, np.int32)
    positive, negative = np.empty(capacity, dtype_like.dtype), np.empty(capacity, dtype_like.dtype)
    size = 0
    n_noise = len(noise_ids)
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
            if weight > 0.0:
                columns[size], positive[size], negative[size] = j, weight, 0.0
                place[j] = size
                size += 1
                total += weight
            else:
                place[j] = -2
        wanted = negatives * total
        if wanted > 0.0 and n_noise > 0:
            most = min(max_draws, draws_per_cell * (indptr[i + 1] - indptr[i]))
            draws = np.int64(np.ceil(min(wanted, most)))
            need = size + np.minimum(draws, n_noise)
            if need > len(columns):
                columns, positive, negative = (
                    _grown(columns, 2 * need),
                    _grown(positive, 2 * need),
                    _grown(negative, 2 * need),
                )
            accepted = 0
            for _ in range(draws):
                for _attempt in range(_TRIES):
                    state = advanced(state)
                    spot = unit(state) * n_noise
                    slot = np.int64(spot)
                    state = advanced(state)
                    if unit(state) >= stay[slot]:
                        slot = np.int64(alias[slot])
                    j = noise_ids[slot]
                    at = place[j]
                    if reject and (at == -2 or (at >= 0 and positive[at] > 0.0)):
                        continue
                    if at < 0:
                        columns[size], positive[size], negative[size] = j, 0.0, 0.0
                        place[j] = at = size
                        size += 1
                    negative[at] += 1.0
                    accepted += 1
                    break
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
