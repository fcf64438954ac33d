"""Examples to look at: what models take an item for that nobody in training has."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.evaluation.paper._domains import Domain
from vbn.evaluation.paper._masking import Masked
from vbn.evaluation.paper._models import Model
from vbn.evaluation.paper._pool import Pool
from vbn.evaluation.paper._results import Texts

ITEMS, NEIGHBOURS = 3, 5


def missed_most(masked: Masked) -> tuple[str, ...]:
    """The items that lost most interactions: readers know them, while the models do not."""
    lost = np.bincount(masked.cases()[1], minlength=len(masked.interactions.items))
    most = np.argsort(-lost, kind="stable")[:ITEMS]
    return tuple(masked.interactions.items[item] for item in most.tolist() if lost[item])


def neighbours(model: Any, items: tuple[str, ...], catalogue: tuple[str, ...]) -> dict[str, list[str]]:
    """The nearest of the catalogue's items to each, where the model has it at all.

    To models that were given no edges, categories are entities like others; here they are left out.
    """
    if not items or not hasattr(model, "similar"):
        return {}
    known = model._model().columns if hasattr(model, "_model") else model.columns
    listed, found = set(catalogue), {}
    for item in (item for item in items if item in known):
        near = model.similar(item, k=len(known)).entities
        found[item] = [name for name in near if name in listed][:NEIGHBOURS]
    return found


def strangers(domain: Domain, models: tuple[Model, ...], cold: Pool) -> tuple[Texts, ...]:
    """Tables of the neighbours of items without data, a column for each model that has a prior for them."""
    columns = {
        model.name: cold.records[model.key][0].facts["neighbours"] for model in models if cold.records.get(model.key)
    }
    items = dict.fromkeys(item for found in columns.values() for item in found)
    return tuple(
        Texts(
            f"Neighbours of {domain.names.get(item, item)}",
            tuple(columns),
            tuple(
                tuple(_called(domain, found.get(item, []), place) for found in columns.values())
                for place in range(NEIGHBOURS)
            ),
            "All its interactions were removed before training; what is left is its place in the taxonomy.",
        )
        for item in items
    )


def _called(domain: Domain, names: list[str], place: int) -> str:
    return domain.names.get(names[place], names[place]) if place < len(names) else ""
