"""Lists of names: sentences and baskets from lists, tables and files.

Large text files with one sentence a line are read in blocks, and a kernel numbers their words: the same as splitting
every line with `str.split`, at ten times the speed.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from vbn._cores import available_cores
from vbn._errors import REMEDY, DataError
from vbn.data.counts import IdArray
from vbn.data.io.columns import ITEMS, Field, Header, pick, plain_name, warn_of_lists
from vbn.data.io.files import (
    TEXT,
    File,
    check_reading,
    checked_rows,
    find_file,
    mark_of,
    open_binary,
    open_sheet,
    read_lines,
    read_rows,
    reading,
    unsure,
)
from vbn.data.io.inputs import Table, as_table, chosen_columns, read_columns, read_parquet
from vbn.data.vocabulary import Coded, Encoder, check_missing, left_out, row_number, settle, settled_missing

_TEXT = Field("column", ("text", "sentence", "sentences", "tokens", "document"))
_USERS = ("user", "users", "userid", "user_id")
BASKETS = (
    Field(
        "baskets", ("basket", "baskets", *_USERS, "order", "order_id", "transaction", "session", "invoice", "patient")
    ),
    Field("items", (*ITEMS, "code")),
)
_MARKS = {",": "commas", ";": "semicolons"}
_LOOKED_AT = 1000  # lines of a file of columns that may be one of lists
_BLOCK = 1 << 24  # bytes read at a time
_START = 1 << 16  # words and bytes that there is room for at first
_OTHER_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Corpus:
    """Sentences one after the other as codes, with the names in order of first appearance."""

    names: list[str]
    tokens: np.ndarray
    offsets: IdArray


def read_corpus(
    source: object, column: str | int | None, header: bool | None, delimiter: str | None, missing: str = "auto"
) -> Corpus:
    """Return the sentences, in any form that `Dataset.from_sequences` documents, as codes."""
    if isinstance(source, str | os.PathLike) and column is None and header is None and delimiter in (None, " "):
        file = find_file(source, delimiter=delimiter)
        if _holds_lists(file):
            check_missing(missing)
            return Corpus(*number_file(file))
    return encode_corpus(read_sentences(source, column, header, delimiter), missing)


def encode_corpus(sentences: Iterable[object], missing: str = "auto") -> Corpus:
    """Number the tokens of all sentences, in one pass; a generator is fine."""
    check_missing(missing)
    encoder, offsets = Encoder(), array("q", [0])

    def where(token: int) -> str:
        sentence = bisect_right(offsets, token) - 1
        return f"token {token - offsets[sentence]} of sentence {sentence} (both counted from 0)"

    for position, sentence in enumerate(sentences):
        encoder.extend(check_sentence(sentence, position), lambda token: where(offsets[-1] + token))
        offsets.append(len(encoder))
    coded, ends = encoder.result(), np.array(offsets, dtype=np.int64)
    there = settle(coded, missing, where)
    if not there.all():
        coded, ends = coded.only(there), np.concatenate([[0], np.cumsum(there)])[ends]
    return Corpus(coded.names, coded.codes.astype(np.int32), ends)


def check_sentence(sentence: object, position: int) -> Iterable[object]:
    """Return a sentence, or refuse it if it is not a list of tokens."""
    if isinstance(sentence, str | bytes):
        raise DataError(
            f"sentence {position} (counted from 0) is a plain string; split it into tokens first, "
            "for example with sentence.split()"
        )
    if not isinstance(sentence, Iterable) or isinstance(sentence, Mapping | Set):
        raise DataError(
            f"sentence {position} (counted from 0) is of type {type(sentence).__name__}; "
            "each sentence must be a list of tokens"
        )
    return sentence


def read_sentences(
    source: object, column: str | int | None, header: bool | None, delimiter: str | None
) -> Iterable[object]:
    """Return the sentences, in any form that `Dataset.from_sequences` documents."""
    check_reading(header, delimiter)
    if column is not None:
        chosen_columns({"column": column})
    if isinstance(source, str | os.PathLike):
        return _from_file(find_file(source, delimiter=delimiter), column, header, delimiter)
    table = as_table(source)
    if table is not None:
        return _from_table(table, column)
    if column is not None:
        raise DataError("column names a column of a table or file, but the sentences came as a list")
    source = source.to_pylist() if hasattr(source, "to_pylist") else source  # an Arrow array
    if not isinstance(source, Iterable):
        raise DataError(f"expected sentences, a table or a path, not a value of type {type(source).__name__}")
    return source


def _from_file(file: File, column: str | int | None, header: bool | None, delimiter: str | None) -> Iterator[object]:
    if file.kind == "parquet":
        return _from_table(read_parquet(file), column)
    if _holds_lists(file) and column is None and header is None:
        return _split_lines(file, delimiter)
    chosen = {} if column is None else {"column": column}
    sheet = open_sheet(file, chosen, (_TEXT,), header, delimiter)
    place = _text_column(sheet.header(file.path.name), column)
    if not sheet.sure:
        raise unsure(sheet, (_TEXT,), file.path.name, {"column": place})
    return (row[place].split() for _, row in checked_rows(sheet, file.path.name))


def _from_table(table: Table, column: str | int | None) -> Iterator[object]:
    place = _text_column(table.header, column)
    values: Any = table.column(place)
    for position, value in enumerate(values):
        if isinstance(value, str):
            yield value.split()
        elif isinstance(value, Iterable):
            yield value
        else:
            raise DataError(f"{row_number(position)} of column {table.names[place]!r} is {value!r}, not text")


def _text_column(header: Header, column: str | int | None) -> int:
    chosen = {} if column is None else {"column": column}
    usual = any(plain_name(name) in _TEXT.aliases for name in header.names)
    if column is None and not usual and len(header.names) > 1:
        message = f"which column of {header.source} holds the text? Name it with {REMEDY}: {', '.join(header.names)}"
        raise DataError(message, remedies=[("column",)])
    return pick(header, chosen, (_TEXT,)).places["column"]


class Entries(NamedTuple):
    """The basket of each entry, its item, and the columns that they were read from, if any."""

    baskets: IdArray
    items: Coded
    reading: dict[str, str | None] | None = None


def read_baskets(
    source: object,
    baskets: object,
    items: object,
    header: bool | None,
    delimiter: str | None,
    missing: str,
    split_items: str | None = None,
) -> Entries:
    """Read baskets in any form that `Dataset.from_baskets` documents."""
    check_missing(missing)
    if source is None and items is None:
        source, baskets = baskets, None
    file: File | None = None
    listed = baskets is None and items is None and split_items is None
    if listed and isinstance(source, str | os.PathLike):
        check_reading(header, delimiter)
        file = find_file(source, delimiter=delimiter)
        if _holds_lists(file) and header is None:
            return _from_lists(_split_baskets(file, delimiter), missing, file.path.name)
    elif listed and isinstance(source, Mapping):
        return _from_lists(source.values(), missing)
    elif listed and as_table(source) is None:
        return _from_lists(source, missing)
    given = {"baskets": baskets, "items": items}
    try:
        how: Any = {"header": header, "delimiter": delimiter, "missing": missing, "split_items": split_items}
        read = read_columns(source, (), given, BASKETS, **how)
    except DataError as error:
        if file is None or not _differ_in_length(file, delimiter):
            raise
        name, mark = file.path.name.partition(".")[0], delimiter or mark_of(file) or ","
        hint = f"if each line is a basket, call the file {name}.txt and pass {REMEDY}"
        remedies = [*error.remedies, ("delimiter", mark)]
        raise DataError(f"{error.args[0]} ({hint})", remedies=remedies) from error
    warn_of_lists(read, "items")
    return Entries(read.labels["baskets"].codes, read.labels["items"], read.reading(BASKETS))


def _from_lists(baskets: object, missing: str, file: str = "") -> Entries:
    if not isinstance(baskets, Iterable):
        raise DataError(f"expected baskets, a table or a path, not a value of type {type(baskets).__name__}")
    items, starts = Encoder(), [0]

    def where(entry: int) -> str:
        basket = bisect_right(starts, entry) - 1
        return f"line {basket + 1} of {file}" if file else f"item {entry - starts[basket]} of basket {basket} (from 0)"

    for number, basket in enumerate(baskets):
        if isinstance(basket, str | bytes) or not isinstance(basket, Iterable):
            raise DataError(f"basket {number} (counted from 0) is {basket!r}; each must be a list of items")
        if isinstance(basket, Set):
            basket = sorted(basket, key=str)  # the order of a set differs from process to process
        items.extend(basket, lambda item: where(starts[-1] + item))
        starts.append(len(items))
    basket_of, coded = np.repeat(np.arange(len(starts) - 1), np.diff(starts)), items.result()
    if settled_missing(missing, file or None) == "few":
        gone, missing = left_out(coded.codes < 0, where, "item"), "error"
        if gone.any():
            basket_of, coded = basket_of[~gone], coded.only(~gone)
    there = settle(coded, missing, where, file)
    return Entries(basket_of[there], coded if there.all() else coded.only(there))


def _holds_lists(file: File) -> bool:
    """Return whether a file has one list a line (.txt), not columns."""
    return [suffix.lower() for suffix in file.path.suffixes if suffix.lower() != ".gz"][-1:] == [".txt"]


def _split_lines(file: File, delimiter: str | None) -> Iterator[list[str]]:
    """Yield the names of each line, split at the delimiter, or at white space if there is none."""
    for line in read_lines(file):
        if delimiter is None or delimiter == " ":
            yield line.split()
        else:
            yield [name.strip() for name in line.split(delimiter)] if line.strip() else []


def _split_baskets(file: File, delimiter: str | None) -> Iterator[list[str]]:
    """Yield the items of each line; without a delimiter, lines that seem to be split at commas are an error.

    Otherwise "tea, milk" would silently become the items "tea," and "milk".
    """
    lines, marked = 0, dict.fromkeys(_MARKS, 0)
    for items in _split_lines(file, delimiter):
        yield items
        if delimiter is None and items:
            lines += 1
            for mark in _MARKS:
                marked[mark] += any(mark in item for item in items)
    mark = max(_MARKS, key=lambda sign: marked[sign])
    if 2 * marked[mark] > lines:
        raise DataError(
            f"{marked[mark]:,} of {lines:,} lines of {file.path.name} hold {_MARKS[mark]}: pass {REMEDY} if they "
            f"separate the items, or {REMEDY} if items are separated by white space",
            remedies=[("delimiter", mark), ("delimiter", " ")],
        )


def _differ_in_length(file: File, delimiter: str | None) -> bool:
    """Return whether the lines of a file of columns have different numbers of fields."""
    rows = islice(read_rows(file, delimiter), _LOOKED_AT)
    return file.kind in TEXT and len({len(row) for _, row in rows}) > 1


def number_file(file: File, parts: int | None = None) -> tuple[list[str], np.ndarray, IdArray]:
    """Return the distinct words of a file by first appearance, all its words as codes, and where each line begins.

    Consecutive parts of the file are read in parallel: by default as many as there are cores, and one if the file is
    small or compressed.
    """
    try:
        return _number_parts(file, parts, "utf-8")
    except UnicodeDecodeError:
        return _number_parts(file, parts, file.encoding)


def _number_parts(file: File, parts: int | None, encoding: str) -> tuple[list[str], np.ndarray, IdArray]:
    size = file.path.stat().st_size
    edges = _edges(file, size, 1 if file.zipped else parts or min(available_cores(), 1 + size // _BLOCK))
    with ThreadPoolExecutor(len(edges) - 1, thread_name_prefix="vbn-read") as pool:
        found = list(pool.map(lambda first, last: _numbered(file, first, last, encoding), edges[:-1], edges[1:]))
    known = {name: number for number, name in enumerate(found[0][0])}
    numbers, lines, total = [found[0][1]], [found[0][2]], len(found[0][1])
    for theirs, codes, begins in found[1:]:
        place = np.array([known.setdefault(name, len(known)) for name in theirs], dtype=np.int32)
        numbers.append(place[codes])
        lines.append(begins[1:] + total)
        total += len(codes)
    return list(known), np.concatenate(numbers), np.concatenate(lines)


def _edges(file: File, size: int, parts: int) -> list[int | None]:
    """Return where parts begin, each with a line, and None at the end."""
    edges: list[int | None] = [0]
    if parts > 1:
        with reading(file), file.path.open("rb") as stream:
            for part in range(1, parts):
                stream.seek(size * part // parts)
                stream.readline()
                edges.append(max(stream.tell(), edges[-1] or 0))
    return [*edges, None]


def _numbered(file: File, first: int | None, last: int | None, encoding: str) -> tuple[list[str], np.ndarray, IdArray]:
    """Return the same as `number_file` for the bytes from `first` up to `last`, their white space that of ASCII."""
    from vbn.kernels.counting import number_words

    table, hashes = np.full(2 * _START, -1, np.int32), np.empty(_START, np.uint64)
    ends, pool, n, total = np.zeros(_START + 1, np.int64), np.empty(16 * _START, np.uint8), 0, 0
    numbers, lines = [np.empty(0, np.int32)], [np.zeros(1, np.int64)]
    for block in _blocks(file, first or 0, last):
        text = np.frombuffer(_plain(block, file, encoding), np.uint8)
        found, line_ends, table, hashes, ends, pool, n = number_words(text, table, hashes, ends, pool, n)
        numbers.append(found)
        lines.append(line_ends + total)
        total += len(found)
    names = pool[: ends[n]].tobytes()
    return [names[ends[w] : ends[w + 1]].decode() for w in range(n)], np.concatenate(numbers), np.concatenate(lines)


def _blocks(file: File, first: int, last: int | None) -> Iterator[bytes]:
    """Yield a part of the file in pieces of whole lines."""
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
                yield piece
            if not read:
                return


def _plain(piece: bytes, file: File, encoding: str) -> bytes:
    if b"\0" in piece:
        for _ in read_lines(file):  # raises the error that names the line
            continue
    if piece.isascii():
        return piece
    return _OTHER_SPACES.sub(" ", piece.decode(encoding)).encode()
