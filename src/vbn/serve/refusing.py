"""Errors as answers: what the library refuses, what does not fit the description, and what fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from vbn._errors import UnknownEntityError, VBNError
from vbn.serve import problems
from vbn.serve.problems import Kind, listed, problem

_MOST = 5  # faults of a request that are told
_BRANCHES = ("str", "int", "float", "bool", "list", "dict", "plain", "weighted")  # of a choice, as pydantic names them
_WHOLE, _NUMBER, _TRUE = "must be a whole number", "must be a number", "must be true or false"
_FAULTS: dict[str, str] = {  # by pydantic's names; in braces what it knows of the limit
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "greater_than_equal": "must be at least {ge:g}",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be at most {le:g}",
    "less_than": "must be less than {lt:g}",
    "string_too_short": "must have at least {min_length} character",
    "string_too_long": "must have at most {max_length:,} characters",
    "string_type": "must be a text",
    "string_unicode": "must be a text that UTF-8 can write",
    "too_short": "must have at least {min_length} entry",
    "too_long": "must have at most {max_length:,} entries",
    "literal_error": "must be {expected}",
    "int_parsing": _WHOLE,
    "int_type": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing_size": _WHOLE,
    "float_parsing": _NUMBER,
    "float_type": _NUMBER,
    "finite_number": "must be a finite number",
    "bool_parsing": _TRUE,
    "bool_type": _TRUE,
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be a JSON object",
    "json_invalid": "is not JSON: {error}",
}
_ELSEWHERE = {"add()": 'what-if and "save": true'}  # remedies that another operation has


def handle_errors(app: FastAPI) -> None:
    """Let an application answer every error as a problem with its remedy, never with a traceback."""

    @app.exception_handler(VBNError)
    async def refused(request: Request, error: VBNError) -> JSONResponse:
        phrase = _phrasing(request.method)
        remedy = listed([phrase(*one) if not one[0] else f"send {phrase(*one)}" for one in error.remedies]) or None
        closest = error.closest if isinstance(error, UnknownEntityError) else []
        if closest and remedy is None:
            remedy = f"use {listed(closest)}"
        return answer(_kind_of(error), message_of(error, request.method), remedy, closest)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return answer(problems.INVALID, faults(error.errors()), "see /api/v1/openapi.json, or /docs in a browser")

    @app.exception_handler(HTTPException)
    async def misdirected(_: Request, error: HTTPException) -> JSONResponse:
        return misdirection(error)

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> JSONResponse:
        return answer(problems.FAILURE, "the server failed; see its log.")


def answer(kind: Kind, detail: str, remedy: str | None = None, closest: list[str] | None = None) -> JSONResponse:
    """Return a refusal as an answer."""
    found = problem(kind, detail, remedy, closest)
    return JSONResponse(found, kind.status, media_type=problems.MEDIA_TYPE)


def misdirection(error: HTTPException) -> JSONResponse:
    """Return what the framework refused: an address, a method, a body that cannot be read."""
    title = HTTPStatus(error.status_code).phrase
    known = problems.NOT_READY if error.status_code == 503 else Kind("about:blank", error.status_code, title)
    words = f"{error.detail}.".lower() if error.detail == title else f"{error.detail}."
    found = answer(known, words, "ask again in a moment" if known is problems.NOT_READY else None)
    found.headers.update(error.headers or {})
    return found


def message_of(error: VBNError, method: str) -> str:
    """Return an error's message with its remedies as fields of a body (POST) or parameters of a query (GET).

    >>> from vbn import DataError
    >>> error = DataError("nothing is left; send {remedy} or {remedy}", remedies=[("exclude_seen", False), ("user",)])
    >>> message_of(error, "POST")
    'nothing is left; send "exclude_seen": false or "user"'
    >>> message_of(error, "GET")
    'nothing is left; send exclude_seen=false or user='
    """
    return error.told(_phrasing(method))


def faults(found: Any) -> str:
    """Return what is wrong with a request in plain words, without repeating what was sent.

    >>> faults([{"loc": ("query", "k"), "type": "less_than_equal", "msg": "...", "ctx": {"le": 1000}}])
    'k must be at most 1000.'
    """
    told: dict[str, list[str]] = {}
    for fault in found:
        where = told.setdefault(_place(fault["loc"]), [])
        words = _fault(fault)
        if words not in where:
            where.append(words)
    shown = [f"{where} {' or '.join(words)}" for where, words in list(told.items())[:_MOST]]
    return "; ".join(shown) + "."


def _fault(fault: dict[str, Any]) -> str:
    words = _FAULTS.get(fault["type"])
    known = fault.get("ctx") or {}
    if fault["type"] == "value_error":
        return str(known["error"])
    return f"is wrong: {fault['msg'].lower()}" if words is None else words.format(**known)


def _place(where: tuple[Any, ...]) -> str:
    """Return the field that a fault is in, such as pairs[0]; choices between types are no part of it.

    >>> _place(("body", "entities", "list[constrained-str]", 3)), _place(("body", 17))
    ('entities[3]', 'the body')
    """
    parts = [part for part in where[1:] if isinstance(part, int) or _is_field(part)]
    if not parts or isinstance(parts[0], int):  # a place in a text that is not JSON
        return "the body"
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")


def _is_field(part: str) -> bool:
    return part not in _BRANCHES and "[" not in part and not part.startswith("constrained-")


def _kind_of(error: VBNError) -> Kind:
    found = {
        UnknownEntityError: problems.UNKNOWN_NAME,
        problems.ReadOnlyError: problems.READ_ONLY,
        problems.TakenNameError: problems.TAKEN_NAME,
    }
    return next((known for one, known in found.items() if isinstance(error, one)), problems.BAD_QUESTION)


def _phrasing(method: str) -> Callable[..., str]:
    return _in_body if method == "POST" else _in_query


def _in_body(name: str, value: object = None) -> str:
    if not name:
        return _ELSEWHERE.get(str(value), str(value))
    return json.dumps(name) if value is None else f"{json.dumps(name)}: {json.dumps(value, default=str)}"


def _in_query(name: str, value: object = None) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    if not name:
        return text
    return f"{name}=" if value is None else f"{name}={text}"
