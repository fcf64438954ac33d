"""Every way to hand data over gives the same data set."""

from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from tests.data.making import by_name
from vbn._errors import DataError
from vbn.cli.wording import in_options
from vbn.data import Dataset, Taxonomy

USERS, ITEMS, RATINGS = ["u", "v", "u", "7"], ["i", "i", "j", "k"], [1.0, 2.0, 3.0, 0.5]
FRAME = pd.DataFrame({"user": USERS, "item": ITEMS, "plays": RATINGS})
TABLES = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "lazy": pl.from_pandas(FRAME).lazy(),
    "pyarrow": pa.Table.from_pandas(FRAME),
    "dict": {"user": USERS, "item": ITEMS, "plays": RATINGS},
}


WEIGHTED = {("u", "i"): 1.0, ("v", "i"): 2.0, ("u", "j"): 3.0, ("7", "k"): 0.5}
PLAIN = dict.fromkeys(WEIGHTED, 1.0)


def test_columns_as_lists_arrays_and_series():
    build = Dataset.from_interactions
    assert by_name(build(USERS, ITEMS)) == PLAIN
    assert by_name(build(USERS, ITEMS, RATINGS)) == WEIGHTED
    assert by_name(build(USERS, ITEMS, weights=np.array(RATINGS))) == WEIGHTED
    assert by_name(build(users=USERS, items=ITEMS)) == PLAIN
    assert by_name(build(users=np.array(USERS), items=iter(ITEMS), weights=tuple(RATINGS))) == WEIGHTED
    assert by_name(build(FRAME.user, FRAME.item, FRAME.plays)) == WEIGHTED
    assert by_name(build(*(TABLES["polars"][name] for name in ("user", "item", "plays")))) == WEIGHTED
    assert by_name(build(*(TABLES["pyarrow"][name] for name in ("user", "item", "plays")))) == WEIGHTED
    assert by_name(build(pa.array(USERS), pa.array(ITEMS), pa.array(RATINGS))) == WEIGHTED
    assert by_name(build(zip(USERS, ITEMS, RATINGS, strict=True))) == WEIGHTED
    assert by_name(build(list(zip(USERS, ITEMS, strict=True)))) == PLAIN


@pytest.mark.parametrize("kind", TABLES)
def test_tables(kind):
    table, build = TABLES[kind], Dataset.from_interactions
    assert by_name(build(table)) == WEIGHTED
    assert by_name(build(table, "user", "item", weights="plays")) == WEIGHTED
    assert by_name(build(table, "user", "item", "plays")) == WEIGHTED
    assert by_name(build(table, users="user", items="item", weights=2)) == WEIGHTED
    assert by_name(build(table, 0, 1, 2)) == WEIGHTED
    assert by_name(build(table, 0, 1)) == by_name(build(table, users="user", items="item")) == PLAIN
    assert by_name(build(table, "user", "item", weights=None)) == PLAIN
    swapped = {(item, user): weight for (user, item), weight in WEIGHTED.items()}
    assert by_name(build(table, "item", "user", weights="plays")) == swapped


def test_columns_without_usual_names_are_taken_by_place():
    table = FRAME.set_axis(["who", "what", "how_much"], axis=1)
    assert by_name(Dataset.from_interactions(table, weights="how_much")) == WEIGHTED
    assert by_name(Dataset.from_interactions(table, "who", "what")) == PLAIN
    assert by_name(Dataset.from_interactions(table[["who", "what"]])) == PLAIN
    by_hand = r"numbers in column 'how_much': are they weights\? Pass .*weights='how_much' to use them"
    with pytest.raises(DataError, match=by_hand):
        Dataset.from_interactions(table)
    edges = pd.DataFrame({"x": ["a", "a"], "y": ["b", "c"], "z": [3, 1]})
    assert dict(Taxonomy.from_edges(edges).parents("a")) == {"b": 0.75, "c": 0.25}
    turned = Taxonomy.from_edges(edges, child="y", parent="x")
    assert turned.children_of("a") == ["b", "c"]


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv", "tsv.gz", "txt", "parquet", "parquet.gz"])
def test_files(tmp_path, suffix):
    path = tmp_path / f"ratings.{suffix}"
    if "parquet" in suffix:
        FRAME.to_parquet(tmp_path / "plain.parquet")
        content = (tmp_path / "plain.parquet").read_bytes()
    else:
        mark = {"csv": ",", "tsv": "\t", "txt": " "}[suffix.split(".")[0]]
        content = FRAME.to_csv(index=False, sep=mark).encode()
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    build = Dataset.from_interactions
    assert by_name(build(path)) == WEIGHTED
    assert by_name(build(str(path), "user", "item")) == by_name(build(path, 0, 1)) == PLAIN
    assert by_name(build(path, "user")) == WEIGHTED  # the other two are found
    assert by_name(build(path, 0, 1, 2)) == WEIGHTED
    pairs = Dataset.from_pairs(path, "user", "item", "plays")
    assert pairs.shared
    assert by_name(pairs) == WEIGHTED


