"""How far an entity without data may lie from its parents, by its siblings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vbn.model.precisions import Siblings


def siblings(tau, weight):
    return Siblings(np.ones(len(tau), dtype=bool), np.array(tau, dtype=float), np.array(weight, dtype=float))


def test_few_rare_siblings_say_more_than_many_well_known_ones():
    """A film never seen is no surer than one seen once, though nearly all its siblings are well known."""
    found = siblings([6.0] * 97 + [1.1] * 3, [1.5] * 97 + [100.0] * 3)
    assert 1.1 < found.overall() < 2.0


def test_variances_are_averaged_where_all_count_alike():
    """The density of a further sibling is a mixture of theirs."""
    found = siblings([1.0, 4.0], [7.0, 7.0])
    assert 1.0 / found.overall() == pytest.approx((1.0 + 0.25) / 2)


def test_without_siblings_it_is_the_papers():
    none = np.empty(0)
    assert Siblings(np.empty(0, dtype=bool), none, none).overall() == 1.0


@given(st.lists(st.tuples(st.floats(0.01, 100.0), st.floats(0.5, 200.0)), min_size=1, max_size=20))
def test_it_lies_between_the_loosest_and_the_tightest(pairs):
    tau, weight = zip(*pairs, strict=True)
    found = siblings(tau, weight).overall()
    assert min(tau) * (1 - 1e-9) <= found <= max(tau) * (1 + 1e-9)
