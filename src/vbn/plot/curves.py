"""Curves: the bound in training, uncertainty by frequency, and predicted probabilities against what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import NotFittedError, ParameterError
from vbn.inference import Reliability
from vbn.plot.style import (
    BLUE,
    FAINT,
    LINE,
    ORANGE,
    SERIES,
    SMALL,
    new_axes,
    plain_frame,
    title,
    trained_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vbn.model import Trained

_HEAD = 0.15  # share of the epochs that may lie below the picture: the first ones rise most
_POINTS = 4000  # more would be a blot
_NEVER = 0.4  # place of entities that were never seen on the logarithmic axis


def bound(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the lower bound after each epoch, and the held-out log-likelihood if validation data was given.

    Parameters
    ----------
    model
        A fitted model.
    ax
        Axes to draw on; a new figure by default.

    Examples
    --------
    >>> import vbn, vbn.plot
    >>> model = vbn.VBN(dim=2, epochs=4, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
    >>> vbn.plot.bound(model).get_xlabel()
    'epoch'
    """
    if not hasattr(model, "lower_bounds_"):
        raise NotFittedError(f"{type(model).__name__} has no lower_bounds_; fit it first with fit(data).")
    values = np.asarray(model.lower_bounds_, dtype=np.float64)
    held_out = np.asarray(getattr(model, "validation_", ()), dtype=np.float64)
    ax = new_axes(ax, (6.4, 3.8))
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    epochs = np.arange(1, len(values) + 1)
    ax.plot(epochs, values, color=BLUE, marker="o" if len(values) <= 30 else None, markersize=3.5, linewidth=1.6)
    hidden = _focus(ax, values)
    ax.set_xlabel("epoch", color=FAINT)
    ax.set_ylabel("lower bound", color=BLUE)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if np.abs(values).max() >= 1e4:
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    else:
        ax.ticklabel_format(axis="y", useOffset=False)
    plain_frame(ax)
    below = f"{len(values)} epoch{'s' if len(values) != 1 else ''}, last {values[-1]:,.0f}"
    below += "; the first are below the picture" if hidden else ""
    if len(held_out) == len(values):
        _held_out(ax, epochs, held_out)
        below += f"; held-out log-likelihood {held_out[-1]:.4f} per pair"
    title(ax, "Lower bound in training", below)
    return ax


def _focus(ax: Axes, values: np.ndarray) -> bool:
    """Show the epochs after the steep start, which would flatten all others; return whether some are hidden."""
    rest = values[int(_HEAD * len(values)) :]
    low, high = float(rest.min()), float(values.max())
    margin = 0.08 * (high - low) if high > low else max(abs(high), 1.0) * 0.01
    ax.set_ylim(low - margin, high + margin)
    return bool((values < low - margin).any())


def _held_out(ax: Axes, epochs: np.ndarray, values: np.ndarray) -> None:
    other = ax.twinx()
    other.plot(epochs, values, color=ORANGE, linewidth=1.6, linestyle=(0, (4, 2)))
    _focus(other, values)
    other.set_ylabel("held-out log-likelihood", color=ORANGE)
    plain_frame(other)
    other.tick_params(labelsize=SMALL)


def uncertainty(model: Any, *, side: str = "column", ax: Axes | None = None) -> Axes:
    """Draw the standard deviation of every density against how often its entity was seen.

    Parameters
    ----------
    model
        A fitted model.
    side
        "row" or "column", where the two differ.
    ax
        Axes to draw on; a new figure by default.

    Examples
    --------
    >>> import vbn, vbn.plot
    >>> model = vbn.VBN(dim=2, epochs=4, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
    >>> vbn.plot.uncertainty(model).get_ylabel()
    'standard deviation'
    """
    counts, stds = _spread(trained_of(model), side)
    ax = new_axes(ax, (6.4, 4.2))
    rng = np.random.default_rng(0)  # spreads points of the same count, which would hide each other
    few = rng.permutation(len(counts))[:_POINTS]
    x = np.where(counts > 0, np.maximum(counts, 1.0), _NEVER)
    jitter = np.exp(rng.uniform(-0.13, 0.13, len(few)))
    ax.scatter(x[few] * jitter, stds[few], s=7, color=BLUE, alpha=min(0.5, 60 / len(few) ** 0.6), linewidths=0)
    ax.set_xscale("log")
    middle, low, high, at = _bands(x, stds)
    ax.fill_between(at, low, high, color=ORANGE, alpha=0.18, linewidth=0)
    ax.plot(at, middle, color=ORANGE, linewidth=2, marker="o", markersize=4)
    top = 1.25 * max(float(np.quantile(stds, 0.99)), float(high.max()))
    ax.set_ylim(0, min(top, 1.06 * float(stds.max())))
    _ticks(ax, counts)
    ax.set_xlabel("times seen", color=FAINT)
    ax.set_ylabel("standard deviation", color=FAINT)
    plain_frame(ax)
    above = int((stds > top).sum())
    below = "dot: an entity; line and band: median and quartiles"
    title(ax, "More data, less uncertainty", below + (f"; {above:,} lie above" if above else ""))
    return ax


