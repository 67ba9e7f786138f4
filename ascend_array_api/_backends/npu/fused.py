"""Operations that compiled code composes of instructions of DVM, the compiler in torch_npu.

DVM fuses sums, products, quotients, square roots, exponentials, logarithms, comparisons, ``where``,
casts between float32, int32 and bool, and torch's powers into one kernel.  Any other function is a
kernel of its own, and divides the chain in which it stands: the values before and after it pass
through memory.  The rows here hold in code that ``torch.compile`` traces, where DVM compiles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set
from typing import Any, Final

from ..._devices.facts import dvm
from ..._routes import elementwise as el
from ..._routes._derivatives import differentiated
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import derivatives
from ..._torch.tracing import called, constant, give_name
from . import powers
from ._common import SEEN, launches
from ._floats import SINGLE
from .division import leading
from .elementwise import nan_to_num, spread
from .rounding import flat

# --- float32 --------------------------------------------------------------------------------------


def _log1p(x: Tensor) -> Tensor:
    # log(1 + x) x / ((1 + x) - 1), in which the errors of the sum cancel.  (N. J. Higham, Accuracy
    # and Stability of Numerical Algorithms, 2nd ed., problem 1.5.)
    more = 1 + x
    less = more - 1
    result = torch.log(more) * (x / less)
    return torch.where((less == 0) | (less == math.inf), x, result)


def _log1p_partials(x: Tensor) -> tuple[Tensor]:
    return (1 / (1 + x),)


def _steps(x: Tensor) -> Tensor:
    """Return numbers below 2**31 rounded towards 0, by casts."""
    return x.to(dt.int32).to(dt.float32)


def _down(x: Tensor) -> Tensor:
    """Return numbers below 2**31 rounded down; DVM has the instruction, but does not fuse it."""
    whole = _steps(x)
    return torch.where(whole > x, whole - 1, whole)


def _rounded(function: Callable[[Tensor], Tensor]) -> Callable[..., Any]:
    def rounded(x: Tensor) -> Tensor:
        # From 2**23 on all numbers are integers.  A zero has the sign of the operand.
        result = torch.where(torch.abs(x) < 2.0**23, function(x), x)
        return torch.where(result == 0, x * 0.0, result)

    return differentiated(rounded, flat)


def _up(x: Tensor) -> Tensor:
    return -_down(-x)


def _nearest(x: Tensor) -> Tensor:
    size = (torch.abs(x) + 2.0**23) - 2.0**23
    return torch.where(x < 0, -size, size)


# --- powers ---------------------------------------------------------------------------------------

_ROOT_2: Final = 2.0 * 0.70710676908493042
_STEPS: Final = (64, 32, 16, 8, 4, 2, 1)


def _parted(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return a number between the roots of 1/2 and of 2, and the exponent that brings it to x."""
    exponent = torch.zeros_like(x)
    for step in (64, *_STEPS):  # subnormal numbers need the first step twice
        low, high = x < 2.0 ** (1 - step), x >= 2.0**step
        x = torch.where(low, x * 2.0**step, torch.where(high, x * 2.0**-step, x))
        exponent = torch.where(low, exponent - step, torch.where(high, exponent + step, exponent))
    above = x >= _ROOT_2
    return torch.where(above, x * 0.5, x), torch.where(above, exponent + 1, exponent)


def _power_of_2(exponent: Tensor) -> Tensor:
    """Return the power of 2 for integers from -127 to 127."""
    left, minus = torch.abs(exponent), exponent < 0
    result = torch.ones_like(exponent)
    for step in _STEPS:
        taken = left >= step
        factor = torch.where(minus, 2.0**-step, 2.0**step)
        result = torch.where(taken, result * factor, result)
        left = torch.where(taken, left - step, left)
    return result


