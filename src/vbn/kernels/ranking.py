"""Exact top-k by the posterior predictive, without a score array over all columns.

The predictive logit mu / sqrt(1 + pi var / 8) never exceeds max(mu, 0), and a negative one never exceeds mu shrunk by
the largest variance. Means are cheap (a matrix product outside); only columns whose bound could still enter the best k
get their variance computed here.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.moments import dot_moments, load_row

_CHUNK = 256  # columns that are passed over together if none of them can enter the best
_ROUNDING = 1e-6  # more than a number loses on its way from float64 to float32


@helper
def _worse(score, column, other_score, other_column):
    """Whether one answer ranks behind another: lower score, or the same score and a later column."""
    return score < other_score or (score == other_score and column > other_column)


@helper
def _sink(scores, columns, size, score, column):
    """Put an answer at the root of a heap whose root is its worst, and let it sink to its place."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and _worse(scores[child + 1], columns[child + 1], scores[child], columns[child]):
            child += 1
        if not _worse(scores[child], columns[child], score, column):
            break
        scores[at], columns[at] = scores[child], columns[child]
        at = child
    scores[at], columns[at] = score, column


@helper
def _rise(scores, columns, at, score, column):
    """Put an answer at the end of a heap that is not full, and let it rise to its place."""
    while at > 0:
        parent = (at - 1) // 2
        if not _worse(score, column, scores[parent], columns[parent]):
            break
        scores[at], columns[at] = scores[parent], columns[parent]
        at = parent
    scores[at], columns[at] = score, column


@helper
def _offer(best_scores, best_columns, filled, score, column):
    """Offer an answer to the best so far; returns how many there are."""
    if filled < len(best_scores):
        _rise(best_scores, best_columns, filled, score, column)
        return filled + 1
    if _worse(best_scores[0], best_columns[0], score, column):
        _sink(best_scores, best_columns, filled, score, column)
    return filled


@helper
def _listed(column, columns, begin, end):
    """Whether a column is in a sorted part of a list."""
    while begin < end:
        middle = (begin + end) // 2
        if columns[middle] < column:
            begin = middle + 1
        elif columns[middle] > column:
            end = middle
        else:
            return True
    return False


@helper
def _any_reaches(values, start, stop, least):
    """Whether one of values[start:stop] is at least `least`: a count, since that becomes vector code."""
    hits = 0
    for at in range(start, stop):
        hits += values[at] >= least
    return hits > 0


@kernel
def offer_predictive(
    means, columns, queries, items, bias, extra, largest_extra, slack, shrink, hidden_indptr, hidden, best_scores,
    best_columns, filled,
):  # fmt: skip
    """Offer a block of columns to every query; `means` are their E[x] up to rounding of at most `slack` of the query.

    `extra` (the popularity dial) adds to the logit of each column, `shrink` bounds 1 / sqrt(1 + pi var / 8) of a query
    from below, and hidden[hidden_indptr[q]..] are the columns (sorted) that query q must not get.
    """
    t = queries.mean.shape[1]
    dtype = queries.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    for q in range(means.shape[0]):
        load_row(queries, q, row)
        count = filled[q]
        for start in range(0, means.shape[1], _CHUNK):
            stop = min(start + _CHUNK, means.shape[1])
            if count == best_scores.shape[1]:
                worst = best_scores[q, 0] - largest_extra
                least = (worst if worst >= 0 else worst / shrink[q]) - slack[q]
                if not _any_reaches(means[q], start, stop, dtype.type(least - _ROUNDING * abs(least))):
                    continue
            for at in range(start, stop):
                j = columns[at]
                highest = means[q, at] + slack[q]
                if highest < 0:
                    highest *= shrink[q]
                full = count == best_scores.shape[1]
                if full and highest + extra[j] < best_scores[q, 0]:
                    continue
                mean, variance = dot_moments(row[0], row[1], row[2], items.mean, items.variance, j)
                mean += bias.mean[j]
                variance += bias.variance[j]
                score = mean / np.sqrt(1.0 + 0.125 * np.pi * variance) + extra[j]
                if full and score < best_scores[q, 0]:
                    continue
                if not _listed(j, hidden, hidden_indptr[q], hidden_indptr[q + 1]):
                    count = _offer(best_scores[q], best_columns[q], count, score, j)
        filled[q] = count


@kernel
def offer_scores(scores, columns, hidden_indptr, hidden, best_scores, best_columns, filled):
    """Offer a block of columns with ready scores to every query."""
    for q in range(scores.shape[0]):
        count = filled[q]
        for at in range(scores.shape[1]):
            j = columns[at]
            if count == best_scores.shape[1] and scores[q, at] < best_scores[q, 0]:
                continue
            if not _listed(j, hidden, hidden_indptr[q], hidden_indptr[q + 1]):
                count = _offer(best_scores[q], best_columns[q], count, scores[q, at], j)
        filled[q] = count
