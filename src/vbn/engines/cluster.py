"""A Ray cluster: how it is reached, what nodes it has, and the workers of a fit on it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import (
    REMEDY,
    EngineError,
    MissingExtraError,
    StorageError,
    VBNError,
    VBNWarning,
    caller_level,
)
from vbn.data import Features
from vbn.engines.content import Block, files_of, sent_sources, turns
from vbn.engines.shards import Common, SentRows, Worker, rowless, shards_of, share_needed
from vbn.model import FeatureTask, Plan, Range

_LOSSES = 3  # of the same work in a row; more means that something else is wrong
_LITTLE = 0.5  # share of the rows: a node that needs less gets only the rows that it needs
_PATIENCE = 120.0  # seconds to wait for all workers


def import_ray() -> Any:
    """Return the module, or raise an error that names the extra."""
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("the Ray engine needs Ray: pip install 'vbn[ray]'") from error
    return ray


def connect(address: str | None) -> tuple[Any, bool]:
    """Return the module, connected to a cluster, and whether it was connected here.

    An existing connection is used as it is. Without an address, RAY_ADDRESS says where the cluster is; without that, a
    cluster that runs on this machine is used, and if there is none, one is started, as `ray.init()` does.
    """
    ray = import_ray()
    if ray.is_initialized():
        return ray, False
    wanted = address or os.environ.get("RAY_ADDRESS")
    try:
        if wanted is not None:
            _init(ray, wanted)
        elif not _init_running(ray):
            _init(ray, "local")
            warnings.warn(
                VBNWarning(
                    f"no Ray cluster is running: started one on this machine for the time of the work. Pass "
                    f"{REMEDY} or set RAY_ADDRESS to use another one.",
                    remedies=[("address",)],
                ),
                stacklevel=caller_level(),
            )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise EngineError(
            f"no Ray cluster at {wanted or 'this machine'!r}: {_first_line(error)} Start one with 'ray start --head', "
            f"or say where it is with {REMEDY} or RAY_ADDRESS.",
            remedies=[("address",)],
        ) from error
    return ray, True


def _init_running(ray: Any) -> bool:
    """Connect to a cluster that runs on this machine; return whether there is one."""
    try:
        _init(ray, "auto")
    except ConnectionError:
        return False
    return True


def _init(ray: Any, address: str) -> None:
    dashboard = False if address == "local" else None  # a cluster for this process alone needs none
    ray.init(address=address, log_to_driver=False, logging_level="ERROR", include_dashboard=dashboard)


def _first_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    line = text[0] if text else type(error).__name__
    return line if line.endswith(".") else f"{line}."


@dataclass(frozen=True)
class Place:
    """Where a worker runs: its node, how many threads it has, and how many cores are reserved for them."""

    node: str
    threads: int
    cores: int


def living(ray: Any) -> dict[str, int]:
    """Return the number of cores of each node that is up and has any."""
    found = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]}
    return {node: cores for node, cores in sorted(found.items()) if cores > 0}


def places(ray: Any, workers: int | None, threads: int | None) -> list[Place]:
    """Return where workers go: one on each node with all of its cores, or a number of them, dealt out in turn."""
    nodes = living(ray)
    if not nodes:
        raise EngineError("the Ray cluster has no node with a core; add one, or start its head with --num-cpus.")
    order = list(nodes)
    chosen = [order[n % len(order)] for n in range(workers or len(order))]
    result = []
    for node in chosen:
        beside = chosen.count(node)
        each = threads or max(1, nodes[node] // beside)
        result.append(Place(node, each, each if each * beside <= nodes[node] else 0))
    return result


def refuge(ray: Any, taken: Sequence[str], threads: int) -> Place:
    """Return where to replace a lost worker: the node with the fewest others; it may have to share cores there."""
    nodes = living(ray)
    if not nodes:
        raise EngineError("the Ray cluster has lost all of its nodes; a checkpoint can be resumed on another one.")
    return Place(min(nodes, key=lambda node: (taken.count(node) / nodes[node], node)), threads, 0)


@contextmanager
def in_our_words(ray: Any) -> Iterator[None]:
    """Raise errors of Ray as errors of this library."""
    errors = ray.exceptions
    try:
        yield
    except (errors.ObjectStoreFullError, errors.OutOfDiskError) as error:
        raise StorageError(
            f"the cluster has no room for what workers hand over: {_first_line(error)} Give its object stores more "
            "memory (ray start --object-store-memory), or free some space where they spill to (--temp-dir)."
        ) from error
    except errors.RayTaskError as error:
        if isinstance(error.cause, VBNError):  # what was raised there on purpose says all that there is to say
            raise error.cause from error
        raise
    except errors.OutOfMemoryError as error:
        raise EngineError(
            f"a worker took more memory than its node has: {_first_line(error)} Use more nodes, or fewer workers on "
            "each."
        ) from error


def report(address: str) -> dict[str, Any]:
    """Return facts about a cluster for `vbn doctor`: its version, its nodes and their resources."""
    try:
        ray, connected_here = connect(address)
    except (EngineError, MissingExtraError) as error:
        return {"address": address, "reached": f"no: {error}"}
    try:
        nodes = [node for node in ray.nodes() if node["Alive"]]
        facts: dict[str, Any] = {"address": address, "reached": "yes", "ray": ray.__version__, "nodes": len(nodes)}
        for node in nodes:
            has = node["Resources"]
            store, memory = (has.get(name, 0) / 2**30 for name in ("object_store_memory", "memory"))
            facts[node["NodeManagerHostname"] + " " + node["NodeID"][:8]] = (
                f"{has.get('CPU', 0):g} cores, {memory:.1f} GiB, object store {store:.1f} GiB"
            )
        facts["cores free"] = ray.available_resources().get("CPU", 0.0)
        return facts
    finally:
        if connected_here:
            ray.shutdown()


class Workers:
    """The workers of a fit.

    Parameters
    ----------
    ray
        The module, connected to a cluster.
    plan
        How the samples of the fit are divided.
    workers, threads
        How many workers, and threads of each.
    half
        Whether densities of the other side are sent in 16 bits.

    Attributes
    ----------
    hands_rows, hands_columns : bool
        Whether workers hand over the densities of those rows (or columns) that another one's columns (or rows) refer
        to, instead of all densities being sent to every node. It pays where they have few cells and workers are many.
    """

    def __init__(self, ray: Any, plan: Plan, workers: int | None, threads: int | None, half: bool = False) -> None:
        self._ray, self.half = ray, half
        self.processes: list[int] = []
        self.places = places(ray, workers, threads)
        self._losses = [0] * len(self.places)
        self._turns = turns([place.threads for place in self.places])
        self._sent: list[tuple[Features, np.ndarray, list[Any]]] = []
        beside = len(self.places) / len({place.node for place in self.places})
        self.shards = shards_of(plan, [place.threads for place in self.places], beside)
        little = [share_needed(load, len(self)) * beside < _LITTLE for load in (plan.row_load, plan.column_load)]
        all_ahead = all(shard.ahead == len(shard.ranges) for shard in self.shards)
        self.hands_rows, self.hands_columns = little[0], little[1] and all_ahead
        drawer, owned = plan.sampler.drawer, [shard.blocks for shard in self.shards]
        self._kind = ray.remote(Worker)
        with in_our_words(ray):
            self._common = ray.put(Common(rowless(drawer), plan.blocks, owned, len(plan.row_load), half))
            self._rows = [ray.put(SentRows.of(drawer, shard.rows)) for shard in self.shards]
        self.handles = [self._started(number) for number in range(len(self.shards))]
        self._wait_for_all()

    def __len__(self) -> int:
        return len(self.shards)

    def put(self, value: Any) -> Any:
        """Put something in the object store, where all workers of a node share one copy."""
        with in_our_words(self._ray):
            return self._ray.put(value)

    def draw(self, number: int, epoch: int) -> None:
        """Let a worker draw ahead for an epoch; nobody waits for it."""
        self.handles[number].draw.options(num_returns=0).remote(epoch)

    def run(
        self,
        begin: Callable[[int], Any],
        take: Callable[[int, Any], None],
        mend: Callable[[int], None] | None = None,
        numbers: Iterable[int] | None = None,
    ) -> None:
        """Let workers do their parts, and wait for them.

        Parameters
        ----------
        begin
            begin(n) gives worker n its work and returns the reference of the result. It is called again, with the same
            inputs, for a worker that was lost with its work.
        take
            take(n, result) puts the result of worker n in its place.
        mend
            mend(n) recreates what was handed over to worker n and lost with a node, before its work begins again.
        numbers
            Which workers; all by default.
        """
        ray, errors = self._ray, self._ray.exceptions
        with in_our_words(ray):
            pending = {begin(number): number for number in (range(len(self)) if numbers is None else numbers)}
        while pending:
            (done, *_), _ = ray.wait(list(pending), num_returns=1)
            number = pending.pop(done)
            try:
                with in_our_words(ray):
                    result = ray.get(done)
            except errors.RayActorError as error:
                self._replace(number, error)
                pending[begin(number)] = number
            except errors.ObjectLostError as error:
                self._count_loss(number, error)
                if mend is not None:
                    mend(number)
                pending[begin(number)] = number
            else:
                take(number, result)
                self._losses[number] = 0

    def read_features(self, task: FeatureTask, ranges: Sequence[Range]) -> list[Any]:
        """Return the results of a task for blocks of rows, in order; each is done where its features are."""
        sources, work = self._sources(task), self.put(task.work)
        mine: list[list[int]] = [[] for _ in range(len(self))]
        for at, (first, _) in enumerate(ranges):
            mine[self._turns[first // task.step % len(self._turns)]].append(at)
        found: list[Any] = [None] * len(ranges)

        def begin(number: int) -> Any:
            some = [ranges[at] for at in mine[number]]
            blocks = [Block(task.rows[slice(*bounds)], task.inputs(*bounds)) for bounds in some]
            return self.handles[number].read_features.remote(work, sources[number], blocks)

        def take(number: int, results: Any) -> None:
            for at, result in zip(mine[number], results, strict=True):
                found[at] = result

        self.run(begin, take, numbers=[number for number in range(len(self)) if mine[number]])
        return found

    def _sources(self, task: FeatureTask) -> list[Any]:
        """Return references to the features that each worker needs; they are sent once."""
        for features, rows, sent in self._sent:
            if features is task.features and np.array_equal(rows, task.rows):
                return sent
        owners = np.resize(self._turns, -(-len(task.rows) // task.step)).repeat(task.step)[: len(task.rows)]
        parts = [task.rows[owners == number] for number in range(len(self))]
        named = [sent_sources(task.features, rows, by_name=True) for rows in parts]

        def begin(number: int) -> Any:
            return self.handles[number].sees.remote(files_of(named[number]))

        def take(number: int, sees: bool) -> None:
            if not sees:
                named[number] = sent_sources(task.features, parts[number], by_name=False)

        self.run(begin, take)
        self._sent.append((task.features, task.rows, [self.put(sources) for sources in named]))
        return self._sent[-1][2]

    def nodes(self) -> set[str]:
        """Return the nodes that are up."""
        return set(living(self._ray))

    def close(self) -> None:
        """Stop all workers."""
        for worker in self.handles:
            self._ray.kill(worker)
        self.handles = []

    def _started(self, number: int) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        place = self.places[number]
        there = NodeAffinitySchedulingStrategy(place.node, soft=True)
        chosen = self._kind.options(num_cpus=place.cores, scheduling_strategy=there, max_restarts=0)
        return chosen.remote(self._common, self._rows[number], self.shards[number], place.threads)

    def _wait_for_all(self) -> None:
        """Raise unless all workers are ready in time."""
        ray, asked = self._ray, [worker.process.remote() for worker in self.handles]
        ready, waiting = ray.wait(asked, num_returns=len(asked), timeout=_PATIENCE)
        if waiting:
            self.close()
            raise EngineError(
                f"only {len(ready)} of {len(asked)} workers were ready after {_PATIENCE:.0f} s: the cluster has "
                f"{ray.available_resources().get('CPU', 0):g} cores free. Ask for fewer workers or threads, or wait "
                "until other work on the cluster is done."
            )
        try:
            self.processes = ray.get(asked)
        except ray.exceptions.RayActorError as error:
            self.close()
            cause = str(error).strip().splitlines()
            raise EngineError(
                f"a worker did not start: {cause[-1] if cause else error!r}. All nodes need the same version of vbn "
                "and of Python, and must see the folder of a mapped data set."
            ) from error

    def _replace(self, number: int, error: Exception) -> None:
        """Start another worker for the shard of one that was lost."""
        self._count_loss(number, error)
        self._ray.kill(self.handles[number])  # if it is only out of reach, its work must not be done twice
        others = [place.node for at, place in enumerate(self.places) if at != number]
        self.places[number] = refuge(self._ray, others, self.places[number].threads)
        self.handles[number] = self._started(number)

    def _count_loss(self, number: int, error: Exception) -> None:
        self._losses[number] += 1
        if self._losses[number] > _LOSSES:
            raise EngineError(
                f"worker {number} was lost {self._losses[number]} times in a row, the last time with: {error}"
            ) from error
