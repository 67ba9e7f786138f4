"""Writing to positions on GPUs, and nowhere else, as one kernel.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import triton
import triton.language as tl

from ... import _dtypes as dt
from ..._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

_BLOCK: Final = 1024
_BITS: Final = {1: dt.int8, 2: dt.int16, 4: dt.int32, 8: dt.int64}


# Triton reads the source, annotations included, so that it carries none but its own.


@triton.jit(do_not_specialize=["count", "size", "inner", "total"])  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]
    x,
    positions,
    values,
    count,
    size,
    inner,
    total,
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    row = place // inner
    position = tl.load(positions + row % count, mask=there, other=0)
    position = tl.where(position < 0, position + size, position)
    inside = there & (position >= 0) & (position < size)
    value = tl.load(values + place, mask=there, other=0)
    target = (row // count * size + position) * inner + place % inner
    tl.store(x + target, value, mask=inside)


def put(x: Tensor, positions: Tensor, values: Tensor, dim: int) -> None:
    """Write values, of the shape that indexing gives, to positions along a dimension.

    ``x`` is contiguous, and its elements have 8 bytes at most.
    """
    total, count = values.numel(), positions.numel()
    if not total:
        return
    bits = _BITS[x.itemsize]
    with torch.cuda.device(x.device if x.is_cuda else -1):
        _kernel[(triton.cdiv(total, _BLOCK),)](
            x.view(bits),
            positions.contiguous(),
            values.contiguous().view(bits),
            count,
            x.shape[dim],
            math.prod(x.shape[dim + 1 :]),
            total,
            BLOCK=_BLOCK,
        )
