"""Reductions along an axis that is not the last one on GPUs, and nowhere else, as one kernel.

Neighbours in memory belong to different results then: each program takes a few columns, and many of
their rows at once.  Of many rows and few columns it takes a part, and the same kernel puts the
parts together.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import triton.language as tl

from ... import _dtypes as dt
from ..._torch import torch
from ._launch import BLOCK, Kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


# Elements are read as integers.  Those of real numbers become such that are in their order: zeros
# are one, and NaN comes last.


def _places(  # type: ignore[no-untyped-def]
    x,
    given,
    out,
    rows: tl.int64,
    columns: tl.int64,
    taken: tl.int64,
    part: tl.int64,
    parts: tl.int64,
    GIVEN: tl.constexpr,  # noqa: N803
    LEAST: tl.constexpr,  # noqa: N803
    SIZE: tl.constexpr,  # noqa: N803
    INFINITE: tl.constexpr,  # noqa: N803
    ROWS: tl.constexpr,  # noqa: N803
    COLUMNS: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: ARG001, N803
):
    across = tl.cdiv(columns, COLUMNS)
    program = tl.program_id(0).to(tl.int64)
    matrix = program // across // parts
    which = program // across % parts
    column = program % across * COLUMNS + tl.arange(0, COLUMNS)
    is_column = column < columns
    start = which * part
    stop = tl.minimum(start + part, taken)
    wide: tl.constexpr = tl.int64 if x.dtype.element_ty == tl.int64 else tl.int32
    last: tl.constexpr = 0x7FFFFFFFFFFFFFFF if wide == tl.int64 else 0x7FFFFFFF
    nowhere: tl.constexpr = 0x7FFFFFFF
    best = tl.full((ROWS, COLUMNS), -last - 1, dtype=wide)
    place = tl.full((ROWS, COLUMNS), nowhere, dtype=tl.int32)
    while start < stop:
        step = start + tl.arange(0, ROWS)
        there = (step < stop)[:, None] & is_column[None, :]
        if GIVEN:  # the places of the best ones of parts
            found = (matrix * taken + step)[:, None] * columns + column[None, :]
            row = tl.load(given + found, mask=there, other=0)
        else:
            row = step[:, None]
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
        # Rows are ahead of those before, so that of equal ones the first stays.
        better = there & ((key > best) | (place == nowhere))
        best = tl.where(better, key, best)
        place = tl.where(better, row.to(tl.int32), place)
        start += ROWS
    # An element that took none has the least key, and a place behind all others.
    top = tl.max(best, axis=0)
    first = tl.min(tl.where(best == top[None, :], place, nowhere), axis=0)
    tl.store(out + (matrix * parts + which) * columns + column, first.to(tl.int64), mask=is_column)


def _truth(  # type: ignore[no-untyped-def]
    x,
    out,
    rows: tl.int64,
    columns: tl.int64,
    part: tl.int64,
    parts: tl.int64,
    EVERY: tl.constexpr,  # noqa: N803
    SIZE: tl.constexpr,  # noqa: N803
    ROWS: tl.constexpr,  # noqa: N803
    COLUMNS: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: ARG001, N803
):
    across = tl.cdiv(columns, COLUMNS)
    program = tl.program_id(0).to(tl.int64)
    matrix = program // across // parts
    which = program // across % parts
    column = program % across * COLUMNS + tl.arange(0, COLUMNS)
    is_column = column < columns
    start = which * part
    stop = tl.minimum(start + part, rows)
    seen = tl.zeros((ROWS, COLUMNS), dtype=tl.int32)  # of any a true one, of all a false one
    while start < stop:
        row = start + tl.arange(0, ROWS)
        there = (row < stop)[:, None] & is_column[None, :]
        bits = tl.load(
            x + (matrix * rows + row)[:, None] * columns + column[None, :], mask=there, other=0
        )
        if SIZE:  # without the signs of zeros
            bits = bits & SIZE
        seen |= (there & ((bits == 0) if EVERY else (bits != 0))).to(tl.int32)
        start += ROWS
    found = tl.max(seen, axis=0) != 0
    if EVERY:
        found = ~found
    tl.store(out + (matrix * parts + which) * columns + column, found, mask=is_column)


_PLACES: Final = Kernel(_places, bits=True, warps=8)
_TRUTH: Final = Kernel(_truth, bits=True, warps=8)

_TILE: Final = 4096
"""The elements that a program reads at once."""
_NARROW, _WIDE = 8, 32
"""The columns of a tile: few have enough programs, many have each read longer runs."""
_PROGRAMS: Final = 256
"""So many programs, or more, keep a GPU busy."""
_FEWEST: Final = 64
"""With fewer rows most of a tile would be empty."""
_FEW: Final = 1 << 15
"""With fewer elements it is the host that takes the time, and torch's launch takes less of it."""

