"""The pictures of a report: ours in front, rivals in colours that the colour-blind can tell apart."""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from reproduction.results import Picture, Series
from vbn._errors import MissingExtraError

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


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {INK: "ink", FAINT: "faint", LINE: "line", GREY: "grey", OURS: "accent"}  # of the page's colours
_WIDTH, _HEIGHT, _DPI = 7.6, 4.8, 130
_PANEL_WIDTH, _PANEL_HEIGHT = 1.9, 1.9
_ACROSS = (5, 4, 3)  # frames beside each other


@dataclass(frozen=True)
class Drawn:
    """A picture as svg that stands inside a page, in the page's colours, and as the bytes of a png file."""

    svg: str
    png: bytes


def check_drawing() -> None:
    """Refuse to begin where pictures could not be drawn, before hours of training rather than after."""
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib is not installed: pip install 'vbn[reproduce]'.")


def drawn(picture: Picture) -> Drawn:
    """Draw a picture."""
    check_drawing()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": picture.name}):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
        {"panels": _panels, "frames": _frames}.get(picture.kind, _single)(figure, picture)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # it stays as it is now: finding it takes longer than drawing
        return Drawn(_svg(figure, picture.name), _png(figure))


def _svg(figure: Figure, name: str) -> str:
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for colour, variable in _NAMES.items():
        text = text.replace(colour, f"var(--{variable})")
    # Ids are the same in all pictures of matplotlib, but a page must have each once.
    text = re.sub(r'(id="|url\(#|xlink:href="#)', rf"\g<1>{name}-", text)
    for size in ("width", "height"):  # the page decides
        text = re.sub(rf'(<svg[^>]*?) {size}="[^"]*"', r"\1", text, count=1)
    return text


def _png(figure: Figure) -> bytes:
    """With few colours: such pictures have no more, and take a third of the space."""
    from PIL import Image

    full, small = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", dpi=_DPI, facecolor="white", metadata={"Software": None})
    with Image.open(full) as image:
        image.convert("RGB").quantize(64).save(small, format="png", optimize=True)
    return small.getvalue()


def _single(figure: Figure, picture: Picture) -> None:
    axes = figure.add_subplot(facecolor="none")
    styles = looks(picture.series)
    for series, look in zip(picture.series, styles, strict=True):
        draw(axes, series, look)
    _dress(axes, picture)
    if picture.kind == "diagonal":
        ends = (0.0, 1.0)
        axes.plot(ends, ends, color=FAINT, linewidth=1.0, linestyle=(0, (2, 3)), zorder=1)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.legend(loc="upper left", frameon=False, fontsize=8.5, labelcolor=INK)
    else:
        axes.margins(0.08)
        label(axes, picture.series, styles)


def _panels(figure: Figure, picture: Picture) -> None:
    """A frame for each rival, with ours and, faintly, all others."""
    ours = [series for series in picture.series if series.ours]
    rivals = [series for series in picture.series if not series.ours]
    grid = _grid(figure, len(rivals))
    for number, (axes, rival) in enumerate(zip(grid, rivals, strict=True)):
        for series in (other for other in rivals if other is not rival):
            axes.plot(series.x, series.y, color=GREY, linewidth=0.7, alpha=0.6, zorder=1)
        draw(axes, rival, {**look_of(rival, 0), "color": INK, "marker": "s", "markersize": 3.0})
        for own, series in enumerate(ours):
            draw(axes, series, {**look_of(series, own), "linewidth": 2.0 if own == 0 else 1.1, "markersize": 3.0})
        _dress_small(axes, picture, rival.name, number)
    handles, names = grid[0].get_legend_handles_labels()
    kept = [(handle, name) for handle, name in zip(handles, names, strict=True) if name in {one.name for one in ours}]
    _shared_labels(figure, picture)
    figure.legend(
        *zip(*kept, strict=True), loc="outside upper left", ncols=2, frameon=False, fontsize=9, labelcolor=INK
    )


def _frames(figure: Figure, picture: Picture) -> None:
    """The frames that the series name, side by side; a model has the same look in all of them."""
    titles = list(dict.fromkeys(series.frame for series in picture.series))
    named = list(dict.fromkeys((series.name, series.ours) for series in picture.series if not series.faint))
    styles = dict(zip(named, looks([Series(name, (), (), ours=ours) for name, ours in named]), strict=True))
    figure.set_size_inches(3.6 * len(titles), 4.0)
    grid = figure.subplots(1, len(titles), sharey=True, squeeze=False)[0]
    for number, (axes, title) in enumerate(zip(grid, titles, strict=True)):
        inside = [series for series in picture.series if series.frame == title]
        own = [styles.get((series.name, series.ours), look_of(series, 0)) for series in inside]
        for series, look in zip(inside, own, strict=True):
            draw(axes, series, look_of(series, 0) if series.faint else look)
        _dress_small(axes, picture, title, number)
    for axes, title in zip(grid, titles, strict=True):
        inside = [series for series in picture.series if series.frame == title]
        label(axes, inside, [styles.get((series.name, series.ours), look_of(series, 0)) for series in inside])
    _shared_labels(figure, picture)


def _grid(figure: Figure, wanted: int) -> list[Axes]:
    across = min(_ACROSS, key=lambda number: -wanted % number) if wanted > min(_ACROSS) else max(wanted, 1)
    down = math.ceil(wanted / across)
    figure.set_size_inches(max(_PANEL_WIDTH * across, 4.0), 0.9 + _PANEL_HEIGHT * down)
    made = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).ravel().tolist()
    for axes in made[wanted:]:
        axes.remove()
    for axes in made[max(wanted - across, 0) : wanted]:  # the lowest of each column
        axes.tick_params(labelbottom=True)
    return list(made[:wanted])


def _shared_labels(figure: Figure, picture: Picture) -> None:
    figure.supxlabel(picture.x_label, color=FAINT, fontsize=9.5)
    figure.supylabel(picture.y_label, color=FAINT, fontsize=9.5)


def _dress_small(axes: Axes, picture: Picture, title: str, number: int) -> None:
    _frame(axes)
    axes.set_title(textwrap.fill(title, 22), color=INK, fontsize=9, loc="left", pad=3)
    if picture.ticks:
        shown = range(0, len(picture.ticks), max(len(picture.ticks) // 5, 1))
        axes.set_xticks(list(shown), [picture.ticks[place] for place in shown])
    if number == 0:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))


def _dress(axes: Axes, picture: Picture) -> None:
    from matplotlib.ticker import MaxNLocator

    _frame(axes)
    axes.set_xlabel(picture.x_label, color=FAINT, fontsize=9.5)
    axes.set_ylabel(picture.y_label, color=FAINT, fontsize=9.5)
    if all(float(x).is_integer() for series in picture.series for x in series.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if picture.ticks:
        axes.set_xticks(range(len(picture.ticks)), picture.ticks)


def _frame(axes: Any) -> None:
    axes.set_facecolor("none")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.tick_params(colors=FAINT, labelsize=8.5)
    axes.grid(color=LINE, linewidth=0.6, alpha=0.6)
    axes.set_axisbelow(True)
