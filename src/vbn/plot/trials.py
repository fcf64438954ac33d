"""What a tuning has tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vbn.plot.style import BLUE, FAINT, INK, LINE, LITERAL, ORANGE, SMALL, new_axes, plain_frame, shown, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT, _MARGIN = 0.32, 1.3  # inches: of a trial, and of title and axis
_LONGEST = 60  # letters of a label


def trials(tuning: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the objective of every trial of a tuning, the best on top.

    Parameters
    ----------
    tuning
        A model that `vbn.tune` returned, or its `tuning_`.
    ax
        Axes to draw on; a new figure by default.

    Examples
    --------
    >>> import vbn.plot
    >>> from vbn.evaluation import Trial, Trials
    >>> figures = {"hr@10%": 0.5, "mpr": 0.7, "rare hr@10%": 0.2, "rare mpr": 0.5}
    >>> tried = [Trial(0, {}, "complete", 0.60, figures), Trial(1, {"dim": 20}, "complete", 0.65, figures)]
    >>> [label.get_text() for label in vbn.plot.trials(Trials(tried, best=1)).get_yticklabels()]
    ['defaults', 'dim=20']
    """
    table = getattr(tuning, "tuning_", tuning)
    judged = sorted((trial for trial in table if trial.figures), key=lambda trial: (trial.objective, -trial.number))
    ax = new_axes(ax, (7.2, _MARGIN + _HEIGHT * len(judged)))
    start = next(trial.objective for trial in judged if not trial.number)
    ax.axvline(start, color=LINE, linewidth=1.2, linestyle=(0, (5, 3)), zorder=1)
    for place, trial in enumerate(judged):
        colour = ORANGE if trial is table.best else BLUE
        fill = colour if trial.state == "complete" else "white"
        ax.plot([start, trial.objective], [place, place], color=colour, linewidth=1.2, alpha=0.5, zorder=2)
        ax.scatter([trial.objective], [place], s=42, color=fill, edgecolors=colour, linewidths=1.3, zorder=3)
    labels = [shown(trial.label, _LONGEST) for trial in judged]
    ax.set_yticks(range(len(judged)), labels, fontsize=SMALL, color=INK, **LITERAL)
    ax.set_ylim(-0.7, len(judged) - 0.3)
    targets = {"all": "all", "rare": "rare", "balanced": "all and rare"}[table.favour]
    ax.set_xlabel(f"mean of HR@10% and MPR, {targets} targets", color=FAINT)
    plain_frame(ax)
    ax.tick_params(axis="y", colors=INK, length=0)
    hollow = any(trial.state != "complete" for trial in judged)
    title(ax, "What was tried", "orange: chosen; dashed: defaults" + "; hollow: given up" * hollow)
    return ax
