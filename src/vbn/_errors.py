"""One family of exceptions: what was wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import FrameType

_SHOWN = 3  # close names that an error lists
_COMPARED = 200_000  # letters that are compared with a misspelt name; of more than that, only plausible names
_LONG = 200  # characters of a name; longer ones are cut in messages and not compared letter by letter


REMEDY = "{remedy}"
"""Where a message has a remedy: replaced by the words of Python, of the shell or of REST."""


def in_python(name: str, value: object = None) -> str:
    """Phrase a remedy for a caller in Python: a parameter and its value, a parameter alone, or words as they are."""
    if not name:
        return str(value)
    if name == "columns" and isinstance(value, Mapping):
        return ", ".join(f"{key}={column!r}" for key, column in value.items())
    return f"{name}=" if value is None else f"{name}={value!r}"


class Told:
    """A message with remedies as data: a parameter and its value, a parameter alone, or a call in Python.

    The message has a `REMEDY` in place of each. Python, shell and REST phrase them in their own words, and the shell
    leaves out what it does not have. Remedies are (parameter, value), (parameter,), ("columns", {parameter: column})
    for columns of a table or file in order, or ("", words) for what is no parameter, such as a method to call.
    `about` says which input it is about, if that is not the main one: "taxonomy", "relation", ...

    Examples
    --------
    >>> error = DataError("no name in line 3; pass {remedy} to leave such lines out", remedies=[("missing", "drop")])
    >>> print(error)
    no name in line 3; pass missing='drop' to leave such lines out
    >>> error.told(lambda name, value=None: f"--{value}-{name}")
    'no name in line 3; pass --drop-missing to leave such lines out'
    """

    def __init__(self, *message: object, remedies: Iterable[tuple[str, object] | tuple[str]] = ()) -> None:
        super().__init__(*message)
        self.remedies = tuple(remedies)
        self.about = ""

    def told(self, phrase: Callable[..., str]) -> str:
        """Return the message with each remedy as `phrase(parameter, value)` has it."""
        parts: tuple[object, ...] = getattr(self, "args", ())
        return _filled(str(parts[0]) if parts else "", self.remedies, phrase)

    @property
    def template(self) -> str:
        """The message with `REMEDY` in place of each remedy, to be part of another one with the same remedies."""
        return self.told(lambda *_: REMEDY)

    def __str__(self) -> str:
        return self.told(in_python)


class VBNError(Told, Exception):
    """Base of every error that this library raises on purpose."""


class VBNWarning(Told, UserWarning):
    """A warning of this library; its remedies are phrased as those of errors are."""


class DataError(VBNError, ValueError):
    """Input data that cannot be used: empty, broken, negative, of the wrong type."""


class TaxonomyError(DataError):
    """A taxonomy that is not a directed acyclic graph, or names a node as its own parent."""


class RelationError(DataError):
    """A relation whose pairs do not fit the data set's entities."""


class ParameterError(VBNError, ValueError):
    """A model parameter outside its range."""


class NotFittedError(VBNError, AttributeError):
    """A question to a model that has not been fitted yet."""


class NumericalError(VBNError, ArithmeticError):
    """A posterior that stopped being finite."""


class StorageError(VBNError, OSError):
    """A disk that is full or refuses to be written to."""


class EngineError(VBNError, RuntimeError):
    """A cluster that cannot be reached, has no room for the work, or keeps losing its workers."""


class ModelFileError(VBNError, ValueError):
    """A model folder that is missing, damaged, hostile or written by a newer version."""


class MissingExtraError(VBNError, ImportError):
    """An optional dependency that is not installed; the message names the extra."""


class UnknownEntityError(VBNError, KeyError):
    """A name that the model or the data set does not know, with the closest names it does know.

    The closest names are computed on first use: catching this error in a loop costs nothing. `what` is what the name
    was taken for; `elsewhere` says where the name is known and what to do, in place of the closest names.

    Examples
    --------
    >>> print(UnknownEntityError("Haet", ["Heat", "Casino"]))
    unknown entity 'Haet'. Did you mean 'Heat'?
    >>> elsewhere = "it is the name of a row: pass {remedy}"
    >>> print(UnknownEntityError("ann", ["Heat"], elsewhere=elsewhere, remedies=[("side", "row")]))
    unknown entity 'ann'; it is the name of a row: pass side='row'.
    """

    def __init__(
        self,
        name: str,
        known: Iterable[str],
        what: str = "entity",
        elsewhere: str = "",
        remedies: Iterable[tuple[str, object] | tuple[str]] = (),
    ) -> None:
        super().__init__(name, remedies=remedies)
        self.name, self.what, self.elsewhere = name, what, elsewhere
        self._known = known

    @cached_property
    def closest(self) -> list[str]:
        """Up to three names that may have been meant, the likeliest first."""
        known, self._known = self._known, ()
        return closest_names(self.name, known)

    def told(self, phrase: Callable[..., str]) -> str:
        """Return the message with each remedy as `phrase(parameter, value)` has it."""
        unknown = f"unknown {self.what} {_shortened(self.name)}"
        if self.elsewhere:
            return f"{unknown}; {_filled(self.elsewhere, self.remedies, phrase)}."
        return f"{unknown}. Did you mean {_listed(self.closest)}?" if self.closest else f"{unknown}."

    def __reduce__(self) -> tuple[object, ...]:
        return UnknownEntityError, (self.name, self.closest, self.what, self.elsewhere, self.remedies)


