"""The run of `vbn train`: read, summarise, fit, save."""

from __future__ import annotations

import csv
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from vbn.cli._belongings import CHECKPOINT, HELD_OUT, check_resuming, epochs_done, forget, stamp
from vbn.cli._loading import check_usage, read_counts, read_training_data
from vbn.cli._output import check_model_folder, say
from vbn.cli._settings import MODEL, gathered, to_toml
from vbn.data import Dataset, bytes_of


def run_training(options: Mapping[str, Any]) -> None:
    """Train as the options (and the config file that they name) say."""
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
    """A folder for counts that take more than the memory that was allowed; None without a limit."""
    if "memory" not in settings:
        yield None
        return
    bytes_of(settings["memory"])
    with tempfile.TemporaryDirectory(prefix="vbn-counts-") as folder:
        yield Path(folder)


def _split(settings: Mapping[str, Any], data: Dataset) -> tuple[Dataset, Dataset | None]:
    """The data to train on, and what is held out or given for validation."""
    if "hold_out" in settings:
        from vbn.evaluation import hold_out

        return hold_out(data, settings["hold_out"], settings.get("seed", 0))
    if "validation" in settings:
        return data, read_counts(settings, settings["validation"], limits=False)
    return data, None


def _summary(data: Dataset, held: Dataset | None, settings: Mapping[str, Any]) -> str:
    """The data that training uses, and how much is held out from it."""
    told = str(data.describe())
    if held is None or "hold_out" not in settings:
        return told
    return f"{told}\n  held out   {held.counts.nnz:,} cells beside these, kept in {HELD_OUT}"


def _fit(settings: dict[str, Any], data: Dataset, held: Dataset | None, out: Path, *, before: int, quiet: bool) -> None:
    """Train, going on after the epochs of a checkpoint if there are any `before`, and save."""
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
        write_pairs(out / HELD_OUT, held)
    stamp(out, config)
    if model.interrupted_:
        how = "--resume goes on" if resumable else "without --checkpoint-every it is final"
        raise KeyboardInterrupt(f"saved the model after {model.n_iter_} of {model.epochs} epochs in {out}; {how}")
    if not quiet:
        _report(model, time.perf_counter() - started, before)
    typer.echo(str(out))


def _parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of VBN among the settings."""
    given = {key: settings[key] for key in MODEL if key in settings}
    if "threads" in given:
        given["n_threads"] = given.pop("threads")
    if given.get("reject_positives") in ("yes", "no"):
        given["reject_positives"] = given["reject_positives"] == "yes"
    cluster = {key: given.pop(key) for key in ("address", "workers") if key in given}
    if given.get("engine") == "ray":
        from vbn.engines import RayEngine

        given["engine"] = RayEngine(**cluster)
    return given


def _effective(model: Any) -> dict[str, Any]:
    """All parameters that matter to the bits, with their defaults, as a later version may have others."""
    runs = ("checkpoint_every", "engine")
    return {key: value for key, value in model.get_params().items() if key in MODEL and key not in runs}


def _report(model: Any, seconds: float, before: int) -> None:
    done = f"{model.n_iter_ - before} epochs more" if before else f"{model.n_iter_} epochs"
    in_all = f", {model.n_iter_} in all" if before else ""
    parts = [f"{done} in {seconds:.1f} s{in_all}", f"bound {model.lower_bound_:,.0f}"]
    if len(model.validation_):
        parts.append(f"held-out log-likelihood {model.validation_[-1]:.4f}")
    say("trained: " + ", ".join(parts))


def write_pairs(file: Path, data: Dataset) -> None:
    """Write the cells of a data set as csv."""
    titles = ("left", "right", "count") if data.shared else ("user", "item", "weight")
    counts = data.counts
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(titles)
        cells = zip(counts.row_ids().tolist(), counts.indices.tolist(), counts.values.tolist(), strict=True)
        writer.writerows((data.rows[i], data.columns[j], f"{value:.17g}") for i, j, value in cells)
