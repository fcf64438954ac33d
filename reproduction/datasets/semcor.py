"""SemCor: sentences with lemmas and senses, from its tag files, NLTK's copy or plain text."""

from __future__ import annotations

import html
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from vbn._errors import DataError
from vbn.data import UNREADABLE, File, reading
from vbn.datasets.reading import Found, Layout, broken, lines_of, recognise

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


_PARTS = ("brown1", "brown2", "brownv")
_LAYOUTS = (
    Layout("lines", tuple(f"semcor_{name}.txt" for name in ("sentences", "lemmas", "senses"))),
    Layout("tag files", ("brown1/tagfiles",)),
    Layout("zip", ("semcor.zip",)),
)
_INSIDE = ("semcor", "semcor3.0", "corpora", "corpora/semcor", "nlu")


@dataclass(frozen=True)
class Corpus:
    """Sentences, with a lemma and a sense for every word.

    Attributes
    ----------
    sentences : list of list of str
        The words as printed: what `Dataset.from_sequences` takes.
    lemmas : list of list of str
        The dictionary form where the corpus gives one, else the word.
    senses : list of list of str or None
        WordNet's sense keys, several joined by ``;``, where the corpus gives one.
    """

    sentences: list[list[str]]
    lemmas: list[list[str]]
    senses: list[list[str | None]]


def load_semcor(folder: str | os.PathLike[str], *, lower: bool = False, split: bool = True) -> Corpus:
    """Read SemCor 3.0.

    Parameters
    ----------
    folder : path
        Holds one of: the release's ``brown1/tagfiles``, ``brown2/tagfiles`` and ``brownv/tagfiles``; NLTK's
        ``semcor.zip``, or that unpacked; ``semcor_sentences.txt``, ``semcor_lemmas.txt`` and ``semcor_senses.txt``
        with a sentence a line, gzipped or not.
    lower : bool, default False
        Lower-case words and lemmas.
    split : bool, default True
        Split expressions such as ``grand_jury`` at ``_``. Their parts have themselves as lemmas and no senses. One
        token, ``_to``, begins with the sign; it becomes ``_`` and ``to``.

    Returns
    -------
    Corpus
        37,176 sentences; split and with case, 820,411 words, 43,416 of them distinct.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "brown1" / "tagfiles").mkdir(parents=True)
    >>> text = "<s snum=1><wf cmd=done pos=VB lemma=take_place wnsn=1 lexsn=2:30:00::>took_place</wf><punc>.</punc></s>"
    >>> _ = (folder / "brown1" / "tagfiles" / "br-a01").write_text(text)
    >>> load_semcor(folder).sentences
    [['took', 'place', '.']]
    >>> load_semcor(folder, split=False).senses
    [['take_place%2:30:00::', None]]
    """
    found = recognise(folder, "SemCor", _LAYOUTS, _INSIDE)
    readers = {"lines": _from_lines, "tag files": _from_tag_files, "zip": _from_zip}
    corpus = Corpus([], [], [])
    for sentence in readers[found.layout](found):
        words = [part for token in sentence for part in (_split(token) if split else (token,))]
        corpus.sentences.append([word.form.lower() if lower else word.form for word in words])
        corpus.lemmas.append([word.lemma.lower() if lower else word.lemma for word in words])
        corpus.senses.append([word.sense for word in words])
    if not corpus.sentences:
        raise DataError(f"the SemCor files in {found.folder} hold no sentences")
    return corpus


def _split(token: Token) -> Iterable[Token]:
    if "_" not in token.form or token.form == "_":
        return (token,)
    return [Token(part or "_", part or "_", None) for part in token.form.split("_")]


def _from_lines(found: Found) -> Iterator[list[Token]]:
    paths = [found.path(name) for name in _LAYOUTS[0].files]
    files = [list(lines_of(path)) for path in paths]
    for path, lines in zip(paths[1:], files[1:], strict=True):
        if len(lines) != len(files[0]):
            raise DataError(f"{path.name} has {len(lines)} sentences where {paths[0].name} has {len(files[0])}")
    for line in zip(*files, strict=True):
        words, lemmas, senses = (text.split(" ") for _, text in line)
        for path, (at, _), parts in zip(paths[1:], line[1:], (lemmas, senses), strict=True):
            if len(parts) != len(words):
                raise broken(path, at, f"has {len(parts)} words where {paths[0].name} has {len(words)}")
        rows = zip(words, lemmas, senses, strict=True)
        yield [Token(word, lemma, None if sense == "-" else sense) for word, lemma, sense in rows]


def _from_tag_files(found: Found) -> Iterator[list[Token]]:
    for part in _PARTS:
        folder = found.folder / part / "tagfiles"
        for path in sorted(folder.glob("br-*")) if folder.is_dir() else ():
            with reading(File(path, "txt", zipped=False)):
                text = path.read_text(encoding="utf-8")
            yield from parse_tags(text, path)


def _from_zip(found: Found) -> Iterator[list[Token]]:
    path = found.path("semcor.zip")
    texts = _zipped_texts(path)
    if not texts:
        raise DataError(f"{path} holds no tag files (brown1/tagfiles/br-a01.xml and so on)")
    for name, text in sorted(texts.items()):
        yield from parse_tags(text, path / name)


def _zipped_texts(path: Path) -> dict[str, str]:
    """The tag files in an archive by name."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name).decode("utf-8") for name in archive.namelist() if _is_tag_file(name)}
    except UNREADABLE as error:
        raise DataError(f"{path} is not a whole zip file of text: {error}") from error


def _is_tag_file(name: str) -> bool:
    path = PurePosixPath(name)
    return path.parent.name == "tagfiles" and path.name.startswith("br-")
