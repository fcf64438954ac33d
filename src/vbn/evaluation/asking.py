"""Whom a scorer is asked about: its users, what they have, and the catalogue that it ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.baselines import Baseline, Predictive, as_scorer, known_of
from vbn.data import Counts, Dataset, Vocabulary, known_ids
from vbn.estimators import VBN

_TRAINING_DATA = ("", "data=, the Dataset that it was trained on")


class Lists:
    """What users have, by name, as columns of a scorer."""

    def __init__(self, rows: Vocabulary, own: Vocabulary, counts: Counts, columns: Vocabulary) -> None:
        self.rows, self._counts = rows, counts
        self._place = None if own.names == columns.names else known_ids(columns, own)

    @classmethod
    def of_data(cls, data: Dataset, columns: Vocabulary) -> Lists:
        """Return what the rows of a data set have."""
        return cls(data.rows, data.columns, data.counts, columns)

    def of(self, user: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids of a user's columns that the scorer knows, and their counts; nothing for an unknown user."""
        if user not in self.rows:
            return np.empty(0, np.int64), np.empty(0)
        row = self.rows.id(user)
        cells = slice(int(self._counts.indptr[row]), int(self._counts.indptr[row + 1]))
        ids, values = self._counts.indices[cells].astype(np.int64), self._counts.values[cells]
        if self._place is None:
            return ids, values
        ids = self._place[ids]
        return ids[ids >= 0], values[ids >= 0]


@dataclass(frozen=True)
class Subject:
    """A scorer with what evaluation has to know beside its scores.

    `users` are those that may be asked about (None: any); `asked_by` are the lists that stand for users in the
    question (None: their names); `seen` are the lists that are no answers (None: nothing is left out).
    """

    name: str
    scorer: Any
    columns: Vocabulary
    counts: np.ndarray
    candidates: np.ndarray
    users: Vocabulary | None
    asked_by: Lists | None
    seen: Lists | None
    shared: bool

    @property
    def popularity(self) -> float:
        """The position of the scorer's own dial."""
        return self.scorer.popularity if isinstance(self.scorer, Predictive) else 0.0

    def scores(self, queries: Sequence[Any]) -> np.ndarray:
        """Return a copy of the scores, checked."""
        found = np.array(self.scorer.scores(list(queries)), dtype=np.float64)
        if found.shape != (len(queries), len(self.columns)):
            raise DataError(
                f"scores() of {self.name} returned an array of shape {found.shape} for {len(queries)} queries and "
                f"{len(self.columns)} columns; it must have a row for each query and a column for each of `columns`."
            )
        if np.isnan(found).any():
            raise DataError(f"scores() of {self.name} returned NaN; give every column a number, -inf for the last.")
        return found

    def query(self, user: object, name: str) -> Any:
        """Return the question about a user: as the caller names them, or {column: count}; None if that is empty."""
        if self.asked_by is None:
            return user
        ids, values = self.asked_by.of(name)
        return {self.columns[j]: float(count) for j, count in zip(ids.tolist(), values, strict=True)} or None

    def has(self, name: str) -> np.ndarray:
        """Return the columns that are no answer for a user."""
        ids = np.empty(0, np.int64) if self.seen is None else self.seen.of(name)[0]
        if self.shared and self.asked_by is None and name in self.columns:
            ids = np.append(ids, self.columns.id(name))
        return ids


def subject_of(
    model: Any, data: Dataset | None, fold_in: Dataset | None, exclude_seen: bool, own_dial: bool
) -> Subject:
    """Return a model or a scorer as the subject of an evaluation; without `own_dial`, its dial is at 0."""
    for name, given in (("data", data), ("fold_in", fold_in)):
        if given is not None and not isinstance(given, Dataset):
            raise ParameterError(f"{name} must be a Dataset, not {type(given).__name__}.")
    if isinstance(model, Baseline | VBN | Predictive):
        return _of_library(model, data, fold_in, exclude_seen, own_dial)
    if not (hasattr(model, "scores") and hasattr(model, "columns")):
        raise ParameterError(
            f"{type(model).__name__} cannot be evaluated: give a fitted model, or an object with `columns` (names) and "
            "`scores(queries)`, which returns an array of a row for each query and a column for each name."
        )
    return _of_anything(model, data, fold_in, exclude_seen)


