"""Questions to a model: similar, recommend, audience, related, predict, explain, senses, audit."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import typer

from vbn._errors import DataError, UnknownEntityError
from vbn.cli.app import verb
from vbn.cli.shared import (
    AsJson,
    AutoPopularity,
    ColumnNames,
    HasHeader,
    K,
    Model,
    OnSide,
    Popularity,
    PopularityFloor,
    check_relation,
    open_model,
    print_json,
    read_popularity,
    say,
    show,
    split_columns,
)


@verb(
    "vbn similar my-model gouda -k 5",
    "vbn similar my-model --positive king --positive woman --negative man",
    'vbn similar my-model "Ben Stiller" --categories    (the categories nearest to a category)',
    "vbn similar my-model --json -- -x-    (a name that begins with a dash)",
)
def similar(
    model: Model,
    entity: Annotated[
        str | None, typer.Argument(metavar="ENTITY", help="A name; or give --positive and --negative.")
    ] = None,
    k: K = 10,
    by: Annotated[
        Literal["cosine", "mean", "context"],
        typer.Option(
            help="cosine: alike, and known to be. mean: cosine of the means, however little is known. context: likely "
            "to occur near it (the paper's ranking)."
        ),
    ] = "cosine",
    positive: Annotated[list[str] | None, typer.Option(help="Like this one; may be repeated.")] = None,
    negative: Annotated[list[str] | None, typer.Option(help="Unlike this one; may be repeated.")] = None,
    side: OnSide = "column",
    readout: Annotated[
        Literal["auto", "entity", "both", "smoothed"],
        typer.Option(
            help="For cosines: the entity's own vector, with its context vector, or smoothed by its parents. auto: "
            "smoothed for words in text, else entity."
        ),
    ] = "auto",
    role: Annotated[
        Literal["entity", "category"] | None,
        typer.Option(help="Which density of ENTITY is meant; by default category for a parent without data."),
    ] = None,
    candidates: Annotated[
        Path | None, typer.Option(help="A text file of the only names that may be an answer, one a line.")
    ] = None,
    categories: Annotated[
        bool, typer.Option("--categories", help="Answer with categories, not with entities.")
    ] = False,
    min_count: Annotated[float | None, typer.Option(min=0, help="Only entities seen at least this often.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find the entities most similar to one, or to some and not to others.

    A parent without data, such as a genre, is asked about by its density as a category.
    """
    if entity is None and not positive and not negative:
        raise typer.BadParameter("give an entity, or --positive and --negative.")
    if categories and candidates is not None:
        raise typer.BadParameter("give --categories or --candidates, not both.")
    from vbn.cli.reading import names_from, read_names

    with names_from(None, candidates):
        listed = "categories" if categories else None if candidates is None else read_names(candidates)
        found = open_model(model).similar(
            entity,
            k,
            by=by,
            positive=positive,
            negative=negative,
            side=side,
            readout=readout,
            role=role,
            candidates=listed,
            min_count=min_count,
        )
    show(found, as_json=as_json)


