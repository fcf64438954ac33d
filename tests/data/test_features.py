"""Features of entities: what they are read from, what is refused, and that data sets keep them."""

import numpy as np
import pytest

import vbn
from vbn._errors import VBNWarning
from vbn.data import Features, Source, Vocabulary, thinned


def shop():
    return vbn.Dataset.from_interactions(["ann", "ann", "ben", "cid"], ["tea", "milk", "tea", "beer"])


def values(data, side="column"):
    """The values of each entity by name, as given."""
    features = data.column_features if side == "column" else data.row_features
    source = features.sources[0]
    names = [features.vocabulary[row] for row in source.rows.tolist()]
    return dict(zip(names, source.taken(slice(None)).tolist(), strict=True))


def test_arrays_dicts_and_ids_say_the_same():
    data = shop()
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    names = list(data.columns)
    given = dict(zip(names, table.tolist(), strict=True))
    turned = [2, 0, 1]
    for made in (
        data.with_features(table),
        data.with_features(given),
        data.with_features(table[turned], ids=[names[at] for at in turned]),
        data.with_features(table.astype(np.float64)),
        data.with_features(table.tolist()),
    ):
        assert values(made) == given
    assert repr(data.with_features(table, name="text")).endswith("features: text)")


def test_a_single_column_may_be_a_plain_list():
    assert values(shop().with_features([3, 1, 2], name="price")) == {"tea": [3.0], "milk": [1.0], "beer": [2.0]}


def test_some_entities_may_have_none_and_others_are_left_out():
    with pytest.warns(VBNWarning, match="1 of 3 ids of the features 'features' are not among the entities .* 'gin'"):
        data = shop().with_features({"tea": [1, 2], "gin": [0, 0], "beer": [3, 4]})
    assert values(data) == {"tea": [1.0, 2.0], "beer": [3.0, 4.0]}
    np.testing.assert_array_equal(data.column_features.known, [True, False, True])


def test_sides_have_their_own_features_unless_they_are_the_same_entities():
    data = shop().with_features([[1.0], [2.0], [3.0]], side="row", name="age")
    assert data.column_features is None
    assert values(data, "row") == {"ann": [1.0], "ben": [2.0], "cid": [3.0]}
    words = vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]).with_features([[1.0], [2.0]], side="row")
    assert words.row_features is words.column_features


def test_every_source_has_a_name_of_its_own():
    data = shop().with_features([1, 2, 3], name="a").with_features([4, 5, 7], name="b")
    assert data.sources == ("a", "b")
    assert values(data)["tea"] == [1.0]
    assert data.column_features.widths == {"a": 1, "b": 1}
    with pytest.raises(vbn.DataError, match="there are features 'a' already; give this source another name="):
        data.with_features([7, 8, 10], name="a")


@pytest.mark.parametrize(
    ("given", "ids", "told"),
    [
        (np.zeros((2, 4)), None, "2 rows of features for 3 entities; give one for each .* pass ids="),
        (np.zeros((3, 0)), None, "are empty: their shape is"),
        ({}, None, "are empty"),
        ([[1, 2], [3]], None, "must be numbers, one vector of the same length each"),
        ({"tea": [1, 2], "milk": [1]}, None, r"of 'milk' have the shape \(1,\), those before it \(2,\)"),
        (["x", "y", "z"], None, "must be numbers"),
        (np.zeros((3, 2, 2)), None, "must be a table of numbers"),
        ([[1, np.nan], [1, 1], [2, 2]], None, "'tea' have a missing or infinite number in column 1"),
        ([[1, 3], [1, np.inf], [2, 2]], None, "'milk' have a missing or infinite number in column 1"),
        ([[1e300], [2], [3]], None, "beyond 3e38"),
        ([[1], [2]], ["gin", "rum"], "none of the 2 ids .* the first is 'gin', where the data has names such as 'tea'"),
        ([[1], [2]], ["tea", "tea"], "'tea' is there twice"),
        ([[1], [2]], ["tea"], "1 id for 2 rows of features"),
        ([[1], [2]], ["tea", None], "missing name"),
        ({"tea": [1]}, ["tea"], "have their ids as keys; omit ids"),
    ],
)
def test_what_cannot_be_used_is_refused(given, ids, told):
    with pytest.raises(vbn.DataError, match=told):
        shop().with_features(given, ids)


def test_wrong_names_and_sides_are_refused():
    with pytest.raises(vbn.DataError, match="need a name"):
        shop().with_features([1, 2, 3], name="")
    with pytest.raises(vbn.ParameterError, match="side must be"):
        shop().with_features([1, 2, 3], side="left")


