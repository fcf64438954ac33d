"""The questions about phenotypes in small, with floors that broken models miss, and what may be asked at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

import vbn
from reproduction import reproduce
from reproduction.__main__ import main
from reproduction.cache import Cache
from reproduction.interactions import reproduce_domain
from reproduction.judging import Asking, ranks
from reproduction.masking import DROPPED, GIVEN, TEST, TRAIN, Masked, by_time, cold_users
from reproduction.models import BY_KEY, NO_PARAMETER, models_of
from reproduction.phenotypes import KNOWN, known_bin, seen_bin, with_questions
from reproduction.report import read_results
from reproduction.rivals import OntologyAlone, OntologyNeighbours
from reproduction.running import Options, Progress
from reproduction.runs import NEW_USERS, TIME, Runner, split_of
from reproduction.tests.ontology import domain as simulated_domain
from reproduction.tests.ontology import simulated
from reproduction.winners import settings
from vbn import DataError, ParameterError
from vbn.datasets import Interactions


@pytest.fixture(scope="module")
def domain():
    return simulated_domain()


@pytest.fixture(scope="module")
def result(domain, tmp_path_factory):
    """All questions with the models of a quick run."""
    silent = Progress("phenotypes", tell=lambda _: None)
    small = {
        key: {**values, **({"dim": 16, "epochs": 10} if "epochs" in values else {})}
        for key, values in settings("simulated").items()
    }
    cache = Cache(tmp_path_factory.mktemp("cache"))
    options = Options(quick=True)
    found = reproduce_domain(domain, options, cache, silent, small)
    return with_questions(found, domain, options, Runner(cache, silent), small)


def figures(result, title):
    table = next(table for table in result.tables if table.title == title)
    return {row.name: dict(zip(table.columns, (cell.value for cell in row.cells), strict=True)) for row in table.rows}


def test_masked_phenotypes_are_found_again(result):
    lines = figures(result, "All models")
    ours, without, alone = lines[NO_PARAMETER], lines["VBN without taxonomy (BSG)"], lines["Ontology alone, Resnik"]
    assert ours["MPR full"] > max(90, without["MPR full"] + 10, alone["MPR full"])
    assert ours["HR@10% full"] > max(75, without["HR@10% full"] + 20)
    assert ours["MPR rare"] > max(85, without["MPR rare"] + 35)
    assert ours["MPR among cold"] > 88
    assert lines["VBN"]["MPR full"] > 87
    assert alone["MPR among cold"] > 85


def test_new_diseases_and_those_of_later_years(result):
    for title in ("Diseases that training has not seen", "By time"):
        lines = figures(result, title)
        assert lines[NO_PARAMETER]["MPR full"] > max(89, lines["EASE"]["MPR full"] + 10)
        assert lines[NO_PARAMETER]["MPR rare"] > 85
        assert lines["VBN"]["MPR full"] > 87
        assert lines["Neighbours by the ontology"]["MPR full"] > 80
    assert {found.role for found in result.verdicts} >= {NEW_USERS, TIME}
    assert not [table for table in result.tables if table.role == "inference"]  # the paper has no such domain


def test_by_how_many_are_known_has_all_cases(result, domain):
    known, seen = (table for table in result.tables if table.title.startswith("By how many"))
    assert known.columns[:4] == ("HR@10%, 1 to 4", "HR@10%, 5 to 9", "HR@10%, 10 to 19", "HR@10%, 20 or more")
    assert seen.columns[:3] == ("HR@10%, 0", "HR@10%, 1", "HR@10%, 2 to 3")
    split = split_of(domain, "masking", 0)
    found = known_bin(split.masked)
    assert np.bincount(found, minlength=len(KNOWN)).sum() == len(split.masked.cases()[0])
    data = split.masked.interactions
    user = split.masked.cases()[0][0]
    known = (split.masked.training() & (data.user == user)).sum()
    assert KNOWN[found[0]] <= known
    assert ((seen_bin(split.masked) == 0) == (split.masked.counts()[split.masked.cases()[1]] == 0)).all()


def test_what_is_known_implies_its_ancestors_and_no_target(domain):
    whole = simulated()
    for kind in ("masking", "cold", NEW_USERS, TIME):
        masked = split_of(domain, kind, 0).masked
        data = masked.interactions
        users, items = masked.not_asked()
        hidden = set(zip(users.tolist(), items.tolist(), strict=True))
        known = masked.known()
        place = {name: number for number, name in enumerate(data.items)}
        expected = {
            (user, place[name])
            for user, item in zip(data.user[known].tolist(), data.item[known].tolist(), strict=True)
            for name in whole.ancestors(data.items[item])
            if name in place
        }
        assert hidden == expected
        assert not hidden & set(zip(*(part.tolist() for part in masked.cases()), strict=True))


def test_new_users_are_unknown_in_training_and_tell_half(domain):
    masked = cold_users(domain.interactions, 4, seed=3)
    data, part = masked.interactions, masked.part
    new = np.unique(data.user[part != TRAIN])
    assert len(new) == round(0.05 * (np.bincount(data.user) >= 4).sum())
    for user in new:
        own = part[data.user == user]
        assert set(own) == {GIVEN, TEST}
        assert (own == GIVEN).sum() == len(own) // 2
    assert (cold_users(domain.interactions, 4, seed=3).part == part).all()
    with pytest.raises(ParameterError, match="share=0"):
        cold_users(domain.interactions, 4, share=0)
    with pytest.raises(DataError, match="no user has 99"):
        cold_users(domain.interactions, 99)


def test_by_time_asks_for_what_is_new_and_does_not_follow():
    rows = [("a", "x", 1.0, 5), ("a", "y", 1.0, 9), ("a", "w", 1.0, 9), ("b", "y", 1.0, 9), ("c", "x", 1.0, -1)]
    liked = Interactions.collect(rows)  # items w, x, y
    assert by_time(liked, 6).part.tolist() == [TRAIN, TEST, TEST, DROPPED, TRAIN]
    implied = csr_array(([1], ([1], [0])), shape=(3, 3))  # who has x has w
    assert by_time(liked, 6, implied=implied).part.tolist() == [TRAIN, TEST, DROPPED, DROPPED, TRAIN]
    assert by_time(liked, 6, until=10).part.tolist() == by_time(liked, 6).part.tolist()
    with pytest.raises(DataError, match="nothing to ask for"):
        by_time(liked, 6, until=8)
    with pytest.raises(DataError, match="nothing to ask for"):
        by_time(liked, 100)


def test_new_users_are_asked_by_lists_and_others_by_name(domain, tmp_path):
    runner = Runner(Cache(tmp_path), Progress("x", tell=lambda _: None))
    split = split_of(domain, NEW_USERS, 0)
    record = runner.run(BY_KEY["popularity"], split, settings("simulated"), 0)
    assert record.arrays["above"].shape[1] == len(split.masked.cases()[0])
    assert split.by_list
    assert not split_of(domain, TIME, 0).by_list
    with pytest.raises(ParameterError, match="no pairs to split by time"):
        split_of(replace(domain, dated=None), TIME, 0)


def test_what_only_new_users_have_is_no_part_of_their_list():
    rows = [("a", "x", 1.0, 1), ("a", "y", 1.0, 1), ("b", "y", 1.0, 1), ("b", "z", 1.0, 1), ("c", "z", 1.0, 1)]
    liked = Interactions.collect(rows)
    for new, given in (("a", "x"), ("b", "z")):
        part = [GIVEN if (user, item) == (new, given) else TEST if user == new else TRAIN for user, item, *_ in rows]
        masked = Masked(liked, np.array(part, np.int8))
        kept = liked.keep(masked.training())
        ease = vbn.baselines.EASE().fit(vbn.Dataset.from_interactions(*kept.columns()))
        above, others = ranks(ease, masked, asking=Asking("items"))
        assert others.tolist() == [1.0]
        assert above.shape == (1, 1)


def test_the_paper_s_models_are_left_out_and_the_ontology_s_come_in(domain):
    keys = [model.key for model in models_of(domain)]
    assert {"vbn", "vbn-default", "bsg", "ease", "resnik", "lin", "simgic"} <= set(keys)
    assert not {"sg", "vbn-items", "bsg-r-items"} & set(keys)


TREE = {"poodle": "dog", "husky": "dog", "dog": "animal", "tabby": "cat", "lion": "cat", "cat": "animal"}


@pytest.fixture
def animals():
    pairs = [("a", "poodle"), ("a", "tabby"), ("b", "poodle"), ("c", "husky"), ("d", "lion")]
    return vbn.Dataset.from_interactions(*zip(*pairs, strict=True)).with_taxonomy(TREE)


def content(n):
    return np.log(5 / (n + 1))


@pytest.mark.parametrize(
    ("measure", "match", "expected"),
    [
        ("resnik", "best", content(3)),
        ("resnik", "mean", (content(3) + content(4)) / 2),
        ("resnik", "average", (content(3) + (content(3) + content(4)) / 2) / 2),
        ("lin", "best", content(3) / ((content(1) + content(2)) / 2)),
    ],
)
def test_likeness_by_hand(measure, match, expected, animals):
    model = OntologyAlone(measure=measure, match=match).fit(animals)
    found = model.scores([["poodle", "tabby"]])[0][animals.columns.id("husky")]
    largest = content(1) if measure == "resnik" else 1.0
    assert found == pytest.approx(expected / largest, rel=1e-5)


def test_frequency_is_added_and_a_stranger_has_a_score(animals):
    data = animals.with_taxonomy({**TREE, "setter": "dog"})
    plain, frequent = (OntologyAlone(frequency=f).fit(data).scores([["poodle"]])[0] for f in (0.0, 0.5))
    at = {name: data.columns.id(name) for name in ("husky", "setter", "tabby")}
    assert plain[at["setter"]] == pytest.approx(plain[at["husky"]])
    assert plain[at["setter"]] > plain[at["tabby"]]
    assert frequent[at["husky"]] - plain[at["husky"]] == pytest.approx(0.5 * np.log(2) / np.log(5))
    assert frequent[at["setter"]] == pytest.approx(plain[at["setter"]])


def test_neighbours_by_hand(animals):
    scores = OntologyNeighbours(neighbours=4).fit(animals).scores([["husky"]])[0]
    asked = {"husky": content(1), "dog": content(3), "animal": content(4)}
    b = {"poodle": content(2), "dog": content(3), "animal": content(4)}
    common = content(3) + content(4)
    of_b = common / (sum(asked.values()) + sum(b.values()) - common)
    a = {**b, "tabby": content(1), "cat": content(2)}
    of_a = common / (sum(asked.values()) + sum(a.values()) - common)
    assert scores[animals.columns.id("poodle")] == pytest.approx(of_a + of_b)
    assert scores[animals.columns.id("husky")] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "model",
    [
        OntologyAlone(measure="jaccard"),
        OntologyAlone(match="worst"),
        OntologyAlone(frequency=-1.0),
        OntologyNeighbours(neighbours=0),
        OntologyNeighbours(power=0.0),
    ],
)
def test_parameters_of_the_ontology_models_are_checked(model, animals):
    with pytest.raises(ParameterError):
        model.fit(animals)


def test_they_need_an_ontology():
    with pytest.raises(DataError, match="with_taxonomy"):
        OntologyAlone().fit(vbn.Dataset.from_interactions(["a"], ["x"]))


def test_from_the_package_to_a_report(tmp_path, monkeypatch):
    monkeypatch.setattr("reproduction.domains.load_phenotypes", lambda: simulated(60))
    md, _, js = reproduce(["phenotypes"], tmp_path, tmp_path / "out", Options(quick=True), tell=lambda _: None)
    text = md.read_text(encoding="utf-8")
    for heading in ("Phenotypes", "Diseases that training has not seen", "By time", "Ontology alone, Resnik"):
        assert heading in text
    assert "is behind no rival for what was curated later" in text
    (result,) = read_results(js)
    assert result.facts["by_time_cases"] > 50
    assert "simulated" in result.text  # whom to name as the source


def test_only_this_domain_needs_no_folder(capsys):
    for domain in ("movies", "all"):
        with pytest.raises(SystemExit):
            main([domain])
        assert "--data is needed" in capsys.readouterr().err
