"""Whether the uncertainty of scores is right where the truth is known: data drawn from the model itself.

    python benchmarks/simulation.py [--worlds 40] [--out auto]

A world has u, v and b from their priors; every cell is observed once, as positive or negative, with the probability
that the model gives it, but for a share that nobody sees. Fitted is with the precisions of the prior. For each pair,
seen or not, (true score - mean) / std should be symmetric about 0 and as wide as a standard normal variable
(a check of variational inference by simulation, after Yao et al., 2018). Printed are how often the truth lies inside of
the intervals of 50, 80 and 95 %, the share of pairs whose truth lies above the mean, and the factor by which standard
deviations would have to be stretched for 80 % of the truths to lie inside of the 80 % interval.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.stats import norm

import vbn
from _machine import write_result
from vbn.data._cells import Cells, Sample
from vbn.data._sampler import Sampler
from vbn.engines._threads import ThreadEngine
from vbn.kernels._arrays import DensityArrays
from vbn.kernels._predictive import pair_moments
from vbn.model._epoch import GivenSample
from vbn.model._fit import build_network, run_epoch
from vbn.model._hyper import Hyperpriors

LEVELS = (0.5, 0.8, 0.95)
KINDS = tuple(Hyperpriors().alpha)
ODD = 1e4  # weight of the prior of precisions: they stay at 1


def world(rows: int, columns: int, dim: int, hidden: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True scores, labels, and which cells are seen; every row and column has one at least."""
    rng = np.random.default_rng([seed, 0x51])
    scores = rng.normal(size=(rows, dim)) @ rng.normal(size=(columns, dim)).T + rng.normal(size=columns)
    labels = rng.random(scores.shape) < 1 / (1 + np.exp(-scores))
    seen = rng.random(scores.shape) >= hidden
    seen[np.arange(rows), np.arange(rows) % columns] = True
    seen[np.arange(columns) % rows, np.arange(columns)] = True
    return scores, labels, seen


def fitted(labels: np.ndarray, seen: np.ndarray, dim: int, epochs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of every score under the model."""
    rows, columns = labels.shape
    dtype = np.dtype(np.float64)
    left, right = np.nonzero(seen)
    data = vbn.Dataset.from_interactions([f"r{i:06}" for i in left], [f"c{j:06}" for j in right])
    order = np.ix_(*([int(name[1:]) for name in side.names] for side in (data.rows, data.columns)))  # by frequency
    labels, seen = labels[order], seen[order]
    left, right = np.nonzero(seen)
    sampler = Sampler(data, negatives=1, noise_power=0.75, subsample=None, reject_positives=False, seed=0, dtype=dtype)
    weights = dict.fromkeys(KINDS, ODD)
    network = build_network(data, sampler, Hyperpriors(weights, weights), [], dim, seed, dtype)
    positive = labels[left, right].astype(dtype)
    indptr = np.concatenate(([0], np.cumsum(seen.sum(axis=1))))
    cells = Cells(indptr, right.astype(np.int32), positive, 1.0 - positive, columns)
    sample, engine = GivenSample(Sample(cells, ()), network.posterior), ThreadEngine()
    for _ in range(epochs):
        run_epoch(network, sample, engine)
    q, mean, variance = network.posterior, np.empty(rows * columns), np.empty(rows * columns)
    ids = np.divmod(np.arange(rows * columns), columns)
    densities: list[DensityArrays] = [q.u.densities, q.v.densities, q.bias.densities]
    pair_moments(0, len(mean), *ids, *densities, mean, variance)
    found = np.empty((2, rows, columns))
    found[0][order], found[1][order] = mean.reshape(labels.shape), np.sqrt(variance).reshape(labels.shape)
    return found[0], found[1]


def judged(z: np.ndarray) -> dict[str, float]:
    """How often the truth lies inside of intervals, and how symmetric and wide its distances are."""
    inside = {f"inside {level:.0%}": float(np.mean(np.abs(z) < norm.ppf(0.5 + level / 2))) for level in LEVELS}
    stretch = float(np.quantile(np.abs(z), 0.8) / norm.ppf(0.9))
    return {"pairs": len(z), **inside, "above the mean": float(np.mean(z > 0)), "stretch": stretch}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--dim", type=int, default=3)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--columns", type=int, nargs="+", default=[8, 40, 200], help="few: little is known of a row")
    parser.add_argument("--hidden", type=float, default=0.2, help="share of the cells that nobody sees")
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    runs: list[dict[str, Any]] = []
    for columns in chosen.columns:
        found: dict[str, list[np.ndarray]] = {"seen": [], "hidden": []}
        for seed in range(chosen.worlds):
            scores, labels, seen = world(chosen.rows, columns, chosen.dim, chosen.hidden, seed)
            mean, std = fitted(labels, seen, chosen.dim, chosen.epochs, seed)
            z = (scores - mean) / std
            found["seen"].append(z[seen])
            found["hidden"].append(z[~seen])
        for part, values in found.items():
            runs.append({"columns": columns, "cells": part, **judged(np.concatenate(values))})
            print(runs[-1], flush=True)
    write_result("simulation", vars(chosen), runs, chosen.out)


if __name__ == "__main__":
    main()
