"""The closed-form predictive against a million samples of the densities themselves."""

import numpy as np
import pytest

import vbn
from vbn.inference import pair_scores, relation_scores
from vbn.model import Link


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    data = vbn.Dataset.from_pairs(rng.integers(0, 25, 900), np.minimum(rng.zipf(1.5, 900), 25))
    data = data.with_relation("r", [("1", "2"), ("3", "4"), ("5", "6")])
    options = {"relation_space": "joint", "relation_rank": 3, "relation_weight": 10.0}
    return vbn.VBN(dim=24, epochs=15, verbose=False, **options).fit(data)


def sampled(mean, variance, n, rng):
    return rng.normal(mean, np.sqrt(variance), (n, len(mean))).astype(np.float32)


@pytest.mark.parametrize("pair", [("1", "2"), ("7", "1"), ("20", "3")])
def test_pairs(model, pair):
    trained, rng = model.trained_, np.random.default_rng(1)
    i, j = trained.rows.ids(pair[:1]), trained.columns.ids(pair[1:])
    u, v = model.posterior(pair[0]), model.posterior(pair[1], role="context")
    bias = trained.posterior.bias
    score = np.einsum(
        "nd,nd->n", sampled(u.mean, u.variance, 1_000_000, rng), sampled(v.mean, v.variance, 1_000_000, rng)
    )
    score += rng.normal(bias.mean[j], np.sqrt(bias.variance[j]), 1_000_000)
    mean, variance = pair_scores(trained, i, j)
    assert mean[0] == pytest.approx(score.mean(), abs=0.02)
    assert variance[0] == pytest.approx(score.var(), rel=0.02)
    assert abs(Link().probability(mean, variance)[0] - (1 / (1 + np.exp(-score))).mean()) < 0.02


def test_relations(model):
    trained, rng = model.trained_, np.random.default_rng(2)
    r = trained.posterior.relations[0]
    i, j = trained.rows.ids(["1"]), trained.columns.ids(["2"])
    u, v = model.posterior("1"), model.posterior("2", role="context")
    n = 200_000
    us, vs = sampled(u.mean, u.variance, n, rng), sampled(v.mean, v.variance, n, rng)
    score = rng.normal(r.r.mean[j], np.sqrt(r.r.variance[j]), n)
    for m in range(3):
        x, y = (sampled(part.mean[m], part.variance[m], n, rng) for part in (r.x, r.y))
        score += np.einsum("nd,nd->n", x, us) * np.einsum("nd,nd->n", y, vs)
    mean, variance = relation_scores(trained, 0, i, j)
    assert mean[0] == pytest.approx(score.mean(), abs=4 * score.std() / np.sqrt(n) + 1e-3)
    assert variance[0] == pytest.approx(score.var(), rel=0.05)
    assert abs(Link().probability(mean, variance)[0] - (1 / (1 + np.exp(-score))).mean()) < 0.05
