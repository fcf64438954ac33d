"""All operations under one address, and their description."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from vbn.serve import audiences, events, exploring, forgetting, maps, operation, routes
from vbn.serve.access import OPEN, PREFIX
from vbn.serve.problems import MEDIA_TYPE
from vbn.serve.refusing import handle_errors
from vbn.serve.shared import refusals

# A new router is served by naming it here.
ROUTERS = tuple(room.router for room in (routes, audiences, maps, exploring, operation, events, forgetting))
_TAGS = {
    "Questions": "What the model knows.",
    "Changes": "What changes the model, on a server that is writable.",
    "Map": "Places of all entities in the plane.",
    "Operation": "Whether the server lives, is ready, and how it does.",
}
_TOKEN = "token"


def include(app: FastAPI, guarded: bool) -> None:
    """Give an application all operations, their refusals and their description; `guarded`: a token is needed."""
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX, responses=refusals(400, 401, 403, 404, 413, 415, 422))
    for route in app.routes:  # newer FastAPI makes routes ready when first asked, which would hold up the event loop
        route.matches({"type": "http", "method": "GET", "path": "/", "headers": []})
    handle_errors(app)
    app.openapi_tags = [{"name": name, "description": told} for name, told in _TAGS.items()]
    describe = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _completed(describe(), guarded)
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def operation_id(route: APIRoute) -> str:
    """Return what the description calls an operation: the name of its function."""
    return route.name


def _completed(description: dict[str, Any], guarded: bool) -> dict[str, Any]:
    """Return a description with the token, and with refusals of their own media type."""
    scheme = {"type": "http", "scheme": "bearer", "description": "The token that the server was started with."}
    description["components"]["securitySchemes"] = {_TOKEN: scheme}
    for path, methods in description["paths"].items():
        for one in methods.values():
            one["security"] = [] if path in OPEN else [{_TOKEN: []}] if guarded else [{}, {_TOKEN: []}]
            for status, answer in one["responses"].items():
                if int(status) >= 400 and "content" in answer:
                    answer["content"] = {MEDIA_TYPE: answer["content"].pop("application/json")}
    return description
