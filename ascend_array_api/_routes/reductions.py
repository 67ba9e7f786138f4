"""The reductions, and what torch's own functions for them lack or get wrong.

A reduction takes a tensor and, by torch's names, ``dim``, a tuple of non-negative axes that is not
empty, and ``keepdim``.  ``sum``, ``prod``, ``max``, ``min``, ``mean``, ``all`` and ``any`` of a
tensor alone reduce all of its axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from .._devices.device import spec_of
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import movement
from ._bits import bits_as
from ._derivatives import readable
from ._dimensions import other_axes
from ._evidence import NO_UNSIGNED, Evidence
from ._operations import Op, cast, register
from ._rows import AsSigned, Compose, Ordered, Row
from .elementwise import subtract

# --- the operations -------------------------------------------------------------------------------


def _prod(x: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    if dim is None:
        return torch.prod(x)
    if isinstance(dim, int):
        return torch.prod(x, dim, keepdim)
    if len(dim) > 1:  # torch's function takes one axis: merge the others into it
        kept = other_axes(x.dim(), dim)
        shape = [n if i in kept else 1 for i, n in enumerate(x.shape)]
        rows = [x.shape[i] for i in kept]
        columns = math.prod([x.shape[i] for i in dim])
        result = torch.prod(x.permute(*kept, *dim).reshape(*rows, columns), -1)
        return result.reshape(shape) if keepdim else result
    return torch.prod(x, dim[0], keepdim)


def _with_correction(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return torch's function for the variance, or its root, without its warnings."""

    def unwarned(x: Tensor, dim: tuple[int, ...], keepdim: bool, correction: float) -> Tensor:
        total = x.numel()
        every = len(dim) == x.dim()
        count = total if every else math.prod([x.shape[i] for i in dim])
        if not count - correction > 0:  # this form also catches a correction of NaN
            return torch.sum(x, dim, keepdim) * math.nan
        if total == 0:
            return torch.sum(x, dim, keepdim)
        # torch is faster with None or a number than with a tuple.
        along = None if every else dim[0] if len(dim) == 1 else dim
        if keepdim:
            return function(x, along, correction=correction, keepdim=True)
        return function(x, along, correction=correction)

    return unwarned


def from_first(x: Tensor, dim: tuple[int, ...]) -> Tensor:
    """Return differences from the first elements along axes; all 0 where the elements are equal.

    Their variance is that of the elements, and their mean is no larger than a few deviations, so
    that its rounding does not matter.
    """
    first = x.detach()
    if len(dim) == first.dim():
        return x - first[(0,) * len(dim)]
    for axis in dim:
        first = first.select(axis, 0).unsqueeze(axis)  # of divided arrays: the whole row
    return x - first


