"""What earlier data said of each variable: a factor exp(linear z - precision z^2 / 2), beside the likelihood."""

from dataclasses import dataclass, replace

import numpy as np


@dataclass
class Sites:
    """The factors of a kind of variable; zero where nothing is known."""

    precision: np.ndarray
    linear: np.ndarray

    def expected_log(self, mean, variance):
        """E[log factor], summed, of Gaussians with these moments."""
        return float(np.sum(self.linear * mean - self.precision * (mean**2 + variance) / 2))

    def log(self, samples):
        """log factor of samples (n, ...), one sum each."""
        return (self.linear * samples - self.precision * samples**2 / 2).reshape(len(samples), -1).sum(1)


@dataclass
class Evidence:
    """The factors of all variables that data reaches; x, y and r hold one entry per relation."""

    u: Sites
    v: Sites
    bias: Sites
    x: list
    y: list
    r: list


def _evidence(problem, sites):
    t, n = problem.dim, problem.n_cols
    ranks = [relation.rank for relation in problem.relations]
    return Evidence(
        u=sites(problem.n_rows, t),
        v=sites(n, t),
        bias=sites(n),
        x=[sites(rank, t) for rank in ranks],
        y=[sites(rank, t) for rank in ranks],
        r=[sites(n) for _ in ranks],
    )


def no_evidence(problem):
    """Nothing is known."""
    return _evidence(problem, lambda *shape: Sites(np.zeros(shape), np.zeros(shape)))


def with_random_evidence(problem, seed):
    """The problem with strong factors for about two thirds of the variables, also for some that have no cell."""
    rng = np.random.default_rng([seed, 77])

    def sites(*shape):
        known = np.ones(shape) * (rng.random(shape[0]) < 0.67).reshape(-1, *[1] * (len(shape) - 1))
        precision = known * rng.uniform(0.5, 40.0, shape)
        precision[rng.random(shape) < 0.1] = 0.0  # a single dimension of which nothing is known
        return Sites(precision, precision * rng.normal(0.0, 0.8, shape))

    return replace(problem, evidence=_evidence(problem, sites))
