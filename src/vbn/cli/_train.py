"""`vbn train`: from a file of co-occurrences to a model folder."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import Side


class Kind(StrEnum):
    """What a row of the input is; the names of the `Dataset` constructors."""

    sequences = "sequences"
    baskets = "baskets"
    interactions = "interactions"
    pairs = "pairs"
    matrix = "matrix"
    folder = "folder"


class Where(StrEnum):
    """Where the updates run; the names of the engines."""

    threads = "threads"
    ray = "ray"


class Dtype(StrEnum):
    """Type of the stored densities."""

    float32 = "float32"
    float64 = "float64"


class Space(StrEnum):
    """What relations are learned on."""

    joint = "joint"
    readout = "readout"


class BiasPrior(StrEnum):
    """What the biases are drawn to."""

    taxonomy = "taxonomy"
    common = "common"
    zero = "zero"


class ColdPrecision(StrEnum):
    """What the precision of an entity without data is."""

    mean_field = "mean_field"
    prior = "prior"


class Reject(StrEnum):
    """Whether negatives that are observed pairs are drawn anew."""

    auto = "auto"
    yes = "yes"
    no = "no"


_COLUMNS = (
    "Columns of INPUT by name or number (from 0): the text of sequences; basket,item; user,item,weight; "
    "left,right,count. By default usual names, else the first ones."
)


@verb(
    "vbn train corpus.txt --kind sequences --window 5 --subsample 1e-4 --out my-model",
    "vbn train ratings.csv --kind interactions --columns user,item --taxonomy genres.csv --out my-model",
    "vbn train words.txt --kind sequences --relation antonym=antonyms.csv --symmetric antonym --out my-model",
    "vbn train counts --kind folder --engine ray --address head:6379 --out my-model",
    "vbn train --config my-model/train.toml    (repeats a run)",
)
def train(
    input: Annotated[  # noqa: A002 - the name that the help shows
        Path | None,
        typer.Argument(metavar="INPUT", help="csv, tsv, txt, parquet (gz too); npz for a matrix; a folder."),
    ] = None,
    kind: Annotated[Kind | None, typer.Option(help="What INPUT holds.")] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the model; one that is there is replaced.")] = None,
    config: Annotated[
        Path | None, typer.Option(help="A toml file with any of these options, without the dashes; options go first.")
    ] = None,
    columns: Annotated[str | None, typer.Option(metavar="A,B,...", help=_COLUMNS)] = None,
    header: Annotated[bool | None, typer.Option(help="Whether INPUT begins with a header; by default, look.")] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(help="What separates the fields of INPUT (of a .txt: tokens or items), such as ; or :: or \\t."),
    ] = None,
    drop_missing: Annotated[
        bool | None,
        typer.Option("--drop-missing", help="Leave rows of any file without a name out (empty, NA, null, ...)."),
    ] = None,
    window: Annotated[int | None, typer.Option(min=1, help="Sequences: largest distance of neighbours [5].")] = None,
    dynamic_window: Annotated[
        bool | None, typer.Option(help="Sequences: near neighbours count more, as in word2vec.")
    ] = None,
    min_count: Annotated[float | None, typer.Option(min=0, help="Leave out what occurs less often.")] = None,
    max_size: Annotated[int | None, typer.Option(min=1, help="Keep only that many, the most frequent ones.")] = None,
    shared: Annotated[
        bool | None,
        typer.Option("--shared/--separate", help="Pairs, matrix: whether both sides are the same entities."),
    ] = None,
    co_occurrences: Annotated[
        float | None,
        typer.Option(metavar="WEIGHT", help="Interactions: items as rows too, with this weight of what goes together."),
    ] = None,
    row_names: Annotated[Path | None, typer.Option(help="Matrix: a text file of its rows' names.")] = None,
    column_names: Annotated[Path | None, typer.Option(help="Matrix: a text file of its columns' names.")] = None,
    taxonomy: Annotated[Path | None, typer.Option(help="A file of child, parent[, weight].")] = None,
    taxonomy_side: Annotated[Side | None, typer.Option(help="Whose taxonomy it is [column].")] = None,
    taxonomy_columns: Annotated[str | None, typer.Option(metavar="A,B,...", help="Columns of its file.")] = None,
    drop_cycles: Annotated[
        bool | None, typer.Option("--drop-cycles", help="Drop edges that close a cycle instead of failing.")
    ] = None,
    relation: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="A file of left, right[, weight]; may be repeated.")
    ] = None,
    symmetric: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="This relation holds both ways; may be repeated.")
    ] = None,
    skip_unknown: Annotated[
        bool | None, typer.Option("--skip-unknown", help="Leave relation pairs with an unknown name out.")
    ] = None,
    validation: Annotated[
        Path | None, typer.Option(help="Held-out data like INPUT; its log-likelihood is shown.")
    ] = None,
    hold_out: Annotated[
        float | None,
        typer.Option(help="Hold this share (above 0, below 1) of the pairs out instead; kept in the model."),
    ] = None,
    counts: Annotated[
        bool | None,
        typer.Option(help="Keep the counts in the model, to go on learning and to know what was seen [yes]."),
    ] = None,
    dim: Annotated[int | None, typer.Option(min=1, help="Dimension of the embeddings [50].")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="How often every density is updated [40].")] = None,
    negatives: Annotated[float | None, typer.Option(min=0, help="Negatives for each positive [1].")] = None,
    noise_power: Annotated[
        float | None, typer.Option(min=0, help="Negatives are drawn by count to this power [0.75].")
    ] = None,
    subsample: Annotated[
        float | None, typer.Option(min=0, help="Threshold that thins frequent entities, such as 1e-4 [none].")
    ] = None,
    reject_positives: Annotated[
        Reject | None, typer.Option(help="Whether a negative that is an observed pair is drawn anew [auto].")
    ] = None,
    relation_rank: Annotated[
        list[str] | None, typer.Option(metavar="N | NAME=N", help="Rank of relations' matrices [10].")
    ] = None,
    relation_weight: Annotated[
        list[str] | None, typer.Option(metavar="W | NAME=W", help="How much a pair of a relation counts [1].")
    ] = None,
    relation_prior: Annotated[
        list[str] | None, typer.Option(metavar="C | NAME=C", help="Start relations from C^2 u.v [0].")
    ] = None,
    relation_space: Annotated[
        Space | None, typer.Option(help="Learn relations with the densities, or on vectors read out [joint].")
    ] = None,
    hard_negatives: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of a relation's negatives that it reaches at all [0].")
    ] = None,
    alpha: Annotated[
        list[str] | None, typer.Option(metavar="A | KIND=A", help="Shape of the precisions' prior, as entity=10 [1].")
    ] = None,
    beta: Annotated[
        list[str] | None, typer.Option(metavar="B | KIND=B", help="Rate of the precisions' prior [1].")
    ] = None,
    bias_prior: Annotated[
        BiasPrior | None, typer.Option(help="What biases are drawn to: those of the parents, a common mean or 0.")
    ] = None,
    cold_precision: Annotated[
        ColdPrecision | None, typer.Option(help="Entities without data: less sure if parents are, or all alike.")
    ] = None,
    resample: Annotated[bool | None, typer.Option(help="Draw a new sample each epoch [yes].")] = None,
    average: Annotated[int | None, typer.Option(min=1, help="Average over about this many epochs [5].")] = None,
    tol: Annotated[float | None, typer.Option(min=0, help="Stop when the bound changes by less [none].")] = None,
    dtype: Annotated[Dtype | None, typer.Option(help="Type of the stored densities [float32].")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same data: the same bits [0].")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Number of threads [all cores].")] = None,
    engine: Annotated[Where | None, typer.Option(help="Train on this machine or on a Ray cluster [threads].")] = None,
    address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Ray: where the cluster is [RAY_ADDRESS, or this machine].")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Ray: number of workers [one a node].")] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Counts and samples that take more, such as 8GiB, are kept in files [none]."),
    ] = None,
    checkpoint_every: Annotated[
        int | None, typer.Option(min=1, help="Keep the state in OUT/checkpoint every so many epochs, for --resume.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from OUT/checkpoint, to the same bits as without a break.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Resume even if the model was changed since; the changes are lost.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the summary of the data only.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary, no progress.")] = False,
) -> None:
    """Train a model on a file and save it in a folder.

    A summary of the data comes first. Ctrl-C ends the training after the present epoch and saves the model so far; a
    second one ends it at once and saves nothing. The options used are written to train.toml in the model's folder; with
    it the run can be repeated to the bit. With --checkpoint-every a run that was broken off can be resumed by the same
    command with --resume, also with more --epochs.
    """
    options = locals()
    from vbn.cli._training import run_training

    run_training(options)
