"""Messages that the library words for Python, in the words of the command line."""

from __future__ import annotations

import re

_WORDS = (
    (r'break_cycles="drop"', "--drop-cycles"),
    (r'missing="skip"', "--skip-unknown"),
    (r"missing=(['\"])drop\1", "--drop-missing"),
    (r"exclude_seen=False", "--include-seen"),
    (r"do not exclude what was seen", "pass --include-seen"),
    (r", or use partial_fit", ""),
    (r"save (?:the model )?with counts=True", "train without --no-counts"),
    (r"train on data\.with_co_occurrences\(\)", "train with --co-occurrences 1"),
    (r"leave query= out", "leave --query out"),
    (r"Leave query= out", "Leave --query out"),
    (r"pass it as user=", "give it with --user"),
    (r"not as user=", "not with --user"),
    (r"see side=", "see --side"),
    (r"\bside=(['\"])(row|column)\1", r"--side \2"),
    (r"\b(popularity|memory)=(['\"]?)(\S+)\2 ", r"--\1 \3 "),
    (r"\bby='(\w+)'", r"--by \1"),
    (r"\bquery='(\w+)'", r"--query \1"),
    (r"\breadout='(\w+)'", r"--readout \1"),
    (r"Say column= one of", "Say --columns and one of"),
    (r"give format= one of", "give --format, one of"),
    (r"Say \w+=\S.* to use them, or \w+=\S.* to leave them out", "Name the columns to read with --columns"),
    (r"Say header=True or header=False, or begin", "Say --header or --no-header, name them with --columns, or begin"),
    (r"\bheader=True\b", "--header"),
    (r"\bheader=False\b", "--no-header"),
    (r"; taxonomy\.dropped lists all of them", ""),
    (r" \(a string is read as a path; pass data as a list\)", ""),
)


def in_options(message: str) -> str:
    """A message with the names of options where it names parameters."""
    for pattern, words in _WORDS:
        message = re.sub(pattern, words, message)
    return message
