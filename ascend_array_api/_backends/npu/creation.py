"""Creation functions on NPUs."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Final

import numpy as np

from ..._devices.facts import cann_before, lazily_fused
from ..._routes import creation, movement
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import traced_as
from . import MOST_DIMENSIONS
from ._common import launches, refused, slow, wrong
from ._floats import NARROW, SINGLE
from .movement import C64, C128, F64, Bits

_EXACT: Final = 2**24
"""Integers up to this size pass unchanged through float32, as CANN passes some Python scalars."""
_FLOAT32: Final = torch.finfo(dt.float32).max


# --- integers -------------------------------------------------------------------------------------


def _arange_integer(
    start: int, step: int, length: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Count modulo a power of two, in a data type for which CANN has a kernel."""
    wide = dt.int32 if dtype.itemsize <= 4 and length < 2**31 else dt.int64
    end = start + step * length
    if step and max(abs(start), abs(step), abs(end)) <= _EXACT:
        counted = torch.arange(start, end, step, dtype=wide, device=device)
    else:
        counted = torch.arange(length, dtype=wide, device=device)
        if step != 1:
            counted = counted * _integer(step, wide, device)
        if start:
            counted = counted + _integer(start, wide, device)
    if dtype.itemsize == wide.itemsize:
        return counted.view(dtype)
    return cast(counted, dtype)


