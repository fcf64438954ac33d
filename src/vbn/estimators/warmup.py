"""Compile the kernels that a fit uses, and only these, or load them from the cache, on a problem with five entities.

Compiling takes about ten seconds, once per install, because a process compiles one kernel at a time. The largest kernel
takes about as long as all others together, so a second process compiles it in parallel if there is a core for it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from vbn._cores import available_cores
from vbn._errors import VBNError
from vbn.data import Dataset
from vbn.engines import ThreadEngine
from vbn.kernels import CellArrays
from vbn.model import (
    BiasInputs,
    Cooccurrence,
    DrawnSample,
    Engine,
    EntityInputs,
    Hyperpriors,
    Network,
    Plan,
    RelationCells,
    RelationInfo,
    build_network,
    check_finite,
    relation_cells,
    train,
)
from vbn.sampling import Sampler

_warm: set[tuple[str, bool, bool]] = set()
_HELP = "import numpy; from vbn.estimators.warmup import compile_entities; compile_entities(numpy.dtype({!r}))"


def warm_up(dtype: np.dtype, relations: bool, taxonomy: bool) -> None:
    """Make the first epoch of a fit as fast as the others; relations and taxonomies have kernels of their own."""
    if (dtype.name, relations, taxonomy) in _warm:
        return
    import numba

    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise VBNError("kernels cannot run uncompiled: unset the environment variable NUMBA_DISABLE_JIT.")
    if sys.executable and available_cores() > 1 and not _compiled_before():
        with _helper(dtype):
            _run(dtype, relations, taxonomy, _AllOthers(1))
    _run(dtype, relations, taxonomy, ThreadEngine(1))
    _warm.add((dtype.name, relations, taxonomy))


def compile_entities(dtype: np.dtype) -> None:
    """Compile the kernel that updates entities."""
    _, sampler, network = _problem(dtype, relations=False, taxonomy=False)
    sample = DrawnSample(Plan(sampler), 0, relation_cells(network, sampler, 0, ThreadEngine(1)))
    one = np.ones(1, dtype)
    cells = CellArrays(np.array([0, 1]), np.zeros(1, np.int32), one, one, 0)
    pairs = Cooccurrence.of(network.posterior)
    for own in (pairs.u, pairs.v):
        pairs.entity_inputs(own, sample.relations).update(0, 1, cells)


def _compiled_before() -> bool:
    """Return whether the cache has the largest kernel for any dtype; at most a part is then compiled again."""
    from vbn.kernels.entities import update_entities

    return any(Path(update_entities.stats.cache_path).glob("entities.update_entities*.nbi"))


@contextmanager
def _helper(dtype: np.dtype) -> Iterator[None]:
    """Run a process that compiles the largest kernel into the cache; if it fails, this process compiles it later."""
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    with subprocess.Popen([sys.executable, "-c", _HELP.format(dtype.name)], **quiet) as process:
        try:
            yield
            process.wait()
        finally:
            process.terminate()


def _problem(dtype: np.dtype, relations: bool, taxonomy: bool, apart: bool = False) -> tuple[Dataset, Sampler, Network]:
    data = Dataset.from_pairs(["a", "b", "c", "a"], ["b", "a", "a", "c"])
    if taxonomy:
        data = data.with_taxonomy({"a": ["d"], "b": ["d"], "d": ["e"]})
    if relations:
        data = data.with_relation("r", [("a", "b")])
    sampler = Sampler(data, negatives=1, noise_power=0.75, subsample=None, reject_positives=False, seed=0, dtype=dtype)
    infos = [RelationInfo("r", symmetric=False)] * relations
    return data, sampler, build_network(data, sampler, Hyperpriors(), infos, dim=2, seed=0, dtype=dtype, apart=apart)


def _run(dtype: np.dtype, relations: bool, taxonomy: bool, engine: Engine) -> None:
    for apart in (False, True) if relations else (False,):
        data, sampler, network = _problem(dtype, relations, taxonomy, apart)
        for info in train(network, sampler, engine, epochs=1, resample=True):
            check_finite(network.posterior, info.lower_bound, data)


class _AllOthers(ThreadEngine):
    """An engine that runs an epoch without the kernel that updates entities."""

    def sample(self, plan: Plan, epoch: int, relations: RelationCells) -> DrawnSample:
        """Return a sample that does not update entities."""
        return _Unmoved(plan, epoch, relations)


class _Unmoved(DrawnSample):
    def update_rows(self, entities: EntityInputs, engine: Any) -> None:
        super().update_rows(_Still(*entities), engine)

    def update_columns(self, entities: EntityInputs, biases: BiasInputs, engine: Any) -> np.ndarray:
        return super().update_columns(_Still(*entities), biases, engine)


class _Still(EntityInputs):
    def update(self, *_: Any) -> None:
        """Do nothing."""
