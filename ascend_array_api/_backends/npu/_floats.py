"""Tools for elementary functions of float32: signs by bits, and polynomials.

CANN's kernels for sums, differences, products, quotients, roots, exponentials, logarithms and
comparisons are rounded correctly on Atlas A2, or nearly so; those of other functions are not
(the sources of CANN 8.1.RC1, impl/dynamic).  What is made of the former is exact on every chip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes._evidence import Evidence
from ..._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ..._routes._engine import Kernel
    from ._common import Cause

SOURCES: Final = "torch_npu 2.13.0, CANN 8.1.RC1 (kernel sources for Atlas A2)"
SINGLE: Final = frozenset({dt.float32})
NARROW: Final = SINGLE | dt.HALF
_SIGN: Final = -(2**31)


def coarse(reason: str, *kernels: str) -> Cause:
    """Kernels are not as exact as the standard, or float32, would have them, by their sources."""
    return reason, Evidence(SOURCES, "wrong", kernels)


def signed_as(size: Tensor, x: Tensor) -> Tensor:
    """Give float32 numbers without a sign that of others, zeros included."""
    sign = torch.bitwise_and(x.view(dt.int32), _SIGN)
    return torch.bitwise_or(size.view(dt.int32), sign).view(dt.float32)


def keeps_zeros(native: Kernel) -> Callable[[Tensor], Tensor]:
    """Return a function that is 0 at 0 with the sign of zero, which CANN's kernels lose."""

    def kernel(x: Tensor) -> Tensor:
        return torch.where(x == 0, x, native(x))

    return kernel


def polynomial(x: Tensor, *coefficients: float) -> Tensor:
    """Return a polynomial by Horner's scheme, from the highest coefficient; a leading 1 is free."""
    first, second, *others = coefficients
    result = (x if first == 1 else x * first) + second
    for coefficient in others:
        result = result * x + coefficient
    return result
