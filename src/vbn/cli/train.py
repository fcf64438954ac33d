"""`vbn train`: from a file of co-occurrences to a model folder."""

from __future__ import annotations

import csv
import inspect
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from vbn._parameters import GROUPS, PARAMETERS, Parameter
from vbn.cli.app import verb
from vbn.cli.shared import Side, check_model_folder, open_model, option_of, say

if TYPE_CHECKING:
    from vbn.data import Dataset

_MAIN, _INPUT, _KNOWLEDGE, _RUN = "What matters most", "Input", "Taxonomy and relations", GROUPS["run"]
# Where the command line has another default than `VBN`, or other words.
_HELP = {
    "checkpoint_every": "Keep the state in OUT/checkpoint every so many epochs, for --resume.",
    "threads": "Number of threads [all cores].",
}
_FILES = "csv, tsv, txt, parquet (gz too); npz for a matrix; a folder."
_COLUMNS = (
    "Columns of INPUT by name or number (from 0): the text of sequences; basket,item; user,item,weight; "
    "left,right,count. By default those with usual names, else the first ones."
)
_DELIMITER = "What separates the fields of INPUT (in a .txt: tokens or items), such as ; or :: or \\t."
_COUNTS = "Keep the counts in the model, to go on learning and to know what was seen [yes]."
_ROWS = "Keep names and densities of the rows (users, patients) [yes]; without them no counts either."
_HELD_OUT = "Where to write what --hold-out holds out [held_out.csv in OUT; with --no-counts or --no-rows nowhere]."
_UNNAMED = "Leave out all rows without a name (empty, NA, null, ...), or fail if there is one [leave out a few]."
_SPLIT = "Interactions, baskets: what separates several items in a cell, such as , (none: nothing does) [found]."
_TOGETHER = "Interactions: also count items that go together, with this weight."
_WEIGHTED = "Interactions: whether rows count their weights [yes; no with --min-weight]."
_HALF_LIFE = "Interactions: rows count half for every such time before the latest; a number is in the unit of --time."
_EVIDENCE = "Baskets: with how many others an item counts at most; none: with all [auto]."
_LEVELS = "Catalogue: columns of categories, general first; repeat it for columns beside these [found]."
_CYCLES = "Drop the edges that close a cycle with earlier ones, and say so, or fail [drop]."
_FIELDS = "A,B,..."
_CONTENT = "[NAME=]FILE[:COLUMN,...]"
_NUMBERS = "Numbers as prior: csv, tsv, parquet, npy or npz, a row an entity; repeatable."
_TEXTS = "Texts as prior, by the encoder of vbn[text]; repeatable."

Kind = Literal["sequences", "baskets", "interactions", "pairs", "matrix", "folder"]
By = Literal["random", "time", "last", "user"]


class Parts(NamedTuple):
    """What a run trains on, what it is validated with, and the pairs to evaluate it with later."""

    train: Dataset
    validation: Dataset | None = None
    held: Dataset | None = None
    known: Dataset | None = None  # what held-out users have when they are asked about


class Option(NamedTuple):
    """An option of `vbn train`."""

    name: str
    kind: Any
    panel: str
    help: str
    flags: str = ""  # if they are not those of the name
    metavar: str | None = None
    least: float | None = None
    most: float | None = None


