"""The data of a model as named tensors, and back with everything checked: counts, pairs of relations, features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Counts, Dataset, Features, Relation, Source
from vbn.model import Side, Trained
from vbn.storage.tensor_file import DOUBLE, FLOATS, IDS, LONG, holds, need_finite, need_positive, need_rows, take


def data_to_tensors(data: Dataset) -> dict[str, np.ndarray]:
    """Return counts and relation pairs, which `partial_fit` needs after `load`, by name."""
    counts = data.counts
    tensors: dict[str, np.ndarray] = {
        "data.indptr": counts.indptr,
        "data.indices": counts.indices,
        "data.values": counts.values,
    }
    for number, relation in enumerate(data.relations.values()):
        for field in ("left", "right", "weights"):
            tensors[f"data.relation.{number}.{field}"] = getattr(relation, field)
    sides = (
        {"columns": data.column_features}
        if data.shared
        else {"rows": data.row_features, "columns": data.column_features}
    )
    for side, features in sides.items():
        for source in () if features is None else features.sources:
            name = f"data.features.{side}.{source.name}"
            values = source.taken(slice(None)).astype(np.float32, copy=False)
            tensors |= {f"{name}.values": values, f"{name}.rows": source.rows}
    return tensors


def data_from_tensors(tensors: Mapping[str, np.ndarray], trained: Trained, kind: object) -> Dataset | None:
    """Return the data of `data_to_tensors` with the model's names; None if the folder has no counts."""
    if "data.indptr" not in tensors:
        return None
    if not isinstance(kind, str):
        raise ModelFileError(f"the kind of the model's data must be a word, got {kind!r}.")
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
        trained.rows,
        None if trained.shared else trained.columns,
        Counts(indptr, indices, values, shape),
        row_taxonomy=trained.row_taxonomy,
        column_taxonomy=trained.column_taxonomy,
        row_features=None if trained.shared else _features(tensors, "rows", trained.row_side),
        column_features=_features(tensors, "columns", trained.column_side),
        relations=relations,
        kind=kind,
    )


def _features(tensors: Mapping[str, np.ndarray], side: str, known: Side) -> Features | None:
    """Return the features of the model's data: those that it uses, and those that it does not."""
    prefix = f"data.features.{side}."
    made = {} if known.features is None else {own.name: own for own in known.features.sources}
    for key in sorted(name for name in tensors if name.startswith(prefix) and name.endswith(".values")):
        name = key.removeprefix(prefix).removesuffix(".values")
        rows = take(tensors, f"{prefix}{name}.rows", LONG, (None,))
        values = take(tensors, key, FLOATS[:1], (len(rows), None))
        need_finite(key, values)
        inside = len(rows) == 0 or (rows[0] >= 0 and rows[-1] < len(known.names))
        own = made.get(name)
        if not inside or (np.diff(rows) <= 0).any() or (own is not None and own.width != values.shape[1]):
            raise ModelFileError(f"the features {name[:80]!r} of the model are damaged.")
        made[name] = Source(name, values, rows) if own is None else replace(own, values=values, rows=rows)
    return Features(known.names, tuple(made.values())) if made else None


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
