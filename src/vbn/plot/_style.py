"""What all pictures share: axes, colours that colour-blind readers can tell apart, names that no font can break."""

from __future__ import annotations

import numbers
import textwrap
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from vbn._errors import MissingExtraError, NotFittedError, ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vbn.model import Trained

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, SKY)
INK, FAINT, LINE = "#222222", "#767676", "#C8C8C8"
SMALL = 9.0  # points
LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}  # a name with two dollar signs is not a formula
_MISSING = "\u25a1"


def new_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure."""
    try:
        import matplotlib.axes
    except ImportError as error:
        raise MissingExtraError("matplotlib is not installed: pip install 'vbn[plot]'.") from error
    if ax is None:
        from matplotlib import pyplot

        _, made = pyplot.subplots(figsize=size, layout="constrained")
        return made
    if not isinstance(ax, matplotlib.axes.Axes):
        raise ParameterError(f"ax must be matplotlib axes, not {type(ax).__name__}.")
    return ax


def plain_frame(ax: Axes) -> None:
    """Axes left and below only, in grey."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(LINE)
    ax.tick_params(colors=FAINT, labelsize=SMALL)


def no_frame(ax: Axes) -> None:
    """Neither axes nor ticks, where coordinates mean nothing by themselves."""
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xticks([])
    ax.set_yticks([])


def title(ax: Axes, text: str, below: str) -> None:
    """A title at the left, and below it a fainter text that says what is to be seen, in lines as wide as the axes."""
    letters = max(30, int(size_of(ax)[0] * 72.0 / (0.52 * SMALL)))
    lines = textwrap.wrap(below, letters)
    high = 1.25 * SMALL * len(lines)
    ax.set_title(text, loc="left", fontsize=12, color=INK, pad=10 + high, fontweight="bold", **LITERAL)
    note = ax.annotate(
        "\n".join(lines), (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points", fontsize=SMALL,
        color=FAINT, va="bottom", annotation_clip=False, **LITERAL,
    )  # fmt: skip
    note.set_in_layout(False)  # a long text must not squeeze the axes; the title's pad leaves room for it


def size_of(ax: Axes) -> tuple[float, float]:
    """Width and height of axes in inches, before any layout engine has run."""
    width, height = ax.figure.figure.get_size_inches()
    place = ax.get_position()
    return float(width * place.width), float(height * place.height)


def shown(name: str, longest: int = 24) -> str:
    """A name that can be drawn: on one line, not too long, a box for each character that the font lacks."""
    flat = " ".join(name.split())
    cut = flat if len(flat) <= longest else flat[: longest - 1] + "…"
    from matplotlib.font_manager import FontProperties

    known = _characters(tuple(FontProperties().get_family()))
    box = _MISSING if ord(_MISSING) in known else "?"
    return "".join(letter if ord(letter) in known else box for letter in cut)


@lru_cache(maxsize=8)
def _characters(families: tuple[str, ...]) -> frozenset[int]:
    """Characters that the fonts of these families have."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    found: set[int] = set()
    for family in families:
        found |= set(get_font(findfont(FontProperties(family=[family]))).get_charmap())
    return frozenset(found)


def need_whole(name: str, value: Any) -> None:
    """Refuse what is not a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
        raise ParameterError(f"{name}={value!r} must be a whole number of at least 1.")


def trained_of(model: Any) -> Trained:
    """The densities of a fitted model."""
    if not hasattr(model, "_model"):
        raise ParameterError(f"this picture takes a fitted model, not {type(model).__name__}.")
    trained: Trained = model._model()
    return trained


def need_fitted(model: Any, attribute: str) -> Any:
    """An attribute that a fit leaves behind."""
    if not hasattr(model, attribute):
        raise NotFittedError(f"{type(model).__name__} has no {attribute}; give a model after fit(data).")
    return getattr(model, attribute)
