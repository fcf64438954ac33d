"""Download a public data set: checked against its checksum, resumed where it broke off, unpacked."""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vbn._errors import DataError, MissingExtraError, ParameterError, closest_names
from vbn.data import UNREADABLE
from vbn.datasets._reading import as_path
from vbn.datasets._sources import SOURCES, Source


def download(
    name: str,
    folder: str | os.PathLike[str] = "data",
    *,
    progress: bool = True,
    tell: Callable[[str], None] | None = None,
) -> Path:
    """Download a public data set and unpack it; needs the extra ``data``.

    An archive that is there already and has the right checksum is not downloaded again. Where no checksum is published
    for good (``ml-latest-small``), that of the first download is kept beside the file and later ones must agree.

    Parameters
    ----------
    name : {"ml-1m", "ml-25m", "ml-latest-small", "semcor", "wordnet"}
        Which one. Mind its licence: it is told first.
    folder : path, default "data"
        Where to put it; made if it is not there.
    progress : bool, default True
        Whether a bar on standard error shows how far the download is.
    tell : callable, optional
        Takes messages: the licence, and a checksum that was found. Default: standard error.

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
    root = _made(as_path(folder))
    say(f"Licence of {name}. {source.licence}")
    _unpack(_fetch(source, root, progress, say), root)
    return root


def _fetch(source: Source, root: Path, progress: bool, say: Callable[[str], None]) -> Path:
    """Return the archive, downloaded unless it is there."""
    pooch = _pooch()
    from vbn.datasets._resuming import ResumingDownloader

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
    """The checksum of an earlier download; None if there was none."""
    if not note.is_file():
        return None
    found = re.match("[0-9a-f]{64}", note.read_text(encoding="ascii", errors="replace"))
    if found is None:
        raise DataError(f"{note} should begin with a checksum and does not; delete it to trust the next download")
    return f"sha256:{found[0]}"


def _mismatch(source: Source, note: Path, error: ValueError) -> str:
    found = " ".join(str(error).split())
    if source.checksum is None:
        return f"{source.file} is not what it was at first: {found} If the new one is wanted, delete {note}"
    return f"{source.base}/{source.file} is not the file that was expected: {found} Nothing was kept; try again later"


def _unpack(archive: Path, root: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(root)
    except OSError as error:
        raise DataError(f"{archive} cannot be unpacked to {root}: {error.strerror or error}") from error
    except UNREADABLE as error:
        raise DataError(f"{archive} is not a whole zip file ({error}); delete it and download it again") from error


def _made(root: Path) -> Path:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"the folder {root} cannot be made: {error.strerror or error}") from error
    return root


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise MissingExtraError("pooch is not installed: pip install 'vbn[data]'.") from error
    return pooch


def _to_standard_error(message: str) -> None:
    from rich.console import Console

    Console(stderr=True, highlight=False, markup=False).print(message)
