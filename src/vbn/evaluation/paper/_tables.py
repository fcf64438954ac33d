"""Tables and verdicts of a domain of users and items, from pooled ranks."""

from __future__ import annotations

import numpy as np

from vbn.evaluation.paper._bootstrap import intervals
from vbn.evaluation.paper._figures import MAIN
from vbn.evaluation.paper._models import Model
from vbn.evaluation.paper._paper_numbers import INFERENCE
from vbn.evaluation.paper._pool import FULL, RARE, Pool
from vbn.evaluation.paper._results import Cell, Row, Table, Verdicts

FOUR = tuple((figure, part) for part in (FULL, RARE) for figure in MAIN)
"""The paper's four columns: HR@10% and MPR, full and rare."""


def titles(columns: tuple[tuple[str, str], ...] = FOUR) -> tuple[str, ...]:
    """Headings such as "HR@10% rare"."""
    return tuple(f"{figure} {part}" for figure, part in columns)


def paper_table(domain: str, models: tuple[Model, ...], pool: Pool) -> Table:
    """The paper's table of inference tasks, one domain of it: its models, its numbers beside ours."""
    rows = [
        Row(
            model.name,
            tuple(
                pool.cell(model.key, figure, part, paper=INFERENCE.get((domain, model.paper, figure, part)))
                for figure, part in FOUR
            ),
            note=_note(model, pool),
            ours=model.paper in ("", "VBN"),
            ranks=bool(model.paper),
        )
        for model in models
        if model.paper or model.key == "vbn"
    ]
    return Table(
        "The paper's models",
        titles(),
        tuple(sorted(rows, key=lambda row: not row.ranks)),
        text="Items x items with averaged queries, as in the paper; the paper's numbers, on its own data, in brackets. "
        "The last line has users as entities of their own and does not take part in the choice of the winner.",
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


def verdicts(title: str, ours: Model, rivals: tuple[Model, ...], pool: Pool) -> Verdicts:
    """Differences of our model from each rival, with the intervals of the paired bootstrap by user."""
    there = tuple(rival for rival in rivals if rival.key in pool.records)
    columns = [_differences(ours, there, pool, figure, part) for figure, part in FOUR]
    lines = tuple(
        tuple(None if column is None else _triple(column[number]) for column in columns) for number in range(len(there))
    )
    return Verdicts(
        title,
        titles(),
        tuple(rival.name for rival in there),
        lines,
        f"{ours.name} minus the rival, in points, with the 95 % interval of the paired bootstrap by user: ahead where "
        "it lies above 0, level where it contains 0.",
    )


def dominance(
    ours: Model, rivals: tuple[Model, ...], pool: Pool, title: str = "One model and its dial against each rival"
) -> Table:
    """For each rival the position of our dial whose smallest lead over it, of four, is largest."""
    dial = pool.records[ours.key][0].facts["dial"]
    points = np.array([four(pool, ours.key, variant) for variant in range(len(dial))])
    rows = []
    for rival in rivals:
        if rival.key not in pool.records or rival.key == ours.key:
            continue
        leads = points - four(pool, rival.key)
        best = int(np.argmax(leads.min(axis=1)))
        covered = "dominated" if (leads[best] >= 0).all() else "not dominated"
        cells = tuple(Cell(_number(lead)) for lead in leads[best])
        rows.append(Row(rival.name, cells, note=f"{covered}, dial at {dial[best]:g}"))
    return Table(
        title,
        titles(),
        tuple(rows),
        text="A rival is dominated where one position of the popularity dial of our one trained model is at least as "
        f"good in all four figures; shown is the best position of {len(dial)}, and our lead there in points. "
        f"Maskings: {len(pool.cases)}, rare cases: {pool.number(RARE):,}.",
        best=("none",) * len(FOUR),
    )


def four(pool: Pool, key: str, variant: int = 0) -> np.ndarray:
    """HR@10% and MPR, full and rare."""
    return np.array([pool.mean(key, figure, part, variant) for figure, part in FOUR])


def _differences(ours: Model, rivals: tuple[Model, ...], pool: Pool, figure: str, part: str) -> np.ndarray | None:
    own = np.concatenate(pool.values(ours.key, figure, part))
    if not len(own) or not rivals:
        return None
    others = [np.concatenate(pool.values(rival.key, figure, part)) for rival in rivals]
    return intervals(pool.users(part), own[:, None] - np.stack(others, axis=1))


def _triple(line: np.ndarray) -> tuple[float, float, float]:
    return float(line[0]), float(line[1]), float(line[2])


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _cold_cell(model: Model, cold: Pool, figure: str) -> Cell:
    return cold.cell(model.key, figure, FULL) if model.asking.prior else Cell()


def _note(model: Model, pool: Pool) -> str:
    if model.key not in pool.records:
        return f"{model.package} is not installed" if not model.installed else "not run"
    return ""
