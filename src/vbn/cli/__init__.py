"""The command line: thin verbs over the library.

Names are looked up on first use: `main` must listen for Ctrl-C before anything that takes time is imported.
"""

from __future__ import annotations

import importlib
from typing import Any

from vbn.cli.entry import main

_HOMES = {
    "app": ("MOVED", "VERBS", "debug_first", "told"),
    "machine": ("examine",),
    "reading": ("read_names", "read_pairs"),
    "run_files": ("checksum", "held_out_of", "note_added", "run_of"),
    "settings": ("gathered", "read_config", "to_toml"),
    "wording": ("in_options",),
}

__all__ = ["main"]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"vbn.cli.{home}"), name)
    raise AttributeError(f"module 'vbn.cli' has no attribute {name!r}")
