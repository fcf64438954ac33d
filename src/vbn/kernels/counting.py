"""Count a corpus: its words as numbers, and the pairs of words within a window.

Words are split at white space, and each distinct word gets the next number.

Pairs are listed in an array of fixed size, each as one number: its two entities, the lower one first, and their
distance. A full array is sorted and added up to a run, and runs are merged pairwise. The list of all pairs of a corpus
is never held in memory.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from vbn.kernels.compile import helper, kernel

_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_LINE, _RETURN, _SPACE = 10, 13, 32
_DIGIT = 11  # bits that are sorted by at once: so many places are in the cache


@njit(cache=True, nogil=True)
def list_pairs(tokens, offsets, reach, bits, low, sentence, position, pairs):
    """List pairs at distance 1 ... reach within sentences, until the corpus or the room ends.

    Parameters
    ----------
    tokens
        int32, the entities of all sentences, concatenated.
    offsets
        int64, sentence ``s`` is ``tokens[offsets[s]:offsets[s + 1]]``.
    reach
        The largest distance.
    bits, low
        Bits of an entity, and of a distance.
    sentence, position
        Where to begin: a sentence, and a token in it (an index into `tokens`).
    pairs
        int64, longer than `reach`; is written to.

    Returns
    -------
    sentence, position, listed
        Where to continue (``sentence == len(offsets) - 1`` at the end), and the number of pairs.
    """
    room, listed = len(pairs) - reach, 0
    while sentence < offsets.shape[0] - 1:
        end = offsets[sentence + 1]
        while position < end:
            if listed > room:
                return sentence, position, listed
            here = np.int64(tokens[position])
            for other in range(position + 1, min(position + reach + 1, end)):
                there = np.int64(tokens[other])
                pairs[listed] = (min(here, there) << bits | max(here, there)) << low | (other - position)
                listed += 1
            position += 1
        sentence += 1
    return sentence, position, listed


@njit(cache=True, nogil=True)
def sorted_pairs(pairs, spare, low, bits):
    """Sort by the `bits` above the `low` ones, digit by digit from the last; return one of the two arrays."""
    passes = max((bits + _DIGIT - 1) // _DIGIT, 1)
    digit = (bits + passes - 1) // passes
    mask, places = (1 << digit) - 1, np.zeros((passes, 1 << digit), np.int64)
    for pair in pairs:
        rest = pair >> low
        for number in range(passes):
            places[number, rest & mask] += 1
            rest >>= digit
    for number in range(passes):
        place, total = places[number], 0
        for value in range(1 << digit):
            total += place[value]
            place[value] = total - place[value]
        for pair in pairs:
            value = pair >> (low + number * digit) & mask
            spare[place[value]] = pair
            place[value] += 1
        pairs, spare = spare, pairs
    return pairs


@njit(cache=True, nogil=True)
def added_up(pairs, low, window):
    """Return the distinct keys of sorted pairs, and what each counts.

    A pair at distance d counts ``window - d + 1``; if `window` is 0, every pair counts 1.
    """
    size = 0
    for k in range(len(pairs)):
        size += k == 0 or pairs[k] >> low != pairs[k - 1] >> low
    keys, amounts = np.empty(size, np.int64), np.zeros(size, np.int64)
    at = -1
    for k in range(len(pairs)):
        key = pairs[k] >> low
        at += k == 0 or key != pairs[k - 1] >> low
        keys[at] = key
        amounts[at] += window - (pairs[k] & ((1 << low) - 1)) + 1 if window > 0 else 1
    return keys, amounts


@njit(cache=True, nogil=True)
def merge_runs(keys_a, values_a, keys_b, values_b):
    """Merge two runs of ascending keys into one, adding the values of keys that are in both.

    Both loops do without branches, which nobody could predict; the first one only counts.
    """
    n_a, n_b = len(keys_a), len(keys_b)
    a = b = size = np.int64(0)
    while a < n_a and b < n_b:
        key_a, key_b = keys_a[a], keys_b[b]
        a, b, size = a + np.int64(key_a <= key_b), b + np.int64(key_b <= key_a), size + 1
    size += n_a - a + n_b - b
    keys, values = np.empty(size, np.int64), np.empty(size, np.int64)
    a = b = size = np.int64(0)
    while a < n_a and b < n_b:
        key_a, key_b = keys_a[a], keys_b[b]
        from_a, from_b = np.int64(key_a <= key_b), np.int64(key_b <= key_a)
        keys[size] = min(key_a, key_b)
        values[size] = from_a * values_a[a] + from_b * values_b[b]
        a, b, size = a + from_a, b + from_b, size + 1
    for k in range(a, n_a):
        keys[size], values[size] = keys_a[k], values_a[k]
        size += 1
    for k in range(b, n_b):
        keys[size], values[size] = keys_b[k], values_b[k]
        size += 1
    return keys, values


@njit(cache=True, nogil=True)
def mirrored(cells, amounts, n, bits, unit):
    """Return counts of unordered pairs as a symmetric CSR matrix; a pair of an entity with itself counts twice.

    Cells are in ascending order, so each row gets its columns in order. Amounts are counted in units.
    """
    indptr, mask = np.zeros(n + 1, dtype=np.int64), (1 << bits) - 1
    for cell in cells:
        low, high = cell >> bits, cell & mask
        indptr[low + 1] += 1
        if high != low:
            indptr[high + 1] += 1
    for row in range(n):
        indptr[row + 1] += indptr[row]
    cursor = indptr[:-1].copy()
    indices, values = np.empty(indptr[n], dtype=np.int32), np.empty(indptr[n], dtype=np.float64)
    for k in range(len(cells)):
        low, high = cells[k] >> bits, cells[k] & mask
        amount = amounts[k] / unit
        amount = 2.0 * amount if low == high else amount
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
