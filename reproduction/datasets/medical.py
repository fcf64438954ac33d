"""Patients' diagnoses in their order, from MIMIC-III or plain tables, and the ICD-9-CM tree over them.

The tree is made from the codes: code > subcategory > category > block > chapter. Blocks and chapters are those of the
US government's tabular list, which is in the public domain.
"""

from __future__ import annotations

import bisect
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from vbn._errors import DataError, ParameterError
from vbn.datasets.interactions import Edge, Interactions, not_empty
from vbn.datasets.reading import Found, Layout, broken, named, optional, recognise, rows_of, whole

LEVELS = ("subcategory", "category", "block", "chapter")

_CHAPTERS = (
    "001-139 140-239 240-279 280-289 290-319 320-389 390-459 460-519 520-579 580-629 630-679 680-709 710-739 740-759 "
    "760-779 780-799 800-999 V01-V91 E000-E999"
)
_BLOCKS = (
    "001-009 010-018 020-027 030-041 042-042 045-049 050-059 060-066 070-079 080-088 090-099 100-104 110-118 120-129 "
    "130-136 137-139 "
    "140-149 150-159 160-165 170-176 179-189 190-199 200-208 209-209 210-229 230-234 235-238 239-239 "
    "240-246 249-259 260-269 270-279 280-289 290-294 295-299 300-316 317-319 "
    "320-326 327-327 330-337 338-338 339-339 340-349 350-359 360-379 380-389 "
    "390-392 393-398 401-405 410-414 415-417 420-429 430-438 440-449 451-459 "
    "460-466 470-478 480-488 490-496 500-508 510-519 520-529 530-539 540-543 550-553 555-558 560-569 570-579 "
    "580-589 590-599 600-608 610-612 614-616 617-629 630-633 634-639 640-649 650-659 660-669 670-677 678-679 "
    "680-686 690-698 700-709 710-719 720-724 725-729 730-739 740-759 760-763 764-779 780-789 790-796 797-799 "
    "800-804 805-809 810-819 820-829 830-839 840-848 850-854 860-869 870-879 880-887 890-897 900-904 905-909 910-919 "
    "920-924 925-929 930-939 940-949 950-957 958-959 960-979 980-989 990-995 996-999 "
    "V01-V06 V07-V09 V10-V19 V20-V29 V30-V39 V40-V49 V50-V59 V60-V69 V70-V82 V83-V84 V85-V85 V86-V86 V87-V87 V88-V88 "
    "V89-V89 V90-V90 V91-V91 "
    "E000-E000 E001-E030 E800-E807 E810-E819 E820-E825 E826-E829 E830-E838 E840-E845 E846-E848 E849-E849 E850-E858 "
    "E860-E869 E870-E876 E878-E879 E880-E888 E890-E899 E900-E909 E910-E915 E916-E928 E929-E929 E930-E949 E950-E959 "
    "E960-E969 E970-E978 E979-E979 E980-E989 E990-E999"
)


def icd9_parents(codes: Iterable[str]) -> dict[str, str]:
    """Return the parent of each code and of everything above it; chapters have none.

    Codes have no dot. A code's parent is the code without its last digit, down to the category of three digits (of
    ``E`` and three digits for external causes); then come a block such as ``B:249-259`` and a chapter, ``C:240-279``.

    Examples
    --------
    >>> icd9_parents(["25002"])
    {'25002': '2500', '2500': '250', '250': 'B:249-259', 'B:249-259': 'C:240-279'}
    """
    parents: dict[str, str] = {}
    for code in codes:
        node = code
        while node not in parents:
            above = _above(node)
            if above is None:
                break
            parents[node] = above
            node = above
    return parents


def icd9_level(node: str) -> str:
    """Return the level of a node: "chapter", "block", "category", "subcategory", "subclassification" or "root"."""
    if node[:2] in ("C:", "B:"):
        return "chapter" if node[0] == "C" else "block"
    if node == "ROOT":
        return "root"
    depth = len(node) - _category_length(node)
    return ("category", "subcategory", "subclassification")[min(max(depth, 0), 2)]


def _above(node: str) -> str | None:
    if node.startswith("C:"):
        return None
    if node.startswith("B:"):
        return _range_with("C", node[2:].partition("-")[0])
    if len(node) > _category_length(node):
        return node[:-1]
    return _range_with("B", node) or _range_with("C", node)  # a category between two blocks


def _category_length(code: str) -> int:
    return 4 if code.startswith("E") else 3


def _range_with(kind: str, category: str) -> str | None:
    """Return the block or chapter that a category is in; None for what is no category of ICD-9-CM."""
    starts, ends = _ranges(kind)
    at = bisect.bisect_right(starts, _key(category)) - 1
    if at < 0 or _key(category) > _key(ends[at]) or starts[at][0] != _key(category)[0]:
        return None
    return f"{kind}:{starts[at][1]}-{ends[at]}"


@cache
def _ranges(kind: str) -> tuple[list[tuple[str, str]], list[str]]:
    pairs = [text.split("-") for text in (_BLOCKS if kind == "B" else _CHAPTERS).split()]
    pairs.sort(key=lambda pair: _key(pair[0]))
    return [_key(start) for start, _ in pairs], [end for _, end in pairs]


def _key(category: str) -> tuple[str, str]:
    """Sort plain numbers before E and V, each by its digits."""
    return ("" if category[:1].isdecimal() else category[:1]), category


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
