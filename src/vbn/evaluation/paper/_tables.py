"""Tables and verdicts of a domain of users and items, from pooled ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vbn.evaluation.paper._bootstrap import intervals
from vbn.evaluation.paper._figures import MAIN
from vbn.evaluation.paper._models import Model
from vbn.evaluation.paper._paper_numbers import INFERENCE
from vbn.evaluation.paper._pool import FULL, RARE, Pool
from vbn.evaluation.paper._reliability import AS_TRAINED, MEANS, TEMPERATURE
from vbn.evaluation.paper._results import Cell, Row, Table, Verdicts

Triple = tuple[float, float, float]

FOUR = tuple((figure, part) for part in (FULL, RARE) for figure in MAIN)
"""The paper's four columns: HR@10% and MPR, full and rare."""


def titles(columns: tuple[tuple[str, str], ...] = FOUR) -> tuple[str, ...]:
    """Headings such as "HR@10% rare"."""
    return tuple(f"{figure} {part}" for figure, part in columns)


def paper_table(domain: str, models: tuple[Model, ...], pool: Pool) -> Table:
    """The paper's table of inference tasks, one domain of it: its models, its numbers beside ours."""
    papers = {model.key: model.paper for model in models} | {"vbn": "VBN", "vbn-items": ""}
    rows = [
        Row(
            model.name,
            tuple(
                pool.cell(model.key, figure, part, paper=INFERENCE.get((domain, papers[model.key], figure, part)))
                for figure, part in FOUR
            ),
            note=_note(model, pool),
            ours=model.key in ("vbn", "vbn-items"),
            ranks=model.key != "vbn-items",
        )
        for model in models
        if model.paper or model.key in ("vbn", "bsg")
    ]
    return Table(
        "The paper's models",
        titles(),
        tuple(sorted(rows, key=lambda row: not row.ranks)),
        text="All were tuned on validation data, which for VBN and for VBN without its taxonomy also chose the rows "
        "(users, items or both) and the position of the dial. The paper has items x items, asked by the average of "
        "what a user has: so do SG, SG-R, BSG, BSG-R and, in the last line, VBN, which there takes no part in the "
        "choice of the winner. The paper's numbers are those of its own data.",
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
            ours=model.key == "vbn",
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


def verdicts(title: str, ours: Model, rivals: tuple[Model, ...], pool: Pool, role: str = "all") -> Verdicts:
    """Differences of our model from each rival, with the intervals of the paired bootstrap by user."""
    there = tuple(rival for rival in rivals if rival.key in pool.records)
    columns = [column for part in (FULL, RARE) for column in _differences(ours, there, pool, part)]
    lines = tuple(
        tuple(None if column is None else triple(column[number]) for column in columns) for number in range(len(there))
    )
    return Verdicts(
        title,
        titles(),
        tuple(rival.name for rival in there),
        lines,
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


def _differences(ours: Model, rivals: tuple[Model, ...], pool: Pool, part: str) -> list[np.ndarray | None]:
    """Intervals of HR@10% and MPR over a slice, each of shape (rivals, 3); None where it has no cases."""
    user = pool.users(part)
    if not len(user) or not rivals:
        return [None] * len(MAIN)
    columns = []
    for figure in MAIN:
        own = np.concatenate(pool.values(ours.key, figure, part))
        columns += [own - np.concatenate(pool.values(rival.key, figure, part)) for rival in rivals]
    return list(intervals(user, np.stack(columns, axis=1)).reshape(len(MAIN), len(rivals), 3))


def triple(line: np.ndarray) -> Triple:
    """Difference, lower and upper end."""
    return float(line[0]), float(line[1]), float(line[2])


def _cold_cell(model: Model, cold: Pool, figure: str) -> Cell:
    return cold.cell(model.key, figure, FULL) if model.asking.prior else Cell()


def _note(model: Model, pool: Pool) -> str:
    if model.key not in pool.records:
        return f"{model.package} is not installed" if not model.installed else "not run"
    return ""
