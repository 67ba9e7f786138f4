"""Exponential and elliptic integrals, and the dilogarithm, as compositions for every device.

As in ``special``, they read no values and add no constants but those that float32 holds.
"""

from __future__ import annotations

import math
from typing import Any, Final

from .._torch import Tensor, torch
from .._torch import dtypes as dt
from . import _tables as tables
from . import elementwise as el
from . import special as sp
from ._constants import addcdiv, cut, polynomial, where
from ._operations import Op, register

_E1_NEAR: Final = sp.short(tables.E1_NEAR)
_E1_FAR: Final = sp.short(tables.E1_FAR)
_EI_NEAR: Final = sp.short(tables.EI_NEAR)
_EI_FROM: Final = (
    (6, 12, sp.short(tables.EI_FROM_6)),
    (12, 24, sp.short(tables.EI_FROM_12)),
    (24, math.inf, sp.short(tables.EI_FROM_24)),
)

# --- exponential integrals ------------------------------------------------------------------------


def _exp1(x: Tensor) -> Tensor:
    near = (x > 0) & (x <= 1)
    low = where(near, x, 0.5)
    inner = sp.series(_E1_NEAR, 2 * low - 1) - torch.log(low)
    high = where(x > 1, x, 2.0)
    outer = torch.exp(-high) * (sp.series(_E1_FAR, 6 / (high + 2) - 1) / high)
    result = where(near, inner, outer)
    return where(x > 0, result, where(x == 0, math.inf, torch.full_like(x, math.nan)))


def _expi(x: Tensor) -> Tensor:
    near = (x > 0) & (x <= 6)
    low = where(near, x, 1.0)
    high, rest = tables.EI_ROOT
    beyond = -sp.from_root(low, tables.EI_ROOT)
    # Near its zero the quotient is 1 plus a small number.
    close = torch.abs(beyond) < 0.125
    far = -(math.log(high + rest) - torch.log(where(close, 1.0, low)))
    log = where(close, el.log1p(where(close, beyond, 0.0) * (1 / high)), far)
    inner = log + beyond * sp.series(_EI_NEAR, low / 3 - 1) * torch.exp(low)
    large = where((x > 6) & (x < math.inf), x, 8.0)
    inverse = 1 / large
    outer: Any = torch.zeros_like(x)
    for least, most, table in _EI_FROM:
        here = (large > least) & (large <= most)
        width = 1 / least - 1 / most
        t = 1 - (1 / least - where(here, inverse, 0.125)) * (2 / width)
        outer = where(here, sp.series(table, t), outer)
    root = torch.exp(0.5 * large)
    result = where(near, inner, root * (outer * inverse) * root)
    negative = x < 0
    result = where(negative, -exp1(where(negative, -x, 1.0)), result)
    result = where(x == 0, -math.inf, result)
    return where((x == math.inf) | (x != x), x, result)


_TERMS: Final = {dt.float32: 13, dt.float64: 22}
_LEVELS: Final = {dt.float32: 32, dt.float64: 90}


