"""Features as people have them: arrays, dicts, tables and files, matched to entities by id."""

from __future__ import annotations

import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.making import write
from vbn import Dataset
from vbn._errors import DataError, ParameterError, VBNWarning
from vbn.cli.wording import in_options

DATA = Dataset.from_interactions(["ann", "ann", "ben", "cem"], ["tea", "milk", "tea", "beer"])
ITEMS = {"item": ["beer", "tea", "milk"], "price": [3.0, 2.5, 1.25], "year": [2020, 2024, 2022]}
CSV = "item,price,year\nbeer,3,2020\ntea,2.5,2024\nmilk,1.25,2022\n"


def values_of(data, side="column", source=0):
    """By name: the features as given."""
    found = data.row_features if side == "row" else data.column_features
    names = data.rows if side == "row" else data.columns
    one = found.sources[source]
    return {names[row]: one.taken([at])[0].tolist() for at, row in enumerate(one.rows.tolist())}


WANTED = {"beer": [3.0, 2020.0], "tea": [2.5, 2024.0], "milk": [1.25, 2022.0]}


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame, pyarrow.table, lambda columns: columns])
def test_tables(make):
    data = DATA.with_features(make(ITEMS), id="item")
    assert values_of(data) == WANTED
    assert data.column_features.sources[0].columns == ("price", "year")


def test_the_column_of_ids_is_found():
    assert values_of(DATA.with_features(pandas.DataFrame(ITEMS))) == WANTED
    odd = pandas.DataFrame({"price": [3.0, 2.5], "what": ["beer", "tea"]})  # the only one that holds no numbers
    assert values_of(DATA.with_features(odd)) == {"beer": [3.0], "tea": [2.5]}
    indexed = pandas.DataFrame({"price": [3.0, 2.5]}, index=["beer", "tea"])
    assert values_of(DATA.with_features(indexed)) == {"beer": [3.0], "tea": [2.5]}
    with pytest.raises(DataError, match="which column of the table holds the names of the entities"):
        DATA.with_features(pandas.DataFrame({"a": ["x"], "b": ["y"], "c": [1.0]}))


@pytest.mark.parametrize("name", ["items.csv", "items.csv.gz", "items.tsv", "items.parquet"])
def test_files(tmp_path, name):
    path = tmp_path / name
    table = pandas.DataFrame(ITEMS)
    if name.endswith("parquet"):
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if "tsv" in name else ",")
    assert values_of(DATA.with_features(path)) == WANTED
    assert values_of(DATA.with_features(str(path), columns=["year"])) == {
        key: [year] for key, (_, year) in WANTED.items()
    }
    assert values_of(DATA.with_features(path, id="item", columns="price"))["tea"] == [2.5]


def test_a_csv_without_a_header(tmp_path):
    path = write(tmp_path, "beer,3,2020\ntea,2.5,2024\nmilk,1.25,2022\n")
    data = DATA.with_features(path, id=0, header=False)
    assert values_of(data) == WANTED
    assert data.column_features.sources[0].columns == ("1", "2")


def test_columns_of_vectors(tmp_path):
    vectors = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    for table in (
        pandas.DataFrame({"item": ["tea", "beer"], "embedding": vectors}),
        polars.DataFrame({"item": ["tea", "beer"], "embedding": vectors}),
        pyarrow.table({"item": ["tea", "beer"], "embedding": vectors}),
    ):
        data = DATA.with_features(table)
        assert values_of(data) == {"tea": vectors[0], "beer": vectors[1]}
        assert data.column_features.sources[0].columns is None
    path = tmp_path / "vectors.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"item": ["tea", "beer"], "embedding": vectors}), path)
    assert values_of(DATA.with_features(path)) == {"tea": vectors[0], "beer": vectors[1]}
    mixed = pandas.DataFrame({"item": ["tea", "beer"], "embedding": vectors, "price": [1.0, 2.0]})
    with pytest.raises(DataError, match="vectors beside columns of numbers, such as 'price'"):
        DATA.with_features(mixed)
    ragged = pandas.DataFrame({"item": ["tea", "beer"], "embedding": [[1.0], [1.0, 2.0]]})
    with pytest.raises(DataError, match="all of the same length"):
        DATA.with_features(ragged)


