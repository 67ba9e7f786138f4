"""Elementwise functions and casts on NPUs."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Final

from ..._devices.facts import cann_before, lazily_selected, soc, torch_npu_before
from ..._routes import elementwise as el
from ..._routes._constants import addcmul, constant, where
from ..._routes._derivatives import tracked
from ..._routes._operations import cast
from ..._routes._rows import Compose, Host, Row, Via
from ..._torch import dtypes as dt
from ..._torch import torch
from . import MOST_DIMENSIONS, OLDER
from ._common import (
    BITS,
    composed,
    derivative,
    launches,
    no_kernel,
    older_path,
    refused,
    refused_by_torch_npu,
    slow,
    undocumented,
    wrong,
)
from .rounding import flat, with_sign

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from ..._routes._kernels import Kernel

# --- real numbers ---------------------------------------------------------------------------------


def _signbit(x: Tensor) -> Tensor:
    bits = x.detach().view(BITS[x.dtype])
    # CANN compares int16 on the AICPU.
    return (cast(bits, dt.int32) if bits.dtype is dt.int16 else bits) < 0


def copysign(x1: Tensor, x2: Tensor) -> Tensor:
    bits = BITS[x1.dtype]
    size = torch.bitwise_and(x1.view(bits), dt.LIMITS[bits][1])
    return with_sign(size.view(x1.dtype), x2)


def _hypot(x1: Tensor, x2: Tensor) -> Tensor:
    # Dividing by the larger operand prevents overflow.
    a, b = torch.abs(x1), torch.abs(x2)
    large, small = torch.maximum(a, b), torch.minimum(a, b)
    if x1.dtype is dt.float32:
        ratio = el.nan_to_num(small / large)  # of two zeros
    else:
        ratio = small / torch.maximum(large, constant(_least(x1.dtype), x1))
    result = large * torch.sqrt(addcmul(constant(1.0, x1), ratio, ratio))
    result = torch.where(a == math.inf, a, result)
    return torch.where(b == math.inf, b, result)


def nan_to_num(
    x: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    most = torch.finfo(x.dtype).max
    posinf, neginf = most if posinf is None else posinf, -most if neginf is None else neginf
    result = x if nan != nan else where(x == x, x, float(nan))
    for infinity, number in ((math.inf, posinf), (-math.inf, neginf)):
        if number != infinity:
            result = where(x == infinity, float(number), result)
    return result


def _least(dtype: torch.dtype) -> float:
    """Return the least positive number."""
    limits = torch.finfo(dtype)
    return limits.tiny * limits.eps


def _nextafter(x1: Tensor, x2: Tensor) -> Tensor:
    # For one sign, the bits of floating-point numbers, read as integers, have the same order.
    bits = BITS[x1.dtype]
    towards, size = x2 * torch.sign(x1), torch.abs(x1)
    step = (towards > size).view(dt.int8) - (towards < size).view(dt.int8)
    moved = (x1.view(bits) + step.to(bits)).view(x1.dtype)
    least = _least(x1.dtype)
    from_zero = torch.clamp(x2, constant(-least, x2), constant(least, x2))
    result = torch.where(x1 == 0, from_zero, moved)
    return torch.where(x2 == x2, result, x2)  # NaN is not equal to itself


def _expm1_float64(x: Tensor) -> Tensor:
    # (exp(x) - 1) x / log(exp(x)), in which the errors cancel.  (W. Kahan; N. J. Higham,
    # Accuracy and Stability of Numerical Algorithms, 2nd ed., section 1.14.1.)
    power = torch.exp(x)
    less = power - 1
    near = less * (x / torch.log(power))
    result = torch.where(torch.abs(x) < 1.5, near, less)
    return torch.where(less == 0, x, result)


def _tanh_float64(x: Tensor) -> Tensor:
    # The errors of sinh and cosh would add up; in this identity the error of sinh vanishes as
    # tanh approaches 1.
    size = torch.sinh(torch.clamp(x, -20, 20))  # tanh is 1 for larger numbers
    return size / torch.sqrt(size * size + 1)


def _trunc_float64(x: Tensor) -> Tensor:
    return with_sign(torch.floor(torch.abs(x)), x)


def _logaddexp_float64(x1: Tensor, x2: Tensor) -> Tensor:
    large, small = torch.maximum(x1, x2), torch.minimum(x1, x2)
    result = large + torch.log1p(torch.exp(small - large))
    # A Python float would pass through float32 if x1 is 0-dimensional.
    return torch.where(x1 == x2, x1 + constant(math.log(2), x1), result)


def _logaddexp_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    # As in _routes/elementwise, but CANN has no logistic function for float64.
    alike = (x1 == x2) & (torch.abs(x1) == math.inf)
    half = 0.5 * el.tanh(0.5 * torch.where(alike, 0, x1 - x2))
    return 0.5 + half, 0.5 - half


# --- integers -------------------------------------------------------------------------------------


def _square(x: Tensor) -> Tensor:
    return x * x


# CANN does not define shifts by all bits or more, except to the right on A2.  The standard
# excludes negative counts, so they need no care.


def spread(x1: Tensor, x2: Tensor) -> Sequence[Tensor]:
    """Broadcast operands, because operators of torch_npu 2.9.0.post2 return the shape of x1."""
    if x1.shape == x2.shape:
        return x1, x2
    spread: Sequence[Tensor] = torch.broadcast_tensors(x1, x2)  # type: ignore[no-untyped-call]
    return spread


def _shift_left(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = spread(x1, x2)
    inside = x2 < 8 * x2.dtype.itemsize
    return (x1 << x2) * inside  # bitwise_left_shift is not in every torch_npu


def _shift_left_unsigned(x1: Tensor, x2: Tensor) -> Tensor:
    # The bits of great counts are those of negative numbers.
    dtype, signed = x1.dtype, dt.SIGNED_OF[x1.dtype]
    x1, x2 = spread(x1.view(signed), x2.view(signed))
    inside = torch.bitwise_and(x2, -8 * x2.dtype.itemsize) == 0
    return ((x1 << x2) * inside).view(dtype)


def _shift_right(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = spread(x1, x2)
    bits = 8 * x2.dtype.itemsize
    if x1.dtype in dt.SIGNED:
        return x1 >> torch.clamp(x2, max=bits - 1)
    return (x1 >> x2) * (x2 < bits)


def _shift_right_uint64(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = spread(x1, x2)
    counts = x2.view(dt.int64)
    count = torch.bitwise_and(counts, 63)
    shifted = (x1 >> count.view(dt.uint64)).view(dt.int64)
    return torch.where(counts == count, shifted, 0).view(dt.uint64)


def _by_number(by_few: Callable[[Tensor, Tensor], Tensor]) -> Kernel:
    """Return the shift by a Python integer, whose bounds can be checked at once."""

    def by_number(x: Tensor, count: int) -> Tensor:
        few = min(count, 8 * x.dtype.itemsize - 1)
        if count < 0 or (few < count and (by_few is operator.lshift or x.dtype not in dt.SIGNED)):
            raise KeyError(count)  # as an array of it
        made = torch.full((), few, dtype=dt.SIGNED_OF.get(x.dtype, x.dtype), device=x.device)
        return by_few(*spread(x, made.view(x.dtype)))

    return by_number


# --- complex numbers ------------------------------------------------------------------------------


def _conj(x: Tensor) -> Tensor:
    return torch.complex(x.real, -x.imag)


def abs_complex(x: Tensor) -> Any:
    return el.hypot(x.real, x.imag)


def _sign_complex(x: Tensor) -> Tensor:
    if not tracked(x):
        return el.sign_complex(x)
    # The same result by operations that can be differentiated.
    zero, scaled = el.scaled_by_larger(x)
    size = el.abs(torch.where(zero, 1, scaled))
    return torch.where(zero, 0, torch.complex(scaled.real / size, scaled.imag / size))


def _isfinite_complex(x: Tensor) -> Tensor:
    return torch.isfinite(x.real) & torch.isfinite(x.imag)


def _isinf_complex(x: Tensor) -> Tensor:
    return torch.isinf(x.real) | torch.isinf(x.imag)


def _acos_complex(x: Tensor) -> Tensor:
    # As in _routes/elementwise, with signs by bits.
    turned = el.acosh(x)
    return torch.complex(torch.abs(turned.imag), with_sign(turned.real, -x.imag))


def _asin_complex(x: Tensor) -> Tensor:
    return el.turned(el.asinh, x)


def _atan_complex(x: Tensor) -> Tensor:
    return el.turned(el.atanh, x)


def _expm1_complex(x: Tensor) -> Tensor:
    # With p = exp(a + bj), the real part is expm1(a) - (exp(a) - p.real).  The difference equals
    # p.imag**2 / (exp(a) + p.real), which has no cancellation.
    power = torch.exp(x)
    real, imag = power.real, power.imag
    less = el.expm1(x.real)
    near = addcmul(less, imag, imag / (less + 1 + real), value=-1)
    far = real - 1
    return torch.complex(torch.where(torch.abs(far) < 0.9, near, far) + 0.0, imag)


def _log2_complex(x: Tensor) -> Tensor:
    if x.dim() < MOST_DIMENSIONS:
        return el.log2_complex(x)
    logarithm = torch.log(x)
    return torch.complex(logarithm.real / math.log(2), logarithm.imag / math.log(2))


def _log1p_complex(x: Tensor) -> Tensor:
    # Not by a complex logarithm, which runs on the AICPU only.
    a, b = x.real, x.imag
    more = a + 1
    near = 0.5 * torch.log1p(addcmul(a * (2 + a), b, b))
    far = torch.log(el.hypot(more, b))
    size = torch.maximum(torch.abs(a), torch.abs(b))
    # The square of a number this small vanishes.
    small = torch.where(size < torch.finfo(a.dtype).eps, a, near)
    return torch.complex(torch.where(size < 0.5, small, far), el.atan2(b, more))


def _tan_parts(a: Tensor, b: Tensor, tangent: Tensor) -> tuple[Tensor, Tensor]:
    """Return the parts of tan(a + bj); C leaves some signs of zeros open."""
    zero = torch.bitwise_and(a.view(BITS[a.dtype]), dt.LIMITS[BITS[a.dtype]][0]).view(a.dtype)
    real = torch.where(torch.abs(b) == math.inf, zero, tangent.real)
    return real, torch.where(b == 0, b, tangent.imag)


def _tan_complex(x: Tensor) -> Tensor:
    return torch.complex(*_tan_parts(x.real, x.imag, torch.tan(x)))


def _tanh_complex(x: Tensor) -> Tensor:
    # -j tan(xj)
    minus = -x.imag
    imag, real = _tan_parts(minus, x.real, torch.tan(torch.complex(minus, x.real)))
    return torch.complex(real, -imag)


# --- rows -----------------------------------------------------------------------------------------

_F64: Final = frozenset({dt.float64})
_SHIFTED: Final = dt.SIGNED | {dt.uint8}
_SQUARED: Final = frozenset({dt.bfloat16, dt.int64, dt.complex64})
_NO_COPYSIGN: Final = no_kernel("aten::copysign")
_NO_HYPOT: Final = no_kernel("aten::hypot")
_NO_NEXTAFTER: Final = no_kernel("aten::nextafter")
_NO_LOGADDEXP: Final = refused("aclnnLogAddExp")
_TURNED: Final = launches(
    "turned from tanh, which is turned from this here, it takes more kernels", "aclnnTan"
)
_SIGNED: Final = launches("signs that are factors take more kernels than signs of bits")
_BACKWARDS: Final = derivative(
    "the kernel that its derivative needs does not take this data type",
    "aclnnInplaceMaskedFillScalar",
)
_SIGN_BACKWARDS: Final = derivative(
    "the kernel that its derivative needs does not take this data type"
)
_UNSPECIFIED: Final = undocumented(
    "CANN does not say what a shift by as many places as there are bits gives",
    "aclnnLeftShift",
    "aclnnRightShift",
)

_NO_LEFT_SHIFT: Final = OLDER | cann_before(9, 0)
"""CANN has no aclnnLeftShift before 9.0, and torch_npu then takes its older path."""

_SHIFT_LEFT: Final = Compose(_shift_left, _by_number(operator.lshift))
_SHIFT_RIGHT: Final = Compose(_shift_right, _by_number(operator.rshift))
_SHIFT_UNSIGNED: Final = Compose(_shift_left_unsigned)
_OLDER_LEFT: Final = older_path("aten::bitwise_left_shift")
_OLDER_RIGHT: Final = older_path("aten::bitwise_right_shift")

ROWS: Final = (
    composed("copysign", dt.REAL_FLOATING, copysign, el.copysign_partials, _NO_COPYSIGN),
    composed("hypot", dt.REAL_FLOATING - dt.HALF, _hypot, el.hypot_partials, _NO_HYPOT),
    composed("nextafter", el.nextafter.dtypes, _nextafter, el.nextafter_partials, _NO_NEXTAFTER),
    composed("expm1", _F64, _expm1_float64, el.exp_partials, refused("aclnnExpm1")),
    composed("tanh", _F64, _tanh_float64, el.tanh_partials, refused("aclnnTanh")),
    composed("logaddexp", _F64, _logaddexp_float64, _logaddexp_partials, _NO_LOGADDEXP),
    composed("maximum", _F64, torch.maximum, el.maximum_partials, _BACKWARDS),
    composed("minimum", _F64, torch.minimum, el.minimum_partials, _BACKWARDS),
    composed("trunc", _F64, _trunc_float64, flat, refused("aclnnTrunc")),
    composed("expm1", dt.COMPLEX, _expm1_complex, el.exp_partials, refused("aclnnExpm1")),
    composed("log1p", dt.COMPLEX, _log1p_complex, el.log1p_partials, refused("aclnnLog1p")),
    composed("tanh", dt.COMPLEX, _tanh_complex, el.tanh_partials, refused("aclnnTanh")),
    composed("acos", dt.COMPLEX, _acos_complex, el.acos_partials, _SIGNED),
    composed("tan", dt.COMPLEX, _tan_complex, el.tan_partials, _TURNED),
    Row(
        "nan_to_num",
        el.nan_to_num.dtypes,
        Compose(nan_to_num),
        *launches("torch_npu does not fuse it", "aclnnNanToNum"),
        lazily_selected,
    ),
    Row("hypot", dt.HALF, Via(dt.float32), *_NO_HYPOT),
    Row("negative", {dt.int16, dt.uint8}, Via(dt.int32), *refused("aclnnNeg")),
    Row("sign", {dt.int8, dt.int16, dt.uint8}, Via(dt.int32), *refused("aclnnSign")),
    Row(
        "signbit",
        dt.REAL_FLOATING,
        Compose(_signbit),
        *wrong("aclnnSignbit compares with 0, so that -0 has no sign", "aclnnSignbit"),
    ),
    Row("square", _SQUARED, Compose(_square), *slow("aclnnPowTensorScalar")),
    Row("bitwise_left_shift", _SHIFTED, _SHIFT_LEFT, *_UNSPECIFIED, ~_NO_LEFT_SHIFT),
    Row("bitwise_left_shift", dt.WIDE_UNSIGNED, _SHIFT_UNSIGNED, *_UNSPECIFIED, ~_NO_LEFT_SHIFT),
    Row("bitwise_right_shift", {dt.uint8}, _SHIFT_RIGHT, *_UNSPECIFIED, ~OLDER),
    Row("bitwise_right_shift", {dt.uint64}, Compose(_shift_right_uint64), *_UNSPECIFIED, ~OLDER),
    # On A2 and A3 the AICPU's kernel clamps counts itself (right_shift_aicpu.cpp of ops-math).
    # Before CANN 9.0 it does not broadcast the first operand.
    Row(
        "bitwise_right_shift",
        dt.SIGNED,
        _SHIFT_RIGHT,
        *_UNSPECIFIED,
        ~OLDER & (torch_npu_before(2, 10) | cann_before(9, 0) | ~soc("910B", "910_93")),
    ),
    Row("bitwise_left_shift", _SHIFTED, Host(), *_OLDER_LEFT, _NO_LEFT_SHIFT),
    Row("bitwise_right_shift", _SHIFTED | {dt.uint64}, Host(), *_OLDER_RIGHT, OLDER),
    Row("floor_divide remainder", {dt.uint64}, Host(), *_OLDER_RIGHT, OLDER),  # they shift
    Row("isinf", dt.COMPLEX, Compose(_isinf_complex), *older_path("aten::isinf"), OLDER),
    Row(
        "log2",
        dt.COMPLEX,
        Compose(_log2_complex),
        *wrong(
            "the AICPU divides by a complex float32 log(2): off by 3e-9, and NaN beside infinities",
            "aclnnLog2",
        ),
    ),
    Row("conj", dt.COMPLEX, Compose(_conj), *no_kernel("aten::conj_physical")),
    Row(
        "abs",
        {dt.complex64},
        Compose(abs_complex),
        *refused_by_torch_npu("this torch_npu asks aclnnAbs for complex results", "aten::abs"),
        OLDER,
    ),
    Row("abs", {dt.complex128}, Compose(abs_complex), *refused("aclnnAbs")),
    Row("isfinite", dt.COMPLEX, Compose(_isfinite_complex), *refused("aclnnIsFinite")),
    Row("asin", dt.COMPLEX, Compose(_asin_complex), *refused("aclnnAsin")),
    Row("atan", dt.COMPLEX, Compose(_atan_complex), *refused("aclnnAtan")),
    Row("sign", dt.COMPLEX, Compose(_sign_complex), *_SIGN_BACKWARDS),
)
