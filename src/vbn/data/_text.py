"""Large text files, one sentence a line: read in blocks, their words numbered by a kernel.

The outcome is that of splitting every line with `str.split`, at ten times the speed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from vbn._cores import available_cores
from vbn.data._files import File, open_binary, read_lines, reading
from vbn.data._types import IdArray

_BLOCK = 1 << 24  # bytes read at a time
_START = 1 << 16  # words and bytes that there is room for at first
_OTHER_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BOM = b"\xef\xbb\xbf"


def number_file(file: File, parts: int | None = None) -> tuple[list[str], np.ndarray, IdArray]:
    """Distinct words by first appearance, the number of each word of the file, and where each line's words begin.

    Parts of the file that follow each other are dealt with side by side; by default as many as there are cores, and one
    of a small or zipped file.
    """
    size = file.path.stat().st_size
    edges = _edges(file, size, 1 if file.zipped else parts or min(available_cores(), 1 + size // _BLOCK))
    with ThreadPoolExecutor(len(edges) - 1, thread_name_prefix="vbn-read") as pool:
        found = list(pool.map(lambda first, last: _numbered(file, first, last), edges[:-1], edges[1:]))
    known = {name: number for number, name in enumerate(found[0][0])}
    numbers, lines, total = [found[0][1]], [found[0][2]], len(found[0][1])
    for theirs, codes, begins in found[1:]:
        place = np.array([known.setdefault(name, len(known)) for name in theirs], dtype=np.int32)
        numbers.append(place[codes])
        lines.append(begins[1:] + total)
        total += len(codes)
    return list(known), np.concatenate(numbers), np.concatenate(lines)


def _edges(file: File, size: int, parts: int) -> list[int | None]:
    """Where parts begin, each with a line, and None at the end."""
    edges: list[int | None] = [0]
    if parts > 1:
        with reading(file), file.path.open("rb") as stream:
            for part in range(1, parts):
                stream.seek(size * part // parts)
                stream.readline()
                edges.append(max(stream.tell(), edges[-1] or 0))
    return [*edges, None]


def _numbered(file: File, first: int | None, last: int | None) -> tuple[list[str], np.ndarray, IdArray]:
    """The same for the bytes from `first` on, up to `last`."""
    from vbn.kernels.tokens import number_words

    table, hashes = np.full(2 * _START, -1, np.int32), np.empty(_START, np.uint64)
    ends, pool, n, total = np.zeros(_START + 1, np.int64), np.empty(16 * _START, np.uint8), 0, 0
    numbers, lines = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
    for block in _blocks(file, first or 0, last):
        text = np.frombuffer(block, np.uint8)
        found, line_ends, table, hashes, ends, pool, n = number_words(text, table, hashes, ends, pool, n)
        numbers.append(found)
        lines.append(line_ends + total)
        total += len(found)
    names = pool[: ends[n]].tobytes()
    return [names[ends[w] : ends[w + 1]].decode() for w in range(n)], np.concatenate(numbers), np.concatenate(lines)


def _blocks(file: File, first: int, last: int | None) -> Iterator[bytes]:
    """A part of the file in pieces of whole lines, with no white space but that of ASCII."""
    with reading(file), open_binary(file) as stream:
        if first:
            stream.seek(first)
        begun, place = b"", first
        while True:
            read = stream.read(_BLOCK if last is None else min(_BLOCK, last - place))
            if place == 0:
                read, place = read.removeprefix(_BOM), len(read)
            else:
                place += len(read)
            cut = read.rfind(b"\n") + 1
            piece, begun = (begun + read[:cut], read[cut:]) if cut else (b"", begun + read)
            if not read and begun:
                piece, begun = begun + b"\n" * (not begun.endswith(b"\r")), b""
            if piece:
                yield _plain(piece, file)
            if not read:
                return


def _plain(piece: bytes, file: File) -> bytes:
    if b"\0" in piece:
        for _ in read_lines(file):  # which says in what line it is
            continue
    if piece.isascii():
        return piece
    return _OTHER_SPACES.sub(" ", piece.decode("utf-8")).encode()
