"""Triton kernels for reading from and writing to positions, on GPUs.

They clamp positions, and write to a record, if given, whether any was out of bounds.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import math

import triton
import triton.language as tl

from ..._torch import Tensor, torch
from ._launch import Kernel
from ._noted import Flag

# Triton reads the source of this function, so it has no annotations but Triton's own.


@triton.jit  # type: ignore[untyped-decorator]
def _inside(positions, place, there, record, slot, size, NOTED: tl.constexpr):  # type: ignore[no-untyped-def]  # noqa: N803
    position = tl.load(positions + place, mask=there, other=0).to(tl.int64)
    outside = there & ((position < -size) | (position >= size))
    if NOTED:
        tl.store(record + slot + tl.zeros_like(place), 1, mask=outside)
    return tl.where(position < 0, position + size, position), outside


def _look_up(  # type: ignore[no-untyped-def]
    x,
    positions,
    out,
    record,
    slot: tl.int64,
    count: tl.int64,
    size: tl.int64,
    inner: tl.int64,
    total: tl.int64,
    NOTED: tl.constexpr,  # noqa: N803
    ROWS: tl.constexpr,  # noqa: N803
    ALONG: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    if ROWS:
        row = place // inner
        column = place % inner
        block = row // count
        row = row % count
    else:
        row = place
        column = 0
        block = 0
    at = place if ALONG else row  # along an axis each element has a position of its own
    position, _ = _inside(positions, at, there, record, slot, size, NOTED)
    position = tl.minimum(tl.maximum(position, 0), size - 1)
    value = tl.load(x + (block * size + position) * inner + column, mask=there, other=0)
    tl.store(out + place, value, mask=there)


def _look_up_points(  # type: ignore[no-untyped-def]
    x,
    rows,
    columns,
    out,
    record,
    other,
    slot: tl.int64,
    second: tl.int64,
    height: tl.int64,
    width: tl.int64,
    total: tl.int64,
    NOTED: tl.constexpr,  # noqa: N803
    ALSO: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    row, _ = _inside(rows, place, there, record, slot, height, NOTED)
    column, _ = _inside(columns, place, there, other, second, width, ALSO)
    row = tl.minimum(tl.maximum(row, 0), height - 1)
    column = tl.minimum(tl.maximum(column, 0), width - 1)
    value = tl.load(x + row * width + column, mask=there, other=0)
    tl.store(out + place, value, mask=there)


def _put(  # type: ignore[no-untyped-def]
    x,
    positions,
    values,
    record,
    slot: tl.int64,
    count: tl.int64,
    size: tl.int64,
    inner: tl.int64,
    total: tl.int64,
    NOTED: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: N803
):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = place < total
    row = place // inner
    position, outside = _inside(positions, row % count, there, record, slot, size, NOTED)
    value = tl.load(values + place, mask=there, other=0)
    target = (row // count * size + position) * inner + place % inner
    tl.store(x + target, value, mask=there & ~outside)


_LOOK_UP = Kernel(_look_up, bits=True)
_LOOK_UP_POINTS = Kernel(_look_up_points, bits=True)
_PUT = Kernel(_put, bits=True)


def _launch(
    kernel: Kernel,
    x: Tensor,
    positions: Tensor,
    other: Tensor,
    dim: int,
    count: int,
    flag: Flag | None,
    constants: tuple[bool, ...] = (),
) -> None:
    total, inner = other.numel(), 1 if dim + 1 == x.dim() else math.prod(x.shape[dim + 1 :])
    if not total:
        return
    record, slot = (positions, 0) if flag is None else flag
    if x.itemsize > 8:  # two words, side by side
        total, inner = total * 2, inner * 2
    kernel(
        total,
        (x, positions, other, record),
        (slot, count, x.shape[dim], inner, total),
        (flag is not None, *constants),
    )


def look_up(x: Tensor, positions: Tensor, dim: int, flag: Flag | None) -> Tensor:
    """Return the elements at positions along a dimension; the axes of positions replace it.

    ``x`` must be contiguous, and have elements in that dimension if there are positions.
    """
    positions = positions.contiguous()
    rows = x.dim() > 1 or x.itemsize > 8
    if x.dim() == 1:
        out = torch.empty_like(positions, dtype=x.dtype)  # to give a shape takes twice as long
    else:
        out = x.new_empty((*x.shape[:dim], *positions.shape, *x.shape[dim + 1 :]))
    _launch(_LOOK_UP, x, positions, out, dim, positions.numel(), flag, (rows, False))
    return out


def look_up_along(x: Tensor, positions: Tensor, dim: int, flag: Flag | None) -> Tensor:
    """Return the elements at positions along a dimension, as ``take_along_axis`` does.

    ``x`` must be contiguous with elements of at most 8 bytes, and shapes must be equal apart from
    the dimension.
    """
    positions = positions.contiguous()
    out = torch.empty_like(positions, dtype=x.dtype)
    _launch(_LOOK_UP, x, positions, out, dim, positions.shape[dim], flag, (True, True))
    return out


def look_up_points(x: Tensor, positions: list[Tensor], flags: list[Flag | None]) -> Tensor:
    """Return the elements of a matrix at points: rows and columns of one shape.

    ``x`` must be contiguous, with elements of at most 8 bytes.
    """
    rows, columns = positions
    rows, columns = rows.contiguous(), columns.contiguous()
    of_rows, of_columns = flags
    out = torch.empty_like(rows, dtype=x.dtype)
    total = out.numel()
    if not total:
        return out
    record, slot = of_rows or (rows, 0)
    other, second = of_columns or (rows, 0)
    _LOOK_UP_POINTS(
        total,
        (x, rows, columns, out, record, other),
        (slot, second, *x.shape, total),
        (of_rows is not None, of_columns is not None),
    )
    return out


def put(x: Tensor, positions: Tensor, values: Tensor, dim: int, flag: Flag | None) -> None:
    """Write values, which have the shape that indexing returns, to positions along a dimension.

    ``x`` must be contiguous.
    """
    values = values.contiguous()
    _launch(_PUT, x, positions.contiguous(), values, dim, positions.numel(), flag)
    torch.autograd.graph.increment_version(x)  # torch did not see this write
