"""Floor division and remainders on NPUs.

CANN's kernels divide in float32, round, and then floor or multiply back.  So a quotient is wrong if
rounding makes it an integer, and a remainder is wrong if the product rounds.  This module uses only
exact steps: products of 12-bit numbers in float32, sums that fit, arithmetic on int64, and
quotients that can be represented.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Final

import numpy as np

from ..._routes import elementwise as el
from ..._routes._constants import addcdiv, addcmul
from ..._routes._derivatives import differentiated, tracked
from ..._routes._operations import cast
from ..._routes._rows import Compose, Native, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import traced_as
from ._common import composed, launches, refused, slow, undocumented, wrong
from ._floats import by_dvm
from .elementwise import copysign
from .rounding import with_sign

# --- float32 --------------------------------------------------------------------------------------

_SIZE: Final = 2**31 - 1
"""All bits of a float32 except its sign."""
_EXPONENT: Final = 0x7F800000
_LEADING: Final = -(2**12)
"""All bits of a float32 except the last 12: both halves of the number then have 12 bits."""
_ONE: Final = 2**23
"""The exponent 1 in the bits of a float32."""
_BIAS: Final = 127
_SMALL: Final = 2**24
"""Python integers up to this size pass unchanged through float32, to which kernels may cast."""


def _traced_leading(x: Tensor) -> Tensor:
    if not by_dvm():
        return torch.bitwise_and(x.view(dt.int32), _LEADING).view(dt.float32)
    # Rounded to 12 bits.  (T. J. Dekker, Numer. Math. 18, 1971.)
    great = torch.abs(x) > 2.0**100
    x = torch.where(great, x * 2.0**-64, x)
    more = x * 4097.0
    high = more - (more - x)
    return torch.where(great, high * 2.0**64, high)


@traced_as(_traced_leading)
def leading(x: Tensor) -> Tensor:
    """Return the number without its last 12 bits; compiled code may round it to the others."""
    return torch.bitwise_and(x.view(dt.int32), _LEADING).view(dt.float32)


def _exponent(x: Tensor) -> Tensor:
    """Return the exponent bits of float32 numbers; subnormal numbers have exponent 1."""
    return torch.clamp(torch.bitwise_and(x.view(dt.int32), _EXPONENT), min=_ONE)


def _floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    # Make the divisor positive.
    bits = x2.view(dt.int32)
    size = torch.bitwise_and(bits, _SIZE)
    divisor = size.view(dt.float32)
    minus = torch.bitwise_xor(bits, size)
    dividend = torch.bitwise_xor(x1.view(dt.int32), minus).view(dt.float32)
    quotient = dividend / divisor
    whole = torch.floor(quotient)
    # The rest is exact: for a quotient below 2**24, the rest and each difference on the way are
    # multiples of a power of two that float32 can hold.  Greater quotients are integers anyway.
    # So subtract the quotient times the divisor as four products of 12-bit halves, each exact.
    a, b = leading(whole), leading(divisor)
    c, d = whole - a, divisor - b
    rest = addcmul(dividend, a, b, value=-1)
    rest = addcmul(rest, a, d, value=-1)
    rest = addcmul(rest, c, b, value=-1)
    rest = addcmul(rest, c, d, value=-1)
    # (The product -2 * 2**127 overflows in the rest.)
    rest = el.nan_to_num(rest, posinf=0)
    return with_sign(_corrected(whole, rest, divisor), quotient)


def _corrected(whole: Tensor, rest: Tensor, divisor: Tensor | float) -> Tensor:
    # The quotient may be off by one: division may have rounded it up to an integer.
    result = torch.where(rest < 0, whole - 1, whole)
    return torch.where(rest > divisor, whole + 1, result)


def _floor_divide_by_python(x: Tensor, divisor: float) -> Tensor:
    single = _single(x, divisor)
    size, dividend = abs(single), x if single > 0 else -x
    quotient = dividend / torch.full((), size, dtype=x.dtype, device=x.device)
    whole = torch.floor(quotient)
    a = leading(whole)
    c = whole - a
    # The host splits the divisor into two halves of 12 bits, which are exact as scalars.
    mantissa, exponent = math.frexp(size)
    high = math.ldexp(math.floor(mantissa * 2**12), exponent - 12)
    rest = dividend
    for part in (high, size - high) if size != high else (high,):
        rest = torch.sub(rest, a, alpha=part)
        rest = torch.sub(rest, c, alpha=part)
    return with_sign(_corrected(whole, rest, size), quotient)


def _remainder(x1: Tensor, x2: Tensor) -> Tensor:
    exponent = _exponent(x2)
    unit = exponent.view(dt.float32)
    apart = _exponent(x1) - exponent
    divisor = (x2 / unit * 2.0**23).to(dt.int64)
    rest = _modulo(x1, apart, lambda x: x / unit * 2.0**23, divisor) * 2.0**-23 * unit
    # If the dividend's exponent is below the divisor's, the quotient is 0 or -1.
    rest = torch.where(apart < 0, torch.remainder(x1, x2), rest)
    rest = addcdiv(rest, x1 - x1, x2)  # NaN for an infinite dividend, and for a divisor of 0
    return with_sign(rest, x2)


def _modulo(
    x: Tensor, apart: Tensor, scaled: Callable[[Tensor], Tensor], divisor: Tensor | int
) -> Tensor:
    """Compute the remainder of integers, ``a 2**n`` modulo ``b``, in int64.

    Write ``n`` as ``8 q + r`` and square ``2**q`` three times modulo ``b``.  The greatest ``q``,
    for the largest and the smallest number, is 31.
    """
    eights = torch.bitwise_and(apart, 0x7C000000)  # 8 q, as an exponent
    dividend = scaled((x.view(dt.int32) - eights).view(dt.float32)).to(dt.int64)
    # Use -2**q, because casts from float32 go through int32, which has no 2**31.  The squares are
    # the same.
    power = torch.floor_divide(eights, 8) + (_BIAS - 256) * _ONE
    power = power.view(dt.float32).to(dt.int64)
    for _ in range(3):
        power = torch.remainder(power * power, divisor)
    return torch.remainder(dividend * power, divisor).to(dt.float32)


def _remainder_by_python(x: Tensor, divisor: float) -> Tensor:
    single = _single(x, divisor)
    mantissa, exponent = math.frexp(single)
    unit = 2.0 ** (exponent - 24)
    apart = _exponent(x) - (exponent - 1 + _BIAS) * _ONE
    rest = _modulo(x, apart, lambda x: x * (1 / unit), int(mantissa * 2**24)) * unit
    rest = torch.where(apart < 0, torch.remainder(x, single), rest)
    rest = rest + (x - x)
    if single > 0:
        return torch.abs(rest)
    return torch.bitwise_or(rest.view(dt.int32), -(2**31)).view(dt.float32)


def _single(x: Tensor, divisor: float) -> float:
    """Return a Python number as float32; KeyError if a division by it needs checks of bounds."""
    if tracked(x) or not 2.0**-100 <= abs(divisor) <= 2.0**100:
        raise KeyError(divisor)  # as an array of it
    return float(np.float32(divisor))


# --- float64 --------------------------------------------------------------------------------------


def _remainder_float64(x1: Tensor, x2: Tensor) -> Tensor:
    # On Ascend 950 torch_npu reads a divisor without axes on the host, and hands it to fmod as a
    # number, which loses what float32 does not hold.
    divisor = x2 if x2.dim() else x2.unsqueeze(0)
    rest = torch.fmod(el.nearer_dividend(x1, divisor), divisor)
    rest = torch.where((rest != 0) & ((rest < 0) != (divisor < 0)), rest + divisor, rest)
    rest = copysign(rest, divisor)
    return rest if x2.dim() else rest.reshape(x1.shape)


# --- integers -------------------------------------------------------------------------------------


def _floor_divide_int32(x1: Tensor, x2: Tensor) -> Tensor:
    # The kernel's quotient is off by some hundreds; the quotient of the rest is off by one.
    quotient = torch.floor_divide(x1, x2)
    rest = x1 - quotient * x2
    more = torch.floor_divide(rest, x2)
    quotient, rest = quotient + more, rest - more * x2
    # Negative numbers, because only they include the size of the least integer.
    sign = -torch.sign(x2)
    rest, divisor = rest * sign, x2 * sign
    result = torch.where(rest > 0, quotient - 1, quotient)
    return torch.where(rest <= divisor, quotient + 1, result)


def _in_int32(function: Callable[..., Tensor]) -> Compose:
    """Compute in int32, which is exact for integers of 16 bits."""

    def computed(x1: Tensor, x2: Tensor) -> Tensor:
        return cast(function(cast(x1, dt.int32), cast(x2, dt.int32)), x1.dtype)

    return Compose(computed)


def _by_small(name: str, divide: Callable[..., Tensor], kernel: str) -> Row:
    """Return the row of a division of int64, by a small Python integer without a tensor of it."""

    def by_small(x: Tensor, divisor: int) -> Tensor:
        if not 0 < abs(divisor) <= _SMALL:
            raise KeyError(divisor)  # as an array of it
        return divide(x, divisor)

    filled = "torch_npu makes an array of a Python divisor, although a kernel takes the number"
    route = Compose(functools.partial(divide), by_small)
    return Row(name, {dt.int64}, route, *launches(filled, kernel))


# --- rows -----------------------------------------------------------------------------------------


_DIVIDED: Final = Compose(differentiated(_floor_divide, el.flat), _floor_divide_by_python)
_SLOPES: Final = el.remainder_partials
_REDUCED: Final = Compose(differentiated(_remainder, _SLOPES), _remainder_by_python)
_DIVIDED_IN_INT32: Final = _in_int32(torch.floor_divide)
_REDUCED_IN_INT32: Final = _in_int32(torch.remainder)
_NARROW: Final = frozenset({dt.int8, dt.int16, dt.uint8})
_PLAIN: Final = Native(scalars=True)
_QUOTIENT: Final = wrong(
    "the floor of the rounded quotient: 1 // 0.1 is 10, and numbers beyond 2**24 are rounded too",
    "aclnnFloorDivide",
)
_REST: Final = wrong(
    "the kernel rounds twice, and overflows for huge quotients",
    "aclnnRemainderTensorTensor",
    "aclnnFmodTensor",
)
_SATURATES: Final = wrong("-128 // -1 saturates", "aclnnFloorDivide")
_UNSAID: Final = undocumented(
    "CANN says nothing of quotients that overflow, or of the sign of a zero",
    "aclnnRemainderTensorTensor",
)
_EXACT_FAR: Final = undocumented(
    "documented as exact from -2**24 to 2**24 only", "aclnnRemainderTensorTensor"
)
_EXACT_BELOW: Final = launches(
    "uint16 fits float32 exactly: the correction of int32 is not needed",
    "aclnnFloorDivide",
    "aclnnRemainderTensorTensor",
)

ROWS: Final = (
    Row("floor_divide", {dt.float32}, _DIVIDED, *_QUOTIENT, fast=_PLAIN),
    Row("floor_divide", dt.HALF, Via(dt.float32), *_QUOTIENT, fast=_PLAIN),
    Row("floor_divide", {dt.int32}, Compose(_floor_divide_int32), *_QUOTIENT, fast=_PLAIN),
    Row("floor_divide", {dt.int8}, _DIVIDED_IN_INT32, *_SATURATES),
    Row("floor_divide", {dt.int16}, _DIVIDED_IN_INT32, *slow("aclnnFloorDivide")),
    Row("floor_divide", {dt.uint16}, _DIVIDED_IN_INT32, *_EXACT_BELOW),
    _by_small("floor_divide", torch.floor_divide, "aclnnFloorDivides"),
    Row("remainder", {dt.float32}, _REDUCED, *_REST, fast=_PLAIN),
    Row("remainder", dt.HALF, Via(dt.float32), *_REST, fast=_PLAIN),
    composed("remainder", {dt.float64}, _remainder_float64, _SLOPES, _UNSAID, fast=_PLAIN),
    Row("remainder", _NARROW, _REDUCED_IN_INT32, *refused("aclnnRemainderTensorTensor")),
    Row("remainder", {dt.uint16}, _REDUCED_IN_INT32, *_EXACT_BELOW),
    Row("remainder", {dt.int32}, Via(dt.int64), *_EXACT_FAR, fast=_PLAIN),
    _by_small("remainder", torch.remainder, "aclnnRemainderTensorScalar"),
)
