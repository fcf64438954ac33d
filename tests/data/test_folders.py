"""Data sets in a folder: what comes back is what went in, mapped; anything else is refused by name."""

import json

import numpy as np
import pytest

import vbn
from vbn import Dataset

ODD = ["a b", 'quo"te', "new\nline", "ünï", "\U0001f600"]


def pairs():
    return Dataset.from_pairs(ODD, ODD[1:] + ODD[:1], [1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    "data", [pairs(), Dataset.from_interactions(["ann", "bob", "ann"], ["x", "x", "y"])], ids=["shared", "two sides"]
)
def test_a_data_set_comes_back_and_is_mapped(data, tmp_path):
    written = data.to_folder(tmp_path / "my data")
    again = Dataset.from_folder(tmp_path / "my data")
    for found in (written, again):
        assert (found.rows, found.columns, found.shared, found.kind) == (
            data.rows,
            data.columns,
            data.shared,
            data.kind,
        )
        for name in ("indptr", "indices", "values"):
            np.testing.assert_array_equal(getattr(found.counts, name), getattr(data.counts, name))
        base = found.counts.values
        while not isinstance(base, np.memmap) and base.base is not None:
            base = base.base
        assert isinstance(base, np.memmap)


def test_a_model_of_mapped_counts_is_the_same_to_the_bit(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"w{number}" for number in rng.integers(0, 30, 800)]
    data = Dataset.from_pairs(names[:400], names[400:])
    mapped = data.to_folder(tmp_path / "data")
    usual, other = (vbn.VBN(dim=4, epochs=3, verbose=False).fit(given) for given in (data, mapped))
    np.testing.assert_array_equal(usual.posterior("w3").mean, other.posterior("w3").mean)
    other.save(tmp_path / "model")
    found, expected = (each.similar("w3", k=1)[0] for each in (vbn.load(tmp_path / "model"), usual))
    assert found == expected


def test_knowledge_beside_the_counts_is_refused_with_the_order_to_do_it_in(tmp_path):
    with pytest.raises(vbn.DataError, match="before with_taxonomy"):
        pairs().with_taxonomy({"a b": ["c"]}).to_folder(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(vbn.DataError, match="not empty"):
        pairs().to_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("missing", ["dataset.json", "indices.npy", "rows.jsonl", "row_counts.npy"])
def test_a_missing_file_is_named(missing, tmp_path):
    pairs().to_folder(tmp_path / "data")
    (tmp_path / "data" / missing).unlink()
    with pytest.raises(vbn.DataError, match=missing.replace(".", r"\.")):
        Dataset.from_folder(tmp_path / "data")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("dataset.json", b"{"),
        ("dataset.json", json.dumps({"format": 99}).encode()),
        ("values.npy", b"no numpy"),
        ("rows.jsonl", b'"a"\n'),
        ("rows.jsonl", b"a\n"),
    ],
)
def test_damage_is_refused(file, content, tmp_path):
    pairs().to_folder(tmp_path / "data")
    (tmp_path / "data" / file).write_bytes(content)
    with pytest.raises(vbn.DataError, match="data"):
        Dataset.from_folder(tmp_path / "data")


def test_indptr_that_does_not_fit_is_refused(tmp_path):
    pairs().to_folder(tmp_path / "data")
    np.save(tmp_path / "data" / "indptr.npy", np.array([0, 1, 2, 3, 4, 99]))
    with pytest.raises(vbn.DataError, match="damaged"):
        Dataset.from_folder(tmp_path / "data")
