"""Variational Bayes against NUTS on a dozen entities with strong data.

Only the scores are compared: u and v may be rotated, the scores may not. Variances are reported (run with
`--log-cli-level=INFO`), not asserted: mean field may err either way.
"""

import logging
import warnings

import numpy as np
import pytest

from tests.twin import twin

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    numpyro = pytest.importorskip("numpyro", reason="the comparison with NUTS needs numpyro")
    import jax
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

LOG = logging.getLogger(__name__)
N, DIM = 8, 2


def small_problem(seed):
    """Six leaves below two categories on either side, every pair of leaves seen 60 times."""
    rng = np.random.default_rng(seed)
    parents = [[], [], [0], [0], [0, 1], [1], [1], [1]]
    weights = [[], [], [1.0], [1.0], [0.3, 0.7], [1.0], [1.0], [1.0]]
    taxonomy = twin.Taxonomy(parents, weights)
    U, V = rng.standard_normal((N, DIM)), rng.standard_normal((N, DIM))
    b = 0.5 * rng.standard_normal(N)
    i, j = (grid.ravel() for grid in np.meshgrid(np.arange(2, N), np.arange(2, N)))
    score = (U[i] * V[j]).sum(1) + b[j]
    w_pos = rng.binomial(60, 1 / (1 + np.exp(-score))).astype(float)
    cells = twin.Cells(i, j, w_pos, 60 - w_pos)
    alpha, beta = dict.fromkeys(twin.KINDS, 2.0), dict.fromkeys(twin.KINDS, 2.0)
    return twin.Problem(N, N, DIM, cells, taxonomy, taxonomy, [], alpha, beta)


def exact_model(problem):
    """The joint density of the paper, with the logistic likelihood itself and no bound."""
    cells = problem.cells
    A = np.zeros((N, N))
    for node in range(N):
        for parent, weight in problem.row_taxonomy.edges(node):
            A[node, parent] = weight
    A, leaves, categories = A[2:, :2], slice(2, N), 2

    def normal_gamma(name, kind, count, center, size):
        prior = dist.Gamma(problem.alpha[kind], problem.beta[kind])
        tau = numpyro.sample(f"tau_{name}", prior.expand([count]).to_event(1))
        deviation = (1 / tau**0.5)[:, None]
        return numpyro.sample(name, dist.Normal(center, deviation).expand([count, size]).to_event(2))

    def model():
        sides = []
        for name in ("u", "v"):
            h = normal_gamma(f"h_{name}", "category", categories, 0.0, DIM)
            sides.append(normal_gamma(name, "entity", N - 2, A @ h, DIM))
        c = numpyro.sample("c", dist.Normal(0.0, problem.centre_precision**-0.5))
        b = normal_gamma("b", "bias", N - 2, c, 1)[:, 0]
        scores = numpyro.deterministic("scores", sides[0] @ sides[1].T + b)
        logits = scores[cells.i - leaves.start, cells.j - leaves.start]
        data = dist.Binomial(total_count=cells.weight.astype(int), logits=logits)
        numpyro.sample("data", data.to_event(1), obs=cells.w_pos.astype(int))

    return model


def nuts_scores(problem, seed):
    """Samples of all scores between leaves, (samples, 6, 6)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kernel = NUTS(exact_model(problem), target_accept_prob=0.9)
        mcmc = MCMC(kernel, num_warmup=500, num_samples=1000, num_chains=1, progress_bar=False)
        mcmc.run(jax.random.PRNGKey(seed))
        return np.asarray(mcmc.get_samples()["scores"], dtype=float)


def test_score_means_agree_with_nuts():
    seed = 0
    problem = small_problem(seed)
    state = twin.random_state(problem, seed)
    twin.fit(problem, state, sweeps=500)
    leaves = np.arange(2, N)
    i, j = np.meshgrid(leaves, leaves, indexing="ij")
    mean, variance = twin.score_moments(problem, state, i.ravel(), j.ravel())
    samples = nuts_scores(problem, seed).reshape(-1, len(leaves) ** 2)
    gap = mean - samples.mean(0)
    ratio = variance / samples.var(0)
    LOG.info("largest gap of the means %.3f, root mean square %.3f", np.abs(gap).max(), np.sqrt((gap**2).mean()))
    LOG.info("variance over that of NUTS, quartiles %s", np.quantile(ratio, [0.25, 0.5, 0.75]).round(2))
    assert samples.mean(0).std() > 0.5, "the scores must differ, or agreement says nothing"
    assert np.abs(gap).max() < 0.3
    assert np.sqrt((gap**2).mean()) < 0.1
    assert np.corrcoef(mean, samples.mean(0))[0, 1] > 0.99
