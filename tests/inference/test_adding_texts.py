"""Entities added with a text: encoded as the texts of training were, or by the encoder that the user gives again."""

from __future__ import annotations

import numpy as np
import pytest

import vbn
from vbn._errors import DataError, ParameterError, VBNWarning

TEXTS = {
    "tea": "hot drink with leaves",
    "coffee": "hot drink of roasted beans",
    "cocoa": "hot drink with chocolate",
    "beer": "cold bitter alcohol",
    "wine": "alcohol of grapes",
    "cider": "cold alcohol of apples",
}
WORDS = sorted({word for text in TEXTS.values() for word in text.split()})


def words(texts):
    return [[float(word in text.split()) for word in WORDS] for text in texts]


def data():
    rng = np.random.default_rng(0)
    warm, cold = list(TEXTS)[:3], list(TEXTS)[3:]
    pairs = [(f"u{user}", item) for user in range(60) for item in (warm, cold)[user % 2] if rng.random() < 0.8]
    return vbn.Dataset.from_interactions(*zip(*pairs, strict=True))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    model = vbn.VBN(dim=8, epochs=15, favour=None, verbose=False).fit(data().with_text(TEXTS, encoder=words))
    return model.save(tmp_path_factory.mktemp("model") / "model")


@pytest.fixture
def model(saved):
    return vbn.load(saved)


def test_a_cold_item_lies_where_its_text_says(model):
    model.add("mate", text="hot drink with leaves", encoder=words)
    model.add("mead", text="cold alcohol", encoder=words)
    warm, cold = model.predict_proba([("u0", "mate"), ("u0", "mead")])
    assert warm > cold
    warm, cold = model.predict_proba([("u1", "mate"), ("u1", "mead")])
    assert warm < cold


def test_a_text_is_the_vector_that_its_encoder_makes(model):
    model.add("mate", text="hot leaves", encoder=words)
    model.add("again", features=words(["hot leaves"])[0])
    model.add({"third": {"text": "hot leaves"}, "fourth": {"text": {"text": "hot leaves"}}}, encoder=words)
    means = [model.posterior(name, role="context").mean for name in ("mate", "again", "third", "fourth")]
    for mean in means:  # products of one row and of several may differ in their last bit
        np.testing.assert_allclose(mean, means[0], rtol=1e-6, atol=1e-8)


def test_an_own_encoder_is_asked_for_by_name(model):
    with pytest.raises(DataError) as raised:
        model.add("mate", text="hot")
    assert str(raised.value) == (
        "the texts of 'text' were encoded by words, which is not saved with a model: pass it as encoder=, or the "
        "vector itself as features="
    )
    assert "mate" not in model


def test_the_offline_encoder_is_remembered(tmp_path):
    pytest.importorskip("wordllama")
    trained = vbn.VBN(dim=8, epochs=15, favour=None, verbose=False).fit(data().with_text(TEXTS))
    model = vbn.load(trained.save(tmp_path / "model", counts=False))
    model.add("mate", text="a hot brew of dried leaves").add("gin", text="a strong spirit, alcohol")
    warm, cold = model.predict_proba([("u0", "mate"), ("u0", "gin")])
    assert warm > cold


def test_an_empty_text_says_nothing(model):
    with pytest.warns(VBNWarning, match="nothing is known of 'mate'.*nor content"):
        model.add("mate", text="  ", encoder=words)


def test_mistakes(model):
    with pytest.raises(DataError, match="must be a string, not a value of type int"):
        model.add("mate", text=3, encoder=words)
    with pytest.raises(DataError, match="comes with features and with a text"):
        model.add("mate", text="hot", features=words(["hot"])[0], encoder=words)
    with pytest.raises(DataError, match="give texts by source: 'text'"):
        model.add("mate", text={"other": "hot"}, encoder=words)
    with pytest.raises(DataError, match=r"have 2 numbers; the model was trained with"):
        model.add("mate", text="hot", encoder=lambda texts: [[1.0, 2.0]] * len(texts))
    with pytest.raises(ParameterError, match="encoder must have a method encode"):
        model.add("mate", text="hot", encoder="words")
    with pytest.raises(DataError, match="what is known of each goes with it"):
        model.add({"mate": {"text": "hot"}}, text="hot")
    assert "mate" not in model


def test_a_model_without_texts():
    given = data().with_features({"tea": [1.0, 0.5], "beer": [0.0, 2.0]})
    model = vbn.VBN(dim=4, epochs=3, favour=None, verbose=False).fit(given)
    with pytest.raises(
        DataError, match=r"trained without texts; add it without, or train again with Dataset.with_text"
    ):
        model.add("mate", text="hot")


def test_many_texts_are_encoded_at_once(model):
    calls = []

    def counting(texts):
        calls.append(len(texts))
        return words(texts)

    model.add({name: {"text": f"hot drink {name}"} for name in ("a", "b", "c")}, encoder=counting)
    assert calls == [3]
