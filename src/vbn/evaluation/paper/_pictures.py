"""Pictures of a domain of users and items: the long tail, full against rare, and bounds."""

from __future__ import annotations

import numpy as np

from vbn.evaluation.paper._models import Model
from vbn.evaluation.paper._pool import BINS, FULL, RARE, Pool
from vbn.evaluation.paper._results import Picture, Series
from vbn.evaluation.paper._split import USERS


def long_tail(domain: str, models: tuple[Model, ...], pool: Pool, figure: str = "HR@10%") -> Picture:
    """A figure by how frequent the target is."""
    series = []
    for model in models:
        if model.key in pool.records:
            series.append(_by_frequency(model.name, model, pool, figure, 0))
            dial = pool.records[model.key][0].facts["dial"]
            if model.key == "vbn" and 0.0 in dial[1:]:  # what the dial takes from the tail
                name = f"{model.name}, dial 0 in place of {dial[0]:g}"
                series.append(_by_frequency(name, model, pool, figure, dial.index(0.0)))
    return Picture(
        f"{domain}-long-tail",
        "The long tail",
        f"{figure} by how frequent the hidden item is in training: tenths of the catalogue, from the rarest.",
        "tenth of the catalogue, from the rarest",
        figure,
        tuple(series),
        tuple(str(number + 1) for number in range(BINS)),
    )


def _by_frequency(name: str, model: Model, pool: Pool, figure: str, variant: int) -> Series:
    cells = [pool.cell(model.key, figure, number, variant) for number in range(BINS)]
    kept = [(number, cell) for number, cell in enumerate(cells) if cell.value is not None]
    return Series(
        name,
        tuple(float(number) for number, _ in kept),
        tuple(cell.value or 0.0 for _, cell in kept),
        tuple(cell.spread or 0.0 for _, cell in kept),
        ours=model.key == "vbn",
    )


def pareto(domain: str, models: tuple[Model, ...], pool: Pool, figure: str) -> Picture:
    """Full against rare: our models as curves over the dial, the others as points."""
    series = []
    for model in models:
        if model.key not in pool.records:
            continue
        dial = pool.records[model.key][0].facts["dial"] or [0.0]
        order = np.argsort(dial)
        points = [(pool.mean(model.key, figure, FULL, v), pool.mean(model.key, figure, RARE, v)) for v in order]
        points = [point for point in points if np.isfinite(point).all()]
        if points:
            x, y = zip(*points, strict=True)
            series.append(Series(model.name, x, y, ours=model.key == "vbn", joined=len(dial) > 1))
    return Picture(
        f"{domain}-pareto-{figure.partition('@')[0].lower()}",
        f"Full against rare: {figure}",
        "One trained model and its popularity dial trace a curve; all others are points. Up and right is better.",
        f"{figure}, all targets",
        f"{figure}, rare targets",
        tuple(series),
    )


def bounds(domain: str, models: tuple[Model, ...], pool: Pool, pairs: int) -> Picture:
    """The lower bound after each epoch, for each pair of training."""
    series = []
    for model in models:
        values = pool.records[model.key][0].facts["bounds"] if model.key in pool.records else []
        if values and model.setting == USERS:
            x = tuple(float(epoch + 1) for epoch in range(len(values)))
            series.append(Series(model.name, x, tuple(value / pairs for value in values), ours=model.key == "vbn"))
    return Picture(
        f"{domain}-bounds",
        "Lower bound",
        "The variational bound for each pair of training, users x items; each epoch draws new negatives, so it is "
        "noisy.",
        "epoch",
        "bound per pair",
        tuple(series),
    )
