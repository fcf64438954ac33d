"""The parameters of `VBN`, declared once.

Checks, options and help of `vbn train`, the table in docs/parameters.md and what is saved with a model come from here,
and tests hold the signature and docstring of `VBN` against it. The module imports nothing heavy, as the command line
reads it before it knows what it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GROUPS = {"model": "Model", "prior": "Prior", "relations": "Relations", "run": "Run"}
"""The groups of parameters, with their titles in help and documentation."""

LARGEST_DIM = 2**16  # beyond any use; more would only fail later, for lack of memory


@dataclass(frozen=True)
class Parameter:
    """One parameter: what it may be, and what it is about."""

    name: str
    kind: str  # "whole", "number", "flag", "choice", "auto", "verbosity", "dtype", "engine", "memory" or "path"
    default: Any
    group: str
    symbol: str = ""  # the paper's
    least: float | None = None
    above: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    optional: bool = False  # whether it may be None
    by: str = ""  # "relation", "kind" (of variable) or "source" (of features): it may also be a dict by these names
    auto: bool = False  # whether it may be "auto": chosen from the data
    main: bool = False  # one of the few that `vbn train --help` shows first
    option: str | None = ""  # the setting of `vbn train`, by default its name; None: there is none
    formerly: str = ""  # old name, still accepted for one version
    saved: bool = True  # with a model; a file must not say where its reader's next fit writes or runs

    @property
    def help(self) -> str:
        """What it does, in one line."""
        return _HELP[self.name]

    @property
    def option_name(self) -> str | None:
        """The setting of `vbn train` and of train.toml that gives it; None if there is none."""
        return self.name if self.option == "" else self.option

    @property
    def values(self) -> str:
        """What it may be, in words."""
        words = _WORDS.get(self.kind) or (one_of(self.choices) if self.choices else self._numbers())
        return words + ", or 'auto'" * self.auto + f", or by {self.by}" * bool(self.by) + ", or None" * self.optional

    def _numbers(self) -> str:
        bounds = []
        if self.above is not None:
            bounds.append(f"above {self.above:g}")
        if self.least is not None:
            bounds.append(f"of at least {self.least:g}")
        if self.most is not None and self.most < LARGEST_DIM:
            bounds.append(f"at most {self.most:g}")
        return f"{'whole number' if self.kind == 'whole' else 'number'} {' and '.join(bounds)}".rstrip()


_WORDS = {
    "flag": "True or False",
    "verbosity": "True or False",
    "auto": "True, False or 'auto'",
    "memory": "bytes, such as '8GiB'",
    "engine": "'threads', 'ray' or an engine",
    "path": "path of a folder",
}


def one_of(choices: tuple[str, ...]) -> str:
    """Return words as a list: "'a', 'b' or 'c'"."""
    *others, last = map(repr, choices)
    return f"{', '.join(others)} or {last}" if others else last


_HELP = {
    "dim": "Dimension of the embeddings.",
    "epochs": "How often every density is updated.",
    "negatives": "Noise pairs for each observed pair.",
    "noise_power": "Noise is drawn in proportion to count^power: 0 favours popular answers, 1 rare ones.",
    "subsample": "Threshold that thins out frequent entities, such as 1e-4.",
    "reject_positives": "Redraw noise that hits an observed pair.",
    "relation_rank": "Rank of the matrix of a relation.",
    "relation_weight": "How much a pair of a relation counts beside a co-occurrence.",
    "relation_prior": "Start the score of a relation from c^2 u.v instead of 0.",
    "relation_space": "Learn relations together with the densities, or on vectors read out of them.",
    "hard_negatives": "Share of a relation's noise drawn among the entities that it reaches.",
    "alpha": "Shape of the Gamma prior of precisions; 'auto' follows the data of each entity, the paper has 1.",
    "beta": "Rate of the Gamma prior of precisions; 'auto' as for alpha.",
    "parents": "All parents explain an entity together, or one of them does, found from the data.",
    "bias_prior": "What biases are pulled towards: the biases of the parents, a common mean or 0.",
    "cold_precision": "How far entities without data may lie from their parents.",
    "content_strength": "How far features may move an entity from its parents; 'auto' asks held-out cold ones.",
    "affinity": "Rank by what occurs together, too; 'auto': for users x items.",
    "company": "Let rows also learn from what occurs together; 'auto': where rows are short.",
    "favour": "Targets that the popularity dial is chosen for; None chooses no dial.",
    "resample": "Draw a new sample in each epoch.",
    "average_epochs": "Average the posterior over about this many epochs.",
    "tol": "Stop when the bound changes by less than this share of itself.",
    "warm_start": "Let `fit` start from the densities of the last fit.",
    "dtype": "Type of the stored densities.",
    "engine": "Train on this machine or on a Ray cluster.",
    "memory": "Counts and samples that take more memory, such as 8GiB, are kept in files.",
    "checkpoint": "Folder for the state of a fit, to resume from.",
    "checkpoint_every": "Number of epochs between two checkpoints.",
    "seed": "Same seed, same data, same machine: the same bits.",
    "n_threads": "Number of threads; all cores by default.",
    "verbose": "Show progress on standard error.",
}

PARAMETERS = (
    Parameter("dim", "whole", 50, "model", symbol="t", least=1, most=LARGEST_DIM, main=True),
    Parameter("epochs", "whole", "auto", "run", least=1, main=True, auto=True),
    Parameter("negatives", "number", "auto", "model", symbol="n", above=0, main=True, auto=True),
    Parameter("noise_power", "number", "auto", "model", least=0, main=True, auto=True),
    Parameter("subsample", "number", "auto", "model", above=0, optional=True, auto=True),
    Parameter("reject_positives", "auto", "auto", "model"),
    Parameter("relation_rank", "whole", 10, "relations", symbol="t_k", least=1, most=LARGEST_DIM, by="relation"),
    Parameter("relation_weight", "number", 1.0, "relations", above=0, by="relation"),
    Parameter("relation_prior", "number", "auto", "relations", least=0, auto=True, by="relation"),
    Parameter("relation_space", "choice", "readout", "relations", choices=("joint", "readout")),
    Parameter("hard_negatives", "number", 0.0, "relations", least=0, most=1),
    Parameter("alpha", "number", "auto", "prior", symbol="alpha", above=0, by="kind", auto=True),
    Parameter("beta", "number", "auto", "prior", symbol="beta", above=0, by="kind", auto=True),
    Parameter("parents", "choice", "blend", "prior", choices=("blend", "mixture")),
    Parameter("bias_prior", "choice", "taxonomy", "prior", choices=("taxonomy", "common", "zero")),
    Parameter("cold_precision", "choice", "siblings", "prior", choices=("siblings", "mean_field", "prior")),
    Parameter("content_strength", "number", 0.25, "prior", least=0, most=1e4, by="source", auto=True),
    Parameter("company", "auto", "auto", "model"),
    Parameter("affinity", "auto", "auto", "model"),
    Parameter("favour", "choice", "all", "run", choices=("all", "balanced", "rare"), optional=True),
    Parameter("resample", "flag", True, "run"),
    Parameter("average_epochs", "whole", 5, "run", least=1, formerly="average"),
    Parameter("tol", "number", None, "run", above=0, optional=True),
    Parameter("warm_start", "flag", False, "run", option=None),
    Parameter("dtype", "dtype", "float32", "run", choices=("float32", "float64")),
    Parameter("engine", "engine", "threads", "run", choices=("threads", "ray"), saved=False),
    Parameter("memory", "memory", None, "run", optional=True),
    Parameter("checkpoint", "path", None, "run", optional=True, option=None, saved=False),
    Parameter("checkpoint_every", "whole", 5, "run", least=1),
    Parameter("seed", "whole", 0, "run", least=0, most=2**63 - 1),
    Parameter("n_threads", "whole", None, "run", least=1, optional=True, option="threads"),
    Parameter("verbose", "verbosity", True, "run", option=None),
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
