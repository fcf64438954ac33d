"""Taxonomies: every form of input, cycles, depth, weights."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vbn._errors import DataError, ParameterError, TaxonomyError, VBNWarning
from vbn.data import Dataset, Taxonomy, Vocabulary

DATA = Dataset.from_pairs(["poodle", "cat"], ["barks", "meows"])
EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25)


def edge_names(taxonomy: Taxonomy) -> dict[tuple[str, str], float]:
    child, parent, weights = taxonomy.edges()
    names = taxonomy.vocabulary.names
    pairs = [(names[c], names[p]) for c, p in zip(child.tolist(), parent.tolist(), strict=True)]
    return dict(zip(pairs, weights.tolist(), strict=True))


def has_cycle(edges) -> bool:
    parents: dict[int, set[int]] = {}
    for child, parent in edges:
        parents.setdefault(child, set()).add(parent)

    def reaches(start: int) -> bool:
        seen, stack = set(), list(parents.get(start, ()))
        while stack:
            node = stack.pop()
            if node == start:
                return True
            if node not in seen:
                seen.add(node)
                stack.extend(parents.get(node, ()))
        return False

    return any(reaches(node) for node in parents)


@given(EDGES)
def test_a_graph_is_accepted_if_and_only_if_it_has_no_cycle(edges):
    if not has_cycle(edges):
        taxonomy = Taxonomy.from_edges(edges)
        assert set(edge_names(taxonomy)) == {(str(child), str(parent)) for child, parent in edges}
        return
    with pytest.raises(TaxonomyError) as raised:
        Taxonomy.from_edges(edges)
    own = re.search(r"'(\d+)'.* is its own parent", str(raised.value))
    if own:
        assert (int(own[1]), int(own[1])) in edges
    else:
        cycle = [int(node) for node in re.search(r"next\): ([\d> -]+);", str(raised.value))[1].split(" -> ")]
        assert cycle[0] == cycle[-1]
        assert len(set(cycle)) == len(cycle) - 1 >= 2
        assert set(pairwise(cycle)) <= set(edges)


@pytest.mark.filterwarnings("ignore:.* dropped to break cycles")
@given(EDGES)
def test_dropping_breaks_every_cycle_and_nothing_else(edges):
    taxonomy = Taxonomy.from_edges(edges, break_cycles="drop")
    kept = set(edge_names(taxonomy))
    dropped = set(taxonomy.dropped)
    assert not has_cycle(kept)
    assert kept | dropped == {(str(child), str(parent)) for child, parent in edges}
    assert not kept & dropped
    assert all(has_cycle(kept | {edge}) for edge in dropped)
    assert bool(dropped) == has_cycle(edges)
    first, kept_before = list(dict.fromkeys((str(child), str(parent)) for child, parent in edges)), set()
    for edge in first:  # the earlier line wins
        if not has_cycle(kept_before | {edge}):
            kept_before.add(edge)
    assert kept == kept_before
    assert list(taxonomy.dropped) == [edge for edge in first if edge not in kept]


def test_dropped_edges_are_named():
    edges = [("poodle", "dog"), ("dog", "animal"), ("animal", "poodle"), ("cat", "animal"), ("cat", "cat")]
    message = r"2 edges .* dropped to break cycles: 'animal' -> 'poodle', 'cat' -> 'cat'"
    with pytest.warns(UserWarning, match=message) as warned:
        data = DATA.with_taxonomy(edges, break_cycles="drop")
    assert warned[0].filename == __file__
    assert data.taxonomy.dropped == (("animal", "poodle"), ("cat", "cat"))
    with pytest.warns(UserWarning, match=r"1 edge .*: 'poodle' -> 'dog'"):
        turned = DATA.with_taxonomy(edges[3:0:-1] + edges[:1], break_cycles="drop")
    assert turned.taxonomy.ancestors("animal") == ["poodle"]
    with pytest.warns(UserWarning, match="'4' -> '4' and 2 more"):
        Taxonomy.from_edges([(number, number) for number in range(7)], break_cycles="drop")


@pytest.mark.filterwarnings("ignore:.* dropped to break cycles")
@pytest.mark.parametrize("seed", range(3))
def test_a_long_cycle_in_any_order_loses_its_last_edge(seed):
    size = 20_000
    order = np.random.default_rng(seed).permutation(size) if seed else np.arange(size)[::-1]
    edges = [(int(number), (int(number) + 1) % size) for number in order]
    taxonomy = Taxonomy.from_edges(edges, break_cycles="drop")
    assert taxonomy.dropped == (tuple(map(str, edges[-1])),)
    assert taxonomy.depth == size - 1


@given(EDGES)
def test_children_and_heights_agree_with_parents(edges):
    edges = [(child, parent) for child, parent in edges if child < parent]
    taxonomy = Taxonomy.from_edges(edges)
    names = taxonomy.vocabulary.names
    indptr, children, weights = taxonomy.children()
    seen = {
        (names[children[edge]], names[parent]): weights[edge]
        for parent in range(len(names))
        for edge in range(indptr[parent], indptr[parent + 1])
    }
    assert seen == edge_names(taxonomy)
    heights = taxonomy.heights()
    for node, name in enumerate(names):
        below = [heights[taxonomy.vocabulary.id(child)] for child in taxonomy.children_of(name)]
        assert heights[node] == (1 + max(below) if below else 0)
        assert (node in taxonomy.category_ids) == bool(below)
        assert (node in taxonomy.roots) == (bool(below) and not taxonomy.parents(name))
        mass = [weight for _, weight in taxonomy.parents(name)]
        assert not mass or sum(mass) == pytest.approx(1, abs=1e-12)
    assert taxonomy.depth == max(heights, default=0)


@given(EDGES)
def test_a_taxonomy_can_be_read_back_from_itself_and_from_its_dict(edges):
    edges = [(child, parent) for child, parent in edges if child < parent]
    taxonomy = Taxonomy.from_edges(edges)
    assert edge_names(Taxonomy.from_edges(taxonomy)) == pytest.approx(edge_names(taxonomy))
    as_dict = {name: dict(taxonomy.parents(name)) for name in taxonomy.vocabulary}
    assert edge_names(Taxonomy.from_edges(as_dict)) == pytest.approx(edge_names(taxonomy))


def test_all_forms_of_a_dict():
    taxonomy = Taxonomy.from_edges({"poodle": ["dog", "pet"], "cat": "pet", "eel": {"fish": 3, "snake": 1}, "z": []})
    assert taxonomy.parents("poodle") == [("dog", 0.5), ("pet", 0.5)]
    assert taxonomy.parents("cat") == [("pet", 1.0)]
    assert dict(taxonomy.parents("eel")) == {"fish": 0.75, "snake": 0.25}
    assert taxonomy.parents("z") == []


def test_repeated_edges_merge_and_only_stated_weights_add():
    plain = Taxonomy.from_edges([("a", "b"), ("a", "b"), ("a", "c")])
    assert dict(plain.parents("a")) == {"b": 0.5, "c": 0.5}
    weighted = Taxonomy.from_edges([("a", "b", 1), ("a", "b", 2), ("a", "c", 1)])
    assert dict(weighted.parents("a")) == {"b": 0.75, "c": 0.25}


def test_ancestors_come_nearest_first_and_once():
    taxonomy = Taxonomy.from_edges({"a": ["b", "c"], "b": "d", "c": "d", "d": "e"})
    assert taxonomy.ancestors("a") == ["b", "c", "d", "e"]
    assert taxonomy.ancestors("e") == []


def test_new_nodes_join_the_data_set_with_count_zero():
    data = DATA.with_taxonomy({"poodle": ["dog"], "dog": ["animal"]})
    assert data.rows is data.columns is data.taxonomy.vocabulary
    assert data.row_taxonomy is data.column_taxonomy
    assert data.rows.names[: len(DATA.rows)] == DATA.rows.names
    assert data.counts.shape == (6, 6)
    assert data.rows.counts[data.rows.id("animal")] == 0
    assert len(DATA.rows) == 4
    assert DATA.taxonomy is None


def test_users_and_items_have_taxonomies_of_their_own():
    data = Dataset.from_interactions(["u", "v"], ["u", "i"])
    both = data.with_taxonomy({"u": "adult"}, side="row").with_taxonomy({"i": "film"})
    assert both.row_taxonomy.parents("u") == [("adult", 1.0)]
    assert both.column_taxonomy.parents("u") == []
    assert both.taxonomy is both.column_taxonomy
    assert both.counts.shape == (3, 3)
    with pytest.raises(ParameterError, match="side"):
        data.with_taxonomy({"i": "film"}, side="left")


def test_a_chain_a_hundred_thousand_deep():
    depth = 100_000
    taxonomy = Taxonomy.from_edges([(number, number + 1) for number in range(depth)])
    assert taxonomy.depth == depth
    assert len(taxonomy.ancestors(0)) == depth
    with pytest.raises(TaxonomyError, match="cycle"):
        Taxonomy.from_edges([(number, (number + 1) % depth) for number in range(depth)])
    with pytest.warns(UserWarning, match="1 edge "):
        broken = Taxonomy.from_edges([(number, (number + 1) % depth) for number in range(depth)], break_cycles="drop")
    assert broken.dropped == ((str(depth - 1), "0"),)
    assert broken.depth == depth - 1


def test_a_category_with_a_hundred_thousand_children():
    taxonomy = Taxonomy.from_edges([(f"c{number}", "top") for number in range(100_000)])
    assert len(taxonomy.children_of("top")) == 100_000
    assert taxonomy.roots.tolist() == [taxonomy.vocabulary.id("top")]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ({"a": "a"}, "'a' is its own parent"),
        ({"a": "b", "b": "c", "c": "a"}, "a -> b -> c -> a"),
        ({"a": {"b": 1e-300, "c": 1e300}}, "'a' -> 'b' vanishes"),
        ([("a", "b", 0)], "'a' -> 'b' at row 0 .* positive"),
        ([("a", "b", -1)], "positive"),
        ([("a", "b", float("nan"))], "positive"),
        ({"a": {"b": float("inf")}}, "key 'a'"),
        ({"a": {"b": "much"}}, "not a number"),
        ({"a": None}, "parent 0 of 'a'"),
        ([("a", "b"), ("c",)], "row 1 .* has 1 entries"),
        ([(None, "a")], "row 0 .*of child"),
        (["ab"], "row 0 .* is 'ab'"),
        (3, "type int"),
    ],
)
def test_bad_taxonomies_are_refused_and_leave_the_data_as_it_was(edges, message):
    before = DATA.rows.names
    with pytest.raises(TaxonomyError, match=message):
        DATA.with_taxonomy(edges)
    assert DATA.rows.names == before
    assert DATA.taxonomy is None


def test_a_long_cycle_is_shown_without_its_middle():
    ring = {f"n{number}": f"n{(number + 1) % 1000}" for number in range(1000)}
    with pytest.raises(
        TaxonomyError, match=r"n0 -> n1 .*n4 -> \.\.\. \(991 more\) \.\.\. -> n996 .* -> n0; "
    ) as raised:
        Taxonomy.from_edges(ring)
    assert len(str(raised.value)) < 300


def test_weights_may_be_as_large_as_numbers_go():
    huge = {"a": {"b": 1e308, "c": 1e308, "d": 5e307}, "x": {"y": 3.0, "z": 1.0}}
    taxonomy = Taxonomy.from_edges(huge)
    assert dict(taxonomy.parents("a")) == pytest.approx({"b": 0.4, "c": 0.4, "d": 0.2})
    assert dict(taxonomy.parents("x")) == {"y": 0.75, "z": 0.25}
    twice = Taxonomy.from_edges([("a", "b", 1e308), ("a", "b", 1e308), ("a", "c", 1e308)])
    assert sum(weight for _, weight in twice.parents("a")) == pytest.approx(1)


def test_cycles_of_a_file_are_broken_and_those_of_a_dict_are_not(tmp_path):
    file = tmp_path / "tree.csv"
    file.write_text("child;parent\ntea;drinks\ndrinks;goods\ngoods;drinks\nmilk;\nnuts;nuts\n", encoding="utf-8")
    with pytest.warns(VBNWarning, match=r"2 edges .* dropped .*'goods' -> 'drinks', 'nuts' -> 'nuts'"):
        taxonomy = DATA.with_taxonomy(file).taxonomy
    assert (taxonomy.n_edges, taxonomy.dropped) == (2, (("goods", "drinks"), ("nuts", "nuts")))
    with pytest.raises(TaxonomyError, match="cycle"):
        DATA.with_taxonomy(file, break_cycles="error")
    with pytest.raises(TaxonomyError, match="cycle"):
        DATA.with_taxonomy({"drinks": "goods", "goods": "drinks"})
    earlier = DATA.with_taxonomy({"goods": "tea"})
    with pytest.warns(VBNWarning, match="dropped"):
        assert "tea" not in earlier.with_taxonomy(file).taxonomy.ancestors("tea")


def test_cycles_of_a_catalogue_in_a_file_are_broken(tmp_path):
    file = tmp_path / "films.csv"
    file.write_text("item,a,b\npoodle,x,y\nbarks,y,x\n", encoding="utf-8")
    with pytest.warns(VBNWarning, match="dropped"), pytest.warns(VBNWarning, match="several things"):
        assert DATA.with_catalogue(file, "item", ["a", "b"]).taxonomy.n_edges == 3


def test_an_unknown_way_to_break_cycles_is_refused():
    with pytest.raises(ParameterError, match="break_cycles"):
        DATA.with_taxonomy({"a": "b"}, break_cycles="maybe")


def test_over_a_longer_vocabulary():
    taxonomy = Taxonomy.from_edges({"a": "b"})
    longer = taxonomy.over(taxonomy.vocabulary.extend(["c"]))
    assert len(longer.indptr) == 4
    assert longer.parents("a") == [("b", 1.0)]
    with pytest.raises(DataError, match="begin with"):
        taxonomy.over(Vocabulary(["x", "y", "z"]))


def test_the_arrays_are_of_the_promised_types():
    taxonomy = Taxonomy.from_edges({"a": "b"})
    assert taxonomy.indptr.dtype == np.int64
    assert taxonomy.indices.dtype == np.int32
    assert taxonomy.weights.dtype == np.float64
    assert repr(taxonomy) == "Taxonomy(1 edge, 1 category, depth 1)"
