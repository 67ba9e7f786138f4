"""Uniform integers."""

from __future__ import annotations

import math
from typing import Any

from .._arrays.array import Array, wrap
from .._arrays.axes import broadcast, normalize_shape
from .._calls.interchange import asarray, check_dtype
from .._devices.device import spec
from .._errors.exceptions import describe, mixed_devices, not_broadcastable, wrong_dtype
from .._routes._operations import cast
from .._routes.judging import demand
from .._routes.random import integer, truncated
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import _variates as variates
from ._bit_generators import BitGenerator

_LEAST = -(2**63)
_EMPTY = "integers: high must be above low, or equal to it with endpoint=True."


def integers(
    bits: BitGenerator, low: Any, high: Any, size: Any, dtype: torch.dtype | None, *, endpoint: bool
) -> Array:
    """Return uniform integers from a range."""
    dtype = check_dtype("integers", dtype) or dt.int64
    if dtype not in dt.INTEGER:
        raise wrong_dtype("integers", dtype, dt.INTEGER, "Name another dtype.")
    if high is None:
        low, high = 0, low
    asked = None if size is None else normalize_shape("integers", size, "size")
    first, last = (_bound(bits, name, v) for name, v in (("low", low), ("high", high)))
    shapes = [v.shape for v in (first, last) if isinstance(v, Array)]
    shape = broadcast(*shapes, *([] if asked is None else [asked]))
    if shape is None or asked not in {None, shape}:
        raise not_broadcastable(
            "integers: parameters to size", *shapes, *([asked] if asked else [])
        )
    width = 64 if dtype.itemsize == 8 else 32
    ranges: list[Any] = []
    checks: Any = ()
    if isinstance(first, int) and isinstance(last, int):
        last -= not endpoint
        _check_range(first, last, dtype)
        least, length = first, last - first
    else:
        checks, *ranges = _ranges(bits, first, last, dtype, endpoint=endpoint)

    def make(bits: BitGenerator, own: tuple[int, ...], *ranges: Tensor) -> Tensor:
        count = math.prod(own)
        if ranges:
            start, span = ranges
            span = span.reshape(()) if span.numel() == 1 else span.expand(own).reshape(-1)
            numbers = variates.bounded_each(bits, count, span, width).reshape(own) + start
            return truncated(numbers, dtype)
        return variates.bounded(bits, count, length, least, dtype).reshape(own)

    made = bits._drawn("integers", shape, make, ranges)
    return wrap(made, spec(dtype, bits.device), *checks, (first, last))


def _bound(bits: BitGenerator, name: str, value: Any) -> int | Array:
    """Return a bound as a Python integer, or as an array of integers."""
    if isinstance(value, (list, tuple)):
        value = asarray(value, device=bits.device)
    if isinstance(value, Array):
        if value.dtype not in dt.INTEGER:
            raise wrong_dtype(f"integers: {name}", value.dtype, dt.INTEGER)
        if value.device is not bits.device:
            raise mixed_devices(f"integers: {name}", bits.device, value.device)
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"integers: {name} must be an integer or an array, got {describe(value)}.")
    return int(value)


def _check_range(first: int, last: int, dtype: torch.dtype) -> None:
    least, greatest = dt.LIMITS[dtype]
    if last < first:
        raise ValueError(_EMPTY)
    for name, value in (("low", first), ("high", last)):
        if not least <= value <= greatest:
            raise ValueError(
                f"integers: {name} must be within {dt.NAMES[dtype]}, which holds "
                f"{least} to {greatest}."
            )


def _ranges(
    bits: BitGenerator, first: int | Array, last: int | Array, dtype: torch.dtype, *, endpoint: bool
) -> tuple[tuple[Any, ...], Tensor, Tensor]:
    """Return the open checks, and the first integers and spans of ranges as bits of int64.

    Numbers are compared in int64, shifted by 2**63 if the result is uint64.
    """
    shift = 2**63 if dtype is dt.uint64 else 0
    least, greatest = (value - shift for value in dt.LIMITS[dtype])
    device = bits.device.torch_device
    flags: list[Tensor] = []
    ends = []
    for name, value in (("low", first), ("high", last)):
        one = int(name == "high" and not endpoint)
        if isinstance(value, int):
            value -= one
            if not dt.LIMITS[dtype][0] <= value <= dt.LIMITS[dtype][1]:
                _check_range(*((value, value) if name == "low" else (0, value)), dtype)
            ends.append(integer(value - shift, device))
            flags.append(ends[-1] == ends[-1])
            continue
        tensor = value._tensor
        sign = integer(_LEAST, device)
        unsigned = value.dtype is dt.uint64
        given = tensor.view(dt.int64) if unsigned else cast(tensor, dt.int64)
        own = given - one if one else given
        if unsigned and not shift:
            fits = own >= -one  # compare with 2**63 - 1, because int64 does not hold 2**63
        elif shift and not unsigned:
            fits = given >= one
        else:  # no integer is below the least
            fits = given != (0 if unsigned else _LEAST) if one else own == own
        own = torch.bitwise_xor(own, sign) if shift else own
        flags.append(fits & (own >= least) & (own <= greatest))
        ends.append(own)
    flags.append(ends[0] <= ends[1])
    texts = [f"integers: {name} must be within {dt.NAMES[dtype]}." for name in ("low", "high")]
    checks = demand(list(zip(flags, (*texts, _EMPTY))))
    start, end = torch.broadcast_tensors(*ends)  # type: ignore[no-untyped-call]
    span = end - start
    if shift:
        start = torch.bitwise_xor(start, integer(_LEAST, device))
    return checks, start.contiguous(), span.contiguous()
