"""Explain a density: the shares of prior and data, its parents, and the pairs that moved it.

At the fixed point of the entity update (docs/maths.md), P_d (mu_d - m_d) is a sum over cells, with s = +1 or -1 for
weight w as positive or negative: v_d (s w / 2 - L E[x]) + L (v_d^2 (mu_d - m_d) - var_vd m_d), L = 2 lambda(xi) w. The
moves of all cells therefore add up to the shift from the prior mean to the mean. The same holds for relations, with
their projections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from vbn.inference.expected import Cells, Expected
from vbn.inference.explanation import Child, Explanation, Moved, Pair, Parent, PartExplanation
from vbn.model import Block, Half, Hierarchy, Share, Trained, project

_CHUNK = 1 << 14  # cells at a time, to avoid a copy of a model with a million entities


@dataclass(frozen=True)
class Own:
    """A density to explain, in float64: its mean and variance, and its prior mean."""

    half: Half
    number: int
    mean: np.ndarray
    variance: np.ndarray
    prior_mean: np.ndarray

    @property
    def shift(self) -> np.ndarray:
        """Return the shift from the prior mean to the mean."""
        return np.asarray(self.mean - self.prior_mean)


@dataclass(frozen=True)
class Moves:
    """The moves caused by positive and by negative cells, and the precision that they add in each dimension."""

    positive: np.ndarray
    negative: np.ndarray
    precision: np.ndarray


def curvature(xi: np.ndarray) -> np.ndarray:
    """Return lambda(xi) = tanh(xi / 2) / (4 xi), 1/8 at 0."""
    safe = np.maximum(xi, 1e-3)
    return np.where(xi < 1e-3, 0.125 - xi**2 / 96.0, np.tanh(0.5 * safe) / (4.0 * safe))


def cooccurrence_moves(trained: Trained, own: Own, cells: Cells) -> tuple[Moves, np.ndarray]:
    """Return the moves of all co-occurrence cells, and the move of each positive one along the shift."""
    total = Moves(*(np.zeros_like(own.mean) for _ in range(3)))
    along = [np.empty(0)]
    for first in range(0, len(cells.others), _CHUNK):
        moves, pulls = _moves_of_chunk(trained, own, Cells(*(array[first : first + _CHUNK] for array in cells)))
        total = Moves(*(a + b for a, b in zip(vars(total).values(), vars(moves).values(), strict=True)))
        along.append(pulls)
    return total, np.concatenate(along)


def _moves_of_chunk(trained: Trained, own: Own, cells: Cells) -> tuple[Moves, np.ndarray]:
    other = own.half.turned(trained.u, trained.v)[1].block
    v, v_variance = other.mean[cells.others].astype(np.float64), other.variance[cells.others].astype(np.float64)
    bias, (_, at) = trained.posterior.bias, own.half.turned(np.full(len(cells.others), own.number), cells.others)
    score = v @ own.mean + bias.mean[at]
    squared = v**2
    variance = v_variance @ (own.mean**2 + own.variance) + squared @ own.variance + bias.variance[at]
    slope = 2.0 * curvature(np.sqrt(score**2 + variance))

    def move(weight: np.ndarray, sign: float) -> np.ndarray:
        stiff = weight * slope
        pull = (0.5 * sign * weight - stiff * score) @ v
        return np.asarray(own.variance * (pull + (stiff @ squared) * own.shift - (stiff @ v_variance) * own.prior_mean))

    moves = Moves(
        move(cells.positive, 1.0),
        move(cells.negative, -1.0),
        (slope * (cells.positive + cells.negative)) @ (squared + v_variance),
    )
    scaled = own.variance * _unit(own.shift)
    stiff_along = squared @ (scaled * own.shift) - v_variance @ (scaled * own.prior_mean)
    along = cells.positive * ((0.5 - slope * score) * (v @ scaled) + slope * stiff_along)
    return moves, along


def relation_moves(trained: Trained, own: Own, relation: int, cells: Cells) -> Moves:
    """Return the moves of the cells of a relation, through its factors."""
    blocks = trained.posterior.relations[relation]
    (mine, others), (_, other) = own.half.turned(blocks.x, blocks.y), own.half.turned(trained.u, trained.v)
    me = np.array([own.number], dtype=np.int32)
    a, a_second = project(own.half.block, mine, me)
    total = Moves(*(np.zeros_like(own.mean) for _ in range(3)))
    for first in range(0, len(cells.others), _CHUNK):
        ids = cells.others[first : first + _CHUNK].astype(np.int32)
        c, c_second = project(other.block, others, ids)
        _, at = own.half.turned(np.full(len(ids), own.number), ids)
        r, r_variance = (array[at].astype(np.float64) for array in (blocks.r.mean, blocks.r.variance))
        mean = c @ a[0]
        square = np.einsum("jmn,mn->j", c_second, a_second[0]) + 2.0 * r * mean + r**2 + r_variance
        slope = 2.0 * curvature(np.sqrt(square))
        moves = []
        for sign, weight in ((1.0, cells.positive), (-1.0, cells.negative)):
            w = weight[first : first + _CHUNK]
            pull = (w * (0.5 * sign - slope * r)) @ c
            stiff = np.einsum("j,jmn->mn", w * slope, c_second)
            moves.append(_through_factors(own, mine, a[0], pull, stiff))
        total = Moves(
            total.positive + moves[0][0], total.negative + moves[1][0], total.precision + moves[0][1] + moves[1][1]
        )
    return total


def _through_factors(
    own: Own, factors: Block, a: np.ndarray, pull: np.ndarray, stiff: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the move and the precision that a pull and a stiffness in the relation's space give to the entity."""
    x, x_variance = (array.astype(np.float64) for array in (factors.mean, factors.variance))
    coupled = np.einsum("md,mn,nd->d", x, stiff, x)
    loose = np.diag(stiff) @ x_variance
    move = own.variance * ((pull - stiff @ a) @ x + coupled * own.shift - loose * own.prior_mean)
    return move, coupled + loose