def _expn(n: Tensor, x: Tensor) -> Tensor:
    n, x = torch.broadcast_tensors(n, x)  # type: ignore[no-untyped-call]
    n = el.floor(n)
    usual = (n >= 2) & (n < math.inf) & (x > 0) & (x < math.inf)
    order, z = where(usual, n, 2.0), where(usual, x, 0.5)
    near = z <= 1
    # The series has a logarithm in place of the term that would be divided by 0.
    low = where(near, z, 0.5)
    few = order <= _TERMS[x.dtype]
    known = sp.psi(where(few, order, 2.0)) - torch.log(low)
    term = torch.ones_like(low)
    total: Any = torch.zeros_like(low)
    for k in range(_TERMS[x.dtype]):
        own = order == k + 1
        divisor = where(own, 1.0, order - (k + 1))
        total = total + where(own, term * known, term / divisor)
        term = term * (low * (-1 / (k + 1)))
    # https://dlmf.nist.gov/8.19.E17
    high = where(near, 2.0, z)
    start = high + order
    levels = _LEVELS[x.dtype]
    fraction = start + 2 * levels
    for k in range(levels, 0, -1):
        if k % sp.AT_ONCE == 0:
            fraction = cut(fraction)
        fraction = addcdiv(start + (2 * k - 2), order + (k - 1), fraction, value=-k)
    result = where(near, total, torch.exp(-high) / fraction)
    positive = where(x > 0, x, 1.0)
    result = where(n == 0, torch.exp(-positive) / positive, result)
    result = where(n == 1, exp1(x), result)
    at_zero = where(n > 1, 1 / where(n > 1, n - 1, 1.0), math.inf)
    result = where(x == 0, at_zero, result)
    result = where((x == math.inf) | (n == math.inf), 0.0, result)
    return where((n >= 0) & (x >= 0), result, math.nan)


# --- the dilogarithm ------------------------------------------------------------------------------

_DILOGARITHM: Final = tuple(
    n / (d * math.factorial(2 * k + 1)) for k, (n, d) in enumerate(sp.BERNOULLI, 1)
)


def _spence(x: Tensor) -> Tensor:
    """Return Li2(1 - x), by a series in the logarithm of a number from 1/2 to 2.

    https://dlmf.nist.gov/25.12
    """
    usual = (x > 0) & (x < math.inf)
    y = where(usual, x, 1.0)
    large, small = y > 2, y < 0.5
    inverse = where(large, 1 / y, y)
    part = where(large, inverse, where(small, y, 0.25))
    reflected = large | small
    log = torch.log(y)
    rest = el.log1p(-part)
    u = where(reflected, -rest, -log)
    square = u * u
    value = u - 0.25 * square + u * square * polynomial(square, _DILOGARITHM)
    # Li2(1 - x) = pi**2 / 6 - log(x) log(1 - x) - Li2(x); for its inverse minus log(x)**2 / 2.
    other = where(large, -log, log)
    turned = math.pi**2 / 6 - (other * rest + value)
    result = where(reflected, turned, value)
    result = where(large, -0.5 * log * log - turned, result)
    result = where(usual, result, where(x == 0, math.pi**2 / 6, torch.full_like(x, math.nan)))
    return where(x == math.inf, -math.inf, result)


# --- the elliptic integral of the first kind ------------------------------------------------------

_MEANS: Final = {dt.float32: 11, dt.float64: 14}


def _ellipkm1(p: Tensor) -> Tensor:
    """Return it by the arithmetic-geometric mean of 1 and sqrt(p).

    https://dlmf.nist.gov/19.8.E5
    """
    usual = (p > 0) & (p < math.inf)
    a = torch.ones_like(p)
    b = torch.sqrt(where(usual, p, 1.0))
    for _ in range(_MEANS[p.dtype]):
        a, b = 0.5 * (a + b), torch.sqrt(a * b)
    result = (math.pi / 2) / a
    result = where(p == 0, math.inf, where(p == math.inf, 0.0, result))
    return where(p >= 0, result, math.nan)


def _ellipk(m: Tensor) -> Tensor:
    return ellipkm1(1 - m)


# --- the operations -------------------------------------------------------------------------------

_REAL: Final = dt.REAL_FLOATING

ellipk: Final = Op("ellipk", _ellipk, _REAL, mixes=True)
ellipkm1: Final = Op("ellipkm1", _ellipkm1, _REAL, mixes=True)
exp1: Final = Op("exp1", _exp1, _REAL, mixes=True)
expi: Final = Op("expi", _expi, _REAL, mixes=True)
expn: Final = Op("expn", _expn, _REAL, mixes=True)
spence: Final = Op("spence", _spence, _REAL, mixes=True)

register(sp.computed_wide("ellipk ellipkm1 exp1 expi expn spence"))
