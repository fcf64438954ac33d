"""What all pictures share: axes, colours that colour-blind readers can tell apart, and names as labels."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import MissingExtraError, ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vbn.model import Trained

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, SKY)
INK, FAINT, LINE = "#222222", "#767676", "#C8C8C8"
SMALL = 9.0  # points
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}  # a name with two dollar signs is not a formula
_MISSING = "\u25a1"
_RADII = (7.0, 13.0, 22.0, 34.0, 48.0, 64.0)  # points
_ANGLES = np.deg2rad([0, 180, 90, 270, 45, 135, 225, 315, 22, 158, 202, 338])
_LETTER, _HEIGHT = 0.58, 1.3  # of the font size: mean width of a letter, height of a line
_DOT = 4.0  # points around each dot that names should leave free
_FAR = 20.0  # points; a line connects names farther away with their dots


def new_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or those of a new figure."""
    try:
        import matplotlib.axes
    except ImportError as error:
        raise MissingExtraError("matplotlib is not installed: pip install 'vbn[plot]'.") from error
    if ax is None:
        from matplotlib import pyplot

        _, made = pyplot.subplots(figsize=size, layout="constrained")
        return made
    if not isinstance(ax, matplotlib.axes.Axes):
        raise ParameterError(f"ax must be matplotlib axes, got {type(ax).__name__}.")
    return ax


def plain_frame(ax: Axes) -> None:
    """Show the left and the lower axis only, in grey."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(colors=FAINT, labelsize=SMALL)


def no_frame(ax: Axes) -> None:
    """Hide axes and ticks, for coordinates that have no meaning of their own."""
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xticks([])
    ax.set_yticks([])


def title(ax: Axes, text: str, below: str) -> None:
    """Write a title at the left and a fainter caption below it, in lines as wide as the axes."""
    inches = ax.figure.figure.get_size_inches()[0] * ax.get_position().width  # before any layout engine has run
    letters = max(30, int(inches * 72.0 / (0.52 * SMALL)))
    lines = textwrap.wrap(below, letters)
    high = 1.25 * SMALL * len(lines)
    ax.set_title(text, loc="left", fontsize=12, color=INK, pad=10 + high, fontweight="bold", **LITERAL)
    looks = {"fontsize": SMALL, "color": FAINT, "va": "bottom", "annotation_clip": False, **LITERAL}
    caption = "\n".join(lines)
    note = ax.annotate(caption, (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points", **looks)
    note.set_in_layout(False)  # a long caption must not squeeze the axes; the title's pad leaves room for it


def shown(name: str, longest: int = 24) -> str:
    """Return a name that can be drawn: on one line, not too long, a box for each character that the font lacks."""
    flat = " ".join(name.split())
    cut = flat if len(flat) <= longest else flat[: longest - 1] + "…"
    from matplotlib.font_manager import FontProperties

    known = _characters(tuple(FontProperties().get_family()))
    box = _MISSING if ord(_MISSING) in known else "?"
    return "".join(letter if ord(letter) in known else box for letter in cut)


@lru_cache(maxsize=8)
def _characters(families: tuple[str, ...]) -> frozenset[int]:
    """Return the characters that the fonts of these families have."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    found: set[int] = set()
    for family in families:
        found |= set(get_font(findfont(FontProperties(family=[family]))).get_charmap())
    return frozenset(found)


def trained_of(model: Any) -> Trained:
    """Return the densities of a fitted model."""
    if not hasattr(type(model), "trained_"):
        raise ParameterError(f"this picture needs a fitted model, got {type(model).__name__}.")
    trained: Trained = model.trained_
    return trained


def place_labels(
    ax: Axes, points: np.ndarray, names: Sequence[str], colours: Sequence[str], sizes: Sequence[float]
) -> None:
    """Write names beside the first points, where they hide neither each other nor any point.

    The limits of the axes must be set before.
    """
    ax.figure.figure.draw_without_rendering()  # a layout engine then has given the axes their final size
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
        looks = {"ha": "center", "va": "center", "fontsize": sizes[i], "color": colours[i], "zorder": 6, **LITERAL}
        offset = float(step[0]), float(step[1])
        at = points[i, 0], points[i, 1]
        label = ax.annotate(name, at, offset, textcoords="offset points", arrowprops=leader, **looks)
        label.set_in_layout(False)


def _best(spot: np.ndarray, half: np.ndarray, taken: np.ndarray, frame: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the offset of a name's centre that hides least, and the box that the name then fills."""
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
    """Return the areas that boxes (left, bottom, right, top) share with others."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.prod(np.maximum(high - low, 0.0), axis=2))
