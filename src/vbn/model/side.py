"""A side of the model: its rows or its columns, with everything known about them before training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vbn.data import Features, Taxonomy, Vocabulary
from vbn.model.graph import Graph

ROW, COLUMN = "row", "column"


@dataclass(frozen=True)
class Side:
    """The rows (whose variables are u) or the columns (v).

    `active` marks the entities that data reaches; the others get their densities from their priors in closed form.
    `unit` is the evidence that one occurrence of an entity gives: the weight of its pairs (with a window of five, a
    word has about ten), times how well the entities of the other side are known. Entities from number `trained` on were
    added after training; what is added first must not change what is added next. `features` are those that the model
    uses; a model read from a folder knows their names and columns, and those of no entity.
    """

    name: str
    names: Vocabulary
    taxonomy: Taxonomy | None
    active: np.ndarray
    unit: float = 1.0
    trained: int | None = None
    features: Features | None = None

    @cached_property
    def graph(self) -> Graph:
        """Return the taxonomy as kernels read it."""
        return Graph.build(self.taxonomy, self.active)

    @property
    def evidence(self) -> np.ndarray:
        """Return how much evidence there is of each entity."""
        return np.asarray(self.names.counts * self.unit)

    @property
    def learned(self) -> np.ndarray:
        """Return a mask of the entities that training saw."""
        return self.active if self.trained is None else self.active & (np.arange(len(self.active)) < self.trained)

    def with_active(self, active: np.ndarray) -> Side:
        """Return the same side with other active entities."""
        return replace(self, active=active)

    def over(self, names: Vocabulary, active: np.ndarray) -> Side:
        """Return the same side over names that continue these; entities that follow were not there in training."""
        same = len(names) == len(self.names)
        made = replace(
            self,
            names=names,
            taxonomy=None if self.taxonomy is None else self.taxonomy.over(names),
            active=active,
            trained=self.trained if same or self.trained is not None else len(self.names),
            features=None if self.features is None else self.features.over(names),
        )
        if "graph" in self.__dict__ and same and np.array_equal(active, self.active):
            made.__dict__["graph"] = self.graph  # it depends on neither names nor counts
        return made
