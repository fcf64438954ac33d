"""A parquet table with a row for each entity: entity, count, parents, mean, variance."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from vbn._errors import MissingExtraError
from vbn.storage._export import Densities
from vbn.storage._export_word2vec import utf8

_ROWS = 1 << 16


def write_parquet(stream: BinaryIO, densities: Densities) -> None:
    """One row group for every 65,536 entities."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow is not installed: pip install 'vbn[tables]'.") from error
    numbers = pyarrow.list_(pyarrow.from_numpy_dtype(densities.mean.dtype))
    names = pyarrow.list_(pyarrow.string())
    schema = pyarrow.schema(
        {"entity": pyarrow.string(), "count": pyarrow.float64(), "parents": names, "mean": numbers, "variance": numbers}
    )
    for name in densities.names:
        utf8(name)  # an error of ours before pyarrow's
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        for rows in densities.chunks(_ROWS):
            columns = [
                densities.names[rows],
                densities.counts[rows],
                _parents(densities, rows),
                _lists(densities.mean[rows]),
                _lists(densities.variance[rows]),
            ]
            arrays = [
                pyarrow.array(c, t) if isinstance(c, list) else c for c, t in zip(columns, schema.types, strict=True)
            ]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _lists(matrix: np.ndarray) -> Any:
    """The rows of a matrix as lists, without a Python object for each number."""
    import pyarrow

    ends = np.arange(0, matrix.size + 1, matrix.shape[1], dtype=np.int32)
    return pyarrow.ListArray.from_arrays(ends, np.ascontiguousarray(matrix).reshape(-1))


def _parents(densities: Densities, rows: slice) -> list[list[str]]:
    taxonomy = densities.taxonomy
    if taxonomy is None:
        return [[] for _ in densities.names[rows]]
    return [
        [
            taxonomy.vocabulary[parent]
            for parent in taxonomy.indices[taxonomy.indptr[i] : taxonomy.indptr[i + 1]].tolist()
        ]
        for i in densities.ids[rows].tolist()
    ]
