"""Algorithm 2: epochs of block updates, each raising the bound on the epoch's sample."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import NumericalError
from vbn.data import Dataset, Features
from vbn.model.block import Block, Sites
from vbn.model.engine import Engine
from vbn.model.epoch import EpochData, Plan
from vbn.model.fields import Gaussians
from vbn.model.likelihoods import Bilinear, Cooccurrence, RelationCells, for_each, likelihoods_of
from vbn.model.posterior import Blueprint, Posterior, RelationInfo, named_priors, start
from vbn.model.precisions import Hyperpriors, reliability
from vbn.model.priors import Choice
from vbn.model.readout import relation_vectors
from vbn.model.side import COLUMN, ROW, Side
from vbn.sampling import Sampler

_CAUSES = "Likely causes: counts too large for float32 (use {remedy}), or alpha or beta near 0."
_REMEDIES = [("dtype", "float64")]


@dataclass(frozen=True)
class EpochInfo:
    """The report of an epoch, as callbacks get it."""

    epoch: int
    lower_bound: float
    cells: int
    seconds: float
    validation: float | None = None  # held-out log-likelihood, if there is validation data


@dataclass(frozen=True)
class Network:
    """The model in training.

    With `apart`, relations are learned separately, on vectors that are read out of u and v.
    """

    posterior: Posterior
    rows: Side
    columns: Side
    relations: tuple[RelationInfo, ...]
    hyperpriors: Hyperpriors
    apart: bool = False

    @property
    def shared(self) -> bool:
        """Return whether rows and columns are the same entities."""
        return self.rows.names is self.columns.names

    @property
    def choices(self) -> list[Choice]:
        """Return which of their parents explains the rows, the columns, or all entities if these are the same."""
        return [Choice(blocks) for blocks in self.posterior.of_sides(self.shared)]

    def relation_likelihoods(self) -> list[Bilinear]:
        """Return the likelihood of each relation."""
        q = self.posterior
        entities: tuple[Gaussians, Gaussians] = relation_vectors(q, self.shared) if self.apart else (q.u, q.v)
        return likelihoods_of(q, entities)


def build_network(
    data: Dataset,
    sampler: Sampler,
    hyperpriors: Hyperpriors,
    relations: Sequence[RelationInfo] = (),
    *,
    dim: int,
    seed: int,
    dtype: np.dtype,
    bias_prior: str = "taxonomy",
    parents: str = "blend",
    apart: bool = False,
    sites: dict[str, Sites] | None = None,
) -> Network:
    """Return the model of a data set before its first epoch.

    Parameters
    ----------
    data, sampler
        The data and its sampler.
    hyperpriors, relations, dim, seed, dtype, bias_prior, parents
        The specification of the model.
    apart
        Whether relations are learned separately; u and v then learn nothing from them.
    sites
        Evidence from earlier data that is no longer available, by the path of the block; old variables come first.
    """
    rows, columns = np.diff(data.counts.indptr) > 0, sampler.columns.copy()
    bias_active = columns.copy()
    relation_active = np.zeros((len(data.relations), len(data.columns)), dtype=bool)
    for k, (relation, candidates) in enumerate(zip(data.relations.values(), sampler.relation_columns, strict=True)):
        if len(relation) == 0:  # only earlier data has this relation
            continue
        relation_active[k, candidates] = True
        if not apart:
            rows[relation.left] = True
            columns[candidates] = True
    if sampler.past is not None:
        rows |= sampler.past.row_totals > 0
    masks = {"u": rows, "v": columns, "bias": bias_active}
    masks |= {f"relation {k}.r": active for k, active in enumerate(relation_active)}
    for path, mask in masks.items():
        if sites is not None and path in sites:
            known = sites[path].known
            mask[: len(known)] |= known
    units = _units(data, sampler)
    used = [_used(features, hyperpriors) for features in (data.row_features, data.column_features)]
    blueprint = Blueprint(
        rows=Side(ROW, data.rows, data.row_taxonomy, rows, units[0], features=used[0]),
        columns=Side(COLUMN, data.columns, data.column_taxonomy, columns, units[1], features=used[1]),
        relations=relations,
        dim=dim,
        dtype=dtype,
        hyperpriors=hyperpriors,
        priors=named_priors(bias_prior, parents),
        bias_active=bias_active,
        relation_active=relation_active,
    )
    posterior = blueprint.build()
    start(posterior, seed, sampler.log_odds(), -float(np.log(sampler.negatives)))
    if sites is not None:
        _give_sites(posterior, sites)
    return Network(posterior, blueprint.rows, blueprint.columns, tuple(relations), hyperpriors, apart)


def _used(features: Features | None, hyperpriors: Hyperpriors) -> Features | None:
    """Return the sources of features whose strength is not 0."""
    names = [] if features is None else [own.name for own in features.sources if hyperpriors.strength_of(own.name) > 0]
    return features.selected(names) if features is not None and names else None


def _units(data: Dataset, sampler: Sampler) -> list[float]:
    """Return the evidence that an occurrence of a row and of a column gives: its pairs, by how known the others are."""
    total = data.counts.total + (0.0 if sampler.past is None else float(sampler.past.row_totals.sum()))
    pairs = [total / max(float(side.counts.sum()), 1e-300) for side in (data.rows, data.columns)]
    known = [reliability(side.counts * unit) for side, unit in zip((data.rows, data.columns), pairs, strict=True)]
    return [pairs[0] * known[1], pairs[1] * known[0]]


def _give_sites(posterior: Posterior, sites: dict[str, Sites]) -> None:
    for path, block in posterior.blocks().items():
        if path in sites:
            same = np.arange(len(sites[path].precision))
            block.sites = sites[path].moved((same, same), block.mean)
        else:
            block.sites = Sites(np.zeros_like(block.mean), np.zeros_like(block.mean))


def run_epoch(network: Network, data: EpochData, engine: Engine, reach: float = 1.0) -> tuple[float, dict[str, Any]]:
    """Update every variable once; the means of entities move `reach` times as far as to the best place.

    Return the likelihood of the co-occurrence cells and what the bound needs of each block, both as of the end of the
    epoch.
    """
    q = network.posterior
    pairs = Cooccurrence.of(q)
    pairs.update_rows(data, engine, reach)
    q.u.prior.update(q.u, None, engine)
    likelihood = pairs.update_columns(data, engine, reach=reach)
    q.v.prior.update(q.v, None, engine)
    if q.relations:
        for_each(network.relation_likelihoods(), data.relations, engine, Bilinear.update)
    for block in (q.bias, *(relation.r for relation in q.relations)):
        block.prior.update(block, None, engine)
    for choice in network.choices:
        choice.update(engine)
    measured = {path: block.measure(engine) for path, block in q.blocks().items()}
    for path, block in q.blocks().items():
        block.update_precisions(measured[path])
    return likelihood, measured


def lower_bound(
    network: Network,
    data: EpochData,
    engine: Engine,
    likelihood: float | None = None,
    measured: dict[str, Any] | None = None,
) -> float:
    """Return the bound of the current posterior on a sample, in float64 and with all constants.

    Pass `likelihood` and `measured` from `run_epoch` if it ran just before. Relations that are learned separately are
    not included; they have their own bound, `relation_bound`.
    """
    q = network.posterior
    total = _prior_bound({"u": q.u, "v": q.v, "bias": q.bias}, engine, measured)
    total += sum(choice.bound() for choice in network.choices)
    total += Cooccurrence.of(q).log_likelihood(data, engine) if likelihood is None else likelihood
    return float(total) if network.apart else float(total + relation_bound(network, data, engine, measured))


def relation_bound(network: Network, data: EpochData, engine: Engine, measured: dict[str, Any] | None = None) -> float:
    """Return the relations' terms of the bound, or their whole bound if they are learned separately."""
    q = network.posterior
    if not q.relations:
        return 0.0
    own = {path: block for path, block in q.blocks().items() if path not in ("u", "v", "bias")}
    found = for_each(network.relation_likelihoods(), data.relations, engine, Bilinear.log_likelihood)
    return float(_prior_bound(own, engine, measured) + np.sum(found))


