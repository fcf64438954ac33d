"""Going on from an earlier posterior: a fit that starts where another one ended."""

from __future__ import annotations

from vbn.data import Dataset
from vbn.model._growth import carry_bias_categories, carry_part, carry_relations, carry_scalars
from vbn.model._network import Network
from vbn.model._trained import Trained


def start_from(network: Network, data: Dataset, earlier: Trained) -> None:
    """Set all densities that the earlier model has; the others keep their random start."""
    new, old = network.posterior, earlier.posterior
    carry_part(old.u, earlier.rows, earlier.graph("u"), new.u, data.rows, network.u_graph)
    carry_part(old.v, earlier.columns, earlier.graph("v"), new.v, data.columns, network.v_graph)
    carry_scalars(old.bias, earlier.columns, new.bias, data.columns)
    carry_bias_categories(old.bias, earlier.columns, earlier.graph("v"), new.bias, data.columns, network.v_graph)
    known = [relation.name for relation in earlier.relations]
    carry_relations(old, known, earlier.columns, new, list(data.relations), data.columns)
