"""What a config tells of a model beside its tensors: the libraries that made it and the data that it learned from."""

from __future__ import annotations

from functools import cache
from typing import Any

from vbn._version import __version__
from vbn.data import Dataset
from vbn.model import Trained


@cache
def versions() -> dict[str, str]:
    """Versions of Python, of this library and of those that its numbers depend on."""
    import platform
    from importlib.metadata import version  # both take a while, and only saving needs them

    libraries = {name: version(name) for name in ("numpy", "scipy", "numba")}
    return {"vbn": __version__, "python": platform.python_version(), **libraries}


def data_summary(trained: Trained, data: Dataset | None) -> dict[str, Any]:
    """Sizes of the data; None for what is not known where the counts were not kept."""
    pairs = {} if data is None else {name: len(relation) for name, relation in data.relations.items()}
    sides = {"entities": trained.columns} if trained.shared else {"rows": trained.rows, "columns": trained.columns}
    edges = {"entities": trained.column_taxonomy, "rows": trained.row_taxonomy, "columns": trained.column_taxonomy}
    return {
        "kind": None if data is None else data.kind,
        **{side: len(names) for side, names in sides.items()},
        "cells": None if data is None else data.counts.nnz,
        "total": None if data is None else data.counts.total,
        "taxonomy_edges": {side: 0 if (taxonomy := edges[side]) is None else taxonomy.n_edges for side in sides},
        "relations": [{"name": info.name, "pairs": pairs.get(info.name)} for info in trained.relations],
    }
