"""Files, arrays and arguments as they come in the wild: read right, or refused with one clear error."""

from __future__ import annotations

import collections
import csv
import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.data.making import write
from vbn._errors import DataError, ParameterError, RelationError, TaxonomyError, VBNWarning
from vbn.data import Dataset, Taxonomy, Vocabulary

TEXT = b"left,right\na,b\nb,c\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "x.csv",
            TEXT.decode().encode("utf-16"),
            r"line 1 of x\.csv is not UTF-8 text; save the file as UTF-8 \(it is UTF",
        ),
        ("x.csv", TEXT.decode().encode("utf-16-le"), r"line 1 of x\.csv holds a NUL byte"),
        ("x.csv", TEXT + b"a\x00,b\n", r"line 4 of x\.csv holds a NUL byte"),
        ("x.csv", b"left,right\n\xe9\x81,b\n", r"line 2 of x\.csv is not UTF-8 text; save the file"),
        ("x.csv", b"left,right\n\xe9\x01,b\n", r"line 2 of x\.csv is not UTF-8 text; it is a binary file"),
        ("x.csv", b"PK\x03\x04\xe9", r"line 1 of x\.csv is not UTF-8 text; it is a spreadsheet or an archive; save"),
        ("x.xlsx", b"PK\x03\x04\xe9", r"'x\.xlsx' is a spreadsheet; save the sheet as csv"),
        ("x.csv", gzip.compress(TEXT), r"compressed with gzip, so call it x\.csv\.gz"),
        ("x.csv", b"PAR1\xff\xfe", r"a parquet file, so call it x\.parquet"),
        ("x.csv", b"left,right\n" + b"a" * 200_000 + b",b\n", "line 2 .* field limit"),
        ("x.csv", b"left|right\na|b\n", "is the delimiter right"),
        ("x.dat", TEXT, "the delimiter of a text file with delimiter="),
        ("x.csv.gz", TEXT, "not a whole gzip file"),
        ("x.csv.gz", b"", "is empty"),
        ("x.csv", b"\n\n", "is empty"),
    ],
)
def test_files_that_are_not_what_they_say(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        Dataset.from_pairs(tmp_path / name)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
@pytest.mark.parametrize("before", [0, 50_000])
def test_a_file_of_windows_is_read_with_a_warning_that_names_the_line(tmp_path, name, before):
    lines = ["left;right", *["a;b"] * before, "Käse;2 €"]
    content = "\r\n".join(lines).encode("cp1252")
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with pytest.warns(
        VBNWarning, match=rf"line {before + 2} of {name} is not UTF-8, .* Windows-1252: 'Käse;2 €'"
    ) as told:
        data = Dataset.from_pairs(tmp_path / name)
    assert [one.filename for one in told] == [__file__]
    assert {"Käse", "2 €"} <= {*data.rows.names}
    assert data.counts.total == before + 1


@pytest.mark.parametrize("lines", [["é,b".encode(), b"c,\xe9"], [b"c,\xe9", "é,b".encode()]])
def test_a_damaged_file_is_not_taken_for_one_of_windows(tmp_path, lines):
    path = tmp_path / "x.csv"
    path.write_bytes(b"\n".join([b"left,right", *lines]))
    with pytest.raises(DataError, match=r"line [23] of x\.csv is not UTF-8 text"):
        Dataset.from_pairs(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name on this system")
def test_a_pipe_is_not_said_to_be_absent(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match=r"pipe\.csv' is a pipe or a device, .*: write it to a file first"):
        Dataset.from_pairs(tmp_path / "pipe.csv")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("much", r"'much' at line 3 of x\.csv, column 'times', is not a number$"),
        ("1,5", r"'1,5' at line 3 of x\.csv, column 'times', is not a number; write a decimal comma as a point$"),
    ],
)
def test_a_weight_that_is_no_number_is_told_with_its_column(tmp_path, cell, message):
    (tmp_path / "x.csv").write_text(f'who,what,times\na,b,2\na,c,"{cell}"\n')
    with pytest.raises(DataError, match=message):
        Dataset.from_interactions(tmp_path / "x.csv", "who", "what", "times")