def test_a_npy_file_is_mapped_and_never_copied(tmp_path):
    path = tmp_path / "vectors.npy"
    np.save(path, np.arange(6, dtype=np.float32).reshape(3, 2))
    data = DATA.with_features(path, ids=["milk", "tea", "beer"])
    assert values_of(data) == {"milk": [0.0, 1.0], "tea": [2.0, 3.0], "beer": [4.0, 5.0]}
    held = data.column_features.sources[0].values
    while not isinstance(held, np.memmap):
        held = held.base
    assert held.filename == path
    write(tmp_path, "milk\ntea\nbeer\n", "vectors.ids.txt")
    assert values_of(DATA.with_features(path)) == values_of(data)
    assert values_of(DATA.with_features(path, ids=tmp_path / "vectors.ids.txt")) == values_of(data)


def test_a_npy_file_without_ids_must_have_a_row_for_each_entity(tmp_path):
    path = tmp_path / "vectors.npy"
    np.save(path, np.eye(3, dtype=np.float32))
    assert values_of(DATA.with_features(path))[DATA.columns[0]] == [1.0, 0.0, 0.0]
    np.save(path, np.eye(2, dtype=np.float32))
    with pytest.raises(DataError, match=r"2 rows of features for 3 entities.*pass ids="):
        DATA.with_features(path)


def test_npz_files(tmp_path):
    path = tmp_path / "vectors.npz"
    np.savez(path, ids=np.array(["tea", "beer"]), values=np.eye(2), columns=np.array(["sweet", "bitter"]))
    data = DATA.with_features(path)
    assert values_of(data) == {"tea": [1.0, 0.0], "beer": [0.0, 1.0]}
    assert data.column_features.sources[0].columns == ("sweet", "bitter")
    np.savez(path, one=np.eye(2), two=np.eye(2))
    with pytest.raises(DataError, match="one array of two dimensions"):
        DATA.with_features(path)


@pytest.mark.parametrize("name", ["broken.npy", "broken.npz", "broken.parquet"])
def test_damaged_files(tmp_path, name):
    (tmp_path / name).write_bytes(b"not what it says")
    with pytest.raises(DataError, match=name):
        DATA.with_features(tmp_path / name)


def test_rows_may_have_features_too():
    data = DATA.with_features({"ann": [1.0], "ben": [2.0]}, side="row", name="age")
    assert data.column_features is None
    assert values_of(data, "row") == {"ann": [1.0], "ben": [2.0]}
    with pytest.raises(ParameterError, match="side must be"):
        DATA.with_features({"ann": [1.0]}, side="rows")


def test_several_sources_and_a_name_that_is_taken():
    data = DATA.with_features(ITEMS, id="item").with_features({"tea": [1.0, 2.0]}, name="taste")
    assert data.column_features.widths == {"features": 2, "taste": 2}
    with pytest.raises(DataError, match=r"there are features 'taste' already; give this source another name="):
        data.with_features({"tea": [1.0]}, name="taste")
    assert data.with_features({"ann": [1.0]}, name="taste", side="row").row_features.widths == {"taste": 1}


def test_unknown_ids_are_left_out_with_a_count():
    with pytest.warns(VBNWarning, match="2 of 3 ids .* 'gin'"):
        data = DATA.with_features({"gin": [1.0], "tea": [2.0], "rum": [3.0]})
    assert values_of(data) == {"tea": [2.0]}
    with pytest.raises(DataError, match=r"none of the 2 ids .* is the name of an entity; the first is 'gin'"):
        DATA.with_features({"gin": [1.0], "rum": [3.0]})


def test_categories_have_features_once_the_taxonomy_is_there():
    data = DATA.with_taxonomy({"tea": "hot drink"})
    assert values_of(data.with_features({"hot drink": [1.0], "tea": [2.0]})) == {"hot drink": [1.0], "tea": [2.0]}


def test_two_rows_for_one_entity(tmp_path):
    with pytest.raises(DataError, match="'tea' is there twice"):
        DATA.with_features(write(tmp_path, CSV + "tea,1,1\n"))


def test_a_column_of_words(tmp_path):
    path = write(tmp_path, "item,price,genre\ntea,1,hot\n")
    with pytest.raises(DataError) as raised:
        DATA.with_features(path)
    assert str(raised.value) == (
        "column 'genre' of data.csv is not numeric: 'hot' in line 2. Choose the columns of numbers with columns=, and "
        "give text to with_text"
    )
    with pytest.raises(DataError, match="column 'genre' of the table is not numeric: 'hot' in row 0"):
        DATA.with_features(pandas.DataFrame({"item": ["tea"], "price": [1.0], "genre": ["hot"]}))


