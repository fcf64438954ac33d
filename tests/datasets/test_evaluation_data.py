"""On the real evaluation data, where it is there: readers count right, and a taxonomy helps."""

from pathlib import Path

import pytest

import vbn
from tests.evaluation_data import NEEDS_DATA, ROOT
from vbn.bench._words import average_similarity
from vbn.evaluation.paper._domains import load_domain
from vbn.evaluation.paper.words._corpus import Words

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
        vectors, rows = model._model().posterior.u.mean, data.rows
        averages.append(
            average_similarity(words.sets, lambda word, v=vectors, r=rows: v[r.id(word)] if word in r else None)
        )
    without, with_taxonomy = averages
    assert without > 15
    assert with_taxonomy > without + 4


def test_movielens_counts():
    movies = load_domain("movies", Path(ROOT)).interactions
    assert (len(movies.users), len(movies.items), len(movies.item)) == (6_038, 3_533, 575_281)
