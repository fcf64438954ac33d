"""Which density stands for an entity: its own, read out in one of several ways, or that of a category.

Nothing is learned here: a readout is a sum of independent densities of the posterior, so their means and their
variances add up.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError
from vbn.model import Gaussians, Trained

READOUTS = ("entity", "both", "smoothed")
SMOOTHING = 3.0
"""How many times as much as the entity its parents count in "smoothed", unless told otherwise."""


def resolved_readout(trained: Trained, readout: Any = "auto") -> Any:
    """Return what "auto" stands for: the readout by which the similarity of entities is judged best.

    That of words in text is "smoothed": u and v both tell of it, and the parents of a rare word more than its own
    occurrences. Elsewhere an entity stands for itself.
    """
    return ("smoothed" if trained.of_text else "entity") if readout == "auto" else readout


def check_readout(trained: Trained, readout: Any, smoothing: Any) -> None:
    """Refuse a readout that this model does not have, and a smoothing that cannot be a weight."""
    if readout not in READOUTS:
        raise ParameterError(f"readout={readout!r} must be 'entity', 'both' or 'smoothed'.")
    if readout == "both" and not trained.shared:
        raise ParameterError(
            "{remedy} adds the row and the column density of an entity; here rows and columns are different entities, "
            "which have one each. Use {remedy} or {remedy}.",
            remedies=[("readout", "both"), ("readout", "entity"), ("readout", "smoothed")],
        )
    if not _is_number(smoothing) or not 0 <= float(smoothing) < np.inf:
        raise ParameterError(f"smoothing={smoothing!r} must be a finite number of at least 0.")


def read_out(trained: Trained, readout: str, side: str, smoothing: float) -> Gaussians:
    """Return the density that stands for each entity of a side, in the order of its vocabulary.

    "entity": u, or v for columns that are not rows. "both": u + v. "smoothed": (u + v + w (m_u + m_v)) / (1 + w) with w
    the smoothing and m the mean that the parents give; u + v for what has no parents. The division makes both about as
    long, so lengths can be compared. Where rows and columns differ, each has one of u and v.
    """
    check_readout(trained, readout, smoothing)
    if readout == "entity":
        return trained.halves(side)[0].block
    return trained.joint(side, float(smoothing) if readout == "smoothed" else 0.0)


def as_categories(trained: Trained, side: str, ids: np.ndarray, role: Any = None) -> np.ndarray:
    """Return a mask of the entities that stand as categories: by default, those without data of their own.

    `role` "entity" takes none of them as a category, "category" all of them, which must have children.
    """
    if role is None:
        return np.asarray(trained.profile.categories(side)[ids])
    if role not in ("entity", "category"):
        raise ParameterError(f"role={role!r} must be 'entity', 'category' or None.")
    if role == "entity":
        return np.zeros(len(ids), dtype=bool)
    childless = ids[~trained.halves(side)[0].has_category[ids]]
    if len(childless):
        name = trained.vocabulary(side)[int(childless[0])]
        raise DataError(f"{name!r} has no children in the taxonomy, so it has no density as a category.")
    return np.ones(len(ids), dtype=bool)


def read_some(
    trained: Trained, entities: Gaussians, ids: np.ndarray, categories: np.ndarray, side: str, readout: str
) -> Gaussians:
    """Return the densities of some entities of a readout; where a mask says so, those of categories.

    A category is h^u, or h^v for columns that are not rows, and h^u + h^v for the readouts that add u and v. It is not
    smoothed: it is held by its parents and its children already.
    """
    mean, variance = entities.mean[ids], entities.variance[ids]
    nodes = ids[categories]
    if len(nodes):
        halves = trained.halves(side)
        parts = [half.categories(nodes) for half in (halves[:1] if readout == "entity" else halves)]
        mean[categories] = sum(part.mean for part in parts)
        variance[categories] = sum(part.variance for part in parts)
    return Gaussians(mean, variance)


def stand_ins(trained: Trained, ids: np.ndarray, side: str) -> Gaussians:
    """Return the densities by which some entities of a side are compared where nothing else is asked for."""
    readout = resolved_readout(trained)
    entities = read_out(trained, readout, side, SMOOTHING)
    return read_some(trained, entities, ids, as_categories(trained, side, ids), side, readout)


@dataclass(frozen=True)
class Pool:
    """What may be an answer: a mask of entities as such, and one of entities that stand as categories."""

    entities: np.ndarray
    categories: np.ndarray


def read_pool(trained: Trained, side: str, candidates: Any, min_count: Any) -> Pool:
    """Return what a user lets be an answer: "entities" (None), "categories", or a list of names."""
    names, none = trained.vocabulary(side), np.zeros(len(trained.vocabulary(side)), dtype=bool)
    if candidates is None or (isinstance(candidates, str) and candidates == "entities"):
        pool = Pool(trained.profile.candidates(side), none)
    elif isinstance(candidates, str) and candidates == "categories":
        if min_count is not None:
            raise ParameterError(
                f"categories are not observed, so they have no counts; with {REMEDY}, omit {REMEDY}.",
                remedies=[("candidates", "categories"), ("min_count",)],
            )
        pool = Pool(none, trained.halves(side)[0].has_category)
    elif isinstance(candidates, str) or not isinstance(candidates, Iterable):
        raise ParameterError(f"candidates={candidates!r} must be a list of names, 'entities' or 'categories'.")
    else:
        listed, only = none.copy(), trained.profile.categories(side)
        listed[names.ids(candidates)] = True
        pool = Pool(listed & ~only, listed & only)
    if min_count is None:
        return pool
    seen = names.counts >= read_min_count(min_count)
    return Pool(pool.entities & seen, pool.categories & seen)


def read_min_count(given: Any) -> float:
    """Return the least count of an answer."""
    if not _is_number(given) or not 0 <= float(given) < np.inf:
        raise ParameterError(f"min_count={given!r} must be a finite number of at least 0.")
    return float(given)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
