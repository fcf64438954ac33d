"""Folders made to harm: one error type, little memory, no waiting, nothing read from outside."""

import json
import os
import re
import tracemalloc

import numpy as np
import pytest

import vbn
from tests.storage.making import change_config, fit, read_config, rewrite, seal, tensor_file


@pytest.fixture
def folder(tmp_path):
    return fit().save(tmp_path / "model")


def cyclic(arrays):
    n = len(arrays["columns.ends"])
    arrays["columns.taxonomy.indptr"] = np.r_[0, 1, 2, np.full(n - 2, 2)].astype(np.int64)
    arrays["columns.taxonomy.indices"] = np.array([1, 0], np.int32)
    arrays["columns.taxonomy.weights"] = np.ones(2)
    for part in ("u", "v"):  # as many categories as the cycle has nodes, so that nothing else is wrong
        for field, shape in (("mean", (2, 3)), ("variance", (2,)), ("rate", (2,))):
            dtype = np.float64 if field == "rate" else arrays[f"posterior.{part}.mean"].dtype
            arrays[f"posterior.{part}.hierarchy.{field}"] = np.ones(shape, dtype)


def scaled(name, factor):
    return lambda a: a.update({name: (a[name] * factor).astype(a[name].dtype)})


def typed(name, dtype):
    return lambda a: a.update({name: a[name].astype(dtype)})


def first(name, value):
    def change(arrays):
        arrays[name].reshape(-1)[0] = value

    return change


