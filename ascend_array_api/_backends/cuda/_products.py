"""A Triton kernel for products of matrices of integers, on GPUs.

Only the rows for CUDA import this module.
"""

from __future__ import annotations

import math
from typing import Final

import triton.language as tl

from ..._torch import Tensor, torch
from ._launch import BLOCK, Kernel


def _tile(  # type: ignore[no-untyped-def]
    left,
    right,
    out,
    rows: tl.int64,
    columns: tl.int64,
    inner: tl.int64,
    SIDE: tl.constexpr,  # noqa: N803
    BLOCK: tl.constexpr,  # noqa: ARG001, N803
):
    across = tl.cdiv(columns, SIDE)
    down = tl.cdiv(rows, SIDE)
    program = tl.program_id(0).to(tl.int64)
    matrix = program // (across * down)
    side = tl.arange(0, SIDE)
    row = program // across % down * SIDE + side
    column = program % across * SIDE + side
    is_row, is_column = row < rows, column < columns
    row_start = left + matrix * rows * inner + row[:, None] * inner
    column_start = right + matrix * inner * columns + column[None, :]
    wide = tl.int64 if out.dtype.element_ty == tl.int64 else tl.int32
    total = tl.zeros((SIDE, SIDE), dtype=wide)
    start = inner * 0
    while start < inner:
        along = start + side
        is_along = along < inner
        of_rows = tl.load(
            row_start + along[None, :], mask=is_row[:, None] & is_along[None, :], other=0
        )
        of_columns = tl.load(
            column_start + along[:, None] * columns,
            mask=is_along[:, None] & is_column[None, :],
            other=0,
        )
        products = of_rows.to(wide)[:, :, None] * of_columns.to(wide)[None, :, :]
        total += tl.sum(products, axis=1)
        start += SIDE
    place = matrix * rows * columns + row[:, None] * columns + column[None, :]
    tl.store(out + place, total.to(out.dtype.element_ty), mask=is_row[:, None] & is_column[None, :])


_TILE: Final = Kernel(_tile, warps=1)
_SIDE: Final = 16


def product(x1: Tensor, x2: Tensor) -> Tensor:
    """Return products of matrices of integers, modulo 2 to the number of bits.

    Shapes are as for ``torch.matmul``, and must fit.
    """
    left = x1.unsqueeze(0) if x1.dim() == 1 else x1
    right = x2.unsqueeze(1) if x2.dim() == 1 else x2
    stack = torch.broadcast_shapes(left.shape[:-2], right.shape[:-2])  # type: ignore[no-untyped-call]
    rows, inner, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    out = left.new_empty((*stack, rows, columns))
    if out.numel():
        tiles = math.prod(stack) * -(-rows // _SIDE) * -(-columns // _SIDE)
        operands = (
            left.expand(*stack, rows, inner).contiguous(),
            right.expand(*stack, inner, columns).contiguous(),
        )
        _TILE(tiles * BLOCK, (*operands, out), (rows, columns, inner), (_SIDE,))
    gone = [-2] * (x1.dim() == 1) + [-1] * (x2.dim() == 1)
    return out.squeeze(gone) if gone else out
