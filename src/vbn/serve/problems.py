"""Refusals in one form, that of RFC 9457: what is wrong, and what to do about it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from vbn._errors import ParameterError, VBNError

MEDIA_TYPE = "application/problem+json"


class Kind(NamedTuple):
    """A kind of refusal; `type` is a name for machines that stays the same, whatever the words are."""

    type: str
    status: int
    title: str


UNKNOWN_NAME = Kind("urn:vbn:problem:unknown-name", 404, "Unknown name")
TAKEN_NAME = Kind("urn:vbn:problem:taken-name", 409, "The name is taken")
BAD_QUESTION = Kind("urn:vbn:problem:bad-question", 400, "The question has no answer")
INVALID = Kind("urn:vbn:problem:invalid-request", 422, "The request is not of the form that is described")
READ_ONLY = Kind("urn:vbn:problem:read-only", 403, "The server is read-only")
OTHER_HOST = Kind("urn:vbn:problem:other-host", 403, "The server does not go by this name")
OTHER_ORIGIN = Kind("urn:vbn:problem:other-origin", 403, "Pages of other origins may not send anything")
NO_TOKEN = Kind("urn:vbn:problem:no-token", 401, "A token is needed")
TOO_LARGE = Kind("urn:vbn:problem:too-large", 413, "The body is too large")
NOT_JSON = Kind("urn:vbn:problem:not-json", 415, "The body is not JSON")
NOT_READY = Kind("urn:vbn:problem:not-ready", 503, "The server is starting or ending")
FAILURE = Kind("urn:vbn:problem:failure", 500, "The server failed")


class ReadOnlyError(VBNError):
    """A request to change something on a read-only server."""


class TakenNameError(ParameterError):
    """A new entity whose name is that of another."""


def problem(kind: Kind, detail: str, remedy: str | None = None, closest: list[str] | None = None) -> dict[str, Any]:
    """Return a refusal as data.

    >>> problem(READ_ONLY, "this server is read-only.", "start it with --writable")["title"]
    'The server is read-only'
    """
    return {**kind._asdict(), "detail": detail, "remedy": remedy, "closest": closest or []}


def encoded(kind: Kind, detail: str, remedy: str | None = None) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """Return a refusal as the body of an answer, and its headers."""
    body = json.dumps(problem(kind, detail, remedy)).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    if kind is NO_TOKEN:
        headers.append((b"www-authenticate", b"Bearer"))
    return body, headers


def listed(words: list[str], last: str = "or") -> str:
    """Return words as a list in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    return f" {last} ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)
