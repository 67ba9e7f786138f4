"""Special functions, and others of many steps, in fewer steps on the CPU, for speed only.

Each function takes dense tensors whose values can be read, and leaves exceptional values to the
composition for every device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from ..._routes import elementwise as el
from ..._routes import special
from ..._routes._evidence import Evidence
from ..._routes._rows import Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._numpy import GRAIN, PIECE, InPortions, few_threads


def _finite(x: Tensor) -> bool:
    return math.isfinite(float(torch.sum(x)))


def _logit(x: Tensor) -> Tensor:
    """Return the logit as log1p of (1 - 2 m) / m, where m is the smaller of x and 1 - x, signed."""
    smaller = 1 - x
    torch.minimum(x, smaller, out=smaller)
    result = torch.rsub(smaller, 1, alpha=2).div_(smaller).log1p_()
    if not _finite(result):
        return special.logit.native(x)
    return result.copysign_(torch.sub(x, 0.5, out=smaller))


def _logit_of_float32(x: Tensor) -> Tensor:
    if few_threads():
        return _logit(x)
    # In float64 it is off by 2**-52 at most, and not 0 from 2**-23 on.
    return x.to(dt.float64).logit_().to(dt.float32)


def _i(order: int) -> Callable[[Tensor], Tensor]:
    """Return a modified Bessel function of float32, with only as many terms as needed."""
    op = special.i1 if order else special.i0

    def i_of_float32(x: Tensor) -> Tensor:
        least, greatest = map(float, torch.aminmax(x))
        size = max(-least, greatest)
        if not size <= _MODERATE:  # this form also catches NaN
            return op(x.to(dt.float64)).to(dt.float32)
        square = x.to(dt.float64).square_()
        last, before, *others = reversed(_powers(order, size * size))
        result = torch.add(before, square, alpha=float(last))
        for coefficient in others:
            torch.addcmul(coefficient, result, square, out=result)
        if order:
            zero = torch.zeros(
                (), dtype=dt.float64
            )  # adding it turns -0 into 0, as on every device
            torch.addcmul(zero, result, x, out=result)
        return result.to(dt.float32)

    return i_of_float32


def _powers(order: int, greatest: float) -> list[Tensor]:
    """Return the coefficients, all positive, of the series in the square."""
    coefficients = [0.5**order]
    term = total = coefficients[0]
    while len(coefficients) < 2 or term > total * _NEGLIGIBLE:
        k = len(coefficients)
        coefficients.append(coefficients[-1] / (4 * k * (k + order)))
        term = coefficients[-1] * greatest**k
        total += term
    return list(torch.tensor(coefficients, dtype=dt.float64).unbind())


_MODERATE: Final = 32.0
"""Up to this number the series is short enough to pay."""

_NEGLIGIBLE: Final = 2.0**-36


def _where_needed(
    result: Tensor, needed: Tensor, function: Callable[[Tensor, Tensor], Tensor], *x: Tensor
) -> None:
    """Compute a function only where it is needed, and write the results there."""
    places = torch.nonzero(needed.view(-1)).view(-1)
    if len(places):
        result.view(-1)[places] = function(*(t.view(-1)[places] for t in x))


def _gammainc(a: Tensor, x: Tensor) -> Tensor:
    result: Tensor = torch.special.gammainc(a, x)
    uniform = special.is_uniform(a, x)
    _where_needed(result, uniform, lambda a, x: special.by_temme(a, x, -1.0), a, x)
    return result.masked_fill_((a != a) | (x != x), math.nan)


def _gammaincc(a: Tensor, x: Tensor) -> Tensor:
    result: Tensor = torch.special.gammaincc(a, x)
    uniform = special.is_uniform(a, x)
    _where_needed(result, uniform, lambda a, x: special.by_temme(a, x, 1.0), a, x)
    _where_needed(result, special.is_near_zero(a, x), special.upper_near_zero, a, x)
    return result.masked_fill_((a != a) | (x != x), math.nan)


def _ndtr(x: Tensor) -> Tensor:
    """Return erfc in float32, corrected for the rounding of its argument.

    The correction needs the slope of log(erfc), which follows from Mills's ratio.  That lies
    between 1 / (z + sqrt(z**2 + 2)) and 1 / (z + sqrt(z**2 + 4 / pi)), which is near enough for a
    correction of some units in the last place.
    """
    z = torch.clamp(x, -20.0, 10.0).to(dt.float64).mul_(-math.sqrt(0.5))
    high = z.to(dt.float32)
    low = z.sub_(high).to(dt.float32)
    slope = high.square().add_(4 / math.pi).sqrt_().add_(high)
    return torch.erfc(high).mul_(low.mul_(slope).neg_().add_(1)).mul_(0.5)


def _psi(x: Tensor) -> Tensor:
    """Return digamma by reflection, in place, because torch's own reflection rounds too early."""
    negative = x < 0
    right = torch.digamma(torch.where(negative, 1 - x, x))
    rest = torch.round(x)
    torch.subtract(x, rest, out=rest)
    pole = negative & (rest == 0)
    cotangent = rest.mul_(math.pi).tan_().reciprocal_().mul_(math.pi)
    right.sub_(cotangent.masked_fill_(~negative, 0))
    return right.masked_fill_(pole | (x == -math.inf), math.nan)


