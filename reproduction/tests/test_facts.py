"""Facts that are kept with a run: whether its probabilities come true, and what it makes of items hardly seen."""

from __future__ import annotations

import json

import numpy as np
import pytest

import vbn
from reproduction.examples import of_the_least, seen_least
from reproduction.masking import ITEMS, TRAIN, USERS, Masked, Split, mask
from reproduction.reliability import AS_TRAINED, MEANS, TEMPERATURE, of_pairs, reliability
from reproduction.tests.shop import shop
from vbn.baselines import as_scorer
from vbn.datasets import Interactions


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    domain = shop(tmp_path_factory.mktemp("shop"), 150)
    return Split(domain, mask(domain.interactions, domain.least), "test", "masking 1")


def test_all_readings_judge_the_same_pairs_and_fit_into_json(split):
    model = vbn.VBN(dim=6, epochs=8, negatives=3, verbose=False).fit(split.data(USERS, "catalogue"))
    found = json.loads(json.dumps(reliability(model, split)))
    assert set(found) == {AS_TRAINED, MEANS, TEMPERATURE}
    cases = len(split.masked.cases()[0])
    for facts in found.values():
        assert facts["n_pairs"] + facts["skipped"] == pytest.approx(4 * cases, abs=3 * cases * 0.2)
        assert facts["n_pairs"] == found[AS_TRAINED]["n_pairs"] == sum(entry["count"] for entry in facts["bins"])
        assert 0 <= facts["ece"] <= 1
        assert 0 < facts["rare"]["n_pairs"] < facts["n_pairs"]
    pairs = list(
        zip(
            *(map(str, column) for column in split.masked.interactions.keep(split.masked.part == 2).columns()),
            strict=True,
        )
    )
    assert found[AS_TRAINED]["ece"] == pytest.approx(model.reliability(pairs).ece, abs=0.02)
    assert reliability(model, split) == reliability(model, split)


def test_an_item_of_the_user_stands_for_him_where_rows_are_items(split):
    model = vbn.VBN(dim=6, epochs=8, verbose=False).fit(split.data(ITEMS, "catalogue"))
    found = reliability(model, split)[AS_TRAINED]
    assert found["n_pairs"] > len(split.masked.cases()[0])
    assert found["skipped"] < len(split.masked.cases()[0]) / 10


def test_no_temperature_is_made_up_where_none_fits():
    text = [["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20
    model = vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))
    assert TEMPERATURE not in of_pairs(model, [("dog", "barks")])


def test_items_seen_least_come_with_the_most_frequent_other_item_of_their_user():
    rows = [
        ("ann", "rare"),
        ("ann", "known"),
        ("bob", "known"),
        ("bob", "other"),
        ("eve", "other"),
        ("eve", "known"),
        ("eve", "lonely"),
    ]
    data = Interactions.collect((user, item, 1.0, -1) for user, item in rows)
    masked = Masked(data, np.full(len(data), TRAIN, np.int8))
    edges = [(item, "kind", 1.0) for item in ("rare", "known", "other")]
    assert seen_least(masked, edges) == [("rare", "known")]  # lonely has no family
    assert seen_least(masked, []) == []


def test_what_a_model_makes_of_them(split):
    model = vbn.VBN(dim=6, epochs=8, verbose=False).fit(split.data(ITEMS, "catalogue"))
    found = of_the_least(model, as_scorer(model, query="average"), split)
    assert 1 <= len(found) <= 3
    catalogue = set(split.masked.interactions.items)
    for entry in found:
        assert 0 <= entry["percentile"] <= 100
        assert len(entry["near"]) == 5
        assert set(entry["near"]) < catalogue - {entry["item"]}
