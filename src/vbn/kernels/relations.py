"""q(x_mk) and q(y_mk), Eq. (x-update), q(r_jk), Eq. (r_jk-updates), and the relations' log-likelihood.

The cells of a relation are a list of (left, right, weights), where an entity is given by its position among those that
occur in the relation. The moments of its projections on the factors are computed once per entity, not per cell.
"""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel
from vbn.kernels.moments import cell_bound, is_certain, linearise, projection_moments, relation_moments


@kernel
def project(ids, entities, factor, start, stop, first, second):
    """Compute the moments (n, rank) and (n, rank, rank) of the projections x_m.u of entities, m in start..stop-1."""
    for position in range(len(ids)):
        projection_moments(
            entities.mean,
            entities.variance,
            ids[position],
            factor.mean,
            factor.variance,
            start,
            stop,
            first[position],
            second[position],
        )


@helper
def _reproject(ids, entities, factor, start, stop, m, first, second):
    """Recompute the projections that depend on x_m after its update."""
    t, p = entities.mean.shape[1], m - start
    for position in range(len(ids)):
        i = ids[position]
        total = 0.0
        for d in range(t):
            total += np.float64(factor.mean[m, d]) * entities.mean[i, d]
        first[position, p] = total
        certain = is_certain(entities.variance, i)
        for n in range(stop - start):
            total = 0.0
            if not certain:
                for d in range(t):
                    total += np.float64(entities.variance[i, d]) * factor.mean[m, d] * factor.mean[start + n, d]
            if n == p:
                for d in range(t):
                    square = np.float64(entities.mean[i, d]) * entities.mean[i, d] + entities.variance[i, d]
                    total += factor.variance[m, d] * square
            total += first[position, p] * first[position, n]
            second[position, p, n] = second[position, n, p] = total


@helper
def _own_sums(p, cells, mean, square, bias_of, bias, c_first, c_second, pull, spread, shift):
    """Sum over the cells of each own entity, for x_m: (g - L r) E[c_m], L E[c_m^2], and L E[c_m c_n] for all n."""
    left, right, positive, negative = cells
    rank = shift.shape[1]
    pull[:] = 0.0
    spread[:] = 0.0
    shift[:] = 0.0
    for k in range(len(left)):
        i, j = left[k], right[k]
        r = np.float64(bias.mean[bias_of[k]])
        total = square[k] + 2.0 * r * mean[k] + r * r + bias.variance[bias_of[k]]
        slope, half = linearise(max(total, 0.0), positive[k], negative[k])
        pull[i] += (half - slope * r) * c_first[j, p]
        spread[i] += slope * c_second[j, p, p]
        for n in range(rank):
            shift[i, n] += slope * c_second[j, p, n]


@helper
def _factor_system(p, start, own_ids, own, own_factor, a_first, pull, spread, shift, gram, extra, linear):
    """Sum the results of `_own_sums` over entities: Gram matrix (lower half), extra diagonal, linear term of x_m."""
    rank, t = shift.shape[1], own.mean.shape[1]
    mean, others = np.empty(t), np.empty(t)
    for position in range(len(own_ids)):
        i, stiff, target = own_ids[position], spread[position], pull[position]
        certain = is_certain(own.variance, i)
        others[:] = 0.0
        for n in range(rank):
            if n != p:
                target -= shift[position, n] * a_first[position, n]
                if not certain:
                    for d in range(t):
                        others[d] += shift[position, n] * own_factor.mean[start + n, d]
        for d in range(t):
            mean[d] = own.mean[i, d]
        for d in range(t):
            linear[d] += target * mean[d] - own.variance[i, d] * others[d]
            extra[d] += stiff * own.variance[i, d]
            weighted = stiff * mean[d]
            for e in range(d + 1):
                gram[d, e] += weighted * mean[e]


@helper
def _solve_factor(m, own_factor, tau, prior_mean, gram, extra, linear):
    """Update the coordinates of x_m in turn, each given the latest values of the others."""
    t = len(linear)
    for d in range(t):
        for e in range(d):
            gram[e, d] = gram[d, e]
    for d in range(t):
        coupled = -gram[d, d] * own_factor.mean[m, d]
        for e in range(t):
            coupled += gram[d, e] * own_factor.mean[m, e]
        precision = tau + gram[d, d] + extra[d]
        own_factor.mean[m, d] = (tau * prior_mean[d] + linear[d] - coupled) / precision
        own_factor.variance[m, d] = 1.0 / precision


