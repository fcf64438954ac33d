"""Cells that hold several items: taken apart, as if each item had been on a row of its own."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.making import write
from vbn._errors import DataError, ParameterError, VBNWarning
from vbn.data import Dataset, read_events

ROWS = "user;item;plays;when\nann;tea, milk;2;31.05.2024\nben; milk ,,tea;1,5;01.06.2024\ncem;honey;1;02.06.2024\n"
APART = [("ann", "tea", 2), ("ann", "milk", 2), ("ben", "milk", 1.5), ("ben", "tea", 1.5), ("cem", "honey", 1)]


def cells(data: Dataset) -> dict[tuple[str, str], float]:
    counts = data.counts
    places = zip(counts.row_ids().tolist(), counts.indices.tolist(), counts.values.tolist(), strict=True)
    return {(data.rows[row], data.columns[column]): value for row, column, value in places}


def test_each_item_of_a_cell_has_the_weight_and_the_time_of_its_row(tmp_path):
    path = write(tmp_path, ROWS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing to point out any more
        data = Dataset.from_interactions(path, "user", "item", "plays", time="when", split_items=",")
    assert cells(data) == {(user, item): plays for user, item, plays in APART}
    first = data.times.min()
    assert sorted((data.times - first).tolist()) == [0, 0, 86400, 86400, 2 * 86400]
    assert "items (split at ',') from 'item'" in str(data.describe())
    assert read_events(path, "user", "item", "plays", split_items=",").triples() == APART
    baskets = Dataset.from_baskets(path, "user", "item", split_items=",")
    assert cells(baskets) == {("tea", "milk"): 2, ("milk", "tea"): 2}
    assert baskets.columns.names == ("tea", "milk", "honey")


def test_lines_of_a_file_whose_cells_were_taken_apart(tmp_path):
    path = write(tmp_path, ROWS + "dee;;1;\neve;, ,;1;\nfay;tea;-2;\n")
    with (
        pytest.warns(VBNWarning, match=r"2 rows without a name \(25\.0%\) are left out, the first at line 5"),
        pytest.raises(DataError, match=r"the weight at line 7 of data\.csv is negative"),
    ):
        Dataset.from_interactions(path, "user", "item", "plays", split_items=",")
    with pytest.raises(DataError, match=r"empty name at line 5 of data\.csv, column 'item' and 1 more like it"):
        Dataset.from_interactions(path, "user", "item", split_items=",", missing="error")


@pytest.mark.parametrize("mark", ["", 3])
def test_marks_that_are_none(mark):
    with pytest.raises(ParameterError, match="split_items must be the text between two items of a cell"):
        Dataset.from_interactions(["ann"], ["tea"], split_items=mark)


@given(
    st.lists(st.tuples(st.sampled_from("uvw"), st.lists(st.sampled_from("abcd"), min_size=1, max_size=4)), min_size=1)
)
def test_a_cell_of_several_is_the_same_as_a_row_for_each(rows):
    whole = Dataset.from_interactions([(user, " | ".join(items)) for user, items in rows], split_items="|")
    apart = Dataset.from_interactions([(user, item) for user, items in rows for item in items])
    assert whole.columns == apart.columns
    assert whole.rows == apart.rows
    assert cells(whole) == cells(apart)
