"""Collective matrix factorisation (Singh and Gordon, 2008; Cortes, 2018), by the package cmfrec."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.baselines._extras import fitting, need
from vbn.baselines._factors import Factorisation, counts_matrix, least_squares_rows
from vbn.baselines._features import item_features
from vbn.data import Dataset
from vbn.estimators import need_number, registered


@registered
class CMF(Factorisation):
    """Factorises the counts and the taxonomy together, by the package cmfrec (extra "hybrids").

    The vectors of columns must explain the counts and, in another product, the shares of all ancestors. Columns without
    data get theirs from their ancestors alone; those that have none, too, score 0. New rows are folded in by least
    squares that are solved exactly. In training the shares are a dense matrix of columns x ancestors.

    Parameters
    ----------
    dim : int, default 50
        Number of factors.
    regularization : float, default 1.0
        Weight of the squared length of the factors.
    alpha : float, default 1.0
        Confidence of a count of one beside cells without a count: 1 + alpha * count.
    taxonomy_weight : float, default 10.0
        Weight of the errors in the taxonomy beside those in the counts.
    epochs : int, default 10
        Rounds of alternating least squares.
    exact : bool, default False
        Whether a round solves its least squares exactly, too. By default it takes a few steps of conjugate gradients,
        as cmfrec itself does: several times as fast, but rows that are folded in have larger factors than those of
        training.
    workers : int, default 1
        Threads of cmfrec.
    seed : int, default 0
        Same seed, same data: the same bits.
    verbose : bool, default False
        Whether cmfrec prints its progress.
    """

    def __init__(
        self,
        dim: int = 50,
        regularization: float = 1.0,
        alpha: float = 1.0,
        taxonomy_weight: float = 10.0,
        epochs: int = 10,
        exact: bool = False,
        workers: int = 1,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.dim = dim
        self.regularization = regularization
        self.alpha = alpha
        self.taxonomy_weight = taxonomy_weight
        self.epochs = epochs
        self.exact = exact
        self.workers = workers
        self.seed = seed
        self.verbose = verbose

    def _factors(self, data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        cmfrec, features = need("cmfrec"), item_features(data)
        described = np.flatnonzero(np.diff(features.cold_ancestors.indptr))
        ids, side = features.seen, None
        if features.seen_ancestors.shape[1]:
            # dense: what cmfrec makes of sparse side information with zeros is not finite, or not the same, at times
            rows = (features.seen_ancestors, features.cold_ancestors[described])
            ids, side = np.r_[ids, features.cold[described]], np.concatenate([part.toarray() for part in rows])
        with fitting():
            model = cmfrec.CMF_implicit(
                k=self.dim, lambda_=self.regularization, alpha=self.alpha, w_item=self.taxonomy_weight,
                niter=self.epochs, use_cg=not self.exact, random_state=self.seed + 1, nthreads=self.workers,
                verbose=bool(self.verbose), handle_interrupt=False, precompute_for_predictions=False,
            )  # fmt: skip
            model.fit(counts_matrix(data)[:, features.seen].tocoo(), I=side)
        v = np.zeros((len(data.columns), self.dim))
        v[ids] = model.B_
        return model.A_, v, np.zeros(len(data.columns))

    def _folded_in(self, baskets: Any) -> np.ndarray:
        more = baskets.copy()
        more.data = 1.0 + float(self.alpha) * more.data
        return least_squares_rows(more, self._model().posterior.v.mean, float(self.regularization), 1.0)

    def _check(self) -> None:
        super()._check()
        for name in ("regularization", "alpha", "taxonomy_weight"):
            need_number(name, getattr(self, name), above=0.0)
