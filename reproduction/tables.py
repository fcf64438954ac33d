"""Tables and verdicts of a domain of users and items, from pooled ranks, and which rivals the dial dominates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.judging import MAIN, intervals, intervals_of_sums
from reproduction.models import NO_PARAMETER, Model
from reproduction.paper_numbers import INFERENCE
from reproduction.pool import FULL, RARE, Pool
from reproduction.reliability import AS_TRAINED, MEANS, TEMPERATURE
from reproduction.results import Cell, Row, Table, Verdicts
from reproduction.runs import label, positions

Triple = tuple[float, float, float]

Columns = tuple[tuple[str, str], ...]

FOUR: Columns = tuple((figure, part) for part in (FULL, RARE) for figure in MAIN)
"""The paper's four columns: HR@10% and MPR, full and rare."""


FIRST_TEN = (("HR@10", FULL), ("NDCG@10", FULL))
"""What counts where ten items are shown."""


def titles(columns: Columns = FOUR) -> tuple[str, ...]:
    """Headings such as "HR@10% rare"."""
    return tuple(f"{figure} {part}" for figure, part in columns)


def paper_table(domain: str, models: tuple[Model, ...], pool: Pool) -> Table:
    """The paper's table of inference tasks, one domain of it: its models, its numbers beside ours."""
    papers = {model.key: model.paper for model in models} | {"vbn": "VBN", "vbn-items": ""}
    ours = ("vbn", "vbn-default", "vbn-items")
    rows = [
        Row(
            model.name,
            tuple(
                pool.cell(model.key, figure, part, paper=INFERENCE.get((domain, papers[model.key], figure, part)))
                for figure, part in FOUR
            ),
            note=_note(model, pool),
            ours=model.key in ours,
            ranks=model.key != "vbn-items",
        )
        for model in models
        if model.paper or model.key in ("vbn", "vbn-default", "bsg")
    ]
    return Table(
        "The paper's models",
        titles(),
        tuple(sorted(rows, key=lambda row: not row.ranks)),
        text=f"All but '{NO_PARAMETER}' were tuned on validation data, which for VBN and for VBN without its taxonomy "
        "also chose the rows (users, items or both) and the position of the dial. The paper has items x items, asked "
        "by the average of what a user has: so do SG, SG-R, BSG, BSG-R and, in the last line, VBN, which there takes "
        "no part in the choice of the winner. The paper's numbers are those of its own data.",
        role="inference",
    )


def all_table(models: tuple[Model, ...], pool: Pool, cold: Pool) -> Table:
    """Every model in every figure."""
    columns = (*FOUR[:2], ("HR@10", FULL), ("NDCG@10", FULL), *FOUR[2:])
    within = cold.within()
    rows = tuple(
        Row(
            model.name,
            (
                *(pool.cell(model.key, figure, part) for figure, part in columns),
                *(_cold_cell(model, cold, figure) for figure in MAIN),
                _cold_cell(model, within, "MPR"),
                pool.seconds(model.key),
            ),
            model.group,
            _note(model, pool),
            ours=model.key in ("vbn", "vbn-default"),
        )
        for model in models
    )
    return Table(
        "All models",
        (*titles(columns), *(f"{figure} cold" for figure in MAIN), "MPR among cold", "seconds"),
        rows,
        text=f"{pool.number(FULL):,} cases, maskings: {len(pool.cases)}; {pool.number(RARE):,} cases are rare (targets "
        f"among the 20 % of the items that are least frequent in training); {cold.number(FULL):,} cases of items whose "
        "interactions were all removed (cold; \u2013 for models that have no score for items without data). A model "
        "that puts all cold items first does well in the cold columns; 'among cold' ranks them among each other only, "
        "where 50 is chance. After ±, one standard deviation over seeds. Seconds are those of one training.",
        best=("high",) * (len(columns) + len(MAIN) + 1) + ("low",),
    )


def verdicts(
    title: str,
    ours: Model,
    rivals: tuple[Model, ...],
    pool: Pool,
    role: str = "all",
    *,
    cold: Pool | None = None,
    columns: Columns = FOUR,
) -> Verdicts:
    """Differences of our model from each rival, with the intervals of the paired bootstrap by user.

    With `cold`, the MPR of cold items among each other comes last, for rivals that have a score for them.
    """
    there = tuple(rival for rival in rivals if rival.key in pool.records)
    lines = compared(ours, there, pool, columns)
    if cold is not None:
        with_prior = tuple(rival for rival in there if rival.asking.prior)
        found = compared(ours, with_prior, cold.within(), (("MPR", FULL),))
        last = {rival.key: line for rival, line in zip(with_prior, found, strict=True)}
        lines = [(*line, *last.get(rival.key, (None,))) for rival, line in zip(there, lines, strict=True)]
    return Verdicts(
        title,
        (*titles(columns), *(("MPR among cold",) if cold is not None else ())),
        tuple(rival.name for rival in there),
        tuple(lines),
        f"{ours.name} minus the rival, in points, with the 95 % interval of the paired bootstrap by user: ahead where "
        "it lies above 0, level where it contains 0.",
        role,
    )


