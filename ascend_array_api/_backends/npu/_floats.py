"""Tools for elementary functions of float32: constants, signs by bits, and polynomials.

CANN's kernels for sums, differences, products, quotients, roots, exponentials, logarithms and
comparisons round correctly on Atlas A2, or nearly so; kernels of other functions do not (sources
of CANN 8.1.RC1, impl/dynamic).  So compositions use only the kernels of this list.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, Final

from ..._devices.facts import dvm
from ..._routes._constants import constant, fuses
from ..._routes._derivatives import readable
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._rows import Native, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import constant as constant_in_traces
from . import BACKEND
from ._common import Cause, composed

SOURCES: Final = "torch_npu 2.13.0, CANN 8.1.RC1 (kernel sources for Atlas A2)"
SINGLE: Final = frozenset({dt.float32})
NARROW: Final = SINGLE | dt.HALF


def coarse(reason: str, *kernels: str) -> Cause:
    """Kernels are less exact than the standard or float32 requires, by their sources."""
    return reason, Evidence(SOURCES, "wrong", kernels)


def faulty(kernel: str, fault: str) -> Cause:
    """Return the cause that a kernel is less exact, given what it does."""
    return coarse(f"{kernel} {fault}", kernel)


def refined(
    op: str,
    dtypes: Set[torch.dtype],
    function: Kernel,
    partials: Callable[..., tuple[Tensor, ...]],
    kernel: str,
    fault: str,
    native: Kernel | None = None,
) -> Row:
    """Return the row of a composition that is more exact than a kernel, given what that does."""
    cause = faulty(kernel, fault)
    return composed(op, dtypes, function, partials, cause, native=native, fast=Native())


def widened(op: str, dtypes: Set[torch.dtype], kernel: str, fault: str) -> Row:
    """Return the row that computes in float32, given what a kernel does for narrower numbers."""
    return Row(op, dtypes, Via(dt.float32), *faulty(kernel, fault), fast=Native())


@constant_in_traces
def by_dvm() -> bool:
    """Say whether DVM compiles."""
    return bool(dvm.decide(BACKEND.facts))


def clamp(x: Tensor, low: float, high: float) -> Tensor:
    """Return numbers within bounds, in one kernel, or in steps that torch_npu fuses."""
    if fuses(x):
        return torch.minimum(torch.maximum(x, constant(low, x)), constant(high, x))
    return torch.clamp(x, low, high)


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


def keeps_zeros(native: Kernel) -> Callable[[Tensor], Tensor]:
    """Return a function with f(0) = 0 that keeps the sign of zero, which CANN's kernels lose."""

    def with_zeros(x: Tensor) -> Tensor:
        return torch.where(x == 0, x, native(x))

    return with_zeros
