"""Densities in 16 bits, the upper half of a float32 (bfloat16), to send them in half of the bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vbn.engines.threads import ThreadEngine
from vbn.kernels import DensityArrays
from vbn.model import row_ranges


def halved(densities: DensityArrays, engine: ThreadEngine) -> DensityArrays:
    """Return densities in 16 bits; they are off by at most 1 in 256."""
    return DensityArrays(*(_filled(array, np.dtype(np.uint16), _upper, engine) for array in densities))


def restored(densities: DensityArrays, dtype: np.dtype, engine: ThreadEngine) -> DensityArrays:
    """Return densities as kernels take them; those that are not in 16 bits stay as they are."""
    if densities.mean.dtype != np.uint16:
        return densities
    return DensityArrays(*(_filled(array, dtype, _whole, engine) for array in densities))


def _filled(
    array: np.ndarray, dtype: np.dtype, change: Callable[[np.ndarray], np.ndarray], engine: ThreadEngine
) -> np.ndarray:
    made = np.empty(array.shape, dtype)

    def task(first: int, last: int) -> None:
        made[first:last] = change(array[first:last])

    engine.map(task, row_ranges(len(array)))
    return made


def _upper(values: np.ndarray) -> np.ndarray:
    """Return the upper half of each number as a float32, rounded to the nearest, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _whole(halves: np.ndarray) -> np.ndarray:
    bits: np.ndarray = np.left_shift(halves, 16, dtype=np.uint32)
    return bits.view(np.float32)
