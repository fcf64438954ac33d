"""The data set: counts over vocabularies, with an optional taxonomy and typed relations."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from vbn._errors import DataError
from vbn.data.constructors import Constructors
from vbn.data.counts import Counts, FloatArray, read_only
from vbn.data.describe import Description, amount, counted, describe
from vbn.data.features import Features
from vbn.data.io.folder import write_folder
from vbn.data.knowledge import Knowledge
from vbn.data.merge import merged, with_columns_as_rows
from vbn.data.relation import Relation
from vbn.data.taxonomy import Taxonomy
from vbn.data.vocabulary import Vocabulary

_COUNTED_BY_CELLS = ("baskets", "interactions")  # kinds whose noise follows the cells, not the entities' own counts


class Dataset(Constructors, Knowledge):
    """Co-occurrence counts, a taxonomy and relations over named entities; immutable.

    Make one with `from_sequences`, `from_baskets`, `from_interactions`, `from_pairs` or `from_matrix`; add prior
    knowledge with `with_taxonomy`, `with_features`, `with_text` and `with_relation`, which return a new data set. The
    constructor below only puts finished parts together.

    Parameters
    ----------
    rows, columns
        The entities of the two sides: the same object (or `columns` None) where both sides are the same entities, as
        with words and their neighbours.
    counts
        The counts, of shape ``(len(rows), len(columns))``.
    row_taxonomy, column_taxonomy
        Taxonomy of either side; where both sides are the same, give `column_taxonomy`.
    row_features, column_features
        Features of either side; where both sides are the same, give `column_features`.
    relations
        Relations by name, from rows to columns.
    times
        When each cell was last counted, one number for each of `counts.values`, if that is known.
    kind
        What the counts were made from.
    reading
        Which column of a table or file was read for what.

    Examples
    --------
    >>> data = Dataset.from_sequences([["a", "poodle", "barks"], ["a", "dog", "barks"]], window=1)
    >>> data = data.with_taxonomy({"poodle": ["dog"], "dog": ["animal"]})
    >>> data.with_relation("sound", [("dog", "barks")])
    Dataset(sequences: 5 entities, 8 cells, total 8; taxonomy of 2 edges; relations: sound)
    """

    def __init__(
        self,
        rows: Vocabulary,
        columns: Vocabulary | None,
        counts: Counts,
        *,
        row_taxonomy: Taxonomy | None = None,
        column_taxonomy: Taxonomy | None = None,
        row_features: Features | None = None,
        column_features: Features | None = None,
        relations: Mapping[str, Relation] | None = None,
        times: FloatArray | None = None,
        kind: str = "pairs",
        reading: Mapping[str, str | None] | None = None,
    ) -> None:
        self._rows, self._columns = rows, rows if columns is None else columns
        self._counts, self._kind = counts, kind
        self._reading = None if reading is None else dict(reading)
        self._column_taxonomy = column_taxonomy
        self._row_taxonomy = column_taxonomy if self.shared else row_taxonomy
        self._column_features = column_features
        self._row_features = column_features if self.shared else row_features
        self._relations = dict(relations or {})
        self._times = None if times is None else read_only(np.asarray(times, dtype=np.float64))
        self._check_fit()

    def _check_fit(self) -> None:
        kinds = ((self._rows, Vocabulary), (self._columns, Vocabulary), (self._counts, Counts))
        if not all(isinstance(part, kind) for part, kind in kinds):
            raise DataError(
                "Dataset(...) puts finished parts together; for data, use Dataset.from_pairs or another from_ method"
            )
        shape = (len(self._rows), len(self._columns))
        if self._counts.shape != shape:
            raise DataError(f"counts of shape {self._counts.shape} do not fit {shape[0]} x {shape[1]} entities")
        if self._times is not None and self._times.shape != self._counts.values.shape:
            raise DataError(
                f"times of shape {self._times.shape} do not fit {self._counts.nnz} cells; give one for each"
            )
        sides = ((self._row_taxonomy, self._rows), (self._column_taxonomy, self._columns))
        if any(taxonomy is not None and taxonomy.vocabulary is not names for taxonomy, names in sides):
            raise DataError("a taxonomy of the data set has another vocabulary than its entities")
        known = ((self._row_features, self._rows), (self._column_features, self._columns))
        if any(features is not None and features.vocabulary is not names for features, names in known):
            raise DataError("features of the data set have another vocabulary than its entities")

    @property
    def rows(self) -> Vocabulary:
        """The entities of the rows (words, users)."""
        return self._rows

    @property
    def columns(self) -> Vocabulary:
        """The entities of the columns (context words, items)."""
        return self._columns

    entities = columns

    @property
    def counts(self) -> Counts:
        """The co-occurrence counts."""
        return self._counts

    @property
    def times(self) -> FloatArray | None:
        """When each cell was last counted, in the order of `counts.values`; None if that is not known."""
        return self._times

    @property
    def noise_counts(self) -> FloatArray:
        """What negatives are drawn by: how much each column weighs in the counts; for text, how often it occurs.

        It differs from the counts of the entities where these count baskets, which hold few items or many.

        Examples
        --------
        >>> data = Dataset.from_baskets([["tea", "milk"], ["tea", "rusk", "honey"]])
        >>> dict(zip(data.columns, data.columns.counts.tolist()))
        {'tea': 2.0, 'milk': 1.0, 'rusk': 1.0, 'honey': 1.0}
        >>> dict(zip(data.columns, data.noise_counts.tolist()))
        {'tea': 3.0, 'milk': 1.0, 'rusk': 2.0, 'honey': 2.0}
        """
        return self._counts.column_sums() if self.counted_by_cells else self._columns.counts

    @property
    def counted_by_cells(self) -> bool:
        """Whether negatives follow the sums of the columns, not the counts of the entities."""
        return self._kind in _COUNTED_BY_CELLS

    @property
    def row_taxonomy(self) -> Taxonomy | None:
        """The taxonomy of the rows, if any."""
        return self._row_taxonomy

    @property
    def column_taxonomy(self) -> Taxonomy | None:
        """The taxonomy of the columns, if any."""
        return self._column_taxonomy

    taxonomy = column_taxonomy

    @property
    def row_features(self) -> Features | None:
        """The features of the rows, if any."""
        return self._row_features

    @property
    def column_features(self) -> Features | None:
        """The features of the columns, if any."""
        return self._column_features

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of all sources of features, of rows and columns."""
        sides = [side for side in (self._row_features, self._column_features) if side is not None]
        return tuple(dict.fromkeys(source.name for side in sides for source in side.sources))

    @property
    def relations(self) -> dict[str, Relation]:
        """The relations by name, as a new dict."""
        return dict(self._relations)

    @property
    def kind(self) -> str:
        """What the counts were made from: "sequences", "baskets", "interactions", "pairs", "matrix"."""
        return self._kind

    @property
    def reading(self) -> dict[str, str | None] | None:
        """Which column of a table or file was read for what (None where there was none), as a new dict.

        It is None if the data came as lists or a matrix, or was put together from parts.
        """
        return None if self._reading is None else dict(self._reading)

    def to_folder(self, folder: str | os.PathLike[str]) -> Dataset:
        """Write counts, times, names and features to a new folder; return the data set that `from_folder` opens.

        Its counts and features are in files that are mapped into memory: the system reads what training needs and keeps
        only as much of it as there is room for.

        Parameters
        ----------
        folder : path
            A folder that is new or empty.

        Raises
        ------
        DataError
            If there is a taxonomy or a relation: add these afterwards, they are kept in memory.
        """
        write_folder(self, folder)
        return Dataset.from_folder(folder)

    def with_co_occurrences(self, weight: float = 1.0, basket_weight: str | float | None = "auto") -> Dataset:
        """Return this data set with its columns as further rows, whose counts say which columns occur together.

        Where rows have few columns (patients with a handful of diagnoses), a model of both is often better than a model
        of either: query it with ``recommend(user=..., query="both")`` or ``recommend(entities, query="average")``. Hold
        pairs out before this: the new rows hold what all rows have. The result has no times.

        Parameters
        ----------
        weight : float, default 1
            What a row with few columns adds to the count of every ordered pair of them, whatever its own counts are.
        basket_weight : "auto", float or None, default "auto"
            With how many others a column of a row counts at most, as `weight` of `from_baskets`: in a row with n
            columns, every pair weighs ``weight * min(1, basket_weight / (n - 1))``.

        Raises
        ------
        DataError
            If rows and columns are the same entities already, or if a row and a column have the same name.

        Examples
        --------
        >>> data = Dataset.from_interactions(["ann", "ann", "ben", "ben"], ["tea", "milk", "tea", "honey"])
        >>> both = data.with_co_occurrences()
        >>> both.rows.names
        ('ann', 'ben', 'tea', 'milk', 'honey')
        >>> both
        Dataset(interactions: 5 rows x 3 columns, 8 cells, total 8)
        """
        rows, counts = with_columns_as_rows(self, weight, basket_weight)
        return self._replaced(rows, counts=counts)

    def _replaced(
        self,
        rows: Vocabulary | None = None,
        columns: Vocabulary | None = None,
        *,
        counts: Counts | None = None,
        row_taxonomy: Taxonomy | None = None,
        column_taxonomy: Taxonomy | None = None,
        row_features: Features | None = None,
        column_features: Features | None = None,
        relations: Mapping[str, Relation] | None = None,
    ) -> Dataset:
        """Return this data set with some parts replaced, and the others grown to fit the vocabularies."""
        rows = self._rows if rows is None else rows
        columns = self._columns if columns is None else columns
        row_taxonomy = row_taxonomy or self._row_taxonomy
        column_taxonomy = column_taxonomy or self._column_taxonomy
        row_features = row_features or self._row_features
        column_features = column_features or self._column_features
        return Dataset(
            rows,
            columns,
            (counts or self._counts).resized((len(rows), len(columns))),
            row_taxonomy=None if row_taxonomy is None else row_taxonomy.over(rows),
            column_taxonomy=None if column_taxonomy is None else column_taxonomy.over(columns),
            row_features=None if row_features is None else row_features.over(rows),
            column_features=None if column_features is None else column_features.over(columns),
            relations=self._relations if relations is None else relations,
            times=self._times if counts is None else None,
            kind=self._kind,
            reading=self._reading,
        )

    def merge(self, other: Dataset) -> Dataset:
        """Return the union of two data sets: entities joined, counts added.

        The ids of this data set do not change; new entities follow. Taxonomies and relations keep what this data set
        has, and add the other's new edges and pairs. Times stay where both have them, and a pair keeps its latest.

        Examples
        --------
        >>> data = Dataset.from_pairs(["a"], ["b"])
        >>> data.merge(Dataset.from_pairs(["a", "c"], ["b", "b"]))
        Dataset(pairs: 3 entities, 2 cells, total 3)
        """
        return merged(self, other)

    def describe(self) -> Description:
        """Return a summary that prints as a few lines; its `to_dict` has the same figures.

        Examples
        --------
        >>> print(Dataset.from_pairs(["a", "b"], ["b", "a"], [3, 1]).describe())
        Dataset of pairs: 2 entities
          cells      2, total count 4, density 0.5
          entities   2 seen: 0.0% at most once, 100.0% at most 5 times; the top 10 % hold 50.0% of the total

        For a table or file it says which columns were read:

        >>> table = {"user": ["ann", "bob"], "item": ["Heat", "Heat"], "plays": [5, 3]}
        >>> print(str(Dataset.from_interactions(table).describe()).splitlines()[1])
          read       users from 'user', items from 'item', weights from 'plays'
        >>> print(str(Dataset.from_interactions(table, "user", "item").describe()).splitlines()[1])
          read       users from 'user', items from 'item'; every row counts 1
        """
        return describe(self)

    def __repr__(self) -> str:
        size = counted(len(self._columns), "entity", "entities")
        if not self.shared:
            size = f"{counted(len(self._rows), 'row')} x {counted(len(self._columns), 'column')}"
        text = f"{self._kind}: {size}, {counted(self._counts.nnz, 'cell')}, total {amount(self._counts.total)}"
        edges = sum(t.n_edges for t in {self._row_taxonomy, self._column_taxonomy} if t is not None)
        if edges:
            text += f"; taxonomy of {counted(edges, 'edge')}"
        if self.sources:
            text += f"; features: {', '.join(self.sources)}"
        if self._relations:
            text += f"; relations: {', '.join(self._relations)}"
        return f"Dataset({text})"
