"""Model folders: what is saved comes back, the same model gives the same bytes, and an old one is replaced whole."""

import errno
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from safetensors.numpy import load_file

import vbn
from tests.storage.making import NAMES, RELATION, bits, data, fit, fresh, read_config, tensor_file


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_round_trip(tmp_path):
    model = fit()
    again = vbn.load(model.save(tmp_path / "a folder"))
    assert again.get_params() == model.get_params()
    assert again.lower_bounds_.tolist() == model.lower_bounds_.tolist()
    assert again.trained_.rows.names == model.trained_.rows.names
    assert bits(again) == bits(model)
    for name in NAMES:
        assert again.posterior(name).mean.tolist() == model.posterior(name).mean.tolist()
        assert [row.entity for row in again.similar(name)] == [row.entity for row in model.similar(name)]
    assert again.related(RELATION, "plain").scores.tolist() == model.related(RELATION, "plain").scores.tolist()
    again.add("new", parents=["plain"])
    assert again.posterior("new").dim == 3


def test_users_and_items_round_trip(tmp_path):
    pairs = vbn.Dataset.from_interactions(["1", "2", "1"], ["1", "2", "3"]).with_taxonomy({"1": "a"}, side="row")
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(pairs)
    again = vbn.load(model.save(tmp_path / "model"))
    assert again.trained_.rows.names != again.trained_.columns.names
    assert again.posterior("1", side="row").mean.tolist() == model.posterior("1", side="row").mean.tolist()


@pytest.mark.parametrize("options", [{}, {"dtype": "float64"}, {"resample": False}, {"tol": 0.5}], ids=str)
def test_saving_a_loaded_model_gives_the_same_bytes(tmp_path, options):
    first = fit(**options).save(tmp_path / "first")
    second = vbn.load(first).save(tmp_path / "second")
    assert contents(first) == contents(second)
    assert contents(first) == contents(fit(**options).save(first))


def test_partial_fit_goes_on_after_loading(tmp_path):
    more = vbn.Dataset.from_pairs(["plain", "new"], ["new", "plain"], [3, 3])
    here = fresh()
    there = vbn.load(here.save(tmp_path / "model"))
    a, b = here.partial_fit(more), there.partial_fit(more)
    assert bits(a) == bits(b)
    assert a.lower_bounds_.tolist() == b.lower_bounds_.tolist()


def test_counts_can_be_left_out(tmp_path):
    whole, bare = fit().save(tmp_path / "whole"), fit().save(tmp_path / "bare", counts=False)
    assert not [name for name in load_file(tensor_file(bare)) if name.startswith("data")]
    assert [name for name in load_file(tensor_file(whole)) if name.startswith("data")]
    assert vbn.load(bare).data_ is None
    assert bits(vbn.load(bare)) == bits(vbn.load(whole))


def test_added_entities_stay_when_fitting_goes_on(tmp_path):
    model = fresh().add("fox", parents=["plain"], contexts={"ünï": 4})
    again = vbn.load(model.save(tmp_path / "model"))
    again.partial_fit(vbn.Dataset.from_pairs(["plain"], ["ünï"]))
    assert again.data_.counts.to_scipy()[again.trained_.rows.id("fox"), again.trained_.rows.id("ünï")] == 4
    assert again.trained_.column_taxonomy.parents("fox") == [("plain", 1.0)]


def test_saving_over_a_model_replaces_it(tmp_path):
    fit(0).save(tmp_path / "model")
    (tmp_path / "model" / ".model.1.part").write_text("left by a kill")
    (tmp_path / "model" / "notes.txt").write_text("mine")
    fit(1).save(tmp_path / "model")
    assert vbn.load(tmp_path / "model").seed == 1
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert names == {"config.json", "README.md", "notes.txt", tensor_file(tmp_path / "model").name}


def test_other_tools_read_the_tensors(tmp_path):
    arrays = load_file(tensor_file(fit().save(tmp_path / "model")))
    np.testing.assert_array_equal(arrays["posterior.u.mean"], fit().trained_.posterior.u.mean)
    assert arrays["columns.names"].tobytes().decode("utf-8", "surrogatepass") == "".join(fit().trained_.columns.names)


def test_the_config_tells_what_made_the_model(tmp_path):
    config = read_config(fit().save(tmp_path / "model"))
    assert set(config["versions"]) == {"vbn", "python", "numpy", "scipy", "numba"}
    assert config["versions"]["numpy"] == np.__version__
    assert config["parameters"]["seed"] == 0
    summary, pairs = config["data"], data()
    assert (summary["entities"], summary["cells"], summary["total"]) == (
        len(pairs.entities),
        pairs.counts.nnz,
        pairs.counts.total,
    )
    assert summary["taxonomy_edges"] == {"entities": 3}
    assert summary["relations"] == [{"name": RELATION, "pairs": 2}]