def _pow(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = spread(x1, x2)
    # DVM's power is right in its sign and in special cases, but NaN for negative numbers and
    # exponents beyond 2**31.  From 2**25 on all exponents are even, so the sign is the same.
    infinite = torch.abs(x2) == math.inf
    even = torch.where(x2 > 2.0**25, 2.0**25, torch.where(x2 < -(2.0**25), -(2.0**25), x2))
    power = torch.pow(x1, torch.where(infinite, x2, even))
    part, exponent = _parted(torch.abs(x1))
    a, b = powers.log2(part - 1, exponent * 2.0**23)
    times = torch.where(x2 > 2.0**33, 2.0**33, torch.where(x2 < -(2.0**33), -(2.0**33), x2))
    high = leading(times)
    rest = times * b + (times - high) * a
    first = high * a
    whole = first + rest
    whole = torch.where(torch.abs(whole) < 2.0**22, _nearest(whole), whole)
    fraction = first - whole
    result = powers.exp2(fraction, rest)
    # Beyond 2**24 the exponent has no digits.
    result = torch.where(result > 2, 2.0, torch.where(result < 0.5, 0.5, result))
    whole = torch.where(whole > 250, 250, torch.where(whole < -250, -250, whole))
    half = _down(whole * 0.5)
    result = (result * _power_of_2(half)) * _power_of_2(whole - half)
    minus = torch.where(power == 0, 1 / power, power) < 0
    usual = (x2 - x2) + (x1 - x1) / x1  # NaN unless both are finite, and the first is not 0
    usual = (usual == usual) & (power == power)
    return torch.where(usual, torch.where(minus, -result, result), power)


# --- by place -------------------------------------------------------------------------------------


@constant
def _derivatives() -> int:
    return derivatives()


@constant
def _name_of_places(n: int, device: torch.device) -> str:
    with torch.inference_mode(mode=False):
        places = torch.arange(n, dtype=dt.int32, device=device)
    return give_name(places, "places", n, device)


def _places(n: int, device: torch.device) -> Any:
    """Return 0, 1, ..., n - 1: an operand of the compiled code, because DVM does not count."""
    if _derivatives():  # then torch wraps each new tensor, until the derivative is taken
        return torch.arange(n, dtype=dt.int32, device=device)
    return called(_name_of_places(n, device))


def _concat(tensors: Sequence[Tensor], axis: int) -> Tensor:
    # A few tensors of size 1, as those of a stack, are chosen from by their place.
    if not 1 < len(tensors) <= _FEW or any(t.shape[axis] != 1 for t in tensors):
        return torch.cat(list(tensors), axis)
    first, *others = tensors
    axis %= first.dim()
    place = _places(len(tensors), first.device)
    place = place.reshape((-1, *(1,) * (first.dim() - axis - 1)))
    for n, tensor in enumerate(others, 1):
        first = torch.where(place == n, tensor, first)
    return first


def _eye(rows: int, columns: int, k: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    result: Tensor = (_places(columns, device) - _places(rows, device).unsqueeze(1) == k).to(dtype)
    return result


# --- int32 ----------------------------------------------------------------------------------------


def _halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return integers h and l, in float32, for which x is 65536 h + l, with 0 <= l < 65536."""
    high = _down(x.to(dt.float32) * 2.0**-16)  # one too many if float32 rounds x up
    high = torch.where(high > 32767.0, 32767.0, high)  # so that no product overflows
    low = (x - high.to(dt.int32) * 65536).to(dt.float32)
    more = torch.where(low < 0, -1.0, torch.where(low >= 65536.0, 1.0, 0.0))
    return high + more, low - more * 65536.0


def _shift_right(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = spread(x1, x2)
    high, low = _halves(x1)
    # 2**-x2, by the bits of the count; a count of 32 or more shifts as 31 does.
    count = torch.where(x2 < 32, x2, 31).to(dt.float32)
    scale = torch.ones_like(count)
    for bit in (16, 8, 4, 2, 1):
        taken = count >= bit
        scale = torch.where(taken, scale * 2.0**-bit, scale)
        count = torch.where(taken, count - bit, count)
    # Products with a power of 2 are exact.
    high = _down(high * (scale * 65536.0))
    return high.to(dt.int32) + (low * scale).to(dt.int32)


def _remainder_of_power(x: Tensor, unit: float) -> Tensor:
    """Return the last bits of integers: the remainder of a power of 2."""
    high, low = _halves(x)
    high = high - _down(high * (65536.0 / unit)) * (unit / 65536.0)
    low = low - _steps(low / unit) * unit
    return high.to(dt.int32) * 65536 + low.to(dt.int32)


def _common(x1: Tensor, x2: Tensor) -> Tensor:
    """Return the bits that two integers of 16 bits, in float32, have in common."""
    result = torch.zeros_like(x1)
    # Each bit is computed from the operand, not from what the last one left: the compiler writes
    # out an operand as often as a step names it, and so would double the code with each bit.
    for bit in range(16):
        scale = 2.0**-bit
        first = _steps(x1 * scale) - _steps(x1 * (scale / 2)) * 2
        second = _steps(x2 * scale) - _steps(x2 * (scale / 2)) * 2
        result = result + (first * second) * 2.0**bit
    return result


def _bit_by_bit(native: Kernel, only: float, both: float) -> Kernel:
    """Compute a function of bits, given its value where one bit is set, and where both are."""

    def combined(x1: Tensor, x2: Tensor) -> Tensor:
        return (x1 + x2) * only + _common(x1, x2) * (both - 2 * only)

    def bit_by_bit(x1: Tensor, x2: Any) -> Any:
        if isinstance(x2, int):
            if native is torch.bitwise_and and 0 < x2 < 2**30 and not x2 & (x2 + 1):
                return _remainder_of_power(x1, float(x2 + 1))
            x2 = torch.full((), x2, dtype=x1.dtype, device=x1.device)
        x1, x2 = spread(x1, x2)
        if x1.numel() > _FEW_ELEMENTS:
            return native(x1, x2)
        (high1, low1), (high2, low2) = _halves(x1), _halves(x2)
        high1 = torch.where(high1 < 0, high1 + 65536.0, high1)
        high2 = torch.where(high2 < 0, high2 + 65536.0, high2)
        high = combined(high1, high2)
        high = torch.where(high >= 32768.0, high - 65536.0, high)
        return high.to(dt.int32) * 65536 + combined(low1, low2).to(dt.int32)

    return bit_by_bit


def _divided(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Return the quotients, rounded down, and the remainders of integers."""
    x1, x2 = spread(x1, x2)
    # A factor below 1 makes the quotients round towards 0, so that no product overflows.
    divisor = x2.to(dt.float32)
    quotient, rest = torch.zeros_like(x1), x1
    for _ in range(2):
        more = (rest.to(dt.float32) / divisor * (1 - 2.0**-22)).to(dt.int32)
        quotient, rest = quotient + more, rest - more * x2
    # The rest has the sign of x1, and may hold the divisor once more.
    alike = ((rest < 0) & (x2 < 0)) | ((rest > 0) & (x2 > 0))
    next_one = torch.where(alike, quotient + 1, quotient - 1)
    left = torch.where(alike, rest - x2, rest + x2)
    holds = ((rest < 0) & (left <= 0)) | ((rest > 0) & (left >= 0))
    quotient, rest = torch.where(holds, next_one, quotient), torch.where(holds, left, rest)
    # The remainder has the sign of the divisor.
    apart = ((rest < 0) & (x2 > 0)) | ((rest > 0) & (x2 < 0))
    quotient, rest = torch.where(apart, quotient - 1, quotient), torch.where(apart, rest + x2, rest)
    # By 0 both are 0, as in NumPy: the casts of infinities and NaN above are not defined.
    return torch.where(x2 == 0, 0, quotient), torch.where(x2 == 0, 0, rest)


def _floor_divide(x1: Tensor, x2: Tensor) -> Tensor:
    return _divided(x1, x2)[0]


def _remainder(x1: Tensor, x2: Tensor) -> Tensor:
    return _divided(x1, x2)[1]


_FEW: Final = 4
"""The most tensors that are chosen from: each takes one more step for every element."""
_FEW_ELEMENTS: Final = 2**16
"""The most elements of which bits are combined one by one.

This takes some 300 steps for each element, in the time of one launch or two: beyond, a kernel that
reads and writes memory is faster.
"""
_INT32: Final = frozenset({dt.int32})
_POW: Final = differentiated(_pow, el.pow_partials, native=torch.pow)


def _row(op: str, dtypes: Set[torch.dtype], function: Kernel, kernel: str) -> Row:
    return Row(op, dtypes, Compose(function), *launches("DVM does not fuse it", kernel), dvm)


ROWS: Final = (
    _row("nan_to_num", {dt.float16, dt.float32}, nan_to_num, "aclnnNanToNum"),
    _row("log1p", SINGLE, differentiated(_log1p, _log1p_partials), "aclnnLog1p"),
    _row("pow", SINGLE, _POW, "aclnnPowTensorTensor"),
    _row("concat", SINGLE | _INT32, _concat, "aclnnCat"),
    _row("floor", SINGLE, _rounded(_down), "aclnnFloor"),
    _row("ceil", SINGLE, _rounded(_up), "aclnnCeil"),
    _row("trunc", SINGLE, _rounded(_steps), "aclnnTrunc"),
    _row("round", SINGLE, _rounded(_nearest), "aclnnRound"),
    _row("bitwise_right_shift", _INT32, _shift_right, "aclnnRightShift"),
    _row("bitwise_and", _INT32, _bit_by_bit(torch.bitwise_and, 0, 1), "aclnnBitwiseAndTensor"),
    _row("bitwise_or", _INT32, _bit_by_bit(torch.bitwise_or, 1, 1), "aclnnBitwiseOrTensor"),
    _row("bitwise_xor", _INT32, _bit_by_bit(torch.bitwise_xor, 1, 0), "aclnnBitwiseXorTensor"),
    _row("floor_divide", _INT32, _floor_divide, "aclnnFloorDivide"),
    _row("remainder", _INT32, _remainder, "aclnnRemainderTensorTensor"),
    Row(
        "eye",
        dt.REAL_FLOATING - {dt.float64} | dt.SIGNED | {dt.uint8, dt.bool},
        Compose(_eye),
        "torch compares numbers of uint8 in place of eye, and aclnnArange does not take them",
        Evidence(SEEN, "refused", ("aclnnArange",)),
    ),
)
