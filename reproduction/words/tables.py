"""The experiments on words as tables, verdicts and examples of a report, the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reproduction.judging import intervals
from reproduction.models import NO_PARAMETER
from reproduction.paper_numbers import ANTONYMS, INFERENCE, NEAREST, OPPOSITES, PERCENTILES, SIMILARITY
from reproduction.results import Cell, Row, Table, Texts, Verdicts
from reproduction.runs import dial_given, label
from reproduction.tables import DOMINATED, NOT_WORSE, standing
from reproduction.words.antonyms import SHARES, AntonymResult
from reproduction.words.completion import AVERAGE, DIALS, FOUR, NEUTRAL, SHOWN, CompletionResult
from reproduction.words.corpus import SETS
from reproduction.words.rivals import BESIDE, OPPOSITE, RARE
from reproduction.words.similarity import SimilarityResult
from vbn.inference import Dial


def cell(values: np.ndarray, paper: float | None = None) -> Cell:
    """Mean and spread over seeds."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Cell(float(np.mean(values)), spread, paper)


def similarity_table(found: SimilarityResult) -> Table:
    """Spearman by set and model: known pairs, rare pairs, and all pairs with absent words cold."""
    groups = (("known pairs", "reports", False), ("rare pairs", "reports", True), ("all pairs", "unseen", False))
    rows = [_similarity_row(found, model, *group) for group in groups for model in found.scores]
    known = sum(int(pairs.reports.sum()) for pairs in found.pairs.values())
    every = sum(int(pairs.unseen.sum()) for pairs in found.pairs.values())
    return Table(
        "Word similarity, Spearman x 100",
        (*SETS.values(), "AVG"),
        tuple(rows),
        f"On the half of the pairs that chose nothing: {known:,} with both words in the corpus, {every:,} with those "
        "of absent words, which are cold. The rarer word of a rare pair occurs at most five times. Retrofitting, "
        "averaging and the graph alone know the same graph as VBN; its senses are weighted by WordNet's tag counts, "
        "which derive largely from SemCor.",
        role="similarity",
        grouped=True,
    )


def _similarity_row(found: SimilarityResult, model: str, group: str, which: str, rare: bool) -> Row:
    part = None if which == "unseen" else "rare" if rare else "full"
    by_set = found.correlations(model, which, rare)
    cells = [cell(by_set[key], SIMILARITY.get((model, name, part or ""))) for key, name in SETS.items()]
    average = cell(found.average(model, which, rare), SIMILARITY.get((model, "AVG", part or "")))
    return Row(model, (*cells, average), group, ours=model.startswith("VBN"))


def graph_or_corpus(found: SimilarityResult) -> Table:
    """For each set, how much is graph and how much is corpus."""
    graph, corpus, ours = (found.correlations(name) for name in ("Graph alone", "BSG", "VBN"))
    rows = [
        Row(
            name,
            (
                cell(corpus[key]),
                cell(graph[key]),
                cell(ours[key]),
                Cell(float(ours[key].mean() - corpus[key].mean())),
                Cell(float(ours[key].mean() - graph[key].mean())),
            ),
        )
        for key, name in SETS.items()
    ]
    return Table(
        "How much is graph, how much is corpus",
        ("corpus alone (BSG)", "graph alone", "VBN", "the graph adds", "the corpus adds"),
        tuple(rows),
        "Known pairs. What the graph adds is VBN less the same engine without a graph; what the corpus adds is VBN "
        "less the similarity of ancestors, which has seen no text.",
        best=("none",) * 5,
    )


def similarity_verdicts(found: SimilarityResult) -> Verdicts:
    """VBN against every rival on the average of the sets."""
    rivals = [model for model in found.scores if not model.startswith("VBN")]
    lines = tuple((found.difference("VBN", rival), found.difference("VBN", rival, rare=True)) for rival in rivals)
    return Verdicts(
        "VBN less its rivals, word similarity",
        ("average, known pairs", "average, rare pairs"),
        tuple(rivals),
        lines,
        "95 % intervals of a paired bootstrap over pairs within each set.",
        role="similarity",
    )


def similarity_verdicts_without(found: SimilarityResult) -> Verdicts:
    """`VBN()` against every rival, and against VBN as it was tuned."""
    rivals = ["VBN", *(model for model in found.scores if not model.startswith("VBN"))]
    ours = NO_PARAMETER
    lines = tuple((found.difference(ours, rival), found.difference(ours, rival, rare=True)) for rival in rivals)
    return Verdicts(
        f"{NO_PARAMETER}, less the tuned VBN and its rivals, word similarity",
        ("average, known pairs", "average, rare pairs"),
        tuple(rivals),
        lines,
        "95 % intervals of a paired bootstrap over pairs within each set.",
        role="similarity, no parameter",
    )


def antonym_table(found: AntonymResult) -> Table:
    """HR@0.2%, HR@1% and MPR of opposites, by way of ranking."""
    figures = (*SHARES, "MPR")
    rows = tuple(
        Row(
            model,
            tuple(cell(found.by_seed(model, figure), ANTONYMS.get((model, figure))) for figure in figures),
            ours=model == "VBN",
        )
        for model in found.above
    )
    return Table(
        "Antonyms",
        figures,
        rows,
        f"{len(found.questions):,} questions, both directions of {len(found.questions) // 2:,} held-out pairs; "
        f"{found.learned:,} pairs were learned from. Candidates: the {found.catalogue:,} words of the corpus less the "
        "word itself and its known opposites. The paper had 4,373 pairs, WordNet has 1,148 within this vocabulary.",
        role="antonyms",
    )


