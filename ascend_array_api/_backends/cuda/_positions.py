"""Positions on GPUs, kept in bounds and judged by one kernel.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import triton
import triton.language as tl

from ..._torch import torch

if TYPE_CHECKING:
    from torch import Tensor

_BLOCK: Final = 1024


# Triton reads the source, annotations included, so that it carries none but its own.


@triton.jit(do_not_specialize=["count", "size"])  # type: ignore[untyped-decorator]
def _kernel(  # type: ignore[no-untyped-def]
    positions,
    allowed,
    found,
    count,
    size,
    TELL: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    given = tl.load(positions + place, mask=place < count, other=0)
    least = -size.to(tl.int64)
    kept = tl.minimum(tl.maximum(given, least), -least - 1)
    tl.store(allowed + place, kept, mask=place < count)
    if TELL:
        wrong = tl.max((given != kept).to(tl.int32), axis=0)
        tl.store(found, 1, mask=wrong > 0)  # whichever block does so writes the same


def bounded(positions: Tensor, size: int, *, tell: bool) -> tuple[Tensor, Tensor | None]:
    """Return the nearest positions in bounds, and whether any was another."""
    positions = positions.contiguous()
    allowed = torch.empty_like(positions)
    found = torch.zeros((), dtype=torch.bool, device=positions.device) if tell else None
    count = positions.numel()
    with torch.cuda.device(positions.device if positions.is_cuda else -1):
        _kernel[(triton.cdiv(count, _BLOCK),)](
            positions,
            allowed,
            positions if found is None else found.view(torch.int8),
            count,
            size,
            TELL=tell,
            BLOCK=_BLOCK,
        )
    return allowed, found
