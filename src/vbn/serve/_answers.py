"""Answers of a served model as plain data; no web in here."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.inference import Table
from vbn.serve import _schemas as out
from vbn.serve._holder import Served
from vbn.serve._layout import Layout, placed

_RELATIVES = 60  # of a kind that a card shows


def answers(served: Served, table: Table, side: str = "column") -> out.Answers:
    """A table with how often each entity was seen."""
    names = served.trained.vocabulary(side)
    rows = [
        out.Answer(entity=row.entity, score=row.score, std=row.std, count=float(names.counts[names.id(row.entity)]))
        for row in table
    ]
    return out.Answers(measure=table.measure, answers=rows)


def entities(served: Served, typed: str, limit: int, side: str | None) -> out.Entities:
    """Names that may be meant, of one side or of both."""
    sides = [side] if side else ["column"] if served.trained.shared else ["column", "row"]
    found = []
    for one in sides:
        names, taxonomy = served.trained.vocabulary(one), served.trained.taxonomy(one)
        parents = set() if taxonomy is None else set(taxonomy.category_ids.tolist())
        for number in served.typeahead[one](typed, limit).tolist():
            category = number in parents and names.counts[number] == 0
            entity = out.Entity(name=names[number], side=one, count=float(names.counts[number]), category=category)  # type: ignore[arg-type]
            found.append(entity)
    return out.Entities(entities=found[:limit])


def predictions(served: Served, asked: out.Pairs) -> out.Predictions:
    """Probabilities of pairs, by co-occurrence or by a relation."""
    pairs = [tuple(pair) for pair in asked.pairs]
    if asked.relation is None:
        p, std = served.model.predict_proba(pairs, return_std=True)
    else:
        p, std = served.model.relation_proba(asked.relation, pairs, return_std=True)
    made = zip(pairs, p.tolist(), std.tolist(), strict=True)
    return out.Predictions(predictions=[out.Prediction(left=a, right=b, p=x, std=s) for (a, b), x, s in made])


def recommended(served: Served, asked: out.Wanted) -> out.Answers:
    """What goes with some entities, or with a user."""
    table = served.model.recommend(
        asked.entities, asked.k, user=asked.user, query=asked.query, popularity=asked.popularity,
        popularity_floor=asked.popularity_floor, exclude_seen=asked.exclude_seen, candidates=asked.candidates,
    )  # fmt: skip
    return answers(served, table)


def explained(served: Served, entity: str, side: str) -> out.Explained:
    """Why an entity is where it is, and its family."""
    explanation = served.model.explain(entity, side=side).to_dict()
    return out.Explained(explanation=_finite(explanation), family=family(served, entity, side))


def family(served: Served, entity: str, side: str) -> out.Family:
    """Parents, siblings (by how much they share) and children (by how often they were seen)."""
    names, taxonomy = served.trained.vocabulary(side), served.trained.taxonomy(side)
    names.id(entity)
    if taxonomy is None:
        return out.Family(parents=[], siblings=[], children=[], n_siblings=0, n_children=0)

    def relative(name: str, weight: float) -> out.Relative:
        return out.Relative(name=name, weight=weight, count=float(names.counts[names.id(name)]))

    def shown(weights: dict[str, float]) -> list[out.Relative]:
        made = [relative(name, weight) for name, weight in weights.items()]
        return sorted(made, key=lambda one: (-one.weight, -one.count, one.name))[:_RELATIVES]

    parents = taxonomy.parents(entity)
    siblings: dict[str, float] = {}
    for parent, weight in parents:
        for child in taxonomy.children_of(parent):
            if child != entity:
                siblings[child] = siblings.get(child, 0.0) + weight
    children = dict.fromkeys(taxonomy.children_of(entity), 1.0)
    return out.Family(
        parents=[relative(name, weight) for name, weight in parents], siblings=shown(siblings),
        children=shown(children), n_siblings=len(siblings), n_children=len(children),
    )  # fmt: skip


def imagined(served: Served, asked: out.New, layout: Layout | None) -> tuple[out.Imagined, Any]:
    """A new entity as it would be, and the model that has it."""
    if asked.name in served.trained.vocabulary(asked.side):
        raise ParameterError(f"{asked.name!r} is in the model already.")
    model = served.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that nothing is known of it shows in what comes back
        model.add(asked.name, asked.parents or None, asked.contexts or None, side=asked.side)
    grown = Served(model, served.version)
    near = model.similar(asked.name, asked.k, side=asked.side)
    part = model.explain(asked.name, side=asked.side).parts[0]
    place = None if layout is None else placed(layout, served.trained, model._model(), asked.name, asked.side)
    found = out.Imagined(
        similar=answers(grown, near, asked.side), std=part.std, prior_share=part.prior_share, place=place, saved=False
    )
    return found, model


def _finite(value: Any) -> Any:
    """The same without numbers that JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
