"""Answers of a served model as plain data, independent of the web."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from vbn._errors import REMEDY, ParameterError
from vbn.data import OFFLINE
from vbn.inference import Related, Table, text_sources
from vbn.serve import schemas as out
from vbn.serve.map import Layout, placed
from vbn.serve.problems import TakenNameError
from vbn.serve.served import Served

_RELATIVES = 60  # siblings or children that a card shows


def answers(served: Served, table: Table, side: str = "column") -> out.Answers:
    """Return a table with how often each entity was seen, and whether it is only a category."""
    rows = [out.Answer(**row) for row in _counted(served, table, side)]
    return out.Answers(model=served.id, measure=table.measure, answers=rows)


def recommended(served: Served, asked: out.Wanted) -> out.Answers | out.Batch:
    """Return what goes with some entities or a user, or a ranked list for each of several users."""
    options = {name: value for name, value in asked if name not in ("entities", "user", "skip_unknown")}
    if not isinstance(asked.user, list):
        return answers(served, served.model.recommend(asked.entities, user=asked.user, **options))
    unknown = [name for name in asked.user if name not in served.trained.rows] if asked.skip_unknown else []
    users = [name for name in asked.user if name not in unknown]
    found = served.model.recommend(asked.entities, user=users, **options) if users else []
    lists = [
        out.OfUser(user=user, answers=[out.Answer(**row) for row in _counted(served, table, "column")])
        for user, table in zip(users, found, strict=True)
    ]
    measure = found[0].measure if users else ""
    return out.Batch(model=served.id, measure=measure, users=lists, unknown=unknown)


def related(served: Served, table: Related) -> out.RelatedAnswers:
    """Return the answers of a relation with how often each entity was seen."""
    rows = [out.RelatedAnswer(**row) for row in _counted(served, table, "column")]
    return out.RelatedAnswers(model=served.id, measure=table.measure, answers=rows)


def _counted(served: Served, table: Table, side: str) -> list[dict[str, Any]]:
    names, only = served.trained.vocabulary(side), served.trained.profile.categories(side)
    ids = names.ids(table.entities).tolist()
    return [
        {**row, "count": float(names.counts[i]), "category": bool(only[i])}
        for row, i in zip(table.to_dicts(), ids, strict=True)
    ]


def entities(served: Served, typed: str, limit: int, offset: int, side: out.Side | None) -> out.Entities:
    """Return a page of names that may be meant, of one side or of both; if there are none, those spelt alike."""
    sides: list[out.Side] = [side] if side else ["column"] if served.trained.shared else ["column", "row"]
    wanted, found = offset + limit + 1, []  # one more tells whether there is a next page
    for one in sides:
        numbers, ranks = served.typeahead[one].ranked(typed, wanted)
        found += [(rank, one, number) for rank, number in zip(ranks, numbers.tolist(), strict=True)]
    found.sort(key=lambda entry: entry[0])  # what was found exactly comes first, of whichever side
    if found or not typed.strip():
        page = [entity(served, number, one) for _, one, number in found[offset : offset + limit]]
        following = offset + limit if len(found) >= wanted else None
        return out.Entities(model=served.id, entities=page, next_offset=following)
    near = [
        entity(served, number, one) for one in sides for number in served.typeahead[one].near(typed, limit).tolist()
    ]
    return out.Entities(model=served.id, entities=near[:limit], next_offset=None, near=bool(near))


def entity(served: Served, number: int, side: out.Side = "column") -> out.Entity:
    """Return an entity as lists of names show it."""
    names = served.trained.vocabulary(side)
    category = bool(served.trained.profile.categories(side)[number])
    label, count = names.label(number), float(names.counts[number])
    return out.Entity(name=names[number], label=label, side=side, count=count, category=category)


def predictions(served: Served, asked: out.Pairs) -> out.Predictions:
    """Return probabilities of pairs, by co-occurrence or by a relation."""
    pairs = [tuple(pair) for pair in asked.pairs]
    if asked.relation is None:
        p, std = served.model.predict_proba(pairs, return_std=True)
    else:
        p, std = served.model.relation_proba(asked.relation, pairs, return_std=True)
    sides = zip((served.trained.rows, served.trained.columns), zip(*pairs, strict=True), strict=True)
    labels = [names.labels_of(names.ids(given)) or [None] * len(pairs) for names, given in sides]
    made = zip(pairs, *labels, p.tolist(), std.tolist(), strict=True)
    rows = [
        out.Prediction(left=a, right=b, left_label=left, right_label=right, p=x, std=s)
        for (a, b), left, right, x, s in made
    ]
    return out.Predictions(model=served.id, predictions=rows)


def family(served: Served, entity: str, side: str) -> out.Family:
    """Return parents, siblings (by how much they share) and children (by how often they were seen)."""
    names, taxonomy = served.trained.vocabulary(side), served.trained.taxonomy(side)
    entity = names[names.id(entity)]
    if taxonomy is None:
        return out.Family(parents=[], siblings=[], children=[], n_siblings=0, n_children=0)

    def relative(name: str, weight: float) -> out.Relative:
        i = names.id(name)
        return out.Relative(name=name, label=names.label(i), weight=weight, count=float(names.counts[i]))

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
        parents=[relative(name, weight) for name, weight in parents],
        siblings=shown(siblings),
        children=shown(children),
        n_siblings=len(siblings),
        n_children=len(children),
    )


def audited(served: Served, side: out.Side, min_score: float, limit: int) -> out.Audited:
    """Return the first findings of each kind."""
    found = served.model.audit(side, min_score)
    kinds = list(dict.fromkeys(one.kind for one in found))
    rows = [row for kind in kinds for row in found.of(kind)[:limit].to_dicts()]
    counts = {kind: len(found.of(kind)) for kind in kinds}
    findings = [out.Finding(**row) for row in rows]
    return out.Audited(model=served.id, edges=found.n_edges, counts=counts, findings=findings)


def imagined(served: Served, asked: out.New, layout: Layout | None) -> tuple[out.Imagined, Any]:
    """Return a new entity as it would be, and the model with it."""
    if asked.name in served.trained.vocabulary(asked.side):
        raise TakenNameError(f"{asked.name!r} is already in the model; choose another {REMEDY}.", remedies=[("name",)])
    if asked.text:
        _need_encoder(served, asked.side)
    model = served.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the answer itself shows how little is known
        content = {"features": asked.features, "text": asked.text or None}
        model.add(asked.name, asked.parents or None, asked.contexts or None, side=asked.side, **content)
    grown = replace(served, model=model, origin=served.origin or served.mark)
    near = model.similar(asked.name, asked.k, side=asked.side)
    part = model.explain(asked.name, side=asked.side).parts[0]
    place = None if layout is None else placed(layout, served.trained, model.trained_, asked.name, asked.side)
    found = out.Imagined(
        model=served.id,
        similar=answers(grown, near, asked.side),
        std=part.std,
        prior_share=part.prior_share,
        place=place,
        saved=False,
    )
    return found, model


def features(served: Served) -> dict[str, int]:
    """Return the sources of features of the columns, and how many numbers each has."""
    found = served.trained.column_side.features
    return {} if found is None else found.widths


def texts(served: Served, side: str = "column") -> list[str]:
    """Return the sources of features that texts can be made into here."""
    return [name for name, encoder in text_sources(served.trained, side).items() if encoder == OFFLINE]


def _need_encoder(served: Served, side: str) -> None:
    """Refuse a text if the texts of training went through an encoder that a service cannot have."""
    others = {name: encoder for name, encoder in text_sources(served.trained, side).items() if encoder != OFFLINE}
    if others and not texts(served, side):
        name, encoder = next(iter(others.items()))
        raise ParameterError(
            f"the texts {name!r} of this model were encoded by {encoder}, which this server does not have: encode "
            f"the text yourself and send the vector as {REMEDY}.",
            remedies=[("features",)],
        )


def finite(value: Any) -> Any:
    """Return the same value with None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(entry) for entry in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