_SIZES: Final = {
    dt.float16: (0x7FFF, 0x7C00),
    dt.bfloat16: (0x7FFF, 0x7F80),
    dt.float32: (0x7FFFFFFF, 0x7F800000),
    dt.float64: (0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000),
    dt.complex64: (0x7FFFFFFF7FFFFFFF, 0),
}
"""The bits of a number other than its sign, and of these those that infinity has."""


def columns_of(x: Tensor, axes: Sequence[int]) -> tuple[int, int, int] | None:
    """Return how many matrices, rows and columns to reduce; None for what is not for a kernel here.

    The axes are not negative; several have to be neighbours, in ascending order.
    """
    total, ndim = x.numel(), x.dim()
    first, end = axes[0], axes[-1] + 1
    if total < _FEW or end == ndim or not x.is_contiguous() or x.is_conj():
        return None
    shape = x.shape
    if len(axes) == 1:
        rows = shape[first]
    elif tuple(axes) == tuple(range(first, end)):
        rows = math.prod(shape[first:end])
    else:
        return None
    columns = shape[end] if end + 1 == ndim else math.prod(shape[end:])
    if not _FEWEST <= rows < 1 << 31 or columns < 2:
        return None
    return total // (rows * columns), rows, columns


def _tiles(matrices: int, rows: int, columns: int) -> tuple[int, int, int, int]:
    """Return the columns of a tile, the rows of a part, the parts, and the programs."""
    width = _WIDE if matrices * -(-columns // _WIDE) >= _PROGRAMS else _NARROW
    tiles = matrices * -(-columns // width)
    height = _TILE // width
    part, parts = rows, 1
    if tiles * 4 <= _PROGRAMS and rows > 4 * height:
        part = -(-rows * tiles // _PROGRAMS // height) * height
        parts = -(-rows // part)
    return width, part, parts, tiles * parts


def place(x: Tensor, axis: int, sizes: tuple[int, int, int], *, least: bool) -> Tensor:
    """Return the place of the first greatest element of each column, or of the first least one.

    NaN, as in NumPy, is both.
    """
    device, shape = x.device, list(x.shape)
    del shape[axis]
    matrices, rows, columns = sizes
    given, taken = None, rows
    while True:
        width, part, parts, programs = _tiles(matrices, taken, columns)
        shown = shape if parts == 1 else (matrices, parts, columns)
        out = torch.empty(*shown, dtype=dt.int64, device=device)  # a tuple takes torch longer
        _PLACES(
            programs * BLOCK,
            (x, out if given is None else given, out),
            (rows, columns, taken, part, parts),
            (given is not None, least, *_SIZES.get(x.dtype, (0, 0)), _TILE // width, width),
        )
        if parts == 1:
            return out
        given, taken = out, parts


def truth(x: Tensor, axes: Sequence[int], sizes: tuple[int, int, int], *, every: bool) -> Tensor:
    """Say of each column whether any element is true, or whether all are."""
    device, shape = x.device, list(x.shape)
    del shape[axes[0] : axes[-1] + 1]
    matrices, rows, columns = sizes
    while True:
        width, part, parts, programs = _tiles(matrices, rows, columns)
        shown = shape if parts == 1 else (matrices, parts, columns)
        out = torch.empty(*shown, dtype=dt.bool, device=device)  # a tuple takes torch longer
        _TRUTH(
            programs * BLOCK,
            (x, out),
            (rows, columns, part, parts),
            (every, _SIZES.get(x.dtype, (0, 0))[0], _TILE // width, width),
        )
        if parts == 1:
            return out
        x, rows = out, parts
