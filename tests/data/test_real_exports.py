"""Files as shops and hospitals export them: units in headers, codes with zeros, returns, gaps, comments."""

import json
import warnings

import numpy as np
import pytest

from vbn._errors import DataError, ParameterError, VBNWarning
from vbn.data import Dataset, likely_pair

HEADER = "Bestell Nr.;Kunden Nr.;Artikel Nr.;Menge (Stk.);Preis (€/Stk.)"
LINES = ("0001;0017;0070;2;1,50", "0001;0017;0071;-1;2,50", "0002;0018;0070;0;1,50", "0002;0018;0072;3;9,00")


@pytest.fixture
def orders(tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text("\n".join((HEADER, *LINES)), encoding="utf-8")
    return path


def test_units_and_dots_in_a_header_hide_no_usual_name(orders):
    data = Dataset.from_interactions(orders, min_weight=1)
    assert data.reading == {
        "users": "Kunden Nr.",
        "items": "Artikel Nr.",
        "weights of at least 1": "Menge (Stk.)",
        "weights": None,
    }
    assert [*data.columns.names] == ["0070", "0072"]


def test_a_negative_weight_says_what_leaves_returns_out(orders):
    with pytest.raises(DataError, match=r"line 3 of orders.csv is negative \(-1\).*; min_weight=1 leaves out all rows"):
        Dataset.from_interactions(orders)
    weighed = [("ann", "tea", 0.5), ("ann", "milk", -0.5)]
    with pytest.raises(DataError, match=r"min_weight=0\.5 leaves out"):
        Dataset.from_interactions(weighed)
    assert Dataset.from_interactions(weighed, min_weight=0.5).counts.nnz == 1


def test_returns_in_a_column_that_is_not_read_are_told(orders):
    told = r"'Menge \(Stk.\)' of orders.csv is not read: 2 rows .* weights='Menge \(Stk.\)' and min_weight=1$"
    with pytest.warns(VBNWarning, match=told):
        assert Dataset.from_interactions(orders, "Kunden Nr.", "Artikel Nr.").counts.nnz == 4
    table = {"user": ["ann", "ben"], "item": ["tea", "tea"], "qty": [-1.0, 2.0]}
    with pytest.warns(VBNWarning, match="'qty' of the table is not read: 1 row .*, counts as any"):
        Dataset.from_interactions(table, "user", "item")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset.from_interactions({**table, "qty": [1, 2]}, "user", "item")
        Dataset.from_interactions(table, "user", "item", "qty", min_weight=1)


def test_codes_with_leading_zeros_are_not_taken_for_weights(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("pat,case,icd10\nP1,00017,I10\nP2,00018,I11\n")
    assert Dataset.from_interactions(path).reading == {"users": "pat", "items": "icd10", "weights": None}


def test_a_few_rows_without_a_weight_are_left_out(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("user,item,count\nann,tea,2\nann,milk,\nben,tea,1\n")
    with pytest.warns(VBNWarning, match="1 row without a name or a weight is left out, at line 3 of .*'count'"):
        assert Dataset.from_interactions(path).counts.total == 3.0
    with pytest.raises(DataError, match=r"line 3 .* is missing \(NaN\).*missing='drop' leaves out"):
        Dataset.from_interactions(path, missing="error")
    path.write_text("user,item,count\nann,tea,2\nann,milk,\nben,tea,\n")
    with pytest.raises(DataError, match=r"is missing \(NaN\).*missing='drop'"):
        Dataset.from_interactions(path)
    assert Dataset.from_interactions(path, missing="drop").counts.total == 2.0


@pytest.mark.parametrize("times", [[20240101, 20240531], [19000.0, 19010.0]], ids=["as numbers", "in days"])
def test_a_half_life_in_seconds_is_refused_where_the_times_are_not(times):
    with pytest.raises(ParameterError, match="needs dates or seconds, but the times are numbers up to"):
        Dataset.from_interactions(["ann", "ben"], ["tea", "tea"], time=times, half_life="30d")
    seconds = 1.7e9 + np.array([0.0, 60.0])
    assert Dataset.from_interactions(["ann", "ben"], ["tea", "tea"], time=seconds, half_life="30d").counts.total < 2


@pytest.mark.parametrize("suffix", ["csv", "txt"])
def test_comments_in_a_taxonomy_are_named(tmp_path, suffix):
    path, mark = tmp_path / f"kinds.{suffix}", {"csv": ",", "txt": "\t"}[suffix]
    path.write_text(f"# exported in 2024\nchild{mark}parent\ntea{mark}drink\n")
    data = Dataset.from_baskets([["tea", "milk"]])
    with pytest.raises(DataError, match=r"remove lines of comments, such as by grep -v '\^#'"):
        data.with_taxonomy(path)


def test_other_kinds_of_files_say_what_to_do(tmp_path):
    (tmp_path / "texts.jsonl").write_text(json.dumps({"text": "the cat sat"}))
    with pytest.raises(DataError, match=r"is JSON, .*in Python, pass what pandas.read_json returns"):
        Dataset.from_sequences(tmp_path / "texts.jsonl")
    (tmp_path / "a.txt").write_text("the cat sat")
    with pytest.raises(DataError, match=r"or join its texts: awk 1 .*/\*\.txt > texts.txt"):
        Dataset.from_folder(tmp_path)


def test_names_that_a_taxonomy_spells_otherwise_are_described():
    data = Dataset.from_baskets([["M171", "i10"], ["M17.1", "X"]]).with_taxonomy({"M17.1": ["M"], "I10": ["I"]})
    told = data.describe()
    assert told.to_dict()["entities"]["taxonomy"]["spelled_otherwise"] == {"M171": "M17.1", "i10": "I10"}
    assert "spelling   2 names without a parent that the taxonomy has in other case or punctuation: 'M171'" in str(told)
    assert "spelling" not in str(Dataset.from_baskets([["a", "b"]]).with_taxonomy({"a": ["c"]}).describe())


def test_a_column_of_articles_beside_their_numbers_is_a_title(orders):
    data = Dataset.from_interactions(orders, min_weight=1)
    rows = {"Artikel Nr.": ["0070", "0071", "0072", "0073"], "Gruppe": ["Drinks", "Drinks", "Food", "Food"]}
    named = data.with_catalogue({**rows, "Artikel": ["Tee", "Milch", "Ei", "Brot"]})
    assert named.columns.labels is not None
    assert [named.columns.labels.of(named.columns.id(name)) for name in ("0070", "0073")] == ["Tee", "Brot"]
    kinds = data.with_catalogue({**rows, "Artikel": ["hot", "hot", "cold", "cold"]}, levels=["Gruppe"])
    assert kinds.columns.labels is None  # they repeat


def test_the_likely_pair_prefers_usual_names():
    assert likely_pair(["pat", "case", "datum", "icd10"]) == ["pat", "icd10"]
    assert likely_pair(["a", "b", "c"]) == ["a", "b"]


def test_names_with_spaces_around_are_described():
    told = Dataset.from_interactions(["a", "a", "b "], ["x", " x", "y "]).describe()
    assert told.to_dict()["columns"]["spaces"] == [" x"]  # "y " is nothing else
    assert "spaces     1 name of the columns with spaces around, and without: ' x'" in str(told)
