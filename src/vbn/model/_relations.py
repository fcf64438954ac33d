"""The blocks q(x_m), q(y_m) and q(r): m one after the other, relations in parallel."""

from __future__ import annotations

import numpy as np

from vbn.kernels import DensityArrays
from vbn.model._biases import CENTRE_PRECISION
from vbn.model._engine import Engine
from vbn.model._epoch import EpochData
from vbn.model._network import Network
from vbn.model._posterior import Gaussians
from vbn.model._projections import project

Parts = tuple[Gaussians, Gaussians]


def update_factors(network: Network, data: EpochData, side: str, engine: Engine) -> None:
    """Update all q(x_mk) (side "u") or q(y_mk) (side "v"), Eq. (x-update)."""
    from vbn.kernels.relations import update_factors as kernel

    q = network.posterior
    parts = network.relation_parts()
    own, factor = (parts[0], q.x) if side == "u" else (parts[1], q.y)
    other_side = "v" if side == "u" else "u"
    tau = network.tau(factor.tau_rate, "relation", q.dim)
    prior = tau, network.factor_prior, network.evidence_on("x" if side == "u" else "y")

    def relation(k: int, _: int) -> None:
        cells = data.relations.lists[k]
        mine, theirs = (cells.left, cells.right) if side == "u" else (cells.right, cells.left)
        ids = cells.rows if side == "u" else cells.columns
        start, stop = int(q.offsets[k]), int(q.offsets[k + 1])
        kernel(
            start, stop, mine, theirs, cells.positive, cells.negative, ids, own.densities, factor.densities, *prior,
            cells.column_of, relation_bias_of(network, k),
            *_projections(network, data, parts, k, side), *_projections(network, data, parts, k, other_side),
        )  # fmt: skip

    engine.map(relation, [(k, k + 1) for k in range(q.n_relations)])


def update_relation_biases(network: Network, data: EpochData, engine: Engine) -> None:
    """Update all active q(r_jk), Eq. (r_jk-updates)."""
    from vbn.kernels.relations import update_relation_biases as kernel

    q = network.posterior
    precision, linear = network.scalar_prior("relation_bias")
    parts = network.relation_parts()

    def relation(k: int, _: int) -> None:
        kernel(
            *_scored_cells(network, data, parts, k), precision[k], linear[k], relation_bias_of(network, k),
            network.relation_bias_active[k],
        )  # fmt: skip

    engine.map(relation, [(k, k + 1) for k in range(q.n_relations)])


def shift_relation_biases(network: Network, data: EpochData, engine: Engine) -> None:
    """Move all active r_jk of a relation and their common mean by the same step, the best one.

    One by one they move slowly: each is held by the common mean, and that by all of them.
    """
    from vbn.kernels.relations import relation_residuals as kernel

    if not network.centred_biases:
        return
    r, parts = network.posterior.relation_bias, network.relation_parts()

    def relation(k: int, _: int) -> None:
        pull, stiff = kernel(*_scored_cells(network, data, parts, k), relation_bias_of(network, k))
        active = network.relation_bias_active[k]
        if network.evidence is not None:
            sites = network.evidence.relation_bias
            pull += float((sites.linear[k] - sites.precision[k] * r.mean[k])[active].sum(dtype=np.float64))
            stiff += float(sites.precision[k][active].sum(dtype=np.float64))
        step = (pull - CENTRE_PRECISION * r.centre_mean[k]) / (stiff + CENTRE_PRECISION)
        r.mean[k][active] += r.mean.dtype.type(step)
        r.centre_mean[k] += step

    engine.map(relation, [(k, k + 1) for k in range(network.posterior.n_relations)])


def relation_likelihood(network: Network, data: EpochData, engine: Engine) -> float:
    """Bounded log-likelihood of all relation cells."""
    from vbn.kernels.relations import relation_likelihood as kernel

    parts = network.relation_parts()

    def relation(k: int, _: int) -> float:
        value: float = kernel(*_scored_cells(network, data, parts, k), relation_bias_of(network, k))
        return value

    return float(np.sum(engine.map(relation, [(k, k + 1) for k in range(network.posterior.n_relations)])))


def relation_bias_of(network: Network, k: int) -> DensityArrays:
    """Means and variances of the biases of relation k."""
    r = network.posterior.relation_bias
    return DensityArrays(r.mean[k], r.variance[k])


def _scored_cells(network: Network, data: EpochData, parts: Parts, k: int) -> tuple[np.ndarray, ...]:
    """The cells of relation k with the projections of both sides."""
    cells = data.relations.lists[k]
    listed = cells.left, cells.right, cells.column_of, cells.positive, cells.negative
    return *listed, *_projections(network, data, parts, k, "u"), *_projections(network, data, parts, k, "v")


def _projections(network: Network, data: EpochData, parts: Parts, k: int, side: str) -> tuple[np.ndarray, np.ndarray]:
    """First and second moments of the projections of a relation's entities on its factors."""
    q = network.posterior
    part, factor = (parts[0], q.x) if side == "u" else (parts[1], q.y)
    ids = data.relations.lists[k].rows if side == "u" else data.relations.lists[k].columns
    return project(part, factor, int(q.offsets[k]), int(q.offsets[k + 1]), ids)
