"""How series look: ours in front, rivals in colours that the colour-blind tell apart too, names beside lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn.evaluation.paper._results import Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, FAINT, LINE, GREY = "#222222", "#6b6b6b", "#d9d9d9", "#bdbdbd"
OURS = "#0072b2"
OTHERS = ("#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#8c6bb1")
MARKERS = ("s", "^", "D", "v", "P", "X", "<", ">", "h")
STROKES = ("-", "--", ":")
_LETTER, _LINE_HEIGHT = 0.56, 1.25  # of the size of the font


def look_of(series: Series, number: int) -> dict[str, Any]:
    """How the series with a number, among ours or among the others, is drawn."""
    if series.faint:
        return {"color": GREY, "linewidth": 0.8, "alpha": 0.7, "zorder": 1}
    if series.ours:
        stroke = STROKES[number % len(STROKES)]
        return {"color": OURS, "linewidth": 2.6, "linestyle": stroke, "marker": "o", "markersize": 5.5, "zorder": 5}
    return {
        "color": OTHERS[number % len(OTHERS)],
        "linewidth": 1.3,
        "linestyle": STROKES[number // len(OTHERS) % len(STROKES)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 4.5,
        "zorder": 3,
    }


def looks(series: Sequence[Series]) -> list[dict[str, Any]]:
    """How each of several series is drawn."""
    seen = {True: 0, False: 0}
    result = []
    for one in series:
        result.append(look_of(one, seen[one.ours]))
        seen[one.ours] += not one.faint
    return result


def draw(axes: Axes, series: Series, look: dict[str, Any]) -> None:
    """One series, with its spread as a shade."""
    if not series.joined or len(series.x) == 1:
        look = {**look, "linestyle": "none", "markersize": 7.0}
    axes.plot(series.x, series.y, label=series.name, **look)
    if series.spread and any(series.spread) and not series.faint:
        low = [y - s for y, s in zip(series.y, series.spread, strict=True)]
        high = [y + s for y, s in zip(series.y, series.spread, strict=True)]
        axes.fill_between(series.x, low, high, color=look["color"], alpha=0.12, linewidth=0)


def label(axes: Axes, series: Sequence[Series], styles: Sequence[dict[str, Any]], size: float = 8.0) -> None:
    """Write each name beside one of its points, where it covers least of the lines and of the names before it."""
    from matplotlib.figure import Figure

    figure = axes.get_figure()
    if not isinstance(figure, Figure) or not series:
        return
    figure.draw_without_rendering()  # so that places on the page are known
    scale = figure.dpi / 72.0
    frame = np.array(axes.get_window_extent().extents)
    points = [axes.transData.transform(np.column_stack([one.x, one.y])) for one in series]
    taken = np.concatenate([_around(_along(places), 3 * scale) for places in points])
    for number in sorted(range(len(series)), key=lambda number: not series[number].ours):
        one = series[number]
        if one.faint or not len(one.x):
            continue
        width, height = len(one.name) * size * _LETTER * scale, size * _LINE_HEIGHT * scale
        boxes, against = _places(points[number], width, height, scale)
        box = boxes[np.argmin(_cost(boxes, taken, frame) + against)]
        taken = np.concatenate([taken, box[None]])
        x, y = axes.transData.inverted().transform(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
        weight = "bold" if one.ours else "normal"
        colour = styles[number]["color"]
        text = axes.text(x, y, one.name, color=colour, fontsize=size, fontweight=weight, ha="center", va="center")
        text.set_zorder(6)


def _along(places: np.ndarray) -> np.ndarray:
    """Points of a line, and some between them, which names should not cover either."""
    if len(places) < 2:
        return places
    between = np.linspace(0.0, 1.0, 12, endpoint=False)[:, None, None]
    filled = places[None, :-1] + between * np.diff(places, axis=0)[None]
    return np.concatenate([filled.reshape(-1, 2), places[-1:]])


def _around(places: np.ndarray, half: float) -> np.ndarray:
    """Boxes (left, bottom, right, top) around points."""
    return np.concatenate([places - half, places + half], axis=1)


def _places(points: np.ndarray, width: float, height: float, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Boxes beside points, and what is against each of them: the further away the worse."""
    boxes, against = [], []
    for away, penalty in ((7.0, 0.0), (14.0, 0.1), (24.0, 0.3), (36.0, 0.6)):
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            x = points[:, 0] + dx * (away * scale + width / 2)
            y = points[:, 1] + dy * (away * scale + height / 2)
            boxes.append(np.column_stack([x - width / 2, y - height / 2, x + width / 2, y + height / 2]))
            against.append(np.full(len(points), penalty + 0.02 * (dx <= 0)))
    return np.concatenate(boxes), np.concatenate(against)


def _cost(boxes: np.ndarray, taken: np.ndarray, frame: np.ndarray) -> np.ndarray:
    """Share of each box that others cover, and much more where it leaves the frame."""
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    inside = _overlaps(boxes, frame[None])[:, 0]
    return np.asarray(_overlaps(boxes, taken).sum(axis=1) / area + 10.0 * (1.0 - inside / area))


def _overlaps(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The area that each box of one list has in common with each of another."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    return np.asarray(np.maximum(high - low, 0.0).prod(axis=2))
