"""The incomplete beta function, and what is made of it: distributions, and binomial coefficients.

The incomplete beta function is an integral from a formula with a fixed number of nodes, because a
continued fraction needs more steps the larger its operands are.  Each tail is computed where it is
small; the other one is what it lacks of 1.  As in ``special``, compositions read no values and add
no constants but those that float32 holds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .._torch import dtypes as dt
from .._torch import torch
from . import _tables as tables
from . import elementwise as el
from . import special as sp
from ._operations import Op, register

if TYPE_CHECKING:
    from torch import Tensor

_NEGLIGIBLE: Final = {dt.float32: 17.5, dt.float64: 37.5}
"""Minus the logarithm of what does not count beside 1."""
_CORNER_TERMS: Final = {dt.float32: 16, dt.float64: 34}


class Point(NamedTuple):
    """An operand x of the incomplete beta function, so that nothing cancels.

    ``y`` is 1 - x.  ``ahead`` is a - (a + b) x, how far the mean is ahead of x.
    """

    x: Tensor
    y: Tensor
    log_x: Tensor
    log_y: Tensor
    ahead: Tensor


def _product(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return a product and what its rounding has lost, by Dekker's splitting."""
    factor = 4097.0 if x.dtype is dt.float32 else 134217729.0

    def halves(z: Tensor) -> tuple[Tensor, Tensor]:
        scaled = z * factor
        high = scaled - (scaled - z)
        return high, z - high

    product = x * y
    (x_high, x_low), (y_high, y_low) = halves(x), halves(y)
    rest = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, rest


