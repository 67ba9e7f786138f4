"""Quotients and remainders: a rounded quotient in float32, then a conversion.

Sources: CANN 8.1.RC1, impl/dynamic/floor_div.py, mod.py, truncate_mod.py, floor_mod.py,
truncate_div.py, real_div.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array


def floor_divide(x: Array, y: Array) -> Array:
    """Floor the rounded quotient; float16 divides in float16, integers in float32."""
    if x.dtype in (v.F32, v.F16):
        return v.floor(x / y)
    quotient = v.floor(x.astype(v.F32) / y.astype(v.F32))
    if x.dtype != v.I32:
        quotient = quotient.astype(v.F16)  # conversions to 8 bits start there
    return v.to_integer(quotient, x.dtype)


def modulo(x: Array, y: Array) -> Array:
    """Return x - trunc(x / y) y, in float32 and with three roundings, for every dtype."""
    a, b = x.astype(v.F32), y.astype(v.F32)
    ratio = a / b
    zero = v.F32.type(0)
    whole = v.floor(v.maximum(ratio, zero)) + v.ceil(v.minimum(ratio, zero))
    rest = a - whole * b
    if x.dtype in (v.F32, v.F16):
        return np.asarray(rest.astype(x.dtype))
    return v.to_integer(rest if x.dtype == v.I32 else rest.astype(v.F16), x.dtype)


def floor_modulo(x: Array, y: Array) -> Array:
    """Return x - floor(x / y) y with corrections for infinities and signs.

    int32: the quotient from float32, product and difference in wrapping int32, no correction.
    """
    ratio = x.astype(v.F32) / y.astype(v.F32)
    if x.dtype == v.I32:
        return np.asarray(x - v.to_integer(ratio, v.I32, np.floor) * y)
    rest = (x.astype(v.F32) - v.floor(ratio) * y.astype(v.F32)).astype(x.dtype)
    rest = np.where(np.isinf(y), x, rest)
    rest = np.where(np.isinf(x), x.dtype.type(np.nan), rest)
    moved = rest + y
    other_sign = np.signbit(y) != np.signbit(rest)
    return np.asarray(np.where(v.unequal(rest, 0) & other_sign, moved, rest))


def truncate_divide(x: Array, y: Array) -> Array:
    """Truncate the quotient of integers in float32; of floats, give the quotient itself.

    The program for truncated division of floats divides and then truncates by Trunc.
    """
    if x.dtype in (v.F32, v.F16):
        return np.asarray((x.astype(v.F32) / y.astype(v.F32)).astype(x.dtype))
    ratio = x.astype(v.F32) / y.astype(v.F32)
    zero = v.F32.type(0)
    up = v.to_integer(v.minimum(ratio, zero), v.I32, np.ceil)
    down = v.to_integer(v.maximum(ratio, zero), v.I32, np.floor)
    return np.asarray((up + down).astype(x.dtype))  # 8 bits are the low ones


def divide(x: Array, y: Array) -> Array:
    """Divide; integers in float32, truncated afterwards."""
    if x.dtype in (v.F32, v.F16):
        return np.asarray(x / y)
    ratio = x.astype(v.F32) / y.astype(v.F32)
    return v.to_integer(ratio if x.dtype == v.I32 else ratio.astype(v.F16), x.dtype)
