"""Powers on NPUs.

CANN's kernel computes exp(y ln x) in float32, with errors up to 133 units in the last place, even
for small integers.  Here the logarithm and the power of 2 carry some more bits, by sums, products
and quotients only, so that powers that float32 holds are exact.  Results of 16 bits use the kernel,
which is as good after rounding.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from ..._devices.facts import lazily_fused, soc
from ..._routes import elementwise as el
from ..._routes._constants import addcdiv, addcmul, constant, polynomial
from ..._routes._operations import cast
from ..._routes._rows import Compose, Native, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from . import BACKEND
from ._common import composed, launches, slow, wrong
from ._floats import clamp, unfused
from .division import leading
from .rounding import with_sign

_SIZE: Final = 2**31 - 1
_LEAST_NORMAL: Final = 2**23
_ROOT_HALF: Final = 0x3F3504F3
"""The bits of the root of 1/2."""
_EXPONENT: Final = -(2**23)
"""The bits of the exponent and the sign."""

# 2 / ln(2) in 12 bits, and the function of s**2 that times s is what 2 atanh(s) / ln(2) has beside.
_LOG: Final = 2.884765625
_LOG_SERIES: Final = (
    6.244567921385169e-4,
    0.9617966922804064,
    0.5770797921908306,
    0.4118995178667729,
    0.3366300685738908,
)
# The function that times f is 2**f - 1 - f / 2 for f from -1/2 to 1/2, within 3e-9.
_EXP_SERIES: Final = (
    1.93147212e-1,
    2.40226507e-1,
    5.5503156e-2,
    9.61809605e-3,
    1.34049437e-3,
    1.54469773e-4,
)


def _parted(size: Tensor) -> tuple[Tensor, Tensor]:
    """Return x - 1 and n for positive numbers ``2**n x``, given their bits.

    The number x is between the roots of 1/2 and of 2, and n is returned times ``2**23``.
    """
    # Treat subnormal numbers as normal ones with a smaller exponent.
    below = cast(size, dt.float32).view(dt.int32) - 149 * _LEAST_NORMAL
    size = torch.where(size < _LEAST_NORMAL, below, size)
    # The exponent that leaves a number between the roots of 1/2 and of 2.
    exponent = torch.bitwise_and(size - _ROOT_HALF, _EXPONENT)
    return (size - exponent).view(dt.float32) + -1, cast(exponent, dt.float32)


def log2(less_one: Tensor, whole: Tensor) -> tuple[Tensor, Tensor]:
    """Return the base 2 logarithms of numbers ``2**n x`` in two parts, given x - 1 and n 2**23.

    The first part has 12 bits, the second one the rest.
    """
    # s = x / (x + 2), as 12 bits and a rest.  All steps to what is left of x are exact.
    divisor = less_one + 2
    ratio = less_one / divisor
    high, a = leading(ratio), leading(less_one)
    rest = addcmul(torch.sub(less_one, high, alpha=2), high, a, value=-1)
    low = addcmul(rest, high, less_one - a, value=-1) / divisor
    # The series in s; only the first term needs both parts.
    ratio = high + low
    first = high * _LOG
    total = torch.add(first, whole, alpha=2.0**-23)
    rest = first - torch.sub(total, whole, alpha=2.0**-23)
    rest = addcmul(rest, ratio, polynomial(ratio * ratio, _LOG_SERIES))
    rest = torch.add(rest, low, alpha=_LOG)
    high = leading(total)
    return high, (total - high) + rest


def exp2(fraction: Tensor, rest: Tensor) -> Tensor:
    """Return 2 to the power of fraction + rest, for -1/2 <= fraction <= 1/2."""
    # 2**(fraction + rest) is 1 + fraction / 2, and little more.
    one = constant(1.0, fraction)
    total = torch.add(one, fraction, alpha=0.5)
    lost = torch.add(one - total, fraction, alpha=0.5)
    exponent = fraction + rest
    lost = addcmul(lost, exponent, polynomial(exponent, _EXP_SERIES))
    return total + torch.add(lost, rest, alpha=0.5)


def scaled(x: Tensor, whole: Tensor) -> Tensor:
    """Return x times 2 to the power of a whole number from -250 to 250."""
    # In two steps, of which only the last one may round.  With n = whole + 1, the bits are those of
    # 2**(n / 2) for an even n, else of 3/2 times the next lower power.
    bits = cast(torch.add(constant(127.5 * 2.0**23, whole), whole, alpha=2.0**22), dt.int32)
    scale = torch.bitwise_and(bits, _EXPONENT).view(dt.float32)
    return (x * scale) * torch.sub(bits.view(dt.float32), scale, alpha=0.5)


# The power that torch_npu fuses is +0 for -0, and NaN for negative infinity.
_POW: Final = unfused(torch.pow) if BACKEND.fuses(dt.float32) else torch.pow


def _pow(x1: Tensor, x2: Tensor) -> Tensor:
    power = _POW(x1, x2)  # right in its sign and in special cases
    a, b = log2(*_parted(torch.bitwise_and(x1.view(dt.int32), _SIZE)))
    # The product of x2 and the logarithm, as an integer and a fraction of two parts.
    times = clamp(x2, -(2.0**33), 2.0**33)  # times the least logarithm, this overflows
    times = addcdiv(times, x1 - x1, x1)  # NaN where x1 is 0, infinite or NaN
    # high * a is exact, because both have 12 bits; everything else goes into the rest.
    high = leading(times)
    rest = addcmul(times * b, times - high, a)
    first = high * a
    whole = torch.round(first + rest)
    fraction = first - whole
    result = exp2(fraction, rest)
    result = clamp(result, 0.5, 2.0)  # beyond 2**24 the exponent has no digits
    result = scaled(result, clamp(whole, -250.0, 250.0))
    both = torch.maximum(result, power)  # NaN where one of them is
    return torch.where(both == both, with_sign(result, power), power)


def _pow_bfloat16(x1: Tensor, x2: Tensor) -> Tensor:
    return _POW(x1.to(dt.float32), x2.to(dt.float32)).to(x1.dtype)


def held(number: float, dtype: torch.dtype) -> float:
    """Return a Python scalar, or infinity if it is too large for a floating-point data type."""
    return number if abs(number) <= torch.finfo(dtype).max else math.copysign(math.inf, number)


def to_power(x: Tensor, exponent: float) -> Tensor:
    """Raise numbers to the power of a Python scalar."""
    exponent = held(exponent, x.dtype)
    form = el.pow.forms.get(exponent)
    if form is not None and x.dtype in form.dtypes:
        result: Tensor = form(x)
    else:
        result = el.pow(x, torch.full((), exponent, dtype=x.dtype, device=x.device))
    return result


def _root(x: Tensor) -> Tensor:
    # The power of -0 is +0, and that of -inf is +inf.
    if x.dtype is dt.float32:
        x = el.nan_to_num(x, nan=math.nan, posinf=math.inf, neginf=math.inf)
    else:
        x = torch.where(x == -math.inf, constant(math.inf, x), x)
    return torch.sqrt(x + 0.0)


def _root_partials(x: Tensor) -> tuple[Tensor]:
    return (0.5 * el.reciprocal(el.root(x)),)


_power: Final = partial(composed, "pow", partials=el.pow_partials, native=torch.pow)
_FILLED: Final = launches(
    "an infinity is filled in by one kernel more, or two", "aclnnPowTensorScalar"
)
_FUSED: Final = wrong("the power that torch_npu fuses is +0 for -0, and NaN for -inf", "aten::pow")
_ROUNDED: Final = wrong(
    "exp(y ln x) in float32, off by up to 133 units in the last place: 3**3 is not 27",
    "aclnnPowTensorTensor",
)

ROWS: Final = (
    Row(
        "cube",
        dt.REAL_FLOATING - dt.HALF,
        Compose(el.cube_at_once),
        *launches("two products are two kernels, where one makes both", "aclnnPowTensorScalar"),
        where=~soc("950"),  # its kernel does not multiply (pows_base.h of ops-math)
    ),
    composed("root", el.root.dtypes, _root, _root_partials, _FILLED),
    _power({dt.float32}, _pow, cause=_ROUNDED, fast=Native(scalars=True)),
    _power({dt.float16}, _POW, cause=_FUSED, where=lazily_fused),
    _power({dt.bfloat16}, _pow_bfloat16, cause=slow("aclnnPowTensorTensor")),
)
