"""Models that the command line trained, once for all tests of it."""

import csv
import itertools
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from tests.cli.running import run
from vbn.cli import main

ODD = [
    "two words",
    'say "hi"',
    "line\nbreak",
    "snow \u2603 \U0001f9c0",
    "\u05e9\u05dc\u05d5\u05dd",
    "-dash",
    "a,b",
    "x=1",
]


class Trained(NamedTuple):
    folder: Path  # holds the inputs
    model: Path


@pytest.fixture
def called(monkeypatch, capsys):
    """Call the command line within this process, where starting it would take most of the time."""

    def call(*arguments, cwd=None):
        monkeypatch.setattr(sys, "argv", ["vbn", *map(str, arguments)])
        monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # put back what main() changes
        if cwd is not None:
            monkeypatch.chdir(cwd)
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=end.value.code or 0, stdout=out, stderr=err)

    return call


def write_csv(file, rows):
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


@pytest.fixture(scope="session")
def words(tmp_path_factory):
    """Words of two kinds, among them all sorts of names, with a taxonomy and a relation."""
    folder = tmp_path_factory.mktemp("words")
    cheeses, dogs = ["brie", "gouda", "feta", *ODD], ["poodle", "beagle", "boxer"]
    eaten, heard = ["melts", "smells"], ["barks", "bites"]
    pairs = [*itertools.product(cheeses, eaten), *itertools.product(dogs, heard)]
    rows = [(a, b, 5) for a, b in pairs] + [(b, a, 5) for a, b in pairs]
    write_csv(folder / "pairs.csv", [("left", "right", "count"), *rows])
    parents = [(name, "cheese") for name in cheeses] + [(name, "dog") for name in [*dogs, "corgi"]]
    write_csv(folder / "taxonomy.csv", [("child", "parent"), *parents, ("dog", "animal")])
    write_csv(folder / "sounds.csv", [("left", "right"), *itertools.product(dogs, ["barks"])])
    result = run(
        "train",
        "pairs.csv",
        "--kind",
        "pairs",
        "--taxonomy",
        "taxonomy.csv",
        "--relation",
        "sound=sounds.csv",
        "--dim",
        6,
        "--epochs",
        12,
        "--relation-weight",
        5,
        "--alpha",
        "entity=2",
        "--out",
        "model",
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    return Trained(folder, folder / "model")


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """Users of two tastes and items of two kinds; a part of the pairs is held out."""
    folder = tmp_path_factory.mktemp("shop")
    rows = [
        (f"u{u}", f"{'tea' if u % 2 else 'beer'} {i}", 1 + (u + i) % 3)
        for u in range(30)
        for i in range(8)
        if (u * 7 + i * 3) % 5
    ]
    write_csv(folder / "bought.csv", [("who", "what", "times"), *rows])
    result = run(
        "train",
        "bought.csv",
        "--kind",
        "interactions",
        "--columns",
        "who,what,times",
        "--hold-out",
        0.15,
        "--dim",
        6,
        "--epochs",
        15,
        "--out",
        "model",
        cwd=folder,
    )
    assert result.returncode == 0, result.stderr
    return Trained(folder, folder / "model")
