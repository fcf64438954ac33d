"""Long text is learned with longer steps, everything else with steps to the best place."""

import numpy as np
import pytest

import vbn
from vbn.estimators import reach

TEXT = [["tea", "with", "milk"], ["coffee", "with", "sugar"], ["tea", "and", "coffee"]] * 20


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (vbn.Dataset.from_sequences(TEXT, window=2), 1.5),
        (vbn.Dataset.from_baskets(TEXT), 1.0),
        (vbn.Dataset.from_interactions(["ann", "ben"], ["tea", "milk"]), 1.0),
    ],
)
def test_only_long_text_has_longer_steps(data, expected, monkeypatch):
    assert reach(data) == 1.0
    monkeypatch.setattr("vbn.estimators.automatic._PAIRS", data.counts.nnz)
    assert reach(data) == expected


def test_a_fit_of_text_rises_faster_and_never_falls_on_a_fixed_sample(monkeypatch):
    data, bounds = vbn.Dataset.from_sequences(TEXT, window=2), {}
    for far in (1.0, 1.5):
        monkeypatch.setattr("vbn.estimators.vbn.reach", lambda _, far=far: far)
        model = vbn.VBN(dim=4, epochs=12, resample=False, dtype="float64", verbose=False).fit(data)
        bounds[far] = np.array(model.lower_bounds_)
        assert (np.diff(bounds[far]) > -1e-9).all()
    assert bounds[1.5][-1] > bounds[1.0][-1]