CHANGES = {
    "one row less": lambda a: a.update({"posterior.u.mean": a["posterior.u.mean"][:-1]}),
    "turned": lambda a: a.update({"posterior.u.mean": a["posterior.u.mean"].T.copy()}),
    "flat": lambda a: a.update({"posterior.u.mean": a["posterior.u.mean"].reshape(-1)}),
    "no dimensions": lambda a: a.update(
        {name: array[:, :0].copy() for name, array in a.items() if array.ndim == 2 and "relation" not in name}
    ),
    "NaN mean": first("posterior.u.mean", np.nan),
    "infinite mean": first("posterior.v.mean", np.inf),
    "mean whose square overflows": first("posterior.u.mean", 6e19),
    "negative variance": scaled("posterior.v.variance", -1),
    "no variance": first("posterior.u.variance", 0),
    "infinite variance": first("posterior.bias.variance", np.inf),
    "no rate": first("posterior.v.rate", 0),
    "negative centre variance": first("posterior.bias.centre.variance", -1),
    "whole numbers as means": typed("posterior.bias.mean", np.int64),
    "mixed types": typed("posterior.v.mean", np.float64),
    "narrow rates": typed("posterior.v.rate", np.float32),
    "missing factors": lambda a: a.pop("posterior.relation 0.x.mean"),
    "factors of another rank": lambda a: a.update(
        {"posterior.relation 0.y.mean": a["posterior.relation 0.y.mean"][:-1]}
    ),
    "missing means": lambda a: a.pop("posterior.u.mean"),
    "missing flags": lambda a: a.pop("row_active"),
    "flags of bytes": typed("row_active", np.uint8),
    "flags that are neither": lambda a: a["row_active"].view(np.uint8).fill(7),
    "NaN totals": first("row_totals", np.nan),
    "noise of nothing": scaled("noise_counts", 0),
    "noise below nothing": scaled("noise_counts", -1),
    "noise of too few": lambda a: a.update(noise_counts=a["noise_counts"][1:]),
    "reversed names": lambda a: a.update({"columns.ends": a["columns.ends"][::-1].copy()}),
    "an empty name": lambda a: a["columns.ends"].__setitem__(1, a["columns.ends"][0]),
    "names beyond the end": scaled("columns.ends", 1000),
    "one name twice": lambda a: a.update({"columns.names": np.full_like(a["columns.names"], ord("a"))}),
    "names that are no text": lambda a: a.update({"columns.names": np.full_like(a["columns.names"], 0xFF)}),
    "no names": lambda a: a.update({f"columns.{x}": a[f"columns.{x}"][:0] for x in ("names", "ends", "counts")}),
    "negative counts": scaled("columns.counts", -1),
    "never seen": scaled("columns.counts", 0),
    "unknown parents": scaled("columns.taxonomy.indices", 10**6),
    "parents without weight": scaled("columns.taxonomy.weights", 0),
    "parents of too much weight": scaled("columns.taxonomy.weights", 2),
    "bounds that fall": lambda a: a["columns.taxonomy.indptr"].__setitem__(2, 10**9),
    "a cycle": cyclic,
    "unknown columns": scaled("data.indices", 10**6),
    "repeated columns": scaled("data.indices", 0),
    "negative values": scaled("data.values", -1),
    "NaN values": first("data.values", np.nan),
    "too few values": lambda a: a.update({"data.values": a["data.values"][:-1]}),
    "unknown pairs": first("data.relation.0.left", -10),
    "half a relation": lambda a: a.pop("data.relation.0.left"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_tensors_that_do_not_fit(folder, change):
    rewrite(folder, change)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


def entry(**changes):
    return {"tensors": {"file": "x.safetensors", "sha256": "0" * 64, "bytes": 100} | changes}


CONFIGS = [
    {"format": 99},
    {"format": "1"},
    {"format": True},
    {"format": 0},
    {"format": None},
    {"format": 1.0},
    entry(file="../../etc/passwd"),
    entry(file="/etc/passwd"),
    entry(file="missing.safetensors"),
    entry(file="."),
    entry(file=""),
    entry(file=".."),
    entry(file="a\0b"),
    entry(file=5),
    entry(file=None),
    entry(file="\ud800"),
    entry(file="config.json"),
    entry(file="x" * 5000),
    entry(sha256=None),
    entry(bytes="8"),
    entry(bytes=10**30),
    entry(bytes=-1),
    {"tensors": None},
    {"tensors": []},
    {"model": {}},
    {"model": None},
    {"estimator": "os.system"},
    {"estimator": "Dataset"},
    {"estimator": "load"},
    {"estimator": None},
    {"estimator": ["VBN"]},
    {"parameters": {"no_such": 1}},
    {"parameters": {"dim": "x"}},
    {"parameters": {"seed": -1}},
    {"parameters": None},
    {"parameters": {"alpha": {"entity": "1"}}},
    {"parameters": {"self": 1}},
    {"record": {}},
    {"record": None},
    {"record": {"lower_bounds": [], "validation": [], "converged": False}},
    {"record": {"lower_bounds": ["1"], "validation": [], "converged": False}},
    {"record": {"lower_bounds": [[1.0]], "validation": [], "converged": False}},
    {"record": {"lower_bounds": [1.0], "validation": None, "converged": False}},
    {"record": {"lower_bounds": [1.0], "validation": [], "converged": "no"}},
    {"record": {"lower_bounds": [1.0], "validation": [], "converged": True, "settings": None}},
    {"record": {"lower_bounds": [1.0], "validation": [], "converged": True, "inputs": ["a"]}},
    {"checkpoint": 5},
    {"checkpoint": {}},
    {"checkpoint": {"tensors": {"file": "../x"}}},
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: json.dumps(c)[:60])
def test_configs_that_do_not_fit(folder, config):
    change_config(folder, **config)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


MODELS = [
    {"shared": 1},
    {"shared": False},
    {"relations": None},
    {"relations": [5]},
    {"relations": []},
    {"relations": [{"name": 5, "symmetric": True}]},
    {"relations": [{"name": "r", "symmetric": "yes"}]},
    {"alpha": None},
    {"alpha": {"entity": 1.0}},
    {"beta": {"entity": -1, "category": 1, "bias": 1, "relation": 1}},
    {"negatives": 0},
    {"negatives": "1"},
    {"negatives": True},
    {"negatives": 10**400},
    {"noise_power": -1},
    {"noise_power": None},
    {"temperature": 0},
    {"temperature": "hot"},
    {"kind": 5},
]


@pytest.mark.parametrize("change", MODELS, ids=lambda c: repr(c)[:60])
def test_facts_that_do_not_fit(folder, change):
    change_config(folder, model=read_config(folder)["model"] | change)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"5",
        b"{",
        b"NaN",
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b"9" * 100_000,
        b'{"format": NaN}',
        b'{"format": 1e999}',
        b'{"format": -Infinity}',
        b'{"format": 1, "format": 1}',
        b'{"format": 1, "x": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_json_that_is_none(folder, text):
    (folder / "config.json").write_bytes(text)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


def test_numbers_that_json_does_not_have(folder):
    text = (folder / "config.json").read_bytes()
    for number in (b"NaN", b"Infinity", b"1e999"):
        (folder / "config.json").write_bytes(re.sub(rb'"noise_power": 0.75', b'"noise_power": ' + number, text))
        with pytest.raises(vbn.ModelFileError, match="readable JSON"):
            vbn.load(folder)


def with_header(folder, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    tensor_file(folder).write_bytes(len(text).to_bytes(8, "little") + text + data)
    seal(folder)


ONE = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
HEADERS = [
    b"",
    b"{",
    b"[]",
    b"[" * 200_000,
    {"a": 5},
    {"a": {}},
    {"a": ONE | {"dtype": "F8"}},
    {"a": ONE | {"dtype": []}},
    {"a": ONE | {"shape": [10**18]}},
    {"a": ONE | {"shape": [2**32, 2**32]}},
    {"a": ONE | {"shape": [-1]}},
    {"a": ONE | {"shape": [0, 10**30], "data_offsets": [0, 0]}},
    {"a": ONE | {"shape": [True]}},
    {"a": ONE | {"shape": [1.0]}},
    {"a": ONE | {"shape": [1] * 1000}},
    {"a": ONE | {"shape": "1"}},
    {"a": ONE | {"data_offsets": [0]}},
    {"a": ONE | {"data_offsets": [0, 10**18]}},
    {"a": ONE | {"data_offsets": [4, 0]}},
    {"a": ONE, "b": ONE},
    {"a": ONE | {"data_offsets": [1, 5]}},
    {"__metadata__": 5},
    {},
]


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: repr(header)[:60])
def test_headers_that_do_not_fit(folder, header):
    with_header(folder, header, b"\0" * 4)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


@pytest.mark.parametrize(
    "blob", [b"", b"1234567", b"\xff" * 8, b"\xff" * 100, (50).to_bytes(8, "little") + b"{}"], ids=repr
)
def test_files_that_are_hardly_there(folder, blob):
    tensor_file(folder).write_bytes(blob)
    seal(folder)
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)


def test_a_file_does_not_say_where_the_next_fit_writes(folder, tmp_path):
    change_config(folder, parameters=read_config(folder)["parameters"] | {"checkpoint": str(tmp_path / "planted")})
    vbn.load(folder).partial_fit(vbn.Dataset.from_pairs(["plain"], ["ünï"]))
    assert not (tmp_path / "planted").exists()


def test_a_checksum_that_does_not_fit(folder):
    blob = bytearray(tensor_file(folder).read_bytes())
    blob[-1] ^= 1
    tensor_file(folder).write_bytes(blob)
    with pytest.raises(vbn.ModelFileError, match="checksum"):
        vbn.load(folder)


@pytest.mark.parametrize("which", ["config", "tensors"])
def test_links_and_pipes_are_not_followed(folder, tmp_path, which):
    victim = folder / "config.json" if which == "config" else tensor_file(folder)
    victim.rename(tmp_path / "outside")
    victim.symlink_to(tmp_path / "outside")
    with pytest.raises(vbn.ModelFileError, match="symbolic link"):
        vbn.load(folder)
    for make in (lambda: os.mkfifo(victim), victim.mkdir, lambda: victim.symlink_to("/dev/zero")):
        if victim.is_dir():
            victim.rmdir()
        else:
            victim.unlink()
        make()
        with pytest.raises(vbn.ModelFileError):
            vbn.load(folder)


def test_a_link_to_a_folder_is_a_folder(folder, tmp_path):
    (tmp_path / "latest").symlink_to(folder)
    assert vbn.load(tmp_path / "latest").n_iter_ == 4


@pytest.mark.parametrize("which", ["config", "tensors", "header", "declared"])
def test_huge_files_take_little_memory(folder, which):
    if which == "config":
        os.truncate(folder / "config.json", 1 << 36)  # sparse
    elif which == "tensors":
        os.truncate(tensor_file(folder), 1 << 36)
    elif which == "header":
        with tensor_file(folder).open("r+b") as stream:
            stream.write((1 << 25).to_bytes(8, "little"))
            stream.truncate(1 << 26)
        seal(folder)
    else:
        with_header(folder, {"posterior.u.mean": ONE | {"shape": [2**40], "data_offsets": [0, 2**42]}})
    tracemalloc.start()
    with pytest.raises(vbn.ModelFileError):
        vbn.load(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6
