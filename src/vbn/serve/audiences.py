"""Routes about users: who may like an item, and why an item may suit a user."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from vbn.inference import Reasons
from vbn.serve import answers as answer
from vbn.serve import schemas as out
from vbn.serve.shared import Current

router = APIRouter(tags=["Questions"])

RankBy = Literal["probability", "mean", "lower"]


class ReasonTerm(BaseModel):
    """A part of a sum, and the entity that it comes from, if it is one."""

    kind: str
    value: float
    entity: str | None = None
    label: str | None = None
    count: float | None = None


class Why(out.Answered):
    """Why an item may suit a user: `terms` add up to `logit`, `item_terms` to what both vectors add to it."""

    user: str
    item: str
    user_label: str | None
    item_label: str | None
    probability: float
    std: float
    base_rate: float
    logit: float
    terms: list[ReasonTerm]
    item_terms: list[ReasonTerm]
    variance: dict[str, float]
    text: str = Field(description="The same in words.")


@router.get("/audience", summary="Who may like an item")
def audience(
    served: Current, item: out.Name, k: out.K = 100, exclude_seen: bool = True, rank_by: RankBy = "probability"
) -> out.Answers:
    """The users that go best with an item, also one that nobody has had yet; without those who have it."""
    found = served.model.audience(item, k, exclude_seen=exclude_seen, rank_by=rank_by)
    return answer.answers(served, found, "row")


@router.get("/reasons", summary="Why an item may suit a user")
def reasons(served: Current, user: out.Name, item: out.Name, k: out.K = 5) -> Why:
    """By the items of the user and by the parents of the item, and how sure it is."""
    found: Reasons = served.model.explain(user, item, k=k)
    return Why(model=served.id, **answer.finite(found.to_dict()), text=str(found))
