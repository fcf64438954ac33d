"""How fast the library is, as ratios to peers and to the memory floor, all measured in one process."""

from vbn.bench._row import Figure, Outcome, Row, Setting
from vbn.bench._rows import ROWS
from vbn.bench._run import measure
from vbn.bench._table import as_dict, lines

__all__ = ["ROWS", "Figure", "Outcome", "Row", "Setting", "as_dict", "lines", "measure"]
