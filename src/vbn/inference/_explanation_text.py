"""An `Explanation` in ten to fifteen lines of text."""

from __future__ import annotations

from vbn.inference._explanation import Explanation, Parent, PartExplanation

_ROLES = {"u": "as an entity (u)", "v": "as a context (v)"}
_SIDES = {"u": "as a row (u)", "v": "as a column (v)"}  # where an entity is only one of them
_LONGEST = 40  # characters of a name
_PARENTS = 6  # lines for parents
_NO_COUNTS = "the counts were not kept with this model, so no single pair can be named"


def told(found: Explanation) -> str:
    """The whole text."""
    first = found.parts[0]
    lines = [_title(found), *(f"  {_role(found, part)}: {_shares(part, found.kind)}" for part in found.parts)]
    lines += _parent_lines(first) + _child_lines(found)
    if found.kind == "entity":
        lines += _mean_lines(first) + _move_lines(first)
    return "\n".join(lines)


def _role(found: Explanation, part: PartExplanation) -> str:
    if found.kind == "category":
        return f"as a category ({part.part})"
    return (_ROLES if len(found.parts) == 2 else _SIDES)[part.part]


def _shown(name: str) -> str:
    safe = name if name.isprintable() else repr(name)
    return safe if len(safe) <= _LONGEST else safe[: _LONGEST - 1] + "…"


def _number(count: float) -> str:
    """A count as people write it: whole, or with two digits after the point."""
    return f"{count:,.0f}" if count == round(count) else f"{count:,.2f}"


def _title(found: Explanation) -> str:
    below = "entity" if found.n_children == 1 else "entities"
    if found.kind == "category":
        return f"{_shown(found.entity)}: only a category, the parent of {found.n_children:,} {below}; never seen itself"
    seen = "never seen" if found.count == 0 else f"seen {_number(found.count)} time{'' if found.count == 1 else 's'}"
    parent = f"; also the parent of {found.n_children:,} {below}" if found.n_children else ""
    return f"{_shown(found.entity)}: {seen}{parent}"


def _shares(part: PartExplanation, kind: str) -> str:
    data = "its children" if kind == "category" else "data" if part.moved is None else "co-occurrences"
    shares = [(part.prior_share, "prior"), (part.data_share, data), (part.relation_share, "relations")]
    text = ", ".join(f"{100 * share:.0f} % {name}" for share, name in shares if share >= 0.005)
    return f"{text}; std {part.std:.2f}, by the prior alone {part.prior_std:.2f}"


def _parent_lines(part: PartExplanation) -> list[str]:
    if not part.parents:
        return ["  no parents: the prior mean is 0"]
    heaviest = part.parents[:_PARENTS]
    ways = [_way_up(parent) for parent in heaviest]
    wide = max(22, *(len(way) for way in ways))
    lines = [f"  {'parent < its own parents':<{wide + 2}}  weight  share of prior  cosine  distance"]
    for parent, way in zip(heaviest, ways, strict=True):
        share = 0.0 if parent.share is None else 100 * parent.share
        numbers = f"{parent.weight:6.2f}  {share:12.0f} %  {parent.cosine:6.2f}  {parent.distance:8.2f}"
        lines.append(f"    {way:<{wide}}  {numbers}")
    more = len(part.parents) - len(heaviest)
    return lines + ([f"    and {more:,} more"] if more else [])


def _way_up(parent: Parent) -> str:
    """A parent and, after "<", those above it; several at one level stand in brackets with their weights."""
    name = _shown(parent.entity)
    if not parent.parents:
        return name
    if len(parent.parents) == 1:
        return f"{name} < {_way_up(parent.parents[0])}"
    above = ", ".join(f"{_shown(p.entity)} {p.weight:.2f}" for p in parent.parents[:3])
    more = ", ..." if len(parent.parents) > 3 else ""
    return f"{name} < ({above}{more})"


def _child_lines(found: Explanation) -> list[str]:
    if not found.children:
        return []
    wide = max(len(_shown(child.entity)) for child in found.children)
    lines = ["  children that hold it most, by share of its precision"]
    return lines + [f"    {_shown(c.entity):<{wide}}  {100 * c.share:5.1f} %" for c in found.children]


def _mean_lines(part: PartExplanation) -> list[str]:
    parts = f"{part.from_prior:.2f} of it from the prior, {part.from_data:.2f} from data"
    return [f"  mean of length {part.mean_length:.2f}: {parts}"]


def _move_lines(part: PartExplanation) -> list[str]:
    moved = part.moved
    if moved is None:
        return [f"  {_NO_COUNTS}"]
    if part.prior_share == 1.0:
        return ["  no data: its density is what its parents say" if part.parents else "  no data"]
    rows = [(f"{_shown(p.entity)} ({_number(p.count)}x)", p.move) for p in moved.pairs]
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
