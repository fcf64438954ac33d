"""What the two half-sweeps need beside the cells, as plain arrays: for all rows of a side, or for some of them alone.

An engine that runs rows elsewhere sends `part(first, last)` there, numbered from 0, and puts what comes back in place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vbn.kernels import CellArrays, DensityArrays, EvidenceArrays, PriorArrays, RelationArrays

DIRECT_CELLS = 1 << 16
"""Rows with more cells than this build their Gram matrix instead of laying their contexts out (200 bytes a cell)."""


class EntityInputs(NamedTuple):
    """What updates q(u_i), or q(v_j), given the cells of a row: `own` is updated, the rest is only read.

    `other` are the densities of the other side, and `bias_is_own` says whose the biases are: those of the rows that are
    updated (v), or those of the other side (u).
    """

    active: np.ndarray
    own: DensityArrays
    prior: PriorArrays
    bias: DensityArrays
    bias_is_own: bool
    relations: RelationArrays
    other: DensityArrays

    def update(self, first: int, last: int, cells: CellArrays) -> None:
        """Update the rows first..last-1 from their cells, Eq. (ui-update)."""
        from vbn.kernels.entities import update_entities as kernel

        kernel(
            first, last, self.active, cells, self.own, self.other, self.prior, self.bias, self.bias_is_own,
            self.relations, DIRECT_CELLS,
        )  # fmt: skip

    def part(self, first: int, last: int) -> EntityInputs:
        """The same for the rows first..last-1 alone, numbered from 0; what all rows share is the same array."""
        rows = slice(first, last)
        return EntityInputs(
            self.active[rows], DensityArrays(self.own.mean[rows], self.own.variance[rows]),
            _prior_part(self.prior, rows), _densities(self.bias, rows) if self.bias_is_own else self.bias,
            self.bias_is_own, _relation_part(self.relations, rows, self.bias_is_own), self.other,
        )  # fmt: skip


class BiasInputs(NamedTuple):
    """What updates q(b_j) once its v_j is: which ones, and their priors as precision and precision times mean."""

    active: np.ndarray
    precision: np.ndarray
    linear: np.ndarray

    def update(
        self, v: DensityArrays, u: DensityArrays, bias: DensityArrays, result: np.ndarray, first: int, last: int,
        cells: CellArrays,
    ) -> None:  # fmt: skip
        """Update q(b_j) of the columns first..last-1 from their cells, Eq. (bj-updates).

        The bounded log-likelihood of each column's cells after that goes into `result`.
        """
        from vbn.kernels.cells import update_biases as kernel

        kernel(first, last, self.active, cells, v, u, self.precision, self.linear, bias, result)

    def part(self, first: int, last: int) -> BiasInputs:
        """The same for the columns first..last-1 alone, numbered from 0."""
        return BiasInputs(*(array[first:last] for array in self))


def _densities(given: DensityArrays, rows: slice) -> DensityArrays:
    return DensityArrays(given.mean[rows], given.variance[rows])


def _prior_part(prior: PriorArrays, rows: slice) -> PriorArrays:
    indptr, edges = _pointers(prior.indptr, rows)
    known = len(prior.evidence.precision) > 0
    evidence = EvidenceArrays(*(array[rows] for array in prior.evidence)) if known else prior.evidence
    return prior._replace(
        tau=prior.tau[rows],
        indptr=indptr,
        parents=prior.parents[edges],
        weights=prior.weights[edges],
        evidence=evidence,
    )


def _relation_part(relations: RelationArrays, rows: slice, bias_is_own: bool) -> RelationArrays:
    indptr, cells = _pointers(relations.indptr, rows)
    part = relations._replace(indptr=indptr, **{name: getattr(relations, name)[cells] for name in _BY_CELL})
    if not bias_is_own:
        return part
    # copies, as kernels are compiled for contiguous arrays
    mean, variance = (np.ascontiguousarray(array[:, rows]) for array in (relations.bias_mean, relations.bias_variance))
    return part._replace(bias_mean=mean, bias_variance=variance)


_BY_CELL = ("indices", "kind", "positive", "negative", "places")


def _pointers(indptr: np.ndarray, rows: slice) -> tuple[np.ndarray, slice]:
    """Where each row's entries begin, from 0 on, and where they all are."""
    own = indptr[rows.start : rows.stop + 1]
    return own - own[0], slice(int(own[0]), int(own[-1]))
