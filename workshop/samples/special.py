"""The special functions by mpmath, and how near to them the namespace's are to come."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import scipy.special

from ._table import *
from .strategies import *

LARGE = [0.1, 0.5, 0.99, 1.0, 1.01, 1.4, 1.47, 2.0, 2.5, 3.3, 5.0, 7.9, 8.1, 9.9, 12.0, 35.0]
POSITIVE = [1e-30, 1e-8, 1e-3, *LARGE, 80.0]
BOTH_SIGNS = [*POSITIVE, *(-x for x in POSITIVE), 0.0]
UNIT = [1e-30, 1e-8, 0.001, 0.02, 0.09, 0.11, 0.3, 0.45, 0.499, 0.5, 0.501, 0.6, 0.8, 0.95, 0.999]
NEAR_POLES = [-0.999, -1.001, -2.5, -4.00001, -6.7, -10.2, -20.3]

PAIRS = [
    *((0.01, 0.5), (0.3, 0.001), (0.5, 0.5), (1.0, 1.0), (1.3, 0.9), (2.5, 7.0), (7.0, 2.5)),
    *((8.6, 8.4), (19.0, 20.5), (21.0, 21.0), (25.0, 26.5), (60.0, 45.0), (60.0, 80.0)),
    *((100.0, 30.0), (150.0, 300.0), (1e4, 1.001e4), (0.02, 3.0), (15.0, 0.1)),
]
"""First operands and second operands that reach every way of computing."""

TRIPLES = [
    *((0.5, 0.5, 0.3), (0.01, 0.3, 0.5), (0.3, 0.01, 0.7), (1e-6, 1e-6, 0.4), (2.0, 3.0, 0.5)),
    *((1.0, 1.0, 0.25), (1.3, 0.9, 0.05), (0.25, 6e-5, 0.24), (0.4, 0.03, 0.999), (3.0, 1e-4, 0.9)),
    *((5.3, 6.5, 0.9), (8.4, 8.6, 0.5), (8.6, 8.4, 0.45), (8.5, 60.0, 0.1), (2.5, 55.0, 0.02)),
    *((20.0, 0.5, 0.98), (90.0, 0.4, 0.999), (0.7, 80.0, 1e-3), (150.0, 3.0, 0.97)),
    *((30.0, 30.0, 0.45), (92.0, 30.0, 0.8), (300.0, 150.0, 0.7), (1e3, 2e3, 0.35)),
    *((23.4, 4.1, 0.89), (180.0, 2940.0, 0.025), (1e-4, 1e4, 1e-5), (2e4, 3e4, 0.4)),
    *((1.2, 2.9, 1e-8), (12.0, 1.0, 0.999), (40.0, 1e-5, 0.999), (1e-3, 40.0, 0.4)),
]
"""Operands of the incomplete beta function that reach every way of computing."""

Reference = Callable[..., Any]


def _quantile(p: Any) -> Any:
    """Return the quantile of the normal distribution."""
    tail = min(p, 1 - p)
    if tail == mpmath.mpf("0.5"):
        return mpmath.mpf(0)
    guess = -mpmath.sqrt(-2 * mpmath.log(tail)) * mpmath.mpf("0.9")
    for _ in range(100):
        value = mpmath.erfc(-guess / mpmath.sqrt(2)) / 2
        step = (mpmath.log(value) - mpmath.log(tail)) * value / mpmath.npdf(guess)
        guess -= step
        if abs(step) < mpmath.mpf(10) ** -35:
            break
    return guess if p < 0.5 else -guess


def _ndtr(x: Any) -> Any:
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def _log_gamma(x: Any) -> Any:
    return mpmath.log(abs(mpmath.gamma(x)))


def _upper(a: Any, x: Any) -> Any:
    if x < a:
        return 1 - _lower(a, x)
    return mpmath.gammainc(a, x, mpmath.inf, regularized=True)


def _lower(a: Any, x: Any) -> Any:
    if x >= a:
        return 1 - _upper(a, x)
    term = total = mpmath.mpf(1)
    for k in range(1, 3000):
        term = term * x / (a + k)
        total += term
        if term < total * mpmath.mpf(10) ** -40:
            break
    return total * mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a + 1))


def _zeta(s: Any, q: Any) -> Any:
    if q < 0:
        return _zeta(s, q + 1) + (1 / q) ** int(s)
    terms = 60
    total = mpmath.fsum((q + k) ** -s for k in range(terms))
    w = q + terms
    total += w ** (1 - s) / (s - 1) + w**-s / 2
    factor = s / w
    for j in range(1, 15):
        total += mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j) * factor * w**-s
        factor *= (s + 2 * j - 1) * (s + 2 * j) / w**2
    return total


def _beta(a: Any, b: Any, x: Any, *, upper: bool = False) -> Any:
    """Return the incomplete beta function, or what it lacks of 1, by a series of positive terms.

    It takes so many digits that 1 minus nearly 1 has enough.
    """
    if x > 0.5:
        with mpmath.workdps(350):
            return _beta(b, a, 1 - x, upper=not upper)
    with mpmath.workdps(350):
        term = total = mpmath.mpf(1)
        k = 0
        while term > total * mpmath.mpf(10) ** -345:
            term = term * (a + b + k) * x / (a + 1 + k)
            total += term
            k += 1
        log = a * mpmath.log(x) + b * mpmath.log1p(-x) + mpmath.loggamma(a + b)
        log -= mpmath.loggamma(a + 1) + mpmath.loggamma(b)
        lower = total * mpmath.exp(log)
        return 1 - lower if upper else lower


def _student(df: Any, t: Any) -> Any:
    with mpmath.workdps(350):
        tail = _beta(df / 2, mpmath.mpf(1) / 2, df / (df + t * t)) / 2
        return 1 - tail if t > 0 else tail


def _f_share(dfn: Any, dfd: Any, x: Any) -> tuple[Any, Any, Any]:
    with mpmath.workdps(350):
        return dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x)


def _inverse(name: str, function: Reference, *operands: Any) -> Any:
    """Return where a function of a last operand has a value, by secants from SciPy's answer."""
    *first, wanted = operands
    with mpmath.workdps(60):
        with warnings.catch_warnings():  # SciPy's that it makes an integer of a number
            warnings.simplefilter("ignore")
            near = getattr(scipy.special, name)(*map(float, operands))
        x = mpmath.mpf(float(near))
        step = x * mpmath.mpf(10) ** -10
        for _ in range(8):
            value = function(*first, x) - wanted
            slope = (function(*first, x + step) - wanted - value) / step
            change = value / slope
            x -= change
            if abs(change) < abs(x) * mpmath.mpf(10) ** -35:
                return x
            step = x * mpmath.mpf(10) ** -20
    raise ArithmeticError(f"{name}{operands} was not found")


