"""What a text adds to a taxonomy, and whether it stands in for one: items without data, and masked ones."""

from __future__ import annotations

from dataclasses import replace

from reproduction.domains import Domain
from reproduction.judging import MAIN
from reproduction.models import BY_KEY, CONTENT, NO_PARAMETER, Model, Parameters
from reproduction.pool import FULL, RARE, Pool
from reproduction.results import DomainResult, Row, Table, Verdicts
from reproduction.running import Options
from reproduction.runs import Runner, pooled
from reproduction.tables import FIRST_TEN, FOUR, Columns, compared, titles

COLD, MASKING = "cold", "masking"
_TITLES = {COLD: "Taxonomy, text or both: items without data", MASKING: "Taxonomy, text or both: masked items"}
_ALL: Columns = (*FOUR[:2], *FIRST_TEN, *FOUR[2:])
_COLD: Columns = tuple((figure, FULL) for figure in MAIN)


def content_models(domain: Domain) -> tuple[Model, ...]:
    """`VBN()` and the models that read texts, as far as they are installed; none for a domain without texts."""
    every = (BY_KEY["vbn-default"], *CONTENT) if domain.texts else ()
    return every if all(model.installed for model in every) else ()


def with_content(
    result: DomainResult,
    domain: Domain,
    kind: str,
    options: Options,
    runner: Runner,
    parameters: dict[str, Parameters],
) -> DomainResult:
    """Add a table and verdicts of the models that read texts; a note where these are not installed.

    Parameters
    ----------
    result, domain
        What is there so far, and its data.
    kind
        `COLD` or `MASKING`: which splits.
    options, runner, parameters
        How many seeds, what runs the models, and their parameters.
    """
    models = content_models(domain)
    if not models:
        note = "Models that read texts: the extra 'text' is not installed."
        noted = note in result.notes or not domain.texts
        return result if noted else replace(result, notes=(*result.notes, note))
    pool = pooled(domain, kind, models, options, runner, parameters)
    parts = _parts(kind, pool)
    rows = tuple(
        Row(
            _NAMES.get(model.key, model.name),
            tuple(where.cell(model.key, *column) for where, columns, _ in parts for column in columns),
            model.group,
            ours=model.key != "ridge",
        )
        for model in models
    )
    table = Table(_TITLES[kind], tuple(title for *_, named in parts for title in named), rows, _told(kind, pool))
    made = tuple(_verdicts(BY_KEY[key], models, kind, pool) for key in ("vbn-both", "vbn-text"))
    return replace(result, tables=(*result.tables, table), verdicts=(*result.verdicts, *made))


_NAMES = {"vbn-default": f"{NO_PARAMETER}: taxonomy"}


def _parts(kind: str, pool: Pool) -> tuple[tuple[Pool, Columns, tuple[str, ...]], ...]:
    """Ranks, the columns of them that are shown, and their headings."""
    if kind == MASKING:
        return ((pool, _ALL, titles(_ALL)),)
    return (
        (pool, _COLD, tuple(f"cold, {figure}" for figure in MAIN)),
        (pool.within(), _COLD, tuple(f"among cold, {figure}" for figure in MAIN)),
    )


def _told(kind: str, pool: Pool) -> str:
    text = (
        f"{pool.number(FULL):,} cases of items whose interactions were all removed, ranked in the whole catalogue and "
        "among each other, where 50 (10 for HR@10%) is chance."
        if kind == COLD
        else f"{pool.number(FULL):,} cases, {pool.number(RARE):,} of them rare; one masking for each seed."
    )
    return (
        f"{text} The strength of the texts was chosen on hidden training items, and so was the penalty of the ridge "
        "regression, which takes the texts to the vectors of a model trained without them. Nothing was tuned."
    )


def _verdicts(ours: Model, models: tuple[Model, ...], kind: str, pool: Pool) -> Verdicts:
    rivals = tuple(model for model in models if model.key not in (ours.key, "vbn-both"))
    parts = _parts(kind, pool)
    found = [compared(ours, rivals, where, columns) for where, columns, _ in parts]
    return Verdicts(
        f"{_TITLES[kind]}: {ours.name} against the others",
        tuple(title for *_, named in parts for title in named),
        tuple(_NAMES.get(rival.key, rival.name) for rival in rivals),
        tuple(tuple(entry for part in found for entry in part[number]) for number in range(len(rivals))),
        f"{ours.name} minus the other, in points, with the 95 % interval of the paired bootstrap by user: ahead where "
        "it lies above 0, level where it contains 0.",
        role="content" if ours.key == "vbn-both" else "text alone",
    )
