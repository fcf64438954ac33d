"""Explain a density: the shares of prior and data, its parents and content, and the pairs that moved it.

Priors say what makes up a prior mean, likelihoods how their cells moved the mean away from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from vbn.inference.expected import Expected
from vbn.inference.explanation import Child, ContentShare, Explanation, Moved, Pair, Parent, PartExplanation
from vbn.model import EntityCells, Explained, Half, Linear, Share, Trained


@dataclass(frozen=True)
class TrainingCells:
    """The cells that training showed the model, in expectation: co-occurrences, and relations by name."""

    cooccurrences: Expected
    relations: Mapping[str, Expected]

    def cells(self, half: Half, i: int) -> tuple[EntityCells, dict[str, EntityCells]]:
        """Return the cells of an entity as a row or as a column."""

        def of(expected: Expected) -> EntityCells:
            return half.turned(expected.row, expected.column)[0](i)

        kinds = {name: of(expected) for name, expected in self.relations.items()}
        return of(self.cooccurrences), {name: cells for name, cells in kinds.items() if len(cells.others)}


def explain(trained: Trained, entity: str, side: str, k: int, shown: TrainingCells | None) -> Explanation:
    """Explain the densities of an entity; `shown` is None if the counts were not kept."""
    names, taxonomy = trained.vocabulary(side), trained.taxonomy(side)
    i = names.id(entity)
    halves = trained.halves(side)
    n_children = 0 if taxonomy is None else len(taxonomy.children_of(entity))
    count = float(names.counts[i])
    if n_children and count == 0 and not any(half.side.active[i] for half in halves):
        found = [_explain_category(half, i, k) for half in halves]
        explained = tuple(part for part, _ in found)
        return Explanation(names[i], side, count, "category", n_children, explained, found[0][1], names.label(i))
    explained = tuple(_explain_half(trained, half, i, k, shown) for half in halves)
    return Explanation(names[i], side, count, "entity", n_children, explained, label=names.label(i))


def _explain_half(trained: Trained, half: Half, i: int, k: int, shown: TrainingCells | None) -> PartExplanation:
    block, tau = half.block, float(half.block.tau[i])
    density = block.mean[i].astype(np.float64), block.variance[i].astype(np.float64)
    own = _explained(half, i, *density)
    prior = float(np.mean(np.minimum(tau * own.variance, 1.0))) if half.side.active[i] else 1.0
    moved, related = None, 0.0
    if shown is not None:
        moved, related = explain_moves(trained, own, k, *shown.cells(half, i))
    return _put_together(half, own, tau, prior, related, moved)


def explain_moves(
    trained: Trained, own: Explained, k: int, cells: EntityCells, relations: Mapping[str, EntityCells]
) -> tuple[Moved, float]:
    """Return how cells moved a mean from its prior mean, and the relations' share of the precision from data."""
    moves = trained.cooccurrence.moves(own, cells)
    distance = float(np.linalg.norm(own.shift))
    direction = own.shift / max(distance, 1e-300)
    by_relation, related = {}, np.zeros_like(own.mean)
    for name, relation_cells in {} if trained.relations_apart else relations.items():
        found = trained.relation(name).moves(own, relation_cells)
        by_relation[name] = float((found.positive + found.negative) @ direction)
        related += found.precision
    observed, noise = float(moves.positive @ direction), float(moves.negative @ direction)
    others = trained.rows if own.is_column else trained.columns
    seen = np.flatnonzero(cells.positive > 0)
    best = seen[np.argsort(-np.abs(moves.along[seen]), kind="stable")[:k]]
    pairs = tuple(
        Pair(others[j], float(cells.seen[at]), float(moves.along[at]), others.label(j))
        for at in best.tolist()
        for j in [int(cells.others[at])]
    )
    rest = distance - observed - noise - sum(by_relation.values())
    share = float(np.mean(related / np.maximum(related + moves.precision, 1e-300)))
    return Moved(distance, pairs, observed, len(seen), noise, by_relation, rest), share


def _explained(half: Half, i: int, mean: np.ndarray, variance: np.ndarray) -> Explained:
    return Explained(half.bias is not None, i, mean, variance, half.block.prior.means(np.array([i]))[0])


