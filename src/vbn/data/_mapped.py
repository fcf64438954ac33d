"""Arrays that are mapped from files: sent to another process by the name of the file, not by their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vbn._errors import DataError


@dataclass(frozen=True)
class MappedArray:
    """A one-dimensional array that stands in a file from a byte on."""

    path: str
    offset: int
    dtype: np.dtype
    length: int

    @classmethod
    def of(cls, array: np.ndarray) -> MappedArray | None:
        """Where an array is mapped from; None if it is no part of a file, or lies scattered in it."""
        root: np.memmap | None = None
        at: object = array
        while isinstance(at, np.ndarray):
            root, at = (at if isinstance(at, np.memmap) else root), at.base
        if root is None or root.filename is None or array.ndim != 1 or not array.flags.c_contiguous:
            return None
        offset = int(root.offset + _address(array) - _address(root))
        return cls(str(Path(root.filename).resolve()), offset, array.dtype, len(array))

    def open(self) -> np.ndarray:
        """The array, mapped for reading."""
        if self.length == 0:
            return np.empty(0, self.dtype)
        try:
            return np.asarray(np.memmap(self.path, self.dtype, "r", self.offset, (self.length,)))
        except (OSError, ValueError) as error:
            raise DataError(
                f"the counts cannot be read from {self.path}: {error}. All machines must see the folder of a mapped "
                "data set under the same path; put it on storage that they share."
            ) from error


def _address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def by_file(array: np.ndarray) -> np.ndarray | MappedArray:
    """The array, or where it is mapped from."""
    return MappedArray.of(array) or array


def opened(sent: np.ndarray | MappedArray) -> np.ndarray:
    """The array again."""
    return sent.open() if isinstance(sent, MappedArray) else sent
