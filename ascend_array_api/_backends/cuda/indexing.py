"""Indexing on GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes import indexing
from ..._routes._derivatives import batched, readable, tracked
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch
from .._facts import triton

if TYPE_CHECKING:
    from torch import Tensor


def _mask_fill(x: Tensor, mask: Tensor, value: Tensor | complex) -> None:
    if not isinstance(value, torch.Tensor) or batched(x, mask, value):
        indexing.mask_fill.native(x, mask, value)
        return
    mask = mask.reshape(mask.shape + (1,) * (x.dim() - mask.dim()))
    if tracked(x, value):
        x.copy_(torch.where(mask, value, x))
    else:
        torch.where(mask, value, x, out=x)


def _put_inside(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    if (
        len(indices) > 1
        or not x.is_contiguous()
        or tracked(x, value)
        or not readable(x, value, *indices)
    ):
        indexing.put_inside.native(x, indices, value, dims)
        return
    from . import _positions

    _positions.put(x, indices[0], value, dims[0])


ROWS: Final = (
    Row(
        "put_inside",
        dt.ANY - {dt.complex128},
        Compose(_put_inside),
        "a dozen kernels, each from memory to memory, where one does",
        Evidence("torch 2.11, Triton 3.6, CUDA", "time"),
        triton,
    ),
    Row(
        "mask_fill",
        dt.ANY - dt.WIDE_UNSIGNED,
        Compose(_mask_fill),
        "torch reads the value on the host, and so waits for the device",
        Evidence("torch 2.11, CUDA", "time", ("aten::masked_fill_",)),
    ),
)
