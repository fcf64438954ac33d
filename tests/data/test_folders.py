"""Data sets in a folder: what comes back is what went in, mapped; anything else is refused by name."""

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from vbn import Dataset
from vbn.data import fault_of_rows

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
        ("rows.jsonl", b"[" * 100_000),
        ("dataset.json", b"[]"),
    ],
)
def test_damage_is_refused(file, content, tmp_path):
    pairs().to_folder(tmp_path / "data")
    (tmp_path / "data" / file).write_bytes(content)
    with pytest.raises(vbn.DataError, match="data"):
        Dataset.from_folder(tmp_path / "data")


def saved(array):
    """The bytes of an array as numpy saves it."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


ARRAYS = {
    "empty": b"",
    "half": saved(np.arange(5))[:-9],
    "head that is no Python": b"\x93NUMPY\x01\x00\x04\x00{'a'",
    "head that does not end": b"\x93NUMPY\x01\x00\x02\x00{(",
    "an archive": b"PK\x03\x04",
    "objects": saved(np.array([None] * 6)),
    "texts": saved(np.array(["a"] * 6)),
    "two dimensions": saved(np.zeros((5, 1))),
    "no dimension": saved(np.float64(1)),
    "other byte order": saved(np.arange(6, dtype=">i8")),
    "more than there is": saved(np.zeros(5)).replace(b"(5,), ", b"(99,),"),
}


@pytest.mark.parametrize("file", ["indptr", "indices", "values", "row_counts"])
@pytest.mark.parametrize("content", ARRAYS.values(), ids=ARRAYS)
def test_a_file_that_is_no_array_of_the_right_kind_is_named(file, content, tmp_path):
    pairs().to_folder(tmp_path / "data")
    (tmp_path / "data" / f"{file}.npy").write_bytes(content)
    with pytest.raises(vbn.DataError, match=rf"{file}\.npy|damaged"):
        Dataset.from_folder(tmp_path / "data")


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("indptr", [0, 1, 2, 3, 4, 99], "starts of its rows"),
        ("indptr", [0, 3, 2, 3, 4, 5], "starts of its rows"),
        ("indptr", [1, 1, 2, 3, 4, 5], "starts of its rows"),
        ("indptr", [0, 1, 2, 3, 5], "do not fit its 5 rows"),
        ("indices", [1, 2, 3, 4, 5], "row 4 .*column 5, but there are 5 columns"),
        ("indices", [1, 2, -1, 4, 0], "row 2 .*column -1"),
        ("indices", [1, 2, 3, 4, 2**32], "row 4 .*column 4,294,967,296"),
        ("values", [1.0, 2, 3, 4, np.nan], "row 4 .*count nan"),
        ("values", [1.0, np.inf, 3, 4, 5], "row 1 .*count inf"),
        ("values", [1.0, 2, -3, 4, 5], "row 2 .*count -3"),
        ("values", [1.0, 2, 3, 0, 5], "row 3 .*count 0"),
        ("values", [1.0, 2, 3, 4], "do not fit"),
    ],
)
def test_cells_that_cannot_be_are_refused_with_their_row(file, content, told, tmp_path):
    """They were once accepted and ended in an IndexError during training, or in figures that are wrong."""
    written = pairs().to_folder(tmp_path / "data")
    assert written.counts.indptr.tolist() == [0, 1, 2, 3, 4, 5]
    np.save(tmp_path / "data" / f"{file}.npy", np.array(content))
    with pytest.raises(vbn.DataError, match=f"damaged: .*{told}"):
        Dataset.from_folder(tmp_path / "data")


@pytest.mark.parametrize("indices", [[0, 0], [1, 0]], ids=["twice", "falling"])
def test_columns_of_a_row_must_rise(indices, tmp_path):
    Dataset.from_interactions(["ann", "ann"], ["x", "y"]).to_folder(tmp_path / "data")
    np.save(tmp_path / "data" / "indices.npy", np.array(indices))
    with pytest.raises(vbn.DataError, match=r"row 0 .*do not rise"):
        Dataset.from_folder(tmp_path / "data")


@given(
    st.lists(st.lists(st.integers(0, 9), unique=True).map(sorted), min_size=1, max_size=6), st.data(), st.integers(1, 7)
)
def test_faults_are_found_wherever_blocks_end(rows, drawn, size):
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([column for row in rows for column in row], dtype=np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vbn.data.counts._CELLS_AT_ONCE", size)
        assert fault_of_rows(indptr, indices, 10, np.ones(len(indices))) is None
        if not len(indices):
            return
        at = drawn.draw(st.integers(0, len(indices) - 1))
        row = int(np.searchsorted(indptr, at, side="right")) - 1
        for wrong in (-1, 10):
            broken = indices.copy()
            broken[at] = wrong
            assert fault_of_rows(indptr, broken, 10).startswith(f"row {row} ")
        if at > indptr[row]:
            broken = indices.copy()
            broken[at] = broken[at - 1]
            assert fault_of_rows(indptr, broken, 10).startswith(f"row {row} ")
