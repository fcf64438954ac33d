"""Checkpoints: a fit that was interrupted or killed goes on to the same bits, or says why it cannot."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from tests.estimators.test_fit import animals, bits, ctrl_c_raises, model, sentences, shop  # noqa: F401 - a fixture

EPOCHS = 7
ROOT = Path(__file__).parents[2]


def held_out():
    return vbn.Dataset.from_sequences(sentences(30, seed=9), window=2)


def same(a, b):
    return (
        bits(a) == bits(b)
        and a.lower_bounds_.tolist() == b.lower_bounds_.tolist()
        and a.validation_.tolist() == b.validation_.tolist()
        and a.converged_ == b.converged_
    )


def stop_after(epochs):
    return lambda _, epoch: epoch.epoch + 1 >= epochs


@settings(max_examples=30)
@given(
    users=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
    threads=st.tuples(*[st.integers(1, 3)] * 3),
    resample=st.booleans(),
    average=st.sampled_from([1, 2, 5]),
    validate=st.booleans(),
    warm=st.booleans(),
    cut=st.integers(1, EPOCHS),
    every=st.integers(1, 4),
    subsample=st.sampled_from([None, 1e-2]),
)
def test_a_resumed_fit_ends_in_the_same_bits(
    tmp_path_factory, users, dtype, threads, resample, average, validate, warm, cut, every, subsample
):
    folder = tmp_path_factory.mktemp("resume") / "checkpoint"
    data = shop() if users else animals()
    validation = None if not validate else data if users else held_out()
    options = {"dtype": dtype, "resample": resample, "average_epochs": average, "subsample": subsample}

    def start(n_threads, **more):
        fitted = model(**options, epochs=EPOCHS, n_threads=n_threads, **more)
        return fitted.fit(data).set_params(warm_start=True) if warm else fitted

    whole = start(threads[0]).fit(data, validation)
    cut_off = start(threads[1]).set_params(checkpoint=folder, checkpoint_every=every)
    cut_off.fit(data, validation, callbacks=[stop_after(cut)])
    resumed = model(**options, epochs=EPOCHS, n_threads=threads[2]).fit(data, validation, resume_from=folder)
    assert same(resumed, whole)


def test_a_checkpoint_is_a_model(tmp_path):
    fitted = model(checkpoint=tmp_path / "c", epochs=4).fit(animals(), held_out())
    again = vbn.load(tmp_path / "c")
    assert same(again, fitted)
    assert again.similar("dog").scores.tolist() == fitted.similar("dog").scores.tolist()
    assert again.data_ is None
    assert again.checkpoint is None, "where to write is for each run to say"
    again.save(tmp_path / "c")  # a finished model takes its place
    assert len(list((tmp_path / "c").iterdir())) == 3
    with pytest.raises(vbn.ModelFileError, match="no state of a fit"):
        model().fit(animals(), resume_from=tmp_path / "c")


def test_checkpoints_come_every_few_epochs_and_at_the_end(tmp_path):
    seen = []

    def look(*_):
        seen.append(vbn.load(tmp_path / "c").n_iter_ if (tmp_path / "c" / "config.json").exists() else 0)

    model(checkpoint=tmp_path / "c", checkpoint_every=3, epochs=8).fit(animals(), callbacks=[look])
    assert seen == [0, 0, 0, 3, 3, 3, 6, 6]
    assert vbn.load(tmp_path / "c").n_iter_ == 8
    assert len(list((tmp_path / "c").iterdir())) == 4, "old states are swept"


def test_checkpoints_do_not_change_a_fit(tmp_path):
    assert same(model(checkpoint=tmp_path / "c", checkpoint_every=1).fit(animals()), model().fit(animals()))


def test_more_epochs_than_first_planned(tmp_path):
    model(checkpoint=tmp_path / "c", epochs=3).fit(animals())
    assert same(model(epochs=9).fit(animals(), resume_from=tmp_path / "c"), model(epochs=9).fit(animals()))


def test_resuming_a_finished_fit_gives_its_model(tmp_path):
    first = model(checkpoint=tmp_path / "c", epochs=3).fit(animals())
    assert same(model(epochs=3).fit(animals(), resume_from=tmp_path / "c"), first)
    with pytest.raises(vbn.ParameterError, match="already has 3 epochs, more than epochs=2"):
        model(epochs=2).fit(animals(), resume_from=tmp_path / "c")


def test_a_settled_bound_stays_settled(tmp_path):
    options = {"epochs": 300, "tol": 1e-3, "resample": False}
    whole = model(**options, checkpoint=tmp_path / "c").fit(animals())
    assert whole.converged_
    assert same(model(**options).fit(animals(), resume_from=tmp_path / "c"), whole)


def test_callbacks_go_on_with_the_next_epoch(tmp_path):
    model(checkpoint=tmp_path / "c", epochs=3).fit(animals())
    seen = []
    model(epochs=5).fit(
        animals(), callbacks=[lambda m, e: seen.append((e.epoch, m.n_iter_))], resume_from=tmp_path / "c"
    )
    assert seen == [(3, 4), (4, 5)]


@pytest.mark.parametrize("counts", [True, False])
def test_partial_fit_resumes_too(tmp_path, counts):
    more = vbn.Dataset.from_sequences([["the", "wolf", "sleeps"]] * 5, window=2)
    folder = model().fit(animals()).save(tmp_path / "model", counts=counts)
    whole = vbn.load(folder).partial_fit(more)
    cut_off = vbn.load(folder).set_params(checkpoint=tmp_path / "c")
    cut_off.partial_fit(more, callbacks=[stop_after(3)])
    assert same(vbn.load(folder).partial_fit(more, resume_from=tmp_path / "c"), whole)
    if counts:
        assert same(model().fit(animals().merge(more), resume_from=tmp_path / "c"), whole)
    else:
        with pytest.raises(vbn.DataError, match="earlier model"):
            model().fit(animals().merge(more), resume_from=tmp_path / "c")


OTHER_DATA = {
    "rows, counts": lambda: vbn.Dataset.from_sequences(sentences(190), window=2),
    "counts": lambda: vbn.Dataset.from_sequences(sentences(), window=1),
    "taxonomy": lambda: animals().with_taxonomy({"poodle": ["cat"]}),
    "relations": lambda: animals().with_relation("sound", [("dog", "purrs")]),
    "columns": shop,
}


@pytest.mark.parametrize("part", OTHER_DATA)
def test_other_data_is_refused(tmp_path, part):
    model(checkpoint=tmp_path / "c", epochs=2).fit(animals())
    with pytest.raises(vbn.DataError, match="other data") as caught:
        model().fit(OTHER_DATA[part](), resume_from=tmp_path / "c")
    assert all(name in str(caught.value) for name in part.split(", "))


def test_other_validation_data_is_refused(tmp_path):
    model(checkpoint=tmp_path / "c", epochs=2).fit(animals(), held_out())
    for validation in (None, animals()):
        with pytest.raises(vbn.DataError, match="the validation differ"):
            model().fit(animals(), validation, resume_from=tmp_path / "c")


def test_other_parameters_are_refused_and_named(tmp_path):
    model(checkpoint=tmp_path / "c", epochs=2).fit(animals())
    with pytest.raises(vbn.ParameterError, match=r"negatives=3 \(there 2\), seed=1 \(there 0\)"):
        model(negatives=3, seed=1).fit(animals(), resume_from=tmp_path / "c")
    for name, value in {"dim": 5, "dtype": "float64", "alpha": 2.0, "average_epochs": 3, "resample": False}.items():
        with pytest.raises(vbn.ParameterError, match=f"other parameters: {name}="):
            model(**{name: value}).fit(animals(), resume_from=tmp_path / "c")
    free = {"n_threads": 1, "verbose": False, "tol": 1e-9, "warm_start": True, "checkpoint_every": 2}
    assert same(model(**free).fit(animals(), resume_from=tmp_path / "c"), model().fit(animals()))


def test_a_refused_or_damaged_checkpoint_changes_nothing(tmp_path):
    model(checkpoint=tmp_path / "c", epochs=2).fit(animals())
    fitted = model(epochs=3).fit(animals())
    before = bits(fitted)
    state = next((tmp_path / "c").glob("state-*"))
    state.write_bytes(state.read_bytes()[:-1])
    with pytest.raises(vbn.ModelFileError, match="truncated"):
        fitted.fit(animals(), resume_from=tmp_path / "c")
    for folder in (tmp_path / "nothing", 5, b"x"):
        with pytest.raises(vbn.ModelFileError):
            fitted.fit(animals(), resume_from=folder)
    assert bits(fitted) == before
    assert vbn.load(tmp_path / "c").n_iter_ == 2, "the model in it is whole"


@pytest.mark.parametrize("tensor", ["network.u.variance", "average.u.variance", "average.u.mean"])
@pytest.mark.parametrize("damage", ["drop", "shape", "nan", "type"])
def test_a_state_that_does_not_fit(tmp_path, tensor, damage):
    from safetensors.numpy import load_file, save_file

    from tests.storage.making import change_config, read_config

    folder = tmp_path / "c"
    model(checkpoint=folder, epochs=2).fit(animals())
    file = next(folder.glob("state-*"))
    arrays = load_file(file)
    if damage == "drop":
        del arrays[tensor]
    elif damage == "shape":
        arrays[tensor] = arrays[tensor][:-1]
    elif damage == "nan":
        arrays[tensor][0] = np.nan
    else:
        arrays[tensor] = arrays[tensor].astype(np.float64)
    save_file(arrays, file)
    import hashlib

    blob = file.read_bytes()
    entry = {"file": file.name, "sha256": hashlib.sha256(blob).hexdigest(), "bytes": len(blob)}
    change_config(folder, checkpoint=read_config(folder)["checkpoint"] | {"tensors": entry})
    with pytest.raises(vbn.ModelFileError, match=tensor):
        model().fit(animals(), resume_from=folder)


@pytest.mark.parametrize("bad", [5, True, b"x", "", "a\0b", ["x"]], ids=repr)
def test_what_is_no_folder_for_checkpoints(bad):
    with pytest.raises((vbn.ParameterError, vbn.ModelFileError)):
        model(checkpoint=bad).fit(animals())


def test_a_place_that_cannot_be_written_is_found_out_before_the_fit(tmp_path):
    (tmp_path / "file").write_text("x")
    seen = []
    with pytest.raises(vbn.ModelFileError):
        model(checkpoint=tmp_path / "file").fit(animals(), callbacks=[lambda *_: seen.append(1)])
    with pytest.raises(vbn.ParameterError, match="checkpoint_every=0"):
        model(checkpoint=tmp_path / "c", checkpoint_every=0).fit(animals(), callbacks=[lambda *_: seen.append(1)])
    assert not seen


def test_a_checkpoint_that_fails_in_mid_fit_is_a_warning(tmp_path):
    def spoil(_, epoch):
        if epoch.epoch == 3:
            (tmp_path / "c" / "config.json").write_text("not ours any more")

    with pytest.warns(RuntimeWarning, match=r"no checkpoint after \d epochs.*The fit continues") as caught:
        fitted = model(checkpoint=tmp_path / "c", checkpoint_every=2).fit(animals(), callbacks=[spoil])
    assert len(caught) == 3
    assert bits(fitted) == bits(model().fit(animals()))


@pytest.mark.usefixtures("ctrl_c_raises")
def test_ctrl_c_writes_a_checkpoint_to_go_on_from(tmp_path):
    def interrupt(_, epoch):
        if epoch.epoch == 2:
            os.kill(os.getpid(), signal.SIGINT)

    cut_off = model(checkpoint=tmp_path / "c", checkpoint_every=100).fit(animals(), callbacks=[interrupt])
    assert cut_off.interrupted_
    assert cut_off.n_iter_ == vbn.load(tmp_path / "c").n_iter_ < 8
    assert same(model().fit(animals(), resume_from=tmp_path / "c"), model().fit(animals()))


@pytest.mark.usefixtures("ctrl_c_raises")
def test_a_second_ctrl_c_leaves_the_model_and_the_last_checkpoint(tmp_path):
    fitted = model(checkpoint=tmp_path / "c", checkpoint_every=2)

    def interrupt(_, epoch):
        if epoch.epoch == 4:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            signal.pthread_sigmask(signal.SIG_BLOCK, [])  # lets both be handled

    with pytest.raises(KeyboardInterrupt):
        fitted.fit(animals(), callbacks=[interrupt])
    with pytest.raises(vbn.NotFittedError):
        fitted.similar("dog")
    assert vbn.load(tmp_path / "c").n_iter_ == 4
    assert same(model().fit(animals(), resume_from=tmp_path / "c"), model().fit(animals()))


KILLED = """
import os, signal, sys
import vbn
from tests.estimators.test_fit import animals, model
from tests.estimators.test_resume import held_out

