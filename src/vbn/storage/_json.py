"""JSON from strangers: no NaN, no infinities, no numbers or nesting without end, and not more than a few megabytes."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from vbn._errors import ModelFileError

LARGEST = 8 << 20
"""Bytes of JSON that are read; a config of a hundred thousand epochs has fewer."""


def parse(text: bytes, what: str) -> dict[str, Any]:
    """A JSON object, or a `ModelFileError` that says what is damaged."""
    try:
        value = json.loads(
            text.decode("utf-8", "surrogatepass"), parse_constant=_no_constant, parse_float=_finite,
            object_pairs_hook=_no_repeats,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{what} is not readable JSON: {error}") from error
    if not isinstance(value, dict):
        raise ModelFileError(f"{what} holds no JSON object.")
    return value


def dump(value: dict[str, Any], what: str) -> bytes:
    """The same way back; lone surrogates in names are kept, numbers that JSON does not have are refused."""
    try:
        text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, default=plain)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{what} cannot be written: {error}. Is a parameter of an odd type?") from error
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) > LARGEST:
        raise ModelFileError(f"{what} would have {len(encoded):,} bytes; at most {LARGEST:,} can be read back.")
    return encoded


def as_json(values: dict[str, Any]) -> dict[str, Any]:
    """Values as they come back from a file."""
    return parse(dump(values, "the parameters"), "the parameters")


def plain(value: Any) -> Any:
    """Numpy's numbers, arrays and types, which users give as parameters, and paths, in a form that JSON has."""
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "__fspath__"):
        return str(value)
    return np.dtype(value).name


def _no_constant(name: str) -> float:
    raise ValueError(f"it holds {name}")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it holds a number that is too large, {text[:20]}")
    return number


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it has a key twice")
    return found
