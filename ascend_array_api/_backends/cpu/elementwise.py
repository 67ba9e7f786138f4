"""Elementwise functions on the CPU."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from ..._devices.facts import everywhere, mkl, numpys_vectors, torch_before, x86_vectors
from ..._routes import elementwise as el
from ..._routes._derivatives import differentiated, readable
from ..._routes._evidence import Evidence
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row, Via
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._numpy import PIECE, applied, applied_at_length, by_numpy, few_threads, in_portions

# --- remainders -----------------------------------------------------------------------------------


def _moderate_remainder(x1: Tensor, x2: Tensor) -> Tensor | None:
    """Return torch's remainder if all values can be read and no quotient comes near overflow."""
    if not (readable(x1, x2) and x1.numel() and x2.numel()):
        return None
    (low, high), (least, greatest) = _ends(x1), _ends(x2)
    if least > 0:
        nearest = least
    else:
        nearest = -greatest if greatest < 0 else float(torch.amin(torch.abs(x2)))
    if not max(-low, high) <= nearest * _SAFE[x1.dtype]:  # this form also catches NaN
        return None
    result = torch.remainder(x1, x2)
    if least > 0:  # where 0 may be -0
        return result if low > 0 else result.abs_()
    if few_threads() and bool(result.numpy().all()):  # many set signs as soon as they find no zero
        return result
    return result.copysign_(x2)


def _ends(x: Tensor) -> tuple[float, float]:
    """Return the least and the greatest element; both are NaN if any element is."""
    least, greatest = torch.aminmax(x.detach())
    return float(least), float(greatest)


_SAFE: Final = {dt.float32: 2.0**60, dt.float64: 2.0**500}


def _remainder_float32(x1: Tensor, x2: Tensor) -> Tensor:
    result = _moderate_remainder(x1, x2)
    return _remainder_in_float64(x1, x2) if result is None else result


def _remainder_in_float64(x1: Tensor, x2: Tensor) -> Tensor:
    result = el.remainder_floating(cast(x1, dt.float64), cast(x2, dt.float64))
    return cast(result, x1.dtype)


def _remainder_float64(x1: Tensor, x2: Tensor) -> Tensor:
    result = _moderate_remainder(x1, x2)
    if result is None:
        return el.remainder_floating(el.nearer_dividend(x1, x2), x2)
    return result


# --- integers by -1 ------------------------------------------------------------------------------


def _floor_divide_integers(x1: Tensor, x2: Tensor) -> Tensor:
    by_minus_one = x2 == -1
    quotient = torch.floor_divide(x1, torch.where(by_minus_one, 1, x2))
    return torch.where(by_minus_one, torch.neg(x1), quotient)  # the least integer wraps around


def _remainder_integers(x1: Tensor, x2: Tensor) -> Tensor:
    return torch.remainder(x1, torch.where(x2 == -1, 1, x2))


# --- hyperbolic functions -------------------------------------------------------------------------


def _small(x: Tensor) -> bool:
    """Say whether exp certainly overflows for no element."""
    if not (readable(x) and x.numel()):
        return False
    return max(map(abs, _ends(x))) <= _LOG_MAX[x.dtype]  # not where one is NaN


def _cosh_large(x: Tensor) -> Tensor:
    # For numbers whose exp(x) overflows although exp(x) / 2 does not.
    if _small(x):
        return torch.cosh(x)
    large, half, rest = _halved(x)
    return torch.where(large, half, torch.cosh(rest))


def _sinh_large(x: Tensor) -> Tensor:
    if _small(x):
        return torch.sinh(x)
    large, half, rest = _halved(x)
    return torch.where(large, torch.sign(x) * half, torch.sinh(rest))


