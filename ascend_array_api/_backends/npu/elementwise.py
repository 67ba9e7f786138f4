"""Elementwise functions and casts on NPUs."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._routes import elementwise as el
from ..._routes._derivatives import differentiated, tracked
from ..._routes._engine import Compose, Host, Row, Via, cast
from ..._torch import torch
from .._facts import soc, torch_npu_before
from . import OLDER
from ._common import (
    BITS,
    derivative,
    no_kernel,
    older_path,
    refused,
    refused_by_torch_npu,
    slow,
    undocumented,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from ..._routes._engine import Kernel, Op

# --- real numbers ---------------------------------------------------------------------------------


def copysign(x1: Tensor, x2: Tensor) -> Tensor:
    bits = BITS[x1.dtype]
    differ = torch.bitwise_xor(x1.view(bits), x2.view(bits)) < 0
    return torch.where(differ, -x1, x1)


def _hypot(x1: Tensor, x2: Tensor) -> Tensor:
    # Divided by the larger one, nothing overflows.
    a, b = torch.abs(x1), torch.abs(x2)
    swapped = a > b  # torch.maximum of float64 would have no gradient
    large, small = torch.where(swapped, a, b), torch.where(swapped, b, a)
    ratio = small / torch.where(large == 0, 1, large)
    result = large * torch.sqrt(1 + ratio * ratio)
    return torch.where((a == math.inf) | (b == math.inf), math.inf, result)


def _nextafter(x1: Tensor, x2: Tensor) -> Tensor:
    # The bits of floating-point numbers of one sign are integers in the same order.
    bits = BITS[x1.dtype]
    x1, x2 = torch.broadcast_tensors(x1, x2)  # type: ignore[no-untyped-call]
    x1, x2 = x1.contiguous(), x2.contiguous()
    one = torch.ones_like(x1, dtype=bits)
    minus_one = torch.full_like(one, -1)  # -one would need a kernel for int16
    away = (x2 > x1) == (x1 > 0)
    step = (x1.view(bits) + torch.where(away, one, minus_one)).view(x1.dtype)
    least = copysign(one.view(x1.dtype), x2)  # the smallest number of the sign
    result = torch.where(x1 == 0, least, step)
    result = torch.where(x1 == x2, x2, result)
    return torch.where((x1 == x1) & (x2 == x2), result, x1 + x2)


def _expm1_float64(x: Tensor) -> Tensor:
    # (exp(x) - 1) x / log(exp(x)): the errors of both factors cancel.  (W. Kahan; N. J. Higham,
    # Accuracy and Stability of Numerical Algorithms, 2nd ed., section 1.14.1.)
    power = torch.exp(x)
    less = power - 1
    log = torch.log(power)
    usual = (power != 1) & (less != -1) & (power != math.inf)
    result = less * (x / torch.where(usual, log, 1))
    return torch.where(usual, result, torch.where(power == 1, x, less))


def _tanh_float64(x: Tensor) -> Tensor:
    # -expm1(-2|x|) / (expm1(-2|x|) + 2), or 1 - 2 / (exp(2|x|) + 1), with the sign of x.
    size = torch.abs(x)
    part = _expm1_float64(-2 * size)
    far = 1 - 2 / (torch.exp(2 * size) + 1)
    return copysign(torch.where(size < 0.5, -part / (part + 2), far), x)


def _trunc_float64(x: Tensor) -> Tensor:
    return copysign(torch.floor(torch.abs(x)), x)


def _logaddexp_float64(x1: Tensor, x2: Tensor) -> Tensor:
    large = torch.maximum(x1, x2)
    apart = torch.abs(x1 - x2)
    result = large + torch.log1p(torch.exp(-apart))
    # A Python float would pass through float32 where x1 has no dimensions.
    log2 = torch.full((), math.log(2), dtype=x1.dtype, device=x1.device)
    return torch.where(x1 == x2, x1 + log2, result)


def _logaddexp_partials(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    # As in elementwise, but CANN has no logistic function of float64.
    alike = (x1 == x2) & (torch.abs(x1) == math.inf)
    half = 0.5 * el.tanh(0.5 * torch.where(alike, 0, x1 - x2))
    return 0.5 + half, 0.5 - half


# --- integers -------------------------------------------------------------------------------------


def _square(x: Tensor) -> Tensor:
    return x * x


# CANN leaves open what a shift by as many places as there are bits gives, but to the right on A2.
# Negative counts, which the standard excludes, need no answer.


def _spread(x1: Tensor, x2: Tensor) -> Sequence[Tensor]:
    """Broadcast operands: the operators of torch_npu 2.9.0.post2 give a result of x1's shape."""
    if x1.shape == x2.shape:
        return x1, x2
    spread: Sequence[Tensor] = torch.broadcast_tensors(x1, x2)  # type: ignore[no-untyped-call]
    return spread


