"""How popular the dial takes what was never seen to be: rare where data is thin, like its relatives if new."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn.inference import FAVOURS, objectives
from vbn.model.profile import expected_unseen


def shop(customers, each, per_group=20, groups=8, seed=0):
    """Customers buy by rank in groups of the catalogue; nobody ever bought the last of each group."""
    rng = np.random.default_rng(seed)
    likely = 1.0 / np.arange(1, per_group)
    pairs = set()
    for c in range(customers):
        for i in rng.choice(per_group - 1, each, p=likely / likely.sum()):
            pairs.add((f"c{c}", f"g{c % groups} {i}"))
    edges = {f"g{g} {i}": [f"group {g}"] for g in range(groups) for i in range(per_group)}
    users, items = zip(*sorted(pairs), strict=True)
    return vbn.Dataset.from_interactions(users, items).with_taxonomy(edges)


def fitted(data):
    return vbn.VBN(dim=4, epochs=8, verbose=False).fit(data)


@pytest.fixture(scope="module")
def thin():
    return fitted(shop(customers=60, each=2))


@pytest.fixture(scope="module")
def rich():
    return fitted(shop(customers=4000, each=6))


def popularity(model, name):
    trained = model.trained_
    return float(trained.profile.log_popularity()[trained.columns.id(name)])


def rarest(model):
    trained = model.trained_
    return float(trained.profile.log_popularity()[trained.columns.counts > 0].min())


@given(st.floats(1e-6, 1e6), st.floats(0.05, 5.0))
def test_nothing_is_expected_more_often_than_its_relatives_are_seen(mean, shape):
    expected = float(expected_unseen(np.array([mean]), shape)[0])
    assert 0.0 < expected <= max(mean, 1e-3) * (1 + 1e-12)


@given(st.floats(1e-3, 1e5), st.floats(1.01, 100.0), st.floats(0.05, 5.0))
def test_the_more_its_relatives_are_seen_the_more_it_is_expected(mean, times, shape):
    less, more = expected_unseen(np.array([mean, mean * times]), shape).tolist()
    assert less <= more * (1 + 1e-12)


def test_where_data_is_thin_what_was_never_seen_is_rarer_than_what_was(thin):
    assert popularity(thin, "g0 19") < rarest(thin)


def test_where_data_is_rich_it_is_probably_new_and_no_rarer_than_the_rarest(rich):
    assert popularity(rich, "g0 19") > rarest(rich)


def test_in_thin_data_what_nobody_had_does_not_push_down_what_many_had(thin):
    counts, columns = thin.trained_.columns.counts, thin.trained_.columns
    seen = [columns.id(name) for name in thin.recommend([], k=160, popularity=1.0).entities]
    often = counts[counts > 0].mean()
    first_unseen = next(place for place, i in enumerate(seen) if counts[i] == 0)
    assert all(counts[i] <= often for i in seen[first_unseen:])


def test_what_is_added_later_is_new_whatever_the_data(thin):
    before = thin.trained_.profile.expected_counts
    model = fitted(shop(customers=60, each=2))
    model.add("newcomer", parents=["group 0"])
    after, columns = model.trained_.profile.expected_counts, model.trained_.columns
    assert after[columns.id("newcomer")] > after[columns.id("g0 19")]
    np.testing.assert_array_equal(after[: len(before)], before)  # and changes nothing for the others


def test_a_saved_model_remembers_what_was_new(tmp_path):
    model = fitted(shop(customers=60, each=2))
    model.add("newcomer", parents=["group 0"])
    loaded = vbn.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(loaded.trained_.profile.expected_counts, model.trained_.profile.expected_counts)


def test_rare_targets_count_for_an_eighth_at_least():
    rng = np.random.default_rng(0)
    worth, few, many = rng.random((3, 100)), np.arange(100) < 4, np.arange(100) < 40
    for rare, share in ((few, 0.125), (many, 0.4)):
        expected = (1 - share) * worth[:, ~rare].mean(axis=1) + share * worth[:, rare].mean(axis=1)
        np.testing.assert_allclose(objectives(worth, rare, "all"), expected)
    for favour in FAVOURS:  # nothing to tell apart
        np.testing.assert_allclose(objectives(worth, np.zeros(100, bool), favour), worth.mean(axis=1))
