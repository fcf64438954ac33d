"""t-SNE in a process of its own: of low priority, on half of the cores, so that a server goes on answering meanwhile.

`places` runs this file as a script. It needs numpy and openTSNE only, and ends with the process that started it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

_LOOKS = 0.25  # seconds between looks whether the places are still wanted
_NICE = 5
_GIVEN, _MADE, _TOLD = "given.npz", "places.npy", "told.txt"


class NotWantedError(Exception):
    """Nobody waits for these places any more."""


class TSNEFailedError(Exception):
    """It ended without places."""


def places(vectors: np.ndarray, start: np.ndarray, seed: int, jobs: int, wanted: Callable[[], bool]) -> np.ndarray:
    """Places in the plane, by cosine.

    Parameters
    ----------
    vectors
        Of length 1.
    start
        Where each begins: (n, 2).
    seed
        Of its draws.
    jobs
        Cores that it may use.
    wanted
        Asked now and then; where it says no, the process is ended.

    Raises
    ------
    NotWantedError
        Where `wanted` said no.
    TSNEFailedError
        Where the process failed, with its last words.
    """
    with tempfile.TemporaryDirectory(prefix="vbn-map-") as made:
        folder = Path(made)
        np.savez(folder / _GIVEN, vectors=vectors, start=start)
        with (folder / _TOLD).open("wb") as told:
            command = [sys.executable, "-P", __file__, str(folder), str(seed), str(jobs)]
            # its input stays open for as long as we live
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=told, env=_environment(jobs)
            )
            try:
                _wait(process, wanted)
            finally:
                process.kill()
                process.communicate()
        if process.returncode != 0:
            last = (folder / _TOLD).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise TSNEFailedError(last[-1] if last else f"t-SNE ended with status {process.returncode}")
        result: np.ndarray = np.load(folder / _MADE, allow_pickle=False)
        return result


def _wait(process: subprocess.Popen[bytes], wanted: Callable[[], bool]) -> None:
    while True:
        try:
            process.wait(timeout=_LOOKS)
        except subprocess.TimeoutExpired:
            if not wanted():
                raise NotWantedError from None
        else:
            return


def _environment(jobs: int) -> dict[str, str]:
    limits = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(limits, str(jobs))}


def _end_with_our_parent(folder: Path) -> None:
    while os.read(0, 1):  # past sys.stdin, whose lock the interpreter wants at its end
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
    made = openTSNE.TSNE(
        perplexity=min(30.0, (len(vectors) - 1) / 3), initialization=start / spread * 1e-4, metric="cosine",
        random_state=seed, n_jobs=jobs,
    ).fit(vectors)  # fmt: skip
    np.save(folder / _MADE, np.asarray(made))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
