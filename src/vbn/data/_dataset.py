"""The data set: counts over vocabularies, with an optional taxonomy and typed relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vbn._errors import DataError, ParameterError
from vbn.data._constructors import Constructors
from vbn.data._counts import Counts
from vbn.data._relation import Relation, read_relation
from vbn.data._taxonomy import Taxonomy
from vbn.data._vocabulary import Vocabulary

if TYPE_CHECKING:
    from vbn.data._pairs import Parts


class Dataset(Constructors):
    """Co-occurrence counts, a taxonomy and relations over named entities; immutable.

    Make one with `from_sequences`, `from_baskets`, `from_interactions`, `from_pairs` or
    `from_matrix`; add prior knowledge with `with_taxonomy` and `with_relation`, each of which returns
    a new data set. The constructor below only puts finished parts together.

    Parameters
    ----------
    rows, columns
        The entities of the two sides. One and the same object (or `columns` None) where both sides
        are the same entities, as with words and their neighbours.
    counts
        The counts, of shape ``(len(rows), len(columns))``.
    row_taxonomy, column_taxonomy
        Taxonomy of either side; where both sides are the same, give `column_taxonomy`.
    relations
        Relations by name, from rows to columns.
    kind
        What the counts were made from.

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
        relations: Mapping[str, Relation] | None = None,
        kind: str = "pairs",
    ) -> None:
        self._rows, self._columns = rows, rows if columns is None else columns
        self._counts, self._kind = counts, kind
        self._column_taxonomy = column_taxonomy
        self._row_taxonomy = column_taxonomy if self.shared else row_taxonomy
        self._relations = dict(relations or {})
        self._check_fit()

    def _check_fit(self) -> None:
        shape = (len(self._rows), len(self._columns))
        if self._counts.shape != shape:
            raise DataError(f"counts of shape {self._counts.shape} do not fit {shape[0]} x {shape[1]} entities")
        sides = ((self._row_taxonomy, self._rows), (self._column_taxonomy, self._columns))
        if any(taxonomy is not None and taxonomy.vocabulary is not names for taxonomy, names in sides):
            raise DataError("a taxonomy of the data set is over another vocabulary than its entities")

    @classmethod
    def _build(cls, parts: Parts, kind: str) -> Dataset:
        return cls(parts.rows, parts.columns, parts.counts, kind=kind)

    @property
    def rows(self) -> Vocabulary:
        """The entities of the rows (words, users)."""
        return self._rows

    @property
    def columns(self) -> Vocabulary:
        """The entities of the columns (context words, items)."""
        return self._columns

    @property
    def entities(self) -> Vocabulary:
        """The entities of the columns, which is all of them where both sides are the same."""
        return self._columns

    @property
    def shared(self) -> bool:
        """Whether rows and columns are the same entities."""
        return self._rows is self._columns

    @property
    def counts(self) -> Counts:
        """The co-occurrence counts."""
        return self._counts

    @property
    def row_taxonomy(self) -> Taxonomy | None:
        """The taxonomy of the rows, if any."""
        return self._row_taxonomy

    @property
    def column_taxonomy(self) -> Taxonomy | None:
        """The taxonomy of the columns, if any."""
        return self._column_taxonomy

    @property
    def taxonomy(self) -> Taxonomy | None:
        """The taxonomy of the columns, if any."""
        return self._column_taxonomy

    @property
    def relations(self) -> dict[str, Relation]:
        """The relations by name, as a new dict."""
        return dict(self._relations)

    @property
    def kind(self) -> str:
        """What the counts were made from: "sequences", "baskets", "interactions", "pairs", "matrix"."""
        return self._kind

    def with_taxonomy(
        self,
        edges: Any,
        side: str | None = None,
        *,
        child: str | int | None = None,
        parent: str | int | None = None,
        weight: str | int | None = None,
        break_cycles: str = "error",
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        if side not in (None, "row", "column"):
            raise ParameterError(f'side must be "row" or "column", not {side!r}')
        on_rows = side == "row" and not self.shared
        taxonomy = Taxonomy.from_edges(
            edges,
            self._rows if on_rows else self._columns,
            child=child,
            parent=parent,
            weight=weight,
            break_cycles=break_cycles,
            header=header,
            delimiter=delimiter,
        )
        if on_rows:
            return self._replaced(taxonomy.vocabulary, self._columns, row_taxonomy=taxonomy)
        rows = taxonomy.vocabulary if self.shared else self._rows
        return self._replaced(rows, taxonomy.vocabulary, column_taxonomy=taxonomy)

    def with_relation(
        self,
        name: str,
        pairs: Any,
        symmetric: bool = False,
        missing: str = "error",
        *,
        left: str | int | None = None,
        right: str | int | None = None,
        weight: str | int | None = None,
        header: bool | None = None,
        delimiter: str | None = None,
    ) -> Dataset:
        relation = read_relation(
            name,
            pairs,
            self._rows,
            self._columns,
            symmetric=symmetric,
            missing=missing,
            fields={"left": left, "right": right, "weight": weight},
            header=header,
            delimiter=delimiter,
        )
        return self._replaced(relations={**self._relations, name: relation})

    def _replaced(
        self,
        rows: Vocabulary | None = None,
        columns: Vocabulary | None = None,
        *,
        row_taxonomy: Taxonomy | None = None,
        column_taxonomy: Taxonomy | None = None,
        relations: Mapping[str, Relation] | None = None,
    ) -> Dataset:
        """Return this data set with some parts exchanged, the others grown to fit the vocabularies."""
        rows = self._rows if rows is None else rows
        columns = self._columns if columns is None else columns
        row_taxonomy = row_taxonomy or self._row_taxonomy
        column_taxonomy = column_taxonomy or self._column_taxonomy
        return Dataset(
            rows,
            columns,
            self._counts.resized((len(rows), len(columns))),
            row_taxonomy=None if row_taxonomy is None else row_taxonomy.over(rows),
            column_taxonomy=None if column_taxonomy is None else column_taxonomy.over(columns),
            relations=self._relations if relations is None else relations,
            kind=self._kind,
        )

    def __repr__(self) -> str:
        size = f"{len(self._columns):,} entities"
        if not self.shared:
            size = f"{len(self._rows):,} rows x {len(self._columns):,} columns"
        text = f"{self._kind}: {size}, {self._counts.nnz:,} cells, total {self._counts.total:,.6g}"
        edges = sum(t.n_edges for t in {self._row_taxonomy, self._column_taxonomy} if t is not None)
        if edges:
            text += f"; taxonomy of {edges:,} edges"
        if self._relations:
            text += f"; relations: {', '.join(self._relations)}"
        return f"Dataset({text})"
