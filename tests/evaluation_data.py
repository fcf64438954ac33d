"""The evaluation data, for tests that need it: they are skipped where it is not there."""

import os
from pathlib import Path

import pytest

ROOT = os.environ.get("VBN_DATA")
NEEDS_DATA = [
    pytest.mark.data,
    pytest.mark.skipif(not ROOT or not Path(ROOT).is_dir(), reason="set VBN_DATA to the folder of the evaluation data"),
]
