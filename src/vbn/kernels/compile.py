"""How the kernels are compiled: cached on disk, without the GIL, with sums reordered into SIMD lanes."""

from __future__ import annotations

from typing import Any

import numba

# Reordering a sum changes its last bits, but in the same way in every run. NaN and infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}

kernel: Any = numba.njit(cache=True, nogil=True, fastmath=_FASTMATH, error_model="numpy")
"""Decorator of a kernel, which Python calls."""

helper: Any = numba.njit(nogil=True, fastmath=_FASTMATH, error_model="numpy", inline="never")
"""Decorator of a function that kernels call and that is compiled into each of them."""
