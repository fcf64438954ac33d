"""A part of the taxonomy as a tree, with what the model knows of each node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data import Dataset, Taxonomy
from vbn.plot._style import (
    BLUE,
    FAINT,
    INK,
    LINE,
    LITERAL,
    SMALL,
    need_whole,
    new_axes,
    no_frame,
    shown,
    title,
    trained_of,
)
from vbn.plot._tree import Branch, grow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vbn.model import Trained

_LINE = 0.23  # inches for each leaf


def taxonomy(
    of: Any, root: object, depth: int = 2, *, limit: int = 12, side: str = "column", ax: Axes | None = None
) -> Axes:
    """Draw the tree below a node; larger dots were seen more often, darker ones are surer.

    Parameters
    ----------
    of
        A fitted model; or a `Dataset`, which has counts but no uncertainty.
    root
        Name of the node at the left.
    depth
        How many levels below it.
    limit
        How many children of a node to draw; a line says how many more there are.
    side
        "row" or "column", where the two differ.
    ax
        Axes to draw on; a new figure, as high as the tree needs, by default.

    Examples
    --------
    >>> import vbn, vbn.plot
    >>> data = vbn.Dataset.from_pairs(["poodle"], ["barks"]).with_taxonomy({"poodle": ["dog"], "dog": ["animal"]})
    >>> [text.get_text() for text in vbn.plot.taxonomy(data, "animal").texts][:3]
    ['animal', 'dog', 'poodle']
    """
    need_whole("depth", depth)
    need_whole("limit", limit)
    trained = None if isinstance(of, Dataset) else trained_of(of)
    graph = _taxonomy_of(of, trained, side)
    number = graph.vocabulary.id(root)
    tree = grow(graph, number, int(depth), int(limit))
    if not tree.children:
        raise DataError(f"{str(root)!r} has no children in the taxonomy, so there is no tree to draw.")
    branches = tree.walk()
    n_leaves = max(branch.y for branch in branches) + 1
    levels = max(branch.level for branch in branches)
    ax = new_axes(ax, (2.2 + 2.4 * levels, max(2.2, 0.9 + _LINE * n_leaves)))
    _edges(ax, branches)
    _dots(ax, branches, graph, trained, side)
    _names(ax, branches)
    ax.set_xlim(-0.12, levels + 0.85)
    ax.set_ylim(n_leaves - 0.4, -0.6)
    no_frame(ax)
    title(
        ax, f"Below {shown(tree.name, 40)}", "larger: seen more often" + ("" if trained is None else "; darker: surer")
    )
    return ax


def _taxonomy_of(of: Any, trained: Trained | None, side: str) -> Taxonomy:
    if side not in ("row", "column"):
        raise ParameterError(f"side={side!r} is neither 'row' nor 'column'.")
    source = of if trained is None else trained
    found: Taxonomy | None = source.row_taxonomy if side == "row" else source.column_taxonomy
    if found is None:
        raise DataError(f"there is no taxonomy of the {side}s to draw; add one with data.with_taxonomy(...).")
    return found


def _edges(ax: Axes, branches: list[Branch]) -> None:
    """Smooth lines from each node to its children."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    for branch in branches:
        width = 1.0 if len(branch.children) <= 20 else 0.5
        for child in branch.children:
            start, end = (branch.level, branch.y), (child.level, child.y)
            middle = 0.55 * start[0] + 0.45 * end[0]
            corners = [start, (middle, start[1]), (middle, end[1]), end]
            curve = Curve(corners, [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
            ax.add_patch(PathPatch(curve, facecolor="none", edgecolor=LINE, linewidth=width, zorder=1))


def _dots(ax: Axes, branches: list[Branch], graph: Taxonomy, trained: Trained | None, side: str) -> None:
    real = [(branch, branch.node) for branch in branches if branch.node is not None]
    nodes = np.array([node for _, node in real], dtype=np.int64)
    x, y = np.array([b.level for b, _ in real]), np.array([b.y for b, _ in real])
    sizes = 16 + 26 * np.log10(1 + graph.vocabulary.counts[nodes])
    if trained is None:
        ax.scatter(x, y, s=sizes, color=BLUE, zorder=3, linewidths=0)
        return
    stds = _stds(trained, side, nodes)
    top = float(np.quantile(stds, 0.95))  # a few that nothing is known of would make all others look the same
    wide = bool((stds > 1.5 * top).any())
    dots = ax.scatter(x, y, s=sizes, c=stds, cmap="cividis", vmax=top if wide else None, zorder=3, linewidths=0)
    height = float(ax.figure.figure.get_size_inches()[1])
    bar = ax.figure.colorbar(
        dots, ax=ax, shrink=min(0.6, 2.2 / height), aspect=14, pad=0.01, extend="max" if wide else "neither"
    )
    bar.set_label("standard deviation", fontsize=SMALL, color=FAINT)
    bar.ax.tick_params(labelsize=SMALL - 1, colors=FAINT)
    bar.outline.set_visible(False)


def _stds(trained: Trained, side: str, nodes: np.ndarray) -> np.ndarray:
    """Mean standard deviation: of the entity where it was seen, else of the category."""
    name = "u" if trained.shared or side == "row" else "v"
    part, graph = trained.part(name), trained.graph(name)
    result: np.ndarray = np.sqrt(part.variance[nodes]).mean(axis=1)
    only = (graph.category_of[nodes] >= 0) & ~graph.entity_active[nodes]
    result[only] = np.sqrt(part.category_variance[graph.category_of[nodes[only]]])
    return result


def _names(ax: Axes, branches: list[Branch]) -> None:
    """Names to the right of leaves, and above the dots of nodes with children."""
    for branch in branches:
        inner = bool(branch.children)
        label = ax.annotate(
            shown(branch.name, 22 if inner else 26), (branch.level, branch.y), (-2, 7) if inner else (8, 0),
            textcoords="offset points", ha="left", va="bottom" if inner else "center", fontsize=SMALL,
            color=FAINT if branch.node is None else INK, fontweight="bold" if branch.level == 0 else "normal",
            fontstyle="italic" if branch.node is None else "normal", zorder=4, **LITERAL,
        )  # fmt: skip
        label.set_in_layout(False)
