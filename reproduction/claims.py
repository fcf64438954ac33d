"""What the results show, in words computed from them: the report's opening, its claims and whether they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from reproduction.judging import verdict
from reproduction.paper_numbers import MODELS
from reproduction.results import Cell, DomainResult, Picture, Row, Table, Verdicts
from reproduction.tables import DOMINATED

HOLDS, IN_PART, FAILS = "holds", "in part", "does not hold"
RIVALS = tuple(model for model in MODELS if model != "VBN")
WORDS = ("ahead", "level", "behind")
SIMILARITY_BARS = {"AVG": 45.0, "RW": 38.0}
"""Set before anything was measured."""

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Claim:
    """What ought to hold, what came out, and whether it holds: `HOLDS`, `IN_PART` or `FAILS`; `details` by domain."""

    what: str
    found: str
    verdict: str
    details: tuple[str, ...] = ()


def claims(results: tuple[DomainResult, ...]) -> tuple[Claim, ...]:
    """All that can be said of the domains that are there."""
    made = (
        *_paper_tables(results, "inference", "in every column of the inference tasks"),
        *_margins(results),
        *_paper_tables(results, "as in the paper", "also where it is asked as in the paper, without a dial"),
        *_similarity(results),
        *_everybody(results),
        *_dominance(results),
        *_cold(results),
        *_antonyms(results),
    )
    return tuple(made)


def _paper_tables(results: tuple[DomainResult, ...], role: str, where: str) -> Iterator[Claim]:
    """Our model against each of the paper's rivals, over the columns of the table of inference tasks."""
    counts = {rival: Counter[str]() for rival in RIVALS}
    details = []
    for result, found in _of_role(results, role):
        own: Counter[str] = Counter()
        missed: dict[str, list[str]] = {}
        for rival, line in _lines_of_the_paper(result, found):
            for title, entry in zip(found.columns, line, strict=True):
                if entry is not None:
                    word = verdict(entry[1], entry[2])
                    counts[rival][word] += 1
                    own[word] += 1
                    if word == "behind":
                        missed.setdefault(rival, []).append(title)
        behind = [f"{rival} in {' and '.join(titles)}" for rival, titles in missed.items()]
        details.append(f"{result.title}: {_tally(own)}.{_where(behind)}")
    every = sum(counts.values(), Counter())
    if every:
        parts = [f"{rival} {_tally(count)}" for rival, count in counts.items() if count]
        what = f"VBN is ahead of SG, SG-R, BSG and BSG-R {where}"
        yield Claim(what, f"{_tally(every)} ({'; '.join(parts)}).", _all(every), tuple(details))


