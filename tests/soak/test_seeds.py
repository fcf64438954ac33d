"""Every input that fuzzing began with or found: read, or refused by one of this library's errors."""

import pytest

from tests.soak.make_seeds import seeds
from tests.soak.readers import READERS, SEEDS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_inputs_are_read_or_refused(name):
    inputs = sorted((SEEDS / name).iterdir())
    assert inputs
    for path in inputs:
        READERS[name](path.read_bytes())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "inputs"), seeds().items())
def test_what_fuzzing_begins_with_is_accepted(name, inputs):
    for content in inputs.values():
        assert READERS[name](content)
