"""The posterior q(theta) as blocks: u, v and b, and x, y and r of each relation; and how it is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vbn.data import Vocabulary
from vbn.model.block import Block
from vbn.model.fields import Holder
from vbn.model.precisions import Hyperpriors
from vbn.model.priors import Centre, Constant, Match, Mixture, Prior, Setting, Zero, prior_of, with_automatic
from vbn.model.side import Side

_START_SCALE = 0.1  # standard deviation of the initial means; 0 would be a fixed point
_START_VARIANCE = 1.0
_FACTOR_VARIANCE = 0.05  # factors of relations start large and certain; otherwise the first epochs prune them
_FACTOR_NOISE = 0.01  # standard deviation for factors whose prior mean is not 0
BIAS_PRIORS = ("taxonomy", "common", "zero")


@dataclass(frozen=True)
class RelationInfo:
    """A relation of the model: its name, whether it is symmetric, its `relation_prior` and its rank.

    `scale` and `shift` turn its scores into logits of the probability among all columns (`vbn.model.base_rate`).
    """

    name: str
    symmetric: bool
    prior: float = 0.0
    rank: int = 1
    scale: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True)
class RelationBlocks(Holder):
    """The variables of a relation: the rows x_m and y_m of its factors, and a bias r_j per column."""

    x: Block
    y: Block
    r: Block

    def parts(self) -> Mapping[str, Block]:
        """Return the blocks by name."""
        return {"x": self.x, "y": self.y, "r": self.r}

    def with_parts(self, parts: Mapping[str, Holder]) -> RelationBlocks:
        """Return a copy with its blocks replaced, by name."""
        return replace(self, **parts)  # type: ignore[arg-type]

    @property
    def rank(self) -> int:
        """Return the number of factors."""
        return len(self.x)


@dataclass(frozen=True)
class Posterior(Holder):
    """All densities of the model."""

    u: Block
    v: Block
    bias: Block
    relations: tuple[RelationBlocks, ...] = ()

    def parts(self) -> Mapping[str, Holder]:
        """Return the blocks, and the variables of each relation, by name."""
        named = {f"relation {number}": relation for number, relation in enumerate(self.relations)}
        return {"u": self.u, "v": self.v, "bias": self.bias, **named}

    def with_parts(self, parts: Mapping[str, Holder]) -> Posterior:
        """Return a copy with its blocks replaced, by name."""
        u, v, bias, *relations = parts.values()
        return Posterior(u, v, bias, tuple(relations))  # type: ignore[arg-type]

    @property
    def dim(self) -> int:
        """Return the dimension t."""
        return int(self.u.mean.shape[1])

    def blocks(self) -> dict[str, Block]:
        """Return all blocks by path, such as "u" and "relation 0.x"."""
        found = {"u": self.u, "v": self.v, "bias": self.bias}
        for number, relation in enumerate(self.relations):
            found |= {f"relation {number}.{name}": block for name, block in relation.parts().items()}
        return found

    def of_sides(self, shared: bool) -> list[tuple[Block, ...]]:
        """Return the blocks of the rows and those of the columns, or all at once if these are the same entities."""
        return [(self.u, self.v, self.bias)] if shared else [(self.u,), (self.v, self.bias)]

    def settle(self) -> None:
        """Set every variable without data to the density that its prior implies."""
        for block in self.blocks().values():
            block.settle()


@dataclass(frozen=True)
class Blueprint:
    """The specification that the blocks of a model are built from.

    Parameters
    ----------
    rows, columns
        The two sides.
    relations
        The relations, with their ranks.
    dim, dtype, hyperpriors
        Dimension and type of all densities, and the priors of their precisions.
    priors
        Names of the priors of "u", "v" and "bias". Priors that do not apply to a side are omitted.
    bias_active, relation_active
        Masks of the biases that data reaches; by default, those of the active columns.
    """

    rows: Side
    columns: Side
    relations: Sequence[RelationInfo]
    dim: int
    dtype: np.dtype
    hyperpriors: Hyperpriors
    priors: Mapping[str, Sequence[str]]
    bias_active: np.ndarray | None = None
    relation_active: np.ndarray | None = None

    def build(self, full: Callable[..., np.ndarray] = np.full) -> Posterior:
        """Return the blocks before training, with all means at 0; `full` creates the arrays."""
        columns, m = self.columns.active, len(self.columns.names)
        bias_active = columns if self.bias_active is None else self.bias_active
        relation_active = (
            np.tile(columns, (len(self.relations), 1)) if self.relation_active is None else self.relation_active
        )

        def prior(name: str, side: Side, kind: str, dim: int) -> Prior:
            return prior_of(side, Setting(name, kind, dim, self.dtype, self.hyperpriors, full), self.priors[name])

        def block(
            kind: str,
            shape: tuple[int, ...],
            prior: Prior,
            active: np.ndarray,
            variance: float = _START_VARIANCE,
            evidence: np.ndarray | float = 0.0,
            learned: np.ndarray | None = None,
        ) -> Block:
            gamma = self.hyperpriors.of(kind, shape[1] if len(shape) > 1 else 1, evidence)
            return Block(
                mean=full(shape, 0.0, self.dtype),
                variance=full(shape, variance, self.dtype),
                rate=full(shape[0], gamma.shape, np.float64),
                prior=prior,
                gamma=gamma,
                active=active,
                large=kind == "entity",
                learned=learned,
            )

        def entities(name: str, side: Side) -> Block:
            shape = len(side.names), self.dim
            own = prior(name, side, "entity", self.dim)
            learned = None if side.trained is None else side.learned
            return block("entity", shape, own, side.active, evidence=side.evidence, learned=learned)

        def relation(info: RelationInfo, active: np.ndarray) -> RelationBlocks:
            shape, known = (info.rank, self.dim), np.ones(info.rank, dtype=bool)
            factors = Constant(info.prior * np.eye(*shape))
            x, y = (block("relation", shape, factors, known, _FACTOR_VARIANCE) for _ in range(2))
            centre = Zero(1) if not self.centred else Centre(full(1, 0.0, np.float64), full(1, 0.0, np.float64))
            return RelationBlocks(x, y, block("relation", (m,), centre, active))

        return Posterior(
            u=entities("u", self.rows),
            v=entities("v", self.columns),
            bias=block(
                "bias",
                (m,),
                prior("bias", self.columns, "bias", 1),
                bias_active,
                learned=None if self.columns.trained is None else bias_active & self.columns.learned,
            ),
            relations=tuple(relation(*each) for each in zip(self.relations, relation_active, strict=True)),
        )

    @property
    def centred(self) -> bool:
        """Return whether biases have a common mean; those of relations then have one too."""
        return Centre.name in self.priors["bias"]


def named_priors(bias_prior: str, parents: str = "blend") -> dict[str, list[str]]:
    """Return the names of the priors of u, v and b for a `bias_prior` and what `parents` are to an entity."""
    found = with_automatic([Mixture.name] if parents == "mixture" else [])
    bias = {"taxonomy": [*found, Centre.name], "common": [Centre.name], "zero": []}[bias_prior]
    return {"u": found, "v": found, "bias": bias}


def start(posterior: Posterior, seed: int, biases: np.ndarray | None = None, base: float = 0.0) -> None:
    """Set the initial means at random, those of factors around their prior means.

    `biases` are the initial means of b, and `base` that of their common mean; 0 by default.
    """
    if biases is not None:
        posterior.bias.mean[...] = biases
        centre = posterior.bias.parts().get(Centre.name)
        if isinstance(centre, Centre):
            centre.mean[0] = base
    for block in posterior.blocks().values():
        block.prior.start()
    streams = np.random.SeedSequence([seed & 0xFFFFFFFF, seed >> 32, 0x5EED]).spawn(4)
    u, v, x, y = (np.random.default_rng(stream) for stream in streams)
    for block, rng in ((posterior.u, u), (posterior.v, v)):
        block.mean[...] = _START_SCALE * rng.standard_normal(block.mean.shape)
    for relation in posterior.relations:
        for block, rng in ((relation.x, x), (relation.y, y)):
            prior, noise = block.moments().mean, rng.standard_normal(block.mean.shape)
            scale = np.where(prior.any(axis=1), _FACTOR_NOISE, 1.0)[:, None]
            block.mean[...] = prior + scale * noise


def carry(
    old: Posterior, new: Posterior, rows: Match, columns: Match, old_relations: Sequence[str], relations: Sequence[str]
) -> None:
    """Copy all densities of an older model; a relation is copied if its name and rank are the same."""
    new.u.carry(old.u, rows)
    new.v.carry(old.v, columns)
    new.bias.carry(old.bias, columns)
    known = dict(zip(old_relations, old.relations, strict=True))
    for name, here in zip(relations, new.relations, strict=True):
        there = known.get(name)
        if there is None or there.rank != here.rank:
            continue
        every = np.arange(here.rank), np.arange(here.rank)
        here.x.carry(there.x, every)
        here.y.carry(there.y, every)
        here.r.carry(there.r, columns)


def go_on(old: Posterior, new: Posterior, rows: Match, columns: Match) -> None:
    """Prepare the priors for a fit that goes on from an older model, after its densities were copied."""
    for name, match in (("u", rows), ("v", columns), ("bias", columns)):
        new.blocks()[name].go_on(old.blocks()[name], match)


def common_places(old: Vocabulary, new: Vocabulary) -> Match:
    """Return the ids of the names in both vocabularies, in the old and in the new numbering."""
    if new.names[: len(old)] == old.names:  # the usual case: the vocabulary only grew
        same = np.arange(len(old))
        return same, same
    pairs = [(i, new.id(name)) for i, name in enumerate(old.names) if name in new]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def placeholder(shape: int | tuple[int, ...], value: float, dtype: np.dtype) -> np.ndarray:
    """Return an array that takes no memory, for a model whose values are read from a file."""
    return np.broadcast_to(np.asarray(value, dtype), shape)
