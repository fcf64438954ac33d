"""Put a finished report into docs/results, and its two key tables and the long tail into the README.

    python scripts/results.py report

Nothing is run or measured: all of it comes from report.json, with the machine and the commit that it names. The tables
have VBN as it was tuned and, where the report has it, VBN without a parameter.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from reproduction.report import read_about, read_results, readme_part, with_part, write_report

ROOT = Path(__file__).parent.parent
LARGEST = 4_000_000  # bytes, of all files together


def main(report: Path, root: Path = ROOT) -> Path:
    """Write the files; returns their folder."""
    source, folder = report / "report.json", root / "docs" / "results"
    results, made = read_results(source), read_about(source)
    if folder.exists():
        shutil.rmtree(folder)
    write_report(results, folder, made)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > LARGEST:
        raise SystemExit(f"{folder} has {size:,} bytes, more than the {LARGEST:,} that belong into a repository.")
    readme = root / "README.md"
    part = readme_part(results, made, "docs/results")
    readme.write_text(with_part(readme.read_text(encoding="utf-8"), part), encoding="utf-8")
    return folder


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Put a finished report into docs/results and the README.")
    parser.add_argument("report", type=Path, help="folder with report.json")
    print(main(parser.parse_args().report))
