"""Kernels that compute each element by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from . import documented_errors as wrong
from ._dtypes import as_tensor, by_bits, compares

if TYPE_CHECKING:
    from collections.abc import Callable

MODES = {0: None, 1: "trunc", 2: "floor"}


def _add(a: torch.Tensor, b: Any, alpha: Any) -> torch.Tensor:
    b = as_tensor(b)
    if a.dtype == b.dtype == torch.bool:
        return torch.logical_or(a, b) if alpha else a
    return torch.add(a, b, alpha=alpha)


def _sub(a: torch.Tensor, b: Any, alpha: Any) -> torch.Tensor:
    b = as_tensor(b)
    if a.dtype == b.dtype == torch.bool:
        return torch.logical_xor(a, b)
    return torch.sub(a.to(torch.uint8) if a.dtype == torch.bool else a, b, alpha=alpha)


def _remainder(a: Any, b: Any) -> torch.Tensor:
    a, b = (as_tensor(t) for t in (a, b))
    if torch.result_type(a, b).is_floating_point:
        return torch.remainder(a, b)
    zero = b == 0  # CANN: the remainder by 0 of integers is the dividend
    return torch.where(zero, a, torch.remainder(a, torch.where(zero, 1, b)))


def _integer_division(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Let a division of integers by 0 give something, as the device does, where torch raises."""

    def divided(a: Any, b: Any) -> torch.Tensor:
        a, b = (as_tensor(t) for t in (a, b))
        dtype = torch.result_type(a, b)
        if dtype.is_floating_point or dtype.is_complex:
            return function(a, b)
        return torch.where(b == 0, -1, function(a, torch.where(b == 0, 1, b)))

    return divided


def _div_mod(a: torch.Tensor, b: Any, mode: int) -> torch.Tensor:
    name = MODES[mode]
    if name is None:
        return torch.div(a, b)
    return _integer_division(lambda x, y: torch.div(x, y, rounding_mode=name))(a, b)


def _fill(x: torch.Tensor, value: Any) -> torch.Tensor:
    if isinstance(value, float):  # converted as C does, where torch refuses what is too large
        return torch.tensor(value, dtype=torch.float64).to(x.dtype).expand(x.shape)
    return torch.full_like(x, value)


def _power(a: Any, b: Any) -> torch.Tensor:
    a_is_integer = not (torch.is_tensor(a) and (a.is_floating_point() or a.is_complex()))
    if torch.is_tensor(a) and type(b) is int and b < 0 and a_is_integer:
        b = torch.tensor(b, device="cpu")
    if torch.is_tensor(a) and torch.is_tensor(b) and a.dtype == b.dtype == torch.bool:
        return a | ~b
    return torch.pow(a, b)


def _clamp(x: torch.Tensor, low: Any, high: Any) -> torch.Tensor:
    return x.clone() if low is None and high is None else torch.clamp(x, low, high)


