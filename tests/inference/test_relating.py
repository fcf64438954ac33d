"""Answers of relations: known pairs first, their fold-in, and probabilities that mean something."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn

SIZE = 60
WORDS = [f"w{i}" for i in range(SIZE)]


def corpus():
    """Words in groups of six that occur together, so that five others are nearest to each."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, SIZE, 6000)
    near = left // 6 * 6 + rng.integers(0, 6, 6000)
    right = np.where(rng.random(6000) < 0.8, near, rng.integers(0, SIZE, 6000))
    return vbn.Dataset.from_pairs([WORDS[i] for i in left], [WORDS[i] for i in right], shared=True)


def pairs():
    """Half of the pairs are far apart, and some words have three."""
    far = [(WORDS[i], WORDS[(i + 31) % SIZE]) for i in range(0, SIZE, 4)]
    near = [(WORDS[i], WORDS[i + 1]) for i in range(0, SIZE, 6)]
    return [*far, *near, ("w0", "w44", 3.0)]


@pytest.fixture(scope="module")
def model():
    data = corpus().with_relation("tie", [(a, b, *more, *[1.0] * (not more)) for a, b, *more in pairs()])
    return vbn.VBN(dim=8, epochs=15, negatives=2, verbose=False).fit(data)


def ranked(model, word, known):
    return model.related("tie", word, k=SIZE, known=known)


def test_known_pairs_come_first_by_weight_and_are_marked(model):
    table = ranked(model, "w0", "first")
    assert table.entities[0] == "w44"
    assert {row.entity for row in table if row.known} == {"w44", "w31", "w1"}
    assert [row.known for row in table] == [True] * 3 + [False] * (SIZE - 4)
    assert table.scores[1] >= table.scores[2]
    assert (np.diff(table.scores[3:]) <= 0).all()


def test_ranked_and_excluded(model):
    table = ranked(model, "w0", "ranked")
    assert (np.diff(table.scores) <= 0).all()
    assert sum(table.known) == 3
    others = ranked(model, "w0", "excluded")
    assert others.entities == [row.entity for row in table if not row.known]
    with pytest.raises(vbn.ParameterError, match="known='last' must be 'first', 'ranked' or 'excluded'"):
        model.related("tie", "w0", known="last")


def test_fewer_answers_than_known_pairs(model):
    assert model.related("tie", "w0", k=2).known == [True, True]


def test_the_table_says_what_is_known(model):
    table = model.related("tie", "w0", k=4)
    assert list(table.to_pandas().columns) == ["entity", "score", "std", "known"]
    assert table.to_dicts()[3]["known"] is False
    assert table[:3].known == [True] * 3
    lines = str(table).splitlines()
    assert lines[0].endswith("known")
    assert [line.endswith("yes") for line in lines[1:]] == [True] * 3 + [False]


def test_the_model_itself_finds_pairs_that_are_far_apart(model):
    first = [ranked(model, a, "ranked").entities.index(b) < 5 for a, b, *_ in pairs()]
    assert np.mean(first) > 0.8
    without = model.with_trained(model.trained_)  # no data: it does not know its pairs
    lost = [ranked(without, a, "ranked").entities.index(b) < 5 for a, b, *_ in pairs()]
    assert np.mean(lost) < 0.6
    assert without.related("tie", "w0")[0].known is None


def test_words_without_known_pairs_are_ranked_as_without_their_fold_in(model):
    left = {a for a, *_ in pairs()}
    without = model.with_trained(model.trained_)
    for word in [word for word in WORDS if word not in left][:5]:
        assert ranked(model, word, "first").entities == ranked(without, word, "first").entities


def test_probabilities_are_those_of_all_columns(model):
    every = [(a, b) for a in WORDS for b in WORDS if a != b]
    given_pairs = {(a, b) for a, b, *_ in pairs()}
    p = model.relation_proba("tie", every)
    related = np.array([pair in given_pairs for pair in every])
    assert p[related].mean() > 5 * p[~related].mean()
    assert p[~related].mean() < 0.05
    assert p[~related].max() < 0.9
    table = model.related("tie", "w0", k=5)
    np.testing.assert_allclose(
        table.scores, model.relation_proba("tie", [("w0", row.entity) for row in table]), rtol=1e-5
    )


def test_joint_relations_know_their_pairs_too():
    data = corpus().with_relation("tie", [("w0", "w31")])
    joint = vbn.VBN(dim=4, epochs=3, relation_space="joint", verbose=False).fit(data)
    assert joint.trained_.relations[0].prior == 0.0
    assert joint.trained_.relations[0].scale == 1.0
    assert joint.related("tie", "w0")[0][::3] == ("w31", True)


@settings(max_examples=25, deadline=None)
@given(
    word=st.sampled_from(WORDS),
    k=st.integers(1, SIZE),
    dial=st.floats(-1, 1),
    known=st.sampled_from(["first", "ranked"]),
)
def test_every_answer_comes_once_and_none_is_the_word_itself(model, word, k, dial, known):
    table = model.related("tie", word, k=k, popularity=dial, known=known)
    assert len(table) == min(k, SIZE - 1)
    assert len(set(table.entities) | {word}) == len(table) + 1
    assert ((table.scores > 0) & (table.scores < 1)).all()
