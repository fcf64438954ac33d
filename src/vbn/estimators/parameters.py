"""The parameters of `VBN`, declared once: type, range, default, group, help and the paper's symbol.

Checks, the options of `vbn train`, the table in docs/parameters.md and the settings in train.toml are made from
`PARAMETERS`; the signature and docstring of `VBN` and the model card are tested against it. A new parameter is one
entry here, and its place in the signature and docstring of `VBN`. The module imports nothing heavy, as the command line
reads it before it knows what it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GROUPS = {
    "model": "Model",
    "prior": "Prior",
    "relations": "Relations",
    "run": "Run",
}
"""The groups of parameters, with their titles in help and documentation."""

LARGEST_DIM = 2**16  # beyond any use; more would only fail later, for lack of memory


@dataclass(frozen=True)
class Parameter:
    """One parameter: what it may be, and what it is about.

    Parameters
    ----------
    name
        Its name in Python.
    kind
        "whole", "number", "flag", "choice", "auto" (True, False or "auto"), "verbosity", "dtype", "engine", "memory" or
        "path".
    default
        Its default.
    group
        One of `GROUPS`.
    help
        What it does, in one line.
    symbol
        The paper's symbol, if it has one.
    least, above, most
        The range of a number: at least, above, at most.
    choices
        The words that a choice may be.
    optional
        Whether it may be None.
    by
        "relation" or "kind" (of variable): whether it may also be a dict of values by these names.
    main
        Whether it is one of the few that `vbn train --help` shows first.
    option
        Its option of `vbn train`, without the dashes; by default its name. None: it is no option.
    formerly
        Its old name, still accepted for one version.
    saved
        Whether it is kept with a model. What belongs to one run is not: a file must not say where its reader's next fit
        writes or runs.
    """

    name: str
    kind: str
    default: Any
    group: str
    help: str
    symbol: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False
    by: str = ""
    main: bool = False
    option: str | None = ""
    formerly: str = ""
    saved: bool = True

    @property
    def option_name(self) -> str | None:
        """The setting of `vbn train` and of train.toml that gives it; None if there is none."""
        return self.name if self.option == "" else self.option

    @property
    def values(self) -> str:
        """What it may be, in words."""
        words = [self._words()]
        if self.by:
            words.append(f"or by {self.by}")
        if self.optional:
            words.append("or None")
        return ", ".join(words)

    def _words(self) -> str:
        if self.kind in _WORDS:
            return _WORDS[self.kind]
        if self.choices:
            return one_of(self.choices)
        return f"{'whole number' if self.kind == 'whole' else 'number'}{self.range}"

    @property
    def range(self) -> str:
        """The range of a number, in words: " of at least 0 and at most 1"."""
        bounds = []
        if self.above is not None:
            bounds.append(f"above {self.above:g}")
        if self.least is not None:
            bounds.append(f"of at least {self.least:g}")
        if self.most is not None and self.most < LARGEST_DIM:
            bounds.append(f"at most {self.most:g}")
        return f" {' and '.join(bounds)}" if bounds else ""


_WORDS = {
    "flag": "True or False",
    "verbosity": "True or False",
    "auto": "True, False or 'auto'",
    "memory": "bytes, such as '8GiB'",
    "engine": "'threads', 'ray' or an engine",
    "path": "path of a folder",
}


def one_of(choices: tuple[str, ...]) -> str:
    """Return words as a list: "'a', 'b' or 'c'".

    Examples
    --------
    >>> one_of(("joint", "readout"))
    "'joint' or 'readout'"
    """
    *others, last = map(repr, choices)
    return f"{', '.join(others)} or {last}" if others else last


PARAMETERS = (
    Parameter(
        "dim", "whole", 50, "model", "Dimension of the embeddings.", symbol="t", least=1, most=LARGEST_DIM, main=True
    ),
    Parameter("epochs", "whole", 40, "run", "How often every density is updated.", least=1, main=True),
    Parameter("negatives", "number", 1, "model", "Noise pairs for each observed pair.", symbol="n", above=0, main=True),
    Parameter(
        "noise_power",
        "number",
        0.75,
        "model",
        "Noise is drawn in proportion to count^power: 0 favours popular answers, 1 rare ones.",
        least=0,
        main=True,
    ),
    Parameter(
        "subsample",
        "number",
        None,
        "model",
        "Threshold that thins out frequent entities, such as 1e-4.",
        above=0,
        optional=True,
    ),
    Parameter("reject_positives", "auto", "auto", "model", "Whether noise that hits an observed pair is drawn again."),
    Parameter(
        "relation_rank",
        "whole",
        10,
        "relations",
        "Rank of the matrix of a relation.",
        symbol="t_k",
        least=1,
        most=LARGEST_DIM,
        by="relation",
    ),
    Parameter(
        "relation_weight",
        "number",
        1.0,
        "relations",
        "How much a pair of a relation counts beside a co-occurrence.",
        above=0,
        by="relation",
    ),
    Parameter(
        "relation_prior",
        "number",
        0.0,
        "relations",
        "Start the score of a relation from c^2 u.v instead of 0.",
        least=0,
        by="relation",
    ),
    Parameter(
        "relation_space",
        "choice",
        "joint",
        "relations",
        "Learn relations together with the densities, or on vectors read out of them.",
        choices=("joint", "readout"),
    ),
    Parameter(
        "hard_negatives",
        "number",
        0.0,
        "relations",
        "Share of a relation's noise drawn among the entities that it reaches.",
        least=0,
        most=1,
    ),
    Parameter(
        "alpha",
        "number",
        1.0,
        "prior",
        "Shape of the Gamma prior of precisions; larger values tie entities closer to their parents.",
        symbol="alpha",
        above=0,
        by="kind",
    ),
    Parameter(
        "beta", "number", 1.0, "prior", "Rate of the Gamma prior of precisions.", symbol="beta", above=0, by="kind"
    ),
    Parameter(
        "bias_prior",
        "choice",
        "taxonomy",
        "prior",
        "What biases are pulled towards: the biases of the parents, a common mean or 0.",
        choices=("taxonomy", "common", "zero"),
    ),
    Parameter(
        "cold_precision",
        "choice",
        "mean_field",
        "prior",
        "Entities without data: wider if their parents are uncertain, or all equally wide.",
        choices=("mean_field", "prior"),
    ),
    Parameter("resample", "flag", True, "run", "Draw a new sample in each epoch."),
    Parameter(
        "average_epochs",
        "whole",
        5,
        "run",
        "Average the posterior over about this many epochs.",
        least=1,
        formerly="average",
    ),
    Parameter(
        "tol",
        "number",
        None,
        "run",
        "Stop when the bound changes by less than this share of itself.",
        above=0,
        optional=True,
    ),
    Parameter("warm_start", "flag", False, "run", "Let `fit` start from the densities of the last fit.", option=None),
    Parameter("dtype", "dtype", "float32", "run", "Type of the stored densities.", choices=("float32", "float64")),
    Parameter(
        "engine",
        "engine",
        "threads",
        "run",
        "Train on this machine or on a Ray cluster.",
        choices=("threads", "ray"),
        saved=False,
    ),
    Parameter(
        "memory",
        "memory",
        None,
        "run",
        "Counts and samples that take more memory, such as 8GiB, are kept in files.",
        optional=True,
    ),
    Parameter(
        "checkpoint",
        "path",
        None,
        "run",
        "Folder for the state of a fit, to resume from.",
        optional=True,
        option=None,
        saved=False,
    ),
    Parameter("checkpoint_every", "whole", 5, "run", "Number of epochs between two checkpoints.", least=1),
    Parameter("seed", "whole", 0, "run", "Same seed, same data, same machine: the same bits.", least=0, most=2**63 - 1),
    Parameter(
        "n_threads",
        "whole",
        None,
        "run",
        "Number of threads; all cores by default.",
        least=1,
        optional=True,
        option="threads",
    ),
    Parameter("verbose", "verbosity", True, "run", "Show progress on standard error.", option=None),
)
"""All parameters of `VBN`, in the order of its signature."""

RENAMED = {item.formerly: item.name for item in PARAMETERS if item.formerly}
"""Old names of parameters, and what they are called now."""


def up_to_date(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters, as an earlier version wrote them, under their present names."""
    return {RENAMED.get(name, name): value for name, value in params.items()}


def kept_with_model(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that are saved with a model: all but those of a run."""
    of_a_run = {item.name for item in PARAMETERS if not item.saved}
    return {name: value for name, value in params.items() if name not in of_a_run}