def _unit(vector: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else np.zeros_like(vector)


@dataclass(frozen=True)
class TrainingCells:
    """The cells that training showed the model, in expectation: co-occurrences, and relations by name."""

    cooccurrences: Expected
    relations: Mapping[str, Expected]

    def cells(self, half: Half, i: int) -> tuple[Cells, dict[str, Cells]]:
        """Return the cells of an entity as a row or as a column."""

        def of(expected: Expected) -> Cells:
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
        return Explanation(names[i], side, count, "category", n_children, explained, found[0][1])
    explained = tuple(_explain_half(trained, half, i, k, shown) for half in halves)
    return Explanation(names[i], side, count, "entity", n_children, explained)


def _explain_half(trained: Trained, half: Half, i: int, k: int, shown: TrainingCells | None) -> PartExplanation:
    block, tau = half.block, float(half.block.tau[i])
    density = block.mean[i].astype(np.float64), block.variance[i].astype(np.float64)
    own = Own(half, i, *density, block.prior.means(np.array([i]))[0])
    prior = float(np.mean(np.minimum(tau * own.variance, 1.0))) if half.side.active[i] else 1.0
    moved, related = None, 0.0
    if shown is not None:
        moved, related = explain_moves(trained, own, k, *shown.cells(half, i))
    return _put_together(own, tau, prior, related, moved)


def explain_moves(
    trained: Trained, own: Own, k: int, cells: Cells, relations: Mapping[str, Cells]
) -> tuple[Moved, float]:
    """Return how cells moved a mean from its prior mean, and the relations' share of the precision from data."""
    moves, along = cooccurrence_moves(trained, own, cells)
    distance = float(np.linalg.norm(own.shift))
    direction = own.shift / max(distance, 1e-300)
    by_relation, related = {}, np.zeros_like(own.mean)
    for name, relation_cells in {} if trained.relations_apart else relations.items():
        found = relation_moves(trained, own, trained.relation_number(name), relation_cells)
        by_relation[name] = float((found.positive + found.negative) @ direction)
        related += found.precision
    observed, noise = float(moves.positive @ direction), float(moves.negative @ direction)
    others = own.half.turned(trained.u, trained.v)[1].names
    seen = np.flatnonzero(cells.positive > 0)
    best = seen[np.argsort(-np.abs(along[seen]), kind="stable")[:k]]
    pairs = tuple(Pair(others[int(cells.others[at])], float(cells.seen[at]), float(along[at])) for at in best.tolist())
    rest = distance - observed - noise - sum(by_relation.values())
    share = float(np.mean(related / np.maximum(related + moves.precision, 1e-300)))
    return Moved(distance, pairs, observed, len(seen), noise, by_relation, rest), share


def _put_together(own: Own, tau: float, prior: float, related: float, moved: Moved | None) -> PartExplanation:
    length = float(np.linalg.norm(own.mean))
    weight = np.minimum(tau * own.variance, 1.0) if prior < 1.0 else 1.0
    from_prior = float((weight * own.prior_mean) @ own.mean) / max(length, 1e-300)
    return PartExplanation(
        part=own.half.letter,
        prior_share=prior,
        data_share=(1.0 - prior) * (1.0 - related),
        relation_share=(1.0 - prior) * related,
        std=float(np.sqrt(own.variance).mean()),
        prior_std=float(1.0 / np.sqrt(tau)),
        mean_length=length,
        from_prior=from_prior,
        from_data=length - from_prior,
        parents=_parents(own),
        moved=moved,
    )


def _explain_category(half: Half, i: int, k: int) -> tuple[PartExplanation, tuple[Child, ...]]:
    """Explain a category without data of its own: the shares of its parents and its children in its precision."""
    block = half.block
    hierarchy = block.parts()["hierarchy"]
    assert isinstance(hierarchy, Hierarchy)
    graph, dim = hierarchy.graph, block.gamma.dim
    c = int(graph.category_of[i])
    density = hierarchy.mean[c].astype(np.float64), np.full(dim, hierarchy.variance[c], dtype=np.float64)
    own = Own(half, i, *density, block.prior.means(np.array([i]))[0])
    tau = hierarchy.gamma.expected(hierarchy.rate)
    prior = min(float(tau[c] * own.variance[0]), 1.0) if graph.category_active[c] else 1.0
    below = slice(graph.child_indptr[c], graph.child_indptr[c + 1])
    children, weights = graph.child_nodes[below], graph.child_weights[below]
    kind = graph.active_category_of[children]
    hold = weights**2 * (graph.entity_active[children] * block.tau[children] + np.where(kind >= 0, tau[kind], 0.0))
    best = np.argsort(-hold, kind="stable")[:k]
    shares = (1.0 - prior) * hold / max(float(hold.sum()), 1e-300)
    held = tuple(Child(half.names[int(children[at])], float(shares[at])) for at in best.tolist() if hold[at] > 0)
    return _put_together(own, float(tau[c]), prior, 0.0, None), held


def _parents(own: Own) -> tuple[Parent, ...]:
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
                    share.weight,
                    through * share.weight,
                    part if nearest else None,
                    float(share.mean @ own.mean) / lengths if lengths > 0 else 0.0,
                    float(np.linalg.norm(share.mean - own.mean)),
                    told(share.above, through * share.weight, nearest=False),
                )
            )
        return tuple(found)

    return told(own.half.block.prior.shares(own.number, own.half.names), 1.0, nearest=True)