OPTIONS = (
    Option("kind", Kind, _MAIN, "What INPUT holds; by default what its columns are called like."),
    Option("out", Path, _MAIN, "Folder for the model; an existing one is replaced."),
    Option("columns", str, _MAIN, _COLUMNS, metavar=_FIELDS),
    Option("taxonomy", list[Path], _MAIN, "A file of child, parent[, weight]; repeatable."),
    Option("catalogue", Path, _MAIN, "A file of one row an item, with categories and titles in columns."),
    Option("hold_out", float, _MAIN, "Hold out this share of the pairs (above 0, below 1)."),
    Option("config", Path, _INPUT, "A toml file with any of these options, without the dashes; options win."),
    Option("hold_out_by", By, _INPUT, "Hold out any pairs, the latest, each user's last, or some users' [random]."),
    Option("held_out", Path, _INPUT, _HELD_OUT, metavar="FILE"),
    Option("header", bool, _INPUT, "Whether INPUT begins with a header; by default, look."),
    Option("delimiter", str, _INPUT, _DELIMITER),
    Option("drop_missing", bool, _INPUT, _UNNAMED, "--drop-missing/--refuse-missing"),
    Option("split_items", str, _INPUT, _SPLIT, metavar="TEXT"),
    Option(
        "time",
        str,
        _INPUT,
        "Interactions: the column that says when, in numbers or dates (2024-05-31, 31.05.2024).",
        metavar="COLUMN",
    ),
    Option("min_weight", float, _INPUT, "Interactions: keep rows of at least this weight or rating; each counts 1."),
    Option("weighted", bool, _INPUT, _WEIGHTED, "--weighted/--unweighted"),
    Option("half_life", str, _INPUT, _HALF_LIFE, metavar="30d|NUMBER"),
    Option("window", int, _INPUT, "Sequences: largest distance of neighbours [5].", least=1),
    Option("dynamic_window", bool, _INPUT, "Sequences: near neighbours count more, as in word2vec."),
    Option("min_count", float, _INPUT, "Leave out what occurs less often.", least=0),
    Option("max_size", int, _INPUT, "Keep only this many entities, the most frequent ones.", least=1),
    Option("shared", bool, _INPUT, "Pairs, matrix: whether both sides are the same entities.", "--shared/--separate"),
    Option("co_occurrences", float, _INPUT, _TOGETHER, metavar="WEIGHT"),
    Option("weight", str, _INPUT, _EVIDENCE, metavar="auto|none|N"),
    Option("row_names", Path, _INPUT, "Matrix: a text file with the names of its rows."),
    Option("column_names", Path, _INPUT, "Matrix: a text file with the names of its columns."),
    Option("validation", Path, _INPUT, "Held-out data like INPUT; its log-likelihood is shown."),
    Option("counts", bool, _INPUT, _COUNTS),
    Option("rows", bool, _INPUT, _ROWS),
    Option("taxonomy_side", Side, _KNOWLEDGE, "Whose taxonomy it is [column]."),
    Option("taxonomy_columns", str, _KNOWLEDGE, "Columns of the taxonomy's file.", metavar=_FIELDS),
    Option("id", str, _KNOWLEDGE, "Column of names in --catalogue, --features, --text [found].", metavar="COLUMN"),
    Option("levels", list[str], _KNOWLEDGE, _LEVELS, metavar=_FIELDS),
    Option("split", str, _KNOWLEDGE, "Catalogue: what separates several values in a cell [found].", metavar="TEXT"),
    Option("label", str, _KNOWLEDGE, "Catalogue: the column of titles [title, label or name].", metavar="COLUMN"),
    Option("prefix", bool, _KNOWLEDGE, "Catalogue: name categories after their column, as genre:Drama.", "--prefix"),
    Option("drop_cycles", bool, _KNOWLEDGE, _CYCLES, "--drop-cycles/--refuse-cycles"),
    Option("features", list[str], _KNOWLEDGE, _NUMBERS, metavar=_CONTENT),
    Option("text", list[str], _KNOWLEDGE, _TEXTS, metavar=_CONTENT),
    Option("content_side", Side, _KNOWLEDGE, "Whose features and texts they are [column]."),
    Option("relation", list[str], _KNOWLEDGE, "A file of left, right[, weight]; repeatable.", metavar="NAME=FILE"),
    Option("relation_columns", str, _KNOWLEDGE, "Columns of the relations' files.", metavar=_FIELDS),
    Option("symmetric", list[str], _KNOWLEDGE, "This relation holds both ways; repeatable.", metavar="NAME"),
    Option("skip_unknown", bool, _KNOWLEDGE, "Leave out relation pairs with an unknown name.", "--skip-unknown"),
    Option("address", str, _RUN, "Ray: where the cluster is [RAY_ADDRESS, or this machine].", metavar="HOST:PORT"),
    Option("workers", int, _RUN, "Ray: number of workers [one a node].", least=1),
    Option(
        "like", Path, _RUN, "Turn the vectors into the coordinates of this model, to compare them.", metavar="MODEL"
    ),
    Option("resume", bool, _RUN, "Go on from OUT/checkpoint, to the same bits as without a break.", "--resume"),
    Option("force", bool, _RUN, "Resume even if the model was changed since; the changes are lost.", "--force"),
    Option("dry_run", bool, _RUN, "Show the summary of the data only.", "--dry-run"),
    Option("quiet", bool, _RUN, "No summary, no progress.", "--quiet -q"),
)
"""The options that are no parameters of `VBN`; those of a run come last."""


