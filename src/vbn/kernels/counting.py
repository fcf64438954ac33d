"""Co-occurrence counting over a window, into a hash table of fixed size.

The table is keyed by the cell ``low * n + high`` of an unordered pair of entities. A full table is
handed back, so that the caller can put it aside as a sorted run; runs are merged pairwise. The list
of all pairs of a corpus is never held.
"""

from __future__ import annotations

import numpy as np
from numba import njit

EMPTY = -1


@njit(cache=True, nogil=True)
def count_window(tokens, offsets, n, reach, window, sentence, position, keys, values):
    """Count pairs at distance 1 ... reach within sentences, until the corpus or the table ends.

    Parameters
    ----------
    tokens
        int32, the entities of all sentences one after the other.
    offsets
        int64, sentence ``s`` is ``tokens[offsets[s]:offsets[s + 1]]``.
    n
        Number of entities.
    reach
        The largest distance.
    window
        A pair at distance d counts ``window - d + 1``; 0: every pair counts 1.
    sentence, position
        Where to begin: a sentence and a token (an index into `tokens`) in it.
    keys, values
        int64, the table; a power of two long, `keys` filled with -1. Written to.

    Returns
    -------
    sentence, position, filled
        Where to go on (``sentence == len(offsets) - 1`` at the end), and the number of cells in use.
    """
    mask = keys.shape[0] - 1
    room = keys.shape[0] // 2 - reach
    filled = 0
    while sentence < offsets.shape[0] - 1:
        end = offsets[sentence + 1]
        while position < end:
            if filled > room:
                return sentence, position, filled
            here = np.int64(tokens[position])
            for other in range(position + 1, min(position + reach + 1, end)):
                there = np.int64(tokens[other])
                key = min(here, there) * n + max(here, there)
                amount = window - (other - position) + 1 if window > 0 else 1
                slot = _scrambled(key) & mask
                while keys[slot] != key and keys[slot] != EMPTY:
                    slot = (slot + 1) & mask
                if keys[slot] == EMPTY:
                    keys[slot] = key
                    values[slot] = 0
                    filled += 1
                values[slot] += amount
            position += 1
        sentence += 1
    return sentence, position, filled


@njit(cache=True, nogil=True)
def _scrambled(key):
    """Spread neighbouring keys over the table (the finaliser of splitmix64)."""
    mixed = np.uint64(key)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(1))


@njit(cache=True, nogil=True)
def merge_runs(keys_a, values_a, keys_b, values_b):
    """Merge two runs of rising keys into one, adding the values of keys that are in both."""
    keys = np.empty(keys_a.shape[0] + keys_b.shape[0], dtype=np.int64)
    values = np.empty(keys.shape[0], dtype=np.int64)
    a = b = size = 0
    while a < keys_a.shape[0] or b < keys_b.shape[0]:
        take_a = b == keys_b.shape[0] or (a < keys_a.shape[0] and keys_a[a] <= keys_b[b])
        take_b = a == keys_a.shape[0] or (b < keys_b.shape[0] and keys_b[b] <= keys_a[a])
        values[size] = 0
        if take_a:
            keys[size] = keys_a[a]
            values[size] += values_a[a]
            a += 1
        if take_b:
            keys[size] = keys_b[b]
            values[size] += values_b[b]
            b += 1
        size += 1
    return keys[:size].copy(), values[:size].copy()


@njit(cache=True, nogil=True)
def mirrored(cells, amounts, n):
    """Counts of unordered pairs as a symmetric matrix in compressed rows; a pair of equals counts both ways.

    Cells rise, so that each row gets its columns in order: first those before it, as the cells of these come earlier.
    """
    indptr = np.zeros(n + 1, dtype=np.int64)
    for cell in cells:
        low, high = cell // n, cell % n
        indptr[low + 1] += 1
        if high != low:
            indptr[high + 1] += 1
    for row in range(n):
        indptr[row + 1] += indptr[row]
    cursor = indptr[:-1].copy()
    indices, values = np.empty(indptr[n], dtype=np.int32), np.empty(indptr[n], dtype=np.float64)
    for k in range(len(cells)):
        low, high = cells[k] // n, cells[k] % n
        amount = 2.0 * amounts[k] if low == high else amounts[k]
        indices[cursor[low]], values[cursor[low]] = high, amount
        cursor[low] += 1
        if high != low:
            indices[cursor[high]], values[cursor[high]] = low, amount
            cursor[high] += 1
    return indptr, indices, values
