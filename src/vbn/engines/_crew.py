"""The workers of a fit on a Ray cluster: hired once, replaced when they are lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from vbn._errors import EngineError
from vbn.engines._cluster import in_our_words, living, places, refuge
from vbn.engines._shards import SentRows, rowless, shards_of, share_needed
from vbn.engines._worker import Common, Worker
from vbn.model import Plan

_LOSSES = 3  # of the same work in a row: if that is not enough, something else is wrong
_LITTLE = 0.5  # of the rows: if a node needs no more, its workers get these alone
_PATIENCE = 120.0  # seconds until all workers are there


class Crew:
    """The workers of a fit.

    Parameters
    ----------
    ray
        The module, connected to a cluster.
    plan
        How the samples of the fit are divided.
    workers, threads
        How many workers, and threads of each.

    Attributes
    ----------
    hands_rows : bool
        Whether workers hand over the densities of those rows that another one's columns refer to, instead of all
        densities being sent to every node. It pays where rows have few cells and workers are many.
    """

    def __init__(self, ray: Any, plan: Plan, workers: int | None, threads: int | None) -> None:
        self._ray = ray
        self.processes: list[int] = []
        self.places = places(ray, workers, threads)
        self._losses = [0] * len(self.places)
        self.shards = shards_of(plan, [place.threads for place in self.places])
        beside = len(self.places) / len({place.node for place in self.places})
        self.hands_rows = share_needed(plan, len(self.places)) * beside < _LITTLE
        drawer, owned = plan.sampler.drawer, [shard.blocks for shard in self.shards]
        self._kind = ray.remote(Worker)
        with in_our_words(ray):
            self._common = ray.put(Common(rowless(drawer), plan.blocks, owned, len(plan.row_load)))
            self._rows = [ray.put(SentRows.of(drawer, shard.rows)) for shard in self.shards]
        self.workers = [self._hired(number) for number in range(len(self.shards))]
        self._wait_for_all()

    def __len__(self) -> int:
        return len(self.shards)

    def put(self, value: Any) -> Any:
        """Put something in the object store, where all workers of a node read the same copy of it."""
        with in_our_words(self._ray):
            return self._ray.put(value)

    def run(
        self, begin: Callable[[int], Any], take: Callable[[int, Any], None],
        mend: Callable[[int], None] | None = None, numbers: Iterable[int] | None = None,
    ) -> None:  # fmt: skip
        """Let workers do their part, and wait for it.

        Parameters
        ----------
        begin
            begin(n) gives worker n its work and returns the reference of the result. It is called again, with the same
            inputs, for a worker that was lost with its work.
        take
            take(n, result) puts the result of worker n in its place.
        mend
            mend(n) makes anew what was handed over to worker n and lost with a node, before its work begins again.
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

    def nodes(self) -> set[str]:
        """The nodes that are up."""
        return set(living(self._ray))

    def close(self) -> None:
        """Let all workers go."""
        for worker in self.workers:
            self._ray.kill(worker)
        self.workers = []

    def _hired(self, number: int) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        place = self.places[number]
        there = NodeAffinitySchedulingStrategy(place.node, soft=True)
        chosen = self._kind.options(num_cpus=place.cores, scheduling_strategy=there, max_restarts=0)
        return chosen.remote(self._common, self._rows[number], self.shards[number], place.threads)

    def _wait_for_all(self) -> None:
        """Raise unless all workers are ready before long."""
        ray, asked = self._ray, [worker.process.remote() for worker in self.workers]
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
        """Hire somebody for the shard of a worker that was lost."""
        self._count_loss(number, error)
        self._ray.kill(self.workers[number])  # if it is only out of reach, its work must not be done twice
        others = [place.node for at, place in enumerate(self.places) if at != number]
        self.places[number] = refuge(self._ray, others, self.places[number].threads)
        self.workers[number] = self._hired(number)

    def _count_loss(self, number: int, error: Exception) -> None:
        self._losses[number] += 1
        if self._losses[number] > _LOSSES:
            raise EngineError(
                f"worker {number} was lost {self._losses[number]} times in a row, the last time with: {error}"
            ) from error
