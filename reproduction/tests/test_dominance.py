"""Whether a rival is dominated: at the best position, at one that other users chose, and at that of the tables."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.cache import Record
from reproduction.judging import intervals, intervals_of_sums
from reproduction.models import BY_KEY
from reproduction.pool import Cases, Pool
from reproduction.runs import as_facts, curves, positions
from reproduction.tables import dominance
from vbn.inference import Dial

USERS, OTHERS = 200, 100.0
VBN, EASE = BY_KEY["vbn"], BY_KEY["ease"]


def pooled(ours, rival, dial=(0.5, 0.0), floors=None):
    """Two cases a user, the second rare: how many rank above ours at each position, and above the rival's."""
    user, rare = np.repeat(np.arange(USERS), 2), np.tile([False, True], USERS)
    others = np.full(len(user), OTHERS)
    places = tuple(Dial(weight, floor) for weight, floor in zip(dial, floors or [0.0] * len(dial), strict=True))
    facts = {"dial": as_facts(places)}
    return Pool(
        1,
        [Cases(user, rare, np.zeros(len(user), int))],
        {
            "vbn": [Record(facts, {"above": np.array([_spread(one) for one in ours]), "others": others})],
            "ease": [Record({"dial": []}, {"above": _spread(rival)[None], "others": others})],
        },
    )


def _spread(full_and_rare):
    """Counts around two means, the same noise for every model."""
    noise = np.random.default_rng(0).normal(0, 2, 2 * USERS)
    return np.tile(np.asarray(full_and_rare, float), USERS) + noise


def test_the_best_position_is_named_and_its_leads_are_those_of_the_figures():
    pool = pooled(ours=[(5.0, 60.0), (20.0, 20.0)], rival=(25.0, 30.0))
    found = dominance(VBN, (EASE,), pool)
    assert found.rivals == ("EASE",)
    assert found.remarks == (("dial 0", "dominated", "dominated", "not dominated"),)
    leads = dict(zip(found.columns, found.differences[0], strict=True))
    assert leads["MPR rare"][0] == pytest.approx(10.0)
    assert leads["MPR full"][0] == pytest.approx(7.5)  # the mean over all targets, rare ones among them
    assert all(low <= lead <= high for lead, low, high in leads.values())


def test_level_is_said_where_no_interval_lies_below_zero():
    pool = pooled(ours=[(20.0, 20.0)], rival=(20.0, 20.0), dial=(0.0,))
    theirs = pool.records["ease"][0].arrays["above"]
    theirs += np.tile([-1.0, -1.0, 0.9, 0.9], USERS // 2)  # a little better on average, but not for every user
    assert dominance(VBN, (EASE,), pool).remarks[0][1:] == ("level or better",) * 3
    theirs -= 1.0
    assert dominance(VBN, (EASE,), pool).remarks[0][1:] == ("not dominated",) * 3


def test_a_position_that_only_luck_favours_does_not_dominate_other_users():
    rng = np.random.default_rng(2)
    many = [(20.0, 20.0)] * 60
    pool = pooled(ours=many, rival=(19.8, 19.8), dial=tuple(range(60)))
    above = pool.records["vbn"][0].arrays["above"]
    above += rng.normal(0, 6.0, above.shape)  # 60 positions that differ by luck alone
    _, there, elsewhere, _ = dominance(VBN, (EASE,), pool).remarks[0]
    assert there == "dominated"
    assert elsewhere != "dominated"


def test_floors_are_positions_and_curves_of_their_own():
    pool = pooled(ours=[(50.0, 50.0), (10.0, 10.0)], rival=(20.0, 20.0), dial=(0.25, 0.25), floors=(0.0, 4.0))
    assert dominance(VBN, (EASE,), pool).remarks[0][0] == "dial 0.25, floor 4"
    places = positions(pool.records["vbn"][0])
    assert places == (Dial(0.25), Dial(0.25, 4.0))
    assert curves((*places, Dial())) == {"": [2, 0], "floor 4": [2, 1]}  # both begin where the dial is at 0


def test_rivals_that_were_not_run_are_left_out():
    pool = pooled(ours=[(5.0, 5.0)], rival=(9.0, 9.0), dial=(0.0,))
    assert dominance(VBN, (BY_KEY["als"], EASE), pool).rivals == ("EASE",)
    assert dominance(VBN, (), pool).rivals == ()


def test_sums_by_user_give_the_same_intervals_as_cases():
    rng = np.random.default_rng(3)
    user, differences = rng.integers(0, 30, 100), rng.normal(size=(100, 2))
    sums = np.stack([np.bincount(user, column, minlength=40) for column in differences.T], axis=1)
    by_sums = intervals_of_sums(sums, np.bincount(user, minlength=40), resamples=300)
    np.testing.assert_allclose(by_sums, intervals(user, differences, resamples=300))
