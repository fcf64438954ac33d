"""A model for databases: for every entity the two vectors whose inner products are mean and variance of a score.

With u of a row and (v, b) of a column (docs/production.md):

    mean     = [mu_u, 1] . [mu_v, mu_b]
    variance = [mu_u^2 + var_u, var_u, 1] . [var_v, mu_v^2, var_b]
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from vbn._errors import MissingExtraError
from vbn.data import Vocabulary
from vbn.model import Gaussians, Trained
from vbn.storage.export import check_utf8

_ROWS = 1 << 14  # in a row group
_METADATA = "vbn.serving"


def write_serving(stream: BinaryIO, trained: Trained, added: np.ndarray) -> None:
    """Write a parquet table with a row for each entity and side; `added` is what the dial adds to each column."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow is not installed: pip install 'vbn[tables]'.") from error
    q, link = trained.posterior, trained.link
    numbers = pyarrow.from_numpy_dtype(q.v.mean.dtype)
    schema = pyarrow.schema(
        {
            "id": pyarrow.int64(),
            "entity": pyarrow.string(),
            "label": pyarrow.string(),
            "side": pyarrow.string(),
            "count": pyarrow.float64(),
            "category": pyarrow.bool_(),
            "mean": pyarrow.list_(numbers, q.dim + 1),
            "variance": pyarrow.list_(numbers, 2 * q.dim + 1),
            "base": pyarrow.float64(),
            "dial": pyarrow.float64(),
            "slope": pyarrow.float64(),
            "intercept": pyarrow.float64(),
        },
        metadata={_METADATA: json.dumps({"version": 1, "dim": q.dim})},
    )
    line = {"slope": link.slope, "intercept": link.intercept}
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        for side, part in _parts(trained):
            names = trained.vocabulary(side)
            check_utf8(names.names)
            extra: dict[str, Any] = {"base": trained.bases(trained.row_active)} if side == "row" else {"dial": added}
            for some in part:
                columns = {**_about(trained, names, side, some), **_vectors(trained, side, some)}
                columns |= {name: values[some] for name, values in extra.items()}
                if side == "row":
                    columns |= {name: np.full(len(columns["count"]), value) for name, value in line.items()}
                writer.write_batch(_batch(columns, schema))


def _parts(trained: Trained) -> Iterator[tuple[str, list[slice]]]:
    """Yield each side with ranges of its entities, columns first."""
    for side in ("column", "row"):
        n = len(trained.vocabulary(side))
        yield side, [slice(first, min(first + _ROWS, n)) for first in range(0, n, _ROWS)]


def _about(trained: Trained, names: Vocabulary, side: str, some: slice) -> dict[str, Any]:
    """Return what is known of some entities beside their vectors."""
    return {
        "id": np.arange(some.start, some.stop),
        "entity": list(names.names[some]),
        "label": names.labels_of(range(some.start, some.stop)),
        "side": [side] * (some.stop - some.start),
        "count": names.counts[some],
        "category": ~trained.profile.candidates(side)[some],
    }


def _vectors(trained: Trained, side: str, some: slice) -> dict[str, np.ndarray]:
    q = trained.posterior
    block: Gaussians = q.u if side == "row" else q.v
    mean, variance = (array[some].astype(np.float64) for array in (block.mean, block.variance))
    if side == "row":
        one = np.ones(len(mean))
        vectors = [(mean, one), (mean**2 + variance, variance, one)]
    else:
        vectors = [(mean, q.bias.mean[some]), (variance, mean**2, q.bias.variance[some])]
    dtype = block.mean.dtype
    first, second = (np.column_stack(parts).astype(dtype) for parts in vectors)
    return {"mean": first, "variance": second}


def _batch(columns: dict[str, Any], schema: Any) -> Any:
    import pyarrow

    def array(field: Any) -> Any:
        values = columns.get(field.name)
        if values is None:
            return pyarrow.nulls(len(columns["entity"]), field.type)
        if isinstance(values, np.ndarray) and values.ndim == 2:
            flat = pyarrow.array(np.ascontiguousarray(values).reshape(-1))
            return pyarrow.FixedSizeListArray.from_arrays(flat, values.shape[1])
        return pyarrow.array(values, field.type)

    return pyarrow.record_batch([array(field) for field in schema], schema=schema)
