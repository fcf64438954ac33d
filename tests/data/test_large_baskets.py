"""Baskets of very many items: their pairs are bounded, with a warning, and the same in every run."""

import numpy as np
import pytest

import vbn
from vbn import Dataset


def baskets():
    return [["a", "b"], [f"i{number}" for number in range(50)], ["a", "b", "c"]]


def test_a_large_basket_is_thinned_and_small_ones_are_not():
    with pytest.warns(UserWarning, match=r"1 of 3 baskets hold more than 10 different items \(up to 50.*max_basket"):
        data = Dataset.from_baskets(baskets(), max_basket=10)
    assert data.counts.nnz == 10 * 9 + 3 * 2
    assert data.counts.total == 10 * 9 + 2 + 6
    assert dict(zip(data.rows.names, data.rows.counts, strict=True))["i0"] == 1  # how often it was seen stays true
    with pytest.warns(UserWarning, match="max_basket"):
        again = Dataset.from_baskets(baskets(), max_basket=10)
    np.testing.assert_array_equal(data.counts.indices, again.counts.indices)


def test_without_a_limit_all_pairs_count(recwarn):
    data = Dataset.from_baskets(baskets(), max_basket=None)
    assert data.counts.nnz == 50 * 49 + 3 * 2
    assert Dataset.from_baskets(baskets(), max_basket=50).counts.nnz == data.counts.nnz
    assert not recwarn.list


def test_a_basket_of_ten_thousand_items_does_not_explode():
    with pytest.warns(UserWarning, match="100,000,000"):
        data = Dataset.from_baskets([[str(number) for number in range(10_000)], ["0", "1"]], max_basket=200)
    assert data.counts.nnz <= 200 * 199 + 2


@pytest.mark.parametrize("most", [1, 0, -4, True])
def test_a_limit_below_a_pair_is_refused(most):
    with pytest.raises(vbn.ParameterError, match="max_basket"):
        Dataset.from_baskets(baskets(), max_basket=most)
