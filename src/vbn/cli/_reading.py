"""Small input files of the verbs: names, one a line, and pairs of names with a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbn._errors import DataError, UnknownEntityError
from vbn.data import COUNTS, Field, find_file, open_sheet, plain_name, read_columns, read_lines

_LEFT = ("left", "user", "users", "user_id", "userid", "word1", "word_1", "row", "source", "subject", "first")
_RIGHT = ("right", "item", "items", "item_id", "itemid", "word2", "word_2", "column", "target", "object", "second")
_SCORES = ("rating", "score", "similarity", "human_(mean)")


class Pairs(NamedTuple):
    """Two columns of names, and one of numbers if there is one."""

    left: list[str]
    right: list[str]
    numbers: np.ndarray | None


def read_pairs(
    path: Path, columns: Sequence[str | int | None], *, header: bool | None = None, number: bool | None = None
) -> Pairs:
    """Read pairs of names from a csv, tsv, txt or parquet file (gz too).

    Parameters
    ----------
    path
        The file.
    columns
        Names or numbers of the columns left, right and number; missing ones are found by usual names or by place.
    header
        Whether the file begins with a header; None looks.
    number
        Whether there must be a number for each pair; None takes no notice of numbers, unless a column is named for one.
    """
    fields = [Field("left", _LEFT), Field("right", _RIGHT)]
    if number is not None or len(columns) > len(fields):
        fields.append(Field("number", (*COUNTS, *_SCORES), number=True, optional=not number))
    _refuse_guesses(path, columns, fields, header)
    read = read_columns(str(path), tuple(columns), {}, fields, header=header)
    left, right = read.labels["left"], read.labels["right"]
    return Pairs(
        [left.names[code] for code in left.codes.tolist()],
        [right.names[code] for code in right.codes.tolist()],
        read.numbers.get("number"),
    )


def _refuse_guesses(
    path: Path, columns: Sequence[str | int | None], fields: Sequence[Field], header: bool | None
) -> None:
    """Ask for the columns of a pair where their place would decide, though there are others that may be meant."""
    chosen = {item.key: column for item, column in zip(fields, columns, strict=False) if column is not None}
    file = find_file(path)
    names: Sequence[str]
    if file.kind == "parquet":
        from vbn.data import read_parquet

        names = read_parquet(file).names
    else:
        names = open_sheet(file, chosen, fields, header, None).names
    plain = {plain_name(name) for name in names}
    guessed = any(item.key not in chosen and plain.isdisjoint(item.aliases) for item in fields[:2])
    if guessed and len(names) > len(fields):
        shown = ", ".join(map(repr, names[:20]))
        raise DataError(f"which columns of {path.name} hold the pair? Say --columns and two of {shown}.")


@contextmanager
def names_from(*files: Path | None) -> Iterator[None]:
    """Let an error about an unknown name tell which of these files holds it."""
    try:
        yield
    except UnknownEntityError as error:
        for file in files:
            if file is not None and error.name in read_names(file):
                raise DataError(f"{file.name}: {error}") from error
        raise


def read_names(path: Path) -> list[str]:
    """Read names from a text file, one a line; blank lines do not count."""
    lines = read_lines(find_file(path, ("txt", "csv", "tsv")))
    names = [name for line in lines if (name := line.rstrip("\r\n")).strip()]
    if not names:
        raise DataError(f"{path.name} holds no names; write one a line.")
    return names
