"""The inverses of the incomplete gamma and beta functions, by Halley's method.

The logarithms of both tails are concave in the logarithm of x, or in that of x / (1 - x): the
densities of these are log-concave.  So from any start the iteration nears the solution from one
side, and a fixed number of steps does from a start that is near.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from .._torch import dtypes as dt
from .._torch import torch
from . import beta
from . import elementwise as el
from . import special as sp
from ._constants import repeated, where
from ._derivatives import tracked
from ._operations import Op, register

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

_STEPS: Final = 6

_FARTHEST: Final = {dt.float32: 206.0, dt.float64: 1488.0}
"""Beyond this logarithm even the square root of what exp gives is 0 or infinite."""


def _solved(
    start: Tensor,
    center: Tensor,
    lower: Tensor,
    wanted: Tensor,
    function: Callable[..., tuple[Tensor, Tensor, Tensor, Tensor]],
    *parameters: Tensor,
) -> Tensor:
    """Return where a tail of a distribution is as wanted: the lower one, or the upper one.

    ``function`` of a place and the parameters of the distribution returns both tails, the density
    and the logarithmic derivative of the density.
    """
    given = wanted, *parameters
    most = _FARTHEST[start.dtype]

    def bounded(at: Tensor) -> Tensor:
        return where(at > most, most, where(at < -most, -most, at))

    at, center, wanted = bounded(start.detach()), center.detach(), wanted.detach()
    still = [t.detach() for t in parameters]
    goal = torch.log(wanted)

    def halley(_: int, at: Tensor) -> tuple[Tensor]:
        left, right, density, bend = function(at, *still)
        tail = where(lower, left, right)
        some = tail > 0
        tail = where(some, tail, 1.0)
        density = where(some & (density > 0), density, 1.0)
        slope = where(lower, density, -density) / tail
        # Near the solution, log1p of the relative error has digits that the logarithms lack.
        error = (tail - wanted) / wanted
        near = torch.abs(error) < 0.5
        distance = torch.log(tail) - goal
        distance = where(near, el.log1p(where(near, error, 0.0)), distance)
        newton = distance / slope
        factor = 1 - 0.5 * newton * (bend - slope)
        step = newton / where(factor > 0.5, factor, 0.5)
        step = where(step > _LONGEST, _LONGEST, where(step < -_LONGEST, -_LONGEST, step))
        # Where a tail vanishes, the place is too far from the center.
        step = where(some, step, 0.25 * (at - center))
        return (bounded(at - step),)

    (at,) = repeated(at, halley, (at,), range(_STEPS))
    if tracked(*given):
        # Two steps of Newton's method that torch follows have the derivatives up to the third.
        for _ in range(2):
            left, right, density, _ = function(at, *parameters)
            beyond = where(lower, left - given[0], given[0] - right)
            some = density > 0
            step = where(some, beyond, 0.0) / where(some, density, 1.0)
            at = at - step
    return at


_LONGEST: Final = 800.0
"""The longest step."""


# --- the incomplete gamma functions ---------------------------------------------------------------


def _gamma_inverse(a: Tensor, p: Tensor, q: Tensor) -> Tensor:
    """Return x where P(a, x) is p and Q(a, x) is q."""
    usual = (a > 0) & (a < math.inf) & (p > 0) & (q > 0)
    b = where(usual, a, 1.0)
    left, right = where(usual, p, 0.5), where(usual, q, 0.5)
    small = b < 1
    lower = left < where(small, 0.75, torch.full_like(left, 0.5))
    # By the first term of the series for P, by the normal distribution, by a exp(-x) > Q, a < 1.
    log = where(left < 0.5, torch.log(left), el.log1p(-right))
    few = where(small, b, 1.0)
    power = (log + where(small, sp.lgamma1p(few), sp.gammaln(b + 1))) / b
    quantile = where(lower, sp.ndtri(left), -sp.ndtri(right))
    root = 1 - (1 / (9 * b)) + quantile / (3 * torch.sqrt(b))
    cube = where(small | (root < 0.2), 1.0, root)
    by_normal = torch.log(b) + 3 * torch.log(cube)
    rare = small & ~lower & (right < 0.2 * b)
    far = torch.log(-torch.log(where(rare, right, 0.2 * b) / b))
    start = where(small | (root < 0.2), power, by_normal)
    start = where(rare, far, start)
    # So far left the first term is the whole series.
    whole = power < -45
    start = where(whole, 0.0, start)

    def function(log: Tensor, a: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        x = torch.exp(log)
        # x**a exp(-x) / gamma(a), whose logarithms cancel for large a.
        large = (a >= sp.SMALL) & (x > 0.5 * a)
        many = where(large, a, 10.0)
        beyond = where(large, (x - a) / many, 0.0)
        exponent = -many * beta.lacking(beyond) - sp.stirling(many)
        by_stirling = torch.exp(exponent) * torch.sqrt(many * (1 / (2 * math.pi)))
        few = where(large, 1.0, a)
        direct = few * log - where(large, 1.0, x) - sp.gammaln(few)
        density = where(large, by_stirling, torch.exp(where(large, 0.0, direct)))
        return sp.gammainc(a, x), sp.gammaincc(a, x), density, a - x

    result = torch.exp(_solved(start, torch.log(b), lower, where(lower, left, right), function, b))
    result = where(whole, torch.exp(power), result)
    valid = (p >= 0) & (q >= 0) & where(p * q == 0, a >= 0, a == math.inf)
    ends = where(p == 0, 0.0, torch.full_like(p, math.inf))
    return where(usual, result, where(valid, ends, math.nan))


def _gammaincinv(a: Tensor, p: Tensor) -> Tensor:
    a, p = torch.broadcast_tensors(a, p)  # type: ignore[no-untyped-call]
    return _gamma_inverse(a, p, 1 - p)


def _gammainccinv(a: Tensor, q: Tensor) -> Tensor:
    a, q = torch.broadcast_tensors(a, q)  # type: ignore[no-untyped-call]
    return _gamma_inverse(a, 1 - q, q)


# --- the incomplete beta function -----------------------------------------------------------------


def _beta_inverse(a: Tensor, b: Tensor, p: Tensor, q: Tensor) -> Tensor:
    """Return log(x / (1 - x)) where the incomplete beta function is p, and lacks q of 1."""
    lower = (p <= 0.25) | ((p < 0.75) & (a <= b))
    log_p = where(p < 0.5, torch.log(p), el.log1p(-q))
    log_q = where(q < 0.5, torch.log(q), el.log1p(-p))
    log_beta = sp.betaln(a, b)
    # I(a, b) is x**a / (a B(a, b)) or less for b >= 1, more for b <= 1, and then at most x**a.
    left = log_p + torch.log(a) + log_beta
    few = where(b < 1, b, 1.0)
    right = where(b < 1, sp.lgamma1p(few) - beta.log_gamma_ratio(a, few), torch.log(b) + log_beta)
    right = log_q + right
    near = left < 0
    left = where(near, left, log_p) / a
    right = where(right < 0, right, log_q) / b
    from_left = left - torch.log(-el.expm1(left))
    from_right = torch.log(-el.expm1(right)) - right
    # https://dlmf.nist.gov/8.17; M. Abramowitz and I. Stegun, Handbook, 26.5.22
    z = where(p < 0.5, sp.ndtri(p), -sp.ndtri(q))
    many = (a >= 1) & (b >= 1)
    first, second = (
        1 / (2 * where(many, a, 1.0) - 0.5),
        1 / (2 * where(many, b, 1.0) - 0.5),
    )
    mean = 2 / (first + second)
    curve = (z * z - 3) * (1 / 6)
    w = z * torch.sqrt(torch.abs(mean + curve)) / mean
    w = w - (second - first) * (curve + 5 / 6 - 2 / (3 * mean))
    by_normal = torch.log(a / b) + 2 * w
    # Far from the normal distribution, by the bounds of the tails.
    least = where(a < b, a, b)
    far = z * z > 2 * least
    by_normal = where((far | ((least < 10) & (p < 0.1))) & (p < 0.5), from_left, by_normal)
    by_normal = where((far | ((least < 10) & (q < 0.1))) & (p >= 0.5), from_right, by_normal)
    # Where the density has a pole, the side of the pole holds most.
    pole = where(
        (a < 1) & (b < 1), p * (a + b) < b, where(a < 1, q > 0.2 * a, near & (p < 0.2 * b))
    )
    start = where(many, by_normal, where(pole, from_left, from_right))

    def function(logit: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        size = torch.exp(-torch.abs(logit))
        low, high = size / (1 + size), 1 / (1 + size)
        log_high = -el.log1p(size)
        log_low = log_high - torch.abs(logit)
        positive = logit > 0
        x, y = where(positive, high, low), where(positive, low, high)
        logs = where(positive, log_high, log_low), where(positive, log_low, log_high)
        at = beta.Point(x, y, *logs, a * y - b * x)
        return *beta.tails(a, b, at), beta.density(a, b, at), at.ahead

    return _solved(start, torch.log(a / b), lower, where(lower, p, q), function, a, b)


def _logit(a: Tensor, b: Tensor, p: Tensor, q: Tensor) -> Tensor:
    """Return it with its ends, which are infinite, as it is of an infinite a or b.

    NaN outside the domain, and between the ends of two infinities.
    """
    inside = (a > 0) & (b > 0) & (p >= 0) & (q >= 0)
    usual = inside & (a < math.inf) & (b < math.inf) & (p > 0) & (q > 0)
    one = torch.ones_like(p)
    result = _beta_inverse(
        where(usual, a, one),
        where(usual, b, one),
        where(usual, p, 0.5),
        where(usual, q, 0.5),
    )
    limit = where(a < b, -math.inf, where(a > b, math.inf, one * math.nan))
    ends = where(p == 0, -math.inf, where(q == 0, math.inf, limit))
    return where(usual, result, where(inside, ends, math.nan))


def _betaincinv(a: Tensor, b: Tensor, y: Tensor) -> Tensor:
    a, b, y = torch.broadcast_tensors(a, b, y)  # type: ignore[no-untyped-call]
    return sp.expit(_logit(a, b, y, 1 - y))


def _bdtri(k: Tensor, n: Tensor, y: Tensor) -> Tensor:
    k, n, y = torch.broadcast_tensors(k, n, y)  # type: ignore[no-untyped-call]
    k, n = el.floor(k), el.floor(n)
    return sp.expit(-_logit(n - k, where(k >= 0, k + 1, math.nan), y, 1 - y))


def _nbdtri(k: Tensor, n: Tensor, y: Tensor) -> Tensor:
    k, n, y = torch.broadcast_tensors(k, n, y)  # type: ignore[no-untyped-call]
    k, n = el.floor(k), el.floor(n)
    return sp.expit(_logit(n, where(k >= 0, k + 1, math.nan), y, 1 - y))


def _fdtri(dfn: Tensor, dfd: Tensor, p: Tensor) -> Tensor:
    dfn, dfd, p = torch.broadcast_tensors(dfn, dfd, p)  # type: ignore[no-untyped-call]
    logit = _logit(0.5 * dfn, 0.5 * dfd, p, 1 - p)
    root = torch.exp(0.5 * logit)  # two factors, lest one overflow
    # Of infinite degrees of freedom the ends alone.
    end = where((p == 0) | (p == 1), 1.0, torch.full_like(p, math.nan))
    ratio = where(dfn + dfd < math.inf, dfd / dfn, end)
    return root * ratio * root


def _stdtrit(df: Tensor, p: Tensor) -> Tensor:
    df, p = torch.broadcast_tensors(df, p)  # type: ignore[no-untyped-call]
    left = p < 0.5
    tail = where(left, p, 1 - p)
    logit = _logit(0.5 * df, torch.full_like(df, 0.5), 2 * tail, 1 - 2 * tail)
    size = torch.sqrt(df) * torch.exp(-0.5 * logit)
    result = where(left, -size, size)
    # In the middle 0, with the reciprocal of the density for the derivative.
    middle = (p == 0.5) & (df > 0) & (df < math.inf)
    freedom = where(middle, df, 1.0)
    scale = torch.sqrt(freedom) * torch.exp(sp.betaln(0.5 * freedom, torch.full_like(df, 0.5)))
    result = where(middle, (p - 0.5) * scale, result)
    return where((df == math.inf) & (p == p), sp.ndtri(p), result)


def _chdtri(v: Tensor, p: Tensor) -> Tensor:
    return 2 * gammainccinv(0.5 * v, p)


def _pdtri(k: Tensor, y: Tensor) -> Tensor:
    return gammainccinv(where(k >= 0, el.floor(k) + 1, math.nan), y)


# --- the operations -------------------------------------------------------------------------------

_REAL: Final = dt.REAL_FLOATING

bdtri: Final = Op("bdtri", _bdtri, _REAL, mixes=True)
betaincinv: Final = Op("betaincinv", _betaincinv, _REAL, mixes=True)
chdtri: Final = Op("chdtri", _chdtri, _REAL, mixes=True)
fdtri: Final = Op("fdtri", _fdtri, _REAL, mixes=True)
gammainccinv: Final = Op("gammainccinv", _gammainccinv, _REAL, mixes=True)
gammaincinv: Final = Op("gammaincinv", _gammaincinv, _REAL, mixes=True)
nbdtri: Final = Op("nbdtri", _nbdtri, _REAL, mixes=True)
pdtri: Final = Op("pdtri", _pdtri, _REAL, mixes=True)
stdtrit: Final = Op("stdtrit", _stdtrit, _REAL, mixes=True)

register(
    sp.computed_wide("bdtri betaincinv chdtri fdtri gammainccinv gammaincinv nbdtri pdtri stdtrit")
)
