"""Predicted probabilities against what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import ParameterError
from vbn.inference import Reliability
from vbn.plot._style import FAINT, LINE, SERIES, SMALL, new_axes, plain_frame, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reliability(of: Any, held_out: Any = None, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw observed frequencies against predicted probabilities; on the diagonal the two agree.

    Parameters
    ----------
    of
        What `model.uncertainty(held_out)` returned; or a model, with `held_out` beside it.
    held_out
        Held-out pairs, if `of` is a model.
    label
        Name of this series in the legend. Drawing on the same axes again compares two.
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
    earlier = len(ax.containers)  # series that are there already
    colour = SERIES[earlier % len(SERIES)]
    rows = judged.bins
    x, y = np.array([r.predicted for r in rows]), np.array([r.observed for r in rows])
    if not earlier:
        _paper(ax)
    counts = np.array([r.count for r in rows], dtype=np.float64)
    text = f"{label + ': ' if label else ''}ECE {judged.ece:.3f}, log loss {judged.log_loss:.3f}"
    ax.errorbar(
        x, y, yerr=2 * np.array([r.stderr for r in rows]), color=colour, linewidth=1.4, elinewidth=1.0, label=text,
        zorder=3,
    )  # fmt: skip
    ax.scatter(x, y, s=18 + 90 * np.sqrt(counts / counts.max()), color=colour, zorder=4, linewidths=0)
    ax.legend(loc="lower right", frameon=False, fontsize=SMALL, labelcolor="linecolor", handlelength=1.2)
    return ax


def _judged(of: Any, held_out: Any) -> Reliability:
    if isinstance(of, Reliability):
        if held_out is not None:
            raise ParameterError("held_out goes with a model; a Reliability has been judged already.")
        return of
    if not hasattr(of, "uncertainty"):
        raise ParameterError(
            f"reliability takes a Reliability, or a model and held-out pairs, not {type(of).__name__}."
        )
    if held_out is None:
        raise ParameterError("reliability of a model needs held-out pairs: reliability(model, held_out).")
    found: Reliability = of.uncertainty(held_out)
    return found


def _paper(ax: Axes) -> None:
    """The diagonal, the axes and the title."""
    ax.plot([0, 1], [0, 1], color=LINE, linewidth=1.2, linestyle=(0, (5, 3)), zorder=1)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("predicted probability", color=FAINT)
    ax.set_ylabel("observed frequency", color=FAINT)
    plain_frame(ax)
    title(ax, "Do probabilities come true?", "dashed: perfect; bars: 2 standard errors; size: pairs")
