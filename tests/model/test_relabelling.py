"""Names mean nothing: with the same sample, start and colouring, relabelled entities get the same densities."""

import dataclasses

import numpy as np
import pytest

from tests.twin.bridge import make_twins
from tests.twin.twin import Cells, Taxonomy, random_problem, random_state, with_random_features
from vbn.model import lower_bound, run_epoch


def permuted_cells(cells, rows, columns):
    return Cells(rows[cells.i], columns[cells.j], cells.w_pos, cells.w_neg)


def permuted_taxonomy(taxonomy, new):
    old = np.argsort(new)
    parents = [[int(new[p]) for p in taxonomy.parents[o]] for o in old]
    order = [np.argsort(p) for p in parents]
    return Taxonomy(
        [[p[k] for k in o] for p, o in zip(parents, order, strict=True)],
        [[taxonomy.weights[i][k] for k in o] for i, o in zip(old, order, strict=True)],
    )


def permuted_features(features, new):
    return None if features is None else features[np.argsort(new)]


def permuted_state(state, rows, columns):
    state = state.copy()
    for part, new in ((state.u, rows), (state.v, columns)):
        for field in dataclasses.fields(part):
            array = getattr(part, field.name)
            if isinstance(array, np.ndarray):
                array[new] = array.copy()
    contents = ((state.u.content, rows), (state.v.content, columns), (state.bias_content, columns))
    for content, new in contents:
        if content is not None:
            content.features = permuted_features(content.features, new)
    for name in ("bias_mean", "bias_var", "bias_tau_rate", "g_mean", "g_var", "g_tau_rate"):
        getattr(state, name)[columns] = getattr(state, name).copy()
    for relation in state.relations:
        for name in ("r_mean", "r_var", "r_tau_rate"):
            getattr(relation, name)[columns] = getattr(relation, name).copy()
    return state


def same_sets(original, relabelled, new):
    """The colouring of the original graph in the numbers of the relabelled one."""
    return tuple(relabelled.category_of[new[original.category_nodes[members]]] for members in original.sets)


@pytest.mark.parametrize("content", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_relabelling_permutes_the_answer(seed, content):
    problem = random_problem(seed, shared=False)
    problem = with_random_features(problem, seed) if content else problem
    state = random_state(problem, seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(problem.n_rows), rng.permutation(problem.n_cols)
    other = dataclasses.replace(
        problem,
        cells=permuted_cells(problem.cells, rows, columns),
        row_taxonomy=permuted_taxonomy(problem.row_taxonomy, rows),
        col_taxonomy=permuted_taxonomy(problem.col_taxonomy, columns),
        row_features=permuted_features(problem.row_features, rows),
        col_features=permuted_features(problem.col_features, columns),
        relations=[dataclasses.replace(r, cells=permuted_cells(r.cells, rows, columns)) for r in problem.relations],
    )
    one, two = make_twins(problem, state.copy()), make_twins(other, permuted_state(state, rows, columns))
    for side, other_side, new in (
        (one.network.rows, two.network.rows, rows),
        (one.network.columns, two.network.columns, columns),
    ):
        vars(other_side.graph)["sets"] = same_sets(side.graph, other_side.graph, new)
    for twins in (one, two):
        for _ in range(4):
            run_epoch(twins.network, twins.data, twins.engine)
    a, b = one.network, two.network
    np.testing.assert_allclose(b.posterior.u.mean[rows], a.posterior.u.mean, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(b.posterior.v.variance[columns], a.posterior.v.variance, rtol=1e-7)
    np.testing.assert_allclose(b.posterior.bias.mean[columns], a.posterior.bias.mean, rtol=1e-7, atol=1e-9)
    for mine, theirs in zip(a.posterior.relations, b.posterior.relations, strict=True):
        np.testing.assert_allclose(theirs.x.mean, mine.x.mean, rtol=1e-7, atol=1e-9)
    bounds = (lower_bound(t.network, t.data, t.engine) for t in (one, two))
    assert next(bounds) == pytest.approx(next(bounds), rel=1e-10)
