"""The one protocol of evaluation: what VBN and the baselines answer to it."""

import json
from pathlib import Path

import numpy as np
import pytest

import vbn
from tests.baselines.test_word_vectors import two_shops
from tests.cli.running import run
from vbn import baselines
from vbn.baselines import Scorer, as_scorer


@pytest.fixture(scope="module")
def model():
    return vbn.VBN(dim=4, epochs=10, verbose=False).fit(two_shops(60))


@pytest.fixture(scope="module")
def words():
    text = [["a", "dog", "barks"], ["a", "cat", "purrs"], ["the", "poodle", "barks"]] * 5
    return vbn.VBN(dim=4, epochs=10, verbose=False).fit(vbn.Dataset.from_sequences(text))


def ranking(scores, columns, hidden):
    order = [columns[j] for j in np.argsort(-scores, kind="stable")]
    return [name for name in order if name not in hidden]


@pytest.mark.parametrize("dial", [{}, {"popularity": 0.5}, {"popularity": 2.0, "popularity_floor": 1.0}])
def test_scores_of_vbn_rank_as_recommend_does(model, dial):
    scorer = as_scorer(model, **dial)
    assert isinstance(scorer, Scorer)
    rows, baskets = ["u0", "u7"], [["i1", "i2"], {"i15": 3.0}, []]
    scores = scorer.scores([*rows, *baskets])
    for user, values in zip(rows, scores, strict=False):
        found = model.recommend(user=user, k=30, **dial, exclude_seen=False).entities
        assert found == ranking(values, scorer.columns, ())
    for basket, values in zip(baskets, scores[2:], strict=True):
        found = model.recommend(basket, k=30, **dial).entities
        assert found == ranking(values, scorer.columns, basket)


def test_scores_of_vbn_are_logits_of_what_it_predicts(model):
    p = 1.0 / (1.0 + np.exp(-as_scorer(model, popularity=0.0).scores(["u3"])[0]))
    expected = model.predict_proba([("u3", name) for name in as_scorer(model).columns])
    np.testing.assert_allclose(p, expected, rtol=1e-5)


def test_averaged_queries_rank_as_recommend_does(words):
    scores = as_scorer(words, query="average").scores([["dog", "cat"]])[0]
    found = words.recommend(["dog", "cat"], k=9, query="average").entities
    assert found == ranking(scores, words.trained_.columns, ("dog", "cat"))


def test_the_order_of_queries_is_kept(model):
    scorer = as_scorer(model)
    mixed = scorer.scores([["i1"], "u0", ["i2"], "u1"])
    np.testing.assert_allclose(mixed[[0, 2]], scorer.scores([["i1"], ["i2"]]), rtol=1e-6)
    np.testing.assert_allclose(mixed[[1, 3]], scorer.scores(["u0", "u1"]), rtol=1e-6)
    assert scorer.scores([]).shape == (0, len(scorer.columns))


def test_a_baseline_is_its_own_scorer():
    baseline = vbn.Popularity().fit(two_shops(10))
    assert as_scorer(baseline) is baseline


def test_popularity_ranks_by_count(tmp_path):
    data = vbn.Dataset.from_interactions([1, 2, 3, 1, 2, 1], list("aaabbc"), [1, 1, 1, 1, 1, 9])
    baseline = vbn.Popularity().fit(data.with_taxonomy({"d": ["letter"]}))
    assert baseline.recommend([], k=9).entities == ["c", "a", "b", "d"]
    assert baseline.recommend(user=2, k=9).entities == ["c", "d"]
    assert baseline.scores(["1"])[0, baseline.columns.id("c")] == pytest.approx(9 / 14)
    assert baseline.similar("c", k=2).entities == ["a", "b"]
    assert not hasattr(baseline, "posterior")
    again = vbn.load(baseline.save(tmp_path, counts=False))
    assert again.recommend(["a"], k=2).entities == ["c", "b"]
    with pytest.raises(vbn.DataError, match=r"without its counts.*exclude_seen=False, or save it with counts=True"):
        again.recommend(user=2)
    assert "densities" not in (tmp_path / "README.md").read_text().partition("## No variances")[0]


def test_the_dial_moves_any_baseline_towards_the_popular():
    data = vbn.Dataset.from_interactions([1, 1, 2, 2, 3, 4, 5], list("abbcccc"))
    model = baselines.EASE(regularization=1.0).fit(data)
    assert model.recommend(["a"], k=1).entities == ["b"]
    assert model.recommend(["a"], k=1, popularity=5.0).entities == ["c"]
    with pytest.raises(vbn.ParameterError, match="popularity"):
        model.recommend(["a"], popularity=float("nan"))
    for draws in ({"sample": "thompson"}, {"explore": "thompson"}, {"seed": 0}):
        with pytest.raises(vbn.ParameterError, match="posterior"):
            model.recommend(["a"], **draws)
    with pytest.raises(vbn.ParameterError, match="query"):
        model.recommend(["a"], query="nearest")


