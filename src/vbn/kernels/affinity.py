"""Weights from columns to a column: ridge regression on those that occur with it most tellingly, each column alone."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel


@helper
def _chosen(indptr, indices, values, totals, ridge, j, places, worths):
    """List the columns that tell most of column j, each by itself, in ascending order; return how many."""
    found, most = 0, len(places)
    for at in range(indptr[j], indptr[j + 1]):
        k = indices[at]
        if k == j:
            continue
        worth = values[at] * values[at] / (totals[k] + ridge)
        if found == most and worth <= worths[0]:
            continue
        if found < most:  # a heap whose root is the worst
            child = found
            found += 1
            while child > 0 and worth < worths[(child - 1) // 2]:
                worths[child], places[child] = worths[(child - 1) // 2], places[(child - 1) // 2]
                child = (child - 1) // 2
            worths[child], places[child] = worth, k
            continue
        root = 0
        while 2 * root + 1 < most:
            child = 2 * root + 1
            if child + 1 < most and worths[child + 1] < worths[child]:
                child += 1
            if worths[child] >= worth:
                break
            worths[root], places[root] = worths[child], places[child]
            root = child
        worths[root], places[root] = worth, k
    places[:found].sort()
    return found


@helper
def _gathered(indptr, indices, values, k, chosen, position, row):
    """Write the values of row k at the chosen columns (ascending) to `row`; `position` tells where each of them is."""
    row[: len(chosen)] = 0.0
    begin, end = indptr[k], indptr[k + 1]
    if end - begin < 8 * len(chosen):
        for at in range(begin, end):
            place = position[indices[at]]
            if 0 <= place < len(chosen):
                row[place] = values[at]
        return
    for place in range(len(chosen)):
        low, high = begin, end
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < chosen[place]:
                low = middle + 1
            else:
                high = middle
        if low < end and indices[low] == chosen[place]:
            row[place] = values[low]
        begin = low


@helper
def _solved(matrix, right, n):
    """Solve a positive definite system in place by Cholesky's factors; the answer is in `right`."""
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for d in range(j):
                total -= matrix[i, d] * matrix[j, d]
            if i == j:
                matrix[i, i] = np.sqrt(total)
            else:
                matrix[i, j] = total / matrix[j, j]
    for i in range(n):
        total = right[i]
        for d in range(i):
            total -= matrix[i, d] * right[d]
        right[i] = total / matrix[i, i]
    for i in range(n - 1, -1, -1):
        right[i] /= matrix[i, i]
        for d in range(i):
            right[d] -= matrix[i, d] * right[i]


@kernel
def column_weights(first, last, indptr, indices, values, totals, ridge, columns, weights):
    """Compute the weights to the columns first..last-1 from at most `columns.shape[1]` others.

    `indptr`, `indices` (ascending in each row) and `values` are how many rows have two columns at once, `totals` how
    many have one. `columns` is filled with -1 where a column has fewer others.
    """
    most = columns.shape[1]
    places, worths = np.empty(most, np.int64), np.empty(most)
    position = np.full(len(totals), -1, np.int64)
    matrix, right = np.empty((most, most)), np.empty(most)
    for j in range(first, last):
        n = _chosen(indptr, indices, values, totals, ridge, j, places, worths)
        chosen = places[:n]
        for at in range(n):
            position[chosen[at]] = at
        for at in range(n):
            _gathered(indptr, indices, values, chosen[at], chosen[:at], position, matrix[at])  # it is symmetric
            matrix[at, at] = totals[chosen[at]] + ridge
        _gathered(indptr, indices, values, j, chosen, position, right)
        for at in range(n):
            position[chosen[at]] = -1
        _solved(matrix, right, n)
        columns[j, :n], columns[j, n:] = chosen, -1
        weights[j, :n], weights[j, n:] = right[:n], 0.0
