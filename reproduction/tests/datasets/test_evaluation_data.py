"""On the real evaluation data, where it is there: readers count what its makers counted, and a taxonomy helps."""

from pathlib import Path

import numpy as np
import pytest

import vbn
from reproduction import datasets
from reproduction.bench.training import average_similarity
from reproduction.datasets.medical import icd9_parents
from reproduction.words.corpus import Words
from tests.evaluation_data import NEEDS_DATA, ROOT
from vbn.datasets import antonym_pairs, load_movielens, meronym_pairs, wordnet_taxonomy

pytestmark = NEEDS_DATA


@pytest.fixture(scope="module")
def words():
    return Words.load(Path(ROOT))


def test_semcor_counts(words):
    assert len(words.sentences) == 37_176
    assert sum(len(sentence) for sentence in words.sentences) == 820_411
    assert len({word for sentence in words.sentences for word in sentence}) == 38_642


def test_a_taxonomy_of_hypernyms_helps_on_word_similarity(words):
    plain = vbn.Dataset.from_sequences(words.sentences)
    graph = words.graph(plain.rows.names, senses="all", nodes="synsets", ancestors=2)
    averages = []
    for data in (plain, plain.with_taxonomy(graph)):
        model = vbn.VBN(dim=30, epochs=8, negatives=2, subsample=1e-4, alpha={"entity": 10.0}, verbose=False).fit(data)
        vectors, rows = model.trained_.posterior.u.mean, data.rows
        averages.append(
            average_similarity(words.sets, lambda word, v=vectors, r=rows: v[r.id(word)] if word in r else None)
        )
    without, with_taxonomy = averages
    assert without > 15
    assert with_taxonomy > without + 4


@pytest.fixture(scope="module")
def medical():
    return datasets.load("medical", ROOT)


def test_semcor_has_the_counts_of_the_paper():
    sentences = datasets.load("semcor", ROOT).sentences
    assert len(sentences) == 37_176
    assert sum(len(sentence) for sentence in sentences) == 820_411
    assert len({word for sentence in sentences for word in sentence}) == 43_416


def test_similarity_sets_are_whole():
    sizes = {name: len(found) for name, found in datasets.load("similarity", ROOT).items()}
    assert sizes == {"men": 3_000, "rw": 2_034, "scws": 2_003, "simlex999": 999, "ws353": 353}


def test_wordnet_relations(words):
    wordnet, vocabulary = words.wordnet, set(words.counts)
    assert len(antonym_pairs(wordnet)) == 3_555
    assert len(meronym_pairs(wordnet)) == 100_026
    assert len(antonym_pairs(wordnet, vocabulary)) == 1_148
    assert len(meronym_pairs(wordnet, vocabulary)) == 4_223


@pytest.mark.parametrize(
    "options",
    [{"senses": "all", "levels": 2}, {"nodes": "synsets", "senses": "all", "ancestors": 2}],
)
def test_taxonomies_of_words_are_acyclic(words, options):
    some = sorted(words.counts)[::4]
    found = wordnet_taxonomy(words.wordnet, some, **options)
    taxonomy = vbn.Dataset.from_sequences([some], window=1).with_taxonomy(found.edges).taxonomy
    placed = sum(bool(taxonomy.parents(word)) for word in some)
    assert placed > 7_000
    assert len(found.dropped) < 0.05 * len(found.edges)


def test_music():
    music = datasets.load("music", ROOT)
    liked = music.interactions
    assert (len(liked.users), len(liked.items), len(liked)) == (5_856, 11_021, 311_497)
    nodes = {parent for _, parent, _ in music.taxonomy()}
    assert sum(node.startswith("album:") for node in nodes) == 7_446
    assert sum(node.startswith("artist:") for node in nodes) == 3_531
    small = liked.keep(np.array([int(item) <= 4_000 for item in liked.items])[liked.item])
    assert (len(small.users), len(small)) == (5_786, 238_893)


def test_medical(medical):
    given = medical.interactions
    assert (len(given.users), len(given.items), len(given)) == (71_517, 915, 303_496)
    nodes = {parent for _, parent, _ in medical.taxonomy()}
    assert sum(node.startswith("B:") for node in nodes) == 140
    assert sum(node.startswith("C:") for node in nodes) == 18


def test_the_tree_made_from_codes_is_that_of_the_full_list(medical):
    codes = [code for code in medical.descriptions if ":" not in code and code != "ROOT"]
    made = icd9_parents(codes)
    assert len(codes) == 17_561
    assert [code for code in codes if made[code] != medical.parents[code]] == []
    assert {node: made[node] for node in made if ":" in node} == {
        node: medical.parents[node] for node in medical.parents if node.startswith("B:")
    }


def test_movielens():
    movies = load_movielens(ROOT)
    liked = movies.interactions
    assert (len(liked.users), len(liked.items), len(liked)) == (6_038, 3_533, 575_281)
    assert sum(bool(movies.movies[item].directors) for item in movies.movies) == 3_876
    assert int((liked.order < 0).sum()) > 0  # half the users have no times
    tree = movies.taxonomy("tree")
    assert len({child for child, _, _ in tree}) == len(tree)
