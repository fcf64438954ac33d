"""Compiled kernels agree with the slow float64 twin, block by block, and keep its guarantees."""

import numpy as np
import pytest

from tests.twin.bridge import assert_same, make_twins, one_relation_kind
from tests.twin.twin import (
    bound,
    cold_bias_prior,
    cold_bias_variance,
    cold_density,
    literal_update_u,
    random_problem,
    random_state,
    relation_score_moments,
    score_moments,
    shift_r,
    update_bias,
    update_bias_centre,
    update_g,
    update_h,
    update_r,
    update_r_centre,
    update_tau_bias,
    update_tau_categories,
    update_tau_entities,
    update_tau_g,
    update_tau_r,
    update_tau_x,
    update_tau_y,
    update_u,
    update_v,
    update_x,
    update_y,
)
from vbn.model import Bilinear, Centre, Cooccurrence, Hierarchy, lower_bound, run_epoch

SEEDS = range(4)
CLOSE = {"float64": (1e-9, 1e-10), "float32": (5e-4, 5e-4)}


def make(seed, dtype="float64", **options):
    problem = one_relation_kind(random_problem(seed, **options))
    return make_twins(problem, random_state(problem, seed), dtype)


def twin_categories(twins, side):
    """The twin updates one category at a time, in the order of the library's sets."""
    graph = (twins.network.rows if side == "u" else twins.network.columns).graph
    for members in graph.sets:
        for category in members:
            update_h(twins.problem, twins.state, name=side, node=int(graph.category_nodes[category]))


def twin_factors(twins, update):
    for k, relation in enumerate(twins.problem.relations):
        for m in range(relation.rank):
            update(twins.problem, twins.state, k=k, m=m)


def twin_bias_categories(twins):
    graph = twins.network.columns.graph
    for members in graph.sets:
        for node in graph.category_nodes[members]:
            update_g(twins.problem, twins.state, node)


def twin_centres(twins):
    update_bias_centre(twins.problem, twins.state)
    for k in range(len(twins.problem.relations)):
        update_r_centre(twins.problem, twins.state, k=k)


def twin_precisions(twins):
    problem, state = twins.problem, twins.state
    for side in ("u", "v"):
        update_tau_entities(problem, state, name=side)
        update_tau_categories(problem, state, name=side)
    update_tau_bias(problem, state)
    update_tau_g(problem, state)
    for k in range(len(problem.relations)):
        for update in (update_tau_x, update_tau_y, update_tau_r):
            update(problem, state, k=k)


def pairs(t):
    return Cooccurrence.of(t.network.posterior)


def relations(update):
    def run(t):
        for likelihood, cells in zip(t.network.relation_likelihoods(), t.data.relations.lists, strict=True):
            update(likelihood, cells)

    return run


def priors(kind, *names):
    """Update the priors of a kind of some blocks, given the others."""

    def run(t):
        for path, block in t.network.posterior.blocks().items():
            if path.split(".")[-1] not in names:
                continue
            members = block.prior.members()
            for prior in members:
                others = [other.means(np.arange(len(block))) for other in members if other is not prior]
                if isinstance(prior, kind):
                    prior.update(block, sum(others) if others else None, t.engine)

    return run


def precisions(t):
    blocks = t.network.posterior.blocks().values()
    for block, measured in zip(blocks, [block.measure(t.engine) for block in blocks], strict=True):
        block.update_precisions(measured)


