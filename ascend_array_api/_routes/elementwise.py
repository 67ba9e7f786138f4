"""The elementwise operations, and what torch's own functions for them lack or get wrong."""

from __future__ import annotations

import math
from typing import Final

from .._devices.device import spec_of
from .._devices.facts import everywhere, fast_float64, torch_before
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._bits import bits_as
from ._derivatives import batched, differentiated, linear
from ._evidence import EVERYWHERE, NO_UNSIGNED, ON_NPUS, Evidence
from ._kernels import Kernel
from ._operations import Op, cast, register
from ._rows import AsSigned, Compose, Ordered, Row, Via
from .judging import divisors

# --- the operations -------------------------------------------------------------------------------


def _real(x: Tensor) -> Tensor:
    return x.real  # for real numbers this is the tensor itself


def _imag(x: Tensor) -> Tensor:
    return x.imag


def _conj(x: Tensor) -> Tensor:
    # torch.conj only marks the tensor, and marked tensors cannot be viewed or exported.
    if not x.is_complex():
        return x.clone()
    if batched(x):  # torch.vmap knows the function by name, and would warn that it is slow
        return torch.complex(x.real, -x.imag)
    return torch.conj_physical(x)


def _cube(x: Tensor) -> Tensor:
    return x * x * x


def cube_at_once(x: Tensor) -> Tensor:
    """Return the same cubes, on devices where torch multiplies twice in one kernel."""
    return torch.pow(x, 3)


def _root(x: Tensor) -> Tensor:
    # The power of -0 is +0, and that of -inf is +inf.
    result: Tensor = sqrt.on(spec_of(x))(torch.where(x == -math.inf, math.inf, x))
    return result + 0.0


def _operator(name: str, native: Kernel, dtypes: frozenset[torch.dtype]) -> Op:
    """Declare an operation that torch also computes with a Python scalar, and in place."""
    inplace = getattr(torch.Tensor, f"{native.__name__}_")
    return Op(name, native, dtypes, scalars=True, inplace=inplace)


abs: Final = Op("abs", torch.abs, dt.NUMERIC, returns="real")
acos: Final = Op("acos", torch.acos, dt.FLOATING)
acosh: Final = Op("acosh", torch.acosh, dt.FLOATING)
asin: Final = Op("asin", torch.asin, dt.FLOATING)
asinh: Final = Op("asinh", torch.asinh, dt.FLOATING)
atan: Final = Op("atan", torch.atan, dt.FLOATING)
atanh: Final = Op("atanh", torch.atanh, dt.FLOATING)
bitwise_invert: Final = Op("bitwise_invert", torch.bitwise_not, dt.INTEGER_OR_BOOLEAN)
ceil: Final = Op("ceil", torch.ceil, dt.REAL)
conj: Final = Op("conj", _conj, dt.NUMERIC)
cos: Final = Op("cos", torch.cos, dt.FLOATING)
cosh: Final = Op("cosh", torch.cosh, dt.FLOATING)
exp: Final = Op("exp", torch.exp, dt.FLOATING)
expm1: Final = Op("expm1", torch.expm1, dt.FLOATING)
floor: Final = Op("floor", torch.floor, dt.REAL)
imag: Final = Op("imag", _imag, dt.COMPLEX, returns="real")
isfinite: Final = Op("isfinite", torch.isfinite, dt.NUMERIC, returns="bool")
isinf: Final = Op("isinf", torch.isinf, dt.NUMERIC, returns="bool")
isnan: Final = Op("isnan", torch.isnan, dt.NUMERIC, returns="bool")
log: Final = Op("log", torch.log, dt.FLOATING)
log1p: Final = Op("log1p", torch.log1p, dt.FLOATING)
log2: Final = Op("log2", torch.log2, dt.FLOATING)
log10: Final = Op("log10", torch.log10, dt.FLOATING)
logical_not: Final = Op("logical_not", torch.logical_not, dt.BOOLEAN, returns="bool")
negative: Final = Op("negative", torch.negative, dt.NUMERIC)
positive: Final = Op("positive", torch.Tensor.clone, dt.NUMERIC)
real: Final = Op("real", _real, dt.NUMERIC, returns="real")
reciprocal: Final = Op("reciprocal", torch.reciprocal, dt.FLOATING)
round: Final = Op("round", torch.round, dt.NUMERIC)
sign: Final = Op("sign", torch.sign, dt.NUMERIC)
signbit: Final = Op("signbit", torch.signbit, dt.REAL_FLOATING, returns="bool")
sin: Final = Op("sin", torch.sin, dt.FLOATING)
sinh: Final = Op("sinh", torch.sinh, dt.FLOATING)
sqrt: Final = Op("sqrt", torch.sqrt, dt.FLOATING)
square: Final = Op("square", torch.square, dt.NUMERIC)
tan: Final = Op("tan", torch.tan, dt.FLOATING)
tanh: Final = Op("tanh", torch.tanh, dt.FLOATING)
trunc: Final = Op("trunc", torch.trunc, dt.REAL)

