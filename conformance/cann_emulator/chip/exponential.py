"""Exponentials, logarithms, and what is made of them.

Sources: CANN 8.1.RC1, impl/dynamic/exp.py, expm1.py, log.py, log1p.py, log_add_exp.py, sinh.py,
cosh.py, tanh.py, asinh.py, acosh.py, atanh.py, sigmoid.py, softplus_v2.py, xlogy.py, rsqrt.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._vector import Array

SMALLEST = float(np.finfo(np.float32).smallest_subnormal)
LARGE = 3.4028235e34
LN2 = 0.6931471805599453


def expm1(x: Array) -> Array:
    """Below 0.48: 2 t / (1 - t) for t near tanh(x / 2), by a polynomial that has lost two terms."""
    square = x * x
    inner = square * v.F32.type(-0.000400263845157291003292)
    # The product is with `inner` where a polynomial in the square would need the square.
    inner = inner * (inner + v.F32.type(0.004163021669203088)) + v.F32.type(-0.04166634504074566)
    half = (square * inner + v.F32.type(0.5)) * x
    near = half * v.F32.type(-2) / (half + v.F32.type(-1))
    far = v.exp(x) + v.F32.type(-1)
    return np.asarray(np.where(np.abs(x) < v.F32.type(0.48), near, far))


def logarithm(base: float) -> Callable[[Array], Array]:
    """Return the logarithm to a base: ln(x) times the rounded 1 / ln(base)."""
    factor = 1.0 / math.log(base)

    def compute(x: Array) -> Array:
        return np.asarray(v.log(x) * x.dtype.type(factor))

    return compute


def log1p(x: Array) -> Array:
    """Return ln(1 + x) x / ((1 + x) - 1)."""
    total = x + v.F32.type(1)
    result = v.log(total) * (x / (total + v.F32.type(-1)))
    result = np.where(total == 1, x, result)
    return np.asarray(np.where(np.isposinf(total), total, result))


def log_add_exp(base: float | None = None) -> Callable[[Array, Array], Array]:
    """Return max + ln(1 + exp(-|a - b|)), every step in the dtype of the inputs."""

    def compute(a: Array, b: Array) -> Array:
        kind = a.dtype.type
        large, small = v.maximum(a, b), v.minimum(a, b)
        gap = np.where(np.isposinf(small) | np.isneginf(large), kind(0), a - b)
        below = np.abs(gap) * kind(-1)
        if base is not None:
            below = below * kind(math.log(base))
        tail = v.log(v.exp(below) + kind(1))
        if base is not None:
            tail = tail * kind(1.0 / math.log(base))
        return np.asarray(large + tail)

    return compute


def sinh(x: Array) -> Array:
    """A polynomial below 0.48; beyond it (e**(x/2) - e**(-3x/2)) / 2 e**(x/2)."""
    size = np.abs(x)
    square = size * size
    near = square * v.F32.type(0.00019984593356178138) + v.F32.type(0.00833308538698833)
    near = near * square + v.F32.type(0.16666668254541)
    near = (near * square + v.F32.type(1)) * size
    grown = v.exp(size * v.F32.type(0.5))
    far = (grown - v.exp(size * v.F32.type(-1.5))) * v.F32.type(0.5) * grown
    result = np.where(size < v.F32.type(0.48), near, far)
    return v.negative_unless(x >= 0, result)


def cosh(x: Array) -> Array:
    """Return (e**(x/2) + e**(-3x/2)) / 2 e**(x/2)."""
    size = np.abs(x)
    grown = v.exp(size * v.F32.type(0.5))
    return np.asarray((grown + v.exp(size * v.F32.type(-1.5))) * v.F32.type(0.5) * grown)


def tanh(x: Array) -> Array:
    """A polynomial below 0.55; beyond it (e**2x - 1) / (e**2x + 1)."""
    square = x * x
    near = square * v.F32.type(0.01573968306183815) + v.F32.type(-0.05230396240949631)
    near = near * square + v.F32.type(0.13315297663211823)
    near = near * square + v.F32.type(-0.33332768082618713)
    near = (near * square + v.F32.type(1)) * x
    grown = v.exp(v.minimum(x, 20.0) * v.F32.type(2))
    far = (grown + v.F32.type(-1)) / (grown + v.F32.type(1))
    return np.asarray(np.where(np.abs(x) < v.F32.type(0.55), near, far))


def _log1p_of(total: Array, u: Array) -> Array:
    """Return ln(total) u / (total - 1) where total is 1 + u, rounded."""
    divisor = v.minimum(v.maximum(total + v.F32.type(-1), SMALLEST), LARGE)
    return np.asarray(v.log(total) * u / divisor)


def asinh(x: Array) -> Array:
    """Return ln(1 + u), u = |x| + |x| / (1 / |x| + sqrt(1 + 1 / x**2)); |x| below 2**-12."""
    size = np.abs(x)
    inverse = v.F32.type(1) / size
    square = inverse * inverse
    u = size + size / (v.sqrt(square + v.F32.type(1)) + inverse)
    near = _log1p_of(u + v.F32.type(1), u)
    far = v.log(size) + v.F32.type(LN2) + square
    result = np.where(size < v.F32.type(2.0**-12), size, v.minimum(near, far))
    return v.negative_unless(x >= 0, result)


def acosh(x: Array) -> Array:
    """Return ln(1 + u), u = t + sqrt(t**2 + 2 t), t = x - 1; at most ln(x) + ln(2)."""
    t = x + v.F32.type(-1)
    u = t + v.sqrt(t * t + (t + t))
    near = _log1p_of(u + v.F32.type(1), u)
    return v.minimum(near, v.log(x) + v.F32.type(LN2))


def atanh(x: Array) -> Array:
    """Return ln(1 + 2 q) q / (2 q), q = |x| / (1 - |x|)."""
    size = np.abs(x)
    q = size / (size * v.F32.type(-1) + v.F32.type(1))
    total = q * v.F32.type(2) + v.F32.type(1)
    divisor = v.minimum(total + v.F32.type(-1), LARGE)
    result = np.where(total == 1, size, v.log(total) * q / divisor)
    return v.negative_unless(x >= 0, result)


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return np.asarray(v.F32.type(1) / (v.exp(x * v.F32.type(-1)) + v.F32.type(1)))


def softplus(x: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    """Return log1p(exp(beta x)) / beta, x itself where beta x is above the threshold."""
    one, scale = v.F32.type(1), v.F32.type(beta)
    scaled = x * scale
    above = (scaled > v.F32.type(threshold)).astype(v.F32)
    grown = v.exp(scaled * (one - above))
    total = grown + one
    result = v.log(total) * (grown / (total + v.F32.type(-1)))
    result = np.where(total == 1, grown, result)
    result = np.where(np.isposinf(total), total, result) * (one / scale)
    return np.asarray(np.where(above == 1, x, result))


def xlogy(x: Array, y: Array) -> Array:
    """Return x ln(y), 0 where x is 0."""
    return np.asarray(np.where(x == 0, v.F32.type(0), v.log(y) * x))


def rsqrt(x: Array) -> Array:
    """Return 1 / sqrt(x), two roundings."""
    return np.asarray(v.F32.type(1) / v.sqrt(x))
