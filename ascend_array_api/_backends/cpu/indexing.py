"""Indexing on the CPU."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..._routes import indexing
from ..._routes._derivatives import batched, readable, tracked
from ..._routes._dimensions import other_axes
from ..._routes._evidence import Evidence
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import differentiating, innermost
from ..._torch.tracing import traced_as
from ._numpy import FEW, few_threads, many, many_and_plain


def _traced_check(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> int:  # noqa: ARG001
    return -1  # there are no values yet, and torch checks what it can


@traced_as(_traced_check)
def _check_positions(x: Tensor, indices: list[Tensor], dims: tuple[int, ...]) -> int:
    """Raise if a position is out of bounds; return the least position, or -1 if it is unknown."""
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


def _traced_known(indices: list[Tensor]) -> None:
    """Return None: there are no values yet."""


@traced_as(_traced_known)
def _known(indices: list[Tensor]) -> list[Tensor] | None:
    """Return positions as they are without ``torch.func``; None if ``vmap`` has others for each."""
    inner = [innermost(index) for index in indices]
    alike = all(i.shape == index.shape for i, index in zip(inner, indices))
    return inner if alike and readable(*inner) else None


def _index_put(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    """Write in the order of the positions, so that the last write to a repeated position stays.

    Torch writes in the order that suits memory, and in several threads.
    """
    known = _known(indices)
    least = _check_positions(x, known or indices, dims)
    if known is not None and value.dtype is x.dtype and tracked(x, value):
        _put_last(x, known, value, dims)
    elif value.dtype is not x.dtype or not readable(x, value, *indices):
        indexing.index_put.native(x, indices, value, dims)
    elif least >= 0 and x.dim() == 1 and many(indices[0]) and value.shape == indices[0].shape:
        x.scatter_(0, indices[0].reshape(-1), value.reshape(-1))  # in one thread, along the axis
    else:
        parts = indexing.key(dims, indices)
        key = tuple(p.numpy() if isinstance(p, torch.Tensor) else p for p in parts)
        torch.autograd.graph.increment_version(x)  # backward() checks whether x was written to
        _seen_by_numpy(x)[key] = _seen_by_numpy(value)


def _seen_by_numpy(x: Tensor) -> Any:
    if x.dtype is dt.bfloat16:
        x = x.view(dt.int16)
    return x.detach().resolve_conj().resolve_neg().numpy()


def _read(index: Tensor) -> Any:
    """Return positions; within ``torch.func``, which gives no memory away, by their values."""
    if not differentiating():
        return index.numpy()
    return np.array(index.tolist(), np.int64).reshape(index.shape)


def _put_last(x: Tensor, indices: list[Tensor], value: Tensor, dims: tuple[int, ...]) -> None:
    """Write only the values that stay, so that only these have derivatives."""
    positions = [
        np.where(p < 0, p + x.shape[d], p)
        for p, d in zip(np.broadcast_arrays(*map(_read, indices)), dims)
    ]
    places = np.ravel_multi_index([p.reshape(-1) for p in positions], [x.shape[d] for d in dims])
    _, before_end = np.unique(places[::-1], return_index=True)
    if before_end.size == places.size:
        indexing.index_put.native(x, indices, value, dims)
        return
    last = torch.from_numpy(places.size - 1 - before_end)
    shape, axes = positions[0].shape, tuple(range(len(dims)))
    rest = [x.shape[d] for d in other_axes(x.dim(), dims)]
    # The axes of the positions are where those of x are, if these are next to each other.
    first = dims[0] if dims[-1] - dims[0] < len(dims) else 0
    given = value.expand(*rest[:first], *shape, *rest[first:])
    given = given.movedim([first + n for n in range(len(shape))], [*range(len(shape))])
    given = given.reshape(places.size, *rest)[last]
    found = [torch.from_numpy(p.reshape(-1))[last] for p in positions]
    indexing.index_put.native(x.movedim(dims, axes), found, given, axes)


def _roll_several(x: Tensor, shifts: tuple[int, ...], axes: tuple[int, ...]) -> Tensor:
    """Roll along several axes by copying blocks, if blocks are long enough for several calls."""
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
"""The greatest number of axes: three axes make eight blocks, each further one twice as many."""

_BLOCKS: Final = 1 << 20
"""The number of bytes that have left the nearest caches when torch rolls the next axis."""


def _traced_fetches_many(x: Tensor, index: Tensor, dim: int) -> bool:  # noqa: ARG001
    return False


@traced_as(_traced_fetches_many)
def _fetches_many(x: Tensor, index: Tensor, dim: int) -> bool:
    """Say whether positions can be read, and enough elements are fetched to make NumPy pay."""
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
    return x[indexing.key(dims, indices)]


ROWS: Final = (
    Row(
        "index sorted_by take",
        dt.ANY - dt.WIDE_UNSIGNED,
        Compose(_index),
        "positions of one dimension, none of them negative, have a kernel of their own",
        Evidence("torch 2.13, CPU", "time"),
    ),
    Row(
        "index_put",
        dt.ANY - dt.WIDE_UNSIGNED,  # which are read as signed ones
        Compose(_index_put),
        "torch raises for a position that is out of bounds after it has written a part, and of "
        "values for one position leaves any",
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
