"""Skip-gram: what gensim gets to see, and what becomes of its vectors."""

import numpy as np
import pytest
from gensim.models import Word2Vec

import vbn
from vbn.baselines import SkipGram
from vbn.baselines.skipgram import LONGEST, Given, Pairs, Rows

TEXT = [["a", "dog", "barks"], ["a", "cat", "purrs"], ["the", "poodle", "barks"]] * 10


def vector(model, name):
    """The vector of an entity."""
    return model.vectors([name])[1][0]


def exported(model, folder, role="entity"):
    """All vectors by name, as a file has them."""
    with np.load(model.export(folder / f"{role}.npz", role=role)) as file:
        return dict(zip(file["names"].tolist(), file["means"], strict=True))


def two_shops(n=150, seed=0):
    """Users who buy in one of two halves of a shop."""
    rng = np.random.default_rng(seed)
    users, items = [], []
    for user in range(n):
        chosen = rng.choice(10, 4, replace=False) + 10 * (user % 2)
        users += [f"u{user}"] * 4
        items += [f"i{item}" for item in chosen]
    return vbn.Dataset.from_interactions(users, items)


def test_sentences_reach_gensim_unchanged(tmp_path):
    model = SkipGram(dim=6, window=2, negatives=3, epochs=4, seed=5).fit(TEXT)
    theirs = Word2Vec(
        TEXT, vector_size=6, window=2, negative=3, epochs=4, seed=5, sg=1, min_count=1, workers=1, sample=1e-3
    )
    for word in ("dog", "purrs"):
        assert vector(model, word).tolist() == theirs.wv[word].tolist()
        at = theirs.wv.key_to_index[word]
        assert exported(model, tmp_path, "context")[word].tolist() == theirs.syn1neg[at].tolist()
    assert model.similar("dog", k=3).entities == [name for name, _ in theirs.wv.most_similar("dog", topn=3)]
    cosines = [cosine for _, cosine in theirs.wv.most_similar("dog", topn=3)]
    np.testing.assert_allclose(model.similar("dog", k=3).scores, cosines, rtol=1e-5)


def test_what_can_be_read_once_is_read_once():
    again = SkipGram(dim=3, epochs=2).fit(iter(TEXT))
    assert vector(again, "dog").tolist() == vector(SkipGram(dim=3, epochs=2).fit(TEXT), "dog").tolist()


def test_files_and_numbers_will_do(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(" ".join(sentence) for sentence in TEXT))
    from_file, from_lists = (SkipGram(dim=3, epochs=2).fit(source) for source in (path, TEXT))
    assert vector(from_file, "dog").tolist() == vector(from_lists, "dog").tolist()
    assert "7" in SkipGram(dim=3).fit([[7, 8], [8, 9]] * 3).columns


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["a dog barks"], "plain string"),
        ([["a", None]], "missing name"),
        ([], "min_count"),
        (7, "expected sentences"),
        ([["a", "b"]], "min_count=5"),
    ],
)
def test_bad_sentences_are_named(sentences, message):
    with pytest.raises(vbn.DataError, match=message):
        SkipGram(min_count=5).fit(sentences)


def test_long_sentences_are_not_cut_off():
    pieces = list(Given([["a"] * (LONGEST + 3)], shuffle=False, seed=0))
    assert [len(piece) for piece in pieces] == [LONGEST, 3]


def test_baskets_are_shuffled_anew_each_time_and_by_the_seed():
    basket = [str(i) for i in range(30)]
    corpus = Given([basket], shuffle=True, seed=1)
    first, second = next(iter(corpus)), next(iter(corpus))
    assert first != second
    assert sorted(first) == sorted(second) == sorted(basket)
    assert next(iter(Given([basket], shuffle=True, seed=1))) == first


def test_users_are_sentences_of_what_they_have_in_random_order():
    data = vbn.Dataset.from_interactions([1, 1, 1, 2, 2], list("abcab"), [5, 1, 1, 1, 1])
    corpus = Rows(data, seed=0)
    assert corpus.frequencies() == {"a": 2, "b": 2, "c": 1}
    assert len(corpus) == 2
    for _ in range(3):
        assert sorted(map(sorted, corpus)) == [["a", "b"], ["a", "b", "c"]]
    assert len({str(list(corpus)) for _ in range(9)}) > 1


