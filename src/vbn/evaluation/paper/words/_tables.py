"""The experiments on words as tables, verdicts and examples of a report, the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from vbn.evaluation.paper._paper_numbers import ANTONYMS, NEAREST, OPPOSITES, PERCENTILES, SIMILARITY
from vbn.evaluation.paper._results import Cell, Row, Table, Texts, Verdicts
from vbn.evaluation.paper.words._antonyms import SHARES, AntonymResult
from vbn.evaluation.paper.words._examples import BESIDE, OPPOSITE, RARE
from vbn.evaluation.paper.words._judged import SHOWN
from vbn.evaluation.paper.words._similarity import SimilarityResult


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
        (*SHOWN.values(), "AVG"),
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
    cells = [cell(by_set[key], SIMILARITY.get((model, name, part or ""))) for key, name in SHOWN.items()]
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
        for key, name in SHOWN.items()
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
        (f"{rare}, given {query}: paper", *(_shown(found.get(model.partition(",")[0])) for model in similar.examples))
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
