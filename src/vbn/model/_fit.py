"""Algorithm 2: epochs of block updates, each of which raises the bound on the epoch's sample."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vbn._errors import NumericalError
from vbn.data import Dataset
from vbn.model._biases import update_bias_categories, update_centres
from vbn.model._bound import lower_bound
from vbn.model._engine import Engine
from vbn.model._entities import update_columns, update_rows
from vbn.model._epoch import EpochData, Plan
from vbn.model._evidence import Evidence
from vbn.model._graph import PartGraph
from vbn.model._hierarchy import update_categories
from vbn.model._hyper import Hyperpriors
from vbn.model._network import Network
from vbn.model._posterior import Posterior, start_posterior
from vbn.model._precisions import update_precisions
from vbn.model._readout import Readout
from vbn.model._relations import shift_relation_biases, update_factors, update_relation_biases
from vbn.sampling import Sampler


@dataclass(frozen=True)
class EpochInfo:
    """What an epoch tells about itself."""

    epoch: int
    lower_bound: float
    cells: int
    seconds: float


def build_network(
    data: Dataset, sampler: Sampler, hyperpriors: Hyperpriors, ranks: list[int], dim: int, seed: int, dtype: np.dtype,
    evidence: Evidence | None = None, relation_priors: Sequence[float] = (), relations_apart: bool = False,
) -> Network:  # fmt: skip
    """The model of a data set before its first epoch.

    `relations_apart`: relations are learned on what is read out of u and v, which hear nothing of them.
    """
    rows = np.diff(data.counts.indptr) > 0
    columns, bias_active = sampler.columns.copy(), sampler.columns.copy()
    relation_active = np.zeros((len(data.relations), len(data.columns)), dtype=bool)
    for k, (relation, candidates) in enumerate(zip(data.relations.values(), sampler.relation_columns, strict=True)):
        if len(relation) == 0:  # known from earlier data only
            continue
        relation_active[k, candidates] = True
        if not relations_apart:
            rows[relation.left] = True
            columns[candidates] = True
    if sampler.past is not None:
        rows |= sampler.past.row_totals > 0
    if evidence is not None:
        rows |= evidence.u.known.any(axis=1)
        columns |= evidence.v.known.any(axis=1)
        bias_active |= evidence.bias.known
        relation_active |= evidence.relation_bias.known
    u_graph = PartGraph.build(data.row_taxonomy, rows)
    v_graph = PartGraph.build(data.column_taxonomy, columns)
    posterior = start_posterior(u_graph, v_graph, ranks, dim, hyperpriors, seed, dtype, relation_priors)
    return Network(
        posterior, u_graph, v_graph, hyperpriors, bias_active, relation_active, evidence=evidence,
        relation_priors=relation_priors or [0.0] * len(ranks),
        readout=Readout.of(data) if relations_apart else None,
    )  # fmt: skip


def run_epoch(network: Network, data: EpochData, engine: Engine) -> float:
    """Update every variable once; return the likelihood of the co-occurrence cells, which holds to the end."""
    update_rows(network, data, engine)
    update_categories(network, "u", engine)
    likelihood = update_columns(network, data, engine)
    update_categories(network, "v", engine)
    if network.posterior.n_relations:
        for side in ("u", "v"):
            update_factors(network, data, side, engine)
        shift_relation_biases(network, data, engine)
        update_relation_biases(network, data, engine)
    update_bias_categories(network, engine)
    update_centres(network)
    update_precisions(network, engine)
    return likelihood


def train(
    network: Network, sampler: Sampler, engine: Engine, *, epochs: int, resample: bool, first_epoch: int = 0,
    memory: float | None = None,
) -> Iterator[EpochInfo]:  # fmt: skip
    """Run epochs one by one; whoever iterates may stop after any of them and finds a whole posterior.

    `memory` is how many bytes the cells of a sample may take before they go to files.
    """
    plan = Plan(sampler, memory)
    for epoch in range(first_epoch, first_epoch + epochs):
        started = time.perf_counter()
        drawn = epoch if resample else 0
        relations = plan.relations(drawn, network.posterior, engine, network.readout is not None)
        data = engine.sample(plan, drawn, relations)
        try:
            likelihood = run_epoch(network, data, engine)
            bound = lower_bound(network, data, engine, likelihood)
        finally:
            data.close()
        yield EpochInfo(epoch, bound, data.size, time.perf_counter() - started)


def check_finite(posterior: Posterior, bound: float, data: Dataset) -> None:
    """Stop with the name of the first entity whose density is not finite any more."""
    from vbn.kernels.hierarchy import first_not_finite

    for part, names, side in ((posterior.u, data.rows, "row"), (posterior.v, data.columns, "column")):
        at = first_not_finite(part.mean, part.variance)
        if at >= 0:
            raise NumericalError(
                f"the density of {side} entity {names[at]!r} (seen {names.counts[at]:g} times) is not finite any more. "
                "Likely causes: counts too large for float32 (use dtype='float64'), or alpha or beta near 0."
            )
    if not np.isfinite(bound):
        raise NumericalError(
            f"the lower bound is {bound}. Likely causes: counts too large for float32 (use dtype='float64'), "
            "or alpha or beta near 0."
        )
