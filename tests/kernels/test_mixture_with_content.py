"""A mixture over parents beside features: both at once agree with the twin, whose bound Monte Carlo confirms."""

from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.test_against_twin import CLOSE
from tests.kernels.test_content_against_twin import CONTENT
from tests.kernels.test_mixture import BLOCKS, _one_choice, assert_agree  # noqa: F401 - a fixture that applies here too
from tests.twin import twin
from tests.twin.bridge import make_twins, one_relation_kind
from vbn.model import lower_bound

ALL = BLOCKS | CONTENT


def make(seed, dtype="float64", **options):
    problem = replace(twin.random_problem(seed, shared=seed % 2 == 0, **options), mixture=True)
    problem = twin.with_random_features(one_relation_kind(problem), seed)
    return make_twins(problem, twin.random_state(problem, seed), dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("block", ["u", "v", "b", "h_u", "h_v", "g", "choice", "tau", *CONTENT])
@pytest.mark.parametrize("seed", range(2))
def test_block_agrees(seed, block, dtype):
    twins = make(seed, dtype)
    for way in ALL[block]:
        way(twins)
    assert_agree(twins, *CLOSE[dtype])


@pytest.mark.parametrize("seed", range(2))
def test_no_block_lowers_the_bound_which_agrees(seed):
    twins = make(seed, n_cells=90)
    before = lower_bound(twins.network, twins.data, twins.engine)
    assert before == pytest.approx(twin.bound(twins.problem, twins.state), rel=1e-11)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        for block in rng.permutation(list(ALL)):
            ALL[block][0](twins)
            after = lower_bound(twins.network, twins.data, twins.engine)
            assert after >= before - 1e-10 * abs(before), block
            before = after


@pytest.mark.parametrize("seed", range(2))
def test_the_bound_equals_its_monte_carlo_estimate(seed):
    twins = make(seed)
    for _ in range(3):
        twin.sweep(twins.problem, twins.state)
    estimate, error = twin.monte_carlo_bound(twins.problem, twins.state, 10_000, np.random.default_rng(seed))
    assert abs(estimate - twin.bound(twins.problem, twins.state)) < 4 * error
