"""Rows about training: the kernel against the memory floor, sampling, and skip-gram's epochs and quality."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reproduction.bench.row import Figure, Outcome, Setting, alternate, best
from reproduction.bench.work import TEXT, epochs, of_text, prepared, text
from reproduction.datasets import SimilaritySet, load_semcor
from reproduction.words.corpus import Words
from vbn.data import Dataset
from vbn.engines import ThreadEngine
from vbn.model import Cooccurrence, DrawnSample, GivenSample, Plan, lower_bound, relation_cells, run_epoch


def against_floor(setting: Setting) -> Outcome:
    """A half-sweep over the rows against three dot products a cell on the same arrays, both on all cores."""
    from reproduction.kernels import three_dots

    training = prepared(of_text(text(setting.scale)), **TEXT)
    engine, network = ThreadEngine(), training.network
    data = GivenSample(training.sampler.sample(0, engine), network.posterior)
    run_epoch(network, data, engine)
    q, cells = network.posterior, data.rows(0, len(network.posterior.u.mean))
    second = q.v.mean**2 + q.v.variance
    own_second, result = q.u.mean**2 + q.u.variance, np.empty(len(q.u.mean), q.u.mean.dtype)

    def floor() -> None:
        def task(first: int, last: int) -> None:
            three_dots(
                first,
                last,
                cells.indptr,
                cells.indices,
                q.u.mean,
                own_second,
                q.u.variance,
                q.v.mean,
                q.v.variance,
                second,
                result,
            )

        engine.map(task, data.groups()[0])

    pairs = Cooccurrence.of(q)
    times = alternate({"half-sweep": lambda: pairs.update_rows(data, engine), "floor": floor}, setting.repeats + 2)
    engine.close()
    fastest = best(times)
    ratio = fastest["floor"] / fastest["half-sweep"]
    n = len(cells.indices)
    raw = {"cells": n, "seconds": times, "million cells a second": {k: n / v / 1e6 for k, v in fastest.items()}}
    return Outcome((Figure("ratio", ratio, 0.6, at_least=True),), raw)


def sampling(setting: Setting) -> Outcome:
    """Share of an epoch that goes into drawing its sample and laying it out by column: timed with nothing else."""
    training = prepared(of_text(text(setting.scale)), **TEXT)
    engine, network = ThreadEngine(), training.network
    plan = Plan(training.sampler)

    def only_drawn() -> None:
        data = DrawnSample(plan, 0, relation_cells(network, plan.sampler, 0, engine))
        for group in data.groups():
            data.put_aside(engine.map(lambda first, last: data.packed(data.rows(first, last)), group))
        engine.map(lambda first, last: data.columns(first, last).first, data.column_ranges())

    def whole() -> None:
        data = DrawnSample(plan, 0, relation_cells(network, plan.sampler, 0, engine))
        lower_bound(network, data, engine, *run_epoch(network, data, engine))

    times = alternate({"sample": only_drawn, "epoch": whole}, setting.repeats + 2)
    engine.close()
    fastest = best(times)
    share = fastest["sample"] / fastest["epoch"]
    return Outcome((Figure("share", share, 0.12, at_least=False),), {"seconds": times})


_EPOCHS = 20  # of skip-gram


def skip_gram(sentences: Any) -> Any:
    """gensim's, with its vocabulary and no training yet, on as many threads as we use."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        vector_size=TEXT["dim"],
        window=5,
        negative=TEXT["negatives"],
        sample=TEXT["subsample"],
        sg=1,
        min_count=1,
        workers=ThreadEngine().n_threads,
        seed=0,
        epochs=_EPOCHS,
    )
    model.build_vocab(sentences)
    return model


def epoch(setting: Setting) -> Outcome:
    """An epoch of SemCor, sampling included, in turn with one of skip-gram."""
    assert setting.data is not None
    sentences = load_semcor(setting.data, lower=True).sentences
    theirs, engine = skip_gram(sentences), ThreadEngine()
    ours = epochs(prepared(of_text(sentences), **TEXT), engine, setting.repeats + 3)
    found: dict[str, list[float]] = {"vbn": [], "gensim": []}
    for _ in range(setting.repeats + 2):
        found["vbn"].append(_timed(lambda: next(ours)))
        found["gensim"].append(_timed(lambda: theirs.train(sentences, total_examples=len(sentences), epochs=1)))
    engine.close()
    ratio = min(found["gensim"][1:]) / min(found["vbn"][1:])
    return Outcome((Figure("gensim epoch / our epoch", ratio, 2.5, at_least=True),), {"seconds": found})


