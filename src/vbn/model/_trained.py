"""A trained model without its data: names, taxonomies, relations and the posterior. What inference and storage need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vbn._errors import ParameterError
from vbn.data import Dataset, Taxonomy, Vocabulary
from vbn.model._graph import PartGraph
from vbn.model._hyper import Hyperpriors
from vbn.model._network import Network
from vbn.model._posterior import Gaussians, Part, Posterior
from vbn.model._profile import Profile
from vbn.model._readout import Readout
from vbn.sampling import Sampler, noise_weights


@dataclass(frozen=True)
class RelationInfo:
    """A relation that the model knows: its name, whether it holds both ways, and its `relation_prior`."""

    name: str
    symmetric: bool
    prior: float = 0.0


@dataclass(frozen=True)
class Trained:
    """All that is needed to predict, to add entities and to save.

    `row_totals` is the positive weight of each row in training; with `negatives` and `noise_power` it says how many
    negatives an entity of a given count would have met, which is what adding one later needs. Logits of co-occurrence
    are divided by `temperature` before they become probabilities: 1 unless the model was calibrated. `rejects` says
    whether training drew negatives anew that were observed pairs (None: an older model, which does not tell).
    `relations_apart`: relations are about `Readout.vectors` and not about u and v.
    """

    rows: Vocabulary
    columns: Vocabulary
    row_taxonomy: Taxonomy | None
    column_taxonomy: Taxonomy | None
    relations: tuple[RelationInfo, ...]
    posterior: Posterior
    hyperpriors: Hyperpriors
    row_active: np.ndarray
    column_active: np.ndarray
    row_totals: np.ndarray
    negatives: float
    noise_power: float
    temperature: float = 1.0
    rejects: bool | None = None
    relations_apart: bool = False

    @property
    def shared(self) -> bool:
        """Whether rows and columns are the same entities."""
        return self.rows is self.columns

    @classmethod
    def from_training(cls, data: Dataset, network: Network, sampler: Sampler) -> Trained:
        """What a training leaves behind."""
        totals, past = sampler.row_totals(), sampler.past
        return cls(
            rows=data.rows, columns=data.columns, row_taxonomy=data.row_taxonomy, column_taxonomy=data.column_taxonomy,
            relations=tuple(
                RelationInfo(r.name, r.symmetric, prior)
                for r, prior in zip(data.relations.values(), network.relation_priors, strict=True)
            ),
            posterior=network.posterior, hyperpriors=network.hyperpriors, row_active=network.u_graph.entity_active,
            column_active=network.v_graph.entity_active,
            row_totals=totals if past is None else totals + past.row_totals, negatives=sampler.negatives,
            noise_power=sampler.noise_power, rejects=sampler.reject, relations_apart=network.readout is not None,
        )  # fmt: skip

    def vocabulary(self, side: str) -> Vocabulary:
        """The entities of a side, "row" or "column"."""
        if side not in ("row", "column"):
            raise ParameterError(f"side={side!r} is neither 'row' nor 'column'.")
        return self.rows if side == "row" else self.columns

    def taxonomy(self, side: str) -> Taxonomy | None:
        """The taxonomy of a side."""
        return self.row_taxonomy if side == "row" else self.column_taxonomy

    def graph(self, part: str) -> PartGraph:
        """The graph of part "u" (rows) or "v" (columns)."""
        if part == "u":
            return PartGraph.build(self.row_taxonomy, self.row_active)
        return PartGraph.build(self.column_taxonomy, self.column_active)

    def part(self, part: str) -> Part:
        """The densities of part "u" (rows) or "v" (columns)."""
        return self.posterior.u if part == "u" else self.posterior.v

    @cached_property
    def relation_parts(self) -> tuple[Gaussians, Gaussians]:
        """The densities of rows and of columns that relations are about."""
        q = self.posterior
        return Readout.of(self).vectors(q) if self.relations_apart else (q.u, q.v)

    def relation_number(self, name: str) -> int:
        """Place of a relation by its name."""
        from vbn._errors import UnknownEntityError

        names = [relation.name for relation in self.relations]
        if name not in names:
            raise UnknownEntityError(name, names, what="relation")
        return names.index(name)

    def noise(self) -> np.ndarray:
        """Probability of each column as a negative, 0 for columns without data."""
        weights = noise_weights(self.columns.counts, self.columns.counts > 0, self.noise_power)
        result: np.ndarray = weights / weights.sum()
        return result

    @cached_property
    def profile(self) -> Profile:
        """What ranking needs to know of all columns at once."""
        return Profile(self)

    def with_posterior(self, posterior: Posterior) -> Trained:
        """The same model with other densities."""
        return replace(self, posterior=posterior)