add: Final = _operator("add", torch.add, dt.NUMERIC)
atan2: Final = Op("atan2", torch.atan2, dt.REAL_FLOATING)
bitwise_and: Final = _operator("bitwise_and", torch.bitwise_and, dt.INTEGER_OR_BOOLEAN)
bitwise_left_shift: Final = _operator("bitwise_left_shift", torch.bitwise_left_shift, dt.INTEGER)
bitwise_or: Final = _operator("bitwise_or", torch.bitwise_or, dt.INTEGER_OR_BOOLEAN)
bitwise_right_shift: Final = _operator("bitwise_right_shift", torch.bitwise_right_shift, dt.INTEGER)
bitwise_xor: Final = _operator("bitwise_xor", torch.bitwise_xor, dt.INTEGER_OR_BOOLEAN)
copysign: Final = Op("copysign", torch.copysign, dt.REAL_FLOATING)
# torch.true_divide has no derivative on NPUs.
divide: Final = _operator("divide", torch.div, dt.FLOATING)
equal: Final = Op("equal", torch.eq, dt.ANY, returns="bool", scalars=True)
floor_divide: Final = Op("floor_divide", torch.floor_divide, dt.REAL, divides=True, judge=divisors)
greater: Final = Op("greater", torch.gt, dt.REAL, returns="bool", scalars=True)
greater_equal: Final = Op("greater_equal", torch.ge, dt.REAL, returns="bool", scalars=True)
hypot: Final = Op("hypot", torch.hypot, dt.REAL_FLOATING)
less: Final = Op("less", torch.lt, dt.REAL, returns="bool", scalars=True)
less_equal: Final = Op("less_equal", torch.le, dt.REAL, returns="bool", scalars=True)
logaddexp: Final = Op("logaddexp", torch.logaddexp, dt.REAL_FLOATING)
logical_and: Final = Op("logical_and", torch.logical_and, dt.BOOLEAN, returns="bool")
logical_or: Final = Op("logical_or", torch.logical_or, dt.BOOLEAN, returns="bool")
logical_xor: Final = Op("logical_xor", torch.logical_xor, dt.BOOLEAN, returns="bool")
maximum: Final = Op("maximum", torch.maximum, dt.REAL)
minimum: Final = Op("minimum", torch.minimum, dt.REAL)
multiply: Final = _operator("multiply", torch.multiply, dt.NUMERIC)
nan_to_num: Final = Op("nan_to_num", torch.nan_to_num, frozenset({dt.float16, dt.float32}))
nextafter: Final = Op("nextafter", torch.nextafter, dt.REAL_FLOATING - {dt.float16})
not_equal: Final = Op("not_equal", torch.ne, dt.ANY, returns="bool", scalars=True)
_WIDE: Final = frozenset({dt.float32, dt.float64})
cube: Final = Op("cube", _cube, _WIDE | dt.SIGNED | {dt.uint8})
inverse: Final = Op("inverse", torch.reciprocal, _WIDE)
root: Final = Op("root", _root, _WIDE)
# torch's powers are rounded twice, and take eighty times as long as the product.
pow: Final = Op("pow", torch.pow, dt.NUMERIC, forms={2: square, 3: cube, 0.5: root, -1: inverse})
remainder: Final = Op("remainder", torch.remainder, dt.REAL, divides=True, judge=divisors)
subtract: Final = _operator("subtract", torch.subtract, dt.NUMERIC)

