"""Events: who was just seen with what, as rows, a table or a file, for a model that is trained already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vbn.data.counting import counted_pairs
from vbn.data.counts import BoolArray, FloatArray, IdArray
from vbn.data.io.inputs import INTERACTIONS, PAIRS, read_columns
from vbn.data.vocabulary import encode
from vbn.data.weighing import check_weighing, weighed

Triple = tuple[str, str, float]
_FIELDS = tuple(
    replace(one, aliases=(*one.aliases, *(name for name in other.aliases if name not in one.aliases)))
    for one, other in zip(INTERACTIONS, PAIRS, strict=True)
)


@dataclass(frozen=True)
class Events:
    """Events by name: distinct rows and columns, and for each event its row, its column and its weight."""

    rows: list[str]
    columns: list[str]
    row: IdArray
    column: IdArray
    weights: FloatArray

    @classmethod
    def of(cls, triples: Iterable[Triple]) -> Events:
        """Return (row, column, weight) triples as events."""
        given = list(triples)
        rows, columns = (encode([triple[at] for triple in given], what) for at, what in enumerate(("rows", "columns")))
        weights = np.array([triple[2] for triple in given], dtype=np.float64)
        return cls(rows.names, columns.names, rows.codes, columns.codes, weights)

    def __len__(self) -> int:
        return len(self.weights)

    def only(self, kept: BoolArray | slice) -> Events:
        """Return some of the events."""
        return replace(self, row=self.row[kept], column=self.column[kept], weights=self.weights[kept])

    def triples(self) -> list[Triple]:
        """Return (row, column, weight) of each event.

        Examples
        --------
        >>> Events.of([("ann", "tea", 1.0), ("ben", "tea", 2.0)]).only(slice(1, 2)).triples()
        [('ben', 'tea', 2.0)]
        """
        numbers = zip(self.row.tolist(), self.column.tolist(), self.weights.tolist(), strict=True)
        return [(self.rows[row], self.columns[column], weight) for row, column, weight in numbers]


def read_events(
    source: Any,
    users: Any = None,
    items: Any = None,
    weights: Any = None,
    *,
    min_weight: float | None = None,
    weighted: bool | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    missing: str = "auto",
    split_items: str | None = None,
) -> Events:
    """Read events from anything that `Dataset.from_interactions` takes; events of weight 0 are left out."""
    check_weighing(min_weight, weighted, None, has_time=False)
    fields = (*_FIELDS[:2], replace(_FIELDS[2], sought=min_weight is not None))
    given = {"users": users, "items": items, "weights": weights}
    how: Any = {"header": header, "delimiter": delimiter, "missing": missing, "split_items": split_items}
    read = read_columns(source, (), given, fields, **how, allow_empty=True)
    read, _ = weighed(read, fields, min_weight, weighted, None)
    left, right, values, _ = counted_pairs(read, fields)
    return Events(left.names, right.names, left.codes, right.codes, values)
