"""Rows about reading: text against gensim's scan of the vocabulary, and a large file of interactions."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from vbn.bench._child import in_child
from vbn.bench._generated import likes, zipf_tokens
from vbn.bench._row import Figure, Outcome, Setting

_BLOCK = 1_000_000  # words written at a time
_LENGTH = 25  # words of a sentence


def sequences(setting: Setting) -> Outcome:
    """100 million generated words in a file: how fast we read and number them, and count pairs, by gensim's scan."""
    from gensim.models import Word2Vec
    from gensim.models.word2vec import LineSentence

    from vbn.data import from_corpus, read_corpus

    n, spent = int(100_000_000 * setting.scale), {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "text.txt"
        _write_text(file, n)
        started = time.perf_counter()
        Word2Vec(min_count=1, vector_size=1).build_vocab(LineSentence(str(file)), trim_rule=None)
        spent["gensim's scan"] = time.perf_counter() - started
        started = time.perf_counter()
        corpus = read_corpus(file, None, None, None)
        spent["our scan"] = time.perf_counter() - started
        started = time.perf_counter()
        parts = from_corpus(corpus, 5, True, 1, None)
        spent["our counting"] = time.perf_counter() - started
    figures = (
        Figure("scan", spent["gensim's scan"] / spent["our scan"], 3.0, at_least=True),
        Figure("counting", spent["gensim's scan"] / spent["our counting"], 0.7, at_least=True),
    )
    return Outcome(figures, {"tokens": n, "cells": parts.counts.nnz, "seconds": spent})


def _write_text(file: Path, n: int) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for block in range(0, n, _BLOCK):
            tokens = zipf_tokens(min(_BLOCK, n - block), 200_000, seed=block)
            for first in range(0, len(tokens), _LENGTH):
                stream.write(" ".join(f"w{number}" for number in tokens[first : first + _LENGTH].tolist()) + "\n")


def interactions(setting: Setting) -> Outcome:
    """25 million rows of a parquet file, as many users and items as MovieLens 25M has: seconds and peak memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = int(25_000_000 * setting.scale)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ratings.parquet"
        columns = likes(n, 162_000, 59_000)
        ratings = np.random.default_rng(2).integers(1, 11, n) / 2
        pq.write_table(pa.table({**columns, "rating": ratings.astype(np.float32)}), file)
        del columns, ratings
        found = in_child(
            "import vbn; vbn.Dataset.from_interactions(FILE, 'user', 'item')".replace("FILE", repr(str(file)))
        )
    figures = (
        Figure("seconds", found["seconds"], 60.0, at_least=False),
        Figure("GiB at peak", found["peak"] / 2**30, 3.0, at_least=False),
    )
    return Outcome(figures, {"rows": n, **found})
