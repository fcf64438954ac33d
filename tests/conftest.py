"""Settings of all tests: compiling and loading kernels takes longer than hypothesis' deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("vbn", deadline=None, max_examples=60)
settings.load_profile("vbn")
