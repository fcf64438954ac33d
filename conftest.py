"""Examples in README, docs and docstrings run as written: in an empty folder that they may fill.

Vectors of texts are kept in a folder of the test run, never in the user's cache. A page that says
`<!-- needs: package -->` is skipped where that package is not installed.
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


@pytest.fixture(autouse=True)
def _with_a_cache_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VBN_CACHE", str(tmp_path_factory.getbasetemp() / "vbn-cache"))
