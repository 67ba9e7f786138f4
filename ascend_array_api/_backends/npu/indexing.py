"""Indexing on NPUs.

Kernels do not check positions, as on other accelerators: CANN does not define what its kernels do
with a position out of bounds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from ..._routes import indexing
from ..._routes._derivatives import readable, tracked
from ..._routes._dimensions import other_axes
from ..._routes._rows import Compose, Row, ViewAs
from ..._torch import dtypes as dt
from ..._torch import torch
from ..._torch.private import in_transform
from . import MOST_DIMENSIONS
from ._common import launches, refused, slow
from .movement import C64, C128, F64, Bits, Pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor


def mask_fill(x: Tensor, mask: Tensor, value: Tensor) -> None:
    if readable(x, mask, value) and not tracked(x, value) and x.is_contiguous():
        torch.where(mask, value, x, out=x)
    else:
        indexing.copy_to(x, torch.where(mask, value, x))


def _mask_fill_pairs(x: Tensor, mask: Tensor, value: Tensor) -> None:
    mask_fill(torch.view_as_real(x), mask.unsqueeze(-1), torch.view_as_real(value))


def _of_pairs(mask: Tensor, value: Tensor) -> tuple[Any, ...]:
    """Return the arguments of mask_fill for pairs; both numbers of a pair share one mask."""
    return mask.unsqueeze(-1), value


def along_first(
    x: Tensor, indices: list[Tensor], dims: tuple[int, ...]
) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    """Return a tensor whose first axis has all indexed ones, positions there, and the other axes.

    It shares the memory of ``x`` where it can.
    """
    rest = tuple(other_axes(x.dim(), dims))
    places: Tensor | None = None
    for index, dim in zip(indices, dims):
        n = x.shape[dim]
        inside = torch.where(index < 0, index + n, index)
        places = inside if places is None else places * n + inside
    assert places is not None
    indexed = math.prod([x.shape[i] for i in dims])
    flat = x.permute(*dims, *rest).reshape(indexed, *(x.shape[i] for i in rest))
    return flat, places, rest


def _adjoin(dims: tuple[int, ...]) -> bool:
    return dims == tuple(range(dims[0], dims[0] + len(dims)))


def put_by_copies(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    """Write by aclnnInplaceIndexCopy, along one axis that has all indexed ones."""
    if x.dtype is dt.int64 and _has_pairs(x, value):
        x, value = _as_pairs(x), _as_pairs(value)
    flat, places, rest = along_first(x, indices, dims)
    count, before = places.dim(), dims[0] if _adjoin(dims) else 0
    kept = [x.shape[i] for i in rest]
    value = value.expand(*kept[:before], *places.shape, *kept[before:])
    value = value.movedim(tuple(range(before, before + count)), tuple(range(count)))
    value = value.reshape(places.numel(), *kept)
    copied = not x.permute(*dims, *rest).is_contiguous()
    flat.index_copy_(0, places.reshape(-1), value)
    if copied:
        order = (*dims, *rest)
        back = flat.reshape([x.shape[i] for i in order])
        indexing.copy_to(x, back.permute([order.index(i) for i in range(x.dim())]))


def index_by_selection(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> Tensor:
    """Read by aclnnIndexSelect, whose derivative adds by aclnnIndexAdd."""
    if not tracked(x):
        return indexing.index.native(x, indices, dims)
    flat, places, rest = along_first(x, indices, dims)
    found = torch.index_select(flat, 0, places.reshape(-1))
    found = found.reshape(*places.shape, *(x.shape[i] for i in rest))
    count, before = places.dim(), dims[0] if _adjoin(dims) else 0
    return found.movedim(tuple(range(count)), tuple(range(before, before + count)))


def _as_pairs(x: Tensor) -> Tensor:
    """Return 64-bit integers as pairs of 32-bit ones, in one more dimension."""
    return torch.view_as_real(x.view(dt.complex64)).view(dt.int32)


def _has_pairs(*tensors: Tensor) -> bool:
    return readable(*tensors) and all(x.dim() < MOST_DIMENSIONS for x in tensors)


def put_int64(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    if _has_pairs(x, value):
        x, value = _as_pairs(x), _as_pairs(value)
    indexing.index_put.native(x, indices, value, dims)


def copy_whole_blocks(above: int) -> Callable[[Tensor, Tensor], None]:
    """Return ``copy_to`` where copies of more than so many bytes move whole blocks of 32 bytes.

    It keeps what lies behind, and writes it back: one block, which has no part to spill.
    """

    def copy_to(x: Tensor, value: Tensor) -> None:
        size = x.nbytes
        if not readable(x, value) or not x.is_contiguous() or size <= above or not size % _BLOCK:
            x.copy_(value)
            return
        end = x.storage_offset() + x.numel()
        there = x.untyped_storage().nbytes() // x.itemsize - end
        behind = x.detach().as_strided((min(_BLOCK // x.itemsize, there),), (1,), end)
        kept = behind.clone()
        x.copy_(value)
        behind.copy_(kept)

    return copy_to


def copy_in_order(x: Tensor, value: Tensor) -> None:
    """Copy with the axes of both sides in the order of the strides of the first."""
    order = sorted(range(x.dim()), key=x.stride, reverse=True)
    x.permute(order).copy_(value.expand(x.shape).permute(order))


def by_copy(write: Callable[..., Any]) -> Callable[..., None]:
    """Return a function that writes to a contiguous copy of what is not, and copies that back."""

    def written(x: Tensor, *operands: Any, **named: Any) -> None:
        if x.is_contiguous():
            write(x, *operands, **named)
            return
        whole = x.contiguous()
        write(whole, *operands, **named)
        copy_in_order(x, whole)

    return written


def along_last(x: Tensor, indices: Tensor, dim: int) -> Tensor:
    """Look up positions along an axis that comes last."""
    found = _take_along_axis(x.movedim(dim, -1), indices.movedim(dim, -1), x.dim() - 1)
    return found.movedim(-1, dim)


def _take_along_axis(x: Tensor, indices: Tensor, dim: int) -> Tensor:
    # aclnnGather takes negative positions; we do not know whether its derivative's kernel does.
    if tracked(x):
        size = torch.full((), x.shape[dim], dtype=dt.int64, device=x.device)
        indices = torch.where(indices < 0, indices + size, indices)
    return indexing.gather(x, indices, dim, gathered)


def gathered(x: Tensor, dim: int, indices: Tensor) -> Tensor:
    """Look up positions by torch's gather; all dimensions but one must be equal."""
    if not in_transform() and type(x) is torch.Tensor:
        return torch.gather(x, dim, indices)
    # Of subclasses and within torch.func, torch_npu returns 0 for gather()'s second derivative.
    key = [
        torch.arange(n, device=x.device).reshape(-1, *(1,) * (x.dim() - 1 - i))
        for i, n in enumerate(indices.shape)
    ]
    key[dim] = indices
    return x[tuple(key)]


