"""How a fit tells of itself."""

import pytest

from vbn.estimators import duration


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "0 s"),
        (99, "99 s"),
        (99.6, "2 min"),
        (3_569, "59 min"),
        (3_599, "1 h 0 min"),
        (3_967, "1 h 6 min"),
        (86_399, "1 d 0 h"),
        (183_600, "2 d 3 h"),
    ],
)
def test_time_left_as_one_would_say_it(seconds, said):
    assert duration(seconds) == said
