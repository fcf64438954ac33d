"""Splits and tasks on small models."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn.baselines import EASE
from vbn.evaluation import (
    evaluate_pairs,
    evaluate_recommendation,
    evaluate_relation,
    evaluate_similarity,
    hold_out,
)


@pytest.fixture(scope="module")
def shop():
    """Users of two tastes; one item of each kind is known by its parent only."""
    rows = [(f"u{u}", f"{'tea' if u % 2 else 'beer'} {i}") for u in range(24) for i in range(6) if (u + i) % 4]
    users, items = zip(*rows, strict=True)
    parents = {f"{kind} {i}": [kind] for kind in ("tea", "beer") for i in range(7)}
    return vbn.Dataset.from_interactions(users, items).with_taxonomy(parents)


@pytest.fixture(scope="module")
def model(shop):
    return vbn.VBN(dim=4, epochs=15, negatives=2, verbose=False).fit(shop)


@pytest.mark.filterwarnings("ignore:.* no pair left to train on")
@settings(max_examples=20)
@given(st.floats(0.05, 0.95), st.integers(0, 1000), st.booleans())
def test_hold_out_divides_the_cells_and_repeats(share, seed, shared):
    left, right = [f"a{i % 7}" for i in range(40)], [f"a{i % 11}" for i in range(40)]
    data = vbn.Dataset.from_pairs(left, right, range(1, 41), shared=shared)
    train, held = hold_out(data, share, seed)
    sums = train.counts.to_scipy() + held.counts.to_scipy()
    np.testing.assert_array_equal(sums.toarray(), data.counts.to_scipy().toarray())
    assert (train.counts.to_scipy().multiply(held.counts.to_scipy())).nnz == 0
    assert train.rows.names == held.rows.names == data.rows.names
    np.testing.assert_allclose(train.columns.counts + held.columns.counts, data.columns.counts)
    np.testing.assert_array_equal(hold_out(data, share, seed)[1].counts.indices, held.counts.indices)


def test_both_directions_of_a_pair_are_held_out_together():
    data = vbn.Dataset.from_sequences([[f"w{(i * j) % 13}" for j in range(9)] for i in range(1, 12)])
    train, held = hold_out(data.with_taxonomy({"w1": ["w"]}), 0.3)
    np.testing.assert_array_equal(held.counts.to_scipy().toarray(), held.counts.to_scipy().toarray().T)
    assert train.taxonomy.parents("w1") == [("w", 1.0)]
    assert held.taxonomy is None


@pytest.mark.parametrize(
    ("share", "error"), [(0.0, vbn.ParameterError), (1.0, vbn.ParameterError), (0.01, vbn.DataError)]
)
def test_shares_that_leave_nothing_are_refused(share, error):
    with pytest.raises(error):
        hold_out(vbn.Dataset.from_pairs(["a", "b"], ["b", "c"]), share)


def test_ranks_are_those_of_recommend(shop, model):
    pairs = [("u1", "tea 3"), ("u1", "beer 2"), ("u4", "tea 1")]
    candidates = [name for name in shop.columns if name not in ("tea", "beer")]
    places, others = [], []
    for user, item in pairs:
        order = [row.entity for row in model.recommend(user=user, k=100, candidates=candidates)]
        places.append(order.index(item))
        others.append(len(order) - 1)
    (every, *_) = evaluate_recommendation(model, *zip(*pairs, strict=True), k=[1, 5])
    assert every["pairs"] == 3
    assert every["mpr"] == pytest.approx(1 - np.mean(np.array(places) / others))
    assert every["hr@10"] == np.mean(np.array(places) < 10)
    assert every["recall@5"] == pytest.approx(((sum(p < 5 for p in places[:2]) / 2) + (places[2] < 5)) / 2)


def test_cold_rare_and_frequent_items_are_told_apart(shop, model):
    held = [("u1", "tea 6"), ("u3", "beer 1"), ("u3", "nothing"), ("u1", "tea 1"), ("u1", "tea 6")]
    assert shop.counts.to_scipy()[shop.rows.id("u1"), shop.columns.id("tea 1")] == 1
    often = float(shop.columns.counts[shop.columns.id("beer 1")])
    rows = evaluate_recommendation(model, *zip(*held, strict=True), rare=often)
    assert [(row["model"], row["items"], row["pairs"]) for row in rows] == [
        (name, *band) for name in ("VBN", "popularity") for band in (("all", 2), ("cold", 1), ("rare", 1))
    ]
    assert (rows[0]["unknown"], rows[0]["seen"]) == (1, 1)
    rows = evaluate_recommendation(model, ["u3"], ["beer 1"], rare=often - 1, baseline=None)
    assert [row["items"] for row in rows] == ["all", "frequent"]


def test_a_model_without_counts_can_rank_if_it_need_not_know_what_was_seen(model, tmp_path):
    bare = vbn.load(model.save(tmp_path / "bare", counts=False))
    with pytest.raises(vbn.DataError, match="counts"):
        evaluate_recommendation(bare, ["u1"], ["tea 6"])
    (every, *_) = evaluate_recommendation(bare, ["u1"], ["tea 1"], exclude_seen=False)
    assert every["seen"] == 0


def test_held_out_pairs_beat_noise_and_agree_with_the_model_s_own_reliability(shop):
    train, held = hold_out(shop, 0.2, seed=3)
    model = vbn.VBN(dim=4, epochs=15, negatives=2, verbose=False).fit(train, validation=held)
    counts = held.counts
    left = [held.rows[i] for i in counts.row_ids().tolist()]
    right = [held.columns[j] for j in counts.indices.tolist()]
    found = evaluate_pairs(model, [*left, "nobody"], [*right, "tea 1"])
    assert (found["pairs"], found["unknown"]) == (counts.nnz, 1)
    assert found["auc"] > 0.6
    reliability = model.reliability(vbn.Dataset.from_pairs([*left, "nobody"], [*right, "tea 1"], shared=False))
    assert found["calibration_error"] == pytest.approx(reliability.ece)
    assert found["log_probability"] == pytest.approx(-reliability.log_loss)


def test_similarity_follows_the_cosines(model):
    pairs = [("tea 1", "tea 2"), ("tea 1", "beer 1"), ("beer 1", "beer 2"), ("nothing", "tea 1")]
    left, right = zip(*pairs, strict=True)
    cosines = []
    for a, b in pairs[:3]:
        x, y = model.posterior(a).mean, model.posterior(b).mean
        cosines.append(float(x @ y / np.linalg.norm(x) / np.linalg.norm(y)))
    with pytest.warns(UserWarning, match="1 of 4 held-out pairs"):
        found = evaluate_similarity(model, left, right, [*cosines, 0.0])
    assert found == {"spearman": 1.0, "pairs": 3, "unknown": 1}
    assert evaluate_similarity(model, left[:3], right[:3], [-c for c in cosines])["spearman"] == pytest.approx(-1.0)
    with pytest.raises(vbn.DataError, match="1 of 2"):
        evaluate_similarity(model, ["tea 1", "x"], ["tea 2", "y"], [1.0, 2.0])


def test_relation_pairs_are_found_again():
    names = [f"n{i}" for i in range(12)]
    data = vbn.Dataset.from_pairs(names, names[1:] + names[:1]).with_relation("next", list(itertools.pairwise(names)))
    model = vbn.VBN(dim=6, epochs=20, relation_weight=20.0, verbose=False).fit(data)
    found = evaluate_relation(model, "next", [*names[:-1], "x"], [*names[1:], "n1"])
    assert (found["pairs"], found["unknown"]) == (11, 1)
    assert found["auc"] > 0.7
    first = [model.related("next", a, k=1, known="ranked")[0].entity == b for a, b in itertools.pairwise(names)]
    assert found["hits@1"] == pytest.approx(np.mean(first))
    assert found["hits@1"] <= found["mrr@10"] <= found["hits@10"] <= 1.0
    with pytest.raises(vbn.UnknownEntityError):
        evaluate_relation(model, "previous", ["n1"], ["n0"])


def one_by_one(model, relation, left, right):
    """Hits and reciprocal ranks as `related` gives them; known pairs that nobody asks for are no competitors."""
    asked = set(zip(left, right, strict=True))
    places = []
    for a, b in zip(left, right, strict=True):
        answers = [
            row.entity
            for row in model.related(relation, a, k=99, known="ranked")
            if not row.known or (a, row.entity) in asked
        ]
        place = answers.index(b) + 1 if b in answers else np.inf
        places.append(place if place <= 10 else np.inf)
    places = np.array(places)
    return {"hits@1": np.mean(places == 1), "hits@10": np.mean(places <= 10), "mrr@10": np.mean(1.0 / places)}


@pytest.mark.parametrize("at_once", [1, 100, 1 << 22])
@pytest.mark.parametrize("space", ["joint", "readout"])
def test_places_of_relation_pairs_are_those_of_related(space, at_once, monkeypatch):
    rng = np.random.default_rng(1)
    names = [f"n{i}" for i in range(40)]
    left, right = ([names[i] for i in rng.integers(0, 40, 150)] for _ in range(2))
    data = vbn.Dataset.from_pairs(left, right).with_taxonomy({name: [f"kind {name[-1]}"] for name in names})
    data = data.with_relation("to", list(zip(left[:60], right[:60], strict=True)))
    model = vbn.VBN(dim=6, epochs=8, relation_weight=5.0, relation_space=space, verbose=False).fit(data)
    asked = (
        [*left[30:100], "n1", "n1"],
        [*right[30:100], "kind 1", "n1"],
    )  # a parent and the entity itself are no answers
    monkeypatch.setattr(vbn.evaluation.tasks, "_SCORES_AT_ONCE", at_once)
    found = evaluate_relation(model, "to", *asked)
    slow = one_by_one(model, "to", *asked)
    assert 0 < slow["hits@1"] < slow["hits@10"] < 1
    assert {key: found[key] for key in slow} == pytest.approx(slow, abs=1e-12)
    pairs = list(zip(*asked, strict=True))
    assert found["log_probability"] == pytest.approx(np.mean(np.log(model.relation_proba("to", pairs))))


@pytest.mark.parametrize("kind", [vbn.Popularity, EASE])
def test_a_baseline_is_evaluated_by_its_own_scores(kind):
    users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee"]
    items = ["tea", "milk", "tea", "milk", "tea", "beer", "tea"]
    model = kind().fit(vbn.Dataset.from_interactions(users, items))
    likely, unlikely = (evaluate_recommendation(model, ["dee"], [item])[0] for item in ("milk", "beer"))
    assert (likely["mpr"], unlikely["mpr"]) == (1.0, 0.0)


def test_vectors_without_densities_are_evaluated_on_similarity():
    model = vbn.SkipGram(dim=4).fit([["a", "dog", "barks"], ["a", "cat", "purrs"]] * 10)
    found = evaluate_similarity(model, ["dog", "dog", "dog"], ["cat", "a", "barks"], [9.0, 1.0, 5.0])
    assert (found["pairs"], found["unknown"]) == (3, 0)
