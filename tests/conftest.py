"""Settings of all tests: compiling and loading kernels takes longer than hypothesis' deadline.

The examples are the same in every run, so that a change which breaks nothing passes; `make soak` draws new ones.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("vbn", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("soak", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("VBN_TESTS", "vbn"))
