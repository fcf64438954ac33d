"""How far predicted probabilities can be trusted: `uncertainty` and `calibrate`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from vbn.data import Counts
from vbn.estimators._checking import need_number, need_whole
from vbn.estimators._params import Parameters
from vbn.estimators._queries import Queries
from vbn.estimators._resampling import sampler_of, sampling_options
from vbn.inference import LabelledPairs, Reliability, best_temperature, labelled_pairs, pair_logits


class Calibrating(Parameters, Queries):
    """Gives a model `uncertainty` and `calibrate`."""

    def uncertainty(self, held_out: Any, bins: int = 10, negatives: float | None = None, seed: int = 0) -> Reliability:
        """How predicted probabilities compare with what happened, on pairs that training did not see.

        Parameters
        ----------
        held_out
            A `Dataset` of held-out counts, or pairs (left, right) or (left, right, label) as rows, a table or a file.
            Label 1 is an observed pair, 0 is noise. Without labels, noise pairs are drawn as in training. Pairs that
            the model does not know are left out and counted.
        bins
            Number of bins of equal width.
        negatives
            Noise pairs for each held-out pair; by default as many as in training. The probabilities that the model
            predicts are meant for that ratio.
        seed
            Of the noise pairs.

        Returns
        -------
        Reliability
            Prints as a table; has `ece`, `log_loss`, `brier`, `to_pandas()`, `to_polars()` and `plot()`.

        Examples
        --------
        >>> import vbn
        >>> text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
        >>> model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
        >>> reliability = model.uncertainty([("dog", "barks"), ("cat", "purrs")])
        >>> reliability.n_pairs
        4
        """
        trained = self._model()
        need_whole("bins", bins, least=1, most=1000)
        pairs = self._labelled(held_out, negatives, seed)
        logits = pair_logits(trained, pairs) / trained.temperature
        p = 0.5 * (1.0 + np.tanh(0.5 * logits))
        return Reliability.of(p, pairs.labels, pairs.weights, int(bins), trained.temperature, pairs.skipped)

    def calibrate(self, validation: Any, seed: int = 0) -> Self:
        """Fit one temperature to validation pairs: from then on p = sigmoid(logit / T).

        Rankings stay as they are; `predict_proba` and other reported probabilities of co-occurring change. Relations
        are not touched. A new fit sets T back to 1.

        Parameters
        ----------
        validation
            Pairs as in `uncertainty`; not those that the result is judged on.
        seed
            Of the noise pairs.

        Raises
        ------
        DataError
            If no temperature fits best: the model tells all the pairs apart, or none.

        Examples
        --------
        >>> import vbn
        >>> text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
        >>> model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
        >>> before = model.predict_proba([("dog", "barks")])
        >>> model = model.calibrate([("dog", "barks", 1), ("dog", "purrs", 0), ("dog", "barks", 0)])
        >>> bool(model.predict_proba([("dog", "barks")]) < before)
        True
        """
        trained = self._model()
        pairs = self._labelled(validation, None, seed)
        temperature = best_temperature(pair_logits(trained, pairs), pairs.labels, pairs.weights)
        self._trained = replace(trained, temperature=temperature)
        return self

    def _labelled(self, held_out: Any, negatives: float | None, seed: int) -> LabelledPairs:
        need_whole("seed", seed, least=0)
        if negatives is not None:
            need_number("negatives", negatives, above=0.0)
        return labelled_pairs(held_out, self._model(), negatives, self._never_noise(), int(seed))

    def _never_noise(self) -> Counts | None:
        """The pairs that training would not draw as noise: the observed ones, if it rejects them."""
        data, trained = self._data, self._model()
        if data is None:
            return None
        sampler = sampler_of(data, trained.negatives, trained.noise_power, sampling_options(self.get_params()))
        return data.counts if sampler.reject else None