@kernel
def update_factors(
    start,
    stop,
    left,
    right,
    positive,
    negative,
    own_ids,
    own,
    own_factor,
    tau,
    prior_mean,
    evidence,
    bias_of,
    bias,
    a_first,
    a_second,
    c_first,
    c_second,
):
    """Update q(x_m) for m in start..stop-1 in turn from all cells of the relation, keeping zeta up to date.

    Cells refer to entities by their position in `own_ids` (left) and in the ids of the other side (right);
    `bias_of[cell]` is the column of the cell's bias r. `tau`, `prior_mean` and `evidence` are those of all factors.
    `a_*` are the projections of the own side, which are updated, and `c_*` those of the other side.
    """
    t, rank, n_own = own.mean.shape[1], stop - start, len(own_ids)
    cells = left, right, positive, negative
    mean, square = np.empty(len(left)), np.empty(len(left))
    for k in range(len(left)):
        i, j = left[k], right[k]
        mean[k], square[k] = relation_moments(a_first[i], a_second[i], c_first[j], c_second[j], rank)
    gram, extra, linear = np.empty((t, t)), np.empty(t), np.empty(t)
    pull, spread, shift = np.empty(n_own), np.empty(n_own), np.empty((n_own, rank))
    first, second = np.empty(n_own), np.empty((n_own, rank))
    for p in range(rank):
        m = start + p
        gram[:] = 0.0
        extra[:] = 0.0
        linear[:] = 0.0
        if len(evidence.precision) > 0:
            for d in range(t):
                extra[d] = evidence.precision[m, d]
                linear[d] = evidence.linear[m, d]
        _own_sums(p, cells, mean, square, bias_of, bias, c_first, c_second, pull, spread, shift)
        _factor_system(p, start, own_ids, own, own_factor, a_first, pull, spread, shift, gram, extra, linear)
        _solve_factor(m, own_factor, tau[m], prior_mean[m], gram, extra, linear)
        first[:] = a_first[:, p]
        second[:] = a_second[:, p]
        _reproject(own_ids, own, own_factor, start, stop, m, a_first, a_second)
        for k in range(len(left)):  # only the terms with x_m have changed
            i, j = left[k], right[k]
            mean[k] += (a_first[i, p] - first[i]) * c_first[j, p]
            step = -(a_second[i, p, p] - second[i, p]) * c_second[j, p, p]
            for n in range(rank):
                step += 2.0 * (a_second[i, p, n] - second[i, n]) * c_second[j, p, n]
            square[k] += step


@kernel
def project_certain(ids, entities, factor, mean, variance):
    """Compute means and variances (n, rank) of the projections x_m.u of entities without variance."""
    rank, t = factor.mean.shape
    for position in range(len(ids)):
        i = ids[position]
        for m in range(rank):
            _project_one(entities, i, factor, m, t, position, mean, variance)


@helper
def _project_one(entities, i, factor, m, t, position, mean, variance):
    """Compute mean and variance of x_m.u of one entity without variance."""
    first, spread = 0.0, 0.0
    for d in range(t):
        u = np.float64(entities.mean[i, d])
        first += factor.mean[m, d] * u
        spread += factor.variance[m, d] * u * u
    mean[position, m] = first
    variance[position, m] = spread