real, calls = os.fsync, []
def fsync(handle):
    calls.append(handle)
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    real(handle)
os.fsync = fsync
model(checkpoint=sys.argv[1], checkpoint_every=1, epochs=50).fit(animals(), held_out())
"""


@pytest.mark.parametrize("moment", [21, 26])
def test_a_killed_fit_goes_on_to_the_same_bits(tmp_path, moment):
    """Killed in mid-training, at moments at which a file of a checkpoint is being written."""
    run = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "c"), str(moment)], check=False, cwd=ROOT)
    assert run.returncode == -signal.SIGKILL
    done = vbn.load(tmp_path / "c").n_iter_
    assert 1 <= done < 8
    resumed = model(epochs=done + 3).fit(animals(), held_out(), resume_from=tmp_path / "c")
    assert same(resumed, model(epochs=done + 3).fit(animals(), held_out()))


def tell(model, info):
    """A callback; print would do for a user, but Ray puts one of its own in its place."""


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_wrong_arguments_are_refused_before_training(verb):
    for fitted in (model(), model().fit(animals())):
        before = dict(vars(fitted))
        with pytest.raises(vbn.DataError, match=rf"{verb} takes a vbn\.Dataset, not NoneType"):
            getattr(fitted, verb)(None)
        with pytest.raises(vbn.DataError, match="validation must be"):
            getattr(fitted, verb)(animals(), validation=[("a", "b")])
        with pytest.raises(vbn.ParameterError, match=r"list of functions.*callbacks=\[tell\]"):
            getattr(fitted, verb)(animals(), callbacks=tell)
        with pytest.raises(vbn.ParameterError, match=r"callbacks\[1\]=5 cannot be called"):
            getattr(fitted, verb)(animals(), callbacks=[tell, 5])
        with pytest.raises(vbn.ParameterError, match=r"callbacks\[0\], len, must take two arguments"):
            getattr(fitted, verb)(animals(), callbacks=[len])
        with pytest.raises(vbn.ParameterError, match="callbacks"):
            getattr(fitted, verb)(animals(), callbacks=None)
        assert vars(fitted) == before
