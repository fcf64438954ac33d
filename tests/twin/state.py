"""The parameters of q as plain float64 arrays. Updates change them in place."""

from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from tests.twin.content import random_content


@dataclass
class Part:
    """q of one side (u or v), indexed by node; category rows of nodes without children are never read."""

    mean: np.ndarray  # (n, t)
    variance: np.ndarray  # (n, t)
    tau_rate: np.ndarray  # (n,)
    category_mean: np.ndarray  # (n, t)
    category_variance: np.ndarray  # (n,): the density is isotropic
    category_tau_rate: np.ndarray  # (n,)
    content: object = None  # what features add to prior means


@dataclass
class RelationState:
    """q of one relation: row m of `x_mean` is the mean of x_m, the m-th column of the paper's X."""

    x_mean: np.ndarray  # (t_k, t)
    x_var: np.ndarray  # (t_k, t)
    x_tau_rate: np.ndarray  # (t_k,)
    y_mean: np.ndarray  # (t_k, t)
    y_var: np.ndarray  # (t_k, t)
    y_tau_rate: np.ndarray  # (t_k,)
    r_mean: np.ndarray  # (n_cols,)
    r_var: np.ndarray  # (n_cols,)
    r_tau_rate: np.ndarray  # (n_cols,)
    r_centre: np.ndarray  # (2,): mean and variance of the common mean of the r_j


@dataclass
class State:
    """All parameters of q; the shapes of the Gammas are constants, see `Problem.shape`."""

    u: Part
    v: Part
    bias_mean: np.ndarray  # (n_cols,)
    bias_var: np.ndarray  # (n_cols,)
    bias_tau_rate: np.ndarray  # (n_cols,)
    bias_centre: np.ndarray  # (2,): mean and variance of the common mean of the b_j
    g_mean: np.ndarray  # (n_cols,): biases of categories, relative to the common mean; 0 for the others
    g_var: np.ndarray  # (n_cols,)
    g_tau_rate: np.ndarray  # (n_cols,)
    relations: list
    chosen_u: list  # of every row, the probabilities of its parents (mixture)
    chosen_v: list  # of every column; the same list where rows and columns are the same set
    bias_content: object = None

    def chosen(self, name):
        """The probabilities of the parents on the side of "u" or "v"."""
        return self.chosen_u if name == "u" else self.chosen_v

    def part(self, name):
        """The part "u" or "v"."""
        return self.u if name == "u" else self.v

    def copy(self):
        """A deep copy."""
        return deepcopy(self)


def random_state(problem, seed=0):
    """A random start: means N(0, s^2) with s in 0.5..1, variances around 0.3..1, E[tau] around 1."""
    rng = np.random.default_rng(seed)
    t = problem.dim

    def mean(*size):
        return rng.uniform(0.5, 1.0) * rng.standard_normal(size)

    def variance(*size):
        return rng.uniform(0.3, 1.0, size)

    def rate(kind, n):
        return problem.shape(kind) / rng.uniform(0.5, 2.0, n)

    def part(n):
        return Part(mean(n, t), variance(n, t), rate("entity", n), mean(n, t), variance(n), rate("category", n))

    def relation(rank):
        x = mean(rank, t), variance(rank, t), rate("relation_factor", rank)
        y = mean(rank, t), variance(rank, t), rate("relation_factor", rank)
        n = problem.n_cols
        return RelationState(*x, *y, mean(n), variance(n), rate("relation_bias", n), centre())

    def centre():
        if problem.centre_precision is None:
            return np.zeros(2)
        return np.array([rng.normal(), rng.uniform(0.3, 1.0)])

    def chosen(taxonomy):
        if not problem.mixture:
            return []
        return [rng.dirichlet(np.ones(len(p))) if p else np.empty(0) for p in taxonomy.parents]

    n = problem.n_cols
    bias = mean(n), variance(n), rate("bias", n), centre()
    relations = [relation(r.rank) for r in problem.relations]
    u, v = part(problem.n_rows), part(n)
    g = problem.bias_categories
    categories = np.where(g, mean(n), 0.0), np.where(g, variance(n), 0.0), rate("bias", n)
    chosen_u = chosen(problem.row_taxonomy)
    chosen_v = chosen_u if problem.shared else chosen(problem.col_taxonomy)
    state = State(u, v, *bias, *categories, relations, chosen_u, chosen_v)
    if problem.rho is not None:
        for own, features in ((u, problem.row_features), (v, problem.col_features)):
            own.content = random_content(features, problem.rho, t, rng)
        state.bias_content = random_content(problem.col_features, problem.rho, 1, rng)
    return state
