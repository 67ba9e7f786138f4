"""The special functions, and what torch's own functions for them lack or get wrong.

The compositions consist of operations that every device has, for float32 and float64 alike.  They
read no values of tensors.  Outside the domain of a formula they compute it for another number, and
select afterwards, so that derivatives do not become NaN.

Compositions subtract or multiply constants but never add one: torch_npu passes a Python scalar that
is added to float64 to the kernel as float32.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from .._devices.backends import bring
from .._devices.device import spec_of
from .._devices.facts import everywhere, fast_float64, torch_before
from .._torch import dtypes as dt
from .._torch import torch
from . import _tables as tables
from . import elementwise as el
from ._constants import addcdiv, constant, cut, polynomial, where
from ._derivatives import differentiated, tracked
from ._evidence import ON_NPUS, Evidence
from ._expansions import temme
from ._operations import OPS, Op, register
from ._rows import Compose, Row, Via

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ._kernels import Kernel

_REAL: Final = dt.REAL_FLOATING
_HALF_LOG_2PI: Final = math.log(2 * math.pi) / 2

# --- tools ----------------------------------------------------------------------------------------


_UNIT: Final = 2**160


def short(table: tuple[float, ...]) -> dict[torch.dtype, tuple[float, ...]]:
    """Return the coefficients that each data type needs, of powers of t.

    Sums of powers are as exact here as those of Chebyshev polynomials: the sizes of all terms
    together are about the same, of two tables five times as large.  A term takes one kernel
    instead of three.
    """
    large = max(abs(c) for c in table)
    enough = max(n for n, c in enumerate(table) if abs(c) > 2e-9 * large) + 1
    return {dt.float32: _in_powers(table[:enough]), dt.float64: _in_powers(table)}


def _in_powers(table: tuple[float, ...]) -> tuple[float, ...]:
    """Return the coefficients of powers of t for a series of Chebyshev polynomials, exactly.

    By Clenshaw's recurrence b_k = c_k + 2 t b_(k + 1) - b_(k + 2); the sum is b_0 - t b_1.
    """
    before = own = [0] * len(table)
    for coefficient in reversed(table):
        shifted = [int(coefficient * _UNIT), *(2 * c for c in own)]
        before, own = own, [c - b for c, b in zip(shifted, before)]
    return tuple((c - b) / _UNIT for c, b in zip(own, [0, *before]))


def series(table: dict[torch.dtype, tuple[float, ...]], t: Tensor) -> Tensor:
    """Return the sum of a series that ``short`` has made."""
    return polynomial(t, table[t.dtype])


def from_root(x: Tensor, root: tuple[float, float]) -> Tensor:
    """Return root - x for a root given as the sum of a number and a small rest."""
    high, low = root
    if x.dtype is dt.float32:
        short = math.ldexp(round(math.ldexp(high, 20)), -20)
        high, low = short, (high - short) + low
    return (high - x) + low


def sin_pi(x: Tensor) -> Tensor:
    """Return the sine of pi times the distance to the nearest integer, which has no sign."""
    return el.sin((x - el.round(x)) * math.pi)


_LGAMMA: Final = short(tables.LGAMMA)
_DIGAMMA: Final = short(tables.DIGAMMA)
_ERFCX: Final = short(tables.ERFCX)
_CENTER: Final = short(tables.QUANTILE_CENTER)
_TAIL: Final = short(tables.QUANTILE_TAIL)
_FAR: Final = short(tables.QUANTILE_FAR)
_I_NEAR: Final = (short(tables.I0E_NEAR), short(tables.I1E_NEAR))
_I_FAR: Final = (short(tables.I0E_FAR), short(tables.I1E_FAR))
_I_SMALL: Final = (short(tables.I0_SMALL), short(tables.I1_SMALL))
_K_SMALL: Final = (short(tables.K0_SMALL), short(tables.K1_SMALL))
_K_FAR: Final = (short(tables.K0E_FAR), short(tables.K1E_FAR))
_J_NEAR: Final = (short(tables.J0_NEAR), short(tables.J1_NEAR))
_J_ZEROS: Final = (tables.J0_ZEROS, tables.J1_ZEROS)
_Y_NEAR: Final = (short(tables.Y0_NEAR), short(tables.Y1_NEAR))
_P: Final = (short(tables.J0_P), short(tables.J1_P))
_Q: Final = (short(tables.J0_Q), short(tables.J1_Q))

# --- the error function and the normal distribution -----------------------------------------------


def erfcx_positive(x: Tensor) -> Tensor:
    """Return erfcx of numbers from 0 to 1e8."""
    return series(_ERFCX, (x - 3.75) / (x + 3.75)) / (2 * x + 1)


def erfcx_composed(x: Tensor) -> Tensor:
    """Scale the complementary error function by exp(x**2).

    M. Shepherd and J. Laframboise, Chebyshev approximation of (1 + 2x) exp(x**2) erfc(x), 1981.
    """
    size = _size(x)
    # For larger numbers the leading term is the result, and the argument of the series is 1.
    usual = size < 1e8
    right = erfcx_positive(where(usual, size, 1e8))
    far = math.sqrt(1 / math.pi) / where(usual, 1.0, size)
    return _erfcx_by(where(usual, right, far), x)


def _erfcx_reflected(x: Tensor) -> Tensor:
    return _erfcx_by(torch.special.erfcx(_size(x)), x)


def _size(x: Tensor) -> Tensor:
    return where(x < 0, -x, x)  # the derivative of torch.abs is 0 at 0


def _erfcx_by(right: Tensor, x: Tensor) -> Tensor:
    """Return erfcx for numbers of both signs, given erfcx of their absolute values."""
    # x is split into a part with an exact square and a rest: rounding x**2 would cost digits.
    left, over = x < 0, x < _ERFCX_OVERFLOWS[x.dtype]
    negative = where(left, where(over, 0.0, x), 0.0)
    high = el.round(negative * 16) / 16
    power = torch.exp(high * high) * torch.exp((negative - high) * (negative + high))
    both = (power - right) + power
    infinite = where(over, x, -1.0) * -math.inf  # and so is its derivative
    result = where(left, where(over, infinite, both), right)
    return where(x == x, result, x)


_ERFCX_OVERFLOWS: Final = {dt.float32: -9.4, dt.float64: -26.65}
"""Below this number the result is infinite; from here on the product of both powers is not NaN."""


def _ndtr(x: Tensor) -> Tensor:
    """Return half of erfc(z), corrected for the rounding of z.

    The correction needs the slope of the logarithm of erfc, which follows from Mills's ratio.  That
    lies between 1 / (z + sqrt(z**2 + 2)) and 1 / (z + sqrt(z**2 + 4 / pi)), which is near enough.
    """
    y = where(x < -40, -40.0, where(x > 40, 40.0, x))
    z = y * -math.sqrt(0.5)
    high = el.round(y * 16) * (1 / 16)  # few enough bits for an exact product with 14 bits
    lost = (high * _ROOT[0] - z) + (y - high) * -math.sqrt(0.5) + high * _ROOT[1]
    slope = z + torch.sqrt(4 / math.pi - -(z * z))
    # Detached: the derivative of the correction would exceed that of erfc where erfc is near 2.
    return 0.5 * erfc(z) * (1 - (lost * slope).detach())


_ROOT: Final = (-0.70709228515625, -1.449603029752440084e-05)
"""-sqrt(1/2) as the sum of a number of 14 bits and a rest."""


def log_ndtr_composed(x: Tensor) -> Tensor:
    left = x < -1
    low = where(left, x, -1.0)
    high = where(left, 0.0, x)
    tail = torch.log(erfcx(low * -math.sqrt(0.5)) / 2) - low * low / 2
    return where(left, tail, el.log1p(-ndtr(-high)))


def _log_ndtr(x: Tensor) -> Tensor:
    if tracked(x):  # torch's own has no rule for vmap
        return log_ndtr_composed(x)
    right = where(x > 1, x, 1.0)
    return where(x > 1, el.log1p(-ndtr(-right)), torch.special.log_ndtr(x))


def _normal_quantile(q: Tensor, tail: Tensor) -> Tensor:
    """Return the quantile of the normal distribution at 0.5 + q; the smaller tail is 0.5 - |q|."""
    inside = torch.abs(q) <= 0.4
    center = where(inside, q, 0.0)
    square = center * center
    middle = center * series(_CENTER, 12.5 * square - 1)
    outside = where(inside | (tail <= 0), 0.05, tail)
    r = torch.sqrt(-torch.log(outside))
    mild = r < 4.5
    near = series(_TAIL, (where(mild, r, 3.0) - 3) / 1.5)
    distant = where(mild, 10.0, r)
    low, high = 1 / 27.5, 1 / 4.5
    t = 1 - (high - 1 / distant) * (2 / (high - low))
    far = series(_FAR, t) - distant * math.sqrt(2)
    result = where(mild, near, far)
    result = where(q < 0, result, -result)
    ends = where(q < 0, -math.inf, torch.full_like(q, math.inf))
    result = where(tail == 0, ends, where(inside, middle, result))
    return where(tail >= 0, result, math.nan)


def ndtri_composed(x: Tensor) -> Tensor:
    q = x - 0.5
    return _normal_quantile(q, where(q < 0, x, 1 - x))


def erfinv_composed(x: Tensor) -> Tensor:
    return _normal_quantile(x / 2, (1 - torch.abs(x)) / 2) * math.sqrt(0.5)


def _logit(x: Tensor) -> Tensor:
    middle = (x > 0.3) & (x < 0.65)
    near = where(middle, x, 0.5)
    far = where(middle, 0.75, x)
    return where(middle, el.log1p((2 * near - 1) / (1 - near)), torch.log(far / (1 - far)))


# --- logarithms with zeros ------------------------------------------------------------------------


def xlogy_composed(x: Tensor, y: Tensor) -> Tensor:
    lost = (x == 0) & ((y <= 0) | (y == math.inf))
    return x * torch.log(where(lost, 1.0, y)) + 0.0  # no negative zeros


def xlog1py_composed(x: Tensor, y: Tensor) -> Tensor:
    lost = (x == 0) & ((y <= -1) | (y == math.inf))
    return x * el.log1p(where(lost, 0.0, y)) + 0.0


def entr_composed(x: Tensor) -> Tensor:
    positive = where(x > 0, x, 1.0)
    result = where(x > 0, -positive * torch.log(positive), -math.inf)
    result = where(x == 0, 0.0, result)
    return where(x == x, result, x)


def _log_quotient(x: Tensor, y: Tensor) -> Tensor:
    """Return log(x / y) of positive numbers, without overflow, and exact where they are near."""
    difference = (x - y) / y
    near = torch.abs(difference) < 0.5
    ratio = x / y
    usual = (ratio > torch.finfo(x.dtype).tiny) & (ratio < math.inf)
    by_ratio = torch.log(where(usual, ratio, 1.0))
    far = where(usual, by_ratio, torch.log(x) - torch.log(y))
    return where(near, el.log1p(where(near, difference, 0.0)), far)


def _rel_entr(x: Tensor, y: Tensor) -> Tensor:
    positive = (x > 0) & (y > 0)
    a, b = where(positive, x, 1.0), where(positive, y, 1.0)
    result = where(positive, a * _log_quotient(a, b), math.inf)
    result = where((x == 0) & (y >= 0), 0.0, result)
    return where((x == x) & (y == y), result, math.nan)


_ATANH: Final = {
    dtype: tuple(2 / (2 * k + 3) for k in range(terms))
    for dtype, terms in ((dt.float32, 7), (dt.float64, 15))
}


def atanh_rest(v: Tensor) -> Tensor:
    """Return 2 atanh(v) - 2 v, divided by v**2, by its series, for v from -1/3 to 1/3.

    With v = t / (2 + t) this is log1p(t) - 2 v, and t - 2 v is t v.
    """
    return v * polynomial(v * v, _ATANH[v.dtype])


def _kl_div(x: Tensor, y: Tensor) -> Tensor:
    positive = (x > 0) & (y > 0)
    a, b = where(positive, x, 1.0), where(positive, y, 1.0)
    # For near numbers, b - a is combined with the first term of the logarithm, which it cancels.
    difference = (a - b) / b
    near = torch.abs(difference) < 0.5
    difference = where(near, difference, 0.0)
    v = difference / (2 - -difference)
    small = (a - b) * v + a * (v * v * atanh_rest(v))
    log = where(b == math.inf, 0.0, _log_quotient(a, b))  # else NaN of infinities of both signs
    result = where(near, small, a * (log - 1) + b)
    result = where(positive, result, math.inf)
    result = where((x == 0) & (y >= 0), y, result)
    return where((x == x) & (y == y), result, math.nan)


# --- the gamma function ---------------------------------------------------------------------------

BERNOULLI: Final = (
    *((1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510)),
    *((43867, 798), (-174611, 330)),
)
"""The numerators and denominators of Bernoulli's numbers 2, 4, 6, ..."""