def _shift_left(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = _spread(x1, x2)
    inside = x2 < 8 * x2.dtype.itemsize
    return (x1 << x2) * inside  # bitwise_left_shift is not in every torch_npu


def _shift_left_unsigned(x1: Tensor, x2: Tensor) -> Tensor:
    # Great counts have the bits of negative numbers.
    dtype, signed = x1.dtype, dt.SIGNED_OF[x1.dtype]
    x1, x2 = _spread(x1.view(signed), x2.view(signed))
    inside = torch.bitwise_and(x2, -8 * x2.dtype.itemsize) == 0
    return ((x1 << x2) * inside).view(dtype)


def _shift_right(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = _spread(x1, x2)
    bits = 8 * x2.dtype.itemsize
    if x1.dtype in dt.SIGNED:
        return x1 >> torch.clamp(x2, max=bits - 1)
    return (x1 >> x2) * (x2 < bits)


def _shift_right_uint64(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = _spread(x1, x2)
    counts = x2.view(dt.int64)
    count = torch.bitwise_and(counts, 63)
    shifted = (x1 >> count.view(dt.uint64)).view(dt.int64)
    return torch.where(counts == count, shifted, 0).view(dt.uint64)


def _by_python(shift: Kernel, by_few: Callable[[Tensor, Tensor], Tensor]) -> Kernel:
    """Let a shift take a Python integer too, which says at once what it reaches."""

    def scalar(x: Tensor, count: int) -> Tensor:
        few = min(count, 8 * x.dtype.itemsize - 1)
        if count < 0 or (few < count and (by_few is operator.lshift or x.dtype not in dt.SIGNED)):
            raise KeyError(count)  # as an array of it
        made = torch.full((), few, dtype=dt.SIGNED_OF.get(x.dtype, x.dtype), device=x.device)
        return by_few(*_spread(x, made.view(x.dtype)))

    shift.with_scalar = scalar  # type: ignore[attr-defined]
    return shift


# --- complex numbers ------------------------------------------------------------------------------


def _conj(x: Tensor) -> Tensor:
    return torch.complex(x.real, -x.imag)


def abs_complex(x: Tensor) -> Any:
    return el.hypot(x.real, x.imag)


def _sign_complex(x: Tensor) -> Tensor:
    if not tracked(x):
        return torch.where(x == 0, 0, torch.sgn(x))
    # The same by operations that can be differentiated.
    zero = x == 0
    size = el.abs(torch.where(zero, 1, x))
    return torch.where(zero, 0, torch.complex(x.real / size, x.imag / size))


def _isfinite_complex(x: Tensor) -> Tensor:
    return torch.isfinite(x.real) & torch.isfinite(x.imag)


def _turned(op: Op, x: Tensor) -> Tensor:
    """Compute f(x) as -j g(xj), signs of zeros included."""
    result = op(torch.complex(-x.imag, x.real))
    return torch.complex(result.imag, -result.real)


def _isinf_complex(x: Tensor) -> Tensor:
    return torch.isinf(x.real) | torch.isinf(x.imag)


def _asin_complex(x: Tensor) -> Tensor:
    return _turned(el.asinh, x)


def _atan_complex(x: Tensor) -> Tensor:
    return _turned(el.atanh, x)


def _of_angle(function: Kernel, angle: Tensor) -> Tensor:
    """Compute a sine, cosine or tangent in float64, on AICPU: of every angle.

    The kernels of float32 serve to 1e7 alone, and the standard has complex numbers right beyond.
    """
    wide: Tensor = function(cast(angle, dt.float64))
    return cast(wide, angle.dtype)


def _expm1_complex(x: Tensor) -> Tensor:
    # exp(a + bj) - 1 = (expm1(a) cos(b) - 2 sin(b/2)^2) + exp(a) sin(b) j, without cancellation.
    a, b = x.real, x.imag
    half = _of_angle(el.sin, 0.5 * b)
    below = el.expm1(a)
    real = below * _of_angle(el.cos, b) - 2 * half * half + 0.0
    imag = torch.where(b == 0, b, torch.exp(a) * _of_angle(el.sin, b))
    undefined = ~torch.isfinite(b)
    real = torch.where(a == -math.inf, -1.0, torch.where((a == math.inf) & undefined, a, real))
    imag = torch.where((a == -math.inf) & undefined, 0.0, imag)
    return torch.complex(real, imag)


def _log1p_complex(x: Tensor) -> Tensor:
    a, b = x.real, x.imag
    angle = el.atan2(b, a + 1)
    near = 0.5 * torch.log1p(a * (2 + a) + b * b)
    far = torch.log(el.hypot(a + 1, b))
    size = torch.maximum(torch.abs(a), torch.abs(b))
    # Of so small a number the square vanishes.
    small = torch.where(size < torch.finfo(a.dtype).eps, a, near)
    return torch.complex(torch.where(size < 0.5, small, far), angle)


def _tanh_complex(x: Tensor) -> Tensor:
    # W. Kahan, Branch cuts for complex elementary functions, 1987.
    a, b = x.real, x.imag
    large = torch.abs(a) > (11.0 if a.dtype is dt.float32 else 20.0)
    inner = torch.where(large, 0, a)
    tangent = _of_angle(el.tan, b)
    secant = 1 + tangent * tangent
    sine = el.sinh(inner)
    divisor = 1 + secant * sine * sine
    real = secant * torch.sqrt(1 + sine * sine) * sine / divisor
    imag = torch.where(b == 0, b, tangent / divisor)
    one = copysign(torch.ones_like(a), a)
    one = torch.where(torch.isinf(a), one, one + (b - b))  # NaN where b is undefined
    decay = 4 * _of_angle(el.sin, b) * _of_angle(el.cos, b) * torch.exp(-2 * torch.abs(a))
    decay = torch.where(torch.isinf(a), copysign(torch.zeros_like(b), b), decay)
    real = torch.where(large, one, torch.where((a == 0) & ~torch.isfinite(b), a, real))
    return torch.complex(real, torch.where(large, decay, imag))


# --- rows -----------------------------------------------------------------------------------------

_F64: Final = frozenset({dt.float64})
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

ROWS: Final = (
    *(
        Row(name, dtypes, Compose(differentiated(function, partials)), *cause)
        for name, dtypes, function, partials, cause in (
            (
                "copysign",
                dt.REAL_FLOATING,
                copysign,
                el.copysign_partials,
                no_kernel("aten::copysign"),
            ),
            (
                "hypot",
                dt.REAL_FLOATING - dt.HALF,
                _hypot,
                el.hypot_partials,
                no_kernel("aten::hypot"),
            ),
            (
                "nextafter",
                el.nextafter.dtypes,
                _nextafter,
                el.nextafter_partials,
                no_kernel("aten::nextafter"),
            ),
            ("expm1", _F64, _expm1_float64, el.exp_partials, refused("aclnnExpm1")),
            ("tanh", _F64, _tanh_float64, el.tanh_partials, refused("aclnnTanh")),
            ("logaddexp", _F64, _logaddexp_float64, _logaddexp_partials, refused("aclnnLogAddExp")),
            ("maximum", _F64, torch.maximum, el.maximum_partials, _BACKWARDS),
            ("minimum", _F64, torch.minimum, el.minimum_partials, _BACKWARDS),
            ("log1p", dt.COMPLEX, _log1p_complex, el.log1p_partials, refused("aclnnLog1p")),
            ("tanh", dt.COMPLEX, _tanh_complex, el.tanh_partials, refused("aclnnTanh")),
        )
    ),
    Row("hypot", dt.HALF, Via(dt.float32), *no_kernel("aten::hypot")),
    Row("trunc", _F64, Compose(_trunc_float64), *refused("aclnnTrunc")),
    Row("negative", {dt.int16, dt.uint8}, Via(dt.int32), *refused("aclnnNeg")),
    Row("sign", {dt.int8, dt.int16, dt.uint8}, Via(dt.int32), *refused("aclnnSign")),
    Row(
        "square",
        {dt.bfloat16, dt.int64, dt.complex64},
        Compose(_square),
        *slow("aclnnPowTensorScalar"),
    ),
    *(
        Row(name, dtypes, Compose(function), *_UNSPECIFIED, ~OLDER)
        for name, dtypes, function in (
            (
                "bitwise_left_shift",
                dt.SIGNED | {dt.uint8},
                _by_python(_shift_left, operator.lshift),
            ),
            ("bitwise_right_shift", {dt.uint8}, _by_python(_shift_right, operator.rshift)),
            ("bitwise_left_shift", dt.WIDE_UNSIGNED, _shift_left_unsigned),
            ("bitwise_right_shift", frozenset({dt.uint64}), _shift_right_uint64),
        )
    ),
    # On A2 and A3 the AICPU's kernel clamps counts itself (right_shift_aicpu.cpp of ops-math).
    Row(
        "bitwise_right_shift",
        dt.SIGNED,
        Compose(_by_python(_shift_right, operator.rshift)),
        *_UNSPECIFIED,
        ~OLDER & (torch_npu_before(2, 10) | ~soc("910B", "910_93")),
    ),
    *(
        Row(name, dtypes, Host(), *older_path(f"aten::{name}"), OLDER)
        for name, dtypes in (
            ("bitwise_left_shift", dt.SIGNED | {dt.uint8}),
            ("bitwise_right_shift", dt.SIGNED | {dt.uint8, dt.uint64}),
        )
    ),
    # They shift.
    Row(
        "floor_divide remainder",
        {dt.uint64},
        Host(),
        *older_path("aten::bitwise_right_shift"),
        OLDER,
    ),
    Row("isinf", dt.COMPLEX, Compose(_isinf_complex), *older_path("aten::isinf"), OLDER),
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
    Row(
        "expm1",
        dt.COMPLEX,
        Compose(differentiated(_expm1_complex, el.exp_partials)),
        *refused("aclnnExpm1"),
    ),
    Row("sign", dt.COMPLEX, Compose(_sign_complex), *_SIGN_BACKWARDS),
)
