"""`make test-pythons` finds the Pythons of this machine, and only those that start."""

import sys

from scripts.pythons import HOME, QUICK, VERSIONS, found, program_of, says


def test_every_program_that_is_found_is_of_its_version():
    assert {version: says(program) for version, program in found().items()} == {version: version for version in found()}
    assert set(found()) <= set(VERSIONS)


def test_versions_of_pyenv_are_found_and_broken_ones_are_not(tmp_path, monkeypatch):
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    mine = ".".join(map(str, sys.version_info[:2]))
    assert program_of(mine) is None
    for patch, text in ((9, "exit 1"), (7, f'exec {sys.executable} "$@"')):
        program = tmp_path / "versions" / f"{mine}.{patch}" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
    assert program_of(mine) == str(tmp_path / "versions" / f"{mine}.7" / "bin" / "python")


def test_the_quick_tests_exist():
    assert all((HOME / name).is_file() for name in QUICK)
