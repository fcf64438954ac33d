"""Verbs of the Bayesian models that a baseline does not have."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from vbn._errors import NumericalError, VBNError
from vbn.baselines.baseline import Baseline, Known
from vbn.data import Dataset, Taxonomy, Vocabulary
from vbn.estimators import Exporting, Saving
from vbn.model import COLUMN, ROW, Blueprint, Hyperpriors, Side, Trained, placeholder


class NotOfferedError(VBNError, AttributeError):
    """A verb that a model does not have, and why; for `hasattr` it is simply not there."""


class Absent:
    """In the place of a method: says why there is none."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise NotOfferedError(f"{owner.__name__} has no {self._name}: {self._why}.")


_POINT = 1e-12  # variance of a vector that is known for sure: storage wants it above 0
_NEGATIVES, _NOISE_POWER = 1.0, 0.75  # of training by negatives: nobody asks a point model for them


class PointModel(Baseline, Exporting, Saving):
    """A model of vectors: u for rows, v for columns, a bias for each column; scores are u.v + b unless told otherwise.

    `similar`, `export`, `save` and `vbn.load` are those of `VBN`; standard deviations are 0.
    """

    predict_proba = Absent("its scores are no probabilities")
    predict_interval = Absent("its scores are no probabilities")
    relation_proba = Absent("it learns no relations")
    related = Absent("it learns no relations")
    explain = Absent("its vectors have no prior to tell from the data")
    add = Absent("it has no prior for entities that training has not seen")
    uncertainty = Absent("its scores are no probabilities")
    calibrate = Absent("its scores are no probabilities")
    lower_bounds_ = Absent("it is not fitted by raising a bound")

    def _known(self) -> Known:
        trained = self._model()
        return Known(trained.rows, trained.columns, trained.profile.candidates("column"))

    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        return self._vector_scores(self._model().posterior.u.mean[rows])

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        return self._vector_scores(self._folded_in(baskets))

    def _folded_in(self, baskets: Any) -> np.ndarray:
        """A vector for each basket: by default the mean of its columns' vectors."""
        return mean_vectors(baskets, self._model().posterior.v.mean)

    def _vector_scores(self, queries: np.ndarray) -> np.ndarray:
        q = self._model().posterior
        scores: np.ndarray = queries.astype(np.float64) @ q.v.mean.T.astype(np.float64) + q.bias.mean
        return scores

    def _restore(self, trained: Trained, record: dict[str, Any]) -> None:  # noqa: ARG002 - has no bound to restore
        self._trained = trained

    def _record(self) -> dict[str, Any]:
        return {"lower_bounds": [], "validation": [], "converged": False}


def mean_vectors(baskets: Any, vectors: np.ndarray) -> np.ndarray:
    """Mean of the vectors of each basket's columns, weighted by their counts; 0 for an empty basket."""
    totals = np.asarray(baskets.sum(axis=1), dtype=np.float64)
    result: np.ndarray = (baskets @ vectors.astype(np.float64)) / np.where(totals > 0, totals, 1.0)[:, None]
    return result


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1; a vector of 0 stays."""
    vectors = vectors.astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: np.ndarray = vectors / np.where(lengths > 0, lengths, 1.0)
    return result


def point_model(data: Dataset, u: np.ndarray, v: np.ndarray, bias: np.ndarray | None = None) -> Trained:
    """Vectors of a data set's rows and columns as a trained model."""
    counts = data.counts
    return _trained(
        data.rows, data.columns, (data.row_taxonomy, data.column_taxonomy), u, v,
        np.zeros(len(v)) if bias is None else bias, counts.row_sums(), counts.column_sums(),
    )  # fmt: skip


def point_model_of_words(words: Vocabulary, u: np.ndarray, v: np.ndarray) -> Trained:
    """Vectors of words that no data set counted."""
    return _trained(words, words, (None, None), u, v, np.zeros(len(v)), words.counts, words.counts)


def _trained(
    rows: Vocabulary, columns: Vocabulary, taxonomies: tuple[Taxonomy | None, Taxonomy | None], u: np.ndarray,
    v: np.ndarray, bias: np.ndarray, row_sums: np.ndarray, column_sums: np.ndarray,
) -> Trained:  # fmt: skip
    if not all(np.isfinite(part).all() for part in (u, v, bias)):
        raise NumericalError("training ended with vectors that are not finite; try a smaller learning rate.")
    sides = Side(ROW, rows, taxonomies[0], row_sums > 0), Side(COLUMN, columns, taxonomies[1], column_sums > 0)
    nothing: dict[str, list[str]] = {"u": [], "v": [], "bias": []}
    hyperpriors, dtype = Hyperpriors(), np.dtype(np.float32)
    built = Blueprint(*sides, (), v.shape[1], dtype, hyperpriors, nothing).build(placeholder)
    arrays = {path: np.full(array.shape, _POINT, array.dtype) for path, array in built.arrays().items()}
    arrays |= {f"{name}.mean": np.ascontiguousarray(a, dtype) for name, a in (("u", u), ("v", v), ("bias", bias))}
    return Trained(
        row_side=sides[0],
        column_side=sides[1],
        relations=(),
        posterior=built.with_arrays(arrays),
        hyperpriors=hyperpriors,
        row_totals=np.array(row_sums, dtype=np.float64),
        negatives=_NEGATIVES,
        noise_power=_NOISE_POWER,
    )