def _psi_of_float32(x: Tensor) -> Tensor:
    return torch.digamma(x.to(dt.float64)).to(dt.float32)


def _sinc(x: Tensor) -> Tensor:
    angle = x * math.pi
    return torch.where(angle == 0, 1.0, torch.sin(angle).div_(angle))


# --- complex numbers of float32, by float64 -------------------------------------------------------


def _parts(x: Tensor) -> tuple[Tensor, Tensor]:
    a, b = torch.view_as_real(x).unbind(-1)
    return a.to(dt.float64), b.to(dt.float64)


def _joined(real: Tensor, imag: Tensor) -> Tensor:
    return torch.complex(real.to(dt.float32), imag.to(dt.float32))


def _expm1(x: Tensor) -> Tensor:
    a, b = _parts(x)
    less = torch.expm1(a)
    half = torch.sin(b / 2)
    power = less + 1
    real = less - 2 * half * half * power
    result = _joined(real, power.mul_(torch.sin(b)))
    result.real.add_(0.0)  # zeros are positive
    finite = _finite(torch.view_as_real(result))
    return result if finite else el.expm1_complex(x)


def _log1p(x: Tensor) -> Tensor:
    a, b = _parts(x)
    square = b * b
    more = a * (a + 2) + square  # |1 + x|**2 - 1
    near = torch.log((a + 1).square_().add_(square))
    real = torch.where(more < -0.5, near, more.log1p_()).div_(2)
    result = _joined(torch.where((a == 0) & (b == 0), a, real), torch.atan2(b, a + 1))
    return result if _finite(torch.view_as_real(result)) else el.log1p_complex(x)


# --- rows -----------------------------------------------------------------------------------------

_WIDE: Final = frozenset({dt.float32, dt.float64})
_SEEN: Final = Evidence("torch 2.13, CPU: x86", "time")
_HALF: Final = "of the two ways of the composition, few elements take the longer one"
_IN_FLOAT64: Final = "one step after the other of real numbers, several at once, in float64"
_IN_CACHE: Final = "of a dozen steps or more each makes a tensor of the result's size, or more"

ROWS: Final = (
    Row(
        "bdtr bdtrc bdtri betainc betaincc betaincinv betaln binom boxcox boxcox1p cbrt chdtr "
        "chdtrc chdtri cosdg cotdg ellipk ellipkm1 exp1 expi expn exprel fdtr fdtrc fdtri gamma "
        "gammainccinv gammaincinv inv_boxcox inv_boxcox1p j0 j1 kl_div nbdtr nbdtrc nbdtri pdtri "
        "poch polygamma pseudo_huber rgamma sindg spence stdtr stdtrit tandg y0 y1 zetac",
        _WIDE,
        InPortions(),
        _IN_CACHE,
        _SEEN,
    ),
    Row("ndtr", {dt.float64}, InPortions(), _IN_CACHE, _SEEN),
    Row("psi", {dt.float64}, InPortions(_psi), _IN_CACHE, _SEEN),
    Row("psi", {dt.float32}, InPortions(_psi_of_float32), "torch's is exact enough for it", _SEEN),
    Row("ndtr", {dt.float32}, InPortions(_ndtr), "torch's erfc of float64 is slow", _SEEN),
    Row("erfcx i1e k0 k0e k1 k1e log_ndtr", {dt.float32}, InPortions(), _IN_CACHE, _SEEN),
    *(
        Row(name, {dt.float32}, InPortions(_i(order)), "few powers do for float32", _SEEN)
        for order, name in enumerate(("i0", "i1"))
    ),
    Row("erfcx i0 i1 log_ndtr", {dt.float64}, InPortions(), _IN_CACHE, _SEEN),
    Row("acos pow tan tanh", dt.COMPLEX, InPortions(), _IN_CACHE, _SEEN),
    Row("expm1 log1p", {dt.complex128}, InPortions(), _IN_CACHE, _SEEN),
    Row("expm1", {dt.complex64}, InPortions(_expm1), _IN_FLOAT64, _SEEN),
    Row("log1p", {dt.complex64}, InPortions(_log1p), _IN_FLOAT64, _SEEN),
    *(
        Row("logit", {dtype}, route, "two logarithms of each, where one will do", _SEEN)
        for dtype, route in (
            (dt.float32, InPortions(_logit_of_float32, PIECE)),
            (dt.float64, InPortions(_logit, PIECE, GRAIN)),  # with two temporaries
        )
    ),
    Row("gammainc gammaincc", {dt.float32}, InPortions(), _IN_CACHE, _SEEN),
    Row("gammainc", {dt.float64}, InPortions(_gammainc), _HALF, _SEEN),
    Row("gammaincc", {dt.float64}, InPortions(_gammaincc), _HALF, _SEEN),
    Row("sinc", {dt.float32}, InPortions(_sinc), "torch divides one by one", _SEEN),
)
