"""Times of interactions: how they are read, and what keeps them."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

import vbn
from vbn import Dataset

DAY = 86400.0
USERS, ITEMS = ["ann", "ben", "ann", "ann"], ["tea", "tea", "milk", "tea"]


def by_pair(data):
    rows, columns = data.counts.row_ids().tolist(), data.counts.indices.tolist()
    return {(data.rows[i], data.columns[j]): t for i, j, t in zip(rows, columns, data.times.tolist(), strict=True)}


@pytest.mark.parametrize(
    "times",
    [
        [DAY, 0, 2 * DAY, 3 * DAY],
        np.array([DAY, 0, 2 * DAY, 3 * DAY]),
        ["1970-01-02", "1970-01-01", "1970-01-03", "1970-01-04T00:00:00Z"],
        [datetime.date(1970, 1, day) for day in (2, 1, 3, 4)],
        [datetime.datetime(1970, 1, day, tzinfo=datetime.UTC) for day in (2, 1, 3, 4)],
        np.array(["1970-01-02", "1970-01-01", "1970-01-03", "1970-01-04"], dtype="datetime64[ns]"),
        pd.to_datetime(pd.Series(["1970-01-02", "1970-01-01", "1970-01-03", "1970-01-04"])),
        pl.Series([datetime.datetime(1970, 1, day) for day in (2, 1, 3, 4)]),
    ],
)
def test_each_pair_keeps_its_latest_time(times):
    data = Dataset.from_interactions(USERS, ITEMS, time=times)
    assert by_pair(data) == {("ann", "tea"): 3 * DAY, ("ann", "milk"): 2 * DAY, ("ben", "tea"): 0.0}
    assert Dataset.from_interactions(USERS, ITEMS, [1, 1, 0, 1], time=times).times.tolist() == [3 * DAY, 0.0]


@pytest.mark.parametrize(
    "texts", [["86400", "0", "1e5", "259200"], ["1970-01-02", "1970-01-01", "1970-01-03", "1970-01-04"]]
)
def test_times_of_files_and_tables(tmp_path, texts):
    lines = [",".join(row) for row in zip(ITEMS, USERS, texts, strict=True)]
    (tmp_path / "log.csv").write_text("\n".join(["item,user,when", *lines]), encoding="utf-8")
    read = Dataset.from_interactions(tmp_path / "log.csv", time="when")
    assert by_pair(read)["ann", "tea"] == 3 * DAY
    assert by_pair(read)["ben", "tea"] == 0.0
    assert read.reading == {"users": "user", "items": "item", "weights": None, "time": "when"}
    table = Dataset.from_interactions({"u": USERS, "i": ITEMS, "t": texts}, "u", "i", time="t")
    assert by_pair(table) == by_pair(read)
    assert Dataset.from_interactions(tmp_path / "log.csv", "user", "item").times is None


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (["1970-01-02", "soon", "1970-01-03", "1970-01-04"], "'soon'.*not a date"),
        (["7", "1970-01-02", "8", "9"], "'1970-01-02'.*not a number"),
        (["1970-01-02", "", "1970-01-03", "1970-01-04"], "missing"),
        ([1, None, 2, 3], "missing"),
        ([1, 2, 3], "differ in length"),
        ("yesterday", "numbers or dates"),
    ],
)
def test_times_that_are_none_are_refused(times, told):
    with pytest.raises(vbn.DataError, match=told):
        Dataset.from_interactions(USERS, ITEMS, time=times)


def test_rows_without_a_time_can_be_left_out(tmp_path):
    (tmp_path / "log.csv").write_text("user,item,when\na,b,2024-01-01\na,c,\nb,b,\n", encoding="utf-8")
    with pytest.raises(vbn.DataError, match=r"line 3 of log\.csv .*1 more like it.*missing='drop'"):
        Dataset.from_interactions(tmp_path / "log.csv", time="when")
    assert Dataset.from_interactions(tmp_path / "log.csv", time="when", missing="drop").counts.nnz == 1
    assert Dataset.from_interactions(["a", "b"], ["c", "d"], time=[None, 3], missing="drop").times.tolist() == [3.0]


def test_a_wrong_time_in_a_file_is_named_by_its_line(tmp_path):
    (tmp_path / "log.csv").write_text("user,item,when\na,b,2024-01-01\na,c,later\n", encoding="utf-8")
    with pytest.raises(vbn.DataError, match=r"'later' at line 3 of log\.csv, column 'when'"):
        Dataset.from_interactions(tmp_path / "log.csv", time="when")


def test_times_stay_with_the_data(tmp_path):
    data = Dataset.from_interactions(USERS, ITEMS, time=[1, 2, 3, 4])
    grown = data.with_taxonomy({"tea": ["drinks"]}).with_relation("likes", [("ann", "tea")])
    np.testing.assert_array_equal(grown.times, data.times)
    with pytest.raises(ValueError, match="read-only"):
        data.times[0] = 9
    assert data.with_co_occurrences().times is None
    np.testing.assert_array_equal(data.to_folder(tmp_path / "timed").times, data.times)
    untimed = Dataset.from_interactions(USERS, ITEMS)
    assert untimed.to_folder(tmp_path / "untimed").times is None
    np.save(tmp_path / "timed" / "times.npy", np.array([1.0, np.nan, 2.0]))
    with pytest.raises(vbn.DataError, match=r"times.*damaged"):
        Dataset.from_folder(tmp_path / "timed")


def test_merged_data_has_the_later_times():
    data = Dataset.from_interactions(USERS, ITEMS, time=[1, 2, 3, 4])
    more = Dataset.from_interactions(["cem", "ann", "ben"], ["tea", "tea", "rusk"], time=[9, 2, 8])
    both = by_pair(data.merge(more))
    assert both == {
        ("ann", "tea"): 4.0,
        ("ann", "milk"): 3.0,
        ("ben", "tea"): 2.0,
        ("cem", "tea"): 9.0,
        ("ben", "rusk"): 8.0,
    }
    assert data.merge(Dataset.from_interactions(["cem"], ["tea"])).times is None
