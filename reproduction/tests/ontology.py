"""Simulated diseases and an ontology of five levels with several parents: small enough to be reproduced in a test."""

from __future__ import annotations

import itertools
from datetime import date

import numpy as np

from reproduction.domains import Domain, of_phenotypes
from vbn.datasets import Interactions, Phenotypes

SYSTEMS, ORGANS, SIGNS, FORMS = 5, 3, 4, 4


def simulated(diseases: int = 200, seed: int = 0) -> Phenotypes:
    """Each disease is of one organ, and of another that goes with it; a form of a sign may belong to two signs."""
    rng = np.random.default_rng(seed)
    parents: dict[str, tuple[str, ...]] = {"root": ()}
    organs: list[list[str]] = []
    for system in range(SYSTEMS):
        parents[f"s{system}"] = ("root",)
        for organ in range(ORGANS):
            name = f"s{system}o{organ}"
            parents[name] = (f"s{system}",)
            signs = [f"{name}t{sign}" for sign in range(SIGNS)]
            parents |= dict.fromkeys(signs, (name,))
            forms = [f"{sign}f{form}" for sign, form in itertools.product(signs, range(FORMS))]
            for form in forms:
                own = form.rpartition("f")[0]
                other = signs[int(rng.integers(SIGNS))]
                parents[form] = tuple(dict.fromkeys((own, other))) if rng.random() < 0.3 else (own,)
            organs.append([*signs, *forms])
    rows, popular = [], 1.0 / np.arange(1, len(organs[0]) + 1) ** 0.7
    for disease in range(diseases):
        first = int(rng.integers(len(organs)))
        both = organs[first] + organs[(first + SYSTEMS) % len(organs)]
        weights = np.tile(popular, 2) * rng.gamma(0.7, size=len(both))
        chosen = rng.choice(both, size=int(rng.integers(3, 13)), replace=False, p=weights / weights.sum())
        for item in chosen:
            day = date(int(rng.choice([2019, 2020, 2021, 2023])), 1 + int(rng.integers(12)), 1)
            rows.append((f"d{disease}", str(item), 1.0, day.toordinal()))
    names = {node: f"label of {node}" for node in parents}
    pairs = Interactions.collect(rows)
    return Phenotypes(pairs, {name: name for name in pairs.users}, names, parents, {}, "simulated")


def domain() -> Domain:
    """The simulation as `reproduction.domains` would load it."""
    return of_phenotypes(simulated())
