"""Densities as a file that other tools open: word2vec text and binary, parquet, safetensors and numpy's .npz."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from vbn._errors import DataError, MissingExtraError, ModelFileError, ParameterError
from vbn.data import Taxonomy
from vbn.storage.files import replacing
from vbn.storage.tensor_file import file_chunks

_SUFFIXES = {
    ".txt": "word2vec",
    ".vec": "word2vec",
    ".bin": "word2vec-binary",
    ".parquet": "parquet",
    ".safetensors": "safetensors",
    ".npz": "numpy",
}
_WORD2VEC_ROWS = 1024  # written at a time
_PARQUET_ROWS = 1 << 16  # in a row group
_MOST_PADDING = 1 << 31  # bytes that numpy may pad short names with


@dataclass(frozen=True)
class Densities:
    """What is exported: entities in the order of their ids, and one row of mean and variance for each.

    `taxonomy` numbers the entities as the model does; `ids` lists the exported ones. `labels` may be None.
    """

    names: list[str]
    counts: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    taxonomy: Taxonomy | None
    ids: np.ndarray
    labels: list[str | None] | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return int(self.mean.shape[1])

    def chunks(self, rows: int) -> Iterator[slice]:
        """Yield ranges of rows to write at a time, which keeps memory independent of the model's size."""
        return (slice(first, min(first + rows, len(self))) for first in range(0, len(self), rows))


def write_densities(
    path: str | os.PathLike[str], densities: Densities, form: str | None, others: tuple[str, ...] = ()
) -> Path:
    """Write a file in the given format, or in the one that its suffix stands for; errors name `others` too."""
    return write_export(path, lambda target: _WRITERS[_format(target, form, others)], densities)


def write_export(path: str | os.PathLike[str], writer_of: Callable[[Path], Callable[..., None]], *content: Any) -> Path:
    """Write a file by a function of a stream and the content; a failure leaves a file that was there unchanged."""
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise ParameterError(f"export needs the path of a file, got {path!r}.")
    target = Path(path)
    if target.is_dir():
        raise ModelFileError(f"cannot export to {target}: it is a folder; give the name of a file.")
    write = writer_of(target)
    try:
        real = target.resolve()  # a link stays a link
        if real.exists() and not real.is_file():
            raise ModelFileError(f"cannot export to {target}: it is not a file.")
        if not real.parent.is_dir():
            what = "is not a folder" if real.parent.exists() else "does not exist"
            raise ModelFileError(f"cannot export to {target}: the folder {target.parent} {what}.")
        with replacing(real) as stream:
            write(stream, *content)
    except OSError as error:
        raise ModelFileError(f"cannot export to {target}: {error.strerror or error}.") from error
    return target


def _format(target: Path, form: str | None, others: tuple[str, ...]) -> str:
    known = ", ".join([*_WRITERS, *others])
    if form is None:
        if target.suffix.lower() in _SUFFIXES:
            return _SUFFIXES[target.suffix.lower()]
        raise ParameterError(
            f"the suffix of {target.name!r} does not tell the format; set {{remedy}} to one of {known}, or use a "
            f"name that ends in {', '.join(_SUFFIXES)}.",
            remedies=[("format",)],
        )
    if form not in _WRITERS:
        raise ParameterError(f"format must be one of {known}, got {form!r}.")
    return form


def _write_word2vec(stream: BinaryIO, densities: Densities) -> None:
    """Write a line for each entity: its name, then its mean with enough digits to give the same number back."""
    keys = encoded_keys(densities.names)
    digits = 9 if densities.mean.dtype == np.float32 else 17
    line = b" ".join([b"%b", *[b"%%.%dg" % digits] * densities.dim]) + b"\n"
    stream.write(f"{len(densities)} {densities.dim}\n".encode())
    for rows in densities.chunks(_WORD2VEC_ROWS):
        means = densities.mean[rows].tolist()
        stream.write(b"".join(line % (key, *mean) for key, mean in zip(keys[rows], means, strict=True)))


def _write_word2vec_binary(stream: BinaryIO, densities: Densities) -> None:
    """Write name, space, float32 mean and newline for each entity, as word2vec itself does."""
    keys = encoded_keys(densities.names)
    stream.write(f"{len(densities)} {densities.dim}\n".encode())
    for rows in densities.chunks(_WORD2VEC_ROWS):
        vectors = np.ascontiguousarray(densities.mean[rows], dtype="<f4")
        stream.write(b"".join(k + b" " + v.tobytes() + b"\n" for k, v in zip(keys[rows], vectors, strict=True)))


