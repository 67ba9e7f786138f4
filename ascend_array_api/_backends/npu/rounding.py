"""Rounding to integers on NPUs."""

from __future__ import annotations

from typing import Final

from ..._routes import elementwise as el
from ..._routes._derivatives import linear
from ..._routes._kernels import Kernel
from ..._routes._rows import Compose, Native, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from . import MOST_DIMENSIONS
from ._common import BITS, composed, launches, wrong


def with_sign(x: Tensor, sign: Tensor) -> Tensor:
    """Give numbers the sign of others; they must be non-negative or have that sign already."""
    bits = BITS[x.dtype]
    minus = torch.bitwise_and(sign.view(bits), dt.LIMITS[bits][0])
    return torch.bitwise_or(x.view(bits), minus).view(x.dtype)


@linear
def flat(x: Tensor) -> tuple[Tensor]:
    """Return the derivative of a step function."""
    return (torch.zeros_like(x),)


def _signed(op: str, function: Kernel, kernel: str) -> Row:
    cause = wrong("there is no negative zero, which numbers from -1 to -0 are to give", kernel)

    def signed(x: Tensor) -> Tensor:
        return with_sign(function(x), x)

    return composed(op, _IN_STEPS, signed, flat, cause, fast=Native())


def _round_float64(x: Tensor) -> Tensor:
    # From 2**52 on all numbers are integers, so a sum there is rounded to the nearest even one.
    # Integers with the same bits are compared and chosen on AICore.
    bits = x.view(dt.int64)
    size = torch.bitwise_and(bits, dt.LIMITS[dt.int64][1])
    whole = (size.view(dt.float64) + _WHOLE) - _WHOLE
    rounded = torch.where(size < _BITS_OF_WHOLE, whole.view(dt.int64), size)
    return with_sign(rounded.view(dt.float64), x)


def _round_complex(x: Tensor) -> Tensor:
    if x.dim() == MOST_DIMENSIONS:
        return el.round_complex(x)
    return torch.view_as_complex(el.round(torch.view_as_real(x.resolve_conj())))


_WHOLE: Final = 2.0**52
_BITS_OF_WHOLE: Final = (1023 + 52) << 52
_HALVES: Final = wrong("the AICPU takes what is 5e-15 below a half for a half", "aclnnRound")
_IN_STEPS: Final = dt.REAL_FLOATING - {dt.float64}

ROWS: Final = (
    _signed("ceil", torch.ceil, "aclnnCeil"),
    _signed("floor", torch.floor, "aclnnFloor"),
    _signed("round", torch.round, "aclnnRound"),
    _signed("trunc", torch.trunc, "aclnnTrunc"),
    composed("round", {dt.float64}, _round_float64, flat, _HALVES, fast=Native()),
    Row("round", dt.COMPLEX, Compose(_round_complex), *launches("both parts at once")),
)
