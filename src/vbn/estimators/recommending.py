"""Ranked answers to a set of entities, or to rows seen in training."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError
from vbn.data import Dataset
from vbn.estimators.checking import need_choice
from vbn.estimators.progress import announced
from vbn.inference import (
    RANK_BY,
    Dial,
    Hidden,
    Kept,
    Table,
    Tables,
    average,
    both,
    contexts_of,
    fold_in,
    rank,
    tables,
)
from vbn.kernels import ContextArrays
from vbn.model import Gaussians, Lifts, Trained

_compiled: set[str] = set()


def recommend(
    trained: Trained,
    kept: Dataset | Kept | None,
    entities: Any,
    k: int,
    *,
    user: Any,
    query: str,
    dial: Dial,
    affinity: bool,
    exclude_seen: bool,
    candidates: Iterable[object] | None,
    rng: np.random.Generator | None,
    rank_by: str,
    verbose: bool,
) -> Table | Tables:
    """Return what goes best with some entities or with rows; the arguments are those of `VBN.recommend`."""
    _compile(trained, verbose)
    allowed = _allowed(trained, candidates)
    if (entities is None) == (user is None):
        raise ParameterError(f"recommend() needs entities or {REMEDY}, one of the two.", remedies=[("user",)])
    if user is not None:
        many = not isinstance(user, (str, bytes, numbers.Number)) and isinstance(user, Iterable)
        names = list(user) if many else [user]
        queries, seen = _rows(trained, kept, names, exclude_seen, query)
        known = trained.row_active[trained.rows.ids(names)]
        has = [] if trained.shared else seen
    else:
        many, baskets = read_baskets(entities)
        names = list(range(len(baskets))) if many else [None]
        queries, seen = _inferred(trained, baskets, query)
        known = np.array([bool(basket) for basket in baskets])
        has = seen
    hidden = Hidden.of(seen if exclude_seen else [np.empty(0, np.int64)] * len(names))
    need_choice("rank_by", rank_by, tuple(RANK_BY))
    lifts = _lifts(trained, has) if affinity else None
    ranked = rank(trained, queries, k, allowed, hidden, dial, rng, rank_by, known, lifts)
    labels = [None if name is None else str(name) for name in names]
    plain = not dial and rng is None and rank_by == "probability" and lifts is None
    found = tables(trained, queries, ranked, dial, labels, "p" if plain else "score", lifts)
    return Tables(found) if many else found[0]


def _lifts(trained: Trained, has: list[np.ndarray]) -> Lifts | None:
    """Return what the columns of each query add to the scores of others; None where they are not known."""
    if trained.affinity is None or not has:
        return None
    indptr = np.concatenate(([0], np.cumsum([len(columns) for columns in has])))
    return trained.lifts(indptr, np.concatenate(has))


def read_sampling(sample: Any, explore: Any, seed: Any) -> np.random.Generator | None:
    """Return the generator of `recommend(sample="thompson")`; None if nothing is drawn."""
    if sample is not None and explore is not None and sample != explore:
        raise ParameterError(f"sample={sample!r} and explore={explore!r} are two names for one thing; give one.")
    name, given = ("explore", explore) if sample is None else ("sample", sample)
    if given is None:
        return None
    if given != "thompson":
        raise ParameterError(f"{name}={given!r} must be 'thompson' or None.")
    if seed is not None and not (_is_number(seed, numbers.Integral) and int(seed) >= 0):
        raise ParameterError(f"seed={seed!r} must be a whole number of at least 0, or None for new draws each time.")
    return np.random.default_rng(None if seed is None else int(seed))


def read_baskets(entities: Any) -> tuple[bool, list[dict[Any, float]]]:
    """Return whether there are several queries, and the entities of each with their counts."""
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
    """Return names with counts; a name that occurs twice counts twice."""
    if not isinstance(given, Mapping):
        return {name: float(count) for name, count in Counter(given).items()}
    for name, count in given.items():
        if not (_is_number(count) and 0 < float(count) < np.inf):
            raise DataError(f"the count of {name!r} in the query is {count!r}; counts must be positive numbers.")
    return {name: float(count) for name, count in given.items()}


def _rows(
    trained: Trained, kept: Dataset | Kept | None, names: list[Any], exclude: bool, query: str
) -> tuple[Gaussians, list[np.ndarray]]:
    """Return the densities of rows, and the columns that each was seen with (itself, where rows are columns)."""
    need_choice("query", query, ("fold_in", "both"))
    ids, u = trained.rows.ids(names), trained.posterior.u
    if kept is None and (query == "both" or (exclude and not trained.shared)):
        way = ("query", "fold_in") if query == "both" else ("exclude_seen", False)
        raise DataError(
            f"this model was saved without its counts, so what a user has seen is not known. Pass {REMEDY}, or save it "
            f"with {REMEDY}.",
            remedies=[way, ("counts", True)],
        )
    queries = Gaussians(u.mean[ids], u.variance[ids])
    if kept is not None and query == "both":
        data = kept.merged if isinstance(kept, Kept) else kept
        queries = both(trained, ids, contexts_of(data.counts, ids))
    if trained.shared:
        return queries, [ids[at : at + 1] for at in range(len(ids))]
    if kept is None:
        return queries, []
    if isinstance(kept, Kept):
        return queries, kept.seen(ids)
    counts = kept.counts
    return queries, [counts.indices[counts.indptr[i] : counts.indptr[i + 1]] for i in ids]


def _inferred(trained: Trained, baskets: list[dict[Any, float]], query: str) -> tuple[Gaussians, list[np.ndarray]]:
    """Return the densities of queries, and the columns that each names."""
    need_choice("query", query, ("fold_in", "average"))
    if query == "average" and not all(baskets):
        raise ParameterError(
            f"query='average' has nothing to average: the query is empty. Use {REMEDY}.",
            remedies=[("query", "fold_in")],
        )
    ids, contexts = contexts_of_baskets(trained, baskets)
    return (fold_in if query == "fold_in" else average)(trained, contexts), ids


def contexts_of_baskets(trained: Trained, baskets: list[dict[Any, float]]) -> tuple[list[np.ndarray], ContextArrays]:
    """Return the columns of each basket, and all of them as contexts of queries."""
    ids = [trained.columns.ids(basket) for basket in baskets]
    contexts = ContextArrays(
        np.concatenate(([0], np.cumsum([len(one) for one in ids]))).astype(np.int64),
        np.concatenate([*ids, np.empty(0, np.int64)]),
        np.array([count for basket in baskets for count in basket.values()], dtype=np.float64),
    )
    return ids, contexts


def _compile(trained: Trained, verbose: bool) -> None:
    """Compile the kernels with an empty question, and say so if it takes a while: once after an install."""
    dtype = trained.posterior.v.mean.dtype.name
    if dtype not in _compiled:
        with announced("getting kernels ready (once after an install they are compiled: a few seconds)", verbose):
            nobody = fold_in(trained, ContextArrays(np.zeros(2, np.int64), np.empty(0, np.int64), np.empty(0)))
            for rng in (None, np.random.default_rng(0)):
                rank(trained, nobody, 1, np.zeros(1, np.int64), Hidden.of([np.empty(0, np.int64)]), rng=rng)
        _compiled.add(dtype)


def _is_number(value: Any, kind: type = numbers.Real) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _allowed(trained: Trained, candidates: Any) -> np.ndarray:
    if candidates is None:
        return np.flatnonzero(trained.profile.candidates("column"))
    if isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise ParameterError(f"candidates={candidates!r} must be a list of names.")
    return np.unique(trained.columns.ids(candidates))
