"""Weights from columns to a column: ridge regression on those that occur with it most tellingly, each column alone."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel


@helper
def _offered(k, worth, found, places, worths):
    """Offer column k to those that tell most, a heap whose root is the worst; return how many there are."""
    most = len(places)
    if found == most and worth <= worths[0]:
        return found
    if found < most:
        child = found
        while child > 0 and worth < worths[(child - 1) // 2]:
            worths[child], places[child] = worths[(child - 1) // 2], places[(child - 1) // 2]
            child = (child - 1) // 2
        worths[child], places[child] = worth, k
        return found + 1
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
    return found


@helper
def _chosen(indptr, indices, values, totals, ridge, j, places, worths):
    """List the columns that tell most of column j, each by itself, in ascending order; return how many."""
    found = 0
    for at in range(indptr[j], indptr[j + 1]):
        k = indices[at]
        if k != j:
            found = _offered(k, values[at] * values[at] / (totals[k] + ridge), found, places, worths)
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


@kernel
def count_together(first, last, starts, rows, indptr, indices, together):
    """Count the rows that have two columns at once, for the columns first..last-1 and all others.

    Column j is in the rows rows[starts[j]:starts[j + 1]], and row i has the columns indices[indptr[i]:indptr[i + 1]].
    """
    one = together.dtype.type(1)
    for j in range(first, last):
        found = together[j]
        for k in range(len(found)):
            found[k] = 0
        for at in range(starts[j], starts[j + 1]):
            i = rows[at]
            for place in range(indptr[i], indptr[i + 1]):
                found[indices[place]] += one


@kernel
def weights_of_few(first, last, together, ridge, columns, weights):
    """Compute what `column_weights` does from an array of all pairs of columns."""
    most, m = columns.shape[1], len(together)
    places, worths, totals = np.empty(most, np.int64), np.empty(most), np.empty(m)
    matrix, right = np.empty((most, most)), np.empty(most)
    for k in range(m):
        totals[k] = together[k, k]
    for j in range(first, last):
        n = 0
        for k in range(m):
            value = together[j, k]
            if value > 0 and k != j:
                n = _offered(k, value * value / (totals[k] + ridge), n, places, worths)
        places[:n].sort()
        for at in range(n):
            for other in range(at):
                matrix[at, other] = together[places[at], places[other]]
            matrix[at, at] = totals[places[at]] + ridge
            right[at] = together[j, places[at]]
        _solved(matrix, right, n)
        for at in range(most):
            columns[j, at], weights[j, at] = (places[at], right[at]) if at < n else (-1, 0.0)


@helper
def _first_at(targets, begin, end, least):
    """Return the first place in targets[begin:end], which are sorted, that is not below `least`."""
    while begin < end:
        middle = (begin + end) // 2
        if targets[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def add_lifts(indptr, columns, starts, targets, weights, low, high, found):
    """Add to found[q, j - low] the weights to the columns j of low..high-1 from those of query q.

    Query q has columns[indptr[q]:indptr[q + 1]]; `starts`, `targets` (ascending) and `weights` are those from a column.
    """
    for q in range(len(found)):
        for at in range(indptr[q], indptr[q + 1]):
            k = columns[at]
            for entry in range(_first_at(targets, starts[k], starts[k + 1], low), starts[k + 1]):
                if targets[entry] >= high:
                    break
                found[q, targets[entry] - low] += weights[entry]


@kernel
def add_lifts_of_some(indptr, columns, starts, targets, weights, chosen, found):
    """Add to found[q, n] the weights to the column chosen[q, n] from those of query q; -1 is no column."""
    for q in range(len(found)):
        for at in range(indptr[q], indptr[q + 1]):
            begin, end = starts[columns[at]], starts[columns[at] + 1]
            for n in range(chosen.shape[1]):
                place = _first_at(targets, begin, end, chosen[q, n])
                if place < end and targets[place] == chosen[q, n]:
                    found[q, n] += weights[place]
