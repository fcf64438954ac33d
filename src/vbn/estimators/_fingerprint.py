"""Fingerprints of data: a checkpoint goes on with the data that it began with, or not at all."""

from __future__ import annotations

import hashlib

import numpy as np

from vbn.data import Counts, Dataset, Taxonomy, Vocabulary
from vbn.model import Trained


def fingerprints(data: Dataset, validation: Dataset | None, earlier: Trained | None) -> dict[str, str | None]:
    """A digest of each part of the data that training depends on; None for a part that is not there.

    `earlier` is a model whose posterior stands for data that is gone.
    """
    pairs: list[object] = []
    for name, relation in data.relations.items():
        pairs += [name, str(relation.symmetric), relation.left, relation.right, relation.weights]
    parts: dict[str, list[object] | None] = {
        "rows": _names(data.rows),
        "columns": None if data.shared else _names(data.columns),
        "counts": _counts(data.counts),
        "row taxonomy": _edges(data.row_taxonomy),
        "column taxonomy": _edges(data.column_taxonomy),
        "relations": pairs or None,
        "validation": None if validation is None else _held_out(validation),
        "earlier model": None if earlier is None else [*earlier.posterior.arrays().values(), earlier.row_totals],
    }
    return {name: None if items is None else _digest(items) for name, items in parts.items()}


def _names(names: Vocabulary) -> list[object]:
    return [*names.names, names.counts]


def _counts(counts: Counts) -> list[object]:
    return [counts.indptr, counts.indices, counts.values]


def _edges(taxonomy: Taxonomy | None) -> list[object] | None:
    return None if taxonomy is None else [taxonomy.indptr, taxonomy.indices, taxonomy.weights]


def _held_out(data: Dataset) -> list[object]:
    return [*_names(data.rows), *_names(data.columns), *_counts(data.counts)]


def _digest(items: list[object]) -> str:
    """A checksum of strings and arrays, each with its length, so that none can pass for two."""
    found = hashlib.sha256()
    for item in items:
        if isinstance(item, np.ndarray):
            content = np.ascontiguousarray(item).reshape(-1).view(np.uint8).data
        else:
            content = memoryview(str(item).encode("utf-8", "surrogatepass"))
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return found.hexdigest()[:32]
