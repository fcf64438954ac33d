"""Small input files of the verbs: names, one a line, and pairs of names with a number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.data._columns import read_columns
from vbn.data._fields import COUNTS, Field
from vbn.data._files import find_file, read_lines

_LEFT = ("left", "user", "users", "user_id", "userid", "word1", "word_1", "row", "source", "subject", "first")
_RIGHT = ("right", "item", "items", "item_id", "itemid", "word2", "word_2", "column", "target", "object", "second")
_SCORES = ("rating", "score", "similarity", "human_(mean)")


class Pairs(NamedTuple):
    """Two columns of names, and one of numbers if there is one."""

    left: list[str]
    right: list[str]
    numbers: np.ndarray | None


def read_pairs(path: Path, columns: Sequence[str | int | None], *, number: bool | None = None) -> Pairs:
    """Read pairs of names from a csv, tsv, txt or parquet file (gz too).

    Parameters
    ----------
    path
        The file.
    columns
        Names or numbers of the columns left, right and number; missing ones are found by usual names or by place.
    number
        Whether there must be a number for each pair; None takes no notice of numbers, unless a column is named for one.
    """
    fields = [Field("left", _LEFT), Field("right", _RIGHT)]
    if number is not None or len(columns) > len(fields):
        fields.append(Field("number", (*COUNTS, *_SCORES), number=True, optional=not number))
    read = read_columns(str(path), tuple(columns), {}, fields)
    left, right = read.labels["left"], read.labels["right"]
    return Pairs(
        [left.names[code] for code in left.codes.tolist()],
        [right.names[code] for code in right.codes.tolist()],
        read.numbers.get("number"),
    )


def read_names(path: Path) -> list[str]:
    """Read names from a text file, one a line; blank lines do not count."""
    lines = read_lines(find_file(path, ("txt", "csv", "tsv")))
    names = [name for line in lines if (name := line.rstrip("\r\n")).strip()]
    if not names:
        raise DataError(f"{path.name} holds no names; write one a line.")
    return names
