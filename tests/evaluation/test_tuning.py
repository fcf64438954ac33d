"""`vbn.tune`: what it tries, what it chooses, and how it goes on after a break."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn.evaluation import SPACE, evaluate_recommendation, free_space, tuning
from vbn.evaluation.judging import DIALS, Judge
from vbn.evaluation.space import with_settings
from vbn.inference import Dial


def small(**parameters):
    return vbn.VBN(dim=4, epochs=8, n_threads=1, verbose=False, **parameters)


@pytest.fixture(scope="module")
def shop():
    """Users of two tastes, who have most items of theirs."""
    rows = [(f"u{u}", f"{'tea' if u % 2 else 'beer'} {i}") for u in range(60) for i in range(12) if (u * 7 + i * 5) % 4]
    parents = {f"{kind} {i}": [kind] for kind in ("tea", "beer") for i in range(14)}
    return vbn.Dataset.from_interactions(*zip(*rows, strict=True)).with_taxonomy(parents)


@pytest.fixture(scope="module")
def words():
    text = [[f"w{(i * j + j) % 17}" for j in range(8)] for i in range(1, 30)]
    return vbn.Dataset.from_sequences(text, window=2)


def told(model):
    """All that must be the same in two tunings."""
    return [(t.number, t.settings, t.objective, t.figures, t.dial, t.state) for t in model.tuning_]


@pytest.fixture(scope="module")
def tuned(shop):
    return vbn.tune(shop, trials=6, estimator=small(), verbose=False)


def test_the_first_trial_is_the_estimator_itself_and_the_chosen_one_is_not_worse(shop, tuned):
    first, *others = tuned.tuning_
    assert (first.number, first.settings, first.state) == (0, {}, "complete")
    assert len(others) == 5
    assert all(trial.settings for trial in others)
    assert tuned.tuning_.best.objective >= first.objective
    alone = vbn.tune(shop, trials=1, estimator=small(), verbose=False)
    np.testing.assert_array_equal(alone.posterior("tea 1").mean, small().fit(shop).posterior("tea 1").mean)


def test_the_model_is_the_best_setting_fitted_to_all_data(shop, tuned):
    again = with_settings(small(), tuned.tuning_.best.settings).fit(shop)
    np.testing.assert_array_equal(tuned.posterior("tea 1").mean, again.posterior("tea 1").mean)
    assert tuned.data_ is shop
    assert tuned.get_params() == again.get_params()
    assert tuned.dim == 4  # set by the estimator, so not varied


def test_the_same_seed_tries_the_same_and_another_seed_something_else(shop, tuned):
    assert told(vbn.tune(shop, trials=6, estimator=small(), verbose=False)) == told(tuned)
    assert told(vbn.tune(shop, trials=6, estimator=small(), seed=1, verbose=False)) != told(tuned)


def test_figures_are_those_of_evaluate_recommendation(shop):
    judge = Judge(shop, seed=3)
    model = small(affinity=False).fit(judge.train)
    cases = judge._cases
    users, items = [shop.rows[i] for i in cases.rows], [shop.columns[j] for j in cases.columns]
    (row, *_) = evaluate_recommendation(model, users, items, popularity=0.0)
    above, others = cases.ranks(model.trained_)
    assert row["pairs"] == judge.pairs
    assert row["mpr"] == pytest.approx(np.mean(1 - above[0] / others))
    assert row["hr@10%"] == pytest.approx(np.mean(above[0] < (others + 1) / 10))
    judged = judge.judge(model)
    assert judged.objective == pytest.approx((judged.figures["hr@10%"] + judged.figures["mpr"]) / 2)
    assert judged.objective >= (row["mpr"] + row["hr@10%"]) / 2 - 1e-12


def test_the_dial_of_a_judgement_is_that_of_recommend(shop):
    judge = Judge(shop)
    model = small().fit(judge.train)
    user, item = shop.rows[judge._cases.rows[0]], shop.columns[judge._cases.columns[0]]
    for number, dial in enumerate(DIALS):
        turned = {"popularity": dial.weight, "popularity_floor": dial.floor}
        answers = model.recommend(user=user, k=100, affinity=True, **turned)
        place = [row.entity for row in answers].index(item)
        assert place == judge._cases.ranks(model.trained_)[0][number, 0]


@pytest.mark.parametrize("favour", ["all", "balanced", "rare"])
def test_the_objective_is_of_what_is_favoured(shop, favour):
    model = vbn.tune(shop, trials=2, favour=favour, estimator=small(), verbose=False)
    for trial in model.tuning_:
        figures = trial.figures
        every, rare = (np.mean([figures[f"{of}{name}"] for name in ("hr@10%", "mpr")]) for of in ("", "rare "))
        expected = {"all": every, "rare": rare, "balanced": (every + rare) / 2}[favour]
        assert trial.objective == pytest.approx(expected)


def test_the_model_s_own_dial_follows_what_is_favoured(shop):
    given = {"trials": 1, "verbose": False}
    rare = vbn.tune(shop, favour="rare", estimator=small(favour="all"), **given)
    assert (rare.favour, rare.tuning_.favour) == ("rare", "rare")
    auto, dial = rare.recommend(user="u1"), Dial(*rare.trained_.dials["rare"])
    assert auto.to_dicts() == rare.recommend(user="u1", affinity=True, popularity=dial).to_dicts()
    # Without a word of what to favour, the estimator's is kept.
    assert vbn.tune(shop, estimator=small(favour="balanced"), **given).tuning_.favour == "balanced"
    undialled = vbn.tune(shop, estimator=small(favour=None), **given)
    assert (undialled.favour, undialled.tuning_.favour, undialled.trained_.dials) == (None, "all", {})


def test_words_are_ranked_given_their_left_neighbour(words):
    model = vbn.tune(words, trials=2, estimator=small(), verbose=False)
    assert model.tuning_.pairs > 20
    assert 0.0 <= model.tuning_.best.figures["mpr"] <= 1.0


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8), st.floats(0.0, 0.1))
def test_the_best_is_never_behind_the_defaults_which_win_near_ties(objectives, error):
    done = [
        vbn.evaluation.Trial(number, {}, "complete", value, standard_error=error)
        for number, value in enumerate(objectives)
    ]
    best = tuning._best(done)
    assert best.objective >= objectives[0]
    if max(objectives) <= objectives[0] + error / 2:
        assert best.number == 0


def test_a_trial_that_is_behind_is_given_up_and_never_chosen(shop, monkeypatch):
    """Later trials are made to look bad at their first rung."""
    real, calls = Judge.judge, []

    def judged(self, model):
        calls.append(model.n_iter_)
        found = real(self, model)
        return found._replace(objective=0.01) if len(calls) > 12 else found

    monkeypatch.setattr(Judge, "judge", judged)
    model = vbn.tune(shop, trials=6, estimator=small(), verbose=False)
    assert [trial.state for trial in model.tuning_] == ["complete"] * 4 + ["pruned"] * 2
    assert calls[12:] == [2, 2]  # of eight epochs
    assert model.tuning_.best.state == "complete"


class Stop:
    """Presses Ctrl-C at the given judgement."""

    def __init__(self, monkeypatch, at):
        self.left, real = at, Judge.judge

        def judged(judge, model):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            return real(judge, model)

        monkeypatch.setattr(Judge, "judge", judged)


@pytest.mark.parametrize("at", [5, 14])
def test_an_interrupted_study_goes_on_as_if_it_was_never_interrupted(shop, tuned, tmp_path, capsys, at):
    with pytest.MonkeyPatch.context() as patched:
        Stop(patched, at)
        broken = vbn.tune(shop, trials=6, estimator=small(), study=tmp_path)
    assert broken.tuning_.interrupted
    assert 0 < len(broken.tuning_) < 6
    assert "interrupted" in capsys.readouterr().err
    whole = vbn.tune(shop, trials=6, estimator=small(), study=tmp_path, verbose=False)
    assert told(whole) == told(tuned)
    assert not whole.tuning_.interrupted


def test_a_finished_study_tries_nothing_again_and_more_trials_go_on(shop, tuned, tmp_path, monkeypatch):
    file = tmp_path / "new" / "study.log"
    vbn.tune(shop, trials=4, estimator=small(), study=file, verbose=False)
    with file.open("ab") as stream:
        stream.write(b'{"op_code": 4, "wor')  # as after a power cut
    assert told(vbn.tune(shop, trials=6, estimator=small(), study=file, verbose=False)) == told(tuned)
    monkeypatch.setattr(Judge, "judge", None)
    assert told(vbn.tune(shop, trials=6, estimator=small(), study=file, verbose=False)) == told(tuned)


def test_ctrl_c_before_anything_is_finished_leaves_no_model(shop, monkeypatch):
    Stop(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt, match="before the first trial was finished"):
        vbn.tune(shop, estimator=small(), verbose=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"space": {"dim": [2, 4]}}, "another space"),
        ({"favour": "rare"}, "another favour"),
        ({"seed": 1}, "another seed"),
        ({"estimator": small(subsample=0.1)}, "another estimator"),
    ],
)
def test_a_study_of_something_else_is_refused(shop, tmp_path, change, said):
    given = {"trials": 1, "estimator": small(), "study": tmp_path, "verbose": False}
    vbn.tune(shop, **given)
    with pytest.raises(vbn.DataError, match=said):
        vbn.tune(shop, **given | change)


def test_a_study_of_other_data_or_of_no_tuning_is_refused(shop, words, tmp_path):
    vbn.tune(words, trials=1, estimator=small(), study=tmp_path, verbose=False)
    with pytest.raises(vbn.DataError, match="made with other data: choose another study="):
        vbn.tune(shop, trials=1, estimator=small(), study=tmp_path, verbose=False)
    for content in ("user,item\n1,2\n", "[1]\n3\n", "no line"):
        (tmp_path / "orders.csv").write_text(content)
        with pytest.raises(vbn.DataError, match=r"orders\.csv is not a study"):
            vbn.tune(shop, trials=1, estimator=small(), study=tmp_path / "orders.csv", verbose=False)
        assert (tmp_path / "orders.csv").read_text() == content


def test_when_the_time_is_over_only_the_defaults_are_tried(shop, capsys):
    model = vbn.tune(shop, trials=50, minutes=1e-9, estimator=small())
    assert len(model.tuning_) == 1
    lines = capsys.readouterr().err.splitlines()
    assert "held out" in lines[0]
    assert lines[1].startswith("trial 0: defaults: HR@10% / MPR of all ")
    assert lines[1].endswith("best so far")
    assert lines[2].startswith("fitting trial 0 to all data")


def test_silence_without_verbose(shop, capsys):
    vbn.tune(shop, trials=2, estimator=small(), verbose=False)
    out, err = capsys.readouterr()
    assert (out, err) == ("", "")


def test_a_small_space_ends_when_all_of_it_was_tried(shop):
    space = {"negatives": (1, 2, 4), "bias_prior": ["zero"]}
    model = vbn.tune(shop, trials=40, estimator=small(), space=space, verbose=False)
    tried = [trial.settings for trial in model.tuning_]
    assert model.settings_["negatives"] == 4  # what "auto" stands for is in the space as well, once
    expected = [
        noise | bias for noise in ({}, {"negatives": 1}, {"negatives": 2}) for bias in ({}, {"bias_prior": "zero"})
    ]
    assert sorted(map(str, tried)) == sorted(map(str, expected))


def test_numbers_of_numpy_can_be_kept(shop, tmp_path):
    given = {"space": {"dim": list(np.array([3, 4]))}, "estimator": small(), "study": tmp_path, "verbose": False}
    model = vbn.tune(shop, trials=2, **given)
    assert [trial.settings for trial in model.tuning_] == [{}, {"dim": 3}]
    assert told(vbn.tune(shop, trials=2, **given)) == told(model)


def test_ranges_and_the_prior(shop):
    space = {"prior": ("log", 2, 50), "dim": ("int", 3, 5), "noise_power": ("float", 0.1, 0.9)}
    model = vbn.tune(shop, trials=5, estimator=small(), space=space, verbose=False)
    assert model.tuning_[0].settings == {}
    for trial in model.tuning_[1:]:
        assert 2 <= trial.settings["prior"] <= 50
        assert trial.settings.get("dim", 4) in (3, 4, 5)
        assert 0.1 <= trial.settings["noise_power"] <= 0.9
    tried = with_settings(small(alpha={"bias": 2.0}), {"prior": 5.0})
    assert tried.alpha == {"bias": 2.0, "entity": 5.0, "category": 5.0}
    assert tried.beta == {"entity": 5.0, "category": 5.0}


def test_a_setting_that_cannot_be_fitted_is_noted_and_the_others_go_on(shop, monkeypatch):
    real = vbn.VBN.fit

    def fit(self, *given, **options):
        if self.negatives == 8:
            raise vbn.NumericalError("not finite")
        return real(self, *given, **options)

    monkeypatch.setattr(vbn.VBN, "fit", fit)
    model = vbn.tune(shop, trials=4, estimator=small(), verbose=False)
    failed = model.tuning_[2]
    assert (failed.state, failed.error) == ("failed", "not finite")
    assert [trial.state for trial in model.tuning_].count("complete") == 3
    assert "failed" in str(model.tuning_)
    assert model.tuning_.to_pandas()["objective"].isna().sum() == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"trials": 0}, "trials=0"),
        ({"minutes": -1}, "minutes=-1"),
        ({"favour": "few"}, "'all', 'balanced' or 'rare'"),
        ({"estimator": vbn.SkipGram()}, r"must be a vbn\.VBN"),
        ({"space": {"dimm": [1]}}, "'dimm'"),
        ({"space": {"dim": []}}, "list of values"),
        ({"space": {"dim": [0]}}, "dim=0"),
        ({"space": {"dim": ("log", 0, 3)}}, "lowest"),
        ({"space": {"dim": ("int", 9, 3)}}, "lowest"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_trained(shop, wrong, said):
    with pytest.raises(vbn.ParameterError, match=said):
        vbn.tune(shop, verbose=False, **wrong)


def test_too_little_data_is_refused():
    with pytest.raises(vbn.DataError):
        vbn.tune(vbn.Dataset.from_interactions(["a", "b"], ["x", "y"]), verbose=False)


def test_without_optuna_the_error_names_the_extra(shop, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(vbn.MissingExtraError, match=r"vbn\[tune\]"):
        vbn.tune(shop, verbose=False)


def test_the_table_converts_and_can_be_drawn(tuned):
    table = tuned.tuning_
    frame = table.to_pandas()
    assert list(frame["number"]) == [0, 1, 2, 3, 4, 5]
    assert frame["negatives"][0] == 4  # what "auto" stands for on this data
    assert "auto" not in str(table)
    assert frame["best"].sum() == 1
    assert table.to_polars().columns == list(frame.columns)
    assert str(table).splitlines()[0].split()[:3] == ["trial", "settings", "hr@10%"]
    assert len(table.to_dicts()) == len(table)
    axes = table.plot()
    assert len(axes.get_yticks()) == len(table)
    assert vbn.plot.trials(tuned).get_title(loc="left") == "What was tried"


def test_what_is_fixed_is_not_varied():
    data = vbn.Dataset.from_pairs(["tea", "milk"], ["milk", "tea"])
    told = data.with_features({"tea": [1.0], "milk": [2.0]})
    assert free_space((), told) == {name: item.values for name, item in SPACE.items()}
    assert set(free_space({"alpha", "negatives"}, data)) == {"noise_power", "dim"}
