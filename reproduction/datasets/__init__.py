"""Readers of the data sets that only the reproduction uses: SemCor, word similarity, music, diagnoses."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from reproduction.datasets.medical import Diagnoses, load_medical
from reproduction.datasets.music import Music, load_music
from reproduction.datasets.semcor import Corpus, load_semcor
from reproduction.datasets.similarity import SimilaritySet, load_similarity
from vbn.datasets import LOADERS, load_from

__all__ = [
    "Corpus",
    "Diagnoses",
    "Music",
    "SimilaritySet",
    "load",
    "load_medical",
    "load_music",
    "load_semcor",
    "load_similarity",
]

_LOADERS: dict[str, Callable[..., Any]] = {
    **LOADERS,
    "semcor": load_semcor,
    "similarity": load_similarity,
    "music": load_music,
    "medical": load_medical,
    "mimic": load_medical,
}


def load(name: str, folder: str | os.PathLike[str], **options: Any) -> Any:
    """Read a data set by name, as `vbn.datasets.load` does, including those that only the reproduction uses.

    Parameters
    ----------
    name : {"movielens", "wordnet", "semcor", "similarity", "music", "medical", "mimic"}
        Which data set; "mimic" is another name of "medical".
    folder : path
        The folder with its files, or one above it.
    **options
        The keyword options of its loader.
    """
    return load_from(_LOADERS, name, folder, options)
