"""Content as a prior: z_k ~ N(s_k + A f_k, I / tau_k) for entities and categories, A_df ~ N(0, 1 / rho_f)."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Content:
    """q(A) of one part, or of the biases: its rows have their own means and one covariance."""

    features: np.ndarray  # (n, F): 0 where nothing is known
    rho: np.ndarray  # (F,)
    mean: np.ndarray  # (t, F)
    covariance: np.ndarray  # (F, F)

    def shift(self, node):
        """E[A f] of a node."""
        return self.mean @ self.features[node]

    def leverage(self, node):
        """The variance of every coordinate of A f."""
        return self.features[node] @ self.covariance @ self.features[node]

    def set_to_optimum(self, parts):
        """From (node, E[tau], mean less everything else in the prior mean) of all variables that have f as prior."""
        precision, linear = np.diag(self.rho), np.zeros_like(self.mean)
        for node, tau, rest in parts:
            precision = precision + tau * np.outer(self.features[node], self.features[node])
            linear = linear + tau * np.outer(rest, self.features[node])
        self.covariance[...] = np.linalg.inv(precision)
        self.mean[...] = linear @ self.covariance

    def bound(self):
        """E[log p(A)] + H[q(A)]."""
        total = 0.0
        for row in self.mean:
            second = row**2 + np.diag(self.covariance)
            total += np.sum(np.log(self.rho / (2 * math.pi)) - self.rho * second) / 2
            total += np.linalg.slogdet(2 * math.pi * math.e * self.covariance)[1] / 2
        return float(total)

    def samples(self, n, rng):
        """Samples of A f of every node, (n, nodes, t), and log p - log q of A."""
        from scipy import stats

        values, ratio = np.zeros((n, len(self.features), len(self.mean))), np.zeros(n)
        for d, row in enumerate(self.mean):
            a = rng.multivariate_normal(row, self.covariance, size=n)
            values[:, :, d] = a @ self.features.T
            ratio += stats.norm.logpdf(a, 0.0, self.rho**-0.5).sum(1)
            ratio -= stats.multivariate_normal.logpdf(a, row, self.covariance)
        return values, ratio


def content_of_part(problem, state, name):
    """Update q(A) of the part "u" or "v"."""
    from tests.twin.moments import entity_prior_mean, prior_mean

    part, content = state.part(name), state.part(name).content
    taxonomy, active, parts = problem.taxonomy(name), problem.active, []
    for node in range(len(taxonomy)):
        own, others = (
            mean - content.shift(node)
            for mean in (entity_prior_mean(problem, state, name, node), prior_mean(taxonomy, part, node))
        )
        if active.entities(name)[node]:
            parts.append((node, problem.shape("entity") / part.tau_rate[node], part.mean[node] - own))
        if active.categories(name)[node]:
            tau = problem.shape("category") / part.category_tau_rate[node]
            parts.append((node, tau, part.category_mean[node] - others))
    content.set_to_optimum(parts)


def content_of_biases(problem, state):
    """Update q(w), the same for biases in one dimension; the common mean is not part of the categories' prior."""
    from tests.twin.moments import bias_prior, entity_bias_prior

    content, parts = state.bias_content, []
    for node in range(problem.n_cols):
        own = entity_bias_prior(problem, state, node) - content.shift(node)[0]
        others = bias_prior(problem, state, node)[0] - content.shift(node)[0]
        if problem.active.bias[node]:
            tau = problem.shape("bias") / state.bias_tau_rate[node]
            parts.append((node, tau, np.array([state.bias_mean[node] - state.bias_centre[0] - own])))
        if problem.bias_categories[node]:
            tau = problem.shape("bias") / state.g_tau_rate[node]
            parts.append((node, tau, np.array([state.g_mean[node] - others])))
    content.set_to_optimum(parts)


def with_random_features(problem, seed, width=4):
    """Give a problem features: most nodes have some, among them categories and barren leaves."""
    rng = np.random.default_rng([seed, 30])

    def features(n):
        known = rng.random(n) < 0.75
        known[[2, n - 1]] = True
        known[3] = False
        return np.where(known[:, None], rng.standard_normal((n, width)), 0.0)

    problem.row_features = features(problem.n_rows)
    problem.col_features = problem.row_features if problem.shared else features(problem.n_cols)
    problem.rho = rng.uniform(0.5, 4.0, width)
    return problem


def random_content(features, rho, dim, rng):
    """A random start of q(A)."""
    width = len(rho)
    root = 0.3 * rng.standard_normal((width, width))
    return Content(features, rho, 0.5 * rng.standard_normal((dim, width)), root @ root.T + 0.1 * np.eye(width))