def with_options(
    function: Callable[..., None], more: tuple[Option, ...] = (), without: Collection[str] = ()
) -> Callable[..., None]:
    """Give a command the argument INPUT, an option for each of `OPTIONS`, and one for each parameter that is one.

    Typer reads them from the signature. Those of a group stand together. A verb may have `more` of its own, and do
    `without` some.
    """
    by_group = sorted(PARAMETERS, key=lambda item: list(GROUPS).index(item.group))
    own = [*more, *OPTIONS]
    others = {None, *(item.name for item in more)}
    of_model = [_option(item) for item in by_group if item.option_name not in others]
    first = [item for item in own if item.panel != _RUN]
    made = {"input": Annotated[Path | None, typer.Argument(metavar="INPUT", help=_FILES)]}
    for item in (*first, *of_model, *(item for item in own if item.panel == _RUN)):
        if item.name in without:
            continue
        about: dict[str, Any] = {"help": item.help, "metavar": item.metavar, "min": item.least, "max": item.most}
        given = typer.Option(*item.flags.split(), rich_help_panel=item.panel, **about)
        made[item.name] = Annotated[item.kind | None, given]
    keyword = inspect.Parameter.KEYWORD_ONLY
    signature = [inspect.Parameter(name, keyword, default=None, annotation=kind) for name, kind in made.items()]
    function.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    function.__annotations__ = made
    return function


def _option(parameter: Parameter) -> Option:
    name, default = str(parameter.option_name), parameter.default
    shown = {"None": "none", "True": "yes", "False": "no"}.get(str(default), default)
    about = _HELP.get(name, f"{parameter.help.rstrip('.')} [{shown}].")
    flags = f"{option_of(name)} {option_of(parameter.formerly)}" if parameter.formerly else ""
    panel = _MAIN if parameter.main else GROUPS[parameter.group]
    if parameter.by:
        metavar = f"VALUE | {'KIND' if parameter.by == 'kind' else 'NAME'}=VALUE"
        return Option(name, list[str], panel, about, flags, metavar)
    words: Any = ("auto", "yes", "no") if parameter.kind == "auto" else parameter.choices
    kind = {"whole": int, "number": float, "flag": bool}.get(parameter.kind, Literal[words] if words else str)
    least = parameter.above if parameter.least is None else parameter.least
    most = parameter.most if kind is float else None
    return Option(name, kind, panel, about, flags, "SIZE" if parameter.kind == "memory" else None, least, most)


@verb(
    "vbn train corpus.txt --kind sequences --window 5 --subsample 1e-4 --out my-model",
    "vbn train orders.csv --catalogue items.csv --out my-model",
    "vbn train ratings.csv --kind interactions --min-weight 3.5 --catalogue films.csv --levels genres,directors "
    "--out my-model",
    "vbn train ratings.csv --kind interactions --features items.csv:price,year --text items.csv:title --out my-model",
    "vbn train words.txt --kind sequences --relation antonym=antonyms.csv --symmetric antonym --out my-model",
    "vbn train counts --kind folder --engine ray --address head:6379 --out my-model",
    "vbn train --config my-model/train.toml    (repeats a run)",
)
@with_options
def train(**options: Any) -> None:
    """Train a model on a file and save it in a folder.

    A summary of the data comes first. Ctrl-C ends the training after the present epoch and saves the model so far; a
    second one ends it at once and saves nothing. The options used are written to train.toml in the model's folder,
    which repeats the run to the bit. With --checkpoint-every, a run that was broken off can be resumed by the same
    command with --resume, also with more --epochs.
    """
    from vbn.cli.reading import check_usage, read_input, with_catalogue_columns, with_kind, with_knowledge
    from vbn.cli.run_files import check_resuming, epochs_done
    from vbn.cli.settings import gathered

    quiet = bool(options["quiet"])
    settings = with_kind(gathered(options), quiet)
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
        settings, data = read_input(settings, quiet)
        settings = with_catalogue_columns(settings, data, quiet)
        parts = _split(settings, data)
        parts = parts._replace(train=with_knowledge(settings, parts.train, scratch))
        if options["dry_run"]:
            typer.echo(_summary(settings, parts))
            return
        if not quiet:
            say(_summary(settings, parts))
        like = None if options["like"] is None else open_model(options["like"])
        _fit(settings, parts, out, before=before, quiet=quiet, latest=latest_of(settings, data), like=like)


def latest_of(settings: Mapping[str, Any], data: Dataset) -> dict[str, float]:
    """Return the time of the latest row, which the weights of all are relative to; nothing without a half-life."""
    return {"latest": float(data.times.max())} if "half_life" in settings and data.times is not None else {}


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