def _degrees(function: Any) -> Reference:
    return lambda x: function(x * mpmath.pi / 180)


def _li2(x: Any) -> Any:
    return mpmath.re(mpmath.polylog(2, 1 - x))


def _j(order: int, kind: Any) -> Reference:
    return lambda x: kind(order, x)


_ANGLES = [1e-6, 0.5, 30.0, 44.0, 45.0, 46.0, 89.0, 91.0, 179.99, 200.0, 271.0, 359.0, 1000.0]
_FREEDOM = [0.3, 1.0, 2.0, 7.0, 60.0, 1000.0]

REFERENCES: dict[str, tuple[Reference, list[Any]]] = {
    "bdtr": (
        lambda k, n, p: _beta(k + 1, n - k, p, upper=True),
        [(k, n, p) for k, n in ((0, 1), (2, 10), (30, 80)) for p in (1e-3, 0.2, 0.6, 0.95)],
    ),
    "bdtrc": (
        lambda k, n, p: _beta(k + 1, n - k, p),
        [(k, n, p) for k, n in ((0, 1), (2, 10), (30, 80)) for p in (1e-3, 0.2, 0.6, 0.95)],
    ),
    "betainc": (_beta, TRIPLES),
    "betaincc": (lambda a, b, x: _beta(a, b, x, upper=True), TRIPLES),
    "bdtri": (
        lambda *o: _inverse("bdtri", lambda k, n, p: _beta(k + 1, n - k, p, upper=True), *o),
        [(k, n, y) for k, n in ((0, 1), (2, 10), (30, 80)) for y in (1e-9, 0.2, 0.6, 0.95)],
    ),
    "betaincinv": (
        lambda *o: _inverse("betaincinv", _beta, *o),
        [
            *((a, b, y) for a, b in ((0.5, 0.5), (2, 3), (40, 2.5)) for y in (1e-12, 0.3, 0.9)),
            *((0.05, 0.3, 0.4), (0.2, 30.0, 0.6), (300.0, 150.0, 0.01), (1.1, 400.0, 0.999)),
            *((900.0, 0.2, 0.1), (1e3, 2e3, 0.75)),
        ],
    ),
    "binom": (
        lambda n, k: mpmath.gammaprod([n + 1], [k + 1, n - k + 1]),
        [
            *((5, 2), (40, 20), (10.5, 3.25), (0.5, 4), (2.5, 7.5), (1e4, 2), (300, 20.5)),
            *((-2.5, 3), (-0.5, 0.25), (7, 0), (100, 60), (3.5, -1.25), (1e-5, 0.3)),
        ],
    ),
    "cbrt": (lambda x: mpmath.cbrt(abs(x)) * mpmath.sign(x), BOTH_SIGNS),
    "chdtri": (
        lambda *o: _inverse("chdtri", lambda v, x: _upper(v / 2, x / 2), *o),
        [(v, p) for v in (0.3, 1, 5, 80, 3000) for p in (1e-20, 0.01, 0.4, 0.9)],
    ),
    "cosdg": (_degrees(mpmath.cos), _ANGLES),
    "cotdg": (_degrees(mpmath.cot), _ANGLES),
    "ellipk": (mpmath.ellipk, [x for x in BOTH_SIGNS if x < 1]),
    "ellipkm1": (lambda p: mpmath.ellipk(1 - p), POSITIVE),
    "exp1": (mpmath.e1, POSITIVE),
    "expi": (mpmath.ei, [*BOTH_SIGNS[:-1], 0.3725, 0.37, 0.45, 6.1, 20.0, 26.0, 85.0]),
    "expn": (
        lambda n, x: mpmath.expint(n, x) if n else mpmath.exp(-x) / x,
        [(n, x) for n in (0, 1, 2, 3, 12, 25, 200) for x in (1e-8, 0.1, 0.9, 1.0, 1.1, 4.0, 30.0)],
    ),
    "fdtr": (
        lambda m, n, x: _beta(*_f_share(m, n, x)),
        [(m, n, x) for m in (1, 3.5, 20) for n in (2, 30) for x in (0.01, 0.9, 1.0, 3.0, 40.0)],
    ),
    "fdtrc": (
        lambda m, n, x: _beta(*_f_share(m, n, x), upper=True),
        [(m, n, x) for m in (1, 3.5, 20) for n in (2, 30) for x in (0.01, 0.9, 1.0, 3.0, 40.0)],
    ),
    "fdtri": (
        lambda *o: _inverse("fdtri", lambda m, n, x: _beta(*_f_share(m, n, x)), *o),
        [(m, n, p) for m in (1, 3.5, 20) for n in (2, 30) for p in (1e-6, 0.2, 0.6, 0.99)],
    ),
    "gammaincinv": (
        lambda *o: _inverse("gammaincinv", _lower, *o),
        [(a, p) for a in (0.1, 0.7, 2, 15, 40, 1e3) for p in (1e-12, 0.01, 0.4, 0.8, 0.99)],
    ),
    "gammainccinv": (
        lambda *o: _inverse("gammainccinv", _upper, *o),
        [(a, p) for a in (0.1, 0.7, 2, 15, 40, 1e3) for p in (1e-30, 0.01, 0.4, 0.8, 0.99)],
    ),
    "gdtr": (lambda a, b, x: _lower(b, a * x), [(0.5, a, 2 * x) for a, x in PAIRS]),
    "gdtrc": (lambda a, b, x: _upper(b, a * x), [(0.5, a, 2 * x) for a, x in PAIRS]),
    "loggamma": (mpmath.loggamma, [*POSITIVE, 1e4]),
    "nbdtr": (
        lambda k, n, p: _beta(n, k + 1, p),
        [(k, n, p) for k, n in ((0, 1), (3, 10), (50, 30)) for p in (1e-3, 0.2, 0.6, 0.95)],
    ),
    "nbdtrc": (
        lambda k, n, p: _beta(n, k + 1, p, upper=True),
        [(k, n, p) for k, n in ((0, 1), (3, 10), (50, 30)) for p in (1e-3, 0.2, 0.6, 0.95)],
    ),
    "nbdtri": (
        lambda *o: _inverse("nbdtri", lambda k, n, p: _beta(n, k + 1, p), *o),
        [(k, n, y) for k, n in ((0, 1), (3, 10), (50, 30)) for y in (1e-9, 0.2, 0.6, 0.95)],
    ),
    "pdtri": (
        lambda *o: _inverse("pdtri", lambda k, m: _upper(k + 1, m), *o),
        [(k, y) for k in (0, 3, 40) for y in (1e-9, 0.2, 0.6, 0.95)],
    ),
    "pdtr": (
        lambda k, m: _upper(k + 1, m),
        [(k, m) for k in (0, 3, 40) for m in (0.01, 2.0, 45.0)],
    ),
    "pdtrc": (
        lambda k, m: _lower(k + 1, m),
        [(k, m) for k in (0, 3, 40) for m in (0.01, 2.0, 45.0)],
    ),
    "poch": (
        lambda x, m: mpmath.gammaprod([x + m], [x]),
        [
            *(
                (1.0, 2.0),
                (0.5, 3.25),
                (1e-8, 0.5),
                (30.0, 1e-6),
                (1e4, 1.5),
                (5.5, -2.25),
                (12, 9),
            ),
            *((-2.5, 2.0), (-7.3, 4.0), (-0.5, 0.25), (3.0, 0.0), (0.3, 12.5)),
        ],
    ),
    "radian": (
        lambda d, m, s: (d + m / 60 + s / 3600) * mpmath.pi / 180,
        [(0.0, 1.0, 1e-3), (90.0, 30.0, 12.5), (359.0, 59.0, 59.0), (-12.0, -7.0, -1.5)],
    ),
    "sindg": (_degrees(mpmath.sin), _ANGLES),
    "spence": (_li2, [x for x in [*POSITIVE, 0.9, 0.6, 0.51, 1.9, 1.1, 1e4] if x != 1]),
    "stdtr": (
        _student,
        [(df, t) for df in _FREEDOM for t in (-30.0, -3.0, -1.0, -0.2, -1e-6, 0.1, 1.0, 2.5)],
    ),
    "stdtrit": (
        lambda *o: _inverse("stdtrit", _student, *o),
        [(df, p) for df in _FREEDOM for p in (1e-9, 0.03, 0.4, 0.5001, 0.7, 0.999)],
    ),
    "tandg": (_degrees(mpmath.tan), _ANGLES),
    "zetac": (
        lambda x: mpmath.zeta(x) - 1,
        [
            0.0,
            0.3,
            0.7,
            0.99,
            1.01,
            1.5,
            3.0,
            20.0,
            60.0,
            -1e-9,
            -0.06,
            -0.07,
            -0.49,
            -1.0,
            -3.7,
            -9.5,
            -20.3,
        ],
    ),
    "betaln": (
        lambda a, b: mpmath.log(abs(mpmath.beta(a, b))),
        [*PAIRS[:16], (1e6, 0.5), (1e9, -0.5)],
    ),
    "boxcox": (lambda x, p: (x**p - 1) / p, PAIRS[:9]),
    "boxcox1p": (lambda x, p: ((1 + x) ** p - 1) / p, PAIRS[:9]),
    "chdtr": (lambda v, x: _lower(v / 2, x / 2), [(2 * a, 2 * x) for a, x in PAIRS]),
    "chdtrc": (lambda v, x: _upper(v / 2, x / 2), [(2 * a, 2 * x) for a, x in PAIRS]),
    "cosm1": (lambda x: -2 * mpmath.sin(x / 2) ** 2, BOTH_SIGNS),
    "entr": (lambda x: -x * mpmath.log(x), POSITIVE),
    "erf": (mpmath.erf, BOTH_SIGNS),
    "erfc": (mpmath.erfc, [x for x in BOTH_SIGNS if x < 9]),
    "erfcx": (
        lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
        [x for x in BOTH_SIGNS if x > -9] + [1e4, 2e8],
    ),
    "erfinv": (
        lambda x: _quantile((1 + x) / 2) / mpmath.sqrt(2) if x else x,
        [*UNIT, *(-x for x in UNIT), 1e-12, -0.9999],
    ),
    "exp10": (lambda x: mpmath.mpf(10) ** x, [x for x in BOTH_SIGNS if abs(x) < 36]),
    "exp2": (lambda x: mpmath.mpf(2) ** x, BOTH_SIGNS),
    "expit": (lambda x: 1 / (1 + mpmath.exp(-x)), BOTH_SIGNS),
    "exprel": (lambda x: mpmath.expm1(x) / x if x else mpmath.mpf(1), BOTH_SIGNS),
    "gamma": (mpmath.gamma, [*POSITIVE[2:-2], *NEAR_POLES, 34.5]),
    "gammainc": (_lower, PAIRS),
    "gammaincc": (_upper, [*PAIRS, (1e-10, 0.5)]),
    "gammaln": (_log_gamma, [*POSITIVE, *NEAR_POLES, 1e4]),
    "gammasgn": (lambda x: mpmath.sign(mpmath.gamma(x)), [*POSITIVE, *NEAR_POLES]),
    "huber": (lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), PAIRS),
    "i0": (_j(0, mpmath.besseli), BOTH_SIGNS),
    "i0e": (lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), BOTH_SIGNS),
    "i1": (_j(1, mpmath.besseli), BOTH_SIGNS),
    "i1e": (lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), BOTH_SIGNS),
    "inv_boxcox": (lambda y, p: (1 + p * y) ** (1 / p), PAIRS[:9]),
    "inv_boxcox1p": (lambda y, p: (1 + p * y) ** (1 / p) - 1, PAIRS[:9]),
    "j0": (_j(0, mpmath.besselj), [*BOTH_SIGNS, 1e3]),
    "j1": (_j(1, mpmath.besselj), [*BOTH_SIGNS, 1e3]),
    "k0": (_j(0, mpmath.besselk), POSITIVE),
    "k0e": (lambda x: mpmath.besselk(0, x) * mpmath.exp(x), POSITIVE),
    "k1": (_j(1, mpmath.besselk), POSITIVE),
    "k1e": (lambda x: mpmath.besselk(1, x) * mpmath.exp(x), POSITIVE),
    "kl_div": (
        lambda x, y: x * mpmath.log(x / y) - x + y,
        PAIRS,
    ),
    "log_ndtr": (
        lambda x: mpmath.log(_ndtr(x)) if x < 0 else mpmath.log1p(-_ndtr(-x)),
        [x for x in BOTH_SIGNS if x < 9],
    ),
    "logit": (lambda x: mpmath.log(x / (1 - x)), UNIT),
    "ndtr": (_ndtr, [x for x in BOTH_SIGNS if abs(x) < 9]),
    "ndtri": (_quantile, UNIT),
    "polygamma": (
        lambda n, x: mpmath.polygamma(int(n), x),
        [(n, x) for n in (0, 1, 2, 5) for x in (0.3, 1.0, 4.5, 30.0)],
    ),
    "pseudo_huber": (
        lambda d, r: d * d * (mpmath.sqrt(1 + (r / d) ** 2) - 1),
        [*PAIRS, (1.0, 1e-8)],
    ),
    "psi": (mpmath.digamma, [*POSITIVE, *NEAR_POLES, 1e4]),
    "rel_entr": (lambda x, y: x * mpmath.log(x / y), PAIRS),
    "rgamma": (mpmath.rgamma, [*POSITIVE[:-2], *NEAR_POLES, 34.5]),
    "sinc": (
        lambda x: mpmath.sin(mpmath.pi * x) / (mpmath.pi * x) if x else mpmath.mpf(1),
        BOTH_SIGNS,
    ),
    "xlog1py": (lambda x, y: x * mpmath.log1p(y), PAIRS),
    "xlogy": (lambda x, y: x * mpmath.log(y), PAIRS),
    "y0": (_j(0, mpmath.bessely), [*POSITIVE, 1e3]),
    "y1": (_j(1, mpmath.bessely), [*POSITIVE, 1e3]),
    "zeta": (
        _zeta,
        [(s, q) for s in (1.001, 1.5, 3.0, 20.0) for q in (0.01, 0.5, 1.0, 4.0, 50.0)],
    ),
}
"""For each function what mpmath says, and operands."""

