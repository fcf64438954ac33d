"""Runs kept by content."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.cache import Cache, Record, fingerprint
from vbn import DataError, ParameterError

WHAT = {"data": "abc", "model": "ALS", "parameters": {"dim": 50}}


def record() -> Record:
    return Record({"seconds": 1.5, "bounds": [-2.0, -1.0]}, {"above": np.arange(6.0).reshape(2, 3)})


def test_what_was_computed_once_comes_back_whole(tmp_path):
    calls = []

    def compute() -> Record:
        calls.append(1)
        return record()

    Cache(tmp_path / "new").run(WHAT, compute)
    again = Cache(tmp_path / "new").run(WHAT, compute)
    assert len(calls) == 1
    assert again.facts == record().facts
    np.testing.assert_array_equal(again.arrays["above"], record().arrays["above"])


@pytest.mark.parametrize(
    "other", [{"data": "abd"}, {"model": "BPR"}, {"parameters": {"dim": 51}}, {"parameters": {"dim": 50, "seed": 0}}]
)
def test_any_change_is_another_run(tmp_path, other):
    cache = Cache(tmp_path)
    cache.keep(WHAT, record())
    assert cache.find({**WHAT, **other}) is None


def test_a_change_of_the_code_is_another_run(tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    cache.keep(WHAT, record())
    monkeypatch.setattr("reproduction.cache.SALT", "another")
    assert cache.find(WHAT) is None


def test_a_broken_file_is_told_and_done_anew(tmp_path):
    said: list[str] = []
    cache = Cache(tmp_path, said.append)
    cache.keep(WHAT, record())
    path = cache.path(WHAT)
    path.write_bytes(path.read_bytes()[:50])
    assert cache.run(WHAT, lambda: Record({"new": 1})).facts == {"new": 1}
    assert path.name in said[0]
    assert cache.find(WHAT).facts == {"new": 1}


def test_a_failed_write_leaves_nothing(tmp_path):
    cache = Cache(tmp_path)
    with pytest.raises(ValueError):
        cache.keep(WHAT, Record({"not a number": float("nan")}))
    with pytest.raises(ParameterError, match="objects"):
        cache.keep(WHAT, Record({}, {"names": np.array(["a"], dtype=object)}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals of Unix")
def test_runs_before_a_kill_are_kept(tmp_path):
    program = (
        "import os, signal\n"
        "from reproduction.cache import Cache, Record\n"
        f"cache = Cache({str(tmp_path)!r})\n"
        "cache.run({'n': 1}, lambda: Record({'n': 1}))\n"
        "cache.run({'n': 2}, lambda: os.kill(os.getpid(), signal.SIGKILL))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], env=os.environ, check=False)
    assert ended.returncode == -signal.SIGKILL
    cache = Cache(tmp_path)
    assert cache.run({"n": 1}, lambda: Record({"n": "again"})).facts == {"n": 1}
    assert cache.find({"n": 2}) is None


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
contents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def _marked(content: object) -> object:
    """Like repr, but blind to the order of keys."""
    if isinstance(content, dict):
        return ("dict", sorted((key, repr(_marked(value))) for key, value in content.items()))
    return ("list", [_marked(entry) for entry in content]) if isinstance(content, list) else repr(content)


@given(contents, contents)
def test_fingerprints_are_equal_where_contents_are(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (_marked(one) == _marked(other))


def test_fingerprints_tell_arrays_apart():
    a = np.arange(6)
    assert fingerprint(a) != fingerprint(a.reshape(2, 3))
    assert fingerprint(a) != fingerprint(a.astype(np.float64))
    with pytest.raises(DataError, match="set"):
        fingerprint({"a": {1, 2}})
