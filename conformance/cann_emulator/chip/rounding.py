"""Rounding to integers, which loses the sign of zero: a conversion from float32 to float32.

Sources: CANN 8.1.RC1, impl/dynamic/floor.py, ceil.py, trunc.py, round.py, rint.py, sign.py, neg.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array

floor = v.floor
ceil = v.ceil
trunc = v.trunc
rint = v.rint


def sign(x: Array) -> Array:
    """Return (x > 0) - (x < 0): NaN and zeros of both signs give +0."""
    difference = (x > 0).astype(v.F16) - (x < 0).astype(v.F16)
    return np.asarray(difference.astype(x.dtype))