OF_ORDER_3: dict[str, tuple[Reference, list[Any]]] = {
    "multigammaln": (
        lambda x: 1.5 * mpmath.log(mpmath.pi) + sum(_log_gamma(x - j / 2) for j in range(3)),
        [x for x in POSITIVE if x > 1],
    )
}
"""The same of functions that take the whole number 3 besides."""

_KL_NEAR = [(1.0, 1.49), (1.0, 1.51), (1.0, 0.51), (1.0, 0.49), (2.0, 2.02), (0.5, 0.5001)]

EDGES: dict[str, dict[str, list[Any]]] = {
    "betaln": {
        dtype: [(-7.94, 0.849), (-23.3, 0.395), (-21.25, 21.71), (-23.4, 3.9)]
        for dtype in ("float32", "float64")
    },
    "boxcox": {
        "float32": [(3.8e-6, -5.354), (2.15e-7, -3.642), (6e6, 3.19)],
        "float64": [(1.1e-8, -3.544), (8e7, 1.42), (1e-200, -1.5)],
    },
    "boxcox1p": {
        "float32": [(6.4e-38, 4.5e-12), (1e-30, 0.5), (2.1e7, 3.68), (1.4e7, 5.15)],
        "float64": [(6.4e-308, 4.5e-12), (1e-300, 0.5), (9.8e7, 3.93), (1e200, 1.5)],
    },
    "chdtr": {
        "float32": [(295821.34, 289628.25), (2150.4, 1426.2), (549.9, 316.8)],
        "float64": [
            *((440.76769261021457, 308.52541285989895), (600.0, 500.0), (386.8, 177.3)),
            *((3486.7, 2059.4), (82922.6, 71814.4), (0.5, 100.0)),
        ],
    },
    "chdtrc": {
        "float32": [(22331.54, 24369.35), (11173.7, 13163.56), (95.1, 300.0)],
        "float64": [(9083.25, 13352.29), (7899.3, 12615.9), (250348.2, 263416.5), (0.5, 300.0)],
    },
    "erfcx": {"float32": [-9.3, -9.38], "float64": [-9.5, -25.3, -26.6, 1e9]},
    "exprel": {"float32": [88.7, 90.0, 93.0, -1e30], "float64": [709.9, 713.5, 716.0]},
    "gamma": {
        "float32": [-34.99999, -35.999996, -36.7, 35.04, 35.1, 1e-38, -1e-38, -0.49, -0.51],
        "float64": [-170.9999, -177.5, 171.62, 171.7, 1e-308, -1e-308, 5e-324, -5e-324, -0.49],
    },
    "gammainc": {
        "float32": [(11834.585, 10935.503), (892.5, 643.25), (215.84, 84.48), (8.6, 1e-3)],
        "float64": [
            *((220.38384630510729, 154.26270642994947), (300.0, 250.0), (1016.7, 358.6)),
            *((1969.0, 800.4), (404.3, 229.3), (273828.8, 269126.2), (15.0, 1e-10)),
        ],
    },
    "gammaincc": {
        "float32": [(143646.27, 147628.02), (947.9, 1399.4), (95.5, 254.0), (1e-20, 7e-12)],
        "float64": [
            *((205.0, 268.0), (300.0, 350.0), (4215.0, 5946.8), (1402.4, 2951.8)),
            *((12869.8, 16930.2), (0.0177, 1.0912), (5.0, 600.0)),
        ],
    },
    "gammaln": {
        "float32": [1e-45, -1e-45, -1e-30, -0.49, -0.51, 4.06e36, 4.09e36, -8.00001],
        "float64": [5e-324, -1.5e-323, -1e-30, -0.49, -0.51, 2.5e305, 2.6e305, -9.00001],
    },
    "i0": {"float32": [88.5, -91.5, 92.0], "float64": [709.5, 711.2, -713.9, 714.1]},
    "i1": {"float32": [88.5, -91.5, 92.0, 7.772], "float64": [709.5, 711.2, -713.9, 714.1]},
    "i1e": {"float32": [7.14, 7.772, 1e30], "float64": [7.423, 7.642, 1e30]},
    "inv_boxcox": {
        "float32": [(83.4, 2e-6), (58.15, 3.1e-4), (-80.0, 1e-5)],
        "float64": [(84.8, 1.9e-6), (600.0, 1e-6), (-600.0, 1e-7)],
    },
    "inv_boxcox1p": {
        "float32": [(55.2, 2.65e-6), (47.3, 4.85e-5)],
        "float64": [(78.5, 5.9e-4), (600.0, 1e-6)],
    },
    "kl_div": {
        "float32": [*_KL_NEAR, (1.0, 1.0001), (1e-20, 1.0000001e-20), (3e38, 2e38), (2e38, 5e37)],
        "float64": [
            *_KL_NEAR,
            *((3.1932103805303718, 3.1932104169825113), (1e-300, 1.000000001e-300)),
            *((1.7e308, 1e308), (1.7e308, 5e307), (1e10, 1e-310)),
        ],
    },
    "log_ndtr": {"float32": [9.5, 13.1, -50.0], "float64": [12.1, 20.3, 36.0, 37.4, -50.0]},
    "ndtr": {"float32": [-11.79, -12.93], "float64": [-11.79, -20.3, -35.88, -37.4]},
    "polygamma": {"float64": [(23.0, 46.0), (30.0, 100.0), (100.0, 5.0)]},
    "pseudo_huber": {
        "float32": [(1e30, 1e10), (1e-30, 1e10), (1e38, 1e-3), (1e-10, 1e38)],
        "float64": [(6e228, 1e105), (1e-300, 1e10), (1e308, 1e-3), (1e-10, 1e308)],
    },
    "rel_entr": {
        "float32": [(1e-37, 1e10), (1e10, 1e-37), (1e-38, 1e38), (1e38, 1e-38), (3e38, 2e38)],
        "float64": [(1e-300, 1e10), (1e10, 1e-300), (1e-308, 1e308), (1e305, 1e-308)],
    },
    "rgamma": {
        "float32": [-34.99999, -36.999996, -37.5, 36.2, 1e-38, -1e-38, 1e-45, -0.49, -0.51],
        "float64": [-170.9999, -176.00000000000003, 171.9, 173.5, 1e-308, -5e-324, -0.49],
    },
    "zeta": {
        dtype: [(5.0, -2.4996), (3.0, -1.5), (4.0, -2.5), (30.0, 1.5)]
        for dtype in ("float32", "float64")
    },
}
"""More operands for each data type: where functions overflow or vanish, and where they cancel."""

