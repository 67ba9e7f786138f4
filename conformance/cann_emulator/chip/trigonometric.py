"""Trigonometric functions and their inverses.

Sources: CANN 8.1.RC1, impl/dynamic/sin.py, cos.py, tan.py, asin.py, acos.py, atan.py, atan2.py, and
the sign of impl/util/util_compute.py. `angle` is angle_v2_complex.h of ops-math v9.1.0
(math/angle_v2/op_kernel), by the arctangent of Ascend C: atan_common_impl.h of CANN 8.1.RC1
(highlevel_api/impl/math/atan), the same in asc-devkit of July 2026 (impl/adv_api/detail/math/atan).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v

if TYPE_CHECKING:
    from ._vector import Array

f = np.float32

INVERSE_PI = f(0.31830987334251404)
# Four parts of pi, for sin and cos.
PI = (f(3.14160156), f(-8.9071691e-06), f(-1.74122761e-09), f(1.24467439e-13))
# Five parts of pi, for tan.
PI_OF_TAN = (
    *(f(3.140625), f(0.0009670257568359375), f(6.277114152908325e-07)),
    *(f(1.2164491636212915e-10), f(-1.0291767438275201e-13)),
)
HALF_PI = f(1.5707963267948966)
HALF_PI_REST = f(-4.37113883e-08)
SINE = (
    *(2.604926501e-06, -0.0001980894471, 0.00833304934),
    *(-0.1666665792, 1.0),
)
ARCSINE = (
    *(0.01396484375, 0.017352764423076924, 0.022372159090909092, 0.030381944444444444),
    *(0.044642857142857144, 0.075, 0.16666666666666666, 1.0),
)
ROOT_HALF = f(0.7071067811865476)
ARCTANGENT = (1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3, 1.0)
TAN_EIGHTH = f(0.414213562373095)


def _signed_sine(rest: Array, turns: Array) -> Array:
    """Return the sine of the rest, its sign that of (-1)**turns, within -1 and 1."""
    square = rest * rest
    sign = v.floor(turns * f(0.5)) * f(4) + turns * f(-2) + f(1)
    value = v.polynomial(square, *SINE) * rest * sign
    return v.maximum(v.minimum(value, 1.0), -1.0)


def _turns(x: Array, shift: float) -> tuple[Array, Array, Array]:
    """Return the number of half turns, and it split in a multiple of 2048 and the rest."""
    ratio = x * INVERSE_PI
    turns = v.half_away(ratio + f(shift)) if shift else v.half_away(ratio)
    many = v.half_away(ratio * f(1.0 / 2048)) * f(2048)
    return turns, many, np.asarray(turns - many)


def sin(x: Array) -> Array:
    """Subtract the half turns in eight products, then a polynomial of degree 9."""
    turns, many, few = _turns(x, 0)
    for part in PI:
        x = x - many * part
        x = x - few * part
    return _signed_sine(x, turns)


def cos(x: Array) -> Array:
    """As the sine, shifted by a quarter turn in the middle of the subtractions."""
    turns, many, few = _turns(x, 0.5)
    first, second, *others = PI
    x = x - many * first - few * first
    x = x - many * second + HALF_PI - few * second
    for part in others:
        x = x - many * part
        x = x - few * part
    return _signed_sine(x + HALF_PI_REST, turns)


def tan(x: Array) -> Array:
    """Subtract the half turns, counted by an int32; then a rational function with its two poles."""
    turns = v.to_integer(x * INVERSE_PI, v.I32, np.rint).astype(v.F32)
    first, second, third, *others = PI_OF_TAN
    x = x - turns * first - turns * second
    right, left = x + HALF_PI, x - HALF_PI
    step = turns * third
    x, right, left = x - step, right - step, left - step
    right, left = right + f(-4.371139000189375e-08), left + f(4.371139000189375e-08)
    for part in others:
        step = turns * part
        x, right, left = x - step, right - step, left - step
    square = x * x
    top = square * f(0.0698520831551998753793) + f(-6.8711573651634203789)
    top = (top * square + f(61.20362572811089435388)) * x
    bottom = (square + f(-24.8048928861126769186219)) * right * left
    return np.asarray(top / bottom)


def _arcsine_series(x: Array, square: Array) -> Array:
    return np.asarray(v.polynomial(square, *ARCSINE) * x)


def _arcsine(x: Array) -> Array:
    sign = v.sign_ratio(x)
    size = x * sign
    low = v.to_integer(v.minimum(size, ROOT_HALF) - ROOT_HALF, v.I32, np.floor).astype(v.F32)
    below = low * f(-1)
    near = _arcsine_series(size, size * size) * below
    rest = size * size * f(-1) + f(1)
    far = _arcsine_series(v.sqrt(rest), rest) * f(-1) + HALF_PI
    return np.asarray((near + far * (below * f(-1) + f(1))) * sign)


def asin(x: Array) -> Array:
    """A series; beyond sqrt(0.5) the series of sqrt(1 - x**2)."""
    return _arcsine(x)


def acos(x: Array) -> Array:
    """Return pi / 2 - asin(x); NaN outside of -1 and 1."""
    result = _arcsine(x) * f(-1) + HALF_PI
    return np.asarray(np.where((x >= -1) & (x <= 1), result, f(np.nan)))


def _arctangent_series(x: Array) -> Array:
    """Return the smaller of two series, one about tan(pi / 8)."""
    moved = np.abs((x - TAN_EIGHTH) / (x * TAN_EIGHTH + f(1)))
    far = v.polynomial(moved * moved, *ARCTANGENT) * moved + f(0.39269908169872414)
    near = v.polynomial(x * x, *ARCTANGENT[2:]) * x
    return v.minimum(far, near)


def _arctangent(x: Array, limit: float) -> Array:
    x = v.maximum(v.minimum(x, limit), -limit)
    size = np.abs(x)
    near = _arctangent_series(size)
    far = _arctangent_series(np.abs((size - f(1)) / (size + f(1)))) + f(0.7853981633974483)
    return np.asarray(v.minimum(near, far) * v.sign_ratio(x))


def atan(x: Array) -> Array:
    """Clamp to 16394, then the smaller of a series and one for (|x| - 1) / (|x| + 1)."""
    return _arctangent(x, 16394.0)


def atan2(y: Array, x: Array) -> Array:
    """Return atan(y / x) moved into its quadrant; the special cases by selections."""
    pi, zero = f(3.141592653589793), f(0)
    side = np.where(y >= 0, f(1), f(-1))
    result = np.where(x == 0, side * HALF_PI, _arctangent(np.asarray(y / x), 1e7))
    result = result + np.where(x < 0, side, zero) * pi
    x_negative, y_negative = np.signbit(x), np.signbit(y)
    right, left = np.isposinf(x), np.isneginf(x)
    up, down = np.isposinf(y), np.isneginf(y)
    for condition, value in (
        ((y == 0) & ~y_negative & x_negative, pi),
        ((y == 0) & ~y_negative & ~x_negative, zero),
        ((y == 0) & y_negative & x_negative, -pi),
        ((y == 0) & y_negative & ~x_negative, -zero),
        ((y < 0) & ~down & right, -zero),
        (up & right, f(0.7853981633974483)),
        (down & right, f(-0.7853981633974483)),
        (up & left, f(2.356194490192345)),
        (down & left, f(-2.356194490192345)),
        (up & np.isfinite(x), HALF_PI),
        (down & np.isfinite(x), -HALF_PI),
    ):
        result = np.where(condition, value, result)
    result = np.where(np.isnan(y), y, result)
    return np.asarray(np.where(np.isnan(x), x, result))


def _few_terms(x: Array) -> Array:
    return np.asarray(v.polynomial(x * x, *ARCTANGENT[2:]) * x)


def _arctangent_of_ascend_c(x: Array) -> Array:
    """Clamp to 10000; the smallest of four series, of which the last alone has seven terms."""
    x = v.maximum(v.minimum(x, 1e4), -1e4)
    size = np.abs(x)
    ratio = np.abs((size - f(1)) / (size + f(1)))

    def moved(y: Array) -> Array:
        return np.asarray(np.abs((y - TAN_EIGHTH) / (y * TAN_EIGHTH + f(1))))

    eighth, quarter = f(0.39269908169872414), f(0.7853981633974483)
    last = moved(ratio)
    last = v.polynomial(last * last, *ARCTANGENT) * last + eighth + quarter
    result = v.minimum(_few_terms(size), _few_terms(moved(size)) + eighth)
    result = v.minimum(v.minimum(result, _few_terms(ratio) + quarter), last)
    return np.asarray(result * v.sign_ratio(x))


def angle(x: Array, y: Array) -> Array:
    """Return the angle of x + yj: atan(y / x) moved into its quadrant; -0 counts as +0."""
    pi, zero = f(3.141592653589793), f(0)
    side = np.where(y >= 0, f(1), f(-1))
    result = np.where(x == 0, side * HALF_PI, _arctangent_of_ascend_c(np.asarray(y / x)))
    result = np.where(x < 0, side, zero) * pi + result
    right, left, up, down = np.isposinf(x), np.isneginf(x), np.isposinf(y), np.isneginf(y)
    for condition, value in (
        ((y == 0) & (x < 0), pi),
        ((y == 0) & ~(x < 0), zero),
        ((y < 0) & ~down & right, -zero),
        (up & right, pi / f(4)),
        (down & right, -pi / f(4)),
        (up & left, pi * f(3) / f(4)),
        (down & left, -pi * f(3) / f(4)),
        (up & np.isfinite(x), HALF_PI),
        (down & np.isfinite(x), -HALF_PI),
    ):
        result = np.where(condition, value, result)
    return np.asarray(np.where(np.isnan(x) | np.isnan(y), f(np.nan), result), dtype=v.F32)
