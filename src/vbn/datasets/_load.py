"""One entry to all loaders, by the name of the data set."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from vbn._errors import ParameterError, closest_names
from vbn.datasets._medical import load_medical
from vbn.datasets._movielens import load_movielens
from vbn.datasets._music import load_music
from vbn.datasets._semcor import load_semcor
from vbn.datasets._similarity import load_similarity
from vbn.datasets._wordnet_relations import load_wordnet
from vbn.datasets._wordnet_taxonomy import wordnet_taxonomy

_LOADERS: dict[str, Callable[..., Any]] = {
    "semcor": load_semcor,
    "wordnet": load_wordnet,
    "similarity": load_similarity,
    "movielens": load_movielens,
    "music": load_music,
    "medical": load_medical,
    "mimic": load_medical,
}


def load(name: str, folder: str | os.PathLike[str], **options: Any) -> Any:
    r"""Read a public data set from a folder; its layout is recognised by the names of its files.

    Parameters
    ----------
    name : {"semcor", "wordnet", "similarity", "movielens", "music", "medical", "mimic"}
        Which data set; "mimic" is another name of "medical".
    folder : path
        The folder with its files, or one above it.
    **options
        Those of the loader: `load_semcor`, `load_wordnet`, `load_similarity`, `load_movielens`, `load_music`,
        `load_medical`.

    Returns
    -------
    Corpus, WordRelations, dict of SimilaritySet, Movies, Music or Diagnoses
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
    loader = _LOADERS.get(name) if isinstance(name, str) else None
    if loader is None:
        close = closest_names(str(name), _LOADERS)
        hint = f"; did you mean {close[0]!r}?" if close else "."
        raise ParameterError(f"no data set is called {name!r}{hint} There are {', '.join(_LOADERS)}.")
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
