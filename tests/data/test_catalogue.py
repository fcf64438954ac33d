"""A catalogue as people have it: categories in columns, several values in a cell, titles, and files of all sorts."""

from __future__ import annotations

import warnings

import hypothesis.strategies as st
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from tests.data.making import write
from vbn._errors import DataError, ParameterError, TaxonomyError, UnknownEntityError, VBNWarning
from vbn.data import Dataset

DATA = Dataset.from_interactions(["ann", "ann", "bob", "cid"], ["1", "2", "3", "1"])
FILMS = {
    "item": [1, 2, 3, 4],
    "title": ["Heat", "Casino", "Heat", "Zoolander"],
    "genres": ["Crime|Drama", "Crime", "Comedy", None],
    "directors": ["Mann", "Scorsese", "", "Stiller"],
}
LEVELS = ["genres", "directors"]


def parents(data, name):
    return {parent: round(weight, 6) for parent, weight in data.taxonomy.parents(name)}


@pytest.mark.parametrize("form", [dict, pd.DataFrame, pl.DataFrame])
def test_general_first_specific_last(form):
    data = DATA.with_catalogue(form(FILMS), id="item", levels=LEVELS, split="|", label="title")
    assert parents(data, "1") == {"Mann": 1.0}
    assert parents(data, "Mann") == {"Crime": 0.5, "Drama": 0.5}
    assert parents(data, "3") == {"Comedy": 1.0}  # an empty cell is stepped over
    assert parents(data, "4") == {"Stiller": 1.0}
    assert parents(data, "Stiller") == {}
    assert data.columns.label(data.columns.id("2")) == "Casino"
    assert "4" in data.columns  # new to the data
    assert data.describe().to_dict()["columns"]["labels"] == 4


def test_a_value_is_below_what_its_items_have_by_how_many():
    films = {"item": ["1", "2", "3"], "genre": ["Crime", "Crime", "Comedy"], "director": ["Mann", "Mann", "Mann"]}
    data = DATA.with_catalogue(films, levels=["genre", "director"])
    assert parents(data, "Mann") == {"Crime": 0.666667, "Comedy": 0.333333}


def test_files_as_spreadsheets_write_them(tmp_path):
    rows = ['1.0;"Heat; or: ""Hot""";Crime|Drama', "2.0;Casino;", "3.0;NA;Crime", "7.0;New;Crime"]
    text = "\ufeff" + "\r\n".join(["item;title;genres", *rows, ""])
    data = DATA.with_catalogue(write(tmp_path, text, "items.csv"))
    assert data.columns.names == ("1", "2", "3", "7", "Crime", "Drama")  # 1.0 is the 1 of the data, and 7.0 is 7
    assert data.columns.id('Heat; or: "Hot"') == data.columns.id(1)
    assert data.columns.label(data.columns.id("3")) is None
    assert parents(data, "2") == {}
    other = Dataset.from_interactions(["a", "b"], ["1.0", "2.0"]).with_catalogue(
        {"item": ["1", "2"], "title": ["x", "y"]}
    )
    assert other.columns.names == ("1.0", "2.0")


def test_lists_in_cells():
    frame = pd.DataFrame({"item": ["1", "2", "3"], "genres": [["Crime", "Drama"], ["Crime"], None]})
    assert parents(DATA.with_catalogue(frame, levels="genres"), "1") == {"Crime": 0.5, "Drama": 0.5}


MANY = Dataset.from_interactions([f"u{n}" for n in range(12)], [f"i{n}" for n in range(12)])
ROWS = {
    "price": [f"{n},50" for n in range(12)],
    "sku": [f"i{n}" for n in range(12)],
    "department": ["food"] * 8 + ["garden"] * 4,
    "kind": ["tea"] * 4 + ["beer"] * 4 + ["rake"] * 4,
    "in stock": ["yes", "no"] * 6,
    "added": ["01.02.2024"] * 12,
    "description": ["a long text that says again and again how good it is"] * 12,
    "name": [f"thing {n}" for n in range(12)],
}


