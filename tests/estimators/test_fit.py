"""What a user relies on when fitting: monotone bounds, the same bits, clear errors, nothing half done."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import vbn
from vbn.estimators import training

WORDS = ["dog", "cat", "poodle", "barks", "purrs", "sleeps", "the", "a"]


def sentences(n=200, seed=0):
    rng = np.random.default_rng(seed)
    patterns = [["a", "dog", "barks"], ["the", "cat", "purrs"], ["the", "dog", "sleeps"], ["a", "cat", "sleeps"]]
    return [patterns[i] for i in rng.integers(0, 4, n)] + [["the", "poodle", "barks"]]


def animals():
    data = vbn.Dataset.from_sequences(sentences(), window=2)
    data = data.with_taxonomy({"poodle": ["dog"], "dog": ["animal"], "cat": ["animal"], "cow": ["animal"]})
    return data.with_relation("sound", [("dog", "barks"), ("cat", "purrs")])


def shop():
    rng = np.random.default_rng(1)
    users = [f"u{i}" for i in rng.integers(0, 40, 600)]
    items = [f"i{i}" for i in np.minimum(rng.zipf(1.5, 600), 30)]
    data = vbn.Dataset.from_interactions(users, items)
    return data.with_taxonomy({f"i{i}": [f"g{i % 3}"] for i in range(1, 31)}, side="column")


def model(**options):
    return vbn.VBN(**({"dim": 6, "epochs": 8, "verbose": False, "relation_rank": 2} | options))


def bits(fitted):
    return {name: array.tobytes() for name, array in fitted.trained_.posterior.arrays().items()}


@pytest.mark.parametrize("data", [animals(), shop()], ids=["words", "users x items"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bound_never_falls_on_a_fixed_sample(data, dtype):
    bounds = model(resample=False, epochs=40, dtype=dtype).fit(data).lower_bounds_
    assert bounds.dtype == np.float64
    assert len(bounds) == 40
    tolerance = 1e-10 if dtype == "float64" else 1e-6
    assert (np.diff(bounds) >= -tolerance * np.abs(bounds[:-1])).all()
    assert bounds[-1] > bounds[0]


@pytest.mark.parametrize("data", [animals(), shop()], ids=["words", "users x items"])
def test_same_bits_for_any_number_of_threads(data, monkeypatch):
    monkeypatch.setattr("vbn.sampling.sampler._CELLS_PER_TASK", 16)
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_TASK", 16)
    monkeypatch.setattr("vbn.model.priors.hierarchy.CATEGORIES_PER_TASK", 1)
    one, two, five = (model(n_threads=n, subsample=1e-2).fit(data) for n in (1, 2, 5))
    assert bits(one) == bits(two) == bits(five)
    assert one.lower_bounds_.tolist() == two.lower_bounds_.tolist() == five.lower_bounds_.tolist()


def test_how_rows_are_divided_does_not_matter(monkeypatch):
    whole = model().fit(animals())
    monkeypatch.setattr("vbn.sampling.sampler._CELLS_PER_TASK", 3)
    monkeypatch.setattr("vbn.model.epoch._CELLS_PER_TASK", 3)
    assert bits(whole) == bits(model().fit(animals()))


def test_seed_matters():
    assert bits(model().fit(animals())) != bits(model(seed=1).fit(animals()))


def test_long_rows_take_another_way_to_the_same_numbers(monkeypatch):
    """Rows beyond the direct pass go through the Gram matrix."""
    direct = model(epochs=3, dtype="float64").fit(shop())
    monkeypatch.setattr("vbn.model.likelihoods.cooccurrence.DIRECT_CELLS", 5)
    gram = model(epochs=3, dtype="float64").fit(shop())
    for name, array in direct.trained_.posterior.arrays().items():
        np.testing.assert_allclose(gram.trained_.posterior.arrays()[name], array, rtol=1e-7, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("without", ["taxonomy", "relations", "both"])
def test_any_ingredient_may_be_absent(without):
    data = vbn.Dataset.from_sequences(sentences(), window=2)
    if without == "relations":
        data = data.with_taxonomy({"dog": "animal"})
    if without == "taxonomy":
        data = data.with_relation("sound", [("dog", "barks")])
    fitted = model().fit(data)
    assert np.isfinite(fitted.lower_bounds_).all()


def test_relations_may_have_different_ranks():
    data = animals().with_relation("opposite", [("dog", "cat")], symmetric=True)
    fitted = model(relation_space="joint", relation_rank={"sound": 1, "opposite": 3}).fit(data)
    assert [relation.rank for relation in fitted.trained_.posterior.relations] == [1, 3]


def test_a_larger_alpha_ties_entities_closer_to_their_parents():
    def gap(alpha):
        fitted = model(alpha={"entity": alpha}, epochs=20).fit(animals())
        parent = fitted.posterior("animal", role="category").mean
        return np.linalg.norm(fitted.posterior("cat").mean - parent)

    assert gap(100.0) < gap(1.0)


def test_entities_without_data_get_a_density_from_their_parents():
    """As far from them as their siblings are, and as uncertain as that and the parents together."""
    fitted = model().fit(animals())
    parent = fitted.posterior("animal", role="category")
    cow = fitted.posterior("cow")
    np.testing.assert_allclose(cow.mean, parent.mean, rtol=1e-5)
    u, siblings = fitted.trained_.posterior.u, fitted.trained_.rows.ids(["dog", "cat"])
    # Variances are averaged, and those with little data count most; two are few: they borrow from all words.
    weight, spread = u.gamma.alpha, u.gamma.alpha / u.tau
    total, of_all = (3 * each[u.active].mean() + each[siblings].sum() for each in (weight, spread))
    tau = total / of_all
    np.testing.assert_allclose(cow.variance, 1.0 / tau + parent.variance, rtol=1e-5)
    np.testing.assert_allclose(u.tau[fitted.trained_.rows.id("cow")], tau, rtol=1e-5)
    assert (cow.std > fitted.posterior("dog").std).all()


def test_the_papers_density_of_entities_without_data():
    fitted = model(cold_precision="mean_field", alpha=1.0, beta=1.0).fit(animals())
    parent = fitted.posterior("animal", role="category")
    cow = fitted.posterior("cow")
    np.testing.assert_allclose(cow.mean, parent.mean, rtol=1e-5)
    expected = 1.0 + 0.5 * 6 * parent.variance[0]  # (beta + t V / 2) / alpha
    np.testing.assert_allclose(cow.variance, expected, rtol=1e-5)
    assert (cow.std > fitted.posterior("dog").std).all()


def test_tolerance_stops_early():
    fitted = model(epochs=500, tol=1e-3, resample=False).fit(animals())
    assert fitted.converged_
    assert fitted.n_iter_ == len(fitted.lower_bounds_) < 500


def test_validation_is_recorded_and_improves():
    fitted = model(epochs=15).fit(animals(), validation=vbn.Dataset.from_sequences(sentences(50, seed=9), window=2))
    assert len(fitted.validation_) == 15
    assert fitted.validation_[-1] > fitted.validation_[0]


def test_validation_without_a_known_pair_is_an_error():
    with pytest.raises(vbn.DataError, match="no pair of the validation data"):
        model().fit(animals(), validation=vbn.Dataset.from_pairs(["x"], ["y"]))


def test_callbacks_see_a_usable_model_and_can_stop():
    seen = []

    def callback(fitted, epoch):
        seen.append((epoch.epoch, fitted.similar("dog", k=1)[0].entity, fitted.posterior("cow").mean.shape))
        return epoch.epoch == 2

    fitted = model().fit(animals(), callbacks=[callback])
    assert [epoch for epoch, *_ in seen] == [0, 1, 2]
    assert fitted.n_iter_ == 3


def test_warm_start_goes_on_where_it_was():
    data = animals()
    fitted = model(resample=False, warm_start=True, epochs=10).fit(data)
    before = fitted.lower_bound_
    fitted.fit(data)
    assert fitted.lower_bounds_[0] >= before - 1e-6 * abs(before)
    assert model(resample=False, epochs=1).fit(data).lower_bound_ < before


def test_partial_fit_is_a_warm_started_fit_on_the_merged_counts():
    first, more = animals(), vbn.Dataset.from_sequences([["the", "wolf", "sleeps"]] * 5, window=2)
    partial = model().fit(first).partial_fit(more)
    merged = model(warm_start=True).fit(first)
    merged.fit(first.merge(more))
    assert bits(partial) == bits(merged)
    assert "wolf" in partial.trained_.rows
    assert partial.posterior("wolf").mean.shape == (6,)


def test_a_failing_fit_leaves_the_model_as_it_was():
    fitted = model().fit(animals())
    before = bits(fitted)

    def explode(fitted, epoch):
        raise RuntimeError("stop here")

    with pytest.raises(RuntimeError, match="stop here"):
        fitted.fit(shop(), callbacks=[explode])
    assert bits(fitted) == before
    assert len(fitted.lower_bounds_) == 8


def test_nan_stops_with_the_name_of_the_entity(monkeypatch):
    def poison(network, *_):
        network.posterior.u.mean[2, 0] = np.nan
        return 0.0, None

    monkeypatch.setattr("vbn.model.fit.run_epoch", poison)
    data = animals()
    with pytest.raises(vbn.NumericalError, match=f"row entity '{data.rows[2]}'.*float64"):
        model().fit(data)


@pytest.fixture
def ctrl_c_raises():
    """A test run in the background starts with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_where_ctrl_c_is_ignored_it_stays_ignored(ctrl_c_raises):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    seen = []
    model().fit(animals(), callbacks=[lambda *_: seen.append(signal.getsignal(signal.SIGINT))])
    assert set(seen) == {signal.SIG_IGN}