def encoded_keys(names: list[str]) -> list[bytes]:
    """Return names as keys of a word2vec file: utf-8, with "_" for whitespace, which would end a name there.

    Two names that become the same key are an error.
    """
    first: dict[str, str] = {}
    keys = []
    for name in names:
        key = name if name.split() == [name] else "".join("_" if c.isspace() else c for c in name)
        other = first.setdefault(key, name)
        if other != name:
            raise DataError(
                f"{other!r} and {name!r} would both be {key!r} in a word2vec file, where names have no whitespace; "
                "export to parquet, safetensors or numpy, which keep names as they are."
            )
        keys.append(_utf8(key))
    return keys


def check_utf8(names: Iterable[str]) -> None:
    """Raise an error that names the entity which utf-8 cannot encode, before others raise their own."""
    for name in names:
        _utf8(name)


def _utf8(name: str) -> bytes:
    try:
        return name.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"the name {name!r} contains half a surrogate pair, which utf-8 cannot encode; export to safetensors or "
            "numpy."
        ) from error


def _write_parquet(stream: BinaryIO, densities: Densities) -> None:
    """Write a table with a row for each entity: entity, label (if there are any), count, parents, mean, variance."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow is not installed: pip install 'vbn[tables]'.") from error
    numbers = pyarrow.list_(pyarrow.from_numpy_dtype(densities.mean.dtype))
    names, text = pyarrow.list_(pyarrow.string()), pyarrow.string()
    fields = {"count": pyarrow.float64(), "parents": names, "mean": numbers, "variance": numbers}
    labelled = {} if densities.labels is None else {"label": text}
    schema = pyarrow.schema({"entity": text, **labelled, **fields})
    check_utf8(densities.names)
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        for rows in densities.chunks(_PARQUET_ROWS):
            columns = [
                pyarrow.array(densities.names[rows], text),
                *([] if densities.labels is None else [pyarrow.array(densities.labels[rows], text)]),
                densities.counts[rows],
                pyarrow.array(_parents(densities, rows), names),
                _lists(densities.mean[rows]),
                _lists(densities.variance[rows]),
            ]
            writer.write_batch(pyarrow.record_batch(columns, schema=schema))


def _lists(matrix: np.ndarray) -> Any:
    """Return the rows of a matrix as lists, without a Python object for each number."""
    import pyarrow

    ends = np.arange(0, matrix.size + 1, matrix.shape[1], dtype=np.int32)
    return pyarrow.ListArray.from_arrays(ends, np.ascontiguousarray(matrix).reshape(-1))


def _parents(densities: Densities, rows: slice) -> list[list[str]]:
    taxonomy = densities.taxonomy
    if taxonomy is None:
        return [[] for _ in densities.names[rows]]
    bounds, parents, names = taxonomy.indptr, taxonomy.indices, taxonomy.vocabulary
    ids = densities.ids[rows].tolist()
    return [[names[parent] for parent in parents[bounds[i] : bounds[i + 1]].tolist()] for i in ids]


def _write_safetensors(stream: BinaryIO, densities: Densities) -> None:
    """Write means, variances, counts, names (bytes) and name_ends; names[name_ends[i - 1]:name_ends[i]] is name i.

    Labels are written in the same way, if there are any; an entity without one has an empty label.
    """
    tensors = {"means": densities.mean, "variances": densities.variance, "counts": densities.counts}
    texts = {"name": densities.names} | ({} if densities.labels is None else {"label": _texts(densities.labels)})
    for kind, given in texts.items():
        encoded = [text.encode("utf-8", "surrogatepass") for text in given]
        tensors[f"{kind}_ends"] = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        tensors[f"{kind}s"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    about = {"format": "vbn-export", "names": "utf-8, ending at name_ends"}
    for chunk in file_chunks(tensors, about):
        stream.write(chunk)


def _write_numpy(stream: BinaryIO, densities: Densities) -> None:
    """Write arrays names, labels (if any), counts, means and variances; nothing is pickled."""
    names = densities.names
    longest = max(len(name) for name in names)
    padding = 4 * (longest * len(names) - sum(len(name) for name in names))
    if padding > _MOST_PADDING:
        raise DataError(
            f"the longest name has {longest:,} characters, and numpy pads all names to that length with {padding:,} "
            "bytes; export to parquet or safetensors."
        )
    ends_in_nul = next((name for name in names if name.endswith("\0")), None)
    if ends_in_nul is not None:
        raise DataError(f"numpy would drop the end of the name {ends_in_nul!r}; export to parquet or safetensors.")
    arrays: dict[str, Any] = {"names": np.array(names)}
    if densities.labels is not None:
        arrays["labels"] = np.array(_texts(densities.labels))
    np.savez(stream, **arrays, counts=densities.counts, means=densities.mean, variances=densities.variance)


def _texts(labels: list[str | None]) -> list[str]:
    return [label or "" for label in labels]


_WRITERS: dict[str, Callable[[BinaryIO, Densities], None]] = {
    "word2vec": _write_word2vec,
    "word2vec-binary": _write_word2vec_binary,
    "parquet": _write_parquet,
    "safetensors": _write_safetensors,
    "numpy": _write_numpy,
}
