"""Refusals: what was wrong with a request, always as JSON with an error and the closest names, never a traceback."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from vbn._errors import UnknownEntityError, VBNError


class ReadOnlyError(VBNError):
    """Something was to be saved on a server that does not save."""


def tell_of_problems(app: FastAPI) -> None:
    """Let an application answer what fails in one form."""

    @app.exception_handler(VBNError)
    async def refused(_: Request, error: VBNError) -> JSONResponse:
        if isinstance(error, UnknownEntityError):
            return _answer(404, str(error), error.closest)
        return _answer(403 if isinstance(error, ReadOnlyError) else 400, str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return _answer(422, _told(error))

    @app.exception_handler(HTTPException)
    async def misdirected(_: Request, error: HTTPException) -> JSONResponse:
        found = _answer(error.status_code, f"{error.detail}.".lower())
        found.headers.update(error.headers or {})
        return found

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> JSONResponse:
        return _answer(500, "the server failed; its log says why.")


def _answer(status: int, error: str, closest: list[str] | None = None) -> JSONResponse:
    return JSONResponse({"error": error, "closest": closest or []}, status)


def _told(error: RequestValidationError) -> str:
    """What is wrong with a request, one fault after the other; what was sent is not repeated."""
    faults = []
    for fault in error.errors()[:5]:
        where = ".".join(str(part) for part in _places(fault) if part not in ("body", "query"))
        faults.append(f"{where or 'the body'}: {fault['msg']}")
    return "; ".join(faults) + "."


def _places(fault: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = fault["loc"]
    return found
