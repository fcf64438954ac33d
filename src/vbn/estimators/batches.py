"""Recommendations for any number of users, a batch at a time."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError, UnknownEntityError
from vbn.data import Vocabulary
from vbn.estimators.checking import check_k, need_flag, need_whole
from vbn.inference import Tables


@dataclass(frozen=True, eq=False)
class Batches:
    """Answers for many users; iterating over it computes one `Tables` after the other.

    Attributes
    ----------
    users
        The names of those who are answered.
    unknown
        The names that were left out, since the model does not know them.
    labelled
        Whether answers have labels.
    """

    model: Any
    users: list[str]
    unknown: list[str]
    k: int
    size: int
    options: Mapping[str, Any]
    labelled: bool

    def __iter__(self) -> Iterator[Tables]:
        for number, first in enumerate(range(0, len(self.users), self.size)):
            options = dict(self.options)
            if options.get("seed") is not None:  # every batch draws anew
                options["seed"] = int(np.random.SeedSequence([options["seed"], number]).generate_state(1)[0])
            yield self.model.recommend(k=self.k, user=self.users[first : first + self.size], **options)

    def __repr__(self) -> str:
        return f"Batches({len(self.users):,} users, {len(self.unknown):,} unknown ones left out)"


def in_batches(
    model: Any,
    rows: Vocabulary,
    columns: Vocabulary,
    everybody: np.ndarray,
    users: Iterable[object] | None,
    k: int,
    skip_unknown: bool,
    size: int,
    options: Mapping[str, Any],
) -> Batches:
    """Check what is asked before anything is computed; without `users` it is about `everybody`, a mask of rows."""
    check_k(k)
    need_flag("skip_unknown", skip_unknown)
    need_whole("batch_size", size, least=1)
    for name in ("entities", "user"):
        if name in options:
            raise ParameterError(f"recommend_all() answers the rows given as users; {name} is for recommend().")
    how = int(k), int(size), options, columns.labels is not None
    if users is None:
        return Batches(model, [rows[number] for number in np.flatnonzero(everybody).tolist()], [], *how)
    if isinstance(users, (str, bytes, numbers.Number)) or not isinstance(users, Iterable):
        raise ParameterError(f"users={users!r} must be a list of names.")
    names: list[str] = []
    unknown: list[object] = []
    for user in users:
        if user in rows:
            names.append(rows[rows.id(user)])
        else:
            unknown.append(user)
    if unknown and not skip_unknown:
        raise _refusal(unknown, len(names) + len(unknown), rows, columns)
    if unknown and not names:
        raise DataError(f"the model knows none of the {len(unknown):,} users, such as {str(unknown[0])!r}.")
    return Batches(model, names, list(map(str, unknown)), *how)


def _refusal(unknown: list[object], asked: int, rows: Vocabulary, columns: Vocabulary) -> Exception:
    """Return an error about users that the model does not know: the first of them, how many, and what to do."""
    try:
        rows.id(unknown[0])  # raises another error for what cannot be a name
    except UnknownEntityError as error:
        first = error
    remedies: list[tuple[str, object] | tuple[str]] = [("skip_unknown", True)]
    if rows is not columns and first.name in columns:
        hint = f"it is the name of a column: give it as an entity, not as {REMEDY}; "
        remedies = [("user",), *remedies]
    else:
        hint = f"did you mean {first.closest[0]!r}? " if first.closest else ""
    who = f"the {len(unknown):,} of {asked:,} users that are unknown" if unknown[1:] else "unknown users"
    to_do = f"{hint}{'To' if hint.endswith('? ') else 'to'} leave out {who}, pass {REMEDY}"
    return UnknownEntityError(first.name, rows.names, elsewhere=to_do, remedies=remedies)
