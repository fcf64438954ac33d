"""Held-out log-likelihood: how well the posterior predictive separates held-out pairs from noise."""

from __future__ import annotations

import numpy as np

from vbn._errors import DataError
from vbn.data import Dataset, known_ids
from vbn.model.likelihoods import Cooccurrence
from vbn.model.link import Link
from vbn.model.posterior import Posterior


class Validation:
    """Held-out pairs of known entities, with as many noise pairs per positive as in training.

    The noise is drawn once, and all epochs are compared on the same pairs.
    """

    def __init__(self, heldout: Dataset, data: Dataset, noise: np.ndarray, negatives: float, seed: int) -> None:
        if not isinstance(heldout, Dataset):
            raise DataError(f"validation must be a Dataset, not {type(heldout).__name__}.")
        to_row, to_column = known_ids(data.rows, heldout.rows), known_ids(data.columns, heldout.columns)
        counts = heldout.counts
        rows = to_row[np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))]
        columns = to_column[counts.indices]
        known = (rows >= 0) & (columns >= 0)
        if not known.any():
            raise DataError("no pair of the validation data has both of its entities in the training data.")
        rows, columns, weights = rows[known], columns[known], counts.values[known]
        self.negatives, each = negatives, max(1, round(negatives))
        rng = np.random.default_rng([seed, 0xDA7A])
        self.rows = np.concatenate([rows, np.repeat(rows, each)])
        self.columns = np.concatenate([columns, rng.choice(len(noise), size=len(rows) * each, p=noise)])
        self.weights = np.concatenate([weights, np.repeat(weights, each) * (negatives / each)])
        self.signs = np.r_[np.ones(len(rows)), -np.ones(len(rows) * each)]

    def log_likelihood(self, posterior: Posterior) -> float:
        """Return the mean log predictive probability of a pair."""
        mean, variance = Cooccurrence.of(posterior).pair_moments(self.rows, self.columns)
        told = self.signs * Link.of(posterior.bias, self.negatives).logit(mean, variance)
        return float(-(self.weights @ np.logaddexp(0.0, -told)) / self.weights.sum())
