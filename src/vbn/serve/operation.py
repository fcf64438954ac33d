"""What looks after a server asks: whether it lives, whether it is ready, and how it does."""

from __future__ import annotations

from fastapi import APIRouter, Response
from starlette.exceptions import HTTPException

from vbn.serve import answers as answer
from vbn.serve import schemas as out
from vbn.serve.metrics import CONTENT_TYPE
from vbn.serve.shared import Current, Shared, refusals

router = APIRouter(tags=["Operation"])


@router.get("/health", summary="Whether all is well, and what is served")
async def health(state: Shared, served: Current) -> out.Health:
    """Needs no token. Waits for no other request."""
    trained = served.trained
    return out.Health(
        model=served.id,
        status="ok",
        version=served.version,
        root=served.root,
        entities=len(trained.columns),
        categories=int(trained.profile.categories("column").sum()),
        rows=len(trained.rows),
        shared=trained.shared,
        dim=trained.posterior.dim,
        relations=[one.name for one in trained.relations],
        taxonomy=trained.column_taxonomy is not None,
        features=answer.features(served),
        texts=answer.texts(served),
        counts=served.model.has_counts,
        writable=state.settings.writable,
        problem=state.problem,
    )


@router.get("/ready", summary="Whether questions are answered without delay", responses=refusals(503))
async def ready(state: Shared, served: Current) -> out.Ready:
    """Needs no token. 503 until a first question was answered, and from the moment on when the server ends."""
    if not state.ready.is_set():
        raise HTTPException(503, "the server is starting or ending")
    return out.Ready(model=served.id, status="ready", version=served.version)


@router.get(
    "/metrics",
    summary="Counts and times of requests, for Prometheus",
    response_class=Response,
    responses={200: {"content": {CONTENT_TYPE: {}}}},
)
async def metrics(state: Shared, served: Current) -> Response:
    """In its text format. Waits for no other request."""
    gauges = {"entities": len(served.trained.columns), "model_version": served.version}
    return Response(state.metrics.text(gauges), media_type=CONTENT_TYPE)
