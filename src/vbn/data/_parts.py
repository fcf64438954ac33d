"""The parts that a data set holds, checked to fit each other."""

from __future__ import annotations

from collections.abc import Mapping

from vbn._errors import DataError
from vbn.data._counts import Counts
from vbn.data._relation import Relation
from vbn.data._taxonomy import Taxonomy
from vbn.data._vocabulary import Vocabulary
from vbn.data._wording import amount, counted


class DatasetParts:
    """Vocabularies, counts, taxonomies and relations; the read-only half of `Dataset`."""

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
        reading: Mapping[str, str | None] | None = None,
    ) -> None:
        self._rows, self._columns = rows, rows if columns is None else columns
        self._counts, self._kind = counts, kind
        self._reading = None if reading is None else dict(reading)
        self._column_taxonomy = column_taxonomy
        self._row_taxonomy = column_taxonomy if self.shared else row_taxonomy
        self._relations = dict(relations or {})
        self._check_fit()

    def _check_fit(self) -> None:
        kinds = ((self._rows, Vocabulary), (self._columns, Vocabulary), (self._counts, Counts))
        if not all(isinstance(part, kind) for part, kind in kinds):
            raise DataError(
                "Dataset(...) puts finished parts together; make one from data with Dataset.from_pairs or such"
            )
        shape = (len(self._rows), len(self._columns))
        if self._counts.shape != shape:
            raise DataError(f"counts of shape {self._counts.shape} do not fit {shape[0]} x {shape[1]} entities")
        sides = ((self._row_taxonomy, self._rows), (self._column_taxonomy, self._columns))
        if any(taxonomy is not None and taxonomy.vocabulary is not names for taxonomy, names in sides):
            raise DataError("a taxonomy of the data set is over another vocabulary than its entities")

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

    @property
    def reading(self) -> dict[str, str | None] | None:
        """Which column of a table or file was read for what (None where there was none), as a new dict.

        It is None itself where the data came as lists or a matrix, or was put together from parts.
        """
        return None if self._reading is None else dict(self._reading)

    def __repr__(self) -> str:
        size = counted(len(self._columns), "entity", "entities")
        if not self.shared:
            size = f"{counted(len(self._rows), 'row')} x {counted(len(self._columns), 'column')}"
        text = f"{self._kind}: {size}, {counted(self._counts.nnz, 'cell')}, total {amount(self._counts.total)}"
        edges = sum(t.n_edges for t in {self._row_taxonomy, self._column_taxonomy} if t is not None)
        if edges:
            text += f"; taxonomy of {counted(edges, 'edge')}"
        if self._relations:
            text += f"; relations: {', '.join(self._relations)}"
        return f"Dataset({text})"