def scaled_from_first(x: Tensor, dim: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """Return the same, divided by powers of two so that no square is extreme, and the powers."""
    largest = torch.amax(torch.abs(x.detach()), dim, True)
    digits, bits = (52, dt.int64) if x.dtype is dt.float64 else (23, dt.int32)
    power = bits_as(torch.bitwise_and(bits_as(largest, bits), -(1 << digits)), x.dtype)
    power = torch.clamp(power, min=torch.finfo(x.dtype).tiny)
    return from_first(x / power, dim), power


def spread(native: Callable[..., Tensor], root: bool) -> Callable[..., Tensor]:
    """Return the kernel for the variance, or its root, of large and small numbers of any mean."""
    limits = {d: torch.finfo(d) for d in dt.REAL_FLOATING}
    # No square that counts vanishes.
    least = {d: (e.tiny / e.eps**2) ** (0.5 if root else 1) for d, e in limits.items()}

    def scaled_spread(x: Tensor, dim: tuple[int, ...], keepdim: bool, correction: float) -> Tensor:
        if not x.numel():
            return native(x, dim, keepdim, correction)
        if not spec_of(x).device.backend.asynchronous:  # else the host would wait
            result = native(from_first(x, dim), dim, keepdim, correction)
            if not readable(x):
                return result
            if result.dim():
                low, high = (end.item() for end in torch.aminmax(result.detach()))
            else:
                low = high = result.item()
            if least[x.dtype] < low and high < math.inf:
                return result
        away, power = scaled_from_first(x, dim)
        result = native(away, dim, keepdim, correction)
        power = power.reshape(result.shape)
        return result * power if root else result * power * power

    return scaled_spread


def _cumulative_sum(x: Tensor, axis: int, initial: bool) -> Tensor:
    result = torch.cumsum(x, axis, dtype=x.dtype)
    return with_initial(result, axis, 0) if initial else result


def _cumulative_prod(x: Tensor, axis: int, initial: bool) -> Tensor:
    result = torch.cumprod(x, axis, dtype=x.dtype)
    return with_initial(result, axis, 1) if initial else result


def with_initial(x: Tensor, axis: int, value: int) -> Tensor:
    """Put a value before the elements along an axis."""
    shape = [1 if i == axis else n for i, n in enumerate(x.shape)]
    first = torch.full(shape, value, dtype=x.dtype, device=x.device)
    return movement.concat.on(spec_of(x))([first, x], axis)


diff_of_one: Final = torch.diff
"""The kernel for differences of one tensor, on devices whose subtraction is right."""


def _diff(parts: list[Tensor], axis: int, n: int) -> Tensor:
    """Return the n-th differences of the concatenated tensors."""
    x: Tensor = parts[0]
    if len(parts) > 1 or not n:  # for n = 0 concatenation copies: the result must not be a view
        x = movement.concat.on(spec_of(x))(parts, axis)
    spec = spec_of(x)
    if n and subtract.is_native(spec):
        return diff_of_one(x, n, axis)
    difference = subtract.on(spec)
    for _ in range(n):
        length = x.shape[axis] - 1
        x = difference(x.narrow(axis, 1, length), x.narrow(axis, 0, length))
    return x


sum: Final = Op("sum", torch.sum, dt.NUMERIC, reduces=True)
prod: Final = Op("prod", _prod, dt.NUMERIC, reduces=True)
max: Final = Op("max", torch.amax, dt.REAL, reduces=True)
min: Final = Op("min", torch.amin, dt.REAL, reduces=True)
mean: Final = Op("mean", torch.mean, dt.FLOATING, reduces=True)
var: Final = Op("var", _with_correction(torch.var), dt.REAL_FLOATING, reduces=True)
std: Final = Op("std", _with_correction(torch.std), dt.REAL_FLOATING, reduces=True)
cumulative_sum: Final = Op("cumulative_sum", _cumulative_sum, dt.NUMERIC)
cumulative_prod: Final = Op("cumulative_prod", _cumulative_prod, dt.NUMERIC)
all: Final = Op("all", torch.all, dt.ANY, returns="bool", reduces=True)
any: Final = Op("any", torch.any, dt.ANY, returns="bool", reduces=True)
diff: Final = Op("diff", _diff, dt.NUMERIC)

# --- compositions ---------------------------------------------------------------------------------


def _sum_narrow(x: Tensor, dim: tuple[int, ...] = (), keepdim: bool = False) -> Tensor:
    return torch.sum(x, dim, keepdim, dtype=x.dtype)


def _prod_narrow(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    if dim is not None and len(dim) > 1:
        return cast(_prod(x, dim, keepdim), x.dtype)
    if dim is None:
        return torch.prod(x, dtype=x.dtype)
    return torch.prod(x, dim[0], keepdim, dtype=x.dtype)


def mean_of_parts(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """Return the mean of complex numbers by the means of their parts."""
    if dim is None:
        return torch.complex(torch.mean(x.real), torch.mean(x.imag))
    return torch.complex(torch.mean(x.real, dim, keepdim), torch.mean(x.imag, dim, keepdim))


def _mean_complex(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    total = sum.on(spec_of(x))
    count = x.numel() if dim is None else math.prod([x.shape[i] for i in dim])
    result = torch.view_as_real(total(x) if dim is None else total(x, dim, keepdim))
    return torch.view_as_complex(result / count if count else result * math.nan)


# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.11 to 2.13, CPU and CUDA")

register(
    [
        Row(
            "sum prod cumulative_sum cumulative_prod all any",
            dt.WIDE_UNSIGNED,
            AsSigned(),
            NO_UNSIGNED,
            _SEEN,
        ),
        Row(
            "max min",
            dt.WIDE_UNSIGNED,
            Ordered(),
            "torch has no kernel for this unsigned data type",
            _SEEN,
        ),
        Row(
            "sum",
            (dt.SIGNED | {dt.uint8}) - {dt.int64},
            Compose(_sum_narrow),
            "torch sums in int64 unless told otherwise",
            _SEEN,
        ),
        Row(
            "prod",
            (dt.SIGNED | {dt.uint8}) - {dt.int64},
            Compose(_prod_narrow),
            "torch multiplies in int64 unless told otherwise",
            _SEEN,
        ),
        *(
            Row(
                op.name,
                dt.REAL_FLOATING - dt.HALF,
                Compose(spread(op.native, root)),
                "torch rounds the mean of all elements, and squares become infinite or 0",
                Evidence("torch 2.11 to 2.13, CPU; torch's source, CUDA"),
            )
            for op, root in ((var, False), (std, True))
        ),
        Row("all any", {dt.uint8}, AsSigned(), "torch returns uint8 for uint8", _SEEN),
        Row(
            "mean",
            dt.COMPLEX,
            Compose(_mean_complex),
            "an infinite or NaN part of one element makes both parts of torch's mean NaN",
            _SEEN,
        ),
    ]
)
