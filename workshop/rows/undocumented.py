"""Kernels that give something else where CANN's documents leave open what they give.

For rows whose evidence is that a result is not documented, or wrong on the chip: the emulated
kernels give the right one there, so that nothing would be noticed.  What stands here is one of the
results that the documents allow, or an error where they name a limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from conformance.cann_emulator.kernels._errors import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    Task = Callable[..., Any]

EXACT: Final = 2**24
"""The integers that float32 holds."""
ORDERS: Final = (0.0, 1.0, 2.0, 3.0, float("inf"), -float("inf"))
MOST_DIMENSIONS: Final = 6
MOST_REPEATED: Final = 4


def _shift(task: Task) -> Task:
    """Count places modulo the number of bits, as most processors do."""

    def shift(x: Tensor, places: Any) -> Any:
        return task(x, places % (8 * x.element_size()))

    return shift


def _remainder(task: Task) -> Task:
    """Divide int32 in float32; give NaN for quotients that overflow, and a zero any sign."""
    import torch

    def remainder(x: Tensor, y: Tensor) -> Any:
        if x.dtype is torch.int32:
            return torch.remainder(x.float(), y.float()).to(x.dtype)
        result = task(x, y)
        if not x.is_floating_point():
            return result
        overflows = torch.isinf(x / y) & torch.isfinite(x) & (y != 0)
        zero = torch.copysign(torch.zeros_like(result), x)
        return torch.where(overflows, torch.nan, torch.where(result == 0, zero, result))

    return remainder


def _factor(task: Task) -> Task:
    """Give zeros for matrices that are not positive definite."""
    import torch

    def factor(x: Tensor, *rest: Any) -> Any:
        failed = torch.linalg.cholesky_ex(x)[1] != 0
        usable = torch.where(failed[..., None, None], torch.eye(x.shape[-1]).to(x), x)
        return torch.where(failed[..., None, None], 0, task(usable, *rest))

    return factor


def _qr(task: Task) -> Task:
    """Give zeros for matrices with elements that are not finite, or whose squares overflow."""

    def qr(x: Tensor, *rest: Any) -> Any:
        factors = task(x.nan_to_num(0, 0, 0) if not x.is_complex() else x, *rest)
        if bool((x.abs() ** 2).isfinite().all()):
            return factors
        return tuple(factor * 0 for factor in factors)

    return qr


def _count(task: Task) -> Task:
    """Pass scalars through float32."""
    import torch

    def through(value: Any) -> Any:
        large = type(value) is int and abs(value) > EXACT
        return int(torch.tensor(value, dtype=torch.float32, device="cpu")) if large else value

    def count(start: Any, end: Any, step: Any, out: Tensor) -> Any:
        given = through(start), through(start) + (end - start), through(step)
        return task(*given, out)

    return count


def _product(task: Task) -> Task:
    """End products of int64 at the ends of the range."""
    import torch

    def product(x: Any, y: Any) -> Any:
        result = task(x, y)
        if result.dtype is not torch.int64:
            return result
        size = x.double() * y.double()
        limits = torch.iinfo(torch.int64)
        result = torch.where(size >= 2.0**63, limits.max, result)
        return torch.where(size <= -(2.0**63), limits.min, result)

    return product


def _repeat(task: Task) -> Task:
    """Refuse to repeat along more axes than are documented."""

    def repeat(x: Tensor, repeats: Sequence[int]) -> Any:
        if sum(number != 1 for number in repeats) > MOST_REPEATED:
            raise KernelError(561103, "repeats along too many axes")
        return task(x, repeats)

    return repeat


def _matmul(task: Task) -> Task:
    """Refuse more dimensions than are documented."""

    def matmul(x: Tensor, y: Tensor, *rest: Any) -> Any:
        if max(x.dim(), y.dim()) > MOST_DIMENSIONS:
            raise KernelError(161002, "too many dimensions")
        return task(x, y, *rest)

    return matmul


def _norm(task: Task) -> Task:
    """Refuse orders that are not documented."""

    def norm(x: Tensor, order: float, *rest: Any) -> Any:
        if float(order) not in ORDERS:
            raise KernelError(161002, "an order that is not supported")
        return task(x, order, *rest)

    return norm


CHANGES: Final[dict[str, Callable[[Task], Task]]] = {
    "aclnnArange": _count,
    "aclnnLeftShift": _shift,
    "aclnnLinalgCholesky": _factor,
    "aclnnLinalgQr": _qr,
    "aclnnLinalgVectorNorm": _norm,
    "aclnnMatmul": _matmul,
    "aclnnMul": _product,
    "aclnnRemainderTensorTensor": _remainder,
    "aclnnRepeat": _repeat,
    "aclnnRightShift": _shift,
}
"""What is made of a kernel, by its name."""
