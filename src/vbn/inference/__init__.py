"""What comes out: predictions, neighbours, relation queries, densities of entities added later."""

from vbn.inference._density import Density
from vbn.inference._explanation import Explanation
from vbn.inference._table import Row, Table, Tables

__all__ = ["Density", "Explanation", "Row", "Table", "Tables"]
