"""Examples in README, docs and docstrings run as written: in an empty folder that they may fill.

Vectors of texts are kept in a folder of the test run, never in the user's cache.
"""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _in_an_empty_folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _with_a_cache_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VBN_CACHE", str(tmp_path_factory.getbasetemp() / "vbn-cache"))
