"""The lower bound on the evidence: bounded likelihood, priors, entropies, with all constants, in float64."""

from __future__ import annotations

import numpy as np

from vbn.model._biases import centre_bound
from vbn.model._engine import Engine
from vbn.model._hyper import Hyperpriors
from vbn.model._network import EpochData, Network
from vbn.model._precisions import Group, groups
from vbn.model._relations import relation_likelihood


def lower_bound(network: Network, data: EpochData, engine: Engine) -> float:
    """The whole bound of the present posterior on a sample."""
    prior = sum(group_bound(group, network.hyperpriors) for group in groups(network, engine))
    prior += centre_bound(network.posterior.bias) + centre_bound(network.posterior.relation_bias)
    if network.evidence is not None:
        prior += network.evidence.expected_log(network.posterior, engine)
    return float(prior + _cell_likelihood(network, data, engine) + relation_likelihood(network, data, engine))


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


def _cell_likelihood(network: Network, data: EpochData, engine: Engine) -> float:
    from vbn.kernels._cells import cell_likelihood as kernel

    q, cells = network.posterior, data.cells("v")
    result = np.zeros(len(cells.indptr) - 1)

    def task(first: int, last: int) -> None:
        kernel(first, last, cells, q.v.densities, q.u.densities, q.bias.densities, result)

    engine.map(task, data.ranges["v"])
    return float(result.sum())
