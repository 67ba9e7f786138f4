"""Reductions on GPUs."""

from __future__ import annotations

import functools
from typing import Final

from ..._routes._derivatives import plain
from ..._routes._dimensions import other_axes
from ..._routes._kernels import Kernel
from ..._routes._rows import Compose, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import slow, slow_beside_triton, wrong
from ._late import kernels_of

kernels: Final = kernels_of("_columns")


def _truth(function: Kernel, *, every: bool) -> Kernel:
    @functools.wraps(function, assigned=("__name__",), updated=())
    def truth(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
        if dim is None:
            return function(x)
        sizes = None
        if dim[-1] + 1 != x.dim() and plain(x):
            sizes = kernels().columns_of(x, dim, kernels().ROWS_OF_TRUTHS)
        if sizes is None:  # torch is faster with a number than with a tuple
            return function(x, dim[0] if len(dim) == 1 else dim, keepdim)
        found: Tensor = kernels().truth(x, dim, sizes, every=every)
        if keepdim:
            kept = other_axes(x.dim(), dim)
            return found.view([n if i in kept else 1 for i, n in enumerate(x.shape)])
        return found

    return truth


def _mean_complex(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    parts = torch.view_as_real(x)
    axes = tuple(range(x.dim())) if dim is None else dim
    if not axes:  # torch would reduce all axes
        return torch.view_as_complex(parts.clone())
    # Torch takes one axis sooner than a tuple of it.
    return torch.view_as_complex(torch.mean(parts, axes[0] if len(axes) == 1 else axes, keepdim))


_SQUARES: Final = wrong(
    "torch adds up squares in float32, in which those of some numbers are infinite or 0"
)
_PARTS: Final = slow(
    "a sum and a division are two kernels, and the mean of the parts, as real numbers, one"
)
FEW_THREADS: Final = slow_beside_triton(
    "along an axis that is not the last torch has few threads for some shapes"
)
_LONG: Final = frozenset({dt.int64, dt.float32, dt.float64, dt.complex64})
"""Torch reads several elements of other data types at once."""

ROWS: Final = (
    Row("var std", {dt.bfloat16}, Via(dt.float32), *_SQUARES),
    Row("mean", dt.COMPLEX, Compose(_mean_complex), *_PARTS),
    Row("all", _LONG | {dt.int32}, Compose(_truth(torch.all, every=True)), *FEW_THREADS),
    Row("any", _LONG, Compose(_truth(torch.any, every=False)), *FEW_THREADS),
)
