"""Vectors in a model folder, whose format is that of densities: the variances in the file are tiny and say nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn.model import COLUMN, ROW, Blueprint, Hyperpriors, Side, Trained, placeholder
from vbn.storage import write_folder

if TYPE_CHECKING:
    from vbn.baselines.vectors import Vectors

_POINT = 1e-12  # the format wants variances above 0
_NEGATIVES, _NOISE_POWER = 1.0, 0.75  # the format wants them; a model of vectors has no use for them


def write(folder: str | os.PathLike[str], model: Any, vectors: Vectors, *, counts: bool) -> Path:
    """Save a baseline; `vbn.load` calls its `_restore` with what was stored."""
    record: dict[str, Any] = {"lower_bounds": [], "validation": [], "converged": False}
    name, params = type(model).__name__, model.get_params()
    return write_folder(folder, _stored(vectors), model.data_, name, params, record, counts=bool(counts))


def from_stored(trained: Trained) -> dict[str, Any]:
    """Return the fields of `Vectors` from what was stored."""
    q = trained.posterior
    return {
        "rows": trained.rows,
        "columns": trained.columns,
        "row_taxonomy": trained.row_taxonomy,
        "column_taxonomy": trained.column_taxonomy,
        "u": q.u.mean,
        "v": q.v.mean,
        "bias": q.bias.mean,
        "row_seen": trained.row_active,
        "column_seen": trained.column_active,
    }


def _stored(vectors: Vectors) -> Trained:
    rows = Side(ROW, vectors.rows, vectors.row_taxonomy, vectors.row_seen)
    columns = Side(COLUMN, vectors.columns, vectors.column_taxonomy, vectors.column_seen)
    nothing: dict[str, list[str]] = {"u": [], "v": [], "bias": []}
    hyperpriors, dtype = Hyperpriors(), np.dtype(np.float32)
    built = Blueprint(rows, columns, (), vectors.dim, dtype, hyperpriors, nothing).build(placeholder)
    arrays = {path: np.full(array.shape, _POINT, array.dtype) for path, array in built.arrays().items()}
    arrays |= {"u.mean": vectors.u, "v.mean": vectors.v, "bias.mean": vectors.bias}
    return Trained(
        row_side=rows,
        column_side=columns,
        relations=(),
        posterior=built.with_arrays(arrays),
        hyperpriors=hyperpriors,
        row_totals=vectors.row_seen.astype(np.float64),
        negatives=_NEGATIVES,
        noise_power=_NOISE_POWER,
    )
