"""Why a density is where it is: shares of prior and data, parents, and the pairs that moved it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vbn.data import Taxonomy
from vbn.inference._contributions import Own, cooccurrence_moves, relation_moves
from vbn.inference.expected import Cells, Expected
from vbn.inference.explanation import Child, Explanation, Moved, Pair, Parent, PartExplanation
from vbn.model import Trained

_LEVELS = 3  # how far up the parents are followed


@dataclass(frozen=True)
class TrainingCells:
    """What training showed the model, in expectation: co-occurrences, and relations by name."""

    cooccurrences: Expected
    relations: Mapping[str, Expected]

    def cells(self, part: str, i: int) -> tuple[Cells, dict[str, Cells]]:
        """The cells of an entity as row (part "u") or as column ("v")."""
        kinds = {name: _of(expected, part, i) for name, expected in self.relations.items()}
        return _of(self.cooccurrences, part, i), {name: cells for name, cells in kinds.items() if len(cells.others)}


def _of(expected: Expected, part: str, i: int) -> Cells:
    return expected.row(i) if part == "u" else expected.column(i)


def explain(trained: Trained, entity: str, side: str, k: int, shown: TrainingCells | None) -> Explanation:
    """Explain an entity's densities; `shown` is None where the counts were not kept."""
    names, taxonomy = trained.vocabulary(side), trained.taxonomy(side)
    i = names.id(entity)
    parts = ("u", "v") if trained.shared else ("u" if side == "row" else "v",)
    n_children = 0 if taxonomy is None else len(taxonomy.children_of(entity))
    count = float(names.counts[i])
    if n_children and count == 0 and not any(_active(trained, part)[i] for part in parts):
        found = [_explain_category(trained, part, i, k) for part in parts]
        explained = tuple(part for part, _ in found)
        return Explanation(names[i], side, count, "category", n_children, explained, found[0][1])
    explained = tuple(_explain_part(trained, part, i, k, shown) for part in parts)
    return Explanation(names[i], side, count, "entity", n_children, explained)


def _explain_part(trained: Trained, part: str, i: int, k: int, shown: TrainingCells | None) -> PartExplanation:
    densities = trained.part(part)
    own = Own(
        part, i, densities.mean[i].astype(np.float64), densities.variance[i].astype(np.float64),
        _prior_mean(trained, part, i),
    )  # fmt: skip
    tau = trained.hyperpriors.shape("entity", len(own.mean)) / float(densities.tau_rate[i])
    prior = float(np.mean(np.minimum(tau * own.variance, 1.0))) if _active(trained, part)[i] else 1.0
    moved, related = None, 0.0
    if shown is not None:
        moved, related = explain_moves(trained, own, k, *shown.cells(part, i))
    return _put_together(trained, own, tau, prior, related, moved)


def explain_moves(
    trained: Trained, own: Own, k: int, cells: Cells, relations: Mapping[str, Cells]
) -> tuple[Moved, float]:
    """How cells moved a mean from its prior mean, and the relations' share of the precision that data adds."""
    moves, along = cooccurrence_moves(trained, own, cells)
    distance = float(np.linalg.norm(own.shift))
    direction = own.shift / max(distance, 1e-300)
    by_relation, related = {}, np.zeros_like(own.mean)
    for name, relation_cells in {} if trained.relations_apart else relations.items():
        found = relation_moves(trained, own, trained.relation_number(name), relation_cells)
        by_relation[name] = float((found.positive + found.negative) @ direction)
        related += found.precision
    observed, noise = float(moves.positive @ direction), float(moves.negative @ direction)
    others = trained.columns if own.part == "u" else trained.rows
    seen = np.flatnonzero(cells.positive > 0)
    best = seen[np.argsort(-np.abs(along[seen]), kind="stable")[:k]]
    pairs = tuple(Pair(others[int(cells.others[at])], float(cells.seen[at]), float(along[at])) for at in best.tolist())
    rest = distance - observed - noise - sum(by_relation.values())
    share = float(np.mean(related / np.maximum(related + moves.precision, 1e-300)))
    return Moved(distance, pairs, observed, len(seen), noise, by_relation, rest), share


