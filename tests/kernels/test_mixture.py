"""The mixture over parents, compiled, against the slow float64 twin."""

from dataclasses import replace

import numpy as np
import pytest

from tests.kernels import test_against_twin as plain
from tests.twin.bridge import assert_same, make_twins, one_relation_kind
from tests.twin.moments import chosen_edges
from tests.twin.twin import bound, random_problem, random_state, update_chosen
from vbn.model import Mixture, Moments, Network, lower_bound, run_epoch

SEEDS = range(4)


def make(seed, dtype="float64", **options):
    problem = replace(random_problem(seed, shared=seed % 2 == 0, **options), mixture=True)
    problem = one_relation_kind(problem)
    return make_twins(problem, random_state(problem, seed), dtype)


@pytest.fixture(autouse=True)
def _one_choice(monkeypatch):
    """The bridge gives rows and columns names of their own; what they share is the problem's to say."""
    monkeypatch.setattr(
        Network, "shared", property(lambda network: network.rows.names.names == network.columns.names.names)
    )


BLOCKS = plain.BLOCKS | {
    "choice": (
        lambda t: [choice.update(t.engine) for choice in t.network.choices],
        lambda t: [update_chosen(t.problem, t.state, name) for name in (("u",) if t.problem.shared else ("u", "v"))],
    )
}
ORDER = ("u", "h_u", "v", "h_v", "x", "y", "shift", "r", "b", "g", "centres", "choice", "tau")


def assert_agree(twins, rtol, atol):
    assert_same(twins, rtol, atol)
    problem, state, q = twins.problem, twins.state, twins.network.posterior
    for path, block in (("u", q.u), ("v", q.v), ("v", q.bias)):
        mixture = block.parts()["mixture"]
        r, indptr = mixture.responsibilities(), mixture.graph.parent_indptr
        for node in range(len(block)):
            expected = [weight for _, weight in chosen_edges(problem, state, path, node)]
            np.testing.assert_allclose(r[indptr[node] : indptr[node + 1]], expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_block_agrees(seed, block, dtype):
    twins = make(seed, dtype)
    BLOCKS[block][0](twins)
    BLOCKS[block][1](twins)
    assert_agree(twins, *plain.CLOSE[dtype])


@pytest.mark.parametrize("seed", SEEDS)
def test_epochs_agree(seed):
    twins = make(seed)
    for _ in range(5):
        run_epoch(twins.network, twins.data, twins.engine)
        for block in ORDER:
            BLOCKS[block][1](twins)
    assert_agree(twins, 1e-6, 1e-7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", SEEDS)
def test_bound_agrees_and_no_block_lowers_it(seed, dtype):
    twins = make(seed, dtype, n_cells=90)
    rtol, tolerance = (1e-11, 1e-10) if dtype == "float64" else (1e-5, 1e-6)
    before = lower_bound(twins.network, twins.data, twins.engine)
    assert before == pytest.approx(bound(twins.problem, twins.state), rel=rtol)
    rng = np.random.default_rng(seed)
    for _ in range(15):
        for block in rng.permutation(list(BLOCKS)):
            BLOCKS[block][0](twins)
            after = lower_bound(twins.network, twins.data, twins.engine)
            assert after >= before - tolerance * abs(before), block
            before = after
    assert np.abs(twins.network.posterior.u.mean).max() > 0.1


def test_moments_are_those_of_samples():
    twins, rng = make(1), np.random.default_rng(0)
    mixture = twins.network.posterior.v.parts()["mixture"]
    assert isinstance(mixture, Mixture)
    graph, r = mixture.graph, mixture.responsibilities()
    for node in np.flatnonzero(np.diff(graph.parent_indptr) > 1)[:3]:
        edges = np.arange(graph.parent_indptr[node], graph.parent_indptr[node + 1])
        chosen = graph.parents[rng.choice(edges, 200_000, p=r[edges])]
        noise = rng.standard_normal((len(chosen), mixture.mean.shape[1]))
        samples = mixture.mean[chosen] + noise * np.sqrt(mixture.variance[chosen])[:, None]
        found: Moments = mixture.moments(np.array([node]))
        np.testing.assert_allclose(found.mean[0], samples.mean(axis=0), atol=0.02)
        per_dimension = found.variance[0] + mixture.uneven(np.array([node]))[0]
        np.testing.assert_allclose(per_dimension, samples.var(axis=0), rtol=0.03)


def test_children_and_parents_list_the_same_edges():
    mixture = make(0).network.posterior.u.parts()["mixture"]
    np.testing.assert_array_equal(mixture._by_child(mixture.graph.parent_weights), mixture.graph.child_weights)
