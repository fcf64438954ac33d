"""The bundles of arrays that kernels take, as named tuples, which numba understands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CellArrays(NamedTuple):
    """Cells by row: column, weight as positive, weight as negative.

    The cells of row i are at indptr[i - first]..indptr[i - first + 1]-1; the arrays may hold only some of the rows.
    """

    indptr: np.ndarray
    indices: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    first: int = 0


class DensityArrays(NamedTuple):
    """Diagonal Gaussians: (n, t) means and variances."""

    mean: np.ndarray
    variance: np.ndarray


class EvidenceArrays(NamedTuple):
    """Evidence from earlier data about Gaussian variables, as natural parameters (n, t); (0, t) if there is none."""

    precision: np.ndarray
    linear: np.ndarray


class PriorArrays(NamedTuple):
    """The prior of some rows: the prior means of these rows, and E[tau] of all rows.

    `evidence` comes from earlier data that is no longer available.
    """

    mean: np.ndarray
    tau: np.ndarray
    evidence: EvidenceArrays


class BiasArrays(NamedTuple):
    """Biases to update with their columns: a mask, their priors as precision and precision times mean.

    The likelihood of each column's cells goes to `result`. All are empty if rows are not columns.
    """

    active: np.ndarray
    precision: np.ndarray
    linear: np.ndarray
    result: np.ndarray


class ParentArrays(NamedTuple):
    """The weighted parents of every node, numbered as categories, and the densities of the categories."""

    indptr: np.ndarray
    parents: np.ndarray
    weights: np.ndarray
    mean: np.ndarray
    variance: np.ndarray


class RelationArrays(NamedTuple):
    """All relations of a side: cells by row with the number of their relation, and the terms of their scores.

    Relation k has the rows offsets[k]..offsets[k+1]-1 of the factor arrays, one for each m of the paper.
    `places[cell]` is the row of `c_first` and `c_second` with the projection moments of the cell's other entity.
    """

    indptr: np.ndarray
    indices: np.ndarray
    kind: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    offsets: np.ndarray
    own_mean: np.ndarray
    own_variance: np.ndarray
    places: np.ndarray
    c_first: np.ndarray
    c_second: np.ndarray
    bias_mean: np.ndarray
    bias_variance: np.ndarray


class ContextArrays(NamedTuple):
    """Contexts by query: positions indptr[q]..indptr[q+1]-1 hold the columns of query q and their counts."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray


class QueryPrior(NamedTuple):
    """The prior of queries: means (q, t), total variance of each mean, initial E[tau], and each one's Gamma."""

    mean: np.ndarray
    spread: np.ndarray
    tau: float
    shape: np.ndarray
    rate: np.ndarray


class EventArrays(NamedTuple):
    """What was observed of some entities: positions indptr[q]..indptr[q+1]-1 hold the others of entity q, with weights.

    `noise` are the others that stand for the negatives of all entities, with their shares; `negative` is what the
    negatives of each weigh together. With `rejects`, others that an entity was seen with are none of its negatives:
    those of its events, and those at known_indptr[ids[q]]..known_indptr[ids[q]+1]-1 and
    since_indptr[q]..since_indptr[q+1]-1. With `made_up`, the rest then weighs more.
    """

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    noise: np.ndarray
    shares: np.ndarray
    negative: np.ndarray
    rejects: bool
    made_up: bool
    ids: np.ndarray
    known_indptr: np.ndarray
    known_indices: np.ndarray
    since_indptr: np.ndarray
    since_indices: np.ndarray


class TouchedPrior(NamedTuple):
    """The priors of some variables: means (q, t), total variance of each mean, E[tau], and each one's Gamma.

    `tau` is updated; `evidence` is what earlier data said of them.
    """

    mean: np.ndarray
    spread: np.ndarray
    tau: np.ndarray
    shape: np.ndarray
    rate: np.ndarray
    evidence: EvidenceArrays
