"""Pictures of a domain of users and items: the long tail, full against rare, reliability, and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from reproduction.models import Model
from reproduction.pool import BINS, FULL, RARE, Pool
from reproduction.reliability import AS_TRAINED, MEANS, TEMPERATURE
from reproduction.results import Picture, Series
from reproduction.runs import curves, label, positions
from reproduction.tables import reliabilities
from vbn.inference import Dial

OURS = "vbn"
_BOTH_OF_OURS = ("vbn", "vbn-default")


def long_tail(domain: str, models: tuple[Model, ...], pool: Pool, figure: str = "HR@10%") -> Picture:
    """A figure by how frequent the target is."""
    series = []
    for model in (model for model in models if model.key in pool.records):
        series.append(_by_frequency(model.name, model, pool, figure, 0))
        if model.key == OURS:
            places = positions(pool.records[model.key][0])
            if Dial() in places[1:]:  # what the dial takes from the tail
                name = f"{model.name}, dial 0 in place of {label(places[0]).removeprefix('dial ')}"
                series.append(_by_frequency(name, model, pool, figure, places.index(Dial())))
    return Picture(
        f"{domain}-long-tail",
        "The long tail",
        f"{figure} by how frequent the hidden item is in training: tenths of the catalogue, from the rarest. Each "
        "frame has one rival in front, VBN beside it, and all others in grey. Shaded: standard deviation over seeds.",
        "tenth of the catalogue, from the rarest",
        figure,
        tuple(series),
        tuple(str(number + 1) for number in range(BINS)),
        kind="panels",
        role="long tail",
    )


def _by_frequency(name: str, model: Model, pool: Pool, figure: str, variant: int) -> Series:
    cells = [pool.cell(model.key, figure, number, variant) for number in range(BINS)]
    kept = [(number, cell) for number, cell in enumerate(cells) if cell.value is not None]
    return Series(
        name,
        tuple(float(number) for number, _ in kept),
        tuple(cell.value or 0.0 for _, cell in kept),
        tuple(cell.spread or 0.0 for _, cell in kept),
        ours=model.key in _BOTH_OF_OURS,
    )


def pareto(
    domain: str,
    models: tuple[Model, ...],
    pool: Pool,
    figure: str,
    others: tuple[Model, ...] = (),
    swept: Pool | None = None,
) -> Picture:
    """Full against rare: our models as curves over the dial, rivals as points, one for each of their settings.

    `others` are rivals tuned for one end, named <key>@<end>; their figures are in `swept`.
    """
    series = []
    for model in (model for model in models if model.key in pool.records):
        for floor, numbers in curves(positions(pool.records[model.key][0])).items():
            name = f"{model.name}, {floor}" if floor else model.name
            points = [_point(pool, model.key, figure, number) for number in numbers]
            if swept is not None and len(points) == 1:  # a rival's own settings go by what they give
                points = sorted(points + [_point(swept, key, figure) for key in _ends(model, others, swept)])
            points = [point for point in points if np.isfinite(point).all()]
            x, y = tuple(point[0] for point in points), tuple(point[1] for point in points)
            if points:
                series.append(Series(name, x, y, ours=model.key in _BOTH_OF_OURS, joined=len(points) > 1))
    return Picture(
        f"{domain}-pareto-{figure.partition('@')[0].lower()}",
        f"Full against rare: {figure}",
        "Up and right is better. One trained VBN and its popularity dial trace a curve for each floor. A rival is a "
        "point, or several that are joined where it was also tuned for all targets or for rare ones alone (these on "
        "one masking for each seed).",
        f"{figure}, all targets",
        f"{figure}, rare targets",
        tuple(series),
    )


def _point(pool: Pool, key: str, figure: str, variant: int = 0) -> tuple[float, float]:
    return pool.mean(key, figure, FULL, variant), pool.mean(key, figure, RARE, variant)


def _ends(model: Model, others: tuple[Model, ...], swept: Pool) -> list[str]:
    return [other.key for other in others if other.key.partition("@")[0] == model.key and other.key in swept.records]


def reliability_picture(domain: str, models: tuple[Model, ...], pool: Pool) -> Picture:
    """Predicted probabilities against what happened."""
    series = []
    for model in models:
        found = reliabilities(model.key, pool)
        for reading in (AS_TRAINED, TEMPERATURE, MEANS) if model.key == OURS else (AS_TRAINED,):
            there = [one[reading] for one in found if reading in one]
            if there:
                ours = model.key == OURS and reading == AS_TRAINED
                series.append(_pooled(f"{model.name}, {reading}", there, ours=ours))
    return Picture(
        f"{domain}-reliability",
        "Reliability",
        "Of pairs that are predicted with a probability, as large a share should turn out to be hidden pairs rather "
        "than noise: the nearer to the diagonal the better. Shaded, one standard error.",
        "predicted probability",
        "observed share",
        tuple(series),
        kind="diagonal",
    )


def _pooled(name: str, found: Sequence[dict[str, Any]], *, ours: bool) -> Series:
    """Bins of all seeds together, weighted by their pairs."""
    bins: dict[float, list[dict[str, Any]]] = {}
    for entry in (entry for one in found for entry in one["bins"]):
        bins.setdefault(entry["lower"], []).append(entry)
    x, y, spread = [], [], []
    for lower in sorted(bins):
        weights = np.array([entry["count"] for entry in bins[lower]], dtype=np.float64)
        x.append(float(np.average([entry["predicted"] for entry in bins[lower]], weights=weights)))
        y.append(float(np.average([entry["observed"] for entry in bins[lower]], weights=weights)))
        errors = np.array([entry["stderr"] for entry in bins[lower]])
        spread.append(float(np.sqrt(((weights / weights.sum() * errors) ** 2).sum())))
    return Series(name, tuple(x), tuple(y), tuple(spread), ours=ours)


def bounds(domain: str, models: tuple[Model, ...], pool: Pool, pairs: int) -> Picture:
    """The lower bound after each epoch, for each pair of training."""
    series = []
    for model in models:
        values = pool.records[model.key][0].facts["bounds"] if model.key in pool.records else []
        if values and model.bayesian:
            x = tuple(float(epoch + 1) for epoch in range(len(values)))
            series.append(
                Series(model.name, x, tuple(value / pairs for value in values), ours=model.key in _BOTH_OF_OURS)
            )
    return Picture(
        f"{domain}-bounds",
        "Lower bound",
        "The variational bound over the number of pairs of users and items in training; each epoch draws new "
        "negatives, so it is noisy.",
        "epoch",
        "bound per pair",
        tuple(series),
    )
