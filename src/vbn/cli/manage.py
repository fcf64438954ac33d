"""What else is done with a model: add, export, serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from vbn.cli.app import verb
from vbn.cli.shared import ColumnNames, Model, OnSide, Side, open_model, say, serve_model, split_columns


@verb(
    'vbn add my-model "Zoolander 3" --parent "Ben Stiller" --out new-model',
    'vbn add my-model halloumi --parent cheese --context "grill=3" --context salad',
    'vbn add my-model "Zoolander 3" --text "a male model saves the world again"',
    "vbn add my-model --from new-items.csv    (columns name, parent: a row for each parent)",
    "vbn add my-model --from new-items.csv --text plot    (another column of it)",
)
def add(
    model: Model,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of the new entity; or give --from.")] = None,
    parent: Annotated[list[str] | None, typer.Option(help="Its parent, PARENT or PARENT=WEIGHT; repeatable.")] = None,
    context: Annotated[
        list[str] | None, typer.Option(help="What it was seen with, NAME or NAME=COUNT; repeatable.")
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            help="Its features, as many as in training; with --from, columns of the file; repeatable.",
            metavar="[NAME=]V1,V2,...",
        ),
    ] = None,
    text: Annotated[
        list[str] | None,
        typer.Option(help="A text about it; with --from, a column of the file; repeatable.", metavar="[NAME=]TEXT"),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Many at once: a csv of name, parent[, weight], a row a parent.")
    ] = None,
    columns: ColumnNames = None,
    side: OnSide = "column",
    out: Annotated[Path | None, typer.Option(help="Folder for the larger model; by default it replaces MODEL.")] = None,
) -> None:
    """Give new entities a density at once, without retraining."""
    from vbn.cli.content import content_of_many, texts_of, vectors_of
    from vbn.cli.run_files import save_changed
    from vbn.inference import read_new, text_sources

    if (name is None) == (source is None):
        raise typer.BadParameter("give a name or --from, one of the two.")
    if source is not None and (parent or context):
        raise typer.BadParameter("--parent and --context belong to one name; with --from, the file has the parents.")
    if columns is not None and source is None:
        raise typer.BadParameter("--columns are those of the file that --from gives.")
    grown = open_model(model)
    before = len(grown.trained_.vocabulary(side))
    new: Any = source if columns is None else read_new(source, split_columns(columns))
    if source is not None and (features or text):
        known = grown.trained_.side(side).features
        content = content_of_many(features, text, str(source), () if known is None else tuple(known.widths))
        new = read_new(source, () if columns is None else split_columns(columns))
        new = {name: {**told, **content.get(name, {})} for name, told in new.items()}
    if name is not None:
        new = {
            name: {
                "parents": _weights(grown, parent, side),
                "contexts": _contexts(grown, context, side),
                "features": vectors_of(features),
                "text": texts_of(text, text_sources(grown.trained_, side)),
            }
        }
    grown.add(new, side=side)
    added = len(grown.trained_.vocabulary(side)) - before
    folder = save_changed(grown, model, out, added)
    say(f"added {added:,} {'entity' if added == 1 else 'entities'}")
    typer.echo(str(folder))


Format = Literal["word2vec", "word2vec-binary", "parquet", "safetensors", "numpy", "serving"]
Role = Literal["entity", "context"]
Readout = Literal["entity", "both", "smoothed"]


@verb(
    "vbn export my-model vectors.txt --format word2vec",
    "vbn export my-model densities.parquet",
    "vbn export my-model serving.parquet --format serving    (for databases)",
)
def export(
    model: Model,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    form: Annotated[Format | None, typer.Option("--format", help="By default given by the suffix of the file.")] = None,
    role: Annotated[Role, typer.Option(help="The density as a row, or as a context (column).")] = "entity",
    side: OnSide = "column",
    categories: Annotated[
        bool, typer.Option(help="Also write entities that were never seen and are only parents of others.")
    ] = True,
    readout: Annotated[
        Readout,
        typer.Option(help="The entity's own vector, with its context vector, or smoothed by its parents."),
    ] = "entity",
) -> None:
    """Write the densities to a file for other tools."""
    of_readout = {} if readout == "entity" else {"readout": readout}  # baselines do not know it
    written = open_model(model).export(file, format=form, role=role, side=side, categories=categories, **of_readout)
    typer.echo(str(written))


@verb(
    "vbn serve my-model",
    "vbn serve my-model --port 8080 --open",
    "VBN_TOKEN=... vbn serve my-model --host 0.0.0.0 --workers 4",
)
def serve(
    model: Model,
    host: Annotated[str, typer.Option(help="Address to listen on; any but the local one needs a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 8000,
    token: Annotated[
        str | None, typer.Option(envvar="VBN_TOKEN", help="What callers must send as 'Authorization: Bearer TOKEN'.")
    ] = None,
    writable: Annotated[bool, typer.Option("--writable", help="Let callers add entities to the model.")] = False,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="Let pages of another origin ask, such as https://shop.example; repeatable."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Also answer browsers that use this name of the machine, without a token; repeatable."),
    ] = None,
    watch: Annotated[
        float, typer.Option(min=0, help="Seconds between checks for a new model on disk; 0 disables them.")
    ] = 2.0,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that answer, with one copy of the model; not with --writable.")
    ] = 1,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve the explorer at / and the REST service under /api/v1.

    Ctrl-C ends it after the requests that have begun. A model saved into the same folder is served from the next
    request on. Needs pip install 'vbn[serve]'.
    """
    from vbn.serve import Settings

    settings = Settings(
        token=token or None,
        writable=writable,
        watch=watch,
        origins=tuple(allow_origin or ()),
        hosts=tuple(allow_host or ()),
        workers=workers,
    )
    settings.check_host(host)
    serve_model(model, host, port, settings, open_page)


def _weights(model: Any, given: list[str] | None, side: Side) -> dict[str, float]:
    return dict(_numbered(entry, model.trained_.vocabulary(side)) for entry in given or ())


def _contexts(model: Any, given: list[str] | None, side: Side) -> dict[str, float]:
    """Return contexts with counts: rows for a column, columns for a row."""
    other = model.trained_.vocabulary("row" if side == "column" else "column")
    contexts: dict[str, float] = {}
    for entry in given or ():
        name, count = _numbered(entry, other)
        contexts[name] = contexts.get(name, 0.0) + count
    return contexts


def _numbered(entry: str, known: Any) -> tuple[str, float]:
    """Read NAME=NUMBER, or NAME alone, which counts 1; a known name may itself hold an equals sign."""
    if entry in known:
        return entry, 1.0
    name, equals, number = entry.rpartition("=")
    if not equals:
        return entry, 1.0
    try:
        return name, float(number)
    except ValueError:
        return entry, 1.0
