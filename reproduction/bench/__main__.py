"""`python -m reproduction.bench`: speed on this machine, as ratios to peers and to the memory floor."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from reproduction.bench.measuring import ROWS, as_dict, lines, measure
from reproduction.bench.row import Setting
from reproduction.report import about
from reproduction.running import to_stderr
from vbn._errors import VBNError

_EXAMPLES = """\
examples:
  python -m reproduction.bench kernel sampling fold-in
  python -m reproduction.bench --data data --out bench.json
  python -m reproduction.bench top-k --scale 0.1

Both sides of a ratio are timed in turn inside one process; the fastest of several counts. The peers (gensim, implicit,
faiss) come with the extra "bench"; a row that lacks its peer or its data is left out and says so. At full scale all
rows take a quarter of an hour and 16 GiB.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the rows that the arguments name; return the exit code."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.list:
        _show([(row.key, row.work) for row in ROWS])
        return 0
    if given.data is not None and not given.data.is_dir():
        parser.error(f"--data: no such folder: {given.data}")
    if given.repeats < 1 or not 0.0001 <= given.scale <= 1.0:
        parser.error("--repeats must be at least 1, and --scale between 0.0001 and 1.")
    setting = Setting(given.data, given.repeats, given.scale)
    try:
        found = measure(given.rows, setting, to_stderr)
    except VBNError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    if given.out is not None:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        kept = as_dict(found, setting, about().to_dict())
        given.out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    _show(lines(found))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m reproduction.bench",
        description="Measure speed and memory on this machine.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("rows", nargs="*", metavar="ROW", help="which rows; all by default")
    add("--list", action="store_true", help="only list the rows")
    add("--data", type=Path, metavar="DIR", help="folder with SemCor and MovieLens, for the rows that need them")
    add("--out", type=Path, metavar="FILE", help="write all measurements to this file, as JSON")
    add("--repeats", type=int, default=3, metavar="N", help="time each side of a ratio N times [3]")
    add("--scale", type=float, default=1.0, metavar="X", help="share of the work; the targets are those of 1 [1.0]")
    return parser


def _show(rows: Sequence[tuple[str, ...]]) -> None:
    width = max(len(row[0]) for row in rows)
    sys.stdout.writelines(f"{row[0]:<{width}}  {'  '.join(row[1:])}".rstrip() + "\n" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
