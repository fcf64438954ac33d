"""What `explain` finds, as data and as ten to fifteen lines of text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from vbn.inference.html import html_text

_ROLES = {
    "category": {"u": "as a category (u)", "v": "as a category (v)"},
    "both": {"u": "as an entity (u)", "v": "as a context (v)"},
    "one": {"u": "as a row (u)", "v": "as a column (v)"},
}
_OF_CONTENT = ("content", "content_std", "outlying")
_OPTIONAL = ("label", "responsibility")
_FAR = 2.0  # times the variance that all but 1 % of the trained entities have at most: unlike anything seen in training
_LONGEST = 40  # characters of a name
_PARENTS = 6  # lines for parents


@dataclass(frozen=True)
class Parent:
    """A parent, and what it does to the prior mean."""

    entity: str
    weight: float  # among the parents of the same child
    through: float  # product of the weights on the way up to it from the explained entity
    share: float | None  # of the prior mean, below 0 if it pulls against the others; None further up: it acts through
    cosine: float  # of its mean and that of the explained entity
    distance: float  # between the two
    parents: tuple[Parent, ...]  # its own
    responsibility: float | None = None  # in a mixture: the probability that it is the one that explains the entity
    label: str | None = None


@dataclass(frozen=True)
class ContentShare:
    """A source of features, and what it does to the prior mean."""

    source: str
    share: float  # of the prior mean, as that of a parent
    cosine: float  # of what it adds and the mean of the explained entity
    length: float  # of what it adds


@dataclass(frozen=True)
class Pair:
    """An observed pair: the other entity, how often, and how far it moved the mean away from the prior mean."""

    entity: str
    count: float
    move: float
    label: str | None = None


@dataclass(frozen=True)
class Child:
    """A child of a category, and its share of the category's precision."""

    entity: str
    share: float
    label: str | None = None


@dataclass(frozen=True)
class Moved:
    """How data moved the mean away from the prior mean; the moves add up to `distance`."""

    distance: float
    pairs: tuple[Pair, ...]  # the observed pairs that moved it most
    observed: float  # by all observed pairs together
    n_observed: int  # how many
    noise: float  # by noise pairs (negatives), in expectation
    relations: dict[str, float]  # by each relation, its noise pairs included
    unexplained: float  # noise pairs differ from those expected, averages over epochs, and a fit that ended early


@dataclass(frozen=True)
class PartExplanation:
    """The explanation of one density of an entity; the three shares of its precision sum to 1."""

    part: str  # "u" or "v"
    prior_share: float  # of the posterior precision, averaged over dimensions
    data_share: float
    relation_share: float
    std: float
    prior_std: float  # what it would be without data at the same learned precision
    mean_length: float
    from_prior: float  # the part of that length that comes from the prior: E[tau] times variance times prior mean
    from_data: float  # the rest
    parents: tuple[Parent, ...]  # with their own parents, as a tree
    moved: Moved | None  # None where the counts were not kept
    content: tuple[ContentShare, ...] = ()  # by source of features
    content_std: float = 0.0  # how unsure the model is of what the features add, in each dimension
    outlying: float = 0.0  # variance of that, relative to what all but 1 % of the trained entities have at most


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why the density of an entity is where it is; prints as text.

    Attributes
    ----------
    entity, side
        The entity, and its side where rows and columns differ.
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
        For a category: the children that hold it in place most, by their share of its precision.
    label
        What people call it, if the data came with labels.

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
    label: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data, ready for JSON; what an entity does not have is left out."""
        found: dict[str, Any] = _plain(asdict(self))
        for part in found["parts"]:
            if not part["content"]:
                for key in _OF_CONTENT:
                    del part[key]
        return found

    def _repr_html_(self) -> str:
        return html_text(repr(self))

    def __repr__(self) -> str:
        first = self.parts[0]
        roles = _ROLES["category" if self.kind == "category" else "both" if len(self.parts) == 2 else "one"]
        lines = [_title(self), *(f"  {roles[part.part]}: {_shares(part, self.kind)}" for part in self.parts)]
        lines += _parent_lines(first) + _content_lines(first)
        if self.children:
            wide = max(len(_called(child)) for child in self.children)
            lines.append("  children that hold it most, by share of its precision")
            lines += [f"    {_called(c):<{wide}}  {100 * c.share:5.1f} %" for c in self.children]
        if self.kind == "entity":
            parts = f"{first.from_prior:.2f} of it from the prior, {first.from_data:.2f} from data"
            lines += [f"  mean of length {first.mean_length:.2f}: {parts}", *_move_lines(first)]
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    """Return lists for tuples at any depth, without what an entity or a parent does not have."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if key not in _OPTIONAL or each is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _shown(name: str) -> str:
    """Return a name that can be printed on a line."""
    safe = name if name.isprintable() else repr(name)
    return safe if len(safe) <= _LONGEST else safe[: _LONGEST - 1] + "…"


def _called(one: Parent | Pair | Child | Explanation) -> str:
    """Return the name of an entity with its label."""
    return _shown(one.entity) if one.label is None else f"{_shown(one.entity)} ({_shown(one.label)})"


