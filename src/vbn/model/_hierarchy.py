"""The blocks q(h^u) and q(h^v), set by set of the partition."""

from __future__ import annotations

import numpy as np

from vbn.model._engine import Engine
from vbn.model._network import Network, row_ranges

_CATEGORIES_PER_TASK = 512


def update_categories(network: Network, side: str, engine: Engine) -> None:
    """Update all active q(h), Eq. (hu-updates): sets one after the other, the categories of a set in parallel."""
    from vbn.kernels._hierarchy import update_categories as kernel

    part, graph = network.part(side)
    if graph.n_categories == 0:
        return
    tau = network.tau(part.category_rate, "category", network.posterior.dim)
    arguments = (
        graph.category_nodes, graph.active_category_of, graph.entity_active, tau, network.prior(side), part.mean,
        graph.child_indptr, graph.child_nodes, graph.child_weights,
    )  # fmt: skip
    for members in graph.sets:

        def task(first: int, last: int, members: np.ndarray = members) -> None:
            kernel(first, last, members, *arguments)

        engine.map(task, row_ranges(len(members), _CATEGORIES_PER_TASK))
