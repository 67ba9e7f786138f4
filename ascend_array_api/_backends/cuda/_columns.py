"""Triton kernels for reductions along an axis other than the last one, on GPUs.

Neighbours in memory then belong to different results, so each program takes a few columns, and many
of their rows at once.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import triton.language as tl

from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._launch import BLOCK, Kernel

# Elements are read as integers.  Those of real numbers become such that are in their order: zeros
# are one, and NaN comes last.


def _places(  # type: ignore[no-untyped-def]
    x,
    out,
    rows: tl.int64,
    columns: tl.int64,
    LEAST: tl.constexpr,  # noqa: N803
    SIZE: tl.constexpr,  # noqa: N803
    INFINITE: tl.constexpr,  # noqa: N803
    ROWS: tl.constexpr,  # noqa: N803
    COLUMNS: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: ARG001, N803
):
    across = tl.cdiv(columns, COLUMNS)
    program = tl.program_id(0).to(tl.int64)
    matrix = program // across
    column = program % across * COLUMNS + tl.arange(0, COLUMNS)
    is_column = column < columns
    wide: tl.constexpr = tl.int64 if x.dtype.element_ty == tl.int64 else tl.int32
    last: tl.constexpr = 0x7FFFFFFFFFFFFFFF if wide == tl.int64 else 0x7FFFFFFF
    nowhere: tl.constexpr = 0x7FFFFFFF
    best = tl.full((ROWS, COLUMNS), -last - 1, dtype=wide)
    place = tl.full((ROWS, COLUMNS), nowhere, dtype=tl.int32)
    start = tl.full((), 0, dtype=tl.int64)
    while start < rows:
        row = (start + tl.arange(0, ROWS))[:, None]
        there = (row < rows) & is_column[None, :]
        key = tl.load(x + (matrix * rows + row) * columns + column[None, :], mask=there, other=0)
        key = key.to(wide)
        if INFINITE:
            size = key & SIZE
            nan = size > INFINITE
            key = tl.where(key < 0, -size, size)
            if LEAST:
                key = -key
            key = tl.where(nan, last, key)
        elif LEAST:
            key = ~key
        # Later rows replace earlier ones only if they are greater, so the first of equals stays.
        better = there & ((key > best) | (place == nowhere))
        best = tl.where(better, key, best)
        place = tl.where(better, row.to(tl.int32), place)
        start += ROWS
    # An element that took none has the least key, and a place behind all others.
    top = tl.max(best, axis=0)
    first = tl.min(tl.where(best == top[None, :], place, nowhere), axis=0)
    tl.store(out + matrix * columns + column, first.to(tl.int64), mask=is_column)


def _truth(  # type: ignore[no-untyped-def]
    x,
    out,
    rows: tl.int64,
    columns: tl.int64,
    EVERY: tl.constexpr,  # noqa: N803
    SIZE: tl.constexpr,  # noqa: N803
    ROWS: tl.constexpr,  # noqa: N803
    COLUMNS: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: ARG001, N803
):
    across = tl.cdiv(columns, COLUMNS)
    program = tl.program_id(0).to(tl.int64)
    matrix = program // across
    column = program % across * COLUMNS + tl.arange(0, COLUMNS)
    is_column = column < columns
    seen = tl.zeros((ROWS, COLUMNS), dtype=tl.int32)  # of any a true one, of all a false one
    start = tl.full((), 0, dtype=tl.int64)
    while start < rows:
        row = (start + tl.arange(0, ROWS))[:, None]
        there = (row < rows) & is_column[None, :]
        bits = tl.load(x + (matrix * rows + row) * columns + column[None, :], mask=there, other=0)
        if SIZE:  # without the signs of zeros
            bits = bits & SIZE
        seen |= (there & ((bits == 0) if EVERY else (bits != 0))).to(tl.int32)
        start += ROWS
    found = tl.max(seen, axis=0) != 0
    if EVERY:
        found = ~found
    tl.store(out + matrix * columns + column, found, mask=is_column)


_PLACES: Final = Kernel(_places, bits=True, warps=8)
_TRUTH: Final = Kernel(_truth, bits=True, warps=8)

_TILE: Final = 4096
"""How many elements a program reads at once."""
_NARROW, _WIDE = 8, 32
"""The columns of a tile: narrow tiles give more programs, wide ones longer runs of memory."""
_PROGRAMS: Final = 256
"""The number of programs that keeps a GPU busy."""

# Sizes for which torch has too few threads to hide memory latency.  With shorter columns each of
# its threads waits only a few times, longer columns it splits, and with more columns it has enough
# threads.  On an H100, torch takes 1 to 3.4 times as long as these kernels for these sizes, and 0.1
# to 1 times as long for others.
ROWS_OF_PLACES: Final = range(512, 4097)
ROWS_OF_TRUTHS: Final = range(512, 1537)
_COLUMNS: Final = range(1000, (1 << 14) + 1)
_BYTES: Final = 40_000_000
"""The bytes that stay in the cache of a GPU; beyond, memory limits both ways alike."""

_SIZES: Final = {
    dt.float16: (0x7FFF, 0x7C00),
    dt.bfloat16: (0x7FFF, 0x7F80),
    dt.float32: (0x7FFFFFFF, 0x7F800000),
    dt.float64: (0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000),
    dt.complex64: (0x7FFFFFFF7FFFFFFF, 0),
}
"""All bits of a number except the sign, and the bits of infinity."""


def columns_of(x: Tensor, axes: Sequence[int], rows: range) -> tuple[int, int, int] | None:
    """Return how many matrices, rows and columns to reduce, or None if no kernel here should.

    Parameters
    ----------
    x : Tensor
        The tensor to reduce.
    axes : sequence of int
        The axes to reduce.  They are not negative; several must be neighbours in ascending order.
    rows : range
        The lengths of columns for which a kernel here is faster.
    """
    total, ndim = x.numel(), x.dim()
    first, end = axes[0], axes[-1] + 1
    if total * x.itemsize > _BYTES or end == ndim or not x.is_contiguous() or x.is_conj():
        return None
    shape = x.shape
    if len(axes) == 1:
        length = shape[first]
    elif tuple(axes) == tuple(range(first, end)):
        length = math.prod(shape[first:end])
    else:
        return None
    if length not in rows or total // length not in _COLUMNS:
        return None
    columns = shape[end] if end + 1 == ndim else math.prod(shape[end:])
    return total // (length * columns), length, columns


def _tiles(matrices: int, columns: int) -> tuple[int, int]:
    """Return the number of elements for the launch, and the columns of a tile."""
    tiles = matrices * -(-columns // _WIDE)
    if tiles >= _PROGRAMS:
        return tiles * BLOCK, _WIDE
    return matrices * -(-columns // _NARROW) * BLOCK, _NARROW


def place(x: Tensor, axis: int, sizes: tuple[int, int, int], *, least: bool) -> Tensor:
    """Return the position of the first greatest, or first least, element of each column.

    NaN counts as both, as in NumPy.
    """
    shape = list(x.shape)
    del shape[axis]
    matrices, rows, columns = sizes
    count, width = _tiles(matrices, columns)
    out = torch.empty(*shape, dtype=dt.int64, device=x.device)  # a tuple takes torch longer
    _PLACES(
        count,
        (x, out),
        (rows, columns),
        (least, *_SIZES.get(x.dtype, (0, 0)), _TILE // width, width),
    )
    return out


def truth(x: Tensor, axes: Sequence[int], sizes: tuple[int, int, int], *, every: bool) -> Tensor:
    """Say of each column whether any element is true, or whether all are."""
    shape = list(x.shape)
    del shape[axes[0] : axes[-1] + 1]
    matrices, rows, columns = sizes
    count, width = _tiles(matrices, columns)
    out = torch.empty(*shape, dtype=dt.bool, device=x.device)  # a tuple takes torch longer
    _TRUTH(
        count,
        (x, out),
        (rows, columns),
        (every, _SIZES.get(x.dtype, (0, 0))[0], _TILE // width, width),
    )
    return out