def _margins(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """Whether we lead by more where targets are rare."""
    larger, leads = 0, {"full": list[float](), "rare": list[float]()}
    for result, found in _of_role(results, "inference"):
        lines = [line for _, line in _lines_of_the_paper(result, found)]
        titles = [title.replace(",", "") for title in found.columns]
        for figure in dict.fromkeys(title.rpartition(" ")[0] for title in titles):
            means = {}
            for part in leads:
                entries = [line[titles.index(f"{figure} {part}")] for line in lines]
                known = [entry[0] for entry in entries if entry is not None]
                means[part] = float(np.mean(known)) if known else None
            full, rare = means["full"], means["rare"]
            if full is not None and rare is not None:
                larger += rare > full
                leads["full"].append(full)
                leads["rare"].append(rare)
    total = len(leads["full"])
    if total:
        text = (
            f"In {larger} of {total} comparisons (a domain and a figure each); the mean lead over the four is "
            f"{np.mean(leads['full']):+.1f} points on all targets and {np.mean(leads['rare']):+.1f} on rare ones."
        )
        yield Claim("The margin over these is larger on rare targets", text, _share(larger, total))


def _similarity(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    for result in results:
        for table in (table for table in result.tables if table.role == "similarity"):
            row = next((row for row in table.rows if row.name == "VBN" and row.group == table.rows[0].group), None)
            if row is not None:
                yield from _bars(table, row)
        every: Counter[str] = Counter()
        details = []
        for found in (found for found in result.verdicts if found.role == "similarity"):
            for column, title in enumerate(found.columns):
                known = [(rival, line[column]) for rival, line in zip(found.rivals, found.differences, strict=True)]
                words = {rival: verdict(entry[1], entry[2]) for rival, entry in known if entry is not None}
                every.update(words.values())
                late = [f"{rival} ({word})" for rival, word in words.items() if word != "ahead"]
                details.append(f"{title}: {_tally(Counter(words.values()))}.{_where(late, 'Not ahead of')}")
        if every:
            what = "Word similarity: VBN is ahead of every rival, those with the same graph included"
            yield Claim(what, f"{_tally(every)}.", _all(every), tuple(details))


def _bars(table: Table, row: Row) -> Iterator[Claim]:
    values = {
        name: (row.cells[table.columns.index(name)].value, bar)
        for name, bar in SIMILARITY_BARS.items()
        if name in table.columns
    }
    reached = [value is not None and value >= bar for value, bar in values.values()]
    text = ", ".join(f"{name} {_number(value)}" for name, (value, _) in values.items()) + "."
    bars = " and ".join(f"{bar:g} ({name})" for name, (_, bar) in values.items())
    if reached:
        yield Claim(f"Word similarity reaches {bars}", text, _share(sum(reached), len(reached)))


def _everybody(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """Our model as tabulated against every rival, in each domain."""
    every: Counter[str] = Counter()
    details = []
    for result, found in _of_role(results, "all"):
        counts: Counter[str] = Counter()
        behind = []
        for rival, line in zip(found.rivals, found.differences, strict=True):
            words = [verdict(entry[1], entry[2]) for entry in line if entry is not None]
            counts.update(words)
            behind += [f"{rival} in {words.count('behind')}"] if "behind" in words else []
        every.update(counts)
        details.append(f"{result.title}: {_tally(counts)}.{_where(behind)}")
    if every:
        what = "As tabulated, at one position of its dial, VBN is behind no rival in any of the four figures"
        total = sum(every.values())
        yield Claim(what, f"{_tally(every)}.", _share(total - every["behind"], total), tuple(details))


def _dominance(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """How many rivals some position of the dial dominates, and how many where it was chosen elsewhere."""
    every: Counter[str] = Counter()
    details = []
    for result in results:
        found = [found for found in result.verdicts if found.role == "dominance"]
        remarks = [(rival, line) for one in found for rival, line in zip(one.rivals, one.remarks, strict=True)]
        if not remarks:
            continue
        texts = []
        for column, title in enumerate(found[0].about[1:], start=1):
            words = Counter(line[column] for _, line in remarks)
            place = "at the best position" if column == 1 else title
            texts.append(f"{place} {', '.join(f'{n} {word}' for word, n in words.most_common() if word)}")
        every.update(line[1] for _, line in remarks)
        left = [f"{rival} ({line[1]})" for rival, line in remarks if line[1] not in (DOMINATED, "")]
        details.append(f"{result.title}: {'; '.join(texts)}.{_where(left, 'At its best position')}")
    if every:
        what = "One VBN and its dial dominate every rival, those tuned for one end included"
        total = sum(every.values())
        text = f"{every[DOMINATED]} of {total} at the best position for each."
        yield Claim(what, text, _share(every[DOMINATED], total), tuple(details))


def _cold(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """Items without data, ranked among each other, where 50 is chance."""
    title = "MPR among cold"
    ahead, details = 0, []
    for result in results:
        for table in (table for table in result.tables if title in table.columns):
            column = table.columns.index(title)
            values = {row.name: (row.cells[column].value, row.ours) for row in table.rows}
            ours = next((value for value, own in values.values() if own and value is not None), None)
            if ours is None:
                continue
            rivals = {
                name: value
                for name, (value, own) in values.items()
                if not own and value is not None and not name.startswith("VBN")
            }
            best = max(rivals, key=lambda name: rivals[name], default=None)
            next_best = "" if best is None else f", next best {best} {rivals[best]:.1f}"
            details.append(f"{result.title}: VBN {ours:.1f}{next_best}.")
            ahead += ours > 50 and (best is None or ours > rivals[best])
    if details:
        what = "VBN tells items without any data apart best (MPR among these only, 50 is chance)"
        yield Claim(what, f"In {ahead} of {len(details)} domains.", _share(ahead, len(details)), tuple(details))


def _antonyms(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    for result in results:
        for table in (table for table in result.tables if table.role == "antonyms"):
            lines = {row.name: row for row in table.rows}
            if "VBN" not in lines:
                continue
            ours = lines["VBN"]
            above = [cell.value is not None and cell.value > (cell.paper or 0.0) for cell in ours.cells]
            text = ", ".join(
                f"{title} {_number(cell.value)} (paper {_number(cell.paper)})"
                for title, cell in zip(table.columns, ours.cells, strict=True)
            )
            yield Claim("Antonyms: VBN is above the paper's figures", f"{text}.", _share(sum(above), len(above)))
            texts, leads = [], []
            for row in (row for row in table.rows if row.name.startswith("VBN w/o relations")):
                lead = [(a.value or 0.0) - (b.value or 0.0) for a, b in zip(ours.cells, row.cells, strict=True)]
                named = ", ".join(f"{title} {one:+.1f}" for title, one in zip(table.columns, lead, strict=True))
                texts.append(f"Our lead over {row.name}: {named}.")
                leads += lead
            if leads:
                led = sum(lead > 0 for lead in leads)
                what = "Antonyms: VBN is above every ranking without relations"
                yield Claim(what, f"In {led} of {len(leads)} figures.", _share(led, len(leads)), tuple(texts))


def _of_role(results: tuple[DomainResult, ...], role: str) -> Iterator[tuple[DomainResult, Verdicts]]:
    for result in results:
        yield from ((result, found) for found in result.verdicts if found.role == role)


def _lines_of_the_paper(result: DomainResult, found: Verdicts) -> list[tuple[str, tuple[Triple | None, ...]]]:
    """The lines of the paper's rivals; of several that are named alike, the one with the paper's numbers."""
    with_numbers = {
        row.name
        for table in result.tables
        if table.role == "inference"
        for row in table.rows
        if any(cell.paper is not None for cell in row.cells)
    }
    lines = zip(found.rivals, found.differences, strict=True)
    named = ((name.partition(",")[0], name, line) for name, line in lines)
    return [(model, line) for model, name, line in named if model in RIVALS and (name in with_numbers or name == model)]


def _tally(words: Counter[str]) -> str:
    return ", ".join(f"{words[word]} {word}" for word in WORDS)


def _where(names: Iterable[str], lead: str = "Behind") -> str:
    listed = list(names)
    return f" {lead}: {'; '.join(listed)}." if listed else ""


def _all(words: Counter[str]) -> str:
    """Whether all are "ahead"."""
    return HOLDS if words["ahead"] == sum(words.values()) else IN_PART if words["ahead"] else FAILS


def _share(number: int, of: int) -> str:
    return HOLDS if number == of else IN_PART if number else FAILS


def _number(value: float | None) -> str:
    return "\u2013" if value is None else f"{value:.1f}"


_PARTS = ("full", "rare")
_FIGURES = ("HR@10%", "MPR")
_GROUPS = {
    "known pairs": "full: both words in the corpus",
    "rare pairs": "rare: one of them at most five times there",
}
_TO_THE_FORE = 4  # rivals with a name in the picture
AS_IN_THE_PAPER = "VBN, as in the paper"


@dataclass(frozen=True)
class Opening:
    """What stands first."""

    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]


def opening(results: tuple[DomainResult, ...]) -> Opening:
    """Gather it from the domains that are there."""
    tables = [table for table in (inference_table(results), similarity_table(results)) if table.rows]
    tables += [replace(table, title="Antonyms") for _, table in of_role(results, "antonyms")]
    tail = long_tail(results)
    return Opening(claims(results), tuple(tables), (tail,) if tail.series else ())


def of_role(results: tuple[DomainResult, ...], role: str) -> Iterator[tuple[DomainResult, Table]]:
    """The tables of one role, with their domains."""
    for result in results:
        yield from ((result, table) for table in result.tables if table.role == role)


def inference_table(results: tuple[DomainResult, ...]) -> Table:
    """The paper's table of inference tasks: domains beside each other, HR@10% above MPR."""
    found = list(of_role(results, "inference"))
    columns = tuple(f"{result.title} {part}" for part in _PARTS for result, _ in found)
    rows = []
    for figure in _FIGURES:
        for model in (*MODELS, AS_IN_THE_PAPER):
            cells = [_cell(table, model, figure, part) for part in _PARTS for _, table in found]
            if any(cell.value is not None for cell in cells):
                ours = model in ("VBN", AS_IN_THE_PAPER)
                rows.append(Row(model, tuple(cells), figure, ours=ours, ranks=model != AS_IN_THE_PAPER))
    return Table(
        "Inference tasks",
        columns,
        tuple(rows),
        "Hidden items, diagnoses and words, ranked among the whole catalogue; rare ones are its least frequent fifth. "
        "All were tuned on validation data, which for VBN also chose rows (users, items or both), how to ask and the "
        f"position of its dial; '{AS_IN_THE_PAPER}' has items x items, averaged queries and no dial, and takes no part "
        "in the choice of the winner. After ±, one standard deviation over seeds. The paper's numbers are those of its "
        "own data.",
        role="inference",
        grouped=True,
    )


def _cell(table: Table, model: str, figure: str, part: str) -> Cell:
    """A figure of one of the paper's models, or of ours as the paper has it; empty where it was not run."""
    column = next((n for n, title in enumerate(table.columns) if title.replace(",", "") == f"{figure} {part}"), None)
    row = next((row for row in table.rows if stands_for(row) == model), None)
    return Cell() if column is None or row is None else row.cells[column]


def stands_for(row: Row) -> str:
    """The paper's model that a line stands for: named like it, and with the paper's numbers.

    Examples
    --------
    >>> stands_for(Row("VBN", (Cell(40.0, paper=39.4),))), stands_for(Row("VBN, fold-in", (Cell(40.0),)))
    ('VBN', '')
    >>> stands_for(Row("VBN, items x items", (Cell(40.0),), ranks=False)) == AS_IN_THE_PAPER
    True
    """
    if not row.ranks:
        return AS_IN_THE_PAPER
    name = row.name.partition(",")[0]
    return name if name in MODELS and any(cell.paper is not None for cell in row.cells) else ""


def similarity_table(results: tuple[DomainResult, ...]) -> Table:
    """The paper's table of word similarity: its models, full and rare."""
    rows: list[Row] = []
    columns: tuple[str, ...] = ()
    for _, table in of_role(results, "similarity"):
        columns = table.columns
        for group, heading in _GROUPS.items():
            lines = {stands_for(row): row for row in table.rows if row.group == group}
            rows += [replace(lines[model], name=model, group=heading) for model in MODELS if model in lines]
    return Table(
        "Word similarity",
        columns,
        tuple(rows),
        "Spearman's correlation with human judgements, times 100, on the half of the pairs that chose nothing. Further "
        "rivals, with the same graph as VBN among them, are under Words.",
        role="similarity",
        grouped=True,
    )


def long_tail(results: tuple[DomainResult, ...]) -> Picture:
    """The long tail of every domain, a frame each, with the strongest rivals named."""
    series = []
    found = [(result, picture) for result in results for picture in result.pictures if picture.role == "long tail"]
    for result, picture in found:
        rivals = [one for one in picture.series if not one.ours and not one.name.startswith("VBN,")]
        best = sorted(rivals, key=lambda one: -sum(one.y) / max(len(one.y), 1))[:_TO_THE_FORE]
        ours = [one for one in picture.series if one.ours][:1]
        faint = [replace(one, faint=True) for one in rivals if one not in best]
        series += [replace(one, frame=result.title) for one in (*faint, *best, *ours)]
    first = found[0][1] if found else Picture("", "", "", "", "", ())
    return Picture(
        "long-tail",
        "The long tail",
        f"{first.y_label} by how frequent the hidden item is in training, from the rarest tenth of the catalogue to "
        f"the most frequent. Named are the {_TO_THE_FORE} rivals with the highest mean over the tenths; others grey.",
        first.x_label,
        first.y_label,
        tuple(series),
        first.ticks,
        kind="frames",
    )
