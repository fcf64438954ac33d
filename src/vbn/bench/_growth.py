"""Rows about size: seconds an epoch as the data grows, and memory beside what must be held."""

from __future__ import annotations

import numpy as np

from vbn.bench._child import in_child
from vbn.bench._generated import counts
from vbn.bench._row import Figure, Outcome, Setting
from vbn.bench._training import epochs, prepared
from vbn.engines import ThreadEngine

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
from vbn.bench._child import forget_peak
from vbn.bench._generated import counts
data = counts({int(50_000_000 * setting.scale)}, {int(500_000 * setting.scale)}, {int(50_000 * setting.scale)})
only_the_fit = forget_peak()
model = vbn.VBN(dim=50, negatives=1, epochs=2, verbose=False).fit(data)
c, q = data.counts, model._model().posterior
facts = {{
    "counts": c.nbytes,
    "posterior": sum(array.nbytes for array in q.arrays().values()),
    "cells": c.nnz,
    "peak of the fit alone": only_the_fit,
}}
"""
    found = in_child(code)
    held = found["facts"]["counts"] + found["facts"]["posterior"]
    return Outcome((Figure("peak / held", found["peak"] / held, 2.5, at_least=False),), found)
