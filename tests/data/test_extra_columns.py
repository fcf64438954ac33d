"""A third column: counts where that is beyond doubt, else a question to the user; never dropped in silence."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tests.data.making import write
from vbn._errors import DataError, ParameterError, RelationError, VBNWarning
from vbn.data import Dataset, Taxonomy, pair_columns

BUILDERS = pytest.mark.parametrize("build", [Dataset.from_interactions, Dataset.from_pairs])


@BUILDERS
@pytest.mark.parametrize("name", ["count", "Counts", "weight", "n", "value", "freq", "play count", "Plays"])
def test_usual_names_of_counts_are_known(build, name, tmp_path):
    assert build(write(tmp_path, f"a,b,{name}\nx,y,3\n")).counts.total == 3
    assert build({"a": ["x"], name: [3], "b": ["y"]}).counts.total == 3


@BUILDERS
@pytest.mark.parametrize("name", ["timestamp", "Date", "created at", "index", "Unnamed: 0", ""])
def test_times_and_row_numbers_are_no_counts_and_no_entities(build, name, tmp_path):
    path = write(tmp_path, f"{name},who,what\n5,x,y\n6,x,z\n")
    data = build(path)
    assert data.counts.total == 2
    assert data.rows.counts[data.rows.id("x")] > 0


@BUILDERS
def test_columns_of_text_are_no_counts(build, tmp_path):
    assert build(write(tmp_path, "left,right,user,item,title\nx,y,x,y,Heat\n")).counts.total == 1
    assert build(write(tmp_path, "x,y,2020-01-01\nx,z,2020-01-02\n"), header=False).counts.total == 2


@BUILDERS
def test_a_third_column_without_a_name(build, tmp_path):
    assert build(write(tmp_path, "1,2,3\n1,4,5\n")).counts.total == 8
    assert build(write(tmp_path, "1 2 3\n1 4 5\n", "data.txt")).counts.total == 8
    assert build(pd.DataFrame([["x", "y", 3], ["x", "z", 5]])).counts.total == 8
    assert build(np.array([[1, 2, 3], [1, 4, 5]])).counts.total == 8
    with pytest.raises(DataError, match=r"'many' at line 2 of data\.csv"):
        build(write(tmp_path, "1,2,3\n1,4,many\n"))
    with pytest.raises(DataError, match=r"line 2 of data\.csv is missing"):
        build(write(tmp_path, "1,2,3\n1,4,\n"))


def test_a_third_column_that_looks_like_times(tmp_path):
    path = write(tmp_path, "1,2,881250949\n1,4,891717742\n")
    with pytest.raises(DataError, match=r"look like times, not like weights; pass .*weights=2 .* or users=0"):
        Dataset.from_interactions(path)
    assert Dataset.from_interactions(path, users=0, items=1).counts.total == 2
    assert Dataset.from_interactions(path, weights=2).counts.total == 881250949 + 891717742
    with pytest.raises(DataError, match="look like times"):
        Dataset.from_interactions(pd.DataFrame([["x", "y", 881250949]]))


def test_more_columns_than_can_be_told_apart(tmp_path):
    path = write(tmp_path, "196\t242\t3\t881250949\n186\t302\t3\t891717742\n", "u.tsv")
    with pytest.raises(DataError, match=r"columns '2', '3': are they weights\? Pass .*=2 to use them, or users=0"):
        Dataset.from_interactions(path)
    assert Dataset.from_interactions(path, 0, 1, 2).counts.total == 6
    assert Dataset.from_interactions(path, weights=2).counts.total == 6
    with pytest.raises(DataError, match="several columns that may be weights: 'count', 'plays'"):
        Dataset.from_interactions({"user": ["x"], "item": ["y"], "plays": [3], "count": [1]})
    rated = Dataset.from_interactions({"user": ["x"], "item": ["y"], "rating": [3], "count": [7]})
    assert rated.counts.total == 7  # ratings are no weights
    with pytest.raises(DataError, match="column 'height': are they weight"):
        Taxonomy.from_edges(pd.DataFrame({"child": ["x"], "parent": ["y"], "height": [3]}))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([3, 4], dtype="Int64"),
        pd.Series([3, None], dtype="float64"),
        pl.Series([3, 4]),
        pl.Series([decimal.Decimal(3), decimal.Decimal(4)]),
        pa.array([3, None]),
        [3, 4.5],
    ],
)
def test_numbers_of_any_kind_are_asked_about(column):
    with pytest.raises(DataError, match="column 'odd': are they counts"):
        Dataset.from_pairs({"x": ["a", "b"], "y": ["c", "d"], "odd": column})


@pytest.mark.parametrize("column", [[True, False], [datetime.date(2020, 1, 1)] * 2, ["3", "4"], [None, None]])
def test_what_is_no_number_is_left_out(column):
    assert Dataset.from_pairs({"x": ["a", "b"], "y": ["c", "d"], "odd": column}).counts.total == 2


def test_one_usual_name_in_the_first_line_may_be_a_word_of_the_data(tmp_path):
    assert Dataset.from_pairs(write(tmp_path, "n,the,4\nthe,n,2\n")).counts.total == 6
    assert Dataset.from_pairs(write(tmp_path, "word,the\nthe,word\n")).counts.total == 2
    with pytest.raises(DataError, match=r"does the first line of data\.csv \('word', 'near'\) name the columns"):
        Dataset.from_pairs(write(tmp_path, "word,near\nthe,cat\n"))
    with pytest.raises(DataError, match="does the first line"):
        Dataset.from_sequences(write(tmp_path, "to be\nor not\n"))
    assert Dataset.from_sequences(write(tmp_path, "to be\nor not\n"), header=False).counts.total == 4
    assert Dataset.from_interactions(write(tmp_path, "user,item,2020\nx,y,3\n"), 0, 1).counts.total == 1


def test_frames_with_numbers_for_names():
    frame = pd.DataFrame({7: ["a", "b"], 3: ["c", "d"]})
    assert Dataset.from_pairs(frame).counts.total == 2
    assert Dataset.from_pairs(frame, 1, 0).rows.names == Dataset.from_pairs(frame, "3", "7").rows.names
    assert Dataset.from_matrix(pd.DataFrame([[0, 2], [2, 0]])).rows.names == ("0", "1")
    with pytest.raises(DataError, match="no column number 3"):
        Dataset.from_pairs(frame, 3, 7)


def test_two_columns_of_one_name(tmp_path):
    path = write(tmp_path, "left,right,right\na,b,c\n")
    with pytest.raises(DataError, match="2 columns named 'right'; rename them, or choose one by its number"):
        Dataset.from_pairs(path)
    assert Dataset.from_pairs(path, 0, 2).rows.names == ("a", "c")
    for table in (pd.DataFrame([["a", "b"]], columns=["x", "x"]), pa.table([["a"], ["b"]], names=["x", "x"])):
        with pytest.raises(DataError, match=r"cannot read this table: .*unique column names"):
            Dataset.from_pairs(table)


@pytest.mark.parametrize(
    "pairs",
    [
        [("a", 1), ("b", 2)],
        (pair for pair in [["a", 1], ["b", 2]]),
        np.array([["a", "1"], ["b", "2"]]),
        np.array([["a", 1], ["b", 2]], dtype=object),
        pd.DataFrame({0: ["a", "b"], 1: [1, 2]}),
        pl.DataFrame({"item": [1, 2], "user": ["a", "b"], "score": [0.5, 0.1]}),
        pa.table({"x": ["a", "b"], "y": [1, 2]}),
        {"left": ["a", "b"], "right": [1.0, 2.0]},
    ],
)
def test_pairs_to_ask_about_come_in_any_form(pairs):
    assert pair_columns(pairs) == (["a", "b"], ["1", "2"])


def test_a_doubtful_first_line_of_pairs_is_a_pair(tmp_path):
    """Were it a header, its names would be unknown entities, and so an error."""
    path = write(tmp_path, "hot,cold\nup,down\n")
    assert pair_columns(path) == (["hot", "up"], ["cold", "down"])
    data = Dataset.from_pairs(["hot", "up"], ["cold", "down"])
    assert len(data.with_relation("antonym", path).relations["antonym"]) == 2
    with pytest.raises(RelationError, match="'this', 'that'"):
        data.with_relation("antonym", write(tmp_path, "this,that\nhot,cold\n"))


def test_pairs_from_a_file_and_none_at_all(tmp_path):
    assert pair_columns(write(tmp_path, "a,1\nb,2\n")) == (["a", "b"], ["1", "2"])
    assert pair_columns([]) == ([], [])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (None, "expected pairs, such as"),
        (b"ab", "expected pairs, such as"),
        (5, "type int"),
        ([5, 6], r"row 0 .* is 5; expected a tuple \(first, second\)"),
        (("a", "b"), "row 0 .* is 'a'"),
        ([("a", "b"), ("c",)], "row 1 .* has 1 entries"),
        (np.zeros((2, 3)), r"cannot be of shape \(2, 3\)"),
        (np.zeros(3), "row 0"),
        ([("a", None)], "row 0 .* of second"),
        (pd.DataFrame({"x": ["a"]}), "no column for second"),
    ],
)
def test_bad_pairs_to_ask_about(pairs, message):
    with pytest.raises(DataError, match=message):
        pair_columns(pairs)


RATED = {"user": ["ann", "bob", "ann"], "item": ["Heat", "Heat", "Casino"], "Rating": [5.0, 2.0, 4.0]}


def test_ratings_are_left_out_with_a_warning():
    with pytest.warns(VBNWarning, match=r"'Rating' of the table holds ratings.* min_weight=3\.5.* weights='Rating'"):
        data = Dataset.from_interactions(RATED)
    assert data.counts.total == 3
    with pytest.warns(VBNWarning, match=r"counts 1; take them as counts with .*counts='stars'"):
        assert Dataset.from_pairs({"left": ["a"], "right": ["b"], "stars": [5]}).counts.total == 1


@pytest.mark.parametrize(
    ("options", "total"),
    [
        ({"weights": "Rating"}, 11),
        ({"min_weight": 3.5}, 2),
        ({"min_weight": 4}, 2),
        ({"users": "user", "items": "item", "min_weight": 5}, 1),
        ({"min_weight": 3.5, "weighted": True}, 9),
        ({"users": "user", "items": "item", "weights": "Rating", "weighted": False}, 3),
        ({"users": "user", "items": "item", "weights": "Rating", "min_weight": 1}, 3),
    ],
)
def test_what_is_done_with_ratings_is_said(options, total):
    assert Dataset.from_interactions(RATED, **options).counts.total == total
    columns = [RATED["user"], RATED["item"], RATED["Rating"]]
    more = {key: value for key, value in options.items() if key in ("min_weight", "weighted")}
    assert Dataset.from_interactions(*columns, **more).counts.total == total


def test_a_least_weight_needs_weights():
    with pytest.raises(DataError, match="min_weight needs weights; give them as weights="):
        Dataset.from_interactions(["a"], ["b"], min_weight=2)
    with pytest.raises(DataError, match=r"which column of the table holds the weights\? Name it with weights="):
        Dataset.from_interactions({"user": ["a"], "item": ["b"], "genre": ["c"]}, min_weight=2)
    with pytest.raises(DataError, match=r"all weights are below min_weight=9; the largest is 5"):
        Dataset.from_interactions(RATED, min_weight=9)
    with pytest.raises(DataError, match=r"the weight at row 1 .* is missing"):
        Dataset.from_interactions(RATED | {"Rating": [5, None, 4]}, min_weight=3)
    for wrong in ({"min_weight": "3"}, {"weighted": "no"}):
        with pytest.raises(ParameterError):
            Dataset.from_interactions(RATED, **wrong)


def test_thumbs_may_be_negative_where_only_the_good_ones_count():
    assert Dataset.from_interactions(["a", "a"], ["x", "y"], [-1, 1], min_weight=1).columns.names == ("x", "y")[1:]


def test_decimal_commas_are_read_where_commas_do_not_separate(tmp_path):
    file = write(tmp_path, "user;item;weight\nann;Heat;3,5\nbob;Heat;0,5\n", "data.csv")
    assert Dataset.from_interactions(file).counts.total == 4


@pytest.mark.parametrize("time", [[0, 10, 20], ["1970-01-01T00:00:00", "1970-01-01T00:00:10", "1970-01-01T00:00:20"]])
@pytest.mark.parametrize("half_life", [10, "10", "10s", "10 seconds"])
def test_old_rows_count_less(time, half_life):
    data = Dataset.from_interactions(["u"] * 3, ["a", "b", "b"], time=time, half_life=half_life)
    assert dict(zip(data.columns.names, data.columns.counts.tolist(), strict=True)) == {"b": 1.5, "a": 0.25}
    doubled = Dataset.from_interactions(["u"] * 3, ["a", "b", "b"], [2, 2, 2], time=time, half_life=half_life)
    assert doubled.counts.total == 3.5


def test_weights_of_people_do_not_count():
    records = {
        "patient": ["p", "p", "q"],
        "icd10_code": ["E11", "I10", "I10"],
        "age": [70, 70, 50],
        "weight": [80, 80, 60],
    }
    with pytest.warns(VBNWarning, match=r"'weight' .* beside ages or heights, so every row counts 1; .* weights="):
        assert Dataset.from_interactions(pd.DataFrame(records)).counts.total == 3
    chosen = Dataset.from_interactions(pd.DataFrame(records), "patient", "icd10_code", weights="weight")
    assert chosen.counts.total == 220
    records.pop("age")
    assert Dataset.from_interactions(pd.DataFrame(records)).counts.total == 220


@pytest.mark.parametrize("written", [["31.12.68", "1.1.69", "05.06.24"], ["31.12.2068", "01.01.1969", "5.6.2024"]])
def test_a_year_of_two_digits_is_the_one_that_is_meant(written):
    days = ["2068-12-31", "1969-01-01", "2024-06-05"]
    read = [Dataset.from_interactions(["u"] * 3, ["a", "b", "c"], time=time).times for time in (written, days)]
    np.testing.assert_array_equal(*read)


def test_a_half_life_that_cannot_be_read():
    with pytest.raises(ParameterError, match=r"half_life needs to know when .* time="):
        Dataset.from_interactions(["u"], ["a"], half_life=3)
    for wrong in ("3 months", "soon", 0, -1, float("nan"), True, "1m"):
        with pytest.raises(ParameterError, match="half_life must be a positive number"):
            Dataset.from_interactions(["u"], ["a"], time=[1], half_life=wrong)


@pytest.mark.parametrize("half_life", [90, "90"])
def test_a_half_life_of_dates_needs_a_unit(half_life):
    given = {"time": ["31.05.2024", "1.3.2024", "01.03.2024"]}
    with pytest.raises(ParameterError, match=r"seconds for dates.* half_life='90d'"):
        Dataset.from_interactions(["u"] * 3, ["a", "b", "c"], **given, half_life=half_life)
    data = Dataset.from_interactions(["u"] * 3, ["a", "b", "c"], **given, half_life=f"{half_life}d")
    assert data.counts.total == pytest.approx(1 + 2 * 2 ** (-91 / 90))
