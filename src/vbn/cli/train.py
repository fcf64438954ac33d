"""`vbn train`: from a file of co-occurrences to a model folder."""

from __future__ import annotations

import csv
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from vbn.cli.app import verb
from vbn.cli.shared import Side, check_model_folder, option_of, say
from vbn.estimators import GROUPS, PARAMETERS, Parameter

if TYPE_CHECKING:
    from vbn.data import Dataset

_MAIN, _INPUT, _KNOWLEDGE = "What matters most", "Input", "Taxonomy and relations"
_RUN = GROUPS["run"]
# Where the command line has another default than `VBN`, or other words.
_HELP = {
    "checkpoint_every": "Keep the state in OUT/checkpoint every so many epochs, for --resume.",
    "threads": "Number of threads [all cores].",
}
_COLUMNS = (
    "Columns of INPUT by name or number (from 0): the text of sequences; basket,item; user,item,weight; "
    "left,right,count. By default those with usual names, else the first ones."
)


class Kind(StrEnum):
    """What a row of the input is; the names of the `Dataset` constructors."""

    sequences = "sequences"
    baskets = "baskets"
    interactions = "interactions"
    pairs = "pairs"
    matrix = "matrix"
    folder = "folder"


def _option(panel: str, *names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **settings)


def with_parameters(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command, in place of its ``**parameters``, an option for each parameter of `VBN` that is one.

    Typer reads them from the signature. Those of a group stand together, and the command's own keyword-only options
    come last.
    """
    hints = get_type_hints(function, include_extras=True)
    options = {item.option_name: item for item in sorted(PARAMETERS, key=lambda item: list(GROUPS).index(item.group))}
    made = [_keyword(name, None, _annotation(item)) for name, item in options.items() if name is not None]
    first, last = list[inspect.Parameter](), list[inspect.Parameter]()
    for name, item in inspect.signature(function).parameters.items():
        if item.kind is not inspect.Parameter.VAR_KEYWORD:
            where = last if item.kind is inspect.Parameter.KEYWORD_ONLY else first
            where.append(_keyword(name, item.default, hints[name]))
    signature = inspect.Signature([*first, *made, *last])
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {name: item.annotation for name, item in signature.parameters.items()}
    return function


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _annotation(parameter: Parameter) -> Any:
    name = str(parameter.option_name)
    kind, settings = _kind(parameter)
    default = "none" if parameter.default is None else f"{_shown(parameter.default)}"
    settings["help"] = _HELP.get(name, f"{parameter.help.rstrip('.')} [{default}].")
    names = [option_of(name), option_of(parameter.formerly)] if parameter.formerly else []
    return Annotated[kind | None, _option(_MAIN if parameter.main else GROUPS[parameter.group], *names, **settings)]


def _shown(default: Any) -> str:
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else f"{default}"


def _kind(parameter: Parameter) -> tuple[Any, dict[str, Any]]:
    """Return the type of an option and its settings."""
    if parameter.by:
        return list[str], {"metavar": f"VALUE | {'NAME' if parameter.by == 'relation' else 'KIND'}=VALUE"}
    if parameter.choices or parameter.kind == "auto":
        words = parameter.choices or ("auto", "yes", "no")
        return StrEnum(parameter.name, {word: word for word in words}), {}
    least = parameter.above if parameter.least is None else parameter.least
    match parameter.kind:
        case "whole":
            return int, {"min": least}
        case "number":
            return float, {"min": least, "max": parameter.most}
        case "flag":
            return bool, {}
        case _:
            return str, {"metavar": "SIZE" if parameter.kind == "memory" else "TEXT"}


@verb(
    "vbn train corpus.txt --kind sequences --window 5 --subsample 1e-4 --out my-model",
    "vbn train ratings.csv --kind interactions --columns user,item --taxonomy genres.csv --out my-model",
    "vbn train words.txt --kind sequences --relation antonym=antonyms.csv --symmetric antonym --out my-model",
    "vbn train counts --kind folder --engine ray --address head:6379 --out my-model",
    "vbn train --config my-model/train.toml    (repeats a run)",
)
@with_parameters
def train(
    input: Annotated[  # noqa: A002 - the name that the help shows
        Path | None,
        typer.Argument(metavar="INPUT", help="csv, tsv, txt, parquet (gz too); npz for a matrix; a folder."),
    ] = None,
    kind: Annotated[Kind | None, _option(_MAIN, help="What INPUT holds.")] = None,
    out: Annotated[Path | None, _option(_MAIN, help="Folder for the model; an existing one is replaced.")] = None,
    columns: Annotated[str | None, _option(_MAIN, metavar="A,B,...", help=_COLUMNS)] = None,
    taxonomy: Annotated[Path | None, _option(_MAIN, help="A file of child, parent[, weight].")] = None,
    relation: Annotated[
        list[str] | None, _option(_MAIN, metavar="NAME=FILE", help="A file of left, right[, weight]; repeatable.")
    ] = None,
    hold_out: Annotated[
        float | None,
        _option(_MAIN, help="Hold out this share of the pairs (above 0, below 1); kept with the model."),
    ] = None,
    config: Annotated[
        Path | None, _option(_INPUT, help="A toml file with any of these options, without the dashes; options win.")
    ] = None,
    header: Annotated[
        bool | None, _option(_INPUT, help="Whether INPUT begins with a header; by default, look.")
    ] = None,
    delimiter: Annotated[
        str | None,
        _option(
            _INPUT, help="What separates the fields of INPUT (in a .txt: tokens or items), such as ; or :: or \\t."
        ),
    ] = None,
    drop_missing: Annotated[
        bool | None,
        _option(_INPUT, "--drop-missing", help="Leave out rows of any file without a name (empty, NA, null, ...)."),
    ] = None,
    window: Annotated[int | None, _option(_INPUT, min=1, help="Sequences: largest distance of neighbours [5].")] = None,
    dynamic_window: Annotated[
        bool | None, _option(_INPUT, help="Sequences: near neighbours count more, as in word2vec.")
    ] = None,
    min_count: Annotated[float | None, _option(_INPUT, min=0, help="Leave out what occurs less often.")] = None,
    max_size: Annotated[
        int | None, _option(_INPUT, min=1, help="Keep only this many entities, the most frequent ones.")
    ] = None,
    shared: Annotated[
        bool | None,
        _option(_INPUT, "--shared/--separate", help="Pairs, matrix: whether both sides are the same entities."),
    ] = None,
    co_occurrences: Annotated[
        float | None,
        _option(_INPUT, metavar="WEIGHT", help="Interactions: also count items that go together, with this weight."),
    ] = None,
    row_names: Annotated[Path | None, _option(_INPUT, help="Matrix: a text file with the names of its rows.")] = None,
    column_names: Annotated[
        Path | None, _option(_INPUT, help="Matrix: a text file with the names of its columns.")
    ] = None,
    validation: Annotated[
        Path | None, _option(_INPUT, help="Held-out data like INPUT; its log-likelihood is shown.")
    ] = None,
    counts: Annotated[
        bool | None,
        _option(_INPUT, help="Keep the counts in the model, to go on learning and to know what was seen [yes]."),
    ] = None,
    taxonomy_side: Annotated[Side | None, _option(_KNOWLEDGE, help="Whose taxonomy it is [column].")] = None,
    taxonomy_columns: Annotated[
        str | None, _option(_KNOWLEDGE, metavar="A,B,...", help="Columns of the taxonomy's file.")
    ] = None,
    drop_cycles: Annotated[
        bool | None, _option(_KNOWLEDGE, "--drop-cycles", help="Drop edges that close a cycle instead of failing.")
    ] = None,
    symmetric: Annotated[
        list[str] | None, _option(_KNOWLEDGE, metavar="NAME", help="This relation holds both ways; repeatable.")
    ] = None,
    skip_unknown: Annotated[
        bool | None, _option(_KNOWLEDGE, "--skip-unknown", help="Leave out relation pairs with an unknown name.")
    ] = None,
    *,
    address: Annotated[
        str | None,
        _option(_RUN, metavar="HOST:PORT", help="Ray: where the cluster is [RAY_ADDRESS, or this machine]."),
    ] = None,
    workers: Annotated[int | None, _option(_RUN, min=1, help="Ray: number of workers [one a node].")] = None,
    resume: Annotated[
        bool, _option(_RUN, "--resume", help="Go on from OUT/checkpoint, to the same bits as without a break.")
    ] = False,
    force: Annotated[
        bool, _option(_RUN, "--force", help="Resume even if the model was changed since; the changes are lost.")
    ] = False,
    dry_run: Annotated[bool, _option(_RUN, "--dry-run", help="Show the summary of the data only.")] = False,
    quiet: Annotated[bool, _option(_RUN, "--quiet", "-q", help="No summary, no progress.")] = False,
    **parameters: Any,
) -> None:
    """Train a model on a file and save it in a folder.

    A summary of the data comes first. Ctrl-C ends the training after the present epoch and saves the model so far; a
    second one ends it at once and saves nothing. The options used are written to train.toml in the model's folder,
    which repeats the run to the bit. With --checkpoint-every, a run that was broken off can be resumed by the same
    command with --resume, also with more --epochs.
    """
    options = locals()
    _run(options | options.pop("parameters"))


def _run(options: Mapping[str, Any]) -> None:
    """Train as the options (and the config file that they name) say."""
    from vbn.cli.reading import check_usage, read_training_data
    from vbn.cli.run_files import check_resuming, epochs_done
    from vbn.cli.settings import gathered

    settings, quiet = gathered(options), options["quiet"]
    if options["dry_run"]:
        settings.setdefault("out", "model")
    check_usage(settings)
    out = Path(settings["out"])
    if not options["dry_run"]:
        check_model_folder(out)
    before = 0
    if options["resume"]:
        before = epochs_done(out)
        if not options["force"]:
            check_resuming(out)
    with _scratch(settings) as scratch:
        data, held = _split(settings, read_training_data(settings, scratch))
        if options["dry_run"]:
            typer.echo(_summary(data, held, settings))
            return
        if not quiet:
            say(_summary(data, held, settings))
        _fit(settings, data, held, out, before=before, quiet=quiet)


@contextmanager
def _scratch(settings: Mapping[str, Any]) -> Iterator[Path | None]:
    """Give a folder for counts that take more memory than allowed; None without a limit."""
    import tempfile

    from vbn.data import bytes_of

    if "memory" not in settings:
        yield None
        return
    bytes_of(settings["memory"])
    with tempfile.TemporaryDirectory(prefix="vbn-counts-") as folder:
        yield Path(folder)


def _split(settings: Mapping[str, Any], data: Dataset) -> tuple[Dataset, Dataset | None]:
    """Return the data to train on, and what is held out or given for validation."""
    if "hold_out" in settings:
        from vbn.evaluation import hold_out

        return hold_out(data, settings["hold_out"], settings.get("seed", 0))
    if "validation" in settings:
        from vbn.cli.reading import read_counts

        return data, read_counts(settings, settings["validation"], limits=False)
    return data, None


def _summary(data: Dataset, held: Dataset | None, settings: Mapping[str, Any]) -> str:
    """Return a summary of the data to train on, and how much is held out from it."""
    from vbn.cli.run_files import HELD_OUT

    told = str(data.describe())
    if held is None or "hold_out" not in settings:
        return told
    return f"{told}\n  held out   {held.counts.nnz:,} cells beside these, kept in {HELD_OUT}"


def _fit(settings: dict[str, Any], data: Dataset, held: Dataset | None, out: Path, *, before: int, quiet: bool) -> None:
    """Train, going on after the epochs of a checkpoint if there are any `before`, and save."""
    from vbn.cli.run_files import CHECKPOINT, HELD_OUT, forget, stamp
    from vbn.cli.settings import to_toml
    from vbn.estimators import VBN

    model = VBN(**_parameters(settings), verbose=not quiet)
    settings = settings | {key: value for key, value in _effective(model).items() if value is not None}
    config = to_toml(settings, out)
    resumable = before > 0 or "checkpoint_every" in settings
    if resumable:
        model.set_params(checkpoint=out / CHECKPOINT)
    started = time.perf_counter()
    model.fit(data, validation=held, resume_from=out / CHECKPOINT if before else None)
    model.set_params(checkpoint=None)  # a path of this run, not a property of the model
    model.save(out, counts=settings.get("counts", True))
    forget(out, checkpoint=not resumable)
    if "hold_out" in settings and held is not None:
        _write_pairs(out / HELD_OUT, held)
    stamp(out, config)
    if model.interrupted_:
        how = "--resume goes on" if resumable else "without --checkpoint-every it is final"
        raise KeyboardInterrupt(f"saved the model after {model.n_iter_} of {model.epochs} epochs in {out}; {how}")
    if not quiet:
        _report(model, time.perf_counter() - started, before)
    typer.echo(str(out))


def _parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of `VBN` among the settings."""
    from vbn.cli.settings import MODEL

    given = {item.name: settings[name] for name, item in MODEL.items() if name in settings}
    if given.get("reject_positives") in ("yes", "no"):
        given["reject_positives"] = given["reject_positives"] == "yes"
    if given.get("engine") == "ray":
        from vbn.engines import RayEngine

        given["engine"] = RayEngine(**{key: settings[key] for key in ("address", "workers") if key in settings})
    return given


def _effective(model: Any) -> dict[str, Any]:
    """Return all parameters that matter to the bits, defaults included, as a later version may have others."""
    settings = {item.name for item in PARAMETERS if item.option_name == item.name}
    runs = ("checkpoint_every", "engine")
    return {key: value for key, value in model.get_params().items() if key in settings and key not in runs}


def _report(model: Any, seconds: float, before: int) -> None:
    done = f"{model.n_iter_ - before} epochs more" if before else f"{model.n_iter_} epochs"
    in_all = f", {model.n_iter_} in all" if before else ""
    parts = [f"{done} in {seconds:.1f} s{in_all}", f"bound {model.lower_bound_:,.0f}"]
    if len(model.validation_):
        parts.append(f"held-out log-likelihood {model.validation_[-1]:.4f}")
    say("trained: " + ", ".join(parts))


def _write_pairs(file: Path, data: Dataset) -> None:
    """Write the cells of a data set as csv."""
    titles = ("left", "right", "count") if data.shared else ("user", "item", "weight")
    counts = data.counts
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(titles)
        cells = zip(counts.row_ids().tolist(), counts.indices.tolist(), counts.values.tolist(), strict=True)
        writer.writerows((data.rows[i], data.columns[j], f"{value:.17g}") for i, j, value in cells)
