"""The operations of indexing, and what torch's own functions for them lack or get wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._derivatives import batched
from ._evidence import NO_UNSIGNED, Evidence
from ._operations import Op, register
from ._rows import AsSigned, Row
from .judging import positions, positions_along, written


def key(dims: tuple[int, ...], indices: list[Tensor]) -> tuple[slice | Tensor, ...]:
    """Return an index tuple with integer tensors in some dimensions and full slices elsewhere."""
    if len(dims) == dims[-1] + 1:
        return tuple(indices)
    parts: list[slice | Tensor] = [slice(None)] * (dims[-1] + 1)
    for dim, index in zip(dims, indices):
        parts[dim] = index
    return tuple(parts)


def _index(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> Tensor:
    return x[key(dims, indices)]


def _index_put(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    x[key(dims, indices)] = value


def _mask(x: Tensor, mask: Tensor) -> Tensor:
    return x[mask]


def _mask_fill(x: Tensor, mask: Tensor, value: Tensor | complex) -> None:
    tensors = (x, mask, value) if isinstance(value, torch.Tensor) else (x, mask)
    if batched(*tensors):
        x.copy_(torch.where(mask, value, x))
    else:
        x.masked_fill_(mask, value)


def _copy_to(x: Tensor, value: Tensor) -> None:
    x.copy_(value)


def _take_along_axis(x: Tensor, indices: Tensor, dim: int) -> Tensor:
    # Not torch.take_along_dim(), which wraps positions that are out of bounds.
    return gather(x, torch.where(indices < 0, indices + x.shape[dim], indices), dim)


def gather(
    x: Tensor,
    indices: Tensor,
    dim: int,
    kernel: Callable[[Tensor, int, Tensor], Tensor] = torch.gather,
) -> Tensor:
    """Look up positions along a dimension; the other dimensions are broadcast."""
    shapes = [[*t.shape[:dim], 1, *t.shape[dim + 1 :]] for t in (x, indices)]
    if shapes[0] == shapes[1]:
        return kernel(x, dim, indices)
    common = [*torch.broadcast_shapes(*shapes)]  # type: ignore[no-untyped-call]
    common[dim] = -1
    return kernel(x.expand(common), dim, indices.expand(common))


def _nonzero(mask: Tensor) -> tuple[Tensor, ...]:
    return torch.nonzero(mask, as_tuple=True)


index: Final = Op("index", _index, dt.ANY, judge=positions, moves=True)
index_put: Final = Op("index_put", _index_put, dt.ANY, returns="other", judge=written, moves=True)
sorted_by: Final = Op("sorted_by", _index, dt.ANY, judge=positions, moves=True)
take: Final = Op("take", _index, dt.ANY, judge=positions, moves=True)
mask: Final = Op("mask", _mask, dt.ANY, moves=True)
mask_fill: Final = Op("mask_fill", _mask_fill, dt.ANY, returns="other", scalars=True, moves=True)
mask_nonzero: Final = Op("mask_nonzero", _nonzero, dt.BOOLEAN, returns="other")
copy_to: Final = Op("copy_to", _copy_to, dt.ANY, returns="other")
take_along_axis: Final = Op(
    "take_along_axis", _take_along_axis, dt.ANY, judge=positions_along, moves=True
)

register(
    [
        Row(
            "index index_put mask mask_fill sorted_by take take_along_axis",
            dt.WIDE_UNSIGNED,
            AsSigned(),
            NO_UNSIGNED,
            Evidence("torch 2.11 to 2.13, CPU and CUDA"),
        )
    ]
)
