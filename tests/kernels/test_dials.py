"""The rank of a target among the columns of its row is what a plain comparison counts."""

import numpy as np
import pytest

from vbn.kernels.dials import count_above


@pytest.mark.parametrize("columns", [1, 7, 5000])
def test_columns_above_are_counted_with_ties_as_halves(columns):
    rng = np.random.default_rng(columns)
    scores, offsets = (rng.integers(0, 5, (n, columns)).astype(np.float32) for n in (4, 3))
    lines, targets = np.array([0, 1, 2, 3, 1]), rng.integers(0, columns, 5)
    scores[rng.random(scores.shape) < 0.1] = -np.inf
    scores[lines, targets] = 2.0
    found = np.empty((3, 5))
    count_above(scores, lines, targets, offsets, found)
    for dial, added in enumerate(offsets):
        for case, (line, target) in enumerate(zip(lines, targets, strict=True)):
            turned = np.delete(scores[line] + added, target)
            own = scores[line, target] + added[target]
            assert found[dial, case] == (turned > own).sum() + 0.5 * (turned == own).sum()
