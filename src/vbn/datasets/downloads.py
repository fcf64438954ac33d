"""Download a public data set: addresses and licences, checksums, resumed downloads, unpacking."""

from __future__ import annotations

import os
import re
import shutil
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vbn._errors import DataError, MissingExtraError, ParameterError, closest_names
from vbn.data import UNREADABLE
from vbn.datasets.reading import as_path

_TRIES = 4
_PAUSE = 1.0  # seconds before the second try; twice as long before each further one
_TIMEOUT = (10.0, 60.0)  # seconds to connect, and to wait for more
_CHUNK = 1 << 18
_LARGEST = 1 << 32  # bytes of an archive, and of what is in it; the largest of these sets unpacks to 1.2 GB

GROUPLENS = "https://files.grouplens.org/datasets/movielens"
NLTK_DATA = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora"

_GROUPLENS_LICENCE = (
    "MovieLens (GroupLens, University of Minnesota): for research; no redistribution and no commercial use without "
    "permission. Cite F. M. Harper and J. A. Konstan, The MovieLens Datasets: History and Context, ACM TiiS 5(4), 2015"
    ". The README in the archive has the full terms."
)
_PRINCETON_LICENCE = (
    "Copyright by Princeton University: use, copying, modification and distribution for any purpose without fee, as "
    "long as the notice in the archive stays with every copy."
)


@dataclass(frozen=True)
class Source:
    """A zip archive that can be downloaded."""

    base: str  # address of its folder
    file: str
    checksum: str | None  # algorithm and digest as published; None where the owner replaces the file now and then
    licence: str  # what the owner asks for, shown before the download


SOURCES = {
    "ml-1m": Source(GROUPLENS, "ml-1m.zip", "md5:c4d9eecfca2ab87c1945afe126590906", _GROUPLENS_LICENCE),
    "ml-25m": Source(GROUPLENS, "ml-25m.zip", "md5:6b51fb2759a8657d3bfcbfc42b592ada", _GROUPLENS_LICENCE),
    # "latest" is what it says: the file changes, and no checksum is published for good.
    "ml-latest-small": Source(GROUPLENS, "ml-latest-small.zip", None, _GROUPLENS_LICENCE),
    "semcor": Source(NLTK_DATA, "semcor.zip", "md5:46c095f0ab7090132567f87252af724f", _PRINCETON_LICENCE),
    "wordnet": Source(NLTK_DATA, "wordnet.zip", "md5:b3f38606f626e54c6f060548546f71f0", _PRINCETON_LICENCE),
}


def download(
    name: str,
    folder: str | os.PathLike[str] = "data",
    *,
    progress: bool = True,
    tell: Callable[[str], None] | None = None,
) -> Path:
    """Download a public data set and unpack it; needs the extra ``data``.

    An archive that already exists and has the right checksum is not downloaded again. Where no permanent checksum is
    published (``ml-latest-small``), that of the first download is kept beside the file and later ones must agree.

    Parameters
    ----------
    name : {"ml-1m", "ml-25m", "ml-latest-small", "semcor", "wordnet"}
        Which one. Mind its licence, which is shown first.
    folder : path, default "data"
        Where to put it; made if it does not exist.
    progress : bool, default True
        Whether to show a progress bar on standard error.
    tell : callable, optional
        Called with messages: the licence, and a checksum that was found. Default: print to standard error.

    Returns
    -------
    Path
        The folder, for `vbn.datasets.load`.
    """
    source = SOURCES.get(name) if isinstance(name, str) else None
    if source is None:
        close = closest_names(str(name), SOURCES)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ParameterError(f"no data set to download is called {name!r}.{hint} There are {', '.join(SOURCES)}")
    say = tell or _to_standard_error
    root = as_path(folder)
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"the folder {root} cannot be made: {error.strerror or error}") from error
    say(f"Licence of {name}. {source.licence}")
    unpack(_fetch(source, root, progress, say), root)
    return root


