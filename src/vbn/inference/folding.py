"""A query as a new row: its density in closed form from its contexts, with all that was learned held fixed."""

from __future__ import annotations

import numpy as np

from vbn._errors import ParameterError
from vbn.data import Counts
from vbn.kernels import ContextArrays, QueryPrior
from vbn.model import EntityCells, Gaussians, Trained

SWEEPS = 4
_NEGATIVES = 512  # columns that stand for the noise distribution, the same for every query


def fold_in(trained: Trained, contexts: ContextArrays, sweeps: int = SWEEPS) -> Gaussians:
    """Infer the densities of new rows without parents from the columns and counts of each.

    Negatives weigh as much as in training. They stand at even steps of the cumulative noise distribution: every query
    sees the same ones, and none depends on what else is in the batch.
    """
    from vbn.kernels import folding

    q, n = trained.posterior, len(contexts.indptr) - 1
    dtype, (shape, rate) = q.v.mean.dtype, _hyperprior(trained, contexts)
    prior = QueryPrior(np.zeros((n, q.dim)), np.zeros(n), trained.profile.row_precision, shape, rate)
    result = Gaussians(np.empty((n, q.dim), dtype), np.empty((n, q.dim), dtype))
    negatives, ratio = trained.profile.negatives(_NEGATIVES), float(trained.negatives)
    columns = q.v.densities, q.bias.densities
    folding.fold_in(0, n, contexts, negatives, ratio, *columns, prior, sweeps, result.densities)
    return result if trained.company is None else trained.company.joined(result, contexts.indptr, contexts.indices)


def folded_cells(trained: Trained, contexts: ContextArrays, query: Gaussians) -> tuple[EntityCells, float]:
    """Return the cells that one query was inferred from, with those of its negatives, and its E[tau]."""
    weights, negatives = contexts.weights.astype(np.float64), trained.profile.negatives(_NEGATIVES)
    noise = np.bincount(negatives, minlength=len(trained.columns)) * (trained.negatives * weights.sum() / _NEGATIVES)
    seen = np.bincount(contexts.indices, weights, minlength=len(noise))
    others = np.flatnonzero((seen > 0) | (noise > 0))
    (shape,), (rate,) = _hyperprior(trained, contexts)
    tau = shape / (rate + 0.5 * float((query.mean.astype(np.float64) ** 2 + query.variance).sum()))
    return EntityCells(others, seen[others], seen[others], noise[others]), float(tau)


def _hyperprior(trained: Trained, contexts: ContextArrays) -> tuple[np.ndarray, np.ndarray]:
    """Return shape and first rate of q(tau) of each query."""
    n = len(contexts.indptr) - 1
    owner = np.repeat(np.arange(n), np.diff(contexts.indptr))
    gamma = trained.hyperpriors.of("entity", trained.posterior.dim, np.bincount(owner, contexts.weights, minlength=n))
    shape, rate = (np.broadcast_to(np.asarray(value, np.float64), n).copy() for value in (gamma.shape, gamma.beta))
    return shape, rate


def average(trained: Trained, contexts: ContextArrays) -> Gaussians:
    """Return the paper's query: the mean of the random variables u of the entities, weighted by their counts.

    Where rows and columns are different entities, the columns must be rows too: `Dataset.with_co_occurrences`.
    """
    rows = _as_rows(trained, contexts.indices)
    if (rows < 0).any():
        name = trained.columns[int(contexts.indices[np.argmax(rows < 0)])]
        raise ParameterError(
            f"{{remedy}} needs a row density of {name!r}, which is only a column. Use {{remedy}}, or train with "
            "{remedy}.",
            remedies=[("query", "average"), ("query", "fold_in"), ("", "data.with_co_occurrences()")],
        )
    return _averaged(trained, contexts.indptr, rows, contexts.weights)[0]


def both(trained: Trained, ids: np.ndarray, contexts: ContextArrays) -> Gaussians:
    """Return the mean of the random variable of a row and of the average of its columns, for several rows.

    Columns without a row density do not count; a row that has no others stands for itself.
    """
    check_averages(trained, "both")
    rows, u = _as_rows(trained, contexts.indices), trained.posterior.u
    of_columns, there = _averaged(trained, contexts.indptr, rows, np.where(rows < 0, 0.0, contexts.weights))
    half = np.where(there, 0.5, 0.0)[:, None].astype(u.mean.dtype)
    return Gaussians(
        (1 - half) * u.mean[ids] + half * of_columns.mean,
        (1 - half) ** 2 * u.variance[ids] + half**2 * of_columns.variance,
    )


def check_averages(trained: Trained, query: str) -> None:
    """Refuse a query that averages columns where none of them is a row."""
    if not trained.shared and not (trained.profile.rows_of_columns >= 0).any():
        raise ParameterError(
            "{remedy} needs columns that are rows: train with {remedy}, or omit {remedy}.",
            remedies=[("query", query), ("", "data.with_co_occurrences()"), ("query",)],
        )


def contexts_of(counts: Counts, ids: np.ndarray) -> ContextArrays:
    """Return the columns of some rows as contexts of queries."""
    found = counts.to_scipy()[ids]
    return ContextArrays(found.indptr.astype(np.int64), found.indices.astype(np.int64), found.data)


def _as_rows(trained: Trained, columns: np.ndarray) -> np.ndarray:
    """Return the rows of the same names as some columns, -1 for those that are only columns."""
    return columns if trained.shared else trained.profile.rows_of_columns[columns]


def _averaged(
    trained: Trained, indptr: np.ndarray, rows: np.ndarray, counts: np.ndarray
) -> tuple[Gaussians, np.ndarray]:
    """Return the mean of random variables u for each query, 0 where it has none, and which queries have some."""
    from scipy.sparse import csr_array

    n, u = len(indptr) - 1, trained.posterior.u
    owner = np.repeat(np.arange(n), np.diff(indptr))
    totals = np.bincount(owner, counts, minlength=n)
    share = counts / np.where(totals > 0, totals, 1.0)[owner]
    shape, places = (n, len(u.mean)), np.maximum(rows, 0)
    weights, squares = (csr_array((values, places, indptr), shape=shape) for values in (share, share**2))
    dtype = u.mean.dtype
    return Gaussians((weights @ u.mean).astype(dtype), (squares @ u.variance).astype(dtype)), totals > 0
