"""The blocks q(b), and the common means that the biases b and r are drawn to.

The paper draws biases to 0. But a bias is mostly a base rate (with n negatives a positive, about -log n), so an entity
with little data would be taken for far more likely than one with much. Here b_j ~ N(c, 1 / tau_j), where
c ~ N(0, 1 / kappa) is learned like everything else; `centred_biases=False` gives the paper's model.
"""

from __future__ import annotations

import numpy as np

from vbn.model._engine import Engine
from vbn.model._network import EpochData, Network
from vbn.model._posterior import Scalars

CENTRE_PRECISION = 0.01
"""kappa: how strongly a centre is drawn to 0."""


def update_biases(network: Network, data: EpochData, engine: Engine) -> None:
    """Update all active q(b_j), Eq. (bj-updates), columns in parallel."""
    from vbn.kernels._cells import update_biases as kernel

    q = network.posterior
    prior = network.scalar_prior("bias")
    arguments = network.bias_active, data.cells("v"), q.v.densities, q.u.densities, *prior, q.bias.densities
    engine.map(lambda first, last: kernel(first, last, *arguments), data.ranges["v"])


def update_centres(network: Network) -> None:
    """Update q(c) of the biases and of each relation's biases: a mean weighted by the expected precisions."""
    if not network.centred_biases:
        return
    q = network.posterior
    for scalars, kind, active in (
        (q.bias, "bias", network.bias_active[None]),
        (q.relation_bias, "relation", network.relation_bias_active),
    ):
        tau = np.where(active, network.tau(np.atleast_2d(scalars.tau_rate), kind, 1), 0.0)
        precision = CENTRE_PRECISION + tau.sum(axis=1)
        scalars.centre_mean[:] = (tau * np.atleast_2d(scalars.mean)).sum(axis=1) / precision
        scalars.centre_variance[:] = 1.0 / precision


def centre_bound(scalars: Scalars) -> float:
    """E[log p(c)] + H[q(c)] of the centres of a kind of bias."""
    mean, variance = scalars.centre_mean, scalars.centre_variance
    known = variance > 0.0
    terms = np.log(CENTRE_PRECISION * variance[known]) + 1.0 - CENTRE_PRECISION * (mean**2 + variance)[known]
    return float(0.5 * terms.sum())
