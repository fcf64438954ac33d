"""What a newcomer sees first: an entity that is well known, one seen once, one never seen, and what scores mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from vbn.inference import stand_ins
from vbn.model import expected_lengths
from vbn.serve import schemas as out
from vbn.serve.answers import answers, entity
from vbn.serve.served import Served

_WELL_KNOWN = 0.98  # quantile of the counts, where no taxonomy tells a telling entity from a mere frequent one
_FAMILIES = 40  # of which the most telling is taken
_TRIED = 8  # members of each kind
_ENOUGH = 0.8  # of what the most telling family tells
_LARGEST = 300  # children of a family
_PAIRS = 4000
_QUANTILES = (0.5, 0.9, 0.99)


class Example(BaseModel):
    """An entity to begin with, and what is known of it."""

    kind: str = Field(description='"known", "once", "unseen", or "new" if there is nothing that was never seen.')
    entity: out.Entity
    parents: list[out.Entity]
    std: float | None
    prior_share: float | None
    near: list[out.Answer]


class Guide(BaseModel):
    """Where to begin, and what scores mean: quantiles of the expected cosine of two entities taken at random."""

    examples: list[Example]
    cosines: dict[str, float]


def guide(served: Served) -> Guide:
    """Return examples of a model, of one family if that is possible, and how alike entities usually are."""
    known, once, unseen, parent = _family(served)
    examples = [_example(served, "known", known)] if known is not None else []
    if once is not None and once != known:
        examples.append(_example(served, "once", once))
    if unseen is not None:
        examples.append(_example(served, "unseen", unseen))
    elif parent is not None:
        examples.append(_new(served, parent))
    return Guide(examples=examples, cosines=usual_cosines(served.trained))


def usual_cosines(trained: Any, seed: int = 0) -> dict[str, float]:
    """Return quantiles of the expected cosine of pairs of entities, taken at random."""
    ids = np.flatnonzero(trained.profile.candidates("column"))
    if len(ids) < 2:
        return {}
    rng, part = np.random.default_rng(seed), stand_ins(trained, np.arange(len(trained.columns)), "column")
    left = rng.integers(0, len(ids), _PAIRS)
    right = (left + rng.integers(1, len(ids), _PAIRS)) % len(ids)  # never the same
    lengths = expected_lengths(part)
    a, b = ids[left], ids[right]
    products = np.einsum("ij,ij->i", part.mean[a].astype(np.float64), part.mean[b].astype(np.float64))
    cosines = products / np.maximum(lengths[a] * lengths[b], 1e-30)
    found = np.quantile(cosines, _QUANTILES).tolist()
    return {f"{quantile:g}": value for quantile, value in zip(_QUANTILES, found, strict=True)}


def _family(served: Served) -> tuple[int | None, int | None, int | None, int | None]:
    """Return a frequent, a rare and an unseen entity, of the same parent if there is one with all three; and it."""
    trained = served.trained
    counts, taxonomy = trained.columns.counts, trained.column_taxonomy
    leaf = trained.profile.candidates("column").copy()
    seen = counts[leaf & (counts > 0)]
    if not len(seen):
        return None, None, None, None
    if taxonomy is None:
        ids = np.flatnonzero(leaf & (counts > 0))
        order = ids[np.argsort(counts[ids], kind="stable")]
        return int(order[int(_WELL_KNOWN * (len(order) - 1))]), int(order[0]), None, None
    leaf[taxonomy.category_ids] = False
    child, parent, _ = taxonomy.edges()
    child, parent = child[leaf[child]], parent[leaf[child]]
    if not len(child):
        ids = np.flatnonzero(trained.profile.candidates("column"))
        return int(ids[counts[ids].argmax()]), int(ids[counts[ids].argmin()]), None, None
    best = [(_told(served, child[parent == one]), one) for one in _best_parents(child, parent, counts)]
    most = max(told for (told, *_), _ in best)
    enough = (entry for entry in best if entry[0][0] >= _ENOUGH * most)
    (_, known, once, unseen), one = next(enough)  # the one with the most frequent member
    return known, once, unseen, one


def _best_parents(child: np.ndarray, parent: np.ndarray, counts: np.ndarray) -> list[int]:
    """Return the parents whose children tell most: some frequent, some seen once, some never, and not too many."""
    n = int(parent.max()) + 1
    largest = np.zeros(n)
    np.maximum.at(largest, parent, counts[child])
    once = np.bincount(parent[counts[child] == 1], minlength=n) > 0
    never = np.bincount(parent[counts[child] == 0], minlength=n) > 0
    number = np.bincount(parent, minlength=n)
    kinds = (largest > 1).astype(int) + once + never
    fitting = (number >= 3) & (number <= _LARGEST)
    order = np.lexsort((-np.arange(n), largest, kinds, fitting))[::-1]
    alike = (fitting[order] == fitting[order[0]]) & (kinds[order] == kinds[order[0]])
    return [int(one) for one in order[alike & (number[order] > 0)][:_FAMILIES]]


def _told(served: Served, family: np.ndarray) -> tuple[int, int | None, int | None, int | None]:
    """Return how many of their nearest are family, and its most frequent, a rarest and an unseen member."""
    counts = served.trained.columns.counts
    order = family[np.argsort(-counts[family], kind="stable")]
    seen = order[counts[order] > 0]
    rarest = seen[counts[seen] == counts[seen].min()] if len(seen) else seen
    found = [_telling(served, some, family) for some in (seen[:1], rarest, order[counts[order] == 0])]
    (first, known), (second, once), (third, unseen) = found
    return first + second + third, known, once, unseen


def _telling(served: Served, ids: np.ndarray, family: np.ndarray) -> tuple[int, int | None]:
    """Return the entity with the most relatives among its nearest, and how many these are."""
    names = served.trained.columns
    kin = {names[number] for number in family.tolist()}
    scores = {
        number: sum(row.entity in kin for row in served.model.similar(names[number], 5))
        for number in ids[:_TRIED].tolist()
    }
    best = max(scores, key=lambda number: scores[number]) if scores else None
    return (0, None) if best is None else (scores[best], best)


def _example(served: Served, kind: str, number: int) -> Example:
    trained, model, name = served.trained, served.model, served.trained.columns[number]
    part = model.explain(name).parts[0]
    parents = [] if trained.column_taxonomy is None else trained.column_taxonomy.parents(name)
    return Example(
        kind=kind,
        entity=entity(served, number),
        parents=[entity(served, trained.columns.id(parent)) for parent, _ in parents],
        std=part.std,
        prior_share=part.prior_share,
        near=answers(served, model.similar(name, 3)).answers,
    )


def _new(served: Served, parent: int) -> Example:
    above = entity(served, parent)
    name = f"a new {above.label or above.name}"
    made = out.Entity(name=name, side="column", count=0.0, category=False)
    return Example(kind="new", entity=made, parents=[above], std=None, prior_share=None, near=[])
