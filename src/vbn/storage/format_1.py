"""Folders that version 0.1 wrote: their tensors under the names of today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn.storage.tensor_file import LONG, take

POSTERIOR = "posterior."  # what names of densities begin with


def from_format_1(
    tensors: Mapping[str, np.ndarray], extra: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return tensors and JSON part of a folder of format 1 as format 2 has them."""
    kept = {name: array for name, array in tensors.items() if not name.startswith(POSTERIOR)}
    old = {name.removeprefix(POSTERIOR): a for name, a in tensors.items() if name.startswith(POSTERIOR)}
    offsets = _offsets(old)
    renamed = _renamed(old, offsets)
    nested, centred = "bias.hierarchy.mean" in renamed, "bias.centre.mean" in renamed
    parts = {part: ["hierarchy"] if f"{part}.hierarchy.mean" in renamed else [] for part in ("u", "v")}
    parts["bias"] = ["hierarchy"] * nested + ["centre"] * centred
    entries, ranks = extra.get("relations"), np.diff(offsets).tolist()
    if not isinstance(entries, list) or len(entries) != len(ranks):
        raise ModelFileError("the relations of the model are damaged.")
    relations = [
        {**entry, "rank": rank} if isinstance(entry, dict) else entry
        for entry, rank in zip(entries, ranks, strict=True)
    ]
    found = {f"{POSTERIOR}{path}": array for path, array in renamed.items()}
    return kept | found, {**extra, "relations": relations, "priors": parts}


def state_from_format_1(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the tensors of a checkpoint of format 1 as format 2 has them."""
    network = {name.removeprefix("network."): a for name, a in tensors.items() if name.startswith("network.")}
    averages = {
        name.split(".", 2)[2]: a for name, a in tensors.items() if name.startswith("average.") and name.count(".") > 2
    }
    offsets = _offsets(network)
    found = {f"network.{path}": array for path, array in _renamed(network, offsets).items()}
    return found | {f"average.{path}": array for path, array in _renamed(averages, offsets).items()}


def _offsets(old: Mapping[str, np.ndarray]) -> np.ndarray:
    offsets = take(old, "offsets", LONG, (None,))
    if len(offsets) == 0 or offsets[0] != 0 or (offsets[1:] <= offsets[:-1]).any():
        raise ModelFileError("the ranks of the relations are damaged.")
    return offsets


def _renamed(old: Mapping[str, np.ndarray], offsets: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of format 1 under the names of today: categories and centres are priors, relations apart."""
    found = {}
    words = {"tau_rate": "rate", "category_": "hierarchy.", "centre_": "centre."}
    for path, array in old.items():
        owner, _, name = path.partition(".")
        for word, new in words.items():
            name = name.replace(word, new)
        if owner in ("u", "v", "bias"):
            if array.ndim == 0 or not (name.startswith("hierarchy") and len(array) == 0):
                found[f"{owner}.{name}"] = array
        elif owner in ("x", "y", "relation_bias") and array.ndim > 0:
            bounds: Sequence[int] = offsets.tolist() if owner != "relation_bias" else range(len(offsets))
            for k in range(len(offsets) - 1):
                rows = array[bounds[k] : bounds[k + 1]]
                single = owner == "relation_bias" and not name.startswith("centre") and len(rows)
                found[f"relation {k}.{'r' if owner == 'relation_bias' else owner}.{name}"] = rows[0] if single else rows
    if not np.any(found.get("bias.centre.variance", 0.0)):  # the prior mean of all biases was fixed at 0
        found = {path: array for path, array in found.items() if ".centre." not in path}
    return found
