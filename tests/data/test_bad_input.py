"""What is wrong, where, and what to do: bad lists, tables and files."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from vbn._errors import DataError, MissingExtraError, ParameterError, TaxonomyError
from vbn.data import Dataset

NAN = float("nan")
SEEDS = Path(__file__).parents[1] / "soak" / "seeds"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([], []), "no data"),
        ((["u"], ["i", "j"]), "users has 1, items has 2"),
        ((["u"], ["i"], [1, 2]), "weights has 2"),
        ((["u", "v"], ["i", "j"], [1, NAN]), r"weight at position 1 .* missing \(NaN\)"),
        ((["u", "v"], ["i", "j"], [1, None]), "position 1"),
        ((["u", "v"], ["i", "j"], [np.inf, -1]), r"position 0 .* infinite \(and 1 more"),
        ((["u", "v"], ["i", "j"], [1, -2]), r"position 1 .* negative \(-2\)"),
        ((["u", "v"], ["i", "j"], [1, "many"]), "'many' at position 1"),
        ((["u", "v"], ["i", "j"], [1e308, 1e308]), "weights add up to more than"),
        ((["u", "v"], ["i", "j"], [0, 0]), "no data"),
        ((["u", None], ["i", "j"]), r"None\) at position 1 .* of users"),
        ((["u", NAN], ["i", "j"]), r"NaN\) at position 1"),
        ((np.array([1.0, NAN]), ["i", "j"]), r"NaN\) at position 1"),
        ((np.array([1.0, 1.5]), ["i", "j"]), "1.5 at position 1"),
        ((np.array([1.0, np.inf]), ["i", "j"]), "inf at position 1"),
        ((np.array([True, False]), ["i", "j"]), "bool"),
        ((["u", ["v"]], ["i", "j"]), "type list"),
        ((np.zeros((2, 2)), ["i", "j"]), "one-dimensional"),
        ((["u", "v"],), "row 0"),
        ((["u"], 3), "items must be a column"),
        ((["u"], "item"), "items must be a column"),
        ((["u"], ["i"], [1], [2]), "only users, items, weights are read"),
        ((), "users is missing"),
        ((object(),), "type object"),
    ],
)
def test_bad_columns(columns, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_interactions(*columns)


def test_a_column_given_twice():
    with pytest.raises(TypeError, match="items"):
        Dataset.from_interactions(pd.DataFrame({"u": ["u"], "i": ["i"]}), "u", "i", items="i")
    with pytest.raises(DataError, match=r"'j' at position 0 .* of weights is not a number"):
        Dataset.from_interactions(["u"], ["i"], items=["j"])  # the third column


@pytest.mark.parametrize("to", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_bad_tables(to):
    table = to(pd.DataFrame({"user": ["u", None], "item": ["i", "j"], "plays": [1.0, -1.0]}))
    with pytest.raises(DataError, match=r"row 1 .*column 'user'"):
        Dataset.from_interactions(table)
    listed = "no column 'itm'; its columns are 'user', 'item', 'plays'. Did you mean 'item'"
    with pytest.raises(DataError, match=listed):
        Dataset.from_interactions(table, "user", "itm")
    with pytest.raises(DataError, match="no column number 5"):
        Dataset.from_interactions(table, 0, 5)
    with pytest.raises(DataError, match="name or the number of a column"):
        Dataset.from_interactions(table, ["u", "v"], "item")
    good = to(pd.DataFrame({"user": ["u", "v"], "item": ["i", "j"], "plays": [1.0, -1.0]}))
    with pytest.raises(DataError, match=r"weight at row 1 .* negative"):
        Dataset.from_interactions(good)
    with pytest.raises(DataError, match="no data"):
        Dataset.from_interactions(good[:0])
    flags = to(pd.DataFrame({"user": [True, False], "item": ["i", "j"]}))
    with pytest.raises(DataError, match="type bool"):
        Dataset.from_interactions(flags)
    gaps = to(pd.DataFrame({"user": [1, None], "item": ["i", "j"]}))
    with pytest.raises(DataError, match="row 1"):
        Dataset.from_interactions(gaps)
    with pytest.raises(DataError, match=r"row 1 .* is (None|nan), not text"):
        Dataset.from_sequences(to(pd.DataFrame({"text": ["a b", None]})))


def test_a_table_with_one_column_too_few():
    with pytest.raises(DataError, match="no column for items"):
        Dataset.from_interactions(pd.DataFrame({"user": ["u"]}))


def test_columns_of_a_dict_must_be_of_one_length():
    with pytest.raises(DataError, match="differ in length"):
        Dataset.from_interactions({"user": ["u"], "item": ["i", "j"]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("user,item\n", "no data"),
        ("user,item\nu,i\nv\n", "line 3 of bad.csv has 1 field where the first line has 2"),
        ('user,item\n"u\n2",i\nv,i,3\n', "line 4 of bad.csv has 3 fields"),
        ("user,item\nu,i\n,j\n", "empty name at line 3 of bad.csv, column 'user'"),
        ("user,item,plays\nu,i,1\nv,i,two\n", "'two' at line 3 of bad.csv"),
        ("user,item,plays\nu,i,1\n\nv,i,-2\n", r"line 4 of bad.csv is negative"),
        ("user,item,plays\nu,i,\n", r"line 2 of bad.csv is missing"),
        ("user,item,plays\nu,i,inf\n", r"line 2 of bad.csv is infinite"),
        ('user,item\nu,"i\nv,j\n', "line 2 of bad.csv cannot be split"),
        ('user,item\nu,"i"x\n', "line 2 of bad.csv cannot be split"),
        ("user\nu\n", "no column for items"),
    ],
)
def test_bad_files_are_refused_with_the_line(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        Dataset.from_interactions(path)


@pytest.mark.parametrize("name", ["bad.csv", "bad.csv.gz", "bad.txt"])
def test_bytes_that_are_no_text(tmp_path, name):
    content = "user,item\nu,é\n".encode() + b"v,\xff\xfe\n"
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.raises(DataError, match=f"line 3 of {name} is not UTF-8"):
        Dataset.from_interactions(tmp_path / name)
    if name.endswith("txt"):
        with pytest.raises(DataError, match="line 3"):
            Dataset.from_sequences(tmp_path / name)


def test_paths_that_lead_nowhere(tmp_path):
    (tmp_path / "ratings.csv").write_text("user,item\nu,i\n")
    (tmp_path / "ratings.xyz").write_text("x")
    (tmp_path / "ratings").write_text("x")
    with pytest.raises(DataError, match=r"no such file.* did you mean .*ratings.csv"):
        Dataset.from_interactions(tmp_path / "rating.csv")
    with pytest.raises(DataError, match=r"no such file: 'the cat sat'.* pass data as a list"):
        Dataset.from_sequences("the cat sat")
    with pytest.raises(DataError, match="is a folder"):
        Dataset.from_interactions(tmp_path)
    for name in ("ratings.xyz", "ratings"):
        with pytest.raises(DataError, match=r"suffix must be one of \.csv, \.tsv, \.txt, \.parquet"):
            Dataset.from_interactions(tmp_path / name)


def test_broken_archives_and_parquet_files(tmp_path):
    whole = gzip.compress(b"user,item\n" + b"u,i\n" * 1000)
    for name, content in {"not.csv.gz": b"user,item\n", "half.csv.gz": whole[:-12]}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=f"{name} is not a whole gzip file"):
            Dataset.from_interactions(tmp_path / name)
    (tmp_path / "bad.parquet").write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="cannot be read as parquet"):
        Dataset.from_interactions(tmp_path / "bad.parquet")
    (tmp_path / "bad.npz").write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match=r"bad\.npz"):
        Dataset.from_matrix(tmp_path / "bad.npz")


@pytest.mark.parametrize("name", ["no-utf8", "day-without-a-date", "unknown-time-zone"])
def test_a_column_of_parquet_that_python_cannot_read_is_named(name, tmp_path):
    (tmp_path / "pairs.parquet").write_bytes((SEEDS / "pairs-parquet" / name).read_bytes())
    with pytest.raises(DataError, match="column 'left' holds what Python cannot read"):
        Dataset.from_pairs(tmp_path / "pairs.parquet")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"indices": [0, 9]}, "must be < 2"),
        ({"indices": [0, -9]}, "must be >= 0"),
        ({"indptr": [0, 10**8, 2]}, "non-decreasing"),
    ],
)
def test_a_sparse_matrix_that_points_outside_of_itself_is_refused(changes, told):
    """Following such pointers, compiled code would read and write memory that is not its own."""
    arrays = {"indices": [0, 1], "indptr": [0, 1, 2]} | changes
    matrix = sp.csr_array((2, 2))
    matrix.data, matrix.indices, matrix.indptr = np.ones(2), np.array(arrays["indices"]), np.array(arrays["indptr"])
    with pytest.raises(DataError, match=f"damaged: .*{told}"):
        Dataset.from_matrix(matrix)


def test_a_matrix_of_nearly_nothing_but_empty_rows_is_refused_before_memory_is_full():
    with pytest.raises(DataError, match="1,099,511,627,776 rows, but only 1 cell"):
        Dataset.from_matrix(sp.coo_array(([1.0], ([5], [0])), shape=(2**40, 2)))


def test_parquet_without_a_reader_names_the_extra(tmp_path, monkeypatch):
    pd.DataFrame({"user": ["u"], "item": ["i"]}).to_parquet(tmp_path / "ratings.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert Dataset.from_interactions(tmp_path / "ratings.parquet").counts.total == 1  # through polars
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"vbn\[tables\]"):
        Dataset.from_interactions(tmp_path / "ratings.parquet")


def test_names_of_columns_in_a_file_without_a_header(tmp_path):
    (tmp_path / "pairs.csv").write_text("a,b\n")
    with pytest.raises(DataError, match="by number"):
        Dataset.from_pairs(tmp_path / "pairs.csv", "left", "right", header=False)


def test_a_bad_taxonomy_file_is_a_taxonomy_error_with_its_line(tmp_path):
    data = Dataset.from_pairs(["a"], ["b"])
    path = tmp_path / "edges.csv"
    path.write_text("child,parent\na,b\nc\n")
    with pytest.raises(TaxonomyError, match=r"taxonomy: line 3 of edges\.csv"):
        data.with_taxonomy(path)
    path.write_text("child,parent,weight\na,b,1\na,c,0\n")
    with pytest.raises(TaxonomyError, match=r"line 3 of edges\.csv is 0\.0"):
        data.with_taxonomy(path)


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        ([1, 2], {}, "matrix of numbers"),
        ([["a"]], {}, "matrix of numbers"),
        ([[0, 1], [NAN, 0]], {}, "row 1, column 0 .* missing"),
        (sp.csr_array([[0, -1.0], [2, 0]]), {}, "row 0, column 1 .* negative"),
        ([[0, 0], [0, 0]], {}, "no data"),
        ([[0, 1], [1, 0]], {"rows": ["a"]}, "rows has 1 names, but the matrix has 2"),
        ([[0, 1], [1, 0]], {"rows": ["a", "a"]}, "'a' more than once"),
        ([[0, 1], [1, 0]], {"rows": "ab"}, "rows must be a list"),
        ([[0, 1, 1], [1, 0, 1]], {"shared": True}, "shared=True"),
        ([[0, 1], [1, 0]], {"rows": ["a", "b"], "columns": ["b", "a"], "shared": True}, "shared=True"),
    ],
)
def test_bad_matrices(matrix, options, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_matrix(matrix, **options)


def test_limits_out_of_range():
    with pytest.raises(ParameterError, match="min_count"):
        Dataset.from_pairs(["a"], ["b"], min_count=-1)
    with pytest.raises(ParameterError, match="min_count"):
        Dataset.from_baskets([["a", "b"]], min_count=NAN)
    with pytest.raises(ParameterError, match="max_size"):
        Dataset.from_interactions(["a"], ["b"], max_size=0)
