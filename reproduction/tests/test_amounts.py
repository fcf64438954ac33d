"""Score against the amount of data: shares of the users, the whole catalogue, and what is reported of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reproduction.amounts
from reproduction.amounts import OURS, amounts, amounts_of, n_draws
from reproduction.cache import Cache
from reproduction.claims import claims
from reproduction.judging import Asking, never_seen, ranks
from reproduction.masking import TEST, mask, thinned
from reproduction.models import BY_KEY, WEIGHTS, weighted
from reproduction.report import about, read_amounts, read_results, write_report
from reproduction.running import Options, Progress
from reproduction.runs import Runner, split_of
from reproduction.search import tried
from reproduction.tests.shop import shop
from reproduction.tests.test_reproduce import music_of
from reproduction.tests.test_results import RESULT
from reproduction.winners import settings
from vbn import DataError, ParameterError
from vbn.data import Vocabulary
from vbn.datasets import Interactions


@pytest.fixture(scope="module")
def domain(tmp_path_factory):
    return shop(tmp_path_factory.mktemp("shop"), 60)


def silent():
    return Progress("shop", tell=lambda _: None)


class Fixed:
    """Scores that are the same for everybody."""

    def __init__(self, items, scores):
        self.columns, self.line = Vocabulary(list(items)), np.asarray(scores, dtype=np.float64)

    def scores(self, queries):
        return np.tile(self.line, (len(list(queries)), 1))


@given(st.floats(0.05, 1.0), st.floats(0.05, 1.0), st.integers(0, 5))
def test_a_smaller_share_is_part_of_a_larger_one_and_the_catalogue_stays(one, two, seed):
    rows = [(f"u{user}", f"i{(user * 3 + n) % 40}", 1.0, -1) for user in range(30) for n in range(6)]
    masked = mask(Interactions.collect(rows), seed=seed)
    few, many = (thinned(masked, share, seed) for share in sorted((one, two)))
    assert few.interactions.items == masked.interactions.items
    assert set(np.flatnonzero(few.part == TEST)) <= set(np.flatnonzero(many.part == TEST))
    assert (few.part[few.training()] == masked.part[few.training()]).all()
    assert len(np.unique(few.cases()[0])) == max(round(min(one, two) * 30), 1)
    assert (thinned(masked, 1.0, seed).part == masked.part).all()


def test_shares_that_cannot_be_are_refused(domain):
    masked = mask(domain.interactions)
    for share in (0.0, 1.5):
        with pytest.raises(ParameterError, match="share="):
            thinned(masked, share)
    rows = [("long", item, 1.0, -1) for item in "abcdefg"] + [(f"u{n}", "a", 1.0, -1) for n in range(200)]
    alone = mask(Interactions.collect(rows))
    with pytest.raises(DataError, match="choose a larger one"):
        [thinned(alone, 0.01, seed) for seed in range(9)]


def test_items_that_nobody_in_the_share_has_are_candidates_at_the_end(domain):
    masked = thinned(mask(domain.interactions, domain.least), 0.1)
    items, unseen = domain.interactions.items, masked.counts() == 0
    assert unseen.any()
    lifted = Fixed(items, np.where(unseen, 9.0, 0.0) + np.linspace(0.0, 0.1, len(items)))
    above, others = ranks(lifted, masked, asking=Asking("row"))
    targets = masked.cases()[1]
    known = np.bincount(masked.interactions.user[masked.training()], minlength=len(masked.interactions.users))
    seen = (~unseen).sum() - known[masked.cases()[0]]
    assert (others == len(items) - known[masked.cases()[0]] - 1).all()
    assert unseen[targets].any()
    np.testing.assert_allclose(above[0][unseen[targets]], (seen + (unseen.sum() - 1) / 2)[unseen[targets]])
    with_prior, _ = ranks(lifted, masked, asking=Asking("row", prior=True))
    assert (with_prior[0][unseen[targets]] < unseen.sum()).all()


def test_never_seen_items_are_counted_in_top_tens(domain):
    masked = thinned(mask(domain.interactions, domain.least), 0.1)
    items, unseen = domain.interactions.items, masked.counts() == 0
    asking = Asking("row", prior=True)
    share = 100 * unseen.mean()
    first = never_seen(Fixed(items, np.where(unseen, 1.0, 0.0)), masked, asking)
    last = never_seen(Fixed(items, np.where(unseen, 0.0, 1.0)), masked, asking)
    assert first == {"in_top_tens": 100.0, "in_catalogue": pytest.approx(share)}
    assert last["in_top_tens"] == 0.0
    lifted = never_seen(Fixed(items, np.zeros(len(items))), masked, asking, added=np.where(unseen, 1.0, 0.0))
    assert lifted["in_top_tens"] == 100.0


def test_fixed_weights_differ_from_no_parameter_in_these_only():
    models, chosen = weighted()
    assert chosen[OURS.key] == {}
    assert len(models) == 2 * (1 + len(WEIGHTS))
    assert len({model.name for model in models}) == len(models)
    for model in models:
        assert model.taxonomy == model.asking.prior == ("without taxonomy" not in model.name)
    prior = {"entity": 30.0, "category": 30.0}
    assert chosen["vbn-default@30"] == chosen["vbn-default@30@bare"] == {"alpha": prior, "beta": prior}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The shop as music, in a folder that has a report already."""
    folder = tmp_path_factory.mktemp("data")
    music_of(folder, shop(folder / "shop", 60))
    write_report((RESULT,), folder / "out", about())
    lines = []
    options = Options(quick=True)
    paths = amounts(["music"], folder, folder / "out", (1.0, 0.5), options, tell=lines.append)
    return folder, paths, lines


