"""Ranks of all models on several maskings, pooled: figures with their spread, and differences case by case."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from reproduction.cache import Record
from reproduction.judging import contributions
from reproduction.masking import Masked
from reproduction.results import Cell

FULL, RARE = "full", "rare"
BINS = 10


@dataclass(frozen=True)
class Cases:
    """What was asked for on one masking: whose case it is, and how frequent its item is."""

    user: np.ndarray
    rare: np.ndarray
    bin: np.ndarray

    @classmethod
    def of(cls, masked: Masked, which: str = "test") -> Cases:
        """The cases of a split."""
        user, item = masked.cases(which)
        return cls(user, masked.rare(which)[item], masked.frequency_bin(which, BINS)[item])

    def chosen(self, part: str | int) -> np.ndarray:
        """Flags of a slice: `FULL`, `RARE` or the number of a frequency bin."""
        if part == FULL:
            return np.ones(len(self.user), dtype=bool)
        return self.rare if part == RARE else np.asarray(self.bin == part)


@dataclass
class Pool:
    """Records of models on maskings.

    Attributes
    ----------
    seeds : int
        Masking k belongs to seed k modulo this; the spread of a figure is over the seeds.
    cases : list of Cases
        One for each masking.
    records : dict
        By key of the model, one for each masking.
    """

    seeds: int
    cases: list[Cases] = field(default_factory=list)
    records: dict[str, list[Record]] = field(default_factory=dict)

    def within(self) -> Pool:
        """The same, with the cold items as the only candidates."""
        records = {
            key: [
                Record(one.facts, {name: one.arrays[f"{name}_within"] for name in ("above", "others")}) for one in found
            ]
            for key, found in self.records.items()
        }
        return Pool(self.seeds, self.cases, records)

    def number(self, part: str | int) -> int:
        """How many cases a slice has on all maskings."""
        return int(sum(cases.chosen(part).sum() for cases in self.cases))

    def values(self, key: str, figure: str, part: str | int, variant: int = 0) -> list[np.ndarray]:
        """What each case of a slice contributes to a figure, by masking."""
        return [
            contributions(figure, record.arrays["above"][variant], record.arrays["others"])[cases.chosen(part)]
            for record, cases in zip(self.records[key], self.cases, strict=True)
        ]

    def users(self, part: str | int) -> np.ndarray:
        """Whose the cases of a slice are, in the order of `values`."""
        return np.concatenate([cases.user[cases.chosen(part)] for cases in self.cases])

    def cell(self, key: str, figure: str, part: str | int, variant: int = 0, paper: float | None = None) -> Cell:
        """A figure over all maskings, and its standard deviation over seeds."""
        if key not in self.records:
            return Cell(paper=paper)
        values = self.values(key, figure, part, variant)
        together = np.concatenate(values)
        if not len(together):
            return Cell(paper=paper)
        groups = [np.concatenate(values[seed :: self.seeds]) for seed in range(min(self.seeds, len(values)))]
        means = [group.mean() for group in groups if len(group)]
        spread = float(np.std(means, ddof=1)) if len(means) > 1 else None
        return Cell(float(together.mean()), spread, paper)

    def mean(self, key: str, figure: str, part: str | int, variant: int = 0) -> float:
        """A figure over all maskings; nan where the slice is empty."""
        value = self.cell(key, figure, part, variant).value
        return float("nan") if value is None else value

    def seconds(self, key: str) -> Cell:
        """How long one training took."""
        times = [record.facts["fit_seconds"] for record in self.records.get(key, [])]
        return Cell(float(np.median(times))) if times else Cell()
