"""Whether new entities fit a model: names that are free, parents and contexts that exist, no cycles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vbn._errors import DataError, TaxonomyError, UnknownEntityError
from vbn.data import by_row, cycle_text, heights, one_cycle
from vbn.inference.newcomers import NewEntity
from vbn.model import Trained


def check_newcomers(trained: Trained, new: Sequence[NewEntity], side: str) -> None:
    """Raise an error that names the first entity at fault; a parent may be one of the new entities, in any order."""
    names = trained.vocabulary(side)
    fresh: set[str] = set()
    for entity in new:
        if entity.name in names:
            raise DataError(
                f"the model has an entity {entity.name!r} already; choose another name, or use partial_fit."
            )
        if entity.name in fresh:
            raise DataError(f"{entity.name!r} is to be added twice; names must differ.")
        fresh.add(entity.name)
    for entity in new:
        for parent in entity.parents:
            if parent == entity.name:
                raise TaxonomyError(f"{entity.name!r} is its own parent; leave that parent out.")
            if parent not in fresh and parent not in names:
                raise UnknownEntityError(parent, [*fresh, *names.names])
    _check_contexts(trained, new, side)
    _refuse_cycles(new)


def _check_contexts(trained: Trained, new: Sequence[NewEntity], side: str) -> None:
    """Contexts are entities of the other side that the model knew before."""
    other = "column" if side == "row" else "row"
    others, what = trained.vocabulary(other), "entity" if trained.shared else other
    for entity in new:
        for context in entity.contexts:
            if context not in others:
                raise UnknownEntityError(context, others.names, what=what)


def _refuse_cycles(new: Sequence[NewEntity]) -> None:
    place = {entity.name: number for number, entity in enumerate(new)}
    edges = [(place[e.name], place[parent]) for e in new for parent in e.parents if parent in place]
    child, parent = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    indptr, parents, _ = by_row(child, parent, len(new))
    left_over = heights(indptr, parents)[1]
    if len(left_over):
        cycle = cycle_text(one_cycle(indptr, parents, left_over), list(place))
        raise TaxonomyError(
            f"the new entities form a cycle (each a child of the next): {cycle}; remove one of these edges"
        )
