"""An entity among its neighbours: a map of densities in the plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vbn.plot.style import BLUE, FAINT, INK, ORANGE, new_axes, no_frame, place_labels, shown, title, trained_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMED = 40  # names that a picture has room for
_SCALES = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02)


def neighbourhood(model: Any, entity: object, k: int = 15, *, side: str = "column", ax: Axes | None = None) -> Axes:
    """Draw the k nearest neighbours of an entity or a category (by expected cosine) with their uncertainty.

    The means, scaled to length 1 as cosines do, are projected on their first two principal directions. Ellipses are the
    densities in that plane, all at the share of a standard deviation that the caption states. The entity and its 39
    nearest neighbours are labelled; the others are dots, and the caption tells how many.

    Parameters
    ----------
    model
        A fitted model.
    entity
        Name of the entity.
    k
        Number of neighbours.
    side
        "row" or "column", where the two differ.
    ax
        Axes to draw on; a new figure by default.

    Examples
    --------
    >>> import vbn, vbn.plot
    >>> data = vbn.Dataset.from_sequences([["a", "dog", "barks"], ["a", "cat", "purrs"]] * 5)
    >>> model = vbn.VBN(dim=3, epochs=4, verbose=False).fit(data)
    >>> len(vbn.plot.neighbourhood(model, "dog", k=3).texts) >= 4
    True
    """
    trained_of(model)  # raises for a model without densities
    names = [str(entity), *(row.entity for row in model.similar(entity, k=k, side=side))]
    densities = [model.posterior(name, side=side) for name in names]
    means, variances = (np.array([getattr(one, field) for one in densities]) for field in ("mean", "variance"))
    points, spreads, shares = _flat(means.astype(np.float64), variances.astype(np.float64))
    size = 6.4 if k <= 20 else 8.0
    ax = new_axes(ax, (size * 1.15, size))
    scale = _scale(points, spreads)
    _ellipses(ax, points, scale**2 * spreads)
    ax.scatter(points[1:, 0], points[1:, 1], s=22, color=BLUE, zorder=4, linewidths=0)
    ax.scatter(points[:1, 0], points[:1, 1], s=60, color=ORANGE, zorder=5, linewidths=0)
    _limits(ax, points, scale**2 * spreads)
    no_frame(ax)
    told = "one standard deviation" if scale == 1.0 else f"{scale:g} standard deviations"
    caption = f"directions of means, plane of most variance ({100 * shares:.0f} %); ellipses: {told}"
    if len(names) > _NAMED:
        caption += f"; the {len(names) - _NAMED:,} least similar are not named"
    title(ax, f"Neighbours of {shown(names[0], 40)}", caption)
    few = min(len(names), _NAMED)
    labels = [shown(name) for name in names[:few]]
    sizes = [11.0, *[9.5 if few <= 20 else 8.5] * (few - 1)]
    place_labels(ax, points, labels, [ORANGE, *[INK] * (few - 1)], sizes)
    if len(names) == 1:
        ax.annotate("no neighbours", (0.5, 0.05), xycoords="axes fraction", ha="center", color=FAINT)
    return ax


def _flat(means: np.ndarray, variances: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Return means and covariances in the plane of most variance, and the plane's share of the variance."""
    lengths = np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-30)
    means, variances = means / lengths, variances / lengths**2
    centred = means - means.mean(axis=0)
    few = len(means) <= means.shape[1]  # with more points, full matrices would be of size points x points
    _, singular, axes = np.linalg.svd(centred, full_matrices=few)
    plane = axes[:2]
    if len(plane) < 2:  # a model of one dimension
        plane = np.vstack([plane, np.zeros_like(plane)])
    total = float((singular**2).sum())
    share = float((singular[:2] ** 2).sum()) / total if total > 0 else 1.0
    covariances = np.einsum("ad,nd,bd->nab", plane, variances, plane)
    return centred @ plane.T, covariances, share


def _scale(points: np.ndarray, covariances: np.ndarray) -> float:
    """Return the share of a standard deviation to draw: the largest that keeps the points apart."""
    span = max(float(np.ptp(points, axis=0).max()), 1e-9)
    radius = float(np.median(np.sqrt(np.maximum(covariances[:, 0, 0], 0.0))))
    return next((scale for scale in _SCALES if scale * radius <= 0.12 * span), _SCALES[-1])


def _ellipses(ax: Axes, points: np.ndarray, covariances: np.ndarray) -> None:
    from matplotlib.collections import EllipseCollection

    values, vectors = np.linalg.eigh(covariances)
    angles = np.degrees(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    widths, heights = 2.0 * np.sqrt(np.maximum(values[:, 1], 0.0)), 2.0 * np.sqrt(np.maximum(values[:, 0], 0.0))
    for which, colour, layer in ((slice(1, None), BLUE, 2), (slice(1), ORANGE, 3)):
        place: dict[str, Any] = {"offsets": points[which], "offset_transform": ax.transData, "zorder": layer}
        inside: dict[str, Any] = {"facecolors": colour, "edgecolors": "none", "alpha": 0.08}
        border: dict[str, Any] = {"facecolors": "none", "edgecolors": colour, "alpha": 0.4, "linewidths": 0.9}
        for looks in (inside, border):
            ellipses = EllipseCollection(widths[which], heights[which], angles[which], units="xy", **place, **looks)
            ax.add_collection(ellipses, autolim=False)  # a wide ellipse must not set the limits


def _limits(ax: Axes, points: np.ndarray, covariances: np.ndarray) -> None:
    """Leave room for all points and most of the ellipses, with one scale for both directions."""
    reach = np.sqrt(np.maximum(covariances[:, [0, 1], [0, 1]], 0.0))
    low, high = points.min(axis=0), points.max(axis=0)
    span = max(float((high - low).max()), 1e-6)
    pad = np.minimum(np.quantile(reach, 0.75, axis=0), 0.5 * span) + 0.06 * span
    pad = np.maximum(pad, 0.2 * span)
    ax.update_datalim([low - pad, high + pad])
    ax.margins(0.0)
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