clip: Final = Op("clip", torch.clamp, dt.REAL, scalars=True)
where: Final = Op("where", torch.where, dt.ANY)

# --- compositions ---------------------------------------------------------------------------------


def _false(x: Tensor) -> Tensor:
    return torch.zeros_like(x, dtype=torch.bool)


def _true(x: Tensor) -> Tensor:
    return torch.ones_like(x, dtype=torch.bool)


def _sign_unsigned(x: Tensor) -> Tensor:
    return cast(bits_as(x, dt.SIGNED_OF[x.dtype]) != 0, x.dtype)


def sign_floating(x: Tensor) -> Tensor:
    """Return torch's sign, and NaN of NaN, which is not equal to itself."""
    return torch.where(x == x, torch.sign(x), x)


def sign_complex(x: Tensor) -> Tensor:
    """Return numbers divided by their size, and 0 of 0."""
    zero, scaled = scaled_by_larger(x)
    return torch.where(zero, 0, torch.sgn(scaled))


def scaled_by_larger(x: Tensor) -> tuple[Tensor, Tensor]:
    """Say which complex numbers are 0, and divide the others by their larger part.

    Then no absolute value overflows or is subnormal.  The divisor does not change the sign.
    """
    a, b = x.real, x.imag
    larger = maximum(torch.abs(a), torch.abs(b)).detach()
    zero = larger == 0
    larger = torch.where(zero, 1, larger)
    return zero, torch.complex(a / larger, b / larger)


def round_complex(x: Tensor) -> Tensor:
    """Return both parts rounded."""
    kernel = round.on(spec_of(x.real))
    return torch.complex(kernel(x.real), kernel(x.imag))


def add_complex(x1: Tensor, x2: Tensor) -> Tensor:
    """Return the sum of both parts."""
    return torch.view_as_complex(torch.view_as_real(x1) + torch.view_as_real(x2))


def subtract_complex(x1: Tensor, x2: Tensor) -> Tensor:
    """Return the difference of both parts."""
    return torch.view_as_complex(torch.view_as_real(x1) - torch.view_as_real(x2))


def log2_complex(x: Tensor) -> Tensor:
    """Divide both parts of the natural logarithm by log(2), a real number."""
    return torch.view_as_complex(torch.view_as_real(torch.log(x)) / math.log(2))


def pow_complex(x1: Tensor, x2: Tensor) -> Tensor:
    """Return torch's power, and products where the exponent is 0, 1, 2 or 3."""
    # By the logarithm, as all powers are, the square of 3j would have an imaginary part.
    times = multiply.on(spec_of(x1))
    square = times(x1, x1)
    result = torch.where(x2 == 2, square, torch.pow(x1, x2))
    result = torch.where(x2 == 3, times(square, x1), result)
    result = torch.where(x2 == 1, x1, result)
    return torch.where(x2 == 0, 1, result)


def acos_complex(x: Tensor) -> Tensor:
    """Return acosh turned by a right angle, with the signs that the operand gives."""
    # acos(x) is acosh(x) turned by a right angle.  The turn must make the real part positive and
    # give the imaginary part the opposite sign of the operand's, zeros included.  Signs are
    # factors rather than selections, so that derivatives are right where one part is zero.
    turned = acosh(x)
    one = torch.ones_like(x.real)
    return torch.complex(
        turned.imag * copysign(one, turned.imag), -turned.real * copysign(one, x.imag)
    )