def test_old_files_with_a_delimiter_of_their_own(tmp_path):
    (tmp_path / "ratings.dat").write_bytes(b"1::10::5::978300760\r\n\r\n1::20::3::978302109\r\n")
    (tmp_path / "u.data").write_text("1\t10\t5\t978300760\n1\t20\t3\t978302109\n")
    for name, delimiter in (("ratings.dat", "::"), ("u.data", "\t")):
        data = Dataset.from_interactions(tmp_path / name, 0, 1, 2, delimiter=delimiter)
        assert (data.counts.total, data.columns.names) == (8, ("10", "20"))
    (tmp_path / "ratings.dat").write_text("1::10::5\n1::20\n")
    with pytest.raises(DataError, match=r"line 2 of ratings\.dat has 2 fields"):
        Dataset.from_interactions(tmp_path / "ratings.dat", delimiter="::")


def test_paths_that_cannot_be_ones():
    with pytest.raises(DataError, match="the path is empty"):
        Dataset.from_pairs("")
    with pytest.raises(DataError, match="cannot be the path of a file"):
        Dataset.from_pairs("a" * 5000 + ".csv")
    with pytest.raises(DataError, match="no such file"):
        Dataset.from_pairs("a\0b.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ""}, "delimiter must be .* got ''"),
        ({"delimiter": 5}, "delimiter must be .* got 5"),
        ({"delimiter": "\n"}, "delimiter must be"),
        ({"header": "yes"}, "header must be True, False or None, got 'yes'"),
        ({"header": 0}, "header must be True, False or None, got 0"),
    ],
)
def test_bad_ways_to_read_a_file(tmp_path, options, message):
    (tmp_path / "x.csv").write_bytes(TEXT)
    for build in (Dataset.from_pairs, Dataset.from_sequences, Dataset.from_baskets, Dataset.from_matrix):
        with pytest.raises(ParameterError, match=message):
            build(tmp_path / "x.csv", **options)


def test_flags_are_true_or_false():
    data = Dataset.from_pairs(["a"], ["b"])
    for name, call in {
        "shared": lambda: Dataset.from_pairs(["a"], ["b"], shared="no"),
        "dynamic_window": lambda: Dataset.from_sequences([["a", "b"]], dynamic_window="no"),
        "symmetric": lambda: data.with_relation("r", [("a", "b")], symmetric="no"),
    }.items():
        with pytest.raises(ParameterError, match=f"{name} must be True or False, got 'no'"):
            call()
    with pytest.raises(ParameterError, match="shared must be True or False, got 1"):
        Dataset.from_matrix([[0, 1], [1, 0]], shared=1)


@pytest.mark.parametrize("column", [["text"], 1.5, True])
def test_a_column_is_chosen_by_name_or_number(column):
    with pytest.raises(DataError, match="name or the number of a column"):
        Dataset.from_sequences(pd.DataFrame({"text": ["a b"]}), column=column)


def test_missing_values_of_every_kind_are_missing():
    right = ["a", "b"]
    missing = [
        pd.array([1, None], dtype="Int64"),
        pd.Categorical(["x", None]),
        pd.array(["x", None], dtype="string"),
        pd.to_datetime(["2020-01-01", None]),
        np.ma.array([1, 2], mask=[False, True]),
        np.ma.array([1.0, 2.0], mask=[False, True]),
        pa.array(["x", None]).dictionary_encode(),
    ]
    for left in missing[:3] + missing[4:]:
        with pytest.raises(DataError, match=r"missing name .* at (row|position) 1"):
            Dataset.from_pairs({"left": left, "right": right})
    with pytest.raises(DataError, match=r"weight at position 1 .* missing"):
        Dataset.from_interactions(["u", "v"], right, missing[4])
    with pytest.raises(DataError, match="type Timestamp"):
        Dataset.from_pairs({"left": missing[3], "right": right})


def test_numbers_at_the_edges():
    assert Dataset.from_pairs(np.array([1, 2], dtype=np.float16), ["a", "b"]).rows.id("2") >= 0
    assert Dataset.from_pairs(np.array([2**64 - 1], dtype=np.uint64), ["a"]).rows.id(2**64 - 1) >= 0
    with pytest.raises(DataError, match=r"position 0 .* is infinite"):
        Dataset.from_pairs(["a"], ["b"], [10**400])
    with pytest.raises(TaxonomyError, match="not a number"):
        Taxonomy.from_edges({"a": {"b": 10**400}})


