"""Exports: other tools open them and find the model's own numbers; a failure leaves the old file as it was."""

import builtins
import itertools
import os
import stat

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow.parquet import ParquetFile
from safetensors.numpy import load_file

import vbn
from vbn.storage import Densities, encoded_keys, write_densities

NAMES = ["plain", "new york", "tab\there", "emoji 🦊", "عربى", "<b>", "ünï", "non\u00a0breaking", "-", "comma,"]


def fit(dtype="float32", names=NAMES):
    rng = np.random.default_rng(0)
    left, right = ([names[i] for i in rng.integers(0, len(names), 200)] for _ in range(2))
    data = vbn.Dataset.from_pairs(left, right)
    data = data.with_taxonomy({names[0]: ["root"], names[1]: {names[2]: 2.0, "root": 1.0}})
    return vbn.VBN(dim=5, epochs=3, dtype=dtype, verbose=False).fit(data)


@pytest.fixture(scope="module")
def model():
    return fit()


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(1)
    users, items = rng.integers(0, 9, 100), rng.integers(0, 7, 100)
    data = vbn.Dataset.from_interactions(users, items, np.where(users > 3, 1.5, 1.0))
    return vbn.VBN(dim=3, epochs=3, verbose=False).fit(data.with_taxonomy({"u": ["all"]}, side="row"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("file", ["v.txt", "v.vec", "v.bin"])
def test_gensim_opens_word2vec_files_with_the_same_bits(tmp_path, file, dtype):
    model = fit(dtype)
    path = model.export(tmp_path / file)
    assert path == tmp_path / file
    read = np.dtype(dtype).type if path.suffix != ".bin" else np.float32
    opened = KeyedVectors.load_word2vec_format(path, binary=path.suffix == ".bin", datatype=read)
    names = model.trained_.rows.names
    assert opened.index_to_key == ["".join("_" if c.isspace() else c for c in name) for name in names]
    for key, name in zip(opened.index_to_key, names, strict=True):
        np.testing.assert_array_equal(opened[key], model.posterior(name, role="entity").mean.astype(read))


def test_gensim_finds_the_neighbours_that_similar_finds(model, tmp_path):
    opened = KeyedVectors.load_word2vec_format(model.export(tmp_path / "v.txt", categories=False))
    direct = model.to_keyed_vectors(categories=False)
    for name in NAMES:
        ours = model.similar(name, k=5, by="mean")
        theirs = direct.most_similar(name, topn=5)
        assert [entity for entity, _ in theirs] == ours.entities
        np.testing.assert_allclose([score for _, score in theirs], ours.scores, atol=1e-6)
        key = name.replace(" ", "_").replace("\t", "_").replace("\u00a0", "_")
        again = [entity for entity, _ in opened.most_similar(key, topn=5)]
        assert again == [e.replace(" ", "_").replace("\t", "_").replace("\u00a0", "_") for e in ours.entities]
    analogy = direct.most_similar(positive=["plain", "ünï"], negative=["<b>"], topn=4)
    ours = model.similar(positive=["plain", "ünï"], negative=["<b>"], k=4, by="mean")
    assert [e for e, _ in analogy] == ours.entities


def test_keyed_vectors_hold_names_as_they_are_and_counts(model, shop):
    assert "root" not in model.to_keyed_vectors()
    vectors = model.to_keyed_vectors(categories=True)
    assert vectors.index_to_key == list(model.trained_.rows.names)
    counts = dict(zip(model.trained_.rows.names, model.trained_.rows.counts, strict=True))
    assert {name: vectors.get_vecattr(name, "count") for name in vectors.index_to_key} == counts
    vectors.vectors[:] = 0  # a copy: the model must not change
    assert model.posterior("plain").mean.any()
    users = shop.to_keyed_vectors(side="row")
    np.testing.assert_array_equal(users["3"], shop.posterior("3", side="row").mean)
    fractions = dict(zip(shop.trained_.rows.names, shop.trained_.rows.counts, strict=True))
    assert users.get_vecattr("7", "count") == fractions["7"]


def test_names_that_fall_together_in_word2vec_are_refused(tmp_path):
    model = fit(names=["new york", "new_york", "c", "d"])
    with pytest.raises(vbn.DataError, match=r"'new york' and 'new_york'|'new_york' and 'new york'"):
        model.export(tmp_path / "v.txt")
    assert list(tmp_path.iterdir()) == []
    assert model.export(tmp_path / "v.npz").is_file()


def test_parquet_has_a_row_for_each_entity(model, tmp_path):
    table = ParquetFile(model.export(tmp_path / "v.parquet")).read()
    assert table.column_names == ["entity", "count", "parents", "mean", "variance"]
    assert table["entity"].to_pylist() == list(model.trained_.rows.names)
    np.testing.assert_array_equal(table["count"], model.trained_.rows.counts)
    rows = {row["entity"]: row for row in table.to_pylist()}
    assert sorted(rows["new york"]["parents"]) == ["root", "tab\there"]
    assert rows["ünï"]["parents"] == []
    for name in (*NAMES, "root"):
        density = model.posterior(name, role="entity")
        np.testing.assert_array_equal(np.float32(rows[name]["mean"]), density.mean)
        np.testing.assert_array_equal(np.float32(rows[name]["variance"]), density.variance)


def test_parquet_without_categories_keeps_parents_with_their_children(model, tmp_path):
    rows = ParquetFile(model.export(tmp_path / "v.parquet", categories=False)).read().to_pylist()
    parents = {row["entity"]: row["parents"] for row in rows}
    assert "root" not in parents
    assert parents["plain"] == ["root"]


def test_parquet_opens_in_pandas_and_polars(model, tmp_path):
    import pandas
    import polars

    path = model.export(tmp_path / "v.parquet")
    for frame in (pandas.read_parquet(path), polars.read_parquet(path)):
        assert np.stack(list(frame["mean"])).shape == (len(model.trained_.rows), 5)


def test_safetensors_and_numpy_hold_the_same_arrays(model, tmp_path):
    tensors = load_file(model.export(tmp_path / "v.safetensors"))
    starts = [0, *tensors["name_ends"][:-1]]
    blob = tensors["names"].tobytes()
    names = [blob[a:b].decode() for a, b in zip(starts, tensors["name_ends"], strict=True)]
    with np.load(model.export(tmp_path / "v.npz"), allow_pickle=False) as arrays:
        assert arrays["names"].tolist() == names == list(model.trained_.rows.names)
        for name, expected in (("means", "mean"), ("variances", "variance")):
            np.testing.assert_array_equal(arrays[name], tensors[name])
            np.testing.assert_array_equal(tensors[name], getattr(model.trained_.posterior.u, expected))
        np.testing.assert_array_equal(arrays["counts"], tensors["counts"])


def test_roles_and_sides(model, shop, tmp_path):
    def means(one, **which):
        with np.load(one.export(tmp_path / "v.npz", **which)) as arrays:
            return dict(zip(arrays["names"].tolist(), arrays["means"], strict=True))

    np.testing.assert_array_equal(means(model)["plain"], model.posterior("plain").mean)
    context = means(model, role="context")["plain"]
    np.testing.assert_array_equal(context, model.posterior("plain", role="context").mean)
    np.testing.assert_array_equal(means(shop)["3"], shop.posterior("3").mean)
    np.testing.assert_array_equal(means(shop, side="row")["3"], shop.posterior("3", side="row").mean)
    assert {"u", "all"} <= set(means(shop, side="row"))
    assert "all" not in means(shop, side="row", categories=False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path": "v.xyz"}, vbn.ParameterError, "word2vec, word2vec-binary, parquet, safetensors, numpy"),
        ({"path": "v.txt", "format": "glove"}, vbn.ParameterError, "parquet.*'glove'"),
        ({"path": None}, vbn.ParameterError, "path"),
        ({"path": "a\0b.txt"}, vbn.ParameterError, "path"),
        ({"path": "v.txt", "role": "category"}, vbn.ParameterError, "role"),
        ({"path": "v.txt", "side": "left"}, vbn.ParameterError, "side"),
        ({"path": ".", "format": "numpy"}, vbn.ModelFileError, "it is a folder"),
        ({"path": "no/such/folder.txt"}, vbn.ModelFileError, "no/such does not exist"),
    ],
)
def test_wrong_arguments(model, tmp_path, monkeypatch, arguments, error, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        model.export(**arguments)
    assert list(tmp_path.iterdir()) == []


def test_not_fitted(tmp_path):
    with pytest.raises(vbn.NotFittedError):
        vbn.VBN().export(tmp_path / "v.txt")
    with pytest.raises(vbn.NotFittedError):
        vbn.VBN().to_keyed_vectors()


@pytest.mark.parametrize(("missing", "extra"), [("pyarrow", "tables"), ("gensim", "gensim")])
def test_a_missing_extra_is_named(model, tmp_path, monkeypatch, missing, extra):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(vbn.MissingExtraError, match=rf"vbn\[{extra}\]"):
        model.to_keyed_vectors() if missing == "gensim" else model.export(tmp_path / "v.parquet")


def test_a_failed_export_leaves_the_old_file(tmp_path):
    good, bad = fit(names=["a", "b", "c", "d"]), fit(names=["a", "b", "c", "\ud800"])
    path = good.export(tmp_path / "v.txt")
    before = path.read_bytes()
    for form in ("word2vec", "word2vec-binary", "parquet"):
        with pytest.raises(vbn.DataError, match="surrogate"):
            bad.export(path, format=form)
        assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["v.txt"]


def test_a_link_stays_a_link_and_a_device_is_refused(model, tmp_path):
    (tmp_path / "link.npz").symlink_to(tmp_path / "real.npz")
    model.export(tmp_path / "link.npz")
    assert (tmp_path / "link.npz").is_symlink()
    assert stat.S_ISREG((tmp_path / "real.npz").lstat().st_mode)
    with pytest.raises(vbn.ModelFileError, match="not a file"):
        model.export(os.devnull, format="word2vec")


def test_names_that_numpy_cannot_hold_are_refused(tmp_path):
    with pytest.raises(vbn.DataError, match="drop the end"):
        fit(names=["a", "b", "c", "nul\0"]).export(tmp_path / "v.npz")


def many(n, dim=4):
    rng = np.random.default_rng(0)
    mean = rng.standard_normal((n, dim)).astype(np.float32)
    return Densities([f"e{i}" for i in range(n)], np.ones(n), mean, np.exp(mean), None, np.arange(n))


def test_more_entities_than_a_chunk(tmp_path):
    densities = many(70_000)
    opened = KeyedVectors.load_word2vec_format(write_densities(tmp_path / "v.bin", densities, None), binary=True)
    np.testing.assert_array_equal(opened.vectors, densities.mean)
    file = ParquetFile(write_densities(tmp_path / "v.parquet", densities, None))
    assert file.num_row_groups == 2
    assert file.read()["entity"].to_pylist() == densities.names
    flat = file.read()["variance"].combine_chunks().flatten().to_numpy()
    np.testing.assert_array_equal(flat.reshape(-1, 4), densities.variance)
    small = many(3000)
    opened = KeyedVectors.load_word2vec_format(write_densities(tmp_path / "v.txt", small, None))
    np.testing.assert_array_equal(opened.vectors, small.mean)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6), min_size=1, unique=True))
