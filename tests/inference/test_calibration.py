"""Calibration: bins that count right, a temperature that is the true one, and a model that keeps it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn._errors import VBNWarning
from vbn.inference import best_line, labelled_pairs


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def corpus(seed, n=300):
    rng = np.random.default_rng(seed)
    patterns = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]]
    return vbn.Dataset.from_sequences([patterns[i] for i in rng.integers(0, 4, n)], window=2)


def fitted(**options):
    data = corpus(0).with_relation("sound", [("dog", "barks"), ("cat", "purrs")])
    return vbn.VBN(dim=4, epochs=20, negatives=1, relation_rank=2, verbose=False, **options).fit(data)


@pytest.fixture(scope="module")
def words():
    return fitted()


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 60)
    pairs = sorted({(f"u{u}", f"i{2 * rng.integers(0, 30) + group[u]}") for u in range(60) for _ in range(9)})
    rng.shuffle(pairs)
    train, rest = pairs[:350], pairs[350:]
    data = vbn.Dataset.from_interactions([u for u, _ in train], [i for _, i in train])
    return vbn.VBN(dim=4, epochs=25, negatives=3, reject_positives=True, verbose=False).fit(data), train, rest


def test_bins_hold_what_falls_into_them():
    p = np.array([0.05, 0.15, 0.15, 0.95, 1.0])
    found = vbn.Reliability.of(p, np.array([0, 0, 1, 1, 1]), bins=10)
    assert [(b.lower, b.upper, b.count) for b in found] == [(0.0, 0.1, 1), (0.1, 0.2, 2), (0.9, 1.0, 2)]
    assert [b.observed for b in found] == [0.0, 0.5, 1.0]
    assert found.bins[2].predicted == pytest.approx(0.975)
    assert found.ece == pytest.approx((0.05 + 2 * 0.35 + 2 * 0.025) / 5)
    assert found.brier == pytest.approx(np.mean((p - [0, 0, 1, 1, 1]) ** 2))
    assert all(b.stderr > 0 for b in found)
    assert np.isfinite(found.log_loss)


@given(st.integers(0, 2**32 - 1))
def test_weights_count_as_repeated_pairs(seed):
    rng = np.random.default_rng(seed)
    p, labels, times = rng.random(20), rng.integers(0, 2, 20), rng.integers(1, 5, 20)
    weighted = vbn.Reliability.of(p, labels, times.astype(float), bins=4)
    repeated = vbn.Reliability.of(np.repeat(p, times), np.repeat(labels, times), bins=4)
    for name in ("ece", "log_loss", "brier"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))
    for a, b in zip(weighted, repeated, strict=True):
        assert (a.predicted, a.observed) == pytest.approx((b.predicted, b.observed))
        assert a.stderr >= b.stderr - 1e-12  # the same pair twice is not two pairs


@pytest.mark.parametrize("truth", [(0.4, 0.0), (1.0, -3.0), (2.0, 1.0)])
def test_the_true_line_is_found(truth):
    rng = np.random.default_rng(5)
    logits = rng.normal(0, 3, 100_000)
    labels = (rng.random(len(logits)) < sigmoid(truth[0] * logits + truth[1])).astype(float)
    assert best_line(logits, labels, np.ones(len(logits))) == pytest.approx(truth, rel=0.03, abs=0.03)


def test_an_intercept_repairs_another_base_rate():
    rng = np.random.default_rng(7)
    logits = rng.normal(-1.4, 2, 200_000)  # as if one in five were observed; one in two thousand is
    labels = (rng.random(len(logits)) < sigmoid(logits - 7)).astype(float)
    slope, intercept = best_line(logits, labels, np.ones(len(logits)))
    after = vbn.Reliability.of(sigmoid(slope * logits + intercept), labels)
    assert after.log_loss < 1.02 * vbn.Reliability.of(sigmoid(logits - 7), labels).log_loss
    assert after.log_loss < 0.05 * vbn.Reliability.of(sigmoid(logits), labels).log_loss


def test_labels_at_another_ratio_than_noise_are_told():
    model = fitted()
    pairs = [("dog", "barks", 1), *[("dog", "purrs", 0), ("cat", "barks", 0), ("dog", "barks", 0)] * 10]
    with pytest.warns(VBNWarning, match="base rate"):
        model.calibrate(pairs)
    assert model.predict_proba([("dog", "barks")])[0] < 0.3


@pytest.mark.parametrize(("sign", "message"), [(1, "tells all these pairs apart"), (-1, "not tell these pairs apart")])
def test_where_no_line_is_best_none_is_given(sign, message):
    logits = np.array([-2.0, -1.0, 1.0, 2.0])
    with pytest.raises(vbn.DataError, match=message):
        best_line(sign * logits, np.array([0, 0, 1, 1]), np.ones(4))


@pytest.mark.parametrize(("p", "labels"), [([], []), ([0.5], [0, 1]), ([1.5], [1]), ([np.nan], [1]), ([0.5], [2])])
def test_what_cannot_be_judged(p, labels):
    with pytest.raises(vbn.DataError):
        vbn.Reliability.of(np.array(p), np.array(labels))


def test_a_bad_model_gets_better_where_it_was_overconfident():
    rng = np.random.default_rng(6)
    logits = rng.normal(0, 3, 20_000)
    labels = (rng.random(len(logits)) < sigmoid(logits / 3)).astype(float)
    half = slice(0, 10_000), slice(10_000, None)
    slope, intercept = best_line(logits[half[0]], labels[half[0]], np.ones(10_000))
    before = vbn.Reliability.of(sigmoid(logits[half[1]]), labels[half[1]])
    after = vbn.Reliability.of(sigmoid(slope * logits[half[1]] + intercept), labels[half[1]])
    assert after.ece < 0.2 * before.ece
    assert after.log_loss < before.log_loss
    assert after.brier < before.brier


def test_held_out_data_in_every_form(words):
    import pandas as pd

    held = corpus(1, 40)
    found = words.reliability(held)
    assert found.n_pairs == 2 * held.counts.nnz
    rows = [("dog", "barks", 1), ("dog", "purrs", 0), ("cat", "purrs", True)]
    listed = words.reliability(rows)
    assert listed.n_pairs == 3
    table = words.reliability(pd.DataFrame(rows, columns=["left", "right", "label"]))
    assert table.to_dict() == listed.to_dict()
    p = words.predict_proba([row[:2] for row in rows])
    assert listed.brier == pytest.approx(np.mean((p - [1, 0, 1]) ** 2))


def test_noise_pairs_come_at_the_ratio_of_training(words):
    pairs = [("dog", "barks"), ("cat", "purrs"), ("the", "cat")] * 400
    drawn = labelled_pairs(pairs, words.trained_, 3, None, 0)
    assert drawn.labels.sum() == 1200
    assert len(drawn.labels) == 4 * 1200
    noise = np.bincount(drawn.columns[drawn.labels == 0], minlength=len(words.trained_.columns)) / 3600
    np.testing.assert_allclose(noise, words.trained_.noise(), atol=0.03)
    fraction = labelled_pairs(pairs, words.trained_, 0.5, None, 0)
    assert fraction.weights[fraction.labels == 0].sum() == pytest.approx(600)
    again = labelled_pairs(pairs, words.trained_, 3, None, 0)
    assert (again.columns == drawn.columns).all()
    assert (labelled_pairs(pairs, words.trained_, 3, None, 1).columns != drawn.columns).any()


def test_what_training_rejects_is_no_noise(shop):
    model, train, rest = shop
    drawn = labelled_pairs(rest, model.trained_, None, model.data_.counts, 0)
    names = model.trained_
    noise = {(names.rows[i], names.columns[j]) for i, j, d in zip(*drawn[:3], strict=True) if d == 0}
    assert noise
    assert not noise & set(train)
    free = labelled_pairs(rest, model.trained_, None, None, 0)
    assert {(names.rows[i], names.columns[j]) for i, j, d in zip(*free[:3], strict=True) if d == 0} & set(train)


def test_calibrating_helps_on_pairs_that_it_did_not_see(shop):
    model, _, rest = shop
    model = vbn.VBN(**model.get_params()).fit(model.data_)
    before = model.reliability(rest[1::2], seed=1)
    model.calibrate(rest[::2])
    after = model.reliability(rest[1::2], seed=1)
    assert (after.slope, after.intercept) == (model.trained_.slope, model.trained_.intercept) != (1.0, 0.0)
    assert after.log_loss < before.log_loss


def test_a_line_changes_probabilities_only(words, tmp_path):
    model = fitted()
    pairs = [("dog", "barks"), ("dog", "purrs"), ("cat", "sleeps")]
    p, relation = model.predict_proba(pairs), model.relation_proba("sound", pairs)
    ranking = model.similar("dog", by="context", k=5)
    model.calibrate(corpus(1))
    line = model.trained_.slope, model.trained_.intercept
    assert line != (1.0, 0.0)
    np.testing.assert_allclose(model.predict_proba(pairs), sigmoid(line[0] * np.log(p / (1 - p)) + line[1]), rtol=1e-6)
    assert (model.relation_proba("sound", pairs) == relation).all()
    table = model.similar("dog", by="context", k=5)
    assert [row.entity for row in table] == [row.entity for row in ranking]
    np.testing.assert_allclose(
        [row.score for row in table], model.predict_proba([("dog", row.entity) for row in table]), rtol=1e-5
    )
    before = {name: array.tobytes() for name, array in words.trained_.posterior.arrays().items()}
    assert {name: array.tobytes() for name, array in model.trained_.posterior.arrays().items()} == before

    loaded = vbn.load(model.save(tmp_path))
    assert (loaded.trained_.slope, loaded.trained_.intercept) == line
    assert (loaded.predict_proba(pairs) == model.predict_proba(pairs)).all()
    loaded.add("poodle", contexts={"barks": 3})
    assert (loaded.trained_.slope, loaded.trained_.intercept) == line
    assert loaded.fit(corpus(0)).trained_.slope == 1.0


def test_calibrating_twice_is_calibrating_once():
    model = fitted()
    first = model.calibrate(corpus(1)).trained_
    assert model.calibrate(corpus(1)).trained_.link == first.link


def test_a_damaged_line_is_refused(words, tmp_path):
    folder = words.save(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    for bad in (0.0, -1.0, float("nan"), "warm"):
        config["model"]["slope"] = bad
        (folder / "config.json").write_text(json.dumps(config))
        with pytest.raises(vbn.ModelFileError):
            vbn.load(folder)
    del config["model"]["slope"]
    config["model"]["temperature"] = 2.0  # as in folders of earlier versions
    (folder / "config.json").write_text(json.dumps(config))
    assert vbn.load(folder).trained_.slope == 0.5


def test_unknown_pairs_are_counted(words):
    found = words.reliability([("dog", "barks"), ("dog", "moos"), ("cow", "barks")])
    assert (found.n_pairs, found.skipped) == (2, 2)
    assert "2 more not known to the model" in str(found)
    with pytest.raises(vbn.DataError, match="no held-out pair"):
        words.reliability([("cow", "moos")])


def test_tables_and_text(words):
    words = fitted()
    found = words.reliability(corpus(1), bins=5)
    assert len(found) <= 5
    assert found.to_pandas().columns.tolist() == ["lower", "upper", "predicted", "observed", "count", "stderr"]
    assert found.to_polars().shape == (len(found), 6)
    assert sum(found.to_pandas()["count"]) == found.n_pairs
    assert str(found).splitlines()[-1].startswith("ece ")
    assert "slope" not in str(found)
    assert "slope" in str(words.calibrate(corpus(1)).reliability(corpus(1)))
    json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.reliability(corpus(1), bins=0), vbn.ParameterError, "bins=0"),
        (lambda m: m.reliability(corpus(1), bins=10**9), vbn.ParameterError, "bins=1000000000"),
        (lambda m: m.reliability(corpus(1), negatives=-1), vbn.ParameterError, "negatives=-1"),
        (lambda m: m.reliability(corpus(1), seed=-1), vbn.ParameterError, "seed=-1"),
        (lambda m: m.reliability(3), vbn.DataError, "held-out pairs: expected rows"),
        (lambda m: m.reliability([("dog", "barks", 2)]), vbn.DataError, "pair 0 is 2"),
        (lambda m: m.reliability([("dog", "barks", None)]), vbn.DataError, "pair 0 is nan"),
        (lambda m: m.reliability([("dog",)]), vbn.DataError, "has 1 entries"),
        (lambda m: m.reliability([]), vbn.DataError, "no data"),
        (lambda m: m.reliability(vbn.Dataset.from_interactions(["dog"], ["barks"])), vbn.DataError, "not both"),
        (lambda m: m.calibrate([("dog", "barks", 1)]), vbn.DataError, "all labels are the same"),
    ],
)
def test_bad_questions(words, call, error, message):
    before = words.trained_
    with pytest.raises(error, match=message):
        call(words)
    assert words.trained_ is before


def test_a_model_that_was_not_fitted_says_so():
    with pytest.raises(vbn.NotFittedError):
        vbn.VBN().reliability([("a", "b")])
    with pytest.raises(vbn.NotFittedError):
        vbn.VBN().calibrate([("a", "b")])