def _spread(trained: Trained, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Return count and mean standard deviation of each entity; entities that are only parents are left out."""
    names, taxonomy = trained.vocabulary(side), trained.taxonomy(side)
    part = trained.halves(side)[0].block
    keep = np.ones(len(names), dtype=bool)
    if taxonomy is not None:
        keep[taxonomy.category_ids] = False
    keep |= names.counts > 0
    return names.counts[keep], np.sqrt(part.variance[keep]).mean(axis=1)


def _bands(x: np.ndarray, stds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return median and quartiles by ranges of counts that double: never, 1, 2-3, 4-7, ... ."""
    place = np.where(x >= 1.0, np.floor(np.log2(np.maximum(x, 1.0))) + 1, 0).astype(np.int64)
    groups = [np.flatnonzero(place == b) for b in np.unique(place)]
    quartiles = np.array([np.quantile(stds[g], (0.5, 0.25, 0.75)) for g in groups])
    at = np.array([np.exp(np.mean(np.log(x[g]))) for g in groups])
    return quartiles[:, 0], quartiles[:, 1], quartiles[:, 2], at


def _ticks(ax: Axes, counts: np.ndarray) -> None:
    from matplotlib.ticker import NullLocator

    most = float(counts.max(initial=1.0))
    powers = [10.0**p for p in range(int(np.floor(np.log10(max(most, 1.0)))) + 1)]
    never = [_NEVER] if (counts == 0).any() else []
    labels = ["never"] * len(never) + [f"{p:,.0f}" for p in powers]
    ax.set_xticks([*never, *powers], labels, fontsize=SMALL)
    ax.xaxis.set_minor_locator(NullLocator())


def reliability(of: Any, held_out: Any = None, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw observed frequencies against predicted probabilities; on the diagonal the two agree.

    Parameters
    ----------
    of
        What `model.reliability(held_out)` returned; or a model, with `held_out` beside it.
    held_out
        Held-out pairs, needed if `of` is a model.
    label
        Name of this series in the legend. Draw on the same axes again to compare two.
    ax
        Axes to draw on; a new figure by default.

    Examples
    --------
    >>> import numpy as np, vbn, vbn.plot
    >>> judged = vbn.Reliability.of(np.array([0.2, 0.7]), np.array([0, 1]))
    >>> vbn.plot.reliability(judged).get_xlabel()
    'predicted probability'
    """
    judged = _judged(of, held_out)
    ax = new_axes(ax, (5.2, 5.0))
    earlier = len(ax.containers)  # series drawn before
    colour = SERIES[earlier % len(SERIES)]
    rows = judged.bins
    x, y = np.array([r.predicted for r in rows]), np.array([r.observed for r in rows])
    if not earlier:
        _paper(ax)
    counts = np.array([r.count for r in rows], dtype=np.float64)
    text = f"{label + ': ' if label else ''}ECE {judged.ece:.3f}, log loss {judged.log_loss:.3f}"
    errors = 2 * np.array([r.stderr for r in rows])
    ax.errorbar(x, y, yerr=errors, color=colour, linewidth=1.4, elinewidth=1.0, label=text, zorder=3)
    ax.scatter(x, y, s=18 + 90 * np.sqrt(counts / counts.max()), color=colour, zorder=4, linewidths=0)
    ax.legend(loc="lower right", frameon=False, fontsize=SMALL, labelcolor="linecolor", handlelength=1.2)
    return ax


def _judged(of: Any, held_out: Any) -> Reliability:
    if isinstance(of, Reliability):
        if held_out is not None:
            raise ParameterError("held_out belongs to a model; a Reliability has been judged already.")
        return of
    if not hasattr(of, "reliability"):
        raise ParameterError(
            f"reliability needs a Reliability, or a model and held-out pairs, got {type(of).__name__}."
        )
    if held_out is None:
        raise ParameterError("reliability of a model needs held-out pairs: reliability(model, held_out).")
    found: Reliability = of.reliability(held_out)
    return found


def _paper(ax: Axes) -> None:
    """Draw the diagonal, the axes and the title."""
    ax.plot([0, 1], [0, 1], color=LINE, linewidth=1.2, linestyle=(0, (5, 3)), zorder=1)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("predicted probability", color=FAINT)
    ax.set_ylabel("observed frequency", color=FAINT)
    plain_frame(ax)
    title(ax, "Do probabilities come true?", "dashed: perfect; bars: 2 standard errors; size: pairs")
