"""`vbn tune`: from a file of co-occurrences to the model folder of the best settings found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from vbn.cli.app import verb
from vbn.cli.shared import check_model_folder, print_json, say
from vbn.cli.train import _MAIN, _RUN, Option, _effective, _parameters, _scratch, with_options

if TYPE_CHECKING:
    from vbn.evaluation import Trials

Favour = Literal["all", "balanced", "rare"]

_OPTIONS = (
    Option("trials", int, _MAIN, "How many settings to try, the defaults included [8].", least=1),
    Option("minutes", float, _MAIN, "Begin no trial after so many minutes [no limit].", least=0),
    Option("favour", Favour, _MAIN, "Which targets to be good at [all]."),
    Option("study", Path, _MAIN, "A file that keeps the trials; the same command goes on from it."),
    Option("as_json", bool, _RUN, "Print JSON instead of a table.", "--json"),
)
_WITHOUT = ("config", "like", "hold_out", "held_out", "validation", "checkpoint_every", "resume", "force", "dry_run")
_with_options: Callable[[Callable[..., None]], Callable[..., None]] = partial(
    with_options, more=_OPTIONS, without=_WITHOUT
)


@verb(
    "vbn tune ratings.csv --kind interactions --taxonomy genres.csv --trials 8 --out my-model",
    "vbn tune ratings.csv --kind interactions --minutes 30 --trials 100 --study study.log --out my-model",
    "vbn tune corpus.txt --kind sequences --favour rare --dim 50 --out my-model    (dim is not varied)",
)
@_with_options
def tune(**options: Any) -> None:
    """Try settings on held-out pairs and train the best on all data.

    The first trial has the defaults. Parameters that are given as options are kept; of the others, the strength of the
    prior (alpha and beta), --negatives, --noise-power, --dim and, with features, --content-strength are varied. The
    table of the trials is printed and written to trials.csv in the model's folder, with a picture if matplotlib is
    installed; train.toml there repeats the last training. Ctrl-C ends the search and saves the best so far. Needs
    pip install 'vbn[tune]'.
    """
    from vbn.cli.reading import check_usage, read_input, with_catalogue_columns, with_kind, with_knowledge
    from vbn.cli.settings import gathered
    from vbn.estimators import VBN
    from vbn.evaluation import free_space
    from vbn.evaluation import tune as tuned

    quiet = bool(options["quiet"])
    settings = with_kind(gathered(options | {"config": None}), quiet)
    check_usage(settings)
    check_model_folder(Path(settings["out"]))
    with _scratch(settings) as scratch:
        settings, data = read_input(settings, quiet)
        settings = with_catalogue_columns(settings, data, quiet)
        data = with_knowledge(settings, data, scratch)
        if not quiet:
            say(str(data.describe()))
        given = _parameters(settings)
        search = {key: options[key] for key in ("trials", "minutes", "favour", "study") if options[key] is not None}
        model: Any = tuned(
            data,
            **search,
            seed=given.get("seed", 0),
            estimator=VBN(**given, verbose=not quiet),
            space=free_space(given, data),
            verbose=not quiet,
        )
        _save(model, settings)
    if not quiet:
        say(f"saved in {settings['out']}")
    trials: Trials = model.tuning_
    if options["as_json"]:
        print_json(trials.to_dicts())
    else:
        typer.echo(str(trials))
    if trials.interrupted:
        done = "trial 0" if len(trials) == 1 else f"the best of {len(trials)} trials"
        raise KeyboardInterrupt(f"saved {done} in {settings['out']}")


def _save(model: Any, settings: dict[str, Any]) -> None:
    """Write the model, what was tried, and the settings that train it again."""
    from vbn.cli.run_files import PICTURE, TRIALS, forget, save, stamp
    from vbn.cli.settings import checksums, input_files, to_toml

    out = Path(settings["out"])
    model.inputs_ = checksums(input_files(settings), out)
    save(model, out, counts=settings.get("counts", True), rows=settings.get("rows", True))
    forget(out, checkpoint=True)
    model.tuning_.to_csv(out / TRIALS)
    _draw(model.tuning_, out / PICTURE)
    effective = {key: value for key, value in _effective(model).items() if value is not None}
    stamp(out, to_toml(settings | effective | {"sha256": model.inputs_}, out))


def _draw(trials: Trials, file: Path) -> None:
    """Save a picture of the trials, if matplotlib is installed."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 1.3 + 0.32 * len(trials)), layout="constrained")
    trials.plot(figure.subplots())
    figure.savefig(file, dpi=150)
