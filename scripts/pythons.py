"""Run the quick part of the tests with every supported Python on this machine: python scripts/pythons.py [--others].

Looks for python3.11 to python3.13 on the path and among the versions of pyenv. Each gets an environment .venv-3.X with
vbn and what these tests need, which is kept for the next time. --others leaves out the Python that runs this script.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13")
NEEDS = ("pytest>=8", "hypothesis>=6.130", "safetensors>=0.4.3")
QUICK = (
    "tests/data/test_vocabulary_and_counts.py",
    "tests/inference/test_folding.py",
    "tests/storage/test_folder.py",
    "tests/storage/test_format1.py",
)


def found() -> dict[str, str]:
    """Return a program for each version that is installed."""
    return {version: program for version in VERSIONS if (program := program_of(version))}


def program_of(version: str) -> str | None:
    """Return a Python of this version that really starts; the shims of pyenv do not always."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        shutil.which(f"python{version}"),
        *map(str, sorted(kept.glob(f"{version}.*/bin/python"), reverse=True)),
    ]
    return next((program for program in candidates if program and says(program) == version), None)


def says(program: str) -> str:
    """Return the version that a program says it is, or nothing if it does not start."""
    ask = "import sys; print(*sys.version_info[:2], sep='.')"
    done = subprocess.run([program, "-c", ask], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def prepare(program: str, folder: Path) -> Path:
    """Make the environment, unless it is newer than what it is made from; return its Python."""
    python, done = folder / "bin" / "python", folder / ".done"
    if not done.exists() or done.stat().st_mtime < (HOME / "pyproject.toml").stat().st_mtime:
        subprocess.run([program, "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        subprocess.run([*pip, "--editable", HOME, *NEEDS], check=True)
        done.touch()
    return python


def main(others: bool) -> int:
    """Run the tests; return 1 if they fail with one of the Pythons."""
    mine = ".".join(map(str, sys.version_info[:2]))
    chosen = {version: program for version, program in found().items() if not (others and version == mine)}
    print("Pythons:", ", ".join(f"{version} ({program})" for version, program in chosen.items()) or "no other one")
    failed = []
    for version, program in chosen.items():
        print(f"--- Python {version}", flush=True)
        python = prepare(program, HOME / f".venv-{version}")
        done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *QUICK], cwd=HOME, check=False)
        failed += [version] if done.returncode else []
    print("failed with Python " + ", ".join(failed) if failed else "all passed")
    return int(bool(failed))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run the quick part of the tests with every supported Python.")
    parser.add_argument("--others", action="store_true", help="Leave out the Python that runs this script.")
    sys.exit(main(parser.parse_args().others))