@verb(
    'vbn recommend my-model "Heat" "Casino" -k 5',
    "vbn recommend my-model --user u17 --user u18 --json",
    "vbn recommend my-model --users users.txt --popularity -0.5 --candidates in-stock.txt",
    "vbn recommend my-model --all-users --out recs.parquet",
)
def recommend(
    model: Model,
    entities: Annotated[
        list[str] | None, typer.Argument(metavar="ENTITIES", help="The items of a user, by name.")
    ] = None,
    k: K = 10,
    user: Annotated[list[str] | None, typer.Option(help="A row seen in training instead; may be repeated.")] = None,
    users: Annotated[Path | None, typer.Option(help="A text file of such rows, one a line.")] = None,
    all_users: Annotated[
        bool, typer.Option("--all-users", help="All rows seen in training, batch by batch; needs --out.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the answers for users to this file: .parquet, .csv or .jsonl, of any size."),
    ] = None,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out users that the model does not know, and count them.")
    ] = False,
    query: Annotated[
        Literal["fold_in", "average", "both"],
        typer.Option(
            help="fold_in: infer a density from the entities. average: as in the paper. both: a user's own density and "
            "the average of their items."
        ),
    ] = "fold_in",
    popularity: AutoPopularity = "auto",
    popularity_floor: PopularityFloor = 0.0,
    favour: Annotated[
        Literal["all", "balanced", "rare"] | None, typer.Option(help="What --popularity auto is best for.")
    ] = None,
    rank_by: Annotated[
        Literal["probability", "mean", "lower"],
        typer.Option(help="probability, the mean score, or a cautious score: one standard deviation below the mean."),
    ] = "probability",
    candidates: Annotated[
        Path | None, typer.Option(help="A text file of the only names that may be an answer, one a line.")
    ] = None,
    include_seen: Annotated[bool, typer.Option("--include-seen", help="Also recommend the user's own items.")] = False,
    sample: Annotated[
        Literal["thompson"] | None,
        typer.Option("--sample", "--explore", help="thompson: rank by scores drawn from the posterior."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of --sample.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recommend what goes best with some entities, or to users.

    Users are rows seen in training. Several users give one table, whose first column names the user. A file has the
    columns user, rank, entity, label (of models with labels), score and std.
    """
    if sum(bool(way) for way in (entities, user, users, all_users)) != 1:
        raise typer.BadParameter("give entities, or --user, or --users, or --all-users: one of the four.")
    _check_batch(entities, all_users, out, skip_unknown, as_json)
    from vbn.cli.reading import names_from, read_names

    options: dict[str, Any] = {
        "query": query,
        "popularity": read_popularity(popularity),
        "popularity_floor": popularity_floor,
        "exclude_seen": not include_seen,
        "explore": sample,  # the name that baselines know too
        "seed": seed,
    }
    options |= {"favour": favour} if favour else {}  # baselines do not know these
    options |= {"rank_by": rank_by} if rank_by != "probability" else {}
    rows = read_names(users) if users else user
    with names_from(users, candidates):
        options["candidates"] = None if candidates is None else read_names(candidates)
        trained = open_model(model)
        if not (out or users or skip_unknown):
            asked = rows[0] if rows and len(rows) == 1 else rows or None
            show(trained.recommend(entities or None, k, user=asked, **options), as_json=as_json)
            return
        _answer_batches(trained, rows, k, out, skip_unknown, options, as_json)


def _check_batch(
    entities: list[str] | None, all_users: bool, out: Path | None, skip_unknown: bool, as_json: bool
) -> None:
    """Refuse options that do not go together, and a file that cannot be written, before a model is loaded."""
    if all_users and out is None:
        raise typer.BadParameter("--all-users writes a file: give --out, such as --out recs.parquet.")
    if out is not None and as_json:
        raise typer.BadParameter("--json prints to standard output; with --out, use a file that ends in .jsonl.")
    if entities and (out is not None or skip_unknown):
        raise typer.BadParameter("--out and --skip-unknown are for users: --user, --users or --all-users.")
    if out is not None:
        from vbn.storage import check_answers_path

        check_answers_path(out)


def _answer_batches(
    model: Any, users: list[str] | None, k: int, out: Path | None, skip: bool, options: dict[str, Any], as_json: bool
) -> None:
    """Answer users in batches, into a file or, if there is none, as one table."""
    from vbn.cli.batches import SIZE, tell_unknown, write_batches
    from vbn.inference import Tables

    batches = model.recommend_all(users, k, skip_unknown=skip, batch_size=SIZE, **options)
    if out is not None:
        write_batches(out, batches)
        typer.echo(str(out))
        return
    show(Tables([table for batch in batches for table in batch]), as_json=as_json)
    tell_unknown(batches.unknown)


@verb(
    'vbn audience my-model "Zoolander 3" -k 1000 --json',
    'vbn audience my-model "Heat" --candidates subscribers.txt',
)
def audience(
    model: Model,
    item: Annotated[str, typer.Argument(metavar="ITEM", help="An item (column), also one that nobody has had yet.")],
    k: K = 100,
    candidates: Annotated[
        Path | None, typer.Option(help="A text file of the only users that may be an answer, one a line.")
    ] = None,
    include_seen: Annotated[bool, typer.Option("--include-seen", help="Also those who have it.")] = False,
    rank_by: Annotated[
        Literal["probability", "mean", "lower"],
        typer.Option(help="probability, the mean score, or a cautious score: one standard deviation below the mean."),
    ] = "probability",
    as_json: AsJson = False,
) -> None:
    """Find out who may like an item, the likeliest first.

    An item that is not in the model yet gets there with vbn add.
    """
    from vbn.cli.reading import names_from, read_names

    with names_from(candidates):
        listed = None if candidates is None else read_names(candidates)
        found = open_model(model).audience(item, k, exclude_seen=not include_seen, candidates=listed, rank_by=rank_by)
    show(found, as_json=as_json)


@verb("vbn related my-model antonym lowest -k 5")
def related(
    model: Model,
    relation: Annotated[str, typer.Argument(metavar="RELATION", help="Name of the relation.")],
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="The entity that it starts from.")],
    k: K = 10,
    popularity: Popularity = 0.0,
    popularity_floor: PopularityFloor = 0.0,
    known: Annotated[
        Literal["first", "ranked", "excluded"],
        typer.Option(help="Where pairs that training was given stand among the answers."),
    ] = "first",
    as_json: AsJson = False,
) -> None:
    """Find where a relation leads: known pairs first, then the most probable ones."""
    trained = open_model(model)
    check_relation(trained, relation)
    show(trained.related(relation, entity, k, popularity, popularity_floor, known), as_json=as_json)


@verb(
    "vbn predict my-model pairs.csv --out probabilities.csv",
    "vbn predict my-model pairs.csv --relation antonym --json",
)
def predict(
    model: Model,
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS", help="csv, tsv, txt or parquet with two columns: left, right.")
    ],
    relation: Annotated[str | None, typer.Option(help="Of this relation instead of co-occurrence.")] = None,
    columns: ColumnNames = None,
    header: HasHeader = None,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out pairs with an unknown name instead of failing.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The csv file to write; standard output by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Predict the probability of each pair in a file.

    Prints or writes csv with the columns left, right, p and std, the standard deviation of p under the posterior, and
    left_label and right_label before p where the model has labels.
    """
    if out is not None and as_json:
        raise typer.BadParameter("--json prints to standard output; omit --out.")
    from vbn.cli.reading import read_pairs

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
        message = f"{pairs.name}: {error.template} --skip-unknown leaves such pairs out."
        raise DataError(message, remedies=error.remedies) from error
    labels = _labels(trained, asked)
    titles = ["left", "right", *labels, "p", "std"]
    rows = list(zip(*zip(*asked, strict=True), *labels.values(), p.tolist(), std.tolist(), strict=True))
    if as_json:
        print_json([dict(zip(titles, row, strict=True)) for row in rows])
    elif out is None:
        _write(sys.stdout, titles, rows)
    else:
        with out.open("w", encoding="utf-8", newline="") as stream:
            _write(stream, titles, rows)
        typer.echo(str(out))


@verb("vbn explain my-model brie", "vbn explain my-model Heat --user u17    (why this item for this user)")
def explain(
    model: Model,
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="The entity to explain.")],
    user: Annotated[str | None, typer.Option(help="Explain why ENTITY may suit this row of training.")] = None,
    side: OnSide = "column",
    k: Annotated[int, typer.Option("-k", min=1, help="How many pairs, or items of the user, to name.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Explain why a density is where it is, or why an item may suit a user."""
    if user is not None and side == "row":
        raise typer.BadParameter("with --user, ENTITY is a column; omit --side.")
    trained = open_model(model)
    found = trained.explain(entity, side=side, k=k) if user is None else trained.explain(user, entity, k=k)
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))


@verb("vbn senses my-model bank", "vbn senses my-model bank --context river,water --json")
def senses(
    model: Model,
    entity: Annotated[str, typer.Argument(metavar="WORD", help="An entity with at least two parents.")],
    context: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="What it occurs with: prints the probability of each sense there."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many contexts to name for each sense.")] = 5,
    side: OnSide = "column",
    as_json: AsJson = False,
) -> None:
    """Split the occurrences of a word over its parents, its meanings.

    The model needs its counts.
    """
    trained = open_model(model)
    if context is None:
        found = trained.senses(entity, side=side, k=k)
    else:
        names = [name for name in next(csv.reader([context])) if name]
        found = trained.sense_of(entity, names, side=side)
    show(found, as_json=as_json)


@verb(
    "vbn audit my-model",
    "vbn audit my-model --entity brie -k 5    (the parents that fit it best)",
    "vbn audit my-model --min-score 6 --json",
)
def audit(
    model: Model,
    entity: Annotated[
        str | None, typer.Option(help="Suggest parents for this entity instead of judging the whole taxonomy.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many parents to suggest, with --entity.")] = 3,
    min_score: Annotated[
        float, typer.Option(min=0, help="Leave out edges with a lower log Bayes factor against the present parent.")
    ] = 3.0,
    side: OnSide = "column",
    as_json: AsJson = False,
) -> None:
    """Show where the data contradicts the taxonomy, and which parents fit better."""
    trained = open_model(model)
    found = trained.audit(side, min_score) if entity is None else trained.suggest_parents(entity, k, side=side)
    show(found, as_json=as_json)


def _known(model: Any, pairs: Sequence[tuple[str, str]], file: str) -> list[tuple[str, str]]:
    trained = model.trained_
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


def _labels(model: Any, pairs: Sequence[tuple[str, str]]) -> dict[str, list[str | None]]:
    """Return the labels of pairs by the title of their column, for each side that has any."""
    left, right = zip(*pairs, strict=True)
    sides = {"left_label": (model.trained_.rows, left), "right_label": (model.trained_.columns, right)}
    found = {title: names.labels_of(names.ids(given)) for title, (names, given) in sides.items()}
    return {title: labels for title, labels in found.items() if labels is not None}


def _write(stream: IO[str], titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows([f"{value:.9g}" if isinstance(value, float) else value for value in row] for row in rows)
