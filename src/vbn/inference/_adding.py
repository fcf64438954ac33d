"""Entities that did not exist in training: prior from the parents, contexts folded in by training's own updates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vbn._errors import NumericalError, TaxonomyError
from vbn.data import Taxonomy, Vocabulary, shares_of_parents
from vbn.inference._new_cells import Negatives, cells_of
from vbn.inference._vetting import check_newcomers
from vbn.inference.newcomers import NewEntity
from vbn.kernels import CellArrays, RelationArrays
from vbn.model import (
    DIRECT_CELLS,
    Network,
    PartGraph,
    Posterior,
    Trained,
    carry,
    nest_biases,
    set_cold_densities,
    start_posterior,
)

_SWEEPS = 100  # at most
_SETTLED = 0.02  # of a standard deviation: means that move less are settled


def add_entities(trained: Trained, new: Sequence[NewEntity], side: str, seed: int) -> Trained:
    """The model with new entities on a side (on both where rows and columns are the same entities)."""
    check_newcomers(trained, new, side)
    names = trained.vocabulary(side)
    grown = _grown_vocabulary(trained, names, new)
    taxonomy = _grown_taxonomy(trained.taxonomy(side), grown, new)
    both = trained.shared
    on_rows, on_columns = both or side == "row", both or side == "column"
    added = len(grown) - len(names)
    touched = np.array([bool(entity.contexts) for entity in new])
    result = replace(
        trained,
        rows=grown if on_rows else trained.rows,
        columns=grown if on_columns else trained.columns,
        row_taxonomy=taxonomy if on_rows else trained.row_taxonomy,
        column_taxonomy=taxonomy if on_columns else trained.column_taxonomy,
        row_active=np.r_[trained.row_active, touched] if on_rows else trained.row_active,
        column_active=np.r_[trained.column_active, touched] if on_columns else trained.column_active,
        row_totals=np.r_[trained.row_totals, [sum(e.contexts.values()) for e in new]]
        if on_rows
        else trained.row_totals,
    )
    network = _grown_network(trained, result)
    set_cold_densities(network)
    result = result.with_posterior(network.posterior)
    if on_rows:
        _fold_in_rows(result, network, new, added, seed)
    if on_columns:
        _fold_in_columns(result, network, new, added, seed)
    for part in (result.posterior.u, result.posterior.v):
        if not (np.isfinite(part.mean[-added:]).all() and np.isfinite(part.variance[-added:]).all()):
            raise NumericalError("an added entity would not have a finite density; are its counts too large?")
    return result


def _grown_vocabulary(trained: Trained, names: Vocabulary, new: Sequence[NewEntity]) -> Vocabulary:
    """Counts of new entities in the unit of the vocabulary (a token has several contexts, for example)."""
    seen = names.counts.sum()
    unit = trained.row_totals.sum() / seen if seen > 0 else 1.0
    counts = [sum(entity.contexts.values()) / unit for entity in new]
    return Vocabulary([*names.names, *(entity.name for entity in new)], np.r_[names.counts, counts])


def _grown_taxonomy(old: Taxonomy | None, names: Vocabulary, new: Sequence[NewEntity]) -> Taxonomy | None:
    """New entities come last, so their edges follow the old ones."""
    if old is None and not any(entity.parents for entity in new):
        return None
    before = len(names) - len(new)
    indptr = np.zeros(before + 1, np.int64) if old is None else old.indptr
    sizes = np.array([len(entity.parents) for entity in new])
    children = np.repeat(np.arange(len(new)), sizes)
    parents = names.ids(parent for entity in new for parent in entity.parents)
    given = np.array([weight for entity in new for weight in entity.parents.values()], dtype=np.float64)
    order = np.lexsort((parents, children))
    shares = shares_of_parents(children[order], given[order], len(new))
    if (shares == 0).any():
        child = new[int(children[order][np.argmin(shares)])].name
        raise TaxonomyError(f"the weight of a parent of {child!r} vanishes beside the others; leave that parent out.")
    return Taxonomy(
        names,
        np.r_[indptr, indptr[-1] + np.cumsum(sizes)],
        np.r_[[] if old is None else old.indices, parents[order]].astype(np.int64),
        np.r_[[] if old is None else old.weights, shares],
    )


def _grown_network(old: Trained, new: Trained) -> Network:
    """The old densities under the new numbering."""
    u_graph, v_graph = new.graph("u"), new.graph("v")
    q = old.posterior
    ranks = [int(rank) for rank in np.diff(q.offsets)]
    posterior = start_posterior(u_graph, v_graph, ranks, q.dim, old.hyperpriors, 0, q.u.mean.dtype)
    if q.bias.nested:
        nest_biases(posterior, v_graph, old.hyperpriors)
    relations = [relation.name for relation in new.relations]
    carry(old, posterior, new.rows, new.columns, (u_graph, v_graph), relations)
    relation_active = np.tile(new.column_active, (len(relations), 1))
    relation_active[:, len(old.columns) :] = False
    old_u, old_v = _with_old_activity(u_graph, old, "u"), _with_old_activity(v_graph, old, "v")
    priors = [relation.prior for relation in old.relations]
    return Network(
        posterior, old_u, old_v, old.hyperpriors, old_v.entity_active, relation_active, relation_priors=priors
    )


def _with_old_activity(graph: PartGraph, old: Trained, part: str) -> PartGraph:
    """A graph in which only what the old model had learned counts as learned."""
    before = old.row_active if part == "u" else old.column_active
    active = np.zeros(graph.n_entities, dtype=bool)
    active[: len(before)] = before
    taxonomy_active = np.zeros(graph.n_categories, dtype=bool)
    old_graph = old.graph(part)
    learned = old_graph.category_nodes[old_graph.category_active]
    taxonomy_active[graph.category_of[learned]] = True
    return replace(graph, entity_active=active, category_active=taxonomy_active)


def _fold_in_rows(trained: Trained, network: Network, new: Sequence[NewEntity], added: int, seed: int) -> None:
    """q(u) of the new rows: positives as given, negatives from the noise distribution of training."""
    noise = trained.noise()
    if trained.shared:
        noise[-added:] = 0.0  # the new ones meet those that the model knows, not each other
    weights = trained.negatives * trained.row_totals[-added:]
    negatives = Negatives(noise, weights, bool(trained.rejects), made_up=True, seed=seed)
    _sweep(trained, network, "u", cells_of(new, trained.columns, len(trained.rows) - added, negatives), added)


def _fold_in_columns(trained: Trained, network: Network, new: Sequence[NewEntity], added: int, seed: int) -> None:
    """q(v) and q(b) of the new columns: as often a negative as a column of their count is in training."""
    rows = trained.row_totals.copy()
    if trained.shared:
        rows[-added:] = 0.0
    weights = trained.negatives * rows.sum() * trained.noise()[-added:]
    negatives = Negatives(rows, weights, bool(trained.rejects), made_up=False, seed=seed + 1)
    _sweep(trained, network, "v", cells_of(new, trained.rows, len(trained.columns) - added, negatives), added)


def _sweep(trained: Trained, network: Network, part: str, cells: CellArrays, added: int) -> None:
    """Repeat the block updates of training for the new entities, all else held fixed."""
    from vbn.kernels.entities import update_entities
    from vbn.kernels.hierarchy import entity_distances

    q, hyper = network.posterior, network.hyperpriors
    own, other = (q.u, q.v) if part == "u" else (q.v, q.u)
    dtype = own.mean.dtype
    with np.errstate(over="ignore"):  # what does not fit ends as a density that is not finite, which is refused
        cells = cells._replace(positive=cells.positive.astype(dtype), negative=cells.negative.astype(dtype))
    active = (trained.row_active if part == "u" else trained.column_active).copy()
    n = len(active)
    active[: n - added] = False
    none = _no_relations(q, n)
    distance, volume = np.zeros(n), np.zeros(n)
    span, new = (n - added, n), slice(n - added, n)
    for _ in range(_SWEEPS):
        if not active.any():
            break
        prior, before = network.prior(part), own.mean[new].copy()
        update_entities(
            *span, active, cells, own.densities, other.densities, prior, q.bias.densities, part == "v", none,
            DIRECT_CELLS,
        )  # fmt: skip
        entity_distances(*span, active, own.densities, prior, distance, volume)
        own.tau_rate[new] = np.where(active[new], hyper.beta["entity"] + 0.5 * distance[new], own.tau_rate[new])
        moved = (np.abs(own.mean[new] - before) / np.sqrt(own.variance[new])).max(axis=1)
        if part == "v":
            moved = np.maximum(moved, _update_biases(network, cells, active, span))
        active[new] &= moved > _SETTLED


def _update_biases(network: Network, cells: CellArrays, active: np.ndarray, span: tuple[int, int]) -> np.ndarray:
    """Update the biases of new columns; return how far each moved, in standard deviations."""
    from vbn.kernels.cells import update_biases

    q, hyper, new = network.posterior, network.hyperpriors, slice(*span)
    before, nearer = q.bias.mean[new].copy(), network.nested_bias_prior()
    update_biases(
        *span, active, cells, q.v.densities, q.u.densities, *network.scalar_prior("bias"), q.bias.densities,
        np.zeros(span[1]),
    )  # fmt: skip
    centre, spread = q.bias.centre_mean[0] + nearer[0][new], q.bias.centre_variance[0] + nearer[1][new]
    square = (q.bias.mean[new].astype(np.float64) - centre) ** 2 + q.bias.variance[new] + spread
    q.bias.tau_rate[new] = np.where(active[new], hyper.beta["bias"] + 0.5 * square, q.bias.tau_rate[new])
    moved: np.ndarray = np.abs(q.bias.mean[new] - before) / np.sqrt(q.bias.variance[new])
    return moved


def _no_relations(q: Posterior, n: int) -> RelationArrays:
    dtype, t = q.u.mean.dtype, q.dim
    none, empty, factor = np.empty(0, np.int32), np.empty(0, dtype), np.empty((0, t), dtype)
    scalar = np.empty((0, n), dtype)
    return RelationArrays(
        np.zeros(n + 1, np.int64), none, none, empty, empty, np.zeros(1, np.int64), factor, factor,
        np.empty(0, np.int64), np.zeros((0, 0)), np.zeros((0, 0, 0)), scalar, scalar,
    )  # fmt: skip
