"""The incomplete beta function, and what is made of it: distributions, and binomial coefficients.

The incomplete beta function is an integral from a formula with a fixed number of nodes, because a
continued fraction needs more steps the larger its operands are.  Each tail is computed where it is
small; the other one is what it lacks of 1.  As in ``special``, compositions read no values and add
no constants but those that float32 holds.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .._torch import dtypes as dt
from .._torch import torch
from . import _tables as tables
from . import elementwise as el
from . import special as sp
from ._constants import repeated, where
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
    return where(torch.abs(exact) < math.inf, exact, a - product)


def lacking(t: Tensor) -> Tensor:
    """Return t - log(1 + t), by a series where the difference cancels."""
    near = torch.abs(t) <= 0.5
    u = where(near, t, 0.0)
    inverse = 1 / (2 - -u)
    small = u * u * (inverse * (1 - inverse * sp.atanh_rest(u * inverse)))
    v = where(near, 1.0, t)
    return where(near, small, v - el.log1p(v))


def _stirling_step(x: Tensor, h: Tensor) -> Tensor:
    """Return what Stirling's series at x + h exceeds that at x by, as a multiple of h."""
    u, v = 1 / x, 1 / (x + h)
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
    raised = where(small, x + 9, x)
    rest = h * _stirling_step(raised, h)
    result = (raised - 0.5 + h) * el.log1p(h / raised) + h * (torch.log(raised) - 1) + rest
    low = where(small, x, 1.0)

    def step(k: int, steps: Any) -> tuple[Any]:
        return (steps + el.log1p(h / (low + k)),)

    (steps,) = repeated(x, step, (0.0,), range(9))
    return where(small, result - steps, result)


def density(a: Tensor, b: Tensor, at: Point) -> Tensor:
    """Return x**a y**b / B(a, b)."""
    # Raise the smaller one by the recurrence if that makes both large; else logarithms cancel.
    first = a < b
    s, t = where(first, a, b), where(first, b, a)
    own = where(first, at.x, at.y)
    raised = (s >= 1) & (s < sp.SMALL) & (t >= sp.SMALL) & (own * (s + t) * 2 >= s)
    divisor = where(raised, own, 1.0)

    def step(k: int, factor: Tensor) -> tuple[Tensor]:
        quotient = (s + k) / (divisor * (s + t + k))
        return (factor * where(raised, quotient, 1.0),)

    (factor,) = repeated(a, step, (torch.ones_like(a),), range(_RAISED))
    more = where(raised, float(_RAISED), torch.zeros_like(a))
    ahead = at.ahead + where(first, more * at.y, -more * at.x)
    a, b = where(first, a + more, a), where(first, b, b + more)
    return _density_by_cases(a, b, at._replace(ahead=ahead)) * factor


_RAISED: Final = 8


def _density_by_cases(a: Tensor, b: Tensor, at: Point) -> Tensor:
    large = (a >= sp.SMALL) & (b >= sp.SMALL)
    # Both are large.
    p, q = where(large, a, 10.0), where(large, b, 10.0)
    ahead = where(large, at.ahead, 0.0)
    below, above = -ahead / p, ahead / q
    low = below < -0.5
    quotient = at.x / p * (p + q)
    by_log = below - torch.log(where(low, quotient, 1.0))
    left = where(low, by_log, lacking(where(low, 0.0, below)))
    high = above < -0.5
    quotient = at.y / q * (p + q)
    by_log = above - torch.log(where(high, quotient, 1.0))
    right = where(high, by_log, lacking(where(high, 0.0, above)))
    series = sp.stirling(p + q) - sp.stirling(p) - sp.stirling(q)
    # (p q) / (p + q), without overflow
    size = torch.sqrt(p / (p + q) * q * (1 / (2 * math.pi)))
    both = torch.exp(series - (p * left + q * right)) * size
    # One of them is small, or both.
    first = a < b
    s, t = where(first, a, b), where(first, b, a)
    log_s = where(first, at.log_x, at.log_y)
    log_t = where(first, at.log_y, at.log_x)
    s = where(large, 1.0, s)
    one = t >= sp.SMALL
    u = where(one & ~large, t, 10.0)
    ratio = where(one, s, 1.0) / u
    exponent = (s - 0.5) * ratio - (u - 0.5 + s) * lacking(ratio)
    exponent = exponent + (sp.stirling(u + s) - sp.stirling(u)) + u * where(one, log_t, 0.0)
    exponent = exponent + s * (where(one, log_s, 0.0) + torch.log(u))
    v = where(one, 1.0, t)
    w = where(one, 1.0, s)
    few = torch.exp(w * where(one, 0.0, log_s) + v * where(one, 0.0, log_t))
    above, below = sp.gamma_below(v)
    few = few * (_gamma_of_few(v + w) * (below / above))
    above, below = sp.gamma_below(s)
    few = where(one, torch.exp(exponent), few) * (below / above)
    return where(large, both, few)