@kernel
def update_certain_factors(
    left,
    right,
    positive,
    negative,
    own_ids,
    own,
    own_factor,
    tau,
    prior_mean,
    evidence,
    bias_of,
    bias,
    a_mean,
    a_variance,
    c_mean,
    c_variance,
):
    """Update q(x_m) in turn, like `update_factors`, for entities without variance.

    Their projections are uncorrelated, E[a_m a_n] = E[a_m] E[a_n] for m != n, so a cell costs O(1) for each m, and the
    projections of an entity are two vectors instead of a matrix.
    """
    t, rank, n_own = own.mean.shape[1], len(own_factor.mean), len(own_ids)
    mean, square = np.empty(len(left)), np.empty(len(left))
    _certain_moments(left, right, a_mean, a_variance, c_mean, c_variance, mean, square)
    for k in range(len(left)):
        square[k] -= mean[k] * mean[k]
    gram, extra, linear = np.empty((t, t)), np.empty(t), np.empty(t)
    pull, spread = np.empty(n_own), np.empty(n_own)
    before, before_variance = np.empty(n_own), np.empty(n_own)
    for m in range(rank):
        gram[:] = 0.0
        extra[:] = 0.0
        linear[:] = 0.0
        pull[:] = 0.0
        spread[:] = 0.0
        if len(evidence.precision) > 0:
            for d in range(t):
                extra[d] = evidence.precision[m, d]
                linear[d] = evidence.linear[m, d]
        for k in range(len(left)):
            i, c = left[k], c_mean[right[k], m]
            r = np.float64(bias.mean[bias_of[k]])
            centre = mean[k] + r
            slope, half = linearise(square[k] + centre * centre + bias.variance[bias_of[k]], positive[k], negative[k])
            pull[i] += (half - slope * (centre - a_mean[i, m] * c)) * c
            spread[i] += slope * (c * c + c_variance[right[k], m])
        for position in range(n_own):
            i, stiff, target = own_ids[position], spread[position], pull[position]
            for d in range(t):
                linear[d] += target * own.mean[i, d]
                weighted = stiff * own.mean[i, d]
                for e in range(d + 1):
                    gram[d, e] += weighted * own.mean[i, e]
        _solve_factor(m, own_factor, tau[m], prior_mean[m], gram, extra, linear)
        before[:] = a_mean[:, m]
        before_variance[:] = a_variance[:, m]
        for position in range(n_own):
            _project_one(own, own_ids[position], own_factor, m, t, position, a_mean, a_variance)
        for k in range(len(left)):
            i, c, s = left[k], c_mean[right[k], m], c_variance[right[k], m]
            mean[k] += (a_mean[i, m] - before[i]) * c
            square[k] += (a_variance[i, m] - before_variance[i]) * (c * c + s)
            square[k] += (a_mean[i, m] * a_mean[i, m] - before[i] * before[i]) * s


@helper
def _certain_moments(left, right, a_mean, a_variance, c_mean, c_variance, mean, square):
    """Compute E[a.c] and E[(a.c)^2] of every cell, from uncorrelated projections."""
    for k in range(len(left)):
        i, j = left[k], right[k]
        total, spread = 0.0, 0.0
        for m in range(a_mean.shape[1]):
            a, c, s = a_mean[i, m], c_mean[j, m], c_variance[j, m]
            total += a * c
            spread += a_variance[i, m] * (c * c + s) + a * a * s
        mean[k] = total
        square[k] = total * total + spread


@kernel
def certain_moments(left, right, a_mean, a_variance, c_mean, c_variance, mean, square):
    """Compute the moments of the scores of cells without their biases, for entities without variance."""
    _certain_moments(left, right, a_mean, a_variance, c_mean, c_variance, mean, square)


@kernel
def cell_moments(left, right, a_first, a_second, c_first, c_second, mean, square):
    """Compute E[a.c] and E[(a.c)^2] of the scores of cells without their biases."""
    for k in range(len(left)):
        i, j = left[k], right[k]
        mean[k], square[k] = relation_moments(a_first[i], a_second[i], c_first[j], c_second[j], a_first.shape[1])


@kernel
def update_relation_biases(columns, positive, negative, mean, square, prior_precision, prior_linear, bias, active):
    """Update q(r_j) of a relation in place; `columns[cell]` is the cell's column j, and the prior is given as for b."""
    precision, linear = prior_precision.copy(), prior_linear.copy()
    for k in range(len(columns)):
        column = columns[k]
        r = np.float64(bias.mean[column])
        second = square[k] + 2.0 * r * mean[k] + r * r + bias.variance[column]
        slope, pull = linearise(second, positive[k], negative[k])
        precision[column] += slope
        linear[column] += pull - slope * mean[k]
    for column in range(len(precision)):
        if active[column]:
            bias.mean[column] = linear[column] / precision[column]
            bias.variance[column] = 1.0 / precision[column]


@kernel
def relation_residuals(columns, positive, negative, mean, square, bias):
    """Return the sums of g - L E[score] and of L over the cells of a relation, for a joint step of its biases."""
    pull, stiff = 0.0, 0.0
    for k in range(len(columns)):
        column = columns[k]
        r = np.float64(bias.mean[column])
        second = square[k] + 2.0 * r * mean[k] + r * r + bias.variance[column]
        slope, half = linearise(second, positive[k], negative[k])
        pull += half - slope * (mean[k] + r)
        stiff += slope
    return pull, stiff


@kernel
def relation_likelihood(columns, positive, negative, mean, square, bias):
    """Return the bounded log-likelihood of the cells of a relation at the best zeta."""
    total = 0.0
    for k in range(len(columns)):
        column = columns[k]
        r = np.float64(bias.mean[column])
        second = square[k] + 2.0 * r * mean[k] + r * r + bias.variance[column]
        total += cell_bound(mean[k] + r, np.sqrt(second), positive[k], negative[k])
    return total