def _put_together(
    trained: Trained, own: Own, tau: float, prior: float, related: float, moved: Moved | None
) -> PartExplanation:
    length = float(np.linalg.norm(own.mean))
    weight = np.minimum(tau * own.variance, 1.0) if prior < 1.0 else 1.0
    from_prior = float((weight * own.prior_mean) @ own.mean) / max(length, 1e-300)
    return PartExplanation(
        own.part, prior, (1.0 - prior) * (1.0 - related), (1.0 - prior) * related, float(np.sqrt(own.variance).mean()),
        float(1.0 / np.sqrt(tau)), length, from_prior, length - from_prior,
        _parents(trained, own.part, own.number, own.mean, own.prior_mean), moved,
    )  # fmt: skip


def _explain_category(trained: Trained, part: str, i: int, k: int) -> tuple[PartExplanation, tuple[Child, ...]]:
    """A category without data of its own: what its parents and what its children add to its precision."""
    densities, graph = trained.part(part), trained.graph(part)
    c, dim = int(graph.category_of[i]), trained.posterior.dim
    own = Own(
        part, i, densities.category_mean[c].astype(np.float64),
        np.full(dim, densities.category_variance[c], dtype=np.float64), _prior_mean(trained, part, i),
    )  # fmt: skip
    tau = trained.hyperpriors.shape("category", dim) / densities.category_rate
    prior = min(float(tau[c] * own.variance[0]), 1.0) if graph.category_active[c] else 1.0
    children = graph.child_nodes[graph.child_indptr[c] : graph.child_indptr[c + 1]]
    weights = graph.child_weights[graph.child_indptr[c] : graph.child_indptr[c + 1]]
    entity_tau = trained.hyperpriors.shape("entity", dim) / densities.tau_rate[children]
    kind = graph.active_category_of[children]
    hold = weights**2 * (graph.entity_active[children] * entity_tau + np.where(kind >= 0, tau[kind], 0.0))
    best = np.argsort(-hold, kind="stable")[:k]
    shares = (1.0 - prior) * hold / max(float(hold.sum()), 1e-300)
    names = trained.rows if part == "u" else trained.columns
    held = tuple(Child(names[int(children[at])], float(shares[at])) for at in best.tolist() if hold[at] > 0)
    return _put_together(trained, own, float(tau[c]), prior, 0.0, None), held


def _active(trained: Trained, part: str) -> np.ndarray:
    return trained.row_active if part == "u" else trained.column_active


def _taxonomy(trained: Trained, part: str) -> Taxonomy | None:
    return trained.row_taxonomy if part == "u" else trained.column_taxonomy


def _edges(taxonomy: Taxonomy, i: int) -> list[tuple[int, float]]:
    """Parents of a node with their weights, heaviest first."""
    span = slice(int(taxonomy.indptr[i]), int(taxonomy.indptr[i + 1]))
    edges = zip(taxonomy.indices[span].tolist(), taxonomy.weights[span].tolist(), strict=True)
    return sorted(edges, key=lambda edge: (-edge[1], edge[0]))


def _category_mean(trained: Trained, part: str, taxonomy: Taxonomy, node: int) -> np.ndarray:
    number = int(np.searchsorted(taxonomy.category_ids, node))
    result: np.ndarray = trained.part(part).category_mean[number].astype(np.float64)
    return result


def _prior_mean(trained: Trained, part: str, i: int) -> np.ndarray:
    taxonomy, mean = _taxonomy(trained, part), np.zeros(trained.posterior.dim)
    if taxonomy is not None:
        for node, weight in _edges(taxonomy, i):
            mean += weight * _category_mean(trained, part, taxonomy, node)
    return mean


def _parents(trained: Trained, part: str, i: int, mean: np.ndarray, prior_mean: np.ndarray) -> tuple[Parent, ...]:
    taxonomy = _taxonomy(trained, part)
    if taxonomy is None:
        return ()
    total = float(prior_mean @ prior_mean)

    def above(node: int, through: float, level: int) -> tuple[Parent, ...]:
        found = []
        for parent, weight in _edges(taxonomy, node):
            h = _category_mean(trained, part, taxonomy, parent)
            lengths = float(np.linalg.norm(h) * np.linalg.norm(mean))
            share = float(weight * h @ prior_mean) / total if total > 0 else weight
            further = above(parent, through * weight, level + 1) if level < _LEVELS else ()
            cosine = float(h @ mean) / lengths if lengths > 0 else 0.0
            gap = float(np.linalg.norm(h - mean))
            name = taxonomy.vocabulary[parent]
            found.append(Parent(name, weight, through * weight, share if level == 1 else None, cosine, gap, further))
        return tuple(found)

    return above(i, 1.0, 1)
