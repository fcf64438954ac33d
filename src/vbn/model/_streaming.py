"""Going on where the counts of the earlier fit are gone: its posterior becomes the prior, and the hierarchy lives on.

q(z) of a variable that data reaches is its prior times a Gaussian factor, which is all that the data said of it. The
prior is taken out again (it may change, with the parents), and the factor goes into the new fit as `Evidence`.
"""

from __future__ import annotations

import numpy as np

from vbn._errors import ParameterError
from vbn.data import Counts, Dataset, Relation
from vbn.model._cold import prior_moments
from vbn.model._evidence import Evidence, Sites
from vbn.model._network import nested_bias_prior
from vbn.model._posterior import Factors, Scalars, factor_prior
from vbn.model._trained import Trained
from vbn.sampling import Past

_LEAST = 1e-5  # share of the prior's precision; less is rounding (of float32) and no evidence


def continued(earlier: Trained, data: Dataset) -> Dataset:
    """New data over the earlier model's entities and prior knowledge: ids stay, and vocabularies count both."""
    shape = len(earlier.rows), len(earlier.columns)
    none, ids = np.empty(0), np.empty(0, np.int32)
    ours = Dataset(
        earlier.rows, None if earlier.shared else earlier.columns, Counts.from_coo(ids, ids, none, shape),
        row_taxonomy=earlier.row_taxonomy, column_taxonomy=earlier.column_taxonomy,
        relations={info.name: Relation(info.name, ids, ids, none, info.symmetric) for info in earlier.relations},
        kind=data.kind,
    )  # fmt: skip
    return ours.merge(data)


def past_of(earlier: Trained, data: Dataset) -> Past:
    """What sampling must know of the earlier data; `data` is what `continued` returned."""
    noise, totals = np.zeros(len(data.columns)), np.zeros(len(data.rows))
    noise[: len(earlier.columns)] = np.where(earlier.column_active, earlier.noise(), 0.0)
    totals[: len(earlier.rows)] = earlier.row_totals
    return Past(noise, totals, earlier.rejects)


def evidence_of(earlier: Trained, data: Dataset, ranks: list[int], dtype: np.dtype) -> Evidence:
    """What the earlier data said of every variable of the new fit; old variables come first in all arrays."""
    q, total = earlier.posterior, sum(ranks)
    for info, rank, new in zip(earlier.relations, np.diff(q.offsets), ranks, strict=False):
        if rank != new:
            raise ParameterError(
                f"relation_rank={new} of the relation {info.name!r} differs from the {rank} of the fit to go on from, "
                "whose counts are gone."
            )
    n, m, k, t = len(data.rows), len(data.columns), len(ranks), q.dim
    return Evidence(
        u=_entities(earlier, "u").padded((n, t), dtype),
        v=_entities(earlier, "v").padded((m, t), dtype),
        bias=_scalars(q.bias, earlier.hyperpriors.shape("bias", 1), _bias_centre(earlier)).padded((m,), dtype),
        x=_factors(earlier, q.x).padded((total, t), dtype),
        y=_factors(earlier, q.y).padded((total, t), dtype),
        relation_bias=_scalars(
            q.relation_bias, earlier.hyperpriors.shape("relation", 1), q.relation_bias.centre_mean[:, None]
        ).padded((k, m), dtype),
    )


def _entities(earlier: Trained, side: str) -> Sites:
    part, graph = earlier.part(side), earlier.graph(side)
    nodes = np.flatnonzero(graph.entity_active)
    centre, _ = prior_moments(part, graph, nodes)
    tau = earlier.hyperpriors.shape("entity", part.mean.shape[1]) / part.tau_rate[nodes]
    found = _without_prior(part.mean[nodes], part.variance[nodes], tau, centre)
    precision, linear = np.zeros(part.mean.shape), np.zeros(part.mean.shape)
    precision[nodes], linear[nodes] = found.precision, found.linear
    return Sites(precision, linear)


def _factors(earlier: Trained, factors: Factors) -> Sites:
    q = earlier.posterior
    centre = factor_prior(q.offsets, [info.prior for info in earlier.relations], q.dim)
    tau = earlier.hyperpriors.shape("relation", q.dim) / factors.tau_rate
    return _without_prior(factors.mean, factors.variance, tau, centre)


def _bias_centre(earlier: Trained) -> np.ndarray:
    bias = earlier.posterior.bias
    return np.asarray(bias.centre_mean + nested_bias_prior(bias, earlier.graph("v"))[0])


def _scalars(scalars: Scalars, shape: float, centre: np.ndarray) -> Sites:
    centre = np.broadcast_to(centre, scalars.mean.shape)
    arrays = scalars.mean, scalars.variance, centre
    mean, variance, centre = (array.reshape(-1, 1) for array in arrays)
    found = _without_prior(mean, variance, (shape / scalars.tau_rate).ravel(), centre)
    return Sites(found.precision.reshape(scalars.mean.shape), found.linear.reshape(scalars.mean.shape))


def _without_prior(mean: np.ndarray, variance: np.ndarray, tau: np.ndarray, centre: np.ndarray) -> Sites:
    """Divide densities (n, t) by their prior N(centre, I / tau); a dimension without curvature has no evidence.

    The update that made q had a precision of tau plus something that is never negative. But tau moved on after it, and
    averages are taken over epochs, so that the present E[tau] may lie above what q can hold: then it is cut.
    """
    precision = 1.0 / variance.astype(np.float64)
    prior = np.minimum(tau, precision.min(axis=1))[:, None]
    rest = precision - prior
    known = rest > _LEAST * prior
    return Sites(np.where(known, rest, 0.0), np.where(known, precision * mean - prior * centre, 0.0))
