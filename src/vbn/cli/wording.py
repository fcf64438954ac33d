"""Messages in the words of the shell: remedies as options, and wrong usage in one line of plain words."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterable, Mapping, Set
from typing import Any

from vbn._errors import Told, in_python

# Remedies that are not called like their parameters: (parameter, repr of the value) and the option.
_OPTIONS = {
    ("missing", "'drop'"): "--drop-missing",
    ("missing", "'error'"): "--refuse-missing",
    ("missing", "'skip'"): "--skip-unknown",
    ("break_cycles", "'drop'"): "--drop-cycles",
    ("break_cycles", "'error'"): "--refuse-cycles",
    ("exclude_seen", "False"): "--include-seen",
    ("candidates", "'categories'"): "--categories",
}
# Remedies that another verb has.
_ELSEWHERE = {
    ("counts", "True"): "vbn train without --no-counts",
    ("", "'add()'"): "vbn add",
    ("rows", "True"): "vbn train without --no-rows",
    ("", "'data.with_co_occurrences()'"): "--co-occurrences 1",
    ("", "'data.with_taxonomy()'"): "vbn train --taxonomy",
    ("", "'Dataset.with_features'"): "vbn train --features",
    ("", "'Dataset.with_text'"): "vbn train --text",
}
# Parameters that name a column of a file, and the option that names all columns of the file that an error is about.
_COLUMN_NAMES = ("column", "left", "right", "users", "items", "weights", "counts", "baskets", "first", "second")
_COLUMNS = {"taxonomy": "--taxonomy-columns", "relation": "--relation-columns"}
_OF_KNOWLEDGE = ("child", "parent", "weight")  # names of columns in files but the main one
_OF_INPUT = ("header", "delimiter")  # options of the main file, which the others do not have
_NONE = "\0"  # stands for a remedy that the verb does not have


def in_options(message: object, options: Set[str] | None = None) -> str:
    """Return an error or a warning with options in place of parameters.

    A clause that recommends a call in Python, or an option that is not among the `options` of the verb, is left out.
    """
    if not isinstance(message, Told):
        return str(message)
    text = message.told(lambda name, value=None: _phrased(name, value, options, message.about))
    while _NONE in text:
        text = _without_clause(text, text.index(_NONE))
    return text


def _phrased(name: str, value: object, options: Set[str] | None, about: str) -> str:
    key = (name, repr(value))
    if key in _ELSEWHERE:
        return _ELSEWHERE[key]
    if not name:
        return _NONE + in_python(name, value) + _NONE
    if name == "columns" or name in _COLUMN_NAMES or (about and name in _OF_KNOWLEDGE):
        option = words = _COLUMNS.get(about, "--columns")
        if isinstance(value, Mapping):
            words = f"{option} {shlex.quote(joined(value.values()))}"
    elif about in (*_COLUMNS, "catalogue") and name in _OF_INPUT:
        option = words = ""
    elif key in _OPTIONS:
        option = words = _OPTIONS[key]
    else:
        option = f"--{'no-' if value is False else ''}{name.replace('_', '-')}"
        several = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
        given = " ".join(f"{option} {_word(one)}" for one in several)
        words = option if value is None or isinstance(value, bool) else given
    return words if options is None or option in options else _NONE + in_python(name, value) + _NONE


def _word(value: object) -> str:
    """Return a value as it is typed; a mark alone is quoted, so that it does not seem to be one of the sentence."""
    word = joined(value) if isinstance(value, list) else str(value)
    return shlex.quote(word) if any(map(str.isalnum, word)) or "'" in word else f"'{word}'"


def joined(columns: Iterable[object]) -> str:
    """Return columns as an option takes them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(columns)
    return line.getvalue()


def _without_clause(text: str, at: int) -> str:
    """Return a text without the clause at a place: to the end of its sentence, or of its parentheses."""
    after = text.index(_NONE, at + 1)
    start, mark = max((text.rfind(mark, 0, at), mark) for mark in (". ", "? ", "; ", ": ", ", or ", " ("))
    if start < 0:  # the sentence is about it
        return text.replace(_NONE, "", 2)
    end = text.find(")" if mark == " (" else ". ", after)
    rest = "" if end < 0 else text[end + 1 :]
    kept = text[: start + (mark in (". ", "? "))]
    return kept + rest if rest or kept.endswith((".", "?")) or not text.endswith(".") else f"{kept}."


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
    """Return a usage error as one line: what is wrong, and where the options are explained."""
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
    """Return the option or argument at fault, as it is typed."""
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
