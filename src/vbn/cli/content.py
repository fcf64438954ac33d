"""Content on the command line: files of features and texts for a training, and vectors and a text for `vbn add`.

In the settings, `features` and `text` are a file and its columns by the name of the source: {"text": ["items.csv",
"title", "plot"]}.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import typer

from vbn._errors import DataError, in_python
from vbn.cli.shared import option_of, split_columns
from vbn.data import Dataset, read_numbers, read_texts

CONTENT = ("features", "text")
"""The settings that are files of content."""
_SOURCE = "[NAME=]FILE[:COLUMN,...]"


def content_entries(key: str, given: list[str], catalogue: str | None = None) -> dict[str, list[str]]:
    """Read [NAME=]FILE[:COLUMN,...] as often as given; with a catalogue, columns alone are columns of it.

    Examples
    --------
    >>> content_entries("features", ["items.csv:price,year", "image=images.npy"])
    {'features': ['items.csv', 'price', 'year'], 'image': ['images.npy']}
    >>> content_entries("text", ["title,plot"], catalogue="items.csv")
    {'text': ['items.csv', 'title', 'plot']}
    """
    found: dict[str, list[str]] = {}
    for entry in given:
        name, equals, rest = entry.partition("=")
        if not equals or Path(entry).exists():
            name, rest = key, entry
        file, columns = _split(rest, catalogue)
        if not name or not file:
            raise typer.BadParameter(f"{option_of(key)} takes {_SOURCE}, not {entry!r}.")
        if name in found:
            raise typer.BadParameter(f"{option_of(key)}: give each source a name of its own, as in NAME={file}.")
        found[name] = [file, *(str(column) for column in split_columns(columns) if column is not None)]
    return found


def _split(entry: str, catalogue: str | None) -> tuple[str, str]:
    """Return a file and its columns; the name of a file that is there may hold a colon."""
    if Path(entry).exists():
        return entry, ""
    file, colon, columns = entry.rpartition(":")
    if colon and not columns.startswith(("/", "\\")):
        return file, columns
    return (catalogue, entry) if catalogue is not None and not Path(entry).suffix else (entry, "")


def content_files(settings: Mapping[str, Any]) -> list[str]:
    """Return the files of content that a run reads."""
    return [entry[0] for key in CONTENT for entry in settings.get(key, {}).values()]


def with_files(settings: Mapping[str, Any], moved: Callable[[str], str]) -> dict[str, Any]:
    """Return settings with other paths of the files of content, such as relative ones."""
    changed = {
        key: {name: [moved(entry[0]), *entry[1:]] for name, entry in settings[key].items()}
        for key in CONTENT
        if key in settings
    }
    return {**settings, **changed}


def check_content(path: Path, key: str, value: Mapping[str, Any]) -> None:
    """Refuse a table of a toml file that does not give a list of a file and columns for each source."""
    for name, entry in value.items():
        if not isinstance(entry, list) or not entry or not all(isinstance(part, str) for part in entry):
            raise DataError(f"{path}: [{key}] must give [file, columns...] for {name!r}, in texts.")


def check_content_usage(settings: Mapping[str, Any]) -> None:
    """Refuse options of content without content, and one name for two sources."""
    given = [key for key in CONTENT if key in settings]
    if not given and "content_side" in settings:
        raise typer.BadParameter("--content-side: give --features or --text, too.")
    twice = set(settings.get("features", ())) & set(settings.get("text", ()))
    if twice:
        raise typer.BadParameter(f"--features and --text both have a source {sorted(twice)[0]!r}; rename one.")


def with_content(settings: Mapping[str, Any], data: Dataset) -> Dataset:
    """Return data with the features and texts that the settings name."""
    side, key = settings.get("content_side", "column"), settings.get("id")
    where = split_columns(key)[0] if key else None
    missing = "drop" if settings.get("drop_missing") else "error"
    for name, (file, *columns) in settings.get("features", {}).items():
        with _in_options("features"):
            options: dict[str, Any] = {"id": where, "columns": _columns(columns), "missing": missing}
            data = data.with_features(file, None, side, name, **options)
    for name, (file, *columns) in settings.get("text", {}).items():
        with _in_options("text"):
            data = data.with_text(file, where, _columns(columns), None, side, name)
    return data


def _columns(given: list[str]) -> list[str | int] | None:
    return [int(column) if column.isdecimal() else column for column in given] or None


@contextmanager
def _in_options(key: str) -> Iterator[None]:
    """Let errors about content recommend the options that it was given by."""
    words = {
        "columns": "--features FILE:COLUMN,...",
        "text": "--text FILE:COLUMN",
        "id": "--id COLUMN",
        "ids": "a file NAME.ids.txt beside NAME.npy",
        "name": f"{option_of(key)} NAME=FILE",
        "side": "--content-side",
        "missing": "--drop-missing",
        "encoder": "encoder= in Python",
    }

    def phrase(name: str, value: object = None) -> str:
        return words.get(name) or ("--text" if value == "with_text" else in_python(name, value))

    try:
        yield
    except DataError as error:
        raise type(error)(error.told(phrase)) from error


def content_of_many(
    features: list[str] | None, text: list[str] | None, source: str, known: Collection[str]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return {name: {"features": {source: vector}, "text": {source: text}}} of many entities.

    Each entry is as in training, where columns alone are those of the file that also has the parents.

    Parameters
    ----------
    features, text
        Entries [NAME=]FILE[:COLUMN,...] or [NAME=]COLUMN,...
    source
        The file with the names and parents.
    known
        The sources of the model; an entry without the name of one is for its only one.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for key, given in zip(CONTENT, (features, text), strict=True):
        for name, (file, *columns) in content_entries(key, given or [], source).items():
            with _in_options(key):
                ids, values = _rows(key, file, _columns(columns))
            own = name if name in known else "" if name == key else name
            for entity, value in zip(ids, values, strict=True):
                told = found.setdefault(entity, {}).setdefault(key, {})
                if told.setdefault(own, value) != value:
                    raise DataError(f"{file} says two things about {entity!r}; repeat the same, or give it one row.")
    return found


def _rows(key: str, file: str, columns: list[str | int] | None) -> tuple[Iterable[str], Iterable[Any]]:
    if key == "text":
        texts = read_texts(file, None, columns)
        return texts.ids, texts.texts
    numbers = read_numbers(file, None, None, columns)
    if not isinstance(numbers.ids, Sequence):
        raise DataError(f"{file} does not say whose features it has; give a table with a column of names.")
    return [str(name) for name in numbers.ids], np.asarray(numbers.values, dtype=np.float64).tolist()


def vectors_of(given: list[str] | None) -> Any:
    """Return the features of one entity, from V1,V2,... or NAME=V1,V2,...; None if there are none."""
    found = {}
    for entry in given or ():
        name, _, numbers = entry.rpartition("=")
        try:
            vector = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise typer.BadParameter(f"--features takes numbers, V1,V2,... or NAME=V1,V2,..., not {entry!r}.") from None
        if name in found:
            raise typer.BadParameter("--features: give each source once, as NAME=V1,V2,...")
        found[name] = vector
    return found or None


def texts_of(given: list[str] | None, known: Mapping[str, str]) -> Any:
    """Return the texts of one entity, TEXT or NAME=TEXT with the name of a source; None if there are none."""
    found = {}
    for entry in given or ():
        name, equals, text = entry.partition("=")
        source, said = (name, text) if equals and name in known else ("", entry)
        if source in found:
            raise typer.BadParameter("--text: give each source once, as NAME=TEXT.")
        found[source] = said
    return found or None