def example_texts(similar: SimilarityResult, opposites: AntonymResult, counts: Mapping[str, int]) -> tuple[Texts, ...]:
    """The paper's qualitative tables as they come out here."""
    near = [
        (f"{model}, {way}", ", ".join(words))
        for model, example in similar.examples.items()
        for way, words in example["near"].items()
    ]
    near += [(f"{model}, paper", ", ".join(words)) for model, words in NEAREST[RARE].items()]
    beside = [
        (f"{RARE}, given {query}", *(_shown(similar.examples[model]["beside"][query]) for model in similar.examples))
        for query in BESIDE
    ]
    beside += [
        (f"{rare}, given {query}: paper", *(_shown(found.get(model)) for model in similar.examples))
        for (query, rare), found in PERCENTILES.items()
        if rare == RARE
    ]
    first = [(model, ", ".join(words)) for model, words in opposites.first.items() if words]
    first += [(f"{model}, paper", ", ".join(words)) for model, words in OPPOSITES[OPPOSITE].items()]
    return (
        Texts(f"Nearest to {RARE}", ("model", "words"), tuple(near), f"Its count is {counts.get(RARE, 0)}."),
        Texts(f"Percentile rank of {RARE}", ("pair", *similar.examples), tuple(beside), "100 is the top, 50 chance."),
        Texts(f"First answers for {OPPOSITE}", ("ranking", "words"), tuple(first)),
    )


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def plain_table(title: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[float]]], text: str) -> Table:
    """A table of single runs."""
    lines = tuple(Row(name, tuple(Cell(value) for value in values)) for name, values in rows)
    return Table(title, tuple(columns), lines, text)


Triple = tuple[float, float, float]
TITLES = tuple(f"{figure}, {part}" for figure, part in FOUR)
AS_IN_THE_PAPER = "as in the paper: averaged queries, no dial"
CHOSEN = "asked in the way that was best on validation sentences"
Place = tuple[str, int]


def places(ranking: Mapping[str, Mapping[str, Any]]) -> dict[str, Place]:
    """Where each model is asked: the way that suits it best and the position of its dial, by its name."""
    return {name: (f"{name}, {ranking[key]['query']}", DIALS.index(_dial(ranking[key]))) for key, name in SHOWN.items()}


def _dial(ranking: Mapping[str, Any]) -> Dial:
    return dial_given(ranking)


_AVERAGED: dict[str, Place] = {name: (f"{name}, {AVERAGE}", NEUTRAL) for name in SHOWN.values()}


_GIVEN_NOTHING: Place = (NO_PARAMETER, NEUTRAL)


def _lines(ranking: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Place]]:
    """By group, the name of each line and where it stands in the results."""
    best = places(ranking)
    chosen = {"VBN": best["VBN"], NO_PARAMETER: _GIVEN_NOTHING, **best, "Popularity": ("Popularity", NEUTRAL)}
    return {CHOSEN: chosen, AS_IN_THE_PAPER: _AVERAGED}


def completion_table(found: CompletionResult, ranking: Mapping[str, Mapping[str, Any]]) -> Table:
    """HR@10% and MPR of hidden words, over all and over rare ones."""
    rows = []
    for group, lines in _lines(ranking).items():
        for name, (model, dial) in lines.items():
            papers = [INFERENCE.get(("words", name, *column)) if group == CHOSEN else None for column in FOUR]
            cells = [cell(found.by_seed(model, *c, dial), paper) for c, paper in zip(FOUR, papers, strict=True)]
            asked = _label(found, model, dial) if group == CHOSEN and name in SHOWN.values() else ""
            asked = "folded in, dial of the fit" if name == NO_PARAMETER else asked
            ranks = group == CHOSEN or name != "VBN"
            rows.append(Row(name, tuple(cells), group, asked, ours=name in ("VBN", NO_PARAMETER), ranks=ranks))
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
            found,
            "averaged queries, no dial",
            _AVERAGED["VBN"],
            {name: _AVERAGED[name] for name in papers},
            "as in the paper",
        ),
        _against(found, "no parameter given", _GIVEN_NOTHING, {name: best[name] for name in papers}, "no parameter"),
        _against(found, "no parameter given", _GIVEN_NOTHING, {"VBN": best["VBN"]}, "no parameter, tuned"),
    )


def _against(found: CompletionResult, way: str, own: Place, theirs: Mapping[str, Place], role: str) -> Verdicts:
    whom = {"all": "every rival", "no parameter, tuned": "VBN as it was tuned"}.get(role, "the paper's rivals")
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
        f"Our lead over each rival at the position, of {len(ours)} (in all ways to ask), where the smallest of the "
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
    ways = [model for model in found.above if model.startswith("VBN") and model != NO_PARAMETER]
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
    """Mean leads and their intervals, sentences resampled; all that has the same cases is resampled together."""
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