def test_the_command_line_asks_a_saved_baseline(tmp_path):
    data = two_shops(20)
    popularity = vbn.Popularity().fit(data).save(tmp_path / "popularity")
    skip_gram = vbn.SkipGram(dim=3).fit(data).save(tmp_path / "skip-gram")
    for question in (
        ["similar", popularity, "i1"],
        ["recommend", skip_gram, "--user", "u0"],
        ["recommend", skip_gram, "i1", "i2"],
    ):
        assert len(json.loads(run(*question, "-k", "5", "--json").stdout)) == 5
    failed = run("explain", skip_gram, "i1")
    assert failed.returncode == 1
    assert "SkipGram has no explain" in failed.stderr


@pytest.mark.parametrize(
    "verb", ["posterior", "predict_proba", "related", "explain", "add", "calibrate", "to_keyed_vectors"]
)
@pytest.mark.parametrize("kind", [vbn.SkipGram, vbn.Popularity, baselines.EASE])
def test_a_baseline_is_no_posterior(kind, verb):
    assert not hasattr(kind(), verb)
    with pytest.raises(baselines.NotOfferedError, match=f"{kind.__name__} has no {verb}: that is for Bayesian models"):
        getattr(kind(), verb)


def test_baselines_saved_in_format_1_still_load():
    home = Path(__file__).with_name("format1")
    words, shop = vbn.load(home / "skip-gram"), vbn.load(home / "popularity")
    assert [(row.entity, round(row.score, 6)) for row in words.similar("dog", k=3)] == [
        ("cat", 0.465856),
        ("barks", 0.42114),
        ("a", 0.01802),
    ]
    assert words.recommend(["dog"], k=2).entities == ["cat", "barks"]
    assert [(row.entity, row.score) for row in shop.recommend(user=2, k=2)] == [("milk", 1 / 3)]


def test_a_name_of_the_other_side_is_told_so(tmp_path):
    model = vbn.SkipGram(dim=3).fit(two_shops(20))
    with pytest.raises(vbn.UnknownEntityError, match="pass side='row'"):
        model.similar("u1")
    assert len(model.similar("u1", side="row", k=3)) == 3
    with pytest.raises(vbn.ParameterError, match="must be 'row' or 'column', got 'left'"):
        model.vectors(side="left")
    with pytest.raises(vbn.ParameterError, match="'entity' or 'both'"):
        model.vectors(readout="smoothed")
    with pytest.raises(vbn.ParameterError, match="must be 'cosine', 'mean' or 'context', got 'length'"):
        model.similar("i1", by="length")
    with pytest.raises(vbn.ParameterError, match="must be 'entity' or 'context', got 'both'"):
        model.export(tmp_path / "some.txt", role="both")


def test_bayesian_skip_gram_is_vbn_without_prior_knowledge():
    data = two_shops(20)
    known = data.with_taxonomy({"i0": ["first"], "i1": ["first"]}).with_relation("next", [("u0", "i0")])
    plain = vbn.VBN(dim=3, epochs=4, verbose=False).fit(data)
    model = vbn.BayesianSkipGram(dim=3, epochs=4, verbose=False).fit(known)
    assert model.posterior("i0").mean.tolist() == plain.posterior("i0").mean.tolist()
    assert not hasattr(model, "related")
    with pytest.raises(baselines.NotOfferedError, match="learns no relations"):
        model.relation_proba("next", [("u0", "i0")])
    more = model.partial_fit(known)
    assert more.data_.taxonomy is None


@pytest.mark.parametrize(
    ("queries", "error", "message"),
    [
        ("u0", vbn.ParameterError, "list of queries"),
        (["nobody"], vbn.UnknownEntityError, "nobody"),
        ([["i1", "i99999"]], vbn.UnknownEntityError, "i99999"),
        ([{"i1": -1.0}], vbn.DataError, "positive"),
        ([None], vbn.ParameterError, "None"),
    ],
)
@pytest.mark.parametrize("kind", ["vbn", "baseline"])
def test_bad_queries_are_named(model, kind, queries, error, message):
    scorer = as_scorer(model) if kind == "vbn" else vbn.Popularity().fit(two_shops(10))
    with pytest.raises(error, match=message):
        scorer.scores(queries)


def test_what_cannot_be_asked_is_refused(model, words):
    with pytest.raises(vbn.ParameterError, match="average"):
        as_scorer(model, query="average")
    with pytest.raises(vbn.ParameterError, match="nearest"):
        as_scorer(model, query="nearest")
    with pytest.raises(vbn.ParameterError, match="empty"):
        as_scorer(words, query="average").scores([[]])
    with pytest.raises(vbn.ParameterError, match="dict"):
        as_scorer({})
    with pytest.raises(vbn.NotFittedError):
        as_scorer(vbn.VBN())
