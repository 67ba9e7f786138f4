"""Compute the tables of the special functions with mpmath.

``python tools/special_tables.py`` says which tables of ``ascend_array_api/_routes/_tables.py`` are
not what is computed here, and ``--write`` writes them there.  Each number is the float64 nearest to
what comes out with 50 digits, so that it hangs on neither the computer nor the version of mpmath.

A series of Chebyshev polynomials interpolates at the zeros of one of a high degree.  It has as many
coefficients as the table has: to find how many a new one needs, compute more, and drop what is
below the rounding of float64.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mpmath as mp

from ascend_array_api._routes import _tables

Function = Callable[[Any], Any]

DIGITS = 50
NODES = 100


def chebyshev(function: Function, count: int, nodes: int = NODES) -> tuple[float, ...]:
    """Return the first coefficients of the series of a function of t from -1 to 1."""
    with mp.workdps(DIGITS):
        angles = [mp.pi * (2 * j + 1) / (2 * nodes) for j in range(nodes)]
        values = [function(mp.cos(angle)) for angle in angles]
        sums = [
            mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles)) * 2 / nodes
            for k in range(count)
        ]
        return tuple(float(c if k else c / 2) for k, c in enumerate(sums))


@cache
def digamma_root() -> Any:
    """Return the positive zero of digamma."""
    return mp.findroot(mp.digamma, 1.4616)


@cache
def zero(order: int, number: int) -> Any:
    """Return a zero of the Bessel function of the first kind."""
    return mp.besseljzero(order, number)


def split(number: Any) -> tuple[float, float]:
    """Return a number as a float64 and what that lacks."""
    return float(number), float(number - mp.mpf(float(number)))


# --- what is developed, as functions of t ---------------------------------------------------------


def lgamma(t: Any) -> Any:
    x = (t + 4) / 2
    if abs(t) < mp.mpf(10) ** -20:
        return mp.digamma(2)
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def digamma(t: Any) -> Any:
    x = 3 / (1 - t) - mp.mpf("0.5")
    return mp.expm1(mp.digamma(x)) / (x - digamma_root())


def erfcx(t: Any) -> Any:
    x = mp.mpf("3.75") * (1 + t) / (1 - t)
    if x < 1000:
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)
    # The asymptotic series, of which so many terms are more exact than is asked.
    terms = ((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(40))
    return (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * mp.fsum(terms)


def quantile_center(t: Any) -> Any:
    q = mp.sqrt((t + 1) / mp.mpf("12.5"))
    return mp.sqrt(2) * mp.erfinv(2 * q) / q


def quantile(r: Any) -> Any:
    """Return the normal quantile at exp(-r**2), by Newton's method."""
    p = mp.exp(-r * r)
    x = -mp.sqrt(2) * r
    for _ in range(60):
        density = mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
        step = (mp.erfc(-x / mp.sqrt(2)) / 2 - p) / density
        # Halley's correction, because the tail is steep.
        step = step / (1 + x * step / 2)
        x -= step
        if abs(step) < mp.mpf(10) ** (5 - DIGITS) * abs(x):
            return x
    raise ArithmeticError(f"the quantile at exp(-{r}**2) was not found")


def quantile_tail(t: Any) -> Any:
    return quantile(3 + mp.mpf("1.5") * t)


def quantile_far(t: Any) -> Any:
    low, high = 1 / mp.mpf("27.5"), 1 / mp.mpf("4.5")
    r = 1 / (high - (1 - t) * (high - low) / 2)
    return quantile(r) + mp.sqrt(2) * r


def i_near(order: int) -> Function:
    def function(t: Any) -> Any:
        x = 4 * (t + 1)
        return mp.exp(-x) * mp.besseli(order, x) / x**order

    return function


def i_far(order: int) -> Function:
    def function(t: Any) -> Any:
        x = 16 / (t + 1)
        return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)

    return function


def i_small(order: int) -> Function:
    def function(t: Any) -> Any:
        x = mp.sqrt(2 * (t + 1))
        return mp.besseli(order, x) / x**order

    return function


def k0_small(t: Any) -> Any:
    x = mp.sqrt(2 * (t + 1))
    return mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)


def k1_small(t: Any) -> Any:
    x = mp.sqrt(2 * (t + 1))
    return x * (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x))


def k_far(order: int) -> Function:
    def function(t: Any) -> Any:
        x = 4 / (t + 1)
        return mp.sqrt(x) * mp.exp(x) * mp.besselk(order, x)

    return function


def j_near(order: int) -> Function:
    def function(t: Any) -> Any:
        square = 32 * (t + 1)
        x = mp.sqrt(square)
        zeros = (square - zero(order, 1) ** 2) * (square - zero(order, 2) ** 2)
        return mp.besselj(order, x) / (x**order * zeros)

    return function


def y0_near(t: Any) -> Any:
    x = mp.sqrt(32 * (t + 1))
    return mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)


def y1_near(t: Any) -> Any:
    x = mp.sqrt(32 * (t + 1))
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


def hankel(order: int, *, second: bool) -> Function:
    """Return P, or Q x / 8, of Hankel's expansion.

    https://dlmf.nist.gov/10.18
    """

    def function(t: Any) -> Any:
        x = mp.sqrt(128 / (t + 1))
        phase = x - (2 * order + 1) * mp.pi / 4
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        if second:
            part = y * mp.cos(phase) - j * mp.sin(phase)
        else:
            part = j * mp.cos(phase) + y * mp.sin(phase)
        return mp.sqrt(mp.pi * x / 2) * part * (x / 8 if second else 1)

    return function


@cache
def ei_root() -> Any:
    """Return the zero of the exponential integral Ei."""
    return mp.findroot(mp.ei, mp.mpf("0.3725"))


