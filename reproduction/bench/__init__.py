"""How fast the library is, as ratios to peers and to the memory floor, all measured in one process."""

from __future__ import annotations

from reproduction.bench.measuring import ROWS, as_dict, lines, measure
from reproduction.bench.row import Figure, Outcome, Row, Setting

__all__ = ["ROWS", "Figure", "Outcome", "Row", "Setting", "as_dict", "lines", "measure"]
