"""Where the evaluation data lies: ``--data DIR``, or the environment variable ``VBN_DATA``."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_data_option(parser: argparse.ArgumentParser) -> None:
    """Give a script the option ``--data``."""
    parser.add_argument("--data", type=Path, default=None, help="folder of the data sets (else VBN_DATA)")


def data_folder(given: Path | None, name: str) -> Path:
    """Return the folder of one data set, or stop with a message that says what to set."""
    root = given or os.environ.get("VBN_DATA")
    if root is None:
        raise SystemExit("no data folder: give --data DIR or set VBN_DATA")
    folder = Path(root) / name
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not there: --data or VBN_DATA must name the folder that holds '{name}'")
    return folder
