"""A typed relation: weighted pairs of entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import REMEDY, ParameterError, RelationError
from vbn.data.counts import Counts, FloatArray, IdArray, IndexArray, as_index, first_of_runs, read_only
from vbn.data.describe import counted
from vbn.data.io.columns import Columns, Field
from vbn.data.io.inputs import read_columns, speaking_as
from vbn.data.io.numbers import check_counts
from vbn.data.vocabulary import Vocabulary, known_ids

_FIELDS = (
    Field("left", ("left", "subject", "head", "source", "first")),
    Field("right", ("right", "object", "tail", "target", "second")),
    Field("weight", ("weight", "weights", "count", "counts"), number=True, optional=True, by_position=True),
)


@dataclass(frozen=True, eq=False)
class Relation:
    """The pairs of a relation, each once, sorted by (left, right); immutable."""

    name: str
    left: IndexArray  # ids of rows
    right: IndexArray  # ids of columns
    weights: FloatArray
    symmetric: bool = False  # whether each pair is held in both directions (a pair of an entity with itself once)
    skipped: int = 0  # pairs left out when it was read, because an entity was not known or had no name

    def __post_init__(self) -> None:
        for part in ("left", "right", "weights"):
            object.__setattr__(self, part, read_only(np.asarray(getattr(self, part))))
        if not self.left.shape == self.right.shape == self.weights.shape:
            raise RelationError(f"relation {self.name!r}: left, right and weights differ in length")

    @classmethod
    def from_ids(
        cls,
        name: str,
        left: IdArray,
        right: IdArray,
        weights: FloatArray | None,
        sizes: tuple[int, int],
        symmetric: bool = False,
        skipped: int = 0,
    ) -> Relation:
        """Sort pairs and merge repeated ones: stated weights add up, others stay 1.

        A symmetric relation takes the larger weight where both directions were given.
        """
        pairs = Counts.from_coo(left, right, np.ones(len(left)) if weights is None else weights, sizes)
        rows, columns = pairs.row_ids(), pairs.indices.astype(np.int64)
        values = pairs.values if weights is not None else np.ones(pairs.nnz)
        if symmetric:
            rows, columns, values = _mirrored(rows, columns, values)
        return cls(name, as_index(rows, max(sizes)), as_index(columns, max(sizes)), values, symmetric, skipped)

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        kind = ", symmetric" if self.symmetric else ""
        skipped = f", {self.skipped:,} skipped" if self.skipped else ""
        return f"Relation({self.name!r}, {counted(len(self), 'pair')}{kind}{skipped})"


def read_relation(
    name: str,
    pairs: object,
    entities: tuple[Vocabulary, Vocabulary],
    symmetric: bool,
    missing: str,
    fields: Mapping[str, str | int | None],
    **how: Any,
) -> Relation:
    """Read a relation in any form that `Dataset.with_relation` documents; `how` has the header and the delimiter."""
    rows, columns = entities
    if missing not in ("auto", "error", "drop", "skip"):
        raise ParameterError(f'missing must be "auto", "error", "drop" or "skip", got {missing!r}')
    if symmetric and rows is not columns:
        raise RelationError(
            f"relation {name!r}: rows and columns are different entities here, so a relation between "
            "them cannot be symmetric"
        )
    with speaking_as(RelationError, f"relation {name!r}", "relation"):
        ask = missing == "skip"  # otherwise a header that is taken for a pair is an error: its entities are unknown
        read = read_columns(pairs, (), fields, _FIELDS, ask=ask, missing=missing, **how)
        weights = read.numbers.get("weight")
        if weights is not None:
            check_counts(weights, "weight", read.where)
    sides = (read.labels["left"], rows), (read.labels["right"], columns)
    left, right = (known_ids(vocabulary, side.names)[side.codes] for side, vocabulary in sides)
    known = (left >= 0) & (right >= 0)
    if not known.all() and missing != "skip":
        raise _unknown(name, read, (left, right), entities)
    if not known.any():
        raise RelationError(f"relation {name!r}: none of its {len(known):,} pairs is between known entities")
    kept = None if weights is None else weights[known]
    if kept is not None and not kept.any():
        raise RelationError(f"relation {name!r}: all its weights are 0")
    sizes = (len(rows), len(columns))
    skipped = int((~known).sum()) + read.dropped
    return Relation.from_ids(name, left[known], right[known], kept, sizes, symmetric, skipped)


def _unknown(
    name: str, read: Columns, ids: tuple[IdArray, IdArray], names: tuple[Vocabulary, Vocabulary]
) -> RelationError:
    wrong = (ids[0] < 0) | (ids[1] < 0)
    sides = zip((read.labels["left"], read.labels["right"]), ids, strict=True)
    lost = [list(dict.fromkeys(side.names[code] for code in side.codes[known < 0])) for side, known in sides]
    unknown = list(dict.fromkeys([*lost[0], *lost[1]]))
    shown = ", ".join(repr(entity) for entity in unknown[:5]) + (", ..." if len(unknown) > 5 else "")
    return RelationError(
        f"relation {name!r}: {counted(len(unknown), 'unknown entity', 'unknown entities')} ({shown}) in "
        f"{int(wrong.sum()):,} of {len(wrong):,} pairs, first at {read.where(int(np.argmax(wrong)))}; "
        f"{_wrong_side(lost, names)}pass {REMEDY} to leave such pairs out",
        remedies=[("missing", "skip")],
    )


def _wrong_side(lost: Sequence[Sequence[str]], names: tuple[Vocabulary, Vocabulary]) -> str:
    """Say so if an entity on the left is known as a column only, or one on the right as a row only."""
    rows, columns = names
    if rows is columns:
        return ""
    for side, kind, unknown, others in (("left", "column", lost[0], columns), ("right", "row", lost[1], rows)):
        found = next((name for name in unknown if name in others), None)
        if found is not None:
            return (
                f"{found!r} is a {kind}, and a relation leads from rows (such as users) on the left to columns (such "
                f"as items) on the right, so it cannot be on the {side}; "
            )
    return ""


def _mirrored(left: IdArray, right: IdArray, weights: FloatArray) -> tuple[IdArray, IdArray, FloatArray]:
    """Return every pair in both directions, with the larger of the two weights."""
    rows, columns = np.concatenate([left, right]), np.concatenate([right, left])
    values = np.concatenate([weights, weights])
    order = np.lexsort((columns, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    start = first_of_runs(rows, columns)
    return rows[start], columns[start], np.maximum.reduceat(values, start)