@pytest.mark.usefixtures("ctrl_c_raises")
def test_a_second_ctrl_c_stops_at_once_and_changes_nothing():
    fitted = model(epochs=10_000)

    def interrupt(_, epoch):
        if epoch.epoch == 2:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            signal.pthread_sigmask(signal.SIG_BLOCK, [])  # lets both be handled

    with pytest.raises(KeyboardInterrupt):
        fitted.fit(animals(), callbacks=[interrupt])
    with pytest.raises(vbn.NotFittedError):
        fitted.similar("dog")


@pytest.mark.usefixtures("ctrl_c_raises")
def test_ctrl_c_keeps_the_last_whole_epoch():
    fitted = model(epochs=10_000)

    def interrupt(_, epoch):
        if epoch.epoch == 3:
            os.kill(os.getpid(), signal.SIGINT)

    fitted.fit(animals(), callbacks=[interrupt])
    assert 4 <= fitted.n_iter_ <= 6
    assert np.isfinite(fitted.posterior("dog").mean).all()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_fit_works_outside_the_main_thread():
    fitted = model()
    thread = threading.Thread(target=fitted.fit, args=(animals(),))
    thread.start()
    thread.join()
    assert fitted.n_iter_ == 8


def test_silent_and_verbose(capfd):
    model().fit(animals())
    assert capfd.readouterr() == ("", "")
    model(verbose=True).fit(animals())
    out, err = capfd.readouterr()
    assert out == ""
    assert "epoch 8/8" in err
    assert "cells/s" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 0}, "dim=0"),
        ({"dim": 2.5}, "dim=2.5"),
        ({"epochs": -1}, "epochs=-1"),
        ({"negatives": 0}, "negatives=0"),
        ({"negatives": float("nan")}, "negatives=nan"),
        ({"noise_power": "x"}, "noise_power='x'"),
        ({"subsample": 0.0}, "subsample=0.0"),
        ({"alpha": {"entty": 1.0}}, "no kind 'entty'"),
        ({"beta": -1.0}, "beta"),
        ({"dtype": "float16"}, "dtype='float16'"),
        ({"engine": "spark"}, "engine='spark'"),
        ({"reject_positives": "maybe"}, "reject_positives='maybe'"),
        ({"relation_rank": 0}, "relation_rank=0"),
        ({"n_threads": 0}, "n_threads=0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(vbn.ParameterError, match=message):
        model(**options).fit(animals())


def test_what_is_not_a_dataset_is_refused():
    with pytest.raises(vbn.DataError, match=r"vbn\.Dataset"):
        model().fit([["a", "b"]])


def test_an_unfitted_model_says_so():
    with pytest.raises(vbn.NotFittedError, match="has not been fitted"):
        model().similar("dog")


def test_parameters_as_in_scikit_learn():
    estimator = model(dim=7)
    assert estimator.get_params()["dim"] == 7
    assert repr(estimator) == "VBN(dim=7, epochs=8, relation_rank=2, verbose=False)"
    assert estimator.set_params(dim=9).dim == 9
    with pytest.raises(vbn.ParameterError, match="no parameter 'dims'"):
        estimator.set_params(dims=1)


def test_import_is_light():
    """numba and scipy come with the first fit."""
    code = "import sys, vbn, vbn.data; print([m for m in ('numba', 'scipy', 'pandas', 'rich') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


@pytest.mark.usefixtures("ctrl_c_raises")
def test_ctrl_c_while_kernels_compile_is_not_lost(monkeypatch):
    """Raised inside the compiler it would be swallowed; so it is remembered, and ends the fit before any epoch."""
    monkeypatch.setattr(training, "warm_up", lambda *_: os.kill(os.getpid(), signal.SIGINT))
    model = vbn.VBN(dim=2, epochs=3, verbose=False)
    with pytest.raises(KeyboardInterrupt):
        model.fit(vbn.Dataset.from_pairs(["a"], ["b"]))
    with pytest.raises(vbn.NotFittedError):
        model.similar("a")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_process_that_helps_to_compile_compiles_what_a_fit_calls(dtype):
    from vbn.estimators import compile_entities
    from vbn.kernels.entities import update_entities

    vbn.VBN(dim=2, epochs=1, dtype=dtype, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
    called = list(update_entities.signatures)
    compile_entities(np.dtype(dtype))
    assert update_entities.signatures == called


@pytest.mark.parametrize(
    ("more", "loaded"),
    [("", set()), (".with_taxonomy({'a': ['c']})", {"hierarchy"}), (".with_relation('r', [('a', 'b')])", {"gram"})],
)
def test_a_fit_compiles_no_kernels_of_what_its_data_lacks(more, loaded):
    """In a process of its own: the kernels of a room are compiled where they are imported first."""
    program = (
        "import sys, vbn; from vbn.kernels.hierarchy import update_categories, colour_categories; "
        f"data = vbn.Dataset.from_pairs(['a', 'b'], ['b', 'a']){more}; "
        "vbn.VBN(dim=2, epochs=1, relation_space='joint', verbose=False).fit(data); "
        "print('hierarchy' if update_categories.signatures or colour_categories.signatures else '', "
        "*('gram' for name in sys.modules if name == 'vbn.kernels.gram'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == loaded


def test_without_compiled_kernels_it_says_what_to_do():
    program = "import vbn; vbn.VBN(dim=2, verbose=False).fit(vbn.Dataset.from_pairs(['a', 'b'], ['b', 'a']))"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "unset the environment variable NUMBA_DISABLE_JIT" in done.stderr
