"""The command line: thin verbs over the library.

Names are looked up on first use: `main` must listen for Ctrl-C before anything that takes time is imported.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from vbn.cli.entry import main

if TYPE_CHECKING:
    from vbn.cli.app import MOVED, VERBS, debug_first, told
    from vbn.cli.machine import examine
    from vbn.cli.reading import read_names, read_pairs
    from vbn.cli.run_files import checksum, held_out_of, note_added, run_of
    from vbn.cli.settings import gathered, read_config, to_toml
    from vbn.cli.train import Kind
    from vbn.cli.wording import in_options

_HOMES = {
    "app": ("MOVED", "VERBS", "debug_first", "told"),
    "machine": ("examine",),
    "reading": ("read_names", "read_pairs"),
    "run_files": ("checksum", "held_out_of", "note_added", "run_of"),
    "settings": ("gathered", "read_config", "to_toml"),
    "train": ("Kind",),
    "wording": ("in_options",),
}

__all__ = [
    "MOVED",
    "VERBS",
    "Kind",
    "checksum",
    "debug_first",
    "examine",
    "gathered",
    "held_out_of",
    "in_options",
    "main",
    "note_added",
    "read_config",
    "read_names",
    "read_pairs",
    "run_of",
    "to_toml",
    "told",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"vbn.cli.{home}"), name)
    raise AttributeError(f"module 'vbn.cli' has no attribute {name!r}")
