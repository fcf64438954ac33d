"""Pictures drawn with matplotlib: as png files for Markdown, as svg that follows the page's colours for HTML."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vbn._errors import MissingExtraError
from vbn.evaluation.paper._results import Picture, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, FAINT, LINE = "#222222", "#6b6b6b", "#d9d9d9"
OURS = "#0072b2"
OTHERS = ("#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b58900", "#8c6bb1")
MARKERS, STROKES = ("s", "^", "D", "v", "P", "X", "<", ">", "h"), ("-", "--", ":")
_OF_THE_PAGE = {INK: "var(--ink)", FAINT: "var(--faint)", LINE: "var(--line)", OURS: "var(--accent)"}
_SIZE = (7.6, 4.4)


def save_png(picture: Picture, path: Path) -> None:
    """Draw a picture into a file."""
    figure = _drawn(picture, transparent=False)
    figure.savefig(path, dpi=150, metadata={"Software": None})


def svg(picture: Picture) -> str:
    """A picture to stand inside a page, in the page's colours."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": picture.name}):
        stream = io.StringIO()
        _drawn(picture, transparent=True).savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    for colour, variable in _OF_THE_PAGE.items():
        text = text.replace(colour, variable)
    # Ids are the same in all pictures of matplotlib, but a page must have each once.
    text = re.sub(r'(id="|url\(#|xlink:href="#)', rf"\g<1>{picture.name}-", text)
    for size in ("width", "height"):  # the page decides
        text = re.sub(rf'(<svg[^>]*?) {size}="[^"]*"', r"\1", text, count=1)
    return text


def _drawn(picture: Picture, *, transparent: bool) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib is not installed: pip install 'vbn[reproduce]'.") from error
    figure = Figure(figsize=_SIZE, layout="constrained", facecolor="none" if transparent else "white")
    axes = figure.add_subplot(facecolor="none")
    drawn = {True: 0, False: 0}
    for series in picture.series:
        _draw(axes, series, _look(series, drawn[series.ours]))
        drawn[series.ours] += 1
    _dress(axes, picture)
    return figure


def _look(series: Series, number: int) -> dict[str, Any]:
    if series.ours:
        stroke = STROKES[number % len(STROKES)]
        return {"color": OURS, "linewidth": 2.6, "linestyle": stroke, "marker": "o", "markersize": 6.5, "zorder": 5}
    return {
        "color": OTHERS[number % len(OTHERS)],
        "linewidth": 1.2,
        "linestyle": STROKES[number // len(OTHERS) % len(STROKES)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 5.0,
        "alpha": 0.9,
    }


def _draw(axes: Axes, series: Series, look: dict[str, Any]) -> None:
    if not series.joined or len(series.x) == 1:
        look = {**look, "linestyle": "none", "markersize": 7.5}
    axes.plot(series.x, series.y, label=series.name, **look)
    if series.spread and any(series.spread):
        low = [y - s for y, s in zip(series.y, series.spread, strict=True)]
        high = [y + s for y, s in zip(series.y, series.spread, strict=True)]
        axes.fill_between(series.x, low, high, color=look["color"], alpha=0.12, linewidth=0)


def _dress(axes: Axes, picture: Picture) -> None:
    from matplotlib.ticker import MaxNLocator

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
    axes.tick_params(colors=FAINT, labelsize=9)
    axes.grid(color=LINE, linewidth=0.6, alpha=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(picture.x_label, color=FAINT, fontsize=9.5)
    axes.set_ylabel(picture.y_label, color=FAINT, fontsize=9.5)
    if all(float(x).is_integer() for series in picture.series for x in series.x):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if picture.ticks:
        axes.set_xticks(range(len(picture.ticks)), picture.ticks)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8.5, labelcolor=INK)
