"""What evaluation asks of any model: scores of all columns for a batch of queries."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from vbn._errors import ParameterError
from vbn.baselines.baseline import Baseline, Entities, scores_of
from vbn.data import Counts, Vocabulary
from vbn.estimators import VBN
from vbn.inference import AllColumns, Dial, average, both, check_averages, contexts_of, fold_in, read_dial
from vbn.kernels import ContextArrays
from vbn.model import Gaussians, Lifts, Trained


@runtime_checkable
class Scorer(Protocol):
    """Scores of every column for queries, the higher the better.

    A query is the name of a row seen in training, or a list of columns (or {column: count}). The columns of the
    answer follow `columns`; after a fit on a `Dataset` these are the columns of the data set.
    """

    @property
    def columns(self) -> Vocabulary:
        """The entities that are scored."""

    def scores(self, queries: Iterable[Any]) -> np.ndarray:
        """Return an array of shape (number of queries, number of columns)."""


class Predictive:
    """Scores of a Bayesian model, by the logit of the posterior predictive; the arguments are those of `as_scorer`."""

    name = "VBN"  # what tables call it

    def __init__(
        self,
        trained: Trained,
        query: str = "fold_in",
        popularity: float | Dial = 0.0,
        counts: Counts | None = None,
        popularity_floor: float = 0.0,
        affinity: bool = False,
    ) -> None:
        if query not in ("fold_in", "average", "both"):
            raise ParameterError(f"query must be 'fold_in', 'average' or 'both', got {query!r}.")
        if query != "fold_in":
            check_averages(trained, query)
        if query == "both" and counts is None:
            raise ParameterError("{remedy} needs a model that has its counts.", remedies=[("query", "both")])
        self._trained, self._query, self._counts = trained, query, counts
        self._dial, self._affinity = read_dial(popularity, popularity_floor), affinity

    @property
    def columns(self) -> Vocabulary:
        """The entities that are scored."""
        return self._trained.columns

    @property
    def trained(self) -> Trained:
        """The model that is scored with."""
        return self._trained

    @property
    def counts(self) -> Counts | None:
        """The counts that the model was trained on, if it has them."""
        return self._counts

    @property
    def popularity(self) -> float:
        """The position of the dial."""
        return self._dial.weight

    def without_dial(self) -> Predictive:
        """Return the same scorer with its dial at 0, by the densities alone."""
        result = copy.copy(self)
        result._dial, result._affinity = read_dial(0.0), False
        return result

    def scores(self, queries: Iterable[Any]) -> np.ndarray:
        """Return predictive logits after the dial, one row for each query."""
        trained = self._trained
        result = scores_of(queries, trained.rows, trained.columns, self._row_logits, self._basket_logits)
        if self._dial:
            result += self._dial.added(trained.profile)
        return result

    def _row_logits(self, ids: np.ndarray) -> np.ndarray:
        own = None if self._counts is None else contexts_of(self._counts, ids)
        if self._query == "both" and own is not None:
            return self._logits(both(self._trained, ids, own), lifts=self._lifts(own))
        u = self._trained.posterior.u
        return self._logits(Gaussians(u.mean[ids], u.variance[ids]), self._trained.row_active[ids], self._lifts(own))

    def _lifts(self, contexts: ContextArrays | None) -> Lifts | None:
        return (
            None if contexts is None or not self._affinity else self._trained.lifts(contexts.indptr, contexts.indices)
        )

    def _basket_logits(self, baskets: Any) -> np.ndarray:
        if self._query != "fold_in" and (np.diff(baskets.indptr) == 0).any():
            raise ParameterError(
                f"query={self._query!r} has nothing to average: a query is empty. Use {{remedy}}.",
                remedies=[("query", "fold_in")],
            )
        contexts = ContextArrays(
            baskets.indptr.astype(np.int64), baskets.indices.astype(np.int64), baskets.data.astype(np.float64)
        )
        known = np.diff(contexts.indptr) > 0
        inferred = (fold_in if self._query == "fold_in" else average)(self._trained, contexts)
        return self._logits(inferred, known, self._lifts(contexts))

    @cached_property
    def _logits(self) -> AllColumns:
        """What turns densities into logits of all columns."""
        return AllColumns(self._trained)


def known_of(model: Any) -> Entities:
    """Return the entities of a fitted model, a baseline or a Bayesian one, and which columns may be an answer."""
    if isinstance(model, Baseline):
        return model._known()
    trained = model.trained if isinstance(model, Predictive) else model.trained_
    return Entities(trained.rows, trained.columns, trained.profile.candidates("column"))


def as_scorer(
    model: Any,
    query: str = "fold_in",
    popularity: float | str = "auto",
    popularity_floor: float = 0.0,
    affinity: bool | None = None,
) -> Scorer:
    """Return a model as evaluation sees it: baselines as they are, Bayesian models by their posterior predictive.

    Parameters
    ----------
    model
        A fitted `VBN` or `BayesianSkipGram`, or any model with `scores` and `columns` of its own.
    query
        For Bayesian models: how a list of columns becomes a row, "fold_in" or "average", as in `VBN.recommend`; with
        "both", rows stand half for themselves and half for the columns that they have, and lists are averaged.
    popularity, popularity_floor
        For Bayesian models: this times log(count + floor x mean count) adds to the logit, less a constant. "auto": the
        position that the fit chose, as in `VBN.recommend`.
    affinity
        For Bayesian models: whether what occurs together counts too; by default where popularity is "auto".

    Examples
    --------
    >>> import vbn
    >>> from vbn.baselines import as_scorer
    >>> data = vbn.Dataset.from_interactions(["ann", "ann", "ben"], ["tea", "milk", "beer"])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> as_scorer(model).scores(["ann", ["tea"], []]).shape
    (3, 3)
    """
    if hasattr(model, "scores"):
        return cast(Scorer, model)
    if not isinstance(model, VBN):
        raise ParameterError(f"{type(model).__name__} has no scores(); give a fitted model of this library.")
    counts = model.data_.counts if model.data_ is not None else None
    dial = model._dial(popularity, popularity_floor)
    lifted = isinstance(popularity, str) if affinity is None else affinity
    scorer = Predictive(model.trained_, query, dial, counts, affinity=lifted)
    scorer.name = type(model).__name__
    return scorer
