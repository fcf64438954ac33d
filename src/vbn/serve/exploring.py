"""What the explorer's page asks for beside the service: words, marks and spreads on the map, the tree, a guide."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from vbn._errors import DataError
from vbn.data import Taxonomy
from vbn.serve import schemas as out
from vbn.serve.answers import entity as shown
from vbn.serve.comparing import Compared, compared
from vbn.serve.guide import Guide
from vbn.serve.map import below, spread
from vbn.serve.shared import Current, Shared

router = APIRouter(tags=["Map"])

Ids = Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Query(min_length=1, max_length=500)]


class Named(out.Asked):
    """Names to look for on the map."""

    entities: Annotated[list[out.Name], Field(min_length=1, max_length=out.MOST_NAMES)]


class Places(out.Answered):
    """Numbers of entities on the map, null if the map does not have one, and what people call them."""

    ids: list[int | None]
    labels: list[str | None]


class Word(BaseModel):
    """The name of an entity, and what people call it."""

    name: str
    label: str | None


class Spread(out.Answered):
    """Where an entity stands, and an ellipse of one standard deviation of the places that its density allows."""

    place: tuple[float, float]
    axes: tuple[float, float] = Field(description="The longer half axis and the shorter one, in units of the map.")
    angle: float = Field(description="Of the longer axis, in radians, counterclockwise.")


class Node(out.Entity):
    """A node of the taxonomy, with its number of children and of entities below it."""

    children: int
    below: int


class Nodes(out.Answered):
    """The roots of a taxonomy, or the children of a node: the largest first, and how many there are."""

    total: int
    nodes: list[Node]


@router.get("/guide", summary="Where to begin")
def guide(served: Current) -> Guide:
    """An entity that is well known, one seen once, one never seen; and how alike two entities usually are."""
    found: Guide = served.guide
    return found


@router.get("/compare", summary="Two entities compared")
def compare(
    served: Current, entity: out.Name, other: out.Name, side: out.Side = "column", other_side: out.Side = "column"
) -> Compared:
    """Cosine of the means, overlap of the densities, shared neighbours and ancestors; also a row with a column."""
    return compared(served, entity, other, side, other_side)


@router.get("/tree", summary="The taxonomy from its roots")
def tree(served: Current, entity: out.Name | None = None, limit: out.K = 200) -> Nodes:
    """The roots, or the children of an entity."""
    trained, names = served.trained, served.trained.columns
    taxonomy = trained.column_taxonomy
    if taxonomy is None:
        return Nodes(model=served.id, total=0, nodes=[])
    indptr, children, _ = taxonomy.children()
    ids = taxonomy.roots if entity is None else children[slice(*indptr[names.id(entity) :][:2])]
    sizes = below(trained, np.flatnonzero(trained.profile.candidates("column")))
    number = np.diff(indptr)
    order = ids[np.lexsort((ids, -names.counts[ids], -sizes[ids]))][:limit]
    nodes = [
        Node(**shown(served, one).model_dump(), children=int(number[one]), below=int(sizes[one]))
        for one in order.tolist()
    ]
    return Nodes(model=served.id, total=len(ids), nodes=nodes)


@router.get("/map/words", summary="Names and labels of some places of the map")
def map_words(served: Current, ids: Ids) -> dict[str, Word]:
    """By their numbers: the name, and what people call it."""
    names = served.trained.columns
    if max(ids) >= len(names):
        raise DataError(f"the model has {len(names):,} entities, numbered from 0; there is no number {max(ids)}.")
    return {str(number): Word(name=names[number], label=names.label(number)) for number in ids}


@router.post("/map/places", summary="Numbers of some entities on the map")
def map_places(served: Current, asked: Named) -> Places:
    """In the order of the names; null for names that are unknown or have no place, such as parents without data."""
    trained = served.trained
    there = trained.profile.candidates("column")
    numbers = [trained.columns.id(name) if name in trained.columns else None for name in asked.entities]
    return Places(
        model=served.id,
        ids=[number if number is not None and there[number] else None for number in numbers],
        labels=[None if number is None else trained.columns.label(number) for number in numbers],
    )


@router.get("/map/below", summary="Numbers of the entities below a category")
def map_below(served: Current, entity: out.Name) -> dict[str, list[int]]:
    """All that have it among their ancestors and have a place on the map."""
    trained = served.trained
    if trained.column_taxonomy is None:
        return {"ids": []}
    found = descendants(trained.column_taxonomy, trained.columns.id(entity))
    return {"ids": found[trained.profile.candidates("column")[found]].tolist()}


@router.get("/map/spread", summary="How far an entity may be from its place")
def map_spread(state: Shared, served: Current, entity: out.Name) -> Spread | None:
    """Draws from its density are placed between their nearest neighbours; null if it has no place."""
    found = spread(state.layout_of(served), served.trained, served.trained.columns.id(entity))
    return None if found is None else Spread(model=served.id, place=found[0], axes=found[1], angle=found[2])


def descendants(taxonomy: Taxonomy, node: int) -> np.ndarray:
    """Return the ids of all nodes below one, rising."""
    indptr, children, _ = taxonomy.children()
    met = np.zeros(len(taxonomy.vocabulary), dtype=bool)
    here = np.array([node])
    while len(here):
        under = np.concatenate([children[indptr[one] : indptr[one + 1]] for one in here.tolist()])
        here = np.unique(under[~met[under]])
        met[here] = True
    return np.flatnonzero(met)