def test_gaps(tmp_path):
    path = write(tmp_path, "item,price,year\nbeer,3,2020\ntea,,2024\nmilk,1.25,nan\n")
    with pytest.raises(DataError) as raised:
        DATA.with_features(path)
    assert "'tea' have a missing or infinite number in column 'price'" in str(raised.value)
    assert "pass missing='drop'" in str(raised.value)
    assert "--drop-missing" in in_options(raised.value)
    assert values_of(DATA.with_features(path, missing="drop")) == {"beer": [3.0, 2020.0]}
    assert values_of(DATA.with_features({"tea": [np.nan], "beer": [1.0]}, missing="drop")) == {"beer": [1.0]}
    table = polars.DataFrame({"item": ["tea", "beer"], "price": [None, 1.0]})
    assert values_of(DATA.with_features(table, missing="drop")) == {"beer": [1.0]}
    with pytest.raises(DataError, match="every row lacks a number"):
        DATA.with_features(write(tmp_path, "item,price\ntea,\n"), missing="drop")


def test_a_gap_in_the_row_of_an_unknown_entity_does_not_matter(tmp_path):
    with pytest.warns(VBNWarning, match="1 of 2 ids"):
        data = DATA.with_features(write(tmp_path, "item,price\ngin,\ntea,2\n"))
    assert values_of(data) == {"tea": [2.0]}


def test_what_cannot_be_features():
    from scipy.sparse import csr_array

    with pytest.raises(DataError, match="features must be dense"):
        DATA.with_features(csr_array(np.eye(3)))
    with pytest.raises(DataError, match=r"give the names of the rows as ids="):
        DATA.with_features(np.eye(3), id="item")
    with pytest.raises(DataError, match="has no columns beside the ids"):
        DATA.with_features(pandas.DataFrame({"item": ["tea"]}))
    with pytest.raises(ParameterError, match="columns must be names or numbers"):
        DATA.with_features(pandas.DataFrame(ITEMS), columns=[1.5])
    with pytest.raises(DataError, match=r"no column 'prise'.* Did you mean 'price'"):
        DATA.with_features(pandas.DataFrame(ITEMS), columns=["prise"])
    with pytest.raises(ParameterError, match="missing must be"):
        DATA.with_features(pandas.DataFrame(ITEMS), missing="ignore")


def test_columns_with_names_are_scaled_to_the_same_variance():
    """A price in cents must not outweigh a year because of its unit."""
    table = pandas.DataFrame({"item": ["beer", "tea", "milk"], "cents": [300.0, 250.0, 125.0], "year": [0.2, 0.4, 0.1]})
    found = DATA.with_features(table).column_features
    scaled = found.scaled(np.arange(3), *found.scaling())
    assert np.allclose((scaled**2).sum(axis=1).mean(), 1.0)
    assert np.allclose(scaled.var(axis=0), 0.5)
    array = DATA.with_features(table[["cents", "year"]].to_numpy(), ids=table["item"]).column_features
    assert array.scaled(np.arange(3), *array.scaling()).var(axis=0)[1] < 1e-4  # dimensions of a vector share one scale


def test_a_constant_column_has_no_effect():
    with pytest.warns(VBNWarning, match="constant"):
        found = DATA.with_features({"item": ["tea", "beer"], "one": [1, 1], "price": [1, 2]}, id="item").column_features
    scaled = found.scaled(np.arange(3), *found.scaling())
    assert (scaled[:, 0] == 0).all()
    assert np.isfinite(scaled).all()


@given(
    st.lists(st.sampled_from(["tea", "milk", "beer", "gin"]), min_size=1, unique=True),
    st.lists(st.floats(-1024, 1024, width=32), min_size=8, max_size=8),
)
def test_csv_and_table_agree(tmp_path_factory, names, numbers):
    table = pandas.DataFrame({"id": names, "a": numbers[: len(names)], "b": numbers[4 : 4 + len(names)]})
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    table.to_csv(path, index=False)
    if names == ["gin"]:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert values_of(DATA.with_features(path)) == values_of(DATA.with_features(table))


def test_rows_in_the_order_of_the_entities_may_be_dropped_too():
    data = Dataset.from_pairs(["tea", "milk", "beer"], ["milk", "beer", "tea"])
    values = np.array([[1.0, 2.0], [np.nan, 1.0], [0.5, 0.0]], np.float32)
    (source,) = data.with_features(values, missing="drop").column_features.sources
    assert source.rows.tolist() == [0, 2]
    np.testing.assert_array_equal(source.taken(slice(None)), values[[0, 2]])
    with pytest.raises(DataError, match="ids="):
        data.with_features(values[:2], missing="drop")
