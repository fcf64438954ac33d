"""Typed relations, merging, and what a data set says about itself."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.making import by_name
from vbn._errors import DataError, ParameterError, RelationError, TaxonomyError
from vbn.data import Counts, Dataset, Relation, Taxonomy, Vocabulary

WORDS = Dataset.from_sequences([["hot", "cold", "tea", "warm", "cool"]])
PAIRS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=12)
SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=6)


def pairs_of(data: Dataset, name: str) -> dict[tuple[str, str], float]:
    relation = data.relations[name]
    return {
        (data.rows[left], data.columns[right]): weight
        for left, right, weight in zip(
            relation.left.tolist(), relation.right.tolist(), relation.weights.tolist(), strict=True
        )
    }


def edges_of(taxonomy: Taxonomy) -> dict[str, dict[str, float]]:
    return {name: dict(taxonomy.parents(name)) for name in taxonomy.vocabulary if taxonomy.parents(name)}


@given(PAIRS, st.booleans())
def test_a_relation_holds_each_pair_once_and_in_order(pairs, symmetric):
    data = Dataset.from_pairs(list("abcd"), list("bcda")).with_relation("r", pairs, symmetric=symmetric)
    relation = data.relations["r"]
    expected = set(pairs) | ({(right, left) for left, right in pairs} if symmetric else set())
    assert set(pairs_of(data, "r")) == expected
    assert len(relation) == len(expected)
    assert (relation.weights == 1).all()
    assert (np.diff(relation.left.astype(np.int64) * 10 + relation.right) > 0).all()
    assert relation.left.dtype == relation.right.dtype == np.int32


def test_weights_of_repeated_pairs_add_and_both_directions_do_not():
    pairs = [("hot", "cold", 1), ("hot", "cold", 2), ("cold", "hot", 3), ("warm", "cool", 4)]
    data = WORDS.with_relation("antonym", pairs, symmetric=True)
    assert pairs_of(data, "antonym") == {
        ("hot", "cold"): 3,
        ("cold", "hot"): 3,
        ("warm", "cool"): 4,
        ("cool", "warm"): 4,
    }


def test_unknown_entities_are_named_counted_and_can_be_skipped():
    pairs = [("hot", "cold"), *((f"x{number}", "hot") for number in range(7))]
    with pytest.raises(RelationError, match=r"7 unknown entities \('x0', .*'x4', \.\.\.\) in 7 of 8") as raised:
        WORDS.with_relation("antonym", pairs)
    assert "missing='skip'" in str(raised.value)
    assert "row 1" in str(raised.value)
    data = WORDS.with_relation("antonym", pairs, missing="skip")
    assert data.relations["antonym"].skipped == 7
    assert "7 skipped" in str(data.describe())
    with pytest.raises(RelationError, match="none of its 1 pairs"):
        WORDS.with_relation("antonym", [("x", "y")], missing="skip")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "relation 'r': there is no data"),
        ([("hot", "cold", -1)], "negative"),
        ([("hot", "cold", float("nan"))], "missing"),
        ([("hot", None)], "row 0"),
        ([("hot",)], "row 0"),
        ("missing.csv", "no such file"),
    ],
)
def test_bad_relations_are_refused(pairs, message):
    with pytest.raises(RelationError, match=message):
        WORDS.with_relation("r", pairs)
    assert WORDS.relations == {}


def test_relations_need_a_name_and_a_known_policy():
    with pytest.raises(RelationError, match="name"):
        WORDS.with_relation("", [("hot", "cold")])
    with pytest.raises(ParameterError, match="missing"):
        WORDS.with_relation("r", [("hot", "cold")], missing="add")


def test_between_users_and_items_left_are_users():
    data = Dataset.from_interactions(["u", "v"], ["i", "j"])
    assert pairs_of(data.with_relation("owns", [("u", "j")]), "owns") == {("u", "j"): 1}
    with pytest.raises(RelationError, match="cannot be symmetric"):
        data.with_relation("owns", [("u", "j")], symmetric=True)
    with pytest.raises(RelationError, match=r"'i' is a column, .* from rows .* so it cannot be on the left"):
        data.with_relation("like", [("i", "j")])
    with pytest.raises(RelationError, match=r"'v' is a row, .* so it cannot be on the right"):
        data.with_relation("knows", [("u", "v")])
    with pytest.raises(RelationError) as raised:
        data.with_relation("owns", [("u", "x")])
    assert "cannot be on" not in str(raised.value)


@pytest.mark.parametrize("other", [None, "data.csv", {"a": "b"}, 5, Dataset])
def test_only_data_sets_can_be_merged(other):
    with pytest.raises(DataError, match="merge takes another Dataset, not"):
        WORDS.merge(other)


def test_the_relations_of_a_data_set_cannot_be_changed_from_outside():
    data = WORDS.with_relation("r", [("hot", "cold")])
    data.relations.clear()
    assert list(data.relations) == ["r"]
    with pytest.raises(AttributeError):
        data.kind = "other"


@given(SENTENCES, SENTENCES)
def test_merging_equals_building_from_all_the_data(first, second):
    first, second = [*first, ["x", "y"]], [*second, ["y", "z"]]
    one, two = Dataset.from_sequences(first, window=2), Dataset.from_sequences(second, window=2)
    merged, whole = one.merge(two), Dataset.from_sequences(first + second, window=2)
    assert by_name(merged) == by_name(whole)
    assert dict(zip(merged.rows, merged.rows.counts, strict=True)) == dict(
        zip(whole.rows, whole.rows.counts, strict=True)
    )
    assert merged.rows.names[: len(one.rows)] == one.rows.names
    assert merged.rows is merged.columns


def test_merging_interactions_joins_both_sides():
    one = Dataset.from_interactions(["u"], ["i"], [2]).with_taxonomy({"i": "film"})
    two = Dataset.from_interactions(["v", "u"], ["i", "j"]).with_taxonomy({"u": "adult"}, side="row")
    merged = one.merge(two)
    assert by_name(merged) == {("u", "i"): 2, ("v", "i"): 1, ("u", "j"): 1}
    assert not merged.shared
    assert edges_of(merged.row_taxonomy) == {"u": {"adult": 1}}
    assert edges_of(merged.column_taxonomy) == {"i": {"film": 1}}
    with pytest.raises(DataError, match="cannot merge"):
        merged.merge(WORDS)


def test_merging_unites_taxonomies_and_relations():
    base = Dataset.from_pairs(["a", "b"], ["b", "c"])
    one = base.with_taxonomy({"a": ["p", "q"], "b": {"p": 3, "q": 1}})
    two = base.with_taxonomy({"a": ["r"], "b": ["p", "s"], "c": ["p"]})
    merged = one.with_relation("r", [("a", "b", 5)]).merge(
        two.with_relation("r", [("a", "b", 7), ("b", "c", 2)]).with_relation("s", [("a", "a")])
    )
    edges = edges_of(merged.taxonomy)
    assert edges["a"] == pytest.approx({"p": 1 / 3, "q": 1 / 3, "r": 1 / 3})
    assert edges["b"] == pytest.approx({"p": 0.75 / 1.5, "q": 0.25 / 1.5, "s": 0.5 / 1.5})
    assert edges["c"] == {"p": 1}
    assert pairs_of(merged, "r") == {("a", "b"): 5, ("b", "c"): 2}
    assert pairs_of(merged, "s") == {("a", "a"): 1}
    with pytest.raises(TaxonomyError, match="cycle"):
        one.merge(base.with_taxonomy({"p": "a"}))
    with pytest.raises(RelationError, match="symmetric in one"):
        base.with_relation("r", [("a", "b")]).merge(base.with_relation("r", [("a", "b")], symmetric=True))


def test_describe_prints_and_converts():
    with pytest.warns(UserWarning, match="'heat' -> 'hot'"):
        data = WORDS.with_taxonomy({"hot": "heat", "heat": "hot", "cold": "heat"}, break_cycles="drop")
    data = data.with_relation("antonym", [("hot", "cold")], symmetric=True)
    text = str(data.describe())
    assert "6 entities" in text
    assert "1 edge dropped to break cycles" in text
    assert "antonym: 2 pairs, symmetric" in text
    facts = json.loads(json.dumps(data.describe().to_dict()))
    assert facts["cells"] == data.counts.nnz
    assert facts["entities"]["seen_at_most_once"] == 1.0
    assert facts["entities"]["taxonomy"]["dropped_edges"] == 1
    both = Dataset.from_interactions(["u"], ["i"]).describe()
    assert both.to_dict()["rows"]["number"] == 1
    assert "1 row x 1 column" in str(both)


def test_a_data_set_survives_pickling():
    data = WORDS.with_taxonomy({"hot": "heat"}).with_relation("r", [("hot", "cold")])
    copy = pickle.loads(pickle.dumps(data))
    assert copy.shared
    assert copy.taxonomy.vocabulary is copy.rows
    assert by_name(copy) == by_name(data)
    assert repr(copy) == repr(data)
    assert "\n" not in repr(data)


def test_parts_that_do_not_fit_are_refused():
    vocabulary = Vocabulary(["a", "b"])
    counts = Counts.from_coo([0], [1], [1], (2, 2))
    with pytest.raises(DataError, match="do not fit"):
        Dataset(vocabulary, None, counts.resized((3, 3)))
    with pytest.raises(DataError, match="another vocabulary"):
        Dataset(vocabulary, None, counts, column_taxonomy=Taxonomy.from_edges({"a": "b"}))
    with pytest.raises(RelationError, match="differ in length"):
        Relation("r", np.zeros(1, np.int32), np.zeros(2, np.int32), np.ones(1))
