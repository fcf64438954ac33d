"""What the baselines share: queries as ids, scores of all columns, and recommendations by them."""

from __future__ import annotations

import importlib
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from vbn._errors import DataError, MissingExtraError, ParameterError, VBNError
from vbn.data import Dataset, Vocabulary
from vbn.estimators import VBN, Batches, Parameters, check_k, in_batches, read_basket, read_baskets
from vbn.inference import Table, Tables, read_dial, top
from vbn.model import log_popularity

Scoring = Callable[[Any], np.ndarray]


def need(module: str, extra: str = "vbn[baselines]") -> Any:
    """Import a module of an optional package, or say how to install it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{package} is not installed: pip install '{extra}'.") from error


def scores_of(
    queries: Iterable[Any], rows: Vocabulary, columns: Vocabulary, of_rows: Scoring, of_baskets: Scoring
) -> np.ndarray:
    """Return scores of all columns for queries: names of rows (as ids), and lists of columns (as a sparse matrix)."""
    if isinstance(queries, (str, bytes, numbers.Number)) or not isinstance(queries, Iterable):
        raise ParameterError(f"scores() takes a list of queries, not {queries!r} alone.")
    given = list(queries)
    if strange := [query for query in given if not isinstance(query, (bytes, numbers.Number, Iterable))]:
        raise ParameterError(f"a query is the name of a row or a list of columns, not {strange[0]!r}.")
    single = np.array([isinstance(query, (str, bytes, numbers.Number)) for query in given], dtype=bool)
    baskets = [read_basket(query) for query, is_row in zip(given, single, strict=True) if not is_row]
    ids = rows.ids(query for query, is_row in zip(given, single, strict=True) if is_row)
    matrix = basket_matrix(baskets, columns)
    result = np.empty((len(given), len(columns)))
    if len(ids):
        result[single] = of_rows(ids)
    if baskets:
        result[~single] = of_baskets(matrix)
    return result


def basket_matrix(baskets: list[dict[Any, float]], columns: Vocabulary) -> Any:
    """Return baskets as a sparse matrix of counts, one row each."""
    from scipy.sparse import csr_array

    ids = [columns.ids(basket) for basket in baskets]
    indptr = np.concatenate(([0], np.cumsum([len(one) for one in ids]))).astype(np.int64)
    values = np.array([count for basket in baskets for count in basket.values()], dtype=np.float64)
    indices = np.concatenate([*ids, np.empty(0, np.int64)])
    matrix = csr_array((values, indices, indptr), shape=(len(baskets), len(columns)))
    matrix.sort_indices()
    return matrix


_AT_ONCE = 128  # queries whose scores are held at a time


@dataclass(frozen=True)
class Entities:
    """The entities of a fitted model, and which columns may be an answer."""

    rows: Vocabulary
    columns: Vocabulary
    candidates: np.ndarray

    @property
    def shared(self) -> bool:
        """Whether rows and columns are the same entities."""
        return self.rows is self.columns


class NotOfferedError(VBNError, AttributeError):
    """A verb of `VBN` that a baseline does not have; for `hasattr` it is simply not there."""


class Baseline(Parameters, ABC):
    """Gives a model `scores` and `recommend`, from scores of rows and of baskets."""

    data_: Dataset | None = None  # what it was fitted to; None if it was saved without counts
    _measure = "score"

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(VBN, name):
            raise NotOfferedError(f"{type(self).__name__} has no {name}: that is for Bayesian models, such as VBN.")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @abstractmethod
    def _known(self) -> Entities:
        """Return the entities; raises `NotFittedError` before `fit`."""

    @abstractmethod
    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        """Return scores of all columns for rows seen in training, given by their ids."""

    @abstractmethod
    def _basket_scores(self, baskets: Any) -> np.ndarray:
        """Return scores of all columns for a sparse matrix of baskets."""

    @property
    def columns(self) -> Vocabulary:
        """The entities that are scored and recommended."""
        return self._known().columns

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, in the order of their ids."""
        return self._known().columns.names

    def __contains__(self, name: object) -> bool:
        return name in self._known().columns

    def scores(self, queries: Iterable[Any]) -> np.ndarray:
        """Return scores of every column for some queries, the higher the better.

        Parameters
        ----------
        queries
            Each is the name of a row seen in training, or a list of columns (or {column: count}).

        Returns
        -------
        ndarray of shape (number of queries, number of columns)
            In the order of `columns`.
        """
        known = self._known()
        return scores_of(queries, known.rows, known.columns, self._row_scores, self._basket_scores)

    def recommend(
        self,
        entities: Any = None,
        k: int = 10,
        *,
        user: Any = None,
        query: str = "fold_in",
        popularity: float = 0.0,
        popularity_floor: float = 0.0,
        exclude_seen: bool = True,
        candidates: Iterable[object] | None = None,
        sample: None = None,
        explore: None = None,
        seed: int | None = None,
    ) -> Table | Tables:
        """Return what goes best with some entities, or with a row seen in training.

        Parameters
        ----------
        entities
            The entities of a query: a list of names or {name: count}. A list of such lists is a batch.
        k
            How many answers.
        user
            Instead of entities: the name of a row seen in training, or a list of names (a batch).
        query
            "fold_in" or "average", as `VBN` has it. A baseline has only one way to read a list of entities, which its
            class documents, and uses it for both.
        popularity, popularity_floor
            The dial: this times log(count + floor x mean count) adds to the score of each candidate.
        exclude_seen
            Whether to leave out the entities of the query, or those that the user has.
        candidates
            Names of the only entities that may be an answer; by default all but those that are parents only.
        sample, explore, seed
            Must be None: baselines have no posterior to draw from.

        Returns
        -------
        Table or Tables
            Entity and score; the standard deviation is 0, since the model has none.
        """
        known = self._known()
        check_k(k)
        _check_manner(query, sample=sample, explore=explore, seed=seed)
        dial, allowed = read_dial(popularity, popularity_floor), _allowed(known, candidates)
        extra = dial.weight * log_popularity(known.columns.counts, dial.floor)
        if (entities is None) == (user is None):
            raise ParameterError("recommend() needs entities or {remedy}, one of the two.", remedies=[("user",)])
        if user is not None:
            many = not isinstance(user, (str, bytes, numbers.Number)) and isinstance(user, Iterable)
            names = list(user) if many else [user]
            ids = known.rows.ids(names)
            seen = self._seen(known, ids) if exclude_seen else [np.empty(0, np.int64)] * len(ids)
            tables = self._ranked(ids, seen, allowed, extra, int(k), [str(name) for name in names])
            return Tables(tables) if many else tables[0]
        many, baskets = read_baskets(entities)
        matrix = basket_matrix(baskets, known.columns)
        own = np.split(matrix.indices, matrix.indptr[1:-1]) if exclude_seen else [np.empty(0, np.int64)] * len(baskets)
        labels = [str(number) if many else None for number in range(len(baskets))]
        tables = self._ranked(matrix, own, allowed, extra, int(k), labels)
        return Tables(tables) if many else tables[0]

    def recommend_all(
        self,
        users: Iterable[object] | None = None,
        k: int = 10,
        *,
        skip_unknown: bool = False,
        batch_size: int = 1024,
        **options: Any,
    ) -> Batches:
        """Answer any number of users, some at a time; the arguments are those of `VBN.recommend_all`."""
        known = self._known()
        everybody = known.candidates if known.shared else np.ones(len(known.rows), dtype=bool)
        return in_batches(self, known.rows, known.columns, everybody, users, k, skip_unknown, batch_size, options)

    def _seen(self, known: Entities, rows: np.ndarray) -> list[np.ndarray]:
        """Return the columns that rows must not get: those they have, or themselves where rows are columns."""
        if known.shared:
            return list(rows[:, None])
        if self.data_ is None:
            raise DataError(
                "this model was saved without its counts, so what a user has is not known; pass {remedy}, or save it "
                "with {remedy}.",
                remedies=[("exclude_seen", False), ("counts", True)],
            )
        counts = self.data_.counts
        return [counts.indices[counts.indptr[row] : counts.indptr[row + 1]] for row in rows]

    def _ranked(
        self,
        queries: Any,
        hidden: list[np.ndarray],
        allowed: np.ndarray,
        extra: np.ndarray,
        k: int,
        labels: list[str | None] | list[str],
    ) -> list[Table]:
        """Return a table for each query (ids of rows, or rows of a sparse matrix), scored some at a time."""
        score = self._row_scores if isinstance(queries, np.ndarray) else self._basket_scores
        columns, found = self._known().columns, []
        for first in range(0, len(labels), _AT_ONCE):
            block = score(queries[first : first + _AT_ONCE]) + extra
            for at, values in enumerate(block, first):
                mask = allowed.copy()
                mask[hidden[at]] = False
                best = top(values, mask, k)
                none = np.zeros(len(best))
                found.append(Table.of(columns, best, values[best], none, self._measure, query=labels[at]))
        return found


def _check_manner(query: Any, **draws: Any) -> None:
    if query not in ("fold_in", "average"):
        raise ParameterError(f"query must be 'fold_in' or 'average', got {query!r}.")
    for name, value in draws.items():
        if value is not None:
            raise ParameterError(f"{name} is for models with a posterior to draw from; it must be None, got {value!r}.")


def _allowed(known: Entities, candidates: Any) -> np.ndarray:
    if candidates is None:
        return known.candidates
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise ParameterError(f"candidates={candidates!r} must be a list of names.")
    mask = np.zeros(len(known.columns), dtype=bool)
    mask[known.columns.ids(candidates)] = True
    return mask
