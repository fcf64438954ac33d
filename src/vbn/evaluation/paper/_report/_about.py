"""What a report was made with: machine, commit, versions, date."""

from __future__ import annotations

import datetime
import platform
import subprocess
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from vbn._cores import available_cores, processor
from vbn._version import __version__

_PACKAGES = ("numpy", "scipy", "numba", "gensim", "implicit", "lightfm-next", "cmfrec", "optuna")


@dataclass(frozen=True)
class About:
    """Facts about a report that its reader must know to judge it."""

    date: str
    commit: str
    machine: str
    versions: dict[str, str]

    def lines(self) -> tuple[str, ...]:
        """In words."""
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"{self.date}, commit {self.commit}", self.machine, packages

    def to_dict(self) -> dict[str, Any]:
        """Fit for JSON."""
        return asdict(self)


def about() -> About:
    """Facts about this machine and this checkout."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return About(today, _commit(), _machine(), {"vbn": __version__, "python": platform.python_version(), **_versions()})


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _machine() -> str:
    name, cores = processor() or "unknown processor", available_cores()
    return f"{name}, {cores} cores, {platform.system()} {platform.machine()}"


def _commit() -> str:
    """The commit of the checkout that this code is in; "unknown" for an installed package."""
    here = Path(__file__).resolve().parent
    if not any((folder / ".git").exists() for folder in here.parents):
        return "unknown"
    try:
        name = _git(here, "rev-parse", "--short=12", "HEAD")
        changed = _git(here, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):  # no git, or none of our business
        return "unknown"
    return f"{name} with changes" if changed else name


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()
