"""The map: places of all entities in the plane, and what is known of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Response

from vbn.serve import schemas as out
from vbn.serve.map import Map
from vbn.serve.served import Served
from vbn.serve.shared import Current, Shared

router = APIRouter(prefix="/map", tags=["Map"])

_BINARY = "application/octet-stream"
Known = Annotated[str, Header(alias="if-none-match")]
Takes = Annotated[str, Header(alias="accept-encoding")]


@router.get(
    "",
    summary="Places of all entities in the plane",
    response_class=Response,
    responses={200: {"content": {_BINARY: {}}}, 304: {"description": "The map is the one that was named."}},
)
def places(state: Shared, served: Current, if_none_match: Known = "", accept_encoding: Takes = "") -> Response:
    """Binary; `map/about` describes the numbers. `If-None-Match` with the `ETag` of an earlier answer saves it."""
    found = state.map_of(served)
    packed = "gzip" in [one.partition(";")[0].strip().lower() for one in accept_encoding.split(",")]
    tag = _tag(served, found, packed)
    headers = {"etag": tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if matches(if_none_match, tag):
        return Response(None, 304, headers)
    if packed:
        headers["content-encoding"] = "gzip"
    return Response(found.packed if packed else found.body, headers=headers, media_type=_BINARY)


@router.get("/about", summary="What the map shows")
def map_about(state: Shared, served: Current) -> out.MapAbout:
    """The number of places, the branches of the taxonomy with their names, and the method of the layout."""
    return out.MapAbout(model=served.id, **state.map_of(served).about)


def matches(asked: str, tag: str) -> bool:
    """Return whether an If-None-Match header names this tag.

    >>> matches('W/"a", "b"', '"b"'), matches("*", '"b"'), matches('"a"', '"b"'), matches("", '"b"')
    (True, True, False, False)
    """
    named = [one.strip().removeprefix("W/") for one in asked.split(",")]
    return tag in named or "*" in named


def _tag(served: Served, found: Map, packed: bool) -> str:
    stage = "final" if found.about["final"] else "first"
    return f'"{served.id}-{found.about["method"].replace(" ", "-")}-{stage}{"-gzip" if packed else ""}"'