_EVEN: Final = tuple((2 * k, n, d) for k, (n, d) in enumerate(BERNOULLI, 1))
STIRLING: Final = tuple(n / (d * k * (k - 1)) for k, n, d in _EVEN[:8])
_EULER_MACLAURIN: Final = tuple(n / d / math.factorial(k) for k, n, d in _EVEN)
SMALL: Final = 8.5
"""Stirling's series serves from this number on."""


def stirling(x: Tensor) -> Tensor:
    """Return log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2, for x of at least 8.5."""
    inverse = 1 / x
    return inverse * polynomial(inverse * inverse, STIRLING)


def _to_middle(x: Tensor, most: int = 6) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Reduce x to z from 1.5 to 2.5, where gamma(x) is gamma(z) times a quotient.

    -0.5 <= x < most + 2.5.

    Returns
    -------
    tuple
        Whether it is divided rather than multiplied, the divisor, the factor, and log(gamma(z)).
    """
    steps = el.floor(x - 1.5)
    factor = torch.ones_like(x)
    for k in range(1, most + 1):
        factor = factor * where(steps >= k, x - k, 1.0)
    divided = steps < 0
    divisor = where(divided, x, 1.0) * where(steps < -1, x + 1, 1.0)
    rest = x - (steps + 2)
    return divided, divisor, factor, rest * (1 + rest) * series(_LGAMMA, 2 * rest)


def _lgamma_right(x: Tensor) -> Tensor:
    """Return log(abs(gamma(x))) for x >= -0.5."""
    small = x < SMALL
    divided, divisor, factor, log = _to_middle(where(small, x, 2.0))
    scale = torch.log(torch.abs(where(divided, divisor, factor)))
    near = log + where(divided, -scale, scale)
    far = where(small, 10.0, x)
    main = (far - 0.5) * (torch.log(far) - 1) + stirling(far)
    return where(small, near, (_HALF_LOG_2PI - 0.5) - -main)


def lgamma1p(x: Tensor) -> Tensor:
    """Return log(gamma(1 + x)) for x from 0 to 1.5."""
    lower = x < 0.5
    rest = where(lower, x, x - 1)
    result = rest * (1 + rest) * series(_LGAMMA, 2 * rest)
    return result - where(lower, el.log1p(x), 0.0)


def _loggamma(x: Tensor) -> Tensor:
    return where(x >= 0, gammaln(where(x >= 0, x, 1.0)), math.nan)


def gammaln_composed(x: Tensor) -> Tensor:
    left = x < -0.5
    right = _lgamma_right(where(left, -x, x))
    negative = where(left & (x > -math.inf), -x, 0.75)
    sine = torch.abs(sin_pi(negative)) * negative
    pole = sine == 0
    result = math.log(math.pi) - torch.log(where(pole, 1.0, sine)) - right
    result = where(pole, math.inf, result)
    return where(left, where(x > -math.inf, result, x), right)


def _gammaln(x: Tensor) -> Tensor:
    # Torch's lgamma of float32 overflows early.
    far = where(x > 1e36, x, 1e36)
    result = where(x > 1e36, far * (torch.log(far) - 1), torch.lgamma(x))
    return where(x == -math.inf, x, result)


def gamma_factors(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return factors a, b and c with gamma(x) = a b / c, for x >= -0.5.

    They are separate because gamma(x) overflows before 1 / gamma(x) or its product with a sine
    underflows.  Derivatives of a and b would overflow even earlier: those of a large x are c's.
    """
    small = x < SMALL
    divided, divisor, factor, log = _to_middle(where(small, x, 2.0))
    far = where(small, 10.0, x)
    # From this number on the products add nothing, and the powers do not overflow yet.
    end = 200.0 if x.dtype is dt.float64 else 44.0
    far = where(far > end, end, far)
    root = el.pow(far, 0.5 * far - 0.25)
    rest = stirling(far)
    first = where(small, torch.exp(log), (root * torch.exp(-far)).detach())
    second = (root * torch.exp(rest) * math.sqrt(2 * math.pi)).detach()
    second = where(small, where(divided, 1.0, factor), second)
    one: Tensor | float = 1.0
    if tracked(x):
        growth = (far - 0.5) * torch.log(far) - far + rest
        one = torch.exp(growth.detach() - growth)
    return first, second, where(small & divided, divisor, one)


