"""What the operations of the service share: the state of the server, and the model that a request is answered by."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request

from vbn.serve.schemas import Problem
from vbn.serve.served import Served
from vbn.serve.state import State


async def _state(request: Request) -> State:  # not on a thread: these may all be taken
    found: State = request.app.state.vbn
    return found


async def _served(request: Request) -> Served:
    """Choose the model of a request once; the header of the answer names it."""
    found: Served = request.app.state.vbn.holder.current
    request.scope["vbn.served"] = found
    return found


async def _writable(request: Request) -> State:
    found: State = request.app.state.vbn
    found.need_writable()
    return found


Shared = Annotated[State, Depends(_state)]  # settings, holder, writer, metrics
Current = Annotated[Served, Depends(_served)]  # the model, the same from the beginning of a request to its end
Writable = Annotated[State, Depends(_writable)]  # as Shared; refuses where the server is read-only


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of refusals."""
    return {code: {"model": Problem} for code in statuses}
