"""Random numbers by position: a stream belongs to (seed, epoch, stream, row), never to a thread."""

from __future__ import annotations

import numpy as np

from vbn.kernels.compile import helper

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31, _SHIFT_11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
UNITS = 9007199254740992.0
"""2 ** 53, as many different random numbers there are in [0, 1)."""
_UNIT = 1.0 / UNITS


@helper
def mixed(state):
    """Scramble 64 bits (the finaliser of splitmix64)."""
    z = (state ^ (state >> _SHIFT_30)) * _MIX_1
    z = (z ^ (z >> _SHIFT_27)) * _MIX_2
    return z ^ (z >> _SHIFT_31)


@helper
def stream_state(seed, epoch, stream, row):
    """Start of the stream of one row: each coordinate is scrambled before the next one enters."""
    state = mixed(np.uint64(seed) + _GOLDEN)
    state = mixed(state + np.uint64(epoch) * _MIX_1 + _GOLDEN)
    state = mixed(state + np.uint64(stream) * _MIX_2 + _GOLDEN)
    return mixed(state + np.uint64(row) * _GOLDEN + _MIX_1)


@helper
def advanced(state):
    """Next state of a stream; `mixed` of it is the random integer, `unit` the random number in [0, 1)."""
    return state + _GOLDEN


@helper
def skipped(state, steps):
    """The state that many steps on."""
    return state + np.uint64(steps) * _GOLDEN


@helper
def whole(state):
    """The whole number below `UNITS` that belongs to a state."""
    return np.int64(mixed(state) >> _SHIFT_11)


@helper
def unit(state):
    """The number in [0, 1) that belongs to a state."""
    return whole(state) * _UNIT
