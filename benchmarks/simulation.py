"""Whether the uncertainty of scores is right where the truth is known: data drawn from the model itself.

    python benchmarks/simulation.py [--worlds 40] [--out auto]

A world has u, v and b from their priors; every cell is observed once, as positive or negative, with the probability
that the model gives it, but for a share that nobody sees. Fitted is with the precisions of the prior. For each pair,
seen or not, (true score - mean) / std should be symmetric about 0 and as wide as a standard normal variable
(a check of variational inference by simulation, after Yao et al., 2018). Printed are how often the truth lies inside of
the intervals of 50, 80 and 95 %, the share of pairs whose truth lies above the mean, and the factor by which standard
deviations would have to be stretched for 80 % of the truths to lie inside of the 80 % interval; with the variance of
mean field and with the full one (`predict_interval`).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import norm

import vbn
from _machine import write_result
from vbn.engines import ThreadEngine
from vbn.inference import full_variances, pair_scores
from vbn.model import EntityCells, GivenSample, Hyperpriors, Trained, build_network, run_epoch
from vbn.sampling import Cells, Sample, Sampler

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


@dataclass(frozen=True)
class Shown:
    """What the fit has seen, in the form in which the full variance asks for it."""

    labels: np.ndarray
    seen: np.ndarray

    def row(self, i: int) -> EntityCells:
        """The cells of row i."""
        others = np.flatnonzero(self.seen[i])
        positive = self.labels[i, others].astype(np.float64)
        return EntityCells(others, np.ones(len(others)), positive, 1.0 - positive)

    def column(self, j: int) -> EntityCells:
        """The cells of column j."""
        return Shown(self.labels.T, self.seen.T).row(j)


def fitted(
    labels: np.ndarray, seen: np.ndarray, dim: int, epochs: int, seed: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Mean of every score under the model, and its standard deviations by spread."""
    rows, columns = labels.shape
    dtype = np.dtype(np.float64)
    left, right = np.nonzero(seen)
    data = vbn.Dataset.from_interactions([f"r{i:06}" for i in left], [f"c{j:06}" for j in right])
    order = np.ix_(*([int(name[1:]) for name in side.names] for side in (data.rows, data.columns)))  # by frequency
    labels, seen = labels[order], seen[order]
    left, right = np.nonzero(seen)
    sampler = Sampler(data, negatives=1, noise_power=0.75, subsample=None, reject_positives=False, seed=0, dtype=dtype)
    weights = dict.fromkeys(KINDS, ODD)
    network = build_network(data, sampler, Hyperpriors(weights, weights), dim=dim, seed=seed, dtype=dtype)
    positive = labels[left, right].astype(dtype)
    indptr = np.concatenate(([0], np.cumsum(seen.sum(axis=1))))
    cells = Cells(indptr, right.astype(np.int32), positive, 1.0 - positive, columns)
    sample, engine = GivenSample(Sample(cells, ()), network.posterior), ThreadEngine()
    for _ in range(epochs):
        run_epoch(network, sample, engine)
    trained, pairs = Trained.from_training(network, sampler), np.divmod(np.arange(rows * columns), columns)
    mean, variance = pair_scores(trained, *pairs)
    full = full_variances(trained, Shown(labels, seen), *pairs)
    found = np.empty((3, rows, columns))
    for place, values in zip(found, (mean, np.sqrt(variance), np.sqrt(full)), strict=True):
        place[order] = values.reshape(labels.shape)
    return found[0], {"mean_field": found[1], "full": found[2]}


def judged(z: np.ndarray) -> dict[str, float]:
    """How often the truth lies inside of intervals, and how symmetric and wide its distances are."""
    inside = {f"inside {level:.0%}": float(np.mean(np.abs(z) < norm.ppf(0.5 + level / 2))) for level in LEVELS}
    stretch = float(np.quantile(np.abs(z), 0.8) / norm.ppf(0.9))
    return {"pairs": len(z), **inside, "above the mean": float(np.mean(z > 0)), "stretch": stretch}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=40)
    parser.add_argument("--dim", type=int, nargs="+", default=[3])
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--columns", type=int, nargs="+", default=[8, 40, 200], help="few: little is known of a row")
    parser.add_argument("--hidden", type=float, default=0.2, help="share of the cells that nobody sees")
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--out", help="file for the raw output, or 'auto'")
    chosen = parser.parse_args()
    runs: list[dict[str, Any]] = []
    for dim, columns in ((dim, columns) for dim in chosen.dim for columns in chosen.columns):
        found: dict[tuple[str, str], list[np.ndarray]] = {}
        for seed in range(chosen.worlds):
            scores, labels, seen = world(chosen.rows, columns, dim, chosen.hidden, seed)
            mean, stds = fitted(labels, seen, dim, chosen.epochs, seed)
            for spread, std in stds.items():
                z = (scores - mean) / std
                found.setdefault((spread, "seen"), []).append(z[seen])
                found.setdefault((spread, "hidden"), []).append(z[~seen])
        for (spread, part), values in found.items():
            facts = {"dim": dim, "columns": columns, "spread": spread, "cells": part}
            runs.append({**facts, **judged(np.concatenate(values))})
            print(runs[-1], flush=True)
    write_result("simulation", vars(chosen), runs, chosen.out)


if __name__ == "__main__":
    main()
