"""Counts from a corpus: tokens that stand within a window of each other co-occur."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any

import numpy as np

from vbn._cores import available_cores
from vbn._errors import ParameterError
from vbn.data._counts import Counts
from vbn.data._pairs import Parts, check_limits, positions, ranked, refuse_nothing
from vbn.data._sequences import Corpus
from vbn.data._types import IdArray
from vbn.data._vocabulary import Vocabulary

_TABLE = 1 << 22  # slots of a counting table: 64 MB
_TOKENS_A_THREAD = 1_000_000

Run = tuple[IdArray, IdArray]


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
    tokens: np.ndarray, offsets: IdArray, n: int, window: int, dynamic: bool, table: int = _TABLE,
    threads: int | None = None,
) -> Counts:  # fmt: skip
    """Count symmetric co-occurrences; `table` bounds the memory of each thread beyond that of the result."""
    from vbn.kernels.counting import mirrored

    reach = min(window, int(np.diff(offsets).max(initial=0)))
    parts = threads or min(available_cores(), 1 + len(tokens) // _TOKENS_A_THREAD)
    edges = np.linspace(offsets[0], offsets[-1], parts + 1)
    cuts = [*np.searchsorted(offsets, edges[:-1]).tolist(), len(offsets) - 1]

    def counted(first: int, last: int) -> Run:
        return _counted(tokens, offsets[first : last + 1], n, reach, window if dynamic else 0, table)

    with ThreadPoolExecutor(parts, thread_name_prefix="vbn-count") as pool:
        runs = list(pool.map(counted, cuts[:-1], cuts[1:]))
    cells, amounts = _merged(runs)
    indptr, indices, values = mirrored(cells, amounts / (window if dynamic else 1), n)
    return Counts(indptr, indices, values, (n, n))


def _counted(tokens: np.ndarray, offsets: IdArray, n: int, reach: int, window: int, table: int) -> Run:
    """Cells of unordered pairs, rising, with their amounts: a table is filled, sorted and put aside, over and over."""
    from vbn.kernels.counting import EMPTY, count_window

    slots = 1 << max(6, int(2 * reach + 2).bit_length())
    while slots < min(table, 4 * int(offsets[-1] - offsets[0]) * reach):
        slots *= 2
    keys, values = np.empty(slots, dtype=np.int64), np.empty(slots, dtype=np.int64)
    runs: list[Run] = [(keys[:0], values[:0])]
    sentence, position = 0, int(offsets[0])
    while sentence < len(offsets) - 1:
        keys.fill(EMPTY)
        sentence, position, _ = count_window(tokens, offsets, n, reach, window, sentence, position, keys, values)
        used = np.flatnonzero(keys != EMPTY)
        used = used[np.argsort(keys[used])]
        runs.append((keys[used], values[used]))
        while len(runs) > 1 and len(runs[-2][0]) <= 2 * len(runs[-1][0]):
            runs[-2:] = [_merged(runs[-2:])]
    return _merged(runs)


def _merged(runs: list[Run]) -> Run:
    from vbn.kernels.counting import merge_runs

    while len(runs) > 1:
        runs = [*runs[:-2], merge_runs(*runs[-2], *runs[-1])]
    return runs[0]
