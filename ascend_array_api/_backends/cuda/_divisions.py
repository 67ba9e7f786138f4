"""Divisions of integers on GPUs, and nowhere else, that say if a divisor was 0, as one kernel.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import triton.language as tl

from ..._torch import torch
from ._launch import Kernel

if TYPE_CHECKING:
    from torch import Tensor

    from ..._late import Doubt


# Triton reads the source, annotations included, so that it carries none but its own.


def _divide(  # type: ignore[no-untyped-def]
    x1,
    x2,
    out,
    record,
    slot: tl.int64,
    total: tl.int64,
    REMAINDER: tl.constexpr,  # noqa: N803
    ONE: tl.constexpr,  # noqa: N803
    SIGNED: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    a = tl.load(x1 + place, mask=there, other=0)
    b = tl.load(x2 + (place * 0 if ONE else place), mask=there, other=1)
    zero = b == 0
    tl.store(record + slot + tl.zeros_like(place), 1, mask=there & zero)
    if SIGNED:
        # The least integer divided by -1 is itself; the processor's division need not know.
        opposite = b == -1
        divisor = tl.where(zero | opposite, 1, b)
        quotient = a // divisor
        rest = a - quotient * divisor
        apart = (rest != 0) & ((rest < 0) != (divisor < 0))
        if REMAINDER:
            result = tl.where(opposite, 0, tl.where(apart, rest + divisor, rest))
        else:
            result = tl.where(opposite, 0 - a, tl.where(apart, quotient - 1, quotient))
    else:
        divisor = tl.where(zero, 1, b).to(b.dtype)
        result = a % divisor if REMAINDER else a // divisor
    tl.store(out + place, result.to(a.dtype), mask=there)


_DIVIDE = Kernel(_divide)


def divide(x1: Tensor, x2: Tensor, doubt: Doubt, *, remainder: bool) -> Tensor:
    """Return the floor of the quotient, or what is left.

    The tensors are contiguous and of one data type and shape, or the second has one element and not
    more dimensions.
    """
    out = torch.empty_like(x1)
    if x1.numel():
        record, slot = doubt.place(x1)
        _DIVIDE(
            x1.numel(),
            (x1, x2, out, record),
            (slot, x1.numel()),
            (remainder, x2.numel() == 1, x1.dtype.is_signed),
        )
        doubt.written()
    return out
