"""A downloader for pooch that retries and continues where it broke off. Imports requests, which comes with pooch."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

from vbn._errors import DataError

_TRIES = 4
_PAUSE = 1.0  # seconds before the second try; twice as long before each further one
_TIMEOUT = (10.0, 60.0)  # seconds to connect, and to wait for more
_CHUNK = 1 << 18


class BrokenOffError(Exception):
    """Fewer bytes arrived than announced, or the server asks to try again."""


class ResumingDownloader:
    """Download to a file of its own first, and continue with it at the next try or in the next session.

    Parameters
    ----------
    part : Path or None
        Where the received part is kept; None: each try starts from the beginning.
    progress : bool
        Whether to show a bar on standard error.
    """

    def __init__(self, part: Path | None, progress: bool) -> None:
        self._part, self._progress = part, progress

    def __call__(self, url: str, output_file: str, _pooch: Any = None, **_options: Any) -> None:
        """Download `url` to `output_file`; what pooch calls."""
        part = self._part or Path(f"{output_file}.part")
        for attempt in range(1, _TRIES + 1):
            if self._part is None:
                part.unlink(missing_ok=True)
            try:
                self._receive(url, part)
                break
            except (requests.RequestException, BrokenOffError) as error:
                if attempt == _TRIES:
                    raise DataError(_given_up(url, self._part, error)) from error
                time.sleep(_PAUSE * 2 ** (attempt - 1))
        shutil.move(part, output_file)

    def _receive(self, url: str, part: Path) -> None:
        """Get what is still missing."""
        have = part.stat().st_size if part.exists() else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
            if have and answer.status_code == requests.codes.requested_range_not_satisfiable:
                return  # the part is the whole; if it is not, its checksum tells
            if answer.status_code >= 500 or answer.status_code == requests.codes.too_many_requests:
                raise BrokenOffError(f"{answer.status_code} {answer.reason}")
            if answer.status_code >= 400:
                raise DataError(f"{url} answered {answer.status_code} {answer.reason}: it may have moved")
            goes_on = answer.status_code == requests.codes.partial_content
            done = have if goes_on else 0
            total = done + int(answer.headers.get("Content-Length", 0)) or None
            with part.open("ab" if goes_on else "wb") as file, self._bar(part, done, total) as advance:
                for chunk in answer.iter_content(_CHUNK):
                    file.write(chunk)
                    done += len(chunk)
                    advance(done)
            if total is not None and done < total:
                raise BrokenOffError(f"{done:,} of {total:,} bytes arrived")

    @contextmanager
    def _bar(self, part: Path, done: int, total: int | None) -> Iterator[Any]:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), disable=not self._progress) as progress:
            task = progress.add_task(part.name.removesuffix(".part"), total=total, completed=done)
            yield lambda now: progress.update(task, completed=now)


def _given_up(url: str, part: Path | None, error: Exception) -> str:
    kept = f" The received part is kept in {part}; the next try continues from there." if part and part.exists() else ""
    return f"{url} could not be downloaded in {_TRIES} tries: {error}.{kept}"
