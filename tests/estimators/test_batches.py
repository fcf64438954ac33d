"""`recommend_all`: the answers of `recommend`, a batch at a time, for ints and strings alike."""

import tracemalloc

import numpy as np
import pytest

import vbn


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(2)
    data = vbn.Dataset.from_interactions(rng.integers(0, 50, 600), rng.integers(100, 130, 600))
    return vbn.VBN(dim=4, epochs=5, verbose=False).fit(data.with_taxonomy({"7": ["club"]}, side="row"))


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_give_what_recommend_gives(shop, size):
    batches = shop.recommend_all(k=3, batch_size=size)
    tables = [table for batch in batches for table in batch]
    assert [table.query for table in tables] == batches.users
    assert set(batches.users) == set(map(str, range(50)))  # without the parent
    expected = shop.recommend(user=batches.users, k=3)
    for table, one in zip(tables, expected, strict=True):
        assert table.entities == one.entities
        np.testing.assert_array_equal(table.scores, one.scores)
    assert repr(batches) == "Batches(50 users, 0 unknown ones left out)"


@pytest.mark.parametrize("users", [[3, 4], ["3", "4"], np.array([3, 4]), (user for user in (3, "4"))])
def test_ints_and_strings_are_the_same_users(shop, users):
    (batch,) = shop.recommend_all(users, k=2, candidates=[101, "102", np.int64(103)])
    expected = shop.recommend(user=["3", 4], k=2, candidates=["101", 102, "103"])
    assert [(table.query, table.entities) for table in batch] == [(table.query, table.entities) for table in expected]


def test_unknown_users_are_refused_at_once_or_left_out(shop):
    with pytest.raises(vbn.UnknownEntityError, match=r"unknown entity '777'.*2 of 3 users.*skip_unknown=True"):
        shop.recommend_all([3, 777, "who"])
    batches = shop.recommend_all([3, 777, "who"], skip_unknown=True)
    assert (batches.users, batches.unknown) == (["3"], ["777", "who"])
    with pytest.raises(vbn.UnknownEntityError, match="name of a column"):
        shop.recommend_all([101])
    with pytest.raises(vbn.DataError, match="knows none of the 1 users"):
        shop.recommend_all([101], skip_unknown=True)


@pytest.mark.parametrize("wrong", [{"k": 0}, {"batch_size": 0}, {"users": "3"}, {"user": "3"}, {"skip_unknown": 1}])
def test_wrong_arguments_are_refused_before_anything_is_computed(shop, wrong):
    with pytest.raises(vbn.ParameterError):
        shop.recommend_all(**wrong)


def test_every_batch_draws_anew_and_the_same_with_the_same_seed(shop):
    def drawn():
        batches = shop.recommend_all(["3"] * 4, k=30, batch_size=2, sample="thompson", seed=1, exclude_seen=False)
        return [table.scores.tolist() for batch in batches for table in batch]

    first, again = drawn(), drawn()
    assert first == again
    assert first[0] != first[2]


def test_memory_does_not_grow_with_the_number_of_users(shop):
    def peak(times):
        users = list(map(str, range(50))) * times
        tracemalloc.start()
        for batch in shop.recommend_all(users, k=20, batch_size=50):
            assert len(batch) == 50
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found - users.__sizeof__()

    peak(1)
    assert peak(40) < 2 * peak(4)
