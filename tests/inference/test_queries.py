"""Questions to a trained model: right, named, and careful with what they do not know."""

import numpy as np
import pytest

import vbn
from vbn.inference import by_cosine, cosine_std, top
from vbn.model import Gaussians, Link


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    patterns = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]]
    text = [patterns[i] for i in rng.integers(0, 4, 400)] + [["the", "poodle", "barks"]]
    data = vbn.Dataset.from_sequences(text, window=2)
    data = data.with_taxonomy({"poodle": ["dog"], "dog": ["animal"], "cat": ["animal"], "cow": ["animal"]})
    data = data.with_relation("sound", [("dog", "barks"), ("cat", "purrs")])
    return vbn.VBN(dim=6, epochs=30, relation_rank=2, relation_weight=20.0, verbose=False).fit(data)


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 60)
    users = [f"u{u}" for u in range(60) for _ in range(12)]
    items = [f"i{2 * rng.integers(0, 8) + group[u]}" for u in range(60) for _ in range(12)]
    data = vbn.Dataset.from_interactions(users, items)
    data = data.with_taxonomy({f"i{i}": ["even" if i % 2 == 0 else "odd"] for i in range(16)})
    return vbn.VBN(dim=5, epochs=25, negatives=3, verbose=False).fit(data)


def test_densities(words):
    density = words.posterior("dog")
    assert density.dim == 6
    assert (density.std == np.sqrt(density.variance)).all()
    assert repr(density).startswith("N(mean=[")
    samples = density.sample(50_000, seed=1)
    np.testing.assert_allclose(samples.mean(axis=0), density.mean, atol=0.03)
    np.testing.assert_allclose(samples.std(axis=0), density.std, rtol=0.03)
    assert (words.posterior("dog", role="context").mean != density.mean).any()
    assert (
        words.posterior("dog", role="category", part="v").mean != words.posterior("dog", role="category").mean
    ).any()


def test_a_single_name_for_an_analogy(words):
    one = words.similar(positive="dog", negative="purrs", k=3)
    assert one.entities == words.similar(positive=["dog"], negative=["purrs"], k=3).entities


def test_what_has_no_children_has_no_category(words):
    with pytest.raises(vbn.DataError, match="'poodle' has no children"):
        words.posterior("poodle", role="category")


def test_rare_entities_are_less_certain(words):
    assert words.posterior("poodle").std.mean() > words.posterior("dog").std.mean()


def test_predicted_probabilities_follow_the_data(words):
    p = words.predict_proba([("dog", "barks"), ("dog", "purrs"), ("cat", "purrs"), ("cat", "barks")])
    assert ((p > 0) & (p < 1)).all()
    assert p[0] > p[1]
    assert p[2] > p[3]


def test_prediction_equals_the_closed_form(words):
    from scipy.special import expit

    u, v = words.posterior("dog"), words.posterior("barks", role="context")
    j = words.trained_.columns.id("barks")
    bias = words.trained_.posterior.bias
    mean = u.mean @ v.mean + bias.mean[j]
    variance = u.mean**2 @ v.variance + u.variance @ (v.mean**2 + v.variance) + bias.variance[j]
    base = -np.log(words.settings_["negatives"])  # what is unknown is a noise pair n times as often as a real one
    expected = expit(base + (mean - base) / np.sqrt(1 + np.pi * variance / 8))
    assert words.predict_proba([("dog", "barks")])[0] == pytest.approx(expected, rel=1e-5)


def test_similar_is_a_table(words):
    table = words.similar("poodle", k=3)
    assert len(table) == 3
    assert table[0].score >= table[1].score >= table[2].score
    assert "poodle" not in [row.entity for row in table]
    assert all(row.std > 0 for row in table)
    assert table.to_pandas().columns.tolist() == ["entity", "score", "std"]
    assert table.to_polars().shape == (3, 3)
    assert table.to_dicts()[0]["entity"] == table[0].entity
    assert str(table).splitlines()[0].split() == ["entity", "cosine", "std"]


