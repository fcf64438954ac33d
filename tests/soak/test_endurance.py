"""The long run, made short: that it runs at all, and sees memory that grows."""

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("memory is read from /proc", allow_module_level=True)

from tests.soak import endurance


def test_a_short_run_asks_every_kind_of_query():
    runs, same = endurance.endured(epochs=2, number=100)
    assert same
    assert [run["number"] for run in runs] == [2, 100]
    assert runs[1]["looks"][-1]["done"] == 100


def test_memory_that_grows_is_seen(monkeypatch):
    held = iter(range(0, 2000, 10))
    monkeypatch.setattr(endurance, "resident_mb", lambda: next(held))
    assert not endurance.watched("nothing", 20, lambda _: None)["flat"]
