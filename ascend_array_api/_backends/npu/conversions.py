"""Casts on NPUs.

CANN's conversion instructions saturate, and CANN documents several casts as exact in a limited
range only.  Torch's casts of integers wrap around instead, as on other devices, so we move the low
bits and convert nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ..._routes._derivatives import readable
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import npu_cast
from . import BACKEND
from ._common import wrong

_LOW_BITS: Final = 2**11 - 1


def _cast(x: Tensor, dtype: torch.dtype) -> Tensor:
    # Integers first, then the casts with a limited range; CANN's own casts serve for the rest.
    source = x.dtype
    if source in dt.INTEGER and dtype in dt.INTEGER:
        return _integers(x, dtype)
    change = _CASTS.get((source, dtype))
    if change is not None:
        return change(x)
    return _to_float64(x) if dtype is dt.float64 else x.to(dtype)


def _fast(x: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype in dt.WIDE_UNSIGNED or x.dtype in dt.WIDE_UNSIGNED:
        return _cast(x, dtype)  # torch_npu has no such casts
    return _to_float64(x) if dtype is dt.float64 else x.to(dtype)


def _integers(x: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype.itemsize <= x.dtype.itemsize:
        return low_bits(x, dtype)
    # Widening cannot overflow: the sign extends, and the bits are the unsigned number's.
    if dtype in dt.WIDE_UNSIGNED:
        return x.to(dt.SIGNED_OF[dtype]).view(dtype)
    return x.to(dtype)


def low_bits(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Return integers modulo a power of two, in a data type that is not wider.

    aclnnCast saturates (int64 to int32) or is inexact for some numbers (int32 to int8).
    """
    if x.dtype is dtype:
        return x
    if x.dtype.itemsize == dtype.itemsize:
        return x.view(dtype).clone()
    ratio = x.dtype.itemsize // dtype.itemsize
    parts = in_row(x).view(dtype).view(*x.shape, ratio)
    # Little-endian: the low part comes first.  clone() rather than contiguous(), which returns
    # the view itself for one element, so that the result would share the operand's memory.
    return parts.select(-1, 0).clone(memory_format=torch.contiguous_format)


def in_row(x: Tensor) -> Tensor:
    """Return the elements in one dimension with stride 1, which can be viewed in any data type."""
    row = x.contiguous().view(-1)
    # With at most one element any stride counts as contiguous, but a view as a smaller type
    # needs stride 1.
    return row if row.stride(0) == 1 else row.clone(memory_format=torch.contiguous_format)


def _to_float64(x: Tensor) -> Tensor:
    # torch_npu silently returns float32 for x.to(float64), but copy_() converts.
    return torch.empty_like(x, dtype=dt.float64).copy_(x)


def _float32_to_int64(x: Tensor) -> Tensor:
    # By way of float64, which holds every float32: CANN limits the direct cast to 31 bits.
    return _to_float64(x).to(dt.int64)


def _int64_to_float32(x: Tensor) -> Tensor:
    # From 2**53 on, the cast to float64 rounds and the cast to float32 rounds again, which may be
    # wrong on ties.  So far out the low 11 bits matter only for whether any is set: replace
    # them by one bit that float64 holds exactly, so that only float32 rounds.
    rest = torch.bitwise_and(x, _LOW_BITS)
    odd = torch.bitwise_or(torch.bitwise_and(x, ~_LOW_BITS), (_LOW_BITS + 1) // 2)
    # abs() of the least integer overflows, but that one has no low bits.
    far = (torch.abs(x) >= 2**53) & (rest != 0)
    return _to_float64(torch.where(far, odd, x)).to(dt.float32)


_CASTS: Final[dict[tuple[torch.dtype, torch.dtype], Callable[[Tensor], Tensor]]] = {
    (dt.float32, dt.int64): _float32_to_int64,
    (dt.int64, dt.float32): _int64_to_float32,
}
"""The casts that CANN documents as exact for numbers of at most 31 bits only."""


def _fused(dtype: torch.dtype) -> Callable[[Tensor], Tensor]:
    def cast(x: Tensor) -> Tensor:
        # torch.func knows torch's own casts alone.
        return npu_cast(x, dtype) if readable(x) else x.to(dtype)

    return cast


if BACKEND.fuses(dt.float32):  # torch_npu then fuses its own casts, but not torch's
    _CASTS.update(
        ((source, dtype), _fused(dtype))
        for source, dtype in (
            (dt.bool, dt.float32),
            (dt.bool, dt.int32),
            (dt.int32, dt.float32),
            (dt.float32, dt.int32),
        )
    )

ROWS: Final = (
    Row(
        "cast",
        dt.ANY - {dt.float64} - dt.COMPLEX,
        Compose(_cast),
        *wrong(
            "x.to(float64) silently returns float32, and integers that do not fit saturate",
            "aten::_to_copy",
            "aclnnCast",
        ),
        fast=Compose(_fast),
    ),
)
