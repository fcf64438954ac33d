"""How many scores of a line lie above one of them: what ranking measures count."""

from __future__ import annotations

from vbn.kernels.compile import kernel


@kernel
def count_above(scores, added, rows, items, above):
    """Scores of a row, plus what is added to each column, above that of an item; equal ones count half, nan never."""
    for case in range(len(rows)):
        line = scores[rows[case]]
        own = line[items[case]] + added[items[case]]
        larger, equal = 0, -1  # itself is equal
        for column in range(len(line)):
            score = line[column] + added[column]
            larger += score > own
            equal += score == own
        above[case] = larger + 0.5 * equal
