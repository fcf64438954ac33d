"""The counts and relation pairs that a model learned from, as tensors: what `partial_fit` needs after `load`."""

from __future__ import annotations

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Counts, Dataset, Relation
from vbn.model._trained import Trained


def data_to_tensors(data: Dataset) -> dict[str, np.ndarray]:
    """Arrays by name."""
    counts = data.counts
    tensors = {"data.indptr": counts.indptr, "data.indices": counts.indices, "data.values": counts.values}
    for number, relation in enumerate(data.relations.values()):
        for field in ("left", "right", "weights"):
            tensors[f"data.relation.{number}.{field}"] = getattr(relation, field)
    return {name: np.array(array) for name, array in tensors.items()}


def data_from_tensors(tensors: dict[str, np.ndarray], trained: Trained, kind: str) -> Dataset | None:
    """The inverse, over the vocabularies of the model; None if the folder holds no counts."""
    if "data.indptr" not in tensors:
        return None
    shape = len(trained.rows), len(trained.columns)
    indptr, indices, values = (tensors[f"data.{field}"] for field in ("indptr", "indices", "values"))
    _check_counts(indptr, indices, values, shape)
    relations = {
        info.name: _relation(info.name, info.symmetric, tensors, number, shape)
        for number, info in enumerate(trained.relations)
    }
    return Dataset(
        trained.rows, None if trained.shared else trained.columns, Counts(indptr, indices, values, shape),
        row_taxonomy=trained.row_taxonomy, column_taxonomy=trained.column_taxonomy, relations=relations, kind=kind,
    )  # fmt: skip


def _check_counts(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> None:
    good = len(indptr) == shape[0] + 1 and indptr[0] == 0 and indptr[-1] == len(indices) == len(values)
    good = good and bool((np.diff(indptr) >= 0).all() and (indices >= 0).all() and (indices < shape[1]).all())
    if not (good and np.isfinite(values).all() and (values > 0).all()):
        raise ModelFileError("the counts of the model do not fit its names.")


def _relation(
    name: str, symmetric: bool, tensors: dict[str, np.ndarray], number: int, shape: tuple[int, int]
) -> Relation:
    left, right, weights = (tensors[f"data.relation.{number}.{field}"] for field in ("left", "right", "weights"))
    good = len(left) == len(right) == len(weights) and np.isfinite(weights).all() and (weights > 0).all()
    inside = (left >= 0).all() and (left < shape[0]).all() and (right >= 0).all() and (right < shape[1]).all()
    if not (good and inside):
        raise ModelFileError(f"the pairs of relation {name!r} do not fit the names of the model.")
    return Relation(name, left, right, weights, symmetric)
