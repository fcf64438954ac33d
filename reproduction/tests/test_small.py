"""The evidence in small: bundled data through the harness of the reproduction, with floors that broken models miss."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import vbn
from reproduction.cache import Cache
from reproduction.interactions import reproduce_domain
from reproduction.running import Options, Progress
from reproduction.tests.glosses import glosses
from reproduction.winners import settings
from reproduction.words.antonyms import AntonymResult, _rankings, divide, ranked_shares
from vbn.datasets import read_bundled

OURS, WITHOUT = "VBN", "VBN without taxonomy (BSG)"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Glosses with the models of a quick run."""
    domain = glosses()
    small = {
        key: {**values, **({"dim": 16, "epochs": 10} if "epochs" in values else {})}
        for key, values in settings("glosses").items()
    }
    cache = Cache(tmp_path_factory.mktemp("cache"))
    return reproduce_domain(domain, Options(quick=True), cache, Progress("glosses", tell=lambda _: None), small)


def figures(result, title):
    table = next(table for table in result.tables if table.title == title)
    return {row.name: dict(zip(table.columns, (cell.value for cell in row.cells), strict=True)) for row in table.rows}


def test_words_near_words_are_found_again(found):
    lines = figures(found, "All models")
    ours, without, popular = lines[OURS], lines[WITHOUT], lines["Popularity"]
    assert ours["HR@10% full"] > popular["HR@10% full"] + 8
    assert ours["MPR full"] > max(75, popular["MPR full"] + 8, without["MPR full"])
    assert ours["MPR rare"] > max(62, without["MPR rare"] + 10, lines["BSG-R"]["MPR rare"])
    assert ours["HR@10% rare"] > without["HR@10% rare"] + 8


def test_words_that_training_never_saw_have_their_hypernyms(found):
    lines = figures(found, "All models")
    assert lines[OURS]["MPR cold"] > 70  # not knowing a word is no reason to rank it high
    assert lines[OURS]["MPR among cold"] > 53
    assert lines[WITHOUT]["MPR cold"] is None


def test_the_taxonomy_is_ahead_on_rare_words_beyond_chance(found):
    verdicts = next(found for found in found.verdicts if found.role == "all")
    line = dict(zip(verdicts.columns, verdicts.differences[verdicts.rivals.index(WITHOUT)], strict=True))
    assert line["MPR rare"][1] > 0
    dial = next(found for found in found.verdicts if found.role == "dominance")
    assert dial.remarks[dial.rivals.index("Popularity")][1:3] == ("dominated", "dominated")


def test_probabilities_come_true_within_a_tenth(found):
    lines = figures(found, "Do the probabilities come true?")
    assert lines[f"{OURS}, as trained"]["calibration error"] < 0.1
    assert lines[f"{OURS}, as trained"]["log loss"] < lines[f"{WITHOUT}, as trained"]["log loss"] + 0.005


@pytest.fixture(scope="module")
def opposites():
    """Antonyms of the bundled words, learned from three quarters of them; relations apart change nothing else."""
    raw = read_bundled()
    whole = vbn.datasets.load_bundled().train
    data = vbn.Dataset(whole.rows, None, whole.counts, kind="sequences").with_taxonomy(raw.pairs(raw.taxonomy))
    division = divide(sorted({(min(pair), max(pair)) for pair in raw.pairs(raw.antonym)}))
    learned = [*division.training, *division.validation]
    known = {(a, b) for pair in learned for a, b in (pair, pair[::-1])}
    questions = [*division.test, *((b, a) for a, b in division.test)]
    model = vbn.VBN(
        dim=16,
        epochs=6,
        negatives=2,
        subsample=1e-4,
        alpha={"entity": 10.0},
        verbose=False,
    ).fit(data.with_relation("antonym", learned, symmetric=True))
    trained = model.trained_
    candidates = np.flatnonzero(trained.columns.counts > 0)
    above = {
        name: [ranked_shares(score, trained.rows, candidates, questions, known)]
        for name, score in _rankings(model, {"relation_dial": 0.2, "cosine_dial": 0.04}, candidates)
    }
    return AntonymResult(questions, above, len(candidates), len(learned))


def test_opposites_are_found_by_their_relation(opposites):
    found = {
        name: SimpleNamespace(hits=opposites.by_seed(name, "HR@1%")[0], rank=opposites.by_seed(name, "MPR")[0])
        for name in opposites.above
    }
    assert len(opposites.questions) > 400
    assert found["VBN"].hits > 20
    assert found["VBN"].rank > 85
    assert found["VBN"].hits > found["VBN w/o relations"].hits + 10
    assert found["VBN"].rank > found["VBN w/o relations"].rank + 5
