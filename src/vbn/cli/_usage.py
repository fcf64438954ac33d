"""Wrong usage in one line of plain words, whichever version of typer found it."""

from __future__ import annotations

import re
from typing import Any

# What the parser says, and what a user should read.
_PLAIN = (
    (r"(?s)^Value error, (.*)", r"\1"),
    (r"^Input should be greater than or equal to (\S+?)\.?$", r"must be at least \1"),
    (r"^Input should be less than or equal to (\S+?)\.?$", r"must be at most \1"),
    (r"^(\S+) is not in the range x>=(\S+?)\.?$", r"must be at least \2"),
    (r"^(\S+) is not in the range x<=(\S+?)\.?$", r"must be at most \2"),
    (r"^Input should be a valid integer.*", "must be a whole number"),
    (r"^Input should be a valid number.*", "must be a number"),
    (r"^'.*' is not a valid (?:integer range|integer|int)\.?$", "must be a whole number"),
    (r"^'.*' is not a valid (?:float range|float)\.?$", "must be a number"),
    (r"^Input should be ", "must be "),
    (r"^Got unexpected extra arguments?(?:\(s\))? \((.*)\)$", r"too much: \1 (a name of several words needs quotes)"),
)


def told_usage(error: Any) -> str:
    """A usage error as one line: what is wrong, and where the options are explained."""
    message = " ".join(_message(error).split())
    end = "" if message.endswith((".", "?")) else "."
    return f"error: {message}{end} See {_command(error)} --help"


def _message(error: Any) -> str:
    kind = type(error).__name__
    if kind == "NoSuchOption":
        return _no_such_option(error)
    if kind == "MissingParameter":
        return f"{_param(error) or 'an argument'} is missing{_choices(error)}"
    if kind == "BadParameter":
        named = _param(error)
        return f"{named}: {_plain(error.message)}" if named else str(error.message)
    text = _plain(str(error.format_message()))
    return text[:1].lower() + text[1:]


def _no_such_option(error: Any) -> str:
    close = list(error.possibilities or ())
    if close:
        return f"there is no option {error.option_name}; did you mean {' or '.join(sorted(close))}?"
    of_a_verb = error.ctx is not None and error.ctx.parent is not None
    return f"there is no option {error.option_name}" + "; a name that begins with a dash goes after --" * of_a_verb


def _plain(message: str) -> str:
    for pattern, words in _PLAIN:
        message = re.sub(pattern, words, message)
    return message


def _param(error: Any) -> str:
    """The option or argument at fault, as it is typed."""
    param = error.param
    if param is None:
        return str(error.param_hint or "").strip("'")
    if param.param_type_name == "option":
        return str(max(param.opts, key=len))
    return str(param.metavar or param.name).upper()


def _choices(error: Any) -> str:
    names = re.findall(r"[\w-]+", error.format_message().partition("Choose from:")[2])
    return f"; choose from {', '.join(names)}" if names else ""


def _command(error: Any) -> str:
    if error.ctx is not None:
        return str(error.ctx.command_path)
    return str(getattr(error, "verb", "vbn"))
