"""Names, ids and sparse counts."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vbn._errors import DataError, UnknownEntityError
from vbn.data import Counts, Vocabulary

CELLS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7), st.integers(0, 4)), max_size=60)


def test_look_up_by_name_and_by_id():
    vocabulary = Vocabulary(["now", "lemma", 7], [3, 2, 1])
    assert vocabulary.names == ("now", "lemma", "7")
    assert vocabulary.id(7) == vocabulary.id("7") == vocabulary.id(np.int64(7)) == 2
    assert vocabulary.ids(["lemma", "now"]).tolist() == [1, 0]
    assert vocabulary.ids([]).dtype == np.int64
    assert list(vocabulary) == ["now", "lemma", "7"]
    assert 7 in vocabulary
    assert None not in vocabulary
    assert "" not in vocabulary


def test_an_unknown_name_suggests_close_ones():
    with pytest.raises(UnknownEntityError, match="Did you mean 'lemma'"):
        Vocabulary(["now", "lemma"]).id("lemna")


def test_an_unknown_name_among_many_is_answered_quickly():
    vocabulary = Vocabulary([f"word{number}" for number in range(50_000)] + ["lemma"])
    with pytest.raises(UnknownEntityError, match="Did you mean 'lemma'"):
        vocabulary.id("lemna")


TITLES = ["Heat (1995)", "Heathers", "The Matrix (1999)", "Amélie", "Éclair", "poodle"]


@pytest.mark.parametrize("others", [0, 50_000], ids=["few", "many"])
@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Heat", "Heat (1995)"),
        ("HEAT (1995)", "Heat (1995)"),
        (" Heat (1995)", "Heat (1995)"),
        ("heath", "Heathers"),
        ("matrix", "The Matrix (1999)"),
        ("amelie", "Amélie"),
        ("eclair", "Éclair"),
        ("pooddle", "poodle"),
        ("noodle", "poodle"),
        ("zzzqqq", None),
    ],
)
def test_what_was_meant_comes_first(asked, meant, others):
    vocabulary = Vocabulary([f"word{number}" for number in range(others)] + TITLES)
    with pytest.raises(UnknownEntityError) as raised:
        vocabulary.id(asked)
    assert raised.value.closest[:1] == ([] if meant is None else [meant])
    assert (f"Did you mean {meant!r}" in str(raised.value)) == (meant is not None)


def test_an_unknown_name_survives_pickling_and_is_a_key_error():
    error = UnknownEntityError("Lemma", ["lemma"], what="relation")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "unknown relation 'Lemma'. Did you mean 'lemma'?"
    assert isinstance(again, KeyError)
    assert again.closest == ["lemma"]


def test_a_very_long_name_is_cut_in_the_message():
    with pytest.raises(UnknownEntityError) as raised:
        Vocabulary(["lemma"]).id("lemma" * 10_000)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("name", [None, float("nan"), 1.5, ["lemma"], b"lemma", True])
def test_what_cannot_be_a_name_is_refused_in_a_look_up(name):
    vocabulary = Vocabulary(["lemma"])
    with pytest.raises(DataError, match="at the look-up"):
        vocabulary.id(name)
    assert name not in vocabulary


def test_a_string_is_not_a_list_of_names():
    with pytest.raises(DataError, match="list of names"):
        Vocabulary(["a", "b"]).ids("ab")


def test_extend_keeps_ids_and_appends_in_order():
    vocabulary = Vocabulary(["a", "b"], [2, 1])
    longer = vocabulary.extend(["c", "a", "d", "c"])
    assert longer.names == ("a", "b", "c", "d")
    assert longer.counts.tolist() == [2, 1, 0, 0]
    assert vocabulary.names == ("a", "b")
    assert vocabulary.extend(["b"]) is vocabulary


def test_a_vocabulary_cannot_be_changed():
    vocabulary = Vocabulary(["a"], [1])
    with pytest.raises(AttributeError):
        vocabulary.names = ("b",)
    with pytest.raises(ValueError, match="read-only"):
        vocabulary.counts[0] = 2


def test_a_vocabulary_survives_pickling():
    vocabulary = Vocabulary(["a", "b"], [2, 1])
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary


@pytest.mark.parametrize(
    ("names", "counts", "message"),
    [
        (["a", "a"], None, "'a' is there twice"),
        (["a", None], None, "position 1"),
        (["a", True], None, "bool"),
        (["a", ""], None, "empty name at position 1"),
        (["a"], [1, 2], "1 names but counts of shape"),
        (["a"], [float("nan")], "finite"),
    ],
)
def test_bad_vocabularies_are_refused(names, counts, message):
    with pytest.raises(DataError, match=message):
        Vocabulary(names, counts)


@given(CELLS)
def test_counts_equal_the_dense_sum(cells):
    dense = np.zeros((6, 8))
    for row, column, value in cells:
        dense[row, column] += value
    columns = list(zip(*cells, strict=True)) or [[], [], []]
    counts = Counts.from_coo(*columns, shape=(6, 8))
    assert np.array_equal(counts.to_scipy().toarray(), dense)
    assert counts.nnz == np.count_nonzero(dense)
    assert counts.total == dense.sum()
    assert counts.density == np.count_nonzero(dense) / 48
    assert np.array_equal(counts.row_sums(), dense.sum(axis=1))
    assert np.array_equal(counts.column_sums(), dense.sum(axis=0))
    assert np.array_equal(counts.transpose().to_scipy().toarray(), dense.T)
    grown = np.zeros((9, 8))
    grown[:6] = dense
    assert np.array_equal(counts.resized((9, 8)).to_scipy().toarray(), grown)


@given(CELLS)
def test_counts_are_canonical(cells):
    columns = list(zip(*cells, strict=True)) or [[], [], []]
    counts = Counts.from_coo(*columns, shape=(6, 8))
    assert counts.indptr.dtype == np.int64
    assert counts.indices.dtype == np.int32
    assert counts.values.dtype == np.float64
    assert (counts.values != 0).all()
    for row in range(6):
        inside = counts.indices[counts.indptr[row] : counts.indptr[row + 1]]
        assert (np.diff(inside) > 0).all()


def test_cells_of_a_huge_matrix_do_not_overflow():
    size = 2**33
    counts = Counts.from_coo([1, 0, 1], [size - 1, 5, size - 1], [1, 1, 2], shape=(2, size))
    assert counts.indices.dtype == np.int64
    assert counts.indices.tolist() == [5, size - 1]
    assert counts.values.tolist() == [1, 3]
    beyond = Counts.from_coo([1, 0, 1], [3, 2**62, 3], [1, 1, 2], shape=(8, 2**62 + 1))
    assert beyond.indices.tolist() == [2**62, 3]
    assert beyond.values.tolist() == [1, 3]


def test_counts_refuse_what_does_not_fit():
    with pytest.raises(DataError, match="outside"):
        Counts.from_coo([0], [3], [1], shape=(2, 2))
    with pytest.raises(DataError, match="differ"):
        Counts.from_coo([0], [1, 1], [1], shape=(2, 2))
    with pytest.raises(DataError, match="only grow"):
        Counts.from_coo([0], [1], [1], shape=(2, 2)).resized((1, 2))
    with pytest.raises(ValueError, match="read-only"):
        Counts.from_coo([0], [1], [1], shape=(2, 2)).values[0] = 3
