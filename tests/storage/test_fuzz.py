"""Random damage to model folders: a model or one error type comes out, nothing else."""

import json
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

import vbn
from tests.storage.making import NAMES, RELATION, bits, fit, read_config, rewrite, seal, tensor_file, write_config


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A model folder, and a place for damaged copies of it."""
    return fit().save(tmp_path_factory.mktemp("fuzz") / "model")


def copy_of(original):
    folder = original.with_name("damaged")
    shutil.rmtree(folder, ignore_errors=True)
    return shutil.copytree(original, folder)


def loaded(folder):
    """The model, which must answer; or None if it was refused."""
    try:
        model = vbn.load(folder)
    except vbn.ModelFileError:
        return None
    for row in model.similar("plain", k=3):
        assert np.isfinite(row.score)
    return model


@settings(max_examples=150)
@given(st.data())
def test_flipped_and_missing_bytes(original, data):
    folder = copy_of(original)
    victim = data.draw(st.sampled_from([tensor_file(folder), folder / "config.json"]))
    blob = victim.read_bytes()
    at = data.draw(st.integers(0, len(blob) - 1))
    flipped = blob[:at] + bytes([blob[at] ^ data.draw(st.integers(1, 255))]) + blob[at + 1 :]
    victim.write_bytes(blob[:at] if data.draw(st.booleans()) else flipped)
    # a byte of the config may change a harmless value, such as a digit of a bound; tensors are guarded by a checksum
    assert victim.name == "config.json" or loaded(folder) is None
    loaded(folder)


@settings(max_examples=150)
@given(at=st.integers(0, 10**6), byte=st.integers(0, 255), n=st.integers(1, 8))
def test_flipped_bytes_with_a_checksum_that_fits(original, at, byte, n):
    folder = copy_of(original)
    blob = bytearray(tensor_file(folder).read_bytes())
    at %= len(blob)
    blob[at : at + n] = bytes([byte]) * len(blob[at : at + n])
    tensor_file(folder).write_bytes(blob)
    seal(folder)
    loaded(folder)


@settings(max_examples=150)
@given(at=st.integers(8, 6000), byte=st.integers(32, 126))
def test_a_header_with_another_character(original, at, byte):
    folder = copy_of(original)
    blob = bytearray(tensor_file(folder).read_bytes())
    blob[8 + at % int.from_bytes(blob[:8], "little")] = byte
    tensor_file(folder).write_bytes(blob)
    seal(folder)
    loaded(folder)


@settings(max_examples=60)
@given(st.data())
def test_swapped_tensors(original, data):
    folder = copy_of(original)
    names = sorted(load_file(tensor_file(folder)))
    a, b = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))

    def swap(arrays):
        arrays[a], arrays[b] = arrays[b], arrays[a]

    rewrite(folder, swap)
    model = loaded(folder)
    assert model is not None or a != b


TYPES = st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_, np.float16, np.int16])


@settings(max_examples=150)
@given(st.data())
def test_other_shapes_types_and_values(original, data):
    folder = copy_of(original)
    name = data.draw(st.sampled_from(sorted(load_file(tensor_file(folder)))))
    shape = tuple(data.draw(st.lists(st.integers(0, 30), max_size=3)))
    number = data.draw(st.integers(-5, 300) | st.just(2**62))
    dtype = data.draw(TYPES)

    def change(arrays):
        kept = shape if data.draw(st.booleans()) else arrays[name].shape
        with np.errstate(all="ignore"):
            arrays[name] = np.full(kept, number).astype(dtype)

    rewrite(folder, change)
    loaded(folder)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.sampled_from(["../x", "/etc/passwd", 2**64, -(2**63), 1e308, "NaN", "\0", *NAMES]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places(value, path=()):
    """The path of everything in a JSON value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*path, key)
        yield from places(item, (*path, key))


@settings(max_examples=150)
@given(st.data())
def test_other_json(original, data):
    folder = copy_of(original)
    config = read_config(folder)
    *path, last = data.draw(st.sampled_from(list(places(config))))
    place = config
    for key in path:
        place = place[key]
    if data.draw(st.booleans()):
        del place[last]
    else:
        place[last] = data.draw(ODD)
    try:
        write_config(folder, config)
    except (ValueError, RecursionError):  # what JSON cannot hold
        return
    model = loaded(folder)
    if model is not None and [info.name for info in model.trained_.relations] == [RELATION]:
        model.add("new", parents=["plain"], contexts={"plain": 1})
        model.related(RELATION, "new", k=1)
        assert bits(vbn.load(model.save(folder.with_name("again")))) == bits(model)


@settings(max_examples=100)
@given(value=ODD)
def test_a_config_of_anything(original, value):
    folder = copy_of(original)
    (folder / "config.json").write_bytes(json.dumps(value).encode("utf-8", "surrogatepass"))
    assert loaded(folder) is None


@given(names=st.lists(st.text(st.characters(), min_size=1), min_size=1, max_size=6, unique=True))
def test_any_names_come_back(original, names):
    pairs = vbn.Dataset.from_pairs(names, names[::-1])
    model = vbn.VBN(dim=2, epochs=1, verbose=False).fit(pairs.with_relation(names[0], [(names[0], names[-1])]))
    again = vbn.load(model.save(original.with_name("names")))
    assert again.trained_.rows.names == model.trained_.rows.names
    assert [info.name for info in again.trained_.relations] == [names[0]]