def _prior_bound(blocks: dict[str, Block], engine: Engine, measured: dict[str, Any] | None) -> float:
    """Return the sum of the terms of some blocks, their priors' variables and earlier evidence."""
    total = 0.0
    for path, block in blocks.items():
        own, above = block.bound(block.measure(engine) if measured is None else measured[path])
        total += own + sum(above)
        if block.sites is not None:
            total += block.sites.expected_log(block, engine)
    return total


def train(
    network: Network,
    sampler: Sampler,
    engine: Engine,
    *,
    epochs: int,
    resample: bool,
    first_epoch: int = 0,
    memory: float | None = None,
    reach: float = 1.0,
) -> Iterator[EpochInfo]:
    """Run epochs one by one; the posterior is complete after each, and a caller may stop there.

    `memory` is the number of bytes that the cells of a sample may take before they go to files. The means of entities
    move `reach` times as far as to the best place, less than 2 times.
    """
    plan = Plan(sampler, memory)
    for epoch in range(first_epoch, first_epoch + epochs):
        started = time.perf_counter()
        drawn = epoch if resample else 0
        for block in network.posterior.blocks().values():
            block.prior.begin(epoch, float(plan.row_load.sum()) * network.posterior.dim)
        data = engine.sample(plan, drawn, relation_cells(network, sampler, drawn, engine))
        try:
            likelihood, measured = run_epoch(network, data, engine, reach)
        finally:
            data.close()
        bound = lower_bound(network, data, engine, likelihood, measured)
        yield EpochInfo(epoch, bound, data.size, time.perf_counter() - started)


def relation_cells(network: Network, sampler: Sampler, epoch: int, engine: Engine) -> RelationCells:
    """Draw the relation cells of an epoch."""
    cells = sampler.relation_sample(epoch, engine)
    return RelationCells(cells, sampler.counts.shape, network.posterior, network.apart)


def check_finite(posterior: Posterior, bound: float, data: Dataset) -> None:
    """Raise an error that names the first entity whose density is not finite, if any."""
    from vbn.kernels.hierarchy import first_not_finite

    for block, names, side in ((posterior.u, data.rows, ROW), (posterior.v, data.columns, COLUMN)):
        at = first_not_finite(block.mean, block.variance)
        if at >= 0:
            raise NumericalError(
                f"the density of {side} entity {names[at]!r} (seen {names.counts[at]:g} times) is no longer finite. "
                f"{_CAUSES}",
                remedies=_REMEDIES,
            )
    if not np.isfinite(bound):
        raise NumericalError(f"the lower bound is {bound}. {_CAUSES}", remedies=_REMEDIES)
