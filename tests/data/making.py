"""What tests of data share: a file to read, and the counts of a data set by name."""

from __future__ import annotations

from pathlib import Path

from vbn.data import Dataset


def write(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def by_name(data: Dataset) -> dict[tuple[str, str], float]:
    counts = data.counts
    rows = [data.rows[row] for row in counts.row_ids().tolist()]
    columns = [data.columns[column] for column in counts.indices.tolist()]
    return dict(zip(zip(rows, columns, strict=True), counts.values.tolist(), strict=True))
