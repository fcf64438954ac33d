"""Counts over ordered vocabularies, from pairs, from sentences (within a window) and from baskets."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from vbn._cores import available_cores
from vbn._errors import REMEDY, DataError, ParameterError, VBNWarning, caller_level
from vbn.data.counts import BoolArray, Counts, FloatArray, IdArray, latest, summed
from vbn.data.io.columns import Columns, Field
from vbn.data.io.numbers import check_counts, check_times
from vbn.data.vocabulary import Coded, Vocabulary

if TYPE_CHECKING:
    from vbn.data.io.text import Corpus, Entries

_PAIRS = 1 << 22  # pairs that a thread lists before it adds them up: 64 MB, with room to sort them
_TOKENS_A_THREAD = 1_000_000
_PARTNERS = 10.0  # of an item, whose pairs count in full: about those within a window of five
Run = tuple[IdArray, IdArray]


class Parts(NamedTuple):
    """The parts of a new `Dataset`; one vocabulary twice where it is shared."""

    rows: Vocabulary
    columns: Vocabulary
    counts: Counts
    times: FloatArray | None = None


class Pairs(NamedTuple):
    """Counted pairs: a row's name, a column's name, a count above 0 each, and perhaps a time."""

    left: Coded
    right: Coded
    values: FloatArray
    times: FloatArray | None = None


def _check_limits(min_count: Any, max_size: Any) -> None:
    if isinstance(min_count, bool) or not isinstance(min_count, Real) or not float(min_count) >= 0:
        raise ParameterError(f"min_count must be a number of at least 0, got {min_count!r}")
    if max_size is not None and (isinstance(max_size, bool) or not isinstance(max_size, Integral) or max_size < 1):
        raise ParameterError(f"max_size must be a whole number of at least 1, or None, got {max_size!r}")


def partners(weight: Any, name: str = "weight") -> float:
    """Return with how many others an item of a basket counts at most: "auto" is a fixed number, None no limit."""
    if weight is None:
        return math.inf
    if isinstance(weight, str) and weight == "auto":
        return _PARTNERS
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 < float(weight) < math.inf:
        raise ParameterError(f'{name} must be "auto", None or a positive number, got {weight!r}')
    return float(weight)


def check_flag(name: str, value: Any) -> None:
    """Refuse a value other than True and False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def _ranked(counts: FloatArray, allowed: BoolArray, max_size: int | None) -> IdArray:
    """Return the codes of the entities to keep: falling count, ties by first appearance."""
    order = np.argsort(-counts, kind="stable")
    return order[allowed[order]][:max_size]


