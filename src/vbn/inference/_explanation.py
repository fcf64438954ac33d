"""`Explanation`: what `explain` found out, as data; `_explanation_text` puts it into words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Parent:
    """A parent, and what it does to the prior mean.

    Attributes
    ----------
    entity, weight
        Its name, and its weight among the parents of the same child.
    through
        Product of the weights on the way up to it from the explained entity.
    share
        Share of the prior mean that it makes up; those of all parents sum to 1. Negative where it pulls against the
        others. None further up, where it only acts through the parent below.
    cosine, distance
        Of its mean to the mean of the explained entity.
    parents
        Its own parents.
    """

    entity: str
    weight: float
    through: float
    share: float | None
    cosine: float
    distance: float
    parents: tuple[Parent, ...]


@dataclass(frozen=True)
class Pair:
    """An observed pair: with whom, how often, and how far it moved the mean away from the prior mean."""

    entity: str
    count: float
    move: float


@dataclass(frozen=True)
class Child:
    """A child of a category, and its share of the category's precision."""

    entity: str
    share: float


@dataclass(frozen=True)
class Moved:
    """How the mean came from the prior mean to where it is; all but `distance` and `pairs` sum up to `distance`.

    Attributes
    ----------
    distance
        Length of the way.
    pairs
        The observed pairs that moved it most.
    observed
        All observed pairs together.
    n_observed
        How many they are.
    noise
        The noise pairs (negatives), in expectation.
    relations
        Each relation, its noise pairs included.
    unexplained
        What is left: one epoch's noise pairs are not the expected ones, posteriors are averaged over epochs, and a fit
        may have ended early.
    """

    distance: float
    pairs: tuple[Pair, ...]
    observed: float
    n_observed: int
    noise: float
    relations: dict[str, float]
    unexplained: float


@dataclass(frozen=True)
class PartExplanation:
    """One density of an entity explained.

    Attributes
    ----------
    part
        "u" or "v".
    prior_share, data_share, relation_share
        Shares of the posterior precision, averaged over dimensions; they sum to 1.
    std, prior_std
        Mean standard deviation, and what it would be without data at the same learned precision.
    mean_length
        Length of the mean.
    from_prior, from_data
        The two parts of that length: E[tau] variance times the prior mean, along the mean, and the rest.
    parents
        The parents with their own parents, as a tree.
    moved
        How data moved the mean; None where the counts were not kept.
    """

    part: str
    prior_share: float
    data_share: float
    relation_share: float
    std: float
    prior_std: float
    mean_length: float
    from_prior: float
    from_data: float
    parents: tuple[Parent, ...]
    moved: Moved | None


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why the density of an entity is where it is; prints as text.

    Attributes
    ----------
    entity, side
        Of what.
    count
        How often it was seen.
    kind
        "entity", or "category" for a parent without data of its own.
    n_children
        How many entities it is a parent of.
    parts
        Its densities: u and v where rows and columns are the same entities, else one of them. For a category they are
        those of the category variables.
    children
        For a category: the children that hold it most, by their share of its precision.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [10, 4])
    >>> data = data.with_taxonomy({"dog": ["animal"], "cat": ["animal"], "cow": ["animal"]})
    >>> model = vbn.VBN(dim=4, epochs=5, verbose=False).fit(data)
    >>> model.explain("cow").parts[0].prior_share
    1.0
    >>> model.explain("dog").parts[0].moved.pairs[0].entity
    'barks'
    """

    entity: str
    side: str
    count: float
    kind: str
    n_children: int
    parts: tuple[PartExplanation, ...]
    children: tuple[Child, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, ready for JSON."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain

    def __repr__(self) -> str:
        from vbn.inference._explanation_text import told

        return told(self)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
