"""Splits of interactions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.masking import DROPPED, TEST, TRAIN, VALIDATION, cold, mask
from vbn import DataError, ParameterError
from vbn.datasets import Interactions

rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 11), st.integers(-1, 30)), min_size=1, max_size=80).map(
    lambda given: [(f"u{user}", f"i{item}", 1.0, order) for user, item, order in given]
)


def collect(given) -> Interactions:
    return Interactions.collect(given)


@given(rows, st.integers(3, 6), st.integers(0, 3))
def test_two_items_of_each_user_are_masked_and_something_stays(given_rows, least, seed):
    liked = collect(given_rows).distinct()
    sizes = np.bincount(liked.user)
    if (sizes < least).all():
        with pytest.raises(DataError, match="nothing to mask"):
            mask(liked, least, seed)
        return
    masked = mask(liked, least, seed)
    parts = np.stack([np.bincount(liked.user[masked.part == kind], minlength=len(sizes)) for kind in range(3)])
    np.testing.assert_array_equal(parts.sum(axis=0), sizes)
    np.testing.assert_array_equal(parts[TEST], np.where(sizes >= least, 2, 0))
    np.testing.assert_array_equal(parts[VALIDATION], np.where((sizes >= least) & (sizes >= 5), 2, 0))
    assert (parts[TRAIN] >= 1).all()
    assert len(masked.cases("test")[0]) == parts[TEST].sum()
    assert masked.training("test").sum() == parts[:2].sum()


@given(rows, st.integers(0, 3))
def test_the_last_item_is_always_masked(given_rows, seed):
    liked = collect([*given_rows, *[("u9", f"i{n}", 1.0, n) for n in range(5)]]).distinct()
    masked = mask(liked, seed=seed)
    for user in np.unique(masked.cases()[0]):
        own = liked.user == user
        test, order = (masked.part == TEST)[own], liked.order[own]
        assert order[test].max() == order.max()  # picked at random, or else the last of the others


def test_where_no_order_is_known_both_are_random():
    liked = collect([("u", f"i{n}", 1.0, -1) for n in range(30)])
    masked = {tuple(mask(liked, seed=seed, validation=False).cases()[1].tolist()) for seed in range(20)}
    assert len({item for pair in masked for item in pair}) > 15


def test_without_validation_nothing_is_taken_for_it():
    liked = collect([("u", f"i{n}", 1.0, n) for n in range(9)])
    assert not (mask(liked, validation=False).part == VALIDATION).any()
    assert (mask(liked, validation=True).part == VALIDATION).sum() == 2
    np.testing.assert_array_equal(mask(liked, validation=False).part == TEST, mask(liked).part == TEST)


@given(rows, st.integers(0, 3))
def test_cold_items_lose_everything_and_others_nothing(given_rows, seed):
    liked = collect([*given_rows, ("u9", "i0", 1.0, -1), ("u9", "i1", 1.0, -1), ("u9", "i2", 1.0, -1)]).distinct()
    try:
        masked = cold(liked, 0.3, seed)
    except DataError:  # those who had a cold item had nothing else
        return
    lost = masked.part != TRAIN
    gone = np.unique(liked.item[lost])
    assert len(gone) == max(round(0.3 * len(liked.items)), 1)
    assert not np.isin(liked.item[~lost], gone).any()
    has_more = np.isin(liked.user, liked.user[~lost])
    np.testing.assert_array_equal(masked.part[lost] == TEST, has_more[lost])
    np.testing.assert_array_equal(masked.part[lost] == DROPPED, ~has_more[lost])


@given(rows, st.integers(1, 10))
def test_bins_go_by_frequency_and_are_as_large_as_each_other(given_rows, bins):
    masked = mask(collect([*given_rows, *[("u9", f"i{n}", 1.0, n) for n in range(5)]]))
    place, counts = masked.frequency_bin(bins=bins), masked.counts()
    sizes = np.bincount(place, minlength=bins)
    assert sizes.max() - sizes.min() <= 1
    order = np.lexsort((masked.interactions.items, counts))
    assert (np.diff(place[order]) >= 0).all()
    assert masked.rare().sum() == np.bincount(masked.frequency_bin(bins=5))[0]


def test_what_cannot_be_masked_is_refused():
    liked = collect([("u", f"i{n}", 1.0, n) for n in range(9)])
    with pytest.raises(ParameterError, match="least=2"):
        mask(liked, least=2)
    with pytest.raises(ParameterError, match="share"):
        cold(liked, share=1.0)
    with pytest.raises(ParameterError, match="'train'"):
        mask(liked).training("train")
