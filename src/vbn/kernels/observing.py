"""Events: the densities of the entities that they touch, by the updates of training with everything else fixed.

What earlier data said of an entity is a Gaussian factor beside its prior, and events are cells, as the contexts of
`vbn.kernels.folding`. A column updates its bias after its vector. Precisions come before the vectors that they belong
to, so that at the end a density is exactly its prior times its evidence.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.folding import ascend, layout, linearise_cells


@helper
def _mark(q, events, marks):
    """Mark the others that entity q was seen with by its number, counted from 1."""
    for k in range(events.indptr[q], events.indptr[q + 1]):
        marks[events.indices[k]] = q + 1
    for k in range(events.since_indptr[q], events.since_indptr[q + 1]):
        marks[events.since_indices[k]] = q + 1
    i = events.ids[q]
    if i + 1 < len(events.known_indptr):
        for k in range(events.known_indptr[i], events.known_indptr[i + 1]):
            marks[events.known_indices[k]] = q + 1


@helper
def _place(k, j, other, bias, work):
    """Lay out a cell with entity j."""
    block, spread, _, _, shift, shift_variance = work[:6]
    for d in range(other.mean.shape[1]):
        block[d, k] = other.mean[j, d]
        spread[d, k] = other.variance[j, d]
    if len(bias.mean) > 0:
        shift[k], shift_variance[k] = bias.mean[j], bias.variance[j]


@helper
def _weigh(q, events, marks, work):
    """Give the negatives of entity q their weights, 0 to those that it was seen with."""
    positive, negative, left, whole = work[2], work[3], 0.0, 0.0
    if events.rejects:
        _mark(q, events, marks)
    for k in range(len(events.noise)):
        share = events.shares[k]
        whole += share
        if events.rejects and marks[events.noise[k]] == q + 1:
            share = 0.0
        left += share
        positive[k], negative[k] = 0.0, share
    drawn = left if events.made_up else whole
    scale = events.negative[q] / drawn if drawn > 0.0 else 0.0
    for k in range(len(events.noise)):
        negative[k] *= scale


@helper
def _load(q, events, other, bias, marks, work):
    """Lay out the events of entity q after the negatives, which all entities share; return its number of cells."""
    _weigh(q, events, marks, work)
    n = len(events.noise)
    for k in range(events.indptr[q], events.indptr[q + 1]):
        _place(n, events.indices[k], other, bias, work)
        work[2][n], work[3][n] = events.weights[k], 0.0
        n += 1
    return n


@helper
def _set_bias(n, mean, variance, work):
    """Let all cells have the same bias."""
    for k in range(n):
        work[4][k], work[5][k] = mean, variance


@helper
def _update_bias(q, n, own, prior, cells):
    """Update the bias of entity q from its linearised cells; return by how much it moved, squared, in variances."""
    slopes, residual = cells[0], cells[1]
    tau, before = prior.tau[q], np.float64(own.mean[q])
    precision = tau + prior.evidence.precision[q]
    linear = tau * prior.mean[q] + prior.evidence.linear[q]
    for k in range(n):
        precision += slopes[k]
        linear += residual[k] + slopes[k] * before
    own.mean[q], own.variance[q] = linear / precision, 1.0 / precision
    return (linear / precision - before) ** 2 * precision


@helper
def _update_bias_precision(q, own, prior):
    distance = prior.spread[q] + (own.mean[q] - prior.mean[q]) ** 2 + own.variance[q]
    prior.tau[q] = prior.shape[q] / (prior.rate[q] + 0.5 * distance)


@helper
def _update_precision(q, mean, variance, prior):
    distance = prior.spread[q]
    for d in range(len(mean)):
        distance += (mean[d] - prior.mean[q, d]) ** 2 + variance[d]
    prior.tau[q] = prior.shape[q] / (prior.rate[q] + 0.5 * distance)


@helper
def _most(events):
    longest = 0
    for q in range(len(events.indptr) - 1):
        longest = max(longest, events.indptr[q + 1] - events.indptr[q])
    return longest + len(events.noise)


@kernel
def observe(events, own, prior, own_bias, bias_prior, other, bias, sweeps, settled):
    """Update the densities of all entities that events touch, and their E[tau], in place.

    `bias` holds the biases of the others; it is empty where the entities have biases themselves, `own_bias`. An entity
    is updated so many times, or until its mean moves by fewer standard deviations than `settled`.
    """
    t, dtype, n = other.mean.shape[1], other.mean.dtype, _most(events)
    work, marks = layout(t, n, dtype), np.zeros(len(other.mean), np.int64)
    mean, variance, precision, linear = np.empty(t), np.empty(t), np.empty(t), np.empty(t)
    before = np.empty(t)
    with_bias = len(own_bias.mean) > 0
    for k in range(len(events.noise)):
        _place(k, events.noise[k], other, bias, work)
    for q in range(len(events.ids)):
        n = _load(q, events, other, bias, marks, work)
        for d in range(t):
            mean[d], variance[d] = own.mean[q, d], own.variance[q, d]
        for sweep in range(sweeps):
            if sweep > 0:
                _update_precision(q, mean, variance, prior)
            tau = prior.tau[q]
            for d in range(t):
                precision[d] = tau + prior.evidence.precision[q, d]
                linear[d] = tau * prior.mean[q, d] + prior.evidence.linear[q, d]
            if with_bias:
                _set_bias(n, own_bias.mean[q], own_bias.variance[q], work)
            before[:] = mean
            linearise_cells(n, mean, variance, work)
            ascend(n, mean, variance, precision, linear, work)
            moved = 0.0
            for d in range(t):
                moved = max(moved, (mean[d] - before[d]) ** 2 / variance[d])
            if with_bias:
                if sweep > 0:
                    _update_bias_precision(q, own_bias, bias_prior)
                linearise_cells(n, mean, variance, work)
                moved = max(moved, _update_bias(q, n, own_bias, bias_prior, work[6]))
            if moved < settled * settled:
                break
        for d in range(t):
            own.mean[q, d], own.variance[q, d] = mean[d], variance[d]
