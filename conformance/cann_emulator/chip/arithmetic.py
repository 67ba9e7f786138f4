"""Sums of products, each step rounded, and means.

Sources: CANN 8.1.RC1, impl/dynamic/lerp.py, addcmul.py, axpy.py, axpy_v2.py, sigmoid_grad.py,
tanh_grad.py, reduce_mean.py, reduce_std_v2_update.py, is_close.py. Whether the instruction behind
axpy rounds its product is open: here it does, as the kernel's own product and sum do where shapes
differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array


def lerp(start: Array, end: Array, weight: Array) -> Array:
    """Return start + w (end - start) for w < 0.5, else end - (1 - w) (end - start)."""
    gap = end - start
    low = start + weight * gap
    high = end - (v.F32.type(1) - weight) * gap
    return np.asarray(np.where(weight < v.F32.type(0.5), low, high))


def add_product(x: Array, a: Array, b: Array, value: Array) -> Array:
    """Return x + (a b) value."""
    return np.asarray(x + a * b * value)


def axpy(x: Array, y: Array, alpha: Array) -> Array:
    """Return x + y alpha."""
    return np.asarray(x + y * alpha)


def sigmoid_slope(y: Array, slope: Array) -> Array:
    """Return slope (1 - y) y."""
    return np.asarray(slope * (v.F32.type(1) - y) * y)


def tanh_slope(y: Array, slope: Array) -> Array:
    """Return (1 - y y) slope."""
    return np.asarray((y * y * v.F32.type(-1) + v.F32.type(1)) * slope)


def part_of_mean(x: Array, count: int) -> Array:
    """Return what the mean of `count` numbers sums: each times 1 / count, rounded."""
    return np.asarray(x * v.F32.type(1.0 / count))


def part_of_variance(x: Array, mean: Array, divisor: float) -> Array:
    """Return what a variance sums: squares of differences, each times 1 / divisor, rounded."""
    difference = x - mean
    return np.asarray(difference * difference * v.F32.type(1.0 / divisor))


def is_close(a: Array, b: Array, relative: float, absolute: float, *, nan: bool) -> Array:
    """Compare |a - b| with |b r| + a, the tolerances rounded to float16, and a with b."""
    error = np.abs(a - b)
    relative, absolute = (float(np.float16(tolerance)) for tolerance in (relative, absolute))
    allowed = np.abs(b * v.F32.type(relative)) + v.F32.type(absolute)
    same = a == b
    if nan:
        same = same | (np.isnan(a) & np.isnan(b))
    return np.asarray(same | (v.unequal(error, np.inf) & (error <= allowed)))