def test_columns_are_found_where_there_is_no_doubt():
    data = MANY.with_catalogue(ROWS)
    assert parents(data, "i0") == {"tea": 1.0}
    assert parents(data, "tea") == {"food": 1.0}
    assert data.columns.id("thing 3") == data.columns.id("i3")
    assert data.taxonomy.n_edges == 12 + 3


def test_categories_that_are_not_within_each_other_stand_side_by_side():
    doubtful = ROWS | {"colour": ["red", "green", "blue"] * 4}
    with pytest.warns(VBNWarning, match=r"of the table: department > kind, colour\. .* side by side") as caught:
        data = MANY.with_catalogue(doubtful)
    assert parents(data, "i0") == {"tea": 0.5, "red": 0.5}
    assert parents(data, "tea") == {"food": 1.0}
    assert parents(data, "red") == {}
    assert data.describe().to_dict()["columns"]["taxonomy"]["levels"] == [["department", "kind"], ["colour"]]
    assert "levels     department > kind, colour (columns of the catalogue)" in str(data.describe())
    ((name, levels),) = caught[0].message.remedies
    assert levels == [["department", "kind"], ["colour"]]
    assert parents(MANY.with_catalogue(doubtful, **{name: levels}), "i0") == {"tea": 0.5, "red": 0.5}
    assert MANY.with_catalogue(doubtful, levels=["department", "kind", "colour"]).taxonomy.depth == 3


def test_columns_that_tell_nothing_are_not_taken():
    many = Dataset.from_interactions([f"u{n}" for n in range(40)], [f"i{n}" for n in range(40)])
    rows = {
        "sku": [f"i{n}" for n in range(40)],
        "kind": [f"kind {n % 8}" for n in range(40)],
        "source": ["web"] * 39 + ["paper"],  # says the same of nearly all
        "code": [f"K-{n % 8}" for n in range(40)],  # the same in other words
        "maker": [f"maker {n}" for n in range(40)],  # an id
    }
    assert many.with_catalogue(rows).taxonomy.levels == (("kind",),)


def test_orders_are_no_catalogue():
    orders = {"order": ["o1", "o2", "o3", "o4"], "sku": ["i0", "i0", "i1", "i1"], "kind": ["a", "a", "b", "b"]}
    with pytest.warns(VBNWarning, match="the table has 4 rows for 2 entities, .* files swapped"):
        MANY.with_catalogue(orders)


def test_a_slip_does_not_change_what_is_above():
    many = Dataset.from_interactions([f"u{n}" for n in range(60)], [f"i{n}" for n in range(60)])
    rows = {
        "sku": [f"i{n}" for n in range(60)],
        "department": ["food" if n % 6 < 3 else "garden" for n in range(59)] + ["food"],
        "kind": [f"kind {n % 6}" for n in range(60)],
    }
    data = many.with_catalogue(rows)
    assert data.taxonomy.levels == (("department", "kind"),)
    assert parents(data, "kind 5") == {"garden": 0.9, "food": 0.1}


def test_no_column_of_categories():
    with pytest.warns(VBNWarning, match="no column .* levels="):
        MANY.with_catalogue({"sku": ROWS["sku"], "remark": [f"x{n}" for n in range(12)]})


def test_the_column_of_names_is_asked_for_if_in_doubt():
    with pytest.raises(DataError, match=r"which column of the table holds the names .* 'i0'.* Name it with id="):
        MANY.with_catalogue({"a": ["x", "y"], "b": ["y", "z"]})
    with pytest.raises(DataError, match="which column"):
        MANY.with_catalogue({"a": ROWS["sku"], "b": ROWS["sku"], "kind": ROWS["kind"]})
    found = MANY.with_catalogue({"a": ROWS["sku"], "item": ROWS["sku"], "kind": ROWS["kind"]}, levels=["kind"])
    assert found.taxonomy.n_edges == 12
    with pytest.warns(VBNWarning, match=r"none of the names in column 'kind' .*, such as 'tea', .* is id= another"):
        MANY.with_catalogue(ROWS, id="kind", levels=["department"])


