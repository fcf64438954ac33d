"""`VBN()` beside the tuned models: how it is run, where it stands, and what is claimed of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import reproduction.models
from reproduction.cache import Cache
from reproduction.claims import FAILS, HOLDS, IN_PART, claims
from reproduction.interactions import reproduce_domain
from reproduction.judging import ranks
from reproduction.models import ALL, BY_KEY, NO_PARAMETER, TUNED_RIVALS
from reproduction.opening import opening
from reproduction.results import Cell, DomainResult, Row, Table, Verdicts
from reproduction.running import Options, Progress
from reproduction.runs import Runner, identity, split_of
from reproduction.search import SPACES
from reproduction.tests.shop import shop
from reproduction.tests.test_opening import AHEAD, BEHIND, FOUR, LEVEL, found
from reproduction.tests.test_opening import domain as tuned_only
from reproduction.winners import FOLDER, settings
from vbn import VBN
from vbn.baselines import as_scorer

MODEL = BY_KEY["vbn-default"]


@pytest.fixture(scope="module")
def domain(tmp_path_factory):
    return shop(tmp_path_factory.mktemp("shop"), 60)


def silent():
    return Progress("shop", tell=lambda _: None)


def test_nothing_is_given_searched_for_or_kept_in_a_file(domain):
    assert MODEL.key not in SPACES
    assert not list(FOLDER.glob(f"*/{MODEL.key}.toml"))
    for name in ("movies", "music", "medical"):
        assert settings(name)[MODEL.key] == {}
    assert settings("movies", quick=True)[MODEL.key] == {"epochs": 3}
    split = split_of(domain, "masking", 0)
    fitted = MODEL.fit(split.data(MODEL.setting), {}, 7)
    assert fitted.get_params() == VBN(seed=7, verbose=False).get_params()


def test_it_is_trained_on_the_first_taxonomy_with_users_as_rows(domain):
    first = next(iter(domain.taxonomies))
    two = replace(domain, taxonomies={first: domain.taxonomies[first], "none": list}, _made={})
    split = split_of(two, "masking", 0)
    assert identity(MODEL, split, settings("shop"), 0)["taxonomy"] == two.taxonomy_hash(first)
    assert MODEL.setting == "users x items"


def test_the_dial_of_the_fit_is_one_switch(domain, tmp_path, monkeypatch):
    split, small = split_of(domain, "masking", 0), {**settings("shop"), MODEL.key: {"epochs": 3}}
    before = identity(MODEL, split, small, 0)
    monkeypatch.setattr(reproduction.models, "DIAL_OF_THE_FIT", 2.0)
    assert identity(MODEL, split, small, 0) != before
    record = Runner(Cache(tmp_path), silent()).run(MODEL, split, small, 0)
    fitted = VBN(epochs=3, seed=0, verbose=False).fit(split.data(MODEL.setting, next(iter(domain.taxonomies))))
    turned, _ = ranks(as_scorer(fitted, popularity=2.0, affinity=True), split.masked, "test", MODEL.asking)
    np.testing.assert_array_equal(record.arrays["above"], turned)
    assert record.facts["dial"] == []
    assert record.facts["never_seen"].keys() == {"in_top_tens", "in_catalogue"}


def test_it_stands_beside_the_tuned_one_with_five_seeds(domain, tmp_path, monkeypatch):
    keys = ("vbn", "vbn-default", "vbn-items", "ease", "popularity", "cmf")
    models = tuple(model for model in ALL if model.key in keys and model.installed)
    monkeypatch.setattr("reproduction.interactions.ALL", models)
    monkeypatch.setattr("reproduction.interactions.RARE_CASES", 1)
    few = {key: {**one, **({"epochs": 1, "dim": 4} if "epochs" in one else {})} for key, one in settings("s").items()}
    few[MODEL.key] = {"epochs": 1, "dim": 4}
    result = reproduce_domain(domain, Options(seeds=5), Cache(tmp_path), silent(), few)
    assert result.facts["seeds"] == result.facts["maskings"] == 5
    for table in result.tables[:2]:
        names = [row.name for row in table.rows]
        assert names.index(NO_PARAMETER) == names.index("VBN") + 1
        row = table.rows[names.index(NO_PARAMETER)]
        assert row.ours
        assert all(cell.value is not None and cell.spread is not None for cell in row.cells[:4])
    assert any(row.name.startswith(NO_PARAMETER) for row in result.tables[2].rows)
    by_role = {found.role: found for found in result.verdicts}
    against = by_role["no parameter"]
    assert set(against.rivals) == {BY_KEY[key].name for key in TUNED_RIVALS} & {model.name for model in models}
    assert against.columns == (*FOUR, "MPR among cold")
    assert against.differences[against.rivals.index("EASE")][-1] is None
    assert all(low <= lead <= high for lead, low, high in by_role["no parameter, tuned"].differences[0])
    assert NO_PARAMETER not in by_role["all"].rivals
    assert by_role["first ten, no parameter"].columns == ("HR@10 full", "NDCG@10 full")
    assert NO_PARAMETER in [row.name for row in opening((result,)).tables[0].rows]
    words = {claim.what for claim in claims((result,))}
    assert f"{NO_PARAMETER} is level with EASE in NDCG@10 or ahead" in words
    assert f"{NO_PARAMETER}, is within one point of the tuned VBN or ahead of it" in words


def with_verdicts(*made, name="movies"):
    table = Table("All", ("NDCG@10 full",), (Row("EASE", (Cell(20.0),)), Row("VBN", (Cell(19.0),))))
    return DomainResult(name, name.title(), tables=(table,), verdicts=made)


def against(full, rare, cold, role="no parameter", rivals=("ALS", "LightFM")):
    lines = tuple((full, full, rare, rare, None if rival == "ALS" else cold) for rival in rivals)
    return Verdicts("", (*FOUR, "MPR among cold"), rivals, lines, role=role)


def test_every_slice_has_a_claim_of_its_own():
    result = with_verdicts(against(LEVEL, BEHIND, AHEAD))
    start = f"{NO_PARAMETER}, is level with every tuned rival or ahead"
    full, rare, cold = (found((result,), f"{start} {where}") for where in ("on all", "on rare", "among items"))
    assert (full.verdict, rare.verdict, cold.verdict) == (HOLDS, FAILS, HOLDS)
    assert full.found == "0 ahead, 4 level, 0 behind."
    assert rare.details == (
        "Movies: 0 ahead, 0 level, 4 behind. Behind: ALS in HR@10% rare; ALS in MPR rare; LightFM in HR@10% rare; "
        "LightFM in MPR rare.",
    )
    assert cold.found == "1 ahead, 0 level, 0 behind."
    mixed = (with_verdicts(against(AHEAD, AHEAD, None)), with_verdicts(against(BEHIND, AHEAD, None), name="music"))
    assert found(mixed, f"{start} on all").verdict == IN_PART
    assert not [claim for claim in claims(mixed) if "without any data" in claim.what]


@pytest.mark.parametrize(("lead", "verdict"), [(-0.9, HOLDS), (3.0, HOLDS), (-1.1, FAILS)])
def test_within_a_point_of_the_tuned_one_is_counted_by_figure(lead, verdict):
    entry = (lead, lead - 0.5, lead + 0.5)
    made = against(entry, entry, entry, role="no parameter, tuned", rivals=("VBN",))
    claim = found((with_verdicts(made),), f"{NO_PARAMETER}, is within one point of the tuned VBN")
    assert claim.verdict == verdict
    assert ("HR@10% full -1.1" in claim.details[0]) == (verdict == FAILS)


def first_ten(entry, role="first ten"):
    return Verdicts("", ("HR@10 full", "NDCG@10 full"), ("ALS", "EASE"), ((AHEAD, AHEAD), (AHEAD, entry)), role=role)


def test_the_first_ten_are_compared_with_ease_and_the_gap_is_relative():
    results = (with_verdicts(first_ten(LEVEL)), with_verdicts(first_ten((-1.0, -1.5, -0.5)), name="music"))
    claim = found(results, "VBN is level with EASE in NDCG@10")
    assert claim.verdict == IN_PART
    assert claim.found == "In 1 of 2 domains."
    assert claim.details == (
        "Movies: level, 20.5 against 20.0 (+2.5 %).",
        "Music: behind, 19.0 against 20.0 (-5.0 %).",
    )
    without = (with_verdicts(first_ten(BEHIND, "first ten, no parameter")),)
    assert found(without, f"{NO_PARAMETER} is level with EASE").verdict == FAILS


def test_word_similarity_without_a_parameter_is_compared_with_the_tuned_one_too():
    lines = ((BEHIND, LEVEL), (AHEAD, AHEAD))
    columns = ("average, known pairs", "average, rare pairs")
    made = Verdicts("", columns, ("VBN", "SG"), lines, role="similarity, no parameter")
    claim = found((with_verdicts(made, name="words"),), "Word similarity: VBN, no parameter")
    assert claim.verdict == HOLDS
    assert claim.found == "2 ahead, 0 level, 0 behind."
    assert claim.details[0] == "average, known pairs: -2.0 [-3.0, -1.0] against the tuned VBN."


def test_amounts_are_claimed_of_a_tenth_and_of_the_best_weight():
    columns = tuple(f"{share} % of the users, {part}" for share in (1, 10) for part in ("full", "rare"))
    rivals = Verdicts("", columns, ("ALS",), ((BEHIND, BEHIND, AHEAD, LEVEL),), role="amounts")
    claim = found((with_verdicts(rivals),), "On a tenth of the users")
    assert claim.verdict == HOLDS
    assert claim.found == "1 ahead, 1 level, 0 behind."
    near, far = (-0.5, -2.0, 1.0), (-3.0, -4.0, -2.0)
    lines = ((AHEAD, near, AHEAD, None), (AHEAD, AHEAD, far, None))
    weights = Verdicts("", columns, ("VBN, weight 1", "VBN, weight 30"), lines, role="weights")
    claim = found((with_verdicts(weights),), f"{NO_PARAMETER}, is within one point of the fixed weight")
    assert claim.verdict == IN_PART
    assert claim.found == "In 2 of 3 figures."
    assert "10 % of the users, full -3.0 (VBN, weight 30)" in claim.details[0]


def test_reports_from_before_claim_and_show_what_they_did():
    assert not [claim for claim in claims((tuned_only(),)) if NO_PARAMETER in claim.what]
    table = opening((tuned_only(),)).tables[0]
    assert NO_PARAMETER not in [row.name for row in table.rows]
    assert "All were tuned" in table.text


def test_the_readme_has_the_row():
    from reproduction.report import readme_part

    plain = tuned_only()
    table = plain.tables[0]
    row = replace(table.rows[0], name=NO_PARAMETER, cells=tuple(replace(c, paper=None) for c in table.rows[0].cells))
    rows = (table.rows[0], row, *table.rows[1:])
    result = replace(plain, tables=(replace(table, rows=rows), *plain.tables[1:]), facts={"seeds": 5})
    assert f"| **{NO_PARAMETER}** | **40.0** / 25.0 / " in readme_part((result,), "docs/results")
