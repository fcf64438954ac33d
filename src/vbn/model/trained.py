"""A trained model without its data: names, taxonomies, relations and densities, for inference and storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from vbn._errors import ParameterError, UnknownEntityError
from vbn.data import Taxonomy, Vocabulary
from vbn.model.affinity import Affinity, Lifts
from vbn.model.block import Block
from vbn.model.company import Company
from vbn.model.fields import Gaussians
from vbn.model.fit import Network
from vbn.model.likelihoods import Bilinear, Cooccurrence
from vbn.model.link import Link
from vbn.model.posterior import Blueprint, Posterior, RelationInfo, carry, common_places, placeholder
from vbn.model.precisions import Hyperpriors
from vbn.model.priors import Linear, with_automatic
from vbn.model.profile import Profile
from vbn.model.readout import relation_vectors, smoothed
from vbn.model.side import COLUMN, ROW, Side
from vbn.sampling import Sampler, noise_weights

T = TypeVar("T")


@dataclass(frozen=True)
class Half:
    """Rows with their densities u, or columns with their densities v and biases b."""

    letter: str
    side: Side
    block: Block
    bias: Block | None = None

    @property
    def names(self) -> Vocabulary:
        """Return the names of the entities."""
        return self.side.names

    def turned(self, own: T, other: T) -> tuple[T, T]:
        """Return the row's and the column's of two things: (own, other) for rows, (other, own) for columns.

        It works in both directions: of a row's and a column's thing it returns the own one first.
        """
        return (own, other) if self.side.name == ROW else (other, own)

    @property
    def has_category(self) -> np.ndarray:
        """Return a mask of the nodes that have a density as a category: those with children."""
        return np.asarray((self.side.graph.category_of >= 0) & (self.block.hierarchy is not None))

    def categories(self, nodes: np.ndarray) -> Gaussians:
        """Return the densities of nodes as categories; all must have children."""
        hierarchy = self.block.hierarchy
        assert hierarchy is not None
        numbers = self.side.graph.category_of[nodes]
        mean = hierarchy.mean[numbers]
        return Gaussians(mean, np.broadcast_to(hierarchy.variance[numbers][:, None], mean.shape).copy())


@dataclass(frozen=True)
class LeftOut:
    """What is known of rows that a model was saved without: how many, their weight, and E[tau] of a typical one."""

    rows: int
    total: float
    precision: float


@dataclass(frozen=True, repr=False)
class Trained:
    """Everything needed to predict, to add entities and to save.

    `row_totals` is the positive weight of each row in training. With `negatives` and `noise_power` it gives the number
    of negatives that an entity of a given count would have had, which adding an entity needs. `slope` and `intercept`
    are those of `Link` for co-occurrence, 1 and 0 unless the model was calibrated. `rejects` says whether training
    redrew negatives that were observed pairs (None for older models, which do not record it). With `relations_apart`,
    relations use vectors that are read out of u and v. `noise_counts` is what negatives were drawn by (None: the counts
    of the columns, as in older models). `dials` are the positions of the popularity dial, as weight, floor and tail,
    that held-out pairs chose, by what they favour; empty if none was chosen. `left_out` is what is known of rows that
    the model was saved without. `company` is there if columns were rows too in training; the densities of the rows then
    hold what their columns say of them. `of_text` says whether it was trained on words in text. `affinity` is what
    rankings add for columns that go together, if it was learned.
    """

    row_side: Side
    column_side: Side
    relations: tuple[RelationInfo, ...]
    posterior: Posterior
    hyperpriors: Hyperpriors
    row_totals: np.ndarray
    negatives: float
    noise_power: float
    slope: float = 1.0
    intercept: float = 0.0
    rejects: bool | None = None
    relations_apart: bool = False
    dials: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    noise_counts: np.ndarray | None = None
    company: Company | None = None
    left_out: LeftOut | None = None
    of_text: bool = False
    affinity: Affinity | None = None

    @classmethod
    def from_training(cls, network: Network, sampler: Sampler) -> Trained:
        """Return the result of a training."""
        totals, past = sampler.row_totals(), sampler.past
        return cls(
            row_side=network.rows,
            column_side=network.columns,
            relations=network.relations,
            posterior=network.posterior,
            hyperpriors=network.hyperpriors,
            row_totals=totals if past is None else totals + past.row_totals,
            negatives=sampler.negatives,
            noise_power=sampler.noise_power,
            rejects=sampler.reject,
            relations_apart=network.apart,
            noise_counts=sampler.noise_counts,
        )

    def __repr__(self) -> str:
        relations = ", ".join(info.name for info in self.relations) or "none"
        return f"Trained(rows={len(self.rows)}, columns={len(self.columns)}, dim={self.posterior.dim}, {relations=})"

    @property
    def rows(self) -> Vocabulary:
        """Return the names of the rows."""
        return self.row_side.names

    @property
    def columns(self) -> Vocabulary:
        """Return the names of the columns."""
        return self.column_side.names

    @property
    def row_taxonomy(self) -> Taxonomy | None:
        """Return the taxonomy of the rows."""
        return self.row_side.taxonomy

    @property
    def column_taxonomy(self) -> Taxonomy | None:
        """Return the taxonomy of the columns."""
        return self.column_side.taxonomy

    @property
    def sources(self) -> dict[str, float]:
        """Return the strength of each source of features that the model uses."""
        known = [side.features for side in (self.row_side, self.column_side) if side.features is not None]
        return {own.name: self.hyperpriors.strength_of(own.name) for features in known for own in features.sources}

    def featured(self, source: str) -> int:
        """Return how many entities of the side of a source have content and data."""
        for side, block in ((self.column_side, self.posterior.v), (self.row_side, self.posterior.u)):
            linear = block.parts().get(Linear.name)
            if side.features is not None and source in side.features.widths and isinstance(linear, Linear):
                return int((side.active & (linear.leverage > 0)).sum())
        return 0

    @property
    def row_active(self) -> np.ndarray:
        """Return a mask of the rows that data reaches."""
        return self.row_side.active

    @property
    def column_active(self) -> np.ndarray:
        """Return a mask of the columns that data reaches."""
        return self.column_side.active

    @property
    def shared(self) -> bool:
        """Return whether rows and columns are the same entities."""
        return self.rows is self.columns

    def side(self, name: str) -> Side:
        """Return a side by its name, "row" or "column"."""
        if name not in (ROW, COLUMN):
            raise ParameterError(f"side must be 'row' or 'column', got {name!r}.")
        return self.row_side if name == ROW else self.column_side

    def vocabulary(self, side: str) -> Vocabulary:
        """Return the entities of a side, "row" or "column"."""
        return self.side(side).names

    def taxonomy(self, side: str) -> Taxonomy | None:
        """Return the taxonomy of a side."""
        return self.side(side).taxonomy

    @property
    def u(self) -> Half:
        """Return the rows with their densities."""
        return Half("u", self.row_side, self.posterior.u)

    @property
    def v(self) -> Half:
        """Return the columns with their densities."""
        return Half("v", self.column_side, self.posterior.v, self.posterior.bias)

    def half(self, letter: str) -> Half:
        """Return the half whose variables are "u" or "v"."""
        if letter not in ("u", "v"):
            raise ParameterError(f"part must be 'u' or 'v', got {letter!r}.")
        return self.u if letter == "u" else self.v

    def halves(self, side: str) -> tuple[Half, ...]:
        """Return the halves in which the entities of a side occur: both if rows and columns are the same entities."""
        chosen = self.side(side)
        return (self.u, self.v) if self.shared else (self.u if chosen is self.row_side else self.v,)

    def joint(self, side: str, smoothing: float) -> Gaussians:
        """Return the sum of the densities of each entity of a side, u + v, each pulled towards its prior mean.

        The last result is kept: on a large taxonomy it takes a quarter of a second.
        """
        key = (side, smoothing)
        found = self._joints.get(key)
        if found is None:
            sums = [smoothed(half.block, smoothing) for half in self.halves(side)]
            mean, variance = sum(one.mean for one in sums), sum(one.variance for one in sums)
            dtype = self.posterior.u.mean.dtype
            found = Gaussians(np.asarray(mean, dtype), np.asarray(variance, dtype))
            self._joints.clear()
            self._joints[key] = found
        return found

    @cached_property
    def _joints(self) -> dict[tuple[str, float], Gaussians]:
        return {}

    @property
    def cooccurrence(self) -> Cooccurrence:
        """Return the likelihood of co-occurrences."""
        return Cooccurrence.of(self.posterior)

    @property
    def link(self) -> Link:
        """Return how scores of co-occurrence become probabilities."""
        return Link.of(self.posterior.bias, self.negatives, self.slope, self.intercept)

    def relation_link(self, name: str) -> Link:
        """Return how the scores of a relation become probabilities."""
        number = self.relation_number(name)
        info, base = self.relations[number], Link.of(self.posterior.relations[number].r, self.negatives).base
        return Link(info.scale * base + info.shift)

    def bases(self, known: np.ndarray) -> np.ndarray:
        """Return the base logit of queries; `known` says of which anything is known.

        For a query without any evidence no column stands out, and what is unknown is like a typical column.
        """
        return np.where(known, self.link.base, self.posterior.bias.typical)

    @cached_property
    def relation_parts(self) -> tuple[Gaussians, Gaussians]:
        """Return the densities of rows and columns that relations use."""
        q = self.posterior
        return relation_vectors(q, self.shared) if self.relations_apart else (q.u, q.v)

    def relation(self, name: str) -> Bilinear:
        """Return the likelihood of a relation by its name."""
        return Bilinear(self.posterior.relations[self.relation_number(name)], *self.relation_parts)

    def relation_number(self, name: str) -> int:
        """Return the number of a relation by its name."""
        names = [relation.name for relation in self.relations]
        if name not in names:
            raise UnknownEntityError(name, names, what="relation")
        return names.index(name)

    def noise(self) -> np.ndarray:
        """Return the probability of each column as a negative, 0 for columns without data."""
        counts = self.columns.counts if self.noise_counts is None else self.noise_counts
        weights = noise_weights(counts, counts > 0, self.noise_power)
        return np.asarray(weights / weights.sum())

    @property
    def total(self) -> float:
        """Return the positive weight of all rows in training, also of those that the model was saved without."""
        return float(self.row_totals.sum()) + (0.0 if self.left_out is None else self.left_out.total)

    def column_totals(self) -> np.ndarray:
        """Return what the counts of each column added up to; of older models, as their entities' counts tell it."""
        if self.noise_counts is not None:
            return self.noise_counts
        counts = self.columns.counts
        return np.asarray(counts * (self.total / counts.sum()))

    @cached_property
    def profile(self) -> Profile:
        """Return the summaries of all columns that ranking needs.

        They belong to a twin without summaries. In a circle, the densities of a model that events have outdated would
        stay in memory until the next garbage collection.
        """
        return Profile(replace(self))

    def lifts(self, indptr: np.ndarray, columns: np.ndarray) -> Lifts | None:
        """Return what the columns of each query add to the logits of all columns; None if that was not learned."""
        return None if self.affinity is None else self.affinity.lifts(indptr, columns, len(self.columns))

    def blueprint(self) -> Blueprint:
        """Return the specification of the blocks of this model."""
        q = self.posterior
        return Blueprint(
            rows=self.row_side,
            columns=self.column_side,
            relations=self.relations,
            dim=q.dim,
            dtype=q.u.mean.dtype,
            hyperpriors=self.hyperpriors,
            priors={"u": list(q.u.parts()), "v": list(q.v.parts()), "bias": list(q.bias.parts())},
        )

    def grown(self, rows: Side, columns: Side) -> Trained:
        """Return the model over larger sides; new entities get their densities from their priors."""
        blueprint = self.blueprint()
        named = {part: with_automatic(blueprint.priors[part]) for part in ("u", "v")}
        posterior = replace(blueprint, rows=rows, columns=columns, priors={**blueprint.priors, **named}).build()
        relations = [info.name for info in self.relations]
        places = common_places(self.rows, rows.names), common_places(self.columns, columns.names)
        carry(self.posterior, posterior, *places, relations, relations)
        posterior.settle()
        return replace(self, row_side=rows, column_side=columns, posterior=posterior)

    def without_company(self, rows: Side) -> Trained:
        """Return the model over its first rows; the others, one for each column, become its company."""
        n, u = len(rows.names), self.posterior.u
        last = np.arange(n, len(u.mean))
        known = self.row_active[n:] | u.prior.informs(last)
        posterior = replace(self.blueprint(), rows=rows).build()
        first, every = np.arange(n), np.arange(len(self.columns))
        carry(self.posterior, posterior, (first, first), (every, every), [], [])
        return replace(
            self,
            row_side=rows,
            posterior=posterior,
            row_totals=self.row_totals[:n],
            company=Company(u.mean[n:].copy(), u.variance[n:].copy(), known),
        )

    def with_active(self, rows: np.ndarray, columns: np.ndarray) -> Trained:
        """Return the same densities with other active entities."""
        sides = self.row_side.with_active(rows), self.column_side.with_active(columns)
        built = replace(self.blueprint(), rows=sides[0], columns=sides[1]).build(placeholder)
        posterior = built.with_arrays(self.posterior.arrays())
        return replace(self, row_side=sides[0], column_side=sides[1], posterior=posterior)

    def with_posterior(self, posterior: Posterior) -> Trained:
        """Return the same model with other densities."""
        return replace(self, posterior=posterior)
