"""Counts from a corpus: tokens that stand within a window of each other co-occur."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.data._counts import Counts
from vbn.data._pairs import Parts, check_limits, positions, ranked, refuse_nothing
from vbn.data._sequences import Corpus
from vbn.data._types import IdArray
from vbn.data._vocabulary import Vocabulary

_TABLE = 1 << 22  # slots of the counting table: 64 MB


def from_corpus(corpus: Corpus, window: int, dynamic_window: bool, min_count: float, max_size: int | None) -> Parts:
    """Drop rare tokens, close the gaps they leave (as word2vec does), and count."""
    check_limits(min_count, max_size)
    _check_window(window)
    seen = np.bincount(corpus.tokens, minlength=len(corpus.names)).astype(np.float64)
    kept = ranked(seen, seen >= min_count, max_size)
    place = positions(kept, len(corpus.names)).astype(np.int32)
    tokens = place[corpus.tokens]
    before = np.concatenate([[0], np.cumsum(tokens >= 0)])
    counts = count_pairs(tokens[tokens >= 0], before[corpus.offsets], len(kept), int(window), dynamic_window)
    refuse_nothing(counts.nnz, min_count)
    vocabulary = Vocabulary([corpus.names[code] for code in kept.tolist()], seen[kept])
    return Parts(vocabulary, vocabulary, counts)


def _check_window(window: Any) -> None:
    if isinstance(window, bool) or not isinstance(window, Integral) or int(window) < 1:
        raise ParameterError(f"window must be a whole number of at least 1, not {window!r}")


def count_pairs(
    tokens: np.ndarray, offsets: IdArray, n: int, window: int, dynamic: bool, table: int = _TABLE
) -> Counts:
    """Count symmetric co-occurrences; `table` bounds the memory beyond that of the result."""
    from vbn.kernels._counting import EMPTY, count_window, merge_runs

    reach = min(window, int(np.diff(offsets).max(initial=0)))
    slots = 1 << max(6, int(2 * reach + 2).bit_length())
    while slots < min(table, 4 * len(tokens) * reach):
        slots *= 2
    keys, values = np.empty(slots, dtype=np.int64), np.empty(slots, dtype=np.int64)
    runs: list[tuple[IdArray, IdArray]] = []
    sentence, position = 0, int(offsets[0])
    while sentence < len(offsets) - 1:
        keys.fill(EMPTY)
        sentence, position, _ = count_window(
            tokens, offsets, n, reach, window if dynamic else 0, sentence, position, keys, values
        )
        used = np.flatnonzero(keys != EMPTY)
        used = used[np.argsort(keys[used])]
        runs.append((keys[used], values[used]))
        while len(runs) > 1 and len(runs[-2][0]) <= 2 * len(runs[-1][0]):
            runs[-2:] = [merge_runs(*runs[-2], *runs[-1])]
    while len(runs) > 1:
        runs[-2:] = [merge_runs(*runs[-2], *runs[-1])]
    cells, amounts = runs[0] if runs else (keys[:0], values[:0])
    return _mirrored(cells, amounts / (window if dynamic else 1), n)


def _mirrored(cells: IdArray, amounts: np.ndarray, n: int) -> Counts:
    """Turn counts of unordered pairs into a symmetric matrix; a pair of equals counts both ways."""
    from scipy.sparse import csr_array

    low, high = np.divmod(cells, max(n, 1))
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(low, minlength=n), out=indptr[1:])
    upper = csr_array((amounts, high, indptr), shape=(n, n))
    full = (upper + upper.T.tocsr()).tocsr()
    full.sort_indices()
    return Counts(full.indptr, full.indices, full.data, (n, n))
