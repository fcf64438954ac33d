"""A small reproduction from data to report, with floors for accuracy."""

from __future__ import annotations

import csv
import json
import re

import pytest

from reproduction import Options, reproduce
from reproduction.cache import Cache
from reproduction.interactions import n_maskings, reproduce_domain
from reproduction.models import ALL, BY_KEY, Model
from reproduction.pool import Cases
from reproduction.report import about, read_results, write_report
from reproduction.running import Progress
from reproduction.runs import Runner, split_of
from reproduction.search import search
from reproduction.tests.shop import shop
from reproduction.winners import read_winner, settings, variants, write_winner
from vbn import DataError, ParameterError


def parameters():
    """Those of the experiments, with the library's own prior, which suits a small shop better."""
    chosen = settings("shop")
    return {key: {**one, **({"prior_weight": 1.0} if "prior_weight" in one else {})} for key, one in chosen.items()}


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """The shop with the models of a quick run, trained in full; its cache; the lines of progress."""
    domain, lines = shop(tmp_path_factory.mktemp("shop")), []
    cache = Cache(tmp_path_factory.mktemp("cache"))
    result = reproduce_domain(domain, Options(quick=True), cache, Progress("shop", tell=lines.append), parameters())
    return domain, cache, result, lines


def figures(result, table=1):
    table = result.tables[table]
    return {row.name: dict(zip(table.columns, (cell.value for cell in row.cells), strict=True)) for row in table.rows}


def test_the_shop_is_as_easy_for_vbn_as_it_was(reproduced):
    found = figures(reproduced[2])
    ours, without = found["VBN"], found["VBN without taxonomy (BSG)"]
    assert ours["HR@10% full"] > 60
    assert ours["MPR full"] > 85
    assert ours["MPR rare"] > without["MPR rare"] + 20
    assert ours["MPR cold"] > 70
    assert ours["MPR among cold"] > 55
    assert without["MPR cold"] is None
    assert found["Popularity"]["HR@10% rare"] == 0
    assert 50 < found["Popularity"]["HR@10% full"] < ours["HR@10% full"]


def test_the_prior_of_the_experiments_favours_what_is_rare_or_new(reproduced):
    domain, cache, *_ = reproduced
    runner = Runner(cache, Progress("shop", tell=lambda _: None))
    splits = split_of(domain, "masking", 0), split_of(domain, "cold", 0)
    masked, new = (runner.run(BY_KEY["vbn"], split, settings("shop"), 0) for split in splits)
    share = 100 * (1 - masked.arrays["above"][0] / masked.arrays["others"])
    rare = Cases.of(splits[0].masked, "test").rare
    assert share.mean() > 82
    assert share[rare].mean() > 66
    assert 100 * (1 - new.arrays["above_within"][0] / new.arrays["others_within"]).mean() > 75


def test_one_position_of_the_dial_is_ahead_of_popularity_in_all_four(reproduced):
    found = next(found for found in reproduced[2].verdicts if found.role == "dominance")
    place = found.rivals.index("Popularity")
    position, *standings = found.remarks[place]
    assert position.startswith("dial ")
    assert standings[:2] == ["dominated", "dominated"]
    assert all(low <= lead <= high and lead >= 0 for lead, low, high in found.differences[place])


def test_a_second_call_trains_nothing_and_finds_the_same(reproduced, monkeypatch):
    domain, cache, result, _ = reproduced
    monkeypatch.setattr(Runner, "_computed", lambda *_: pytest.fail("trained again"))
    lines = []
    again = reproduce_domain(domain, Options(quick=True), cache, Progress("shop", tell=lines.append), parameters())
    assert (again.tables, again.verdicts, again.pictures) == (result.tables, result.verdicts, result.pictures)
    assert all("from the cache" in line for line in lines)


def test_other_parameters_redo_that_model_only(reproduced, monkeypatch):
    domain, cache, *_ = reproduced
    trained = []
    compute = Runner._computed
    monkeypatch.setattr(
        Runner, "_computed", lambda self, model, *rest: trained.append(model.key) or compute(self, model, *rest)
    )
    changed = {**parameters(), "ease": {"regularization": 50.0}}
    reproduce_domain(domain, Options(quick=True), cache, Progress("shop", tell=lambda _: None), changed)
    assert trained == ["ease"]


