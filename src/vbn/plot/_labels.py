"""Names beside points, placed so that they do not lie on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vbn.plot._style import LINE, LITERAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RADII = (7.0, 13.0, 22.0, 34.0, 48.0, 64.0)  # points
_ANGLES = np.deg2rad([0, 180, 90, 270, 45, 135, 225, 315, 22, 158, 202, 338])
_LETTER, _HEIGHT = 0.58, 1.3  # of the font size: mean width of a letter, height of a line
_DOT = 4.0  # points around each point that a name should leave free
_FAR = 20.0  # points; from here on a line leads from the name to its point


def place_labels(
    ax: Axes, points: np.ndarray, names: Sequence[str], colours: Sequence[str], sizes: Sequence[float]
) -> None:
    """Write names beside the first points, the first one first; the limits of the axes must be set.

    Points beyond the names get none, but no name is to hide them.
    """
    ax.figure.figure.draw_without_rendering()  # so that a layout engine has given the axes their final size
    scale = 72.0 / ax.figure.dpi
    spots = ax.transData.transform(points) * scale
    frame = np.array(ax.get_window_extent().extents) * scale
    taken = np.empty((len(spots) + len(names), 4))
    taken[: len(spots)] = np.concatenate([spots - _DOT, spots + _DOT], axis=1)
    for i, name in enumerate(names):
        half = np.array([0.5 * _LETTER * sizes[i] * len(name), 0.5 * _HEIGHT * sizes[i]])
        step, taken[len(spots) + i] = _best(spots[i], half, taken[: len(spots) + i], frame)
        far = float(np.hypot(*step)) > _FAR + float(half[0]) * abs(step[0]) / max(float(np.hypot(*step)), 1e-9)
        leader = {"arrowstyle": "-", "color": LINE, "linewidth": 0.7} if far else None
        label = ax.annotate(
            name, (points[i, 0], points[i, 1]), (float(step[0]), float(step[1])), textcoords="offset points",
            ha="center", va="center", fontsize=sizes[i], color=colours[i], zorder=6, arrowprops=leader, **LITERAL,
        )  # fmt: skip
        label.set_in_layout(False)


def _best(spot: np.ndarray, half: np.ndarray, taken: np.ndarray, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The offset of a name's centre that hides least, and the box that the name then fills."""
    directions = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
    steps = np.concatenate([directions * (radius + half * np.abs(directions)) for radius in _RADII])
    centres = spot + steps
    boxes = np.concatenate([centres - half, centres + half], axis=1)
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    near = taken[((taken[:, 2:] > low) & (taken[:, :2] < high)).all(axis=1)]  # most are too far away to matter
    hidden = _overlap(boxes, near).sum(axis=1)
    inside = _overlap(boxes, frame[None])[:, 0]
    outside = 4.0 * half[0] * half[1] - inside
    distance = np.repeat(_RADII, len(_ANGLES))
    best = int(np.argmin(hidden + 4.0 * outside + 0.6 * distance))
    return steps[best], boxes[best]


def _overlap(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Areas that boxes (left, bottom, right, top) share with others."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    result: np.ndarray = np.prod(np.maximum(high - low, 0.0), axis=2)
    return result
