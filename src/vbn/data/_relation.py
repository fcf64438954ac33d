"""A typed relation: weighted pairs of entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vbn._errors import ParameterError, RelationError
from vbn.data._columns import Columns, read_columns, speaking_as
from vbn.data._fields import Field
from vbn.data._names import Coded
from vbn.data._numbers import check_counts
from vbn.data._types import FloatArray, IdArray, IndexArray, as_index, read_only
from vbn.data._vocabulary import Vocabulary, known_ids
from vbn.data._wording import counted

FIELDS = (
    Field("left", ("left", "subject", "head", "source", "first")),
    Field("right", ("right", "object", "tail", "target", "second")),
    Field("weight", ("weight", "weights", "count", "counts"), number=True, optional=True, by_position=True),
)


@dataclass(frozen=True, eq=False)
class Relation:
    """Pairs of entities that stand in a relation, each once, sorted by (left, right); immutable.

    Parameters
    ----------
    name
        Name of the relation.
    left, right
        Ids of the two entities of each pair: of rows on the left, of columns on the right.
    weights
        Weight of each pair.
    symmetric
        Whether each pair is held both ways round (a pair of an entity with itself once).
    skipped
        Number of pairs left out when it was read, because an entity was not known or had no name.
    """

    name: str
    left: IndexArray
    right: IndexArray
    weights: FloatArray
    symmetric: bool = False
    skipped: int = 0

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
        """Sort pairs and merge repeated ones: stated weights add, unstated ones stay 1.

        A symmetric relation takes the larger weight where both directions were given.
        """
        from vbn.data._counts import Counts

        stated = np.ones(len(left)) if weights is None else weights
        pairs = Counts.from_coo(left, right, stated, sizes)
        rows, columns = pairs.row_ids(), pairs.indices.astype(np.int64)
        values = pairs.values if weights is not None else np.ones(pairs.nnz)
        if symmetric:
            rows, columns, values = _mirrored(rows, columns, values)
        left_ids, right_ids = as_index(rows, max(sizes)), as_index(columns, max(sizes))
        return cls(name, left_ids, right_ids, values, symmetric, skipped)

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        kind = ", symmetric" if self.symmetric else ""
        skipped = f", {self.skipped:,} skipped" if self.skipped else ""
        return f"Relation({self.name!r}, {counted(len(self), 'pair')}{kind}{skipped})"


def read_relation(
    name: str,
    pairs: object,
    rows: Vocabulary,
    columns: Vocabulary,
    *,
    symmetric: bool,
    missing: str,
    fields: Mapping[str, str | int | None],
    header: bool | None,
    delimiter: str | None,
) -> Relation:
    """Read a relation from any of the forms that `Dataset.with_relation` documents."""
    if missing not in ("error", "drop", "skip"):
        raise ParameterError(f'missing must be "error", "drop" or "skip", not {missing!r}')
    if symmetric and rows is not columns:
        raise RelationError(
            f"relation {name!r}: rows and columns are different entities here, so a relation between "
            "them cannot be symmetric"
        )
    with speaking_as(RelationError, f"relation {name!r}"):
        # a header that is taken for a pair is of unknown entities, and so an error
        ask = missing == "skip"
        read = read_columns(pairs, (), fields, FIELDS, header=header, delimiter=delimiter, ask=ask, missing=missing)
        weights = read.numbers.get("weight")
        if weights is not None:
            check_counts(weights, "weight", read.where)
    left, right = _ids(read.labels["left"], rows), _ids(read.labels["right"], columns)
    known = (left >= 0) & (right >= 0)
    if not known.all() and missing != "skip":
        raise _unknown(name, read, (left, right), (rows, columns))
    if not known.any():
        raise RelationError(f"relation {name!r}: none of its {len(known):,} pairs is between known entities")
    kept = weights if weights is None else weights[known]
    if kept is not None and not (kept > 0).any():
        raise RelationError(f"relation {name!r}: all its weights are 0")
    sizes = (len(rows), len(columns))
    skipped = int((~known).sum()) + read.dropped
    return Relation.from_ids(name, left[known], right[known], kept, sizes, symmetric, skipped)


def _ids(names: Coded, vocabulary: Vocabulary) -> IdArray:
    return known_ids(vocabulary, names.names)[names.codes]


def _unknown(
    name: str, read: Columns, ids: tuple[IdArray, IdArray], names: tuple[Vocabulary, Vocabulary]
) -> RelationError:
    left, right = ids
    columns = read.labels["left"], read.labels["right"]
    missing = [
        list(dict.fromkeys(c.names[code] for code in c.codes[i < 0].tolist()))
        for c, i in zip(columns, ids, strict=True)
    ]
    unknown = list(dict.fromkeys([*missing[0], *missing[1]]))
    first = int(np.argmax((left < 0) | (right < 0)))
    shown = ", ".join(repr(entity) for entity in unknown[:5]) + (", ..." if len(unknown) > 5 else "")
    pairs = int(((left < 0) | (right < 0)).sum())
    return RelationError(
        f"relation {name!r}: {len(unknown):,} unknown {'entity' if len(unknown) == 1 else 'entities'} "
        f"({shown}) in {pairs:,} of {len(left):,} pairs, first at {read.where(first)}; "
        f'{_wrong_side(missing, names)}pass missing="skip" to leave such pairs out'
    )


def _wrong_side(missing: Sequence[Sequence[str]], names: tuple[Vocabulary, Vocabulary]) -> str:
    """Say so if an entity stands on the left that is known on the right only, or the other way round."""
    rows, columns = names
    if rows is columns:
        return ""
    for (here, there), unknown, others in zip(
        (("row", "column"), ("column", "row")), missing, (columns, rows), strict=True
    ):
        lost = next((name for name in unknown if name in others), None)
        if lost is not None:
            side = "left" if here == "row" else "right"
            return (
                f"{lost!r} is a {there}, and a relation leads from rows (such as users) on the left to columns (such "
                f"as items) on the right, so it cannot stand on the {side}; "
            )
    return ""


def _mirrored(left: IdArray, right: IdArray, weights: FloatArray) -> tuple[IdArray, IdArray, FloatArray]:
    """Hold every pair both ways round, with the larger of the two weights."""
    rows, columns = np.concatenate([left, right]), np.concatenate([right, left])
    values = np.concatenate([weights, weights])
    order = np.lexsort((columns, rows))
    rows, columns, values = rows[order], columns[order], values[order]
    if len(rows) == 0:
        return rows, columns, values
    new = np.concatenate([[True], (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])])
    start = np.flatnonzero(new)
    return rows[start], columns[start], np.maximum.reduceat(values, start)
