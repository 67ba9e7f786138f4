"""Special functions on NPUs for float32, whose kernels are coarse."""

from __future__ import annotations

import math
from typing import Final

from ..._routes import special as sp
from ..._routes._constants import polynomial
from ..._routes._rows import Compose, Native, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._common import composed, launches
from ._floats import SINGLE, faulty, refined
from .powers import scaled

_HEIGHT: Final = 2 / math.sqrt(math.pi)

# exp(x**2) erfc(x) = p(x) / q(x) for 0 <= x <= 10.5, within 2.5e-8; tools/elementary_functions
# computes the coefficients.
_TAIL_ABOVE: Final = (17.153702, 21.265022, 12.570624, 3.9411626, 0.564196)
_TAIL_BELOW: Final = (17.153702, 40.62091, 41.25257, 22.77366, 6.985964, 1.0)
_END: Final = 10.5
"""For x above about 10.06, erfc(x) is 0 in float32."""
_END_OF_NDTR: Final = 14.5
"""For x below about -14.18, the normal distribution is 0 in float32."""
_HALF_ABOVE: Final = tuple(c / 2 for c in _TAIL_ABOVE)
_HALF_OF_THE_BITS: Final = -(2**12)


def _erf(x: Tensor) -> Tensor:
    # Beyond 4, add the distance, so that clamping gives 1 whatever the kernel returns there.
    # Elsewhere this subtracts +0, which keeps the signs of zeros.
    beyond = torch.clamp(x, -4, 4) - x
    return torch.clamp(torch.erf(x) - beyond, -1, 1)


def _high(size: Tensor) -> Tensor:
    """Return the leading part of numbers, whose square is exact."""
    return torch.bitwise_and(size.view(dt.int32), _HALF_OF_THE_BITS).view(dt.float32)


def _erfc(x: Tensor) -> Tensor:
    size = torch.clamp(torch.abs(x), max=_END)
    # x is split into a part with an exact square and a rest: rounding x**2 would cost digits.
    high = _high(size)
    power = torch.exp(high * -high) * torch.exp((high - size) * (high + size))
    tail = power * (polynomial(size, _TAIL_ABOVE) / polynomial(size, _TAIL_BELOW))
    return torch.where(x < 0, 2 - tail, tail)


def _ndtr(x: Tensor) -> Tensor:
    # As erfc, but exp(-x**2 / 2) uses x itself.  Only the quotient uses the rounded x / sqrt(2),
    # because it changes slowly.
    size = torch.clamp(torch.abs(x), max=_END_OF_NDTR)
    high = _high(size)
    power = torch.exp(high * (high * -0.5)) * torch.exp((high - size) * (high + size) * 0.5)
    scaled = size * math.sqrt(0.5)
    tail = power * (polynomial(scaled, _HALF_ABOVE) / polynomial(scaled, _TAIL_BELOW))
    return torch.where(x < 0, tail, 1 - tail)


def _exp2(x: Tensor) -> Tensor:
    # 2**x is exp(f log(2)) 2**n, where f is at most 1/2, and 0 for whole numbers.
    x = torch.clamp(x, -152, 130)  # beyond, 0 and infinity
    whole = torch.round(x)
    return scaled(torch.exp((x - whole) * math.log(2)), whole)


def _xlogy(x1: Tensor, x2: Tensor) -> Tensor:
    return torch.where(x2 == x2, torch.xlogy(x1, x2), x2)  # NaN is not equal to itself


def _erf_partials(x: Tensor) -> tuple[Tensor]:
    return (_HEIGHT * torch.exp(-x * x),)


def _erfc_partials(x: Tensor) -> tuple[Tensor]:
    return (-_HEIGHT * torch.exp(-x * x),)


def _ndtr_partials(x: Tensor) -> tuple[Tensor]:
    return (math.sqrt(0.5 / math.pi) * torch.exp(x * x * -0.5),)


def _erfinv_partials(x: Tensor) -> tuple[Tensor]:
    result = sp.erfinv(x)
    return (torch.exp(result * result) / _HEIGHT,)


def _exp2_partials(x: Tensor) -> tuple[Tensor]:
    return (sp.exp2(x) * math.log(2),)


_COARSE: Final = "is off by up to 4e-6 of the result"
_NAN: Final = f"{_COARSE}, and NaN for the least number"
_SMALL: Final = "is off by a fifth and more for small numbers"

_TWICE: Final = launches("by erfc and what its argument has lost it takes twice as many kernels")

ROWS: Final = (
    composed("ndtr", SINGLE, _ndtr, _ndtr_partials, _TWICE),
    refined("erf", SINGLE, _erf, _erf_partials, "aclnnErf", "exceeds 1"),
    refined("erfc", SINGLE, _erfc, _erfc_partials, "aclnnErfc", _NAN),
    refined("erfinv", SINGLE, sp.erfinv_composed, _erfinv_partials, "aclnnErfinv", _SMALL),
    refined("exp2", SINGLE, _exp2, _exp2_partials, "aclnnExp2", _COARSE),
    Row(
        "xlogy",
        SINGLE,
        Compose(_xlogy),
        *faulty("aclnnXLogYTensor", "gives 0 for 0 and NaN"),
        fast=Native(scalars=True),
    ),
)
