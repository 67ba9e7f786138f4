"""A Triton kernel that numbers the runs of equal elements in sorted order, on GPUs.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

from typing import Final

import triton.language as tl

from ..._torch import Tensor
from ._launch import Kernel


def _number(  # type: ignore[no-untyped-def]
    order,
    ranks,
    first,
    starts,
    inverse,
    total: tl.int64,
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    rank = tl.load(ranks + place - 1, mask=there & (place > 0), other=0)
    before = tl.load(ranks + place - 2, mask=there & (place > 1), other=0)
    begins = there & ((place == 0) | (rank != before))
    origin = tl.load(order + place, mask=there, other=0)
    tl.store(inverse + origin, rank, mask=there)
    tl.store(first + rank, origin, mask=begins)
    tl.store(starts + rank, place, mask=begins)
    tl.store(starts + rank + 1, total + tl.zeros_like(place), mask=place + 1 == total)


_NUMBER: Final = Kernel(_number)


def number(order: Tensor, ranks: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return where each run begins, the run of each element, and the lengths of the runs.

    Parameters
    ----------
    order : Tensor
        A stable sort order of at least two elements.
    ranks : Tensor
        The number of the run of each sorted element except the first, which is in run 0.
    """
    first, starts = order.new_empty(count), order.new_empty(count + 1)
    inverse = order.new_empty(len(order))
    _NUMBER(len(order), (order, ranks, first, starts, inverse), (len(order),))
    return first, inverse, starts[1:] - starts[:-1]
