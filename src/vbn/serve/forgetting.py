"""DELETE: entities that a served, writable model forgets, in its folder too."""

from __future__ import annotations

from asyncio import get_running_loop
from typing import Annotated

from fastapi import APIRouter, Path

from vbn.serve import schemas as out
from vbn.serve.shared import Writable
from vbn.serve.state import State

router = APIRouter(tags=["Changes"])


@router.delete("/entities/{name:path}", summary="Forget an entity", status_code=204)
async def forget(
    state: Writable, name: Annotated[str, Path(min_length=1, max_length=out.LONGEST_NAME)], side: out.Side = "column"
) -> None:
    """Its density, counts, label, features, edges and name go, from the model's folder too.

    The server must be writable. What others have learned from it stays in their densities until the next training.
    """
    await get_running_loop().run_in_executor(state.writer, _forget, state, name, side)


def _forget(state: State, name: str, side: str) -> None:
    while True:
        served = state.holder.current
        model = served.copy().forget(name, side=side)
        if state.save(model, served, grown=False):  # else another model is served by now
            return
