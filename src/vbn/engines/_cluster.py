"""A Ray cluster: how it is reached, what nodes it has, and its errors in our words."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from vbn._errors import (
    REMEDY,
    EngineError,
    MissingExtraError,
    StorageError,
    VBNError,
    VBNWarning,
    caller_level,
)


def import_ray() -> Any:
    """The module, or an error that names the extra."""
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
    """Cores of each node that is up and has any."""
    found = {node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]}
    return {node: cores for node, cores in sorted(found.items()) if cores > 0}


def places(ray: Any, workers: int | None, threads: int | None) -> list[Place]:
    """Where workers go: one on each node with all of its cores, or so many, dealt out in turn."""
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
    """Where a lost worker goes on: the living node with the fewest others, whose cores it shares if it must."""
    nodes = living(ray)
    if not nodes:
        raise EngineError("the Ray cluster has lost all of its nodes; a checkpoint can be resumed on another one.")
    return Place(min(nodes, key=lambda node: (taken.count(node) / nodes[node], node)), threads, 0)


@contextmanager
def in_our_words(ray: Any) -> Iterator[None]:
    """Raise what a cluster runs out of as errors of this library."""
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
    """Facts about a cluster for `vbn doctor`: its version, its nodes, and what these have."""
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
