"""Files of numpy, scipy, zip and tar from strangers: everything that their readers raise where one is damaged."""

from __future__ import annotations

import lzma
import struct
import tarfile
import tokenize
import zipfile
import zlib

UNREADABLE = (
    ValueError, TypeError, AttributeError, LookupError, ArithmeticError, EOFError, OSError, SyntaxError, MemoryError,
    RuntimeError,  # of zip: encrypted, or packed in a way that is not known; and what is nested too deeply
    tokenize.TokenError,  # of the head of an array, which is parsed as Python
    struct.error, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""To be caught around a call of such a reader alone, since faults of one's own code would look the same."""
