"""The blocks q(tau), Eqs. (tau_u-updates) to (tau_b-updates), and the distances to the prior that they need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vbn.kernels import PriorArrays
from vbn.model._engine import Engine
from vbn.model._network import Network, row_ranges
from vbn.model._posterior import Scalars


@dataclass(frozen=True)
class Group:
    """Variables of one kind that share a dimension: what the precision update and the bound need of them.

    `distance` is E||z - prior mean||^2 and `log_volume` the sum of log variances, of each active variable; `rate` is
    the array of Gamma rates and `active` says where in it these variables stand.
    """

    kind: str
    dim: int
    distance: np.ndarray
    log_volume: np.ndarray
    rate: np.ndarray
    active: np.ndarray


def groups(network: Network, engine: Engine) -> list[Group]:
    """The Gaussian variables u, v, h and b, in six groups (fewer where an ingredient is absent)."""
    q = network.posterior
    found = [_entities(network, side, engine) for side in ("u", "v")]
    found += [_categories(network, side, engine) for side in ("u", "v") if network.part(side)[1].n_categories]
    found.append(_scalars("bias", q.bias, network.bias_active, network.nested_bias_prior()))
    if q.bias.nested:
        found.append(_bias_categories(network))
    return found


def relation_groups(network: Network) -> list[Group]:
    """The Gaussian variables x, y and r, in three groups (none without relations)."""
    q, found = network.posterior, []
    if q.n_relations:
        for factors in (q.x, q.y):
            mean, variance = factors.mean.astype(np.float64), factors.variance.astype(np.float64)
            gap = mean - network.factor_prior
            distance, volume = (gap**2 + variance).sum(axis=1), np.log(variance).sum(axis=1)
            everything = np.ones(len(distance), dtype=bool)
            found.append(Group("relation", q.dim, distance, volume, factors.tau_rate, everything))
        active = network.relation_bias_active
        found.append(_scalars("relation", q.relation_bias, active, (np.zeros(active.shape), np.zeros(active.shape))))
    return found


def update_precisions(network: Network, engine: Engine) -> None:
    """Update every q(tau): rate = beta + E||z - prior mean||^2 / 2."""
    for group in [*groups(network, engine), *relation_groups(network)]:
        group.rate[group.active] = network.hyperpriors.beta[group.kind] + 0.5 * group.distance


def _entities(network: Network, side: str, engine: Engine) -> Group:
    from vbn.kernels.hierarchy import entity_distances

    part, graph = network.part(side)
    distance, volume = np.zeros(graph.n_entities), np.zeros(graph.n_entities)
    prior = network.prior(side)

    def task(first: int, last: int) -> None:
        entity_distances(first, last, graph.entity_active, part.densities, prior, distance, volume)

    engine.map(task, row_ranges(graph.n_entities))
    active = graph.entity_active
    return Group("entity", network.posterior.dim, distance[active], volume[active], part.tau_rate, active)


def _categories(network: Network, side: str, engine: Engine) -> Group:
    from vbn.kernels.hierarchy import category_distances

    part, graph = network.part(side)
    distance = np.zeros(graph.n_categories)
    prior: PriorArrays = network.prior(side)

    def task(first: int, last: int) -> None:
        category_distances(first, last, graph.category_active, graph.category_nodes, prior, distance)

    engine.map(task, row_ranges(graph.n_categories))
    active = graph.category_active
    volume = network.posterior.dim * np.log(part.category_variance[active].astype(np.float64))
    return Group("category", network.posterior.dim, distance[active], volume, part.category_rate, active)


def _bias_categories(network: Network) -> Group:
    from vbn.kernels.hierarchy import category_distances

    bias, graph = network.posterior.bias, network.v_graph
    active, distance = graph.category_active, np.zeros(graph.n_categories)
    category_distances(0, graph.n_categories, active, graph.category_nodes, network.bias_tree(), distance)
    volume = np.log(bias.category_variance[active].astype(np.float64))
    return Group("bias", 1, distance[active], volume, bias.category_rate, active)


def _scalars(kind: str, scalars: Scalars, active: np.ndarray, nearer: tuple[np.ndarray, np.ndarray]) -> Group:
    """Biases, whose prior mean is the common mean and what the categories add to it, `nearer` (mean, variance)."""
    mean, variance = (a[active].astype(np.float64) for a in (scalars.mean, scalars.variance))
    per_column = (1,) if active.ndim == 1 else (-1, 1)
    centre = (scalars.centre_mean.reshape(per_column) + nearer[0])[active]
    spread = (scalars.centre_variance.reshape(per_column) + nearer[1])[active]
    return Group(kind, 1, (mean - centre) ** 2 + variance + spread, np.log(variance), scalars.tau_rate, active)
