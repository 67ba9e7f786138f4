"""Find the coefficients of the rational functions by which NPUs compute elementary functions.

    python -m tools.elementary_functions

prints them, with their greatest relative errors, for `ascend_array_api/_backends/npu`. Needs mpmath
and NumPy.

Each is a quotient p(x) / q(x) whose greatest relative error on an interval is about the least: a
least-squares problem in the coefficients, linear once it is divided by the last q (Loeb's
algorithm), with weights that grow where the error is large (Lawson's). See E. W. Cheney,
Introduction to Approximation Theory, 1966, and I. Barrodale and J. C. Mason, Two simple algorithms
for discrete rational approximation, Math. Comp. 24, 1970. The quotient is exact at 0. Both
polynomials are then divided by the highest coefficient of q, which saves a product, and rounded to
float32; the errors printed are those of the rounded coefficients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mpmath as mp
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]

POINTS, ROUNDS = 800, 80
mp.mp.dps = 40


@dataclass(frozen=True)
class Quotient:
    """A function to be approximated by p(x) / q(x).

    Attributes
    ----------
    name
        Of the function and of the constant in the module.
    function
        By mpmath.
    end
        The end of the interval, which begins at 0.
    degrees
        Of p and q.
    start
        The value at 0.
    share
        By what share of the result an error of the function counts; at x.
    """

    name: str
    function: Callable[[Any], Any]
    end: float
    degrees: tuple[int, int]
    start: float = 1
    share: Callable[[Any], Any] = lambda _: 1


def _arctangent(s: Any) -> Any:
    root = mp.sqrt(s)
    return mp.atan(root) / root


def _arcsine(z: Any) -> Any:
    root = mp.sqrt(z)
    return (mp.asin(root) / root - 1) / z


def _scaled_tail(x: Any) -> Any:
    return mp.erfc(x) * mp.exp(x * x)


QUOTIENTS = (
    Quotient("atan(sqrt(s)) / sqrt(s)", _arctangent, 1, (2, 3)),
    # Times z, it is added to 1.
    Quotient("(asin(sqrt(z)) / sqrt(z) - 1) / z", _arcsine, 0.25, (1, 2), 1 / 6, lambda z: z / 6),
    Quotient("exp(x**2) erfc(x)", _scaled_tail, 10.5, (4, 5)),
)


def _values(polynomial: Array, x: Array) -> Array:
    return np.asarray(np.polynomial.polynomial.polyval(x, polynomial))


def fit(quotient: Quotient) -> tuple[Array, Array]:
    """Return the coefficients of p and q, the lowest first; that of q is 1."""
    places = np.cos((np.arange(POINTS) + 0.5) * np.pi / POINTS)
    x = quotient.end * (1 - places) / 2
    y = np.asarray([float(quotient.function(mp.mpf(v))) for v in x]) / quotient.start
    weight = np.asarray([float(quotient.share(v)) for v in x]) / np.abs(y)
    m, n = quotient.degrees
    powers = np.vander(x / quotient.end, max(m, n) + 1, increasing=True)
    system = np.hstack([powers[:, 1 : m + 1], -(y[:, None] * powers[:, 1 : n + 1])])
    lawson, below = np.ones(POINTS), np.ones(POINTS)
    best = np.inf, np.zeros(m), np.zeros(n)
    for _ in range(ROUNDS):
        factor = weight / np.abs(below) * np.sqrt(lawson)
        found = np.linalg.lstsq(system * factor[:, None], (y - 1) * factor, rcond=None)[0]
        above = 1 + powers[:, 1 : m + 1] @ found[:m]
        below = 1 + powers[:, 1 : n + 1] @ found[m:]
        error = np.abs(above / below - y) * weight
        if error.max() < best[0]:
            best = float(error.max()), found[:m], found[m:]
        lawson = lawson * (error / error.max() + 1e-3)
        lawson = lawson / lawson.max()
    p, q = (np.concatenate(([1.0], c / quotient.end ** np.arange(1.0, len(c) + 1)))
            for c in best[1:])  # fmt: skip
    return quotient.start * p, q


def rounded(quotient: Quotient) -> tuple[Array, Array]:
    """Return the coefficients in float32, q with the highest coefficient 1."""
    p, q = fit(quotient)
    return np.float32(p / q[-1]), np.float32(q / q[-1])


def error(quotient: Quotient, p: Array, q: Array) -> float:
    """Return the greatest relative error, with what the function is a share of."""
    x = np.linspace(0, 1, 2003)[1:] ** 2 * quotient.end
    y = np.asarray([float(quotient.function(mp.mpf(v))) for v in x])
    share = np.asarray([float(quotient.share(v)) for v in x])
    got = _values(p.astype(np.float64), x) / _values(q.astype(np.float64), x)
    return float(np.max(np.abs(got - y) / np.abs(y) * share))


def main() -> None:
    """Print the coefficients, the lowest first, as shortest decimals of float32."""
    for quotient in QUOTIENTS:
        p, q = rounded(quotient)
        print(f"{quotient.name} on [0, {quotient.end}]: within {error(quotient, p, q):.2g}")
        for name, polynomial in (("p", p), ("q", q)):
            print(f"    {name}: {', '.join(str(c) for c in polynomial)}")


if __name__ == "__main__":
    main()