def _fetch(source: Source, root: Path, progress: bool, say: Callable[[str], None]) -> Path:
    """Return the archive, downloaded unless it is there."""
    pooch = _pooch()
    note = root / f"{source.file}.sha256"
    checksum = source.checksum or _noted(note)
    keeper = pooch.create(path=root, base_url=f"{source.base}/", registry={source.file: checksum})
    # Half a file is worth keeping only if the whole can be checked.
    part = root / f"{source.file}.part" if source.checksum else None
    try:
        archive = Path(keeper.fetch(source.file, downloader=ResumingDownloader(part, progress)))
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(_mismatch(source, note, error)) from error
    except OSError as error:
        raise DataError(f"{source.file} cannot be written to {root}: {error.strerror or error}") from error
    if checksum is None:
        digest = pooch.file_hash(str(archive), alg="sha256")
        note.write_text(f"{digest}  {source.file}\n", encoding="ascii")
        say(f"No checksum of {source.file} is known here; found sha256:{digest} and kept it in {note}")
    return archive


def _noted(note: Path) -> str | None:
    """Return the checksum of an earlier download; None if there was none."""
    if not note.is_file():
        return None
    found = re.match("[0-9a-f]{64}", note.read_text(encoding="ascii", errors="replace"))
    if found is None:
        raise DataError(f"{note} does not begin with a checksum; delete it to trust the next download")
    return f"sha256:{found[0]}"


def _mismatch(source: Source, note: Path, error: ValueError) -> str:
    found = " ".join(str(error).split())
    if source.checksum is None:
        return f"{source.file} differs from the first download: {found} To accept the new one, delete {note}"
    return f"{source.base}/{source.file} is not the expected file: {found} Nothing was kept; try again later"


def unpack(archive: Path, root: Path) -> None:
    """Extract a zip file into a folder."""
    try:
        with zipfile.ZipFile(archive) as packed:
            size = sum(entry.file_size for entry in packed.infolist())  # no more is unpacked of an entry
            if size > _LARGEST:
                raise DataError(f"{archive} would unpack to {size:,} bytes; at most {_LARGEST:,} are unpacked")
            packed.extractall(root)
    except OSError as error:
        raise DataError(f"{archive} cannot be unpacked to {root}: {error.strerror or error}") from error
    except UNREADABLE as error:
        raise DataError(f"{archive} is not a whole zip file ({error}); delete it and download it again") from error


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise MissingExtraError("pooch is not installed: pip install 'vbn[data]'.") from error
    return pooch


class _BrokenOffError(Exception):
    """Fewer bytes arrived than announced, or the server asks to try again."""


class ResumingDownloader:
    """Download to a file of its own first, and continue with it at the next try or in the next session.

    `part` is where the received part is kept; if it is None, each try starts from the beginning.
    """

    def __init__(self, part: Path | None, progress: bool) -> None:
        self._part, self._progress = part, progress

    def __call__(self, url: str, output_file: str, _pooch: Any = None, **_options: Any) -> None:
        """Download `url` to `output_file`; what pooch calls."""
        import requests

        part = self._part or Path(f"{output_file}.part")
        for attempt in range(1, _TRIES + 1):
            if self._part is None:
                part.unlink(missing_ok=True)
            try:
                self._receive(url, part)
                break
            except (requests.RequestException, _BrokenOffError) as error:
                if attempt == _TRIES:
                    raise DataError(_given_up(url, self._part, error)) from error
                time.sleep(_PAUSE * 2 ** (attempt - 1))
        shutil.move(part, output_file)

    def _receive(self, url: str, part: Path) -> None:
        """Get what is still missing."""
        import requests  # comes with pooch

        have = part.stat().st_size if part.exists() else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT) as answer:
            if have and answer.status_code == requests.codes.requested_range_not_satisfiable:
                return  # the part is the whole; if it is not, its checksum tells
            if answer.status_code >= 500 or answer.status_code == requests.codes.too_many_requests:
                raise _BrokenOffError(f"{answer.status_code} {answer.reason}")
            if answer.status_code >= 400:
                raise DataError(f"{url} answered {answer.status_code} {answer.reason}: it may have moved")
            goes_on = answer.status_code == requests.codes.partial_content
            done = have if goes_on else 0
            total = done + int(answer.headers.get("Content-Length", 0)) or None
            with part.open("ab" if goes_on else "wb") as file, self._bar(part, done, total) as advance:
                for chunk in answer.iter_content(_CHUNK):
                    file.write(chunk)
                    done += len(chunk)
                    if done > _LARGEST:
                        raise DataError(f"{url} sends more than {_LARGEST:,} bytes, which is no data set of these")
                    advance(done)
            if total is not None and done < total:
                raise _BrokenOffError(f"{done:,} of {total:,} bytes arrived")

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


def _to_standard_error(message: str) -> None:
    from rich.console import Console

    Console(stderr=True, highlight=False, markup=False).print(message)