def tanh_complex(x: Tensor) -> Tensor:
    """Return torch's tanh, and its limits where the real part is infinite."""
    limit = torch.complex(
        copysign(torch.ones_like(x.real), x.real), copysign(torch.zeros_like(x.imag), x.imag)
    )
    result = torch.where(torch.isinf(x.real), limit, torch.tanh(x))
    # A real part of 0 gives a real part of 0, even if the imaginary part is undefined.
    undefined = (x.real == 0) & ~torch.isfinite(x.imag)
    return torch.where(undefined, torch.complex(x.real, result.imag), result)


def turned(op: Op, x: Tensor) -> Tensor:
    """Return -j f(xj), also in the signs of zeros."""
    result = op.on(spec_of(x))(torch.complex(-x.imag, x.real))
    return torch.complex(result.imag, -result.real)


def tan_complex(x: Tensor) -> Tensor:
    """Return -j tanh(xj)."""
    return turned(tanh, x)


def expm1_complex(x: Tensor) -> Tensor:
    """Return torch's expm1 near 0, and exp - 1 elsewhere."""
    # Away from 0 nothing cancels, and exp is right where torch.expm1 is not.  Adding a positive
    # zero makes zeros positive.
    power = torch.exp(x)
    near = torch.abs(x.real) < 1
    real_part = torch.where(near, torch.expm1(x).real + 0.0, power.real - 1)
    return torch.complex(real_part, power.imag)


def log1p_complex(x: Tensor) -> Tensor:
    """Return torch's log1p, its limits at infinities and near 0, and the sign of an imaginary 0."""
    a, b = x.real, x.imag
    limits = torch.finfo(a.dtype)
    tiny = (torch.abs(a) < limits.eps) & (torch.abs(b) < limits.tiny)
    infinite = torch.isinf(a) | torch.isinf(b)
    limit = torch.complex(torch.full_like(a, math.inf), torch.atan2(b, a + 1))
    usual = torch.log1p(x)
    usual = torch.complex(usual.real, copysign(usual.imag, b))  # torch's zero is positive
    return torch.where(infinite, limit, torch.where(tiny, x, usual))


def negative_complex(x: Tensor) -> Tensor:
    """Return both parts negated."""
    return torch.view_as_complex(-torch.view_as_real(x))


def floor_divide_floating(x1: Tensor, x2: Tensor) -> Tensor:
    """Return torch's quotient, rounded down, and the rounded quotient of infinite operands."""
    infinite = torch.isinf(x1) | torch.isinf(x2)
    # torch.floor_divide has no derivative; torch.div with rounding has one, which is 0.
    quotient = torch.div(x1, x2, rounding_mode="floor")
    return torch.where(infinite, torch.floor(x1.detach() / x2.detach()), quotient)