def _gamma_of_few(x: Tensor) -> Tensor:
    """Return gamma(x) for 0 < x < 17, by the recurrence from 8.5 on."""
    lowered = x >= sp.SMALL
    above, below = sp.gamma_below(where(lowered, x - 8, x), most=7)
    result = above / below
    for k in range(1, 9):
        result = result * where(lowered, x - k, 1.0)
    return result


def _falling(a: Tensor, b: Tensor, x: Tensor, y: Tensor, ahead: Tensor) -> Tensor:
    """Return the integral of (t / x)**a ((1 - t) / y)**(b - 1) dt / (t y) from 0 to x.

    For a >= 1 and ``ahead`` >= 0, where the integrand falls from x on.  With t = x exp(-s) it is
    exp(-a s) (1 + x / y (1 - exp(-s)))**(b - 1).
    """
    w, power = x / y, b - 1
    less = -w
    enough = _NEGLIGIBLE[a.dtype]
    with torch.no_grad():
        # Where the integrand is negligible: for b >= 1 by Newton's method, which nears it from far.
        concave = power > 0
        falls = (ahead + x) + (a - a)
        falls = where(concave, where(falls > 0, falls, 0.0), a)
        bends = where(concave, power * x, 0.0)  # both times y, lest they overflow
        end = 2 * enough * y / (falls + torch.sqrt(falls * falls + 2 * enough * bends))

        def newton(_: int, end: Tensor) -> tuple[Tensor]:
            rest = el.expm1(-end)
            rise = less * rest  # it may be nothing beside 1, and count for large b
            inner = 1 + rise
            log = where(torch.abs(rise) < 2**-6, el.log1p(rise), torch.log(inner))
            value = power * log - a * end
            slope = power * w * (1 + rest) / inner - a
            step = (value - -enough) / slope
            return (where(concave & (slope < 0), end - step, end),)

        (end,) = repeated(a, newton, (end,), range(_NEWTON))
        end = where(concave, end, enough / a)

    def add(node: float, weight: float, total: Any) -> tuple[Any]:
        s = end * node
        exponent = power * el.log1p(less * el.expm1(-s)) - a * s
        return (total + weight * torch.exp(exponent),)

    (total,) = repeated(a, add, (0.0,), *_NODES_OF[a.dtype])
    return total * end / y


def _nodes(below: tuple[float, ...], weights: tuple[float, ...]) -> list[tuple[float, ...]]:
    """Return nodes and weights of the integral of f(u**2) 2 u from 0 to 1: u**2 and 2 u w.

    So f may have a singularity near 0, and behave like an exponential or like the normal density.
    """
    both = [(u, w) for low, w in zip(below, weights) for u in (low, 1 - low)]
    return list(zip(*[(u * u, 2 * u * w) for u, w in sorted(both)]))


_NODES_OF: Final = {d: _nodes(*t) for d, t in zip((dt.float32, dt.float64), tables.LEGENDRE)}
_NEWTON: Final = 4


def _corner(a: Tensor, b: Tensor, y: Tensor, log_y: Tensor) -> tuple[Tensor, Tensor]:
    """Return both tails for b < 1 and y max(1, a) < 1/2: 1 minus nearly 1, without cancellation."""
    exponent = b * log_y + (log_gamma_ratio(a, b) - sp.lgamma1p(b))

    def step(k: int, term: Tensor, total: Tensor) -> tuple[Tensor, Tensor]:
        term = term * ((k - a) * y) * (1 / k)
        return term, total + term / (b + k)

    terms = range(1, _CORNER_TERMS[a.dtype])
    _, total = repeated(a, step, (torch.ones_like(y), torch.zeros_like(y)), terms)
    rest = torch.exp(exponent) * (b * total)
    return -(el.expm1(exponent) + rest), torch.exp(exponent) + rest


