"""Add entities after training: parents give the prior, and contexts are folded in by the updates of training.

New entities are checked against the model first. Afterwards, their contexts count as data.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vbn._errors import REMEDY, DataError, NumericalError, TaxonomyError, UnknownEntityError
from vbn.data import (
    Counts,
    Dataset,
    Features,
    Taxonomy,
    Vocabulary,
    by_row,
    cycle_text,
    heights,
    one_cycle,
    shares_of_parents,
)
from vbn.inference.newcomers import NewEntity
from vbn.kernels import CellArrays
from vbn.model import COLUMN, ROW, Block, Choice, Cooccurrence, Gaussians, Measured, Side, Trained, no_relations

_SWEEPS = 100  # at most
_SETTLED = 0.02  # means that move by fewer standard deviations are settled


def add_entities(trained: Trained, new: Sequence[NewEntity], side: str, seed: int) -> Trained:
    """Return the model with new entities on a side, or on both if rows and columns are the same entities."""
    check_newcomers(trained, new, side)
    new = [replace(entity, features=by_source(trained, entity, side)) for entity in new]
    names = trained.vocabulary(side)
    grown = _grown_vocabulary(trained, names, new)
    taxonomy = _grown_taxonomy(trained.taxonomy(side), grown, new)
    seen = np.array([sum(entity.contexts.values()) for entity in new])
    grows = {each: trained.shared or side == each for each in (ROW, COLUMN)}

    def larger(old: Side) -> Side:
        if not grows[old.name]:
            return old
        trained = len(old.names) if old.trained is None else old.trained
        active = np.r_[old.active, np.zeros(len(new), dtype=bool)]
        features = grown_features(old.features, grown, new)
        return replace(old, names=grown, taxonomy=taxonomy, active=active, trained=trained, features=features)

    result = trained.grown(larger(trained.row_side), larger(trained.column_side))
    if grows[ROW]:
        result = replace(result, row_totals=np.r_[trained.row_totals, seen])
    if grows[COLUMN] and trained.noise_counts is not None:
        result = replace(result, noise_counts=_with_new(trained, trained.noise_counts, new))
    blocks = [block for half in result.halves(side) for block in (half.block, half.bias) if block is not None]
    for again in (False, True) if Choice(blocks) and trained.shared else (False,):  # rows learn what columns chose
        if grows[ROW]:
            _fold_in_rows(result, new, seed, blocks if again else blocks[:1])
        if grows[COLUMN] and result.row_totals.any():  # not so without any rows
            _fold_in_columns(result, new, seed, blocks)
    for block in (result.posterior.u, result.posterior.v):
        last = slice(-len(new), None)
        if not (np.isfinite(block.mean[last]).all() and np.isfinite(block.variance[last]).all()):
            raise NumericalError("the density of an added entity is not finite; are its counts too large?")
    touched = np.array([bool(entity.contexts) for entity in new])
    active = [
        np.r_[old.active, touched] if grows[old.name] else old.active for old in (trained.row_side, trained.column_side)
    ]
    return result.with_active(*active)


def _grown_vocabulary(trained: Trained, names: Vocabulary, new: Sequence[NewEntity]) -> Vocabulary:
    """Return the vocabulary with the new entities, counted in its own unit (a token has several contexts)."""
    grown = [*names.names, *(entity.name for entity in new)]
    return type(names)(grown, _with_new(trained, names.counts, new), names.labels)


def _with_new(trained: Trained, counts: np.ndarray, new: Sequence[NewEntity]) -> np.ndarray:
    """Return counts with those of the new entities, in the same unit: what all add up to is what was seen of rows."""
    seen = counts.sum()
    unit = trained.total / seen if seen > 0 else 1.0
    return np.concatenate([counts, [sum(entity.contexts.values()) / unit for entity in new]])


def by_source(trained: Trained, entity: NewEntity, side: str) -> dict[str, np.ndarray]:
    """Return the features of a new entity by source, checked against those that the model was trained with."""
    known = {} if (features := trained.side(side).features) is None else features.widths
    found = {}
    for given, vector in entity.features.items():
        source = given or (next(iter(known)) if len(known) == 1 else "")
        if not known:
            raise DataError(
                f"{entity.name!r} comes with features, but the model was trained without; add it without features, or "
                f"train again with {REMEDY}.",
                remedies=[("", "Dataset.with_features")],
            )
        if source not in known:
            wanted = ", ".join(map(repr, known))
            told = f"of {source!r}" if source else "of no source"
            raise DataError(f"{entity.name!r} comes with features {told}; give them as a dict by source: {wanted}.")
        if len(vector) != known[source]:
            raise DataError(
                f"the features {source!r} of {entity.name!r} have {len(vector):,} numbers; the model was trained with "
                f"{known[source]:,}."
            )
        found[source] = vector
    return found


def grown_features(features: Features | None, names: Vocabulary, new: Sequence[NewEntity]) -> Features | None:
    """Return features over a vocabulary that ends with new entities, with theirs."""
    if features is None:
        return None
    features, first = features.over(names), len(names) - len(new)
    for source in features.widths:
        known = [number for number, entity in enumerate(new) if source in entity.features]
        if known:
            values = np.stack([new[number].features[source] for number in known])
            features = features.with_rows(first + np.array(known), {source: values})
    return features


def _grown_taxonomy(old: Taxonomy | None, names: Vocabulary, new: Sequence[NewEntity]) -> Taxonomy | None:
    """Return the taxonomy with the new entities, whose edges follow the old ones."""
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
        raise TaxonomyError(
            f"the weight of a parent of {child!r} is negligible compared with the others; remove that parent."
        )
    return Taxonomy(
        names,
        np.r_[indptr, indptr[-1] + np.cumsum(sizes)],
        np.r_[[] if old is None else old.indices, parents[order]].astype(np.int64),
        np.r_[[] if old is None else old.weights, shares],
    )


def _fold_in_rows(trained: Trained, new: Sequence[NewEntity], seed: int, known: Sequence[Block]) -> None:
    """Infer q(u) of the new rows, with the given positives and negatives from the noise distribution of training.

    `known` are the blocks that say which of its parents a new entity has.
    """
    noise, added = trained.noise(), len(new)
    if trained.shared:
        noise[-added:] = 0.0  # new entities are paired with known ones, not with each other
    weights = trained.negatives * trained.row_totals[-added:]
    negatives = Negatives(noise, weights, bool(trained.rejects), made_up=True, seed=seed)
    cells = cells_of(new, trained.columns, len(trained.rows) - added, negatives)
    _sweep(trained.cooccurrence, trained.posterior.u, cells, new, known)
    if trained.company is not None:
        u, ids = trained.posterior.u, [trained.columns.ids(entity.contexts) for entity in new]
        own = Gaussians(u.mean[-added:], u.variance[-added:])
        indptr = np.concatenate([[0], np.cumsum([len(found) for found in ids])])
        joined = trained.company.joined(own, indptr, np.concatenate(ids).astype(np.int64))
        u.mean[-added:], u.variance[-added:] = joined.mean, joined.variance


def _fold_in_columns(trained: Trained, new: Sequence[NewEntity], seed: int, known: Sequence[Block]) -> None:
    """Infer q(v) and q(b) of the new columns, which are negatives as often as columns of their count in training."""
    rows, added = trained.row_totals.copy(), len(new)
    if trained.shared:
        rows[-added:] = 0.0
    weights = trained.negatives * rows.sum() * trained.noise()[-added:]
    negatives = Negatives(rows, weights, bool(trained.rejects), made_up=False, seed=seed + 1)
    cells = cells_of(new, trained.rows, len(trained.columns) - added, negatives)
    _sweep(trained.cooccurrence, trained.posterior.v, cells, new, known)


def _sweep(
    pairs: Cooccurrence, own: Block, cells: CellArrays, new: Sequence[NewEntity], known: Sequence[Block]
) -> None:
    """Update the new rows of a block until they settle, with everything else fixed."""
    first, last, dtype = len(own) - len(new), len(own), own.mean.dtype
    with np.errstate(over="ignore"):  # an overflow leads to a density that is not finite, which is an error
        cells = cells._replace(positive=cells.positive.astype(dtype), negative=cells.negative.astype(dtype))
    active = np.zeros(last, dtype=bool)
    active[first:] = [bool(entity.contexts) for entity in new]
    relations, choice = no_relations(last, own), Choice(known, [active.copy()] * len(known))
    distance, volume, likelihood = np.zeros(last), np.zeros(last), np.zeros(last)
    for _ in range(_SWEEPS):
        if not active.any():
            break
        entities, before = pairs.entity_inputs(own, relations, active), own.mean[first:].copy()
        entities.update(first, last, cells)
        moved = _moved(own, first, before)
        choice.update(first=first)
        own.measure_range(first, last, distance, volume, active)
        own.gamma.update(own.rate, active, Measured(distance[active], volume[active]))
        if entities.bias_is_own:
            bias, before = pairs.bias, pairs.bias.mean[first:].copy()
            still = entities._replace(active=np.zeros_like(active))
            still.update(first, last, cells, pairs.bias_inputs(active).arrays(likelihood))
            moved = np.maximum(moved, _moved(bias, first, before))
            bias.gamma.update(bias.rate, active, bias.measured(np.flatnonzero(active)))
        active[first:] &= moved > _SETTLED


def _moved(block: Block, first: int, before: np.ndarray) -> np.ndarray:
    """Return the distance that each new row moved, in standard deviations."""
    steps = np.abs(block.mean[first:] - before) / np.sqrt(block.variance[first:])
    return np.asarray(steps.reshape(len(steps), -1).max(axis=1))


_AT_ONCE = 1000  # entities whose cells are collected at once
_DRAWS = 512  # negatives drawn per entity, which share the weight that training would give to its negatives


@dataclass(frozen=True)
class Negatives:
    """How to draw the negatives of new entities; each entity has its own stream, whatever else is added."""

    noise: np.ndarray  # probability of each entity of the other side
    weights: np.ndarray  # total weight of the negatives of each new entity
    rejects: bool  # whether negatives that are observed pairs are dropped
    made_up: bool  # whether the others then weigh more (a row redraws) or not (a column is just drawn less often)
    seed: int


def cells_of(new: Sequence[NewEntity], others: Vocabulary, offset: int, negatives: Negatives) -> CellArrays:
    """Return the cells of the new entities by entity; the rows before `offset` are empty."""
    steps = np.cumsum(negatives.noise)
    steps /= steps[-1]
    parts = [
        _some_cells(new[k : k + _AT_ONCE], others, steps, negatives.weights[k : k + _AT_ONCE], negatives)
        for k in range(0, len(new), _AT_ONCE)
    ]
    lengths, indices, positive, negative = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    indptr = np.r_[np.zeros(offset, np.int64), 0, np.cumsum(lengths)].astype(np.int64)
    return CellArrays(indptr, indices.astype(np.int32), positive, negative)


def _some_cells(
    new: Sequence[NewEntity], others: Vocabulary, steps: np.ndarray, wanted: np.ndarray, negatives: Negatives
) -> tuple[np.ndarray, ...]:
    """Return lengths, ids, weights as positive and weights as negative of the cells of some entities."""
    owner = np.repeat(np.arange(len(new)), [len(entity.contexts) for entity in new])
    ids = others.ids(context for entity in new for context in entity.contexts)
    seen = np.array([count for entity in new for count in entity.contexts.values()], dtype=np.float64)
    observed = owner * len(steps) + ids
    drawing = np.flatnonzero(wanted > 0)
    drawn = np.repeat(drawing, _DRAWS) * len(steps) + _draws(new, drawing, steps, negatives.seed)
    if negatives.rejects:
        drawn = drawn[~np.isin(drawn, observed)]
    used = np.bincount(drawn // len(steps), minlength=len(new)) if negatives.made_up else np.full(len(new), _DRAWS)
    every, inverse = np.unique(np.r_[observed, drawn], return_inverse=True)
    row, column = np.divmod(every, len(steps))
    positive = np.bincount(inverse[: len(observed)], seen, len(every))
    share = wanted / np.maximum(used, 1)
    negative = np.bincount(inverse[len(observed) :], minlength=len(every)) * share[row]
    return np.bincount(row, minlength=len(new)), column, positive, negative


def _draws(new: Sequence[NewEntity], drawing: np.ndarray, steps: np.ndarray, seed: int) -> np.ndarray:
    streams = [np.random.default_rng([seed, zlib.crc32(new[k].name.encode())]) for k in drawing.tolist()]
    spots = np.array([stream.random(_DRAWS) for stream in streams]).ravel()
    return steps.searchsorted(spots, side="right")


def with_added(data: Dataset, trained: Trained, new: Sequence[NewEntity], side: str) -> Dataset:
    """Return the data set over the vocabularies of the grown model, with the contexts of new entities as counts."""
    names, others = (trained.rows, trained.columns) if side == "row" else (trained.columns, trained.rows)
    sizes = [len(entity.contexts) for entity in new]
    own = np.repeat(names.ids(entity.name for entity in new), sizes)
    seen = others.ids(context for entity in new for context in entity.contexts)
    values = np.array([count for entity in new for count in entity.contexts.values()], dtype=np.float64)
    rows, columns = (own, seen) if side == "row" else (seen, own)
    if trained.shared:  # co-occurrence counts in both directions
        rows, columns, values = np.r_[own, seen], np.r_[seen, own], np.r_[values, values]
    old, shape = data.counts, (len(trained.rows), len(trained.columns))
    cells = np.r_[old.row_ids(), rows], np.r_[old.indices, columns], np.r_[old.values, values]
    counts = Counts.from_coo(*cells, shape)
    new = [replace(entity, features=by_source(trained, entity, side)) for entity in new]
    row_features, column_features = data.row_features, data.column_features
    if side == "row" and not trained.shared:
        row_features = grown_features(row_features, trained.rows, new)
    else:
        column_features = grown_features(column_features, trained.columns, new)
    return Dataset(
        trained.rows,
        None if trained.shared else trained.columns,
        counts,
        row_taxonomy=trained.row_taxonomy,
        column_taxonomy=trained.column_taxonomy,
        row_features=row_features,
        column_features=column_features,
        relations=data.relations,
        kind=data.kind,
    )


def check_newcomers(trained: Trained, new: Sequence[NewEntity], side: str) -> None:
    """Raise an error that names the first invalid entity; parents may be new entities too, in any order."""
    names = trained.vocabulary(side)
    fresh: set[str] = set()
    for entity in new:
        if entity.name in names:
            raise DataError(
                f"the model already has an entity {entity.name!r}; choose another name, or use {{remedy}}.",
                remedies=[("", "partial_fit()")],
            )
        if entity.name in fresh:
            raise DataError(f"{entity.name!r} appears twice among the new entities; names must be unique.")
        fresh.add(entity.name)
    for entity in new:
        for parent in entity.parents:
            if parent == entity.name:
                raise TaxonomyError(f"{entity.name!r} is its own parent; remove that parent.")
            if parent not in fresh and parent not in names:
                raise UnknownEntityError(parent, [*fresh, *names.names])
    other = "column" if side == "row" else "row"
    others, what = trained.vocabulary(other), "entity" if trained.shared else other
    for context in (context for entity in new for context in entity.contexts):
        if context not in others:
            raise UnknownEntityError(context, others.names, what=what)
    _refuse_cycles(new)


def _refuse_cycles(new: Sequence[NewEntity]) -> None:
    place = {entity.name: number for number, entity in enumerate(new)}
    edges = [(place[e.name], place[parent]) for e in new for parent in e.parents if parent in place]
    child, parent = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    indptr, parents, _ = by_row(child, parent, len(new))
    left_over = heights(indptr, parents)[1]
    if len(left_over):
        cycle = cycle_text(one_cycle(indptr, parents, left_over), list(place))
        raise TaxonomyError(
            f"the new entities form a cycle (each a child of the next): {cycle}; remove one of these edges."
        )