def gamma_positive(x: Tensor) -> Tensor:
    first, second, divisor = gamma_factors(x)
    return first * second / divisor


def gamma_below(x: Tensor, most: int = 6) -> tuple[Tensor, Tensor]:
    """Return numerator and denominator of gamma(x) for 0 < x < most + 2.5, without a power."""
    divided, divisor, factor, log = _to_middle(x, most)
    numerator = torch.exp(log) * where(divided, 1.0, factor)
    return numerator, where(divided, divisor, 1.0)


def _sine_of_negative(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return x sin(pi x) with the sign of gamma(x), and whether x is a pole, for x < -0.5."""
    negative = where((x < -0.5) & (x > -math.inf), x, -0.75)
    sine = torch.abs(sin_pi(negative)) * torch.abs(negative)
    down = el.floor(x)
    sine = where(el.floor(0.5 * down) * 2 == down, sine, -sine)
    return sine, (x < -0.5) & (down == x)


def _gamma(x: Tensor) -> Tensor:
    left = x < -0.5
    first, second, divisor = gamma_factors(where(left, -x, x))
    sine, pole = _sine_of_negative(x)
    reflected = math.pi * divisor / where(pole, 1.0, sine) / first / second
    result = where(left, reflected, first * second / divisor)
    return where(pole, math.nan, result)


def _rgamma(x: Tensor) -> Tensor:
    left = x < -0.5
    first, second, divisor = gamma_factors(where(left, -x, x))
    sine, pole = _sine_of_negative(x)
    reflected = sine / (math.pi * where(left, divisor, 1.0)) * first * second
    result = where(left, reflected, divisor / first / second)
    return where(pole, 0.0, result)


def _gammasgn(x: Tensor) -> Tensor:
    down = el.floor(x)
    even = el.floor(0.5 * down) * 2 == down
    left = where(even, 1.0, torch.full_like(x, -1.0))
    left = where(down == x, math.nan, left)
    zero = el.copysign(torch.ones_like(x), x)
    result = where(x > 0, 1.0, where(x == 0, zero, left))
    return where(x == x, result, x)


def _digamma_positive(x: Tensor) -> Tensor:
    """Return digamma as the logarithm of a function that is x - 1/2 and little more."""
    end = (x == 0) | (x == math.inf)
    near = where(end, 1.5, x)
    low = near < 1
    z = where(low, near - -1, near)
    slope = series(_DIGAMMA, 1 - 3 / (z - -0.5))
    log = el.log1p(-from_root(z, tables.DIGAMMA_ROOT) * slope)
    return where(end, math.inf, log - where(low, 1 / near, 0.0))


def _digamma(x: Tensor, positive: Any) -> Tensor:
    left = x < 0
    right = positive(where(left, 1 - x, x))
    negative = where(left & (x > -math.inf), x, 0.25)
    rest = negative - el.round(negative)
    pole = rest == 0
    cotangent = 1 / el.tan(where(pole, 0.25, rest) * math.pi)
    result = where(left, right - math.pi * cotangent, right)
    result = where(pole | (x == -math.inf), math.nan, result)
    zero = el.copysign(torch.full_like(x, math.inf), x)
    return where(x == 0, -zero, result)


digamma_composed: Final = partial(_digamma, positive=_digamma_positive)


def _zeta_at_infinity(s: Tensor, q: Tensor) -> Tensor:
    if tracked(s, q):
        return zeta_composed(s, q)
    end = ((q == math.inf) & (s > 1)) | ((q > 1) & (s > 1e10))
    return where(end, 0.0, torch.special.zeta(s, q))


def polygamma_by(zeta: Kernel, n: Tensor, x: Tensor) -> Tensor:
    """Return polygamma by the zeta function for positive orders, and by digamma for order 0."""
    even = el.floor(0.5 * n) * 2 == n
    size = gamma(n + 1) * zeta(n + 1, x)
    integral = el.floor(n) - n == 0  # infinity is neither even nor odd
    result = where(integral, where(even, -size, size), math.nan)
    return where(n == 0, psi(x), result)


def _polygamma(n: Tensor, x: Tensor) -> Tensor:
    return polygamma_by(zeta, n, x)


def zeta_positive(s: Tensor, q: Tensor) -> Tensor:
    """Sum (q + k)**-s for s > 1 and q > 0: ten terms, and the rest by Euler and Maclaurin."""
    power = el.pow.on(spec_of(s))
    terms = 10
    w = q + terms
    limited = where(s < 200, s, 200.0)  # for larger s the rest vanishes
    inverse = 1 / w
    square = inverse * inverse
    factor = limited * inverse
    rest = 0.5 + _EULER_MACLAURIN[0] * factor
    for j, coefficient in enumerate(_EULER_MACLAURIN[1:], 1):
        factor = factor * ((limited + (2 * j - 1)) * (limited + 2 * j)) * square
        rest = rest + coefficient * factor
    rest = (rest + w / (limited - 1)) * power(w, -limited)
    total = where(s < 200, rest, 0.0)
    for k in range(terms - 1, -1, -1):
        total = total + power(q + k, -s)
    return total


def _zetas_of_stack(s: Tensor, bases: tuple[Tensor, ...]) -> Any:
    stack = torch.stack(bases)
    return zeta_positive(s.expand(stack.shape), stack)


def zeta_composed(s: Tensor, q: Tensor, zetas: Callable[..., Any] = _zetas_of_stack) -> Tensor:
    """Return the zeta function, given ``zetas``, which computes it for positive numbers."""
    s, q = torch.broadcast_tensors(s, q)  # type: ignore[no-untyped-call]
    usual = (s > 1) & (s < math.inf)
    exponent = where(usual, s, 2.0)
    right = (q > 0) & (q < math.inf)
    # For negative numbers, by the sum over all integers, which has the period 1.
    integral = el.floor(exponent) == exponent
    left = (q < 0) & (q > -math.inf)
    base = where(left, q, -0.5)
    part = base - el.round(base)
    pole = left & (part == 0)
    part = where(part == 0, 0.5, part)
    even = el.floor(0.5 * exponent) * 2 == exponent
    sign = where(even, 1.0, torch.full_like(s, -1.0))
    own = where(part < 0, sign, 1.0) * el.pow(torch.abs(part), -exponent)
    bases = where(right, q, 1.0), 1 + part, 1 - part, 1 - base
    result, above, below, rest = zetas(exponent, bases)
    other = own + above + sign * (below - rest)
    other = where(pole, math.inf, where(integral, other, math.nan))
    result = where(left, other, result)
    result = where(q == math.inf, 0.0, where(q == 0, math.inf, result))
    result = where(q == -math.inf, math.inf, result)
    ends = where(q == 1, 1.0, where(q > 1, torch.zeros_like(q), math.inf))
    result = where(s == math.inf, ends, result)
    result = where(s == 1, math.inf, where(s < 1, math.nan, result))
    return where((s == s) & (q == q), result, math.nan)


def _zetac(x: Tensor) -> Tensor:
    """Return zeta(x) - 1: the sum from 2 on; of negative numbers by the functional equation."""
    negative = x < -0.0625
    y = where(negative, 1 - x, x)
    near = y < 1
    # Euler's and Maclaurin's sum continues the function to numbers below 1.
    low = where(near, y, 0.5)
    beyond = zeta_positive(low, torch.full_like(x, 2.0))
    high = where((y > 1) & (y < math.inf), y, 2.0)
    value = where(near, beyond, zeta(high, torch.full_like(x, 2.0)))
    left = where(negative & (x > -math.inf), x, -0.75)
    mirrored = 1 - left
    # gamma(z) / (2 pi)**z in two factors: by Stirling's series without gamma, which overflows.
    large = mirrored >= (160.0 if x.dtype is dt.float64 else 33.0)
    first, second, divisor = gamma_factors(where(large, 2.0, mirrored))
    power = el.pow(torch.full_like(x, 2 * math.pi), where(large, 0.0, -0.5 * mirrored))
    z = where(large, mirrored, 40.0)
    root = el.pow(z * (1 / (2 * math.pi * math.e)), 0.5 * z)
    rest = torch.exp(stirling(z)) * torch.sqrt(2 * math.pi / z)
    first = where(large, root * rest, power * first)
    second = where(large, root, power * second)
    quarter = 0.5 * left
    sine = torch.abs(sin_pi(quarter))
    down = el.floor(quarter)
    sine = where(el.floor(0.5 * down) * 2 == down, sine, -sine)
    reflected = sine * 2 * first * second / divisor * (1 + value)
    reflected = where(sine == 0, 0.0, reflected)
    result = where(negative, reflected - 1, value)
    result = where(x == 1, math.inf, where(x == math.inf, 0.0, result))
    return where(x > -math.inf, result, math.nan)


def _betaln(a: Tensor, b: Tensor) -> Tensor:
    a, b = where(a < b, a, b), where(a < b, b, a)
    valid = (a == a) & (b == b)
    # Infinite at a pole, unless the poles of gamma(a) and gamma(a + b) cancel.
    pole = (a <= 0) & (el.floor(a) == a)
    cancels = pole & (el.floor(b) == b) & (1 - a - b > 0)
    # SciPy does not treat larger numbers as integers.
    cancels = cancels & (a > -(2**31))
    a = where(cancels, 1 - a - b, a)
    lgamma = gammaln.on(spec_of(a))
    log_a = lgamma(a)
    near = log_a + (lgamma(b) - lgamma(a + b))
    # For large numbers, subtract Stirling's series term by term: whole logarithms would cancel.
    large = (b >= SMALL) & (b < math.inf) & (a > -0.5 * b)
    big = where(large, b, 10.0)
    small = where(large, a, 1.0)
    both = small >= SMALL
    shift = el.log1p(small / big)
    rest = stirling(big) - stirling(big + small) - (big - 0.5) * shift
    low = log_a + (rest - small * (torch.log(big + small) - 1))
    high_a = where(both, small, 10.0)
    high = stirling(high_a) + rest
    high = high - high_a * el.log1p(big / high_a) - 0.5 * torch.log(high_a)
    high = _HALF_LOG_2PI - -high
    result = where(large, where(both, high, low), near)
    ends = where(a > 0, torch.full_like(a, -math.inf), math.inf)
    result = where(b == math.inf, ends, result)
    result = where(pole & ~cancels, math.inf, result)
    return where(valid, result, math.nan)


# --- the incomplete gamma functions ---------------------------------------------------------------


def is_uniform(a: Tensor, x: Tensor) -> Tensor:
    """Say where Temme's expansion serves: for large a, near x = a.

    This covers the region where torch takes its own expansion, whose errors are 1e-9: as far as
    4.5 / sqrt(200).
    """
    return (a >= 20) & (torch.abs(x - a) < 0.32 * a) & (a < math.inf)


def by_temme(a: Tensor, x: Tensor, sign: float) -> Tensor:
    """Return P(a, x) for the sign -1, Q(a, x) for 1.

    N. Temme, The asymptotic expansion of the incomplete gamma functions, 1979;
    https://dlmf.nist.gov/8.12
    """
    mu = (x - a) / a
    # (mu - log(1 + mu)) / mu**2, by a series because the difference cancels.
    inverse = 1 / (2 - -mu)
    ratio = inverse * (1 - inverse * atanh_rest(mu * inverse))
    eta = mu * torch.sqrt(2 * ratio)
    half_square = mu * mu * ratio
    inverse_a = 1 / a
    *rows, last = _TEMME[a.dtype]
    total = polynomial(eta, last) if len(last) > 1 else torch.full_like(a, last[0])
    for row in reversed(rows):
        total = polynomial(eta, row) + inverse_a * total
    rest = torch.exp(-a * half_square) / torch.sqrt(a * (2 * math.pi)) * total
    return 0.5 * erfc(eta * torch.sqrt(0.5 * a) * sign) + sign * rest


_TEMME: Final = {
    dt.float32: temme(9, 9, 9, 9, 9),
    dt.float64: temme(17, 16, 15, 13, 11, 11, 10, 8, 7, 5, 3, 1),
}
"""As exact as the data type for a >= 20 and eta from -0.36 to 0.36."""


def is_near_zero(a: Tensor, x: Tensor) -> Tensor:
    """Say where both numbers are so small that Q is at most about a half."""
    low = where((x > 0) & (x < 0.5), x, 0.5)
    bound = where(x < 0.5, -0.4 / torch.log(low), 1.1 * x)
    return (a > 0) & (x > 0) & (x <= 1.1) & (a <= bound)


def upper_near_zero(a: Tensor, x: Tensor) -> Tensor:
    """Return Q(a, x), without the cancellation of 1 - P, for 0 < x <= 1.1 and 0 < a < 1.5."""
    exponent = a * torch.log(x) - lgamma1p(a)
    term = torch.ones_like(x)
    total = torch.zeros_like(x)
    for k in range(1, 13 if a.dtype is dt.float32 else 19):
        term = term * x * (-1 / k)
        total = total + term / (a + k)
    return -el.expm1(exponent) - torch.exp(exponent) * (a * total)


def _gammainc_mended(a: Tensor, x: Tensor) -> Tensor:
    uniform = is_uniform(a, x)
    b, y = where(uniform, a, 20.0), where(uniform, x, 20.0)
    result = where(uniform, by_temme(b, y, -1.0), torch.special.gammainc(a, x))
    return where((a == a) & (x == x), result, math.nan)


def _gammaincc_mended(a: Tensor, x: Tensor) -> Tensor:
    uniform = is_uniform(a, x)
    b, y = where(uniform, a, 20.0), where(uniform, x, 20.0)
    result = where(uniform, by_temme(b, y, 1.0), torch.special.gammaincc(a, x))
    near = is_near_zero(a, x)
    b, y = where(near, a, 0.5), where(near, x, 0.5)
    result = where(near, upper_near_zero(b, y), result)
    return where((a == a) & (x == x), result, math.nan)


TERMS: Final = 48
LEVELS: Final = 30
"""The number of terms of a series, or of levels of a fraction, that leave out 5e-9 at most."""

AT_ONCE: Final = 10
"""At most this many terms, of five calls each, form one chain for torch to fuse."""


def _series_by_quotients(b: Tensor, z: Tensor) -> Tensor:
    # For less than 1e-18 the series is 1, and the square of 1 / z could be too large.
    inverse = cut(1 / torch.clamp(z, min=1e-18))
    first, one = b * inverse, constant(1.0, z)
    series = one
    for k in range(TERMS, 0, -1):
        if k % AT_ONCE == 0:
            series = cut(series)
        series = addcdiv(one, series, torch.add(first, inverse, alpha=k))
    return series


def _fraction_by_quotients(b: Tensor, start: Tensor) -> Tensor:
    fraction = start + 2 * LEVELS
    for k in range(LEVELS, 0, -1):
        if k % AT_ONCE == 0:
            fraction = cut(fraction)
        fraction = addcdiv(start + (2 * k - 2), b + -k, fraction, value=k)
    return fraction


def incomplete(
    a: Tensor,
    x: Tensor,
    sign: float,
    series: Kernel = _series_by_quotients,
    fraction: Kernel = _fraction_by_quotients,
) -> Tensor:
    """Return P(a, x) for the sign -1, Q(a, x) for 1, by a series or a continued fraction.

    P is a factor times ``series(a, x)``, 1 + x / (a + 1) + x**2 / ((a + 1) (a + 2)) + ...  Q is the
    factor times a, divided by ``fraction(a, x + 1 - a)``, where ``fraction(a, s)`` is
    s + 1 (a - 1) / (s + 2 + 2 (a - 2) / (s + 4 + ...)).
    https://dlmf.nist.gov/8.11, https://dlmf.nist.gov/8.9
    """
    a, x = torch.broadcast_tensors(a, x)  # type: ignore[no-untyped-call]
    uniform = is_uniform(a, x)
    center = by_temme(where(uniform, a, 20.0), where(uniform, x, 20.0), sign)
    usual = (a > 0) & (x > 0) & (a < math.inf) & (x < math.inf) & ~uniform
    b, y = where(usual, a, 1.0), where(usual, x, 1.0)
    below = (y <= b) | (y <= 1)
    # x**a exp(-x) / gamma(a + 1)
    large = b >= SMALL
    high = where(large, b, 10.0)
    mu = where(large, (y - b) / b, 0.0)
    below_half = mu < -0.5
    quotient = where(large & below_half, y / b, 1.0)
    log = where(below_half, torch.log(quotient), el.log1p(mu))
    exponent = high * (log - mu) - stirling(high)
    factor = torch.exp(exponent) / torch.sqrt(high * (2 * math.pi))
    low = where(large, 1.0, b)
    vanishes = y > 150
    moderate = where(vanishes | large, 1.0, y)
    direct = el.pow(moderate, low) * torch.exp(-moderate) / gamma_positive(low + 1)
    factor = where(large, factor, where(vanishes, 0.0, direct))
    lower = factor * series(b, where(below, y, 0.5 * b))
    upper = factor * b / fraction(b, where(below, b + 2, y) + 1 - b)
    if sign < 0:
        result = where(below, lower, 1 - upper)
    else:
        result = where(below, 1 - lower, upper)
        near = is_near_zero(b, y)
        small = where(near, b, 0.5), where(near, y, 0.5)
        result = where(near, upper_near_zero(*small), result)
    result = where(uniform, center, result)
    ends = 0.0 if sign < 0 else 1.0
    result = where((x == 0) | (a == math.inf), ends, result)
    result = where((a == 0) | (x == math.inf), 1 - ends, result)
    both = ((a == 0) & (x == 0)) | ((a == math.inf) & (x == math.inf))
    valid = (a >= 0) & (x >= 0) & ~both
    return where(valid, result, math.nan)


gammainc_composed: Final = partial(incomplete, sign=-1.0)
gammaincc_composed: Final = partial(incomplete, sign=1.0)


def _gdtr(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    return gammainc(*torch.broadcast_tensors(b, _scaled(a, x)))  # type: ignore[no-untyped-call]


def _gdtrc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    return gammaincc(*torch.broadcast_tensors(b, _scaled(a, x)))  # type: ignore[no-untyped-call]


def _scaled(a: Tensor, x: Tensor) -> Tensor:
    return where(x >= 0, a * x, math.nan)


def _pdtr(k: Tensor, m: Tensor) -> Tensor:
    return gammaincc(*_events(k, m))


def _pdtrc(k: Tensor, m: Tensor) -> Tensor:
    return gammainc(*_events(k, m))


def _events(k: Tensor, m: Tensor) -> Any:
    number = where(k >= 0, el.floor(k) + 1, math.nan)
    return torch.broadcast_tensors(number, m)  # type: ignore[no-untyped-call]


def _chdtr(v: Tensor, x: Tensor) -> Tensor:
    return gammainc(0.5 * v, 0.5 * x)


def _chdtrc(v: Tensor, x: Tensor) -> Tensor:
    return gammaincc(0.5 * v, 0.5 * x)


# --- Bessel functions -----------------------------------------------------------------------------


def _signed(x: Tensor, order: int, value: Tensor) -> Tensor:
    """Return an odd function of both signs, given its values for absolute values."""
    return where(x < 0, -value, value) if order else value


def _i_scaled(order: int, x: Tensor) -> Tensor:
    size = torch.abs(x)
    near = size <= 8
    low, high = where(near, x, 1.0), where(near, 16.0, size)
    inner = series(_I_NEAR[order], torch.abs(low) / 4 - 1)
    outer = series(_I_FAR[order], 16 / high - 1) / torch.sqrt(high)
    return where(near, inner * low if order else inner, _signed(x, order, outer))


i0e_composed: Final = partial(_i_scaled, 0)
i1e_composed: Final = partial(_i_scaled, 1)


def i_by(order: int, scaled: Kernel) -> Kernel:
    """Return a modified Bessel function by the scaled one and two factors of exp(x / 2)."""

    def by_two_factors(x: Tensor) -> Tensor:
        size = torch.abs(x)
        finite = size < math.inf
        root = torch.exp(0.5 * where(finite, size, 0.0))
        result = root * scaled(where(finite, x, 0.0)) * root
        return where(finite, result, x if order else size)

    return by_two_factors


def i0_partials(x: Tensor) -> tuple[Tensor]:
    return (i1(x),)


def i1_partials(x: Tensor) -> tuple[Tensor]:
    slope = i1(x)
    small = (x == 0) | (torch.abs(slope) == math.inf)
    return (i0(x) - where(small, 0.5, slope / where(small, 1.0, x)),)


i0_composed: Final = i_by(0, i0e_composed)
i1_composed: Final = i_by(1, i1e_composed)


def _k(order: int, x: Tensor, *, scaled: bool) -> Tensor:
    near = x <= 2
    low = where(near & (x > 0), x, 1.0)
    t = 0.5 * (low * low) - 1
    log = -(math.log(2) - torch.log(low))
    if order:
        inner = series(_K_SMALL[1], t) / low + log * low * series(_I_SMALL[1], t)
    else:
        inner = series(_K_SMALL[0], t) - log * series(_I_SMALL[0], t)
    high = where(near, 4.0, x)
    outer = series(_K_FAR[order], 4 / high - 1) / torch.sqrt(high)
    inner, outer = (inner * torch.exp(low), outer) if scaled else (inner, outer * torch.exp(-high))
    result = where(near, inner, outer)
    result = where(x == 0, math.inf, result)
    return where(x >= 0, result, math.nan)


k0_composed: Final = partial(_k, 0, scaled=False)
k1_composed: Final = partial(_k, 1, scaled=False)
k0e_composed: Final = partial(_k, 0, scaled=True)
k1e_composed: Final = partial(_k, 1, scaled=True)


def _or_composed(native: Kernel, composed: Kernel) -> Kernel:
    def native_or_composed(x: Tensor) -> Tensor:
        return composed(x) if tracked(x) else native(x)

    return native_or_composed


def _j_near(order: int, x: Tensor) -> Tensor:
    result = series(_J_NEAR[order], x * x / 32 - 1)
    for root in _J_ZEROS[order]:
        result = result * -(from_root(x, root) * from_root(-x, root))
    return result * x if order else result


def _waves(order: int, x: Tensor, *, second: bool) -> Tensor:
    """Return J or Y for x of at least 8, by Hankel's expansion."""
    inverse = 8 / x
    t = 2 * (inverse * inverse) - 1
    p, q = series(_P[order], t), series(_Q[order], t) * inverse
    sine, cosine = el.sin(x), el.cos(x)
    # The sine and cosine of x - pi / 4, or of x - 3 pi / 4, times the square root of 2.
    s, c = (-(sine + cosine), sine - cosine) if order else (sine - cosine, sine + cosine)
    wave = p * s + q * c if second else p * c - q * s
    return wave / torch.sqrt(x * math.pi)


def _j(order: int, x: Tensor) -> Tensor:
    size = torch.abs(x)
    near = size <= 8
    inner = _j_near(order, where(near, x, 1.0))
    outer = _waves(order, where(near, 10.0, size), second=False)
    return where(near, inner, _signed(x, order, outer))


def _y(order: int, x: Tensor) -> Tensor:
    near = (x > 0) & (x <= 8)
    low = where(near, x, 1.0)
    inner = series(_Y_NEAR[order], low * low / 32 - 1)
    product = torch.log(low) * _j_near(order, low)
    if order:
        inner = inner * low + (2 / math.pi) * (product - 1 / low)
    else:
        inner = inner + (2 / math.pi) * product
    outer = _waves(order, where(x > 8, x, 10.0), second=True)
    result = where(near, inner, outer)
    result = where(x == 0, -math.inf, result)
    return where(x >= 0, result, math.nan)


# --- angles in degrees ----------------------------------------------------------------------------

_DEGREE: Final = math.pi / 180


def _quarters(x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return the sign of an angle, its nearest quarter of a turn, and sine and cosine of the rest.

    The last three are those of the size of the angle.
    """
    sign = el.copysign(torch.ones_like(x), x)
    size = x * sign  # torch's derivative of abs is 0 at 0
    turn = el.remainder(size, torch.full_like(x, 360.0))
    quarter = el.round(turn * (1 / 90))
    rest = (turn - quarter * 90) * _DEGREE
    return sign, where(quarter == 4, 0.0, quarter), el.sin(rest), el.cos(rest)


def _sindg(x: Tensor) -> Tensor:
    sign, quarter, sine, cosine = _quarters(x)
    result = where((quarter == 1) | (quarter == 3), cosine, sine)
    return where(quarter >= 2, -result, result) * sign


def _cosdg(x: Tensor) -> Tensor:
    _, quarter, sine, cosine = _quarters(x)
    result = where((quarter == 1) | (quarter == 3), sine, cosine)
    return where((quarter == 1) | (quarter == 2), -result, result)


def _tandg(x: Tensor) -> Tensor:
    sign, sine, cosine = _legs(x)
    pole = cosine == 0
    return where(pole, math.inf, sine / where(pole, 1.0, cosine) * sign)


def _cotdg(x: Tensor) -> Tensor:
    sign, sine, cosine = _legs(x)
    pole = sine == 0
    return where(pole, math.inf, cosine / where(pole, 1.0, sine) * sign)


def _legs(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sign of an angle, and the sine and the cosine of its size up to a common sign.

    Zeros have no sign.
    """
    sign, quarter, sine, cosine = _quarters(x)
    odd = (quarter == 1) | (quarter == 3)
    opposite, adjacent = where(odd, cosine, sine), where(odd, -sine, cosine)
    return sign, opposite + 0.0, adjacent + 0.0


def _radian(d: Tensor, m: Tensor, s: Tensor) -> Tensor:
    return ((d * 60 + m) * 60 + s) * (_DEGREE / 3600)


# --- powers ---------------------------------------------------------------------------------------


def _cbrt_positive(x: Tensor) -> Tensor:
    """Return the cube root of positive numbers, by logarithms and a step of Newton's method."""
    small = x < 1e-30  # whose cubed roots would lose digits
    scaled = where(small, x * 2.0**60, x)
    root = torch.exp(torch.log(scaled) / 3)
    root = root - (root - scaled / (root * root)) * (1 / 3)
    return where(small, root * 2.0**-20, root)


def _cbrt(x: Tensor) -> Tensor:
    size = torch.abs(x)
    usual = (size > 0) & (size < math.inf)
    root = _cbrt_positive(where(usual, size, 1.0))
    return where(usual, where(x < 0, -root, root), x)


def _cbrt_partials(x: Tensor) -> tuple[Tensor]:
    root = cbrt(x)
    return (1 / (3 * root * root),)


def _exp10(x: Tensor) -> Tensor:
    return el.pow(torch.full_like(x, 10.0), x)


def _exprel(x: Tensor) -> Tensor:
    small = torch.abs(x) < torch.finfo(x.dtype).eps
    usual = ~small & (x < math.inf)
    y = where(usual, x, 1.0)
    near = 1 + 0.5 * where(small, x, 0.0)
    # For large numbers the power alone would overflow.
    large = y > 80
    root = torch.exp(0.5 * y)
    result = where(large, root / y * root, el.expm1(where(large, 1.0, y)) / y)
    return where(small, near, where(usual, result, x))


def _cosm1(x: Tensor) -> Tensor:
    half = el.sin(0.5 * x)
    return 0.0 - 2 * half * half


def _boxcox(x: Tensor, lmbda: Tensor) -> Tensor:
    return _boxcox_of_log(torch.log(x), lmbda)


def _boxcox1p(x: Tensor, lmbda: Tensor) -> Tensor:
    return _boxcox_of_log(el.log1p(x), lmbda)


def _boxcox_of_log(log: Tensor, lmbda: Tensor) -> Tensor:
    finite = _finite(lmbda)
    # With a power, or product, this small the result is the logarithm itself.
    tiny = (torch.abs(lmbda) < 1e-19) | (torch.abs(finite * log) < torch.finfo(log.dtype).tiny)
    grown = el.expm1(where(tiny, 1.0, finite) * log)
    power = where(tiny, 1.0, lmbda)
    # The second term matters only for the derivative.
    second = where(tiny, finite, 0.0) * where(torch.abs(log) < math.inf, log, 0.0)
    near = log * (1 + 0.5 * second)
    # Infinity, whatever it is divided by, even by infinity.
    most = where(power < 0, -grown, grown)
    return where(tiny, near, where(grown == math.inf, most, grown / power))


def _finite(x: Tensor) -> Tensor:
    """Return the greatest numbers in place of infinities: their products with 0 are 0."""
    most = torch.finfo(x.dtype).max
    return where(x == math.inf, most, where(x == -math.inf, -most, x))


def _log_of_inverse_boxcox(y: Tensor, lmbda: Tensor) -> Tensor:
    finite = _finite(lmbda)
    zero = (lmbda == 0) | (torch.abs(finite * y) < torch.finfo(y.dtype).tiny)
    power = where(zero, 1.0, finite)
    product = power * y
    overflow = (product == math.inf) & (torch.abs(y) < math.inf)
    log = el.log1p(where(overflow, 1.0, product))
    large = torch.log(torch.abs(where(overflow, power, 1.0)))
    large = large + torch.log(torch.abs(where(overflow, y, 1.0)))
    second = where(zero, finite, 0.0) * where(torch.abs(y) < math.inf, y, 0.0)
    near = y * (1 - 0.5 * second)
    return where(zero, near, where(overflow, large, log) / where(zero, 1.0, lmbda))


def _inv_boxcox(y: Tensor, lmbda: Tensor) -> Tensor:
    return torch.exp(_log_of_inverse_boxcox(y, lmbda))


def _inv_boxcox1p(y: Tensor, lmbda: Tensor) -> Tensor:
    return el.expm1(_log_of_inverse_boxcox(y, lmbda))


def _huber(delta: Tensor, r: Tensor) -> Tensor:
    size = torch.abs(r)
    result = where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return where(delta < 0, math.inf, result)


def _pseudo_huber(delta: Tensor, r: Tensor) -> Tensor:
    zero = (delta == 0) | (r == 0)
    d, v = where(zero, 1.0, delta), where(zero, 1.0, r)
    ratio = v / d
    # sqrt(1 + v**2) - 1, without cancellation
    root = el.hypot(torch.ones_like(ratio), ratio)
    finite = torch.abs(ratio) < math.inf
    share = where(finite, torch.abs(v) / where(finite, 1 + root, d), d)
    result = torch.abs(v) * share
    result = where(zero, 0.0, result)
    result = where(delta < 0, math.inf, result)
    return where((delta == delta) & (r == r), result, math.nan)


# --- the operations -------------------------------------------------------------------------------

betaln: Final = Op("betaln", _betaln, _REAL, mixes=True)
boxcox: Final = Op("boxcox", _boxcox, _REAL, mixes=True)
boxcox1p: Final = Op("boxcox1p", _boxcox1p, _REAL, mixes=True)
cbrt: Final = Op("cbrt", differentiated(_cbrt, _cbrt_partials), _REAL, mixes=True)
chdtr: Final = Op("chdtr", _chdtr, _REAL, mixes=True)
chdtrc: Final = Op("chdtrc", _chdtrc, _REAL, mixes=True)
cosdg: Final = Op("cosdg", _cosdg, _REAL, mixes=True)
cosm1: Final = Op("cosm1", _cosm1, _REAL, mixes=True)
cotdg: Final = Op("cotdg", _cotdg, _REAL, mixes=True)
entr: Final = Op("entr", torch.special.entr, _REAL, mixes=True)
erf: Final = Op("erf", torch.erf, _REAL, mixes=True)
erfc: Final = Op("erfc", torch.erfc, _REAL, mixes=True)
erfcx: Final = Op("erfcx", torch.special.erfcx, _REAL, mixes=True)
erfinv: Final = Op("erfinv", torch.erfinv, _REAL, mixes=True)
exp10: Final = Op("exp10", _exp10, _REAL, mixes=True)
exp2: Final = Op("exp2", torch.exp2, _REAL, mixes=True)
expit: Final = Op("expit", torch.sigmoid, _REAL, mixes=True)
exprel: Final = Op("exprel", _exprel, _REAL, mixes=True)
gamma: Final = Op("gamma", _gamma, _REAL, mixes=True)
gammainc: Final = Op("gammainc", torch.special.gammainc, _REAL, mixes=True)
gammaincc: Final = Op("gammaincc", torch.special.gammaincc, _REAL, mixes=True)
gammaln: Final = Op("gammaln", _gammaln, _REAL, mixes=True)
gammasgn: Final = Op("gammasgn", _gammasgn, _REAL, mixes=True)
gdtr: Final = Op("gdtr", _gdtr, _REAL, mixes=True)
gdtrc: Final = Op("gdtrc", _gdtrc, _REAL, mixes=True)
huber: Final = Op("huber", _huber, _REAL, mixes=True)
i0: Final = Op("i0", torch.special.i0, _REAL, mixes=True)
i0e: Final = Op("i0e", torch.special.i0e, _REAL, mixes=True)
i1: Final = Op("i1", torch.special.i1, _REAL, mixes=True)
i1e: Final = Op("i1e", torch.special.i1e, _REAL, mixes=True)
inv_boxcox: Final = Op("inv_boxcox", _inv_boxcox, _REAL, mixes=True)
inv_boxcox1p: Final = Op("inv_boxcox1p", _inv_boxcox1p, _REAL, mixes=True)
j0: Final = Op("j0", partial(_j, 0), _REAL, mixes=True)
j1: Final = Op("j1", partial(_j, 1), _REAL, mixes=True)
k0: Final = Op("k0", torch.special.modified_bessel_k0, _REAL, mixes=True)
k0e: Final = Op("k0e", torch.special.scaled_modified_bessel_k0, _REAL, mixes=True)
k1: Final = Op("k1", torch.special.modified_bessel_k1, _REAL, mixes=True)
k1e: Final = Op("k1e", torch.special.scaled_modified_bessel_k1, _REAL, mixes=True)
kl_div: Final = Op("kl_div", _kl_div, _REAL, mixes=True)
log_ndtr: Final = Op("log_ndtr", torch.special.log_ndtr, _REAL, mixes=True)
loggamma: Final = Op("loggamma", _loggamma, _REAL, mixes=True)
logit: Final = Op("logit", _logit, _REAL, mixes=True)
ndtr: Final = Op("ndtr", _ndtr, _REAL, mixes=True)
ndtri: Final = Op("ndtri", torch.special.ndtri, _REAL, mixes=True)
pdtr: Final = Op("pdtr", _pdtr, _REAL, mixes=True)
pdtrc: Final = Op("pdtrc", _pdtrc, _REAL, mixes=True)
polygamma: Final = Op("polygamma", _polygamma, _REAL, mixes=True)
pseudo_huber: Final = Op("pseudo_huber", _pseudo_huber, _REAL, mixes=True)
psi: Final = Op("psi", torch.digamma, _REAL, mixes=True)
radian: Final = Op("radian", _radian, _REAL, mixes=True)
rel_entr: Final = Op("rel_entr", _rel_entr, _REAL, mixes=True)
rgamma: Final = Op("rgamma", _rgamma, _REAL, mixes=True)
sindg: Final = Op("sindg", _sindg, _REAL, mixes=True)
sinc: Final = Op("sinc", torch.sinc, _REAL, mixes=True)
tandg: Final = Op("tandg", _tandg, _REAL, mixes=True)
xlog1py: Final = Op("xlog1py", torch.special.xlog1py, _REAL, mixes=True)
xlogy: Final = Op("xlogy", torch.xlogy, _REAL, mixes=True)
y0: Final = Op("y0", partial(_y, 0), _REAL, mixes=True)
y1: Final = Op("y1", partial(_y, 1), _REAL, mixes=True)
zeta: Final = Op("zeta", torch.special.zeta, _REAL, mixes=True)
zetac: Final = Op("zetac", _zetac, _REAL, mixes=True)

# --- rows -----------------------------------------------------------------------------------------

_SEEN: Final = Evidence("torch 2.13, CPU")
_ROUNDED: Final = "refused, slow, or rounded at every step"
_COARSE: Final = "in float32 several units in the last place, or overflow on the way"


def computed_wide(names: str) -> list[Row]:
    """Return the rows of compositions that are as exact as the data type that they compute in."""
    return [
        Row(names, dt.HALF, Via(dt.float32), _ROUNDED, Evidence(f"torch 2.13, CPU; {ON_NPUS}")),
        Row(
            names,
            {dt.float32},
            Via(dt.float64),
            _COARSE,
            Evidence("torch 2.11 to 2.13, CPU and CUDA"),
            where=fast_float64,
        ),
    ]


bring("special")
register(
    [
        *computed_wide(
            "betaln boxcox boxcox1p cbrt chdtr chdtrc cosdg cotdg erfcx exprel gamma gammainc "
            "gammaincc gdtr gdtrc i0 i1 i1e inv_boxcox inv_boxcox1p j0 j1 k0 k0e k1 k1e kl_div "
            "log_ndtr loggamma ndtr pdtr pdtrc polygamma pseudo_huber psi radian rgamma sindg "
            "tandg y0 y1 zetac"
        ),
        Row(
            "cosm1 entr erf erfc erfinv expit gammaln gammasgn huber i0e logit ndtri rel_entr sinc "
            "xlog1py xlogy zeta",
            dt.HALF,
            Via(dt.float32),
            _ROUNDED,
            Evidence(f"torch 2.13, CPU; {ON_NPUS}"),
        ),
        Row("exp2", {dt.bfloat16}, Via(dt.float32), _ROUNDED, Evidence(ON_NPUS)),
        Row(
            "psi",
            {dt.float64},
            Compose(partial(_digamma, positive=torch.digamma)),
            "torch rounds the distance from a pole",
            _SEEN,
        ),
        *(
            Row(
                name,
                {dt.float64},
                Compose(_or_composed(OPS[name].native, composed)),
                "torch's own has no derivative",
                _SEEN,
                where=where,
            )
            for name, composed, where in (
                ("k0", k0_composed, torch_before(2, 15)),
                ("k0e", k0e_composed, everywhere),
                ("k1", k1_composed, torch_before(2, 15)),
                ("k1e", k1e_composed, everywhere),
            )
        ),
        Row(
            "log_ndtr",
            {dt.float64},
            Compose(_log_ndtr),
            "torch rounds what steep tails hang on, and has no rule for vmap",
            _SEEN,
        ),
        Row(
            "erfcx",
            {dt.float64},
            Compose(_erfcx_reflected),
            "torch rounds the square of negative numbers, whose power is steep",
            _SEEN,
        ),
        *(
            Row(
                name,
                {dt.float64},
                Compose(differentiated(i_by(order, scaled), partials)),
                "torch: overflow on the way, NaN of infinities",
                _SEEN,
            )
            for order, (name, scaled, partials) in enumerate(
                (("i0", torch.special.i0e, i0_partials), ("i1", torch.special.i1e, i1_partials))
            )
        ),
        Row(
            "zeta",
            {dt.float32, dt.float64},
            Compose(_zeta_at_infinity),
            "torch: NaN where q is infinite, and no derivative by s",
            _SEEN,
        ),
        *(
            Row(
                name,
                {dt.float64},
                Compose(function),
                "torch: errors of 1e-9 where a is large and x near it, and greater ones near 0",
                _SEEN,
            )
            for name, function in (("gammainc", _gammainc_mended), ("gammaincc", _gammaincc_mended))
        ),
    ]
)
