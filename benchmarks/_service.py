"""A large model to serve, and its server."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import vbn

PAIRS_OF_AN_ENTITY = 5
CHILDREN_OF_A_PARENT = 100


def make_model(place: Path, entities: int, dim: int) -> Path:
    """A model of that many entities with parents, trained for an epoch, and its map."""
    from vbn.serve import Served, lay_out, store

    rng = np.random.default_rng(0)
    left = np.repeat(np.arange(entities), PAIRS_OF_AN_ENTITY)
    right = rng.integers(entities, size=len(left))
    names = np.array([f"e{number}" for number in range(entities)], dtype=object)
    parents = {f"e{number}": [f"parent {number // CHILDREN_OF_A_PARENT}"] for number in range(entities)}
    data = vbn.Dataset.from_pairs(names[left].tolist(), names[right].tolist()).with_taxonomy(parents)
    folder: Path = vbn.VBN(dim=dim, epochs=1, verbose=False).fit(data).save(place / "model")
    model = vbn.load(folder)
    # laid out beforehand, as beside every model that was served before: t-SNE of so many takes both cores for minutes
    store(folder, lay_out(model.trained_, method="principal axes"), Served(model).mark)
    return folder


@contextmanager
def serving(
    folder: Path,
    before: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> Iterator[tuple[str, int]]:
    """Serve a model, started by the command `before` if there is one; gives the server's address and process."""
    command = [*before, sys.executable, "-m", "vbn", "serve", str(folder), "--port", "0", *options]
    variables = {**os.environ, **(environment or {}), "VBN_TOKEN": ""}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables) as server:
        try:
            assert server.stderr is not None
            found = re.search(r"http://\S+", server.stderr.readline())
            assert found is not None
            yield found.group(), server.pid
        finally:
            server.send_signal(signal.SIGINT)
