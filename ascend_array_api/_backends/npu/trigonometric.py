"""Trigonometric functions and their inverses on NPUs, for float32 and narrower.

CANN's sines and cosines are right up to 1e7, except for the sign of zero; we reduce greater angles
first.  CANN's inverse functions are series with three to six correct digits.
"""

from __future__ import annotations

import math
from typing import Final

from ..._routes import elementwise as el
from ..._routes._constants import addcmul, constant, polynomial
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._angles import reduced
from ._floats import SINGLE, keeps_zeros, refined, widened
from .rounding import with_sign

# --- sine, cosine, tangent ------------------------------------------------------------------------


def _sin(x: Tensor) -> Tensor:
    return torch.where(x == 0, x, torch.sin(reduced(x)))


def _cos(x: Tensor) -> Tensor:
    return torch.cos(reduced(x))


def _tan(x: Tensor) -> Tensor:
    angle = reduced(x)
    return torch.where(x == 0, x, torch.sin(angle) / torch.cos(angle))


def _sin_partials(x: Tensor) -> tuple[Tensor]:
    return (el.cos(x),)


# --- their inverses -------------------------------------------------------------------------------

# atan(u) = u p(u**2) / q(u**2) for u from -1 to 1, within 4.3e-8; by tools/elementary_functions.
_ATAN_ABOVE: Final = (80.01999, 72.07553, 11.08637)
_ATAN_BELOW: Final = (80.01999, 98.74874, 28.000906, 1.0)


def _angle(u: Tensor) -> Tensor:
    """Return the arctangent of numbers between -1 and 1: at most an eighth of a turn."""
    square = u * u
    return u * (polynomial(square, _ATAN_ABOVE) / polynomial(square, _ATAN_BELOW))


def _atan(x: Tensor) -> Tensor:
    # atan(x) = pi / 2 + atan(-1 / x) for x beyond 1, and less than that for x below -1.
    far = torch.abs(x) > 1
    angle = _angle(torch.where(far, constant(-1.0, x) / x, x))
    return torch.where(far, torch.add(angle, torch.clamp(x, -1, 1), alpha=math.pi / 2), angle)


def _atan_partials(x: Tensor) -> tuple[Tensor]:
    return (el.reciprocal(1 + x * x),)


def _atan2(x1: Tensor, x2: Tensor) -> Tensor:
    # The angle in the first eighth of the turn, then moved to the second and the fourth.
    a, b = torch.abs(x1), torch.abs(x2)
    large = torch.maximum(a, b)
    # Two zeros, or two infinities, have no quotient: treat them as (0, 1) and (1, 1).
    tangent = torch.where(a == b, torch.sign(large), torch.minimum(a, b) / large)
    angle = _angle(tangent)
    angle = torch.where(a > b, math.pi / 2 - angle, angle)
    angle = torch.where(x2.view(dt.int32) < 0, math.pi - angle, angle)
    return with_sign(angle, x1)


# asin(v) = v + v z p(z) / q(z), z = v**2, for v from 0 to 1/2, within 5e-9; by the same tool.
_ASIN_ABOVE: Final = (0.9506848, -0.50737625)
_ASIN_BELOW: Final = (5.7041087, -5.6112747, 1.0)


def _small_asin(v: Tensor, z: Tensor) -> Tensor:
    quotient = polynomial(z, _ASIN_ABOVE) / polynomial(z, _ASIN_BELOW)
    return addcmul(v, v * z, quotient)


def _halved(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return whether |x| is above 1/2, and v and v**2 for the arc sine.

    Numbers above use asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)).
    """
    size = torch.abs(x)
    far = size > 0.5
    square = torch.where(far, torch.rsub(size, 0.5, alpha=0.5), x * x)
    return far, torch.where(far, torch.sqrt(square), x), square


def _asin(x: Tensor) -> Tensor:
    far, v, square = _halved(x)
    near = _small_asin(v, square)
    return torch.where(far, with_sign(torch.rsub(near, math.pi / 2, alpha=2), x), near)


def _acos(x: Tensor) -> Tensor:
    far, v, square = _halved(x)
    near = _small_asin(v, square)
    twice = 2 * near
    angle = torch.where(x < 0, math.pi - twice, twice)
    return torch.where(far, angle, math.pi / 2 - near)


def _asin_partials(x: Tensor) -> tuple[Tensor]:
    return (el.reciprocal(el.sqrt((1 - x) * (1 + x))),)


def _acos_partials(x: Tensor) -> tuple[Tensor]:
    return (-_asin_partials(x)[0],)


# --- rows -----------------------------------------------------------------------------------------

_ALIKE: Final = "computes as that for float32 does"
_ATAN2: Final = "is off by up to 1e-5 of the result, and gives 0 for small angles"
_FLAT: Final = "is off by up to 6e-5, and gives 0 for small numbers"
_TAN: Final = "is wrong from 65504 on, and gives +0 for -0"
_SIN: Final = "is wrong from 2**24 on, and gives +0 for -0"

ROWS: Final = (
    refined(
        "sin", {dt.float16}, keeps_zeros(torch.sin), _sin_partials, "aclnnSin", "gives +0 for -0"
    ),
    refined("sin", SINGLE, _sin, _sin_partials, "aclnnSin", _SIN),
    refined("cos", SINGLE, _cos, el.cos_partials, "aclnnCos", "is wrong from 2**24 on"),
    refined("tan", SINGLE, _tan, el.tan_partials, "aclnnTan", _TAN),
    refined("atan", SINGLE, _atan, _atan_partials, "aclnnAtan", _FLAT),
    # Its sign is taken from bits.
    refined("atan2", SINGLE, _atan2, el.atan2_partials, "aclnnAtan2", _ATAN2, torch.atan2),
    refined("asin", SINGLE, _asin, _asin_partials, "aclnnAsin", _FLAT),
    refined("acos", SINGLE, _acos, _acos_partials, "aclnnAcos", "is off by up to 6e-5"),
    widened("sin", {dt.bfloat16}, "aclnnSin", _ALIKE),
    widened("cos", {dt.bfloat16}, "aclnnCos", _ALIKE),
    widened("tan", dt.HALF, "aclnnTan", _ALIKE),
    widened("atan", dt.HALF, "aclnnAtan", _ALIKE),
    widened("atan2", dt.HALF, "aclnnAtan2", _ALIKE),
    widened("asin", dt.HALF, "aclnnAsin", _ALIKE),
    widened("acos", dt.HALF, "aclnnAcos", _ALIKE),
)
