"""A limit of memory changes where cells are kept, and nothing else."""

import tempfile

import numpy as np
import pytest

import vbn
from vbn.data import bytes_of


def data():
    rng = np.random.default_rng(3)
    left, right = (np.minimum(rng.zipf(1.4, 3000), 80) for _ in range(2))
    taxonomy = {f"w{number}": [f"group {number % 5}"] for number in range(1, 81)}
    return vbn.Dataset.from_pairs([f"w{n}" for n in left], [f"w{n}" for n in right]).with_taxonomy(taxonomy)


@pytest.mark.parametrize("resample", [True, False])
def test_files_give_the_same_bits(resample, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = []
    real = tempfile.TemporaryDirectory
    monkeypatch.setattr("tempfile.TemporaryDirectory", lambda **given: opened.append(given) or real(**given))
    options = {"dim": 6, "epochs": 3, "negatives": 2, "resample": resample, "favour": None, "verbose": False}
    usual = vbn.VBN(**options).fit(data())
    assert not opened
    small = vbn.VBN(**options, memory="1 kB").fit(data())
    assert len(opened) == 3
    for name, array in usual.trained_.posterior.arrays().items():
        np.testing.assert_array_equal(array, small.trained_.posterior.arrays()[name], err_msg=name)
    np.testing.assert_array_equal(usual.lower_bounds_, small.lower_bounds_)
    assert not list(tmp_path.iterdir())


def test_files_go_when_a_fit_fails(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def broken(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr("vbn.model.Cooccurrence.update_columns", broken)
    with pytest.raises(RuntimeError, match="broken"):
        vbn.VBN(dim=4, epochs=1, memory="1kB", verbose=False).fit(data())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", ["8 GiB of it", "", "GiB", "-1GiB", 0, -5, float("nan"), True, "1e3GiB", [1]])
def test_what_is_no_amount_is_refused(size):
    with pytest.raises(vbn.ParameterError, match="not an amount of memory"):
        vbn.VBN(memory=size).fit(data())


def test_units():
    assert bytes_of("2GiB") == 2 << 30
    assert bytes_of("2gb") == 2_000_000_000
    assert bytes_of("0.5 MiB") == 1 << 19
    assert bytes_of(1000) == bytes_of("1000") == 1000