def test_a_file_without_a_header(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("u,i,1\nv,i,2\nu,j,3\n7,k,0.5\n")
    build = Dataset.from_interactions
    assert by_name(build(path, 0, 1, 2, header=False)) == WEIGHTED
    assert by_name(build(path, header=False)) == WEIGHTED
    assert by_name(build(path, 0, 1, header=False)) == PLAIN
    assert by_name(build(path)) == by_name(Dataset.from_pairs(path)) == WEIGHTED  # a number: the first line is data
    edges = tmp_path / "edges.tsv"
    edges.write_text("poodle\tdog\ndog\tanimal\n")  # "dog" comes again: the first line is no header
    assert Taxonomy.from_edges(edges).ancestors("poodle") == ["dog", "animal"]
    assert Taxonomy.from_edges(edges, header=True).n_edges == 1
    edges.write_text("narrow\twide\npoodle\tdog\n")
    with pytest.raises(
        DataError, match=r"first line of edges\.tsv \('narrow', 'wide'\) name .*child, parent.* header=True or"
    ) as told:
        Taxonomy.from_edges(edges)
    assert "pass child='narrow', parent='wide' if it names them" in str(told.value)
    assert "pass --taxonomy-columns narrow,wide if it names them" in in_options(told.value)
    assert Taxonomy.from_edges(edges, header=True).n_edges == 1
    assert Taxonomy.from_edges(edges, header=False).n_edges == 2
    assert Taxonomy.from_edges(edges, child="narrow", parent="wide").n_edges == 1
    edges.write_text("Begriff\tOberbegriff\npoodle\tdog\n")
    assert Taxonomy.from_edges(edges).n_edges == 1
    edges.write_text("narrow\twide\n7\tdog\n")  # text above a number: a header
    assert Taxonomy.from_edges(edges).n_edges == 1


def test_quotes_line_breaks_blank_lines_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_bytes('\ufeffleft,right,count\r\n"a, b","c ""d""",2\r\n\r\n"e\nf",g,1\r\n'.encode())
    assert by_name(Dataset.from_pairs(path)) == {("a, b", 'c "d"'): 2, ("e\nf", "g"): 1}


def test_another_delimiter(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("left|right\na|b\n")
    assert by_name(Dataset.from_pairs(path, delimiter="|")) == {("a", "b"): 1}
    with pytest.raises(DataError, match="is the delimiter right"):
        Dataset.from_pairs(path)


def test_a_csv_with_semicolons_in_its_first_line_and_no_comma_is_split_at_these(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_bytes('\ufeff"left";right\r\n"a; b";c, d\r\n'.encode())
    assert by_name(Dataset.from_pairs(path)) == {("a; b", "c, d"): 1}
    assert Taxonomy.from_edges(path, header=True).n_edges == 1
    path.write_text("left;right,right\na;b,c\n")  # a comma as well: it is what a csv is split at
    assert by_name(Dataset.from_pairs(path, header=True)) == {("a;b", "c"): 1}
    path.write_text('left;"right, or wrong"\na;b\n')  # a comma within quotes separates nothing
    assert by_name(Dataset.from_pairs(path, header=True)) == {("a", "b"): 1}
    path.write_text("text;\nto be;\n")  # a comma is used if one is asked for
    assert Dataset.from_sequences(path, column="text;", delimiter=",").rows.names == ("to", "be;")


def test_sequences_from_files_and_tables(tmp_path):
    expected = by_name(Dataset.from_sequences([["to", "be"], ["be", "or"]]))
    (tmp_path / "words.txt").write_text("to be\n\nbe  or\n")
    (tmp_path / "words.txt.gz").write_bytes(gzip.compress(b"to be\nbe or\n"))
    (tmp_path / "words.csv").write_text("id,text\n1,to be\n2,be or\n")
    frame = pd.DataFrame({"id": [1, 2], "text": ["to be", "be or"]})
    frame.to_parquet(tmp_path / "words.parquet")
    for name in ("words.txt", "words.txt.gz", "words.csv", "words.parquet"):
        assert by_name(Dataset.from_sequences(tmp_path / name)) == expected
    lists = pl.DataFrame({"words": [["to", "be"], ["be", "or"]]})
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), lists):
        assert by_name(Dataset.from_sequences(table)) == expected
    renamed = frame.rename(columns={"text": "body"})
    assert by_name(Dataset.from_sequences(renamed, column="body")) == expected
    with pytest.raises(DataError, match="which column"):
        Dataset.from_sequences(renamed)


def test_baskets_from_files_and_tables(tmp_path):
    expected = by_name(Dataset.from_baskets([["tea", "milk"], ["tea", "rusk"]]))
    (tmp_path / "baskets.txt").write_text("tea milk\ntea rusk\n")
    long = pd.DataFrame({"basket": [1, 1, 2, 2], "item": ["tea", "milk", "tea", "rusk"]})
    long.to_csv(tmp_path / "baskets.csv", index=False)
    assert by_name(Dataset.from_baskets(tmp_path / "baskets.txt")) == expected
    assert by_name(Dataset.from_baskets(tmp_path / "baskets.csv")) == expected
    assert by_name(Dataset.from_baskets(long)) == expected
    assert by_name(Dataset.from_baskets(pl.from_pandas(long), "basket", "item")) == expected
    assert by_name(Dataset.from_baskets(long.basket, long.item)) == expected


def test_matrices(tmp_path):
    dense = np.array([[0, 2, 0], [2, 1, 0], [0, 0, 0]])
    expected = {("a", "b"): 2, ("b", "a"): 2, ("b", "b"): 1}
    names = ["a", "b", "c"]
    frame = pd.DataFrame(dense, index=names, columns=names)
    frame.to_csv(tmp_path / "matrix.csv")
    sp.save_npz(tmp_path / "matrix.npz", sp.csr_matrix(dense))
    for matrix in (dense, dense.tolist(), sp.csr_matrix(dense), sp.csc_array(dense), tmp_path / "matrix.npz"):
        data = Dataset.from_matrix(matrix, rows=names)
        assert by_name(data) == expected
        assert data.shared
        assert data.rows.names == ("b", "a", "c")
        assert data.rows.counts.tolist() == [3, 2, 0]
    for matrix in (frame, tmp_path / "matrix.csv", pl.from_pandas(frame.reset_index())):
        data = Dataset.from_matrix(matrix)
        assert by_name(data) == expected
        assert data.shared
    apart = Dataset.from_matrix(dense, names, ["x", "y", "z"])
    assert not apart.shared
    assert by_name(apart)["a", "y"] == 2
    assert Dataset.from_matrix(dense[:2]).rows.names == ("1", "0")
    assert not Dataset.from_matrix(dense, shared=False).shared
    assert len(Dataset.from_matrix(dense, names, min_count=1).rows) == 2
    again = Dataset.from_matrix(Dataset.from_matrix(dense).counts)
    assert again.counts.total == dense.sum()


def test_limits_drop_items_and_then_users():
    data = Dataset.from_interactions(["u", "u", "v", "w"], ["i", "j", "i", "k"], min_count=2)
    assert by_name(data) == {("u", "i"): 1, ("v", "i"): 1}
    assert data.rows.names == ("u", "v")
    largest = Dataset.from_interactions(["u", "u", "v"], ["i", "j", "i"], [1, 9, 1], max_size=1)
    assert largest.columns.names == ("j",)


def test_counts_of_pairs_are_directed_and_seen_from_both_sides():
    data = Dataset.from_pairs(["a", "a", "b"], ["b", "b", "c"], [1, 2, 0])
    assert by_name(data) == {("a", "b"): 3}
    assert data.rows.names == ("a", "b")
    assert data.rows.counts.tolist() == [1.5, 1.5]
    apart = Dataset.from_pairs(["a"], ["a"], [3], shared=False)
    assert not apart.shared
    assert apart.rows.counts.tolist() == [3]


def test_whole_floats_are_names_as_integers_are():
    frame = pd.DataFrame({"user": [1.0, 2.0], "item": [3, 4]})
    assert by_name(Dataset.from_interactions(frame)) == {("1", "3"): 1, ("2", "4"): 1}
    nullable = frame.astype({"user": "Int64", "item": "category"})
    assert by_name(Dataset.from_interactions(nullable)) == {("1", "3"): 1, ("2", "4"): 1}


def test_importing_the_room_needs_numpy_only():
    heavy = ("scipy", "numba", "narwhals", "pandas", "polars", "pyarrow")
    code = f"import sys, vbn.data; sys.exit(any(name in sys.modules for name in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_text_files_need_no_table_library(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("left,right\na,b\n")
    code = (
        "import sys\n"
        "for name in ('narwhals', 'pandas', 'polars', 'pyarrow'): sys.modules[name] = None\n"
        f"from vbn.data import Dataset; Dataset.from_pairs({str(path)!r})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
