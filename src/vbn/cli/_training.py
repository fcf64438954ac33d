"""The run of `vbn train`: read, summarise, fit, save."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from vbn.cli._loading import check_usage, read_counts, read_training_data
from vbn.cli._output import check_folder, say
from vbn.cli._settings import MODEL, gathered, to_toml
from vbn.data import Dataset

CONFIG, HELD_OUT, CHECKPOINT = "train.toml", "held_out.csv", "checkpoint"


def run_training(options: Mapping[str, Any]) -> None:
    """Train as the options (and the config file that they name) say."""
    settings, quiet = gathered(options), options["quiet"]
    if options["dry_run"]:
        settings.setdefault("out", "model")
    check_usage(settings)
    out = Path(settings["out"])
    check_folder(out)
    data = read_training_data(settings)
    if options["dry_run"]:
        typer.echo(str(data.describe()))
        return
    if not quiet:
        say(str(data.describe()))
    _fit(settings, data, out, resume=options["resume"], quiet=quiet)


def _fit(settings: dict[str, Any], data: Dataset, out: Path, *, resume: bool, quiet: bool) -> None:
    from vbn.estimators import VBN
    from vbn.evaluation import hold_out

    model = VBN(**_parameters(settings), verbose=not quiet)
    settings = settings | {key: value for key, value in _effective(model).items() if value is not None}
    config = to_toml(settings, out)
    held = None
    if "hold_out" in settings:
        data, held = hold_out(data, settings["hold_out"], model.seed)
    elif "validation" in settings:
        held = read_counts(settings, settings["validation"], limits=False)
    if resume or "checkpoint_every" in settings:
        model.set_params(checkpoint=out / CHECKPOINT)
    started = time.perf_counter()
    model.fit(data, validation=held, resume_from=out / CHECKPOINT if resume else None)
    model.set_params(checkpoint=None).save(
        out, counts=settings.get("counts", True)
    )  # a path of this run, not a property of the model
    (out / CONFIG).write_text(config, encoding="utf-8")
    if "hold_out" in settings and held is not None:
        write_pairs(out / HELD_OUT, held)
    if model.interrupted_:
        how = (
            "--resume goes on"
            if settings.get("checkpoint_every") or resume
            else "without --checkpoint-every it is final"
        )
        raise KeyboardInterrupt(f"saved the model after {model.n_iter_} of {model.epochs} epochs in {out}; {how}")
    if not quiet:
        _report(model, time.perf_counter() - started)
    typer.echo(str(out))


def _parameters(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of VBN among the settings."""
    given = {key: settings[key] for key in MODEL if key in settings}
    if "threads" in given:
        given["n_threads"] = given.pop("threads")
    if given.get("reject_positives") in ("yes", "no"):
        given["reject_positives"] = given["reject_positives"] == "yes"
    return given


def _effective(model: Any) -> dict[str, Any]:
    """All parameters that matter to the bits, with their defaults, as a later version may have others."""
    return {key: value for key, value in model.get_params().items() if key in MODEL and key != "checkpoint_every"}


def _report(model: Any, seconds: float) -> None:
    parts = [f"{model.n_iter_} epochs in {seconds:.1f} s", f"bound {model.lower_bound_:,.0f}"]
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
