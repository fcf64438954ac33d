"""Compiled loops of the laboratory: ranks of scores, and the memory floor of a half-sweep."""

from __future__ import annotations

from vbn.kernels.compile import kernel


@kernel
def count_above(scores, added, rows, items, above):
    """Scores of a row, plus what is added to each column, above that of an item; equal ones count half, nan never."""
    for case in range(len(rows)):
        line = scores[rows[case]]
        own = line[items[case]] + added[items[case]]
        larger, equal = 0, -1  # itself is equal
        for column in range(len(line)):
            score = line[column] + added[column]
            larger += score > own
            equal += score == own
        above[case] = larger + 0.5 * equal


@kernel
def three_dots(first, last, indptr, indices, own_mean, own_second, own_variance, mean, variance, second, result):
    """Sum of the three products over the cells of each row first..last-1, into `result`."""
    t = own_mean.shape[1]
    for i in range(first, last):
        total = own_mean.dtype.type(0)
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            a = own_mean.dtype.type(0)
            b = own_mean.dtype.type(0)
            c = own_mean.dtype.type(0)
            for d in range(t):
                a += own_mean[i, d] * mean[j, d]
                b += own_second[i, d] * variance[j, d]
                c += own_variance[i, d] * second[j, d]
            total += a * a + b + c
        result[i] = total
