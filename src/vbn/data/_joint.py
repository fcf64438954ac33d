"""Columns as further rows: which of them go together, beside which row has them."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data._baskets import together
from vbn.data._counts import Counts
from vbn.data._vocabulary import Vocabulary
from vbn.data._wording import counted

if TYPE_CHECKING:
    from vbn.data._dataset import Dataset


def with_columns_as_rows(data: Dataset, weight: Any) -> tuple[Vocabulary, Counts]:
    """The rows, followed by every column that co-occurs with another one, and their counts."""
    if isinstance(weight, bool) or not isinstance(weight, numbers.Real) or not 0 < float(weight) < math.inf:
        raise ParameterError(f"weight={weight!r} must be a positive number")
    if data.shared:
        raise DataError("rows and columns are the same entities here, so that co-occurrences are all that there is")
    rows, columns, counts = data.rows, data.columns, data.counts
    pairs = together(counts.row_ids(), counts.indices.astype(np.int64), len(rows), len(columns))
    new = np.flatnonzero(np.diff(pairs.indptr))
    names = [columns[column] for column in new.tolist()]
    _refuse_clashes([name for name in names if name in rows])
    place = np.full(len(columns), -1, dtype=np.int64)
    place[new] = len(rows) + np.arange(len(new))
    grown = Vocabulary(rows.names + tuple(names), np.concatenate([rows.counts, columns.counts[new]]))
    return grown, Counts.from_coo(
        np.concatenate([counts.row_ids(), place[pairs.row_ids()]]),
        np.concatenate([counts.indices.astype(np.int64), pairs.indices.astype(np.int64)]),
        np.concatenate([counts.values, float(weight) * pairs.values]),
        (len(grown), len(columns)),
    )


def _refuse_clashes(names: list[str]) -> None:
    if names:
        raise DataError(
            f"{counted(len(names), 'name')} of columns are names of rows too, the first is {names[0]!r}; call the rows "
            f"otherwise before the data set is made, for example {'user ' + names[0]!r}"
        )
