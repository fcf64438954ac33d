"""Entities that did not exist in training: prior from the parents, contexts folded in by training's own updates."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vbn._errors import NumericalError, TaxonomyError
from vbn.data import Taxonomy, Vocabulary
from vbn.data._edges import shares_of_parents
from vbn.inference._newcomers import NewEntity
from vbn.inference._vetting import check_newcomers
from vbn.kernels._arrays import CellArrays, RelationArrays
from vbn.model._cold import set_cold_densities
from vbn.model._entities import DIRECT_CELLS
from vbn.model._graph import PartGraph
from vbn.model._growth import carry_part, carry_relations, carry_scalars
from vbn.model._network import Network
from vbn.model._posterior import Posterior, start_posterior
from vbn.model._trained import Trained

_SWEEPS = 10
_AT_ONCE = 1000  # new entities whose cells are gathered at once
_DRAWS = 512  # negatives drawn for a new entity; each carries a share of the weight that training would give


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
    carry_part(q.u, old.rows, old.graph("u"), posterior.u, new.rows, u_graph)
    carry_part(q.v, old.columns, old.graph("v"), posterior.v, new.columns, v_graph)
    carry_scalars(q.bias, old.columns, posterior.bias, new.columns)
    relations = [relation.name for relation in new.relations]
    carry_relations(q, relations, old.columns, posterior, relations, new.columns)
    relation_active = np.tile(new.column_active, (len(relations), 1))
    relation_active[:, len(old.columns) :] = False
    old_u, old_v = _with_old_activity(u_graph, old, "u"), _with_old_activity(v_graph, old, "v")
    return Network(posterior, old_u, old_v, old.hyperpriors, old_v.entity_active, relation_active)


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
    cells = _cells(trained.columns, new, len(trained.rows) - added, noise, trained.negatives, None, seed)
    _sweep(trained, network, "u", cells, added)


def _fold_in_columns(trained: Trained, network: Network, new: Sequence[NewEntity], added: int, seed: int) -> None:
    """q(v) and q(b) of the new columns: as often a negative as a column of their count is in training."""
    rows = trained.row_totals.copy()
    if trained.shared:
        rows[-added:] = 0.0
    noise = trained.noise()[-added:]
    weights = trained.negatives * rows.sum() * noise
    cells = _cells(trained.rows, new, len(trained.columns) - added, rows / rows.sum(), 0.0, weights, seed + 1)
    _sweep(trained, network, "v", cells, added)


def _cells(
    others: Vocabulary, new: Sequence[NewEntity], offset: int, noise: np.ndarray, negatives: float,
    weights: np.ndarray | None, seed: int,
) -> CellArrays:  # fmt: skip
    """Cells of the new entities only, by entity; the rows before `offset` are empty."""
    steps = np.cumsum(noise)
    steps /= steps[-1]
    parts = [
        _some_cells(others, new[k : k + _AT_ONCE], steps, negatives, None if weights is None else weights[k:], seed)
        for k in range(0, len(new), _AT_ONCE)
    ]
    lengths, indices, positive, negative = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    indptr = np.r_[np.zeros(offset, np.int64), 0, np.cumsum(lengths)].astype(np.int64)
    return CellArrays(indptr, indices.astype(np.int32), positive, negative)


def _some_cells(
    others: Vocabulary, new: Sequence[NewEntity], steps: np.ndarray, negatives: float, weights: np.ndarray | None,
    seed: int,
) -> tuple[np.ndarray, ...]:  # fmt: skip
    """Cells of a few entities: lengths, ids, weight as positive and as negative; each has draws of its own."""
    owner = np.repeat(np.arange(len(new)), [len(entity.contexts) for entity in new])
    ids = others.ids(context for entity in new for context in entity.contexts)
    seen = np.array([count for entity in new for count in entity.contexts.values()], dtype=np.float64)
    wanted = negatives * np.bincount(owner, seen, len(new)) if weights is None else weights[: len(new)]
    drawing = np.flatnonzero(wanted > 0)
    streams = [np.random.default_rng([seed, zlib.crc32(new[k].name.encode())]) for k in drawing.tolist()]
    drawn = steps.searchsorted(np.array([stream.random(_DRAWS) for stream in streams]).ravel(), side="right")
    keys = np.r_[owner * len(steps) + ids, np.repeat(drawing, _DRAWS) * len(steps) + drawn]
    every, inverse = np.unique(keys, return_inverse=True)
    row, column = np.divmod(every, len(steps))
    positive = np.bincount(inverse[: len(ids)], seen, len(every))
    negative = np.bincount(inverse[len(ids) :], minlength=len(every)) * (wanted[row] / _DRAWS)
    return np.bincount(row, minlength=len(new)), column, positive, negative


def _sweep(trained: Trained, network: Network, part: str, cells: CellArrays, added: int) -> None:
    """Repeat the block updates of training for the new entities, all else held fixed."""
    from vbn.kernels._cells import update_biases
    from vbn.kernels._entities import update_entities
    from vbn.kernels._hierarchy import entity_distances

    q, hyper = network.posterior, network.hyperpriors
    own, other = (q.u, q.v) if part == "u" else (q.v, q.u)
    dtype = own.mean.dtype
    with np.errstate(over="ignore"):  # what does not fit ends as a density that is not finite, which is refused
        cells = CellArrays(cells.indptr, cells.indices, cells.positive.astype(dtype), cells.negative.astype(dtype))
    active = trained.row_active if part == "u" else trained.column_active
    n = len(active)
    none = _no_relations(q, n)
    distance, volume = np.zeros(n), np.zeros(n)
    span = (n - added, n)
    for _ in range(_SWEEPS):
        prior = network.prior(part)
        update_entities(
            *span,
            active,
            cells,
            own.densities,
            other.densities,
            prior,
            q.bias.densities,
            part == "v",
            none,
            DIRECT_CELLS,
        )
        entity_distances(*span, active, own.densities, prior, distance, volume)
        new = slice(n - added, n)
        own.tau_rate[new] = np.where(active[new], hyper.beta["entity"] + 0.5 * distance[new], own.tau_rate[new])
        if part == "v":
            tau = network.tau(q.bias.tau_rate, "bias", 1)
            centre, spread = float(q.bias.centre_mean[0]), float(q.bias.centre_variance[0])
            update_biases(*span, active, cells, own.densities, other.densities, tau, tau * centre, q.bias.densities)
            square = (q.bias.mean[new].astype(np.float64) - centre) ** 2 + q.bias.variance[new] + spread
            q.bias.tau_rate[new] = np.where(active[new], hyper.beta["bias"] + 0.5 * square, q.bias.tau_rate[new])


def _no_relations(q: Posterior, n: int) -> RelationArrays:
    dtype, t = q.u.mean.dtype, q.dim
    none, empty, factor = np.empty(0, np.int32), np.empty(0, dtype), np.empty((0, t), dtype)
    scalar = np.empty((0, n), dtype)
    return RelationArrays(
        np.zeros(n + 1, np.int64), none, none, empty, empty, np.zeros(1, np.int64), factor, factor,
        np.empty(0, np.int64), np.zeros((0, 0)), np.zeros((0, 0, 0)), scalar, scalar,
    )  # fmt: skip
