"""How the bound rose in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vbn.plot._style import BLUE, FAINT, ORANGE, SMALL, need_fitted, new_axes, plain_frame, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEAD = 0.15  # share of the epochs that may leave the picture below: the first ones rise most


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
    values = np.asarray(need_fitted(model, "lower_bounds_"), dtype=np.float64)
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
    below += "; the first lie below the picture" if hidden else ""
    if len(held_out) == len(values):
        _held_out(ax, epochs, held_out)
        below += f"; held-out log-likelihood {held_out[-1]:.4f} per pair"
    title(ax, "Lower bound in training", below)
    return ax


def _focus(ax: Axes, values: np.ndarray) -> bool:
    """Look at the epochs after the steep start, which would flatten all others; whether some are out of sight."""
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
