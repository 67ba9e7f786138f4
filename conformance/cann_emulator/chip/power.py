"""Powers: exp(y ln |x|), its sign and its special cases by selections.

Source: CANN 8.1.RC1, impl/dynamic/pow.py (with the modulo of tbe.dsl.vmod for the parity of y).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array


def power(x: Array, y: Array) -> Array:
    """Return x**y in float32."""
    one = v.F32.type(1)
    positive = v.exp(y * v.log(np.abs(x)))
    size = np.abs(y)
    odd = size - v.floor(size / v.F32.type(2)) * v.F32.type(2)
    negative = (odd * v.F32.type(-2) + one) * positive
    infinite = np.isinf(y)
    # "Not equal" is false for NaN, which therefore passes for an integer here.
    whole = ~v.unequal(v.floor(y), y) & ~infinite
    result = np.where(np.signbit(x) & whole, negative, positive)
    fraction = ~whole & ~infinite
    result = np.where((x < 0) & ~np.isneginf(x) & fraction, v.F32.type(np.nan), result)
    result = np.where(infinite & (x == -1), one, result)
    result = np.where(y == 0, one, result)
    return np.asarray(np.where(x == 1, one, result), dtype=x.dtype)