def tails(a: Tensor, b: Tensor, at: Point) -> tuple[Tensor, Tensor]:
    """Return the incomplete beta function and what it lacks of 1, for 0 < x < 1 and a, b > 0."""
    right = (b < 1) & (at.x > 2 * at.y * where(a > 1, a, 1.0))
    left = (a < 1) & (at.y > 2 * at.x * where(b > 1, b, 1.0))
    swapped = left | (~right & (at.ahead < 0))
    a, b = where(swapped, b, a), where(swapped, a, b)
    x, y = where(swapped, at.y, at.x), where(swapped, at.x, at.y)
    log_x = where(swapped, at.log_y, at.log_x)
    log_y = where(swapped, at.log_x, at.log_y)
    ahead = where(swapped, -at.ahead, at.ahead)
    corner = left | right
    small, rest = _corner(
        where(corner, a, 1.0),
        where(corner, b, 0.5),
        where(corner, y, 0.25),
        where(corner, log_y, math.log(0.25)),
    )
    p, q = where(corner, 1.0, a), where(corner, 1.0, b)
    half = torch.full_like(a, 0.5)
    log_half = torch.full_like(a, -math.log(2))
    point = Point(
        where(corner, half, x),
        where(corner, half, y),
        where(corner, log_half, log_x),
        where(corner, log_half, log_y),
        where(corner, 0.0, ahead),
    )
    height = density(p, q, point)
    # I(a, b) = I(a + 1, b) + density / a
    low = p < 1
    raised = where(low, p + 1, p)
    shift = where(low, 1 - point.x, 0.0)
    integral = _falling(raised, q, point.x, point.y, point.ahead + shift)
    safe = where(low, p, 1.0)
    by_recurrence = (1 + point.x * (p + q) * integral) / safe
    tail = height * where(low, by_recurrence, integral)
    tail = where(corner, small, tail)
    other = where(corner, rest, 1 - tail)
    return where(swapped, other, tail), where(swapped, tail, other)


def _usual(a: Tensor, b: Tensor, inside: Tensor) -> Tensor:
    return inside & (a > 0) & (b > 0) & (a < math.inf) & (b < math.inf)


def _regularized(a: Tensor, b: Tensor, x: Tensor, which: int) -> Tensor:
    """Return the incomplete beta function, for ``which`` 0, or what it lacks of 1."""
    a, b, x = torch.broadcast_tensors(a, b, x)  # type: ignore[no-untyped-call]
    usual = _usual(a, b, (x > 0) & (x < 1))
    p, q, z = where(usual, a, 1.0), where(usual, b, 1.0), where(usual, x, 0.5)
    y = 1 - z
    low = z < 0.5
    log_y = where(low, el.log1p(-where(low, z, 0.25)), torch.log(y))
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
    ends = where(x == 0, torch.full_like(x, zero), one)
    ends = where(at_zero & (x > 0), one, ends)
    ends = where(at_one & (x < 1), zero, ends)
    ends = where(x == 0, zero, where(x == 1, one, ends))
    return where(usual, result, where(valid, ends, math.nan))


# --- distributions --------------------------------------------------------------------------------


def _bdtrc(k: Tensor, n: Tensor, p: Tensor) -> Tensor:
    return where((k < 0) & (n >= k) & (p >= 0) & (p <= 1), 1.0, _binomial(k, n, p, 0))


def _binomial(k: Tensor, n: Tensor, p: Tensor, which: int) -> Tensor:
    k, n = el.floor(k), el.floor(n)
    inside = (k >= 0) & (k < n)
    first = where(inside, k + 1, 1.0)
    result = _regularized(first, where(inside, n - k, 1.0), p, which)
    whole = (p >= 0) & (p <= 1) & (k == n) & (k >= 0)
    end = where(whole, float(which), torch.full_like(result, math.nan))
    return where(inside, result, end)


def _negative_binomial(k: Tensor, n: Tensor, p: Tensor, which: int) -> Tensor:
    k, n = el.floor(k), el.floor(n)
    result = _regularized(n, where(k >= 0, k + 1, 1.0), p, which)
    return where((k >= 0) & (n > 0), result, math.nan)


def _f(dfn: Tensor, dfd: Tensor, x: Tensor, which: int) -> Tensor:
    dfn, dfd, x = torch.broadcast_tensors(dfn, dfd, x)  # type: ignore[no-untyped-call]
    usual = _usual(dfn, dfd, (x > 0) & (x < math.inf))
    a, b = where(usual, 0.5 * dfn, 1.0), where(usual, 0.5 * dfd, 1.0)
    f = where(usual, x, 0.5)
    odds = f * (a / b)
    share, rest = 1 / (1 + 1 / odds), 1 / (1 + odds)
    logs = -el.log1p(1 / odds), -el.log1p(odds)
    result = tails(a, b, Point(share, rest, *logs, a * (1 - f) * rest))[which]
    result = where(usual, result, where(x > 0, float(1 - which), float(which) + 0 * x))
    known = (dfn < math.inf) & (dfd < math.inf) | (x == math.inf)
    return where((dfn > 0) & (dfd > 0) & known & (x >= 0), result, math.nan)


