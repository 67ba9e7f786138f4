"""Whether complex numbers are finite, or infinite, on GPUs, and nowhere else, as one kernel each.

Torch's generator makes no truth values of complex numbers.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton.language as tl

from ... import _dtypes as dt
from ..._torch import torch
from ._launch import Kernel

if TYPE_CHECKING:
    from torch import Tensor


def _judge(  # type: ignore[no-untyped-def]
    x,
    out,
    total: tl.int64,
    WIDE: tl.constexpr,  # noqa: N803
    INFINITE: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    if WIDE:  # two words, side by side
        real = tl.load(x + 2 * place, mask=there, other=0) & 0x7FFFFFFFFFFFFFFF
        imag = tl.load(x + 2 * place + 1, mask=there, other=0) & 0x7FFFFFFFFFFFFFFF
        infinity = 0x7FF0000000000000
    else:
        both = tl.load(x + place, mask=there, other=0)
        real = both & 0x7FFFFFFF
        imag = (both >> 32) & 0x7FFFFFFF
        infinity = 0x7F800000
    if INFINITE:
        found = (real == infinity) | (imag == infinity)
    else:
        found = (real < infinity) & (imag < infinity)
    tl.store(out + place, found, mask=there)


_JUDGE = Kernel(_judge, bits=True)


def judge(x: Tensor, *, infinite: bool) -> Tensor:
    """Say which complex numbers are infinite, or else which are finite; ``x`` is contiguous."""
    out = torch.empty(x.shape, dtype=dt.bool, device=x.device)
    total = out.numel()
    if total:
        _JUDGE(total, (x, out), (total,), (x.dtype is dt.complex128, infinite))
    return out
