"""The lower bound on the evidence: bounded likelihood, priors, entropies, with all constants, in float64."""

from __future__ import annotations

import numpy as np

from vbn.model._biases import centre_bound
from vbn.model._engine import Engine
from vbn.model._entities import cell_likelihood
from vbn.model._epoch import EpochData
from vbn.model._hyper import Hyperpriors
from vbn.model._network import Network
from vbn.model._precisions import Group, groups, relation_groups
from vbn.model._relations import relation_likelihood

_RELATION_PARTS = ("x", "y", "relation_bias")
_PARTS = ("u", "v", "bias")


def lower_bound(network: Network, data: EpochData, engine: Engine, likelihood: float | None = None) -> float:
    """The whole bound of the present posterior on a sample.

    `likelihood` is that of the co-occurrence cells, where it is known already: an epoch has it from its last pass
    over them. Relations that are learned apart have a bound of their own, `relation_bound`, and are no part of it.
    """
    total = sum(group_bound(g, network.hyperpriors) for g in groups(network, engine))
    total += centre_bound(network.posterior.bias)
    if network.evidence is not None:
        total += network.evidence.expected_log(network.posterior, engine, _PARTS)
    total += cell_likelihood(network, data, engine) if likelihood is None else likelihood
    return float(total + relation_bound(network, data, engine)) if network.readout is None else float(total)


def relation_bound(network: Network, data: EpochData, engine: Engine) -> float:
    """What relations add to the bound; its whole bound where they are learned apart, given what is read out."""
    total = sum(group_bound(g, network.hyperpriors) for g in relation_groups(network))
    total += centre_bound(network.posterior.relation_bias)
    if network.evidence is not None:
        total += network.evidence.expected_log(network.posterior, engine, _RELATION_PARTS)
    return float(total + relation_likelihood(network, data, engine))


def group_bound(group: Group, hyperpriors: Hyperpriors) -> float:
    """E[log p(z | tau)] + E[log p(tau)] + H[q(z)] + H[q(tau)], summed over a group."""
    from scipy.special import digamma, gammaln

    alpha, beta = hyperpriors.alpha[group.kind], hyperpriors.beta[group.kind]
    shape, rate = hyperpriors.shape(group.kind, group.dim), group.rate[group.active]
    tau, log_tau = shape / rate, digamma(shape) - np.log(rate)
    gaussian = 0.5 * group.dim * (log_tau + 1.0) - 0.5 * tau * group.distance + 0.5 * group.log_volume
    prior = alpha * np.log(beta) - gammaln(alpha) + (alpha - 1.0) * log_tau - beta * tau
    entropy = shape - np.log(rate) + gammaln(shape) + (1.0 - shape) * digamma(shape)
    return float(np.sum(gaussian + prior + entropy))
