"""Densities as a file that other tools open: the formats, and a file that is replaced whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from vbn._errors import ModelFileError, ParameterError
from vbn.data import Taxonomy

SUFFIXES = {
    ".txt": "word2vec",
    ".vec": "word2vec",
    ".bin": "word2vec-binary",
    ".parquet": "parquet",
    ".safetensors": "safetensors",
    ".npz": "numpy",
}


@dataclass(frozen=True)
class Densities:
    """What is exported: entities in the order of their ids, and one row of mean and variance for each.

    `taxonomy` numbers the entities as the model does; `ids` says which of them are exported.
    """

    names: list[str]
    counts: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    taxonomy: Taxonomy | None
    ids: np.ndarray

    def __len__(self) -> int:
        return len(self.names)

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return int(self.mean.shape[1])

    def chunks(self, rows: int) -> Iterator[slice]:
        """Ranges of rows that are written at a time, so that memory does not grow with the model."""
        return (slice(first, min(first + rows, len(self))) for first in range(0, len(self), rows))


Writer = Callable[[BinaryIO, Densities], None]


def write_densities(path: str | os.PathLike[str], densities: Densities, form: str | None) -> Path:
    """Write a file in the given format, or in the one that its suffix stands for."""
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise ParameterError(f"export needs the path of a file, not {path!r}.")
    target = Path(path)
    if target.is_dir():
        raise ModelFileError(f"cannot export to {target}: it is a folder; give the name of a file.")
    write = _writers()[_format(target, form)]
    with _replacing(target) as stream:
        write(stream, densities)
    return target


def _writers() -> dict[str, Writer]:
    from vbn.storage._export_arrays import write_numpy, write_safetensors
    from vbn.storage._export_parquet import write_parquet
    from vbn.storage._export_word2vec import write_word2vec, write_word2vec_binary

    return {
        "word2vec": write_word2vec,
        "word2vec-binary": write_word2vec_binary,
        "parquet": write_parquet,
        "safetensors": write_safetensors,
        "numpy": write_numpy,
    }


def _format(target: Path, form: str | None) -> str:
    known = list(dict.fromkeys(SUFFIXES.values()))
    if form is None:
        if target.suffix.lower() in SUFFIXES:
            return SUFFIXES[target.suffix.lower()]
        raise ParameterError(
            f"the suffix of {target.name!r} does not tell the format; give format= one of {', '.join(known)}, or a "
            f"name that ends in {', '.join(SUFFIXES)}."
        )
    if form not in known:
        raise ParameterError(f"format={form!r} is none of {', '.join(known)}.")
    return form


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    """A file beside the target that takes its place once it is whole; a failure leaves the target as it was."""
    try:
        real = target.resolve()  # a link stays a link
        _check_place(target, real)
        temporary = real.with_name(f".{real.name}.{os.getpid()}.part")
        try:
            with temporary.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(real)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ModelFileError(f"cannot export to {target}: {error.strerror or error}.") from error


def _check_place(target: Path, real: Path) -> None:
    """Say in plain words why there can be no such file."""
    if real.exists() and not real.is_file():
        raise ModelFileError(f"cannot export to {target}: it is not a file.")
    if not real.parent.is_dir():
        what = "is not a folder" if real.parent.exists() else "does not exist"
        raise ModelFileError(f"cannot export to {target}: the folder {target.parent} {what}.")