def _stdtr(df: Tensor, t: Tensor) -> Tensor:
    df, t = torch.broadcast_tensors(df, t)  # type: ignore[no-untyped-call]
    size = torch.abs(t)
    usual = (df > 0) & (df < math.inf) & (size > 0) & (size < math.inf)
    freedom, z = where(usual, df, 1.0), where(usual, t, 0.5)
    size = torch.abs(z)
    # With r = size / sqrt(df): x = 1 / (1 + r**2), without overflow.
    root = size / torch.sqrt(freedom)
    far = root > 1e4
    near_square, inverse = where(far, 1.0, root), 1 / where(far, root, 1.0)
    near_square, inverse = near_square * near_square, inverse * inverse
    x = where(far, inverse / (1 + inverse), 1 / (1 + near_square))
    y = where(far, 1 / (1 + inverse), near_square / (1 + near_square))
    log = torch.log(root)
    log_x = where(far, -2 * log - el.log1p(inverse), -el.log1p(near_square))
    ahead = where(far, freedom * y - x, (size - 1) * (size + 1) * x) * 0.5
    at = Point(x, y, log_x, 2 * log + log_x, ahead)
    tail = 0.5 * tails(0.5 * freedom, torch.full_like(z, 0.5), at)[0]
    result = where(z < 0, tail, 1 - tail)
    ends = where(t == 0, 0.5, where(t < 0, torch.zeros_like(t), 1.0))
    valid = (df > 0) & (t == t)
    result = where(usual, result, where(valid, ends, math.nan))
    return where((df == math.inf) & (t == t), sp.ndtr(t), result)


# --- quotients of gamma functions -----------------------------------------------------------------


