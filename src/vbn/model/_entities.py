"""The blocks q(u) and q(v), and with the columns q(b), which needs the same cells."""

from __future__ import annotations

import numpy as np

from vbn.model._biases import bias_inputs
from vbn.model._engine import Engine
from vbn.model._epoch import EpochData
from vbn.model._inputs import EntityInputs
from vbn.model._network import Network


def entity_inputs(network: Network, data: EpochData, side: str, active: np.ndarray | None = None) -> EntityInputs:
    """What updates q(u_i) (side "u") or q(v_j) (side "v"); all that have data if `active` does not say which."""
    own, graph = network.part(side)
    other, _ = network.part("v" if side == "u" else "u")
    return EntityInputs(
        graph.entity_active if active is None else active, own.densities, network.prior(side),
        network.posterior.bias.densities, side == "v", data.relations.arrays(side), other.densities,
    )  # fmt: skip


def update_rows(network: Network, data: EpochData, engine: Engine) -> None:
    """Update all active q(u_i)."""
    data.update_rows(entity_inputs(network, data, "u"), engine)


def update_columns(network: Network, data: EpochData, engine: Engine) -> float:
    """Update all active q(v_j) and q(b_j); return the likelihood of the cells after that."""
    biases = bias_inputs(network, network.bias_active)
    return float(data.update_columns(entity_inputs(network, data, "v"), biases, engine).sum())


def update_entities(network: Network, data: EpochData, side: str, engine: Engine) -> None:
    """Update one side alone."""
    if side == "u":
        update_rows(network, data, engine)
    else:
        nothing = bias_inputs(network, np.zeros_like(network.bias_active))
        data.update_columns(entity_inputs(network, data, "v"), nothing, engine)


def update_biases(network: Network, data: EpochData, engine: Engine) -> None:
    """Update all active q(b_j) alone."""
    _columns_as_they_are(network, data, engine, network.bias_active)


def cell_likelihood(network: Network, data: EpochData, engine: Engine) -> float:
    """The bounded log-likelihood of all co-occurrence cells, at the best xi."""
    return _columns_as_they_are(network, data, engine, np.zeros_like(network.bias_active))


def _columns_as_they_are(network: Network, data: EpochData, engine: Engine, active: np.ndarray) -> float:
    """A pass over the columns that updates no v_j, and the active biases only."""
    entities = entity_inputs(network, data, "v", np.zeros_like(network.v_graph.entity_active))
    return float(data.update_columns(entities, bias_inputs(network, active), engine).sum())
