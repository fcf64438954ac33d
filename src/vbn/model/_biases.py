"""The block q(b)."""

from __future__ import annotations

from vbn.model._engine import Engine
from vbn.model._network import EpochData, Network


def update_biases(network: Network, data: EpochData, engine: Engine) -> None:
    """Update all active q(b_j), Eq. (bj-updates), columns in parallel."""
    from vbn.kernels._cells import update_biases as kernel

    q = network.posterior
    tau = network.tau(q.bias.tau_rate, "bias", 1)
    arguments = network.bias_active, data.cells("v"), q.v.densities, q.u.densities, tau, q.bias.densities
    engine.map(lambda first, last: kernel(first, last, *arguments), data.ranges["v"])