def test_columns_that_say_nothing_are_told():
    constant = np.column_stack([[1.0, 2.0, 4.0], [5.0, 5.0, 5.0]])
    with pytest.warns(VBNWarning, match="1 column of the features 'features' are constant and have no effect"):
        data = shop().with_features(constant)
    assert not data.column_features.scaled(np.arange(3), *data.column_features.scaling())[:, 1].any()
    with pytest.warns(VBNWarning, match="1 column of the features 'features' repeat others"):
        shop().with_features(constant[:, [0, 0]])


def test_very_many_columns_are_told():
    with pytest.warns(VBNWarning, match="5,000 columns; training solves for a matrix of 5,000 x 5,000"):
        shop().with_features(np.random.default_rng(0).standard_normal((3, 5000)))


def test_values_are_centred_and_scaled_when_they_are_used():
    given = 100 + 5 * np.random.default_rng(1).standard_normal((3, 4))
    features = shop().with_features(given).column_features
    scaled = features.scaled(np.arange(3), *features.scaling())
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-5)
    assert (scaled**2).sum(axis=1).mean() == pytest.approx(1.0)
    np.testing.assert_array_equal(features.scaled(np.array([2, 0]), *features.scaling()), scaled[[2, 0]])


def test_mapped_values_are_not_copied(tmp_path):
    np.save(tmp_path / "f.npy", np.random.default_rng(0).standard_normal((3, 2)).astype(np.float32))
    mapped = np.load(tmp_path / "f.npy", mmap_mode="r")
    ids = ["beer", "tea", "milk"]  # in another order than the vocabulary
    data = shop().with_features(mapped, ids)
    source = data.column_features.sources[0]
    assert np.shares_memory(source.values, mapped)
    assert values(data) == dict(zip(ids, mapped.tolist(), strict=True))


def test_the_array_of_the_user_cannot_be_changed_through_it():
    given = np.ones((3, 2), np.float32)
    given[0] = 2
    data = shop().with_features(given + np.arange(2, dtype=np.float32) * given)
    with pytest.raises(ValueError, match="read-only"):
        data.column_features.sources[0].values[0] = 5


def test_operations_keep_them():
    data = shop().with_features({"tea": [1, 2], "beer": [3, 5]}, name="taste")
    known = values(data)
    assert values(data.with_taxonomy({"tea": "drink"})) == known
    assert values(data.with_relation("likes", [("ann", "tea")])) == known
    assert values(data.with_co_occurrences()) == known
    assert values(thinned(data, np.array([True, False, True, False]))) == known
    with pytest.warns(VBNWarning, match="held-out"):
        train, held = vbn.evaluation.hold_out(data, 0.3)
    assert values(train) == known
    assert held.column_features is None


def test_folders_keep_them_mapped(tmp_path):
    data = shop().with_features({"beer": [1, 2], "tea": [3, 5]}, name="taste").with_features([5, 1, 2], side="row")
    again = data.to_folder(tmp_path / "folder")
    assert values(again) == values(data)
    assert values(again, "row") == values(data, "row")
    assert isinstance(again.column_features.sources[0].values, np.memmap)
    (tmp_path / "folder" / "column_features_0.npy").write_bytes(b"nothing")
    with pytest.raises(vbn.DataError, match=r"features in .* are damaged"):
        vbn.Dataset.from_folder(tmp_path / "folder")


def test_merging_adds_those_of_new_entities():
    ours = shop().with_features({"tea": [1, 2], "beer": [3, 5]}, name="taste")
    more = vbn.Dataset.from_interactions(["ann", "dan"], ["gin", "tea"])
    more = more.with_features({"gin": [7, 8], "tea": [0, 1]}, name="taste").with_features([1, 2], name="price")
    both = ours.merge(more)
    assert values(both) == {"tea": [1.0, 2.0], "beer": [3.0, 5.0], "gin": [7.0, 8.0]}
    assert both.sources == ("taste", "price")
    assert values(both.merge(shop())) == values(both)
    assert values(shop().merge(ours)) == values(ours)
    with pytest.raises(vbn.DataError, match="'taste' have 2 columns in one data set and 1 in the other"):
        ours.merge(vbn.Dataset.from_interactions(["dan"], ["gin"]).with_features([[1]], name="taste"))
    with pytest.raises(vbn.DataError, match="'taste' come from another encoder in each data set"):
        ours.merge(shop().with_text({"tea": "hot"}, encoder=lambda texts: [[1.0, 2.0]] * len(texts), name="taste"))


def test_rows_of_a_source_ascend():
    with pytest.raises(vbn.DataError, match="must ascend"):
        Source("a", np.zeros((2, 1), np.float32), np.array([1, 0]))
    with pytest.raises(vbn.DataError, match="more entities than the vocabulary"):
        Features(Vocabulary(["a"]), [Source("a", np.zeros((1, 1), np.float32), np.array([4]))])


def test_describe_tells_them():
    told = str(shop().with_features({"tea": [1, 2], "beer": [3, 5]}, name="taste").describe())
    assert "features   taste: 2 columns; 66.7% of the columns seen have some" in told