ABSOLUTE = frozenset(
    {"j0", "j1", "y0", "y1", "psi", "gammaln", "multigammaln", "betaln", "sinc"},
)
"""Functions with zeros, of which the error near these is judged by the distance from 1."""

EDGES["cbrt"] = {"float32": [1e-45, -3e-40, 3.4e38], "float64": [5e-324, -1e-310, 1.7e308]}
_BETA_ENDS = [
    *((1e-30, 2.0, 0.5), (2.0, 1e-30, 0.5), (2.0, 3.0, 1e-12), (3.0, 4.0, 0.999999)),
    *((0.3, 0.2, 1e-30), (0.7, 1.5, 0.9999999), (0.999, 1.001, 0.4), (1e5, 1e-3, 0.9999)),
]
for _name in ("betainc", "betaincc"):
    EDGES[_name] = {
        "float32": [*_BETA_ENDS, (1e-3, 0.5, 1e-38)],
        "float64": [
            *_BETA_ENDS,
            *((1e-4, 0.5, 1e-300), (20.0, 20.0, 1e-16), (5.0, 1e5, 1e-20), (1e-10, 1e5, 1e-3)),
            *((1e5, 1e5, 0.5), (1e5, 1e5, 0.497), (1e5, 3e4, 0.7692308), (1e5, 3.0, 0.99997)),
            (3.0, 1e5, 3e-5),
        ],
    }
