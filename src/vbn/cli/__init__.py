"""The command line: thin verbs over the library."""

from vbn.cli.entry import main

__all__ = ["main"]
