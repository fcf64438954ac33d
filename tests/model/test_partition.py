"""Algorithm 1, mended: every category in exactly one set, no conflicts inside a set, leaves first, few sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vbn.data import Taxonomy, Vocabulary
from vbn.kernels import ParentArrays
from vbn.kernels.hierarchy import parent_moments, update_categories
from vbn.model import Graph
from vbn.model.priors.hierarchy import _batches


@st.composite
def dags(draw):
    """Random directed acyclic graphs of any density, and which of their nodes have data."""
    n = draw(st.integers(2, 25))
    density = draw(st.floats(0.02, 0.7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order = rng.permutation(n)
    edges = [(str(order[a]), str(order[b])) for a in range(n) for b in range(a) if rng.random() < density]
    active = rng.random(n) < draw(st.floats(0.1, 1.0))
    return n, edges, active


def build(n, edges, active):
    names = Vocabulary([str(i) for i in range(n)])
    return Graph.build(Taxonomy.from_edges(edges, names) if edges else None, active)


def descendants(n, edges):
    below = {i: set() for i in range(n)}
    children = {i: {int(c) for c, p in edges if int(p) == i} for i in range(n)}
    for i in range(n):
        stack = list(children[i])
        while stack:
            node = stack.pop()
            if node not in below[i]:
                below[i].add(node)
                stack += children[node]
    return children, below


@given(dags())
def test_sets_are_a_proper_colouring_of_the_active_categories(dag):
    n, edges, active = dag
    graph = build(n, edges, active)
    children, below = descendants(n, edges)
    expected = {i for i in range(n) if any(active[j] for j in below[i])}
    placed = [int(graph.category_nodes[c]) for members in graph.sets for c in members]
    assert sorted(placed) == sorted(expected)
    for members in graph.sets:
        nodes = [int(graph.category_nodes[c]) for c in members]
        for a in nodes:
            for b in nodes:
                if a != b:
                    assert b not in children[a]
                    assert not children[a] & children[b]


@given(dags())
def test_as_few_sets_as_the_densest_neighbourhood_allows(dag):
    n, edges, active = dag
    graph = build(n, edges, active)
    children, _ = descendants(n, edges)
    live = {int(node) for node, on in zip(graph.category_nodes, graph.category_active, strict=True) if on}
    parents = {i: {p for p in live if i in children[p]} for i in range(n)}
    conflicts = {
        a: {b for b in live if b != a and (b in children[a] or a in children[b] or children[a] & children[b])}
        for a in live
    }
    assert len(graph.sets) <= 1 + max((len(c) for c in conflicts.values()), default=-1)
    assert len(graph.sets) >= max((len(p) for p in parents.values()), default=0)


def test_a_deep_chain_needs_two_sets():
    n = 1500
    graph = build(n, [(str(i), str(i + 1)) for i in range(n - 1)], np.arange(n) == 0)
    assert len(graph.sets) == 2
    assert sum(len(members) for members in graph.sets) == n - 1


def test_lower_categories_come_first():
    edges = [("0", "1"), ("1", "2")]
    graph = build(3, edges, np.array([True, False, False]))
    assert [int(graph.category_nodes[c]) for members in graph.sets for c in members] == [1, 2]


@given(dags())
def test_the_means_of_several_parents_follow_these(dag):
    """They are kept up to date instead of summed again for every parent, which took the square of their number."""
    n, edges, active = dag
    graph, t, rng = build(n, edges, active), 3, np.random.default_rng(n)
    nodes, places = graph.blended
    assert (places[nodes] == np.arange(len(nodes))).all()
    assert (np.diff(graph.parent_indptr)[nodes] > 1).all()
    c = graph.n_categories
    arrays = ParentArrays(
        graph.parent_indptr, graph.parents, graph.parent_weights, rng.normal(size=(c, t)), rng.random(c) + 0.1
    )
    before, after, variance = np.empty((len(nodes), t)), np.empty((len(nodes), t)), np.empty(len(nodes))
    parent_moments(nodes, arrays, before, variance)
    taus = rng.random(n) + 0.1, rng.random(c) + 0.1
    structure = graph.child_indptr, graph.child_nodes, graph.child_weights
    for members in graph.sets:
        of_nodes = graph.category_nodes, graph.active_category_of, graph.entity_active, *taus
        update_categories(
            0, len(members), members, *of_nodes, arrays, rng.normal(size=(n, t)), *structure, np.empty((0, t)),
            places, before,
        )  # fmt: skip
    parent_moments(nodes, arrays, after, variance)
    np.testing.assert_allclose(before, after, rtol=1e-9, atol=1e-9)


def test_small_sets_are_updated_in_turn_by_one_task(monkeypatch):
    monkeypatch.setattr("vbn.model.priors.hierarchy.CATEGORIES_PER_TASK", 3)
    sets = [np.arange(7), np.arange(2), np.arange(3), np.arange(4), np.arange(1)]
    found = [(members.tolist(), ranges) for members, ranges in _batches(sets)]
    assert found == [
        ([0, 1, 2, 3, 4, 5, 6], [(0, 3), (3, 6), (6, 7)]),
        ([0, 1, 0, 1, 2], [(0, 5)]),
        ([0, 1, 2, 3], [(0, 3), (3, 4)]),
        ([0], [(0, 1)]),
    ]