def test_counts_by_pair():
    counted = collections.Counter([("a", "b"), ("a", "b"), ("b", "c")])
    assert Dataset.from_pairs(counted).counts.total == 3
    assert len(Dataset.from_pairs(["a"], ["b"]).with_relation("r", {("a", "b"): 2.0}).relations["r"]) == 1
    with pytest.raises(DataError, match="expected"):
        Dataset.from_pairs({("a", "b", "c", "d"): 3})


def test_a_sparse_matrix_is_no_list_of_pairs():
    with pytest.raises(DataError, match=r"use Dataset\.from_matrix"):
        Dataset.from_pairs(sp.eye(3))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2], [3]], "rows differ in length"),
        (sp.csr_array(np.eye(2) * 1j), "complex128"),
        (np.eye(2) * 1j, "complex128"),
        pytest.param(
            sp.coo_array(np.array([1.0, 2.0])),
            r"shape \(2,\)",
            marks=pytest.mark.skipif(sp.coo_array(np.ones(2)).ndim == 2, reason="older scipy makes it a matrix"),
        ),
        (sp.dia_array((np.ones((1, 3)), [0]), shape=(10**9, 3)), "1,000,000,000 rows, but only 3 cells"),
        (None, "type NoneType"),
    ],
)
def test_what_is_no_matrix(matrix, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_matrix(matrix)


def test_a_file_of_mere_numbers_is_asked_about(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("0,1,2\n1,0,3\n2,3,0\n")
    with pytest.raises(DataError, match="begins with a number: pass header=True"):
        Dataset.from_matrix(path)
    assert Dataset.from_matrix(path, header=True).columns.names == ("1", "2")
    path.write_text(",0,1\n0,0,4\n1,4,0\n")
    assert Dataset.from_matrix(path).counts.total == 8


def test_sets_have_the_same_order_in_every_process():
    code = (
        "from vbn.data import Dataset\n"
        "data = Dataset.from_baskets([{'tea', 'milk', 'rusk', 'jam'}]).with_taxonomy({'tea': {'hot', 'wet', 'dry'}})\n"
        "print(data.rows.names)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_weights_that_are_all_zero():
    with pytest.raises(RelationError, match="all its weights are 0"):
        Dataset.from_pairs(["a"], ["b"]).with_relation("r", [("a", "b", 0)])


@pytest.mark.parametrize("names", [None, "ab", b"ab", 5])
def test_a_vocabulary_needs_a_list_of_names(names):
    with pytest.raises(DataError, match="give a list of names"):
        Vocabulary(names)
    with pytest.raises(DataError, match="give a list of names"):
        Vocabulary(["a"]).ids(names)


def test_parts_that_are_none():
    with pytest.raises(DataError, match="must be numbers"):
        Vocabulary(["a"], ["many"])
    with pytest.raises(DataError, match=r"for data, use Dataset\.from_pairs"):
        Dataset(pd.DataFrame(), None, None)


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@pytest.mark.filterwarnings("ignore:.* taken for names")  # such as "Null"
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(NAMES, NAMES, st.integers(1, 9)), min_size=1, max_size=8), mark=st.sampled_from(",;\t|"))
def test_any_names_come_back_from_a_file(tmp_path, rows, mark):
    path = tmp_path / "pairs.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=mark)
        writer.writerow(["left", "right", "count"])
        writer.writerows(rows)
    read, given = Dataset.from_pairs(path, delimiter=mark), Dataset.from_pairs(rows)
    assert read.rows == given.rows
    assert read.counts.values.tolist() == given.counts.values.tolist()


def test_rows_of_empty_fields_are_no_rows(tmp_path):
    rows = "user;item;plays\nu;i;1\n;;\nv;i;4,5\n"
    read = Dataset.from_interactions(write(tmp_path, rows + ";;\n" * 9))
    assert (read.rows.names, read.counts.total) == (("v", "u"), 5.5)
    with pytest.raises(DataError, match=r"the weight at line 4 of data\.csv is negative"):
        Dataset.from_interactions(write(tmp_path, rows.replace("4,5", "-2")))