def quality(setting: Setting) -> Outcome:
    """Seconds until the average of five word-similarity sets passes skip-gram's of 20 epochs, over its seconds."""
    assert setting.data is not None
    words = Words.load(setting.data)
    sentences, sets = words.sentences, words.sets
    theirs = skip_gram(sentences)
    spent = _timed(lambda: theirs.train(sentences, total_examples=len(sentences), epochs=_EPOCHS))
    goal = average_similarity(sets, lambda word: theirs.wv[word] if theirs.wv.has_index_for(word) else None)
    data = _with_synsets(words)
    started = time.perf_counter()
    training, engine = prepared(data, **TEXT, alpha={"entity": 10.0}), ThreadEngine()
    curve = list(_curve(training, engine, sets, goal, time.perf_counter() - started))
    engine.close()
    reached = next((seconds for seconds, value in curve if value >= goal), float("inf"))
    raw = {"skip-gram": {"seconds": spent, "average": goal}, "seconds and average of each epoch": curve}
    return Outcome((Figure("our seconds / skip-gram's", reached / spent, 0.25, at_least=False),), raw)


def _with_synsets(words: Words) -> Dataset:
    """Return the counts of SemCor, with WordNet's synsets above the words."""
    data = of_text(words.sentences)
    return data.with_taxonomy(words.graph(data.rows.names, senses="all", nodes="synsets", ancestors=2))


def categories(setting: Setting) -> Outcome:
    """Share of an epoch that goes into the updates of the categories, with WordNet's synsets above SemCor's words."""
    assert setting.data is not None
    training = prepared(_with_synsets(Words.load(setting.data)), **TEXT, alpha={"entity": 10.0})
    engine, network = ThreadEngine(), training.network
    plan, blocks = Plan(training.sampler), (network.posterior.u, network.posterior.v, network.posterior.bias)

    def only_categories() -> None:
        for block in blocks:
            block.prior.update(block, None, engine)

    def whole() -> None:
        data = DrawnSample(plan, 0, relation_cells(network, plan.sampler, 0, engine))
        lower_bound(network, data, engine, *run_epoch(network, data, engine))

    times = alternate({"epoch": whole, "categories": only_categories}, setting.repeats + 2)
    engine.close()
    fastest = best(times)
    share = fastest["categories"] / fastest["epoch"]
    return Outcome((Figure("share", share, 0.15, at_least=False),), {"seconds": times})


def _curve(training: Any, engine: Any, sets: Any, goal: float, spent: float) -> Iterator[tuple[float, float]]:
    run = epochs(training, engine, _EPOCHS)
    while True:
        started = time.perf_counter()
        if next(run, None) is None:
            return
        spent += time.perf_counter() - started
        value = _of_ours(training, sets)
        yield spent, value
        if value >= goal:
            return


def _of_ours(training: Any, sets: Any) -> float:
    trained = training.trained()
    vectors = trained.posterior.u.mean + trained.posterior.v.mean
    rows = trained.rows
    return average_similarity(sets, lambda word: vectors[rows.id(word)] if word in rows else None)


def average_similarity(sets: dict[str, SimilaritySet], vector: Callable[[str], np.ndarray | None]) -> float:
    """Mean of Spearman's correlations, times 100, over pairs whose words both have a vector."""
    from scipy.stats import spearmanr

    found = []
    for judged in sets.values():
        pairs = [(vector(a), vector(b), s) for a, b, s in zip(judged.left, judged.right, judged.scores, strict=True)]
        known = [(_cosine(a, b), score) for a, b, score in pairs if a is not None and b is not None]
        found.append(100.0 * spearmanr(*zip(*known, strict=True)).statistic)
    return float(np.mean(found))


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-12))


def _timed(task: Callable[[], Any]) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started
