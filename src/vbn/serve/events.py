"""Events over REST: taken together while others are being written, observed, on disk, and only then acknowledged."""

from __future__ import annotations

from asyncio import wrap_future
from collections import deque
from concurrent.futures import Future
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Depends, Request
from pydantic import Discriminator, Field, Tag

from vbn._errors import ParameterError
from vbn.data import Events, Triple
from vbn.estimators import Observes
from vbn.inference import known_events
from vbn.serve.schemas import Answered, Asked, Name, Weight
from vbn.serve.shared import Writable
from vbn.serve.state import State

MOST_EVENTS = 10_000
_AT_ONCE = 50_000  # events of waiting requests that are written together
router = APIRouter(tags=["Changes"])


def _form(event: object) -> str:
    """Return which of two forms an event has, so that faults are told of that one alone."""
    return "weighted" if isinstance(event, list | tuple) and len(event) > 2 else "plain"


Event = Annotated[
    Annotated[tuple[Name, Name], Tag("plain")] | Annotated[tuple[Name, Name, Weight], Tag("weighted")],
    Discriminator(_form),
]


class Observed(Asked):
    """Events, such as [["u17", "Heat"], ["u17", "Casino", 2]]: a row, a column and, if it is not 1, a weight."""

    events: Annotated[list[Event], Field(min_length=1, max_length=MOST_EVENTS)]
    missing: Literal["error", "skip"] = Field("error", description="What to do about unknown columns.")


class Acknowledged(Answered):
    """How many events were observed; they are on disk if the model is."""

    observed: int
    skipped: int
    new_rows: int


class _Waiting(NamedTuple):
    events: list[Triple]
    skip: bool
    answer: Future[Acknowledged]


class Inbox:
    """Requests that wait for the one thread that writes; those that have come meanwhile are written together."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._waiting: deque[_Waiting] = deque()

    def put(self, events: list[Triple], skip: bool) -> Future[Acknowledged]:
        """Let events be observed, and return what will be answered."""
        waiting = _Waiting(events, skip, Future())
        self._waiting.append(waiting)
        self._state.writer.submit(self._write)
        return waiting.answer

    def _write(self) -> None:
        """Observe what waits; nothing, if an earlier call took it along."""
        taken: list[_Waiting] = []
        while self._waiting and sum(len(one.events) for one in taken) < _AT_ONCE:
            one = self._waiting.popleft()
            if one.answer.set_running_or_notify_cancel():  # else the caller is gone
                taken.append(one)
        if taken and not self._written(taken):
            for one in taken:  # one of them is at fault, and the others should not suffer
                self._written([one])

    def _written(self, taken: list[_Waiting]) -> bool:
        """Observe events as one batch; if that fails, tell the caller if there is only one, or else return False."""
        try:
            answers = self._observed(taken)
        except Exception as error:  # noqa: BLE001 - whoever waits is told
            if len(taken) > 1:
                return False
            taken[0].answer.set_exception(error)
            return True
        for one, answer in zip(taken, answers, strict=True):
            one.answer.set_result(answer)
        return True

    def _observed(self, taken: list[_Waiting]) -> list[Acknowledged]:
        holder = self._state.holder
        trained = holder.current.trained
        known = [known_events(trained, Events.of(one.events), one.skip).triples() for one in taken]
        holder.observe([event for events in known for event in events])
        answers: list[Acknowledged] = []
        met: set[str] = set()
        for one, events in zip(taken, known, strict=True):
            new = {row for row, _, _ in events if row not in trained.rows} - met
            met |= new
            skipped = len(one.events) - len(events)
            name = holder.current.id
            answers.append(Acknowledged(model=name, observed=len(events), skipped=skipped, new_rows=len(new)))
        return answers


async def _inbox(request: Request, state: Writable) -> Inbox:
    if not isinstance(state.holder.current.model, Observes):
        raise ParameterError("this model has no densities that events could update; serve a VBN model.")
    found = getattr(request.app.state, "vbn_inbox", None)
    if found is None:
        found = request.app.state.vbn_inbox = Inbox(state)
    inbox: Inbox = found
    return inbox


@router.post("/events", summary="Events that just happened")
async def observe(inbox: Annotated[Inbox, Depends(_inbox)], asked: Observed) -> Acknowledged:
    """Update the densities of the rows and columns that they touch. Needs a writable server.

    Events of a served folder are in its journal, on disk, before they are acknowledged. A row that is not known yet
    gets a density; a column must be known.
    """
    events = [(event[0], event[1], float(event[2]) if len(event) == 3 else 1.0) for event in asked.events]
    return await wrap_future(inbox.put(events, asked.missing == "skip"))
