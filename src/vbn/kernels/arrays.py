"""The bundles of arrays that kernels take: named tuples, which numba understands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class CellArrays(NamedTuple):
    """Cells by row: column, weight as positive, weight as negative.

    Those of row i are at indptr[i - first]..indptr[i - first + 1]-1, so that a part of the rows can be held alone.
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
    """What earlier data said of Gaussian variables, as natural parameters, (n, t); (0, t) if there was none."""

    precision: np.ndarray
    linear: np.ndarray


class PriorArrays(NamedTuple):
    """The prior of some rows: their prior means, one line for each of these rows, and E[tau] of all rows.

    `evidence` is what earlier data, which is no longer available, said about each row.
    """

    mean: np.ndarray
    tau: np.ndarray
    evidence: EvidenceArrays


class ParentArrays(NamedTuple):
    """The weighted parents of every node, numbered as categories, and the densities of the categories."""

    indptr: np.ndarray
    parents: np.ndarray
    weights: np.ndarray
    mean: np.ndarray
    variance: np.ndarray


class RelationArrays(NamedTuple):
    """All relations of a part: cells by row with the relation's number, and what the cells' scores are made of.

    Relation k owns the rows offsets[k]..offsets[k+1]-1 of the factor arrays, one for each m of the paper.
    `places[cell]` is the row of `c_first` and `c_second` that holds the projection moments of the cell's other entity.
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
    """Contexts by query: for query q, positions indptr[q]..indptr[q+1]-1 hold a column and its count."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray


class QueryPrior(NamedTuple):
    """What queries are drawn to: means (q, t), total uncertainty of each mean, first E[tau], its Gamma's parameters."""

    mean: np.ndarray
    spread: np.ndarray
    tau: float
    shape: float
    rate: float
