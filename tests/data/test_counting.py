"""Counts from sequences and baskets, against counting by hand."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.making import by_name
from vbn._errors import DataError, ParameterError
from vbn.data import Dataset, count_pairs
from vbn.kernels.counting import added_up, sorted_pairs

SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9), max_size=9)


def by_hand(sentences, window, dynamic=False, min_count=1):
    frequency = Counter(token for sentence in sentences for token in sentence)
    expected: Counter = Counter()
    for sentence in sentences:
        kept = [token for token in sentence if frequency[token] >= min_count]
        for here, left in enumerate(kept):
            for there, right in enumerate(kept):
                distance = abs(here - there)
                if 1 <= distance <= window:
                    expected[left, right] += window - distance + 1 if dynamic else 1
    return {pair: count / (window if dynamic else 1) for pair, count in expected.items()}


@given(SENTENCES, st.integers(1, 12), st.booleans(), st.integers(1, 3))
def test_window_counts_equal_counting_by_hand(sentences, window, dynamic, min_count):
    expected = by_hand(sentences, window, dynamic, min_count)
    if not expected:
        with pytest.raises(DataError, match="no data"):
            Dataset.from_sequences(sentences, window, dynamic, min_count)
        return
    data = Dataset.from_sequences(sentences, window, dynamic, min_count)
    assert by_name(data) == expected
    frequency = Counter(token for sentence in sentences for token in sentence)
    assert data.rows.counts.tolist() == [frequency[name] for name in data.rows]
    assert data.rows is data.columns


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(1, 40), st.booleans(), st.integers(1, 9))
def test_little_room_and_threads_give_the_same_counts_as_much_room(seed, window, dynamic, threads):
    random = np.random.default_rng(seed)
    tokens = random.integers(0, 40, 500).astype(np.int32)
    offsets = np.concatenate([[0], np.sort(random.integers(0, 500, 6)), [500]])
    small = count_pairs(tokens, offsets, 40, window, dynamic, room=64, threads=threads)
    large = count_pairs(tokens, offsets, 40, window, dynamic, threads=1)
    assert np.array_equal(small.indptr, large.indptr)
    assert np.array_equal(small.indices, large.indices)
    assert np.array_equal(small.values, large.values)


@given(SENTENCES, st.randoms())
def test_the_order_of_sentences_and_the_names_do_not_matter(sentences, random):
    sentences = [*sentences, ["x", "y"]]
    data = Dataset.from_sequences(sentences, window=2, dynamic_window=True)
    shuffled = list(sentences)
    random.shuffle(shuffled)
    assert by_name(Dataset.from_sequences(shuffled, window=2, dynamic_window=True)) == by_name(data)
    renamed = [[token + "!" for token in sentence] for sentence in sentences]
    other = Dataset.from_sequences(renamed, window=2, dynamic_window=True)
    assert other.rows.names == tuple(name + "!" for name in data.rows)
    assert np.array_equal(other.counts.values, data.counts.values)


def test_entities_are_ordered_by_count_then_by_first_appearance():
    data = Dataset.from_sequences([["c", "b", "a", "b", "d"]])
    assert data.rows.names == ("b", "c", "a", "d")


def test_max_size_keeps_the_most_frequent():
    data = Dataset.from_sequences([["a", "b", "c", "a", "b", "a"]], window=1, max_size=2)
    assert data.rows.names == ("a", "b")
    assert by_name(data) == {("a", "b"): 4, ("b", "a"): 4}


def test_a_generator_and_integer_tokens_will_do():
    data = Dataset.from_sequences(sentence for sentence in [[1, np.int32(2)], ("2", 3)])
    assert set(data.rows) == {"1", "2", "3"}


def test_a_million_tokens_take_seconds():
    random = np.random.default_rng(0)
    ids = (random.zipf(1.2, (20_000, 50)) % 30_000).tolist()
    names = [str(number) for number in range(30_000)]
    sentences = [[names[number] for number in row] for row in ids]
    Dataset.from_sequences(sentences[:2])
    start = time.perf_counter()
    data = Dataset.from_sequences(sentences, window=5)
    assert data.counts.total == 20_000 * 2 * sum(50 - distance for distance in range(1, 6))
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["the cat sat"], "sentence 0 .* plain string"),
        ([["a", "b"], "the cat"], "sentence 1"),
        ([["a", None]], "token 1 of sentence 0"),
        ([["a", 1.5]], "token 1 of sentence 0"),
        ([["a", ["b"]]], "token 1 of sentence 0"),
        ([["a", True]], "token 1 of sentence 0"),
        ([["a", ""]], "empty name"),
        ([{"a", "b"}], "type set"),
        ([3], "type int"),
        (7, "type int"),
        ([], "no data"),
        ([["a"], []], "no data"),
    ],
)
def test_bad_sentences_are_refused(sentences, message):
    with pytest.raises(DataError, match=message):
        Dataset.from_sequences(sentences)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "5"])
def test_bad_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match="window"):
        Dataset.from_sequences([["a", "b"]], window=wrong)
    with pytest.raises(ParameterError, match="max_size"):
        Dataset.from_sequences([["a", "b"]], max_size=wrong)


def test_a_min_count_that_leaves_nothing_says_so():
    with pytest.raises(DataError, match="no cell is left with min_count=5; lower it"):
        Dataset.from_sequences([["a", "b"]], min_count=5)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=8))
def test_baskets_equal_counting_by_hand(baskets):
    expected = Counter(
        (left, right) for basket in baskets for left in set(basket) for right in set(basket) if left != right
    )
    if not expected:
        with pytest.raises(DataError, match="no data"):
            Dataset.from_baskets(baskets)
        return
    data = Dataset.from_baskets(baskets)
    assert by_name(data) == expected
    held = Counter(item for basket in baskets for item in set(basket))
    assert data.rows.counts.tolist() == [held[name] for name in data.rows]
    long = [(number, item) for number, basket in enumerate(baskets) for item in basket]
    columns = [list(column) for column in zip(*long, strict=True)]
    assert by_name(Dataset.from_baskets(*columns)) == expected
    assert by_name(Dataset.from_baskets(dict(enumerate(baskets)))) == expected
    assert by_name(Dataset.from_baskets(baskets=baskets)) == expected


def test_bad_baskets_are_refused():
    with pytest.raises(DataError, match="basket 0"):
        Dataset.from_baskets(["milk"])
    with pytest.raises(DataError, match="item 1 of basket 1"):
        Dataset.from_baskets([["a"], ["a", None]])
    with pytest.raises(DataError, match="differ in length"):
        Dataset.from_baskets([1, 1], ["a"])


@pytest.mark.parametrize("bits", [0, 1, 11, 12, 36, 60])
def test_pairs_are_sorted_by_their_entities_and_added_up(bits):
    rng = np.random.default_rng(bits)
    keys, distances = rng.integers(0, 1 << bits, 300), rng.integers(1, 7, 300, endpoint=True)
    keys[::3] = keys[0]
    pairs = keys << 3 | distances
    expected = Counter()
    for key, distance in zip(keys.tolist(), distances.tolist(), strict=True):
        expected[key] += 8 - distance
    found = added_up(sorted_pairs(pairs, np.empty_like(pairs), 3, bits), 3, 7)
    assert [array.tolist() for array in found] == [sorted(expected), [expected[key] for key in sorted(expected)]]


def test_more_entities_than_fit_into_the_number_of_a_pair_are_refused():
    with pytest.raises(DataError, match="too many to count pairs"):
        count_pairs(np.zeros(2, np.int32), np.array([0, 2]), 1 << 31, 5, dynamic=True)


def test_a_window_may_be_far_longer_than_any_sentence():
    data = Dataset.from_sequences([["a", "b", "c"]], window=10**15, dynamic_window=True)
    assert data.counts.values.tolist() == pytest.approx([1.0] * 6)
