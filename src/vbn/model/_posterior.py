"""The posterior as plain arrays: what training changes, and all that is needed to go on or to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vbn.kernels import DensityArrays
from vbn.model._graph import PartGraph
from vbn.model._hyper import Hyperpriors

_START_SCALE = 0.1  # standard deviation of the first means; 0 would be a fixed point
_START_VARIANCE = 1.0
_FACTOR_VARIANCE = (
    0.05  # factors of relations start large and sure: small or unsure ones are pruned in the first epochs
)
_FACTOR_NOISE = 0.01  # of factors that start at a prior mean other than 0


@dataclass
class Gaussians:
    """Gaussians: means and variances."""

    mean: np.ndarray
    variance: np.ndarray

    @property
    def densities(self) -> DensityArrays:
        """Means and variances, as kernels take them."""
        return DensityArrays(self.mean, self.variance)


@dataclass
class Part(Gaussians):
    """The u part or the v part: entities (diagonal Gaussians) and categories (isotropic Gaussians).

    `tau_rate` and `category_rate` are the rates of the Gamma precisions; their shapes are constants.
    """

    tau_rate: np.ndarray
    category_mean: np.ndarray
    category_variance: np.ndarray
    category_rate: np.ndarray


@dataclass
class Scalars(Gaussians):
    """Biases: one Gaussian and one Gamma rate for each column (b), or for each relation and column (r).

    `centre_mean` and `centre_variance` are the density of the mean that they are drawn to: one value for b, one for
    each relation's r. Both are 0 where the prior mean is fixed at 0, as in the paper.
    """

    tau_rate: np.ndarray
    centre_mean: np.ndarray
    centre_variance: np.ndarray


@dataclass
class Biases(Scalars):
    """The biases b, which the taxonomy draws together like everything else: a category has a bias of its own.

    These arrays have one row for each category of the columns, as those of `Part` have, or none where biases do not
    follow the taxonomy. `category_mean` (c, 1) is how far a category lies from the common mean.
    """

    category_mean: np.ndarray
    category_variance: np.ndarray
    category_rate: np.ndarray

    @property
    def nested(self) -> bool:
        """Whether categories have biases."""
        return len(self.category_variance) > 0


@dataclass
class Factors(Gaussians):
    """The rows x_m (or y_m) of all relations, one below the other; relation k owns offsets[k]..offsets[k+1]-1."""

    tau_rate: np.ndarray


@dataclass
class Posterior:
    """All of q(theta)."""

    u: Part
    v: Part
    bias: Biases
    x: Factors
    y: Factors
    relation_bias: Scalars
    offsets: np.ndarray

    @property
    def dim(self) -> int:
        """Dimension t."""
        return int(self.u.mean.shape[1])

    @property
    def n_relations(self) -> int:
        """Number of relations."""
        return len(self.offsets) - 1

    def arrays(self) -> dict[str, np.ndarray]:
        """Every array by its path, such as "u.mean"."""
        flat: dict[str, np.ndarray] = {"offsets": self.offsets}
        for name in ("u", "v", "bias", "x", "y", "relation_bias"):
            for field, array in vars(getattr(self, name)).items():
                flat[f"{name}.{field}"] = array
        return flat

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Posterior:
        """The inverse of `arrays`."""
        groups: dict[str, dict[str, np.ndarray]] = {}
        for path, array in arrays.items():
            owner, _, field = path.partition(".")
            if field:
                groups.setdefault(owner, {})[field] = array
        return cls(
            u=Part(**groups["u"]), v=Part(**groups["v"]), bias=Biases(**groups["bias"]), x=Factors(**groups["x"]),
            y=Factors(**groups["y"]), relation_bias=Scalars(**groups["relation_bias"]), offsets=arrays["offsets"],
        )  # fmt: skip

    def copy(self) -> Posterior:
        """A posterior that shares no array with this one."""
        return Posterior.from_arrays({path: array.copy() for path, array in self.arrays().items()})


def factor_prior(offsets: np.ndarray, strengths: Sequence[float], dim: int) -> np.ndarray:
    """Prior mean c_k e_m of x_mk and of y_mk, e_m the m-th unit vector: 0 where a relation has no strength c_k.

    A relation of rank `dim` then starts from c^2 u.v: what occurs together is taken to be related.
    """
    result = np.zeros((int(offsets[-1]), dim))
    for k, strength in enumerate(strengths):
        rank = int(offsets[k + 1] - offsets[k])
        result[offsets[k] : offsets[k + 1]] = strength * np.eye(rank, dim)
    return result


def start_posterior(
    u_graph: PartGraph, v_graph: PartGraph, ranks: list[int], dim: int, hyper: Hyperpriors, seed: int, dtype: np.dtype,
    strengths: Sequence[float] = (),
) -> Posterior:  # fmt: skip
    """The posterior that training starts from: random means, precisions of expectation 1.

    `strengths` are those of the relations' prior means, see `factor_prior`; none: all 0.
    """
    offsets = np.concatenate(([0], np.cumsum(np.asarray(ranks, dtype=np.int64)))).astype(np.int64)
    prior = factor_prior(offsets, strengths, dim)
    streams = np.random.SeedSequence([seed & 0xFFFFFFFF, seed >> 32, 0x5EED]).spawn(4)
    rngs = [np.random.default_rng(stream) for stream in streams]
    n_columns = v_graph.n_entities
    return Posterior(
        u=_start_part(u_graph, dim, hyper, rngs[0], dtype),
        v=_start_part(v_graph, dim, hyper, rngs[1], dtype),
        bias=flat_biases(_start_scalars((n_columns,), 1, hyper.shape("bias", 1), dtype)),
        x=_start_factors(prior, hyper, rngs[2], dtype),
        y=_start_factors(prior, hyper, rngs[3], dtype),
        relation_bias=_start_scalars((len(ranks), n_columns), len(ranks), hyper.shape("relation", 1), dtype),
        offsets=offsets,
    )


def _start_part(graph: PartGraph, dim: int, hyper: Hyperpriors, rng: np.random.Generator, dtype: np.dtype) -> Part:
    n, c = graph.n_entities, graph.n_categories
    return Part(
        mean=(_START_SCALE * rng.standard_normal((n, dim))).astype(dtype),
        variance=np.full((n, dim), _START_VARIANCE, dtype),
        tau_rate=np.full(n, hyper.shape("entity", dim)),
        category_mean=np.zeros((c, dim), dtype),
        category_variance=np.full(c, _START_VARIANCE, dtype),
        category_rate=np.full(c, hyper.shape("category", dim)),
    )


def _start_factors(prior: np.ndarray, hyper: Hyperpriors, rng: np.random.Generator, dtype: np.dtype) -> Factors:
    """At the prior mean, with a little noise; at random where that is 0, which would be a fixed point."""
    total, dim = prior.shape
    noise = rng.standard_normal((total, dim))
    scale = np.where(prior.any(axis=1), _FACTOR_NOISE, 1.0)[:, None]
    mean = (prior + scale * noise).astype(dtype)
    return Factors(mean, np.full((total, dim), _FACTOR_VARIANCE, dtype), np.full(total, hyper.shape("relation", dim)))


def nest_biases(posterior: Posterior, graph: PartGraph, hyper: Hyperpriors) -> None:
    """Let the biases follow the taxonomy of the columns: give a bias to each category."""
    c, dtype = graph.n_categories, posterior.bias.mean.dtype
    posterior.bias.category_mean = np.zeros((c, 1), dtype)
    posterior.bias.category_variance = np.full(c, _START_VARIANCE, dtype)
    posterior.bias.category_rate = np.full(c, hyper.shape("bias", 1))


def flat_biases(scalars: Scalars) -> Biases:
    """Biases that do not follow a taxonomy."""
    dtype = scalars.mean.dtype
    none = np.empty((0, 1), dtype), np.empty(0, dtype), np.empty(0)
    return Biases(scalars.mean, scalars.variance, scalars.tau_rate, scalars.centre_mean, scalars.centre_variance, *none)


def _start_scalars(shape: tuple[int, ...], groups: int, rate: float, dtype: np.dtype) -> Scalars:
    zero, one = np.zeros(shape, dtype), np.full(shape, _START_VARIANCE, dtype)
    return Scalars(zero, one, np.full(shape, rate), np.zeros(groups), np.zeros(groups))
