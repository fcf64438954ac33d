"""Averaging over epochs: natural parameters, a plain mean at first, a moving one later."""

import numpy as np

from vbn.data import Vocabulary
from vbn.model import COLUMN, ROW, Blueprint, Hyperpriors, RelationInfo, RunningAverage, Side


def posterior(seed):
    names, active = Vocabulary(["a", "b", "c"]), np.ones(3, dtype=bool)
    sides = [Side(name, names, None, active) for name in (ROW, COLUMN)]
    relations = [RelationInfo("r", symmetric=False, rank=2)]
    priors = {"u": [], "v": [], "bias": ["centre"]}
    result = Blueprint(*sides, relations, 4, np.dtype(np.float64), Hyperpriors(), priors).build()
    rng = np.random.default_rng(seed)
    for array in result.arrays().values():
        array[...] = rng.uniform(0.5, 2.0, array.shape)
    return result


def test_every_array_is_averaged():
    average = RunningAverage(span=5)
    average.add(posterior(0))
    average.add(posterior(1))
    theirs = [posterior(seed).arrays() for seed in (0, 1)]
    for path, array in average.posterior().arrays().items():
        one, other = (arrays[path] for arrays in theirs)
        assert (array >= np.minimum(one, other) - 1e-12).all(), path
        assert (array <= np.maximum(one, other) + 1e-12).all(), path
        assert (array != theirs[0][path]).any(), path


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
    np.testing.assert_allclose(result.v.rate, np.mean([one.v.rate for one in seen], axis=0))


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


def test_the_last_posterior_takes_over_the_arrays_and_the_average_begins_again():
    average = RunningAverage(span=5)
    for seed in range(3):
        average.add(posterior(seed))
    copied, held = average.posterior().arrays(), average.arrays()
    last = average.posterior(last=True).arrays()
    for path, array in last.items():
        assert array is held[path], path
        np.testing.assert_array_equal(array, copied[path])
    assert (average.seen, average.arrays()) == (0, {})
    average.add(posterior(7))
    np.testing.assert_allclose(average.posterior().u.mean, posterior(7).u.mean)
