"""How sure the model is of an entity, by how often it was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vbn.plot._style import BLUE, FAINT, ORANGE, SMALL, new_axes, plain_frame, title, trained_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vbn.model import Trained

_POINTS = 4000  # more would be a blot
_NEVER = 0.4  # where on the logarithmic axis the entities stand that were never seen


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
    rng = np.random.default_rng(0)  # of where points stand, so that those of one count do not hide each other
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
    title(ax, "The more data, the surer", below + (f"; {above:,} lie above" if above else ""))
    return ax


def _spread(trained: Trained, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Count and mean standard deviation of entities; those that are parents only are left out."""
    names, taxonomy = trained.vocabulary(side), trained.taxonomy(side)
    part = trained.part("u" if trained.shared or side == "row" else "v")
    keep = np.ones(len(names), dtype=bool)
    if taxonomy is not None:
        keep[taxonomy.category_ids] = False
    keep |= names.counts > 0
    return names.counts[keep], np.sqrt(part.variance[keep]).mean(axis=1)


def _bands(x: np.ndarray, stds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Median and quartiles by doubling counts: never, 1, 2-3, 4-7, ... ."""
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
