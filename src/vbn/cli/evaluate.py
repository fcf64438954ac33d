"""`vbn evaluate`: how good a model is on held-out data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from vbn.cli.app import verb
from vbn.cli.shared import (
    AsJson,
    ColumnNames,
    HasHeader,
    Model,
    OnSide,
    PopularityFloor,
    check_relation,
    open_model,
    print_json,
    show_rows,
    split_columns,
)

Task = Literal["pairs", "recommendation", "similarity", "relation"]
Baseline = Literal["popularity", "none"]
_NUMBERS = {"pairs": False, "similarity": True}  # of these tasks: whether each pair must have a number


@verb(
    "vbn evaluate my-model --task pairs --data held-out.csv",
    "vbn evaluate my-model --task recommendation --data held-out.csv -k 20 --json",
    "vbn evaluate my-model --task recommendation --popularity 0,0.25,0.5",
    "vbn evaluate my-model --task similarity --data wordsim353.csv --lowercase",
    "vbn evaluate my-model --task relation --relation antonym --data held-out-antonyms.csv",
)
def evaluate(
    model: Model,
    task: Annotated[Task, typer.Option(help="What to evaluate.")],
    data: Annotated[
        Path | None,
        typer.Option(
            help="csv, tsv, txt, parquet: left,right[,count]; user,item; word1,word2,score; left,right. By default "
            "what `vbn train --hold-out` held out."
        ),
    ] = None,
    columns: ColumnNames = None,
    header: HasHeader = None,
    relation: Annotated[str | None, typer.Option(help="Task relation: its name.")] = None,
    k: Annotated[
        list[int] | None,
        typer.Option("-k", "--k", min=1, help="Task recommendation: where to cut off [10]; repeatable."),
    ] = None,
    fold_in: Annotated[
        Path | None,
        typer.Option(help="Task recommendation: user,item; ask about users by these items instead of by name."),
    ] = None,
    popularity: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Task recommendation: one or several positions of the dial."),
    ] = "auto",
    popularity_floor: PopularityFloor = 0.0,
    baseline: Annotated[Baseline, typer.Option(help="Task recommendation: what to compare with.")] = "popularity",
    rare: Annotated[float, typer.Option(min=0, help="Task recommendation: items of at most this count are rare.")] = 10,
    include_seen: Annotated[
        bool, typer.Option("--include-seen", help="Task recommendation: also rank the user's own items.")
    ] = False,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", help="Task similarity: lower-case the file's names.")
    ] = False,
    readout: Annotated[
        Literal["auto", "entity", "both", "smoothed"],
        typer.Option(
            help="Task similarity: the entity's vector, that and its context's, or smoothed. auto: smoothed for text."
        ),
    ] = "auto",
    side: OnSide = "column",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the noise pairs.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Compute figures of a model on data that it has not seen."""
    if (task == "relation") != (relation is not None):
        raise typer.BadParameter("--relation NAME goes with --task relation, which needs it.")
    from vbn import evaluation
    from vbn.cli.reading import read_pairs
    from vbn.cli.update import stored

    held = read_pairs(
        _file(model, data, task),
        split_columns(columns),
        header=header,
        number=_NUMBERS.get(task),
        missing="auto",
        least=None if data is None or task != "recommendation" else stored(model).get("min_weight"),
    )
    trained = open_model(model)
    rows: list[dict[str, Any]]
    if task == "pairs":
        rows = [evaluation.evaluate_pairs(trained, held.left, held.right, held.numbers, seed)]
    elif task == "recommendation":
        rows = evaluation.evaluate_recommendation(
            trained,
            held.left,
            held.right,
            fold_in=_known(model, data, fold_in),
            k=tuple(k or (10,)),
            rare=rare,
            exclude_seen=not include_seen,
            popularity=_positions(popularity),
            popularity_floor=popularity_floor,
            baseline=None if baseline == "none" else baseline,
        )
    elif task == "similarity":
        left, right = (([n.lower() for n in names] if lowercase else names) for names in (held.left, held.right))
        assert held.numbers is not None
        rows = [evaluation.evaluate_similarity(trained, left, right, held.numbers.tolist(), side, readout)]
    else:
        check_relation(trained, str(relation))
        rows = [evaluation.evaluate_relation(trained, str(relation), held.left, held.right, seed)]
    if as_json:
        print_json(rows)
    elif task == "recommendation":
        _show_rankings(rows)
    else:
        show_rows(rows)


def _show_rankings(rows: list[dict[str, Any]]) -> None:
    """Print where held-out items are ranked, and below it what the first ten of users are made of."""
    made_of = ("coverage@10", "tail@10", "tail_share", "unseen@10", "unseen_share")
    show_rows([{title: row[title] for title in row if title not in made_of} for row in rows])
    typer.echo()
    in_all = [row for row in rows if row["items"] == "all"]
    show_rows([{title: row[title] for title in ("model", "popularity", *made_of)} for row in in_all])


def _positions(given: str) -> list[float] | str:
    """Read "0,0.25,0.5"."""
    if given == "auto":
        return given
    try:
        return [float(position) for position in given.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--popularity takes numbers, such as 0,0.25,0.5, not {given!r}.") from None


def _known(model: Path, data: Path | None, fold_in: Path | None) -> Any:
    """Return what users have when they are asked about: of a file, or what `vbn train` kept beside what it held out."""
    from vbn.cli.reading import read_pairs
    from vbn.cli.run_files import held_out_of, known_beside
    from vbn.data import Dataset

    if fold_in is None:
        held = held_out_of(model) if data is None else None
        fold_in = None if held is None else known_beside(held)
        if fold_in is None or not fold_in.is_file():
            return None
    pairs = read_pairs(fold_in, [], number=False)
    return Dataset.from_interactions(pairs.left, pairs.right, pairs.numbers)


def _file(model: Path, data: Path | None, task: Task) -> Path:
    if data is not None:
        return data
    if task in ("pairs", "recommendation"):
        from vbn.cli.run_files import held_out_of

        kept = held_out_of(model)
        if kept is not None:
            return kept
    raise typer.BadParameter("give --data, a file of held-out data.")
