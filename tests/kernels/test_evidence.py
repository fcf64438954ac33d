"""Kernels with the evidence of earlier data agree with the twin and keep its guarantees; none of it changes no bit."""

from dataclasses import replace

import pytest

from tests.kernels.test_against_twin import BLOCKS, CLOSE, assert_no_block_lowers_the_bound
from tests.twin.bridge import assert_same, make_twins, one_relation_kind
from tests.twin.twin import bound, no_evidence, random_problem, random_state, with_random_evidence
from vbn.model import lower_bound, run_epoch

SEEDS = range(3)
ORDER = ("u", "h_u", "v", "h_v", "x", "y", "shift", "r", "b", "g", "centres", "tau")


def make(seed, dtype="float64", **options):
    problem = one_relation_kind(random_problem(seed, shared=seed % 2 == 0, **options))
    problem = with_random_evidence(problem, seed)
    return make_twins(problem, random_state(problem, seed), dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_block_agrees(seed, block, dtype):
    twins = make(seed, dtype)
    ours, theirs = BLOCKS[block]
    ours(twins)
    theirs(twins)
    assert_same(twins, *CLOSE[dtype])


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_agree_that_build_their_gram_matrix(seed, monkeypatch):
    monkeypatch.setattr("vbn.model.likelihoods.cooccurrence.DIRECT_CELLS", 2)
    twins = make(seed, ranks=())
    for side in ("u", "v"):
        for update in BLOCKS[side]:
            update(twins)
    assert_same(twins, *CLOSE["float64"])


@pytest.mark.parametrize("seed", SEEDS)
def test_epochs_agree(seed):
    twins = make(seed)
    for _ in range(5):
        run_epoch(twins.network, twins.data, twins.engine)
        for block in ORDER:
            BLOCKS[block][1](twins)
    assert_same(twins, 1e-6, 1e-7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", SEEDS)
def test_bound_agrees(seed, dtype):
    twins = make(seed, dtype)
    rtol = 1e-11 if dtype == "float64" else 1e-5
    assert lower_bound(twins.network, twins.data, twins.engine) == pytest.approx(
        bound(twins.problem, twins.state), rel=rtol
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_block_lowers_the_bound(seed, dtype):
    assert_no_block_lowers_the_bound(make(seed, dtype, n_cells=90), seed, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_evidence_of_nothing_changes_no_bit(dtype):
    problem = one_relation_kind(random_problem(0))
    state = random_state(problem, 0)
    usual = make_twins(problem, state, dtype)
    zero = make_twins(replace(problem, evidence=no_evidence(problem)), state, dtype)
    assert usual.network.posterior.u.sites is None
    assert zero.network.posterior.u.sites is not None
    for twins in (usual, zero):
        for _ in range(3):
            run_epoch(twins.network, twins.data, twins.engine)
    theirs = zero.network.posterior.arrays()
    for path, array in usual.network.posterior.arrays().items():
        assert array.tobytes() == theirs[path].tobytes(), path
    assert lower_bound(usual.network, usual.data, usual.engine) == lower_bound(zero.network, zero.data, zero.engine)


def test_threads_change_no_bit(monkeypatch):
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_TASK", 4)
    monkeypatch.setattr("vbn.model.engine.ROWS_PER_TASK", 3)
    problem = with_random_evidence(one_relation_kind(random_problem(1)), 1)
    one, four = (make_twins(problem, random_state(problem, 1), "float32", n_threads=n) for n in (1, 4))
    bounds = []
    for twins in (one, four):
        run_epoch(twins.network, twins.data, twins.engine)
        bounds.append(lower_bound(twins.network, twins.data, twins.engine))
    theirs = four.network.posterior.arrays()
    assert all(array.tobytes() == theirs[path].tobytes() for path, array in one.network.posterior.arrays().items())
    assert bounds[0] == bounds[1]
