"""Tools for elementary functions of float32: constants, signs by bits, and polynomials.

CANN's kernels for sums, differences, products, quotients, roots, exponentials, logarithms and
comparisons round correctly on Atlas A2, or nearly so; kernels of other functions do not (sources
of CANN 8.1.RC1, impl/dynamic).  So compositions use only the kernels of this list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..._devices.facts import dvm
from ..._routes._constants import constant
from ..._routes._derivatives import readable
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import constant as constant_in_traces
from ..._torch.tracing import traced_as
from . import BACKEND
from ._common import Cause

SOURCES: Final = "torch_npu 2.13.0, CANN 8.1.RC1 (kernel sources for Atlas A2)"
SINGLE: Final = frozenset({dt.float32})
NARROW: Final = SINGLE | dt.HALF
_SIGN: Final = -(2**31)


def coarse(reason: str, *kernels: str) -> Cause:
    """Kernels are less exact than the standard or float32 requires, by their sources."""
    return reason, Evidence(SOURCES, "wrong", kernels)


@constant_in_traces
def by_dvm() -> bool:
    """Say whether DVM compiles."""
    return bool(dvm.decide(BACKEND.facts))


def _addcmul_in_steps(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    return x + a * b if value == 1 else x + value * (a * b)


def _addcdiv_in_steps(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return x + a / b


def _traced_addcmul(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    return (_addcmul_in_steps if by_dvm() else torch.addcmul)(x, a, b, value=value)


def _traced_addcdiv(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return (_addcdiv_in_steps if by_dvm() else torch.addcdiv)(x, a, b)


@traced_as(_traced_addcmul)
def addcmul(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    """Return ``x + value * a * b`` in one kernel, or in steps that torch_npu fuses."""
    return torch.addcmul(x, a, b, value=value)


@traced_as(_traced_addcdiv)
def addcdiv(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Return ``x + a / b`` in one kernel, or in steps that torch_npu fuses."""
    return torch.addcdiv(x, a, b)


def clamp(x: Tensor, low: float, high: float) -> Tensor:
    """Return numbers within bounds, in one kernel, or in steps that torch_npu fuses."""
    return torch.clamp(x, low, high)


def _clamp_in_steps(x: Tensor, low: float, high: float) -> Tensor:
    return torch.minimum(torch.maximum(x, constant(low, x)), constant(high, x))


if BACKEND.fuses(dt.float32):  # torch_npu then fuses sums and products, but not these
    addcmul, addcdiv, clamp = _addcmul_in_steps, _addcdiv_in_steps, _clamp_in_steps


def unfused(function: Kernel) -> Kernel:
    """Return an elementwise function of torch by CANN's own kernel, whatever torch_npu fuses.

    torch_npu fuses no call that has a tensor for its result.
    """

    def by_kernel_alone(*tensors: Tensor) -> Any:
        if not readable(*tensors):  # torch.func has no rule for such calls
            return function(*tensors)
        shape = torch.broadcast_shapes(*(x.shape for x in tensors))  # type: ignore[no-untyped-call]
        like = tensors[0]
        return function(*tensors, out=torch.empty(shape, dtype=like.dtype, device=like.device))

    return by_kernel_alone


def signed_as(size: Tensor, x: Tensor) -> Tensor:
    """Give non-negative float32 numbers the sign of others, also of zeros."""
    sign = torch.bitwise_and(x.view(dt.int32), _SIGN)
    return torch.bitwise_or(size.view(dt.int32), sign).view(dt.float32)


def keeps_zeros(native: Kernel) -> Callable[[Tensor], Tensor]:
    """Return a function with f(0) = 0 that keeps the sign of zero, which CANN's kernels lose."""

    def with_zeros(x: Tensor) -> Tensor:
        return torch.where(x == 0, x, native(x))

    return with_zeros


def polynomial(x: Tensor, *coefficients: float) -> Tensor:
    """Evaluate a polynomial by Horner's scheme, highest coefficient first, one kernel per step."""
    first, second, *others = coefficients
    if first == 1:
        result = x + second
    else:
        result = addcmul(constant(second, x), x, constant(first, x))
    for coefficient in others:
        result = addcmul(constant(coefficient, x), result, x)
    return result
