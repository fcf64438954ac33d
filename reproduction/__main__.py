"""`python -m reproduction`: the paper's tables and today's rivals, from the data to a report."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from reproduction.amounts import PAPERS, SHARES, amounts
from reproduction.command import DOMAINS, reproduce, search_winners
from reproduction.domains import LOADERS
from reproduction.running import Options
from reproduction.search import SPACES
from vbn._errors import VBNError

_AMOUNTS = "amounts"
_NEEDS_NO_FOLDER = "phenotypes"  # its data is in a package
_EXAMPLES = """\
examples:
  python -m reproduction movies --data data --out report
  python -m reproduction phenotypes --out report
  python -m reproduction all --data data --out report --cache runs
  python -m reproduction music --data data --search 20 --winners my-settings
  python -m reproduction amounts --data data --out report --domains movies,music --shares 0.01,0.1,1

Writes report.html, report.md and report.json and prints their paths; amounts writes amounts.md and amounts.json, which
become part of a report in the same folder. A second call repeats only what changed, and one
that was killed continues where it stopped. Progress goes to standard error.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for; return the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.data is None and given.domain != _NEEDS_NO_FOLDER:
        parser.error("--data is needed: the folder with the data sets.")
    given.data = given.data or Path()
    if not given.data.is_dir():
        parser.error(f"--data: no such folder: {given.data}")
    if given.search is None and (given.winners is not None or given.models is not None):
        parser.error("--winners and --models belong to --search.")
    if given.domain == _AMOUNTS and given.search is not None:
        parser.error(f"--search takes a domain, not {_AMOUNTS}.")
    if given.domain != _AMOUNTS and (given.domains or given.shares):
        parser.error(f"--domains and --shares belong to {_AMOUNTS}.")
    there = next(place for place in (given.out.absolute(), *given.out.absolute().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        parser.error(f"--out: {there} is not a folder that can be written to.")
    names = DOMAINS if given.domain == "all" else (given.domain,)
    try:
        if given.search is not None:
            kept = given.out / "cache" if given.cache is None else given.cache
            paths = search_winners(names, given.data, given.search, kept, given.winners, given.models)
        else:
            options = Options(given.seeds, given.quick, given.processes)
            if given.domain == _AMOUNTS:
                domains, shares = given.domains or PAPERS, given.shares or SHARES
                paths = amounts(domains, given.data, given.out, shares, options, given.cache)
            else:
                paths = reproduce(names, given.data, given.out, options, given.cache)
    except VBNError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.writelines(f"{path}\n" for path in paths)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m reproduction",
        description="Train VBN and its rivals on public data and compare them, as in the paper and beyond.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("domain", choices=(*DOMAINS, "all", _AMOUNTS), help="which tables; amounts: with shares of the users")
    add("--data", type=Path, metavar="DIR", help="folder with the data sets; phenotypes needs none")
    add("--out", type=Path, default=Path("report"), metavar="DIR", help="folder of the report [report]")
    add("--cache", type=Path, metavar="DIR", help="folder of the finished runs [OUT/cache]")
    add("--seeds", type=_at_least_one, default=3, metavar="N", help="number of seeds for the spread [3]")
    add("--processes", type=_at_least_one, default=2, metavar="N", help="trainings at once; memory grows with it [2]")
    add("--quick", action="store_true", help="one masking, few models, few epochs: only to see that it works")
    add("--domains", type=_names, metavar="A,B", help=f"with amounts: which domains [{','.join(PAPERS)}]")
    shown = ",".join(f"{share:g}" for share in SHARES)
    add("--shares", type=_shares, metavar="S,T", help=f"with amounts: shares of the users [{shown}]")
    add("--search", type=_at_least_one, metavar="N", help="try N settings of each model on validation data; no report")
    add("--models", type=_models, metavar="A,B", help="with --search: only these, such as lightfm,cmf; not for words")
    add("--winners", type=Path, metavar="DIR", help="with --search: folder to write the best settings to")
    return parser


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in LOADERS:
            raise argparse.ArgumentTypeError(f"must be among {', '.join(LOADERS)}, got {name!r}")
    return names


def _models(text: str) -> tuple[str, ...]:
    keys = tuple(text.split(","))
    for key in keys:
        if key not in SPACES:
            raise argparse.ArgumentTypeError(f"must be among {', '.join(SPACES)}, got {key!r}")
    return keys


def _shares(text: str) -> tuple[float, ...]:
    found = tuple(float(part) for part in text.split(","))
    if not all(0.0 < share <= 1.0 for share in found):
        raise argparse.ArgumentTypeError(f"must be numbers above 0 and at most 1, got {text}")
    return found


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


if __name__ == "__main__":
    sys.exit(main())
