"""Words of a text as numbers: bytes are cut at white space, and each distinct word gets the next number."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper, kernel

_SEED, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_LINE, _RETURN, _SPACE = 10, 13, 32


@helper
def _doubled(array, used):
    larger = np.empty(2 * len(array), array.dtype)
    larger[:used] = array[:used]
    return larger


@helper
def _table(size, hashes, n):
    """An open-addressing table of the numbers 0..n-1 by their hashes; -1 is free."""
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
    """Numbers of the words of a text of whole lines, and how many words there were at the end of each line.

    `n` words are known: word w is pool[ends[w]:ends[w + 1]], and `table` (a power of two long, -1 where it is free) has
    its number where `hashes[w]` says. Returned with the numbers are these four as they have become, and how many there
    are now. White space is that of ASCII; lines end with a line feed, a carriage return, or both.
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
