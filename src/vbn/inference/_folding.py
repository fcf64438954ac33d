"""A query as a new row: its density in closed form from its contexts, all that was learned held fixed."""

from __future__ import annotations

import numpy as np

from vbn.kernels._arrays import ContextArrays, QueryPrior
from vbn.model._posterior import Gaussians
from vbn.model._trained import Trained

_SWEEPS = 4
_NEGATIVES = 512  # columns that stand for the noise distribution, the same for every query


def fold_in(trained: Trained, contexts: ContextArrays, sweeps: int = _SWEEPS) -> Gaussians:
    """Densities of new rows without parents.

    Parameters
    ----------
    contexts
        Columns and counts of each query.
    sweeps
        How often all coordinates are updated.

    Notes
    -----
    Negatives weigh as much as in training. They stand at even steps of the cumulative noise distribution, so that
    every query sees the same ones, and no query depends on what else is in the batch.
    """
    from vbn.kernels import _folding

    q, n = trained.posterior, len(contexts.indptr) - 1
    hyper, dtype = trained.hyperpriors, q.v.mean.dtype
    shape = hyper.shape("entity", q.dim)
    prior = QueryPrior(np.zeros((n, q.dim)), np.zeros(n), trained.profile.row_precision, shape, hyper.beta["entity"])
    result = Gaussians(np.empty((n, q.dim), dtype), np.empty((n, q.dim), dtype))
    _folding.fold_in(
        0, n, contexts, trained.profile.negatives(_NEGATIVES), float(trained.negatives), q.v.densities,
        q.bias.densities, prior, sweeps, result.densities,
    )  # fmt: skip
    return result


def average(trained: Trained, contexts: ContextArrays) -> Gaussians:
    """The paper's query: the mean of the random variables u of the entities, weighted by their counts."""
    from scipy.sparse import csr_array

    n, u = len(contexts.indptr) - 1, trained.posterior.u
    totals = np.add.reduceat(contexts.weights, contexts.indptr[:-1])
    share = contexts.weights / np.repeat(totals, np.diff(contexts.indptr))
    shape = (n, len(u.mean))
    weights = csr_array((share, contexts.indices, contexts.indptr), shape=shape)
    squares = csr_array((share**2, contexts.indices, contexts.indptr), shape=shape)
    dtype = u.mean.dtype
    return Gaussians((weights @ u.mean).astype(dtype), (squares @ u.variance).astype(dtype))