def _put_together(
    half: Half, own: Explained, tau: float, prior: float, related: float, moved: Moved | None
) -> PartExplanation:
    length, whole = float(np.linalg.norm(own.mean)), float(np.sqrt(own.variance).mean())
    linear, std, outlying = half.block.parts().get(Linear.name), 0.0, 0.0
    if isinstance(linear, Linear):
        std = float(np.sqrt(linear.leverage[own.number]))
        outlying = linear.outlying(own.number, half.side.learned, half.block.tau)
    weight = np.minimum(tau * own.variance, 1.0) if prior < 1.0 else 1.0
    from_prior = float((weight * own.prior_mean) @ own.mean) / max(length, 1e-300)
    return PartExplanation(
        part=half.letter,
        prior_share=prior,
        data_share=(1.0 - prior) * (1.0 - related),
        relation_share=(1.0 - prior) * related,
        std=whole,
        prior_std=float(1.0 / np.sqrt(tau)) if prior < 1.0 else whole,  # without data, that of the parents is in it
        mean_length=length,
        from_prior=from_prior,
        from_data=length - from_prior,
        parents=_parents(half, own),
        moved=moved,
        content=_content(half, own),
        content_std=std,
        outlying=outlying,
    )


def _explain_category(half: Half, i: int, k: int) -> tuple[PartExplanation, tuple[Child, ...]]:
    """Explain a category without data of its own: the shares of its parents and its children in its precision."""
    block = half.block
    hierarchy = block.hierarchy
    assert hierarchy is not None
    graph, dim = hierarchy.graph, block.gamma.dim
    c = int(graph.category_of[i])
    density = hierarchy.mean[c].astype(np.float64), np.full(dim, hierarchy.variance[c], dtype=np.float64)
    own = _explained(half, i, *density)
    tau = hierarchy.gamma.expected(hierarchy.rate)
    prior = min(float(tau[c] * own.variance[0]), 1.0) if graph.category_active[c] else 1.0
    below = slice(graph.child_indptr[c], graph.child_indptr[c + 1])
    children, hold = graph.child_nodes[below], hierarchy.hold(c, block)
    best = np.argsort(-hold, kind="stable")[:k]
    shares = (1.0 - prior) * hold / max(float(hold.sum()), 1e-300)
    held = tuple(
        Child(half.names[node], float(shares[at]), half.names.label(node))
        for at in best.tolist()
        for node in [int(children[at])]
        if hold[at] > 0
    )
    part = _put_together(half, own, float(tau[c]), prior, 0.0, None)
    return replace(part, parents=tuple(replace(each, responsibility=None) for each in part.parents)), held


def _content(half: Half, own: Explained) -> tuple[ContentShare, ...]:
    """Return the contributions of features to the prior mean."""
    total, mean_length, found = float(own.prior_mean @ own.prior_mean), float(np.linalg.norm(own.mean)), []
    for share in half.block.prior.shares(own.number, half.names):
        if share.content:
            length = float(np.linalg.norm(share.mean))
            cosine = float(share.mean @ own.mean) / max(length * mean_length, 1e-300)
            part = float(share.mean @ own.prior_mean) / total if total > 0 else 0.0
            found.append(ContentShare(share.name, part, cosine, length))
    return tuple(found)


def _parents(half: Half, own: Explained) -> tuple[Parent, ...]:
    """Return the contributions to the prior mean, with those above them."""
    total = float(own.prior_mean @ own.prior_mean)

    def told(shares: Iterable[Share], through: float, nearest: bool) -> tuple[Parent, ...]:
        found = []
        for share in shares:
            lengths = float(np.linalg.norm(share.mean) * np.linalg.norm(own.mean))
            part = float(share.weight * share.mean @ own.prior_mean) / total if total > 0 else share.weight
            found.append(
                Parent(
                    share.name,
                    share.weight if share.given is None else share.given,
                    through * share.weight,
                    part if nearest else None,
                    float(share.mean @ own.mean) / lengths if lengths > 0 else 0.0,
                    float(np.linalg.norm(share.mean - own.mean)),
                    told(share.above, through * share.weight, nearest=False),
                    None if share.given is None else share.weight,
                    half.names.label(half.names.id(share.name)) if share.name in half.names else None,
                )
            )
        return tuple(found)

    nearest = [share for share in half.block.prior.shares(own.number, half.names) if not share.content]
    return told(nearest, 1.0, nearest=True)
