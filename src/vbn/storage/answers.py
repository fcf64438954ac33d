"""Answers for many users as a file, written as they come: parquet, csv or a JSON object a line."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from vbn._errors import DataError, MissingExtraError, ModelFileError, ParameterError
from vbn.storage.files import replacing

Columns = dict[str, list[Any]]
Write = Callable[[Columns], None]


class Answered(Protocol):
    """A list of answers to one user."""

    query: str | None
    labels: list[str | None] | None

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return entity, score and std of each answer."""


def write_answers(path: str | os.PathLike[str], batches: Iterable[Iterable[Answered]], labels: bool) -> Path:
    """Write one row for each answer: user, rank (from 1), entity, label (if there are labels), score and std.

    The suffix says in which format: .parquet, .csv or .jsonl. The file appears when it is complete; a failure leaves a
    file that was there unchanged. Memory holds one batch.
    """
    target = check_answers_path(path)
    names = ["user", "rank", "entity", *(["label"] if labels else []), "score", "std"]
    try:
        with replacing(target.resolve()) as stream, _FORMATS[target.suffix.lower()](stream, names) as write:
            for batch in batches:
                write(_columns(batch, names))
    except OSError as error:
        raise ModelFileError(f"cannot write {target}: {error.strerror or error}.") from error
    return target


def check_answers_path(path: str | os.PathLike[str]) -> Path:
    """Refuse a file that cannot be written, or whose suffix stands for no format."""
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise ParameterError(f"{target.name!r} must end in {', '.join(_FORMATS)}: the suffix says the format.")
    if target.is_dir() or not target.resolve().parent.is_dir():
        what = "it is a folder" if target.is_dir() else f"the folder {target.parent} does not exist"
        raise ModelFileError(f"cannot write {target}: {what}.")
    return target


def _columns(batch: Iterable[Answered], names: list[str]) -> Columns:
    rows = [
        {"user": table.query, "rank": rank, **row}
        for table in batch
        for rank, row in enumerate(table.to_dicts(), start=1)
    ]
    return {name: [row.get(name) for row in rows] for name in names}


@contextmanager
def _parquet(stream: BinaryIO, names: list[str]) -> Iterator[Write]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow is not installed: pip install 'vbn[tables]'.") from error
    types = {"rank": pyarrow.int32(), "score": pyarrow.float64(), "std": pyarrow.float64()}
    schema = pyarrow.schema({name: types.get(name, pyarrow.string()) for name in names})

    def write(columns: Columns) -> None:
        try:
            writer.write_table(pyarrow.table(columns, schema=schema))
        except UnicodeEncodeError as error:
            raise DataError(
                f"{error.object!r} contains half a surrogate pair, which parquet cannot hold; write .csv or .jsonl."
            ) from error

    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        yield write


@contextmanager
def _csv(stream: BinaryIO, names: list[str]) -> Iterator[Write]:
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    try:
        yield lambda columns: writer.writerows(zip(*map(_written, columns.values()), strict=True))
    finally:
        text.detach()


def _written(column: list[Any]) -> list[Any]:
    return [f"{value:.9g}" if isinstance(value, float) else value for value in column]


@contextmanager
def _json_lines(stream: BinaryIO, names: list[str]) -> Iterator[Write]:
    def write(columns: Columns) -> None:
        rows = (dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True))
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        stream.write(text.encode("utf-8", "backslashreplace"))

    yield write


_FORMATS = {".parquet": _parquet, ".csv": _csv, ".jsonl": _json_lines}