def test_the_card_tells_what_it_is_and_is_safe_markdown(tmp_path):
    card = (fit().save(tmp_path / "model") / "README.md").read_text(encoding="utf-8")
    for words in ("VBN model", "lower bound by epoch", "vbn.load(", "not calibrated error bars", "cells"):
        assert words in card
    assert r"relation opp\|osite\\n\\ud800🦊\\x00" in card
    assert all(line.count("|") - line.count(r"\|") == 3 for line in card.splitlines() if line.startswith("| "))


@pytest.mark.parametrize("folder", [None, 5, 2.5, b"bytes", [], "", "nul\0", "lone\ud800/x"], ids=repr)
def test_what_is_no_path(folder):
    for act in (vbn.load, fit().save):
        with pytest.raises(vbn.ModelFileError):
            act(folder)


def test_what_is_no_model(tmp_path):
    with pytest.raises(vbn.ModelFileError, match="no such folder"):
        vbn.load(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(vbn.ModelFileError, match=r"no config\.json"):
        vbn.load(tmp_path / "empty")
    (tmp_path / "file").write_text("x")
    with pytest.raises(vbn.ModelFileError, match="is a file"):
        vbn.load(tmp_path / "file")


def test_where_nothing_can_be_saved(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(vbn.ModelFileError, match="is a file"):
        fit().save(tmp_path / "file")
    with pytest.raises(vbn.ModelFileError, match="Not a directory"):
        fit().save(tmp_path / "file" / "below")
    with pytest.raises(vbn.ModelFileError, match="cannot save"):
        fit().save("/proc/no such place")
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize("name", ["README.md", "config.json"])
def test_files_of_others_are_not_overwritten(tmp_path, name):
    (tmp_path / name).write_text('{"mine": true}')
    with pytest.raises(vbn.ModelFileError, match=f"its {name}"):
        fit().save(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {name: '{"mine": true}'}


def test_parameters_that_could_not_be_loaded_are_not_saved(tmp_path):
    fit().save(tmp_path / "model")
    for change in ({"epochs": 0}, {"seed": object()}, {"alpha": float("nan")}):
        with pytest.raises(vbn.VBNError):
            fresh().set_params(**change).save(tmp_path / "model")
    assert bits(vbn.load(tmp_path / "model")) == bits(fit())


SMALL_FILES = """
import resource, sys, vbn
model = vbn.load(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # as on a full disk: no file grows beyond that
try:
    model.save(sys.argv[2])
except vbn.ModelFileError as error:
    print(error)
"""


def test_a_file_that_cannot_be_finished_changes_nothing(tmp_path):
    """In a process of its own, as the limit would also hold for what the tests print to a file."""
    fit().save(tmp_path / "whole")
    command = [sys.executable, "-c", SMALL_FILES, str(tmp_path / "whole"), str(tmp_path / "model")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "too large" in run.stdout
    assert list((tmp_path / "model").iterdir()) == []


@pytest.mark.parametrize("call", range(12))
def test_a_full_disk_at_any_moment_leaves_a_whole_model(tmp_path, monkeypatch, call):
    fit(0).save(tmp_path / "model")
    calls, real = [], os.fsync

    def full(handle):
        calls.append(handle)
        if len(calls) == call + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    problem = ""
    try:
        fit(1).save(tmp_path / "model")
    except vbn.ModelFileError as error:
        problem = str(error)
    monkeypatch.undo()
    assert ("No space left on device" in problem) == (len(calls) > call)
    assert bits(vbn.load(tmp_path / "model")) in (bits(fit(0)), bits(fit(1)))
    assert not list((tmp_path / "model").glob(".*"))


def test_two_that_save_to_one_folder_do_not_disturb_each_other_or_a_reader(tmp_path):
    models, errors = [fit(0), fit(1)], []
    models[0].save(tmp_path / "model")

    def save_often(model):
        try:
            for _ in range(20):
                model.save(tmp_path / "model")
        except vbn.VBNError as error:
            errors.append(error)

    threads = [threading.Thread(target=save_often, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert bits(vbn.load(tmp_path / "model")) in (bits(models[0]), bits(models[1]))
    assert not errors


def test_a_config_is_plain_json(tmp_path):
    folder = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a"], ["é"])).save(tmp_path / "model")
    assert json.loads((folder / "config.json").read_text(encoding="utf-8"))["estimator"] == "VBN"