def _of_library(
    model: Any, data: Dataset | None, fold_in: Dataset | None, exclude_seen: bool, own_dial: bool
) -> Subject:
    """Return the subject of a model of this library, which knows its users, its counts and its parents."""
    known = known_of(model)
    scorer: Any = as_scorer(model)
    if isinstance(scorer, Predictive) and not own_dial:
        scorer = scorer.without_dial()
    columns, candidates = known.columns, known.candidates
    counts = columns.counts if data is None else _counts_of(data, columns)
    training = _training_lists(model, columns) if data is None else Lists.of_data(data, columns)
    elsewhere = known.shared and data is not None and not data.shared  # items x items, asked about the users of `data`
    asked_by = Lists.of_data(fold_in, columns) if fold_in is not None else training if elsewhere else None
    name = scorer.name if isinstance(scorer, Predictive) else type(model).__name__
    seen = _seen(name, asked_by or training, exclude_seen, [("counts", True)])
    users = known.rows if asked_by is None else asked_by.rows
    shared = known.shared and asked_by is None
    allowed = candidates if data is None else candidates & _candidates_of(data, columns)
    return Subject(name, scorer, columns, counts, allowed, users, asked_by, seen, shared)


def _of_anything(model: Any, data: Dataset | None, fold_in: Dataset | None, exclude_seen: bool) -> Subject:
    """Return the subject of somebody's own scorer; what it does not know is taken from the training data."""
    name, given = type(model).__name__, model.columns
    columns = given if isinstance(given, Vocabulary) else Vocabulary(list(given))
    if data is None and not columns.counts.any():
        raise DataError(
            f"{name} does not say how often each column was seen in training, which the figures by frequency and the "
            "popularity baseline need; pass {remedy}.",
            remedies=[_TRAINING_DATA],
        )
    training = None if data is None else Lists.of_data(data, columns)
    asked_by = None if fold_in is None else Lists.of_data(fold_in, columns)
    counts = columns.counts if data is None else _counts_of(data, columns)
    allowed = np.ones(len(columns), dtype=bool) if data is None else _candidates_of(data, columns)
    source = asked_by or training
    seen = _seen(name, source, exclude_seen, [])
    users, shared = None if source is None else source.rows, data is not None and data.shared
    return Subject(name, model, columns, counts, allowed, users, asked_by, seen, shared)


def _seen(name: str, lists: Lists | None, exclude_seen: bool, more: list[tuple[str, object]]) -> Lists | None:
    if not exclude_seen:
        return None
    if lists is None:
        saving = "or save it with {remedy}, " if more else ""
        raise DataError(
            f"what users have is not known, as this {name} does not hold the counts of its training data. Pass "
            f"{{remedy}}, {saving}or pass {{remedy}}.",
            remedies=[("exclude_seen", False), *more, _TRAINING_DATA],
        )
    return lists


def _training_lists(model: Any, columns: Vocabulary) -> Lists | None:
    """Return what users have in the data that a model of this library holds."""
    if isinstance(model, Predictive):
        trained, counts = model.trained, model.counts
        return None if counts is None else Lists(trained.rows, trained.columns, counts, columns)
    return None if model.data_ is None else Lists.of_data(model.data_, columns)


def _counts_of(data: Dataset, columns: Vocabulary) -> np.ndarray:
    """Return how often columns of a scorer were seen in a data set; 0 where it does not have them."""
    place = known_ids(data.columns, columns)
    return np.where(place >= 0, data.columns.counts[place], 0.0)


def _candidates_of(data: Dataset, columns: Vocabulary) -> np.ndarray:
    """Return which columns of a scorer may be an answer: not those that are only parents in a data set."""
    allowed = np.ones(len(data.columns), dtype=bool)
    if data.column_taxonomy is not None:
        allowed[data.column_taxonomy.category_ids] = False
        allowed |= data.counts.column_sums() > 0
        if data.shared:
            allowed |= data.counts.row_sums() > 0
    place = known_ids(data.columns, columns)
    return np.where(place >= 0, allowed[place], True)
