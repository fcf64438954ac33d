"""Patients' diagnoses in their order, and the ICD-9-CM tree over them.

Read from MIMIC-III, or from plain tables of diagnoses and of the tree.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from vbn._errors import DataError, ParameterError
from vbn.datasets._icd9 import LEVELS, icd9_level, icd9_parents
from vbn.datasets._interactions import Edge, Interactions, not_empty
from vbn.datasets._reading import Found, Layout, broken, named, optional, recognise, rows_of, whole

_LAYOUTS = (
    Layout("MIMIC-III", ("DIAGNOSES_ICD.csv", "ADMISSIONS.csv")),
    Layout("plain", ("diagnoses.csv", "icd9_hierarchy.csv")),
)
_INSIDE = ("medical", "mimic", "mimic-iii", "mimic-iii-clinical-database-1.4")

Diagnosis = tuple[str, tuple[str, str], int, str]
"""Patient, what sorts the stays in hospital, place in the list of the stay, code."""


@dataclass(frozen=True)
class Diagnoses:
    """Diagnoses of patients.

    Attributes
    ----------
    interactions : Interactions
        A row for each time a patient was given a code (`Interactions.distinct` keeps the first); `order` counts each
        patient's diagnoses by stay in hospital, then by place in that stay's list.
    descriptions : dict
        What codes, blocks and chapters stand for, where the files say so.
    parents : dict
        The parent of each node of the tree.
    """

    interactions: Interactions
    descriptions: dict[str, str]
    parents: dict[str, str]

    def taxonomy(
        self, levels: Sequence[str] = ("category", "block", "chapter"), items: Iterable[str] | None = None
    ) -> list[Edge]:
        """Return the tree over the codes as edges of weight 1.

        Parameters
        ----------
        levels : sequence of {"subcategory", "category", "block", "chapter"}
            Which levels to keep; a node hangs under the nearest one above it.
        items : iterable of str, optional
            The codes to place. Default: those of `interactions`.
        """
        wrong = [level for level in levels if level not in LEVELS]
        if wrong or isinstance(levels, str):
            raise ParameterError(f"levels={levels!r} must be some of {', '.join(map(repr, LEVELS))}")
        edges: dict[str, str] = {}
        for item in self.interactions.items if items is None else items:
            node: str | None = item
            while node is not None and node not in edges:
                above = self._nearest(node, levels)
                if above is not None:
                    edges[node] = above
                node = above
        return [(child, parent, 1.0) for child, parent in edges.items()]

    def _nearest(self, node: str, levels: Sequence[str]) -> str | None:
        above = self.parents.get(node)
        while above is not None and icd9_level(above) not in levels:
            above = self.parents.get(above)
        return above


def load_medical(folder: str | os.PathLike[str]) -> Diagnoses:
    r"""Read patients' diagnoses.

    Parameters
    ----------
    folder : path
        Holds MIMIC-III's ``DIAGNOSES_ICD.csv`` and ``ADMISSIONS.csv`` (and ``D_ICD_DIAGNOSES.csv`` for descriptions),
        or ``diagnoses.csv`` (patient, encounter, seq, icd9) and ``icd9_hierarchy.csv`` (code, parent, description);
        any of them gzipped or not.

    Returns
    -------
    Diagnoses
        Codes without dots, the order in which patients were given them, and a method `taxonomy`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "DIAGNOSES_ICD.csv").write_text("SUBJECT_ID,HADM_ID,SEQ_NUM,ICD9_CODE\n9,100,1,25002")
    >>> _ = (folder / "ADMISSIONS.csv").write_text("HADM_ID,ADMITTIME\n100,2149-01-09 13:06:00")
    >>> load_medical(folder).taxonomy()
    [('25002', '250', 1.0), ('250', 'B:249-259', 1.0), ('B:249-259', 'C:240-279', 1.0)]
    """
    found = recognise(folder, "medical", _LAYOUTS, _INSIDE)
    if found.layout == "plain":
        rows, descriptions, parents = list(_plain_rows(found)), *_plain_tree(found)
    else:
        rows, descriptions = list(_mimic_rows(found)), _mimic_descriptions(found)
        parents = icd9_parents([*descriptions, *dict.fromkeys(row[3] for row in rows)])
    liked = not_empty(Interactions.collect(_in_order(rows)), f"no diagnoses in {found.folder}")
    return Diagnoses(liked, descriptions, parents)


def _in_order(rows: list[Diagnosis]) -> Iterator[tuple[str, str, float, int]]:
    """Number each patient's diagnoses from 0."""
    given: dict[str, int] = defaultdict(int)
    for patient, _, _, code in sorted(rows):
        yield patient, code, 1.0, given[patient]
        given[patient] += 1


def _mimic_rows(found: Found) -> Iterator[Diagnosis]:
    """Join diagnoses with the times of admission; rows without a code are left out, as MIMIC has some."""
    admissions = rows_of(found.path("ADMISSIONS.csv"), "HADM_ID", "ADMITTIME")
    times = {stay: time for _, (stay, time) in admissions}
    path = found.path("DIAGNOSES_ICD.csv")
    columns = ("SUBJECT_ID", "HADM_ID", "SEQ_NUM", "ICD9_CODE")
    for line, (patient, stay, place, code) in rows_of(path, *columns):
        if not code.strip():
            continue
        named(patient, code, path, line)
        if stay not in times:
            raise broken(path, line, f"names the admission {stay}, which ADMISSIONS.csv does not list")
        yield patient, (times[stay], stay), whole(place, path, line, "SEQ_NUM"), code.strip().upper()


def _mimic_descriptions(found: Found) -> dict[str, str]:
    path = optional(found.folder, "D_ICD_DIAGNOSES.csv")
    if path is None:
        return {}
    return {code.strip().upper(): title for _, (code, title) in rows_of(path, "ICD9_CODE", "LONG_TITLE")}


def _plain_rows(found: Found) -> Iterator[Diagnosis]:
    path = found.path("diagnoses.csv")
    for line, (patient, stay, place, code) in rows_of(path, "patient", "encounter", "seq", "icd9"):
        named(patient, code, path, line)
        yield patient, (stay.zfill(20), stay), whole(place, path, line, "seq"), code


def _plain_tree(found: Found) -> tuple[dict[str, str], dict[str, str]]:
    descriptions: dict[str, str] = {}
    parents: dict[str, str] = {}
    path = found.path("icd9_hierarchy.csv")
    for line, (code, parent, description) in rows_of(path, "code", "parent", "description"):
        if code in descriptions:
            raise broken(path, line, f"lists {code} a second time")
        descriptions[code] = description
        if parent and parent != "ROOT":
            parents[code] = parent
    if not descriptions:
        raise DataError(f"{path} is empty")
    return descriptions, parents
