"""What "auto" stands for: it follows the kind and the shape of the data, has reasons and yields to explicit values."""

import numpy as np
import pytest

import vbn
from tests.storage.make_format1 import FOLDERS
from tests.storage.making import change_config, read_config
from vbn.estimators import choices

AUTOMATIC = {"negatives": "auto", "noise_power": "auto", "subsample": "auto", "epochs": "auto"}


def text(sentences=60):
    return vbn.Dataset.from_sequences([["the", f"w{n % 7}", "of", f"w{n % 5}"] for n in range(sentences)], window=2)


def interactions(users=30, items=10):
    return vbn.Dataset.from_interactions(
        [f"u{u}" for u in range(users) for _ in range(items)], [f"i{i}" for i in range(items)] * users
    )


KINDS = {
    "sequences": text,
    "pairs": lambda: vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "c", "a"], [9, 9, 9]),
    "baskets": lambda: vbn.Dataset.from_baskets([["tea", "milk", "honey"], ["beer", "nuts"]] * 10),
    "interactions": interactions,
    "users and items": lambda: interactions().with_co_occurrences(),
}


def model(**options):
    return vbn.VBN(**({"dim": 3, "verbose": False} | options))


def values(data, **given):
    return {name: choice.value for name, choice in choices(AUTOMATIC | given, data).items()}


@pytest.mark.parametrize(
    ("kind", "negatives"), [("sequences", 2), ("pairs", 2), ("baskets", 1), ("interactions", 4), ("users and items", 4)]
)
def test_the_kind_of_data_decides_how_much_noise_there_is(kind, negatives):
    found = values(KINDS[kind]())
    assert found["negatives"] == negatives
    assert found["noise_power"] == 0.75
    assert (found["subsample"] is None) == (kind != "sequences")


@pytest.mark.parametrize(("sentences", "occurrences"), [(50, 100), (5_000, 100), (300_000, 120)])
def test_words_are_thinned_out_above_a_frequency_but_never_below_a_hundred_occurrences(sentences, occurrences):
    data = text(sentences)
    threshold = values(data)["subsample"]
    assert threshold * data.columns.counts.sum() == pytest.approx(occurrences)
    assert threshold >= 1e-4


def test_the_more_cells_the_fewer_epochs():
    sizes = [(2, 3), (1000, 30), (1000, 100), (3000, 100)]
    assert [values(interactions(*size))["epochs"] for size in sizes] == [40, 23, 16, 12]
    assert values(text(300_000))["epochs"] > 16


@pytest.mark.parametrize("kind", KINDS)
def test_choices_have_reasons(kind):
    found = choices(AUTOMATIC, KINDS[kind]())
    assert found.keys() == AUTOMATIC.keys()
    assert all(len(choice.reason.split()) >= 4 for choice in found.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_uses_what_is_chosen_and_says_so(kind):
    data = KINDS[kind]()
    fitted = model().fit(data)
    assert {name: fitted.settings_[name] for name in AUTOMATIC} == values(data)
    assert fitted.n_iter_ == fitted.settings_["epochs"]
    assert fitted.trained_.negatives == fitted.settings_["negatives"]
    assert fitted.trained_.noise_power == fitted.settings_["noise_power"]
    assert {name: fitted.get_params()[name] for name in AUTOMATIC} == AUTOMATIC  # what was asked for stays
    explicit = model(**values(data)).fit(data)
    for path, array in explicit.trained_.posterior.arrays().items():
        np.testing.assert_array_equal(fitted.trained_.posterior.arrays()[path], array, err_msg=path)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "given", [{"negatives": 3}, {"noise_power": 0.0}, {"subsample": None}, {"subsample": 0.5}, {"epochs": 2}]
)
def test_explicit_values_win(kind, given):
    data = KINDS[kind]()
    assert not given.keys() & choices(AUTOMATIC | given, data).keys()
    fitted = model(**({"epochs": 1} | given)).fit(data)
    assert {name: fitted.settings_[name] for name in given} == given


def test_other_data_chooses_anew():
    fitted = model().fit(text())
    fitted.fit(interactions())
    assert fitted.settings_["negatives"] == 4
    assert fitted.settings_["subsample"] is None


def test_there_are_no_settings_before_a_fit_and_a_failed_one_leaves_them():
    fresh = model()
    with pytest.raises(vbn.NotFittedError):
        _ = fresh.settings_
    fitted = fresh.fit(text())
    before = fitted.settings_

    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError):
        fitted.fit(interactions(), callbacks=[fail])
    assert fitted.settings_ == before


def test_settings_survive_a_save_and_are_on_the_card(tmp_path):
    fitted = model().fit(text())
    folder = fitted.save(tmp_path / "model")
    loaded = vbn.load(folder)
    assert loaded.settings_ == fitted.settings_
    assert {name: loaded.get_params()[name] for name in AUTOMATIC} == AUTOMATIC
    assert "| negatives | 2 |" in (folder / "README.md").read_text(encoding="utf-8")
    again = vbn.load(loaded.save(tmp_path / "again"))
    assert again.settings_ == fitted.settings_


def test_a_model_that_was_saved_without_settings_has_its_parameters(tmp_path):
    folder = model(**values(text())).fit(text()).save(tmp_path / "model")
    record = read_config(folder)["record"]
    del record["settings"]
    change_config(folder, record=record)
    loaded = vbn.load(folder)
    assert {name: loaded.settings_[name] for name in AUTOMATIC} == values(text())
    assert loaded.predict_interval([("the", "w1")])[0][0] > 0  # needs the sampler of training


@pytest.mark.parametrize("kind", ["words", "shop"])
def test_a_model_of_the_first_format_has_its_own_settings(kind):
    loaded = vbn.load(FOLDERS / kind)
    assert "auto" not in [loaded.settings_[name] for name in AUTOMATIC]
    assert loaded.settings_["negatives"] == loaded.trained_.negatives
    assert loaded.settings_["popularity"] == {}


def test_a_model_that_was_given_its_densities_knows_what_a_fit_would_use():
    data = vbn.Dataset.from_sequences([["a", "dog", "barks"], ["the", "cat", "purrs"]] * 20)
    fitted = vbn.VBN(dim=4, verbose=False).fit(data)
    given = vbn.VBN(dim=4, verbose=False).with_trained(fitted.trained_, fitted.data_)
    assert given.settings_ == fitted.settings_
    assert str(given.explain("dog")) == str(fitted.explain("dog"))
    assert given.describe() == fitted.describe()
