"""Ranked answers to a set of entities, or to rows seen in training: `recommend`."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.estimators._checking import need_flag
from vbn.estimators._hints import hinting
from vbn.estimators._progress import announced
from vbn.estimators._queries import Queries, check_k
from vbn.inference import Hidden, Table, Tables, average, both, contexts_of, fold_in, rank, read_dial, tables
from vbn.kernels import ContextArrays
from vbn.model import Gaussians, Trained

_compiled: set[str] = set()


class Recommending(Queries):
    """Gives a model `recommend`."""

    verbose: bool

    @hinting("pass it as user=", "give it as an entity, not as user=")
    def recommend(
        self, entities: Any = None, k: int = 10, *, user: Any = None, query: str = "fold_in", popularity: float = 0.0,
        popularity_floor: float = 0.0, exclude_seen: bool = True, candidates: Iterable[object] | None = None,
        explore: str | None = None, seed: int | None = None,
    ) -> Table | Tables:  # fmt: skip
        """What goes best with some entities, or with a row seen in training.

        Parameters
        ----------
        entities
            What somebody has: a list of names or {name: count}. A list of such lists is a batch. Nothing at all (an
            empty list) is somebody of whom nothing is known: add popularity=1 for what most people have.
        k
            How many answers.
        user
            Instead of entities: the name of a row seen in training, or a list of names (a batch).
        query
            "fold_in": the entities are the contexts of a new row, whose density is inferred in closed form; a `user`
            has one already. "average": the mean of the random variables of the entities, as in the paper; only where
            the entities are rows too. "both": the mean of the random variable of a `user` and of the average of what
            he has, for data with `Dataset.with_co_occurrences`.
        popularity
            The dial: this times log(count) adds to the logit of each candidate. Above 0 favours popular entities, below
            0 rare ones.
        popularity_floor
            Makes that log(count + floor x mean count): candidates that are seen far less often than so many times the
            average count as equally popular, so that the dial lifts what is frequent and the long tail nearly keeps the
            order that the model gives it. With 1, try a dial between 0.5 and 1.5.
        exclude_seen
            Whether to leave out the entities of the query, or those that the user has.
        candidates
            Names of the only entities that may be an answer; by default all but those that are parents only.
        explore
            "thompson": rank by scores drawn from the posterior, so that what the model is not sure of is tried too.
        seed
            For `explore`: same seed, same draws.

        Returns
        -------
        Table or Tables
            Entity, score (probability, after the dial) and its standard deviation; several tables for a batch.

        Examples
        --------
        >>> import vbn
        >>> users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee", "dee"] * 5
        >>> items = ["tea", "milk", "tea", "honey", "beer", "crisps", "beer", "nuts"] * 5
        >>> data = vbn.Dataset.from_interactions(users, items)
        >>> model = vbn.VBN(dim=4, epochs=20, negatives=2, verbose=False).fit(data)
        >>> sorted(row.entity for row in model.recommend(["tea"], k=2))
        ['honey', 'milk']
        """
        trained = self._model()
        check_k(k)
        _compile(trained, self.verbose)
        need_flag("exclude_seen", exclude_seen)
        dial, rng = read_dial(popularity, popularity_floor), _generator(explore, seed)
        allowed = _allowed(trained, candidates)
        if (entities is None) == (user is None):
            raise ParameterError("recommend() needs entities or user=, one of the two.")
        if user is not None:
            many = not isinstance(user, (str, bytes, numbers.Number)) and isinstance(user, Iterable)
            names = list(user) if many else [user]
            queries, seen = self._rows(trained, names, exclude_seen, query)
        else:
            many, baskets = read_baskets(entities)
            names = list(range(len(baskets))) if many else [None]
            queries, seen = _inferred(trained, baskets, query)
        hidden = Hidden.of(seen if exclude_seen else [np.empty(0, np.int64)] * len(names))
        ranked = rank(trained, queries, int(k), allowed, hidden, dial, rng)
        labels = [None if name is None else str(name) for name in names]
        found = tables(trained, queries, ranked, dial, labels, "score" if dial or rng is not None else "p")
        return Tables(found) if many else found[0]

    def _rows(
        self, trained: Trained, names: list[Any], exclude: bool, query: str
    ) -> tuple[Gaussians, list[np.ndarray]]:  # fmt: skip
        """Densities of rows, and the columns that each was seen with (itself, where rows are columns)."""
        if query not in ("fold_in", "both"):
            raise ParameterError(f"query={query!r} is neither 'fold_in' nor 'both', which is what a user= can be.")
        ids, u = trained.rows.ids(names), trained.posterior.u
        if self._data is None and (query == "both" or (exclude and not trained.shared)):
            way = "Leave query= out" if query == "both" else "Pass exclude_seen=False"
            raise DataError(
                f"this model was saved without its counts, so what a user has seen is not known. {way}, or save with "
                "counts=True."
            )
        queries = Gaussians(u.mean[ids], u.variance[ids])
        if self._data is not None and query == "both":
            queries = both(trained, ids, contexts_of(self._data.counts, ids))
        if trained.shared:
            return queries, [ids[at : at + 1] for at in range(len(ids))]
        if self._data is None:
            return queries, []
        counts = self._data.counts
        return queries, [counts.indices[counts.indptr[i] : counts.indptr[i + 1]] for i in ids]


def _compile(trained: Trained, verbose: bool) -> None:
    """Compile the kernels with a question about nothing, and say so if it takes a while: once after an install."""
    dtype = trained.posterior.v.mean.dtype.name
    if dtype not in _compiled:
        with announced("getting kernels ready (once after an install they are compiled: a few seconds)", verbose):
            nobody = fold_in(trained, ContextArrays(np.zeros(2, np.int64), np.empty(0, np.int64), np.empty(0)))
            for rng in (None, np.random.default_rng(0)):
                rank(trained, nobody, 1, np.zeros(1, np.int64), Hidden.of([np.empty(0, np.int64)]), rng=rng)
        _compiled.add(dtype)


def _is_number(value: Any, kind: type = numbers.Real) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _generator(explore: Any, seed: Any) -> np.random.Generator | None:
    if explore is None:
        return None
    if explore != "thompson":
        raise ParameterError(f"explore={explore!r} is neither None nor 'thompson'.")
    if seed is not None and not (_is_number(seed, numbers.Integral) and int(seed) >= 0):
        raise ParameterError(f"seed={seed!r} must be a whole number of at least 0, or None for new draws each time.")
    return np.random.default_rng(None if seed is None else int(seed))


def _allowed(trained: Trained, candidates: Any) -> np.ndarray:
    if candidates is None:
        return np.flatnonzero(trained.profile.candidates("column"))
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise ParameterError(f"candidates={candidates!r} must be a list of names.")
    return np.unique(trained.columns.ids(candidates))


def read_baskets(entities: Any) -> tuple[bool, list[dict[Any, float]]]:
    """Whether there are several queries, and the contexts of each with their counts."""
    if isinstance(entities, (str, bytes, numbers.Number)):
        return False, [read_basket([entities])]
    if isinstance(entities, Mapping):
        return False, [read_basket(entities)]
    if not isinstance(entities, Iterable):
        raise ParameterError(f"recommend() takes names, not {type(entities).__name__}.")
    given = list(entities)
    nested = [not isinstance(entry, (str, bytes, numbers.Number)) and isinstance(entry, Iterable) for entry in given]
    if given and all(nested):
        return True, [read_basket(entry) for entry in given]
    if any(nested):
        raise ParameterError("recommend() takes names, or a list of lists of names, not both mixed.")
    return False, [read_basket(given)]


def read_basket(given: Any) -> dict[Any, float]:
    """Names with counts; a name that is there twice counts twice."""
    if not isinstance(given, Mapping):
        return {name: float(count) for name, count in Counter(given).items()}
    for name, count in given.items():
        if not (_is_number(count) and 0 < float(count) < np.inf):
            raise DataError(f"the count of {name!r} in the query is {count!r}; counts must be positive numbers.")
    return {name: float(count) for name, count in given.items()}


def _inferred(trained: Trained, baskets: list[dict[Any, float]], query: str) -> tuple[Gaussians, list[np.ndarray]]:
    """Densities of queries, and the columns that each names."""
    if query not in ("fold_in", "average"):
        raise ParameterError(f"query={query!r} is neither 'fold_in' nor 'average', which is what entities can be.")
    if query == "average" and not all(baskets):
        raise ParameterError("query='average' has nothing to average: the query is empty. Use query='fold_in'.")
    ids = [trained.columns.ids(basket) for basket in baskets]
    contexts = ContextArrays(
        np.concatenate(([0], np.cumsum([len(one) for one in ids]))).astype(np.int64),
        np.concatenate([*ids, np.empty(0, np.int64)]),
        np.array([count for basket in baskets for count in basket.values()], dtype=np.float64),
    )
    return (fold_in if query == "fold_in" else average)(trained, contexts), ids
