"""The journal of a model folder: replayed on load, counted once whatever happens, removed by the next save."""

import copy
import json
import os
import shutil
import warnings
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vbn
from vbn._errors import VBNWarning
from vbn.estimators import record, replay
from vbn.storage import JOURNAL, Position, read_journal, writing

EVENTS = [("ann", "nuts", 1.0), ("zoe", "tea", 2.5)]


@pytest.fixture(scope="module")
def trained():
    users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee", "dee"] * 5
    items = ["tea", "milk", "tea", "honey", "beer", "nuts", "beer", "crisps"] * 5
    data = vbn.Dataset.from_interactions(users, items)
    return vbn.VBN(dim=3, epochs=5, favour=None, verbose=False).fit(data)


@pytest.fixture
def folder(trained, tmp_path):
    return trained.save(tmp_path / "model")


def bits(model):
    arrays = model.trained_.posterior.arrays()
    return {path: array.tobytes() for path, array in arrays.items()} | {"counts": model.trained_.rows.counts.tobytes()}


def noted(folder, *batches):
    """The model of a folder after it has noted batches of events."""
    model = vbn.load(folder)
    for batch in batches:
        record(model, folder, batch)
    return model


def test_what_is_noted_is_there_after_loading_to_the_bit(folder):
    model = noted(folder, EVENTS, [("zoe", "milk", 1.0)])
    again = vbn.load(folder)
    assert bits(again) == bits(model)
    assert again.data_.counts.total == 40 + 4.5
    assert "nuts" not in again.recommend(user="ann", k=9).entities


def test_replaying_twice_is_replaying_once(folder):
    noted(folder, EVENTS)
    model = vbn.load(folder)
    before = bits(model)
    assert replay(model, folder) == 0
    assert bits(model) == before


def test_save_folds_the_journal_in_and_removes_it(folder):
    model = noted(folder, EVENTS)
    assert (folder / JOURNAL).exists()
    model.save(folder)
    assert not (folder / JOURNAL).exists()
    assert bits(vbn.load(folder)) == bits(model)


def test_a_kill_between_the_save_and_the_removal_counts_nothing_twice(folder):
    model = noted(folder, EVENTS)
    left = (folder / JOURNAL).read_bytes()
    model.save(folder)
    (folder / JOURNAL).write_bytes(left)
    assert bits(vbn.load(folder)) == bits(model)
    more = noted(folder, [("ben", "beer", 1.0)])
    assert bits(vbn.load(folder)) == bits(more)


def test_what_came_after_a_model_was_read_survives_its_save(folder):
    nightly = noted(folder, EVENTS)
    noted(folder, [("ben", "beer", 1.0)], [("yan", "tea", 1.0)])
    nightly.set_params(epochs=2).partial_fit(vbn.Dataset.from_interactions(["cem"], ["tea"])).save(folder)
    assert [batch.number for batch in read_journal(folder).batches] == [2, 3]
    again = vbn.load(folder)
    assert "yan" in again.trained_.rows
    assert "zoe" in again.trained_.rows
    assert again.data_.counts.total == 40 + 3.5 + 1 + 2
    again.save(folder)
    assert not (folder / JOURNAL).exists()


def test_a_model_that_knows_nothing_of_the_journal_leaves_it(trained, folder):
    noted(folder, EVENTS)
    fresh = copy.copy(trained).set_params(seed=3)
    fresh.fit(trained.data_).save(folder)
    assert "zoe" in vbn.load(folder).trained_.rows, "no acknowledged event is lost"


def test_a_fit_from_scratch_has_learned_nothing_of_the_journal(trained, folder):
    noted(folder, EVENTS).fit(trained.data_).save(folder)
    assert "zoe" in vbn.load(folder).trained_.rows


