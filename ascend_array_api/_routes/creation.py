"""The operations that create arrays, and what torch's own functions for them lack or get wrong."""

from __future__ import annotations

import math
from typing import Any, Final

from .._devices.device import spec_at
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.tracing import traced_as
from ._evidence import NO_UNSIGNED, Evidence
from ._operations import Op, cast, register
from ._rows import AsSigned, Compose, Row

# The kernels of these operations take the data type and device of the result.


_FLOAT32: Final = torch.finfo(dt.float32).max


def _arange(
    start: float, step: float, length: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    stop = start + length * step if dtype in dt.INTEGER else start + (length - 0.5) * step
    if dtype in dt.HALF and max(abs(start), abs(step), abs(stop)) > _FLOAT32:
        # Torch computes half precision in float32, which does not hold such ends exactly.
        return cast(_arange(start, step, length, dt.float64, device), dtype)
    low, high = dt.LIMITS.get(dtype, (-math.inf, math.inf))
    # Torch adds the step to the distance in 64 bits, which may overflow, and takes no step of 0.
    counts = dtype not in dt.INTEGER or 0 != abs(step) < 2**63 - abs(length * step)
    if length and low <= stop <= high and counts:
        result = torch.arange(start, stop, step, dtype=dtype, device=device)
        if result.numel() == length:
            return result
    positions = torch.arange(length, dtype=dtype, device=device)
    return positions * step + start


def _arange_unsigned(
    start: int, step: int, length: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Count in int64 and keep the low bits: all integer types agree modulo a power of two."""
    first, apart = (v - 2**64 if v >= 2**63 else v for v in (start % 2**64, step % 2**64))
    counted = _arange(first, apart, length, dt.int64, device)
    return counted.view(dtype) if dtype is dt.uint64 else cast(counted, dtype)


def _full(
    shape: tuple[int, ...], value: complex, dtype: torch.dtype, device: torch.device
) -> Tensor:
    return torch.full(shape, value, dtype=dtype, device=device)


def _zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    return torch.zeros(*in_turn(shape), dtype=dtype, device=device)


def in_turn(shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the sizes of a shape as separate arguments, which torch parses faster than a tuple."""
    return shape or ((),)


def full_unsigned(
    shape: tuple[int, ...], value: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Fill with the signed integer that has the bits of an unsigned one."""
    signed = dt.SIGNED_OF[dtype]
    wrapped = value - 2 ** (8 * dtype.itemsize) if value > dt.LIMITS[signed][1] else value
    return torch.full(shape, wrapped, dtype=signed, device=device).view(dtype)


def zeros_unsigned(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Fill with signed zeros, which have the bits of unsigned ones."""
    return torch.zeros(shape, dtype=dt.SIGNED_OF[dtype], device=device).view(dtype)


def _eye(rows: int, columns: int, k: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    row = torch.arange(rows, dtype=dt.int64, device=device).unsqueeze(1)
    column = torch.arange(columns, dtype=dt.int64, device=device)
    return cast(column - row == k, dtype)


def eye_by_diagonal(
    rows: int, columns: int, k: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Write ones to the diagonal of zeros, on devices where that view can be written to."""
    if k == 0:
        return torch.eye(rows, columns, dtype=dtype, device=device)
    result = torch.zeros(rows, columns, dtype=dtype, device=device)
    result.diagonal(k).fill_(1)
    return result


def _traced_linspace(
    start: complex, stop: complex, num: int, dtype: torch.dtype, device: torch.device
) -> Tensor:  # a test of the numbers would make the compiler guard on their values
    if dtype in dt.COMPLEX:
        return _linspace_complex(start, stop, num, dtype, device)
    return spaced(start, stop, num, dt.float64, device).to(dtype)


def spaced(
    start: complex, stop: complex, num: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Divide an interval by steps that compilers may join: half of it is exact all the same."""
    places = torch.arange(num, dtype=dtype, device=device)
    last = torch.clamp(places[-1:], min=1)  # by a number they would multiply by its inverse
    return torch.where(places == last, stop, places / last * (stop - start) + start)


@traced_as(_traced_linspace)
def _linspace(
    start: complex, stop: complex, num: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Divide an interval as NumPy does, in float64; its length may overflow."""
    if isinstance(start, complex) or isinstance(stop, complex) or dtype in dt.COMPLEX:
        return _linspace_complex(start, stop, num, dtype, device)
    step = (stop - start) / max(num - 1, 1)
    if math.isinf(step) and math.isfinite(start) and math.isfinite(stop):
        return _linspace(start / 2, stop / 2, num, dtype, device) * 2
    values = torch.arange(num, dtype=dt.float64, device=device)
    values = values.mul_(step).add_(start)
    if num > 1:
        values[-1:].fill_(stop)
    return cast(values, dtype)


def _linspace_complex(
    start: complex, stop: complex, num: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    real = dt.REAL_OF[dtype]
    kernel = linspace.on(spec_at(real, device))
    # No complex(): the compiler cannot trace it for a number that changes from call to call.
    (a, b), (c, d) = (
        (x.real, x.imag) if isinstance(x, complex) else (x, 0.0) for x in (start, stop)
    )
    return torch.complex(kernel(a, c, num, real, device), kernel(b, d, num, real, device))


arange: Final = Op("arange", _arange, dt.REAL, returns="other")
full: Final = Op("full", _full, dt.ANY, returns="other")
zeros: Final = Op("zeros", _zeros, dt.ANY, returns="other")
eye: Final = Op("eye", _eye, dt.ANY, returns="other")
linspace: Final = Op("linspace", _linspace, dt.FLOATING, returns="other")
tril: Final = Op("tril", torch.tril, dt.ANY)
triu: Final = Op("triu", torch.triu, dt.ANY)

_SEEN: Final = Evidence("torch 2.11 to 2.13, CPU and CUDA")

register(
    [
        Row(
            "arange",
            dt.WIDE_UNSIGNED,
            Compose(_arange_unsigned),
            "torch has no arange of this unsigned data type",
            _SEEN,
        ),
        Row("tril triu", dt.WIDE_UNSIGNED, AsSigned(), NO_UNSIGNED, _SEEN),
    ]
)
