"""Plain arrays in one file: safetensors (names as utf-8 bytes with their ends) and numpy's .npz (names as strings)."""

from __future__ import annotations

import json
from typing import BinaryIO

import numpy as np

from vbn._errors import DataError
from vbn.storage._export import Densities

_CHUNK_BYTES = 1 << 24
_DTYPES = {"float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}
_MOST_PADDING = 1 << 31  # bytes that numpy may pad short names with


def write_safetensors(stream: BinaryIO, densities: Densities) -> None:
    """Tensors means, variances, counts, names (bytes) and name_ends; names[name_ends[i - 1]:name_ends[i]] is name i."""
    encoded = [name.encode("utf-8", "surrogatepass") for name in densities.names]
    tensors = {
        "means": densities.mean,
        "variances": densities.variance,
        "counts": densities.counts,
        "name_ends": np.cumsum([len(name) for name in encoded], dtype=np.int64),
        "names": np.frombuffer(b"".join(encoded), dtype=np.uint8),
    }
    stream.write(_safetensors_header(tensors))
    for array in tensors.values():
        _write_array(stream, array)


def _safetensors_header(tensors: dict[str, np.ndarray]) -> bytes:
    """The format's JSON with its length in front, padded so that numbers are aligned."""
    entries: dict[str, object] = {"__metadata__": {"format": "vbn-export", "names": "utf-8, ending at name_ends"}}
    start = 0
    for name, array in tensors.items():
        end = start + array.nbytes
        entries[name] = {"dtype": _DTYPES[array.dtype.name], "shape": array.shape, "data_offsets": [start, end]}
        start = end
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _write_array(stream: BinaryIO, array: np.ndarray) -> None:
    rows = max(1, _CHUNK_BYTES // max(1, array.nbytes // max(1, len(array))))
    for first in range(0, len(array), rows):
        part = array[first : first + rows]
        stream.write(part.astype(part.dtype.newbyteorder("<"), copy=False).tobytes())


def write_numpy(stream: BinaryIO, densities: Densities) -> None:
    """Arrays names, counts, means and variances; nothing is pickled. numpy itself writes them in chunks."""
    names = densities.names
    longest = max(len(name) for name in names)
    padding = 4 * (longest * len(names) - sum(len(name) for name in names))
    if padding > _MOST_PADDING:
        raise DataError(
            f"the longest name has {longest:,} characters and numpy gives every name as many: {padding:,} bytes of "
            "padding. Export to parquet or safetensors."
        )
    ends_in_nul = next((name for name in names if name.endswith("\0")), None)
    if ends_in_nul is not None:
        raise DataError(f"numpy would drop the end of the name {ends_in_nul!r}; export to parquet or safetensors.")
    np.savez(stream, names=np.array(names), counts=densities.counts, means=densities.mean, variances=densities.variance)
