"""Retrofitting as published, against its objective and the linear system that its fixed point solves."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from tests.baselines.test_word_vectors import exported, vector
from vbn.baselines import Steps, neighbours_of, retrofitted_vectors

TREE = {"poodle": ["dog"], "beagle": ["dog"], "dog": ["animal"], "cat": ["animal"], "wolf": ["animal", "dog"]}


def graph(edges=TREE):
    taxonomy = vbn.Taxonomy.from_edges(edges)
    return taxonomy, neighbours_of(taxonomy)


def adjacency(neighbours):
    matrix = np.zeros((len(neighbours), len(neighbours)))
    for i, ids in enumerate(neighbours):
        matrix[i, ids] = 1.0
    return matrix


def objective(vectors, start, neighbours, pull, beta):
    """sum_i pull_i |q_i - p_i|^2 + beta sum over edges |q_i - q_j|^2, each edge once."""
    own = sum(pull[i] * ((vectors[i] - start[i]) ** 2).sum() for i in range(len(start)))
    ties = sum(((vectors[i] - vectors[j]) ** 2).sum() for i, ids in enumerate(neighbours) for j in ids if j > i)
    return own + beta * ties


@st.composite
def problems(draw):
    n = draw(st.integers(3, 12))
    edges = {f"n{i}": sorted({f"n{draw(st.integers(i + 1, n))}" for _ in range(2)}) for i in range(n)}
    _, neighbours = graph(edges)
    seed = draw(st.integers(0, 1000))
    return neighbours, np.random.default_rng(seed).normal(size=(len(neighbours), 3)), draw(st.floats(0.1, 5.0))


@given(problems(), st.booleans())
def test_no_iteration_raises_the_objective(problem, by_degree):
    neighbours, start, alpha = problem
    degree = np.array([len(ids) for ids in neighbours])
    pull, beta = (alpha * degree, 1.0) if by_degree else (np.full(len(start), alpha), 0.7)
    known, values = np.ones(len(start), dtype=bool), []
    for iterations in range(6):
        steps = Steps(iterations, alpha, "degree" if by_degree else beta, True)
        vectors, _ = retrofitted_vectors(start, known, neighbours, steps)
        values.append(objective(vectors, start, neighbours, pull, beta))
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in itertools.pairwise(values))
    assert values[1] < values[0]


@pytest.mark.parametrize("beta", ["degree", 0.7])
@pytest.mark.parametrize("missing", [[], [0, 3]])
def test_the_fixed_point_solves_the_linear_system(beta, missing):
    _, neighbours = graph()
    n, alpha = len(neighbours), 1.5
    start = np.random.default_rng(0).normal(size=(n, 3))
    known = np.ones(n, dtype=bool)
    known[missing] = False
    start[missing] = 0.0
    vectors, has = retrofitted_vectors(start, known, neighbours, Steps(500, alpha, beta, True))
    ties = adjacency(neighbours)
    weights = ties / ties.sum(axis=1, keepdims=True) if beta == "degree" else beta * ties
    own = alpha * known
    expected = np.linalg.solve(np.diag(own + weights.sum(axis=1)) - weights, own[:, None] * start)
    assert has.all()
    np.testing.assert_allclose(vectors, expected, atol=1e-10)


def test_one_iteration_is_the_published_update_in_place():
    _, neighbours = graph({"a": ["b"], "b": ["c"]})
    start = np.array([[1.0], [3.0], [9.0]])
    vectors, _ = retrofitted_vectors(start, np.ones(3, dtype=bool), neighbours, Steps(1, 1.0, "degree", True))
    first = (1.0 + 3.0) / 2
    second = ((first + 9.0) / 2 + 3.0) / 2
    assert vectors[:, 0].tolist() == [first, second, (second + 9.0) / 2]


def fitted(kind=vbn.SkipGram, **params):
    text = [["a", "dog", "barks"], ["a", "cat", "purrs"], ["the", "poodle", "barks"], ["a", "beagle", "barks"]] * 5
    data = vbn.Dataset.from_sequences(text).with_taxonomy(TREE)
    return data, kind(dim=4, epochs=3, **params).fit(data)


@pytest.mark.parametrize(("kind", "params"), [(vbn.SkipGram, {}), (vbn.BayesianSkipGram, {"verbose": False})])
def test_a_retrofitted_model_is_a_model_of_its_own(kind, params, tmp_path):
    data, model = fitted(kind, **params)
    before = vector(model, "poodle")
    closer = vbn.retrofit(model, data.taxonomy)
    assert vector(model, "poodle").tolist() == before.tolist()
    assert vector(closer, "poodle").tolist() != before.tolist()
    contexts = [exported(each, tmp_path, "context")["poodle"].tolist() for each in (model, closer)]
    assert contexts[0] != contexts[1]
    assert vector(closer, "barks").tolist() == vector(model, "barks").tolist()
    if kind is vbn.BayesianSkipGram:
        assert closer.posterior("poodle").variance.tolist() == model.posterior("poodle").variance.tolist()
    again = vbn.load(closer.save(tmp_path / "model"))
    assert type(again) is kind
    assert again.similar("dog", k=3).entities == closer.similar("dog", k=3).entities


def test_nodes_without_a_vector_take_their_neighbours_mean_or_are_left_out():
    data, model = fitted()
    inferred, skipped = vbn.retrofit(model, data.taxonomy), vbn.retrofit(model, data.taxonomy, missing="skip")
    assert vector(inferred, "animal").any()
    assert not vector(skipped, "animal").any()
    # without the category there is no way between the two
    assert vector(skipped, "cat").tolist() == vector(model, "cat").tolist()
    assert vector(inferred, "cat").tolist() != vector(model, "cat").tolist()


def test_edges_may_name_what_the_model_does_not_know():
    _, model = fitted()
    closer = vbn.retrofit(model, [("dog", "quadruped"), ("cat", "quadruped")])
    cosines = [next(row.score for row in of.similar("dog", k=20) if row.entity == "cat") for of in (model, closer)]
    assert cosines[1] > cosines[0]


def test_items_of_users_are_retrofitted_and_users_stay():
    users = vbn.Dataset.from_interactions([1, 1, 2, 2], ["tea", "milk", "tea", "rusk"]).with_taxonomy({"tea": "drink"})
    model = vbn.BayesianSkipGram(dim=2, epochs=3, verbose=False).fit(users)
    closer = vbn.retrofit(model, {"tea": "drink", "milk": "drink"})
    assert closer.posterior("1", side="row").mean.tolist() == model.posterior("1", side="row").mean.tolist()
    assert vector(closer, "tea").tolist() != vector(model, "tea").tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"iterations": 0}, "iterations=0"),
        ({"alpha": 0}, "alpha=0"),
        ({"beta": "sum"}, "beta='sum'"),
        ({"missing": "drop"}, "must be 'infer' or 'skip'"),
    ],
)
def test_bad_parameters_are_named(change, message):
    data, model = fitted()
    with pytest.raises(vbn.ParameterError, match=message):
        vbn.retrofit(model, data.taxonomy, **change)


def test_a_model_without_vectors_and_a_missing_taxonomy_are_refused():
    data, model = fitted()
    with pytest.raises(vbn.ParameterError, match="Popularity"):
        vbn.retrofit(vbn.Popularity().fit(data), data.taxonomy)
    with pytest.raises(vbn.ParameterError, match="dict"):
        vbn.retrofit({}, data.taxonomy)
    with pytest.raises(vbn.NotFittedError):
        vbn.retrofit(vbn.SkipGram(), data.taxonomy)
    with pytest.raises(vbn.DataError, match="no taxonomy"):
        vbn.retrofit(model, None)