@pytest.mark.parametrize("dim", [2, 50, 300])
def test_rounding_loses_none_of_the_nearest(dim):
    rng = np.random.default_rng(dim)
    centre = rng.standard_normal(dim)
    centre /= np.linalg.norm(centre)
    # cosines that differ by less than single precision can tell
    vectors = (centre + 1e-5 * rng.standard_normal((2000, dim))).astype(np.float32)
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1)
    query = vectors[0] / norms[0]
    exact = vectors.astype(np.float64) @ query / norms
    rough = vectors @ query.astype(np.float32) / norms.astype(np.float32)
    allowed = (rng.random(2000) < 0.9) & (np.arange(2000) > 0)
    wanted = top(exact, allowed, 10)
    densities, asked = Gaussians(vectors, np.ones_like(vectors)), Gaussians(query[None], np.ones((1, dim)))
    found, cosines, _ = by_cosine(densities, norms, asked, 1.0, 10, allowed)
    assert set(wanted) == set(found)
    np.testing.assert_allclose(cosines, exact[found], rtol=1e-12)
    assert set(wanted) != set(top(rough, allowed, 10))  # or the test would show nothing
    assert allowed[by_cosine(densities, norms, asked, 1.0, 1999, allowed)[0]].all()


def test_similar_by_context_is_the_papers_ranking(words):
    table = words.similar("dog", k=4, by="context")
    expected = words.predict_proba([("dog", row.entity) for row in table])
    np.testing.assert_allclose([row.score for row in table], expected, rtol=1e-5)


def test_parents_without_data_are_no_answers(words):
    everything = words.similar("dog", k=100)
    names = [row.entity for row in everything]
    assert "animal" not in names
    assert "cow" in names


def test_analogies(words):
    table = words.similar(positive=["dog", "purrs"], negative=["barks"], k=2)
    assert len(table) == 2
    assert not {"dog", "purrs", "barks"} & {row.entity for row in table}


@pytest.mark.parametrize("width", [0.05, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("angle", ["any", "same", "opposite"])
def test_cosine_std_is_that_of_samples(width, angle):
    """Also where densities point the same way, and where they are wider than their means are long."""
    rng = np.random.default_rng(0)
    a = rng.standard_normal(20) / 3
    b = {"any": rng.standard_normal(20) / 3, "same": 2 * a, "opposite": -a}[angle]
    a_variance, b_variance = (width**2 * rng.uniform(0.5, 1.5, 20) for _ in range(2))
    x, y = rng.normal(a, np.sqrt(a_variance), (100_000, 20)), rng.normal(b, np.sqrt(b_variance), (100_000, 20))
    cosines = (x * y).sum(axis=1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    assert cosine_std(a, a_variance, b[None], b_variance[None])[0] == pytest.approx(cosines.std(), rel=0.25)


def test_std_of_a_probability():
    rng = np.random.default_rng(0)
    mean, variance = np.array([0.0, 2.0, -3.0]), np.array([1.0, 4.0, 0.2])
    samples = 1 / (1 + np.exp(-rng.normal(mean, np.sqrt(variance), (400_000, 3))))
    np.testing.assert_allclose(Link().std(mean, variance), samples.std(axis=0), rtol=0.01)


def test_relation_queries(words):
    table = words.related("sound", "dog", k=3)
    assert table[0].entity == "barks"
    expected = words.relation_proba("sound", [("dog", row.entity) for row in table])
    np.testing.assert_allclose([row.score for row in table], expected, rtol=1e-5)
    assert words.relation_proba("sound", [("dog", "barks")]) > words.relation_proba("sound", [("dog", "purrs")])


def test_users_and_items_are_two_namespaces(shop):
    table = shop.similar("i0", k=4)
    assert all(int(row.entity[1:]) % 2 == 0 for row in table)
    users = shop.similar("u0", k=3, side="row")
    assert all(row.entity.startswith("u") for row in users)
    assert shop.posterior("u0", side="row").dim == 5
    with pytest.raises(vbn.UnknownEntityError):
        shop.posterior("u0")
    with pytest.raises(vbn.ParameterError, match="no row density"):
        shop.similar("i0", by="context")


def test_unknown_names_get_the_closest_ones(words):
    with pytest.raises(vbn.UnknownEntityError, match=r"unknown entity 'pooodle'\. Did you mean 'poodle'"):
        words.similar("pooodle")
    with pytest.raises(vbn.UnknownEntityError, match=r"unknown relation 'sounds'\. Did you mean 'sound'"):
        words.related("sounds", "dog")
    assert isinstance(vbn.UnknownEntityError("x", ["y"]), KeyError)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.similar("dog", k=0), "k=0"),
        (lambda m: m.similar("dog", by="euclid"), "by='euclid'"),
        (lambda m: m.similar(), "needs an entity"),
        (lambda m: m.posterior("dog", role="leaf"), "role='leaf'"),
        (lambda m: m.posterior("dog", role="category", part="w"), "part must be 'u' or 'v', got 'w'"),
        (lambda m: m.similar("dog", side="left"), "side must be 'row' or 'column', got 'left'"),
    ],
)
def test_bad_questions(words, call, message):
    with pytest.raises(vbn.ParameterError, match=message):
        call(words)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("dog", "barks"), ("a", "b", "c")], "row 1 .* has 3 entries"),
        (None, "expected pairs"),
        ([5, 6], "row 0"),
        ([("dog", None)], "missing name"),
        (7, "not a value of type int"),
    ],
)
def test_what_are_no_pairs(words, pairs, message):
    with pytest.raises(vbn.DataError, match=message):
        words.predict_proba(pairs)


