"""Rows about the engine itself: its kernel against the memory floor, and what share of an epoch sampling takes."""

from __future__ import annotations

import numpy as np

from vbn.bench._generated import text
from vbn.bench._row import Figure, Outcome, Setting
from vbn.bench._timing import alternate, best
from vbn.bench._training import TEXT, of_text, prepared
from vbn.engines import ThreadEngine
from vbn.model import DrawnSample, GivenSample, Plan, lower_bound, run_epoch, update_entities


def against_floor(setting: Setting) -> Outcome:
    """A half-sweep over the rows against three dot products a cell on the same arrays, both on all cores."""
    from vbn.kernels.floor import three_dots

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
                first, last, cells.indptr, cells.indices, q.u.mean, own_second, q.u.variance, q.v.mean, q.v.variance,
                second, result,
            )  # fmt: skip

        engine.map(task, data.groups()[0])

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
    """Share of an epoch that goes into drawing its sample and laying it out by column: timed with nothing else."""
    training = prepared(of_text(text(setting.scale)), **TEXT)
    engine, network = ThreadEngine(), training.network
    plan = Plan(training.sampler)

    def only_drawn() -> None:
        data = DrawnSample(plan, 0, plan.relations(0, network.posterior, engine))
        for group in data.groups():
            data.put_aside(engine.map(data.rows, group), engine)
        engine.map(lambda first, last: data.columns(first, last).first, data.column_ranges())

    def whole() -> None:
        data = DrawnSample(plan, 0, plan.relations(0, network.posterior, engine))
        lower_bound(network, data, engine, run_epoch(network, data, engine))

    times = alternate({"sample": only_drawn, "epoch": whole}, setting.repeats + 2)
    engine.close()
    fastest = best(times)
    share = fastest["sample"] / fastest["epoch"]
    return Outcome((Figure("share", share, 0.2, at_least=False),), {"seconds": times})
