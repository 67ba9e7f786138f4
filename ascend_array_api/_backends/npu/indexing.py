"""Indexing on NPUs.

Kernels do not check positions, as on other accelerators: CANN does not define what its kernels do
with a position out of bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..._routes import indexing
from ..._routes._derivatives import readable, tracked
from ..._routes._rows import Compose, Row, ViewAs
from ..._torch import dtypes as dt
from ..._torch import torch
from ..._torch.private import in_transform
from ._common import launches, refused, slow
from .movement import C64, C128, F64, Bits, Pairs

if TYPE_CHECKING:
    from torch import Tensor


def _mask_fill(x: Tensor, mask: Tensor, value: Tensor) -> None:
    if readable(x, mask, value) and not tracked(x, value):
        torch.where(mask, value, x, out=x)
    else:
        x.copy_(torch.where(mask, value, x))


def _mask_fill_pairs(x: Tensor, mask: Tensor, value: Tensor) -> None:
    _mask_fill(torch.view_as_real(x), mask.unsqueeze(-1), torch.view_as_real(value))


def _of_pairs(mask: Tensor, value: Tensor) -> tuple[Any, ...]:
    """Return the arguments of mask_fill for pairs; both numbers of a pair share one mask."""
    return mask.unsqueeze(-1), value


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


_ONE_BYTE: Final = frozenset({dt.uint8})
_MASKED_FILL: Final = "aclnnInplaceMaskedFillTensor"

ROWS: Final = (
    Row("index mask", F64, Bits(dt.int64), *slow("aclnnIndex")),
    Row("index mask", C64, Bits(dt.int64, Pairs()), *refused("aclnnIndex")),
    Row("index mask", C128, Pairs(), *refused("aclnnIndex")),
    Row("index_put", _ONE_BYTE, ViewAs(dt.int8), *slow("aclnnIndexPutImpl")),
    Row("index_put", F64, Bits(dt.int64), *slow("aclnnIndexPutImpl")),
    Row("copy_to", F64, Bits(dt.int64), *slow("aclnnInplaceCopy")),
    Row("index_put", C64, Bits(dt.int64, Pairs()), *refused("aclnnIndexPutImpl")),
    Row("copy_to", C64, Bits(dt.int64, Pairs()), *slow("aclnnInplaceCopy")),
    Row("index_put", C128, Pairs(), *refused("aclnnIndexPutImpl")),
    Row("copy_to", C128, Pairs(), *slow("aclnnInplaceCopy")),
    Row("mask_fill", _ONE_BYTE, ViewAs(dt.int8), *refused(_MASKED_FILL)),
    Row("mask_fill", {dt.int16}, Compose(_mask_fill), *refused(_MASKED_FILL)),
    Row("mask_fill", {dt.int64}, Compose(_mask_fill), *slow(_MASKED_FILL)),
    Row("mask_fill", F64, Bits(dt.int64, Compose(_mask_fill)), *refused(_MASKED_FILL)),
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
