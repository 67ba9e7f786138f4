"""The vector unit of Atlas A2: its instructions on NumPy arrays.

Each rounds once to the dtype of its arrays (float32 or float16); sums, differences, products and
quotients are NumPy's own operators, which do just that. NaN and infinities follow IEEE 754, the
default mode of A2. What differs from NumPy is here: conversions lose the sign of zero and saturate,
comparisons of NaN by "not equal" are false.

Sources: the descriptions of the instructions and the appendix of their boundary values in CANN's
documents of the language Ascend C (asc-devkit, docs/zh/api: conversions in table 32).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]

F32 = np.dtype(np.float32)
F16 = np.dtype(np.float16)
I32 = np.dtype(np.int32)
I64 = np.dtype(np.int64)


def _once(function: Callable[[Any], Any]) -> Callable[[Array], Array]:
    """Compute through float64 and round once: 0.5 ulp, as "good" instructions do."""

    def instruction(x: Array) -> Array:
        return np.asarray(function(x.astype(np.float64)), dtype=x.dtype)

    return instruction


exp = _once(np.exp)
log = _once(np.log)
sqrt = _once(np.sqrt)


def maximum(a: Array, b: Any) -> Array:
    """Return the larger of two; NaN wins, and +0 is larger than -0."""
    b = np.asarray(b, dtype=a.dtype)
    larger = np.where(a == b, np.where(np.signbit(a), b, a), np.maximum(a, b))
    return np.asarray(larger, dtype=a.dtype)


def minimum(a: Array, b: Any) -> Array:
    """Return the smaller of two; NaN wins, and -0 is smaller than +0."""
    b = np.asarray(b, dtype=a.dtype)
    smaller = np.where(a == b, np.where(np.signbit(a), a, b), np.minimum(a, b))
    return np.asarray(smaller, dtype=a.dtype)


def unequal(a: Array, b: Any) -> Array:
    """Compare by "not equal", which is false for NaN."""
    return np.asarray((a < b) | (a > b))


def sign_bit(x: Array) -> Array:
    """Return 1 where the sign bit is set, NaN included, else 0."""
    return np.signbit(x).astype(x.dtype)


def _away(x: Array) -> Array:
    """Round halves away from zero."""
    whole = np.trunc(x)
    return np.asarray(np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole))


def _rounding(function: Callable[[Array], Any]) -> Callable[[Array], Array]:
    def conversion(x: Array) -> Array:
        wide = x.astype(F32)
        # From float to float there is no negative zero.
        return np.asarray((function(wide) + F32.type(0)).astype(x.dtype))

    return conversion


floor = _rounding(np.floor)
ceil = _rounding(np.ceil)
trunc = _rounding(np.trunc)
rint = _rounding(np.rint)
half_away = _rounding(_away)


def to_integer(x: Array, dtype: Any, rounding: Callable[[Array], Any] = np.trunc) -> Array:
    """Convert to integers: NaN gives 0, numbers beyond the range the end of the range."""
    limits = np.iinfo(dtype)
    wide = np.asarray(rounding(x.astype(np.float64)))
    wide = np.where(np.isnan(wide), 0.0, wide)
    # The upper end of int64 is no float64: what reaches it is put there afterwards.
    top = float(limits.max) if limits.bits < 64 else float(2**62)
    inside = np.clip(wide, float(limits.min), top).astype(dtype)
    if limits.bits < 64:
        return np.asarray(inside)
    over = wide >= 2.0**63
    large = np.where(over, 0.0, np.maximum(wide, 0.0)).astype(dtype)
    return np.asarray(np.where(over, limits.max, np.where(wide >= top, large, inside)), dtype=dtype)


def saturate(x: Array, dtype: Any) -> Array:
    """Convert integers to narrower ones: beyond the range the end of the range."""
    own, limits = np.iinfo(x.dtype), np.iinfo(dtype)
    low, high = max(own.min, limits.min), min(own.max, limits.max)
    return np.asarray(np.clip(x, x.dtype.type(low), x.dtype.type(high)).astype(dtype))


def polynomial(x: Array, highest: float, *others: float) -> Array:
    """Evaluate by Horner's rule, each product and each sum rounded."""
    result = np.full_like(x, highest)
    for coefficient in others:
        result = result * x + x.dtype.type(coefficient)
    return np.asarray(result)


def sign_ratio(x: Array) -> Array:
    """Return x 2**62 / (2**-62 + |x| 2**62): the sign, and less than it for tiny numbers."""
    scaled = x * x.dtype.type(2.0**62)
    return np.asarray(scaled / (np.abs(scaled) + x.dtype.type(2.0**-62)))


def negative_unless(condition: Array, x: Array) -> Array:
    """Return x where the condition holds, else -x by a product with -1."""
    return np.asarray(np.where(condition, x, x * x.dtype.type(-1)))
