"""Put a finished report into docs/results, its table and picture into the README, its claims into docs/evidence.md.

    python scripts/results.py report

Nothing is run or measured: all of it comes from report.json, with the machine and the commit that it names. The table
has VBN as it was tuned and, where the report has it, VBN without a parameter.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from reproduction.report import (
    evidence_part,
    read_about,
    read_results,
    readme_part,
    with_part,
    write_picture,
    write_report,
)

ROOT = Path(__file__).parent.parent
LARGEST = 4_000_000  # bytes, of all files together


def main(report: Path, root: Path = ROOT) -> Path:
    """Write the files; returns their folder."""
    source, folder = report / "report.json", root / "docs" / "results"
    results, made = read_results(source), read_about(source)
    if folder.exists():
        shutil.rmtree(folder)
    write_report(results, folder, made)
    (folder / "report.html").unlink()  # the same as report.md with its pictures, for a folder of one's own
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > LARGEST:
        raise SystemExit(f"{folder} has {size:,} bytes, more than the {LARGEST:,} that belong into a repository.")
    write_picture(results, root / "docs" / "images" / "long-tail.png")
    parts = {"README.md": readme_part(results, "docs/results"), "docs/evidence.md": evidence_part(results, made)}
    for name, part in parts.items():
        page = root / name
        page.write_text(with_part(page.read_text(encoding="utf-8"), part), encoding="utf-8")
    return folder


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Put a finished report into docs/results, the README and docs/evidence.md."
    )
    parser.add_argument("report", type=Path, help="folder with report.json")
    print(main(parser.parse_args().report))