def test_progress_says_how_far_it_is_and_how_long_it_takes_yet(reproduced):
    lines = reproduced[3]
    assert re.match(r"shop 1/\d+ VBN, masking 1 \(\d+ s; about .* left\)", lines[0])
    total = len(lines)
    assert lines[-1].startswith(f"shop {total}/{total} ")


def test_a_report_without_most_models_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(Model, "installed", property(lambda self: not self.package))
    monkeypatch.setattr("reproduction.interactions.RARE_CASES", 1)
    few = {key: {**values, **({"epochs": 2} if "epochs" in values else {})} for key, values in settings("shop").items()}
    progress = Progress("shop", tell=lambda _: None)
    result = reproduce_domain(shop(tmp_path, 80), Options(seeds=2), Cache(tmp_path / "cache"), progress, few)
    md, html, js = write_report((result,), tmp_path / "report", about())
    text, page = md.read_text(encoding="utf-8"), html.read_text(encoding="utf-8")
    for model in ALL:
        assert model.name in text
        assert model.name in page
        if model.package:
            assert f"{model.name}: {model.package} is not installed" in text
    assert "±" in text
    assert not re.search(r'(src|href)="(?!#)', page)
    drawn = 1 + sum(bool(picture.series) for picture in result.pictures)  # and the long tail of all domains
    assert page.count("<svg") == drawn == len(list((tmp_path / "report" / "pictures").glob("*.png")))
    assert len(set(re.findall(r'id="([^"]*)"', page))) == len(re.findall(r'id="([^"]*)"', page))
    assert read_results(js) == (result,)
    assert json.loads(js.read_text(encoding="utf-8"))["about"]["versions"]["vbn"]


def test_markdown_and_html_show_the_winner_and_the_paper(tmp_path):
    from reproduction.tests.test_results import RESULT

    md, html, _ = write_report((RESULT,), tmp_path, about())
    text = md.read_text(encoding="utf-8")
    assert "| **VBN** | 80.2 ± 0.3 (paper 39.4) | **93.0 ± 0.1** |" in text
    assert "| ALS | **80.3 ± 0.2** |" in text
    assert "= +0.1 [-0.2, 0.4]" in text
    assert "0 ahead, 1 level, 0 behind" in text
    assert "<td class=wins>93.0 <small>± 0.1</small></td>" in html.read_text(encoding="utf-8")


def test_a_broken_report_is_refused(tmp_path):
    (tmp_path / "report.json").write_text("{}")
    with pytest.raises(DataError, match=r"report\.json is not the report"):
        read_results(tmp_path / "report.json")


