"""The blocks q(h^u) and q(h^v), set by set of the partition."""

from __future__ import annotations

import numpy as np

from vbn.kernels import PriorArrays
from vbn.model._engine import Engine
from vbn.model._graph import PartGraph
from vbn.model._network import Network, row_ranges

_CATEGORIES_PER_TASK = 128


def update_categories(network: Network, side: str, engine: Engine) -> None:
    """Update all active q(h), Eq. (hu-updates)."""
    part, graph = network.part(side)
    if graph.n_categories:
        tau = network.tau(part.category_rate, "category", network.posterior.dim)
        update_sets(graph, graph.entity_active, tau, network.prior(side), part.mean, engine)


def update_sets(
    graph: PartGraph, entity_active: np.ndarray, tau: np.ndarray, prior: PriorArrays, own_mean: np.ndarray,
    engine: Engine,
) -> None:  # fmt: skip
    """Update categories: sets of the partition one after the other, the categories of a set in parallel.

    Parameters
    ----------
    graph
        Whose sets.
    entity_active
        Which nodes have an entity of their own that counts.
    tau
        E[tau] of each category.
    prior
        What draws entities to their parents; it holds the densities that are updated.
    own_mean
        Means of the entities.
    engine
        Where to run.
    """
    from vbn.kernels.hierarchy import update_categories as kernel

    arguments = (
        graph.category_nodes, graph.active_category_of, entity_active, tau, prior, own_mean, graph.child_indptr,
        graph.child_nodes, graph.child_weights,
    )  # fmt: skip
    for members in graph.sets:

        def task(first: int, last: int, members: np.ndarray = members) -> None:
            kernel(first, last, members, *arguments)

        engine.map(task, row_ranges(len(members), _CATEGORIES_PER_TASK))
