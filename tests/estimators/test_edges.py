"""Corners that a newcomer found."""

import numpy as np
import pytest

import vbn


def pairs(counts=(10, 4)):
    return vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], list(counts))


def model(**options):
    return vbn.VBN(**({"dim": 4, "epochs": 6, "verbose": False} | options))


def test_what_was_never_a_row_is_similar_to_nothing():
    fitted = model().fit(pairs())
    for name in ("barks", "dog"):
        table = fitted.similar(name)
        assert len(table) == 3
        assert np.isfinite(table.scores).all()
        assert (table.stds <= 1).all()


def test_saving_in_a_callback_keeps_the_counts_of_this_fit(tmp_path):
    fitted = model().fit(pairs((1000, 1000)))
    fitted.fit(pairs((1, 1)), callbacks=[lambda m, _: bool(m.save(tmp_path / "model")) and None])
    assert vbn.load(tmp_path / "model").data_.counts.total == 2


def test_numpy_numbers_as_parameters_can_be_saved(tmp_path):
    fitted = model(seed=np.int64(3), dim=np.int64(3), dtype=np.float64).fit(pairs())
    assert vbn.load(fitted.save(tmp_path / "model")).get_params()["dtype"] == "float64"


def test_an_addition_that_would_not_be_finite_is_refused():
    fitted = model().fit(pairs())
    with pytest.raises(vbn.NumericalError):
        fitted.add("h", contexts={"barks": 1e39})
    assert "h" not in fitted.trained_.rows


def test_going_on_with_another_dimension_is_refused():
    fitted = model().fit(pairs()).set_params(dim=6)
    with pytest.raises(vbn.ParameterError, match="dim=6 differs"):
        fitted.partial_fit(pairs())


def test_a_long_chain_without_data_stays_finite(tmp_path):
    chain = {f"l{i}": [f"l{i - 1}"] for i in range(1, 300)} | {"l0": ["p"], "dog": ["p"]}
    fitted = model().fit(pairs().with_taxonomy(chain))
    assert np.isfinite(fitted.posterior("l299").variance).all()
    assert vbn.load(fitted.save(tmp_path / "model")).posterior("l299").std[0] > 1