@settings(max_examples=200)
def test_word2vec_keys_are_distinct_single_words(names):
    if len({"".join("_" if c.isspace() else c for c in name) for name in names}) < len(names):
        with pytest.raises(vbn.DataError, match="would both be"):
            encoded_keys(names)
        return
    keys = encoded_keys(names)
    assert len(set(keys)) == len(names)
    for key, name in zip(keys, names, strict=True):
        assert key.decode().split() == [key.decode()]
        assert len(key.decode()) == len(name)


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Z"]), min_size=1, max_size=6), min_size=1, unique=True),
    st.sampled_from(["v.txt", "v.bin"]),
    st.data(),
)
def test_gensim_reads_back_any_names_and_numbers(tmp_path_factory, names, file, data):
    names = [name for name in names if name.split() == [name]] or ["one"]
    numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)
    mean = np.array(data.draw(st.lists(numbers, min_size=2 * len(names), max_size=2 * len(names))), np.float32)
    mean = mean.reshape(-1, 2)
    densities = Densities(names, np.ones(len(names)), mean, mean, None, np.arange(len(names)))
    path = write_densities(tmp_path_factory.mktemp("export") / file, densities, None)
    opened = KeyedVectors.load_word2vec_format(path, binary=file == "v.bin")
    assert opened.index_to_key == names
    np.testing.assert_array_equal(opened.vectors, mean)


