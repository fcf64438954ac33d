"""Queries as ids: each is the name of a row seen in training, or a list of columns that somebody has."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.data import Vocabulary
from vbn.estimators import read_basket


@dataclass(frozen=True)
class Asked:
    """Where in a batch the rows and the baskets stand, the ids of the rows, and the baskets as a sparse matrix."""

    rows_at: np.ndarray
    rows: np.ndarray
    baskets_at: np.ndarray
    baskets: Any

    def __len__(self) -> int:
        return len(self.rows_at) + len(self.baskets_at)


def read_queries(queries: Iterable[Any], rows: Vocabulary, columns: Vocabulary) -> Asked:
    """Names of rows as their ids, lists of columns (or {column: count}) as counts."""
    if isinstance(queries, (str, bytes, numbers.Number)) or not isinstance(queries, Iterable):
        raise ParameterError(f"scores() takes a list of queries, not {queries!r} alone.")
    given = list(queries)
    single = [_is_name(query) for query in given]
    baskets = [read_basket(query) for query, is_row in zip(given, single, strict=True) if not is_row]
    chosen = np.array(single, dtype=bool)
    return Asked(
        np.flatnonzero(chosen),
        rows.ids(query for query, is_row in zip(given, single, strict=True) if is_row),
        np.flatnonzero(~chosen),
        basket_matrix(baskets, columns),
    )


def basket_matrix(baskets: list[dict[Any, float]], columns: Vocabulary) -> Any:
    """Baskets as a sparse matrix of counts, one row each."""
    from scipy.sparse import csr_array

    ids = [columns.ids(basket) for basket in baskets]
    indptr = np.concatenate(([0], np.cumsum([len(one) for one in ids]))).astype(np.int64)
    values = np.array([count for basket in baskets for count in basket.values()], dtype=np.float64)
    indices = np.concatenate([*ids, np.empty(0, np.int64)])
    matrix = csr_array((values, indices, indptr), shape=(len(baskets), len(columns)))
    matrix.sort_indices()
    return matrix


def _is_name(query: Any) -> bool:
    if isinstance(query, (str, bytes, numbers.Number)):
        return True
    if not isinstance(query, Iterable):
        raise ParameterError(f"a query is the name of a row or a list of columns, not {query!r}.")
    return False