def e1_near(t: Any) -> Any:
    x = (t + 1) / 2
    return mp.e1(x) + mp.log(x)


def e1_far(t: Any) -> Any:
    x = 6 / (t + 1) - 2
    if x < 1000:
        return x * mp.exp(x) * mp.e1(x)
    return mp.fsum((-1) ** k * mp.factorial(k) / x**k for k in range(30))


def ei_near(t: Any) -> Any:
    x, root = 3 * (t + 1), ei_root()
    return (mp.ei(x) - mp.log(x / root)) / (x - root) * mp.exp(-x)


def ei_from(low: int, high: int) -> Function:
    """Return x exp(-x) Ei(x) between two numbers, where 0 stands for infinity."""

    def function(t: Any) -> Any:
        least = mp.mpf(1) / high if high else mp.mpf(0)
        x = 1 / (least + (t + 1) / 2 * (mp.mpf(1) / low - least))
        if x < 5000:
            return x * mp.exp(-x) * mp.ei(x)
        return mp.fsum(mp.factorial(k) / x**k for k in range(30))

    return function


@cache
def legendre(count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the nodes u below 1/2 of an integral from 0 to 1, and weights: 1 - u has that of u."""
    nodes, weights = [], []
    for k in range(1, count // 2 + 1):
        z = mp.cos(mp.pi * (k - mp.mpf("0.25")) / (count + mp.mpf("0.5")))
        for _ in range(8):  # Newton's method
            before, last = mp.mpf(1), z
            for j in range(2, count + 1):
                before, last = last, ((2 * j - 1) * z * last - (j - 1) * before) / j
            slope = count * (before - z * last) / (1 - z * z)
            z -= last / slope
        nodes.append(float((1 - z) / 2))
        weights.append(float(1 / ((1 - z * z) * slope**2)))
    return tuple(nodes), tuple(weights)


# --- the tables -----------------------------------------------------------------------------------

SERIES: dict[str, Function] = {
    "LGAMMA": lgamma,
    "DIGAMMA": digamma,
    "ERFCX": erfcx,
    "QUANTILE_CENTER": quantile_center,
    "QUANTILE_TAIL": quantile_tail,
    "QUANTILE_FAR": quantile_far,
    **{f"I{n}E_NEAR": i_near(n) for n in (0, 1)},
    **{f"I{n}E_FAR": i_far(n) for n in (0, 1)},
    **{f"I{n}_SMALL": i_small(n) for n in (0, 1)},
    "K0_SMALL": k0_small,
    "K1_SMALL": k1_small,
    **{f"K{n}E_FAR": k_far(n) for n in (0, 1)},
    **{f"J{n}_NEAR": j_near(n) for n in (0, 1)},
    "Y0_NEAR": y0_near,
    "Y1_NEAR": y1_near,
    **{f"J{n}_P": hankel(n, second=False) for n in (0, 1)},
    **{f"J{n}_Q": hankel(n, second=True) for n in (0, 1)},
    "E1_NEAR": e1_near,
    "E1_FAR": e1_far,
    "EI_NEAR": ei_near,
    **{f"EI_FROM_{low}": ei_from(low, high) for low, high in ((6, 12), (12, 24), (24, 0))},
}


def table(name: str) -> Any:
    """Compute a table, as long as the one in the package."""
    with mp.workdps(DIGITS):
        if name == "DIGAMMA_ROOT":
            return split(digamma_root())
        if name == "EI_ROOT":
            return split(ei_root())
        if name == "LEGENDRE":
            return tuple(legendre(2 * len(nodes)) for nodes, _ in _tables.LEGENDRE)
        if name in {"J0_ZEROS", "J1_ZEROS"}:
            return tuple(split(zero(int(name[1]), n)) for n in (1, 2))
        return chebyshev(SERIES[name], len(getattr(_tables, name)))


NAMES = (*SERIES, "DIGAMMA_ROOT", "J0_ZEROS", "J1_ZEROS", "EI_ROOT", "LEGENDRE")


def rendered(value: Any, indent: str = "") -> str:
    """Return a table as it stands in the file, as many numbers in a line as it holds."""
    inner = indent + "    "
    if isinstance(value[0], float):
        numbers = ", ".join(map(repr, value)) + ","
        if len(numbers) < 80:
            return f"({numbers if len(value) == 1 else numbers[:-1]})"
        lines = textwrap.wrap(numbers, 100 - len(inner), break_on_hyphens=False)
    else:
        lines = [f"{rendered(part, inner)}," for part in value]
    return "(\n" + "".join(f"{inner}{line}\n" for line in lines) + f"{indent})"


def main(argv: list[str] | None = None) -> int:
    """Compare the tables, or write them; return 1 if some were not right."""
    parser = argparse.ArgumentParser(description="Compute the tables of the special functions.")
    parser.add_argument("--write", action="store_true", help="write what differs into the file")
    parser.add_argument("names", nargs="*", default=NAMES, help="tables (default: all)")
    arguments = parser.parse_args(argv)
    path = Path(_tables.__file__)
    text = path.read_text(encoding="utf-8")
    differing = []
    for name in arguments.names:
        computed = table(name)
        if computed == getattr(_tables, name):
            continue
        differing.append(name)
        pattern = rf"^{name}: Final = \(.*?\)$(?=\n\"\"\")"
        block = f"{name}: Final = {rendered(computed)}"
        text = re.sub(pattern, block, text, flags=re.DOTALL | re.MULTILINE)
    for name in differing:
        print(f"{name} {'was' if arguments.write else 'is'} not what mpmath computes")
    if arguments.write:
        path.write_text(text, encoding="utf-8")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
