"""Data sets put together: two as one, and columns as further rows of their own data set."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError, ParameterError, RelationError
from vbn.data.counting import partners, together
from vbn.data.counts import BoolArray, Counts, FloatArray, IdArray, latest
from vbn.data.describe import counted
from vbn.data.features import united_features
from vbn.data.relation import Relation
from vbn.data.taxonomy import Edges, Taxonomy
from vbn.data.vocabulary import Coded, Vocabulary, row_number

if TYPE_CHECKING:
    from vbn.data.dataset import Dataset


def merged(ours: Dataset, theirs: Dataset) -> Dataset:
    """Return the union of two data sets; the ids of `ours` do not change."""
    from vbn.data.dataset import Dataset

    if not isinstance(theirs, Dataset):
        raise DataError(f"merge takes another Dataset, not a value of type {type(theirs).__name__}")
    if ours.shared != theirs.shared:
        raise DataError(
            "cannot merge: in one data set rows and columns are the same entities, in the other they are not"
        )
    rows = _joined(ours.rows, theirs.rows)
    columns = rows if ours.shared else _joined(ours.columns, theirs.columns)
    row_ids, column_ids, shape = rows.ids(theirs.rows), columns.ids(theirs.columns), (len(rows), len(columns))
    counts, more = ours.counts, theirs.counts
    row = np.concatenate([counts.row_ids(), row_ids[more.row_ids()]])
    column = np.concatenate([counts.indices.astype(np.int64), column_ids[more.indices]])
    return Dataset(
        rows,
        columns,
        Counts.from_coo(row, column, np.concatenate([counts.values, more.values]), shape),
        row_taxonomy=None if ours.shared else united(ours.row_taxonomy, theirs.row_taxonomy, rows),
        column_taxonomy=united(ours.column_taxonomy, theirs.column_taxonomy, columns),
        row_features=None if ours.shared else united_features(ours.row_features, theirs.row_features, rows),
        column_features=united_features(ours.column_features, theirs.column_features, columns),
        relations=_all_relations(ours, theirs, row_ids, column_ids, shape),
        times=_latest(ours, theirs, row, column),
        kind=ours.kind if ours.kind == theirs.kind else "merged",
    )


def _latest(ours: Dataset, theirs: Dataset, row: IdArray, column: IdArray) -> FloatArray | None:
    """Return the later time of each cell of both; None if cells of either have no times."""
    parts = [(data.times, data.counts.nnz) for data in (ours, theirs)]
    times = [np.empty(0) if not cells else known for known, cells in parts]
    if all(known is None for known, _ in parts) or any(known is None for known in times):
        return None
    return latest(row, column, np.concatenate([known for known in times if known is not None]))


def _joined(ours: Vocabulary, theirs: Vocabulary) -> Vocabulary:
    names = ours.extend(theirs.names)
    counts = names.counts.copy()
    places = names.ids(theirs.names)
    counts[places] += theirs.counts
    new = names.recounted(counts)
    return new if theirs.labels is None else new.labelled(labels_at(theirs, places)).labelled(labels_at(ours))


def labels_at(names: Vocabulary, places: IdArray | None = None) -> dict[int, str]:
    """Return the labels of a vocabulary by id, or by the place of each of its entities elsewhere."""
    texts = enumerate(() if names.labels is None else names.labels.texts)
    return {number if places is None else int(places[number]): text for number, text in texts if text}


def united(
    ours: Taxonomy | None, theirs: Taxonomy | None, vocabulary: Vocabulary, break_cycles: str = "error"
) -> Taxonomy | None:
    """Return our edges and their new ones; a child whose parents weigh the same in both keeps equal weights."""
    given = [taxonomy for taxonomy in (ours, theirs) if taxonomy is not None]
    if not given:
        return None
    parts = [_renumbered(taxonomy, vocabulary) for taxonomy in given]
    child, parent, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    even = np.concatenate([_even(taxonomy) for taxonomy in given])
    all_even = np.ones(len(vocabulary), dtype=bool)
    all_even[child[~even]] = False
    weights = np.where(all_even[child], 1.0, weights)
    first = np.sort(np.unique(child * len(vocabulary) + parent, return_index=True)[1])  # ours come first
    names = list(vocabulary.names)
    edges = Edges(Coded(names, child[first]), Coded(names, parent[first]), weights[first], row_number)
    taxonomy = edges.build(vocabulary, break_cycles)
    dropped = dict.fromkeys(edge for part in (*given, taxonomy) for edge in part.dropped)
    ambiguous = dict.fromkeys(name for part in given for name in part.ambiguous)
    levels = dict.fromkeys(chain for part in given for chain in part.levels)
    return Taxonomy(vocabulary, taxonomy.indptr, taxonomy.indices, taxonomy.weights, dropped, ambiguous, levels)


def _renumbered(taxonomy: Taxonomy, vocabulary: Vocabulary) -> tuple[IdArray, IdArray, FloatArray]:
    child, parent, weights = taxonomy.edges()
    ids = vocabulary.ids(taxonomy.vocabulary)
    return ids[child], ids[parent], weights


def _even(taxonomy: Taxonomy) -> BoolArray:
    """Return, for each edge, whether all parents of its child weigh the same."""
    child, _, weights = taxonomy.edges()
    share = 1.0 / np.diff(taxonomy.indptr)[child]
    uneven = np.bincount(child, np.abs(weights - share) > 1e-12, len(taxonomy.vocabulary)) > 0
    return ~uneven[child]


def _all_relations(
    ours: Dataset, theirs: Dataset, row_ids: IdArray, column_ids: IdArray, sizes: tuple[int, int]
) -> dict[str, Relation]:
    relations = ours.relations
    for name, other in theirs.relations.items():
        left, right = row_ids[other.left], column_ids[other.right]
        weights, skipped = other.weights, other.skipped
        if name in relations:
            own = relations[name]
            if own.symmetric != other.symmetric:
                raise RelationError(f"cannot merge: relation {name!r} is symmetric in one data set only")
            keys = left * sizes[1] + right
            new = ~np.isin(keys, own.left.astype(np.int64) * sizes[1] + own.right)
            left, right = np.concatenate([own.left, left[new]]), np.concatenate([own.right, right[new]])
            weights, skipped = np.concatenate([own.weights, weights[new]]), own.skipped + skipped
        relations[name] = Relation.from_ids(name, left, right, weights, sizes, other.symmetric, skipped)
    return relations


def with_columns_as_rows(data: Dataset, weight: Any, basket_weight: Any) -> tuple[Vocabulary, Counts]:
    """Return the rows followed by every column that co-occurs with another one, and their counts."""
    if isinstance(weight, bool) or not isinstance(weight, numbers.Real) or not 0 < float(weight) < math.inf:
        raise ParameterError(f"weight must be a positive number, got {weight!r}")
    if data.shared:
        raise DataError("rows and columns are the same entities here: their counts are co-occurrences already")
    most = partners(basket_weight, "basket_weight")
    rows, columns, counts = data.rows, data.columns, data.counts
    pairs = together(counts.row_ids(), counts.indices.astype(np.int64), len(rows), len(columns), most)
    new = np.flatnonzero(np.diff(pairs.indptr))
    names = [columns[column] for column in new.tolist()]
    clashes = [name for name in names if name in rows]
    if clashes:
        raise DataError(
            f"{counted(len(clashes), 'name')} of columns are names of rows too, the first is {clashes[0]!r}; rename "
            f"the rows before you make the data set, for example to {'user ' + clashes[0]!r}"
        )
    place = np.full(len(columns), -1, dtype=np.int64)
    place[new] = len(rows) + np.arange(len(new))
    grown = Vocabulary(rows.names + tuple(names), np.concatenate([rows.counts, columns.counts[new]]), rows.labels)
    if columns.labels is not None:
        grown = grown.labelled({int(place[at]): text for at, text in labels_at(columns).items() if place[at] >= 0})
    return grown, Counts.from_coo(
        np.concatenate([counts.row_ids(), place[pairs.row_ids()]]),
        np.concatenate([counts.indices.astype(np.int64), pairs.indices.astype(np.int64)]),
        np.concatenate([counts.values, float(weight) * pairs.values]),
        (len(grown), len(columns)),
    )


def thinned(data: Dataset, kept: np.ndarray, *, with_knowledge: bool = True) -> Dataset:
    """Return a data set with some of its cells only (a mask), and all its entities with their ids.

    An entity that loses all its cells is one without data. `with_knowledge`: with its taxonomies, features and
    relations.
    """
    old = data.counts
    starts = old.indptr - np.searchsorted(np.flatnonzero(~kept), old.indptr)
    counts = Counts(starts, old.indices[kept], old.values[kept], old.shape)
    columns = _with_share(data.columns, old.column_sums(), counts.column_sums())
    rows = columns if data.shared else _with_share(data.rows, old.row_sums(), counts.row_sums())
    above_rows, above_columns = data.row_taxonomy, data.column_taxonomy
    of_rows, of_columns = data.row_features, data.column_features
    knowledge: dict[str, Any] = {
        "row_taxonomy": None if above_rows is None else above_rows.over(rows),
        "column_taxonomy": None if above_columns is None else above_columns.over(columns),
        "row_features": None if of_rows is None else of_rows.over(rows),
        "column_features": None if of_columns is None else of_columns.over(columns),
        "relations": data.relations,
        "reading": data.reading,
    }
    times = None if data.times is None else data.times[kept]
    return type(data)(rows, columns, counts, times=times, kind=data.kind, **(knowledge if with_knowledge else {}))


def _with_share(names: Vocabulary, before: np.ndarray, after: np.ndarray) -> Vocabulary:
    """Return counts in their old unit (tokens, for example), less the share that is gone."""
    share = np.divide(after, before, out=np.zeros(len(before)), where=before > 0)
    return names.recounted(names.counts * share)
