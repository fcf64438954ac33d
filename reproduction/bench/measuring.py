"""The rows of the table in their order, how they are measured, and what was found as text and as data."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable
from typing import Any

from reproduction.bench import content, shop, size, training
from reproduction.bench.row import Outcome, Row, Setting
from vbn._errors import ParameterError

ROWS = (
    Row("epoch", "SemCor, t = 50: an epoch of gensim's skip-gram / one of ours", training.epoch, ("gensim",), True),
    Row(
        "quality",
        "SemCor: seconds until word similarity passes skip-gram's / its seconds for 20 epochs",
        training.quality,
        ("gensim",),
        True,
    ),
    Row(
        "als",
        "MovieLens 1M: seconds until HR@10% reaches that of ALS / its seconds for 20 iterations",
        shop.against_als,
        ("implicit",),
        True,
    ),
    Row(
        "fit",
        "MovieLens 1M: a fit without a parameter, all choices included / ALS with 20 iterations",
        shop.whole_fit,
        ("implicit",),
        True,
    ),
    Row(
        "lightfm",
        "MovieLens 1M: seconds until HR@10% is the best of LightFM with the same taxonomy / its seconds",
        shop.against_lightfm,
        ("lightfm",),
        True,
    ),
    Row("kernel", "a half-sweep against three dot products a cell: cells a second", training.against_floor),
    Row(
        "categories",
        "SemCor with WordNet's synsets: share of an epoch that updates categories",
        training.categories,
        needs_data=True,
    ),
    Row("sampling", "share of an epoch that draws its sample", training.sampling),
    Row(
        "top-k",
        "64 queries, the ten best of 1,000,000 by predictive probability / faiss on means",
        shop.top_k,
        ("faiss",),
    ),
    Row("similar", "one query, the ten nearest of 1,000,000 on one core / faiss on means", shop.similar, ("faiss",)),
    Row("fold-in", "new users a second on one core: 50 items each, 4,000 columns", shop.new_users),
    Row("sequences", "100 M words: gensim's scan / our scan, and / our counting of pairs", size.sequences, ("gensim",)),
    Row("interactions", "25 M rows of parquet", size.interactions, ("pyarrow",)),
    Row("growth", "seconds an epoch from 1 M to 100 M cells, log-log slope", size.growth),
    Row("content", "20 M cells, 1 M items with 384 features: what these add to an epoch", content.content),
    Row("memory", "peak of a fit to 50 M cells / counts and posterior", size.memory),
    Row("start", "seconds of import, --help, first fit, warm fit", size.start),
)


def measure(
    keys: Iterable[str], setting: Setting, tell: Callable[[str], Any] = lambda _: None
) -> list[tuple[Row, Outcome | str]]:
    """Outcomes of rows, or why a row was left out.

    Parameters
    ----------
    keys
        Which rows, by key; all if there are none.
    setting
        How to measure.
    tell
        Called with a line before each row.
    """
    wanted = list(keys)
    known = {row.key: row for row in ROWS}
    unknown = [key for key in wanted if key not in known]
    if unknown:
        raise ParameterError(f"no row is called {unknown[0]!r}; there are {', '.join(known)}.")
    found: list[tuple[Row, Outcome | str]] = []
    for row in (known[key] for key in wanted or known):
        reason = left_out(row, setting)
        tell(f"{row.key}: {reason or row.work}")
        found.append((row, reason or row.measure(setting)))
    return found


def left_out(row: Row, setting: Setting) -> str:
    """Why a row cannot be measured here; empty if it can."""
    missing = [name for name in row.packages if importlib.util.find_spec(name) is None]
    if missing:
        return f"left out: {', '.join(missing)} not installed (pip install -e '.[bench]')"
    if row.needs_data and setting.data is None:
        return "left out: needs the evaluation data (--data DIR)"
    return ""


Found = list[tuple[Row, Outcome | str]]


def lines(found: Found) -> list[tuple[str, str, str]]:
    """Key, figures with their targets, and whether these are met, of each row.

    Examples
    --------
    >>> from reproduction.bench.row import Figure
    >>> row = Row("kernel", "a half-sweep", lambda _: Outcome(()))
    >>> lines([(row, Outcome((Figure("ratio", 0.71, 0.6, at_least=True),))), (row, "left out: no data")])
    [('kernel', 'ratio 0.71 (>= 0.6)', 'met'), ('kernel', 'left out: no data', '')]
    """
    result = []
    for row, outcome in found:
        if isinstance(outcome, str):
            result.append((row.key, outcome, ""))
        else:
            figures = ", ".join(f"{figure.name} {figure.text()}" for figure in outcome.figures)
            met = [figure.met for figure in outcome.figures]
            result.append((row.key, figures, "met" if all(met) else "not met" if not any(met) else "in part"))
    return result


def as_dict(found: Found, setting: Setting, machine: dict[str, Any]) -> dict[str, Any]:
    """All of it, with the machine that it was measured on."""
    return {
        "machine": machine,
        "scale": setting.scale,
        "repeats": setting.repeats,
        "rows": {
            row.key: {"work": row.work, **({"left out": outcome} if isinstance(outcome, str) else outcome.to_dict())}
            for row, outcome in found
        },
    }
