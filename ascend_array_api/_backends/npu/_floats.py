"""Tools for elementary functions of float32: constants, signs by bits, and polynomials.

CANN's kernels for sums, differences, products, quotients, roots, exponentials, logarithms and
comparisons round correctly on Atlas A2, or nearly so; kernels of other functions do not (sources
of CANN 8.1.RC1, impl/dynamic).  So compositions use only the kernels of this list.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from ..._routes._derivatives import readable
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


@functools.cache
def _kept(value: float, dtype: torch.dtype, device: torch.device) -> Tensor:
    with torch.inference_mode(mode=False):  # the cached tensor may serve derivatives later
        return torch.tensor(value, dtype=dtype, device=device)


def constant(value: float, x: Tensor) -> Tensor:
    """Return a number as a tensor like another one, for kernels that take no scalar.

    The tensor is cached on the device; torch would launch a fill for every call.
    """
    if readable(x):
        return _kept(value, x.dtype, x.device)
    return torch.full((), value, dtype=x.dtype, device=x.device)


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
