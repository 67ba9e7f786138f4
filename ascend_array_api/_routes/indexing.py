"""The operations of indexing, and what torch's own functions for them lack or get wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final

from .._devices.device import spec_of
from .._reports.late_errors import NONE, Doubt
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._derivatives import batched, judged
from ._evidence import NO_UNSIGNED, Evidence
from ._kernels import Kernel
from ._operations import Op, cast, register
from ._rows import AsSigned, Row
from .elementwise import where


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


def _bounded(positions: Tensor, size: int) -> Tensor:
    return torch.clamp(positions, -size, size - 1)


def doubted(positions: Tensor, size: int, doubt: Doubt | None) -> None:
    """Hand a doubt the extremes of positions, by which it tells later whether all are in bounds."""
    if doubt is not None and positions.numel() and judged(positions):
        found = extremes.on(spec_of(positions))(positions)
        doubt.found(found, lambda low, high: low < -size or high >= size)


def _noted_bounds(positions: Tensor, size: int, doubt: Doubt) -> Tensor:
    doubted(positions, size, doubt)
    allowed: Tensor = bounded.on(spec_of(positions))(positions, size)
    return allowed


def inside(positions: Tensor, size: int, doubt: Doubt | None) -> Tensor:
    """Return positions clamped to the bounds, and hand the original ones to a doubt.

    The host does not wait for the check, so the kernel must be safe with any positions.
    """
    positions = cast(positions, dt.int64)
    spec = spec_of(positions)
    if doubt is None:
        allowed: Tensor = bounded.on(spec)(positions, size)
    else:
        allowed = noted_bounds.on(spec)(positions, size, doubt)
    return allowed


def looked_up(find: Kernel, x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    """Look up clamped positions along a dimension by the given kernel of ``index``."""
    allowed = inside(positions, x.shape[dim], doubt)
    # Torch would wait for the value of a 0-dimensional index, and treat it as an integer.
    single = allowed.dim() == 0
    found: Tensor = find(x, [allowed.reshape(1) if single else allowed], (dim,))
    return found.squeeze(dim) if single else found


def _look_up(x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    return looked_up(index.on(spec_of(x)), x, positions, dim, doubt)


def _look_up_points(x: Tensor, positions: list[Tensor], doubts: list[Doubt | None]) -> Tensor:
    """Return the elements at points, given by one tensor of positions and one doubt per axis."""
    allowed: dict[tuple[int, int], Tensor] = {}
    for each, size, doubt in zip(positions, x.shape, doubts):
        if (id(each), size) not in allowed:
            inner = cast(each, dt.int64) if doubt is NONE else inside(each, size, doubt)
            allowed[id(each), size] = inner
    indices = [allowed[id(each), size] for each, size in zip(positions, x.shape)]
    found: Tensor = index.on(spec_of(x))(x, indices, tuple(range(len(indices))))
    return found


def _look_up_along(x: Tensor, positions: Tensor, dim: int, doubt: Doubt | None) -> Tensor:
    """Return the elements at positions along a dimension, as ``take_along_axis`` does."""
    allowed = inside(positions, x.shape[dim], doubt)
    found: Tensor = take_along_axis.on(spec_of(x))(x, allowed, dim=dim)
    return found


def _put_inside(
    x: Tensor,
    indices: list[Tensor],
    value: Tensor,
    dims: tuple[int, ...],
    doubt: Doubt | None = None,
) -> None:
    """Write if all positions are in bounds, else change nothing; report to a doubt.

    A clamped position would compete with the proper write to the same element, and either may be
    the last.  So if any position is wrong, the kernel writes back the present elements.
    """
    spec = spec_of(x)
    allowed = [bounded.on(spec.of(dt.int64))(i, x.shape[d]) for i, d in zip(indices, dims)]
    outside = functools.reduce(torch.logical_or, (torch.ne(i, a) for i, a in zip(indices, allowed)))
    if not outside.numel():
        return
    wrong = torch.any(outside)
    if doubt is not None and judged(wrong):
        doubt.found((wrong,), bool)
    values = where.on(spec)(wrong, index.on(spec)(x, allowed, dims=dims), value)
    index_put.on(spec)(x, allowed, values, dims=dims)


def _nonzero(mask: Tensor) -> tuple[Tensor, ...]:
    return torch.nonzero(mask, as_tuple=True)


bounded: Final = Op("bounded", _bounded, frozenset({dt.int64}))
noted_bounds: Final = Op("noted_bounds", _noted_bounds, frozenset({dt.int64}))
extremes: Final = Op("extremes", torch.aminmax, frozenset({dt.int64}), returns="other")
put_inside: Final = Op("put_inside", _put_inside, dt.ANY, returns="other")
look_up: Final = Op("look_up", _look_up, dt.ANY)
look_up_points: Final = Op("look_up_points", _look_up_points, dt.ANY)
look_up_along: Final = Op("look_up_along", _look_up_along, dt.ANY)
index: Final = Op("index", _index, dt.ANY)
index_put: Final = Op("index_put", _index_put, dt.ANY, returns="other")
mask: Final = Op("mask", _mask, dt.ANY)
mask_fill: Final = Op("mask_fill", _mask_fill, dt.ANY, returns="other", scalars=True)
mask_nonzero: Final = Op("mask_nonzero", _nonzero, dt.BOOLEAN, returns="other")
copy_to: Final = Op("copy_to", _copy_to, dt.ANY, returns="other")
take_along_axis: Final = Op("take_along_axis", _take_along_axis, dt.ANY)

register(
    [
        Row(
            "index index_put mask mask_fill take_along_axis",
            dt.WIDE_UNSIGNED,
            AsSigned(),
            NO_UNSIGNED,
            Evidence("torch 2.11 to 2.13, CPU and CUDA"),
        )
    ]
)