def test_tables_have_a_column_for_each_share_and_a_line_for_each_model(found):
    result = read_amounts(found[0] / "out")[0]
    rivals, weights, unseen = result.tables
    assert rivals.columns == weights.columns == unseen.columns == ("50 %", "100 %")
    names = {row.name for row in rivals.rows}
    assert {"VBN, no parameter given", "EASE", "Popularity", "LightFM"} <= names
    assert {f"VBN, weight {weight:g}" for weight in WEIGHTS} < {row.name for row in weights.rows}
    assert "HR@10%, rare targets" in {row.group for row in rivals.rows}
    ours = next(row for row in rivals.rows if row.name == OURS.name)
    assert all(0 <= cell.value <= 100 for cell in ours.cells)
    half, whole = (cell.value for cell in unseen.rows[0].cells)
    assert half > whole
    assert {verdicts.role: verdicts.columns[0] for verdicts in result.verdicts} == {
        "amounts": "50 % of the users, full",
        "weights": "50 % of the users, full",
    }
    assert {series.frame for picture in result.pictures for series in picture.series} == {
        "all targets",
        "rare targets",
    }


def test_they_are_part_of_a_report_in_the_same_folder(found):
    folder, paths, _ = found
    out = folder / "out"
    assert [path.name for path in paths] == ["amounts.md", "amounts.json"]
    assert [result.name for result in read_results(out / "report.json")] == ["movies", "amounts-music"]
    for text in (paths[0], out / "report.md"):
        assert "## Music: amounts of data" in text.read_text(encoding="utf-8")
        assert "pictures/amounts-music-rivals.png" in text.read_text(encoding="utf-8")
    assert (out / "pictures" / "amounts-music-weights.png").is_file()


def test_a_second_call_runs_nothing_and_keeps_the_report_whole(found, monkeypatch):
    folder, paths, _ = found
    monkeypatch.setattr(Runner, "_computed", lambda *_: pytest.fail("trained again"))
    before = read_results(paths[1])[0]
    amounts(["music"], folder, folder / "out", (0.5, 1.0), Options(quick=True), tell=lambda _: None)
    again = read_results(paths[1])[0]
    assert (again.tables, again.verdicts, again.pictures) == (before.tables, before.verdicts, before.pictures)
    assert len(read_results(folder / "out" / "report.json")) == 2


def test_the_whole_data_is_the_run_of_the_report(domain, tmp_path):
    whole, masking = split_of(domain, "share 1.0", 0), split_of(domain, "masking", 0)
    assert whole.hash == masking.hash
    assert split_of(domain, "share 0.5", 0).hash != masking.hash


def test_every_rival_has_as_many_settings_on_a_share_and_none_on_the_whole_data(domain, tmp_path, monkeypatch):
    monkeypatch.setattr(reproduction.amounts, "RIVALS", ("popularity", "ease"))
    monkeypatch.setattr(reproduction.amounts, "TRIALS", 2)
    monkeypatch.setattr(reproduction.amounts, "_MOST", 1)
    given_none = (BY_KEY["vbn-default"], weighted()[0][1], weighted()[0][5])
    small = {model.key: {"epochs": 2, "dim": 4} for model in given_none}
    monkeypatch.setattr(reproduction.amounts, "weighted", lambda: (given_none, small))
    asked = []

    def counted(model, splits, chosen, first, trials, runner):
        found = tried(model, splits, chosen, first, trials, runner)
        asked.append((model.key, splits[0].which, len(splits[0].masked.interactions.items), len(found), first))
        return found

    monkeypatch.setattr(reproduction.amounts, "tried", counted)
    cache = Cache(tmp_path / "cache")
    result = amounts_of(domain, tmp_path, (0.5, 1.0), Options(seeds=2), cache, silent())
    tuned = settings("shop")["ease"]
    assert asked == [("ease", "validation", len(domain.interactions.items), 3, (tuned,))]
    assert result.facts["parameters"]["100 %"]["ease"] == tuned
    assert all(cell.spread is not None for cell in result.tables[0].rows[0].cells)
    made = claims((result,))
    assert any("within one point of the fixed weight" in claim.what for claim in made)


@pytest.mark.parametrize(("cases", "seeds", "wanted"), [(120, 3, 17), (12_000, 5, 5), (1, 3, 20), (1, 25, 25)])
def test_small_shares_are_drawn_more_often(cases, seeds, wanted):
    assert n_draws(cases, seeds) == wanted


def test_what_cannot_be_run_is_refused_at_once(tmp_path):
    with pytest.raises(ParameterError, match="'words'"):
        amounts(["words"], tmp_path, tmp_path / "out")
    with pytest.raises(ParameterError, match="at most 1"):
        amounts(["music"], tmp_path, tmp_path / "out", (0.1, 2.0))
    assert not (tmp_path / "out").exists()