def _halved(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Say where exp(x) may overflow, and return exp(abs(x)) / 2 there, and x elsewhere."""
    size = torch.abs(x)
    large = size > _LOG_MAX[x.dtype]
    root = torch.exp(torch.where(large, size, 0) / 2)
    return large, root * (root / 2), torch.where(large, 0, x)


_LOG_MAX: Final = {d: math.log(torch.finfo(d).max) - 1 for d in (dt.float32, dt.float64)}


# --- roots ----------------------------------------------------------------------------------------


def _sqrt_float32(x: Tensor) -> Tensor:
    if readable(x) and (few_threads() or x.numel() <= PIECE):
        return applied(np.sqrt, x)  # NumPy uses the processor's instruction, which rounds correctly
    if readable(x) and x.is_contiguous():
        return in_portions(_root_in_float64, 1 << 20, x)
    return _root_in_float64(x)


def _root_in_float64(x: Tensor) -> Tensor:
    # The float64 root r, rounded to float32, is correct.  Let u be a unit in the last place of
    # float32 for r in [1, 2).  The operand and the square of the middle m of two float32 numbers
    # are different multiples of u**2 / 4, so r is at least u**2 / 16 = 2**-50 from m.  That is 4
    # units of float64, and torch's root there is less than 1 unit off.
    return x.to(dt.float64).sqrt_().to(dt.float32)


def _sqrt_float64(x: Tensor) -> Tensor:
    if readable(x):
        return applied_at_length(np.sqrt, x)
    # The C library computes complex roots, and rounds the root of a real number correctly.
    root = torch.sqrt(cast(x, dt.complex128)).real
    return torch.where(torch.signbit(x), torch.where(x == 0, x, math.nan), root)


# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.13, CPU")
_SEEN_BEFORE: Final = Evidence("torch 2.7.1, 2.8.0 and 2.9.0, CPU: x86", "fatal")
_TRAPS: Final = "the lowest integer by -1 ends the process: the processor's division traps"
_QUOTIENT: Final = "NaN where the quotient overflows, or comes close"
_SEEN_CPUS: Final = Evidence("torch 2.10 and 2.13, CPU: x86 and ARM")
_HALVES: Final = "code for vectors overflows where exp(x) does, although exp(x) / 2 does not"
_OVERFLOWS: Final = {dt.float32: torch_before(2, 15), dt.float64: everywhere}
"""Where this is so: torch 2.15 has no code for vectors of float32."""
_ROUNDED: Final = "MKL does not round one result in 150 to the nearest"
_DIVIDED: Final = (
    "torch divides the logarithm by a complex number: an infinite real part makes the imaginary "
    "part NaN"
)
ROWS: Final = (
    *(
        Row(name, {dt.int32, dt.int64}, Compose(f), _TRAPS, _SEEN_BEFORE, torch_before(2, 10))
        for name, f in (
            ("floor_divide", _floor_divide_integers),
            ("remainder", _remainder_integers),
        )
    ),
    *(
        Row(
            "remainder",
            dtypes,
            Compose(differentiated(function, el.remainder_partials)),
            _QUOTIENT,
            _SEEN,
        )
        for dtypes, function in (
            (frozenset({dt.bfloat16}), _remainder_in_float64),
            (frozenset({dt.float32}), _remainder_float32),
            (frozenset({dt.float64}), _remainder_float64),
        )
    ),
    *(
        Row("sqrt", {d}, Compose(differentiated(root, el.sqrt_partials)), _ROUNDED, _SEEN, mkl)
        for d, root in ((dt.float32, _sqrt_float32), (dt.float64, _sqrt_float64))
    ),
    *(
        Row(
            name,
            {dtype},
            Compose(differentiated(kernel, partials)),
            _HALVES,
            _SEEN_CPUS,
            vectors & where,
        )
        for name, function, large, partials in (
            ("cosh", np.cosh, _cosh_large, el.cosh_partials),
            ("sinh", np.sinh, _sinh_large, el.sinh_partials),
        )
        for kernel, vectors in (
            (large, ~numpys_vectors),
            (by_numpy(function, large), numpys_vectors),
        )
        for dtype, where in _OVERFLOWS.items()
    ),
    Row("cosh sinh", {dt.bfloat16}, Via(dt.float32), _HALVES, _SEEN_CPUS),
    Row("log2", dt.COMPLEX, Compose(el.log2_complex), _DIVIDED, _SEEN_CPUS, ~x86_vectors),
)
