"""Tensors of more dimensions than the kernels of a device take, and transposed ones."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

from .._torch import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor


def other_axes(ndim: int, axes: Iterable[int]) -> list[int]:
    """Return the axes that are not among these, all counted from the front.

    In compiled code a kernel may get axes that change from call to call, for which the compiler
    takes ``axis in axes`` for False; those that are taken from a tuple it knows.
    """
    every = tuple(range(ndim))
    known = [every[axis] for axis in axes]
    return [axis for axis in every if axis not in known]


def dense(x: Tensor, most: int) -> Tensor:
    """Return a contiguous tensor, copied in parts that have at most so many dimensions."""
    if x.is_contiguous():
        return x
    if x.dim() <= most:
        return x.contiguous()
    return torch.cat([dense(part, most).view(-1) for part in x.unbind(0)]).view(x.shape)


def is_in_order(x: Tensor) -> bool:
    """Say whether no axis has a greater stride than one before it, as in transposed arrays."""
    strides = [s for n, s in zip(x.shape, x.stride()) if n > 1]
    return strides == sorted(strides, reverse=True)


def in_order(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that copies transposed operands, so that it makes no transposed results."""

    @functools.wraps(kernel)
    def ordered(*operands: Any, **parameters: Any) -> Any:
        whole = (
            x.contiguous() if isinstance(x, torch.Tensor) and not is_in_order(x) else x
            for x in operands
        )
        return kernel(*whole, **parameters)

    return ordered


def in_matrices(reduction: Callable[..., Tensor], most: int) -> Callable[..., Tensor]:
    """Return a reduction that reshapes tensors of more dimensions to matrices, and reduces rows.

    It has the parameters of every reduction: see the module ``reductions``.
    """

    @functools.wraps(reduction, assigned=("__name__",), updated=())
    def reduced(
        x: Tensor, dim: Any = None, keepdim: bool = False, *rest: Any, **more: Any
    ) -> Tensor:
        if x.dim() <= most:
            return reduction(x) if dim is None else reduction(x, dim, keepdim, *rest, **more)
        gone = tuple(dim or range(x.dim()))
        kept = other_axes(x.dim(), gone)
        rows = math.prod([x.shape[i] for i in kept])
        columns = math.prod([x.shape[i] for i in gone])
        matrix = dense(x.permute(*kept, *gone), most).view(rows, columns)
        shape = [x.shape[i] if i in kept else 1 for i in range(x.dim()) if keepdim or i in kept]
        return reduction(matrix, (1,), False, *rest, **more).view(shape)

    return reduced
