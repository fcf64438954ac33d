"""A subtree of a taxonomy laid out tidily: every leaf has a line of its own, a parent stands amid its children."""

from __future__ import annotations

from dataclasses import dataclass, field

from vbn.data import Taxonomy


@dataclass
class Branch:
    """A node of the picture; `node` is None for the line that tells of children left out."""

    node: int | None
    name: str
    level: int
    y: float = 0.0
    children: list[Branch] = field(default_factory=list)

    def walk(self) -> list[Branch]:
        """The branch itself and all below it."""
        return [self, *(below for child in self.children for below in child.walk())]


def grow(taxonomy: Taxonomy, root: int, depth: int, limit: int) -> Branch:
    """The tree below a node; a node with several parents stands below each of them.

    Of the children of a node, the `limit` with most entities below them, then the most frequent, are kept.
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
    """Give a branch its heights, from `top` on; returns where the next one begins."""
    if not branch.children:
        branch.y = top
        return top + 1.0
    for child in branch.children:
        top = _settle(child, top)
    branch.y = 0.5 * (branch.children[0].y + branch.children[-1].y)
    return top
