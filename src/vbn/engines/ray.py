"""A Ray cluster as an engine: rows and columns are dealt out to workers that hold their cells.

This process keeps the posterior and everything that is counted by entity. In the first half of an epoch every worker
gets the densities of the columns (one copy a node, in shared memory) and what belongs to its own rows; it draws and
updates these and hands their cells over to the workers that own their columns, without a detour through here. The
second half goes the other way round. A worker that is done with it begins to draw for the next epoch, while the others
finish and this process gathers and sends. Features are read by the workers too: of each block of entities, a matrix of
sums comes back, and these are added in order. Rows are updated from the same inputs in the same order as on threads, so
the result is the same to the bit, also when a worker is lost and its part is done again by another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.engines.cluster import Workers, connect
from vbn.engines.halves import halved
from vbn.engines.shards import UpdatedColumns, UpdatedRows, own_part, shared_arrays, without_other
from vbn.engines.threads import ThreadEngine
from vbn.kernels import DensityArrays
from vbn.model import BiasInputs, Engine, EntityInputs, FeatureTask, Plan, Range, RelationCells


class RayEngine:
    """Trains on a Ray cluster, with the same result as on this machine.

    Every machine of the cluster needs vbn (with the extra ``ray``) and, for data sets that are mapped from a folder,
    must see that folder under the same path. Counts in memory are sent to the workers once.

    Parameters
    ----------
    address : str, optional
        Where the cluster is, such as "host:6379"; "local" starts one on this machine for the time of a fit. By default
        what RAY_ADDRESS says, else a cluster that runs on this machine, else one that is started here, as with "local".
        This process must be on a node of the cluster.
    workers : int, optional
        Number of worker processes; one for each node by default.
    threads : int, optional
        Threads of each; by default all cores of its node, shared evenly among the workers there.
    half : bool, optional
        Send the densities that workers only read in 16 bits. This halves most of what passes between machines, and the
        result is no longer that of threads: they are rounded by up to 1 in 256.

    Examples
    --------
    >>> import vbn
    >>> vbn.engines.RayEngine(address="head:6379", workers=64)
    RayEngine(address='head:6379', workers=64)
    """

    def __init__(
        self,
        address: str | None = None,
        workers: int | None = None,
        threads: int | None = None,
        half: bool = False,
    ) -> None:
        for name, value in (("workers", workers), ("threads", threads)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ParameterError(f"{name}={value!r} must be a whole number of at least 1.")
        if address is not None and (not isinstance(address, str) or address.startswith("ray://")):
            raise ParameterError(
                f"address={address!r} is not the address of a cluster such as 'host:6379': a fit must run inside of "
                "the cluster, for instance on its head, not through a Ray client."
            )
        if not isinstance(half, bool):
            raise ParameterError(f"half={half!r} must be True or False.")
        self.address, self.workers, self.threads, self.half = address, workers, threads, half
        self._workers: Workers | None = None
        self._latest: int | None = None
        self._ray: Any = None
        self._connected_here = False
        self._here: ThreadEngine | None = None

    def __repr__(self) -> str:
        given = {name: getattr(self, name) for name in ("address", "workers", "threads", "half")}
        return f"RayEngine({', '.join(f'{name}={value!r}' for name, value in given.items() if value)})"

    def __deepcopy__(self, memo: dict[int, Any]) -> RayEngine:
        return RayEngine(self.address, self.workers, self.threads, self.half)  # workers belong to one engine

    def __reduce__(self) -> tuple[type[RayEngine], tuple[Any, ...]]:
        return RayEngine, (self.address, self.workers, self.threads, self.half)

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[Range]) -> list[Any]:
        """Return the results of task(first, last) for every range, in order.

        Workers do what reads features; all else runs on threads of this process.
        """
        if isinstance(task, FeatureTask) and self._workers is not None and len(ranges) > 1:
            return self._workers.read_features(task, ranges)
        return self._threads_here().map(task, ranges)

    def sample(self, plan: Plan, epoch: int, relations: RelationCells) -> ClusterSample:
        """Return a sample whose cells the workers draw and keep; the first one of a fit starts them."""
        if self._workers is None:
            self._ray, self._connected_here = connect(self.address)
            self._workers = Workers(self._ray, plan, self.workers, self.threads, self.half)
        following = None if self._latest is None else 2 * epoch - self._latest  # the same one if there is one sample
        self._latest = epoch
        return ClusterSample(self._workers, epoch, following, relations, self._threads_here())

    def _threads_here(self) -> ThreadEngine:
        if self._here is None:
            self._here = ThreadEngine()
        return self._here

    def close(self) -> None:
        """Stop the workers, and leave the cluster if it was not in use before."""
        workers, self._workers, here, self._here = self._workers, None, self._here, None
        self._latest = None
        if here is not None:
            here.close()
        if workers is not None:
            workers.close()
        if self._connected_here:
            self._ray.shutdown()
            self._connected_here = False


class ClusterSample:
    """The sample of an epoch, in pieces that workers hand over to each other: here are only the references to them."""

    def __init__(
        self, workers: Workers, epoch: int, following: int | None, relations: RelationCells, here: ThreadEngine
    ) -> None:
        self.relations, self.size = relations, relations.size
        self._workers, self._epoch, self._following, self._here = workers, epoch, following, here
        self._pieces: list[list[Any]] = [[] for _ in range(len(workers))]
        self._handed: list[list[Any]] = []
        self._made_on = [""] * len(workers)
        self._times_made, self._taken = 0, [0] * len(workers)
        for number in range(len(workers)):
            workers.draw(number, epoch)

    def update_rows(self, entities: EntityInputs, engine: Engine) -> None:  # noqa: ARG002 - workers have their own
        """Update the densities of all active rows in place; their cells stay with the workers."""
        workers, columns = self._workers, self._as_sent(entities.other)
        sent = without_other(entities) if workers.hands_columns else entities._replace(other=columns)
        together = shared_arrays(sent)
        shared = workers.put(together)

        def begin(number: int) -> Any:
            own = own_part(sent, workers.shards[number].rows, together)
            handed = [pieces[number] for pieces in self._handed]
            return self._begin(number, "update_rows", self._epoch, shared, own, workers.hands_rows, *handed)

        def take(number: int, result: UpdatedRows) -> None:
            _put_in(entities.own, workers.shards[number].rows, result.densities)
            self.size += result.cells

        if not workers.hands_columns:
            workers.run(begin, take)
            return
        needed = self._columns_needed()
        self._hand_columns(columns, needed)
        workers.run(begin, take, lambda _: self._hand_columns(columns, needed))
        self._handed = []

    def update_columns(self, entities: EntityInputs, biases: BiasInputs, engine: Engine) -> np.ndarray:  # noqa: ARG002
        """Update the densities and biases of all active columns; return the likelihood of each column's cells."""
        workers, likelihood = self._workers, np.zeros(len(entities.active))
        handed = workers.hands_rows
        sent = without_other(entities) if handed else entities._replace(other=self._as_sent(entities.other))
        together = shared_arrays(sent)
        shared = workers.put(together)

        def begin(number: int) -> Any:
            columns = workers.shards[number].columns
            mine = [piece for pieces in self._pieces for piece in pieces[number :: len(workers)]]
            own, self._taken[number] = own_part(sent, columns, together), self._times_made
            begun = workers.handles[number].update_columns.remote(shared, own, biases.part(*columns), *mine)
            if self._following is not None:
                workers.draw(number, self._following)
            return begun

        def take(number: int, result: UpdatedColumns) -> None:
            columns = workers.shards[number].columns
            _put_in(entities.own, columns, result.densities)
            _put_in(entities.bias, columns, result.biases)
            likelihood[slice(*columns)] = result.likelihood

        workers.run(begin, take, lambda number: self._draw_again(number, entities.other))
        return likelihood

    def _as_sent(self, densities: DensityArrays) -> DensityArrays:
        return halved(densities, self._here) if self._workers.half else densities

    def _columns_needed(self) -> list[np.ndarray]:
        """Return for every worker which of its columns each worker's rows refer to: a line of marks for each."""
        workers = self._workers
        columns = [shard.columns for shard in workers.shards]
        marks = np.empty((len(workers), columns[-1][1]), bool)

        def take(number: int, bits: np.ndarray) -> None:
            marks[number] = np.unpackbits(bits, count=marks.shape[1])

        workers.run(lambda number: workers.handles[number].columns_needed.remote(self._epoch), take)
        return [np.ascontiguousarray(marks[:, slice(*own)]) for own in columns]

    def _hand_columns(self, densities: DensityArrays, needed: Sequence[np.ndarray]) -> None:
        """Let workers give each other the densities of the columns that their rows refer to."""
        workers = self._workers
        self._handed = [[] for _ in range(len(workers))]

        def begin(number: int) -> Any:
            own = DensityArrays(*(array[slice(*workers.shards[number].columns)] for array in densities))
            hand = workers.handles[number].hand_columns.options(num_returns=len(workers) + 1)
            *self._handed[number], done = hand.remote(own, needed[number])
            return done

        workers.run(begin, lambda *_: None)

    def close(self) -> None:
        """Release the pieces, which frees their memory on the cluster."""
        self._pieces = []

    def _begin(self, number: int, verb: str, *inputs: Any) -> Any:
        """Ask a worker for its pieces; return the reference of what comes after them."""
        workers = self._workers
        total = (len(workers.shards[number].groups) + workers.hands_rows) * len(workers)
        *pieces, result = getattr(workers.handles[number], verb).options(num_returns=total + 1).remote(*inputs)
        self._pieces[number], self._made_on[number] = pieces, workers.places[number].node
        return result

    def _draw_again(self, number: int, rows: DensityArrays) -> None:
        """Draw the rows again whose cells were lost with a node; all of them if it is not known which."""
        if self._taken[number] < self._times_made:  # its pieces are from before others were drawn again
            return
        workers = self._workers
        up = workers.nodes()
        lost = [at for at, node in enumerate(self._made_on) if node not in up] or range(len(workers))

        def begin(at: int) -> Any:
            own = (
                DensityArrays(*(array[slice(*workers.shards[at].rows)] for array in rows))
                if workers.hands_rows
                else None
            )
            return self._begin(at, "draw_rows", self._epoch, own)

        workers.run(begin, lambda *_: None, numbers=lost)
        self._times_made += 1


def _put_in(densities: Any, rows: Range, new: Any) -> None:
    for array, values in zip(densities, new, strict=True):
        array[slice(*rows)] = values
