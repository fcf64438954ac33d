"""On the real evaluation data, where it is there: readers count right, and a taxonomy helps."""

import os
import sys
from pathlib import Path

import pytest

import vbn

ROOT = os.environ.get("VBN_DATA")
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not ROOT or not Path(ROOT).is_dir(), reason="set VBN_DATA to the folder of the evaluation data"),
]
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))


@pytest.fixture(scope="module")
def semcor():
    from _semcor import read_sentences

    return read_sentences(Path(ROOT) / "nlu")


def test_semcor_counts(semcor):
    assert len(semcor) == 37_176
    assert sum(len(sentence) for sentence in semcor) == 820_410
    assert len({word for sentence in semcor for word in sentence}) == 38_641


def test_a_taxonomy_of_hypernyms_helps_on_word_similarity(semcor):
    from _semcor import read_similarity, word_taxonomy
    from semcor_similarity import correlations

    folder = Path(ROOT) / "nlu"
    plain = vbn.Dataset.from_sequences(semcor)
    sets = read_similarity(folder, plain.entities)
    known = plain.with_taxonomy(word_taxonomy(folder, plain.entities).edges)
    averages = []
    for data in (plain, known):
        model = vbn.VBN(dim=30, epochs=8, negatives=2, subsample=1e-4, alpha={"entity": 10.0}, verbose=False).fit(data)
        averages.append(correlations(model._trained.posterior.u.mean, data, sets)["average"])
    without, with_taxonomy = averages
    assert without > 15
    assert with_taxonomy > without + 4


def test_movielens_counts():
    from _movielens import movie_taxonomy, read_likes

    folder = Path(ROOT) / "movies"
    likes = read_likes(folder)
    assert (len(likes.users), len(likes.items), len(likes.item)) == (6_038, 3_533, 575_281)
    edges = movie_taxonomy(folder, likes.items)
    data = vbn.Dataset.from_interactions(users=["u"], items=[likes.items[0]]).with_taxonomy(edges)
    assert data.taxonomy.depth == 2
    for item in likes.items[:50]:
        assert sum(weight for _, weight in data.taxonomy.parents(item)) == pytest.approx(1.0)