def _ahead(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """Return a - (a + b) x, without the rounding of the sum and of the product."""
    total = a + b
    back = total - a
    rest = (a - (total - back)) + (b - back)
    product, lost = _product(total, x)
    exact = (a - product) - (lost + rest * x)
    # Numbers for which splitting overflows are far from the mean, or have no digits to lose.
    return torch.where(torch.abs(exact) < math.inf, exact, a - product)


def lacking(t: Tensor) -> Tensor:
    """Return t - log(1 + t), by a series where the difference cancels."""
    near = torch.abs(t) <= 0.5
    u = torch.where(near, t, 0.0)
    inverse = 1 / (2 - -u)
    small = u * u * (inverse * (1 - inverse * sp.atanh_rest(u * inverse)))
    v = torch.where(near, 1.0, t)
    return torch.where(near, small, v - el.log1p(v))


def _stirling_step(x: Tensor, h: Tensor) -> Tensor:
    """Return what Stirling's series at x + h exceeds that at x by, as a multiple of h."""
    far = x + h
    u, v = 1 / x, 1 / far
    p, q = u * u, v * v
    slope: Any = torch.zeros_like(x)
    value = torch.full_like(x, sp.STIRLING[-1])
    for coefficient in reversed(sp.STIRLING[:-1]):
        slope = slope * q + value
        value = coefficient - -p * value
    at_far = value + slope * (q - p)
    result: Tensor = -u * v * (at_far + u * (u + v) * slope)
    return result


def log_gamma_ratio(x: Tensor, h: Tensor) -> Tensor:
    """Return log(gamma(x + h) / gamma(x)) for x > 0 and 0 <= h <= x or 1, as exact as h.

    Below 9 it is raised by the recurrence of the gamma function.
    """
    small = x < 9
    raised = torch.where(small, x + 9, x)
    ratio = h / raised
    result = (raised - 0.5 + h) * el.log1p(ratio) + h * (torch.log(raised) - 1)
    result = result + h * _stirling_step(raised, h)
    low = torch.where(small, x, 1.0)
    steps: Any = 0.0
    for k in range(9):
        steps = steps + el.log1p(h / (low + k))
    return torch.where(small, result - steps, result)


def density(a: Tensor, b: Tensor, at: Point) -> Tensor:
    """Return x**a y**b / B(a, b)."""
    # Raise the smaller one by the recurrence if that makes both large; else logarithms cancel.
    first = a < b
    s, t = torch.where(first, a, b), torch.where(first, b, a)
    own = torch.where(first, at.x, at.y)
    raised = (s >= 1) & (s < sp.SMALL) & (t >= sp.SMALL) & (own * (s + t) * 2 >= s)
    divisor = torch.where(raised, own, 1.0)
    factor = torch.ones_like(a)
    for k in range(_RAISED):
        quotient = (s + k) / (divisor * (s + t + k))
        factor = factor * torch.where(raised, quotient, 1.0)
    more = torch.where(raised, float(_RAISED), torch.zeros_like(a))
    ahead = at.ahead + torch.where(first, more * at.y, -more * at.x)
    a, b = torch.where(first, a + more, a), torch.where(first, b, b + more)
    return _density_by_cases(a, b, at._replace(ahead=ahead)) * factor


_RAISED: Final = 8


def _density_by_cases(a: Tensor, b: Tensor, at: Point) -> Tensor:
    large = (a >= sp.SMALL) & (b >= sp.SMALL)
    # Both are large.
    p, q = torch.where(large, a, 10.0), torch.where(large, b, 10.0)
    ahead = torch.where(large, at.ahead, 0.0)
    below, above = -ahead / p, ahead / q
    low = below < -0.5
    quotient = at.x / p * (p + q)
    by_log = below - torch.log(torch.where(low, quotient, 1.0))
    left = torch.where(low, by_log, lacking(torch.where(low, 0.0, below)))
    high = above < -0.5
    quotient = at.y / q * (p + q)
    by_log = above - torch.log(torch.where(high, quotient, 1.0))
    right = torch.where(high, by_log, lacking(torch.where(high, 0.0, above)))
    series = sp.stirling(p + q) - sp.stirling(p) - sp.stirling(q)
    # (p q) / (p + q), without overflow
    size = torch.sqrt(p / (p + q) * q * (1 / (2 * math.pi)))
    both = torch.exp(series - (p * left + q * right)) * size
    # One of them is small, or both.
    first = a < b
    s, t = torch.where(first, a, b), torch.where(first, b, a)
    log_s = torch.where(first, at.log_x, at.log_y)
    log_t = torch.where(first, at.log_y, at.log_x)
    s = torch.where(large, 1.0, s)
    one = t >= sp.SMALL
    u = torch.where(one & ~large, t, 10.0)
    ratio = torch.where(one, s, 1.0) / u
    exponent = (s - 0.5) * ratio - (u - 0.5 + s) * lacking(ratio)
    exponent = exponent + (sp.stirling(u + s) - sp.stirling(u)) + u * torch.where(one, log_t, 0.0)
    exponent = exponent + s * (torch.where(one, log_s, 0.0) + torch.log(u))
    v = torch.where(one, 1.0, t)
    w = torch.where(one, 1.0, s)
    few = torch.exp(w * torch.where(one, 0.0, log_s) + v * torch.where(one, 0.0, log_t))
    above, below = sp.gamma_below(v)
    few = few * (_gamma_of_few(v + w) * (below / above))
    above, below = sp.gamma_below(s)
    few = torch.where(one, torch.exp(exponent), few) * (below / above)
    return torch.where(large, both, few)


def _gamma_of_few(x: Tensor) -> Tensor:
    """Return gamma(x) for 0 < x < 17, by the recurrence from 8.5 on."""
    lowered = x >= sp.SMALL
    above, below = sp.gamma_below(torch.where(lowered, x - 8, x))
    result = above / below
    for k in range(1, 9):
        result = result * torch.where(lowered, x - k, 1.0)
    return result


def _falling(a: Tensor, b: Tensor, x: Tensor, y: Tensor, ahead: Tensor) -> Tensor:
    """Return the integral of (t / x)**a ((1 - t) / y)**(b - 1) dt / (t y) from 0 to x.

    For a >= 1 and ``ahead`` >= 0, where the integrand falls from x on.  With t = x exp(-s) it is
    exp(-a s) (1 + x / y (1 - exp(-s)))**(b - 1).
    """
    w, power = x / y, b - 1
    enough = _NEGLIGIBLE[a.dtype]
    with torch.no_grad():
        # Where the integrand is negligible: for b >= 1 by Newton's method, which nears it from far.
        concave = power > 0
        falls = (ahead + x) / y + (a - a)
        falls = torch.where(concave, torch.where(falls > 0, falls, 0.0), a)
        bends = torch.where(concave, power * w * (1 + w), 0.0)
        end = 2 * enough / (falls + torch.sqrt(falls * falls + 2 * enough * bends))
        for _ in range(_NEWTON):
            rest = el.expm1(-end)
            inner = 1 - w * rest
            value = power * torch.log(inner) - a * end
            slope = power * w * (1 + rest) / inner - a
            step = (value - -enough) / slope
            end = torch.where(concave & (slope < 0), end - step, end)
        end = torch.where(concave, end, enough / a)
    total: Any = 0.0
    for node, weight in zip(*_NODES_OF[a.dtype]):
        s = end * node
        exponent = power * el.log1p(-w * el.expm1(-s)) - a * s
        total = total + weight * torch.exp(exponent)
    result: Tensor = total * end / y
    return result


_NODES_OF: Final = dict(zip((dt.float32, dt.float64), tables.LEGENDRE))
_NEWTON: Final = 4


def _corner(a: Tensor, b: Tensor, y: Tensor, log_y: Tensor) -> tuple[Tensor, Tensor]:
    """Return both tails for b < 1 and y max(1, a) < 1/2: 1 minus nearly 1, without cancellation."""
    exponent = b * log_y + (log_gamma_ratio(a, b) - sp.lgamma1p(b))
    term = torch.ones_like(y)
    total = torch.zeros_like(y)
    for k in range(1, _CORNER_TERMS[a.dtype]):
        term = term * ((k - a) * y) * (1 / k)
        total = total + term / (b + k)
    rest = torch.exp(exponent) * (b * total)
    return -(el.expm1(exponent) + rest), torch.exp(exponent) + rest


def tails(a: Tensor, b: Tensor, at: Point) -> tuple[Tensor, Tensor]:
    """Return the incomplete beta function and what it lacks of 1, for 0 < x < 1 and a, b > 0."""
    right = (b < 1) & (at.x > 2 * at.y * torch.where(a > 1, a, 1.0))
    left = (a < 1) & (at.y > 2 * at.x * torch.where(b > 1, b, 1.0))
    swapped = left | (~right & (at.ahead < 0))
    a, b = torch.where(swapped, b, a), torch.where(swapped, a, b)
    x, y = torch.where(swapped, at.y, at.x), torch.where(swapped, at.x, at.y)
    log_x = torch.where(swapped, at.log_y, at.log_x)
    log_y = torch.where(swapped, at.log_x, at.log_y)
    ahead = torch.where(swapped, -at.ahead, at.ahead)
    corner = left | right
    small, rest = _corner(
        torch.where(corner, a, 1.0),
        torch.where(corner, b, 0.5),
        torch.where(corner, y, 0.25),
        torch.where(corner, log_y, math.log(0.25)),
    )
    p, q = torch.where(corner, 1.0, a), torch.where(corner, 1.0, b)
    half = torch.full_like(a, 0.5)
    log_half = torch.full_like(a, -math.log(2))
    point = Point(
        torch.where(corner, half, x),
        torch.where(corner, half, y),
        torch.where(corner, log_half, log_x),
        torch.where(corner, log_half, log_y),
        torch.where(corner, 0.0, ahead),
    )
    height = density(p, q, point)
    # I(a, b) = I(a + 1, b) + density / a
    low = p < 1
    raised = torch.where(low, p + 1, p)
    shift = torch.where(low, 1 - point.x, 0.0)
    integral = _falling(raised, q, point.x, point.y, point.ahead + shift)
    safe = torch.where(low, p, 1.0)
    by_recurrence = (1 + point.x * (p + q) * integral) / safe
    tail = height * torch.where(low, by_recurrence, integral)
    tail = torch.where(corner, small, tail)
    other = torch.where(corner, rest, 1 - tail)
    return torch.where(swapped, other, tail), torch.where(swapped, tail, other)


def _usual(a: Tensor, b: Tensor, inside: Tensor) -> Tensor:
    return inside & (a > 0) & (b > 0) & (a < math.inf) & (b < math.inf)


def _regularized(a: Tensor, b: Tensor, x: Tensor, which: int) -> Tensor:
    """Return the incomplete beta function, for ``which`` 0, or what it lacks of 1."""
    a, b, x = torch.broadcast_tensors(a, b, x)  # type: ignore[no-untyped-call]
    usual = _usual(a, b, (x > 0) & (x < 1))
    p, q, z = torch.where(usual, a, 1.0), torch.where(usual, b, 1.0), torch.where(usual, x, 0.5)
    y = 1 - z
    low = z < 0.5
    log_y = torch.where(low, el.log1p(-torch.where(low, z, 0.25)), torch.log(y))
    result = tails(p, q, Point(z, y, torch.log(z), log_y, _ahead(p, q, z)))[which]
    return _with_ends(a, b, x, usual, result, which)


def _with_ends(
    a: Tensor, b: Tensor, x: Tensor, usual: Tensor, result: Tensor, which: int
) -> Tensor:
    """Set what the incomplete beta function is at the ends of its domain."""
    one, zero = float(1 - which), float(which)
    valid = (x >= 0) & (x <= 1) & (a >= 0) & (b >= 0)
    # All of the distribution is at 0, or at 1.
    at_zero = (a == 0) | (b == math.inf)
    at_one = (b == 0) | (a == math.inf)
    valid = valid & ~(at_zero & at_one)
    ends = torch.where(x == 0, torch.full_like(x, zero), one)
    ends = torch.where(at_zero & (x > 0), one, ends)
    ends = torch.where(at_one & (x < 1), zero, ends)
    ends = torch.where(x == 0, zero, torch.where(x == 1, one, ends))
    return torch.where(usual, result, torch.where(valid, ends, math.nan))


def _betainc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    return _regularized(a, b, x, 0)


def _betaincc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    return _regularized(a, b, x, 1)


# --- distributions --------------------------------------------------------------------------------


def _bdtr(k: Tensor, n: Tensor, p: Tensor) -> Tensor:
    return _binomial(k, n, p, 1)


def _bdtrc(k: Tensor, n: Tensor, p: Tensor) -> Tensor:
    return torch.where((k < 0) & (n >= k) & (p >= 0) & (p <= 1), 1.0, _binomial(k, n, p, 0))


def _binomial(k: Tensor, n: Tensor, p: Tensor, which: int) -> Tensor:
    k, n = el.floor(k), el.floor(n)
    inside = (k >= 0) & (k < n)
    first = torch.where(inside, k + 1, 1.0)
    result = _regularized(first, torch.where(inside, n - k, 1.0), p, which)
    whole = (p >= 0) & (p <= 1) & (k == n) & (k >= 0)
    end = torch.where(whole, float(which), torch.full_like(result, math.nan))
    return torch.where(inside, result, end)


def _nbdtr(k: Tensor, n: Tensor, p: Tensor) -> Tensor:
    return _negative_binomial(k, n, p, 0)


def _nbdtrc(k: Tensor, n: Tensor, p: Tensor) -> Tensor:
    return _negative_binomial(k, n, p, 1)


def _negative_binomial(k: Tensor, n: Tensor, p: Tensor, which: int) -> Tensor:
    k, n = el.floor(k), el.floor(n)
    result = _regularized(n, torch.where(k >= 0, k + 1, 1.0), p, which)
    return torch.where((k >= 0) & (n > 0), result, math.nan)


def _fdtr(dfn: Tensor, dfd: Tensor, x: Tensor) -> Tensor:
    return _f(dfn, dfd, x, 0)


def _fdtrc(dfn: Tensor, dfd: Tensor, x: Tensor) -> Tensor:
    return _f(dfn, dfd, x, 1)


def _f(dfn: Tensor, dfd: Tensor, x: Tensor, which: int) -> Tensor:
    dfn, dfd, x = torch.broadcast_tensors(dfn, dfd, x)  # type: ignore[no-untyped-call]
    usual = _usual(dfn, dfd, (x > 0) & (x < math.inf))
    a, b = torch.where(usual, 0.5 * dfn, 1.0), torch.where(usual, 0.5 * dfd, 1.0)
    f = torch.where(usual, x, 0.5)
    odds = f * (a / b)
    share, rest = 1 / (1 + 1 / odds), 1 / (1 + odds)
    logs = -el.log1p(1 / odds), -el.log1p(odds)
    result = tails(a, b, Point(share, rest, *logs, a * (1 - f) * rest))[which]
    result = torch.where(usual, result, torch.where(x > 0, float(1 - which), float(which) + 0 * x))
    valid = (dfn > 0) & (dfd > 0) & (dfn < math.inf) & (dfd < math.inf) & (x >= 0)
    return torch.where(valid, result, math.nan)


def _stdtr(df: Tensor, t: Tensor) -> Tensor:
    df, t = torch.broadcast_tensors(df, t)  # type: ignore[no-untyped-call]
    size = torch.abs(t)
    usual = (df > 0) & (df < math.inf) & (size > 0) & (size < math.inf)
    freedom, z = torch.where(usual, df, 1.0), torch.where(usual, t, 0.5)
    size = torch.abs(z)
    # With r = size / sqrt(df): x = 1 / (1 + r**2), without overflow.
    root = size / torch.sqrt(freedom)
    far = root > 1e4
    near_square, inverse = torch.where(far, 1.0, root), 1 / torch.where(far, root, 1.0)
    near_square, inverse = near_square * near_square, inverse * inverse
    x = torch.where(far, inverse / (1 + inverse), 1 / (1 + near_square))
    y = torch.where(far, 1 / (1 + inverse), near_square / (1 + near_square))
    log = torch.log(root)
    log_x = torch.where(far, -2 * log - el.log1p(inverse), -el.log1p(near_square))
    ahead = torch.where(far, freedom * y - x, (size - 1) * (size + 1) * x) * 0.5
    at = Point(x, y, log_x, 2 * log + log_x, ahead)
    tail = 0.5 * tails(0.5 * freedom, torch.full_like(z, 0.5), at)[0]
    result = torch.where(z < 0, tail, 1 - tail)
    ends = torch.where(t == 0, 0.5, torch.where(t < 0, torch.zeros_like(t), 1.0))
    valid = (df > 0) & (t == t)
    result = torch.where(usual, result, torch.where(valid, ends, math.nan))
    return torch.where((df == math.inf) & (t == t), sp.ndtr(t), result)


# --- quotients of gamma functions -----------------------------------------------------------------


def _reciprocal(a: Tensor, b: Tensor) -> Tensor:
    """Return 1 / B(a, b) for positive operands."""
    none = torch.zeros_like(a)
    half = torch.full_like(a, 0.5)
    result = _density_by_cases(a, b, Point(half, half, none, none, none))
    large = (a >= sp.SMALL) & (b >= sp.SMALL)
    p, q = torch.where(large, a, 10.0), torch.where(large, b, 10.0)
    # The rest of the density at the mean, as two factors, lest one overflow.
    power = 0.5 * (p * el.log1p(q / p) + q * el.log1p(p / q))
    root = torch.exp(torch.where(large, power, 0.0))
    return result * root * root


def _binom(n: Tensor, k: Tensor) -> Tensor:
    n, k = torch.broadcast_tensors(n, k)  # type: ignore[no-untyped-call]
    whole = el.floor(k) == k
    # For a negative n and a whole k, that of k - n - 1 with the sign of (-1)**k.
    turned = (n < 0) & whole & (k >= 0)
    top = torch.where(turned, k - n - 1, n)
    rest = torch.where(turned, -n - 1, n - k)
    inside = (rest > -1) & (k > -1)
    # For k beyond 0 and n, by reflection.
    beyond = (top > -1) & ~inside & (torch.abs(k) < math.inf)
    over = beyond & (k > 0)
    a = torch.where(inside, rest + 1, torch.where(beyond, top + 1, 1.0))
    b = torch.where(inside, k + 1, torch.where(over, -rest, torch.where(beyond, -k, 1.0)))
    finite = (a < math.inf) & (b < math.inf)
    reciprocal = _reciprocal(torch.where(finite, a, 1.0), torch.where(finite, b, 1.0))
    result = reciprocal / torch.where(inside, top + 1, 1.0)
    # A number that is nearly whole, and must be whole, is made so.
    exact = inside & whole & (el.floor(n) == n) & (result < _WHOLE[n.dtype])
    rounded = el.round(torch.where(exact, result, 0.0))
    result = result - torch.where(exact, result - rounded, 0.0).detach()
    even = el.floor(0.5 * k) * 2 == k
    result = torch.where(turned & ~even, -result, result)
    distance = torch.where(over, -rest, torch.where(beyond, -k, 0.25))
    down = el.floor(distance)
    sine = sp.sin_pi(distance)
    sine = torch.where(el.floor(0.5 * down) * 2 == down, torch.abs(sine), -torch.abs(sine))
    sine = torch.where(down == distance, 0.0, sine)
    outside = sine / (torch.where(beyond, reciprocal, 1.0) * math.pi)
    result = torch.where(beyond, outside, result)
    # Few numbers are left: negative n that are not whole, and k that are neither.
    left = ~(inside | beyond) & (torch.abs(n) < math.inf) & (torch.abs(k) < math.inf)
    x, y = torch.where(left, n, -0.5), torch.where(left, k, 0.25)
    product = sp.gamma(x + 1) * sp.rgamma(y + 1) * sp.rgamma(x - y + 1)
    result = torch.where(left, product, result)
    valid = ~((n < 0) & (el.floor(n) == n)) & (torch.abs(k) < math.inf) & (n < math.inf)
    return torch.where(valid & (n == n) & (n > -math.inf), result, math.nan)


_WHOLE: Final = {dt.float32: 2.0**16, dt.float64: 2.0**45}
"""Below these numbers the error of a binomial coefficient is less than a half."""


def _poch(x: Tensor, m: Tensor) -> Tensor:
    x, m = torch.broadcast_tensors(x, m)  # type: ignore[no-untyped-call]
    finite = (torch.abs(x) < math.inf) & (torch.abs(m) < math.inf)
    y, h = torch.where(finite, x, 1.0), torch.where(finite, m, 1.0)
    whole = el.floor(h) == h
    # Below 0, for a whole m, by reflection.
    turned = whole & (y <= 0) & (y + h <= 0)
    low, high = torch.where(turned, 1 - y - h, y), torch.where(turned, 1 - y, y + h)
    positive = (low > 0) & (high > 0)
    down = high < low
    least = torch.where(positive, torch.where(down, high, low), 1.0)
    log = log_gamma_ratio(least, torch.where(positive, torch.abs(h), 1.0))
    result = torch.exp(torch.where(down, -log, log))
    odd = el.floor(0.5 * h) * 2 != h
    result = torch.where(turned & odd, -result, result)
    other = ~positive
    product = sp.gamma(torch.where(other, y + h, 1.0)) * sp.rgamma(torch.where(other, y, 1.0))
    # At a pole of one of both.
    below = (y <= 0) & (el.floor(y) == y)
    product = torch.where(below & (y + h > 0), 0.0, product)
    end = y + h
    pole = (end <= 0) & (el.floor(end) == end) & ~below
    result = torch.where(positive, result, torch.where(pole, math.inf, product))
    result = torch.where(h == 0, 1.0, result)
    return torch.where(finite, result, math.nan)


# --- the operations -------------------------------------------------------------------------------

_REAL: Final = dt.REAL_FLOATING

bdtr: Final = Op("bdtr", _bdtr, _REAL, mixes=True)
bdtrc: Final = Op("bdtrc", _bdtrc, _REAL, mixes=True)
betainc: Final = Op("betainc", _betainc, _REAL, mixes=True)
betaincc: Final = Op("betaincc", _betaincc, _REAL, mixes=True)
binom: Final = Op("binom", _binom, _REAL, mixes=True)
fdtr: Final = Op("fdtr", _fdtr, _REAL, mixes=True)
fdtrc: Final = Op("fdtrc", _fdtrc, _REAL, mixes=True)
nbdtr: Final = Op("nbdtr", _nbdtr, _REAL, mixes=True)
nbdtrc: Final = Op("nbdtrc", _nbdtrc, _REAL, mixes=True)
poch: Final = Op("poch", _poch, _REAL, mixes=True)
stdtr: Final = Op("stdtr", _stdtr, _REAL, mixes=True)

register(sp.computed_wide("bdtr bdtrc betainc betaincc binom fdtr fdtrc nbdtr nbdtrc poch stdtr"))
