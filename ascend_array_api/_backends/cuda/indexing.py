"""Indexing on GPUs."""

from __future__ import annotations

from typing import Final

from ..._routes import indexing
from ..._routes._derivatives import batched, plain, readable, tracked
from ..._routes._operations import cast
from ..._routes._rows import Compose, Flagged, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import slow, slow_beside_triton
from ._late import late
from ._noted import MOST_AXES, Flag, bounds, places

_look_up_along: Final = late("_positions", "look_up_along")
_look_up_rows: Final = late("_positions", "look_up_points")
_put: Final = late("_positions", "put")


def _index(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> Tensor:
    """Look up positions of a vector by ``torch.take``, which counts from the end too."""
    if x.dim() == 1 and plain(x):
        return torch.take(x, indices[0])
    return indexing.index.native(x, indices, dims)


def _mask_fill(x: Tensor, mask: Tensor, value: Tensor | complex) -> None:
    if not isinstance(value, torch.Tensor) or batched(x, mask, value):
        indexing.mask_fill.native(x, mask, value)
        return
    if tracked(x, value):
        x.copy_(torch.where(mask, value, x))
    else:
        torch.where(mask, value, x, out=x)


def _takes_bounds(positions: Tensor, _: int) -> bool:
    return readable(positions)


def _takes_positions(x: Tensor, positions: Tensor, _: int) -> bool:
    # If there is nothing to compute, positions may still be out of bounds.
    some = x.numel() and positions.numel()
    return bool(some) and x.is_contiguous() and plain(x, positions)


def _takes_points(x: Tensor, positions: list[Tensor]) -> bool:
    # torch's own kernels take few axes, and no wide unsigned integers.
    others = x.dim() > MOST_AXES or x.dtype in dt.WIDE_UNSIGNED
    return plain(x, *positions) and (not others or _is_matrix(x))


def _is_matrix(x: Tensor) -> bool:
    return x.dim() == 2 and x.is_contiguous()


def _look_up_points(x: Tensor, positions: list[Tensor], flags: list[Flag | None]) -> Tensor:
    if _is_matrix(x):
        return _look_up_rows(x, positions, flags)
    whole = [cast(each, dt.int64) for each in positions]
    return torch.take(x, places(whole, x.shape, flags))


def _is_plain_along(x: Tensor, positions: Tensor, dim: int) -> bool:
    """Say whether the kernel for ``take_along_axis`` takes the tensors."""
    mine, others = x.shape, positions.shape
    if mine != others:
        for d, (m, n) in enumerate(zip(mine, others)):
            if m != n and d != dim:
                return False
    return x.is_contiguous() and plain(x, positions)


def _takes_along(x: Tensor, positions: Tensor, dim: int) -> bool:
    return _takes_positions(x, positions, dim) and _is_plain_along(x, positions, dim)


def _take_along_axis(x: Tensor, indices: Tensor, dim: int) -> Tensor:
    if not _is_plain_along(x, indices, dim):
        return indexing.take_along_axis.native(x, indices, dim)
    return _look_up_along(x, indices, dim, None)


def _takes_values(x: Tensor, indices: list[Tensor], value: Tensor, _: tuple[int, ...]) -> bool:
    some = len(indices) == 1 and value.numel()
    return bool(some) and x.is_contiguous() and plain(x, value, indices[0])


def _put_inside(
    x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...], flag: Flag | None
) -> None:
    _put(x, indices[0], value, dims[0], flag)


_SMALL: Final = dt.ANY - {dt.complex128}
_OWN: Final = dt.ANY - dt.WIDE_UNSIGNED
_ONE: Final = slow_beside_triton(
    "positions are judged, kept in bounds and read from by a kernel each, where one does all"
)
_FROM_END: Final = slow_beside_triton(
    "positions from the end take a kernel of their own, where one does all"
)
_WRITTEN: Final = slow_beside_triton("a dozen kernels, each from memory to memory, where one does")
_INDEX: Final = slow("torch prepares an index for each axis, where one look-up is all")
_JUDGED: Final = slow(
    "positions are judged and kept in bounds by a kernel each, where one does both"
)
_WAITS: Final = slow(
    "torch reads the value on the host, and so waits for the device", "aten::masked_fill_"
)

ROWS: Final = (
    Row("index sorted_by take", _OWN, Compose(_index), *_INDEX),
    Row("look_up", dt.ANY, Flagged(late("_positions", "look_up"), _takes_positions), *_ONE),
    Row("look_up_points", _SMALL, Flagged(_look_up_points, _takes_points), *_ONE),
    Row("look_up_along", _SMALL, Flagged(_look_up_along, _takes_along), *_ONE),
    Row("take_along_axis", _SMALL, Compose(_take_along_axis), *_FROM_END),
    Row("noted_bounds", {dt.int64}, Flagged(bounds, _takes_bounds), *_JUDGED),
    Row("put_inside", dt.ANY, Flagged(_put_inside, _takes_values), *_WRITTEN),
    Row("mask_fill", _OWN, Compose(_mask_fill), *_WAITS),
)
