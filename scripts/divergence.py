"""Make the picture of docs/maths.md that shows the paper's diagonal update diverge, in plain numpy.

    python scripts/divergence.py

Rows u, columns v and their precisions on one fixed sample, without biases, taxonomy and relations: the smallest model
in which dimensions are coupled. Both runs start from the same densities and differ in the update of the means only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from scipy.special import digamma, gammaln

from vbn.plot.style import BLUE, FAINT, ORANGE, plain_frame

OUT = Path(__file__).parent.parent / "docs" / "images" / "divergence.png"
ENTITIES, DIM, SWEEPS = 60, 10, 12


@dataclass
class Side:
    """Densities of u or of v: means, variances, and the rates of the precisions' Gammas (shape 1 + t / 2)."""

    mean: np.ndarray
    variance: np.ndarray
    rate: np.ndarray

    @property
    def tau(self) -> np.ndarray:
        """Expected precisions."""
        return (1.0 + DIM / 2) / self.rate


Update = Callable[[Side, Side, np.ndarray, np.ndarray], None]


def main() -> None:
    positive, negative = sample()
    curves = {update.__name__: run(update, positive, negative) for update in (literal, coordinates)}
    for name, bounds in curves.items():
        print(f"{name:>12}", " ".join(f"{bound:.3g}" for bound in bounds))
    draw(curves)


def sample() -> tuple[np.ndarray, np.ndarray]:
    """Counts of six groups that keep to themselves, and as many negatives as positives, drawn evenly."""
    rng = np.random.default_rng(0)
    group = np.arange(ENTITIES) % 6
    positive = rng.poisson(np.where(group[:, None] == group, 6.0, 0.3)).astype(np.float64)
    share = positive.sum(axis=1, keepdims=True) / ENTITIES
    return positive, rng.poisson(np.broadcast_to(share, positive.shape)).astype(np.float64)


def run(update: Update, positive: np.ndarray, negative: np.ndarray) -> list[float]:
    """The bound a pair, at the start and after each sweep over u, v and the precisions."""
    rng = np.random.default_rng(1)
    u, v = (
        Side(rng.normal(0, 0.3, (ENTITIES, DIM)), np.full((ENTITIES, DIM), 0.1), np.full(ENTITIES, 6.0)) for _ in "uv"
    )
    weight, pull = positive + negative, (positive - negative) / 2
    bounds = [bound(u, v, weight, pull)]
    for _ in range(SWEEPS):
        update(u, v, weight, pull)
        update(v, u, weight.T, pull.T)
        for side in (u, v):
            side.rate = 1.0 + 0.5 * (side.mean**2 + side.variance).sum(axis=1)
        bounds.append(bound(u, v, weight, pull))
    return bounds


def literal(own: Side, other: Side, weight: np.ndarray, pull: np.ndarray) -> None:
    """Set what is off the diagonal of the precision matrix to zero, then invert it."""
    scale = 2.0 * lam(xi(own, other)) * weight
    precision = own.tau[:, None] + scale @ (other.mean**2 + other.variance)
    own.mean, own.variance = pull @ other.mean / precision, 1.0 / precision


def coordinates(own: Side, other: Side, weight: np.ndarray, pull: np.ndarray) -> None:
    """One dimension after the other, each given the newest means of the others."""
    scale = 2.0 * lam(xi(own, other)) * weight
    precision = own.tau[:, None] + scale @ (other.mean**2 + other.variance)
    for d in range(DIM):
        rest = own.mean @ other.mean.T - np.outer(own.mean[:, d], other.mean[:, d])
        own.mean[:, d] = (pull - scale * rest) @ other.mean[:, d] / precision[:, d]
    own.variance = 1.0 / precision


def xi(u: Side, v: Side) -> np.ndarray:
    """Root of the second moment of every score."""
    mean = u.mean @ v.mean.T
    variance = (u.mean**2 + u.variance) @ v.variance.T + u.variance @ (v.mean**2).T
    return np.sqrt(mean**2 + variance)


def lam(x: np.ndarray) -> np.ndarray:
    return np.tanh(x / 2) / (4 * x)


def bound(u: Side, v: Side, weight: np.ndarray, pull: np.ndarray) -> float:
    """The whole bound with the best xi, divided by the weight of all pairs."""
    x = xi(u, v)
    likelihood = (pull * (u.mean @ v.mean.T) - weight * (x / 2 + np.log1p(np.exp(-x)))).sum()
    return float((likelihood + sum(prior(side) for side in (u, v))) / weight.sum())


def prior(side: Side) -> float:
    """E[log p] of densities and precisions, and their entropies."""
    shape, rate = 1.0 + DIM / 2, side.rate
    log_tau, square = digamma(shape) - np.log(rate), (side.mean**2 + side.variance).sum(axis=1)
    normal = 0.5 * (DIM * log_tau - side.tau * square + (1.0 + np.log(side.variance)).sum(axis=1))
    gamma = -side.tau + shape - np.log(rate) + gammaln(shape) + (1.0 - shape) * digamma(shape)
    return float((normal + gamma).sum())


def draw(curves: dict[str, list[float]]) -> None:
    mpl.use("Agg")
    from matplotlib import pyplot

    figure, ax = pyplot.subplots(figsize=(6.4, 3.4), layout="constrained", dpi=85)
    names = {"literal": "the paper's text: zero the rest, invert", "coordinates": "coordinate ascent"}
    for (key, bounds), colour in zip(curves.items(), (ORANGE, BLUE), strict=True):
        ax.plot([-bound for bound in bounds], color=colour, marker="o", markersize=3, label=names[key])
    ax.set_yscale("log")
    ax.set_xlabel("sweeps", color=FAINT)
    ax.set_ylabel("minus the bound a pair (log scale)", color=FAINT)
    ax.legend(frameon=False)
    plain_frame(ax)
    figure.savefig(OUT, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main()
