"""Rows about users and items: how soon the ranking is as good as that of ALS, queries, and new users."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from reproduction.bench.row import Figure, Outcome, Setting, alternate, best
from reproduction.bench.work import epochs, prepared, zipf_tokens
from reproduction.domains import load_domain
from reproduction.judging import percentiles
from reproduction.masking import USERS, Split, mask
from reproduction.rivals import ALS, LightFM
from vbn.baselines import as_scorer
from vbn.data import Dataset, Vocabulary
from vbn.engines import ThreadEngine
from vbn.estimators import VBN
from vbn.inference import Hidden, fold_in, rank
from vbn.kernels import ContextArrays
from vbn.model import COLUMN, Gaussians, Side

_MOST_EPOCHS = 40
_LIGHTFM_EPOCHS = (5, 10, 20, 40)
_MOVIES: dict[str, Any] = {"dim": 50, "negatives": 4, "noise_power": 0.5}


def against_als(setting: Setting) -> Outcome:
    """Seconds until HR@10% on MovieLens 1M is that of ALS after 20 iterations, over the seconds of ALS."""
    split = _movies(setting)
    theirs = ALS(dim=50, epochs=20, seed=0, workers=ThreadEngine().n_threads)
    spent = _timed(lambda: theirs.fit(split.data(USERS)))
    goal = _hits(theirs, split)
    curve = _curve(split, goal)
    raw = {"ALS": {"seconds": spent, "HR@10%": goal}, "seconds and HR@10% of each epoch": curve}
    return Outcome((Figure("our seconds / ALS's", _reached(curve, goal) / spent, 2.0, at_least=False),), raw)


def against_lightfm(setting: Setting) -> Outcome:
    """Seconds until HR@10% on MovieLens 1M is the best of LightFM with the taxonomy as features, over its seconds."""
    split = _movies(setting)
    data, found = split.data(USERS, "mixed"), []
    for n in _LIGHTFM_EPOCHS:
        theirs = LightFM(dim=50, epochs=n, seed=0, workers=ThreadEngine().n_threads)
        found.append((_timed(partial(theirs.fit, data)), _hits(theirs, split)))
    spent, goal = max(found, key=lambda each: each[1])
    curve = _curve(split, goal)
    raw = {"LightFM": dict(zip(_LIGHTFM_EPOCHS, found, strict=True)), "seconds and HR@10% of each epoch": curve}
    return Outcome((Figure("our seconds / LightFM's", _reached(curve, goal) / spent, 0.1, at_least=False),), raw)


def whole_fit(setting: Setting) -> Outcome:
    """A fit to MovieLens 1M without a parameter, the choice of the popularity dial included, in turn with ALS."""
    split = _movies(setting)
    data = split.data(USERS)
    theirs, ours = ALS(dim=50, epochs=20, seed=0, workers=ThreadEngine().n_threads), VBN(verbose=False)
    times = alternate({"vbn": lambda: ours.fit(data), "ALS": lambda: theirs.fit(data)}, setting.repeats)
    fastest = best(times)
    hits = {"vbn": _hits(as_scorer(ours), split), "ALS": _hits(theirs, split)}
    raw = {"seconds": times, "HR@10%": hits, "epochs": ours.n_iter_}
    return Outcome((Figure("our seconds / ALS's", fastest["vbn"] / fastest["ALS"], 1.5, at_least=False),), raw)


def _movies(setting: Setting) -> Split:
    assert setting.data is not None
    domain = load_domain("movies", setting.data)
    return Split(domain, mask(domain.interactions, domain.least), "validation", "movies")


def _curve(split: Split, goal: float) -> list[tuple[float, float]]:
    """Return seconds and HR@10% after each epoch of ours with the taxonomy, until the goal is reached."""
    started = time.perf_counter()
    training, engine = prepared(split.data(USERS, "mixed"), **_MOVIES), ThreadEngine()
    ours = time.perf_counter() - started
    curve: list[tuple[float, float]] = []
    run = epochs(training, engine, _MOST_EPOCHS)
    while not curve or curve[-1][1] < goal:
        started = time.perf_counter()
        if next(run, None) is None:
            break
        ours += time.perf_counter() - started
        model = VBN(**_MOVIES, verbose=False).with_trained(training.trained(), training.data)
        curve.append((ours, _hits(as_scorer(model), split)))
    engine.close()
    return curve


def _reached(curve: list[tuple[float, float]], goal: float) -> float:
    return curve[-1][0] if curve[-1][1] >= goal else float("inf")


def _timed(task: Callable[[], Any]) -> float:
    started = time.perf_counter()
    task()
    return time.perf_counter() - started


def _hits(scorer: Any, split: Split) -> float:
    return float(100.0 * (percentiles(scorer, split.masked, split.which) < 0.1).mean())


def top_k(setting: Setting) -> Outcome:
    """Top 10 of 64 queries among 1,000,000 entities by predictive probability, against faiss on the means alone."""
    import faiss

    n, t = int(1_000_000 * setting.scale), 50
    trained = _large(n, t)
    rng = np.random.default_rng(1)
    mean = rng.normal(0.0, 0.6, (64, t)).astype(np.float32)
    queries = Gaussians(mean, np.full((64, t), 0.02, np.float32))
    candidates, hidden = np.arange(n), Hidden.of([np.empty(0, np.int64)] * 64)
    index = faiss.IndexFlatIP(t)
    index.add(np.ascontiguousarray(trained.posterior.v.mean))
    times = alternate(
        {
            "vbn": lambda: rank(trained, queries, 10, candidates, hidden),
            "faiss": lambda: index.search(mean, 10),
        },
        setting.repeats + 2,
    )
    fastest = best(times)
    ratio = fastest["vbn"] / fastest["faiss"]
    return Outcome((Figure("our time / faiss's", ratio, 1.2, at_least=False),), {"entities": n, "seconds": times})


def similar(setting: Setting) -> Outcome:
    """The ten nearest of one entity among 1,000,000, on one core, against faiss on the means alone."""
    import faiss

    n, t = int(1_000_000 * setting.scale), 50
    trained = _large(n, t)
    means, index = np.ascontiguousarray(trained.posterior.v.mean), faiss.IndexFlatIP(t)
    index.add(means)
    model = VBN(dim=t, verbose=False).with_trained(trained, None)
    tasks = {"vbn": lambda: model.similar("e5", k=10), "faiss": lambda: index.search(means[5:6], 10)}
    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    times = alternate(tasks, setting.repeats + 7)
    faiss.omp_set_num_threads(threads)
    fastest = best(times)
    ratio = fastest["vbn"] / fastest["faiss"]
    return Outcome((Figure("our time / faiss's", ratio, 1.0, at_least=False),), {"entities": n, "seconds": times})


def _large(n: int, t: int) -> Any:
    """A model of n columns with densities as training leaves them: rare columns are less certain."""
    few = Dataset.from_pairs(["a", "b"], ["x", "y"], shared=False)
    model = VBN(dim=t, epochs=1, verbose=False).fit(few)
    trained = model.trained_
    rng = np.random.default_rng(0)
    spread = (0.02 + 0.5 * rng.random(n) ** 4)[:, None].astype(np.float32)
    mean = rng.normal(0.0, 0.5, (n, t)).astype(np.float32)
    q, every = trained.posterior, np.ones(n, dtype=bool)
    v = replace(q.v, mean=mean, variance=np.broadcast_to(spread, mean.shape).copy(), rate=np.ones(n), active=every)
    bias = replace(
        q.bias,
        mean=rng.normal(-2.0, 1.0, n).astype(np.float32),
        variance=np.full(n, 0.05, np.float32),
        rate=np.ones(n),
        active=every,
    )
    names = Vocabulary([f"e{number}" for number in range(n)], np.ones(n))
    columns = Side(COLUMN, names, None, every)
    return replace(trained, column_side=columns, posterior=replace(q, v=v, bias=bias))


def new_users(setting: Setting) -> Outcome:
    """New users a second on one core: 50 items each, 4,000 columns, their density in closed form and the ten best."""
    users, columns, each = 5_000, 4_000, 50
    items = zipf_tokens(users * each, columns, 3, 0.8)
    data = Dataset.from_interactions(np.repeat(np.arange(users), each).tolist(), items.tolist())
    trained = VBN(dim=50, epochs=3, negatives=4, verbose=False).fit(data).trained_
    n = 2_000
    contexts = ContextArrays(
        np.arange(n + 1, dtype=np.int64) * each,
        trained.columns.ids(str(item) for item in items[: n * each].tolist()),
        np.ones(n * each),
    )
    candidates, hidden = np.arange(len(trained.columns)), Hidden.of([np.empty(0, np.int64)] * n)

    def answered() -> None:
        rank(trained, fold_in(trained, contexts), 10, candidates, hidden)

    times = alternate({"fold-in": lambda: fold_in(trained, contexts), "with the ten best": answered}, setting.repeats)
    rate = n / min(times["fold-in"])
    return Outcome((Figure("queries a second", rate, 15000.0, at_least=True),), {"queries": n, "seconds": times})
