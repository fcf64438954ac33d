"""The model in training: the posterior, the graphs, the hyperpriors, and what each variable is drawn to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vbn.kernels import EvidenceArrays, PriorArrays
from vbn.model._evidence import Evidence, no_evidence
from vbn.model._graph import PartGraph
from vbn.model._hyper import Hyperpriors
from vbn.model._posterior import Biases, Gaussians, Part, Posterior, Scalars, factor_prior
from vbn.model._readout import Readout

_ROWS_PER_TASK = 1 << 13


@dataclass
class Network:
    """The model in training."""

    posterior: Posterior
    u_graph: PartGraph
    v_graph: PartGraph
    hyperpriors: Hyperpriors
    bias_active: np.ndarray
    relation_bias_active: np.ndarray
    centred_biases: bool = True
    evidence: Evidence | None = None
    relation_priors: Sequence[float] = ()
    readout: Readout | None = None

    def relation_parts(self) -> tuple[Gaussians, Gaussians]:
        """The densities of rows and columns that relations are about: u and v, or what is read out of these."""
        q = self.posterior
        return (q.u, q.v) if self.readout is None else self.readout.vectors(q)

    @cached_property
    def factor_prior(self) -> np.ndarray:
        """Prior means of all x_m, which are also those of all y_m."""
        return factor_prior(self.posterior.offsets, self.relation_priors, self.posterior.dim)

    def part(self, side: str) -> tuple[Part, PartGraph]:
        """The posterior and the graph of side "u" or "v"."""
        if side == "u":
            return self.posterior.u, self.u_graph
        return self.posterior.v, self.v_graph

    def tau(self, rate: np.ndarray, kind: str, dim: int) -> np.ndarray:
        """E[tau] = shape / rate."""
        return self.hyperpriors.shape(kind, dim) / rate

    def prior(self, side: str) -> PriorArrays:
        """What draws the entities of a side to their parents, as kernels take it."""
        part, graph = self.part(side)
        tau = self.tau(part.tau_rate, "entity", self.posterior.dim)
        return PriorArrays(
            tau, graph.parent_indptr, graph.parents, graph.parent_weights, part.category_mean, part.category_variance,
            self.evidence_on(side),
        )  # fmt: skip

    def bias_tree(self) -> PriorArrays:
        """What draws biases to those of their categories, as kernels take it; all relative to the common mean."""
        bias, graph = self.posterior.bias, self.v_graph
        return PriorArrays(
            self.tau(bias.tau_rate, "bias", 1), graph.parent_indptr, graph.parents, graph.parent_weights,
            bias.category_mean, bias.category_variance, no_evidence(1, bias.mean.dtype),
        )  # fmt: skip

    def nested_bias_prior(self) -> tuple[np.ndarray, np.ndarray]:
        """How far from the common mean the categories draw each bias, and the variance of that."""
        return nested_bias_prior(self.posterior.bias, self.v_graph)

    def scalar_prior(self, which: str) -> tuple[np.ndarray, np.ndarray]:
        """Precision, and precision times mean, that the prior and earlier data give to "bias" (b) or r."""
        scalars: Scalars = getattr(self.posterior, which)
        precision = self.tau(scalars.tau_rate, "bias" if which == "bias" else "relation", 1)
        if which == "bias":
            linear = precision * (scalars.centre_mean + self.nested_bias_prior()[0])
        else:
            linear = precision * scalars.centre_mean[:, None]
        if self.evidence is None:
            return precision, linear
        sites = getattr(self.evidence, which)
        return precision + sites.precision, linear + sites.linear

    def evidence_on(self, which: str) -> EvidenceArrays:
        """What earlier data said of "u", "v", "x" or "y"."""
        if self.evidence is None:
            return no_evidence(self.posterior.dim, self.posterior.u.mean.dtype)
        arrays: EvidenceArrays = getattr(self.evidence, which).arrays
        return arrays


def nested_bias_prior(bias: Biases, graph: PartGraph) -> tuple[np.ndarray, np.ndarray]:
    """How far from the common mean the categories draw each bias, and the variance of that; 0 without categories."""
    n = graph.n_entities
    if not bias.nested:
        return np.zeros(n), np.zeros(n)
    child, weights = np.repeat(np.arange(n), np.diff(graph.parent_indptr)), graph.parent_weights
    mean = np.bincount(child, weights * bias.category_mean[graph.parents, 0], minlength=n)
    return mean, np.bincount(child, weights**2 * bias.category_variance[graph.parents], minlength=n)


def row_ranges(n: int, rows_per_task: int = _ROWS_PER_TASK) -> list[tuple[int, int]]:
    """Ranges of equal length."""
    return [(first, min(first + rows_per_task, n)) for first in range(0, n, rows_per_task)]
