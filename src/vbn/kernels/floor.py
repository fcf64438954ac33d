"""The floor of a half-sweep: for every cell, read what is known of the other side and take three dot products."""

from __future__ import annotations

from vbn.kernels.compile import kernel


@kernel
def three_dots(first, last, indptr, indices, own_mean, own_second, own_variance, mean, variance, second, result):
    """Sum of the three products over the cells of each row first..last-1, into `result`."""
    t = own_mean.shape[1]
    for i in range(first, last):
        total = own_mean.dtype.type(0)
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            a = own_mean.dtype.type(0)
            b = own_mean.dtype.type(0)
            c = own_mean.dtype.type(0)
            for d in range(t):
                a += own_mean[i, d] * mean[j, d]
                b += own_second[i, d] * variance[j, d]
                c += own_variance[i, d] * second[j, d]
            total += a * a + b + c
        result[i] = total
