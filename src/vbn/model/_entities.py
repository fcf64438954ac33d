"""The blocks q(u) and q(v)."""

from __future__ import annotations

from vbn.model._engine import Engine
from vbn.model._network import EpochData, Network

DIRECT_CELLS = 1 << 16
"""Rows with more cells than this build their Gram matrix instead of laying their contexts out (200 bytes a cell)."""


def update_entities(network: Network, data: EpochData, side: str, engine: Engine) -> None:
    """Update all active q(u_i) (side "u") or q(v_j) (side "v"), Eq. (ui-update), rows in parallel."""
    from vbn.kernels._entities import update_entities as kernel

    own, graph = network.part(side)
    other, _ = network.part("v" if side == "u" else "u")
    arguments = (
        graph.entity_active, data.cells(side), own.densities, other.densities, network.prior(side),
        network.posterior.bias.densities, side == "v", data.relation_arrays(side), DIRECT_CELLS,
    )  # fmt: skip
    engine.map(lambda first, last: kernel(first, last, *arguments), data.ranges[side])
