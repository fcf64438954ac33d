"""Data to measure on where no data set is needed: text whose words follow Zipf's law, and users who like items."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.data import Dataset


def zipf_tokens(n: int, vocabulary: int, seed: int = 0, exponent: float = 1.0) -> np.ndarray:
    """Numbers of words, the k-th most frequent in proportion to 1 / (k + 2.7) ** exponent."""
    weights = (np.arange(1, vocabulary + 1) + 2.7) ** -exponent
    edges = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(edges, np.random.default_rng(seed).random(n))
    return np.minimum(drawn, vocabulary - 1).astype(np.int32)


def sentences(tokens: np.ndarray, length: int = 22) -> list[list[str]]:
    """Tokens as lists of names, `length` at a time."""
    names = np.array([f"w{number}" for number in range(int(tokens.max(initial=0)) + 1)], dtype=object)[tokens]
    return [names[first : first + length].tolist() for first in range(0, len(names), length)]


def text(scale: float = 1.0, seed: int = 0) -> list[list[str]]:
    """As many words as SemCor has, 820,000, of 40,000 different ones."""
    return sentences(zipf_tokens(int(820_000 * scale), 40_000, seed))


def likes(n: int, users: int, items: int, seed: int = 0) -> dict[str, Any]:
    """Columns "user" and "item" of n likes, both by Zipf's law."""
    who, what = zipf_tokens(n, users, seed, 0.6), zipf_tokens(n, items, seed + 1, 0.8)
    return {"user": who, "item": what}


def counts(cells: int, rows: int, columns: int, seed: int = 0) -> Dataset:
    """About so many distinct pairs of rows and columns, each seen once or a few times."""
    who, what = zipf_tokens(cells, rows, seed, 0.4), zipf_tokens(cells, columns, seed + 1, 0.6)
    from scipy.sparse import coo_array

    matrix = coo_array((np.ones(cells), (who, what)), shape=(rows, columns)).tocsr()
    return Dataset.from_matrix(
        matrix, [f"r{number}" for number in range(rows)], [f"c{number}" for number in range(columns)]
    )
