"""The safetensors format: written in a stream, read as a memory map.

The safetensors package copies what it reads and holds what it writes twice; models are large, so the few lines of the
format are here. Tensors with wide items come first, which puts every one at a multiple of its item size.
"""

from __future__ import annotations

import json
import math
import mmap
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from vbn._errors import ModelFileError
from vbn.storage._json import LARGEST, parse

_TYPES = {"F64": "<f8", "I64": "<i8", "F32": "<f4", "I32": "<i4", "U8": "|u1", "BOOL": "|b1"}
_CODES = {np.dtype(code): name for name, code in _TYPES.items()}
_ALIGNMENT = 64
_CHUNK = 1 << 24


def file_chunks(tensors: Mapping[str, np.ndarray]) -> Iterator[bytes | memoryview]:
    """The bytes of a safetensors file; the same tensors give the same bytes."""
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header, at = {}, 0
    for name in order:
        array = arrays[name]
        ends = [at, at + array.nbytes]
        header[name] = {"dtype": _CODES[array.dtype], "shape": list(array.shape), "data_offsets": ends}
        at = ends[1]
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNMENT)
    yield len(text).to_bytes(8, "little") + text
    for name in order:
        flat = arrays[name].reshape(-1).view(np.uint8)
        for start in range(0, len(flat), _CHUNK):
            yield flat[start : start + _CHUNK].data


def map_tensors(stream: BinaryIO, what: str) -> dict[str, np.ndarray]:
    """The tensors of an open file, as views of it.

    Pages are read when they are used. The arrays can be written to, as kernels are compiled for such, but what is
    written stays in memory: the file is never changed. The map outlives the file's name.
    """
    size = stream.seek(0, 2)
    stream.seek(0)
    length = int.from_bytes(stream.read(8), "little")
    if size < 8 or length > min(size - 8, LARGEST):
        raise ModelFileError(f"{what} is damaged: its header does not fit the file.")
    entries = _checked(parse(stream.read(length), f"the header of {what}"), size - 8 - length, what)
    if not entries:
        return {}
    mapped = mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_COPY)
    return {name: _view(mapped, 8 + length + start, *kind) for name, (start, kind) in entries.items()}


def _checked(header: dict[str, Any], size: int, what: str) -> dict[str, tuple[int, tuple[np.dtype, list[int]]]]:
    """Start, type and shape of each tensor; together they must tile the data without gaps or overlaps."""
    header.pop("__metadata__", None)
    spans, entries = [], {}
    for name, entry in header.items():
        dtype, shape, (start, end) = _entry(entry, f"{what} is damaged: the tensor {name[:80]!r}")
        spans.append((start, end))
        entries[name] = start, (dtype, shape)
    at = 0
    for start, end in sorted(spans):
        if start != at:
            raise ModelFileError(f"{what} is damaged: its tensors overlap or leave gaps.")
        at = end
    if at != size:
        raise ModelFileError(f"{what} is damaged: it has {size} bytes of data, its header speaks of {at}.")
    return entries


def _entry(entry: Any, problem: str) -> tuple[np.dtype, list[int], list[int]]:
    """Type, shape, and start and end of one tensor."""
    if not isinstance(entry, dict) or entry.get("dtype") not in list(_TYPES):
        raise ModelFileError(f"{problem} is of no known type.")
    dtype, shape = np.dtype(_TYPES[entry["dtype"]]), _whole(entry.get("shape"), problem)
    ends = _whole(entry.get("data_offsets"), problem)
    if len(shape) > 2 or len(ends) != 2 or ends[1] - ends[0] != math.prod(shape) * dtype.itemsize:
        raise ModelFileError(f"{problem} does not fit its bytes.")
    return dtype, shape, ends


def _whole(numbers: Any, problem: str) -> list[int]:
    if not isinstance(numbers, list) or not all(type(number) is int and number >= 0 for number in numbers):
        raise ModelFileError(f"{problem} has a shape or place that is no list of whole numbers.")
    return numbers


def _view(mapped: mmap.mmap, start: int, dtype: np.dtype, shape: list[int]) -> np.ndarray:
    count = math.prod(shape)
    if count == 0:
        return np.empty(shape, dtype.newbyteorder("="))
    array = np.frombuffer(mapped, dtype, count, start).reshape(shape)
    if not array.flags.aligned:  # written by another tool: kernels are compiled for aligned arrays
        array = array.copy()
    return array.astype(dtype.newbyteorder("="), copy=False)
