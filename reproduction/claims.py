"""What the results show, in words computed from them: claims and whether they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from reproduction.judging import verdict
from reproduction.models import NO_PARAMETER
from reproduction.paper_numbers import MODELS
from reproduction.results import DomainResult, Row, Table, Verdicts
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
        *_no_parameter(results),
        *_near_the_tuned(results),
        *_similarity_without(results),
        *_first_ten(results, "first ten", "VBN"),
        *_first_ten(results, "first ten, no parameter", NO_PARAMETER),
        *_further(results),
        *_content(results),
        *_amounts(results),
        *_weights(results),
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


_SLICES = {
    "full": "on all targets, by HR@10% and MPR",
    "rare": "on rare targets, by HR@10% and MPR",
    "cold": "among items without any data, by MPR",
}
_A_POINT = 1.0


def _slice(column: str) -> str:
    """The slice that a column is about, its last word."""
    return column.rpartition(" ")[2]


def _no_parameter(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """`VBN()` against rivals that were tuned, one claim for each slice."""
    for part, where in _SLICES.items():
        every: Counter[str] = Counter()
        details = []
        for result, found in _of_role(results, "no parameter"):
            words = {
                (rival, title): verdict(entry[1], entry[2])
                for rival, line in zip(found.rivals, found.differences, strict=True)
                for title, entry in zip(found.columns, line, strict=True)
                if entry is not None and _slice(title) == part
            }
            if words:
                counts = Counter(words.values())
                behind = [f"{rival} in {title}" for (rival, title), word in words.items() if word == "behind"]
                details.append(f"{result.title}: {_tally(counts)}.{_where(behind)}")
                every.update(counts)
        if every:
            total = sum(every.values())
            what = f"{NO_PARAMETER}, is level with every tuned rival or ahead {where}"
            yield Claim(what, f"{_tally(every)}.", _share(total - every["behind"], total), tuple(details))


def _near_the_tuned(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """How much `VBN()` is behind the settings that validation data chose."""
    near, total, details = 0, 0, []
    for result, found in _of_role(results, "no parameter, tuned"):
        leads = {
            title: entry[0]
            for line in found.differences
            for title, entry in zip(found.columns, line, strict=True)
            if entry is not None
        }
        far = [f"{title} {lead:+.1f}" for title, lead in leads.items() if lead < -_A_POINT]
        near, total = near + len(leads) - len(far), total + len(leads)
        details.append(f"{result.title}: {len(leads) - len(far)} of {len(leads)}.{_where(far, 'Further behind')}")
    if total:
        what = f"{NO_PARAMETER}, is within one point of the tuned VBN or ahead of it"
        yield Claim(what, f"In {near} of {total} figures.", _share(near, total), tuple(details))


def _similarity_without(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """Word similarity of `VBN()`: against every rival, and beside the tuned VBN."""
    for _, found in _of_role(results, "similarity, no parameter"):
        lines = dict(zip(found.rivals, found.differences, strict=True))
        tuned = lines.pop("VBN", ())
        words = [verdict(entry[1], entry[2]) for line in lines.values() for entry in line if entry is not None]
        details = [
            f"{title}: {entry[0]:+.1f} [{entry[1]:.1f}, {entry[2]:.1f}] against the tuned VBN."
            for title, entry in zip(found.columns, tuned, strict=False)
            if entry is not None
        ]
        if words:
            counts = Counter(words)
            what = f"Word similarity: {NO_PARAMETER}, is ahead of every rival"
            yield Claim(what, f"{_tally(counts)}.", _all(counts), tuple(details))


def _first_ten(results: tuple[DomainResult, ...], role: str, ours: str) -> Iterator[Claim]:
    """NDCG@10 beside EASE: level or ahead, and how far behind elsewhere."""
    rival, column = "EASE", "NDCG@10 full"
    reached, details = 0, []
    for result, found in _of_role(results, role):
        entry = _entry(found, rival, column)
        theirs = _value(result, rival, column)
        if entry is None or not theirs:
            continue
        word = verdict(entry[1], entry[2])
        reached += word != "behind"
        gap = f"{100.0 * entry[0] / theirs:+.1f} %"
        details.append(f"{result.title}: {word}, {theirs + entry[0]:.1f} against {theirs:.1f} ({gap}).")
    if details:
        what = f"{ours} is level with EASE in NDCG@10 or ahead"
        yield Claim(what, f"In {reached} of {len(details)} domains.", _share(reached, len(details)), tuple(details))


def _entry(found: Verdicts, rival: str, column: str) -> Triple | None:
    """Our lead over a rival in a column; None where it was not compared."""
    if rival not in found.rivals or column not in found.columns:
        return None
    return found.differences[found.rivals.index(rival)][found.columns.index(column)]


def _value(result: DomainResult, name: str, column: str) -> float | None:
    """A model's figure, from the first table that has it."""
    for table in (table for table in result.tables if column in table.columns):
        for row in (row for row in table.rows if row.name == name):
            return row.cells[table.columns.index(column)].value
    return None


