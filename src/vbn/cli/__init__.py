"""The command line: thin verbs over the library, one file each."""

from vbn.cli._main import main

__all__ = ["main"]
