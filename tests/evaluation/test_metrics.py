"""Metrics against values worked out by hand, scipy and scikit-learn."""

import ir_measures
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from ir_measures import AP, P, R, Success, nDCG
from sklearn.metrics import log_loss, ndcg_score, roc_auc_score

import vbn
from vbn.evaluation import (
    area_under_curve,
    calibration_error,
    coverage,
    hit_rate,
    mean_average_precision,
    mean_log_probability,
    mean_percentile_rank,
    ndcg,
    precision,
    recall,
    share_of_places,
    spearman,
)

SCORES = arrays(np.float64, st.integers(2, 30), elements=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9]))


@given(SCORES, SCORES, st.integers(0, 99))
def test_area_under_curve_is_that_of_scikit_learn_also_with_ties_and_weights(plus, minus, seed):
    weights = np.random.default_rng(seed).uniform(0.1, 3.0, len(plus) + len(minus))
    labels = np.r_[np.ones(len(plus)), np.zeros(len(minus))]
    expected = roc_auc_score(labels, np.r_[plus, minus])
    assert area_under_curve(plus, minus) == pytest.approx(expected)
    weighted = roc_auc_score(labels, np.r_[plus, minus], sample_weight=weights)
    assert area_under_curve(plus, minus, (weights[: len(plus)], weights[len(plus) :])) == pytest.approx(weighted)


@given(SCORES, st.integers(0, 99))
def test_spearman_is_that_of_scipy_also_with_ties(scores, seed):
    other = np.random.default_rng(seed).integers(0, 4, len(scores)).astype(float)
    if np.ptp(scores) == 0 or np.ptp(other) == 0:
        with pytest.raises(vbn.DataError, match="equal"):
            spearman(scores, other)
    else:
        assert spearman(scores, other) == pytest.approx(scipy.stats.spearmanr(scores, other).statistic)


def test_mean_log_probability():
    p, outcome, weights = [0.9, 0.2, 0.6], [1, 0, 0], [1.0, 2.0, 5.0]
    assert mean_log_probability(p, outcome) == pytest.approx(-log_loss(outcome, p))
    assert mean_log_probability(p, outcome, weights) == pytest.approx(-log_loss(outcome, p, sample_weight=weights))
    assert np.isfinite(mean_log_probability([0.0], [1]))


def test_calibration_error_by_hand():
    # Bin [0.2, 0.3): 0.25 predicted, 1 of 4 observed; bin [0.9, 1]: 0.95 and 1.0 predicted, 1 of 2 observed.
    p = [0.25, 0.25, 0.25, 0.25, 0.95, 1.0]
    outcome = [1, 0, 0, 0, 1, 0]
    assert calibration_error(p, outcome) == pytest.approx(2 / 6 * abs(0.5 - 0.975))
    assert calibration_error(p, outcome, [1, 1, 1, 1, 0, 0]) == pytest.approx(0.0)
    assert calibration_error([0.0, 1.0], [0, 1]) == 0.0


def test_hits_and_percentiles_by_hand():
    assert hit_rate([0, 9, 9.5, 10], 10) == 0.75
    assert hit_rate([0, 9, 10], np.array([5, 5, 100]) / 10) == 1 / 3
    assert mean_percentile_rank([0, 4], [5, 5]) == 0.5
    assert mean_percentile_rank([0], [1]) == 1.0


def test_recall_is_a_mean_over_users_and_not_over_pairs():
    assert recall([0, 1, 50, 50], ["ann", "ben", "ben", "ben"], 10) == pytest.approx((1 + 1 / 3) / 2)


@given(st.lists(st.integers(0, 14), min_size=1, max_size=6, unique=True), st.integers(1, 15))
def test_ndcg_is_that_of_scikit_learn(ranks, k):
    relevant = np.zeros(15)
    relevant[ranks] = 1.0
    order = np.arange(15, 0, -1.0)  # the item of rank r scores 15 - r
    assert ndcg(ranks, ["ann"] * len(ranks), k) == pytest.approx(ndcg_score([relevant], [order], k=k))


@given(
    st.dictionaries(st.sampled_from("abcd"), st.sets(st.integers(0, 24), min_size=1, max_size=8), min_size=1),
    st.integers(1, 26),
)
def test_ranks_are_measured_as_trec_eval_does(wanted, k):
    qrels = [ir_measures.Qrel(user, str(item), 1) for user, items in wanted.items() for item in items]
    run = [ir_measures.ScoredDoc(user, str(item), 25.0 - item) for user in wanted for item in range(25)]
    expected = ir_measures.calc_aggregate([R @ k, P @ k, nDCG @ k, AP @ k], qrels, run)
    users, ranks = zip(*[(user, item) for user, items in wanted.items() for item in items], strict=True)
    assert recall(ranks, users, k) == pytest.approx(expected[R @ k])
    assert precision(ranks, users, k) == pytest.approx(expected[P @ k])
    assert ndcg(ranks, users, k) == pytest.approx(expected[nDCG @ k])
    assert mean_average_precision(ranks, users, k) == pytest.approx(expected[AP @ k])
    # A hit rate is a mean over held-out items: each is a query of its own.
    single = [ir_measures.Qrel(f"{user} {item}", str(item), 1) for user, item in zip(users, ranks, strict=True)]
    alone = [ir_measures.ScoredDoc(one.query_id, str(item), 25.0 - item) for one in single for item in range(25)]
    assert hit_rate(ranks, k) == pytest.approx(ir_measures.calc_aggregate([Success @ k], single, alone)[Success @ k])


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=6))
def test_average_precision_stays_below_one_where_own_items_tie(scores):
    own = np.array(scores)
    ranks = [(own > one).sum() + ((own == one).sum() - 1) / 2 for one in own]  # nobody else is there
    assert mean_average_precision(ranks, ["ann"] * len(ranks), 10) == pytest.approx(1.0)


def test_lists_of_answers_by_hand():
    lists = [[0, 1], [0, 2]]
    assert coverage(lists, 4) == 0.75
    assert share_of_places(lists, [0, 3]) == 0.5


@pytest.mark.parametrize(
    "call",
    [
        lambda: mean_log_probability([], []),
        lambda: calibration_error([0.5], [1, 0]),
        lambda: area_under_curve([], [1.0]),
        lambda: hit_rate([], 10),
        lambda: share_of_places([], [1]),
        lambda: spearman([1.0], [1.0]),
    ],
)
def test_nothing_to_average_is_an_error_and_not_a_nan(call):
    with pytest.raises(vbn.DataError):
        call()
