"""Rows about users and items: how soon the ranking is as good as that of ALS, queries, and new users."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from reproduction.bench.row import Figure, Outcome, Setting, alternate, best
from reproduction.bench.work import epochs, prepared, zipf_tokens
from reproduction.domains import load_domain
from reproduction.judging import percentiles
from reproduction.masking import USERS, Split, mask
from reproduction.rivals import ALS
from vbn.baselines import as_scorer
from vbn.data import Dataset, Vocabulary
from vbn.engines import ThreadEngine
from vbn.estimators import VBN
from vbn.inference import Hidden, fold_in, rank
from vbn.kernels import ContextArrays
from vbn.model import COLUMN, Gaussians, Side

_MOST_EPOCHS = 40
_MOVIES: dict[str, Any] = {"dim": 50, "negatives": 4, "noise_power": 0.5}


def against_als(setting: Setting) -> Outcome:
    """Seconds until HR@10% on MovieLens 1M is that of ALS after 20 iterations, over the seconds of ALS."""
    assert setting.data is not None
    domain = load_domain("movies", setting.data)
    split = Split(domain, mask(domain.interactions, domain.least), "validation", "movies")
    data = split.data(USERS)
    theirs = ALS(dim=50, epochs=20, seed=0, workers=ThreadEngine().n_threads)
    started = time.perf_counter()
    theirs.fit(data)
    spent = time.perf_counter() - started
    goal = _hits(theirs, split)
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
    reached = curve[-1][0] if curve[-1][1] >= goal else float("inf")
    raw = {"ALS": {"seconds": spent, "HR@10%": goal}, "seconds and HR@10% of each epoch": curve}
    return Outcome((Figure("our seconds / ALS's", reached / spent, 2.0, at_least=False),), raw)


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
    return Outcome((Figure("queries a second", rate, 3000.0, at_least=True),), {"queries": n, "seconds": times})
