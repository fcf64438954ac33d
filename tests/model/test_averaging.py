"""Averaging over epochs: natural parameters, a plain mean at first, a moving one later."""

import numpy as np

from vbn.model import Hyperpriors, PartGraph, start_posterior
from vbn.model._averaging import _GAUSSIANS, _PLAIN, RunningAverage


def posterior(seed):
    graph = PartGraph.build(None, np.ones(3, dtype=bool))
    result = start_posterior(graph, graph, [2], 4, Hyperpriors(), seed, np.dtype(np.float64))
    rng = np.random.default_rng(seed)
    for array in result.arrays().values():
        if array.dtype == np.float64:
            array[...] = rng.uniform(0.5, 2.0, array.shape)
    return result


def test_every_array_is_averaged():
    averaged = {path for pair in _GAUSSIANS for path in pair} | set(_PLAIN) | {"offsets"}
    assert averaged == set(posterior(0).arrays())


def test_mean_of_natural_parameters():
    average = RunningAverage(span=5)
    seen = [posterior(seed) for seed in range(3)]
    for one in seen:
        average.add(one)
    result = average.posterior()
    precision = np.mean([1 / one.u.variance for one in seen], axis=0)
    linear = np.mean([one.u.mean / one.u.variance for one in seen], axis=0)
    np.testing.assert_allclose(result.u.variance, 1 / precision)
    np.testing.assert_allclose(result.u.mean, linear / precision)
    np.testing.assert_allclose(result.v.tau_rate, np.mean([one.v.tau_rate for one in seen], axis=0))


def test_old_epochs_fade():
    average = RunningAverage(span=3)
    average.add(posterior(0))
    for _ in range(60):
        average.add(posterior(1))
    for path, array in posterior(1).arrays().items():
        np.testing.assert_allclose(average.posterior().arrays()[path], array, rtol=1e-6, err_msg=path)


def test_averaging_leaves_its_input_alone():
    average, one = RunningAverage(span=2), posterior(0)
    before = one.u.mean.copy()
    average.add(one)
    average.add(posterior(1))
    average.posterior().u.mean[:] = 9.0
    assert (one.u.mean == before).all()
