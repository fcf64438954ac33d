"""The command line: thin verbs over the library, one file each."""

from vbn.cli._entry import main

__all__ = ["main"]
