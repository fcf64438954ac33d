"""All that is shown of a domain of users and items, from the pooled ranks of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vbn.evaluation.paper._domains import Domain
from vbn.evaluation.paper._dominance import dominance
from vbn.evaluation.paper._examples import seen_once, strangers
from vbn.evaluation.paper._figures import MAIN
from vbn.evaluation.paper._models import BY_KEY, Model
from vbn.evaluation.paper._pictures import bounds, long_tail, pareto, reliability_picture
from vbn.evaluation.paper._pool import Pool
from vbn.evaluation.paper._results import DomainResult, Picture, Table, Verdicts
from vbn.evaluation.paper._tables import all_table, paper_table, reliability_table, verdicts


@dataclass(frozen=True)
class Findings:
    """What the runs of a domain left behind.

    Attributes
    ----------
    domain, models
        What was run, and what was to be run on it, in the order of the report.
    pool, cold : Pool
        Ranks on the maskings, and of items without data.
    others, swept
        Rivals tuned for one end, and the pool of their ranks beside ours.
    pairs : int
        How many pairs training has.
    """

    domain: Domain
    models: tuple[Model, ...]
    pool: Pool
    cold: Pool
    others: tuple[Model, ...]
    swept: Pool
    pairs: int


def assembled(found: Findings, notes: tuple[str, ...], facts: dict[str, Any]) -> DomainResult:
    """Tables, verdicts, examples and pictures."""
    domain = found.domain
    return DomainResult(
        domain.name,
        domain.title,
        f"{domain.text} Here: {domain.described()}.",
        _tables(found),
        _verdicts(found),
        (*seen_once(domain, found.models, found.pool), *strangers(domain, found.models, found.cold)),
        _pictures(found),
        notes,
        facts,
    )


def _tables(found: Findings) -> tuple[Table, ...]:
    reliable = reliability_table(found.models, found.pool)
    return (
        paper_table(found.domain.name, found.models, found.pool),
        all_table(found.models, found.pool, found.cold),
        *((reliable,) if reliable.rows else ()),
    )


def _verdicts(found: Findings) -> tuple[Verdicts, ...]:
    ours, paper_ours = BY_KEY["vbn"], BY_KEY["vbn-items"]
    rivals = tuple(model for model in found.models if model.key not in ("vbn", "vbn-items"))
    theirs = tuple(model for model in rivals if model.paper)
    result = []
    result.append(verdicts("VBN against the paper's rivals", ours, theirs, found.pool, role="inference"))
    if paper_ours.key in found.pool.records:
        title = "VBN against the paper's rivals, all items x items and without a dial"
        result.append(verdicts(title, paper_ours, theirs, found.pool, role="as in the paper"))
    result.append(verdicts("VBN against every rival", ours, (*rivals, paper_ours), found.pool))
    result.append(dominance(ours, (*rivals, paper_ours), found.pool))
    if found.others:
        result.append(dominance(ours, found.others, found.swept, "The same against rivals tuned for one end"))
    return tuple(result)


def _pictures(found: Findings) -> tuple[Picture, ...]:
    name, models, pool = found.domain.name, found.models, found.pool
    return (
        long_tail(name, models, pool),
        *(pareto(name, models, pool, figure, found.others, found.swept) for figure in MAIN),
        reliability_picture(name, models, pool),
        bounds(name, models, pool, found.pairs),
    )
