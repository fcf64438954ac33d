"""Archives of arrays, checked before anything is unpacked: a small file may claim to hold more than any memory."""

from __future__ import annotations

import math
import os
import zipfile
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

_MOST_ENTRIES = 10_000
_HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def check_archive(file: Path | BinaryIO, most: int | None = None) -> None:
    """Raise ValueError if the arrays of an .npz file would have more than `most` bytes, or more than they have in it.

    By default they may fill half of this machine's memory. What the directory of the archive says is a bound: no more
    is unpacked of an entry. A stream is left at its beginning.
    """
    most = _half_of_memory() if most is None else most
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        size = sum(entry.file_size for entry in entries)
        if len(entries) > _MOST_ENTRIES or size > most:
            raise ValueError(f"unpacked it would have {size:,} bytes; at most {most:,} are read")
        for entry in entries:
            with archive.open(entry) as stream:
                if (claimed := _claimed(stream)) > entry.file_size:
                    raise ValueError(f"{entry.filename[:80]!r} claims {claimed:,} bytes and has {entry.file_size:,}")
    if not isinstance(file, Path):
        file.seek(0)


def _claimed(stream: IO[bytes]) -> int:
    """Return the bytes of an array by its header."""
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"arrays of version {version} are not read")
    shape, _, dtype = _HEADERS[version](stream)
    return int(math.prod(shape) * dtype.itemsize)


def _half_of_memory() -> int:
    if not hasattr(os, "sysconf"):
        return 1 << 33
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
