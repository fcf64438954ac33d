"""Events write to the arrays of the model before, once nobody has them any more."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import vbn
from vbn.inference import spares

EVENTS = [[("user 1", "item 2")], [("user 3", "item 2", 2.0), ("user 1", "item 4")], [("user 5", "item 0")]] * 3
BLOCKS = ("u", "v", "bias")


@pytest.fixture
def model():
    users, items = [f"user {n % 12}" for n in range(96)], [f"item {n * 7 % 5}" for n in range(96)]
    data = vbn.Dataset.from_interactions(users, items)
    return vbn.VBN(dim=3, epochs=3, favour=None, verbose=False).fit(data)


def addresses(model):
    q = model.trained_.posterior
    return {getattr(q, name).mean.__array_interface__["data"][0] for name in BLOCKS}


def test_the_arrays_of_the_model_before_are_used_again(model):
    model.observe(EVENTS[0]).observe(EVENTS[1])
    found = [addresses(model.observe(events)) for events in EVENTS[:4]]
    assert found[0] == found[2]
    assert found[1] == found[3]
    assert not found[0] & found[1]


def test_that_changes_no_bit(model, monkeypatch):
    other = copy.copy(model)
    for events in EVENTS:
        model.observe(events)
    monkeypatch.setattr(spares.Spare, "take", lambda _: {})
    for events in EVENTS:
        other.observe(events)
    arrays, expected = model.trained_.posterior.arrays(), other.trained_.posterior.arrays()
    assert all(np.array_equal(arrays[path], expected[path]) for path in expected)


@pytest.mark.parametrize("held", ["model", "array", "view"])
def test_whoever_has_an_old_model_or_a_part_of_it_keeps_what_it_was(model, held):
    model.observe(EVENTS[0])
    kept = copy.copy(model) if held == "model" else model.trained_.posterior.v.mean
    kept = kept[1:3] if held == "view" else kept

    def values():
        return np.array(kept.trained_.posterior.v.mean if held == "model" else kept)

    before = values()
    for events in EVENTS:
        model.observe(events)
    assert np.array_equal(values(), before)


def test_two_copies_do_not_share_what_they_write_to(model):
    model.observe(EVENTS[0]).observe(EVENTS[1])
    others = [copy.copy(model).observe(EVENTS[2]) for _ in range(2)]
    assert not addresses(others[0]) & addresses(others[1])


def test_an_outdated_model_is_gone_without_a_garbage_collection(model):
    model.observe(EVENTS[0])
    model.recommend(user="user 1", k=1)
    gc.collect()
    gc.disable()
    try:
        outdated = weakref.ref(model.trained_)
        model.observe(EVENTS[1])
        assert outdated() is None
    finally:
        gc.enable()


def test_a_spare_is_not_pickled(model):
    model.observe(EVENTS[0]).observe(EVENTS[1])
    restored = pickle.loads(pickle.dumps(model))
    assert restored.trained_.__dict__["spare"].take() == {}
    restored.observe(EVENTS[1])
