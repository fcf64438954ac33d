"""Model folders: what is saved comes back, and a damaged or hostile folder gives one clear error."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

import vbn

NAMES = ["plain", "with space", 'quo"te', "new\nline", "tab\t", "emoji 🦊", "عربى", "<b>", "comma,", "ünï"]


def fit(n=0):
    rng = np.random.default_rng(n)
    data = vbn.Dataset.from_pairs(rng.choice(NAMES, 80), rng.choice(NAMES, 80))
    data = data.with_taxonomy({"plain": ["new\nline"], "with space": {"عربى": 2.0, "root/..": 1.0}})
    data = data.with_relation("opp|osite", [("plain", "ünï")], symmetric=True)
    return vbn.VBN(dim=3, epochs=4, relation_rank=2, verbose=False, seed=n).fit(data)


@pytest.fixture
def folder(tmp_path):
    return fit().save(tmp_path / "model")


def test_round_trip(tmp_path):
    model = fit()
    again = vbn.load(model.save(tmp_path / "a folder"))
    assert again.get_params() == model.get_params()
    assert again.lower_bounds_.tolist() == model.lower_bounds_.tolist()
    assert again._trained.rows.names == model._trained.rows.names
    for path, array in model._trained.posterior.arrays().items():
        np.testing.assert_array_equal(again._trained.posterior.arrays()[path], array)
    for name in NAMES:
        assert [row.entity for row in again.similar(name)] == [row.entity for row in model.similar(name)]
    assert again.related("opp|osite", "plain").scores.tolist() == model.related("opp|osite", "plain").scores.tolist()
    again.add("new", parents=["plain"])
    assert again.posterior("new").dim == 3


def test_users_and_items_round_trip(tmp_path):
    data = vbn.Dataset.from_interactions(["1", "2", "1"], ["1", "2", "3"]).with_taxonomy({"1": "a"}, side="row")
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
    again = vbn.load(model.save(tmp_path / "model"))
    assert again._trained.rows.names != again._trained.columns.names
    assert again.posterior("1", side="row").mean.tolist() == model.posterior("1", side="row").mean.tolist()


def test_partial_fit_goes_on_after_loading(tmp_path):
    more = vbn.Dataset.from_pairs(["plain", "new"], ["new", "plain"], [3, 3])
    here = fit()
    there = vbn.load(here.save(tmp_path / "model"))
    a, b = here.partial_fit(more), there.partial_fit(more)
    assert a.posterior("new").mean.tolist() == b.posterior("new").mean.tolist()
    assert a.lower_bounds_.tolist() == b.lower_bounds_.tolist()


def test_counts_can_be_left_out(tmp_path):
    whole, bare = fit().save(tmp_path / "whole"), fit().save(tmp_path / "bare", counts=False)
    assert tensors(bare).stat().st_size < tensors(whole).stat().st_size
    with pytest.raises(vbn.DataError, match="saved without"):
        vbn.load(bare).partial_fit(vbn.Dataset.from_pairs(["a"], ["b"]))


def test_added_entities_stay_when_fitting_goes_on(tmp_path):
    model = fit().add("fox", parents=["plain"], contexts={"ünï": 4})
    again = vbn.load(model.save(tmp_path / "model"))
    again.partial_fit(vbn.Dataset.from_pairs(["plain"], ["ünï"]))
    assert again._data.counts.to_scipy()[again._trained.rows.id("fox"), again._trained.rows.id("ünï")] == 4
    assert again._trained.column_taxonomy.parents("fox") == [("plain", 1.0)]


def test_saving_over_a_model_replaces_it(tmp_path):
    first, second = fit(0), fit(1)
    first.save(tmp_path / "model")
    second.save(tmp_path / "model")
    assert vbn.load(tmp_path / "model").seed == 1
    assert len(list((tmp_path / "model").glob("*.safetensors"))) == 1


def test_the_card_tells_what_it_is(folder):
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "VBN model" in card
    assert "lower bound" in card


def change_config(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def tensors(folder):
    return next(folder.glob("*.safetensors"))


def rewrite(folder, change):
    """Change tensors and make the checksum fit: what a hostile author would do."""
    import hashlib

    arrays = load_file(tensors(folder))
    change(arrays)
    save_file(arrays, tensors(folder))
    blob = tensors(folder).read_bytes()
    entry = {"file": tensors(folder).name, "sha256": hashlib.sha256(blob).hexdigest(), "bytes": len(blob)}
    change_config(folder, tensors=entry)


def cyclic(arrays):
    n = len(arrays["columns.ends"])
    arrays["columns.taxonomy.indptr"] = np.r_[0, 1, 2, np.full(n - 2, 2)].astype(np.int64)
    arrays["columns.taxonomy.indices"] = np.array([1, 0], np.int32)
    arrays["columns.taxonomy.weights"] = np.ones(2)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.update({"posterior.u.mean": a["posterior.u.mean"][:-1]}),
        lambda a: a.update({"posterior.u.mean": a["posterior.u.mean"] * np.nan}),
        lambda a: a.update({"posterior.v.variance": -a["posterior.v.variance"]}),
        lambda a: a.update({"posterior.bias.mean": a["posterior.bias.mean"].astype(np.int64)}),
        lambda a: a.update({"columns.taxonomy.indices": a["columns.taxonomy.indices"] + 10**6}),
        lambda a: a.update({"columns.ends": a["columns.ends"][::-1].copy()}),
        lambda a: a.update({"columns.counts": -a["columns.counts"]}),
        lambda a: a.update({"posterior.offsets": a["posterior.offsets"] + 5}),
        lambda a: a.update({"data.indices": a["data.indices"] + 10**6}),
        lambda a: a.update({"data.values": -a["data.values"]}),
        lambda a: a.update({"data.relation.0.left": a["data.relation.0.left"] - 10}),
        lambda a: a.pop("posterior.u.mean"),
        lambda a: a.pop("row_active"),
        cyclic,
    ],
)
def test_tensors_that_do_not_fit(folder, change):
    rewrite(folder, change)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


@pytest.mark.parametrize(
    "config",
    [
        {"format": 99},
        {"format": "1"},
        {"tensors": {"file": "../../etc/passwd", "sha256": "", "bytes": 1}},
        {"tensors": {"file": "/etc/passwd", "sha256": "", "bytes": 1}},
        {"tensors": {"file": "missing.safetensors", "sha256": "", "bytes": 1}},
        {"tensors": None},
        {"model": {}},
        {"estimator": "os.system"},
        {"parameters": {"no_such": 1}},
        {"record": {}},
    ],
)
def test_configs_that_do_not_fit(folder, config):
    change_config(folder, **config)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


def test_what_is_no_model(tmp_path):
    with pytest.raises(vbn.ModelFileError, match="no such folder"):
        vbn.load(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(vbn.ModelFileError, match=r"no config\.json"):
        vbn.load(tmp_path / "empty")
    (tmp_path / "file").write_text("x")
    with pytest.raises(vbn.ModelFileError, match="is a file"):
        fit().save(tmp_path / "file")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.data())
def test_flipped_and_missing_bytes(folder, data):
    victim = data.draw(st.sampled_from([tensors(folder), folder / "config.json"]))
    original = victim.read_bytes()
    at = data.draw(st.integers(0, len(original) - 1))
    damaged = (
        original[:at] if data.draw(st.booleans()) else original[:at] + bytes([original[at] ^ 0x55]) + original[at + 1 :]
    )
    victim.write_bytes(damaged)
    try:
        loaded = vbn.load(folder)
    except vbn.ModelFileError:
        loaded = None
    finally:
        victim.write_bytes(original)
    # a byte of the config may change a harmless value, such as a digit of a bound; tensors are guarded by a checksum
    assert loaded is None or victim.name == "config.json"
