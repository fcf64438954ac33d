"""A part of the taxonomy as a tree, with how well the model knows each node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data import Dataset, Taxonomy
from vbn.estimators import need_whole
from vbn.plot.style import (
    BLUE,
    FAINT,
    INK,
    LINE,
    LITERAL,
    SMALL,
    new_axes,
    no_frame,
    shown,
    title,
    trained_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from vbn.model import Trained

_LINE = 0.23  # inches for each leaf


def taxonomy(
    of: Any, root: object, depth: int = 2, *, limit: int = 12, side: str = "column", ax: Axes | None = None
) -> Axes:
    """Draw the tree below a node; larger dots were seen more often, darker dots are more certain.

    Parameters
    ----------
    of
        A fitted model; or a `Dataset`, which has counts but no uncertainty.
    root
        Name of the node at the left.
    depth
        Number of levels below it.
    limit
        Most children of a node that are drawn; a line tells how many more there are.
    side
        "row" or "column", where the two differ.
    ax
        Axes to draw on; by default a new figure, as high as the tree needs.

    Examples
    --------
    >>> import vbn, vbn.plot
    >>> data = vbn.Dataset.from_pairs(["poodle"], ["barks"]).with_taxonomy({"poodle": ["dog"], "dog": ["animal"]})
    >>> [text.get_text() for text in vbn.plot.taxonomy(data, "animal").texts][:3]
    ['animal', 'dog', 'poodle']
    """
    need_whole("depth", depth, least=1)
    need_whole("limit", limit, least=1)
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
    caption = "larger: seen more often" + ("" if trained is None else "; darker: more certain")
    title(ax, f"Below {shown(tree.name, 40)}", caption)
    return ax


def _taxonomy_of(of: Any, trained: Trained | None, side: str) -> Taxonomy:
    if side not in ("row", "column"):
        raise ParameterError(f"side must be 'row' or 'column', got side={side!r}.")
    source = of if trained is None else trained
    found: Taxonomy | None = source.row_taxonomy if side == "row" else source.column_taxonomy
    if found is None:
        raise DataError(f"there is no taxonomy of the {side}s to draw; add one with data.with_taxonomy(...).")
    return found


def _edges(ax: Axes, branches: list[Branch]) -> None:
    """Draw smooth lines from each node to its children."""
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
    top = float(np.quantile(stds, 0.95))  # a few unknown nodes would make all others look the same
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
    """Return mean standard deviations: of the entity if it was seen, else of the category."""
    half = trained.halves(side)[0]
    graph, stds = half.side.graph, np.asarray(np.sqrt(half.block.variance[nodes]).mean(axis=1))
    only = (graph.category_of[nodes] >= 0) & ~graph.entity_active[nodes]
    if only.any():
        stds[only] = np.sqrt(half.categories(nodes[only]).variance[:, 0])
    return stds


def _names(ax: Axes, branches: list[Branch]) -> None:
    """Write names to the right of leaves, and above the dots of nodes with children."""
    for branch in branches:
        inner, more = bool(branch.children), branch.node is None
        looks = {
            "ha": "left",
            "fontsize": SMALL,
            "va": "bottom" if inner else "center",
            "color": FAINT if more else INK,
            "fontweight": "bold" if branch.level == 0 else "normal",
            "fontstyle": "italic" if more else "normal",
            **LITERAL,
        }
        name, offset = shown(branch.name, 22 if inner else 26), (-2, 7) if inner else (8, 0)
        label = ax.annotate(name, (branch.level, branch.y), offset, textcoords="offset points", zorder=4, **looks)
        label.set_in_layout(False)


@dataclass
class Branch:
    """A node of the picture; `node` is None for the line that counts the children left out."""

    node: int | None
    name: str
    level: int
    y: float = 0.0
    children: list[Branch] = field(default_factory=list)

    def walk(self) -> list[Branch]:
        """Return the branch itself and all below it."""
        return [self, *(below for child in self.children for below in child.walk())]


def grow(taxonomy: Taxonomy, root: int, depth: int, limit: int) -> Branch:
    """Return the tree below a node; a node with several parents appears below each of them.

    Each leaf has a line of its own, and a parent is centred on its children. Of the children of a node, `limit` are
    kept: those with most children of their own, then the most frequent.
    """
    indptr, children, _ = taxonomy.children()
    counts, heights = taxonomy.vocabulary.counts, taxonomy.heights()

    def rank(node: int) -> tuple[int, float, int]:
        return -(int(indptr[node + 1]) - int(indptr[node])), -float(counts[node]), node

    def branch(node: int, level: int) -> Branch:
        made = Branch(node, taxonomy.vocabulary[node], level)
        below = sorted(children[indptr[node] : indptr[node + 1]].tolist(), key=rank)
        if level == depth or not below:
            return made
        kept = below if len(below) <= limit else below[: max(limit - 1, 1)]
        made.children = [branch(child, level + 1) for child in sorted(kept, key=lambda n: (-heights[n], rank(n)))]
        if len(kept) < len(below):
            made.children.append(Branch(None, f"{len(below) - len(kept):,} more", level + 1))
        return made

    tree = branch(root, 0)
    _settle(tree, 0.0)
    return tree


def _settle(branch: Branch, top: float) -> float:
    """Set the heights of a branch, from `top` on; return where the next one begins."""
    if not branch.children:
        branch.y = top
        return top + 1.0
    for child in branch.children:
        top = _settle(child, top)
    branch.y = 0.5 * (branch.children[0].y + branch.children[-1].y)
    return top
