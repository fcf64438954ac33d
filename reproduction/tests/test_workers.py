"""Trainings in several processes: all are done, faults are told, and none outlives the one that asked."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reproduction.running import Progress, run_jobs

SLEEPERS = """
from reproduction.running import Progress
from reproduction.running import run_jobs
from reproduction.tests.test_workers import nothing, sleep

if __name__ == "__main__":
    run_jobs([{folder!r}] * 4, sleep, nothing, (), 2, Progress("sleep", tell=lambda _: None))
"""


def nothing():
    pass


def double(number):
    if number == 13:
        raise ValueError("an unlucky number")
    return f"{2 * number}", 0.0


def sleep(folder):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)
    return "slept", 600.0


def test_every_job_is_done():
    told = []
    run_jobs([1, 2, 3], double, nothing, (), 2, Progress("double", tell=told.append))
    assert sorted(line.split()[2] for line in told if "/" in line) == ["2", "4", "6"]


def test_a_fault_in_a_job_is_told():
    with pytest.raises(ValueError, match="unlucky"):
        run_jobs([1, 13, 3], double, nothing, (), 2, Progress("double", tell=lambda _: None))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_processes_do_not_outlive_the_one_that_asked(tmp_path):
    script = tmp_path / "ask.py"
    script.write_text(SLEEPERS.format(folder=str(tmp_path)))
    asking = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": str(Path.cwd())})
    try:
        ids = _until(
            lambda: [path.name for path in tmp_path.iterdir() if path.name.isdigit()], lambda found: len(found) == 2
        )
    finally:
        asking.send_signal(signal.SIGKILL)
        asking.wait()
    left = _until(lambda: [one for one in ids if _alive(one)], lambda found: not found)
    assert not left


def _until(look, good):
    end = time.monotonic() + 60
    while not good(found := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # a zombie is gone but for its entry
