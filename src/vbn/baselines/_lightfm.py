"""LightFM (Kula, 2015): factors of items as sums over their features, here the ancestors in the taxonomy."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.baselines._extras import fitting, need
from vbn.baselines._factors import Factorisation, counts_matrix
from vbn.baselines._features import item_features
from vbn.data import Dataset
from vbn.estimators import need_number, need_whole, registered

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
        model = need("lightfm").LightFM(
            no_components=self.dim, loss=self.loss, learning_rate=self.learning_rate, item_alpha=self.item_alpha,
            user_alpha=self.user_alpha, max_sampled=self.max_sampled, random_state=self.seed,
        )  # fmt: skip
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