@pytest.mark.parametrize(
    ("cells", "split", "values"),
    [
        (["a|b", "a", "b", "b"], None, {"a", "b"}),
        (["a, b", "a", "b", "b"], None, {"a", "b"}),
        (["a;b", "a", "b", "b"], None, {"a", "b"}),
        (["Mann, M.", "Mann, M.", "Lee, A.", "Lee, A."], None, {"Mann, M.", "Lee, A."}),
        (["AC/DC", "AC/DC", "U2", "U2"], None, {"AC/DC", "U2"}),
        (["a/b", "a/b", "b", "b"], "/", {"a", "b"}),
        (["a | a|", "|", "n/a", "b"], None, {"a", "b"}),
    ],
)
def test_cells_with_several_values(cells, split, values):
    data = MANY.with_catalogue({"sku": ROWS["sku"][:4], "kind": cells}, levels=["kind"], split=split)
    assert set(data.columns.names) - set(MANY.columns.names) == values


def test_names_that_stand_for_several_things():
    films = {"item": ["1", "2", "3"], "genre": ["Drama", "3", "Crime"], "director": ["Mann", "Drama", "Lee"]}
    with pytest.warns(VBNWarning, match=r"2 names .*'Drama', '3'.* prefix=True"):
        data = DATA.with_catalogue(films, levels=["genre", "director"])
    told = data.describe()
    assert told.to_dict()["columns"]["taxonomy"]["in_several_levels"] == ["Drama", "3"]
    assert told.to_dict()["columns"]["taxonomy"]["items_and_categories"] == ["3"]
    assert "both       2 names stand for an item and a category, or for two: 'Drama', '3'" in str(told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apart = DATA.with_catalogue(films, levels=["genre", "director"], prefix=True)
    assert parents(apart, "2") == {"director:Drama": 1.0}
    assert parents(apart, "director:Drama") == {"genre:3": 1.0}
    assert "both" not in str(apart.describe())


def test_levels_that_go_round_in_a_circle_are_refused():
    films = {"item": ["1", "2"], "a": ["x", "y"], "b": ["y", "x"]}
    with pytest.warns(VBNWarning), pytest.raises(TaxonomyError, match=r"catalogue: .* cycle .*prefix=True"):
        DATA.with_catalogue(films, levels=["a", "b"])
    assert DATA.with_catalogue(films, levels=["a", "b"], prefix=True).taxonomy.n_edges == 4
    with pytest.warns(VBNWarning):
        assert DATA.with_catalogue(films, levels=["a", "b"], break_cycles="drop").taxonomy.n_edges == 3
    same = {"item": ["1", "2"], "a": ["tea", "beer"], "b": ["tea", "ale"]}  # tea > tea is one
    with pytest.warns(VBNWarning):
        assert parents(DATA.with_catalogue(same, levels=["a", "b"]), "1") == {"tea": 1.0}


def test_wrong_parameters():
    for wrong in ({"split": ""}, {"prefix": "yes"}, {"side": "left"}, {"levels": 3.5}):
        with pytest.raises(ParameterError):
            DATA.with_catalogue(FILMS, **wrong)
    with pytest.raises(DataError, match=r"catalogue: levels: .* no column 'genre'; .* Did you mean 'genres'"):
        DATA.with_catalogue(FILMS, levels=["genre"])
    with pytest.raises(DataError, match="expected a table"):
        DATA.with_catalogue([("a", "b")])


def test_catalogues_and_taxonomies_are_united():
    data = DATA.with_taxonomy({"1": ["long"], "Crime": ["all"]})
    data = data.with_catalogue(FILMS, levels=["genres"]).with_catalogue(
        {"item": ["1", "2"], "mood": ["dark", "dark"]}, levels="mood"
    )
    assert parents(data, "1") == {"long": 0.25, "Crime": 0.25, "Drama": 0.25, "dark": 0.25}
    assert parents(data, "Crime") == {"all": 1.0}
    assert data.columns.label(0) == "Heat"
    assert data.with_catalogue({"item": ["1"], "title": ["HEAT"]}).columns.label(0) == "HEAT"


def test_of_rows_and_of_words():
    people = {"user": ["ann", "bob", "cid"], "town": ["Ulm", "Ulm", "Ulm"], "name": ["Ann A.", "Bob B.", "Cid C."]}
    data = DATA.with_catalogue(people, side="row")
    assert data.row_taxonomy.parents("ann") == [("Ulm", 1.0)]
    assert data.rows.id("Ann A.") == data.rows.id("ann")
    assert data.column_taxonomy is None
    words = Dataset.from_pairs(["a", "b"], ["b", "a"]).with_catalogue(
        {"item": ["a", "b"], "kind": ["k", "k"]}, levels="kind"
    )
    assert words.shared
    assert words.rows is words.columns


# A second taxonomy


def test_a_second_taxonomy_unites_with_the_first():
    data = DATA.with_taxonomy([("1", "dog", 3.0), ("1", "pet", 1.0)])
    both = data.with_taxonomy({"dog": ["animal"], "2": ["pet"]})
    assert parents(both, "1") == {"dog": 0.75, "pet": 0.25}
    assert parents(both, "dog") == {"animal": 1.0}
    weighed = data.with_taxonomy({"1": ["old"]})
    assert parents(weighed, "1") == {"dog": 0.375, "pet": 0.125, "old": 0.5}
    replaced = data.with_taxonomy({"2": ["pet"]}, replace=True)
    assert replaced.taxonomy.n_edges == 1
    with pytest.raises(ParameterError, match="replace"):
        data.with_taxonomy({}, replace="yes")


def test_a_cycle_of_two_taxonomies_is_an_error_or_is_broken():
    data = DATA.with_taxonomy({"1": ["a"], "a": ["b"]})
    with pytest.raises(
        TaxonomyError, match=r"with the taxonomy that the data already has, .* cycle .* break_cycles='drop'"
    ):
        data.with_taxonomy({"b": ["1"]})
    with pytest.warns(VBNWarning, match="dropped to break cycles: 'b' -> '1'"):
        broken = data.with_taxonomy({"b": ["1"]}, break_cycles="drop")
    assert broken.taxonomy.dropped == (("b", "1"),)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(4, 9)), max_size=12), st.integers(0, 12))
