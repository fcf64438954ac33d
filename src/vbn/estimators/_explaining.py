"""Why a density is where it is: `explain`."""

from __future__ import annotations

from vbn.estimators._hints import BY_SIDE, hinting
from vbn.estimators._params import Parameters
from vbn.estimators._queries import Queries, check_k
from vbn.estimators._resampling import sampler_of, sampling_options
from vbn.inference import Explanation, TrainingCells, expected_cooccurrences, expected_relations, explain


class Explaining(Parameters, Queries):
    """Gives a model `explain`."""

    @hinting(BY_SIDE)
    def explain(self, entity: object, side: str = "column", k: int = 5) -> Explanation:
        """How much of an entity's density is prior and how much data, from which parents and which pairs.

        Parameters
        ----------
        entity
            Its name.
        side
            "row" or "column": the namespace, where the two differ.
        k
            How many of the observed pairs that moved it most to name.

        Returns
        -------
        Explanation
            Prints as text; `to_dict()` gives plain data. Pairs are named only where the model has its counts
            (`save(folder, counts=False)` leaves them out).

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [10, 4])
        >>> data = data.with_taxonomy({"dog": ["animal"], "cow": ["animal"]})
        >>> model = vbn.VBN(dim=4, epochs=5, verbose=False).fit(data)
        >>> print(model.explain("cow"))  # doctest: +ELLIPSIS
        cow: never seen
          as an entity (u): 100 % prior; std ...
        """
        trained = self._model()
        check_k(k)
        return explain(trained, str(entity), side, int(k), self._training_cells())

    def _training_cells(self) -> TrainingCells | None:
        data, trained = self._data, self._model()
        if data is None:
            return None
        options = sampling_options(self.get_params())
        sampler = sampler_of(data, trained.negatives, trained.noise_power, options)
        return TrainingCells(
            expected_cooccurrences(data, sampler, options["subsample"]),
            expected_relations(data, sampler, options["relation_weight"], options["hard_negatives"]),
        )
