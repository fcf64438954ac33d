"""Texts as features: which encoder turns them into vectors, and how a model says later which one it was."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, MissingExtraError, ParameterError, VBNWarning, caller_level
from vbn.data.describe import counted
from vbn.data.io.content import Texts
from vbn.data.vector_cache import encoded
from vbn.data.vocabulary import Vocabulary, known_ids

OFFLINE = "wordllama/l2_supercat_256"
"""The encoder of the extra `text`, by the name that models keep."""
_WEIGHTS, _TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
_PROBE = ["A lighthouse keeper finds a letter.", "acute kidney failure", "42"]  # what shows which encoder it is


@dataclass(frozen=True)
class TextEncoder:
    """Something that turns texts into vectors: its name, and how to call it."""

    name: str
    call: Callable[[list[str]], Any]
    key: str = ""  # its folder in the cache; empty: nothing is kept
    sure: bool = False  # whether equal keys mean equal encoders

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of texts in float32, from the cache where it has them."""
        if not self.key:
            return self._encode(list(texts))
        return encoded(texts, self._encode, self.key, self.sure)

    def fresh(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of a few texts, without the cache."""
        return self._encode(list(texts))

    def _encode(self, texts: list[str]) -> np.ndarray:
        made = self.call(texts)
        if type(made).__module__.startswith("scipy.sparse"):
            raise DataError(
                f"the encoder {self.name} returns a sparse matrix; reduce it to some hundred columns first, with "
                "sklearn.decomposition.TruncatedSVD for example"
            )
        try:
            values = np.asarray(made, dtype=np.float32)
        except (TypeError, ValueError, RuntimeError) as error:
            raise DataError(f"the encoder {self.name} must return one vector of numbers a text: {error}") from error
        if values.ndim != 2 or len(values) != len(texts) or not values.shape[1]:
            raise DataError(
                f"the encoder {self.name} must return an array of one row a text: given {counted(len(texts), 'text')}, "
                f"it returned shape {values.shape}"
            )
        if not np.isfinite(values).all():
            wrong = texts[int(np.argmin(np.isfinite(values).all(axis=1)))]
            raise DataError(f"the encoder {self.name} returns a number that is not finite for {wrong[:60]!r}")
        return values


def text_encoder(encoder: Any = None) -> TextEncoder:
    """Return an encoder: anything with `.encode(list[str])`, a function, or by default the one of the extra `text`.

    What the encoder of the extra and objects with `.encode` return is cached. Objects are told apart by their class and
    by how they encode three sentences. Functions are called once with all texts, every time.
    """
    if encoder is None or encoder == OFFLINE:
        offline = _Offline.open()
        return TextEncoder(OFFLINE, offline.encode, OFFLINE.replace("/", "-"), sure=True)
    encode = getattr(encoder, "encode", None)
    if callable(encode) and not isinstance(encoder, str | type):
        kind = type(encoder)
        known = TextEncoder(kind.__qualname__, encode)
        seen = hashlib.sha256(f"{kind.__module__}.{kind.__qualname__}".encode())
        seen.update(np.round(known.fresh(_PROBE), 3).astype(np.float32).tobytes())
        return TextEncoder(known.name, encode, f"own-{seen.hexdigest()[:32]}")
    if callable(encoder) and not isinstance(encoder, type):
        name = getattr(encoder, "__qualname__", type(encoder).__qualname__)
        return TextEncoder(str(name).replace("<lambda>", "lambda"), encoder)
    raise ParameterError(
        "encoder must have a method encode(list of texts), as sentence-transformers and model2vec have, or be a "
        f"function from a list of texts to an array, got {encoder!r}"
    )


def same_encoder(name: str, encoder: Any, source: str) -> TextEncoder:
    """Return the encoder of a source that a model knows by name; a user's own one has to be given again."""
    if encoder is None and name != OFFLINE:
        raise DataError(
            f"the texts of {source!r} were encoded by {name}, which is not saved with a model: pass it as {REMEDY}, or "
            f"the vector itself as {REMEDY}",
            remedies=[("encoder",), ("features",)],
        )
    return text_encoder(encoder)


def encode_texts(read: Texts, vocabulary: Vocabulary, encoder: TextEncoder) -> tuple[np.ndarray, list[str]]:
    """Return the vectors of known entities with a text, and their names; the others are not encoded."""
    met = set[str]()
    for name in read.ids:
        if name in met:
            raise DataError(f"{read.source} has two rows for {name!r}; give each entity one text")
        met.add(name)
    known = known_ids(vocabulary, read.ids) >= 0
    if not known.any():
        first = (
            f"; the first is {read.ids[0]!r}, where the data has names such as {vocabulary[0]!r}" if read.ids else ""
        )
        raise DataError(f"none of the {len(read.ids):,} ids of {read.source} is the name of an entity{first}")
    if not known.all():
        gone = read.ids[int(np.argmin(known))]
        message = (
            f"{int((~known).sum()):,} of {len(read.ids):,} ids of {read.source} are not among the entities and are "
            f"left out, the first is {gone!r}"
        )
        warnings.warn(VBNWarning(message), stacklevel=caller_level())
    there = [(name, text) for name, text, is_known in zip(read.ids, read.texts, known, strict=True) if is_known]
    names = [name for name, text in there if text.strip()]
    if not names:
        raise DataError(f"every text of {read.source} is empty")
    return encoder.vectors([text for _, text in there if text.strip()]), names


class _Offline:
    """The small encoder that lies in the package wordllama: a text is the mean of the vectors of its tokens.

    Only the files of the package are read, neither its code, which would look for its tokenizer on the network, nor
    anything else. Vectors have length 1.
    """

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.table: np.ndarray = load_file(folder / _WEIGHTS)["embedding.weight"].astype(np.float32)
        self.tokenizer: Any = Tokenizer.from_file(str(folder / _TOKENIZER))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    @classmethod
    @cache
    def open(cls) -> _Offline:
        """Return the encoder, loaded once."""
        found = find_spec("wordllama")
        if found is None or not found.submodule_search_locations:
            raise MissingExtraError(
                "texts are encoded by wordllama, which is not installed: pip install 'vbn[text]', or pass your own "
                f"{REMEDY}",
                remedies=[("encoder",)],
            )
        folder = Path(found.submodule_search_locations[0])
        absent = [name for name in (_WEIGHTS, _TOKENIZER) if not (folder / name).is_file()]
        if absent:
            raise MissingExtraError(f"{folder} lacks {absent[0]}: install it again with pip install 'vbn[text]'")
        return cls(folder)

    def encode(self, texts: list[str]) -> np.ndarray:
        """Return the mean of the vectors of each text's tokens, scaled to length 1; 0 for a text without tokens."""
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        tokens = [self.tokenizer.encode(text, add_special_tokens=False).ids for text in clean]
        means = np.zeros((len(texts), self.table.shape[1]), dtype=np.float32)
        for row, ids in enumerate(tokens):
            if ids:
                means[row] = self.table[np.minimum(ids, len(self.table) - 1)].mean(axis=0)
        length = np.linalg.norm(means, axis=1, keepdims=True)
        means /= np.where(length > 0, length, 1.0)
        return means