def _integer(value: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return an integer as a tensor, modulo the range of a signed data type."""
    bits = 8 * dtype.itemsize
    value = (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    return torch.full((), value, dtype=dtype, device=device)


# --- floating-point numbers -----------------------------------------------------------------------


def _arange_floating(
    start: float, step: float, length: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Multiply places by the step, because the kernel adds step to step; whole ones it may add."""
    stop = start + (length - 0.5) * step
    ends = max(abs(start), abs(step), abs(stop))
    if length and step and ends <= _EXACT and (start % 1, step % 1) == (0, 0):
        return torch.arange(start, stop, step, dtype=dtype, device=device)
    wide = dt.float64 if dtype is dt.float64 or ends > _FLOAT32 else dt.float32
    if length <= _EXACT:
        places = torch.arange(length, dtype=wide, device=device)
    else:
        places = cast(torch.arange(length, dtype=dt.int64, device=device), wide)
    if wide is dt.float64:  # a scalar would pass through float32
        by, first = (torch.full((), end, dtype=wide, device=device) for end in (step, start))
        return cast(places * by + first, dtype)
    return cast(places * step + start, dtype)


def _linspace_float64(
    start: float, stop: float, num: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    if math.isinf(stop - start) and math.isfinite(start) and math.isfinite(stop):
        return _linspace_float64(start / 2, stop / 2, num, dtype, device) * 2
    values = _arange_floating(start, (stop - start) / max(num - 1, 1), num, dtype, device)
    if num > 1:
        values[-1:] = _full_bits((), stop, dtype, device)
    return values


def _traced_linspace_narrow(
    start: float, stop: float, num: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    return cast(creation.spaced(start, stop, num, dt.float32, device), dtype)


@traced_as(_traced_linspace_narrow)
def _linspace_narrow(
    start: float, stop: float, num: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Divide an interval as in float64, by sums of two float32 numbers.

    Places are counted from the one nearest 0, so that no sum cancels.
    """
    if num > _EXACT or not max(abs(start), abs(stop)) <= _FLOAT32:
        return cast(_linspace_float64(start, stop, num, dt.float64, device), dtype)
    if abs(stop - start) > _FLOAT32:
        halves = _linspace_narrow(start / 2, stop / 2, num, dt.float32, device)
        return cast(halves * 2, dtype)
    parts, begin = max(num - 1, 1), Fraction(start)
    step = (Fraction(stop) - begin) / parts
    origin = min(max(round(-begin / step), 0), parts) if step else 0
    places = _arange_floating(-origin, 1, num, dt.float32, device)
    # The leading digits of the step, of which every multiple is exact in float32.
    digits = max(24 - max(origin, parts - origin).bit_length(), 1)
    unit = Fraction(2) ** (math.frexp(step)[1] - digits)
    leading = math.floor(step / unit) * unit
    first = begin + origin * step
    near = float(np.float32(float(first)))
    values, rest = places * float(leading), places * float(step - leading)
    if first:
        # D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2, theorem B.
        total = values + near
        part = total - values
        lost = (values - (total - part)) + (near - part)
        values, rest = total, rest + float(first - Fraction(near)) + lost
    return cast(values + rest, dtype)


# --- other data types as integers -----------------------------------------------------------------


def _full_uint8(
    shape: tuple[int, ...], value: int, dtype: torch.dtype, device: torch.device
) -> Tensor:
    return creation.full_unsigned(shape, int(value), dtype, device)


def _full_bits(
    shape: tuple[int, ...], value: complex, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Fill with the 64-bit integer that has the bits of the value."""
    if torch.compiler.is_compiling():
        return _full_compiled(shape, value, dtype, device).view(dtype)
    if dtype is dt.complex64:
        part = torch.tensor(value, dtype=dtype, device="cpu")
        bits = int(part.view(dt.int64).item())
    else:
        (bits,) = struct.unpack("q", struct.pack("d", value))
    return torch.full(shape, bits, dtype=dt.int64, device=device).view(dtype)


_ONES: Final[dict[torch.device, Tensor]] = {}


@traced_as(creation.full.native)
def _full_fused(
    shape: tuple[int, ...], value: complex, dtype: torch.dtype, device: torch.device
) -> Tensor:
    # torch_npu fuses a product with a number that is kept, but not a fill.
    if shape:
        return torch.full(shape, value, dtype=dtype, device=device)
    one = _ONES.get(device)
    if one is None:
        with torch.inference_mode(mode=False):
            one = torch.ones((), dtype=dtype, device=device)
        if type(one) is torch.Tensor:  # a dispatch mode may make another
            _ONES[device] = one
    return torch.mul(one, value)


def _full_compiled(
    shape: tuple[int, ...], value: complex, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Fill with copies: the compiler cannot take the bits of a number that changes."""
    one = torch.full((), value, dtype=dtype, device="cpu").to(device)
    bits = torch.view_as_real(one) if dtype is dt.complex128 else one
    return bits.view(dt.int64).expand((*shape, *bits.shape)).clone()


def _full_complex128(
    shape: tuple[int, ...], value: complex, dtype: torch.dtype, device: torch.device
) -> Tensor:
    if torch.compiler.is_compiling():
        return torch.view_as_complex(
            _full_compiled(shape, value, dtype, device).view(dt.REAL_OF[dtype])
        )
    real, imag = struct.unpack("qq", struct.pack("dd", value.real, value.imag))
    result = torch.empty((*shape, 2), dtype=dt.int64, device=device)
    if real == imag:
        result.fill_(real)
    else:
        result.select(-1, 0).fill_(real)
        result.select(-1, 1).fill_(imag)
    return torch.view_as_complex(result.view(dt.REAL_OF[dtype]))


def _zeros_bits(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    words = math.prod(shape) * dtype.itemsize // 8
    return torch.zeros(words, dtype=dt.int64, device=device).view(dtype).view(shape)


def _eye_bits(rows: int, columns: int, k: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Fill a diagonal of zeros with the integer that has the bits of 1."""
    bits = dt.SIGNED_OF.get(dtype, dt.int64)
    one = torch.ones((), dtype=dtype, device="cpu").view(bits).item()
    result = torch.zeros((rows, columns), dtype=bits, device=device)
    result.diagonal(k).fill_(int(one))
    return result.view(dtype)


# --- complex numbers ------------------------------------------------------------------------------


def _triangle(kernel: Callable[[Tensor, int], Tensor]) -> Callable[[Tensor, int], Tensor]:
    """Return torch's function for a triangle of complex matrices, given it for real ones."""

    def triangle(x: Tensor, k: int) -> Tensor:
        if x.dim() >= MOST_DIMENSIONS:
            return torch.complex(kernel(x.real, k), kernel(x.imag, k))
        parts = movement.copy(torch.view_as_real(x).movedim(-1, 0))
        return torch.view_as_complex(movement.copy(kernel(parts, k).movedim(0, -1)))

    return triangle


_tril_complex: Final = _triangle(torch.tril)
_triu_complex: Final = _triangle(torch.triu)

# --- rows -----------------------------------------------------------------------------------------

_DIAGONAL: Final = launches(
    "to compare rows and columns takes more kernels than a diagonal to fill"
)
_BY_PYTHON: Final = wrong(
    "a Python number beside float64 may pass through float32", "aclnnMuls", "aclnnAdds"
)
_COUNTED: Final = wrong(
    "aclnnArange counts in int32 and int64 alone, and not with scalars beyond 2**24", "aclnnArange"
)
_ADDED: Final = wrong(
    "aclnnArange adds step to step, and rounds each sum, 64 places apart and in float64 at each "
    "place",
    "aclnnArange",
)
_SPACED: Final = wrong(
    "aclnnLinspace rounds the step, and adds to numbers 64 places before", "aclnnLinspace"
)
_FILL: Final = "aclnnInplaceFillScalar"
_NO_SCALAR: Final = wrong("torch_npu passes no scalar from 2**63 on", "aten::fill_.Scalar")
_UNFUSED: Final = launches("torch_npu does not fuse it", _FILL)
_UNSIGNED: Final = Compose(creation.full_unsigned)
_WIDEST: Final = frozenset({dt.uint32, dt.uint64})
_BY_BITS: Final = F64 | C64 | dt.WIDE_UNSIGNED

ROWS: Final = (
    Row("arange", dt.INTEGER - {dt.uint16}, Compose(_arange_integer), *_COUNTED),
    Row("arange", dt.REAL_FLOATING, Compose(_arange_floating), *_ADDED),
    Row("full", {dt.uint16, dt.uint32}, _UNSIGNED, *refused(_FILL), cann_before(9, 1)),
    Row("full", {dt.uint8}, Compose(_full_uint8), *slow(_FILL)),
    Row("full", {dt.uint64}, _UNSIGNED, *_NO_SCALAR),
    Row("full", SINGLE, Compose(_full_fused), *_UNFUSED, lazily_fused),
    Row("full", F64 | C64, Compose(_full_bits), *slow(_FILL)),
    Row("full", C128, Compose(_full_complex128), *slow(_FILL)),
    Row("zeros", _WIDEST, Compose(creation.zeros_unsigned), *refused("aclnnInplaceZero")),
    Row("zeros", F64 | C64 | C128, Compose(_zeros_bits), *slow("aclnnInplaceZero")),
    Row("eye", dt.ANY - _BY_BITS - C128, Compose(creation.eye_by_diagonal), *_DIAGONAL),
    Row("eye", _BY_BITS, Compose(_eye_bits), *_DIAGONAL),
    Row("linspace", NARROW, Compose(_linspace_narrow), *_SPACED),
    Row("linspace", F64, Compose(_linspace_float64), *_BY_PYTHON),
    Row("tril", C64, Bits(dt.int64, Compose(_tril_complex)), *refused("aclnnTril")),
    Row("triu", C64, Bits(dt.int64, Compose(_triu_complex)), *refused("aclnnTriu")),
    Row("tril", C128, Compose(_tril_complex), *refused("aclnnTril")),
    Row("triu", C128, Compose(_triu_complex), *refused("aclnnTriu")),
)
