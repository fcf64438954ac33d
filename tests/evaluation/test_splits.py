"""What `hold_out` holds out: by time, of each user, and whole users."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn.evaluation import hold_out, known_and_wanted, pairs_of

ROWS = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 5)),
    min_size=12,
    max_size=60,
    unique_by=lambda row: row[:2],
)


def made(rows):
    users, items, times = zip(*rows, strict=True)
    return vbn.Dataset.from_interactions(users, items, time=times)


some_lose_all = pytest.mark.filterwarnings("ignore:.* no pair left to train on")


@some_lose_all
@settings(max_examples=60)
@given(ROWS, st.floats(0.1, 0.9), st.integers(0, 9))
def test_the_latest_pairs_of_all_are_held_out(rows, share, seed):
    data = made(rows)
    train, held = hold_out(data, share, seed, by="time")
    assert held.counts.nnz == round(share * data.counts.nnz)
    assert train.times.max() <= held.times.min()
    assert sorted(np.r_[train.times, held.times]) == sorted(data.times)
    np.testing.assert_array_equal(hold_out(data, share, seed, by="time")[1].counts.indices, held.counts.indices)


@some_lose_all
@settings(max_examples=60)
@given(ROWS, st.floats(0.1, 0.9))
def test_the_last_pairs_of_each_user_are_held_out(rows, share):
    data = made(rows)
    sizes = np.diff(data.counts.indptr)
    if sizes.max() < 2:
        return
    train, held = hold_out(data, share, by="last")
    for user, size in enumerate(sizes):
        before, after = (part.times[part.counts.indptr[user] : part.counts.indptr[user + 1]] for part in (train, held))
        assert len(after) == (0 if size == 1 else min(max(round(share * size), 1), size - 1))
        assert len(after) == 0 or before.max() <= after.min()


@some_lose_all
def test_times_belong_to_their_pairs():
    rows = [(u, i, 100 * u + i) for u in range(9) for i in range(9) if (u + i) % 3]
    for by in ("random", "time", "last", "user"):
        for part in hold_out(made(rows), 0.4, by=by):
            expected = [100 * int(u) + int(i) for u, i in zip(*pairs_of(part), strict=True)]
            assert part.times.tolist() == expected


def test_whole_users_are_held_out_and_divided_again():
    data = made([(u, i, u * i % 7) for u in range(20) for i in range(6) if (u + i) % 4] + [(99, 1, 5)])
    train, held = hold_out(data, 0.5, seed=2, by="user")
    assert {*pairs_of(train)[0]}.isdisjoint(pairs_of(held)[0])
    assert len({*pairs_of(held)[0]}) == round(0.5 * 21)
    known, wanted = known_and_wanted(held, 0.3)
    assert {*pairs_of(known)[0]} == {*pairs_of(wanted)[0]} == {*pairs_of(held)[0]} - {"99"}
    assert not (known.counts.to_scipy().multiply(wanted.counts.to_scipy())).nnz
    with pytest.raises(vbn.ParameterError, match="users in the rows"):
        hold_out(vbn.Dataset.from_pairs(["a", "b"], ["b", "c"]), 0.5, by="user")


def test_what_cannot_be_held_out_is_said():
    data = vbn.Dataset.from_interactions([1, 2, 3], ["a", "b", "c"])
    for by in ("time", "last"):
        with pytest.raises(vbn.DataError, match=r"no times.*time="):
            hold_out(data, 0.5, by=by)
    with pytest.raises(vbn.ParameterError, match="'last'"):
        hold_out(data, 0.5, by="date")
    timed = vbn.Dataset.from_interactions([1, 2, 3], ["a", "b", "c"], time=[1, 2, 3])
    with pytest.raises(vbn.DataError, match="leaves none"):  # nobody has two
        hold_out(timed, 0.5, by="last")


def test_a_warning_where_held_out_pairs_have_nothing_to_train_on():
    rows = [(u, i, 0) for u in range(10) for i in range(4)]
    new = [(20 + n, 0, 1) for n in range(10)]
    with pytest.warns(UserWarning, match=r"10 of 10 held-out pairs \(100%\).*no pair left"):
        hold_out(made(rows + new), 0.2, by="time")
    hold_out(made(rows + new), 0.2, seed=1)  # at random, few lose everything