def _one_more(indices: Tensor, dim: int) -> tuple[Any, ...]:
    """Return the arguments of take_along_axis for pairs; both numbers share one position."""
    return indices.unsqueeze(-1), dim


_BLOCK: Final = 32
_ONE_BYTE: Final = frozenset({dt.uint8})
_MASKED_FILL: Final = "aclnnInplaceMaskedFillTensor"

ROWS: Final = (
    Row("index mask sorted_by take", F64, Bits(dt.int64), *slow("aclnnIndex")),
    Row("index mask sorted_by take", C64, Bits(dt.int64, Pairs()), *refused("aclnnIndex")),
    Row("index mask sorted_by take", C128, Pairs(), *refused("aclnnIndex")),
    Row("index_put", _ONE_BYTE, ViewAs(dt.int8), *slow("aclnnIndexPutImpl")),
    Row("index_put", F64, Bits(dt.int64), *slow("aclnnIndexPutImpl")),
    # From 101 positions on, or for long rows.
    Row("index_put", {dt.int64}, Compose(put_int64), *slow("aclnnIndexPutImpl")),
    Row("copy_to", F64, Bits(dt.int64), *slow("aclnnInplaceCopy")),
    Row("index_put", C64, Bits(dt.int64, Pairs()), *refused("aclnnIndexPutImpl")),
    Row("copy_to", C64, Bits(dt.int64, Pairs()), *slow("aclnnInplaceCopy")),
    Row("index_put", C128, Pairs(), *refused("aclnnIndexPutImpl")),
    Row("copy_to", C128, Pairs(), *slow("aclnnInplaceCopy")),
    Row("mask_fill", _ONE_BYTE, ViewAs(dt.int8), *refused(_MASKED_FILL)),
    Row("mask_fill", {dt.int16}, Compose(mask_fill), *refused(_MASKED_FILL)),
    Row("mask_fill", {dt.int64}, Compose(mask_fill), *slow(_MASKED_FILL)),
    Row("mask_fill", F64, Bits(dt.int64, Compose(mask_fill)), *refused(_MASKED_FILL)),
    Row("mask_fill", C64, Bits(dt.int64, Compose(_mask_fill_pairs)), *refused(_MASKED_FILL)),
    Row("mask_fill", C128, Pairs(_of_pairs), *refused(_MASKED_FILL)),
    Row(
        "take_along_axis",
        dt.ANY - dt.WIDE_UNSIGNED - dt.BOOLEAN - F64 - dt.COMPLEX,
        Compose(_take_along_axis),
        *launches("aclnnGather takes negative positions as they are", "aclnnGather"),
    ),
    Row("take_along_axis", dt.BOOLEAN, ViewAs(dt.uint8), *slow("aclnnGather")),
    Row(
        "take_along_axis",
        F64,
        Bits(dt.int64, Compose(_take_along_axis)),
        *slow("aclnnGather"),
    ),
    Row("take_along_axis", C64, Bits(dt.int64, Pairs(_one_more)), *refused("aclnnGather")),
    Row("take_along_axis", C128, Pairs(_one_more), *refused("aclnnGather")),
)
