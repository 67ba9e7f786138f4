"""Elementwise functions and casts on NPUs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._torch import torch
from .. import elementwise as el
from .._engine import Compose, Row, Via, register
from ._common import BITS, NONE, NPU, REFUSED, SEEN, run

if TYPE_CHECKING:
    from torch import Tensor

    from .._engine import Op

# --- casts ----------------------------------------------------------------------------------------


def _cast(x: Tensor, dtype: torch.dtype) -> Tensor:
    # x.to(float64) gives float32 on an NPU, but copying into a tensor of float64 converts.
    if dtype is not dt.float64:
        return x.to(dtype)
    return torch.empty_like(x, dtype=dtype).copy_(x)


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


def _round(x: Tensor) -> Tensor:
    return copysign(torch.round(x), x)


def _nextafter(x1: Tensor, x2: Tensor) -> Tensor:
    # The bits of floating-point numbers of one sign are integers in the same order.
    bits = BITS[x1.dtype]
    x1, x2 = torch.broadcast_tensors(x1, x2)  # type: ignore[no-untyped-call]
    x1, x2 = x1.contiguous(), x2.contiguous()
    one = torch.ones_like(x1, dtype=bits)
    away = (x2 > x1) == (x1 > 0)
    step = (x1.view(bits) + torch.where(away, one, -one)).view(x1.dtype)
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
    result = less * x / torch.where(usual, log, 1)
    return torch.where(usual, result, torch.where(power == 1, x, less))


def _tanh_float64(x: Tensor) -> Tensor:
    # -expm1(-2|x|) / (expm1(-2|x|) + 2) with the sign of x.
    part = _expm1_float64(-2 * torch.abs(x))
    return copysign(-part / (part + 2), x)


def _trunc_float64(x: Tensor) -> Tensor:
    return copysign(torch.floor(torch.abs(x)), x)


def _logaddexp_float64(x1: Tensor, x2: Tensor) -> Tensor:
    large = torch.maximum(x1, x2)
    apart = torch.abs(x1 - x2)
    result = large + torch.log1p(torch.exp(-apart))
    return torch.where(x1 == x2, x1 + math.log(2), result)


# --- complex numbers ------------------------------------------------------------------------------


def _conj(x: Tensor) -> Tensor:
    return torch.complex(x.real, -x.imag)


def _abs_complex(x: Tensor) -> Any:
    return run(el.hypot, x.real, x.imag)


def _isfinite_complex(x: Tensor) -> Tensor:
    return torch.isfinite(x.real) & torch.isfinite(x.imag)


def _turned(op: Op, x: Tensor) -> Tensor:
    """Compute f(x) as -j g(xj), signs of zeros included."""
    result = run(op, torch.complex(-x.imag, x.real))
    return torch.complex(result.imag, -result.real)


def _asin_complex(x: Tensor) -> Tensor:
    return _turned(el.asinh, x)


def _atan_complex(x: Tensor) -> Tensor:
    return _turned(el.atanh, x)


def _expm1_complex(x: Tensor) -> Tensor:
    # exp(a + bj) - 1 = (expm1(a) cos(b) - 2 sin(b/2)^2) + exp(a) sin(b) j, without cancellation.
    a, b = x.real, x.imag
    half = torch.sin(b / 2)
    below = run(el.expm1, a)
    real = below * torch.cos(b) - 2 * half * half + 0.0
    imag = torch.where(b == 0, b, torch.exp(a) * torch.sin(b))
    undefined = ~torch.isfinite(b)
    real = torch.where(a == -math.inf, -1.0, torch.where((a == math.inf) & undefined, a, real))
    imag = torch.where((a == -math.inf) & undefined, 0.0, imag)
    return torch.complex(real, imag)


def _log1p_complex(x: Tensor) -> Tensor:
    a, b = x.real, x.imag
    angle = torch.atan2(b, a + 1)
    near = 0.5 * torch.log1p(a * (2 + a) + b * b)
    far = torch.log(run(el.hypot, a + 1, b))
    size = torch.maximum(torch.abs(a), torch.abs(b))
    # Of so small a number the square vanishes.
    small = torch.where(size < torch.finfo(a.dtype).eps, a, near)
    return torch.complex(torch.where(size < 0.5, small, far), angle)


def _tanh_complex(x: Tensor) -> Tensor:
    # W. Kahan, Branch cuts for complex elementary functions, 1987.
    a, b = x.real, x.imag
    large = torch.abs(a) > (11.0 if a.dtype is dt.float32 else 20.0)
    inner = torch.where(large, 0, a)
    tangent = torch.tan(b)
    secant = 1 + tangent * tangent
    sine = torch.sinh(inner)
    divisor = 1 + secant * sine * sine
    real = secant * torch.sqrt(1 + sine * sine) * sine / divisor
    imag = torch.where(b == 0, b, tangent / divisor)
    one = copysign(torch.ones_like(a), a)
    one = torch.where(torch.isinf(a), one, one + (b - b))  # NaN where b is undefined
    decay = 4 * torch.sin(b) * torch.cos(b) * torch.exp(-2 * torch.abs(a))
    decay = torch.where(torch.isinf(a), copysign(torch.zeros_like(b), b), decay)
    real = torch.where(large, one, torch.where((a == 0) & ~torch.isfinite(b), a, real))
    return torch.complex(real, torch.where(large, decay, imag))


# --- rows -----------------------------------------------------------------------------------------

_F64: Final = frozenset({dt.float64})

register(
    [
        Row(
            "cast",
            dt.ANY,
            Compose(_cast),
            "x.to(float64) silently returns float32",
            SEEN,
            NPU,
        ),
        Row("copysign", dt.REAL_FLOATING, Compose(copysign), NONE, SEEN, NPU),
        Row("hypot", dt.REAL_FLOATING, Compose(_hypot), NONE, SEEN, NPU),
        Row("nextafter", el.nextafter.dtypes, Compose(_nextafter), NONE, SEEN, NPU),
        Row("expm1", _F64, Compose(_expm1_float64), REFUSED, SEEN, NPU),
        Row("tanh", _F64, Compose(_tanh_float64), REFUSED, SEEN, NPU),
        Row("trunc", _F64, Compose(_trunc_float64), REFUSED, SEEN, NPU),
        Row("logaddexp", _F64, Compose(_logaddexp_float64), REFUSED, SEEN, NPU),
        Row("negative", {dt.int16, dt.uint8}, Via(dt.int32), REFUSED, SEEN, NPU),
        Row("sign", {dt.int8, dt.int16, dt.uint8}, Via(dt.int32), REFUSED, SEEN, NPU),
        Row("remainder", {dt.int8, dt.int16, dt.uint8}, Via(dt.int32), REFUSED, SEEN, NPU),
        Row(
            "remainder",
            {dt.int32},
            Via(dt.int64),
            "documented as exact from -2**24 to 2**24 only",
            SEEN,
            NPU,
        ),
        Row(
            "round",
            dt.REAL_FLOATING,
            Compose(_round),
            "documented to give +0 from -0.5 to -0",
            SEEN,
            NPU,
        ),
        Row("conj", dt.COMPLEX, Compose(_conj), NONE, SEEN, NPU),
        Row("abs", {dt.complex128}, Compose(_abs_complex), REFUSED, SEEN, NPU),
        Row("isfinite", dt.COMPLEX, Compose(_isfinite_complex), REFUSED, SEEN, NPU),
        Row("asin", dt.COMPLEX, Compose(_asin_complex), REFUSED, SEEN, NPU),
        Row("atan", dt.COMPLEX, Compose(_atan_complex), REFUSED, SEEN, NPU),
        Row(
            "expm1",
            dt.COMPLEX,
            Compose(_expm1_complex),
            "CANN's kernel refuses complex, and torch_npu takes the result for float32",
            SEEN,
            NPU,
        ),
        Row("log1p", dt.COMPLEX, Compose(_log1p_complex), REFUSED, SEEN, NPU),
        Row("tanh", dt.COMPLEX, Compose(_tanh_complex), REFUSED, SEEN, NPU),
    ]
)
