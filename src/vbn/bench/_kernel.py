"""Rows about the engine itself: its kernel against the memory floor, and what share of an epoch sampling takes."""

from __future__ import annotations

import time

import numpy as np

from vbn.bench._generated import text
from vbn.bench._row import Figure, Outcome, Setting
from vbn.bench._timing import alternate, best
from vbn.bench._training import TEXT, of_text, prepared
from vbn.engines._threads import ThreadEngine
from vbn.model._entities import update_entities
from vbn.model._fit import run_epoch
from vbn.model._network import EpochData


def against_floor(setting: Setting) -> Outcome:
    """A half-sweep over the rows against three dot products a cell on the same arrays, both on all cores."""
    from vbn.kernels._floor import three_dots

    training = prepared(of_text(text(setting.scale)), **TEXT)
    engine, network = ThreadEngine(), training.network
    data = EpochData(training.sampler.sample(0, engine), network.posterior)
    run_epoch(network, data, engine)
    q, cells = network.posterior, data.cells("u")
    second = q.v.mean**2 + q.v.variance
    own_second, result = q.u.mean**2 + q.u.variance, np.empty(len(q.u.mean), q.u.mean.dtype)

    def floor() -> None:
        def task(first: int, last: int) -> None:
            three_dots(
                first, last, cells.indptr, cells.indices, q.u.mean, own_second, q.u.variance, q.v.mean, q.v.variance,
                second, result,
            )  # fmt: skip

        engine.map(task, data.ranges["u"])

    times = alternate(
        {"half-sweep": lambda: update_entities(network, data, "u", engine), "floor": floor}, setting.repeats + 2
    )
    engine.close()
    fastest = best(times)
    ratio = fastest["floor"] / fastest["half-sweep"]
    n = len(cells.indices)
    raw = {"cells": n, "seconds": times, "million cells a second": {k: n / v / 1e6 for k, v in fastest.items()}}
    return Outcome((Figure("ratio", ratio, 0.6, at_least=True),), raw)


def sampling(setting: Setting) -> Outcome:
    """Share of an epoch that goes into drawing its sample, in both layouts."""
    training = prepared(of_text(text(setting.scale)), **TEXT)
    engine, network = ThreadEngine(), training.network
    spent: dict[str, list[float]] = {"sample": [], "epoch": []}
    for epoch in range(setting.repeats + 1):
        started = time.perf_counter()
        data = EpochData(training.sampler.sample(epoch, engine), network.posterior)
        data.cells("v")
        spent["sample"].append(time.perf_counter() - started)
        run_epoch(network, data, engine)
        spent["epoch"].append(time.perf_counter() - started)
    engine.close()
    share = min(spent["sample"][1:]) / min(spent["epoch"][1:])
    return Outcome((Figure("share", share, 0.2, at_least=False),), {"seconds": spent})
