"""What comes out: predictions, neighbours, relation queries, densities of entities added later."""

from vbn.inference._density import Density
from vbn.inference._explanation import Explanation
from vbn.inference._reliability import Bin, Reliability
from vbn.inference._table import Row, Table, Tables

__all__ = ["Bin", "Density", "Explanation", "Reliability", "Row", "Table", "Tables"]