def _positions(kept: IdArray, n: int) -> IdArray:
    """Return, for each of `n` codes, its place in `kept`, or -1."""
    place = np.full(n, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return place


def _refuse_nothing(counts: Counts, min_count: float) -> None:
    if counts.nnz == 0 and min_count <= 1:
        raise DataError("there is no data: no two names occur together, as two words of a line or an item of a user do")
    if counts.nnz == 0:
        message = f"there is no data: no cell is left with {REMEDY}; lower it"
        raise DataError(message, remedies=[("min_count", min_count)])


def _vocabulary(names: Sequence[str], kept: IdArray, seen: FloatArray) -> Vocabulary:
    """Return the vocabulary of the names with the codes `kept`, where `seen` is the count of each code."""
    return Vocabulary([names[code] for code in kept.tolist()], seen[kept])


def _square(names: Sequence[str], kept: IdArray, seen: FloatArray, counts: Counts, min_count: float) -> Parts:
    """Return the parts of counts over one vocabulary, that of the codes `kept`."""
    _refuse_nothing(counts, min_count)
    vocabulary = _vocabulary(names, kept, seen)
    return Parts(vocabulary, vocabulary, counts)


def counted_pairs(read: Columns, fields: Sequence[Field]) -> Pairs:
    """Return the two columns of names, the counts (1 where there are none) and the times; drop pairs of count 0."""
    row, column, count = (item.key for item in fields[:3])
    left, right, values = read.labels[row], read.labels[column], read.numbers.get(count)
    times = read.numbers.get("time")
    if times is not None:
        check_times(times, read.where)
    if values is None:
        return Pairs(left, right, np.ones(len(left)), times)
    check_counts(values, count.removesuffix("s"), read.where, rows=True)
    seen = values > 0
    times = None if times is None else times[seen]
    return Pairs(Coded(left.names, left.codes[seen]), Coded(right.names, right.codes[seen]), values[seen], times)


def shared_parts(pairs: Pairs, min_count: float, max_size: int | None, keep_unseen: bool = False) -> Parts:
    """Build counts over one vocabulary; an entity's count is the mean of its row and column sums."""
    _check_limits(min_count, max_size)
    left, right, values, _ = pairs
    names, rows, columns = _one_namespace(left, right)
    n = len(names)
    seen = (summed(rows, values, n) + summed(columns, values, n)) / 2
    kept = _ranked(seen, (seen >= min_count) & (keep_unseen | (seen > 0)), max_size)
    place = _positions(kept, n)
    inside = (place[rows] >= 0) & (place[columns] >= 0)
    size = (len(kept), len(kept))
    counts = Counts.from_coo(place[rows[inside]], place[columns[inside]], values[inside], size)
    return _square(names, kept, seen, counts, min_count)


def separate_parts(pairs: Pairs, min_count: float, max_size: int | None, keep_unseen: bool = False) -> Parts:
    """Build counts over two vocabularies; an entity's count is the sum of its row or column.

    The limits apply to the columns: a column needs `min_count` entries. Rows left empty are dropped.
    """
    _check_limits(min_count, max_size)
    left, right, values, times = pairs
    n = len(right.names)
    sums = summed(right.codes, values, n)
    entries = np.bincount(right.codes, minlength=n)
    columns = _ranked(sums, (entries >= min_count) & (keep_unseen | (entries > 0)), max_size)
    place = _positions(columns, n)
    inside = place[right.codes] >= 0
    row_codes, column_ids, values = left.codes[inside], place[right.codes[inside]], values[inside]
    row_sums = summed(row_codes, values, len(left.names))
    rows = _ranked(row_sums, keep_unseen | (row_sums > 0), None)
    row_ids = _positions(rows, len(left.names))[row_codes]
    counts = Counts.from_coo(row_ids, column_ids, values, (len(rows), len(columns)))
    _refuse_nothing(counts, min_count)
    times = None if times is None else latest(row_ids, column_ids, times[inside])
    return Parts(_vocabulary(left.names, rows, row_sums), _vocabulary(right.names, columns, sums), counts, times)


def _one_namespace(left: Coded, right: Coded) -> tuple[list[str], IdArray, IdArray]:
    """Give two columns of names common codes, by first appearance row by row."""
    if left.names is right.names:
        return left.names, left.codes, right.codes
    index: dict[str, int] = {}
    order = np.argsort(np.concatenate([2 * _first_rows(left), 2 * _first_rows(right) + 1]), kind="stable")
    both = [*left.names, *right.names]
    for number in order.tolist():
        index.setdefault(both[number], len(index))
    left_place = np.asarray([index[name] for name in left.names], dtype=np.int64)
    right_place = np.asarray([index[name] for name in right.names], dtype=np.int64)
    return list(index), left_place[left.codes], right_place[right.codes]


def _first_rows(column: Coded) -> IdArray:
    first = np.full(len(column.names), len(column), dtype=np.int64)
    codes, rows = np.unique(column.codes, return_index=True)
    first[codes] = rows
    return first


def from_corpus(corpus: Corpus, window: Any, dynamic_window: bool, min_count: float, max_size: int | None) -> Parts:
    """Drop rare tokens, close the gaps they leave (as word2vec does), and count."""
    _check_limits(min_count, max_size)
    if isinstance(window, bool) or not isinstance(window, Integral) or int(window) < 1:
        raise ParameterError(f"window must be a whole number of at least 1, got {window!r}")
    seen = np.bincount(corpus.tokens, minlength=len(corpus.names)).astype(np.float64)
    kept = _ranked(seen, seen >= min_count, max_size)
    place = _positions(kept, len(corpus.names)).astype(np.int32)
    tokens = place[corpus.tokens]
    before = np.concatenate([[0], np.cumsum(tokens >= 0)])
    counts = count_pairs(tokens[tokens >= 0], before[corpus.offsets], len(kept), int(window), dynamic_window)
    return _square(corpus.names, kept, seen, counts, min_count)


def count_pairs(
    tokens: np.ndarray,
    offsets: IdArray,
    n: int,
    window: int,
    dynamic: bool,
    room: int = _PAIRS,
    threads: int | None = None,
) -> Counts:
    """Count symmetric co-occurrences; `room` bounds the memory of each thread beyond that of the result."""
    from vbn.kernels.counting import mirrored

    reach = min(window, int(np.diff(offsets).max(initial=0)))
    bits, low = max(n - 1, 1).bit_length(), reach.bit_length()
    if 2 * bits + low > 63:
        raise DataError(f"{n:,} entities within a window of {reach:,} are too many to count pairs")
    parts = threads or min(available_cores(), 1 + len(tokens) // _TOKENS_A_THREAD)
    edges = np.linspace(offsets[0], offsets[-1], parts + 1)
    cuts = [*np.searchsorted(offsets, edges[:-1]).tolist(), len(offsets) - 1]

    def counted(first: int, last: int) -> Run:
        return _counted(tokens, offsets[first : last + 1], reach, window if dynamic else 0, (bits, low), room)

    with ThreadPoolExecutor(parts, thread_name_prefix="vbn-count") as pool:
        runs = list(pool.map(counted, cuts[:-1], cuts[1:]))
    cells, amounts = _merged(runs)
    indptr, indices, values = mirrored(cells, amounts, n, bits, float(window if dynamic else 1))
    return Counts(indptr, indices, values, (n, n))


def _counted(tokens: np.ndarray, offsets: IdArray, reach: int, window: int, bits: tuple[int, int], room: int) -> Run:
    """Return the cells of unordered pairs, rising, with their amounts: list pairs, add them up, put aside, repeat."""
    from vbn.kernels.counting import added_up, list_pairs, sorted_pairs

    size = max(min(room, int(offsets[-1] - offsets[0]) * reach), reach) + 1
    pairs, spare = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    runs: list[Run] = [(pairs[:0], pairs[:0])]
    sentence, position = 0, int(offsets[0])
    while sentence < len(offsets) - 1:
        sentence, position, n = list_pairs(tokens, offsets, reach, *bits, sentence, position, pairs)
        runs.append(added_up(sorted_pairs(pairs[:n], spare[:n], bits[1], 2 * bits[0]), bits[1], window))
        while len(runs) > 1 and len(runs[-2][0]) <= 2 * len(runs[-1][0]):
            runs[-2:] = [_merged(runs[-2:])]
    return _merged(runs)


def _merged(runs: list[Run]) -> Run:
    from vbn.kernels.counting import merge_runs

    while len(runs) > 1:
        runs = [*runs[:-2], merge_runs(*runs[-2], *runs[-1])]
    return runs[0]


def from_entries(
    entries: Entries, min_count: float, max_size: int | None, max_basket: int | None, weight: Any
) -> Parts:
    """Count, for every ordered pair of different items, the baskets that hold both, large ones with less weight."""
    baskets, items, _ = entries
    _check_limits(min_count, max_size)
    most = partners(weight)
    if max_basket is not None and (isinstance(max_basket, bool) or max_basket < 2):
        raise ParameterError(
            f"max_basket must be a whole number of at least 2, or None for no limit, got {max_basket!r}"
        )
    shape = int(baskets.max(initial=-1)) + 1, len(items.names)
    membership = Counts.from_coo(baskets, items.codes, np.ones(len(baskets)), shape)
    seen = np.bincount(membership.indices, minlength=len(items.names)).astype(np.float64)
    kept = _ranked(seen, (seen > 0) & (seen >= min_count), max_size)
    place = _positions(kept, len(items.names))[membership.indices]
    held, place = membership.row_ids()[place >= 0], place[place >= 0]
    if max_basket is not None:
        there = _thinned(held, membership.shape[0], max_basket)
        held, place = held[there], place[there]
    counts = together(held, place, membership.shape[0], len(kept), most)
    return _square(items.names, kept, seen, counts, min_count)


def _thinned(baskets: IdArray, n_baskets: int, most: int) -> BoolArray:
    """Return which entries of baskets are counted: at most `most` of each basket, the same in every run."""
    sizes = np.bincount(baskets, minlength=n_baskets)
    there, starts = np.ones(len(baskets), dtype=bool), np.concatenate(([0], np.cumsum(sizes)))
    large = np.flatnonzero(sizes > most)
    for basket in large.tolist():
        chosen = np.random.default_rng(basket).choice(sizes[basket], most, replace=False)
        there[starts[basket] : starts[basket + 1]] = False
        there[starts[basket] + chosen] = True
    if len(large):
        message = (
            f"{len(large):,} of {n_baskets:,} baskets hold more than {most:,} different items (up to "
            f"{int(sizes.max()):,}, which would make {int(sizes.max()) ** 2:,} pairs); of each, {most:,} random items "
            f"are counted. {REMEDY} sets that number; None counts all"
        )
        warnings.warn(VBNWarning(message, remedies=[("max_basket",)]), stacklevel=caller_level())
    return there


def together(baskets: IdArray, items: IdArray, n_baskets: int, n_items: int, most: float) -> Counts:
    """Return, for every ordered pair of different items, the weight of the baskets that hold both.

    The pairs of a basket of n items weigh min(1, most / (n - 1)) each: an item counts with at most `most` others.
    """
    from scipy.sparse import csr_array

    others = np.maximum(np.bincount(baskets, minlength=n_baskets) - 1, 1)
    weights = np.minimum(1.0, most / others)[baskets]
    place, shape = (baskets, items), (n_baskets, n_items)
    held: Any = csr_array((np.ones(len(items)), place), shape=shape)
    weighted: Any = csr_array((weights, place), shape=shape)
    pairs = (held.T @ weighted).tocoo()
    apart = pairs.row != pairs.col
    return Counts.from_coo(pairs.row[apart], pairs.col[apart], pairs.data[apart], (n_items, n_items))
