"""Rows about starting, reading and growing: first fits, large files, seconds and memory as the data grows."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from reproduction.bench.row import Figure, Outcome, Setting, in_child
from reproduction.bench.work import counts, epochs, likes, prepared, zipf_tokens
from vbn.engines import ThreadEngine

_FIT = """
import time
import vbn
data = vbn.Dataset.from_pairs(["a", "b", "c", "d"] * 5, ["x", "y", "x", "y"] * 5)
started = time.perf_counter()
vbn.VBN(dim=4, epochs=2, verbose=False).fit(data)
facts = {"fit": time.perf_counter() - started}
"""


def start(setting: Setting) -> Outcome:
    """Seconds of `import vbn`, of `vbn --help`, and of a first small fit: compiling, and with compiled kernels."""
    imports = [_import() for _ in range(setting.repeats)]
    helps = [_help() for _ in range(setting.repeats)]
    with tempfile.TemporaryDirectory() as folder:
        cache = {"NUMBA_CACHE_DIR": folder}
        first = in_child(_FIT, cache)["facts"]["fit"]
        warm = [in_child(_FIT, cache)["facts"]["fit"] for _ in range(setting.repeats)]
    figures = (
        Figure("import", min(imports), 0.3, at_least=False),
        Figure("--help", min(helps), 0.4, at_least=False),
        Figure("first fit", first, 12.0, at_least=False),
        Figure("warm fit", min(warm), 1.5, at_least=False),
    )
    return Outcome(figures, {"import": imports, "help": helps, "first fit": first, "warm fit": warm})


def _import() -> float:
    """Seconds of the import alone, without those that it takes to start Python."""
    code = "import time; started = time.perf_counter(); import vbn; print(time.perf_counter() - started)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    return float(done.stdout)


def _help() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "vbn", "--help"], capture_output=True, check=True)
    return time.perf_counter() - started


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
        Figure("counting", spent["gensim's scan"] / spent["our counting"], 1.0, at_least=True),
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


_CELLS = (1e6, 3e6, 1e7, 3e7, 1e8)


def growth(setting: Setting) -> Outcome:
    """Seconds an epoch from 1 to 100 million cells of its sample: slope of their logarithms."""
    engine, found = ThreadEngine(), []
    for wanted in _CELLS:
        n = int(wanted * setting.scale / 2)
        data = counts(n, max(n // 50, 10), max(n // 500, 10))
        infos = list(epochs(prepared(data, dim=50, negatives=1), engine, 2))
        found.append((infos[-1].cells, min(info.seconds for info in infos)))
        del data
    engine.close()
    cells, seconds = np.log(np.array(found)).T
    slope = float(np.polyfit(cells, seconds, 1)[0])
    return Outcome((Figure("slope", slope, 1.05, at_least=False),), {"cells and seconds": found})


def memory(setting: Setting) -> Outcome:
    """Peak of a fit to 50 million cells with one negative each, over the size of counts and posterior."""
    code = f"""
import vbn
from reproduction.bench.row import forget_peak
from reproduction.bench.work import counts
data = counts({int(50_000_000 * setting.scale)}, {int(500_000 * setting.scale)}, {int(50_000 * setting.scale)})
only_the_fit = forget_peak()
model = vbn.VBN(dim=50, negatives=1, epochs=2, verbose=False).fit(data)
c, q = data.counts, model.trained_.posterior
facts = {{
    "counts": c.nbytes,
    "posterior": sum(array.nbytes for array in q.arrays().values()),
    "cells": c.nnz,
    "peak of the fit alone": only_the_fit,
}}
"""
    found = in_child(code)
    held = found["facts"]["counts"] + found["facts"]["posterior"]
    return Outcome((Figure("peak / held", found["peak"] / held, 1.8, at_least=False),), found)
