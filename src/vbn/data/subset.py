"""Data sets without some of their entities: names, labels, counts, taxonomy edges, features and pairs go with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vbn.data.counts import BoolArray, Counts, as_index
from vbn.data.features import Features, Source
from vbn.data.labels import Labels
from vbn.data.relation import Relation
from vbn.data.taxonomy import Taxonomy, shares_of_parents
from vbn.data.vocabulary import Vocabulary

if TYPE_CHECKING:
    from vbn.data.dataset import Dataset


def some_names(names: Vocabulary, kept: BoolArray, share: np.ndarray | None = None) -> Vocabulary:
    """Return some of the entities (a mask) in their order; `share` is what is left of the count of each.

    Examples
    --------
    >>> some_names(Vocabulary(["tea", "milk", "rusk"], [3, 2, 1]), np.array([True, False, True])).names
    ('tea', 'rusk')
    """
    ids = np.flatnonzero(kept)
    counts = names.counts if share is None else names.counts * share
    labels = names.labels_of(ids)
    found = None if labels is None else Labels(text or "" for text in labels)
    return type(names)((names[number] for number in ids.tolist()), counts[ids], found)


def some_edges(taxonomy: Taxonomy | None, names: Vocabulary, kept: BoolArray) -> Taxonomy | None:
    """Return the edges between entities that are kept; the parents that a child has left share its whole weight."""
    if taxonomy is None:
        return None
    child, parent, weights = taxonomy.edges()
    there = kept[child] & kept[parent]
    if not there.any():
        return None
    place = np.cumsum(kept) - 1
    child, parent = place[child[there]], place[parent[there]]
    indptr = np.searchsorted(child, np.arange(len(names) + 1))
    whole = np.bincount(child, minlength=len(names)) == np.diff(taxonomy.indptr)[kept]
    shares = shares_of_parents(child, weights[there], len(names))
    weights = np.where(whole[child], weights[there], shares)  # to the bit where no parent is gone
    dropped = [edge for edge in taxonomy.dropped if all(name in names for name in edge)]
    ambiguous = [name for name in taxonomy.ambiguous if name in names]
    return Taxonomy(names, indptr, parent, weights, dropped, ambiguous, taxonomy.levels)


def some_features(features: Features | None, names: Vocabulary, kept: BoolArray) -> Features | None:
    """Return the features of entities that are kept, copied: nothing refers to those of the others any more."""
    if features is None:
        return None
    place = np.cumsum(kept) - 1

    def part(source: Source) -> Source:
        there = kept[source.rows]
        rows, values = place[source.rows[there]], source.taken(np.flatnonzero(there))
        return Source(source.name, values, rows, source.columns, encoder=source.encoder)

    return Features(names, [part(source) for source in features.sources])


def without_entities(data: Dataset, rows: BoolArray, columns: BoolArray) -> Dataset:
    """Return a data set with some of its rows and columns only (masks of those that stay), in their order.

    The counts of the others are less by what they had with the entities that are gone.
    """
    from vbn.data.dataset import Dataset

    old = data.counts
    of_cells, across = old.row_ids(), old.indices.astype(np.int64)
    there = rows[of_cells] & columns[across]
    places = np.cumsum(rows) - 1, np.cumsum(columns) - 1
    shape = int(rows.sum()), int(columns.sum())
    counts = Counts.from_coo(places[0][of_cells[there]], places[1][across[there]], old.values[there], shape)
    shares = [
        _share(np.bincount(ids, old.values, n), np.bincount(ids[there], old.values[there], n))
        for ids, n in zip((of_cells, across), old.shape, strict=True)
    ]
    new_columns = some_names(data.columns, columns, shares[1])
    new_rows = new_columns if data.shared else some_names(data.rows, rows, shares[0])
    return Dataset(
        new_rows,
        new_columns,
        counts,
        row_taxonomy=None if data.shared else some_edges(data.row_taxonomy, new_rows, rows),
        column_taxonomy=some_edges(data.column_taxonomy, new_columns, columns),
        row_features=None if data.shared else some_features(data.row_features, new_rows, rows),
        column_features=some_features(data.column_features, new_columns, columns),
        relations={name: _some_pairs(own, rows, columns, places) for name, own in data.relations.items()},
        times=None if data.times is None else data.times[there],
        kind=data.kind,
        reading=data.reading,
    )


def _share(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return what is left of each sum; all of it where there was nothing."""
    return np.asarray(np.divide(after, before, out=np.ones(len(before)), where=before > 0))


def _some_pairs(
    relation: Relation, rows: BoolArray, columns: BoolArray, places: tuple[np.ndarray, np.ndarray]
) -> Relation:
    there = rows[relation.left] & columns[relation.right]
    left = as_index(places[0][relation.left[there]], len(rows))
    right = as_index(places[1][relation.right[there]], len(columns))
    return Relation(relation.name, left, right, relation.weights[there], relation.symmetric, relation.skipped)
