"""`vbn predict`: probabilities of pairs from a file."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from vbn._errors import DataError, UnknownEntityError
from vbn.cli._app import verb
from vbn.cli._options import AsJson, ColumnNames, HasHeader, Model, check_relation, open_model, split_columns
from vbn.cli._output import print_json, say


@verb(
    "vbn predict my-model pairs.csv --out probabilities.csv",
    "vbn predict my-model pairs.csv --relation antonym --json",
)
def predict(
    model: Model,
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS", help="csv, tsv, txt or parquet with two columns: left, right.")
    ],
    relation: Annotated[str | None, typer.Option(help="Of this relation instead of co-occurring.")] = None,
    columns: ColumnNames = None,
    header: HasHeader = None,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave pairs with an unknown name out instead of failing.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The csv file to write; standard output by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Probability of each pair in a file.

    Prints or writes csv with the columns left, right, p and std, the standard deviation of p under the posterior.
    """
    if out is not None and as_json:
        raise typer.BadParameter("--json prints to standard output; leave --out away.")
    from vbn.cli._reading import read_pairs

    read = read_pairs(pairs, split_columns(columns), header=header)
    asked = list(zip(read.left, read.right, strict=True))
    trained = open_model(model)
    if relation is not None:
        check_relation(trained, relation)
    if skip_unknown:
        asked = _known(trained, asked, pairs.name)
    try:
        p, std = (
            trained.predict_proba(asked, return_std=True)
            if relation is None
            else trained.relation_proba(relation, asked, return_std=True)
        )
    except UnknownEntityError as error:
        raise DataError(f"{pairs.name}: {error} --skip-unknown leaves such pairs out.") from error
    rows = [(*pair, float(a), float(b)) for pair, a, b in zip(asked, p, std, strict=True)]
    if as_json:
        print_json([dict(zip(("left", "right", "p", "std"), row, strict=True)) for row in rows])
    elif out is None:
        _write(sys.stdout, rows)
    else:
        with out.open("w", encoding="utf-8", newline="") as stream:
            _write(stream, rows)
        typer.echo(str(out))


def _known(model: Any, pairs: Sequence[tuple[str, str]], file: str) -> list[tuple[str, str]]:
    trained = model._model()
    known = [pair for pair in pairs if pair[0] in trained.rows and pair[1] in trained.columns]
    if not known:
        left, right = pairs[0]
        raise DataError(
            f"{file}: the model knows both names of none of the {len(pairs):,} pairs, such as {left!r} and {right!r}; "
            "name the columns of the pair with --columns if these are the wrong ones."
        )
    if len(known) < len(pairs):
        say(f"left out {len(pairs) - len(known):,} of {len(pairs):,} pairs: a name is unknown")
    return known


def _write(stream: IO[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("left", "right", "p", "std"))
    writer.writerows((left, right, f"{p:.9g}", f"{std:.9g}") for left, right, p, std in rows)
