"""Small input files of the verbs: names, one a line, and pairs of names with a number."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.data._columns import read_columns
from vbn.data._fields import Field
from vbn.data._files import find_file, read_lines

_LEFT = ("left", "user", "users", "user_id", "userid", "word1", "word 1", "row", "source", "subject", "first")
_RIGHT = ("right", "item", "items", "item_id", "itemid", "word2", "word 2", "column", "target", "object", "second")
_NUMBER = ("count", "counts", "weight", "weights", "rating", "score", "similarity", "human (mean)")


class Pairs(NamedTuple):
    """Two columns of names, and one of numbers if there is one."""

    left: list[str]
    right: list[str]
    numbers: np.ndarray | None


def read_pairs(path: Path, columns: Sequence[str | int | None], *, number: bool = False) -> Pairs:
    """Read pairs of names from a csv, tsv, txt or parquet file (gz too).

    Parameters
    ----------
    path
        The file.
    columns
        Names or numbers of the columns left, right and number; missing ones are found by usual names or by place.
    number
        Whether there must be a number for each pair.
    """
    fields = (
        Field("left", _LEFT),
        Field("right", _RIGHT),
        Field("number", _NUMBER, number=True, optional=not number),
    )
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