_FURTHER = {"new users": "for diseases that training has not seen", "by time": "for what was curated later"}


def _further(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """Ours against every rival where users are new, and by time."""
    for role, where in _FURTHER.items():
        every: Counter[str] = Counter()
        details = []
        for _, found in _of_role(results, role):
            words = {
                f"{rival} in {title}": verdict(entry[1], entry[2])
                for rival, line in zip(found.rivals, found.differences, strict=True)
                for title, entry in zip(found.columns, line, strict=True)
                if entry is not None
            }
            counts = Counter(words.values())
            behind = [name for name, word in words.items() if word == "behind"]
            details.append(f"{found.title}: {_tally(counts)}.{_where(behind)}")
            every.update(counts)
        if every:
            total = sum(every.values())
            what = f"VBN, tuned and without a parameter, is behind no rival {where}"
            yield Claim(what, f"{_tally(every)}.", _share(total - every["behind"], total), tuple(details))


def _content(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """Taxonomy and text against the taxonomy alone, in every figure of items without data and of masked ones."""
    every: Counter[str] = Counter()
    details = []
    for result, found in _of_role(results, "content"):
        place = next(n for n, rival in enumerate(found.rivals) if rival.startswith(NO_PARAMETER))
        entries = zip(found.columns, found.differences[place], strict=True)
        words = {title: verdict(entry[1], entry[2]) for title, entry in entries if entry is not None}
        counts = Counter(words.values())
        behind = [title for title, word in words.items() if word == "behind"]
        details.append(f"{result.title}, {found.title}: {_tally(counts)}.{_where(behind)}")
        every.update(counts)
    if every:
        total = sum(every.values())
        what = "With texts beside its taxonomy, VBN is never behind VBN with the taxonomy alone"
        yield Claim(what, f"{_tally(every)}.", _share(total - every["behind"], total), tuple(details))


_A_TENTH = "10 % of the users"


def _amounts(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """`VBN()` against rivals where there is a tenth of the users."""
    every: Counter[str] = Counter()
    details = []
    for result, found in _of_role(results, "amounts"):
        words = {
            f"{rival} ({_slice(title)})": verdict(entry[1], entry[2])
            for rival, line in zip(found.rivals, found.differences, strict=True)
            for title, entry in zip(found.columns, line, strict=True)
            if entry is not None and title.startswith(_A_TENTH)
        }
        counts = Counter(words.values())
        behind = [name for name, word in words.items() if word == "behind"]
        if words:
            details.append(f"{result.title}: {_tally(counts)}.{_where(behind)}")
            every.update(counts)
    if every:
        total = sum(every.values())
        what = f"On a tenth of the users, {NO_PARAMETER}, is behind no rival in HR@10%, of all targets and of rare ones"
        yield Claim(what, f"{_tally(every)}.", _share(total - every["behind"], total), tuple(details))


def _weights(results: tuple[DomainResult, ...]) -> Iterator[Claim]:
    """`VBN()` beside the best of the fixed weights, which may be another one for each amount."""
    near, total, details = 0, 0, []
    for result, found in _of_role(results, "weights"):
        best = {}
        for column, title in enumerate(found.columns):
            entries = [line[column] for line in found.differences]
            leads = {rival: entry[0] for rival, entry in zip(found.rivals, entries, strict=True) if entry is not None}
            if leads:
                best[title] = min(leads.items(), key=lambda entry: entry[1])
        far = [f"{title} {lead:+.1f} ({rival})" for title, (rival, lead) in best.items() if lead < -_A_POINT]
        near, total = near + len(best) - len(far), total + len(best)
        details.append(f"{result.title}: {len(best) - len(far)} of {len(best)}.{_where(far, 'Further behind')}")
    if total:
        what = f"{NO_PARAMETER}, is within one point of the fixed weight that is best for each amount of data"
        yield Claim(what, f"In {near} of {total} figures.", _share(near, total), tuple(details))


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
