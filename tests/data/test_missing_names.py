"""Rows without a name: counted and refused, or left out as if they had never been there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.making import write
from vbn._errors import DataError, ParameterError, RelationError, TaxonomyError, VBNWarning
from vbn.data import Dataset, Taxonomy

ROWS = "user,item,plays\nu,i,1\n,i,2\nv,,3\nv,i,4\nu,j,5\n"
KEPT = Dataset.from_interactions(["u", "v", "u"], ["i", "i", "j"], [1, 4, 5])


def same(one: Dataset, other: Dataset) -> bool:
    equal = one.rows == other.rows and one.columns == other.columns
    return equal and np.array_equal(one.counts.to_scipy().toarray(), other.counts.to_scipy().toarray())


def test_empty_fields_are_counted_or_left_out(tmp_path):
    path = write(tmp_path, ROWS)
    with pytest.raises(DataError, match=r"empty name at line 3 of data\.csv, column 'user'; .* missing='drop'"):
        Dataset.from_interactions(path, missing="error")
    assert same(Dataset.from_interactions(path, missing="drop"), KEPT)
    many = write(tmp_path, "left,right\na,b\n" + "a,\n" * 966)
    with pytest.raises(DataError, match=r"line 3 of data\.csv, column 'right' and 965 more like it"):
        Dataset.from_pairs(many)
    assert Dataset.from_pairs(many, missing="drop").counts.total == 1


def test_a_few_rows_of_a_file_without_a_name_are_left_out_and_told(tmp_path):
    path = write(tmp_path, ROWS)
    with pytest.warns(VBNWarning) as warned:
        assert same(Dataset.from_interactions(path), KEPT)
    assert [str(warning.message) for warning in warned] == [
        "2 rows without a name (40.0%) are left out, the first at line 3 of data.csv, column 'user'; with "
        "missing='error' they are an error"
    ]
    assert warned[0].filename == __file__
    pd.read_csv(path).to_parquet(tmp_path / "data.parquet")
    with pytest.warns(VBNWarning, match=r"first at row 1 \(counted from 0\) of column 'user' of data\.parquet"):
        assert same(Dataset.from_interactions(tmp_path / "data.parquet"), KEPT)
    for half in ("u,i\n,i\n", "u,i\n" * 60 + ",i\n" * 4):
        with pytest.raises(DataError, match="empty name at line"):
            Dataset.from_interactions(write(tmp_path, f"user,item\n{half}"))
    with pytest.warns(VBNWarning, match=r"4 rows without a name \(5\.0%\)"):
        Dataset.from_interactions(write(tmp_path, "user,item\n" + "u,i\n" * 76 + ",i\n" * 4))
    dated = write(tmp_path, "user,item,when\nu,i,31.05.2024\nv,i,\nv,j,01.06.2024\n")
    with pytest.warns(VBNWarning, match="1 row without a name or a time is left out, at line 3 of .*'when'"):
        assert Dataset.from_interactions(dated, time="when").rows.names == ("u", "v")


def test_lines_are_still_the_files_own_after_rows_were_left_out(tmp_path):
    path = write(tmp_path, "user,item,plays\nu,,1\nu,i,-2\n")
    with pytest.raises(DataError, match=r"the weight at line 3 of data\.csv is negative"):
        Dataset.from_interactions(path, missing="drop")


@pytest.mark.parametrize("text", ["NA", "N/A", "nan", "NaN", "null", "None"])
def test_texts_that_may_mean_missing(text, tmp_path):
    path = write(tmp_path, ROWS.replace("\n,", f"\n{text},").replace("v,,", f"v,{text},"))
    with pytest.warns(UserWarning, match=rf"1 entry in column '(user|item)' of data\.csv .*'{text}'.*drop") as warned:
        data = Dataset.from_interactions(path)
    assert text in data.rows
    assert {warning.filename for warning in warned} == {__file__}
    assert same(Dataset.from_interactions(path, missing="drop"), KEPT)
    assert text in Dataset.from_interactions([(text, "i"), ("u", "i")]).rows  # in memory, a text is a name
    assert text in Dataset.from_sequences(write(tmp_path, f"{text} words\n", "a.txt")).entities


@pytest.mark.parametrize("nothing", [None, float("nan"), "", pd.NA, pd.NaT])
def test_missing_values_in_memory(nothing):
    users, items = ["u", nothing, "v", "v", "u"], ["i", "i", nothing, "i", "j"]
    build, ratings = Dataset.from_interactions, [1, 2, 3, 4, 5]
    frame = pd.DataFrame({"user": users, "item": items, "plays": ratings})
    forms = [(users, items, ratings), (list(zip(users, items, ratings, strict=True)),), (frame,)]
    for form in forms:
        with pytest.raises(DataError, match=r"(missing|empty) name.* at (row|position) 1 .*; .*missing='drop'"):
            build(*form)
        assert same(build(*form, missing="drop"), KEPT)
    assert Dataset.from_baskets([["a", "b", nothing], ["a", "b"]], missing="drop").counts.total == 4
    table = pd.DataFrame({"basket": [1, nothing, 1, 1], "item": ["a", "c", "b", nothing]})
    assert Dataset.from_baskets(table, missing="drop").counts.total == 2
    with pytest.raises(DataError, match=r"item 2 of basket 0 \(from 0\) and 1 more like it"):
        Dataset.from_baskets([["a", "b", nothing], [nothing]])


def test_numbers_beside_missing_ones():
    table = pl.DataFrame({"user": [1, None, 2], "item": [7, 8, 9]})
    for form in (table, table.to_pandas()):
        assert Dataset.from_interactions(form, missing="drop").rows.names == ("1", "2")
    floats = np.array([1.0, np.nan, 2.0])
    with pytest.raises(DataError, match=r"missing name \(NaN\) at position 1"):
        Dataset.from_pairs(floats, [7, 8, 9])
    assert "8" not in Dataset.from_pairs(floats, [7, 8, 9], missing="drop").entities


def test_tokens_without_a_name_close_up():
    whole = Dataset.from_sequences([["a", "b"], [], ["b", "c"]], window=1)
    gaps = [["a", None, "b"], ["", None], ["b", "c"]]
    assert same(Dataset.from_sequences(gaps, window=1, missing="drop"), whole)
    with pytest.raises(DataError, match=r"missing name \(None\) at token 1 of sentence 0 .* and 2 more like it"):
        Dataset.from_sequences(gaps)


def test_taxonomies_and_relations(tmp_path):
    rows = "child,parent\npoodle,dog\ndog,animal\nanimal,\n"
    assert Taxonomy.from_edges(write(tmp_path, rows)).vocabulary.names == ("poodle", "dog", "animal")
    path = write(tmp_path, rows + ",animal\n")
    with pytest.raises(TaxonomyError, match=r"taxonomy: empty name at line 5 of data\.csv, column 'child'"):
        Taxonomy.from_edges(path, missing="error")
    with pytest.warns(VBNWarning, match="1 row without a name is left out, at line 5"):
        found = Taxonomy.from_edges(path)
    assert found.vocabulary.names == ("poodle", "dog", "animal")
    assert found.parents("animal") == []
    assert Taxonomy.from_edges(path, missing="drop").vocabulary.names == ("poodle", "dog", "animal")
    table = {"poodle": ["dog", None], "animal": [None], None: ["dog"]}
    assert Taxonomy.from_edges(table, missing="drop").vocabulary.names == ("poodle", "dog", "animal")
    data = Dataset.from_pairs(["hot", "up"], ["cold", "down"])
    pairs = write(tmp_path, "left,right\nhot,cold\nhot,\nhot,odd\n")
    with pytest.raises(RelationError, match="empty name at line 3"):
        data.with_relation("antonym", pairs, missing="error")
    few = write(tmp_path, "left,right\nhot,cold\nhot,\nup,down\n")
    with pytest.warns(VBNWarning, match="1 row without a name is left out, at line 3"):
        assert data.with_relation("antonym", few).relations["antonym"].skipped == 1
    pairs = write(tmp_path, "left,right\nhot,cold\nhot,\nhot,odd\n")
    with pytest.raises(RelationError, match=r"'odd'.* first at line 4 of data\.csv"):
        data.with_relation("antonym", pairs, missing="drop")
    assert data.with_relation("antonym", pairs, missing="skip").relations["antonym"].skipped == 2


def test_an_option_that_is_not_there_and_rows_that_are_all_bad(tmp_path):
    makers = (Dataset.from_sequences, Dataset.from_baskets, Dataset.from_interactions, Dataset.from_pairs)
    for build in (*makers, KEPT.with_taxonomy):
        with pytest.raises(ParameterError, match='missing must be "auto", "error" or "drop"'):
            build([("a", "b")], missing="ignore")
    with pytest.raises(DataError, match="each of the 2 rows lacks a name"):
        Dataset.from_pairs([("a", None), (None, "b")], missing="drop")
    with pytest.raises(DataError, match=r"only\.csv has columns but not a single row"):
        Dataset.from_interactions(write(tmp_path, "user,item\n", "only.csv"))


NAMES = st.sampled_from(["a", "b", "c", "", None])


@given(st.lists(st.tuples(NAMES, NAMES, st.integers(1, 5)), max_size=12))
def test_dropping_is_the_same_as_never_having_had_the_rows(rows):
    rows = [("x", "y", 1), *rows]
    whole = [row for row in rows if row[0] and row[1]]
    for build in (Dataset.from_pairs, Dataset.from_interactions):
        assert same(build(rows, missing="drop"), build(whole))
