"""The service: the operations under /api, and errors as JSON."""

from __future__ import annotations

import json
from asyncio import get_running_loop
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from vbn._errors import DataError, UnknownEntityError, VBNError
from vbn.serve import answers as answer
from vbn.serve import schemas as out
from vbn.serve.state import State

router = APIRouter(
    prefix="/api", responses={code: {"model": out.Problem} for code in (400, 401, 403, 404, 413, 415, 422)}
)

_BINARY = "application/octet-stream"
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"

Typed = Annotated[str, Query(max_length=out.LONGEST_NAME)]
Contexts = Annotated[list[out.Name] | None, Query(max_length=out.MOST_NAMES)]
Ids = Annotated[list[Annotated[int, Field(ge=0, lt=2**31)]], Query(min_length=1, max_length=500)]


class ReadOnlyError(VBNError):
    """A request to save something on a read-only server."""


async def _state(request: Request) -> State:  # not on a thread: these may all be taken
    found: State = request.app.state.vbn
    return found


Shared = Annotated[State, Depends(_state)]


@router.get("/health", summary="Whether all is well, and what is served")
async def health(state: Shared) -> out.Health:
    """Needs no token. Waits for no other request."""
    served = state.holder.current
    trained = served.trained
    return out.Health(
        status="ok",
        version=served.version,
        root=served.root,
        entities=len(trained.columns),
        rows=len(trained.rows),
        shared=trained.shared,
        dim=trained.posterior.dim,
        relations=[one.name for one in trained.relations],
        taxonomy=trained.column_taxonomy is not None,
        features=answer.features(served),
        texts=answer.texts(served),
        counts=served.model.data_ is not None,
        writable=state.settings.writable,
        problem=state.problem,
    )


@router.get("/ready", summary="Whether questions are answered without delay", responses={503: {"model": out.Problem}})
async def ready(state: Shared) -> out.Ready:
    """Needs no token. 503 until a first question was answered, and from the moment on when the server ends."""
    if not state.ready.is_set():
        raise HTTPException(503, "the server is starting or ending; ask again later")
    return out.Ready(status="ready", version=state.holder.current.version)


@router.get("/entities", summary="Names that begin with or contain a text")
def entities(state: Shared, q: Typed = "", limit: out.K = 20, side: out.Side | None = None) -> out.Entities:
    """Without a text, the most frequent ones."""
    return answer.entities(state.holder.current, q, limit, side)


@router.get("/similar", summary="The nearest entities")
def similar(
    state: Shared,
    entity: out.Name,
    k: out.K = 10,
    by: out.Measure = "cosine",
    side: out.Side = "column",
    role: out.Role | None = None,
    candidates: out.Pool = "entities",
    min_count: out.Count | None = None,
    readout: out.Readout = "entity",
) -> out.Answers:
    """By the expected cosine of the densities, by the cosine of their means, or by the probability of co-occurring.

    A parent without data is asked about by its density as a category, an entity with data by its own; `role` says
    otherwise.
    """
    served = state.holder.current
    found = served.model.similar(
        entity, k, by=by, side=side, role=role, candidates=candidates, min_count=min_count, readout=readout
    )
    return answer.answers(served, found, side)


@router.post("/predict", summary="Probabilities of pairs")
def predict(state: Shared, asked: out.Pairs) -> out.Predictions:
    """That the second occurs with the first, or that a relation holds between them."""
    return answer.predictions(state.holder.current, asked)


@router.post("/recommend", summary="What goes with some entities, or with a user")
def recommend(state: Shared, asked: out.Wanted) -> out.Answers:
    """Give either entities or a user."""
    served, options = state.holder.current, {name: value for name, value in asked if name != "entities"}
    return answer.answers(served, served.model.recommend(asked.entities, **options))


@router.get("/related", summary="Where a relation leads")
def related(
    state: Shared,
    relation: out.Name,
    entity: out.Name,
    k: out.K = 10,
    popularity: out.Dial = 0.0,
    popularity_floor: out.Floor = 0.0,
    known: Literal["first", "ranked", "excluded"] = "first",
) -> out.RelatedAnswers:
    """The entities to which a relation leads from one: known ones first, then the most probable."""
    served = state.holder.current
    return answer.related(served, served.model.related(relation, entity, k, popularity, popularity_floor, known))


@router.get("/explain", summary="Why an entity is where it is")
def explain(state: Shared, entity: out.Name, side: out.Side = "column") -> out.Explained:
    """Shares of prior and data, the strongest pairs, parents, siblings and children."""
    served = state.holder.current
    found = answer.finite(served.model.explain(entity, side=side).to_dict())
    return out.Explained(explanation=found, family=answer.family(served, entity, side))


@router.get("/senses", summary="The occurrences of an entity, split over its parents")
def senses(
    state: Shared, entity: out.Name, side: out.Side = "column", k: out.K = 5, context: Contexts = None
) -> out.SenseTable:
    """Such as those of a word over its meanings; with `context`, which may be repeated, those of one occurrence."""
    model = state.holder.current.model
    found = model.sense_of(entity, context, side) if context else model.senses(entity, side, k)
    return out.SenseTable(senses=[out.SenseRow(**row) for row in found.to_dicts()])