def test_pairs_come_as_often_as_they_were_counted():
    data = vbn.Dataset.from_pairs(list("abac"), list("bacc"), [3, 3, 1, 2])  # a-b both ways, a-c one way, c-c
    corpus = Pairs(data, seed=0)
    seen = np.zeros(3)
    for _ in range(400):
        pairs = [tuple(sorted(pair)) for pair in corpus]
        seen += [pairs.count(("a", "b")), pairs.count(("a", "c")), pairs.count(("c", "c"))]
    np.testing.assert_allclose(seen / 400, [3.0, 0.5, 2.0], atol=0.1)
    assert corpus.frequencies() == {"a": 4, "b": 3, "c": 4}


ITEM2VEC = {"dim": 8, "epochs": 30, "subsample": None}


@pytest.mark.parametrize("rank_by", ["cosine", "dot"])
def test_item2vec_finds_the_half_of_the_shop(rank_by):
    model = SkipGram(**ITEM2VEC, rank_by=rank_by).fit(two_shops())
    first = {f"i{i}" for i in range(10)}
    assert set(model.recommend(["i0", "i1"], k=6).entities) <= first
    assert set(model.recommend(user="u0", k=6).entities) <= first
    assert set(model.similar("i3", k=5).entities) <= first


@pytest.mark.parametrize("rank_by", ["cosine", "dot"])
def test_a_user_is_the_mean_of_what_they_have(rank_by):
    data = two_shops(40)
    model = SkipGram(dim=4, rank_by=rank_by).fit(data)
    has = [data.columns[j] for j in data.counts.indices[: data.counts.indptr[1]]]
    user, basket = model.scores([data.rows[0], has])
    np.testing.assert_allclose(user, basket, rtol=1e-5, atol=1e-7)
    u = np.mean([vector(model, item)[-4:] for item in has], axis=0)
    v = vector(model, "i5")[:4]
    expected = u @ v / (np.linalg.norm(u) * np.linalg.norm(v) if rank_by == "cosine" else 1.0)
    assert user[model.columns.id("i5")] == pytest.approx(expected, rel=1e-4)


def test_ranking_may_change_after_the_fit_where_the_vectors_are_there():
    data = two_shops(40)
    both, inputs = (SkipGram(dim=4, rank_by=by).fit(data) for by in ("dot", "cosine"))
    expected = inputs.scores(["u0", ["i1", "i2"]])
    np.testing.assert_allclose(both.set_params(rank_by="cosine").scores(["u0", ["i1", "i2"]]), expected, rtol=1e-5)
    with pytest.raises(vbn.ParameterError, match="fit it again"):
        inputs.set_params(rank_by="dot").scores(["u0"])


def test_ranking_by_dot_is_what_training_fits(tmp_path):
    model = SkipGram(dim=5, rank_by="dot").fit(vbn.Dataset.from_sequences(TEXT))
    expected = vector(model, "dog") @ exported(model, tmp_path, "context")["barks"]
    assert model.scores(["dog"])[0, model.columns.id("barks")] == pytest.approx(float(expected), rel=1e-5)


def test_words_without_data_are_0():
    data = vbn.Dataset.from_sequences(TEXT).with_taxonomy({"doggish": ["dog"]})
    assert not vector(SkipGram(dim=4).fit(data), "doggish").any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dim": 0}, "dim=0"),
        ({"window": 1.5}, "window=1.5"),
        ({"seed": 2**32}, "seed"),
        ({"subsample": -1}, "subsample"),
        ({"rank_by": "euclid"}, "rank_by"),
        ({"shuffle": "yes"}, "shuffle"),
        ({"workers": 0}, "workers"),
    ],
)
def test_bad_parameters_are_named(change, message):
    with pytest.raises(vbn.ParameterError, match=message):
        SkipGram(**change).fit(TEXT)