EDGES["stdtr"] = {
    "float32": [(0.1, -1e20), (3.0, -1e9), (1.0, -1e30)],
    "float64": [(0.1, -1e200), (3.0, -1e90), (1.0, -1e300)],
}

_SIZES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("bdtr", "bdtrc"), lambda k, n, p: n + 1),
    **dict.fromkeys(("betainc", "betaincc"), lambda a, b, x: a + b),
    **dict.fromkeys(("fdtr", "fdtrc"), lambda m, n, x: (m + n) / 2),
    **dict.fromkeys(("nbdtr", "nbdtrc"), lambda k, n, p: k + 1 + n),
    "stdtr": lambda df, t: (df + 1) / 2,
}
"""The functions that the incomplete beta function gives, and the sum of its first two operands.

Its exponent is made of parts as large as the square root of the sum, which cancel.
"""
EDGES["zetac"] = {"float32": [-60.0, -57.3], "float64": [-170.5, -201.0, -240.5]}
_EVERYWHERE = [
    *((-8.25, 2.5), (-8.25, 12.5), (-8.25, -2.5), (-8.25, -12.5), (-30.5, -20.25), (-2.5, -1.0)),
    *((-1.25, -0.5), (3.5, 9.75), (0.25, 6e4), (1e-20, 12.0), (5e8, -1e-20)),
]
"""Pairs of both signs, near 0 and large, for quotients of gamma functions."""
EDGES["binom"] = {
    "float32": [*_EVERYWHERE, (-0.5, 1e6), (1e6, 2.0)],
    "float64": [
        *(*_EVERYWHERE, (-0.5, 1e6), (1e6, 2.0), (-170.3, 100.2), (-200.5, 1e-9), (-600.5, -90.2)),
        *((-300.25, -700.5), (0.25, 3e27), (1e200, 1.5), (5e254, -5e-210), (0.1, 1.0999999999)),
    ],
}
EDGES["poch"] = {
    "float32": [*_EVERYWHERE, (-1e-20, -1e-21), (-3.0, 2.0), (-3.0, 3.0), (0.0, -1.0)],
    "float64": [
        *(*_EVERYWHERE, (-3.0, 2.0), (-3.0, 3.0), (0.0, -1.0), (-200.5, 0.25), (-213.25, -3.125)),
        *((-236.75, 0.25), (250.5, -300.25), (-250.5, 300.25), (1e-300, -1.0), (-1e-300, 200.0)),
        *((1e-65, 51.5), (1e-308, 2e-308), (-1e-308, 3e-308)),
    ],
}
_BETAS = frozenset(_SIZES)
_INVERSES: dict[str, Callable[..., Any]] = {
    "bdtri": lambda k, n, y: np.minimum(n - k, k + 1),
    "betaincinv": lambda a, b, y: np.minimum(a, b),
    "chdtri": lambda v, p: v / 2,
    "fdtri": lambda m, n, p: np.minimum(m, n) / 2,
    **dict.fromkeys(("gammaincinv", "gammainccinv"), lambda a, y: a),
    "nbdtri": lambda k, n, y: np.minimum(n, k + 1),
    "pdtri": lambda k, y: k + 1,
    "stdtrit": lambda df, p: df,
}
"""The inverses, and the exponent of the power of x that their function begins or ends with.

They feel an error of the function the more, the smaller the exponent is.
"""
_GAMMAS = {
    "gammainc": 1.0,
    "gammaincc": 1.0,
    "chdtr": 0.5,
    "chdtrc": 0.5,
    "gdtr": 1.0,
    "gdtrc": 1.0,
}
"""The incomplete gamma functions, and the factor of their operands."""
STEEP = frozenset(
    {"boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p", "binom", "poch", "zetac", *_INVERSES}
    | {"pdtr", "pdtrc", *_BETAS, *_GAMMAS}
)
"""Functions that feel the rounding of an exponent, the more the greater it is."""

