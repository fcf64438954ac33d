"""Entity embeddings as probability densities, learned from co-occurrences, a taxonomy and typed relations."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from vbn._errors import (
    DataError,
    EngineError,
    MissingExtraError,
    ModelFileError,
    NotFittedError,
    NumericalError,
    ParameterError,
    RelationError,
    StorageError,
    TaxonomyError,
    UnknownEntityError,
    VBNError,
)
from vbn._version import __version__

if TYPE_CHECKING:
    from vbn.baselines import BayesianSkipGram, Popularity, SkipGram, retrofit
    from vbn.data import Dataset, Taxonomy, Vocabulary
    from vbn.estimators import VBN, align, load
    from vbn.evaluation import tune
    from vbn.inference import Density, Explanation, Reliability, Similarity, Table

# Looked up on first use, so that `import vbn` is quick: numba and scipy come with the first fit.
_HOMES = {
    "VBN": "vbn.estimators",
    "Dataset": "vbn.data",
    "Taxonomy": "vbn.data",
    "Vocabulary": "vbn.data",
    "Density": "vbn.inference",
    "Explanation": "vbn.inference",
    "Reliability": "vbn.inference",
    "Similarity": "vbn.inference",
    "Table": "vbn.inference",
    "align": "vbn.estimators",
    "load": "vbn.estimators",
    "SkipGram": "vbn.baselines",
    "BayesianSkipGram": "vbn.baselines",
    "Popularity": "vbn.baselines",
    "retrofit": "vbn.baselines",
    "tune": "vbn.evaluation",
}

# Modules that need no import of their own.
_ROOMS = ("baselines", "checks", "datasets", "engines", "evaluation", "plot", "sklearn", "testing")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return importlib.import_module(f"vbn.{name}")
    raise AttributeError(f"module 'vbn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])


__all__ = [
    "VBN",
    "BayesianSkipGram",
    "DataError",
    "Dataset",
    "Density",
    "EngineError",
    "Explanation",
    "MissingExtraError",
    "ModelFileError",
    "NotFittedError",
    "NumericalError",
    "ParameterError",
    "Popularity",
    "RelationError",
    "Reliability",
    "Similarity",
    "SkipGram",
    "StorageError",
    "Table",
    "Taxonomy",
    "TaxonomyError",
    "UnknownEntityError",
    "VBNError",
    "Vocabulary",
    "__version__",
    "align",
    "load",
    "retrofit",
    "tune",
]
