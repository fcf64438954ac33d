"""Parameters out of range: one clear error before anything is done, and the model stays as it was."""

import numpy as np
import pytest

import vbn

DATA = vbn.Dataset.from_pairs(["dog", "cat", "dog"], ["barks", "purrs", "sleeps"], [10, 4, 3]).with_relation(
    "antonym", [("dog", "cat")], symmetric=True
)


def model(**options):
    return vbn.VBN(**({"dim": 2, "epochs": 1, "verbose": False} | options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 0}, "dim=0 must be a whole number of at least 1"),
        ({"dim": 2.5}, "dim=2.5 must be a whole number"),
        ({"dim": True}, "dim=True must be a whole number"),
        ({"dim": 2**70}, "dim=.* is too large: at most 65536"),
        ({"relation_rank": {"antonym": 2**70}}, "relation_rank.*=.* is too large"),
        ({"epochs": "ten"}, "epochs='ten' must be a whole number"),
        ({"epochs": "Auto"}, "epochs='Auto' must be a whole number"),
        ({"favour": "popular"}, "favour='popular' must be 'all', 'balanced' or 'rare'"),
        ({"average_epochs": None}, "average_epochs=None must be"),
        ({"seed": -1}, "seed=-1 must be"),
        ({"seed": 2**63}, "seed=9223372036854775808 is too large: at most 9223372036854775807"),
        ({"seed": 2**64}, "too large"),
        ({"n_threads": 0}, "n_threads=0 must be"),
        ({"negatives": 0}, "negatives=0 must be a finite number above 0"),
        ({"negatives": "x"}, "negatives='x' must be"),
        ({"noise_power": -1}, "noise_power=-1 must be a finite number of at least 0"),
        ({"noise_power": np.inf}, "noise_power=inf must be"),
        ({"subsample": 0}, "subsample=0 must be"),
        ({"subsample": 1e-12}, "subsample=1e-12 keeps .* raise it"),
        ({"tol": "x"}, "tol='x' must be"),
        ({"hard_negatives": 2}, "hard_negatives=2 must be a finite number of at least 0 and at most 1"),
        ({"reject_positives": "no"}, "reject_positives='no' must be True, False or 'auto'"),
        ({"reject_positives": np.zeros(2)}, "must be True, False or 'auto'"),
        ({"resample": "no"}, "resample='no' must be True or False"),
        ({"resample": 1}, "resample=1 must be"),
        ({"bias_prior": "x"}, "bias_prior='x' must be 'taxonomy', 'common' or 'zero'"),
        ({"cold_precision": "x"}, "cold_precision='x' must be 'siblings', 'mean_field' or 'prior'"),
        ({"warm_start": None}, "warm_start=None must be"),
        ({"verbose": "x"}, "verbose='x' must be True or False"),
        ({"engine": "xx"}, "engine='xx' is not known; choose one of 'threads'"),
        ({"engine": ["threads"]}, "engine=.*is not known"),
        ({"dtype": "float16"}, "dtype='float16' must be 'float32' or 'float64'"),
        ({"dtype": "foo"}, "dtype='foo' must be"),
        ({"dtype": None}, "dtype=None must be"),
        ({"dtype": np.zeros(2)}, "must be 'float32' or 'float64'"),
        ({"memory": "much"}, "memory='much'"),
        ({"alpha": 0}, "must be a finite number above 0"),
        ({"alpha": {"entity": "x"}}, r"alpha\['entity'\]='x' must be"),
        ({"alpha": {"entty": 1}}, "alpha has no kind 'entty'; the kinds are entity"),
        ({"beta": None}, "must be a finite number"),
        ({"relation_rank": 0}, "relation_rank=0 must be"),
        ({"relation_rank": "x"}, "relation_rank='x' must be"),
        ({"relation_rank": {"antonym": 0}}, r"relation_rank\['antonym'\]=0 must be"),
        ({"relation_rank": {"antonyms": 4}}, "no relation 'antonyms'; it has 'antonym'. Did you mean 'antonym'"),
        ({"relation_rank": {5: 4}}, "no relation 5"),
        ({"relation_weight": "x"}, "relation_weight='x' must be a finite number above 0"),
        ({"relation_weight": None}, "relation_weight=None must be"),
        ({"relation_weight": 0}, "relation_weight=0 must be"),
        ({"relation_space": "both"}, "relation_space='both' must be 'joint' or 'readout'"),
        ({"relation_space": None}, "relation_space=None must be"),
        ({"relation_prior": -1}, "relation_prior=-1 must be a finite number of at least 0"),
        ({"relation_prior": "similar"}, "relation_prior='similar' must be"),
        ({"relation_prior": {"antonym": "Auto"}}, r"relation_prior\['antonym'\]='Auto' must be"),
        ({"relation_prior": {"antonym": None}}, r"relation_prior\['antonym'\]=None must be"),
        ({"relation_prior": {"Antonym": 2}}, "relation_prior: the data has no relation 'Antonym'; .*Did you mean"),
        ({"relation_weight": {"antonym": "x"}}, r"relation_weight\['antonym'\]='x' must be"),
        ({"relation_weight": {"Antonym": 2}}, "relation_weight: the data has no relation 'Antonym'; .*Did you mean"),
    ],
)
def test_a_bad_parameter_is_named_with_its_range(options, message):
    estimator = model(**options)
    with pytest.raises(vbn.ParameterError, match=message):
        estimator.fit(DATA)
    assert not hasattr(estimator, "lower_bounds_")


def test_values_by_relation_where_there_are_no_relations():
    plain = vbn.Dataset.from_pairs(["dog"], ["barks"])
    with pytest.raises(vbn.ParameterError, match="no relation 'antonym'; it has none"):
        model(relation_rank={"antonym": 3}).fit(plain)


@pytest.mark.parametrize(
    "options",
    [
        {"seed": 2**63 - 1},
        {"seed": np.int64(3), "dim": np.int32(2), "negatives": np.float32(2), "resample": np.bool_(True)},
        {"verbose": 0},
        {"dtype": np.float64},
        {"dtype": np.dtype("float64")},
        {"relation_rank": {"antonym": 3}, "relation_weight": {"antonym": 2.5}},
        {"relation_prior": {"antonym": 2.0}},
        {"noise_power": 1e4},
        {"noise_power": 0},
    ],
)
def test_good_parameters_of_other_types_are_taken(options):
    fitted = model(**options).fit(DATA)
    assert np.isfinite(fitted.posterior("dog").mean).all()
    assert 0 < fitted.predict_proba([("dog", "barks")])[0] < 1


def test_a_failed_fit_leaves_an_earlier_one_as_it_was():
    fitted = model().fit(DATA)
    before = fitted.posterior("dog").mean
    with pytest.raises(vbn.ParameterError):
        fitted.set_params(resample="no").fit(DATA)
    np.testing.assert_array_equal(fitted.posterior("dog").mean, before)
