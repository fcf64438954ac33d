"""The service: what can be asked under /api."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from vbn._errors import DataError
from vbn.serve import _answers as answer
from vbn.serve import _schemas as out
from vbn.serve._problems import ReadOnlyError
from vbn.serve._state import State

router = APIRouter(prefix="/api", responses={code: {"model": out.Problem} for code in (400, 401, 403, 404, 413, 422)})

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"

Limit = Annotated[int, Query(ge=1, le=out.MOST_ANSWERS)]
OfSide = Annotated[out.Side, Query()]
NameAsked = Annotated[str, Query(min_length=1, max_length=out.LONGEST_NAME)]


def _state(request: Request) -> State:
    found: State = request.app.state.vbn
    return found


@router.get("/health", summary="Whether all is well, and what is served")
def health(request: Request) -> out.Health:
    """Needs no token."""
    state = _state(request)
    served = state.holder.current
    trained = served.trained
    return out.Health(
        status="ok", version=served.version, root=served.root, entities=len(trained.columns),
        rows=len(trained.rows), shared=trained.shared, dim=trained.posterior.dim,
        relations=[one.name for one in trained.relations], taxonomy=trained.column_taxonomy is not None,
        counts=served.model._data is not None, writable=state.settings.writable, problem=state.problem,
    )  # fmt: skip


@router.get("/entities", summary="Names that begin with, or hold, what was typed")
def entities(
    request: Request, q: Annotated[str, Query(max_length=out.LONGEST_NAME)] = "", limit: Limit = 20,
    side: Annotated[out.Side | None, Query()] = None,
) -> out.Entities:  # fmt: skip
    """The most frequent ones where nothing was typed."""
    return answer.entities(_state(request).holder.current, q, limit, side)


@router.get("/similar", summary="The nearest entities")
def similar(
    request: Request, entity: NameAsked, k: Limit = 10, by: Annotated[Literal["cosine", "context"], Query()] = "cosine",
    side: OfSide = "column",
) -> out.Answers:  # fmt: skip
    """By cosine of the means, or by the probability of occurring beside it."""
    served = _state(request).holder.current
    return answer.answers(served, served.model.similar(entity, k, by=by, side=side), side)


@router.post("/predict", summary="Probabilities of pairs")
def predict(request: Request, asked: out.Pairs) -> out.Predictions:
    """That the second occurs with the first, or that a relation holds between them."""
    return answer.predictions(_state(request).holder.current, asked)


@router.post("/recommend", summary="What goes with some entities, or with a user")
def recommend(request: Request, asked: out.Wanted) -> out.Answers:
    """Give entities or a user, one of the two."""
    return answer.recommended(_state(request).holder.current, asked)


@router.get("/related", summary="Where a relation leads")
def related(
    request: Request, relation: NameAsked, entity: NameAsked, k: Limit = 10,
    popularity: Annotated[float, Query(ge=-100, le=100, allow_inf_nan=False)] = 0.0,
    popularity_floor: Annotated[float, Query(ge=0, le=1e6, allow_inf_nan=False)] = 0.0,
) -> out.Answers:  # fmt: skip
    """The entities to which a relation most probably leads from one."""
    served = _state(request).holder.current
    return answer.answers(served, served.model.related(relation, entity, k, popularity, popularity_floor))


@router.get("/explain", summary="Why an entity is where it is")
def explain(request: Request, entity: NameAsked, side: OfSide = "column") -> out.Explained:
    """Shares of prior and data, the strongest pairs, parents, siblings and children."""
    return answer.explained(_state(request).holder.current, entity, side)


@router.post("/what-if", summary="An entity that is not in the model")
def what_if(request: Request, asked: out.New) -> out.Imagined:
    """Its neighbours, its place and its uncertainty; the model stays as it is unless it is to be saved."""
    state = _state(request)
    if asked.save and not state.settings.writable:
        raise ReadOnlyError("this server is read-only; start it with --writable to save new entities.")
    while True:
        served = state.holder.current
        found, model = answer.imagined(served, asked, state.layout_if_ready(served))
        if not asked.save or state.save(model, served):  # another one may have been saved, or loaded, meanwhile
            return found.model_copy(update={"saved": asked.save})


@router.get(
    "/map", summary="Places of all entities in the plane", response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}}},
)  # fmt: skip
def places(request: Request) -> Response:
    """Binary: see `/api/map/about` for what the numbers are."""
    state = _state(request)
    return Response(state.map_of(state.holder.current).body, media_type="application/octet-stream")


@router.get("/map/about", summary="What the map shows")
def map_about(request: Request) -> dict[str, Any]:
    """How many places, branches of the taxonomy with their names, and how the layout was made."""
    state = _state(request)
    return state.map_of(state.holder.current).about


@router.get("/map/names", summary="Names of some places of the map")
def map_names(
    request: Request, ids: Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Query(min_length=1, max_length=500)]
) -> dict[str, str]:  # fmt: skip
    """By their numbers."""
    names = _state(request).holder.current.trained.columns
    if max(ids) >= len(names):
        raise DataError(f"there are {len(names):,} entities; {max(ids)} is none of their numbers.")
    return {str(number): names[number] for number in ids}


@router.get("/map/place", summary="The number of an entity on the map")
def map_place(request: Request, entity: NameAsked) -> dict[str, int]:
    """As in the map."""
    return {"id": _state(request).holder.current.trained.columns.id(entity)}


@router.get(
    "/metrics", summary="Counts and times, as Prometheus reads them", response_class=Response,
    responses={200: {"content": {_PROMETHEUS: {}}}},
)  # fmt: skip
def metrics(request: Request) -> Response:
    """In its text format."""
    state = _state(request)
    trained = state.holder.current.trained
    gauges = {"entities": len(trained.columns), "model_version": state.holder.current.version}
    return Response(state.metrics.text(gauges), media_type=_PROMETHEUS)
