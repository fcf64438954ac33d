"""The experiments on a toy corpus: they run from a clean cache to the end, know what they should, and are kept."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

import vbn
from reproduction.cache import Cache
from reproduction.models import NO_PARAMETER
from reproduction.results import DomainResult
from reproduction.running import Options, Progress
from reproduction.words import reproduce_from, winners
from reproduction.words.ablations import VARIANTS, settled_after, without_variances
from reproduction.words.antonyms import antonyms, divide, opposite_logits, ranked_shares
from reproduction.words.completion import completion
from reproduction.words.graph import stem, with_families
from reproduction.words.rivals import Material
from reproduction.words.similarity import similarity


@pytest.fixture
def told():
    lines = []
    return SimpleNamespace(lines=lines, progress=Progress("words", tell=lines.append))


def settings_of(name, **vbn_changes):
    """The winners, made small."""
    found = winners(name, quick=True)
    for section in ("vbn", "bsg"):
        if section in found:
            found[section] |= {"epochs": 8, "dim": 8, "subsample": None, **vbn_changes}
    return found


@pytest.fixture(scope="module")
def whole(toy, tmp_path_factory):
    folder, lines = tmp_path_factory.mktemp("cache"), []
    result = reproduce_from(toy, Options(quick=True), Cache(folder), Progress("words", tell=lines.append))
    return SimpleNamespace(result=result, folder=folder, lines=lines)


def test_all_of_it_runs_and_survives_json(whole):
    result = whole.result
    assert [table.title for table in result.tables][:3] == [
        "Word similarity, Spearman x 100",
        "How much is graph, how much is corpus",
        "Sentence completion",
    ]
    assert DomainResult.from_dict(result.to_dict()) == result
    for table in result.tables:
        for row in table.rows:
            assert len(row.cells) == len(table.columns)
            assert all(cell.value is None or np.isfinite(cell.value) for cell in row.cells)
    assert {row.name for row in result.tables[3].rows} >= {"VBN, as trained", "BSG, one temperature"}
    assert all(0 <= row.cells[0].value <= 1 for row in result.tables[3].rows)
    assert {row.name for row in result.tables[4].rows} >= {"VBN", "VBN w/o relations"}
    dominance = next(verdict for verdict in result.verdicts if verdict.role == "dominance")
    assert not {name for name in dominance.rivals if name.startswith("VBN")}
    assert set(dominance.rivals) >= {"BSG", "BSG-R", "SG", "SG-R", "BSG, as in the paper", "Popularity"}
    assert all(len(remark) == len(dominance.about) for remark in dominance.remarks)
    assert [text.title for text in result.texts] == [
        "Nearest to lemma",
        "Percentile rank of lemma",
        "First answers for lowest",
    ]
    assert all(row for text in result.texts for row in text.rows)


def test_no_parameter_stands_beside_the_tuned_model(whole):
    tables = {table.title: table for table in whole.result.tables}
    groups = Counter(row.name for row in tables["Word similarity, Spearman x 100"].rows)
    assert groups[NO_PARAMETER] == groups["VBN"] == 3
    names = [row.name for row in tables["Sentence completion"].rows]
    assert names[:2] == ["VBN", NO_PARAMETER]
    assert all(0 <= cell.value <= 100 for cell in tables["Sentence completion"].rows[1].cells)
    roles = {found.role: found for found in whole.result.verdicts}
    assert roles["similarity, no parameter"].rivals[0] == "VBN"
    assert roles["no parameter"].rivals == ("BSG", "BSG-R", "SG", "SG-R")
    assert roles["no parameter, tuned"].rivals == ("VBN",)
    remarks = next(found for found in whole.result.verdicts if found.role == "dominance").remarks
    assert not [remark for remark in remarks if "no parameter" in remark[0]]
    dial = next(picture for picture in whole.result.pictures if picture.name == "words-dial")
    assert [len(series.x) for series in dial.series if series.name == NO_PARAMETER] == [1]


def test_words_without_a_parameter_are_trained_without_one(toy, tmp_path, told):
    found = similarity(toy, settings_of("similarity"), 1, Cache(tmp_path), told.progress)
    material = Material(toy, settings_of("similarity"))
    model = vbn.VBN(seed=0, verbose=False).fit(material.data)
    cosine = model.similarity("dog", "tea").score
    pairs = found.pairs["men"]
    at = list(zip(pairs.left, pairs.right, strict=True)).index(("dog", "tea"))
    assert found.scores[NO_PARAMETER][0]["men"][at] == pytest.approx(cosine, abs=1e-5)


def test_a_second_call_trains_nothing(whole, toy):
    lines = []
    again = reproduce_from(toy, Options(quick=True), Cache(whole.folder), Progress("words", tell=lines.append))
    assert again == whole.result
    assert len(lines) == len(whole.lines)
    assert all("from the cache" in line for line in lines)
    assert lines[-1].startswith(f"words {len(lines)}/{len(lines)} ")


def test_similarity_knows_the_toy(toy, tmp_path, told):
    found = similarity(toy, settings_of("similarity", epochs=20), 1, Cache(tmp_path), told.progress)
    assert set(found.scores) >= {"VBN", "BSG", "BSG-R", "SG", "SG-R", "FastText", "Graph alone"}
    assert found.average("VBN", "chooses")[0] > 60
    assert found.average("Graph alone", "chooses")[0] > 60
    middle, low, high = found.difference("VBN", "BSG")
    assert low <= middle <= high
    assert found.difference("VBN", "VBN") == (0.0, 0.0, 0.0)
    cold = {model: runs[0]["men"][-1] for model, runs in found.scores.items()}  # unicorn, dog
    assert cold["VBN"] > 0.5
    assert cold["SG"] == 0.0
    assert cold["Graph alone"] > 0.5
    assert cold["FastText"] != 0.0


def test_completion_beats_chance_and_ranks_the_right_kind_first(toy, tmp_path, told):
    found = completion(toy, settings_of("completion", epochs=20), 1, Cache(tmp_path), told.progress)
    assert found.by_seed("VBN, fold-in", "MPR", "full")[0] > 65
    assert len(found.above["VBN, fold-in"][0]) > 1
    assert len(found.above["SG, average"][0]) == 1
    assert found.cases.rare.any()
    np.testing.assert_allclose(
        found.each("SG, average", "MPR", "full").mean(), found.by_seed("SG, average", "MPR", "full")[0]
    )


def test_antonyms_are_asked_both_ways_and_split_by_pair(toy, tmp_path, told):
    division = divide(toy.antonyms)
    assert len(division.test) == 2
    assert sorted([*division.training, *division.validation, *division.test]) == sorted(toy.antonyms)
    found = antonyms(toy, settings_of("antonyms"), 1, Cache(tmp_path), told.progress)
    assert sorted(found.questions) == sorted([*division.test, *((b, a) for a, b in division.test)])
    assert found.learned == 6
    assert found.catalogue == len(toy.counts)
    for figure in ("HR@0.2%", "HR@1%", "MPR"):
        assert 0 <= found.by_seed("VBN", figure)[0] <= 100
    other = antonyms(toy, settings_of("antonyms"), 1, Cache(tmp_path), told.progress, part="validation")
    assert not set(other.questions) & set(found.questions)


def test_known_opposites_are_no_candidates():
    names = vbn.Vocabulary(["a", "b", "c", "d"])
    shares = ranked_shares(
        lambda rows: np.tile([4.0, 3.0, 2.0, 1.0], (len(rows), 1)), names, np.arange(4), [("a", "d")], {("a", "b")}
    )
    assert shares.tolist() == [1.0]  # of c and d, c is above
    assert ranked_shares(lambda rows: np.ones((len(rows), 4)), names, np.arange(4), [("a", "d")], set()).tolist() == [
        0.5
    ]


def test_logits_of_a_relation_are_those_of_the_model():
    rng = np.random.default_rng(0)
    names = [f"w{i}" for i in range(12)]
    data = vbn.Dataset.from_pairs(rng.choice(names, 200), rng.choice(names, 200), shared=True)
    data = data.with_relation("antonym", [(names[i], names[i + 1]) for i in range(0, 10, 2)], symmetric=True)
    for options in (
        {"relation_space": "joint", "relation_rank": 3},
        {"relation_prior": 2.0, "relation_space": "readout"},
    ):
        model = vbn.VBN(dim=4, epochs=6, relation_weight=5.0, verbose=False, **options).fit(data)
        trained = model.trained_
        rows, columns = np.array([0, 3]), np.arange(len(trained.columns))
        pairs = [(trained.rows[i], trained.columns[j]) for i in rows for j in columns]
        p = model.relation_proba("antonym", pairs)
        found = opposite_logits(model, rows, columns)
        np.testing.assert_allclose(found.ravel(), np.log(p / (1 - p)), rtol=1e-4, atol=1e-5)


def test_families_share_a_parent():
    words = ["potent", "impotent", "impotently", "cat", "unhappiness", "happy", "unhappy", "king", "ring"]
    edges = with_families([("impotent", "x", 3.0), ("impotent", "y", 1.0)], words, share=0.5)
    families = {(child, parent): weight for child, parent, weight in edges if parent.startswith("~")}
    assert families == {
        ("potent", "~potent"): 1.0,
        ("impotent", "~potent"): 2.0,
        ("impotently", "~potent"): 1.0,
        ("happy", "~happy"): 1.0,
        ("unhappy", "~happy"): 1.0,
        ("unhappiness", "~happy"): 1.0,
    }
    assert with_families(edges, words, share=0) == edges
    assert stem("undo", {"do", "undo"}) == "undo"


def test_point_estimates_differ_from_densities(toy):
    model = vbn.VBN(dim=4, epochs=5, verbose=False).fit(vbn.Dataset.from_sequences(toy.sentences, window=3))
    point, pairs = without_variances(model), [("pug", "cocoa"), ("lemma", "now")]
    base = 1.0 / 3.0  # two negatives for each positive: what is uncertain is nearer to that
    assert (np.abs(point.predict_proba(pairs) - base) > np.abs(model.predict_proba(pairs) - base)).all()
    assert model.posterior("pug").variance.all()


def test_when_the_bound_has_settled():
    assert settled_after([-9.0, -5.0, -4.0, -4.0001]) == 4
    assert settled_after([-9.0, -5.0]) is None
    assert settled_after([-5.0, -5.0, -5.0]) == 2


def test_the_winners_hold_what_the_models_take():
    for name in ("similarity", "completion", "antonyms", "ablations"):
        vbn.VBN(**{key: value for key, value in winners(name)["vbn"].items() if key != "window"})
        assert winners(name, quick=True)["vbn"]["epochs"] < winners(name)["vbn"]["epochs"]
    assert {variant["levels"] for variant in VARIANTS.values()} == {0, 1, 2, 3}
