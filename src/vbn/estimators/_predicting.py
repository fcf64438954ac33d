"""Probabilities of pairs, and how sure they are: `predict_proba` and `predict_interval`."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data import pair_columns
from vbn.estimators._checking import need_number
from vbn.estimators._hints import PAIRS, hinting
from vbn.estimators._params import Parameters
from vbn.estimators._queries import Queries
from vbn.estimators._resampling import sampler_of, sampling_options
from vbn.inference import (
    Expected,
    expected_cooccurrences,
    full_variances,
    pair_scores,
    probability,
    probability_interval,
    probability_std,
)
from vbn.model import Trained


class Predicting(Parameters, Queries):
    """Gives a model `predict_proba` and `predict_interval`."""

    @hinting(PAIRS)
    def predict_proba(self, pairs: Any, return_std: bool = False, spread: str = "mean_field") -> Any:
        """Probability that the second entity of each pair occurs near the first (paper, posterior predictive).

        Parameters
        ----------
        pairs
            Pairs of names, an array or table of two columns, or the path of one.
        return_std
            Whether to return the standard deviations of the probabilities too.
        spread
            Of which variance of the score the standard deviations are. "mean_field": that of training, which is mostly
            too small. "full": with what mean field leaves out, as in `predict_interval`. Probabilities are the same.

        Returns
        -------
        ndarray, or a pair of them

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "a", "c"], [9, 9, 9])
        >>> model = vbn.VBN(dim=2, epochs=9, verbose=False).fit(data)
        >>> p, std = model.predict_proba([("a", "b"), ("a", "a")], return_std=True)
        >>> bool(p[0] > p[1])
        True
        """
        trained, rows, columns = self._asked(pairs, spread)
        mean, variance = pair_scores(trained, rows, columns)
        p = probability(mean, variance, trained.temperature)
        if not return_std:
            return p
        if spread == "full":
            variance = full_variances(trained, self._shown(), rows, columns)
        return p, probability_std(mean, variance, trained.temperature)

    @hinting(PAIRS)
    def predict_interval(self, pairs: Any, level: float = 0.8, spread: str = "full") -> tuple[np.ndarray, np.ndarray]:
        """Between which probabilities that of each pair lies: sigmoid of a central interval of the score.

        Parameters
        ----------
        pairs
            As in `predict_proba`.
        level
            How much of the posterior lies inside, above 0 and below 1.
        spread
            "full": the variance of the score with what mean field leaves out. Where data is drawn from the model,
            intervals then hold about what they promise (docs/uncertainty.md). It is computed anew for every row and
            column that is named, from the counts; what relations tell of these is left out. "mean_field": the variance
            of training, which is at hand and mostly too small.

        Returns
        -------
        lower, upper : ndarray

        Raises
        ------
        DataError
            For "full" if the model was saved without its counts.

        Examples
        --------
        >>> import vbn
        >>> text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
        >>> model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
        >>> pairs = [("dog", "barks"), ("dog", "purrs")]
        >>> lower, upper = model.predict_interval(pairs, level=0.9)
        >>> p = model.predict_proba(pairs)
        >>> bool((lower < p).all() and (p < upper).all())
        True
        """
        trained, rows, columns = self._asked(pairs, spread)
        need_number("level", level, above=0.0)
        if level >= 1:
            raise ParameterError(f"level={level!r} must be below 1: the score of a pair may be any number.")
        mean, variance = pair_scores(trained, rows, columns)
        if spread == "full":
            variance = full_variances(trained, self._shown(), rows, columns)
        return probability_interval(mean, variance, float(level), trained.temperature)

    def _asked(self, pairs: Any, spread: str) -> tuple[Trained, np.ndarray, np.ndarray]:
        trained = self._model()
        if spread not in ("mean_field", "full"):
            raise ParameterError(f"spread={spread!r} is neither 'mean_field' nor 'full'.")
        left, right = pair_columns(pairs)
        return trained, trained.rows.ids(left), trained.columns.ids(right)

    def _shown(self) -> Expected:
        """What training showed the model, in expectation."""
        data, trained = self._data, self._model()
        if data is None:
            raise DataError(
                "this model was saved without its counts, which spread='full' needs. Ask for spread='mean_field', or "
                "save with counts=True."
            )
        options = sampling_options(self.get_params())
        sampler = sampler_of(data, trained.negatives, trained.noise_power, options)
        return expected_cooccurrences(data, sampler, options["subsample"])
