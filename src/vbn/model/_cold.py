"""Closed-form densities of barren variables: what the taxonomy alone says.

Without data the fixed point of u and tau is q(u) = N(prior mean, I / E[tau]) with E[tau] = alpha / (beta + t V / 2),
where V = sum_n a_n^2 var_h_n is the uncertainty of the parents. Iterating gets there very slowly, so it is set at once.
With `cold_precision="prior"` E[tau] is alpha / beta instead: without data nothing is known of tau but its prior, and
the factorised posterior takes V for a distance between u and its parents.
"""

from __future__ import annotations

import numpy as np

from vbn.model._graph import PartGraph
from vbn.model._hyper import Hyperpriors
from vbn.model._network import Network
from vbn.model._posterior import Biases, Part, Scalars


def set_cold_densities(network: Network) -> None:
    """Give every barren variable its density: categories from the top down, then entities, then biases."""
    for side in ("u", "v"):
        part, graph = network.part(side)
        _set_categories(part, graph, network.hyperpriors, "category")
        _set_entities(part, graph, network.hyperpriors)
    q, hyper = network.posterior, network.hyperpriors
    if q.bias.nested:
        _set_categories(q.bias, network.v_graph, hyper, "bias")
    _set_scalars(q.bias, ~network.bias_active, "bias", hyper, network.nested_bias_prior())
    _set_scalars(q.relation_bias, ~network.relation_bias_active, "relation", hyper, (np.zeros(1), np.zeros(1)))


def _set_entities(part: Part, graph: PartGraph, hyper: Hyperpriors) -> None:
    cold = np.flatnonzero(~graph.entity_active)
    if len(cold) == 0:
        return
    mean, spread = prior_moments(part, graph, cold)
    dim = part.mean.shape[1]
    tau = hyper.cold_precision("entity", spread, dim)
    part.mean[cold] = mean
    part.variance[cold] = (1.0 / tau)[:, None]
    part.tau_rate[cold] = hyper.shape("entity", dim) / tau


def _set_categories(part: Part | Biases, graph: PartGraph, hyper: Hyperpriors, kind: str) -> None:
    cold = np.flatnonzero(~graph.category_active)
    dim = part.category_mean.shape[1]
    nodes = graph.category_nodes[cold]
    for height in np.unique(graph.heights[nodes])[::-1]:  # a parent is higher than its children
        level = cold[graph.heights[nodes] == height]
        mean, spread = prior_moments(part, graph, graph.category_nodes[level])
        tau = hyper.cold_precision(kind, spread, dim)
        part.category_mean[level] = mean
        part.category_variance[level] = 1.0 / tau
        part.category_rate[level] = hyper.shape(kind, dim) / tau


def prior_moments(part: Part | Biases, graph: PartGraph, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean that the parents give to each node, and the variance V of that mean in every dimension."""
    counts = graph.parent_indptr[nodes + 1] - graph.parent_indptr[nodes]
    total = int(counts.sum())
    owner = np.repeat(np.arange(len(nodes)), counts)
    edges = (
        np.repeat(graph.parent_indptr[nodes], counts) + np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    )
    weights, parents = graph.parent_weights[edges], graph.parents[edges]
    mean = np.zeros((len(nodes), part.category_mean.shape[1]))
    np.add.at(mean, owner, weights[:, None] * part.category_mean[parents])
    spread = np.bincount(owner, weights**2 * part.category_variance[parents], minlength=len(nodes))
    return mean, spread


def _set_scalars(
    scalars: Scalars, cold: np.ndarray, kind: str, hyper: Hyperpriors, nearer: tuple[np.ndarray, np.ndarray]
) -> None:
    """Biases without data: their prior mean, with the precision that its uncertainty leaves.

    That is the common mean (one for b, one for the r of each relation) and what categories add, `nearer`.
    """
    per_column = (1,) if cold.ndim == 1 else (-1, 1)
    mean, spread = scalars.centre_mean.reshape(per_column), scalars.centre_variance.reshape(per_column)
    tau = hyper.cold_precision(kind, spread + nearer[1], 1)
    settings = (
        (scalars.mean, mean + nearer[0]),
        (scalars.variance, 1.0 / tau),
        (scalars.tau_rate, hyper.shape(kind, 1) / tau),
    )
    for array, value in settings:
        array[cold] = np.broadcast_to(value, cold.shape)[cold]
