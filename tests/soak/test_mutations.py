"""A few random changes of every seed in every run of the tests: what takes hours to find is left to `make soak`."""

import random

import pytest

from tests.soak.make_seeds import seeds
from tests.soak.readers import READERS

CHANGES = 12  # of each seed
ODD = [b"\0", b"\xff", b"\n", b'"', b",", b"-1", b"nan", b"[" * 2000, b"9" * 30, b"==> ", b"(", b"'"]


def changed(content, rng):
    """Cut off, flip a bit, put something odd in, repeat a part, or leave one out."""
    at, to = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    kind = rng.randrange(5)
    if kind == 0:
        return content[:at]
    if kind == 1 and content:
        place = rng.randrange(len(content))
        return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]
    if kind == 2:
        return content[:at] + rng.choice(ODD) + content[at:]
    return content[:to] + content[at:] if kind == 3 else content[:at] + content[to:]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "inputs"), seeds().items())
def test_a_changed_file_is_read_or_refused(name, inputs):
    rng = random.Random(name)
    for content in inputs.values():
        for _ in range(CHANGES):
            READERS[name](changed(content, rng))
