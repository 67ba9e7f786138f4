"""A Triton kernel that searches elements among others by bisection, on GPUs.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import triton.language as tl

from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._launch import Kernel


def _search(  # type: ignore[no-untyped-def]
    ordered,
    x,
    out,
    count: tl.int64,
    step: tl.int64,
    total: tl.int64,
    RIGHT: tl.constexpr,  # noqa: N803
    MEMBERS: tl.constexpr,  # noqa: N803
    OTHERS: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    value = tl.load(x + place, mask=there, other=0)
    # Look at the same places as torch's function, so that both agree on unsorted input, too.
    low = tl.zeros_like(place)
    high = low + count
    while step > 0:
        middle = low + (high - low) // 2
        apart = there & (low < high)
        found = tl.load(ordered + middle, mask=apart, other=0)
        if RIGHT:
            comes = ~((value < found) | ((found != found) & (value == value)))
        else:
            comes = (found < value) | ((value != value) & (found == found))
        low = tl.where(apart & comes, middle + 1, low)
        high = tl.where(apart & ~comes, middle, high)
        step = step - 1
    if MEMBERS:
        inside = there & (low < count)
        found = tl.load(ordered + low, mask=inside, other=0)
        tl.store(out + place, (inside & (found == value)) != OTHERS, mask=there)
    else:
        tl.store(out + place, low, mask=there)


_SEARCH = Kernel(_search)


def members(x: Tensor, ordered: Tensor, *, invert: bool) -> Tensor:
    """Say which elements are among others, or which are not.

    The others have the same data type, one dimension and ascending order, with NaN last.
    """
    return _found(x, ordered, dt.bool, (False, True, invert))


def search(x: Tensor, ordered: Tensor, *, right: bool) -> Tensor:
    """Count the others that are less than each element, or not greater.

    The others are as in ``members``, and contiguous.
    """
    return _found(x, ordered, dt.int64, (right, False, False))


def _found(x: Tensor, ordered: Tensor, dtype: torch.dtype, how: tuple[bool, ...]) -> Tensor:
    x = x.contiguous()
    out = torch.empty_like(x, dtype=dtype)
    count, total = ordered.numel(), out.numel()
    if total:
        _SEARCH(total, (ordered, x, out), (count, count.bit_length(), total), how)
    return out
