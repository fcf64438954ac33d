"""The blocks q(x_m), q(y_m) and q(r): m one after the other, relations in parallel."""

from __future__ import annotations

import numpy as np

from vbn.kernels._arrays import DensityArrays
from vbn.model._engine import Engine
from vbn.model._network import EpochData, Network


def update_factors(network: Network, data: EpochData, side: str, engine: Engine) -> None:
    """Update all q(x_mk) (side "u") or q(y_mk) (side "v"), Eq. (x-update)."""
    from vbn.kernels._relations import update_factor as kernel

    q = network.posterior
    own, other = (q.u, q.v) if side == "u" else (q.v, q.u)
    own_factor, other_factor = (q.x, q.y) if side == "u" else (q.y, q.x)
    tau = network.tau(own_factor.tau_rate, "relation", q.dim)

    def relation(k: int, _: int) -> None:
        left, right, positive, negative = data.relation_lists[k]
        mine, theirs = (left, right) if side == "u" else (right, left)
        start, stop = int(q.offsets[k]), int(q.offsets[k + 1])
        bias = relation_bias_of(network, k)
        for m in range(start, stop):
            kernel(
                m, start, stop, mine, theirs, positive, negative, own.densities, other.densities,
                own_factor.densities, other_factor.densities, float(tau[m]), right, bias,
            )  # fmt: skip

    engine.map(relation, [(k, k + 1) for k in range(q.n_relations)])


def update_relation_biases(network: Network, data: EpochData, engine: Engine) -> None:
    """Update all active q(r_jk), Eq. (r_jk-updates)."""
    from vbn.kernels._relations import update_relation_biases as kernel

    q = network.posterior
    tau = network.tau(q.relation_bias.tau_rate, "relation", 1)

    def relation(k: int, _: int) -> None:
        kernel(
            int(q.offsets[k]), int(q.offsets[k + 1]), *data.relation_lists[k], q.u.densities, q.v.densities,
            q.x.densities, q.y.densities, tau[k], relation_bias_of(network, k), network.relation_bias_active[k],
        )  # fmt: skip

    engine.map(relation, [(k, k + 1) for k in range(q.n_relations)])


def relation_likelihood(network: Network, data: EpochData, engine: Engine) -> float:
    """Bounded log-likelihood of all relation cells."""
    from vbn.kernels._relations import relation_likelihood as kernel

    q = network.posterior

    def relation(k: int, _: int) -> float:
        value: float = kernel(
            int(q.offsets[k]), int(q.offsets[k + 1]), *data.relation_lists[k], q.u.densities, q.v.densities,
            q.x.densities, q.y.densities, relation_bias_of(network, k),
        )  # fmt: skip
        return value

    return float(np.sum(engine.map(relation, [(k, k + 1) for k in range(q.n_relations)])))


def relation_bias_of(network: Network, k: int) -> DensityArrays:
    """Means and variances of the biases of relation k."""
    r = network.posterior.relation_bias
    return DensityArrays(r.mean[k], r.variance[k])