def music_of(folder, domain):
    """The shop in the layout of the music data."""
    with (folder / "interactions.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = ((*row, 1, n) for n, row in enumerate(zip(*domain.interactions.columns(), strict=True)))
        csv.writer(stream).writerows([("user", "item", "weight", "order"), *rows])
    kind = {child: parent for child, parent, _ in domain.edges()}
    with (folder / "items.csv").open("w", encoding="utf-8", newline="") as stream:
        items = ((item, item, kind[kind[item]], kind[item]) for item in domain.interactions.items)
        csv.writer(stream).writerows([("item", "title", "artist", "album"), *items])


def test_a_domain_from_files_to_a_report_that_keeps_the_others(tmp_path):
    from reproduction.tests.test_results import RESULT

    music_of(tmp_path, shop(tmp_path / "shop", 60))
    write_report((RESULT,), tmp_path / "out", about())
    lines = []
    paths = reproduce(["music"], tmp_path, tmp_path / "out", Options(quick=True), tell=lines.append)
    assert [result.name for result in read_results(paths[2])] == ["movies", "music"]
    assert "Its figures mean nothing" in paths[0].read_text(encoding="utf-8")
    assert lines[0].startswith("music: 60 users")


def test_several_processes_find_what_one_finds(tmp_path):
    music_of(tmp_path, shop(tmp_path / "shop", 60))
    found = []
    for processes in (1, 2):
        out, lines = tmp_path / f"out{processes}", []
        options = Options(quick=True, processes=processes)
        found.append(read_results(reproduce(["music"], tmp_path, out, options, tell=lines.append)[2])[0])
    ahead = next(number for number, line in enumerate(lines) if "trainings in" in line)
    assert ahead > 5
    assert all("from the cache" in line for line in lines[ahead + 1 :])
    one, two = (
        [tuple(row.cells[:-1]) for row in result.tables[1].rows] for result in found
    )  # the last column is seconds
    assert one == two
    assert found[0].verdicts == found[1].verdicts


def test_domains_that_do_not_exist_are_refused_before_anything_runs(tmp_path):
    with pytest.raises(ParameterError, match="'books'"):
        reproduce(["books"], tmp_path, tmp_path / "out")
    with pytest.raises(ParameterError, match="seeds=0"):
        Options(seeds=0)
    with pytest.raises(ParameterError, match="processes=0"):
        Options(processes=0)


@pytest.mark.parametrize(("rare", "seeds", "wanted"), [(98, 3, 11), (40, 3, 25), (1630, 3, 3), (0, 3, 30), (500, 1, 2)])
def test_enough_maskings_for_the_rare_cases(rare, seeds, wanted):
    assert n_maskings(rare, seeds) == wanted


def test_a_search_tries_the_default_first_and_is_resumed_from_the_cache(tmp_path, monkeypatch):
    domain, lines = shop(tmp_path / "shop", 80), []
    models = (BY_KEY["ease"], BY_KEY["popularity"])
    cache = Cache(tmp_path / "cache")
    found = search(domain, 4, cache, Progress("s", tell=lines.append), tmp_path / "w", maskings=1, models=models)
    assert [line.split(" (")[0] for line in lines] == [f"s {n}/4 EASE, validation 1" for n in range(1, 5)]
    assert found.keys() == {"ease"}
    assert {variant.key for variant in variants("shop", folder=tmp_path / "w")[0]} <= {"ease@full", "ease@rare"}
    assert settings("shop", folder=tmp_path / "w")["ease"] == found["ease"]
    monkeypatch.setattr(Runner, "_computed", lambda *_: pytest.fail("trained again"))
    again = search(domain, 4, cache, Progress("s", tell=lambda _: None), tmp_path / "w2", maskings=1, models=models)
    assert again == found
    one = search(domain, 1, cache, Progress("s", tell=lambda _: None), tmp_path / "w3", maskings=1, models=models)
    assert one["ease"] == BY_KEY["ease"].defaults


def test_rivals_tuned_for_one_end_are_compared_with_the_dial(tmp_path):
    write_winner(tmp_path / "w" / "shop" / "ease.toml", {}, {}, {"rare": {"regularization": 1.0}})
    others, theirs = variants("shop", folder=tmp_path / "w")
    assert theirs == {"ease@rare": {"regularization": 1.0}}
    progress = Progress("shop", tell=lambda _: None)
    parameters = {**settings("shop", quick=True), **theirs}
    domain = shop(tmp_path / "shop", 80)
    result = reproduce_domain(domain, Options(quick=True), Cache(tmp_path / "c"), progress, parameters, others)
    assert result.verdicts[-1].rivals == ("EASE, tuned for rare",)
    assert all(entry is not None for entry in result.verdicts[-1].differences[0])
    full_against_rare = next(picture for picture in result.pictures if "pareto" in picture.name)
    assert {series.name: len(series.x) for series in full_against_rare.series}["EASE"] == 2


def test_winners_come_back_as_they_were_written(tmp_path):
    parameters = {"dim": 50, "noise_power": 0.5, "loss": "warp", "binary": True, "alpha": {"entity": 10.0}}
    write_winner(tmp_path / "a" / "vbn.toml", parameters, {"HR@10% full": 80.0, "trials": 3})
    assert read_winner(tmp_path / "a" / "vbn.toml") == parameters
    assert settings("a", folder=tmp_path)["vbn"]["loss"] == "warp"
    (tmp_path / "a" / "vbn.toml").write_text("dim = 50")
    with pytest.raises(DataError, match=r"no table \[parameters\]"):
        settings("a", folder=tmp_path)
    (tmp_path / "a" / "vbn.toml").write_text("dim = ")
    with pytest.raises(DataError, match="no toml file"):
        settings("a", folder=tmp_path)