def test_saving_elsewhere_leaves_the_journal(folder, tmp_path):
    model = noted(folder, EVENTS)
    other = model.save(tmp_path / "other")
    assert (folder / JOURNAL).exists()
    assert not (other / JOURNAL).exists()
    assert bits(vbn.load(other)) == bits(vbn.load(folder)) == bits(model)


@pytest.mark.parametrize("kept", [1, 9, -1])
def test_a_torn_last_line_is_told_ignored_and_overwritten(folder, kept):
    model = noted(folder, EVENTS)
    whole = (folder / JOURNAL).read_bytes()
    noted(folder, [("ben", "beer", 1.0)])
    line = (folder / JOURNAL).read_bytes()[len(whole) :]
    (folder / JOURNAL).write_bytes(whole + line[:kept])
    with pytest.warns(VBNWarning, match="last line of .* is incomplete and was ignored; its events were not"):
        again = vbn.load(folder)
    assert bits(again) == bits(model)
    record(again, folder, [("cem", "tea", 1.0)])
    assert bits(vbn.load(folder)) == bits(again)


def test_a_torn_beginning_is_an_empty_journal(folder, trained):
    (folder / JOURNAL).write_bytes(b"0123")
    with pytest.warns(VBNWarning, match="incomplete"):
        model = vbn.load(folder)
    assert bits(model) == bits(trained)
    record(model, folder, EVENTS)
    assert bits(vbn.load(folder)) == bits(model)


def test_a_damaged_line_in_the_middle_is_an_error(folder):
    noted(folder, EVENTS, [("ben", "beer", 1.0)])
    content = bytearray((folder / JOURNAL).read_bytes())
    content[content.index(b"zoe")] ^= 1
    (folder / JOURNAL).write_bytes(bytes(content))
    with pytest.raises(vbn.ModelFileError, match=r"does not match its checksum\. Restore the file"):
        vbn.load(folder)


def line(value):
    text = json.dumps(value).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


HEAD = {"journal": "j", "after": 0}


@pytest.mark.parametrize(
    "lines",
    [
        [{"journal": 3, "after": 0}],
        [{"journal": "j"}],
        [HEAD, {"number": 2, "events": []}],
        [HEAD, {"number": 1, "events": "abc"}],
        [HEAD, {"number": 1, "events": [["a", "b"]]}],
        [HEAD, {"number": 1, "events": [["a", "b", -1.0]]}],
        [HEAD, {"number": 1, "events": [["a", "", 1.0]]}],
        [HEAD, {"number": 1, "events": [["a", "b", True]]}],
    ],
)
def test_a_hostile_journal_is_refused(folder, lines):
    (folder / JOURNAL).write_bytes(b"".join(map(line, lines)))
    with pytest.raises(vbn.ModelFileError, match=JOURNAL):
        vbn.load(folder)


