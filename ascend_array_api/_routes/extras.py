"""The operations of functions beside the standard, and what torch's own functions for them lack."""

from __future__ import annotations

import functools
from typing import Final

from .._devices.device import spec_of
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import creation, movement
from . import elementwise as el
from . import reductions as red
from ._evidence import NO_UNSIGNED, Evidence
from ._operations import Op, register
from ._rows import AsSigned, Row, Via

# --- counting -------------------------------------------------------------------------------------


def _count_at(positions: Tensor, length: int) -> Tensor:
    return torch.bincount(positions, minlength=length)


def add_at(values: Tensor, positions: Tensor, length: int) -> Tensor:
    """Return, for each of ``length`` positions, the sum of the values that belong there."""
    spec = spec_of(values)
    zeros: Tensor = creation.zeros.on(spec)((length,), spec.dtype, spec.device.torch_device)
    return zeros.index_add(0, positions, values)


count_at: Final = Op("count_at", _count_at, frozenset({dt.int64}))
sum_at: Final = Op("sum_at", add_at, dt.REAL)

# --- convolution ----------------------------------------------------------------------------------


def convolve_in_pieces(x1: Tensor, x2: Tensor, *, piece: int) -> Tensor:
    """Convolve two vectors by their outer product, ``piece`` elements at a time.

    It multiplies only the pairs that the definition has, so an infinity or a NaN stays where it
    belongs.  Products of matrices and Fourier transforms would spread it, and round more.
    """
    spec = spec_of(x1)
    multiply, concat, add = (op.on(spec) for op in (el.multiply, movement.concat, red.sum))
    long, short = x1.shape[0], x2.shape[0]
    width = long + short - 1

    def zeros(*shape: int) -> Tensor:
        return creation.zeros.on(spec)(shape, spec.dtype, spec.device.torch_device)

    total: Tensor | None = None
    size = max(1, piece // (long + short))
    for start in range(0, short, size):
        rows = min(size, short - start)
        products = multiply(x2.narrow(0, start, rows).unsqueeze(1), x1.unsqueeze(0))
        # Reshaped to rows of one element less, each row moves one place to the right, so that sums
        # along columns are the anti-diagonal sums.
        padded = concat([products, zeros(rows, short)], 1).reshape(-1)
        shifted = padded.narrow(0, 0, rows * width).reshape(rows, width)
        part = add(shifted, (0,))
        if start:
            part = concat([zeros(start), part.narrow(0, 0, width - start)], 0)
        total = part if total is None else el.add.on(spec)(total, part)
    assert total is not None
    return total


_IN_CACHE: Final = 2**16
"""This many products of two elements fit in a cache of any common CPU."""

convolve: Final = Op("convolve", functools.partial(convolve_in_pieces, piece=_IN_CACHE), dt.NUMERIC)

# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.11 to 2.13, CPU and CUDA")

register(
    [
        Row("sum_at", {dt.uint64}, AsSigned(), NO_UNSIGNED, _SEEN),
        Row(
            "sum_at",
            dt.HALF | {dt.float32},
            Via(dt.float64),
            "one by one, sums of 1 in float32 end at 2**24",
            _SEEN,
        ),
        Row("convolve", dt.HALF, Via(dt.float32), "the products overflow", _SEEN),
    ]
)
