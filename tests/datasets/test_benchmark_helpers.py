"""What the benchmark scripts count on: maskings, ranks."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks_on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    yield
    for name in ("_data", "_movielens", "_metrics"):
        sys.modules.pop(name, None)


def likes_of(movielens, users):
    rows = [(user, item, time) for user, liked in enumerate(users) for item, time in liked]
    user, item, time = np.array(rows).T
    names = [str(number) for number in range(item.max() + 1)]
    return movielens.Likes([str(n) for n in range(len(users))], names, user, item, time)


def test_masking_takes_two_items_of_users_with_five():
    movielens = importlib.import_module("_movielens")
    many = [(item, 100 + item) for item in range(6)]
    few = [(item, -1) for item in range(4)]
    likes = likes_of(movielens, [many, few])
    for seed in range(20):
        masked = movielens.mask(likes, seed)
        assert masked.test_user.tolist() == [0, 0]
        assert 5 in masked.test_item  # the last one in time
        assert len(masked.user) == 8
        again = movielens.mask(likes, seed)
        assert np.array_equal(masked.test_item, again.test_item)


def test_percentile_ranks_leave_out_known_items_and_halve_ties():
    metrics = importlib.import_module("_metrics")
    scores = np.array([[5.0, 4.0, 3.0, 3.0, 1.0]])
    known = (np.array([0]), np.array([0]))
    rows, targets = np.zeros(3, dtype=int), np.array([1, 2, 4])
    shares = metrics.percentile_ranks(scores, rows, targets, known)
    assert shares.tolist() == [0.0, 0.5, 1.0]
    assert metrics.hit_rate_and_mpr(shares) == pytest.approx((100 / 3, 50.0))


def test_predictive_logit_against_samples():
    metrics = importlib.import_module("_metrics")
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=(2, 30)) * 0.5, rng.normal(size=(3, 30)) * 0.5
    var_u, var_v = rng.uniform(0.05, 0.2, size=(2, 30)), rng.uniform(0.05, 0.2, size=(3, 30))
    bias, var_bias = np.array([0.5, -1.0, 0.0]), np.array([0.1, 0.2, 0.3])
    logits = metrics.score_matrix(metrics.Factors(u, var_u), metrics.Factors(v, var_v, bias, var_bias))
    n = 50_000
    drawn = np.einsum(
        "nd,nd->n",
        u[0] + rng.normal(size=(n, 30)) * np.sqrt(var_u[0]),
        v[1] + rng.normal(size=(n, 30)) * np.sqrt(var_v[1]),
    )
    drawn += bias[1] + rng.normal(size=n) * np.sqrt(var_bias[1])
    assert 1 / (1 + np.exp(-logits[0, 1])) == pytest.approx((1 / (1 + np.exp(-drawn))).mean(), abs=0.02)
