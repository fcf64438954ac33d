"""Examples in README, docs and docstrings run as written: in an empty folder that they may fill.

A page that says `<!-- needs: package -->` is skipped where that package is not installed.
"""

import importlib.util
import re
from pathlib import Path

import pytest

_NEEDS = re.compile(r"<!-- needs: (\w+) -->")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        if request.node.path.suffix == ".md":
            for package in _NEEDS.findall(request.node.path.read_text(encoding="utf-8")):
                if importlib.util.find_spec(package) is None:
                    pytest.skip(f"{package} is not installed")
        monkeypatch.chdir(tmp_path)
