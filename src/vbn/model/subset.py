"""A trained model without some of its entities: their names, densities and what it knew of them are gone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vbn._errors import REMEDY, UnknownEntityError
from vbn.data import Dataset, Vocabulary, some_edges, some_features, some_names
from vbn.model.posterior import Posterior, carry
from vbn.model.side import Side
from vbn.model.trained import LeftOut, Trained


class RowsLeftOut(Vocabulary):
    """The names of rows of a model that was saved without the others; an error about an unknown name says so."""

    def id(self, name: object) -> int:
        """Return the id of a name."""
        try:
            return super().id(name)
        except UnknownEntityError as error:
            why = (
                "this model was saved without its rows, such as users: ask with a list of their items, or save it with "
                f"{REMEDY}"
            )
            raise UnknownEntityError(error.name, (), error.what, why, [("rows", True)]) from None


def with_some(trained: Trained, rows: np.ndarray, columns: np.ndarray, data: Dataset | None = None) -> Trained:
    """Return the model with some of its rows and columns only (masks of those that stay), all else as it is.

    `data` is the data set of the same entities, if the model has its counts: names are then counted as there. Where a
    parent is gone, entities without data are placed again by the parents that they have left.
    """
    left = (some_names(trained.rows, rows), some_names(trained.columns, columns))
    row_names, column_names = left if data is None else (data.rows, data.columns)
    return _renamed(trained, (rows, columns), (column_names if trained.shared else row_names, column_names))


def _renamed(trained: Trained, kept: tuple[np.ndarray, np.ndarray], names: tuple[Vocabulary, Vocabulary]) -> Trained:
    """Return the model with the entities that are kept, under their names."""
    old = trained.row_side, trained.column_side
    rows, columns = (_some(*each) for each in zip(old, kept, names, strict=True))
    if trained.shared:
        rows = replace(rows, taxonomy=columns.taxonomy, features=columns.features)
    posterior = _carried(trained, rows, columns, *kept)
    if any(_is_parent(side)[~mask].any() for side, mask in zip(old, kept, strict=True)):
        posterior.settle()
    left = [_left(side.names.counts[mask], new.counts) for side, mask, new in zip(old, kept, names, strict=True)]
    noise = trained.noise_counts
    return replace(
        trained,
        row_side=rows,
        column_side=columns,
        posterior=posterior,
        row_totals=trained.row_totals[kept[0]] * left[0],
        noise_counts=None if noise is None else noise[kept[1]] * left[1],
        company=None if trained.company is None else trained.company.only(kept[1]),
        affinity=None if trained.affinity is None else trained.affinity.only(kept[1]),
    )


def without_rows(trained: Trained) -> Trained:
    """Return the model without its rows: users and patients with their names and densities.

    Parents without data, such as countries, stay; of all others only their number, their weight and how precise a
    typical one was, which new rows are inferred by.
    """
    side, before = trained.row_side, trained.left_out
    kept = _is_parent(side) & ~side.active & (side.names.counts == 0)
    gone = LeftOut(
        rows=int((~kept).sum()) + (0 if before is None else before.rows),
        total=trained.total,
        precision=trained.profile.row_precision,
    )
    names = some_names(trained.rows, kept)
    names = RowsLeftOut(names.names, names.counts, names.labels)
    every = np.ones(len(trained.columns), dtype=bool)
    made = _renamed(trained, (kept, every), (names, trained.columns))
    return replace(made, row_totals=np.zeros(len(names)), left_out=gone)


def _some(side: Side, kept: np.ndarray, names: Vocabulary) -> Side:
    """Return a side with the entities that are kept, under their names."""
    return replace(
        side,
        names=names,
        taxonomy=some_edges(side.taxonomy, names, kept),
        active=side.active[kept],
        trained=None if side.trained is None else int(kept[: side.trained].sum()),
        features=some_features(side.features, names, kept),
    )


def _carried(trained: Trained, rows: Side, columns: Side, *kept: np.ndarray) -> Posterior:
    """Return the densities of the entities that stay."""
    posterior = replace(trained.blueprint(), rows=rows, columns=columns).build()
    matches = [(np.flatnonzero(mask), np.arange(int(mask.sum()))) for mask in kept]
    relations = [info.name for info in trained.relations]
    carry(trained.posterior, posterior, matches[0], matches[1], relations, relations)
    return posterior


def _is_parent(side: Side) -> np.ndarray:
    return np.asarray(side.graph.category_of >= 0)


def _left(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the share of each count that is left; all of it where there was none."""
    return np.asarray(np.divide(after, before, out=np.ones(len(before)), where=before > 0))