@linear
def flat(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Return the derivatives of a function that is constant between its jumps."""
    return torch.zeros_like(x1), torch.zeros_like(x2)


def _floor_divide_float32(x1: Tensor, x2: Tensor) -> Tensor:
    # Two numbers of 24 digits whose quotient is below 2**24, and not whole, have one that float64
    # does not round to a whole number.
    quotient = cast(x1, dt.float64) / cast(x2, dt.float64)
    return cast(torch.floor(quotient), dt.float32)


floor_divide_float32: Final = differentiated(_floor_divide_float32, flat)
"""The exact quotient rounded down, as near as float32 is to it."""


def remainder_floating(x1: Tensor, x2: Tensor) -> Tensor:
    """Return torch's remainder with the divisor's sign on zeros, where torch does not set it."""
    return copysign(torch.remainder(x1, x2), x2)


def nearer_dividend(x1: Tensor, x2: Tensor) -> Tensor:
    """Reduce dividends by multiples of the divisor, so that no quotient overflows."""
    step = 2.0**700 if x1.dtype is dt.float64 else 2.0**93
    once = x2 * step
    once = torch.where(torch.isinf(once), x2, once)
    twice = once * step
    twice = torch.where(torch.isinf(twice), once, twice)
    return torch.fmod(torch.fmod(x1, twice), once)


_MAX64: Final = dt.LIMITS[dt.int64][1]
_MIN64: Final = dt.LIMITS[dt.int64][0]


def _shift_right_uint64(x1: Tensor, x2: Tensor) -> Tensor:
    """Shift the bits of unsigned integers right, on int64 tensors with these bits."""
    x, n = bits_as(x1, dt.int64), bits_as(x2, dt.int64)
    n = torch.where(n < 0, _MAX64, n)
    beyond_one = ((x >> 1) & _MAX64) >> (n - 1).clamp(min=0)
    return bits_as(torch.where(n == 0, x, beyond_one), dt.uint64)


def _divmod_uint64(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Divide unsigned 64-bit integers by signed arithmetic, on int64 tensors with their bits.

    For divisors below 2**63, half the dividend is non-negative, so twice its signed quotient is
    the quotient or one less; larger divisors go into the dividend at most once.  (H. S. Warren,
    Hacker's Delight, 2nd ed., section 9-3.)
    """
    a, b = bits_as(x1, dt.int64), bits_as(x2, dt.int64)
    large = b < 0
    divisor = torch.where(large, 1, b)
    quotient = torch.floor_divide((a >> 1) & _MAX64, divisor) << 1
    quotient = torch.where(large, 0, quotient)
    rest = a - quotient * b
    once_more = (rest ^ _MIN64) >= (b ^ _MIN64)
    return quotient + once_more.to(dt.int64), torch.where(once_more, rest - b, rest)


def _floor_divide_uint64(x1: Tensor, x2: Tensor) -> Tensor:
    return bits_as(_divmod_uint64(x1, x2)[0], dt.uint64)


def _remainder_uint64(x1: Tensor, x2: Tensor) -> Tensor:
    return bits_as(_divmod_uint64(x1, x2)[1], dt.uint64)


def _pow_uint64(x1: Tensor, x2: Tensor) -> Tensor:
    # Modulo 2**64, powers of odd numbers repeat after 2**62, and powers of even numbers are 0 from
    # the 64th on.  So an exponent of 2**63 or more may lose its top bit if it stays large.
    exponent = bits_as(x2, dt.int64)
    period = 2**62
    exponent = torch.where(exponent < 0, (exponent & (period - 1)) | period, exponent)
    return bits_as(torch.pow(bits_as(x1, dt.int64), exponent), dt.uint64)


# --- derivatives ----------------------------------------------------------------------------------


def acos_partials(x: Tensor) -> tuple[Tensor]:
    # Two separate roots, so that each stays on the operand's side of the branch cut.
    one, root = torch.complex(1 - x.real, -x.imag), sqrt.on(spec_of(x))
    return (-reciprocal.on(spec_of(x))(root(one) * root(torch.complex(1 + x.real, x.imag))),)


def atan2_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    length = hypot(x1, x2)
    usual = (length != 0) & (length != math.inf)
    length = torch.where(usual, length, 1)
    y, x = torch.where(usual, x1, 0), torch.where(usual, x2, 0)
    return x / length / length, -y / length / length


@linear
def copysign_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    one = torch.ones_like(x1)
    factor = torch.where(signbit(x1) == signbit(x2), one, -one)
    return torch.where(x1 == 0, 0, factor), torch.zeros_like(x2)


def hypot_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    length = hypot(x1, x2)
    length = torch.where(length == 0, 1, length)
    far1, far2 = torch.abs(x1) == math.inf, torch.abs(x2) == math.inf
    return (
        torch.where(far1 & ~far2, torch.sign(x1), x1 / length),
        torch.where(far2 & ~far1, torch.sign(x2), x2 / length),
    )


def log1p_partials(x: Tensor) -> tuple[Tensor]:
    inverse: Tensor = reciprocal.on(spec_of(x))(torch.complex(x.real + 1, x.imag))
    return (torch.where(torch.isinf(x), 0, inverse),)


def logaddexp_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    alike = (x1 == x2) & (torch.abs(x1) == math.inf)
    apart = torch.where(alike, 0, x1 - x2)
    return torch.sigmoid(apart), torch.sigmoid(-apart)


def exp_partials(x: Tensor) -> tuple[Tensor]:
    return (exp(x),)


def cos_partials(x: Tensor) -> tuple[Tensor]:
    return (negative(sin(x)),)


def cosh_partials(x: Tensor) -> tuple[Tensor]:
    return (sinh(x),)


def sinh_partials(x: Tensor) -> tuple[Tensor]:
    return (cosh(x),)


def sqrt_partials(x: Tensor) -> tuple[Tensor]:
    return (0.5 * reciprocal(sqrt(x)),)


def tan_partials(x: Tensor) -> tuple[Tensor]:
    result = tan(x)
    return (1 + result * result,)


def tanh_partials(x: Tensor) -> tuple[Tensor]:
    result = tanh(x)
    return (1 - result * result,)


def maximum_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    one = torch.ones_like(x1)
    less, more = torch.where(x1 < x2, 0, one), torch.where(x1 > x2, 0, one)
    return torch.where(x1 == x2, 0.5, less), torch.where(x1 == x2, 0.5, more)


def minimum_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    return maximum_partials(x2, x1)


@linear
def nextafter_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    return torch.where(x1 == x2, 0, torch.ones_like(x1)), torch.zeros_like(x2)


def pow_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    power = pow.on(spec_of(x1))
    base = torch.where(x2 == 0, 1, x1)
    slope = torch.where(
        x2 == 0, 0, x2 * power(base, subtract.on(spec_of(x1))(x2, torch.ones_like(x2)))
    )
    return slope, power(x1, x2) * log.on(spec_of(x1))(torch.where(x1 == 0, 1, x1))


@linear
def remainder_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    return torch.ones_like(x1), -floor_divide(x1, x2)


# --- rows -----------------------------------------------------------------------------------------

_WRAPPING: Final = (
    "add subtract multiply negative square bitwise_and bitwise_or bitwise_xor bitwise_invert "
    "bitwise_left_shift equal not_equal where"
)
_ORDERED: Final = "less less_equal greater greater_equal maximum minimum clip"
_NOT_FLOOR: Final = "torch gives NaN or -1 where the standard has floor(x1 / x2)"
_FINITE: Final = "integers are finite, and not every device has a kernel to say so"
_SEEN: Final = Evidence(EVERYWHERE)
DERIVATIVE: Final = "the derivative is NaN for zeros or infinities, or overflows on the way"
"""The reason of rows where torch's values are right and only its derivatives are wrong."""

register(
    [
        Row(
            "nextafter",
            nextafter.dtypes - dt.HALF,
            Compose(differentiated(torch.nextafter, nextafter_partials)),
            "torch has no derivative of it",
            Evidence("torch 2.11", "derivative"),
            torch_before(2, 13),
        ),
        *(
            Row(
                op.name,
                dt.REAL_FLOATING,
                Compose(differentiated(op.native, partials)),
                DERIVATIVE,
                Evidence(EVERYWHERE, "derivative"),
            )
            for op, partials in (
                (atan2, atan2_partials),
                (copysign, copysign_partials),
                (hypot, hypot_partials),
                (logaddexp, logaddexp_partials),
            )
        ),
        Row(_WRAPPING, dt.WIDE_UNSIGNED, AsSigned(), NO_UNSIGNED, _SEEN),
        Row(_ORDERED, dt.WIDE_UNSIGNED, Ordered(), NO_UNSIGNED, _SEEN),
        Row("abs", dt.WIDE_UNSIGNED, Compose(positive.native), NO_UNSIGNED, _SEEN),
        Row(
            "ceil floor round trunc",
            dt.INTEGER,
            Compose(positive.native),
            "the identity on integers, for which not every device has a kernel",
            Evidence(f"{ON_NPUS}; round and trunc of CANN 9.0"),
        ),
        Row("sign", dt.WIDE_UNSIGNED, Compose(_sign_unsigned), NO_UNSIGNED, _SEEN),
        Row("isfinite", dt.WIDE_UNSIGNED, Compose(_true), _FINITE, Evidence(ON_NPUS)),
        Row("isnan", dt.WIDE_UNSIGNED | {dt.int16}, Compose(_false), _FINITE, Evidence(ON_NPUS)),
        *(
            Row("floor_divide remainder bitwise_right_shift pow", {d}, Via(to), NO_UNSIGNED, _SEEN)
            for d, to in ((dt.uint16, dt.int32), (dt.uint32, dt.int64))
        ),
        Row("floor_divide", {dt.uint64}, Compose(_floor_divide_uint64), NO_UNSIGNED, _SEEN),
        Row("remainder", {dt.uint64}, Compose(_remainder_uint64), NO_UNSIGNED, _SEEN),
        Row("pow", {dt.uint64}, Compose(_pow_uint64), NO_UNSIGNED, _SEEN),
        Row("bitwise_right_shift", {dt.uint64}, Compose(_shift_right_uint64), NO_UNSIGNED, _SEEN),
        *(
            Row("floor_divide", {d}, route, f"{why}infinite operands: {_NOT_FLOOR}", _SEEN, where)
            for d, route, why, where in (
                (dt.float64, Compose(floor_divide_floating), "", everywhere),
                (dt.float32, Compose(floor_divide_floating), "", ~fast_float64),
                (
                    dt.float32,
                    Compose(floor_divide_float32),
                    "torch is off by one for quotients from 2**22 on; ",
                    fast_float64,
                ),
            )
        ),
        Row(
            "floor_divide",
            dt.HALF,
            Via(dt.float32),
            "torch rounds each step: of two tensors of several elements, and the quotient is off",
            _SEEN,
        ),
        Row(
            "remainder",
            dt.REAL_FLOATING,
            Compose(differentiated(remainder_floating, remainder_partials)),
            "a zero result does not take the sign of the divisor",
            _SEEN,
        ),
        Row("sign", dt.REAL_FLOATING, Compose(sign_floating), "torch: sign(NaN) is 0", _SEEN),
        Row("sign", dt.COMPLEX, Compose(sign_complex), "torch.sign refuses complex", _SEEN),
        Row("round", dt.COMPLEX, Compose(round_complex), "torch.round refuses complex", _SEEN),
        *(
            Row(
                op.name,
                dt.COMPLEX,
                Compose(function),
                "torch multiplies x2 by a complex 1 first: wrong with infinities, NaN and -0",
                _SEEN,
            )
            for op, function in ((add, add_complex), (subtract, subtract_complex))
        ),
        Row(
            "negative",
            dt.COMPLEX,
            Compose(negative_complex),
            "torch subtracts from 0 where it computes several at once: 0 stays 0",
            _SEEN,
        ),
        Row(
            "pow",
            dt.COMPLEX,
            Compose(differentiated(pow_complex, pow_partials)),
            "torch: 0 ** 0 is NaN, and the square of 3j is not real",
            _SEEN,
        ),
        Row(
            "acos",
            dt.COMPLEX,
            Compose(differentiated(acos_complex, acos_partials)),
            "complex128: cancellation near 1, and the sign of a zero imaginary part",
            _SEEN,
        ),
        Row(
            "tanh",
            dt.COMPLEX,
            Compose(tanh_complex),
            "sign of the imaginary part where the real part is infinite",
            _SEEN,
        ),
        Row(
            "tan",
            dt.COMPLEX,
            Compose(tan_complex),
            "sign of the real part where the imaginary part is infinite",
            _SEEN,
        ),
        Row("expm1", dt.COMPLEX, Compose(expm1_complex), "infinities, NaN and -0", _SEEN),
        Row(
            "log1p",
            dt.COMPLEX,
            Compose(differentiated(log1p_complex, log1p_partials)),
            "NaN where an infinity decides, and for subnormal imaginary parts",
            _SEEN,
        ),
    ]
)
