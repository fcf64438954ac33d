"""Going on from an earlier model: its arrays, moved to where the new numbering has them."""

from __future__ import annotations

import numpy as np

from vbn.data import Dataset, Vocabulary
from vbn.model._graph import PartGraph
from vbn.model._network import Network
from vbn.model._posterior import Biases, Factors, Part, Posterior, Scalars
from vbn.model._trained import Trained


def start_from(network: Network, data: Dataset, earlier: Trained) -> None:
    """Set all densities of a fit that the earlier model has; the others keep their random start."""
    graphs = network.u_graph, network.v_graph
    carry(earlier, network.posterior, data.rows, data.columns, graphs, list(data.relations))


def carry(
    earlier: Trained, new: Posterior, rows: Vocabulary, columns: Vocabulary, graphs: tuple[PartGraph, PartGraph],
    relations: list[str],
) -> None:  # fmt: skip
    """Copy all densities that the earlier model has into a posterior over these names, graphs (u, v) and relations."""
    old, (u_graph, v_graph) = earlier.posterior, graphs
    _carry_part(old.u, earlier.rows, earlier.graph("u"), new.u, rows, u_graph)
    _carry_part(old.v, earlier.columns, earlier.graph("v"), new.v, columns, v_graph)
    _carry_scalars(old.bias, earlier.columns, new.bias, columns)
    _carry_bias_categories(old.bias, earlier.columns, earlier.graph("v"), new.bias, columns, v_graph)
    known = [relation.name for relation in earlier.relations]
    _carry_relations(old, known, earlier.columns, new, relations, columns)


def _carry_part(
    old: Part, old_names: Vocabulary, old_graph: PartGraph, new: Part, names: Vocabulary, graph: PartGraph
) -> None:
    """Copy the densities of all entities and categories that both know, by name, from `old` into `new`."""
    source, target = _common(old_names, names)
    for field in ("mean", "variance", "tau_rate"):
        getattr(new, field)[target] = getattr(old, field)[source]
    _carry_categories(old, old_graph.category_of[source], new, graph.category_of[target])


def _carry_scalars(old: Scalars, old_names: Vocabulary, new: Scalars, names: Vocabulary) -> None:
    """Copy biases by the names of their columns (last axis)."""
    source, target = _common(old_names, names)
    for field in ("mean", "variance", "tau_rate"):
        getattr(new, field)[..., target] = getattr(old, field)[..., source]
    new.centre_mean[:], new.centre_variance[:] = old.centre_mean, old.centre_variance


def _carry_bias_categories(
    old: Biases, old_names: Vocabulary, old_graph: PartGraph, new: Biases, names: Vocabulary, graph: PartGraph
) -> None:
    """Copy the biases of all categories that both know, by name, where both have any."""
    if not (old.nested and new.nested):
        return
    source, target = _common(old_names, names)
    _carry_categories(old, old_graph.category_of[source], new, graph.category_of[target])


def _carry_relations(
    old: Posterior,
    old_relations: list[str],
    old_columns: Vocabulary,
    new: Posterior,
    relations: list[str],
    columns: Vocabulary,
) -> None:
    """Copy factors and biases of relations that both know under one name and rank."""
    source, target = _common(old_columns, columns)
    for k, name in enumerate(relations):
        if name not in old_relations:
            continue
        at = old_relations.index(name)
        here, there = slice(*new.offsets[k : k + 2]), slice(*old.offsets[at : at + 2])
        if here.stop - here.start != there.stop - there.start:
            continue
        _copy_factors(old.x, there, new.x, here)
        _copy_factors(old.y, there, new.y, here)
        for field in ("mean", "variance", "tau_rate"):
            getattr(new.relation_bias, field)[k][target] = getattr(old.relation_bias, field)[at][source]
        for field in ("centre_mean", "centre_variance"):
            getattr(new.relation_bias, field)[k] = getattr(old.relation_bias, field)[at]


def _carry_categories(old: Part | Biases, source: np.ndarray, new: Part | Biases, target: np.ndarray) -> None:
    """Copy the densities of categories from their old to their new numbers; -1 is none."""
    both = (source >= 0) & (target >= 0)
    for field in ("category_mean", "category_variance", "category_rate"):
        getattr(new, field)[target[both]] = getattr(old, field)[source[both]]


def _copy_factors(old: Factors, there: slice, new: Factors, here: slice) -> None:
    for field in ("mean", "variance", "tau_rate"):
        getattr(new, field)[here] = getattr(old, field)[there]


def _common(old: Vocabulary, new: Vocabulary) -> tuple[np.ndarray, np.ndarray]:
    """Ids of the names that both know: in the old and in the new numbering."""
    if new.names[: len(old)] == old.names:  # the usual case: a vocabulary only grew
        same = np.arange(len(old))
        return same, same
    pairs = [(i, new.id(name)) for i, name in enumerate(old.names) if name in new]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
