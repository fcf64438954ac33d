"""The full variance of a score: against the twin, by theory, where the truth is known, and as users ask for it."""

import importlib
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vbn
from tests.twin import spread as twin_spread
from tests.twin import twin
from tests.twin.bridge import make_twins
from tests.twin.making import make
from vbn.inference import full_variances, stiffness
from vbn.model import EntityCells, Gaussians, Trained

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


class Shown:
    def __init__(self, cells):
        self.cells = cells

    def row(self, i):
        return self._of(self.cells.i == i, self.cells.j)

    def column(self, j):
        return self._of(self.cells.j == j, self.cells.i)

    def _of(self, mine, others):
        positive, negative = self.cells.w_pos[mine], self.cells.w_neg[mine]
        return EntityCells(others[mine], positive, positive, negative)


def trained_of(twins):
    network, totals = twins.network, np.ones(twins.problem.n_rows)
    return Trained(network.rows, network.columns, (), network.posterior, network.hyperpriors, totals, 1.0, 0.75)


@pytest.mark.parametrize("seed", [2, 3])  # rows and columns the same entities, and not
def test_full_variances_are_those_of_the_twin(seed):
    problem, state = make(seed)
    for _ in range(3):
        twin.sweep(problem, state)
    rows, columns = (ids.ravel() for ids in np.indices((problem.n_rows, problem.n_cols)))
    ours = full_variances(trained_of(make_twins(problem, state)), Shown(problem.cells), rows, columns)
    theirs = [twin_spread.full_variance(problem, state, i, j) for i, j in zip(rows, columns, strict=True)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-7)


@given(seed=st.integers(0, 2**32 - 1), size=st.floats(0.1, 5.0), cells=st.integers(0, 12))
def test_no_coordinate_gets_surer_than_mean_field_makes_it(seed, size, cells):
    rng, dim = np.random.default_rng(seed), 3
    own = Gaussians(size * rng.normal(size=(1, dim)), rng.uniform(0.01, 1.0, (1, dim)))
    others = Gaussians(size * rng.normal(size=(cells, dim)), rng.uniform(0.01, 1.0, (cells, dim)))
    weights, prior = rng.uniform(0.1, 50.0, cells), rng.uniform(0.1, 5.0)
    stiff = stiffness(own, others, weights)
    full = np.linalg.inv(prior * np.eye(dim) + (stiff[:, None] * others.mean).T @ others.mean)
    mean, second = others.mean @ own.mean[0], others.mean**2 + others.variance
    xi = np.sqrt(mean**2 + others.variance @ own.mean[0] ** 2 + second @ own.variance[0])
    mean_field = 1 / (prior + (2 * twin.jaakkola_lambda(xi) * weights) @ second)
    assert (np.diag(full) >= mean_field * (1 - 1e-9)).all()


@pytest.fixture
def simulation(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("simulation")
    for name in ("simulation", "_machine"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("columns", [8, 40])
def test_where_the_truth_is_known_errors_are_symmetric_and_full_intervals_hold(simulation, columns):
    found = {"mean_field": [], "full": []}
    for seed in range(3):
        scores, labels, seen = simulation.world(30, columns, 2, 0.2, seed)
        mean, stds = simulation.fitted(labels, seen, 2, 100, seed)
        for spread, std in stds.items():
            found[spread].append(((scores - mean) / std).ravel())
    judged = {spread: simulation.judged(np.concatenate(values)) for spread, values in found.items()}
    assert abs(judged["full"]["above the mean"] - 0.5) < 0.05
    assert judged["mean_field"]["inside 80%"] < 0.73
    assert 0.74 < judged["full"]["inside 80%"] < 0.88


TEXT = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]] * 10
PAIRS = [("dog", "barks"), ("cat", "barks"), ("dog", "barks"), ("a", "puppy"), ("puppy", "barks")]


@pytest.fixture(scope="module")
def model():
    data = vbn.Dataset.from_sequences(TEXT).with_taxonomy({"dog": ["animal"], "cat": ["animal"], "puppy": ["dog"]})
    return vbn.VBN(dim=4, epochs=15, verbose=False).fit(data)


def test_probabilities_stay_and_their_std_grows(model):
    p, std = model.predict_proba(PAIRS, return_std=True)
    same, wide = model.predict_proba(PAIRS, return_std=True, spread="full")
    assert np.array_equal(p, same)
    assert np.array_equal(p, model.predict_proba(PAIRS, spread="full"))
    assert wide[0] == wide[2]
    assert wide.mean() > std.mean()
    one_by_one = [model.predict_proba([pair], return_std=True, spread="full")[1][0] for pair in PAIRS]
    np.testing.assert_array_equal(wide, one_by_one)
    assert model.predict_proba([], return_std=True, spread="full")[1].shape == (0,)


def test_intervals_widen_with_their_level_and_follow_the_slope(model):
    lower, upper = model.predict_interval(PAIRS, level=0.5)
    wider = model.predict_interval(PAIRS, level=0.95)
    assert (wider[0] < lower).all()
    assert (lower < upper).all()
    assert (upper < wider[1]).all()
    narrow = model.predict_interval(PAIRS, level=0.5, spread="mean_field")
    assert (narrow[1] - narrow[0]).mean() < (upper - lower).mean()
    assert [side.shape for side in model.predict_interval([])] == [(0,), (0,)]
    cooler = model.with_trained(replace(model.trained_, slope=0.5), model.data_)
    cooled = cooler.predict_interval(PAIRS, level=0.5)
    for before, after in zip((lower, upper), cooled, strict=True):
        np.testing.assert_allclose(2 * np.log(after / (1 - after)), np.log(before / (1 - before)))


def test_users_and_items_and_an_item_that_is_added():
    data = vbn.Dataset.from_interactions(["ann", "ann", "ben", "cem"] * 3, ["tea", "milk", "tea", "beer"] * 3)
    model = vbn.VBN(dim=3, epochs=10, verbose=False).fit(data).add("mate", contexts={"ann": 2})
    lower, upper = model.predict_interval([("ann", "tea"), ("cem", "mate")])
    assert (lower < upper).all()
    with pytest.raises(vbn.UnknownEntityError, match="pairs go from a row to a column"):
        model.predict_interval([("tea", "ann")])


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1, np.nan, "0.8", True])
def test_levels_that_are_none(model, level):
    with pytest.raises(vbn.ParameterError, match="level="):
        model.predict_interval(PAIRS, level=level)


def test_what_cannot_be_asked(model, tmp_path):
    for ask in (model.predict_proba, model.predict_interval):
        with pytest.raises(vbn.ParameterError, match="must be 'mean_field' or 'full'"):
            ask(PAIRS, spread="wide")
    without = vbn.load(model.save(tmp_path / "model", counts=False))
    with pytest.raises(vbn.DataError, match="saved without its counts"):
        without.predict_interval(PAIRS)
    lower, _ = without.predict_interval(PAIRS, spread="mean_field")
    np.testing.assert_array_equal(lower, model.predict_interval(PAIRS, spread="mean_field")[0])
    with pytest.raises(vbn.VBNError, match="no predict_interval"):
        vbn.SkipGram().predict_interval(PAIRS)