TOLERANCE = {"fdtr": 16.0, "fdtrc": 16.0, "fdtri": 16.0}
"""The errors that are allowed on NPUs, in units of the last place, where it is not 8."""


def bound(name: str, dtype: str, device: str) -> float:
    """Return the error that is allowed on a type of devices, in units of the last place."""
    if device == "npu":
        return TOLERANCE.get(name, 8.0)
    return 2.5 if dtype == "float32" else 6.0 if device == "cpu" else 8.0


def unit(name: str) -> str:
    """Return the unit of the error in words, by letters that docs/accuracy.md explains."""
    if name in {"betaln", "zeta"}:
        return "T"
    if name in STEEP:
        return (
            "r L m" if name in _INVERSES else "r (L + s)" if name in {*_BETAS, *_GAMMAS} else "r L"
        )
    return "1 or r" if name in ABSOLUTE else "r"


_DIGITS = {
    "boxcox1p": 500,
    "betaln": 80,
    "binom": 360,
    "ellipkm1": 80,
    "erfinv": 80,
    "kl_div": 80,
    "poch": 360,
    "pseudo_huber": 700,
}
"""With how many digits mpmath computes what cancels, where it is not with 40."""


@functools.cache
def references(name: str, dtype: str) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return the operands of a function, in a data type, and the values."""
    function, rows = (REFERENCES | OF_ORDER_3)[name]
    rows = [*rows, *EDGES.get(name, {}).get(dtype, [])]
    table = np.asarray([row if isinstance(row, tuple) else (row,) for row in rows], dtype)
    with mpmath.workdps(_DIGITS.get(name, 40)):
        values = [float(function(*(mpmath.mpf(float(x)) for x in row))) for row in table]
    return tuple(table.T.copy()), np.asarray(values)


def _scales(name: str, dtype: str) -> np.ndarray:
    """Return the numbers whose last places are the units of the errors."""
    operands, expected = references(name, dtype)
    first, last = operands[0].astype("float64"), operands[-1].astype("float64")
    size = np.abs(expected)
    scale = np.maximum(size, 1.0 if name in ABSOLUTE else np.finfo(dtype).tiny)
    if name in STEEP:
        logarithms = np.log(np.clip(size, 1e-320, 1e308))
        factor = 1 + np.abs(logarithms) / 2
        if dtype == "float64" and name in _GAMMAS:  # torch's own, where they are not near
            a, x = _GAMMAS[name] * first, _GAMMAS[name] * last
            if name in {"gdtr", "gdtrc"}:
                a, x = operands[1].astype("float64"), first * last
            factor += np.where((a >= 20) & (np.abs(x - a) >= 0.32 * a), 2 * a, 0)
        if name in _INVERSES:
            factor *= 1 + 1 / _INVERSES[name](*(x.astype("float64") for x in operands))
        if dtype == "float64" and name in _BETAS:
            factor += np.sqrt(_SIZES[name](*(x.astype("float64") for x in operands)))
        scale = scale * factor
    if name == "betaln":  # of the largest of the logarithms that it is made of
        for x in (first, last, first + last):
            scale = np.maximum(scale, [abs(float(_log_gamma(v))) if v % 1 else 0 for v in x])
    if name == "zeta":  # of the largest term, which has a sign for negative operands
        nearest = np.where(last < 0, np.abs(last - np.round(last)), 1.0)
        scale = np.maximum(scale, np.where(last < 0, nearest**-first, 0))
    return scale


def error(name: str, result: np.ndarray, dtype: str) -> float:
    """Return the largest error of results, in units of the last place."""
    _, expected = references(name, dtype)
    limits = np.finfo(dtype)
    usual = np.abs(expected) < limits.max
    scale = _scales(name, dtype)
    assert result.dtype == dtype
    assert np.all(np.isinf(result[~usual]))
    distance = np.abs(result.astype("float64")[usual] - expected[usual]) / scale[usual]
    return float(np.max(distance)) / limits.eps if not np.isnan(distance).any() else math.nan


def _operands(rows: list[Any]) -> Inputs:
    """Return the operands as inputs, in the data type that is asked for."""
    return lambda d: tuple(
        np.asarray(column, d.name) for column in np.asarray(rows).reshape(len(rows), -1).T
    )


chapter("")  # none of the standard's
_ELSEWHERE = "tests/chapters/test_special.py compares it with mpmath"
for _name, (_, _rows) in REFERENCES.items():
    listed(f"special.{_name}", REAL_FLOATING, _ELSEWHERE)
    on(f"special.{_name}", _operands(_rows), plain, numpy=None, smooth=False)
listed("special.digamma", REAL_FLOATING, _ELSEWHERE, uncalled="is special.psi")
listed("special.multigammaln", REAL_FLOATING, _ELSEWHERE)
on(
    "special.multigammaln",
    lambda d: (d.between(2, 9, 6),),
    lambda f, _, x: f(x, 2),
    numpy=None,
    smooth=False,
)
