"""Settings of the data room's tests: compiling and loading kernels takes longer than a deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("vbn-data", deadline=None, max_examples=60)
settings.load_profile("vbn-data")
