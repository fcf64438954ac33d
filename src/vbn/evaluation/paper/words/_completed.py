"""Sentence completion as tables and verdicts: every model beside the paper's, and our dial against each rival."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vbn.evaluation.paper._bootstrap import intervals
from vbn.evaluation.paper._dominance import DOMINATED, NOT_WORSE, standing
from vbn.evaluation.paper._paper_numbers import INFERENCE
from vbn.evaluation.paper._positions import label
from vbn.evaluation.paper._results import Row, Table, Verdicts
from vbn.evaluation.paper.words._completion import AVERAGE, DIALS, FOUR, NEUTRAL, SHOWN, CompletionResult
from vbn.evaluation.paper.words._tables import cell
from vbn.inference import Dial, read_dial

Triple = tuple[float, float, float]
TITLES = tuple(f"{figure}, {part}" for figure, part in FOUR)
AS_IN_THE_PAPER = "as in the paper: averaged queries, no dial"
CHOSEN = "asked in the way that was best on validation sentences"
Place = tuple[str, int]


def places(ranking: Mapping[str, Mapping[str, Any]]) -> dict[str, Place]:
    """Where each model is asked: the way that suits it best and the position of its dial, by its name."""
    return {name: (f"{name}, {ranking[key]['query']}", DIALS.index(_dial(ranking[key]))) for key, name in SHOWN.items()}


def _dial(ranking: Mapping[str, Any]) -> Dial:
    return read_dial(ranking.get("popularity", 0.0), ranking.get("popularity_floor", 0.0))


_AVERAGED: dict[str, Place] = {name: (f"{name}, {AVERAGE}", NEUTRAL) for name in SHOWN.values()}


def _lines(ranking: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Place]]:
    """By group, the name of each line and where it stands in the results."""
    return {CHOSEN: {**places(ranking), "Popularity": ("Popularity", NEUTRAL)}, AS_IN_THE_PAPER: _AVERAGED}


def completion_table(found: CompletionResult, ranking: Mapping[str, Mapping[str, Any]]) -> Table:
    """HR@10% and MPR of hidden words, over all and over rare ones."""
    rows = []
    for group, lines in _lines(ranking).items():
        for name, (model, dial) in lines.items():
            papers = [INFERENCE.get(("words", name, *column)) if group == CHOSEN else None for column in FOUR]
            cells = [cell(found.by_seed(model, *c, dial), paper) for c, paper in zip(FOUR, papers, strict=True)]
            asked = _label(found, model, dial) if group == CHOSEN and "," in model else ""
            ranks = group == CHOSEN or name != "VBN"
            rows.append(Row(name, tuple(cells), group, asked, ours=name == "VBN", ranks=ranks))
    full, rare = int(found.chosen("full").sum()), int(found.chosen("rare").sum())
    return Table(
        "Sentence completion",
        TITLES,
        tuple(rows),
        f"{full:,} sentences with one hidden word each; {rare:,} hidden words of the least frequent fifth, pooled over "
        f"maskings. Candidates: the whole vocabulary of training ({int(found.others.max()) + 1:,} words at most) less "
        "the other words of the sentence. The dial of VBN, BSG and BSG-R trades all words for rare ones. Above, each "
        "model is asked in the way, and at the position, with the best mean of the four figures on validation "
        "sentences.",
        role="inference",
    )


def rivals(ranking: Mapping[str, Mapping[str, Any]]) -> dict[str, Place]:
    """All but VBN: in the way that suits each best, and once more as in the paper where that is another one."""
    chosen = _lines(ranking)[CHOSEN]
    paper = {f"{name}, as in the paper": place for name, place in _AVERAGED.items() if place != chosen[name]}
    return {name: place for name, place in {**chosen, **paper}.items() if not name.startswith("VBN")}


def completion_verdicts(found: CompletionResult, ranking: Mapping[str, Mapping[str, Any]]) -> tuple[Verdicts, ...]:
    """VBN against its rivals in each figure: all in their best ways, and all as in the paper."""
    best, theirs = places(ranking), rivals(ranking)
    papers = [name for name in SHOWN.values() if name != "VBN"]
    return (
        _against(found, "best way", best["VBN"], theirs, "all"),
        _against(found, "best way", best["VBN"], {name: best[name] for name in papers}, "inference"),
        _against(
            found, "averaged queries, no dial", _AVERAGED["VBN"], {name: _AVERAGED[name] for name in papers},
            "as in the paper",
        ),
    )  # fmt: skip


def _against(found: CompletionResult, way: str, own: Place, theirs: Mapping[str, Place], role: str) -> Verdicts:
    whom = "every rival" if role == "all" else "the paper's rivals"
    return Verdicts(
        f"Sentence completion: VBN ({way}) against {whom}",
        TITLES,
        tuple(theirs),
        _compared(found, [_leads(found, own, rival) for rival in theirs.values()]),
        "VBN minus the rival, in points, with 95 % intervals of a paired bootstrap over sentences.",
        role,
    )


def completion_dominance(found: CompletionResult, ranking: Mapping[str, Mapping[str, Any]]) -> Verdicts:
    """For each rival the position of our dial whose smallest lead over it, of four, is largest."""
    theirs, ours = rivals(ranking), _positions(found)
    shown = ours.index(places(ranking)["VBN"])
    own = {column: np.array([found.each(way, *column, dial) for way, dial in ours]) for column in FOUR}
    odd = {part: found.cases.sentence[found.chosen(part)] % 2 == 1 for part in ("full", "rare")}
    best, leads = [], []
    for place in theirs.values():
        less = {column: own[column] - found.each(place[0], *column, place[1]) for column in FOUR}
        best.append(_best(less, {part: np.ones_like(flags) for part, flags in odd.items()}))
        by_even, by_odd = _best(less, {part: ~flags for part, flags in odd.items()}), _best(less, odd)
        swapped = {c: np.where(odd[c[1]], lines[by_even], lines[by_odd]) for c, lines in less.items()}
        at_best, at_shown = ({c: lines[at] for c, lines in less.items()} for at in (best[-1], shown))
        leads.append([at_best, swapped, at_shown])
    compared = [_compared(found, [line[which] for line in leads]) for which in range(3)]
    return Verdicts(
        "Sentence completion: one model and its dial against each rival",
        TITLES,
        tuple(theirs),
        compared[0],
        f"Our lead over each rival at the position, of {len(ours)} (three ways to ask), where the smallest of the "
        f"four leads is largest, with 95 % intervals. A rival is {DOMINATED} where all four leads are at least 0; ours "
        f"is {NOT_WORSE} where no interval lies below 0. The best position was chosen on these cases, which flatters; "
        "beside it stands what comes out where one half of the sentences chooses the position for the other half, and "
        "at the one position of the tables, which validation sentences chose.",
        role="dominance",
        about=("best position", "there", "chosen on other sentences", "position of the tables"),
        remarks=tuple(
            (_label(found, *ours[best[n]]), *(standing(lines[n]) for lines in compared)) for n in range(len(theirs))
        ),
    )


def _positions(found: CompletionResult) -> list[Place]:
    ways = [model for model in found.above if model.startswith("VBN")]
    return [(way, dial) for way in ways for dial in range(len(found.above[way][0]))]


def _label(found: CompletionResult, way: str, dial: int) -> str:
    asked = way.partition(", ")[2]
    return f"{asked}, {label(DIALS[dial])}" if len(found.above[way][0]) > 1 else asked


def _best(less: Mapping[tuple[str, str], np.ndarray], chosen: Mapping[str, np.ndarray]) -> int:
    """The position with the largest smallest lead over some cases; a column without any decides nothing."""
    means = [lines[:, chosen[c[1]]].mean(axis=1) for c, lines in less.items() if chosen[c[1]].any()]
    return int(np.argmax(np.min(means, axis=0)))


def _leads(found: CompletionResult, ours: Place, rival: Place) -> dict[tuple[str, str], np.ndarray]:
    """What each case adds to our lead, by column."""
    return {c: found.each(ours[0], *c, ours[1]) - found.each(rival[0], *c, rival[1]) for c in FOUR}


def _compared(
    found: CompletionResult, leads: list[dict[tuple[str, str], np.ndarray]]
) -> tuple[tuple[Triple | None, ...], ...]:
    """Mean leads and their intervals, sentences drawn anew; all that has the same cases is drawn together."""
    lines: list[list[Triple | None]] = [[None] * len(FOUR) for _ in leads]
    for part in ("full", "rare"):
        members = [number for number, column in enumerate(FOUR) if column[1] == part]
        at = found.chosen(part)
        if not at.any():
            continue
        each = np.stack([lead[FOUR[member]] for lead in leads for member in members], axis=1)
        drawn = intervals(found.cases.sentence[at], each).reshape(len(leads), len(members), 3)
        for line, triples in zip(lines, drawn.tolist(), strict=True):
            for member, (middle, low, high) in zip(members, triples, strict=True):
                line[member] = middle, low, high
    return tuple(tuple(line) for line in lines)
