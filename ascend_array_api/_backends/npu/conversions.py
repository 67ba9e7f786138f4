"""Casts on NPUs.

CANN converts by instructions that saturate, and says of several casts that they are exact in a
range only.  Integers are to wrap around instead: to keep their low bits, which are taken as they
are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes._engine import Compose, Row
from ..._torch import torch
from ._common import wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

_LOW_BITS: Final = 2**11 - 1


def _cast(x: Tensor, dtype: torch.dtype) -> Tensor:
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
    if dtype in dt.WIDE_UNSIGNED:
        return x.to(dt.SIGNED_OF[dtype]).view(dtype)
    return x.to(dtype)


def low_bits(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Return integers modulo a power of two, as a data type of no more bits than they have.

    CANN's casts saturate (aclnnCast, int64 to int32), or are not exact for all of them (int32 to
    int8).
    """
    if x.dtype is dtype:
        return x
    if x.dtype.itemsize == dtype.itemsize:
        return x.view(dtype).clone()
    ratio = x.dtype.itemsize // dtype.itemsize
    parts = in_row(x).view(dtype).view(*x.shape, ratio)
    # The lowest comes first; of one element, contiguous() would give the view itself.
    return parts.select(-1, 0).clone(memory_format=torch.contiguous_format)


def in_row(x: Tensor) -> Tensor:
    """Return the elements one after the other, as what can be viewed as another data type."""
    row = x.contiguous().view(-1)
    # With one element at most a tensor is contiguous whatever its stride is.
    return row if row.stride(0) == 1 else row.clone(memory_format=torch.contiguous_format)


def _to_float64(x: Tensor) -> Tensor:
    # x.to(float64) gives float32 on an NPU, but copying into a tensor of float64 converts.
    return torch.empty_like(x, dtype=dt.float64).copy_(x)


def _float32_to_int64(x: Tensor) -> Tensor:
    return _to_float64(x).to(dt.int64)


def _int64_to_float32(x: Tensor) -> Tensor:
    # Beyond 2**53 float64 would round, and float32 then round once more.  Of the low bits only
    # matters, so far out, whether there are any: one of them stands for all.
    rest = torch.bitwise_and(x, _LOW_BITS)
    odd = torch.bitwise_or(torch.bitwise_and(x, ~_LOW_BITS), (_LOW_BITS + 1) // 2)
    far = (torch.abs(x) >= 2**53) & (rest != 0)  # the least integer has no low bits
    return _to_float64(torch.where(far, odd, x)).to(dt.float32)


_CASTS: Final[dict[tuple[torch.dtype, torch.dtype], Callable[[Tensor], Tensor]]] = {
    (dt.float32, dt.int64): _float32_to_int64,
    (dt.int64, dt.float32): _int64_to_float32,
}
"""The casts that CANN's documents assure for numbers within 31 bits only."""

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
