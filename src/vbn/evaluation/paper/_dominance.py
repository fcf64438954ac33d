"""Whether one trained model, at some position of its dial, is at least as good as a rival in all four figures.

The best position is chosen on the very cases that it is judged by, which flatters it. So the same is said of a position
that other users' cases chose, and of the one that the tables show, which validation data chose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vbn.evaluation.paper._bootstrap import intervals_of_sums
from vbn.evaluation.paper._models import Model
from vbn.evaluation.paper._pool import FULL, RARE, Pool
from vbn.evaluation.paper._positions import label, positions
from vbn.evaluation.paper._results import Verdicts
from vbn.evaluation.paper._tables import FOUR, Triple, titles, triple

DOMINATED, NOT_WORSE, NOT_DOMINATED = "dominated", "level or better", "not dominated"
ABOUT = ("best position", "there", "chosen on other users", "position of the tables")


def standing(line: Sequence[Triple | None]) -> str:
    """A rival's standing in words, by our leads over it and their intervals; empty where nothing was compared.

    Examples
    --------
    >>> standing([(0.1, -0.2, 0.4), (0.0, 0.0, 0.0)]), standing([(-0.1, -0.3, 0.1)]), standing([(-0.5, -0.9, -0.1)])
    ('dominated', 'level or better', 'not dominated')
    """
    known = [entry for entry in line if entry is not None]
    if not known:
        return ""
    if all(lead >= 0 for lead, _, _ in known):
        return DOMINATED
    return NOT_DOMINATED if any(high < 0 for _, _, high in known) else NOT_WORSE


def dominance(
    ours: Model, rivals: tuple[Model, ...], pool: Pool, title: str = "One model and its dial against each rival"
) -> Verdicts:
    """For each rival the position of our dial whose smallest lead over it, of four, is largest."""
    there = tuple(rival for rival in rivals if rival.key in pool.records and rival.key != ours.key)
    places = positions(pool.records[ours.key][0])
    slices = [_Slice.of(pool, ours, there, figure, part, len(places)) for figure, part in FOUR]
    everybody = np.ones(len(slices[0].cases), dtype=bool)
    half = np.arange(len(everybody)) % 2 == 1
    best = _best(slices, everybody)
    swapped = np.where(half, _best(slices, ~half)[:, None], _best(slices, half)[:, None])
    chosen = [np.repeat(best[:, None], len(half), axis=1), swapped, np.zeros_like(swapped)]
    found = _differences(slices, chosen)
    remarks = tuple(
        (label(places[best[number]]), *(standing(lines[number]) for lines in found)) for number in range(len(there))
    )
    return Verdicts(
        title,
        titles(),
        tuple(rival.name for rival in there),
        tuple(found[0]),
        f"Our lead over each rival at the position of the popularity dial, of {len(places)}, where the smallest of the "
        f"four leads is largest, with 95 % intervals. A rival is {DOMINATED} where all four leads are at least 0; ours "
        f"is {NOT_WORSE} where no interval lies below 0. The best position was chosen on these cases, which flatters; "
        "beside it stands what comes out where one half of the users chooses the position for the other half, and at "
        f"the one position of the tables, which validation data chose. Maskings: {len(pool.cases)}, rare cases: "
        f"{pool.number(RARE):,}.",
        role="dominance",
        about=ABOUT,
        remarks=remarks,
    )


@dataclass(frozen=True)
class _Slice:
    """One figure of one slice, summed by user: ours at each position, each rival's, and the number of cases."""

    ours: np.ndarray
    rivals: np.ndarray
    cases: np.ndarray

    @classmethod
    def of(cls, pool: Pool, ours: Model, rivals: tuple[Model, ...], figure: str, part: str, places: int) -> _Slice:
        n = 1 + max(int(cases.user.max()) for cases in pool.cases)
        user = pool.users(part)

        def summed(key: str, variant: int = 0) -> np.ndarray:
            return np.bincount(user, np.concatenate(pool.values(key, figure, part, variant)), minlength=n)

        own = [summed(ours.key, place) for place in range(places)]
        theirs = [summed(rival.key) for rival in rivals]
        return cls(np.array(own), np.array(theirs).reshape(len(rivals), n), np.bincount(user, minlength=n))

    def leads(self, users: np.ndarray) -> np.ndarray:
        """Mean leads, of shape (rivals, positions); infinite where these users have no cases, which decides nothing."""
        cases = self.cases[users].sum()
        own, theirs = self.ours[:, users].sum(axis=1), self.rivals[:, users].sum(axis=1)
        return (own[None, :] - theirs[:, None]) / cases if cases else np.full((len(theirs), len(own)), np.inf)


def _best(slices: list[_Slice], users: np.ndarray) -> np.ndarray:
    """For each rival the position with the largest smallest lead among some users."""
    least = np.min([one.leads(users) for one in slices], axis=0)
    return np.asarray(np.argmax(least, axis=1))


def _differences(slices: list[_Slice], choices: list[np.ndarray]) -> list[list[tuple[Triple | None, ...]]]:
    """Leads and intervals by choice, rival and slice; a choice is a position for each (rival, user).

    All that has the same cases is drawn together: drawing users is what takes time.
    """
    rivals = len(slices[0].rivals)
    found = np.full((len(choices), rivals, len(slices), 3), np.nan)
    for part in (FULL, RARE):
        members = [number for number, (_, name) in enumerate(FOUR) if name == part]
        cases = slices[members[0]].cases
        if cases.any() and rivals:
            sums = np.concatenate([_leads(slices[member], choice) for choice in choices for member in members], axis=1)
            drawn = intervals_of_sums(sums, cases).reshape(len(choices), len(members), rivals, 3)
            found[:, :, members] = drawn.transpose(0, 2, 1, 3)
    return [[tuple(None if np.isnan(e[0]) else triple(e) for e in line) for line in lines] for lines in found]


def _leads(one: _Slice, choice: np.ndarray) -> np.ndarray:
    """The sum of each user's leads over each rival, of shape (users, rivals)."""
    users = np.arange(choice.shape[1])
    return np.asarray(np.stack([one.ours[line, users] for line in choice], axis=1) - one.rivals.T)
