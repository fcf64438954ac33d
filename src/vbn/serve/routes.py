"""The questions that the service answers."""

from __future__ import annotations

from asyncio import get_running_loop
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.concurrency import run_in_threadpool

from vbn.serve import answers as answer
from vbn.serve import schemas as out
from vbn.serve.shared import Current, Shared, refusals
from vbn.serve.state import State

router = APIRouter(tags=["Questions"])

Typed = Annotated[str, Query(max_length=out.LONGEST_NAME)]
Contexts = Annotated[list[out.Name] | None, Query(max_length=out.MOST_NAMES)]


@router.get("/entities", summary="Names that hold a text")
def entities(
    served: Current, q: Typed = "", limit: out.K = 20, offset: out.Offset = 0, side: out.Side | None = None
) -> out.Entities:
    """The exact name first, words in any order, without accents; the most frequent ones if there is no text.

    `next_offset` of an answer is the `offset` of the next page.
    """
    return answer.entities(served, q, limit, offset, side)


@router.get("/similar", summary="The nearest entities")
def similar(
    served: Current,
    entity: out.Name,
    k: out.K = 10,
    by: out.Measure = "cosine",
    side: out.Side = "column",
    role: out.Role | None = None,
    candidates: out.Pool = "entities",
    min_count: out.Count | None = None,
    readout: out.Readout = "auto",
) -> out.Answers:
    """By the expected cosine of the densities, by the cosine of their means, or by the probability of co-occurring.

    A parent without data is asked about by its density as a category, an entity with data by its own; `role` says
    otherwise.
    """
    found = served.model.similar(
        entity, k, by=by, side=side, role=role, candidates=candidates, min_count=min_count, readout=readout
    )
    return answer.answers(served, found, side)


@router.post("/predict", summary="Probabilities of pairs")
def predict(served: Current, asked: out.Pairs) -> out.Predictions:
    """That the second occurs with the first, or that a relation holds between them."""
    return answer.predictions(served, asked)


@router.post("/recommend", summary="What goes with some entities, or with a user")
def recommend(served: Current, asked: out.Wanted) -> out.Answers | out.Batch:
    """Give either entities or a user; several users as a list get a ranked list each."""
    return answer.recommended(served, asked)


@router.get("/related", summary="Where a relation leads")
def related(
    served: Current,
    relation: out.Name,
    entity: out.Name,
    k: out.K = 10,
    popularity: out.Dial = 0.0,
    popularity_floor: out.Floor = 0.0,
    known: Literal["first", "ranked", "excluded"] = "first",
) -> out.RelatedAnswers:
    """The entities to which a relation leads from one: known ones first, then the most probable."""
    return answer.related(served, served.model.related(relation, entity, k, popularity, popularity_floor, known))


@router.get("/explain", summary="Why an entity is where it is")
def explain(served: Current, entity: out.Name, side: out.Side = "column") -> out.Explained:
    """Shares of prior and data, the strongest pairs, parents, siblings and children."""
    found = answer.finite(served.model.explain(entity, side=side).to_dict())
    return out.Explained(model=served.id, explanation=found, family=answer.family(served, entity, side))


@router.get("/senses", summary="The occurrences of an entity, split over its parents")
def senses(
    served: Current, entity: out.Name, side: out.Side = "column", k: out.K = 5, context: Contexts = None
) -> out.SenseTable:
    """Such as those of a word over its meanings; with `context`, which may be repeated, those of one occurrence."""
    model = served.model
    found = model.sense_of(entity, context, side) if context else model.senses(entity, side, k)
    return out.SenseTable(model=served.id, senses=[out.SenseRow(**row) for row in found.to_dicts()])


@router.get("/audit", summary="What the data says against the taxonomy")
def audit(served: Current, side: out.Side = "column", min_score: out.Score = 3.0, limit: out.K = 100) -> out.Audited:
    """Edges that it contradicts, better parents, categories and levels without meaning; `limit` findings of a kind."""
    return answer.audited(served, side, min_score, limit)


@router.get("/suggest-parents", summary="Categories that explain an entity best")
def suggest_parents(served: Current, entity: out.Name, k: out.K = 3, side: out.Side = "column") -> out.Suggestions:
    """By what was observed of it, whatever its present parents are."""
    found = served.model.suggest_parents(entity, k, side=side)
    return out.Suggestions(model=served.id, suggestions=[out.Suggested(**row) for row in found.to_dicts()])


@router.post("/what-if", summary="An entity that is not in the model", responses=refusals(409))
async def what_if(state: Shared, asked: out.New) -> out.Imagined:
    """Its neighbours, its place and its uncertainty; the model does not change unless `save` is true.

    A model that was trained with features or texts also takes those of the new entity.
    """
    if asked.save:
        state.need_writable()
        return await get_running_loop().run_in_executor(state.writer, _imagined, state, asked)
    return await run_in_threadpool(_imagined, state, asked)


def _imagined(state: State, asked: out.New) -> out.Imagined:
    while True:
        served = state.holder.current
        found, model = answer.imagined(served, asked, state.layout_if_ready(served))
        if not asked.save:
            return found
        if state.save(model, served):  # else another model is served by now
            return found.model_copy(update={"model": served.grown(model, served.root).id, "saved": True})