def test_in_two_parts_or_at_once(edges, at):
    edges = [(f"{a}", f"c{b}") for a, b in dict.fromkeys(edges)]
    whole = DATA.with_taxonomy(edges)
    parts = DATA.with_taxonomy(edges[:at]).with_taxonomy(edges[at:])
    for name in whole.columns:
        assert parents(whole, name) == parents(parts, name)


# Labels


def test_names_win_over_labels_and_several_are_told():
    data = DATA.with_catalogue(FILMS, levels=LEVELS).with_catalogue(
        {"item": ["2"], "title": ["3"]}, id="item", label="title"
    )
    assert data.columns.id("3") == data.columns.ids([3])[0]
    assert "Zoolander" in data.columns
    assert "Heat" not in data.columns  # two have it
    with pytest.raises(UnknownEntityError, match="'Heat'; it is the label of 2 entities: '1', '3'; give one of these"):
        data.columns.id("Heat")
    with pytest.raises(UnknownEntityError, match="Did you mean 'Zoolander'"):
        data.columns.id("Zolander")
    same = DATA.with_catalogue({"item": ["2"], "title": ["Casino"]}, id="item").with_taxonomy({"Casino": ["Crime"]})
    with pytest.raises(UnknownEntityError, match=r"Did you mean 'Casino'\?"):  # a name that is a label too, once
        same.columns.id("Casin")


def test_labels_stay_with_their_entities():
    data = DATA.with_catalogue(FILMS, levels=LEVELS)
    label = lambda found: found.columns.label(found.columns.id("2"))  # noqa: E731
    assert label(data.with_taxonomy({"x": ["y"]})) == "Casino"
    assert label(data.merge(Dataset.from_interactions(["dan"], ["9"]))) == "Casino"
    assert label(Dataset.from_interactions(["dan"], ["9"]).merge(data)) == "Casino"
    assert label(data.with_co_occurrences()) == "Casino"
    both = data.with_co_occurrences().rows
    assert both.label(both.id("1")) == "Heat"


def test_labels_in_a_folder(tmp_path):
    data = DATA.with_catalogue({"item": ["1", "2"], "title": ["Heat", "Casino"]}, id="item")
    assert data.to_folder(tmp_path / "d").columns == data.columns
