"""Sentences from lists, tables and files, and their tokens as codes."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import DataError
from vbn.data._columns import as_table, chosen_columns
from vbn.data._csv import checked_rows, open_sheet, unsure
from vbn.data._fields import Field, Header, pick, plain_name
from vbn.data._files import File, check_reading, find_file
from vbn.data._lines import holds_lists, split_lines
from vbn.data._missing import check_missing, settle
from vbn.data._names import Coded, Encoder, row_number
from vbn.data._tables import Table, read_parquet
from vbn.data._text import number_file
from vbn.data._types import IdArray

_TEXT = Field("column", ("text", "sentence", "sentences", "tokens", "document"))


@dataclass(frozen=True)
class Corpus:
    """Sentences one after the other as codes, with the names in order of first appearance."""

    names: list[str]
    tokens: np.ndarray
    offsets: IdArray


def read_corpus(
    source: object, column: str | int | None, header: bool | None, delimiter: str | None, missing: str = "error"
) -> Corpus:
    """The sentences of any of the forms that `Dataset.from_sequences` documents, numbered."""
    if isinstance(source, str | os.PathLike) and column is None and header is None and delimiter in (None, " "):
        file = find_file(source, delimiter=delimiter)
        if holds_lists(file):
            check_missing(missing)
            return Corpus(*number_file(file))
    return encode_corpus(read_sentences(source, column, header, delimiter), missing)


def encode_corpus(sentences: Iterable[object], missing: str = "error") -> Corpus:
    """Number the tokens of all sentences, in one pass (so a generator will do)."""
    check_missing(missing)
    encoder, offsets = Encoder(), array("q", [0])
    for position, sentence in enumerate(sentences):

        def where(token: int, position: int = position) -> str:
            return f"token {token} of sentence {position} (both counted from 0)"

        encoder.extend(check_sentence(sentence, position), where)
        offsets.append(len(encoder))
    return _without_gaps(encoder.result(), np.array(offsets, dtype=np.int64), missing)


def _without_gaps(coded: Coded, offsets: IdArray, missing: str) -> Corpus:
    def where(token: int) -> str:
        sentence = int(np.searchsorted(offsets, token, side="right")) - 1
        return f"token {token - int(offsets[sentence])} of sentence {sentence} (both counted from 0)"

    there = settle(coded, missing, where)
    if not there.all():
        coded, offsets = coded.only(there), np.concatenate([[0], np.cumsum(there)])[offsets]
    return Corpus(coded.names, coded.codes.astype(np.int32), offsets)


def check_sentence(sentence: object, position: int) -> Iterable[object]:
    """Return a sentence, unless it is no list of tokens."""
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
    """Return the sentences of any of the forms that `Dataset.from_sequences` documents."""
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
    if holds_lists(file) and column is None and header is None:
        return split_lines(file, delimiter)
    chosen = {} if column is None else {"column": column}
    sheet = open_sheet(file, chosen, (_TEXT,), header, delimiter)
    place = _text_column(sheet.header(file.path.name), column)
    if not sheet.sure:
        raise unsure(sheet, (_TEXT,), file.path.name)
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
        raise DataError(f"which column of {header.source} holds the text? Say column= one of {', '.join(header.names)}")
    return pick(header, chosen, (_TEXT,)).places["column"]
