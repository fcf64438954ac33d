"""Models that version 0.1 saved, in format 1, load and answer as they did; `make_format1.py` made them."""

import json

import pytest

import vbn
from tests.golden.fits import shop, words
from tests.storage.make_format1 import FOLDERS, answers

KNOWN = json.loads((FOLDERS / "answers.json").read_text())


def close(a, b):
    if isinstance(a, float):
        return a == pytest.approx(b, rel=1e-5, abs=1e-6)
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    return a == b


@pytest.mark.parametrize("kind", ["words", "shop"])
def test_it_answers_as_it_did(kind):
    model = vbn.load(FOLDERS / kind)
    found = answers(kind, model)
    assert found.keys() == KNOWN[kind].keys()
    for name, value in found.items():
        assert close(value, KNOWN[kind][name]), name


@pytest.mark.parametrize("kind", ["words", "shop"])
def test_it_grows_goes_on_and_is_saved_again(kind, tmp_path):
    model = vbn.load(FOLDERS / kind)
    model.add("newcomer", parents=["group 1" if kind == "words" else "brand 1"])
    model.verbose = False
    model.partial_fit(words() if kind == "words" else shop(200, seed=8))
    again = vbn.load(model.save(tmp_path / "model"))
    assert answers(kind, again) == answers(kind, model)


def test_the_parameters_are_there():
    model = vbn.load(FOLDERS / "shop")
    assert (model.cold_precision, model.dim, model.seed) == ("prior", 3, 5)
