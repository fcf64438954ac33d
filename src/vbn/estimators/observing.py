"""Events of the day: `observe`, and the journal of a folder that holds what a server has observed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from vbn._errors import VBNWarning, caller_level
from vbn.data import Events, Triple, read_events
from vbn.estimators.checking import need_choice
from vbn.estimators.queries import Queries
from vbn.inference import Cells, counts_both_ways, kept_with, known_events, observe
from vbn.storage import JOURNAL, Contents, Position, folder_path, read_journal, writing

BATCH = 10_000
"""Events of a file that are observed at once."""


class Observes(Queries):
    """What a model learns between two trainings."""

    _position: Position | None = None  # in the journal of its folder

    def observe(
        self,
        events: Any,
        users: Any = None,
        items: Any = None,
        weights: Any = None,
        *,
        min_weight: float | None = None,
        missing: str = "auto",
        header: bool | None = None,
        delimiter: str | None = None,
        split_items: str | None = None,
    ) -> Self:
        """Update the densities that events touch, at once and in closed form; all others stay as they are.

        The rows of the events and then their columns are updated as in training, with what they had learned before as
        evidence and with the negatives that training would have drawn. The order of the events does not matter. A row
        that is not known yet, such as a new user, gets a density. From then on, everything counts the events:
        `recommend` leaves out what was seen, `explain` names it, and `partial_fit` learns from it again, with all else.

        Parameters
        ----------
        events
            Pairs (row, column) such as (user, item), or triples with a weight; a table, or the path of one.
        users, items, weights
            Names or numbers of the columns of a table, or columns themselves, as in `Dataset.from_interactions`.
        min_weight
            Observe only events whose weight or rating is at least this; each counts 1.
        missing
            "drop" leaves out events without a name, "auto" a few of a file, "error" none; "skip" also leaves out those
            with an unknown column.
        header, delimiter
            How to read a text file.
        split_items
            What separates the items of a cell, such as ",", if there are several.

        Raises
        ------
        UnknownEntityError
            For a column that the model does not know (`add` it first). Nothing has been observed then.

        Examples
        --------
        >>> import vbn
        >>> data = vbn.Dataset.from_interactions(["ann", "ann", "ben", "cem"], ["tea", "milk", "tea", "nuts"])
        >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
        >>> model = model.observe([("ben", "milk"), ("dee", "nuts", 2.0)])
        >>> model.recommend(user="ben", k=3).entities
        ['nuts']
        >>> model.posterior("dee", side="row").dim
        2
        """
        _ = self.trained_
        need_choice("missing", missing, ("auto", "error", "drop", "skip"))
        options: dict[str, Any] = {"min_weight": min_weight, "header": header, "delimiter": delimiter}
        found = read_events(events, users, items, weights, missing=missing, split_items=split_items, **options)
        return self._observe(found, skip=missing == "skip")

    def _observe(self, events: Events, skip: bool = False) -> Self:
        """Observe events that have been read."""
        trained, kept = self.trained_, self._kept
        known = known_events(trained, events, skip)
        if len(known):
            cells = Cells.of(trained, known, counts_both_ways(trained, kept))
            self._trained = observe(trained, cells, kept)
            self._kept = kept_with(kept, self._trained, cells)
        return self


def replay(model: Any, folder: str | os.PathLike[str]) -> int:
    """Let a model observe what the journal of its folder holds beyond what it has learned; return how many events."""
    path = folder_path(folder)
    contents = read_journal(path, model._position)
    if contents.torn:
        _warn(f"the last line of {path / JOURNAL} is incomplete and was ignored; its events were not acknowledged.")
    return _catch_up(model, contents, path)


def record(model: Any, folder: str | os.PathLike[str], events: Iterable[Triple]) -> int:
    """Observe events and write them to the journal of the model's folder; return how many there are.

    When this returns, they survive a crash. If it fails, neither the model nor the journal has changed. What other
    processes have written meanwhile is observed before.
    """
    path, before = folder_path(folder), dict(model.__dict__)
    try:
        with writing(path, model._position) as journal:
            _catch_up(model, journal.contents, path)
            known = known_events(model.trained_, Events.of(events), skip=False)
            if len(known):
                model._observe(known)
                model._position = journal.append(known.triples())
    except BaseException:
        model.__dict__.clear()
        model.__dict__.update(before)
        raise
    return len(known)


def _catch_up(model: Any, contents: Contents, folder: Path) -> int:
    done = lost = 0
    for batch in contents.after(model._position):
        events = Events.of(batch.events)
        known = known_events(model.trained_, events, skip=True)
        model._observe(known)
        done += len(known)
        lost += len(events) - len(known)
    if contents.name:
        model._position = contents.position
    if lost:
        which = f"{lost:,} events of {folder / JOURNAL} were" if lost > 1 else f"an event of {folder / JOURNAL} was"
        _warn(f"{which} left out: the model does not have these entities.")
    return done


def _warn(message: str) -> None:
    warnings.warn(VBNWarning(message), stacklevel=caller_level())
