"""SemCor's tag files: SGML with unquoted attributes in the release, XML in NLTK's copy; one reader for both."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vbn._errors import DataError
from vbn.datasets._reading import broken

_TAG = re.compile(r"<(/?)(\w+)((?:\s[^>]*)?)>([^<]*)")
_ATTRIBUTE = re.compile(r"(\w+)=(?:\"([^\"]*)\"|(\S+))")
_WORDS = ("wf", "punc")


class Token(NamedTuple):
    """A word or a punctuation mark, its lemma (itself if none is given) and its sense keys."""

    form: str
    lemma: str
    sense: str | None


def parse_tags(text: str, path: Path) -> Iterator[list[Token]]:
    """Yield the sentences of one tag file.

    A word's attributes are ``lemma`` and ``lexsn`` (several joined by ``;``); ``pn`` marks a named entity, whose lemma
    is only its class, so that it keeps its form as lemma.
    """
    unescape = path.suffix == ".xml"
    sentence: list[Token] | None = None
    unclosed = ""
    for tag in _TAG.finditer(text):
        closing, name, attributes, content = tag.groups()
        if name == "s":
            if bool(closing) is (sentence is None):
                raise _wrong(text, tag, path, "ends a sentence that never began" if closing else "begins a second <s>")
            if sentence is not None:
                yield sentence
            sentence = None if closing else []
        elif name in _WORDS:
            if closing:
                unclosed = ""
                continue
            if sentence is None:
                raise _wrong(text, tag, path, f"has a <{name}> outside any sentence")
            if unclosed:
                raise _wrong(text, tag, path, f"follows a <{unclosed}> without its end")
            sentence.append(_token(html.unescape(content) if unescape else content, attributes))
            unclosed = name
    if sentence is not None:
        raise DataError(f"{path.name} ends within a sentence: the file is cut off ({path})")


def _token(content: str, attributes: str) -> Token:
    form = content.strip()
    given = {name: quoted or plain for name, quoted, plain in _ATTRIBUTE.findall(attributes)}
    lemma, places = given.get("lemma"), given.get("lexsn")
    if lemma is None:
        return Token(form, form, None)
    sense = ";".join(f"{lemma}%{place}" for place in places.split(";")) if places else None
    return Token(form, form if "pn" in given else lemma, sense)


def _wrong(text: str, tag: re.Match[str], path: Path, what: str) -> DataError:
    return broken(path, text.count("\n", 0, tag.start()) + 1, what)
