"""word2vec's own formats, text and binary, as gensim reads them.

A space ends a name in both, so whitespace within a name becomes "_"; variances have no place in them.
"""

from __future__ import annotations

from typing import BinaryIO

import numpy as np

from vbn._errors import DataError
from vbn.storage._export import Densities

_ROWS = 1024


def write_word2vec(stream: BinaryIO, densities: Densities) -> None:
    """A line for each entity: its name, then its mean with as many digits as give the same number back."""
    keys = encoded_keys(densities.names)
    digits = 9 if densities.mean.dtype == np.float32 else 17
    line = b" ".join([b"%b", *[b"%%.%dg" % digits] * densities.dim]) + b"\n"
    stream.write(_header(densities))
    for rows in densities.chunks(_ROWS):
        means = densities.mean[rows].tolist()
        stream.write(b"".join(line % (key, *mean) for key, mean in zip(keys[rows], means, strict=True)))


def write_word2vec_binary(stream: BinaryIO, densities: Densities) -> None:
    """Name, space, float32 mean, new line, as word2vec itself writes them."""
    keys = encoded_keys(densities.names)
    stream.write(_header(densities))
    for rows in densities.chunks(_ROWS):
        vectors = np.ascontiguousarray(densities.mean[rows], dtype="<f4")
        stream.write(b"".join(k + b" " + v.tobytes() + b"\n" for k, v in zip(keys[rows], vectors, strict=True)))


def encoded_keys(names: list[str]) -> list[bytes]:
    """Names in utf-8 without whitespace; an error if two of them become the same."""
    first: dict[str, str] = {}
    keys = []
    for name in names:
        key = name if _is_one_word(name) else "".join("_" if c.isspace() else c for c in name)
        other = first.setdefault(key, name)
        if other != name:
            raise DataError(
                f"{other!r} and {name!r} would both be {key!r} in a word2vec file, where a name has no whitespace; "
                "export to parquet, safetensors or numpy, which keep names as they are."
            )
        keys.append(utf8(key))
    return keys


def utf8(name: str) -> bytes:
    """A name in utf-8; an error that names it where that cannot be."""
    try:
        return name.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"the name {name!r} holds half a surrogate pair, which utf-8 does not have; export to safetensors or numpy."
        ) from error


def _is_one_word(name: str) -> bool:
    return name.split() == [name]


def _header(densities: Densities) -> bytes:
    return f"{len(densities)} {densities.dim}\n".encode()