BLOCKS = {
    "u": (lambda t: pairs(t).update_rows(t.data, t.engine), lambda t: update_u(t.problem, t.state)),
    "v": (
        lambda t: pairs(t).update_columns(t.data, t.engine, biases=False),
        lambda t: update_v(t.problem, t.state),
    ),
    "h_u": (priors(Hierarchy, "u"), lambda t: twin_categories(t, "u")),
    "h_v": (priors(Hierarchy, "v"), lambda t: twin_categories(t, "v")),
    "x": (relations(lambda r, cells: r.update_factors(cells, columns=False)), lambda t: twin_factors(t, update_x)),
    "y": (relations(lambda r, cells: r.update_factors(cells, columns=True)), lambda t: twin_factors(t, update_y)),
    "shift": (
        relations(Bilinear.move_biases),
        lambda t: [shift_r(t.problem, t.state, k=k) for k in range(len(t.problem.relations))],
    ),
    "r": (
        relations(Bilinear.update_biases),
        lambda t: [update_r(t.problem, t.state, k=k) for k in range(len(t.problem.relations))],
    ),
    "b": (lambda t: pairs(t).update_biases(t.data, t.engine), lambda t: update_bias(t.problem, t.state)),
    "g": (priors(Hierarchy, "bias"), lambda t: twin_bias_categories(t)),
    "centres": (priors(Centre, "bias", "r"), lambda t: twin_centres(t)),
    "tau": (precisions, twin_precisions),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_block_agrees(seed, block, dtype):
    twins = make(seed, dtype, shared=seed % 2 == 0)
    ours, theirs = BLOCKS[block]
    ours(twins)
    theirs(twins)
    assert_same(twins, *CLOSE[dtype])


@pytest.mark.parametrize("seed", SEEDS)
def test_epochs_agree(seed):
    twins = make(seed, shared=seed % 2 == 0)
    for _ in range(5):
        run_epoch(twins.network, twins.data, twins.engine)
        for block in ("u", "h_u", "v", "h_v", "x", "y", "shift", "r", "b", "g", "centres", "tau"):
            BLOCKS[block][1](twins)
    assert_same(twins, 1e-6, 1e-7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", SEEDS)
def test_bound_agrees(seed, dtype):
    twins = make(seed, dtype, shared=seed % 2 == 0)
    expected = bound(twins.problem, twins.state)
    rtol = 1e-11 if dtype == "float64" else 1e-5
    assert lower_bound(twins.network, twins.data, twins.engine) == pytest.approx(expected, rel=rtol)


def assert_no_block_lowers_the_bound(twins, seed, dtype):
    """Random order of the blocks."""
    tolerance = 1e-10 if dtype == "float64" else 1e-6
    rng = np.random.default_rng(seed)
    before = lower_bound(twins.network, twins.data, twins.engine)
    for _ in range(15):
        for block in rng.permutation(list(BLOCKS)):
            BLOCKS[block][0](twins)
            after = lower_bound(twins.network, twins.data, twins.engine)
            assert after >= before - tolerance * abs(before), block
            before = after


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_block_lowers_the_bound(seed, dtype):
    """Strong data, so that nothing collapses to 0, where wrong updates pass too."""
    twins = make(seed, dtype, shared=seed % 2 == 0, n_cells=90)
    assert_no_block_lowers_the_bound(twins, seed, dtype)
    q = twins.network.posterior
    for blocks in ([q.u], [q.v], [r.x for r in q.relations], [r.y for r in q.relations]):
        assert max(np.abs(block.mean).max() for block in blocks) > 0.1


@pytest.mark.parametrize("reach", [0.5, 1.5, 1.9])
@pytest.mark.parametrize("seed", SEEDS)
def test_steps_that_reach_further_than_the_best_place_do_not_lower_the_bound(seed, reach):
    twins = make(seed, shared=seed % 2 == 0, n_cells=90)
    before = lower_bound(twins.network, twins.data, twins.engine)
    for _ in range(15):
        for update in (pairs(twins).update_rows, pairs(twins).update_columns):
            update(twins.data, twins.engine, reach=reach)
            after = lower_bound(twins.network, twins.data, twins.engine)
            assert after >= before - 1e-10 * abs(before)
            before = after


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_reaches_as_far_as_it_is_told(seed):
    """The first coordinate does not depend on the steps of others."""
    near, far = (make(seed, shared=seed % 2 == 0, n_cells=90) for _ in range(2))
    start = near.network.posterior.u.mean[:, 0].copy()
    for twins, reach in ((near, 1.0), (far, 1.5)):
        pairs(twins).update_rows(twins.data, twins.engine, reach)
    moved, further = (twins.network.posterior.u.mean[:, 0] - start for twins in (near, far))
    assert np.abs(moved).max() > 0.01
    np.testing.assert_allclose(further, 1.5 * moved, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_papers_literal_diagonal_update_fails_here(seed):
    """The same suite tells the wrong update from the right one."""
    twins = make(seed, shared=seed % 2 == 0, n_cells=90)
    for _ in range(10):
        run_epoch(twins.network, twins.data, twins.engine)
        for block in ("u", "h_u", "v", "h_v", "x", "y", "shift", "r", "b", "g", "centres", "tau"):
            BLOCKS[block][1](twins)
    before = bound(twins.problem, twins.state)
    literal_update_u(twins.problem, twins.state)
    assert bound(twins.problem, twins.state) < before - 1e-3 * abs(before)
    BLOCKS["u"][0](twins)
    with pytest.raises(AssertionError):
        assert_same(twins, 1e-3, 1e-3)


@pytest.mark.parametrize("cold", ["mean_field", "prior"])
@pytest.mark.parametrize("seed", SEEDS)
def test_cold_densities_agree(seed, cold):
    problem = one_relation_kind(random_problem(seed, shared=seed % 2 == 0))
    problem.cold = cold
    twins = make_twins(problem, random_state(problem, seed), "float64")
    twins.network.posterior.settle()
    for side in ("u", "v"):
        part = twins.network.posterior.blocks()[side]
        expected = cold_density(twins.problem, twins.state, side)
        barren = ~part.active
        np.testing.assert_allclose(part.mean[barren], expected.mean[barren], atol=1e-12)
        wanted = np.broadcast_to(expected.variance[barren].reshape(barren.sum(), -1), part.variance[barren].shape)
        np.testing.assert_allclose(part.variance[barren], wanted, rtol=1e-12)
    biases, barren = twins.network.posterior.bias, ~twins.network.posterior.bias.active
    assert barren.any()
    for j in np.flatnonzero(barren):
        mean, spread = cold_bias_prior(twins.problem, twins.state, j)
        np.testing.assert_allclose(biases.mean[j], twins.state.bias_centre[0] + mean, rtol=1e-12)
        expected = cold_bias_variance(twins.problem, twins.state.bias_centre, nearer=spread)
        np.testing.assert_allclose(biases.variance[j], expected, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_moments_of_scores_agree(seed):
    twins = make(seed, shared=seed % 2 == 0)
    rows, columns = (a.ravel() for a in np.meshgrid(range(twins.problem.n_rows), range(twins.problem.n_cols)))
    mean, variance = pairs(twins).pair_moments(rows, columns)
    expected = score_moments(twins.problem, twins.state, rows, columns)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(variance, expected[1], rtol=1e-10)
    for k, relation in enumerate(twins.network.relation_likelihoods()):
        mean, variance = relation.pair_moments(rows, columns)
        expected = relation_score_moments(twins.problem, twins.state, k, rows, columns)
        np.testing.assert_allclose(mean, expected[0], rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(variance, expected[1], rtol=1e-9)
