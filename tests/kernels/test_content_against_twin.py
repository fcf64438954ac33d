"""The linear prior of features agrees with the slow float64 twin, block by block, beside all other blocks."""

import numpy as np
import pytest

from tests.kernels.test_against_twin import BLOCKS, CLOSE, priors
from tests.twin.bridge import assert_same, make_twins, one_relation_kind
from tests.twin.twin import (
    bound,
    cold_bias_prior,
    cold_density,
    content_of_biases,
    content_of_part,
    random_problem,
    random_state,
    with_random_features,
)
from vbn.model import Linear, lower_bound, run_epoch
from vbn.model.precisions import Siblings

SEEDS = range(4)
CONTENT = {
    "a_u": (priors(Linear, "u"), lambda t: content_of_part(t.problem, t.state, "u")),
    "a_v": (priors(Linear, "v"), lambda t: content_of_part(t.problem, t.state, "v")),
    "a_bias": (priors(Linear, "bias"), lambda t: content_of_biases(t.problem, t.state)),
}
ALL = BLOCKS | CONTENT


def make(seed, dtype="float64", cold="mean_field", n_threads=1, **options):
    problem = one_relation_kind(random_problem(seed, shared=seed % 2 == 0, **options))
    problem.cold = cold
    problem = with_random_features(problem, seed)
    return make_twins(problem, random_state(problem, seed), dtype, n_threads)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("block", ALL)
@pytest.mark.parametrize("seed", SEEDS)
def test_block_agrees(seed, block, dtype):
    twins = make(seed, dtype)
    ours, theirs = ALL[block]
    ours(twins)
    theirs(twins)
    assert_same(twins, *CLOSE[dtype])


@pytest.mark.parametrize("seed", SEEDS)
def test_epochs_agree(seed):
    twins = make(seed)
    order = ("u", "h_u", "a_u", "v", "h_v", "a_v", "x", "y", "shift", "r", "b", "g", "a_bias", "centres", "tau")
    for _ in range(5):
        run_epoch(twins.network, twins.data, twins.engine)
        for block in order:
            ALL[block][1](twins)
    assert_same(twins, 1e-6, 1e-7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", SEEDS)
def test_bound_agrees(seed, dtype):
    twins = make(seed, dtype)
    expected = bound(twins.problem, twins.state)
    rtol = 1e-11 if dtype == "float64" else 1e-5
    assert lower_bound(twins.network, twins.data, twins.engine) == pytest.approx(expected, rel=rtol)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_block_lowers_the_bound(seed, dtype):
    twins = make(seed, dtype, n_cells=90)
    tolerance, rng = 1e-10 if dtype == "float64" else 1e-6, np.random.default_rng(seed)
    before = lower_bound(twins.network, twins.data, twins.engine)
    for _ in range(15):
        for block in rng.permutation(list(ALL)):
            ALL[block][0](twins)
            after = lower_bound(twins.network, twins.data, twins.engine)
            assert after >= before - tolerance * abs(before), block
            before = after
    linear = twins.network.posterior.v.parts()["linear"]
    assert np.abs(linear.weights).max() > 0.1


@pytest.mark.parametrize("cold", ["mean_field", "prior"])
@pytest.mark.parametrize("seed", SEEDS)
def test_cold_densities_agree(seed, cold):
    twins = make(seed, cold=cold)
    q = twins.network.posterior
    q.settle()
    for side in ("u", "v"):
        block, expected = q.blocks()[side], cold_density(twins.problem, twins.state, side)
        barren = ~block.active
        np.testing.assert_allclose(block.mean[barren], expected.mean[barren], atol=1e-12)
        np.testing.assert_allclose(block.variance[barren][:, 0], expected.variance[barren], rtol=1e-12)
        assert np.abs(twins.state.part(side).content.shift(len(block) - 1)).max() > 0.01  # a barren leaf has content
    barren = np.flatnonzero(~q.bias.active)
    wanted = [twins.state.bias_centre[0] + cold_bias_prior(twins.problem, twins.state, j)[0] for j in barren]
    np.testing.assert_allclose(q.bias.mean[barren], wanted, rtol=1e-12)


def test_a_cold_entity_has_the_variance_of_siblings_parents_and_content():
    twins = make(0, cold="siblings")
    block = twins.network.posterior.v
    block.settle()
    last, linear, parents = len(block) - 1, block.parts()["linear"], block.parts()["hierarchy"]
    assert not block.active[last]
    content = twins.state.v.content
    known = Siblings(block.active, block.tau, np.ones(len(block)))
    siblings = parents.precision_of_siblings(np.array([last]), known)[0]
    expected = 1 / siblings + parents.variances(np.array([last]))[0] + content.leverage(last)
    np.testing.assert_allclose(block.variance[last], expected, rtol=1e-12)
    np.testing.assert_allclose(linear.leverage[last], content.leverage(last), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_threads_agree_to_the_bit(dtype):
    twins = [make(1, dtype, n_threads=n) for n in (1, 3)]
    for each in twins:
        for _ in range(3):
            run_epoch(each.network, each.data, each.engine)
    ours, theirs = (each.network.posterior.arrays() for each in twins)
    assert all(np.array_equal(ours[path], theirs[path]) for path in ours)
