"""What a file says beside the columns that are read: ratings, people's weights, and amounts with returns among them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from vbn._errors import REMEDY, VBNWarning, caller_level
from vbn.data.counts import FloatArray
from vbn.data.describe import counted
from vbn.data.io.columns import AMOUNTS, Field, Header, Picked, in_kilograms, plain_name
from vbn.data.io.numbers import least_purchase


def warn_of_unread(
    header: Header, picked: Picked, fields: Sequence[Field], numbers_in: Callable[[int], FloatArray]
) -> None:
    """Say what else could be done with a column that is not read; `numbers_in` returns the numbers of one."""
    _warn_of_ratings(header, picked, fields)
    amounts = _unread_amounts(header, picked, fields)
    if amounts is not None and header.is_number(amounts):
        _warn_of_returns(numbers_in(amounts), amounts, header, picked)


def _warn_of_ratings(header: Header, picked: Picked, fields: Sequence[Field]) -> None:
    """Say that a column of ratings, or of people's weights, was left out, and what else could be done with it."""
    if picked.ratings is None:
        return
    weights = next(item.key for item in fields if item.doubt)
    name = header.names[picked.ratings]
    named = [(key, header.names[at]) for key, at in picked.places.items() if key not in ("time", weights)]
    rated = picked.ratings != in_kilograms(header)
    what = "holds ratings, which say how much somebody liked something" if rated else "stands beside ages or heights"
    message = f"column {name!r} of {header.source} {what}, so every row counts 1; "
    remedies: list[tuple[str, object]] = [("columns", {**dict(named), weights: name})]
    if rated and weights == "weights":  # of interactions
        message += f"keep those of at least 3.5, say, with {REMEDY}, or "
        remedies.insert(0, ("min_weight", 3.5))
    warning = VBNWarning(f"{message}take them as {weights} with {REMEDY}", remedies=remedies)
    warnings.warn(warning, stacklevel=caller_level())


def _unread_amounts(header: Header, picked: Picked, fields: Sequence[Field]) -> int | None:
    """Return a column called like amounts that is not read, as the user named the others; None if there is none."""
    if not header.named or "weights" in picked.places or not any(item.key == "weights" for item in fields):
        return None
    left = (
        at for at, name in enumerate(header.names) if at not in picked.places.values() and plain_name(name) in AMOUNTS
    )
    return next(left, None)


def _warn_of_returns(amounts: FloatArray, at: int, header: Header, picked: Picked) -> None:
    """Say that rows whose amount is 0 or below, such as returns, count like all others."""
    returns = int((amounts <= 0).sum())
    if not returns or not (amounts > 0).any():
        return
    name = header.names[at]
    named = {key: header.names[picked.places[key]] for key in ("users", "items")}
    warning = VBNWarning(
        f"column {name!r} of {header.source} is not read: {counted(returns, 'row')} where it is 0 or below, such as "
        f"returns, {'counts' if returns == 1 else 'count'} as any other; leave them out with {REMEDY} and {REMEDY}",
        remedies=[("columns", {**named, "weights": name}), ("min_weight", least_purchase(amounts))],
    )
    warnings.warn(warning, stacklevel=caller_level())