def _fraction(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return what x exceeds the nearest integer by, exactly, and -1 to the power of the integer."""
    near = el.round(x)
    even = el.floor(0.5 * near) * 2 == near
    return x - near, where(even, 1.0, torch.full_like(x, -1.0))


def _sine(x: Tensor) -> Tensor:
    """Return sin(pi x) / pi of a fraction, which keeps the digits of the least numbers."""
    return where(torch.abs(x) < 1e-9, x, el.sin(x * math.pi) * (1 / math.pi))


def _sine_of_sum(x: Tensor, y: Tensor) -> Tensor:
    """Return the same of the sum of two fractions, with all digits where that is nearly whole."""
    total = x + y
    over, under = (0.5 - x) + (0.5 - y), (-0.5 - x) + (-0.5 - y)
    total = where(total > 0.5, over, where(total < -0.5, under, total))
    return _sine(total)


def _choices(
    i: Tensor, j: Tensor, i_more: Tensor, j_more: Tensor, total: Tensor
) -> tuple[Tensor, Tensor]:
    """Return a and b with gamma(i + j + 1) / (gamma(i + 1) gamma(j + 1)) = a exp(b).

    For i, j > -1.  The others are i + 1, j + 1 and i + j + 1.
    """
    first = i < j
    s, t = where(first, i, j), where(first, j, i)
    large = s >= sp.SMALL
    # One is small: of two gamma functions a quotient that is 1 for s = 0.
    least = where(large, 1.0, where(first, i_more, j_more))
    most = where(large, 1.0, where(first, j_more, i_more))
    raised = least < 0.5
    del i, j, i_more, j_more, first  # lest they take memory beside the next steps
    above, below = sp.gamma_below(least, most=7)
    small = below / (above * where(raised, total, 1.0))
    del above, below, total
    log = log_gamma_ratio(most, where(large, 0.0, where(raised, least, s)))
    del least, most
    # Both are large.
    p, q = where(large, s, 10.0), where(large, t, 10.0)
    ratio = p / q
    powers = p * el.log1p(q / p) + q * el.log1p(ratio)
    both = torch.exp(sp.stirling(p + q) - sp.stirling(p) - sp.stirling(q))
    both = both * torch.sqrt((1 - -ratio) / p * (1 / (2 * math.pi)))
    return where(large, both, small), where(large, powers, log)


def _root(power: Tensor, factor: Tensor) -> Tensor:
    """Return the root of exp(power), which does not overflow before its product with a factor.

    Where the factor is 0 it does not overflow at all.
    """
    end = _OVERFLOWS[power.dtype]
    return torch.exp(0.5 * where((factor == 0) & (power > end), end, power))


_OVERFLOWS: Final = {dt.float32: 176.0, dt.float64: 1418.0}
"""The roots of the exponential function of these numbers are just finite."""


def _binom(n: Tensor, k: Tensor) -> Tensor:
    n, k = torch.broadcast_tensors(n, k)  # type: ignore[no-untyped-call]
    whole, bounded = el.floor(n) == n, torch.abs(k) < math.inf
    valid = bounded & (torch.abs(n) < math.inf) & ~((n < 0) & whole)
    result = _binom_of_finite(where(valid, n, 1.0), where(valid, k, 1.0), whole)
    limit = where((n > -1) & (n < math.inf) & (k == k), 0.0, torch.full_like(n, math.nan))
    limit = where((n == math.inf) & bounded, _power_of_infinity(k), limit)
    return where(valid, result, limit)


def _binom_of_finite(n: Tensor, k: Tensor, whole: Tensor) -> Tensor:
    rest = n - k
    back = n - rest
    lost = ((n - (rest + back)) + (back - k)).detach()
    more = (rest - -1) + where(torch.abs(lost) < math.inf, lost, 0.0)
    del back, lost  # lest they take memory beside the next steps
    # Which of the three gamma functions are of positive numbers; the others are reflected.
    right, left = k > -1, rest > -1
    inside = right & left
    turned = (n < -1) & ~inside
    # Two of them are below the line, or they make a beta function.
    below = inside | (turned & (right | left))
    i = where(below, where(inside, rest, -1 - n), where(turned, -k, n - -1))
    j = where(below, where(right, k, rest), where(left, -k, -rest))
    factor, power = _choices(
        i,
        j,
        where(below & inside, more, i - -1),
        where(below & ~right, more, j - -1),
        where(inside, n - -1, where(right, -rest, -k)),
    )
    del rest, more
    both = 1 / where(below, 1.0, i) + 1 / where(below, 1.0, j)
    factor = where(below, factor, -both / where(below, 1.0, factor))
    del i, j, both
    part, sign = _fraction(n)
    part_k, sign_k = _fraction(k)
    sines = where(right, 1.0, _sine(part_k) * sign_k)
    sines = sines * where(left, 1.0, _sine_of_sum(part, -part_k) * (sign * sign_k))
    sines = sines / where(turned, _sine(where(turned, part, 0.5)) * sign, 1.0)
    root = _root(where(below, power, -power), sines)
    result = factor * sines * root * root
    # A number that is nearly whole, and must be whole, is made so.
    exact = inside & whole & (el.floor(k) == k) & (result < _WHOLE[n.dtype])
    rounded = el.round(where(exact, result, 0.0))
    return result - where(exact, result - rounded, 0.0).detach()


def _power_of_infinity(x: Tensor) -> Tensor:
    """Return infinity to the power of finite numbers: 0, 1 or infinity."""
    return where(x > 0, math.inf, where(x < 0, 0.0, torch.ones_like(x)))


_WHOLE: Final = {dt.float32: 2.0**16, dt.float64: 2.0**45}
"""Below these numbers the error of a binomial coefficient is less than a half."""


def _sines(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return sin(pi x) / pi, that of x + y, and their quotient for a whole y."""
    part, sign = _fraction(x)
    part_y, sign_y = _fraction(y)
    return _sine(part) * sign, _sine_of_sum(part, part_y) * (sign * sign_y), sign_y


def _of_two_gammas(x: Tensor, low: Tensor, right: Tensor, high: Tensor, left: Tensor) -> Tensor:
    """Return x times gamma(low) and gamma(high).

    It is divided by the first where it is ``right``, and by the second where it is not ``left``.
    """
    a, b, c = sp.gamma_factors(low)
    d, e, f = sp.gamma_factors(high)
    result = where(right, x / a, x * a)
    result = where(left, result * d, result / d)
    result = where(right, result / b * c, result * b / c)
    return where(left, result * e / f, result / e * f)


def _poch(x: Tensor, m: Tensor) -> Tensor:
    x, m = torch.broadcast_tensors(x, m)  # type: ignore[no-untyped-call]
    finite = (torch.abs(x) < math.inf) & (torch.abs(m) < math.inf)
    result = _poch_of_finite(where(finite, x, 1.0), where(finite, m, 1.0))
    return where(finite, result, _poch_at_infinity(x, m))


def _poch_at_infinity(x: Tensor, m: Tensor) -> Tensor:
    """Return its limits where x or m is infinite; NaN where there is none, or one is NaN."""
    down, half = el.floor(x), 0.5 * el.floor(x)
    limit = where(el.floor(half) == half, math.inf, torch.full_like(x, -math.inf))
    zero = (x <= 0) & (down == x) & (x > -math.inf)
    limit = where(zero, 0.0, where(x > 0, math.inf, limit))
    known = where(m > 0, x > -math.inf, zero) & (torch.abs(m) == math.inf)
    # A power of infinity; of that below 0 for whole numbers alone, as gamma functions have poles.
    half = 0.5 * m
    power = _power_of_infinity(m) * where(el.floor(half) == half, 1.0, torch.full_like(m, -1.0))
    power = where(el.floor(m) == m, power, math.nan)
    power = where(x > 0, _power_of_infinity(m), power)
    limit = where(known, limit, math.nan)
    return where((torch.abs(x) == math.inf) & (torch.abs(m) < math.inf), power, limit)


def _poch_of_finite(y: Tensor, h: Tensor) -> Tensor:
    end = y + h
    # Gamma functions of negative numbers by reflection, near 0 by the recurrence.
    near = (y > -0.5) & (end > -0.5)
    right, left = near | (y > 0), near | (end > 0)
    y_near, end_near = right & (y < 0.5), near & (end < 0.5)
    low = where(right, where(y_near, y - -1, y), 1 - y)
    high = where(left, where(end_near, end - -1, end), 1 - end)
    above, under, sign = _sines(y, h)
    above = where(y_near, y, where(right, 1.0, above))
    under = where(end_near, end, where(left, 1.0, under))
    pole = under == 0
    cancels = pole & (above == 0)
    factor = where(cancels, sign, above) / where(pole, 1.0, under)
    steps = h - where(y_near & ~end_near, 1.0, torch.zeros_like(h))
    steps = steps - where(end_near & ~y_near, -1.0, torch.zeros_like(h))
    # Gamma functions that are both above the line or both below, or that are not near each other.
    least, most = where(low < high, low, high), where(low < high, high, low)
    far = (least < 9) & (most < _END_OF_FACTORS[y.dtype]) & (torch.abs(steps) >= 0.5)
    apart = (right & ~left) | (left & ~right) | far
    low, high = where(apart, low, 1.0), where(apart, high, 1.0)
    del y, h, end, above, under, sign, most  # lest they take memory beside the next steps
    product = _of_two_gammas(factor, low, right, high, left)
    del low, high
    # Quotients of others.
    steps = where(apart, 0.0, steps)
    down = steps < 0
    log = log_gamma_ratio(where(apart, 1.0, least), where(down, -steps, steps))
    log = where(log == log, log, math.inf)  # the difference of infinities, of most steps
    root = _root(where(down, -log, log), factor)
    result = where(apart, product, factor * root * root)
    return where(pole & ~cancels, math.inf, result)


_END_OF_FACTORS: Final = {dt.float32: 44.0, dt.float64: 190.0}
"""Below these numbers the factors of the gamma function are right, though it overflows."""


# --- the operations -------------------------------------------------------------------------------

_REAL: Final = dt.REAL_FLOATING

bdtr: Final = Op("bdtr", partial(_binomial, which=1), _REAL, mixes=True)
bdtrc: Final = Op("bdtrc", _bdtrc, _REAL, mixes=True)
betainc: Final = Op("betainc", partial(_regularized, which=0), _REAL, mixes=True)
betaincc: Final = Op("betaincc", partial(_regularized, which=1), _REAL, mixes=True)
binom: Final = Op("binom", _binom, _REAL, mixes=True)
fdtr: Final = Op("fdtr", partial(_f, which=0), _REAL, mixes=True)
fdtrc: Final = Op("fdtrc", partial(_f, which=1), _REAL, mixes=True)
nbdtr: Final = Op("nbdtr", partial(_negative_binomial, which=0), _REAL, mixes=True)
nbdtrc: Final = Op("nbdtrc", partial(_negative_binomial, which=1), _REAL, mixes=True)
poch: Final = Op("poch", _poch, _REAL, mixes=True)
stdtr: Final = Op("stdtr", _stdtr, _REAL, mixes=True)

register(sp.computed_wide("bdtr bdtrc betainc betaincc binom fdtr fdtrc nbdtr nbdtrc poch stdtr"))
