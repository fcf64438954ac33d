"""The blocks q(u) and q(v), and with the columns q(b), which needs the same cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vbn.kernels._arrays import CellArrays
from vbn.model._biases import column_pass
from vbn.model._engine import Engine
from vbn.model._epoch import EpochData
from vbn.model._network import Network

DIRECT_CELLS = 1 << 16
"""Rows with more cells than this build their Gram matrix instead of laying their contexts out (200 bytes a cell)."""

RowUpdate = Callable[[int, int, CellArrays], None]


def entity_update(network: Network, data: EpochData, side: str) -> RowUpdate:
    """What updates q(u_i) (side "u") or q(v_j) (side "v") of a range of rows from their cells, Eq. (ui-update)."""
    from vbn.kernels._entities import update_entities as kernel

    own, graph = network.part(side)
    other, _ = network.part("v" if side == "u" else "u")
    arguments = (
        own.densities, other.densities, network.prior(side), network.posterior.bias.densities, side == "v",
        data.relations.arrays(side), DIRECT_CELLS,
    )  # fmt: skip
    return lambda first, last, cells: kernel(first, last, graph.entity_active, cells, *arguments)


def update_rows(network: Network, data: EpochData, engine: Engine) -> None:
    """Update all active q(u_i), rows in parallel, and put their cells aside for the columns."""
    update = entity_update(network, data, "u")

    def task(first: int, last: int) -> CellArrays:
        cells = data.rows(first, last)
        update(first, last, cells)
        return cells

    for group in data.groups():
        data.put_aside(engine.map(task, group), engine)


def update_columns(network: Network, data: EpochData, engine: Engine) -> float:
    """Update all active q(v_j) and q(b_j), columns in parallel; return the likelihood of the cells after that."""
    update, result = entity_update(network, data, "v"), np.zeros(len(network.posterior.v.mean))
    biases = column_pass(network, network.bias_active, result)

    def task(first: int, last: int) -> None:
        cells = data.columns(first, last)
        update(first, last, cells)
        biases(first, last, cells)

    engine.map(task, data.column_ranges())
    return float(result.sum())


def update_entities(network: Network, data: EpochData, side: str, engine: Engine) -> None:
    """Update one side alone."""
    if side == "u":
        update_rows(network, data, engine)
        return
    update = entity_update(network, data, "v")
    engine.map(lambda first, last: update(first, last, data.columns(first, last)), data.column_ranges())