def reliability_table(models: tuple[Model, ...], pool: Pool) -> Table:
    """Whether predicted probabilities come true, for each reading of each model that predicts any."""
    return reliability_lines(
        "Do the probabilities come true?",
        "items",
        {model.name: reliabilities(model.key, pool) for model in models},
        next((model.name for model in models if model.key == "vbn"), ""),
        "Hidden pairs against noise pairs drawn as in training, one masking for each seed; lower is better. 'Means "
        "alone' leaves the variances out of the prediction; 'one temperature' divides the logits by a number that the "
        "pairs of other users chose.",
    )


def reliability_lines(
    title: str, things: str, found: Mapping[str, list[dict[str, Any]]], ours: str, text: str
) -> Table:
    """The same from what `of_pairs` says of each model, by its name and one for each seed; `ours` is set apart."""
    rows = []
    for name, kept in found.items():
        for reading in (AS_TRAINED, TEMPERATURE, MEANS):
            facts = [one[reading] for one in kept if reading in one]
            rare = [one["rare"] for one in facts if one["rare"]]
            cells = [over_seeds([one[figure] for one in facts]) for figure in ("ece", "log_loss", "brier")]
            cells += [over_seeds([one[figure] for one in rare]) for figure in ("ece", "log_loss")]
            if facts:
                rows.append(Row(f"{name}, {reading}", tuple(cells), ours=name == ours))
    columns = (
        "calibration error",
        "log loss",
        "Brier",
        f"calibration error, rare {things}",
        f"log loss, rare {things}",
    )
    return Table(title, columns, tuple(rows), text, best=("low",) * 5, digits=3)


def reliabilities(key: str, pool: Pool) -> list[dict[str, Any]]:
    """The facts about a model's probabilities, one for each seed; none for models that predict none."""
    records = pool.records.get(key, [])[: pool.seeds]
    return [record.facts["reliability"] for record in records if "reliability" in record.facts]


def over_seeds(values: list[float]) -> Cell:
    """Mean and standard deviation."""
    if not values:
        return Cell()
    return Cell(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None)


def four(pool: Pool, key: str, variant: int = 0) -> np.ndarray:
    """HR@10% and MPR, full and rare."""
    return np.array([pool.mean(key, figure, part, variant) for figure, part in FOUR])


def compared(
    ours: Model, rivals: tuple[Model, ...], pool: Pool, columns: Columns = FOUR
) -> list[tuple[Triple | None, ...]]:
    """For each rival our lead and its interval in each column; None where a column has no cases.

    All that has the same cases is drawn together: drawing users is what takes time.
    """
    found: list[list[Triple | None]] = [[None] * len(columns) for _ in rivals]
    for part in dict.fromkeys(part for _, part in columns):
        user = pool.users(part)
        members = [number for number, column in enumerate(columns) if column[1] == part]
        if not len(user) or not rivals:
            continue
        leads = []
        for member in members:
            own = np.concatenate(pool.values(ours.key, columns[member][0], part))
            leads += [own - np.concatenate(pool.values(rival.key, columns[member][0], part)) for rival in rivals]
        drawn = intervals(user, np.stack(leads, axis=1)).reshape(len(members), len(rivals), 3)
        for member, lines in zip(members, drawn, strict=True):
            for line, entry in zip(found, lines, strict=True):
                line[member] = triple(entry)
    return [tuple(line) for line in found]


def triple(line: np.ndarray) -> Triple:
    """Difference, lower and upper end."""
    return float(line[0]), float(line[1]), float(line[2])


def _cold_cell(model: Model, cold: Pool, figure: str) -> Cell:
    return cold.cell(model.key, figure, FULL) if model.asking.prior else Cell()


def _note(model: Model, pool: Pool) -> str:
    if model.key not in pool.records:
        return f"{model.package} is not installed" if not model.installed else "not run"
    return ""


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
    found = _differences_of_slices(slices, chosen)
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


def _differences_of_slices(slices: list[_Slice], choices: list[np.ndarray]) -> list[list[tuple[Triple | None, ...]]]:
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
