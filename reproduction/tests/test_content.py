"""Taxonomy, text or both in small: what is trained on, the ridge regression, and the rows of a report."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import vbn
from reproduction.cache import Cache
from reproduction.claims import claims
from reproduction.content import COLD, MASKING, content_models, with_content
from reproduction.interactions import _plan
from reproduction.masking import ITEMS, USERS
from reproduction.models import BY_KEY, CONTENT, NO_PARAMETER
from reproduction.results import DomainResult
from reproduction.rivals import ridge_from_content
from reproduction.running import Options, Progress
from reproduction.runs import Runner, identity, split_of
from reproduction.tests.ontology import domain as simulated_domain
from reproduction.winners import settings
from vbn import DataError

ORGANS = [
    "heart",
    "kidney",
    "lung",
    "liver",
    "brain",
    "skin",
    "eye",
    "ear",
    "bone",
    "muscle",
    "stomach",
    "blood",
    "thyroid",
    "tooth",
    "tongue",
]
SIGNS = ("pain", "swelling", "infection", "malformation")
NOTHING = DomainResult("simulated", "Simulated", "")


@pytest.fixture(scope="module")
def domain():
    """Each phenotype is told by its organ and its sign, such as "form of swelling of the ear"."""
    bare = simulated_domain()
    places = {item: (int(item[1]) * 3 + int(item[3]), int(item[5])) for item in bare.interactions.items}
    return replace(
        bare, texts={item: f"{SIGNS[sign]} of the {ORGANS[organ]}" for item, (organ, sign) in places.items()}
    )


@pytest.fixture(scope="module")
def result(domain, tmp_path_factory):
    """Both tables, and the claim that is made of them."""
    pytest.importorskip("wordllama")
    runner = Runner(Cache(tmp_path_factory.mktemp("cache")), Progress("simulated", tell=lambda _: None))
    small = {key: {**values, "dim": 16} for key, values in settings("simulated").items()}
    found = NOTHING
    for kind in (COLD, MASKING):
        found = with_content(found, domain, kind, Options(quick=True), runner, small)
    return found


def test_texts_tell_items_without_data_apart(result):
    cold, masked = result.tables
    among = {row.name: row.cells[cold.columns.index("among cold, MPR")].value for row in cold.rows}
    assert list(among) == [f"{NO_PARAMETER}: taxonomy", *(model.name for model in CONTENT)]
    assert all(value > 75 for value in among.values()), among
    assert among["VBN, taxonomy and text"] > among[f"{NO_PARAMETER}: taxonomy"] - 3
    full = {row.name: row.cells[masked.columns.index("MPR full")].value for row in masked.rows}
    assert all(value > 80 for value in full.values()), full
    assert [row.ours for row in cold.rows] == [True, True, True, False]


def test_both_stand_against_either_and_a_claim_counts_them(result):
    assert [found.role for found in result.verdicts] == ["content", "text alone"] * 2
    both, text = result.verdicts[:2]
    assert both.rivals == (f"{NO_PARAMETER}: taxonomy", "VBN, text", "Ridge from text after the fit")
    assert text.rivals == (f"{NO_PARAMETER}: taxonomy", "Ridge from text after the fit")
    assert both.columns == result.tables[0].columns
    assert all(len(line) == len(both.columns) for line in both.differences)
    (claim,) = claims((result,))
    assert "never behind VBN with the taxonomy alone" in claim.what
    assert len(claim.details) == 2


def test_runs_ahead_include_them(domain):
    plan = _plan(domain, Options(quick=True), ())
    wanted = [model.key for model in plan[COLD, 0]]
    assert len(set(wanted)) == len(wanted)
    assert {model.key for model in content_models(domain)} <= set(wanted)
    assert "vbn-text" not in [model.key for model in plan[MASKING, 0]]


def test_without_texts_or_without_the_extra_nothing_is_run(domain, monkeypatch):
    runner = Runner(None, Progress("simulated", tell=lambda _: None))
    given = (COLD, Options(quick=True), runner, {})
    assert with_content(NOTHING, replace(domain, texts={}), *given) is NOTHING
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    noted = with_content(NOTHING, domain, *given)
    assert noted.notes == ("Models that read texts: the extra 'text' is not installed.",)
    assert with_content(noted, domain, *given) is noted
    assert content_models(domain) == ()


def test_cold_items_are_there_with_their_texts_alone(domain):
    pytest.importorskip("wordllama")
    split = split_of(domain, "cold", 0)
    cold = {split.masked.interactions.items[n] for n in np.flatnonzero(split.masked.counts() == 0)}
    for setting in (USERS, ITEMS):
        told = split.data(setting, text=True)
        assert cold <= set(told.columns)
        assert told.column_taxonomy is None
        assert told.shared == (setting == ITEMS)
        assert all(told.column_features.known[told.columns.id(item)] for item in cold)
        assert told.counts.nnz == split.data(setting).counts.nnz
    both = split.data(USERS, "parents", text=True)
    assert both.column_taxonomy is not None
    assert not both.column_features.known[both.columns.id("root")]  # it has no text


def test_texts_are_part_of_what_identifies_a_run_with_texts_only(domain):
    other = replace(domain, texts={**domain.texts, "s0o0t0": "something else"})
    chosen = settings("simulated")
    for key in ("vbn-default", "vbn-text", "vbn-both", "ridge"):
        keys = [identity(BY_KEY[key], split_of(one, "cold", 0), chosen, 0) for one in (domain, other)]
        assert (keys[0] == keys[1]) == (key == "vbn-default")
        assert ("texts" in keys[0]) == BY_KEY[key].text


@pytest.fixture(scope="module")
def kinds():
    """Users of two kinds of items, told by two numbers; one item of each kind is new."""
    rng = np.random.default_rng(0)
    pairs = [(f"user {n}", f"{'ab'[n % 2]}{item}") for n in range(80) for item in rng.choice(12, 4, replace=False)]
    data = vbn.Dataset.from_interactions(*zip(*pairs, strict=True)).with_taxonomy({"a new": "item", "b new": "item"})
    told = {name: [float(name[0] == "a"), float(name[0] == "b")] for name in data.columns if name != "item"}
    return data.with_features(list(told.values()), ids=list(told))


def test_a_ridge_gives_vectors_to_what_has_no_data_only(kinds):
    model = ridge_from_content(kinds, dim=4, epochs=10)
    plain = vbn.VBN(dim=4, epochs=10, verbose=False).fit(
        vbn.Dataset(kinds.rows, kinds.columns, kinds.counts, kind=kinds.kind)
    )
    new = [kinds.columns.id(name) for name in ("a new", "b new", "item")]
    for block in ("v", "bias"):
        found, before = (getattr(one.trained_.posterior, block) for one in (model, plain))
        seen = np.setdiff1d(np.arange(len(kinds.columns)), new)
        assert (found.mean[seen] == before.mean[seen]).all()
        assert (found.variance == before.variance).all()
        assert (found.mean[new[0]] != before.mean[new[0]]).any()
    for user, own, other in (("user 0", "a new", "b new"), ("user 1", "b new", "a new")):
        mine, theirs = model.predict_proba([(user, own), (user, other)])
        assert mine > theirs
    again = ridge_from_content(kinds, dim=4, epochs=10).trained_.posterior.v.mean
    assert (again == model.trained_.posterior.v.mean).all()


def test_a_ridge_needs_content_of_some_columns(kinds):
    bare = vbn.Dataset(kinds.rows, kinds.columns, kinds.counts, kind=kinds.kind)
    with pytest.raises(DataError, match="with_text"):
        ridge_from_content(bare)
    few = bare.with_features([[1.0], [2.0]], ids=["a1", "b1"])
    with pytest.raises(DataError, match="2 columns with data and features are too few"):
        ridge_from_content(few)
