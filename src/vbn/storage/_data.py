"""The counts and relation pairs that a model learned from, as tensors: what `partial_fit` needs after `load`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Counts, Dataset, Relation
from vbn.model import Trained
from vbn.storage._checks import DOUBLE, IDS, LONG, holds, need_positive, need_rows, take


def data_to_tensors(data: Dataset) -> dict[str, np.ndarray]:
    """Arrays by name."""
    counts = data.counts
    tensors = {"data.indptr": counts.indptr, "data.indices": counts.indices, "data.values": counts.values}
    for number, relation in enumerate(data.relations.values()):
        for field in ("left", "right", "weights"):
            tensors[f"data.relation.{number}.{field}"] = getattr(relation, field)
    return tensors


def data_from_tensors(tensors: Mapping[str, np.ndarray], trained: Trained, kind: object) -> Dataset | None:
    """The inverse, over the vocabularies of the model; None if the folder holds no counts."""
    if "data.indptr" not in tensors:
        return None
    if not isinstance(kind, str):
        raise ModelFileError(f"kind={kind!r} of the model's data is not a word.")
    shape = len(trained.rows), len(trained.columns)
    indptr = take(tensors, "data.indptr", LONG, (shape[0] + 1,))
    indices = take(tensors, "data.indices", IDS, (None,))
    values = take(tensors, "data.values", DOUBLE, indices.shape)
    need_rows("the counts", indptr, indices, shape[1])
    need_positive("data.values", values)
    relations = {
        info.name: _relation(info.name, info.symmetric, tensors, number, shape)
        for number, info in enumerate(trained.relations)
    }
    return Dataset(
        trained.rows, None if trained.shared else trained.columns, Counts(indptr, indices, values, shape),
        row_taxonomy=trained.row_taxonomy, column_taxonomy=trained.column_taxonomy, relations=relations, kind=kind,
    )  # fmt: skip


def _relation(
    name: str, symmetric: bool, tensors: Mapping[str, np.ndarray], number: int, shape: tuple[int, int]
) -> Relation:
    prefix = f"data.relation.{number}."
    left = take(tensors, f"{prefix}left", IDS, (None,))
    right = take(tensors, f"{prefix}right", IDS, left.shape)
    weights = take(tensors, f"{prefix}weights", DOUBLE, left.shape)
    need_positive(f"{prefix}weights", weights)
    inside = all(
        holds(ids, lambda part, size=size: (part >= 0) & (part < size))  # type: ignore[misc]
        for ids, size in zip((left, right), shape, strict=True)
    )
    if not inside:
        raise ModelFileError(f"the pairs of relation {name!r} do not fit the names of the model.")
    return Relation(name, left, right, weights, symmetric)