def _shift(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return by_bits(lambda x, bits: function(x, bits if torch.is_tensor(bits) else int(bits)))


def _right_shift(x: torch.Tensor, bits: torch.Tensor) -> Any:
    """ops-math/math/right_shift/op_kernel_aicpu/right_shift_aicpu.cpp: counts are clamped."""
    wide = bits.view(torch.int64) if bits.dtype == torch.uint64 else bits.to(torch.int64)
    most = 8 * x.dtype.itemsize - 1
    if bits.dtype == torch.uint64:
        wide = torch.where(wide < 0, most, wide)
    bits = torch.clamp(wide, 0, most)
    if x.dtype == torch.uint64:
        signed = x.view(torch.int64)
        mask = torch.where(bits == 0, -1, ~(torch.tensor(-1) << (64 - bits).clamp(max=63)))
        return ((signed >> bits) & mask).view(torch.uint64)
    return torch.bitwise_right_shift(x.to(torch.int64), bits).to(x.dtype)


def _sign(x: torch.Tensor) -> torch.Tensor:
    return torch.sgn(x) if x.is_complex() else torch.sign(x)


def _sqrt(x: torch.Tensor) -> torch.Tensor:
    if x.is_complex():
        return torch.sqrt(x)
    # torch's own is MKL's in some builds, which is off by a unit in the last place now and then.
    wide = x if x.dtype in {torch.float32, torch.float64} else x.to(torch.float32)
    with np.errstate(invalid="ignore"):
        root = torch.from_numpy(np.asarray(np.sqrt(wide.numpy())))
    return root.to(x.dtype) if x.is_floating_point() else root


def _signbit(x: torch.Tensor) -> torch.Tensor:
    unsigned = (torch.uint16, torch.uint32, torch.uint64)
    return torch.zeros_like(x, dtype=torch.bool) if x.dtype in unsigned else torch.signbit(x)


def _floor(x: torch.Tensor) -> torch.Tensor:
    return torch.floor(x) if x.is_floating_point() else x


def _round(x: torch.Tensor) -> torch.Tensor:
    if not x.is_floating_point():
        return x
    return torch.round(x) + 0.0 if wrong.enabled else torch.round(x)  # -0.0 becomes 0.0


def _where(condition: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(condition.bool(), a, b)


def _is_close(a: torch.Tensor, b: torch.Tensor, rtol: float, atol: float, nan: int) -> torch.Tensor:
    return torch.isclose(a, b, rtol, atol, bool(nan))


def _nan_to_num(x: torch.Tensor, nan: float, high: float, low: float) -> torch.Tensor:
    return torch.nan_to_num(x, nan, high, low) if x.is_floating_point() else x


def _fmod(a: torch.Tensor, b: Any) -> torch.Tensor:
    return _integer_division(torch.fmod)(a, b)


def _or_float(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Let a function of real floating-point numbers take integers too."""
    return lambda x: function(x if x.is_floating_point() else x.to(torch.float32))


def _of_floats(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Let a function of two floating-point numbers take integers too."""

    def computed(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        dtype = torch.promote_types(a.dtype, b.dtype)
        dtype = dtype if dtype.is_floating_point else torch.float32
        return function(a.to(dtype), b.to(dtype))

    return computed


def _rsubs(x: torch.Tensor, y: Any, alpha: Any) -> torch.Tensor:
    return torch.rsub(x, y, alpha=alpha)


TASKS: dict[str, Callable[..., Any]] = {
    "Abs": lambda x: x if x.dtype == torch.bool else torch.abs(x),
    "Acos": torch.acos,
    "Acosh": torch.acosh,
    "Add": _add,
    "Addcdiv": lambda x, a, b, value: torch.addcdiv(x, a, b, value=value),
    "Addcmul": lambda x, a, b, value: torch.addcmul(x, a, b, value=value),
    "Adds": lambda x, y, alpha: _add(x, wrong.scalar(x, y), alpha),
    "AngleV2": torch.angle,
    "Asin": torch.asin,
    "Asinh": torch.asinh,
    "Atan": torch.atan,
    "Atan2": torch.atan2,
    "Atanh": torch.atanh,
    "BitwiseAndScalar": by_bits(torch.bitwise_and),
    "BitwiseAndTensor": by_bits(torch.bitwise_and),
    "BitwiseNot": torch.bitwise_not,
    "BitwiseOrScalar": by_bits(torch.bitwise_or),
    "BitwiseOrTensor": by_bits(torch.bitwise_or),
    "BitwiseXorScalar": by_bits(torch.bitwise_xor),
    "BitwiseXorTensor": by_bits(torch.bitwise_xor),
    "Cast": wrong.cast,
    "Ceil": torch.ceil,
    "Clamp": _clamp,
    "ClampMax": lambda x, high: _clamp(x, None, high),
    "ClampMaxTensor": lambda x, high: _clamp(x, None, high),
    "ClampMin": lambda x, low: _clamp(x, low, None),
    "ClampMinTensor": lambda x, low: _clamp(x, low, None),
    "ClampTensor": _clamp,
    "Complex": torch.complex,
    "Cos": torch.cos,
    "Cosh": torch.cosh,
    "Div": torch.div,
    "DivMod": _div_mod,
    "DivMods": _div_mod,
    "Divs": torch.div,
    "EqScalar": torch.eq,
    "EqTensor": torch.eq,
    "Erf": torch.erf,
    "Erfc": torch.erfc,
    "Erfinv": torch.erfinv,
    "Exp": torch.exp,
    "Exp2": torch.exp2,
    "Expm1": torch.expm1,
    "Floor": _floor,
    "FloorDivide": _integer_division(torch.floor_divide),
    "FloorDivides": _integer_division(torch.floor_divide),
    "FmodScalar": _fmod,
    "FmodTensor": _fmod,
    "Frac": _or_float(torch.frac),
    "Gcd": torch.gcd,
    "GeScalar": compares(torch.ge),
    "GeTensor": compares(torch.ge),
    "GtScalar": compares(torch.gt),
    "GtTensor": compares(torch.gt),
    "InplaceCopy": lambda x, source: wrong.cast(source, x.dtype).expand(x.shape),
    "InplaceFillScalar": _fill,
    "InplaceFillTensor": lambda x, value: value.expand(x.shape),
    "IsClose": _is_close,
    "IsFinite": torch.isfinite,
    "IsNegInf": torch.isneginf,
    "IsPosInf": torch.isposinf,
    "LeScalar": compares(torch.le),
    "LeTensor": compares(torch.le),
    "LeftShift": _shift(torch.bitwise_left_shift),
    "LeftShifts": _shift(torch.bitwise_left_shift),
    "Lerp": torch.lerp,
    "Lerps": torch.lerp,
    "Log": torch.log,
    "Log10": torch.log10,
    "Log1p": torch.log1p,
    "Log2": torch.log2,
    "LogAddExp": torch.logaddexp,
    "LogAddExp2": _of_floats(torch.logaddexp2),
    "LogicalAnd": torch.logical_and,
    "LogicalNot": torch.logical_not,
    "LogicalOr": torch.logical_or,
    "LogicalXor": torch.logical_xor,
    "LtScalar": compares(torch.lt),
    "LtTensor": compares(torch.lt),
    "Maximum": torch.maximum,
    "Minimum": torch.minimum,
    "Mul": torch.mul,
    "Muls": wrong.product,
    "NanToNum": _nan_to_num,
    "NeScalar": torch.ne,
    "NeTensor": torch.ne,
    "Neg": torch.neg,
    "Polar": torch.polar,
    "PowScalarTensor": _power,
    "PowTensorScalar": _power,
    "PowTensorTensor": _power,
    "Reciprocal": torch.reciprocal,
    "RemainderScalarTensor": _remainder,
    "RemainderTensorScalar": _remainder,
    "RemainderTensorTensor": _remainder,
    "RightShift": _right_shift,
    "Round": _round,
    "RoundDecimals": lambda x, n: torch.round(x, decimals=n) if x.is_floating_point() else x,
    "Rsqrt": torch.rsqrt,
    "Rsub": lambda x, y, alpha: torch.sub(y, x, alpha=alpha),
    "Rsubs": _rsubs,
    "SWhere": by_bits(_where),
    "Sigmoid": torch.sigmoid,
    "SigmoidBackward": lambda slope, y: slope * (y * (1 - y)).conj(),
    "Sign": _sign,
    "Signbit": _signbit,
    "Sin": torch.sin,
    "Sinc": torch.sinc,
    "Sinh": torch.sinh,
    "Softplus": torch.nn.functional.softplus,
    "Sqrt": _sqrt,
    "Sub": _sub,
    "Subs": lambda x, y, alpha: _sub(x, wrong.scalar(x, y), alpha),
    "Tan": torch.tan,
    "Tanh": torch.tanh,
    "TanhBackward": lambda slope, y: slope * (1 - y * y),
    "Trunc": torch.trunc,
    "XLogYScalarOther": torch.xlogy,
    "XLogYScalarSelf": torch.xlogy,
    "XLogYTensor": torch.xlogy,
}
