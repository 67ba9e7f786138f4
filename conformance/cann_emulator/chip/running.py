"""What runs along an axis: running sums and minima, and ranges.

Sources: CANN 8.1.RC1, impl/dynamic/cum_computer.py (cumsum), cummin.py, range.py. How many cores
share a range, and which rows are long, the host decides, by code that is not public: here all 48
cores of Ascend 910B2 that have 64 numbers to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array

UNIT = 64
"""How many numbers of float32 an instruction takes."""
CORES = 48
BUFFER = 192 * 1024 - 2048


def _one_by_one(x: Array, axis: int) -> Array:
    return np.asarray(np.add.accumulate(x, axis, dtype=x.dtype))


def running_sum(x: Array, axis: int, *, narrow: bool = False) -> Array:
    """Add one by one, in the array's dtype.

    Long rows lie as 64 lines (of float16 128), each of which begins with the sum of those before;
    `narrow` says that the elements were bfloat16, of which fewer fit.
    """
    x = x + x.dtype.type(0)
    lines = 256 // x.itemsize
    least, length = 16 * lines, x.shape[axis] if x.ndim else 1
    if axis % max(x.ndim, 1) != x.ndim - 1 or length < least:
        return _one_by_one(x, axis)
    most = BUFFER // (5 if narrow else 2) // x.itemsize // 16 // lines
    result, place = np.empty_like(x), 0
    before = np.zeros_like(x[..., 0])
    while length - place >= least:
        width = 16 * min(most, (length - place) // least)
        block = x[..., place : place + lines * width]
        block = block.reshape(*x.shape[:-1], lines, width).copy()
        totals = block.sum(-1, dtype=x.dtype)
        starts = _one_by_one(np.concatenate([before[..., None], totals[..., :-1]], -1), -1)
        block[..., 0] = block[..., 0] + starts
        result[..., place : place + lines * width] = _one_by_one(block, -1).reshape(
            *x.shape[:-1], lines * width
        )
        place += lines * width
        before = result[..., place - 1]
    if place < length:
        rest = x[..., place:].copy()
        rest[..., 0] = rest[..., 0] + before
        result[..., place:] = _one_by_one(rest, -1)
    return result


def count(start: float, step: float, length: int) -> Array:
    """Return a range in float32: multiples of the step added to 64 numbers after 64 numbers."""
    first, delta = v.F32.type(start), v.F32.type(step)
    share = max(-(-length // max(1, min(CORES, length // UNIT))), 1)
    result = np.empty(length, v.F32)
    places = np.arange(UNIT, dtype=v.F32) * delta
    for begin in range(0, length, share):
        end = min(begin + share, length)
        units = np.empty((-(-(end - begin) // UNIT), UNIT), v.F32)
        units[0] = places + (first + v.F32.type(begin) * delta)
        units[1:] = v.F32.type(UNIT) * delta
        result[begin:end] = _one_by_one(units, 0).reshape(-1)[: end - begin]
    return result


def running_product(x: Array, axis: int) -> Array:
    """Multiply one by one, in the array's dtype (TensorFlow, core/kernels/scan_ops.cc)."""
    return np.asarray(np.multiply.accumulate(x, axis, dtype=x.dtype))


def one_by_one(start: float, step: float, length: int) -> Array:
    """Add the step to the last number (TensorFlow, core/kernels/sequence_ops.cc)."""
    numbers: Any = np.full(length, step, np.float64)
    numbers[:1] = start
    return _one_by_one(numbers, 0)