for _error in (VBNError, *VBNError.__subclasses__(), *DataError.__subclasses__()):
    _error.__module__ = "vbn"  # where users import them from, and what tracebacks show


def _filled(message: str, remedies: Iterable[tuple[str, object] | tuple[str]], phrase: Callable[..., str]) -> str:
    for remedy in remedies:
        message = message.replace(REMEDY, phrase(*remedy), 1)
    return message


def closest_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three of the known names that may have been meant, the likeliest first.

    First those that differ in case, accents or white space only, then those that hold the name as whole words
    ("Heat" in "Heat (1995)"), then those spelt alike, then those that begin with it. Without any of these, a name of
    one word is compared with single words.

    Examples
    --------
    >>> closest_names("amelie", ["Heat (1995)", "Amélie", "Amelia"])
    ['Amélie', 'Amelia']
    >>> closest_names("gauda", ["Gouda (young, in slices)", "Brie"])
    ['Gouda (young, in slices)']
    """
    wanted = _folded(name)
    if not wanted:
        return []
    forms: dict[str, list[str]] = {}
    for candidate in _plausible(wanted, known):
        forms.setdefault(_folded(candidate), []).append(candidate)
    longer = sorted((form for form in forms if wanted in form and form != wanted), key=len)
    words = [form for form in longer if _holds_words(form, wanted)]
    alike = difflib.get_close_matches(wanted, forms, n=_SHOWN, cutoff=0.6) if len(wanted) <= _LONG else list[str]()
    begun = [form for form in longer if form.startswith(wanted)]
    ranked = dict.fromkeys([wanted, *words[:_SHOWN], *alike, *begun[:_SHOWN]])
    if " " not in wanted and forms.keys().isdisjoint(ranked):
        ranked = dict.fromkeys(_with_word_alike(wanted, forms))
    return [*dict.fromkeys(known_name for form in ranked for known_name in forms.get(form, ()))][:_SHOWN]


def caller_level() -> int:
    """Return the stacklevel of the first frame outside of this package, for `warnings.warn`."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("vbn", "functools"):
        frame, level = frame.f_back, level + 1
    return level


def _folded(name: str) -> str:
    """Return a name without case, accents and needless white space."""
    text = " ".join(name.split()).casefold()
    if text.isascii():
        return text
    return "".join(mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark))


def _plausible(wanted: str, known: Iterable[str]) -> Iterable[str]:
    """Return the names worth comparing with a misspelt one: all of them, unless that would take long."""
    names = known if isinstance(known, Sequence) else list(known)
    most = _COMPARED // max(len(wanted), 10)
    if len(names) <= most:
        return names
    begin, end = wanted[:2], wanted[-2:]
    lengths = range(len(wanted) - 3, len(wanted) + 4)
    holding, alike = list[str](), list[str]()
    for name in names:
        text = name.casefold()
        if wanted in text:
            holding.append(name)
        elif len(text) in lengths and (text.startswith(begin) or text.endswith(end)):
            alike.append(name)
    return [*holding[:_COMPARED], *alike[:most]]


def _with_word_alike(wanted: str, forms: Iterable[str]) -> list[str]:
    """Return the forms that have a word that is spelt like the one wanted, the likeliest first."""
    holding: dict[str, list[str]] = {}
    for form in forms:
        for word in form.split():
            holding.setdefault(word, []).append(form)
    alike = difflib.get_close_matches(wanted, holding, n=_SHOWN, cutoff=0.75) if len(wanted) <= _LONG else []
    return [form for word in alike for form in holding[word]]


def _holds_words(text: str, wanted: str) -> bool:
    at = text.index(wanted)
    after = text[at + len(wanted) : at + len(wanted) + 1]
    return len(wanted) > 1 and not text[max(at - 1, 0) : at].isalnum() and not after.isalnum()


def _shortened(name: str) -> str:
    return repr(name) if len(name) <= _LONG else repr(name[:_LONG] + "...")


def _listed(names: list[str]) -> str:
    quoted = [_shortened(name) for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]