def test_a_journal_that_is_a_link_is_refused(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("keep me")
    (folder / JOURNAL).symlink_to(outside)
    with pytest.raises(vbn.ModelFileError, match="symbolic link"):
        vbn.load(folder)
    with pytest.raises(vbn.ModelFileError, match="symbolic link"), writing(folder):
        pass
    assert outside.read_text() == "keep me"


@pytest.mark.parametrize("wrong", [3, {"journal": "j"}, {"journal": 1, "number": 2}, {"journal": "j", "number": -1}])
def test_a_damaged_position_is_refused(folder, wrong):
    config = json.loads((folder / "config.json").read_text())
    config["record"]["events"] = wrong
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(vbn.ModelFileError, match="position in the journal"):
        vbn.load(folder)


def test_what_the_model_does_not_know_any_more_is_told(trained, folder):
    noted(folder, EVENTS, [("ann", "crisps", 1.0)])
    vbn.VBN(dim=2, epochs=1, favour=None, verbose=False).fit(
        vbn.Dataset.from_interactions(["ann", "ben"], ["tea", "nuts"])
    ).save(folder)
    with pytest.warns(VBNWarning, match=r"an event of .* was left out: the model does not have these entities"):
        model = vbn.load(folder)
    assert "zoe" in model.trained_.rows


def test_refused_events_leave_no_trace(folder):
    model = noted(folder, EVENTS)
    before, content = bits(model), (folder / JOURNAL).read_bytes()
    with pytest.raises(vbn.UnknownEntityError):
        record(model, folder, [("ann", "tea", 1.0), ("ann", "kefir", 1.0)])
    assert bits(model) == before
    assert (folder / JOURNAL).read_bytes() == content


def test_a_disk_that_fails_leaves_no_trace(folder, monkeypatch):
    model = noted(folder, EVENTS)
    before, content = bits(model), (folder / JOURNAL).read_bytes()

    def fail(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(vbn.ModelFileError, match=r"No space left on device\. Nothing was recorded"):
            record(model, folder, [("ann", "tea", 1.0)])
    assert bits(model) == before
    assert (folder / JOURNAL).read_bytes() == content
    record(model, folder, [("ann", "tea", 1.0)])
    assert bits(vbn.load(folder)) == bits(model)


def test_two_writers_see_what_the_other_one_wrote(folder):
    one, two = vbn.load(folder), vbn.load(folder)
    record(one, folder, EVENTS)
    record(two, folder, [("ben", "beer", 1.0)])
    record(one, folder, [("yan", "tea", 1.0)])
    replay(two, folder)
    assert bits(one) == bits(two) == bits(vbn.load(folder))


def test_a_writer_reads_what_is_new_only(folder, monkeypatch):
    model = noted(folder, EVENTS, [("ben", "beer", 1.0)])
    size = (folder / JOURNAL).stat().st_size
    assert model._position.size == size
    assert read_journal(folder, model._position).batches == ()
    assert len(read_journal(folder, Position(model._position.journal, 0)).batches) == 2
    noted(folder, [("cem", "tea", 1.0)])
    assert [batch.number for batch in read_journal(folder, model._position).batches] == [3]


def test_a_copied_folder_takes_its_journal_along(folder, tmp_path):
    model = noted(folder, EVENTS)
    shutil.copytree(folder, tmp_path / "copy")
    assert bits(vbn.load(tmp_path / "copy")) == bits(model)


def test_odd_names_come_back_as_they_were(folder):
    odd = ["two\nlines", "naïve 🎉", "half \udc80", '"quoted"', "\u2028", "a\x85b\x1cc"]
    noted(folder, [(name, "tea", 1.0) for name in odd])
    assert set(odd) <= set(vbn.load(folder).trained_.rows.names)


def test_weights_come_back_to_the_bit(folder):
    model = noted(folder, [("ann", "tea", 0.1 + 0.2), ("ben", "tea", 1 / 3)])
    assert bits(vbn.load(folder)) == bits(model)


@settings(max_examples=15, deadline=None)
@given(
    batches=st.lists(
        st.lists(
            st.tuples(st.sampled_from(["ann", "ben", "zoe"]), st.sampled_from(["tea", "beer"]), st.floats(0.1, 3.0)),
            min_size=1,
            max_size=4,
        ),
        max_size=5,
    ),
    cut=st.integers(0, 400),
)
def test_after_a_kill_at_any_byte_the_first_batches_are_there(trained, tmp_path_factory, batches, cut):
    """Whatever was written before the kill: whole batches from the beginning, in order, and no other."""
    folder = trained.save(tmp_path_factory.mktemp("kill") / "model")
    states, sizes = [bits(trained)], [0]
    model = vbn.load(folder)
    for batch in batches:
        record(model, folder, batch)
        states.append(bits(model))
        sizes.append((folder / JOURNAL).stat().st_size)
    kept = min(cut, sizes[-1])
    if batches:
        (folder / JOURNAL).write_bytes((folder / JOURNAL).read_bytes()[:kept])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VBNWarning)
        found = bits(vbn.load(folder))
    assert found == states[max(at for at, size in enumerate(sizes) if size <= kept)]