def test_pairs_in_any_form_give_the_same(words):
    pandas = pytest.importorskip("pandas")
    pairs = [("dog", "barks"), ("cat", "purrs")]
    expected = words.predict_proba(pairs)
    for form in (iter(pairs), np.array(pairs), pandas.DataFrame(pairs, columns=["left", "right"])):
        np.testing.assert_array_equal(words.predict_proba(form), expected)


def test_probabilities_come_with_their_standard_deviation(words):
    p, std = words.predict_proba([("dog", "barks"), ("cow", "barks")], return_std=True)
    np.testing.assert_array_equal(p, words.predict_proba([("dog", "barks"), ("cow", "barks")]))
    assert 0 < std[0] < std[1] < 0.5  # nobody has seen a cow
    _, related = words.relation_proba("sound", [("dog", "barks")], return_std=True)
    assert 0 < related[0] < 0.5


def test_top_breaks_ties_by_id_and_respects_the_filter():
    scores = np.array([1.0, 3.0, 3.0, 2.0, 3.0])
    allowed = np.array([True, False, True, True, True])
    assert top(scores, allowed, 2).tolist() == [2, 4]
    assert top(scores, allowed, 10).tolist() == [2, 4, 3, 0]


def test_queries_do_not_change_the_model(words):
    before = {name: array.tobytes() for name, array in words.trained_.posterior.arrays().items()}
    words.similar("dog")
    words.related("sound", "dog")
    words.predict_proba([("dog", "cat")])
    words.posterior("dog").mean[:] = 0.0
    assert before == {name: array.tobytes() for name, array in words.trained_.posterior.arrays().items()}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.similar("u0"), "unknown entity 'u0'; it is the name of a row: pass side='row'"),
        (lambda m: m.explain("i0", side="row"), "it is the name of a column: pass side='column'"),
        (lambda m: m.posterior("u0"), "pass side='row'"),
        (
            lambda m: m.predict_proba([("i0", "u0")]),
            "'i0'; it is the name of a column: pairs go from a row to a column",
        ),
        (lambda m: m.recommend(["u0"]), "it is the name of a row: pass it as user="),
        (lambda m: m.recommend(user="i0"), "it is the name of a column: give it as an entity"),
        (lambda m: m.add("new", parents=["u0"]), "parents are on the same side"),
        (lambda m: m.similar("u77"), "unknown entity 'u77'.$"),
    ],
)
def test_a_name_of_the_other_side_is_told_from_an_unknown_one(shop, ask, message):
    with pytest.raises(vbn.UnknownEntityError, match=message):
        ask(shop)
