"""A Triton kernel that searches elements among others by bisection, on GPUs.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import triton.language as tl

from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._launch import Kernel


def _members(  # type: ignore[no-untyped-def]
    ordered,
    x,
    out,
    count: tl.int64,
    step: tl.int64,
    total: tl.int64,
    OTHERS: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    value = tl.load(x + place, mask=there, other=0)
    less = tl.zeros_like(place)  # so many are known to be less than the element
    while step > 0:
        probe = less + step
        inside = there & (probe <= count)
        found = tl.load(ordered + probe - 1, mask=inside, other=0)
        less = tl.where(inside & (found < value), probe, less)
        step = step // 2
    inside = there & (less < count)
    found = tl.load(ordered + less, mask=inside, other=0)
    tl.store(out + place, (inside & (found == value)) != OTHERS, mask=there)


def _search(  # type: ignore[no-untyped-def]
    ordered,
    x,
    out,
    count: tl.int64,
    step: tl.int64,
    total: tl.int64,
    RIGHT: tl.constexpr,  # noqa: N803
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
    tl.store(out + place, low, mask=there)


_MEMBERS = Kernel(_members)
_SEARCH = Kernel(_search)


def members(x: Tensor, ordered: Tensor, *, invert: bool) -> Tensor:
    """Say which elements are among others, or which are not.

    The others have the same data type, one dimension and ascending order, with NaN last.
    """
    step = 1 << ordered.numel().bit_length() >> 1
    return _found(_MEMBERS, x, ordered, dt.bool, step, invert)


def search(x: Tensor, ordered: Tensor, *, right: bool) -> Tensor:
    """Count the others that are less than each element, or not greater.

    The others are as in ``members``, and contiguous.
    """
    return _found(_SEARCH, x, ordered, dt.int64, ordered.numel().bit_length(), right)


def _found(
    kernel: Kernel, x: Tensor, ordered: Tensor, dtype: torch.dtype, step: int, option: bool
) -> Tensor:
    x = x.contiguous()
    out = torch.empty_like(x, dtype=dtype)
    count, total = ordered.numel(), out.numel()
    if total:
        kernel(total, (ordered, x, out), (count, step, total), (option,))
    return out
