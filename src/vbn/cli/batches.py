"""Answers for many users: a file that grows batch by batch, with progress on standard error."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from vbn.cli.shared import say

_LOG_EVERY = 10.0  # seconds between lines of a log
SIZE = 4096
"""Users that are answered at a time."""


def write_batches(out: Path, batches: Any) -> None:
    """Write the answers for all users of some batches to a file, and say at the end how many and who was left out."""
    from vbn.estimators import duration
    from vbn.storage import write_answers

    started = time.monotonic()
    write_answers(out, _watched(batches, len(batches.users)), batches.labelled)
    seconds = max(time.monotonic() - started, 1e-9)
    say(f"{len(batches.users):,} users in {duration(seconds)}, {len(batches.users) / seconds:,.0f} users/s")
    tell_unknown(batches.unknown)


def tell_unknown(unknown: list[str]) -> None:
    """Say how many users were left out."""
    if unknown:
        first = ", ".join(map(repr, unknown[:3])) + (", ..." if unknown[3:] else "")
        users = "user" if len(unknown) == 1 else "users"
        say(f"left out {len(unknown):,} {users} that the model does not know: {first}")


def _watched(batches: Iterable[Any], total: int) -> Iterator[Any]:
    """Yield the batches, and show how far it is: a bar in a terminal, a line now and then elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield from _logged(batches, total)
        return
    text, left = TextColumn("user {task.completed:,}/{task.total:,}"), TextColumn("left")
    with Progress(text, BarColumn(), left, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task("users", total=total)
        for batch in batches:
            yield batch
            bar.advance(task, len(batch))


def _logged(batches: Iterable[Any], total: int) -> Iterator[Any]:
    from vbn.estimators import duration

    started = last = time.monotonic()
    done = 0
    for batch in batches:
        yield batch
        done += len(batch)
        now = time.monotonic()
        if now - last > _LOG_EVERY:
            last, rate = now, done / (now - started)
            say(f"user {done:,}/{total:,}  {rate:,.0f} users/s  {duration((total - done) / rate)} left")