def _seen(count: float) -> str:
    if count in (0, 1):
        return "seen once" if count else "never seen"
    return f"seen {_number(count)} times"


def _number(count: float) -> str:
    """Return a count as people write it: whole, or with two digits after the point."""
    return f"{count:,.0f}" if count == round(count) else f"{count:,.2f}"


def _title(found: Explanation) -> str:
    """Return the first line: how often the entity was seen."""
    below = "entity" if found.n_children == 1 else "entities"
    if found.kind == "category":
        return f"{_called(found)}: only a category, the parent of {found.n_children:,} {below}; never seen itself"
    seen = _seen(found.count)
    parent = f"; also the parent of {found.n_children:,} {below}" if found.n_children else ""
    return f"{_called(found)}: {seen}{parent}"


def _shares(part: PartExplanation, kind: str) -> str:
    """Return what the precision of a density is made of."""
    data = "its children" if kind == "category" else "data" if part.moved is None else "co-occurrences"
    shares = [(part.prior_share, "prior"), (part.data_share, data), (part.relation_share, "relations")]
    text = ", ".join(f"{100 * share:.0f} % {name}" for share, name in shares if share >= 0.005)
    return f"{text}; std {part.std:.2f}, by the prior alone {part.prior_std:.2f}"


def _parent_lines(part: PartExplanation) -> list[str]:
    """Return a table of the heaviest parents."""
    if not part.parents:
        return ["  no parents"] if part.content else ["  no parents: the prior mean is 0"]
    heaviest = part.parents[:_PARENTS]
    ways = [_way_up(parent) for parent in heaviest]
    wide = max(22, *(len(way) for way in ways))
    mixed = any(parent.responsibility is not None for parent in part.parents)
    chosen = "  probability" if mixed else ""
    lines = [f"  {'parent < its own parents':<{wide + 2}}  weight{chosen}  share of prior  cosine  distance"]
    for parent, way in zip(heaviest, ways, strict=True):
        share = 0.0 if parent.share is None else round(100 * parent.share) + 0.0
        chosen = "" if not mixed else " " * 13 if parent.responsibility is None else f"  {parent.responsibility:11.2f}"
        numbers = f"{parent.weight:6.2f}{chosen}  {share:12.0f} %  {parent.cosine:6.2f}  {parent.distance:8.2f}"
        lines.append(f"    {way:<{wide}}  {numbers}")
    more = len(part.parents) - len(heaviest)
    return lines + ([f"    and {more:,} more"] if more else [])


def _content_lines(part: PartExplanation) -> list[str]:
    """Return what features add, and whether they are unlike those that training saw."""
    if not part.content:
        return []
    wide = max(22, *(len(_shown(each.source)) for each in part.content))
    lines = [f"  {'content':<{wide + 2}}  length  share of prior  cosine"]
    lines += [
        f"    {_shown(each.source):<{wide}}  {each.length:6.2f}  {100 * each.share:12.0f} %  {each.cosine:6.2f}"
        for each in part.content
    ]
    if part.outlying > _FAR:
        lines.append(
            f"    unlike what training saw: its features leave {part.outlying:.1f} times the variance that they leave "
            "to 99 % of the trained entities"
        )
    return lines


def _way_up(parent: Parent) -> str:
    """Return a parent and, after "<", those above it; several at one level stand in brackets with their weights."""
    name = _called(parent)
    if not parent.parents:
        return name
    if len(parent.parents) == 1:
        return f"{name} < {_way_up(parent.parents[0])}"
    above = ", ".join(f"{_called(p)} {p.weight:.2f}" for p in parent.parents[:3])
    more = ", ..." if len(parent.parents) > 3 else ""
    return f"{name} < ({above}{more})"


def _without_data(part: PartExplanation) -> str:
    said = [word for word, there in (("parents", part.parents), ("content", part.content)) if there]
    verb = "say" if "parents" in said else "says"
    return f"  no data: its density is what its {' and '.join(said)} {verb}" if said else "  no data"


def _move_lines(part: PartExplanation) -> list[str]:
    """Return what moved the mean away from the prior mean."""
    moved = part.moved
    if moved is None:
        return ["  the counts were not kept with this model, so no single pair can be named"]
    if part.prior_share == 1.0:
        return [_without_data(part)]
    rows = [(f"{_called(p)} ({_number(p.count)}x)", p.move) for p in moved.pairs]
    rest = moved.n_observed - len(moved.pairs)
    if rest > 0:
        shown = sum(pair.move for pair in moved.pairs)
        rows.append((f"{rest:,} other observed pair{'' if rest == 1 else 's'}", moved.observed - shown))
    if moved.n_observed:
        rows.append(("noise pairs (expected)", moved.noise))
    rows += [(f"relation {_shown(name)}", move) for name, move in moved.relations.items()]
    rows.append(("not explained", moved.unexplained))
    wide = max(len(label) for label, _ in rows)
    whole = max(moved.distance, 1e-300)
    head = f"  {moved.distance:.2f} away from the prior mean; shares of that way"
    return [head, *(f"    {label:<{wide}}  {100 * move / whole:+7.1f} %" for label, move in rows)]
