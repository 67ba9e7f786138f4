"""Tools for elementary functions of float32: constants, signs by bits, and polynomials.

CANN's kernels for sums, differences, products, quotients, roots, exponentials, logarithms and
comparisons round correctly on Atlas A2, or nearly so; kernels of other functions do not (sources
of CANN 8.1.RC1, impl/dynamic).  So compositions use only the kernels of this list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..._routes._constants import constant
from ..._routes._evidence import Evidence
from ..._torch import dtypes as dt
from ..._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ..._routes._operations import Kernel
    from ._common import Cause

SOURCES: Final = "torch_npu 2.13.0, CANN 8.1.RC1 (kernel sources for Atlas A2)"
SINGLE: Final = frozenset({dt.float32})
NARROW: Final = SINGLE | dt.HALF
_SIGN: Final = -(2**31)


def coarse(reason: str, *kernels: str) -> Cause:
    """Kernels are less exact than the standard or float32 requires, by their sources."""
    return reason, Evidence(SOURCES, "wrong", kernels)


def signed_as(size: Tensor, x: Tensor) -> Tensor:
    """Give non-negative float32 numbers the sign of others, also of zeros."""
    sign = torch.bitwise_and(x.view(dt.int32), _SIGN)
    return torch.bitwise_or(size.view(dt.int32), sign).view(dt.float32)


def keeps_zeros(native: Kernel) -> Callable[[Tensor], Tensor]:
    """Return a function with f(0) = 0 that keeps the sign of zero, which CANN's kernels lose."""

    def kernel(x: Tensor) -> Tensor:
        return torch.where(x == 0, x, native(x))

    return kernel


def polynomial(x: Tensor, *coefficients: float) -> Tensor:
    """Evaluate a polynomial by Horner's scheme, highest coefficient first, one kernel per step."""
    first, second, *others = coefficients
    if first == 1:
        result = x + second
    else:
        result = torch.addcmul(constant(second, x), x, constant(first, x))
    for coefficient in others:
        result = torch.addcmul(constant(coefficient, x), result, x)
    return result