@router.get("/audit", summary="What the data says against the taxonomy")
def audit(state: Shared, side: out.Side = "column", min_score: out.Score = 3.0, limit: out.K = 100) -> out.Audited:
    """Edges that it contradicts, better parents, categories and levels without meaning; `limit` findings of a kind."""
    return answer.audited(state.holder.current, side, min_score, limit)


@router.get("/suggest-parents", summary="Categories that explain an entity best")
def suggest_parents(state: Shared, entity: out.Name, k: out.K = 3, side: out.Side = "column") -> out.Suggestions:
    """By what was observed of it, whatever its present parents are."""
    found = state.holder.current.model.suggest_parents(entity, k, side=side)
    return out.Suggestions(suggestions=[out.Suggested(**row) for row in found.to_dicts()])


@router.post("/what-if", summary="An entity that is not in the model")
async def what_if(state: Shared, asked: out.New) -> out.Imagined:
    """Its neighbours, its place and its uncertainty; the model does not change unless `save` is true.

    A model that was trained with features or texts also takes those of the new entity.
    """
    if asked.save and not state.settings.writable:
        raise ReadOnlyError("this server is read-only; start it with --writable to save new entities.")
    if asked.save:
        return await get_running_loop().run_in_executor(state.writer, _imagined, state, asked)
    return await run_in_threadpool(_imagined, state, asked)


def _imagined(state: State, asked: out.New) -> out.Imagined:
    while True:
        served = state.holder.current
        found, model = answer.imagined(served, asked, state.layout_if_ready(served))
        if not asked.save or state.save(model, served):  # else another model is served by now
            return found.model_copy(update={"saved": asked.save})


@router.get(
    "/map",
    summary="Places of all entities in the plane",
    response_class=Response,
    responses={200: {"content": {_BINARY: {}}}},
)
def places(state: Shared) -> Response:
    """Binary; `/api/map/about` describes the numbers."""
    return Response(state.map_of(state.holder.current).body, media_type=_BINARY)


@router.get("/map/about", summary="What the map shows")
def map_about(state: Shared) -> dict[str, Any]:
    """The number of places, the branches of the taxonomy with their names, and the method of the layout."""
    return state.map_of(state.holder.current).about


@router.get("/map/names", summary="Names of some places of the map")
def map_names(state: Shared, ids: Ids) -> dict[str, str]:
    """By their numbers."""
    names = state.holder.current.trained.columns
    if max(ids) >= len(names):
        raise DataError(f"the model has {len(names):,} entities, numbered from 0; there is no number {max(ids)}.")
    return {str(number): names[number] for number in ids}


@router.get("/map/place", summary="The number of an entity on the map")
def map_place(state: Shared, entity: out.Name) -> dict[str, int]:
    """As in the map."""
    return {"id": state.holder.current.trained.columns.id(entity)}


@router.get(
    "/metrics",
    summary="Counts and times of requests, for Prometheus",
    response_class=Response,
    responses={200: {"content": {_PROMETHEUS: {}}}},
)
async def metrics(state: Shared) -> Response:
    """In its text format. Waits for no other request."""
    served = state.holder.current
    gauges = {"entities": len(served.trained.columns), "model_version": served.version}
    return Response(state.metrics.text(gauges), media_type=_PROMETHEUS)


def handle_errors(app: FastAPI) -> None:
    """Let an application answer every error as JSON with the error and the closest names, never with a traceback."""

    @app.exception_handler(VBNError)
    async def refused(request: Request, error: VBNError) -> JSONResponse:
        told = message_of(error, request.method)
        if isinstance(error, UnknownEntityError):
            return _problem(404, told, error.closest)
        return _problem(403 if isinstance(error, ReadOnlyError) else 400, told)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return _problem(422, _faults(error))

    @app.exception_handler(HTTPException)
    async def misdirected(_: Request, error: HTTPException) -> JSONResponse:
        found = _problem(error.status_code, f"{error.detail}.".lower())
        found.headers.update(error.headers or {})
        return found

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> JSONResponse:
        return _problem(500, "the server failed; see its log.")


def message_of(error: VBNError, method: str) -> str:
    """Return an error's message with its remedies as fields of a body (POST) or parameters of a query (GET).

    >>> error = DataError("nothing is left; send {remedy} or {remedy}", remedies=[("exclude_seen", False), ("user",)])
    >>> message_of(error, "POST")
    'nothing is left; send "exclude_seen": false or "user"'
    >>> message_of(error, "GET")
    'nothing is left; send exclude_seen=false or user='
    """
    return error.told(_in_body if method == "POST" else _in_query)


def _in_body(name: str, value: object = None) -> str:
    if not name:
        return str(value)
    return json.dumps(name) if value is None else f"{json.dumps(name)}: {json.dumps(value, default=str)}"


def _in_query(name: str, value: object = None) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if not name:
        return text
    return f"{name}=" if value is None else f"{name}={text}"


def _problem(status: int, error: str, closest: list[str] | None = None) -> JSONResponse:
    return JSONResponse({"error": error, "closest": closest or []}, status)


def _faults(error: RequestValidationError) -> str:
    """Return what is wrong with a request, without repeating what was sent."""
    faults = []
    for fault in error.errors()[:5]:
        where = ".".join(str(part) for part in fault["loc"] if part not in ("body", "query"))
        faults.append(f"{where or 'the body'}: {fault['msg']}")
    return "; ".join(faults) + "."
