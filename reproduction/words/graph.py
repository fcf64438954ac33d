"""What the graph gives without our model: ancestors alone, and corpus vectors averaged over it or retrofitted to it.

These are the fair rivals: they know the same graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from reproduction.words.corpus import Edge
from vbn.baselines import Steps, neighbours_of, retrofitted_vectors
from vbn.data import Taxonomy, Vocabulary

_HIGHEST = 20  # steps up; WordNet's longest way has 19


class WordGraph:
    """Words and what lies above them, as a matrix of parents' weights.

    Parameters
    ----------
    words
        They come first among the nodes, in this order.
    edges
        (child, parent, weight), acyclic.
    """

    def __init__(self, words: Sequence[str], edges: Sequence[Edge]) -> None:
        from scipy.sparse import csr_array

        self.words = list(words)
        self.taxonomy = Taxonomy.from_edges(list(edges), Vocabulary(self.words))
        n, taxonomy = len(self.taxonomy.vocabulary), self.taxonomy
        self._up: Any = csr_array((taxonomy.weights, taxonomy.indices, taxonomy.indptr), shape=(n, n))

    def ancestors(self, decay: float) -> Any:
        """Sparse vectors of the words: each node above weighs decay ** steps, and more the fewer words are below it."""
        n = len(self.words)
        step = decay * self._up
        reached, front = step[:n], step[:n]
        for _ in range(_HIGHEST):
            front = front @ step
            if front.nnz == 0:
                break
            reached = reached + front
        reached = reached.tocsr()
        below = np.bincount(reached.indices, minlength=reached.shape[1])
        rarity = np.log(n / np.maximum(below, 1.0))
        reached.data *= rarity[reached.indices]
        return reached

    def averaged(self, vectors: np.ndarray, weight: float) -> np.ndarray:
        """Unit vectors of the words plus `weight` times the mean of their parents.

        A parent is the mean of the unit vectors of the words below it, by the weights of the edges; a parent that is a
        word counts itself too. A word whose vector is 0 has none of its own, and is averaged over its parents only.
        """
        n, own = len(self.words), unit(vectors)
        known = (np.linalg.norm(own, axis=1) > 0).astype(np.float64)
        down = self._up[:n].T.tocsr()
        totals, sums = down @ known, down @ own
        totals[:n] += known
        sums[:n] += own
        parents = sums / np.where(totals > 0, totals, 1.0)[:, None]
        return np.asarray(own + weight * (self._up[:n] @ parents))

    def retrofitted(self, vectors: np.ndarray, alpha: float, iterations: int) -> np.ndarray:
        """Vectors of the words after retrofitting; nodes without a vector take their neighbours' mean."""
        start = np.zeros((len(self.taxonomy.vocabulary), vectors.shape[1]))
        start[: len(self.words)] = vectors
        trained = np.linalg.norm(start, axis=1) > 0
        steps = Steps(iterations, alpha, "degree", infer=True)
        return retrofitted_vectors(start, trained, neighbours_of(self.taxonomy), steps)[0][: len(self.words)]


def unit(vectors: Any) -> Any:
    """Rows of length 1, dense or sparse; rows of 0 stay."""
    from scipy.sparse import issparse

    if issparse(vectors):
        lengths = np.sqrt(np.asarray((vectors * vectors).sum(axis=1)).reshape(-1))
        return vectors.multiply((1.0 / np.where(lengths > 0, lengths, 1.0))[:, None]).tocsr()
    vectors = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1.0)


def cosines(vectors: Any, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cosines of pairs of rows; 0 where one of them is 0."""
    rows = unit(vectors)
    products = rows[left] * rows[right]
    return np.asarray(products.sum(axis=1), dtype=np.float64).reshape(-1)


_PREFIXES = (
    "counter under super inter trans over anti fore post semi dis mis non out pre sub un in im ir il re de en up co"
)
_SUFFIXES = (
    "fulness lessness ically ization ation ness less ment able ible ship hood ally like wise "
    "ful ity ism ist ize ive ous ion ly al er or en ic y"
)
_SHORTEST = 4  # letters of a stem: shorter ones are mostly chance


def stem(word: str, known: Collection[str]) -> str:
    """Take affixes off while what is left is a known word.

    Examples
    --------
    >>> stem("unhappiness", {"unhappy", "happy", "unhappiness"})
    'happy'
    >>> stem("reason", {"reason", "son"})
    'reason'
    """
    shorter = next((part for part in _parts(word) if len(part) >= _SHORTEST and part in known), None)
    return word if shorter is None else stem(shorter, known)


def _parts(word: str) -> list[str]:
    """What is left of a word without one of its affixes, with the usual changes of spelling."""
    found = [word.removeprefix(prefix) for prefix in _PREFIXES.split() if word.startswith(prefix)]
    for suffix in _SUFFIXES.split():
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            found += [rest, rest + "e", rest.removesuffix("i") + "y"] if rest.endswith("i") else [rest, rest + "e"]
    return found


def with_families(edges: Sequence[Edge], words: Collection[str], share: float) -> list[Edge]:
    """Edges of a graph, and those of words to their families.

    Parameters
    ----------
    edges
        (child, parent, weight).
    words
        All words; a family has at least two of them.
    share
        Weight of a family, as a share of all other parents of the word together; 0 leaves families out.
    """
    if share == 0:
        return list(edges)
    known = set(words)
    members = defaultdict(list)
    for word in sorted(known):
        if word.isalpha():
            members[stem(word, known)].append(word)
    totals: dict[str, float] = defaultdict(float)
    for child, _, weight in edges:
        totals[child] += weight
    families = [
        (word, f"~{name}", share * totals.get(word, 1.0 / share))
        for name, family in sorted(members.items())
        if len(family) > 1
        for word in family
    ]
    return [*edges, *families]
