"""Where targets stand in their rows under several positions of the popularity dial."""

from __future__ import annotations

from vbn.kernels.compile import kernel

_CHUNK = 1 << 12  # columns that are counted in float32, which makes vector code of the comparisons


@kernel
def count_above(scores, lines, targets, offsets, above):
    """Count for each case how many columns rank above its target, ties as a half: above[dial, case].

    A case is a line of `scores` and a column; each dial adds its line of `offsets`. The target itself does not count.
    """
    one, none = scores.dtype.type(1), scores.dtype.type(0)
    for case in range(len(lines)):
        line, target = lines[case], targets[case]
        for dial in range(len(offsets)):
            above[dial, case] = -0.5
        for first in range(0, scores.shape[1], _CHUNK):
            part = scores[line, first : first + _CHUNK]
            for dial in range(len(offsets)):
                own, added = scores[line, target] + offsets[dial, target], offsets[dial, first : first + _CHUNK]
                reached, beaten = none, none
                for k in range(len(part)):
                    score = part[k] + added[k]
                    reached += one if score >= own else none
                    beaten += one if score > own else none
                above[dial, case] += 0.5 * (reached + beaten)
