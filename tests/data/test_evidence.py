"""How much evidence a basket is, and what negatives are drawn by: the weights of pairs, from data to saved models."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn import Dataset

BASKETS = st.lists(st.lists(st.integers(0, 40), max_size=40, unique=True), min_size=1, max_size=8)


def large():
    """Many small baskets, and few large ones of other items."""
    small = [["tea", "milk"], ["tea", "rusk"], ["milk", "rusk"]] * 20
    return [*small, *([[f"part {number}" for number in range(60)]] * 3)]


def fitted(data, **options):
    return vbn.VBN(**({"dim": 4, "epochs": 6, "verbose": False} | options)).fit(data)


@given(BASKETS, st.floats(0.5, 50))
def test_an_item_counts_with_at_most_so_many_others_of_its_basket(baskets, weight):
    if all(len(basket) < 2 for basket in baskets):
        return
    data = Dataset.from_baskets(baskets, weight=weight)
    expected = sum(min(len(basket) - 1, weight) * len(basket) for basket in baskets if basket)
    assert data.counts.total == pytest.approx(expected)
    of_items = Counter()
    for basket in baskets:
        for item in basket:
            of_items[str(item)] += min(len(basket) - 1, weight)
    assert data.noise_counts.tolist() == pytest.approx([of_items[name] for name in data.columns])
    dense = data.counts.to_scipy().toarray()
    np.testing.assert_array_equal(dense, dense.T)
    held = Counter(str(item) for basket in baskets for item in basket)
    assert data.columns.counts.tolist() == [held[name] for name in data.columns]  # popularity stays a number of baskets


def test_evidence_grows_with_the_items_and_not_with_their_square_unless_wanted():
    def total(n, **options):
        return Dataset.from_baskets([[str(item) for item in range(n)]], **options).counts.total

    assert total(11) == 110  # every item with ten others
    assert total(500) == pytest.approx(500 * 10)
    assert total(500, weight="auto") == total(500, weight=10)
    assert total(500, weight=None) == 500 * 499


@pytest.mark.parametrize("wrong", [0, -1, True, "none", "10", float("inf"), float("nan")])
def test_other_weights_are_refused(wrong):
    with pytest.raises(vbn.ParameterError, match='weight must be "auto", None or a positive number'):
        Dataset.from_baskets([["a", "b"]], weight=wrong)
    with pytest.raises(vbn.ParameterError, match="basket_weight must be"):
        Dataset.from_interactions(["u", "u"], ["a", "b"]).with_co_occurrences(basket_weight=wrong)


def test_users_beside_their_items_count_as_baskets_do():
    users = [f"u{number}" for number, basket in enumerate(large()) for _ in basket]
    items = [item for basket in large() for item in basket]
    data = Dataset.from_interactions(users, items)
    for weight in ("auto", 3.0, None):
        both, alone = data.with_co_occurrences(2.0, weight), Dataset.from_baskets(large(), weight=weight)
        assert both.counts.total == pytest.approx(data.counts.total + 2.0 * alone.counts.total)
        twice = dict(zip(alone.columns, 2.0 * alone.noise_counts, strict=True))
        expected = [count + twice[name] for name, count in zip(data.columns, data.columns.counts, strict=True)]
        assert both.noise_counts.tolist() == pytest.approx(expected)


def test_text_is_drawn_by_its_tokens():
    data = Dataset.from_sequences([["to", "be", "or", "not", "to", "be"]], window=2)
    assert data.noise_counts is data.columns.counts


def test_negatives_follow_the_pairs_in_training_and_in_a_saved_model(tmp_path):
    data = Dataset.from_baskets(large(), weight=None)
    model = fitted(data, noise_power=1.0)
    expected = data.counts.column_sums() / data.counts.total
    by_baskets = data.columns.counts / data.columns.counts.sum()
    assert abs(expected - by_baskets).max() > 0.05
    np.testing.assert_allclose(model.trained_.noise(), expected)
    again = vbn.load(model.save(tmp_path / "model"))
    np.testing.assert_array_equal(again.trained_.noise(), model.trained_.noise())
    np.testing.assert_array_equal(again.data_.noise_counts, data.noise_counts)


def test_a_folder_of_counts_is_drawn_as_the_counts(tmp_path):
    data = Dataset.from_baskets(large(), weight=4)
    mapped = data.to_folder(tmp_path / "counts")
    np.testing.assert_array_equal(mapped.noise_counts, data.noise_counts)
    np.testing.assert_array_equal(fitted(mapped).posterior("tea").mean, fitted(data).posterior("tea").mean)


@pytest.mark.parametrize("counts", [True, False])
def test_going_on_draws_by_the_pairs_of_all_data(tmp_path, counts):
    data, more = Dataset.from_baskets(large()), Dataset.from_baskets([[f"part {n}" for n in range(30)] + ["new"]] * 2)
    model = fitted(data, noise_power=1.0)
    model.save(tmp_path / "model", counts=counts)
    model = vbn.load(tmp_path / "model")
    model.verbose = False
    model.partial_fit(more)
    marginal = data.merge(more).noise_counts
    np.testing.assert_allclose(model.trained_.noise(), marginal / marginal.sum())


def test_a_model_without_the_marginal_goes_on_with_what_it_has():
    from dataclasses import replace

    from vbn.model import continued, past_of

    data = Dataset.from_baskets(large())
    older = replace(fitted(data).trained_, noise_counts=None)
    np.testing.assert_allclose(
        older.noise() ** (1 / 0.75) / (older.noise() ** (1 / 0.75)).sum(),
        data.columns.counts / data.columns.counts.sum(),
    )
    past = past_of(older, continued(older, data))
    assert past.column_totals.sum() == pytest.approx(data.counts.total)


def test_an_added_item_is_drawn_by_its_contexts():
    data = Dataset.from_baskets(large())
    model = fitted(data, noise_power=1.0).add("jam", contexts={"tea": 6, "rusk": 4})
    noise, total = model.trained_.noise(), data.counts.total
    assert noise[model.trained_.columns.id("jam")] == pytest.approx(10 / (total + 10))
