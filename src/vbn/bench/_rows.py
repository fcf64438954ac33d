"""The rows of the table, in its order."""

from __future__ import annotations

from vbn.bench import _growth, _ingest, _kernel, _shop, _start, _words
from vbn.bench._row import Row

ROWS = (
    Row("epoch", "SemCor, t = 50: an epoch of gensim's skip-gram / one of ours", _words.epoch, ("gensim",), True),
    Row("quality", "SemCor: seconds until word similarity passes skip-gram's / its seconds for 20 epochs",
        _words.quality, ("gensim",), True),
    Row("als", "MovieLens 1M: seconds until HR@10% reaches that of ALS / its seconds for 20 iterations",
        _shop.against_als, ("implicit",), True),
    Row("kernel", "a half-sweep against three dot products a cell: cells a second", _kernel.against_floor),
    Row("sampling", "share of an epoch that draws its sample", _kernel.sampling),
    Row("top-k", "64 queries, the ten best of 1,000,000 by predictive probability / faiss on means",
        _shop.top_k, ("faiss",)),
    Row("fold-in", "new users a second on one core: 50 items each, 4,000 columns", _shop.new_users),
    Row("sequences", "100 M words: gensim's scan / our scan, and / our counting of pairs",
        _ingest.sequences, ("gensim",)),
    Row("interactions", "25 M rows of parquet", _ingest.interactions, ("pyarrow",)),
    Row("growth", "seconds an epoch from 1 M to 100 M cells, log-log slope", _growth.growth),
    Row("memory", "peak of a fit to 50 M cells / counts and posterior", _growth.memory),
    Row("start", "seconds of import, --help, first fit, warm fit", _start.start),
)  # fmt: skip
