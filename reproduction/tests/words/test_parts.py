"""The parts of the experiments on words: pairs, graph rivals, hidden words and their ranks."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from reproduction.datasets import SimilaritySet
from reproduction.words.completion import WordsOnly
from reproduction.words.corpus import judged, split
from reproduction.words.graph import WordGraph, cosines, unit
from reproduction.words.masked import held_out_pairs, masked, ranks, rare_words
from vbn.data import Vocabulary

EDGES = [
    ("poodle", "dog.n", 1.0),
    ("pug", "dog.n", 1.0),
    ("cat", "cat.n", 1.0),
    ("dog.n", "animal.n", 1.0),
    ("cat.n", "animal.n", 1.0),
    ("table", "furniture.n", 1.0),
    ("furniture.n", "thing.n", 1.0),
    ("animal.n", "thing.n", 1.0),
]
WORDS = ["poodle", "pug", "cat", "table", "zzz"]


def test_pairs_are_divided_by_what_the_corpus_has():
    counts = {"a": 10, "b": 5, "c": 6, "d": 1}
    found = SimilaritySet("x", ("a", "a", "a", "b", "c"), ("b", "c", "zzz", "c", "d"), (1.0, 2.0, 3.0, 4.0, 5.0))
    pairs = judged(found, counts)
    assert pairs.known.tolist() == [True, True, False, True, True]
    assert pairs.rare.tolist() == [True, False, False, True, True]
    assert pairs.reports.tolist() == [False, True, False, False, True]
    assert pairs.unseen.tolist() == [False, True, True, False, True]


def test_the_graph_alone_finds_those_with_near_ancestors_alike():
    vectors = WordGraph(WORDS, EDGES).ancestors(decay=0.7)
    left = np.zeros(4, np.int64)
    dog, cat, table, unknown = cosines(vectors, left, np.array([1, 2, 3, 4]))
    assert dog == pytest.approx(1.0)
    assert dog > cat > table >= 0
    assert unknown == 0.0


def test_averaging_gives_words_without_a_vector_that_of_their_parents():
    graph = WordGraph(WORDS, EDGES)
    vectors = np.array([[2.0, 0.0], [0.0, 0.0], [0.0, 3.0], [1.0, 1.0], [0.0, 0.0]])
    found = graph.averaged(vectors, weight=3.0)
    np.testing.assert_allclose(found[1], [3.0, 0.0])  # all that is known below its parent is the other dog
    np.testing.assert_allclose(found[0], [4.0, 0.0])
    np.testing.assert_allclose(found[4], 0.0)
    np.testing.assert_allclose(graph.averaged(vectors, weight=0.0), unit(vectors))


def test_a_parent_that_is_a_word_counts_itself():
    graph = WordGraph(["dogs", "dog"], [("dogs", "dog", 1.0)])
    np.testing.assert_allclose(graph.averaged(np.array([[0.0, 0.0], [0.0, 2.0]]), weight=1.0), [[0.0, 1.0], [0.0, 1.0]])


def test_retrofitting_draws_siblings_together_and_leaves_strangers_alone():
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, -1.0], [1.0, 1.0], [0.3, 0.4]])
    found = WordGraph(WORDS, EDGES).retrofitted(vectors, alpha=1.0, iterations=10)
    pair = np.array([0]), np.array([1])
    assert cosines(found, *pair)[0] > cosines(vectors, *pair)[0]
    np.testing.assert_array_equal(found[4], vectors[4])


def test_the_split_is_80_20_and_85_15():
    sentences = [[f"w{i}"] for i in range(1000)]
    parts = split(sentences)
    assert (len(parts.training), len(parts.validation), len(parts.test)) == (680, 120, 200)
    assert sorted([*parts.training, *parts.validation, *parts.test]) == sorted(sentences)
    assert split(sentences).test == parts.test


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from([*"abcdefghij", "1", ","]), max_size=8), min_size=1), st.integers(0, 3))
def test_hidden_words_could_be_known_and_are_not_given_away(sentences, seed):
    counts = Counter({name: 12 - n for n, name in enumerate("abcdefgh,1")})
    cases = masked([*sentences, ["a", "b"]], counts, seed=seed)
    sentences = [*sentences, ["a", "b"]]
    once = set()
    for target, query, sentence in zip(cases.targets, cases.queries, cases.sentence, strict=True):
        assert target in counts
        assert target.isalpha()
        assert target not in query
        assert set(query) == {word for word in sentences[sentence] if word in counts} - {target}
        assert (sentence, target) not in once
        once.add((sentence, target))
    assert len(set(cases.sentence[cases.first])) == cases.first.sum()
    assert all((target in rare_words(counts)) == rare for target, rare in zip(cases.targets, cases.rare, strict=True))
    assert (cases.first | cases.rare).all()


def test_nothing_to_hide_is_said():
    with pytest.raises(vbn.DataError, match="nothing to complete"):
        masked([["a"], ["a", "zzz"], ["1", "a", "a"]], Counter("aa1"))


def test_rare_words_are_the_last_fifth_with_ties_by_name():
    assert rare_words(Counter(a=3, b=1, c=1, d=9, e=1, f=1, g=2, h=2, i=5, j=5)) == {"b", "c"}


def test_ranks_leave_out_the_sentence_and_count_ties_half():
    counts = Counter(a=5, b=4, c=3, d=2, e=1)
    cases = masked([["a", "b"]], counts)
    target = cases.targets[0]
    columns = Vocabulary(["parent", *"edcba"])

    def score(queries):
        return np.tile([9.0, 1.0, 1.0, 2.0, 1.0, 1.0], (len(queries), 1))

    above, others = ranks(score, columns, cases, counts)
    assert others.tolist() == [3.0]
    assert above[0].tolist() == [1.0 + 2 / 2]  # c above; d and e tie with it; the parent and the other word are out
    offsets = np.zeros((2, 6))
    offsets[1, columns.id(target)] = 5.0
    assert ranks(score, columns, cases, counts, offsets)[0].tolist() == [[2.0], [0.0]]


def test_pairs_that_are_held_out_stand_near_each_other_and_frequent_words_are_thinned():
    columns = Vocabulary(["a", "b", "the", "node"], np.array([3.0, 3.0, 10_000.0, 0.0]))
    sentences = [["a", "the", "b", "unknown"], ["the", "the", "a"]] * 300
    found = Counter(held_out_pairs(columns, sentences, 1, 1e-3, seed=0))
    assert set(found) <= {("a", "the"), ("the", "a"), ("the", "b"), ("b", "the"), ("the", "the")}
    everything = Counter(held_out_pairs(columns, sentences, 1, None, seed=0))
    assert everything["a", "the"] == everything["the", "a"] == 600
    assert 0 < found["a", "the"] < 100
    assert found["the", "the"] < 10


def test_telling_words_weigh_more_than_frequent_ones_and_near_ones_more_than_far_ones():
    sentences = [["the", "dog", "barks"], ["the", "cat", "purrs"], ["the", "sun", "shines"], ["the", "the", "end"]] * 9
    model = vbn.VBN(dim=4, epochs=8, verbose=False).fit(vbn.Dataset.from_sequences([*sentences, ["rare", "dog"]]))
    asked = WordsOnly(model.trained_, "average")
    vectors = unit(model.trained_.posterior.u.mean + model.trained_.posterior.v.mean)
    counts = model.trained_.columns.counts

    def of(query):
        ids = model.trained_.columns.ids(query)
        said = -np.log(counts[ids] / counts.sum())
        close = vectors[ids] @ vectors[model.trained_.columns.ids(asked.columns.names)].T
        return 8.0 / 5.0 * np.log(said / said.sum() @ np.exp(5.0 * close))

    found = asked.telling_cosines([{"the": 1.0, "rare": 1.0}, {"dog": 2.0, "cat": 1.0}])
    np.testing.assert_allclose(found[0], of(["the", "rare"]), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[1], of(["dog", "dog", "cat"]), rtol=1e-4, atol=1e-4)
    plain = asked.cosines([{"rare": 1.0}])[0]
    np.testing.assert_allclose(asked.telling_cosines([{"rare": 3.0}])[0], plain, rtol=1e-4, atol=1e-4)
