"""Hybrids that take a taxonomy as features of items: LightFM (Kula, 2015) and CMF (Cortes, 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.rivals.factors import Factorisation, counts_matrix, fitting, least_squares_rows
from vbn._errors import ParameterError
from vbn.baselines import fitted, need
from vbn.data import Dataset, Taxonomy
from vbn.estimators import need_number, need_whole, registered

_HYBRIDS = "vbn[hybrids]"


@dataclass(frozen=True)
class ItemFeatures:
    """Ids of the columns with data and of those without, and the shares of ancestors of either."""

    seen: np.ndarray
    cold: np.ndarray
    seen_ancestors: Any
    cold_ancestors: Any


def item_features(data: Dataset) -> ItemFeatures:
    """Features of the columns of a data set; none at all where it has no taxonomy."""
    from scipy.sparse import csr_matrix

    active = data.counts.column_sums() > 0
    seen, cold = np.flatnonzero(active), np.flatnonzero(~active)
    taxonomy = data.column_taxonomy
    if taxonomy is None:
        return ItemFeatures(seen, cold, csr_matrix((len(seen), 0)), csr_matrix((len(cold), 0)))
    ancestors = ancestor_shares(taxonomy)
    reached = np.flatnonzero(np.asarray(ancestors[seen].sum(axis=0)).reshape(-1) > 0)
    return ItemFeatures(seen, cold, ancestors[seen][:, reached].tocsr(), ancestors[cold][:, reached].tocsr())


def ancestor_shares(taxonomy: Taxonomy) -> Any:
    """A sparse matrix (nodes, nodes): how much of a node each ancestor has.

    A parent has its weight; a grandparent the sum, over the ways to it, of the products of their weights.
    """
    from scipy.sparse import csr_matrix

    n = len(taxonomy.vocabulary)
    parents = csr_matrix((taxonomy.weights, taxonomy.indices.astype(np.int64), taxonomy.indptr), shape=(n, n))
    total, level = parents.copy(), parents
    for _ in range(taxonomy.depth - 1):
        level = level @ parents
        total = total + level
    return total.tocsr()


_LOSSES = ("warp", "bpr", "logistic", "warp-kos")


@registered
class LightFM(Factorisation):
    """A hybrid of matrix factorisation and the taxonomy, by the package lightfm-next (extra "hybrids").

    Each column is the weighted sum of a vector of its own and those of all its ancestors, the weights summing to 1.
    Columns without data are the sum of their ancestors' vectors; those that have none, too, score 0. The package cannot
    infer new rows; here a list of columns is the mean of their vectors.

    Parameters
    ----------
    dim : int, default 50
        Number of factors.
    loss : {"warp", "bpr", "logistic", "warp-kos"}, default "warp"
        What is minimised.
    learning_rate : float, default 0.05
        First step of adagrad.
    item_alpha, user_alpha : float, default 0.0
        Penalties on the squared length of the vectors.
    max_sampled : int, default 10
        For "warp": how many negatives are tried before a pair is let go.
    epochs : int, default 30
        How often all cells are seen.
    workers : int, default 1
        Threads. With more than one, no two fits are the same.
    seed : int, default 0
        Same seed, same data: the same bits, with one worker.
    verbose : bool, default False
        Whether to show progress.
    """

    def __init__(
        self,
        dim: int = 50,
        loss: str = "warp",
        learning_rate: float = 0.05,
        item_alpha: float = 0.0,
        user_alpha: float = 0.0,
        max_sampled: int = 10,
        epochs: int = 30,
        workers: int = 1,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.dim = dim
        self.loss = loss
        self.learning_rate = learning_rate
        self.item_alpha = item_alpha
        self.user_alpha = user_alpha
        self.max_sampled = max_sampled
        self.epochs = epochs
        self.workers = workers
        self.seed = seed
        self.verbose = verbose

    def _factors(self, data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        from scipy.sparse import csr_matrix, hstack, identity

        features = item_features(data)
        own = hstack([identity(len(features.seen)), features.seen_ancestors])
        nothing = csr_matrix((len(features.cold), len(features.seen)))
        seen, cold = _normalised(own), _normalised(hstack([nothing, features.cold_ancestors]))
        model = need("lightfm", _HYBRIDS).LightFM(
            no_components=self.dim,
            loss=self.loss,
            learning_rate=self.learning_rate,
            item_alpha=self.item_alpha,
            user_alpha=self.user_alpha,
            max_sampled=self.max_sampled,
            random_state=self.seed,
        )
        cells = counts_matrix(data)[:, features.seen].tocoo()
        with fitting(ValueError):  # its inputs are right by now, so it is that something is not finite
            model.fit(
                cells, item_features=seen, epochs=self.epochs, num_threads=self.workers, verbose=bool(self.verbose)
            )
        v, bias = np.zeros((len(data.columns), self.dim)), np.zeros(len(data.columns))
        for ids, rows in ((features.seen, seen), (features.cold, cold)):
            v[ids], bias[ids] = rows @ model.item_embeddings, rows @ model.item_biases
        return model.user_embeddings, v, bias

    def _check(self) -> None:
        super()._check()
        if self.loss not in _LOSSES:
            raise ParameterError(f"loss={self.loss!r} is none of {', '.join(map(repr, _LOSSES))}.")
        need_number("learning_rate", self.learning_rate, above=0.0)
        need_number("item_alpha", self.item_alpha, least=0.0)
        need_number("user_alpha", self.user_alpha, least=0.0)
        need_whole("max_sampled", self.max_sampled, least=1)


def _normalised(features: Any) -> Any:
    """Rows that sum to 1, as lightfm's own helper makes them; empty ones stay."""
    from scipy.sparse import diags

    totals = np.asarray(features.sum(axis=1)).reshape(-1)
    return (diags(1.0 / np.where(totals > 0, totals, 1.0)) @ features).tocsr().astype(np.float32)


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
        cmfrec, features = need("cmfrec", _HYBRIDS), item_features(data)
        described = np.flatnonzero(np.diff(features.cold_ancestors.indptr))
        ids, side = features.seen, None
        if features.seen_ancestors.shape[1]:
            # dense: what cmfrec makes of sparse side information with zeros is not finite, or not the same, at times
            rows = (features.seen_ancestors, features.cold_ancestors[described])
            ids, side = np.r_[ids, features.cold[described]], np.concatenate([part.toarray() for part in rows])
        with fitting():
            model = cmfrec.CMF_implicit(
                k=self.dim,
                lambda_=self.regularization,
                alpha=self.alpha,
                w_item=self.taxonomy_weight,
                niter=self.epochs,
                use_cg=not self.exact,
                random_state=self.seed + 1,
                nthreads=self.workers,
                verbose=bool(self.verbose),
                handle_interrupt=False,
                precompute_for_predictions=False,
            )
            model.fit(counts_matrix(data)[:, features.seen].tocoo(), I=side)
        v = np.zeros((len(data.columns), self.dim))
        v[ids] = model.B_
        return model.A_, v, np.zeros(len(data.columns))

    def _folded_in(self, baskets: Any) -> np.ndarray:
        more = baskets.copy()
        more.data = 1.0 + float(self.alpha) * more.data
        return least_squares_rows(more, fitted(self).v, float(self.regularization), 1.0)

    def _check(self) -> None:
        super()._check()
        for name in ("regularization", "alpha", "taxonomy_weight"):
            need_number(name, getattr(self, name), above=0.0)
