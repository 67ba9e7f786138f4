"""Indexing on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ... import _dtypes as dt
from ..._routes import indexing
from ..._routes._derivatives import batched, readable, tracked
from ..._routes._engine import Compose, Row
from ..._routes._evidence import Evidence
from ..._torch import torch
from ..._tracing import traced_as
from ._numpy import FEW, few_threads, many, many_and_plain

if TYPE_CHECKING:
    from torch import Tensor


def _traced_check(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> int:  # noqa: ARG001
    return -1  # there are no values yet, and torch checks what it can


@traced_as(_traced_check)
def _check_positions(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> int:
    """Return the least position that there is, -1 where none is known."""
    all_least = []
    for dim, index in zip(dims, indices):
        size = x.shape[dim]
        if batched(index) or not index.numel():  # the values of the first are not to be had
            all_least.append(-1)
            continue
        least, greatest = map(int, torch.aminmax(index))
        if least < -size or greatest >= size:
            raise IndexError(f"positions reach from {least} to {greatest}")
        all_least.append(least)
    return min(all_least)


def _index_put(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    least = _check_positions(x, indices, dims)
    if least >= 0 and x.dim() == 1 and many(indices[0]) and few_threads():
        (index,) = indices
        alike = index.dim() == 1 and value.shape == index.shape and value.dtype is x.dtype
        if alike and readable(x, value) and not tracked(x, value):
            x.scatter_(0, index, value)
            return
    indexing.index_put.native(x, indices, value, dims)


def _roll_several(x: Tensor, shifts: tuple[int, ...], axes: tuple[int, ...]) -> Tensor:
    """Copy what stays together block by block, where that is long enough for several calls."""
    if not (many_and_plain(x) and x.nbytes >= _BLOCKS and len(set(axes)) == len(axes) <= _AXES):
        return torch.roll(x, shifts, axes)
    out = torch.empty_like(x, memory_format=torch.contiguous_format)
    blocks = [(out, x)]
    for shift, axis in zip(shifts, axes):
        last = shift % x.shape[axis]
        first = x.shape[axis] - last
        blocks = [
            (target.narrow(axis, start, size), source.narrow(axis, place, size))
            for target, source in blocks
            for start, place, size in ((last, 0, first), (0, first, last))
            if size
        ]
    for target, source in blocks:
        target.copy_(source)
    return out


_AXES: Final = 3
"""Along so many axes eight blocks move, along each more twice as many."""

_BLOCKS: Final = 1 << 20
"""So many bytes are no longer in the nearest caches when torch rolls them along the next axis."""


def _traced_fetches_many(x: Tensor, index: Tensor, dim: int) -> bool:  # noqa: ARG001
    return False


@traced_as(_traced_fetches_many)
def _fetches_many(x: Tensor, index: Tensor, dim: int) -> bool:
    """Say whether the positions may be seen, and so many elements are fetched that it pays."""
    if not (type(index) is torch.Tensor and x.numel() > FEW and readable(x, index)):
        return many(index) and readable(x)
    return index.numel() * (x.numel() // x.shape[dim]) > FEW


def _index(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> Tensor:
    if (
        len(indices) == 1
        and _fetches_many(x, indices[0], dims[0])
        and (x.dim() > 1 or few_threads())  # which fetches single elements in one thread
    ):
        (index,), (dim,) = indices, dims
        least, greatest = map(int, torch.aminmax(index))
        if least >= 0 and greatest < x.shape[dim]:
            plain = index.dtype is dt.int64 and not tracked(x)
            if x.dim() == 2 and dim and index.dim() == 1 and plain:
                # Row by row: a copy of one column after the other takes their cache lines again.
                return torch.gather(x, 1, index.expand(len(x), -1))
            found = torch.index_select(x, dim, index.reshape(-1))
            return found.view(*x.shape[:dim], *index.shape, *x.shape[dim + 1 :])
    result: Tensor = indexing.index.native(x, indices, dims)
    return result


ROWS: Final = (
    Row(
        "index",
        dt.ANY - dt.WIDE_UNSIGNED,
        Compose(_index),
        "positions of one dimension, none of them negative, have a kernel of their own",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row(
        "index_put",
        dt.ANY - dt.WIDE_UNSIGNED,  # which are read as signed ones
        Compose(_index_put),
        "torch raises for a position that is out of bounds after it has written a part; in one "
        "dimension it has a faster kernel",
        Evidence("torch 2.11 to 2.13, CPU"),
    ),
    Row(
        "roll_several",
        dt.ANY - dt.WIDE_UNSIGNED,
        Compose(_roll_several),
        "torch makes a tensor of the result's size for each axis",
        Evidence("torch 2.13, CPU", "time"),
    ),
)
