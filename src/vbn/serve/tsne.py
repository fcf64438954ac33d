"""t-SNE in a process of its own, with low priority and on half of the cores: the server keeps answering meanwhile.

`places` runs this file as a script. It needs numpy and openTSNE only, and ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

_LOOKS = 0.25  # seconds between checks whether the places are still wanted
_NICE = 5
_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_GIVEN, _MADE, _TOLD = "given.npz", "places.npy", "told.txt"


class NotWantedError(Exception):
    """The places are no longer needed."""


class TSNEFailedError(Exception):
    """The process ended without places."""


def places(vectors: np.ndarray, start: np.ndarray, seed: int, jobs: int, wanted: Callable[[], bool]) -> np.ndarray:
    """Return places in the plane for vectors of length 1 and initial places, on so many cores.

    `wanted` is called now and then; if it returns False, the process is stopped and `NotWantedError` raised.
    """
    with tempfile.TemporaryDirectory(prefix="vbn-map-") as made:
        folder = Path(made)
        np.savez(folder / _GIVEN, vectors=vectors, start=start)
        with (folder / _TOLD).open("wb") as told:
            command = [sys.executable, "-P", __file__, str(folder), str(seed), str(jobs)]
            settings = {**os.environ, **dict.fromkeys(_LIMITS, str(jobs))}
            streams: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": told}
            process = subprocess.Popen(command, env=settings, **streams)  # its input is open until this process ends
            try:
                _wait(process, wanted)
            finally:
                process.kill()
                process.communicate()
        if process.returncode != 0:
            last = (folder / _TOLD).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise TSNEFailedError(last[-1] if last else f"t-SNE ended with status {process.returncode}")
        return np.asarray(np.load(folder / _MADE, allow_pickle=False))


def _wait(process: subprocess.Popen[bytes], wanted: Callable[[], bool]) -> None:
    while process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_LOOKS)
        if process.returncode is None and not wanted():
            raise NotWantedError


def _end_with_our_parent(folder: Path) -> None:
    while os.read(0, 1):  # not sys.stdin, whose lock the interpreter needs when it ends
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _main(folder: Path, seed: int, jobs: int) -> None:
    threading.Thread(target=_end_with_our_parent, args=(folder,), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICE)
    import openTSNE

    with np.load(folder / _GIVEN, allow_pickle=False) as given:
        vectors, start = given["vectors"], given["start"]
    spread = np.maximum(start.std(axis=0)[0], 1e-12)
    perplexity, initial = min(30.0, (len(vectors) - 1) / 3), start / spread * 1e-4
    model = openTSNE.TSNE(
        perplexity=perplexity, initialization=initial, metric="cosine", random_state=seed, n_jobs=jobs
    )
    np.save(folder / _MADE, np.asarray(model.fit(vectors)))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