def _split(settings: Mapping[str, Any], data: Dataset) -> Parts:
    """Return the data to train on, and what is held out or given for validation.

    Users that are held out have no density of their own, so there is nothing to validate them with in training.
    """
    if "hold_out" in settings:
        from vbn.evaluation import hold_out, known_and_wanted

        by, seed = settings.get("hold_out_by", "random"), settings.get("seed", 0)
        train, held = hold_out(data, settings["hold_out"], seed, by=by)
        if by != "user":
            return Parts(train, held, held)
        known, wanted = known_and_wanted(held, seed=seed)
        return Parts(train, None, wanted, known)
    if "validation" in settings:
        from vbn.cli.reading import read_counts

        return Parts(data, read_counts(settings, settings["validation"], limits=False))
    return Parts(data)


def _held_out_file(settings: Mapping[str, Any]) -> Path | None:
    """Return where held-out pairs go; None if nowhere: without counts, no record may lie in the model's folder."""
    from vbn.cli.run_files import HELD_OUT

    if "held_out" in settings:
        return Path(settings["held_out"])
    return Path(settings["out"]) / HELD_OUT if _keeps_records(settings) else None


def _keeps_records(settings: Mapping[str, Any]) -> bool:
    """Return whether records of the data may lie in the model's folder."""
    return bool(settings.get("counts", True) and settings.get("rows", True))


def _summary(settings: Mapping[str, Any], parts: Parts) -> str:
    """Return a summary of the data to train on, and how much is held out from it."""
    from vbn.cli.run_files import known_beside

    told = str(parts.train.describe())
    if parts.held is None:
        return told
    file = _held_out_file(settings)
    told += f"\n  held out   {parts.held.counts.nnz:,} cells beside these, "
    if file is None:
        return told + "not written, as the folder is to have no records; --held-out FILE keeps them elsewhere"
    told += f"kept in {file.name}"
    if parts.known is not None:
        told += f"; {parts.known.counts.nnz:,} more of the same users in {known_beside(file).name}"
    return told


def _fit(
    settings: dict[str, Any],
    parts: Parts,
    out: Path,
    *,
    before: int,
    quiet: bool,
    latest: Mapping[str, float],
    like: Any,
) -> None:
    """Train, going on after the epochs of a checkpoint if there are any `before`, and save."""
    from vbn.cli.run_files import forget, save, stamp
    from vbn.cli.settings import checksums, input_files, to_toml
    from vbn.estimators import VBN, align
    from vbn.storage import CHECKPOINT

    model = VBN(**_parameters(settings), verbose=not quiet)
    settings = settings | {key: value for key, value in _effective(model).items() if value is not None}
    sums = checksums(input_files(settings), out)
    resumable = before > 0 or "checkpoint_every" in settings
    kept = resumable and settings.get("rows", True)  # a checkpoint has the rows, which the folder is then without
    if resumable:
        model.set_params(checkpoint=out / CHECKPOINT)
    started = time.perf_counter()
    model.fit(parts.train, validation=parts.validation, resume_from=out / CHECKPOINT if before else None)
    model.set_params(checkpoint=None)  # a path of this run, not a property of the model
    model = model if like is None else align(model, like)
    model.inputs_ = sums
    save(model, out, counts=settings.get("counts", True), rows=settings.get("rows", True))
    forget(out, checkpoint=not kept)
    _write_held_out(settings, parts)
    written = checksums([Path(settings["held_out"])] if "held_out" in settings else [], out)
    stamp(out, to_toml({**settings, **latest, "sha256": sums | written}, out))
    if model.interrupted_:
        how = "--resume goes on" if kept else "without --checkpoint-every it is final"
        raise KeyboardInterrupt(
            f"saved the model after {model.n_iter_} of {model.settings_['epochs']} epochs in {out}; {how}"
        )
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


def _write_held_out(settings: Mapping[str, Any], parts: Parts) -> None:
    """Write what was held out, where that is wanted."""
    from vbn.cli.run_files import known_beside

    file = _held_out_file(settings)
    if file is None or parts.held is None:
        return
    _write_pairs(file, parts.held)
    if parts.known is not None:
        _write_pairs(known_beside(file), parts.known)


def _write_pairs(file: Path, data: Dataset) -> None:
    """Write the cells of a data set as csv."""
    titles = ("left", "right", "count") if data.shared else ("user", "item", "weight")
    counts = data.counts
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(titles)
        cells = zip(counts.row_ids().tolist(), counts.indices.tolist(), counts.values.tolist(), strict=True)
        writer.writerows((data.rows[i], data.columns[j], f"{value:.17g}") for i, j, value in cells)
