"""A Triton kernel that marks the results for singular matrices, on GPUs.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

from typing import Final

import triton.language as tl

from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._launch import BLOCK, Kernel
from ._noted import Flag


def _note(  # type: ignore[no-untyped-def]
    info,
    x,
    result,
    record,
    slot: tl.int64,
    given: tl.int64,
    filled: tl.int64,
    INFINITE: tl.constexpr,  # noqa: N803
    NAN: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    matrix = tl.program_id(0).to(tl.int64)
    if tl.load(info + matrix) != 0:
        start = tl.full((), 0, dtype=tl.int64)
        while start < filled:
            place = start + tl.arange(0, BLOCK)
            tl.store(result + matrix * filled + place, NAN, mask=place < filled)
            start += BLOCK
        start = tl.full((), 0, dtype=tl.int64)
        odd = tl.zeros((BLOCK,), dtype=tl.int32)
        while start < given:
            place = start + tl.arange(0, BLOCK)
            bits = tl.load(x + matrix * given + place, mask=place < given, other=0)
            odd |= ((bits & INFINITE) == INFINITE).to(tl.int32)
            start += BLOCK
        tl.store(record + slot, 1, mask=tl.max(odd, axis=0) == 0)


_NOTE: Final = Kernel(_note, bits=True)

_BITS: Final = {
    dt.float32: (0x7F800000, 0x7FC00000),
    dt.float64: (0x7FF0000000000000, 0x7FF8000000000000),
}
"""The bits of infinity, which NaN also has, and the bits of a NaN."""


def note(info: Tensor, x: Tensor, result: Tensor, flag: Flag) -> Tensor:
    """Write NaN to the results of matrices whose factors have a zero pivot; report finite ones.

    Parameters
    ----------
    info : Tensor
        Whether each matrix has a zero pivot.
    x : Tensor
        The matrices; if they broadcast, there are fewer of them than results.
    result : Tensor
        The solver's result, to which nothing else refers.
    flag : tuple
        Where to report singular matrices of finite numbers, which are errors.
    """
    stack = result.shape[:-2]
    if not x.shape[:-2] == info.shape == stack:
        info, x = info.expand(stack).contiguous(), x.expand(*stack, *x.shape[-2:])
    matrices = info.numel()
    if not matrices:
        return result
    if not x.is_contiguous():
        x = x.mT.contiguous()  # the order of the elements does not matter
    if not (result.is_contiguous() or result.mT.is_contiguous()):
        result = result.contiguous()
    given, filled = _as_real(x), _as_real(result)
    record, slot = flag
    _NOTE(
        matrices * BLOCK,
        (info, given, filled, record),
        (slot, given.numel() // matrices, filled.numel() // matrices),
        _BITS[given.dtype],
    )
    return result


def _as_real(x: Tensor) -> Tensor:
    return torch.view_as_real(x.resolve_conj()) if x.is_complex() else x
