"""Ranks of hidden items, figures and intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.judging import Asking, contributions, intervals, percentiles, ranks
from reproduction.masking import cold, mask
from vbn import DataError, ParameterError
from vbn.data import Vocabulary
from vbn.datasets import Interactions


class Fixed:
    """Scores drawn once for each user; queries by items get the scores of the user who has them."""

    def __init__(self, columns, scores, user_of):
        self.columns, self._scores, self._user_of = Vocabulary(columns, np.ones(len(columns))), scores, user_of
        self.asked = []

    def scores(self, queries):
        self.asked += queries
        return np.array([self._scores[self._user_of(query)] for query in queries])


def some(seed: int, users: int = 9, items: int = 14) -> Interactions:
    rng = np.random.default_rng(seed)
    return Interactions.collect(
        (f"u{user}", f"i{item}", 1.0, int(rng.integers(-1, 9)))
        for user in range(users)
        for item in rng.choice(items, int(rng.integers(5, 10)), replace=False).tolist()
    )


def brute_force(masked, which, score_of):
    """Case by case, candidate by candidate."""
    data, known, result = masked.interactions, masked.training(which), []
    for user, item in zip(*masked.cases(which), strict=True):
        own = set(data.item[known & (data.user == user)].tolist())
        others = [other for other in range(len(data.items)) if other not in own and other != item]
        mine = score_of(user, item)
        points = [1.0 if score_of(user, o) > mine else 0.5 if score_of(user, o) == mine else 0.0 for o in others]
        result.append(sum(points) / max(len(others), 1))
    return result


@given(st.integers(0, 200), st.sampled_from(["test", "validation"]), st.booleans(), st.booleans())
def test_percentiles_agree_with_counting_one_by_one(seed, which, prior, by_items):
    masked = mask(some(seed), seed=seed)
    data, rng = masked.interactions, np.random.default_rng(seed)
    columns = ["category", *reversed(data.items[1:])]  # the model does not know the first item at all
    scores = {name: rng.integers(0, 4, len(columns)).astype(float) for name in data.users}
    known = masked.training(which)
    items_of = {
        frozenset(data.items[i] for i in data.item[known & (data.user == user)]): name
        for user, name in enumerate(data.users)
    }
    if len(items_of) < len(data.users):
        by_items = False
    model = Fixed(columns, scores, (lambda query: items_of[frozenset(query)]) if by_items else str)
    unseen = masked.counts(which) == 0

    def score_of(user, item):
        name = data.items[item]
        if name not in columns or (unseen[item] and not prior):
            return -np.inf
        return scores[data.users[user]][columns.index(name)]

    found = percentiles(model, masked, which, Asking("items" if by_items else "row", prior))
    np.testing.assert_allclose(found, brute_force(masked, which, score_of))


def test_offsets_are_judged_as_other_models_would_be():
    masked = mask(some(3))
    columns, rng = list(masked.interactions.items), np.random.default_rng(0)
    scores = {name: rng.normal(size=len(columns)) for name in masked.interactions.users}
    offset = rng.normal(size=len(columns))
    both, _ = ranks(Fixed(columns, scores, str), masked, offsets=np.stack([np.zeros(len(columns)), offset]))
    moved = {name: line + offset for name, line in scores.items()}
    np.testing.assert_array_equal(both[0], ranks(Fixed(columns, scores, str), masked)[0][0])
    np.testing.assert_array_equal(both[1], ranks(Fixed(columns, moved, str), masked)[0][0])


def test_cold_items_come_last_for_those_who_know_nothing_of_them():
    masked = cold(some(1, users=30), share=0.2)
    columns = list(masked.interactions.items)
    scores = dict.fromkeys(masked.interactions.users, np.zeros(len(columns)))
    shares = percentiles(Fixed(columns, scores, str), masked)
    _, others = ranks(Fixed(columns, scores, str), masked)
    np.testing.assert_allclose(shares, 1.0 - (round(0.2 * len(columns)) - 1) / 2.0 / others)


def test_candidates_may_be_cold_items_only():
    masked = cold(some(1, users=30), share=0.3)
    columns, rng = list(masked.interactions.items), np.random.default_rng(2)
    scores = {name: rng.normal(size=len(columns)) for name in masked.interactions.users}
    among = masked.counts() == 0
    above, others = ranks(Fixed(columns, scores, str), masked, asking=Asking(prior=True), among=among)
    assert set(others) == {among.sum() - 1}
    for case, (user, item) in enumerate(zip(*masked.cases(), strict=True)):
        line = scores[masked.interactions.users[user]]
        assert above[0, case] == (line[among] > line[item]).sum()


def test_scores_that_are_no_numbers_are_refused():
    masked = mask(some(0))
    columns = list(masked.interactions.items)
    scores = dict.fromkeys(masked.interactions.users, np.full(len(columns), np.nan))
    with pytest.raises(DataError, match="Fixed gave scores that are not finite"):
        percentiles(Fixed(columns, scores, str), masked)
    with pytest.raises(ParameterError, match="'mean'"):
        Asking("mean")


def test_figures_of_known_ranks():
    above, others = np.array([0.0, 9.5, 10.0, 199.0]), np.full(4, 1999.0)
    assert contributions("HR@10%", above, others).tolist() == [100.0, 100.0, 100.0, 100.0]
    assert contributions("HR@10%", above, np.full(4, 100.0)).tolist() == [100.0, 100.0, 0.0, 0.0]
    assert contributions("HR@10", above, others).tolist() == [100.0, 100.0, 0.0, 0.0]
    np.testing.assert_allclose(contributions("NDCG@10", above, others)[:3], [100.0, 100 / np.log2(11.5), 0.0])
    np.testing.assert_allclose(contributions("MPR", above, others)[[0, 3]], [100.0, 100 * (1 - 199 / 1999)])


def test_interval_of_a_mean_of_independent_users_is_that_of_theory():
    rng = np.random.default_rng(5)
    values = rng.normal(0.3, 2.0, (400, 1))
    mean, low, high = intervals(np.arange(400), values)[0]
    half = 1.96 * values.std() / np.sqrt(400)
    assert mean == pytest.approx(values.mean())
    np.testing.assert_allclose([low, high], [mean - half, mean + half], atol=0.1 * half)


def test_cases_of_one_user_do_not_pass_for_independent_ones():
    rng = np.random.default_rng(5)
    values = rng.normal(size=50)
    alone = intervals(np.arange(50), values[:, None])[0]
    copied = intervals(np.repeat(np.arange(50), 20), np.repeat(values, 20)[:, None])[0]
    np.testing.assert_allclose(copied, alone)
    wrong = intervals(np.arange(1000), np.repeat(values, 20)[:, None], resamples=500)[0]
    assert wrong[2] - wrong[1] < 0.5 * (alone[2] - alone[1])


def test_no_difference_has_no_interval_and_the_seed_decides():
    user, rng = np.arange(30), np.random.default_rng(0)
    noise = rng.normal(size=(30, 2))
    assert intervals(user, np.zeros((30, 1)), resamples=50).tolist() == [[0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(intervals(user, noise, 300, 7), intervals(user, noise, 300, 7))
    assert (intervals(user, noise, 300, 7) != intervals(user, noise, 300, 8)).any()