def test_a_loaded_model_exports_the_same_bytes(model, tmp_path):
    loaded = vbn.load(model.save(tmp_path / "model"))
    for file in ("v.txt", "v.bin", "v.safetensors", "v.parquet"):
        here = model.export(tmp_path / file).read_bytes()
        assert loaded.export(tmp_path / file).read_bytes() == here
    with np.load(loaded.export(tmp_path / "a.npz")) as again, np.load(model.export(tmp_path / "b.npz")) as first:
        for name in first.files:
            np.testing.assert_array_equal(again[name], first[name])


@pytest.mark.parametrize("readout", ["entity", "both", "smoothed"])
def test_a_readout_is_exported_as_vectors_gives_it(model, tmp_path, readout):
    names, vectors = model.vectors(readout=readout)
    read = load_file(model.export(tmp_path / "v.safetensors", readout=readout))
    np.testing.assert_array_equal(read["means"], vectors)
    keyed = model.to_keyed_vectors(readout=readout)
    np.testing.assert_array_equal(keyed["plain"], vectors[names.index("plain")])
    heavier = model.to_keyed_vectors(readout="smoothed", smoothing=100.0)
    assert not np.allclose(heavier["plain"], vectors[names.index("plain")])


def test_a_readout_and_the_context_do_not_go_together(model, tmp_path):
    with pytest.raises(vbn.ParameterError, match="omit readout='both'"):
        model.export(tmp_path / "v.txt", role="context", readout="both")
    with pytest.raises(vbn.ParameterError, match="readout='sum' must be"):
        model.to_keyed_vectors(readout="sum")


def test_labels_go_where_a_file_has_room_for_them(tmp_path):
    catalogue = {"id": ["a", "b"], "title": ["Ärger <1>", None], "kind": ["k", "k"]}
    data = vbn.Dataset.from_interactions(["x", "y"], ["a", "b"]).with_catalogue(catalogue, id="id", levels=["kind"])
    model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(data)
    table = ParquetFile(model.export(tmp_path / "v.parquet")).read()
    assert table.column_names == ["entity", "label", "count", "parents", "mean", "variance"]
    names = table["entity"].to_pylist()
    expected = {"a": "Ärger <1>"}
    assert table["label"].to_pylist() == [expected.get(name) for name in names]
    with np.load(model.export(tmp_path / "v.npz")) as arrays:
        assert arrays["labels"].tolist() == [expected.get(name, "") for name in names]
    tensors = load_file(model.export(tmp_path / "v.safetensors"))
    ends = [0, *tensors["label_ends"].tolist()]
    labels = [tensors["labels"].tobytes()[a:b].decode() for a, b in itertools.pairwise(ends)]
    assert labels == [expected.get(name, "") for name in names]
    rows = ParquetFile(model.export(tmp_path / "r.parquet", side="row")).read()
    assert "label" not in rows.column_names
