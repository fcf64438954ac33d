"""Retrofitting: each vector in turn becomes a weighted mean of its trained value and its neighbours."""

from __future__ import annotations

from vbn.kernels.compile import kernel


@kernel
def draw_together(vectors, has, start, trained, order, indptr, indices, alpha, beta):
    """Run one pass over `order` in place; a negative `beta` means one over the number of neighbours with a vector."""
    dim = vectors.shape[1]
    for i in order:
        near = 0
        for at in range(indptr[i], indptr[i + 1]):
            near += has[indices[at]]
        if near == 0:
            continue
        weight = 1.0 / near if beta < 0 else beta
        own = alpha if trained[i] else 0.0
        total = own + weight * near
        for d in range(dim):
            vectors[i, d] = own * start[i, d] / total
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            if has[j]:
                for d in range(dim):
                    vectors[i, d] += weight * vectors[j, d] / total
        has[i] = True
