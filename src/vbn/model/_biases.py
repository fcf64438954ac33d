"""What the biases b are drawn to, the biases of categories, and the common means that the biases b and r are drawn to.

The paper draws biases to 0. But a bias is mostly a base rate (with n negatives a positive, about -log n), so an entity
with little data would be taken for far more likely than one with much. Here b_j ~ N(c, 1 / tau_j), where
c ~ N(0, 1 / kappa) is learned like everything else; and where there is a taxonomy, b_j ~ N(c + sum_n a_jn g_n, 1 /
tau_j) with a g_n for each category, drawn to those of its own parents: films of a popular director are popular, also
the next one. That is the hierarchy of u and v in one dimension. `bias_prior="zero"` gives the paper's model.
"""

from __future__ import annotations

import numpy as np

from vbn.model._engine import Engine
from vbn.model._hierarchy import update_sets
from vbn.model._inputs import BiasInputs
from vbn.model._network import Network
from vbn.model._posterior import Scalars

CENTRE_PRECISION = 0.01
"""kappa: how strongly a centre is drawn to 0."""


def bias_inputs(network: Network, active: np.ndarray) -> BiasInputs:
    """What updates the active q(b_j)."""
    return BiasInputs(active, *network.scalar_prior("bias"))


def update_bias_categories(network: Network, engine: Engine) -> None:
    """Update the biases of all active categories, as the categories of u and v are."""
    bias = network.posterior.bias
    if bias.nested:
        tau = network.tau(bias.category_rate, "bias", 1)
        own = (bias.mean - bias.centre_mean.astype(bias.mean.dtype))[:, None]
        update_sets(network.v_graph, network.bias_active, tau, network.bias_tree(), own, engine)


def update_centres(network: Network) -> None:
    """Update q(c) of the biases and of each relation's biases: a mean weighted by the expected precisions."""
    if not network.centred_biases:
        return
    q = network.posterior
    for scalars, kind, active, nearer in (
        (q.bias, "bias", network.bias_active[None], network.nested_bias_prior()[0]),
        (q.relation_bias, "relation", network.relation_bias_active, 0.0),
    ):
        tau = np.where(active, network.tau(np.atleast_2d(scalars.tau_rate), kind, 1), 0.0)
        precision = CENTRE_PRECISION + tau.sum(axis=1)
        scalars.centre_mean[:] = (tau * np.atleast_2d(scalars.mean - nearer)).sum(axis=1) / precision
        scalars.centre_variance[:] = 1.0 / precision


def centre_bound(scalars: Scalars) -> float:
    """E[log p(c)] + H[q(c)] of the centres of a kind of bias."""
    mean, variance = scalars.centre_mean, scalars.centre_variance
    known = variance > 0.0
    terms = np.log(CENTRE_PRECISION * variance[known]) + 1.0 - CENTRE_PRECISION * (mean**2 + variance)[known]
    return float(0.5 * terms.sum())
