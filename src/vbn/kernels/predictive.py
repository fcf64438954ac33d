"""Prediction: moments of the scores of pairs, and the exact top k by the posterior predictive.

The top k needs no array of scores over all columns. The predictive logit c + (mu - c) / sqrt(1 + pi var / 8) never
exceeds max(mu, c), and below c it never exceeds mu shrunk towards c by the largest variance. A lower confidence bound
never exceeds mu. Means are cheap (a matrix product by the caller); variances are computed only for columns whose bound
could still enter the best k.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels import closed_form
from vbn.kernels.compile import helper, kernel
from vbn.kernels.moments import dot_moments, load_row, projection_moments, relation_moments

_CHUNK = 256  # columns that are skipped together if none of them can enter the best k
_ROUNDING = 1e-6  # more than the relative error of rounding float64 to float32

damping = helper(closed_form.damping)


@helper
def logit(mean, variance, base):
    """Return the logit of the predictive probability, like `closed_form.logit`."""
    return base + (mean - base) / damping(variance)


@helper
def score_of(mean, variance, base, caution):
    """Return what columns are ranked by: the predictive logit, or with `caution` >= 0 so many deviations below mu."""
    if caution < 0.0:
        return logit(mean, variance, base)
    return mean - caution * np.sqrt(variance)


@kernel
def pair_moments(first, last, rows, columns, u, v, bias, mean, variance):
    """Compute mean and variance of u_i.v_j + b_j for the pairs first..last-1."""
    dtype = u.mean.dtype
    t = u.mean.shape[1]
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    for k in range(first, last):
        load_row(u, rows[k], row)
        j = columns[k]
        m, s = dot_moments(row[0], row[1], row[2], v.mean, v.variance, j)
        mean[k] = m + bias.mean[j]
        variance[k] = s + bias.variance[j]


@kernel
def relation_pair_moments(first, last, start, stop, rows, columns, u, v, x, y, bias, mean, variance):
    """Compute mean and variance of a relation's score u X^T Y v + r for the pairs first..last-1."""
    rank = stop - start
    a_first, c_first = np.empty(rank), np.empty(rank)
    a_second, c_second = np.empty((rank, rank)), np.empty((rank, rank))
    before = -1
    for k in range(first, last):
        i, j = rows[k], columns[k]
        if i != before:
            projection_moments(u.mean, u.variance, i, x.mean, x.variance, start, stop, a_first, a_second)
            before = i
        projection_moments(v.mean, v.variance, j, y.mean, y.variance, start, stop, c_first, c_second)
        m, square = relation_moments(a_first, a_second, c_first, c_second, rank)
        mean[k] = m + bias.mean[j]
        variance[k] = square - m * m + bias.variance[j]


@helper
def _worse(score, column, other_score, other_column):
    """Return whether one answer ranks behind another: lower score, or the same score and a later column."""
    return score < other_score or (score == other_score and column > other_column)


@helper
def _sink(scores, columns, size, score, column):
    """Replace the root of a heap, which is its worst answer, and let the new answer sink to its place."""
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
    """Append an answer to a heap that is not full, and let it rise to its place."""
    while at > 0:
        parent = (at - 1) // 2
        if not _worse(score, column, scores[parent], columns[parent]):
            break
        scores[at], columns[at] = scores[parent], columns[parent]
        at = parent
    scores[at], columns[at] = score, column


@helper
def _offer(best_scores, best_columns, filled, score, column):
    """Offer an answer to the best so far; return how many there are."""
    if filled < len(best_scores):
        _rise(best_scores, best_columns, filled, score, column)
        return filled + 1
    if _worse(best_scores[0], best_columns[0], score, column):
        _sink(best_scores, best_columns, filled, score, column)
    return filled


@helper
def _listed(column, columns, begin, end):
    """Return whether a column is in a sorted part of a list."""
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
    """Return whether any of values[start:stop] is at least `least`; counting them becomes vector code."""
    hits = 0
    for at in range(start, stop):
        hits += values[at] >= least
    return hits > 0


@kernel
def offer_predictive(means, columns, queries, items, bias, lifted, extra, rule, bound, hidden, best):
    """Offer a block of columns to every query; `means` are their E[x] up to a rounding error.

    `lifted` (queries x the block, or empty) is what is added to each score; `means` hold it in advance, divided by what
    shrinks the score where it is positive, so that the bounds hold.
    `extra` (the weight of popularity) is added to the score of each column. `rule` has the base logit of each query and
    the caution of `score_of`. `bound` has the largest `extra`, and for each query the largest rounding error and a
    lower bound on 1 / sqrt(1 + pi var / 8), or 1 where scores do not shrink towards the base. `hidden` has the sorted
    columns that query q must not get, hidden[1][hidden[0][q]:hidden[0][q + 1]]. `best` has the scores, columns and
    lengths of the heaps.
    """
    bases, caution = rule
    largest_extra, slack, shrink = bound
    hidden_indptr, hidden_columns = hidden
    best_scores, best_columns, filled = best
    t = queries.mean.shape[1]
    dtype = queries.mean.dtype
    row = np.empty(t, dtype), np.empty(t, dtype), np.empty(t, dtype)
    for q in range(means.shape[0]):
        load_row(queries, q, row)
        base, count = bases[q], filled[q]
        for start in range(0, means.shape[1], _CHUNK):
            stop = min(start + _CHUNK, means.shape[1])
            if count == best_scores.shape[1]:
                worst = best_scores[q, 0] - largest_extra - base
                least = base + (worst if worst >= 0 else worst / shrink[q]) - slack[q]
                if not _any_reaches(means[q], start, stop, dtype.type(least - _ROUNDING * abs(least))):
                    continue
            for at in range(start, stop):
                j = columns[at]
                highest = means[q, at] + slack[q] - base
                if highest < 0:
                    highest *= shrink[q]
                full = count == best_scores.shape[1]
                if full and base + highest + extra[j] < best_scores[q, 0] - _ROUNDING * abs(best_scores[q, 0]):
                    continue
                mean, variance = dot_moments(row[0], row[1], row[2], items.mean, items.variance, j)
                mean += bias.mean[j]
                variance += bias.variance[j]
                score = score_of(mean, variance, base, caution) + extra[j]
                if len(lifted) > 0:
                    score += lifted[q, at]
                if full and score < best_scores[q, 0]:
                    continue
                if not _listed(j, hidden_columns, hidden_indptr[q], hidden_indptr[q + 1]):
                    count = _offer(best_scores[q], best_columns[q], count, score, j)
        filled[q] = count


@kernel
def offer_scores(scores, columns, hidden, best):
    """Offer a block of columns with given scores to every query; `hidden` and `best` are as in `offer_predictive`."""
    hidden_indptr, hidden_columns = hidden
    best_scores, best_columns, filled = best
    for q in range(scores.shape[0]):
        count = filled[q]
        for at in range(scores.shape[1]):
            j = columns[at]
            if count == best_scores.shape[1] and scores[q, at] < best_scores[q, 0]:
                continue
            if not _listed(j, hidden_columns, hidden_indptr[q], hidden_indptr[q + 1]):
                count = _offer(best_scores[q], best_columns[q], count, scores[q, at], j)
        filled[q] = count


@kernel
def quotients(means, query, norms, result):
    """Compute the products of all means with a query, each divided by its norm; half the time of a matrix product."""
    for i in range(len(means)):
        total = means.dtype.type(0)
        for d in range(len(query)):
            total += means[i, d] * query[d]
        result[i] = total / norms[i]
