"""The error function, its complement and its inverse.

Sources: CANN 8.1.RC1, impl/dynamic/erf.py (the simplified formula, which A2 takes), erfc.py,
erfinv.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array

f = np.float32


def erf(x: Array) -> Array:
    """A rational function of the square, the argument clamped to 3.92."""
    x = v.maximum(v.minimum(x, 3.92), -3.92)
    square = x * x
    top = v.polynomial(
        square,
        *(0.053443748819, 7.5517016694, 101.62808918),
        *(1393.8061484, 5063.791506, 29639.384698),
    )
    bottom = v.polynomial(
        square,
        *(1.0, 31.212858877, 398.56963806),
        *(3023.124815, 13243.365831, 26267.224157),
    )
    return np.asarray(top * x / bottom)


def erfc(x: Array) -> Array:
    """exp(-x**2) times a rational function of |x|, and its reflection; clamped to 11."""
    x = v.maximum(v.minimum(x, 11.0), -11.0)
    size = np.abs(x) + f(-(2.0**-149))
    sign = x / size
    top = v.polynomial(
        size,
        *(1.73531368e-08, -9.856738394e-07, 2.517003236e-05, -0.0003848015171, 0.5681528564),
        *(5.245623129, 21.0774071, 42.12761755, 43.80524149),
    )
    bottom = v.polynomial(
        size, 1.0, 9.349684299, 37.56930664, 80.58268949, 91.55653738, 43.80524152
    )
    tail = v.exp(size * size * f(-1)) * (top / bottom) * sign
    return np.asarray(tail + (f(1) - sign))


def _sign(x: Array) -> Array:
    """Return the sign by rounding 2**15 x / (|2**15 x| + 2**-15): 0 for tiny numbers."""
    scaled = x * f(2.0**15)
    ratio = scaled / (np.abs(scaled) + f(2.0**-15))
    return v.to_integer(ratio, v.I32, np.rint).astype(v.F32)


def _short_erf(x: Array) -> Array:
    size = np.abs(x)
    t = f(1) / (size * f(0.3275911) + f(1))
    fading = v.exp(size * size * f(-1))
    series = v.polynomial(t, 1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    return np.asarray(_sign(x) * (series * t * f(-1) * fading + f(1)))


def erfinv(x: Array) -> Array:
    """A rational start, then two steps of Newton with an erf of five terms."""
    size = np.abs(x)
    square = x * x
    bottom = v.polynomial(square, 0.012229801, -0.329097515, 1.442710462, -2.118377725)
    top = v.polynomial(square, -0.140543331, 0.914624893, -1.645349621, 0.886226899)
    near = x * top / (bottom * square + f(1))
    root = v.sqrt(np.abs(v.log((size + f(-1)) * f(-1) * f(0.5))))
    top = v.polynomial(root, 1.641345311, 3.429567803, -1.624906493, -1.970840454)
    bottom = v.polynomial(root, 1.6370678, 3.5438892) * root + f(1)
    far = top * _sign(x) / bottom
    y = np.where(size <= f(0.7), near, far)
    for _ in range(2):
        slope = v.exp(y * y * f(-1)) * f(1.1283791670955)
        y = y - (_short_erf(y) - x) / slope
    y = np.where(x == 1, f(np.inf), y)
    y = np.where(x == -1, f(-np.inf), y)
    return np.asarray(np.where(size > 1, f(np.nan), y))
