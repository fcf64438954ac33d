"""Parameters in scikit-learn's manner: stored as given, cloned, set by name, never changed by a fit."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import vbn

DATA = vbn.Dataset.from_pairs(["a", "b", "c", "a"], ["b", "c", "a", "d"]).with_relation("r", [("a", "b")])
ODD = {"dim": np.int64(3), "alpha": {"entity": 2.0}, "beta": np.float32(1.0), "relation_rank": {"r": 2}}


def test_values_are_stored_as_given_and_only_checked_in_fit():
    nonsense = object()
    model = vbn.VBN(dim=nonsense)
    assert model.get_params()["dim"] is nonsense
    with pytest.raises(vbn.ParameterError, match="dim"):
        model.fit(DATA)


def test_clone_gives_an_unfitted_twin():
    model = vbn.VBN(**ODD, epochs=2, verbose=False).fit(DATA)
    twin = clone(model)
    assert repr(twin) == repr(model)
    assert twin.get_params() == model.get_params()
    with pytest.raises(vbn.NotFittedError):
        twin.similar("a")
    assert twin.fit(DATA).posterior("a").mean.tolist() == model.posterior("a").mean.tolist()


def test_fit_leaves_parameters_untouched():
    given_params = {**ODD, "epochs": 2, "verbose": False}
    before = copy.deepcopy(given_params)
    model = vbn.VBN(**given_params).fit(DATA).partial_fit(DATA)
    for name, value in given_params.items():
        assert getattr(model, name) is value
        assert value == before[name]


def test_unknown_parameters_are_refused_before_any_is_set():
    model = vbn.VBN()
    with pytest.raises(vbn.ParameterError, match=r"VBN has no parameter 'dims'. Did you mean 'dim'\?"):
        model.set_params(epochs=3, dims=4)
    assert model.epochs == "auto"


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(vbn.VBN()) == "VBN()"
    assert repr(vbn.VBN(dim=8, alpha={"entity": 10.0})) == "VBN(dim=8, alpha={'entity': 10.0})"
    assert repr(vbn.VBN(alpha=np.arange(3.0))) == "VBN(alpha=array([0., 1., 2.]))"
    assert repr(vbn.VBN(alpha={"entity": np.arange(3.0)})) == "VBN(alpha={'entity': array([0., 1., 2.])})"
    wide = repr(vbn.VBN(alpha=np.arange(500.0)))
    assert "\n" not in wide
    assert len(wide) < 100
    assert repr(vbn.VBN(warm_start=1)) == "VBN(warm_start=1)"


@given(st.dictionaries(st.sampled_from(sorted(vbn.VBN().get_params())), st.one_of(st.integers(), st.text(), st.none())))
def test_set_and_get_are_inverse(params):
    model = vbn.VBN().set_params(**params)
    assert {name: model.get_params()[name] for name in params} == params
    assert vbn.VBN(**model.get_params()).get_params() == model.get_params()
