"""Count a corpus: its words as numbers, and the pairs of words within a window.

Words are split at white space, and each distinct word gets the next number.

Pairs are counted in a hash table of fixed size, keyed by the cell ``low * n + high`` of an unordered pair of entities.
A full table is returned to the caller, which stores it as a sorted run; runs are merged pairwise. The list of all pairs
of a corpus is never held in memory.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from vbn.kernels.compile import helper, kernel

_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_LINE, _RETURN, _SPACE = 10, 13, 32
EMPTY = -1


@njit(cache=True, nogil=True)
def count_window(tokens, offsets, n, reach, window, sentence, position, keys, values):
    """Count pairs at distance 1 ... reach within sentences, until the corpus or the table ends.

    Parameters
    ----------
    tokens
        int32, the entities of all sentences, concatenated.
    offsets
        int64, sentence ``s`` is ``tokens[offsets[s]:offsets[s + 1]]``.
    n
        Number of entities.
    reach
        The largest distance.
    window
        A pair at distance d counts ``window - d + 1``; if 0, every pair counts 1.
    sentence, position
        Where to begin: a sentence, and a token in it (an index into `tokens`).
    keys, values
        int64, the table, which is written to. Its length is a power of two, and `keys` is filled with -1.

    Returns
    -------
    sentence, position, filled
        Where to continue (``sentence == len(offsets) - 1`` at the end), and the number of cells in use.
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
    """Merge two runs of ascending keys into one, adding the values of keys that are in both."""
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
    """Return counts of unordered pairs as a symmetric CSR matrix; a pair of an entity with itself counts twice.

    Cells are in ascending order, so each row gets its columns in order.
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


@helper
def _doubled(array, used):
    larger = np.empty(2 * len(array), array.dtype)
    larger[:used] = array[:used]
    return larger


@helper
def _table(size, hashes, n):
    """Return an open-addressing table of the numbers 0..n-1 by their hashes; -1 marks a free slot."""
    table = np.full(size, -1, np.int32)
    for number in range(n):
        at = hashes[number] & np.uint64(size - 1)
        while table[at] >= 0:
            at = (at + np.uint64(1)) & np.uint64(size - 1)
        table[at] = number
    return table


@helper
def _same(text, start, pool, begin, length):
    for k in range(length):  # noqa: SIM110 - compiled
        if text[start + k] != pool[begin + k]:
            return False
    return True


@kernel
def number_words(text, table, hashes, ends, pool, n):
    """Return the words of a text of whole lines as numbers, and the number of words up to the end of each line.

    `n` words are known: word w is pool[ends[w]:ends[w + 1]], and `table` (its length a power of two, -1 in free slots)
    has its number in the slot of `hashes[w]`. These four arrays, which may have grown, and the new `n` are returned
    after the numbers. White space is that of ASCII; lines end with a line feed, a carriage return, or both.
    """
    numbers, lines = np.empty(len(text) // 2 + 1, np.int32), np.empty(1024, np.int64)
    found = n_lines = 0
    place, end = 0, len(text)
    while place < end:
        byte = text[place]
        if byte <= _SPACE and (byte == _SPACE or 9 <= byte <= 13 or byte >= 28):
            place += 1
            if byte == _LINE or (byte == _RETURN and (place == end or text[place] != _LINE)):
                if n_lines == len(lines):
                    lines = _doubled(lines, n_lines)
                lines[n_lines] = found
                n_lines += 1
            continue
        start, value = place, _SEED
        while place < end:
            byte = text[place]
            if byte <= _SPACE and (byte == _SPACE or 9 <= byte <= 13 or byte >= 28):
                break
            value = (value ^ np.uint64(byte)) * _PRIME
            place += 1
        length = place - start
        value ^= value >> np.uint64(32)
        at = value & np.uint64(len(table) - 1)
        number = table[at]
        while number >= 0:
            same = hashes[number] == value and ends[number + 1] - ends[number] == length
            if same and _same(text, start, pool, ends[number], length):
                break
            at = (at + np.uint64(1)) & np.uint64(len(table) - 1)
            number = table[at]
        if number < 0:
            number = n
            while ends[n] + length > len(pool):
                pool = _doubled(pool, ends[n])
            if n + 1 == len(hashes):
                hashes, ends = _doubled(hashes, n), _doubled(ends, n + 1)
            pool[ends[n] : ends[n] + length] = text[start:place]
            hashes[n], ends[n + 1] = value, ends[n] + length
            n += 1
            table[at] = number
            if 2 * n > len(table):
                table = _table(2 * len(table), hashes, n)
        numbers[found] = number
        found += 1
    return numbers[:found].copy(), lines[:n_lines].copy(), table, hashes, ends, pool, n
