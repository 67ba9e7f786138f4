"""How exact the results are: against ``mpmath``, exact fractions, residuals and a direct DFT.

The standard asks for no accuracy beyond IEEE arithmetic and square roots; these are the bounds
that this namespace keeps. Each is stated in units of the last place (ulp) of the exact result, or
in multiples of eps times a norm, with its reason. Real and complex inputs are chosen where
functions are hard (near their zeros, branch points and limits, at the ends of the range) and drawn
at random from a fixed seed in all binades. Each is tried contiguous and strided, as vectorised and
scalar loops may be different code.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import torch

import ascend_array_api as xp
from workshop.samples.strategies import (
    COMPLEX,
    COMPONENT,
    FLOATING,
    REAL_FLOATING,
    check_form,
    eps,
    real_ulps,
    to_numpy,
    ulp,
    ulp_error,
    wide,
)

Number = Any  # an mpmath number


def precision(row: tuple[Any, ...]) -> int:
    """Bits for ``mpmath``: it may square a tiny or huge part and then cancel beside one."""
    parts = [part for x in row for z in [complex(x)] for part in (z.real, z.imag) if part]
    return 200 + 4 * max(abs(math.frexp(part)[1]) for part in parts)


def by_name(name: str) -> Callable[..., Number]:
    """The function of ``mpmath`` for a function of the namespace."""
    special: dict[str, Callable[..., Number]] = {
        "log2": lambda x: mpmath.log(x) / mpmath.log(2),
        "logaddexp": lambda x, y: max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y))),
        "pow": mpmath.power,
        "multiply": operator.mul,
        "divide": operator.truediv,
        "reciprocal": lambda x: 1 / x,
        "sign": lambda x: x / abs(x),
        "square": lambda x: x * x,
        "abs": abs,
    }
    return special.get(name) or getattr(mpmath, name)


def to_longdouble(value: Number) -> np.longdouble:
    """A real number of ``mpmath``, rounded to longdouble."""
    if not mpmath.isfinite(value):
        return np.longdouble(float(value))
    mantissa, exponent = mpmath.frexp(value)
    if abs(exponent) > 16000:
        return np.longdouble(0 if exponent < 0 else math.copysign(math.inf, mantissa))
    high = float(mantissa)
    return np.ldexp(np.longdouble(high) + np.longdouble(float(mantissa - high)), exponent)


def exact_values(name: str, *columns: np.ndarray) -> np.ndarray:
    """The function of each row of the columns, in longdouble."""
    make = mpmath.mpc if columns[0].dtype.name in COMPLEX else mpmath.mpf
    function = by_name(name)
    results: list[Number] = []
    for row in zip(*(column.tolist() for column in columns), strict=True):
        with mpmath.workprec(precision(row)):
            results.append(function(*map(make, row)))
    if not isinstance(results[0], mpmath.mpc):
        return np.asarray([to_longdouble(x) for x in results])
    out = np.empty(len(results), np.clongdouble)
    out.real = [to_longdouble(z.real) for z in results]
    out.imag = [to_longdouble(z.imag) for z in results]
    return out


def strided(values: np.ndarray) -> Any:
    return xp.asarray(np.repeat(values, 2))[::2]


def contiguous(values: np.ndarray) -> Any:
    return xp.asarray(values.copy())


def check_elementwise(name: str, columns: list[np.ndarray], result: str, ulps: float) -> None:
    exact = exact_values(name, *columns)
    for layout in (contiguous, strided):
        values = to_numpy(getattr(xp, name)(*map(layout, columns)))
        error = ulp_error(values, exact, result)
        worst = int(np.argmax(error))
        assert error[worst] <= ulps, (
            f"{name}{tuple(c[worst] for c in columns)} = {values[worst]!r}, exact "
            f"{exact[worst]!r}: {error[worst]:.2f} ulp, {layout.__name__}"
        )


# ---------------------------------------------------------------------------------------------
# Functions of real numbers

#: Where each function is defined, ends included where it is finite there.
DOMAINS: dict[str, tuple[float, float]] = {
    "acos": (-1, 1),
    "acosh": (1, math.inf),
    "asin": (-1, 1),
    "asinh": (-math.inf, math.inf),
    "atan": (-math.inf, math.inf),
    "atanh": (-1, 1),
    "cos": (-math.inf, math.inf),
    "cosh": (-math.inf, math.inf),
    "exp": (-math.inf, math.inf),
    "expm1": (-math.inf, math.inf),
    "log": (0, math.inf),
    "log10": (0, math.inf),
    "log1p": (-1, math.inf),
    "log2": (0, math.inf),
    "reciprocal": (-math.inf, math.inf),
    "sin": (-math.inf, math.inf),
    "sinh": (-math.inf, math.inf),
    "sqrt": (0, math.inf),
    "tan": (-math.inf, math.inf),
    "tanh": (-math.inf, math.inf),
}
POLES = {"atanh": (-1, 1), "log": (0,), "log10": (0,), "log1p": (-1,), "log2": (0,)}
POLES |= {"reciprocal": (0,)}


def near(center: float, dtype: str, count: int, random: np.random.Generator) -> np.ndarray:
    """Numbers at all distances from a center, on both sides."""
    digits = np.finfo(dtype).nmant + 2
    distance = 2.0 ** random.uniform(-digits, 0, count) * random.choice((-1, 1), count)
    return center + distance * max(abs(center), 1)


@functools.cache
def real_points(name: str, dtype: str) -> np.ndarray:
    random = np.random.default_rng(20231201)
    info = np.finfo(dtype)
    least, most = float(info.smallest_subnormal), float(info.max)
    low, high = DOMAINS[name]
    growth = math.log(most)  # where exp overflows
    chosen = [
        *(sign * size for sign in (1, -1) for size in (least, float(info.tiny), most, 0.5, 1, 2)),
        *(
            sign * size
            for sign in (1, -1)
            for size in (growth / 2, growth, growth + 0.3, 3e4, 1e22)
        ),
        *(k * math.pi / 4 for k in range(-9, 10) if k),
    ]
    binades = 2.0 ** random.uniform(math.log2(least), math.log2(most), 80)
    points = np.concatenate(
        [
            chosen,
            binades * random.choice((-1, 1), 80),
            random.uniform(-growth, growth, 40),
            random.uniform(-2, 2, 60),
            *(near(center, dtype, 30, random) for center in (0, 1, -1, math.pi, math.pi / 2)),
        ]
    )
    with np.errstate(over="ignore"):
        points = points.astype(dtype)
    inside = np.isfinite(points) & (points >= low) & (points <= high)
    for pole in POLES.get(name, ()):
        inside &= points != pole
    return points[inside]


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", DOMAINS)
def test_real_functions(name: str, dtype: str) -> None:
    check_elementwise(name, [real_points(name, dtype)], dtype, real_ulps(name))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("name", DOMAINS)
def test_real_functions_of_long_arrays(name: str, dtype: str) -> None:
    # Long arrays may take other ways.  Where these were off by more than 2 ulp: of all float32
    # numbers log2 on 0.746, atan on 0.125, tan on 11 and log10 on 0.75 were, with AVX-512.
    random = np.random.default_rng(20231205)
    low, high = (max(min(end, 90), -90) for end in DOMAINS[name])
    spread = np.concatenate([random.uniform(low, high, 100), random.uniform(0.05, 1.0, 200)])
    known = [0.74997085, 0.749942421913147, 0.7464584112167358, 0.1253068447113037, 0.9696311950683]
    hard = np.concatenate([spread, known]).astype(dtype)
    hard = hard[(hard >= low) & (hard <= high)]
    exact = exact_values(name, hard)
    for length in (1001, 2000, 70_000):
        points = np.resize(hard, length)
        got = to_numpy(getattr(xp, name)(xp.asarray(points)))
        off = ulp_error(got, np.resize(exact, length), dtype)
        bound = real_ulps(name, dtype, xp.asarray(0.0).device)
        assert np.max(off) <= bound, (length, points[np.argmax(off)], np.max(off))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_atan2_and_hypot(dtype: str) -> None:
    random = np.random.default_rng(20231202)
    bits = np.finfo(dtype).maxexp - 2
    size = 2.0 ** random.uniform(-bits, bits, 200)
    # Of about the same size, so that both count; then of any two sizes.
    near_size = size * 2.0 ** random.uniform(-3, 3, 200)
    any_size = random.permutation(size)
    with np.errstate(over="ignore"):
        x1 = np.concatenate([size, size]) * random.choice((-1, 1), 400)
        x2 = np.concatenate([near_size, any_size]) * random.choice((-1, 1), 400)
        columns = [x1.astype(dtype), x2.astype(dtype)]
    whole = np.isfinite(columns[0]) & np.isfinite(columns[1])
    columns = [column[whole] for column in columns]
    for name in ("atan2", "hypot"):
        check_elementwise(name, columns, dtype, real_ulps(name))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_pow(dtype: str) -> None:
    random = np.random.default_rng(20231203)
    bits = np.finfo(dtype).maxexp
    bases = np.concatenate(
        [
            random.uniform(0, 4, 100),
            2.0 ** random.uniform(-bits + 3, bits - 1, 100),
            near(1, dtype, 100, random),  # a long logarithm counts here
        ]
    ).astype(dtype)
    bases = bases[bases > 0]
    most = (bits - 1) / np.maximum(np.abs(np.log2(bases.astype(float))), 1e-6)
    exponents = (random.uniform(-1, 1, bases.size) * most).astype(dtype)
    check_elementwise("pow", [bases, exponents], dtype, real_ulps("pow"))
    whole = np.tile([2.0, 3.0, -1.0, -2.0, 0.5, -0.5], 40).astype(dtype)
    bases = random.uniform(0.1, 100, whole.size).astype(dtype)
    check_elementwise("pow", [bases, whole], dtype, real_ulps("pow"))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_pow_by_a_scalar(dtype: str) -> None:
    # Kernels for a scalar exponent may multiply or take roots instead.
    bases = np.random.default_rng(20231204).uniform(0.1, 100, 100).astype(dtype)
    for exponent in (2, 3, -1, -2, 0.5, -0.5, 1.5, 7, 2.0):
        exact = exact_values("pow", bases, np.full_like(bases, exponent))
        error = ulp_error(to_numpy(contiguous(bases) ** exponent), exact, dtype)
        assert error.max() <= real_ulps("pow"), exponent


@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_logaddexp(dtype: str) -> None:
    # The maximum and a logarithm are added: one ulp of each, where they may cancel.
    random = np.random.default_rng(20231205)
    x1 = np.concatenate([random.uniform(-50, 50, 200), random.normal(size=100)]).astype(dtype)
    x2 = (x1 + random.normal(size=300) * 4.0 ** random.uniform(-8, 3, 300)).astype(dtype)
    exact = exact_values("logaddexp", x1, x2)
    size = np.maximum(np.maximum(np.abs(x1), np.abs(x2)), 1)
    for layout in (contiguous, strided):
        error = np.abs(to_numpy(xp.logaddexp(layout(x1), layout(x2))) - exact)
        assert (error <= 2 * eps(dtype) * size).all()


# ---------------------------------------------------------------------------------------------
# Functions of complex numbers

#: Bounds in ulps of the magnitude of the result. Most combine a few real functions, each within
#: an ulp; inverse sines and tangents add a division and a logarithm near branch points.
COMPLEX_BOUNDS: dict[str, float] = {
    **dict.fromkeys(("abs", "square", "reciprocal", "sign", "sqrt"), 3.0),
    **dict.fromkeys(("exp", "expm1", "log", "log10", "log1p", "log2"), 4.0),
    **dict.fromkeys(("cos", "cosh", "sin", "sinh"), 4.0),
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atan", "atanh"), 6.0),
    **dict.fromkeys(("tan", "tanh"), 8.0),
}
GROWS = ("cos", "cosh", "exp", "expm1", "sin", "sinh")


@functools.cache
def complex_points(name: str, dtype: str) -> np.ndarray:
    random = np.random.default_rng(20231206)
    real = COMPONENT[dtype]
    bits = np.finfo(real).maxexp
    count = 40

    def signs(shape: Any) -> np.ndarray:
        return random.choice((-1.0, 1.0), shape)

    def around(center: complex) -> np.ndarray:
        distance = 2.0 ** random.uniform(-np.finfo(real).nmant, -2, (2, count))
        return np.asarray([[center.real], [center.imag]]) + signs((2, count)) * distance

    angle = random.uniform(-math.pi, math.pi, count)
    radius = 1 + signs(count) * 2.0 ** random.uniform(-np.finfo(real).nmant, -2, count)
    parts = [
        random.uniform(-5, 5, (2, count)),
        *(around(center) for center in (1, -1, 1j, -1j, 0)),
        radius * np.asarray([np.cos(angle), np.sin(angle)]),  # the unit circle, where log is small
        signs((2, count)) * 2.0 ** random.uniform(-bits / 2, 0, (2, count)),
    ]
    if name not in GROWS:
        # Squares overflow from bits / 2 on; what is left up to the end of the range is for
        # functions that scale.
        end = bits / 2 - 2 if name == "square" else bits - 2
        parts.append(signs((2, count)) * 2.0 ** random.uniform(0, end, (2, count)))
    points = np.concatenate(parts, axis=1)
    out = np.empty(points.shape[1], dtype)
    out.real, out.imag = points
    return out


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", COMPLEX_BOUNDS)
def test_complex_functions(name: str, dtype: str) -> None:
    result = COMPONENT[dtype] if name == "abs" else dtype
    check_elementwise(name, [complex_points(name, dtype)], result, COMPLEX_BOUNDS[name])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_size_at_the_ends_of_the_range(dtype: str) -> None:
    # "conforming implementations should take care to avoid undue overflow or underflow"
    real = COMPONENT[dtype]
    info = np.finfo(real)
    for size in (float(info.max) / 8, float(info.tiny), float(info.smallest_subnormal) * 16):
        values = (np.asarray([3 + 4j, 4 - 3j, -4 + 3j, -3 - 4j]) * (size / 4)).astype(dtype)
        values = np.tile(values, 10)
        check_elementwise("abs", [values], real, COMPLEX_BOUNDS["abs"])
        check_elementwise("log", [values], dtype, COMPLEX_BOUNDS["log"])
        check_elementwise("sqrt", [values], dtype, COMPLEX_BOUNDS["sqrt"])


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["multiply", "divide"])
def test_complex_products_and_quotients(name: str, dtype: str) -> None:
    # A product is sqrt(5) u from exact; a quotient by a scaled divisor a few ulps.
    random = np.random.default_rng(20231207)
    bits = np.finfo(COMPONENT[dtype]).maxexp // 4
    columns = []
    for _ in range(2):
        sizes = 2.0 ** random.uniform(-bits, bits, (2, 200)) * random.choice((-1, 1), (2, 200))
        columns.append((sizes[0] + 1j * sizes[1]).astype(dtype))
    check_elementwise(name, columns, dtype, 4)


# ---------------------------------------------------------------------------------------------
# Sums and moments, against exact fractions


def fractions_of(values: np.ndarray) -> list[Fraction]:
    return [Fraction(v) for v in values.tolist()]


def exact_sum(values: np.ndarray) -> Fraction:
    """The sum of all values, by integers of one scale (faster than adding fractions)."""
    mantissas, exponents = np.frexp(values.astype("float64"))
    whole = (mantissas * 2.0**53).astype("int64").tolist()
    low = int(exponents.min())
    shifts = (exponents - low).tolist()
    total = sum(m << shift for m, shift in zip(whole, shifts, strict=True))
    return Fraction(total) * Fraction(2) ** (low - 53)


def samples(dtype: str, count: int, kind: str) -> np.ndarray:
    random = np.random.default_rng(20231208)
    values = {
        "positive": lambda: random.uniform(0, 1, count),
        "signed": lambda: random.normal(size=count),
        "wide": lambda: random.normal(size=count) * 2.0 ** random.uniform(-20, 20, count),
        "shifted": lambda: 1000 + random.normal(size=count),
        "equal": lambda: np.full(count, 0.1),
    }[kind]()
    return np.asarray(values).astype(dtype)


KINDS = ("positive", "signed", "wide", "shifted", "equal")

# Sums in blocks or pairs err by some log2(n) u sum|x|, far below the (n - 1) u sum|x| of one
# after the other; 16 eps holds for both float dtypes up to these lengths, and a plain loop over
# float32 would fail.
SUM_BOUND = 16


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 10, 1000, 100_000])
def test_sum_and_mean(dtype: str, kind: str, count: int) -> None:
    values = samples(dtype, count, kind)
    total, size = exact_sum(values), exact_sum(np.abs(values))
    columns = np.stack([values, values], axis=1)
    for result in (
        xp.sum(contiguous(values)),
        xp.sum(strided(values)),
        xp.sum(xp.asarray(columns), axis=0)[1],
        xp.sum(xp.asarray(columns.T.copy()), axis=1)[0],
    ):
        error = abs(Fraction(float(result)) - total)
        assert error <= SUM_BOUND * Fraction(eps(dtype)) * size
    for result in (xp.mean(contiguous(values)), xp.mean(xp.asarray(columns), axis=0)[1]):
        error = abs(Fraction(float(result)) - total / count)
        assert error <= SUM_BOUND * Fraction(eps(dtype)) * size / count


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [2, 10, 1000, 10_000])
@pytest.mark.parametrize("correction", [0, 1, 0.5])
def test_var_and_std(dtype: str, kind: str, count: int, correction: float) -> None:
    values = samples(dtype, count, kind)
    exact = fractions_of(values)
    center = sum(exact) / count
    squares = sum((v - center) ** 2 for v in exact)
    freedom = count - Fraction(correction)
    variance = squares / freedom
    # Welford's update errs by n k u, relatively, where k is the condition number
    # sqrt(sum(x^2) / squares), and two passes by n u + (n k u)^2 (Chan, Golub and LeVeque 1983).
    # The textbook formula, with k^2 for k, would fail for shifted data.
    whole = float(sum(v**2 for v in exact))
    u = max(count, SUM_BOUND) * eps(dtype) / 2
    tolerance = u * (math.sqrt(whole * float(squares)) + u * whole) / float(freedom)
    columns = np.stack([values, values], axis=1)
    for x, axis in ((contiguous(values), None), (xp.asarray(columns), 0)):
        result = to_numpy(xp.var(x, axis=axis, correction=correction)).reshape(-1)[0]
        assert abs(float(result) - float(variance)) <= tolerance
        result = to_numpy(xp.std(x, axis=axis, correction=correction)).reshape(-1)[0]
        low, high = (math.sqrt(max(0, float(variance) + sign * tolerance)) for sign in (-1, 1))
        assert low * (1 - 2 * eps(dtype)) <= float(result) <= high * (1 + 2 * eps(dtype))


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("kind", KINDS)
def test_cumulative_sum(dtype: str, kind: str) -> None:
    # One after the other, as the standard defines it: (n - 1) u sum|x| at the n-th.
    values = samples(dtype, 1000, kind)
    exact = fractions_of(values)
    result = to_numpy(xp.cumulative_sum(contiguous(values))).tolist()
    total, size = Fraction(0), Fraction(0)
    for i, (got, value) in enumerate(zip(result, exact, strict=True)):
        total, size = total + value, size + abs(value)
        assert abs(Fraction(got) - total) <= i * Fraction(eps(dtype)) / 2 * size * Fraction(1.01)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("count", [1, 10, 1000])
def test_prod(dtype: str, count: int) -> None:
    # n - 1 roundings, each of relative size u = eps / 2, in any order.
    values = (1 + samples(dtype, count, "signed") / 256).astype(dtype)
    exact = math.prod(fractions_of(values))
    error = abs(Fraction(float(xp.prod(contiguous(values)))) / exact - 1)
    assert error <= count * Fraction(eps(dtype)) / 2 * Fraction(1.01)
    last = float(xp.cumulative_prod(contiguous(values))[-1])
    assert abs(Fraction(last) / exact - 1) <= count * Fraction(eps(dtype)) / 2 * Fraction(1.01)


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("num", [2, 3, 10, 101, 1000])
def test_linspace(dtype: str, num: int) -> None:
    # Two roundings of a point: one ulp of the larger end; the ends themselves are exact.
    for start, stop in ((0.0, 1.0), (-1.0, 1.0), (0.1, 0.7), (1e6, 1e6 + 1), (5.0, -3.0)):
        exact = [
            Fraction(start) + (Fraction(stop) - Fraction(start)) * i / (num - 1) for i in range(num)
        ]
        values = to_numpy(xp.linspace(start, stop, num, dtype=getattr(xp, dtype))).tolist()
        bound = Fraction(float(ulp(np.asarray(max(abs(start), abs(stop))), dtype)))
        worst = max(abs(Fraction(v) - e) for v, e in zip(values, exact, strict=True))
        assert worst <= 2 * bound
        assert values[0] == float(np.asarray(start, dtype))
        assert values[-1] == float(np.asarray(stop, dtype))


# ---------------------------------------------------------------------------------------------
# Linear algebra, by residuals

# Householder and LU methods are backward stable: residuals are some n eps times the norms. The
# constants of the proofs are larger, what is seen is below 1; 8 leaves room between the two.
RESIDUAL = 8
SIZES = [1, 2, 5, 20, 50]


def matrix(dtype: str, *shape: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(20231209 + seed)
    values = random.normal(size=shape)
    if dtype in COMPLEX:
        values = values + 1j * random.normal(size=shape)
    return values.astype(dtype)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def norm(x: np.ndarray) -> np.ndarray:
    """Frobenius norms of a stack."""
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1)).astype(np.longdouble))


def small(residual: np.ndarray, scale: np.ndarray, dtype: str, size: int) -> None:
    ratio = np.max(norm(residual) / np.maximum(scale, np.finfo(COMPONENT[dtype]).tiny))
    assert ratio <= RESIDUAL * max(size, 4) * eps(dtype), f"{ratio / (size * eps(dtype)):.1f} n eps"


def orthonormal(columns: np.ndarray, dtype: str, size: int) -> None:
    identity = np.eye(columns.shape[-1])
    small(adjoint(columns) @ columns - identity, np.sqrt(np.asarray(size)), dtype, size)


def result(actual: Any, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    return wide(check_form(actual, dtype, shape))


by_size = pytest.mark.parametrize("n", SIZES)
by_dtype = pytest.mark.parametrize("dtype", FLOATING)


def graded(dtype: str, n: int) -> np.ndarray:
    """A stack: random matrices, and one with condition 1 / sqrt(eps)."""
    stack = matrix(dtype, 3, n, n)
    if n > 1:
        u, _, vh = np.linalg.svd(stack[0])
        scales = np.geomspace(1, math.sqrt(eps(dtype)), n)
        stack[2] = ((u * scales) @ vh).astype(dtype)
    return stack


@by_dtype
@by_size
def test_solve(dtype: str, n: int) -> None:
    a, b = graded(dtype, n), matrix(dtype, 3, n, 4, seed=1)
    x = result(xp.linalg.solve(xp.asarray(a.copy()), xp.asarray(b.copy())), dtype, b.shape)
    small(wide(a) @ x - wide(b), norm(a) * norm(x) + norm(b), dtype, n)
    vector = matrix(dtype, n, seed=2)
    x = result(xp.linalg.solve(xp.asarray(a.copy()), xp.asarray(vector.copy())), dtype, (3, n))[
        ..., None
    ]
    right = wide(vector)[:, None]
    small(wide(a) @ x - right, norm(a) * norm(x) + norm(right), dtype, n)


@by_dtype
@by_size
def test_inv(dtype: str, n: int) -> None:
    a = graded(dtype, n)
    x = result(xp.linalg.inv(xp.asarray(a.copy())), dtype, a.shape)
    # One side only is promised: the other may be larger by the condition number.
    residuals = [norm(wide(a) @ x - np.eye(n)), norm(x @ wide(a) - np.eye(n))]
    best = np.minimum(*residuals) / (norm(a) * norm(x))
    assert best.max() <= RESIDUAL * max(n, 4) * eps(dtype)


@by_dtype
@by_size
@pytest.mark.parametrize("wider", [-3, 0, 3])
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(dtype: str, n: int, wider: int, mode: str) -> None:
    m, columns = n, max(n + wider, 1)
    a = matrix(dtype, 2, m, columns)
    k = m if mode == "complete" else min(m, columns)
    q, r = xp.linalg.qr(xp.asarray(a.copy()), mode=mode)
    q, r = result(q, dtype, (2, m, k)), result(r, dtype, (2, k, columns))
    small(q @ r - wide(a), norm(a), dtype, m)
    orthonormal(q, dtype, m)
    assert (np.tril(r, -1) == 0).all()


@by_dtype
@by_size
@pytest.mark.parametrize("wider", [-3, 0, 3])
@pytest.mark.parametrize("full", [True, False])
def test_svd(dtype: str, n: int, wider: int, full: bool) -> None:
    m, columns = n, max(n + wider, 1)
    a = matrix(dtype, 2, m, columns)
    k = min(m, columns)
    u, s, vh = xp.linalg.svd(xp.asarray(a.copy()), full_matrices=full)
    u = result(u, dtype, (2, m, m if full else k))
    s = result(s, COMPONENT[dtype], (2, k))
    vh = result(vh, dtype, (2, columns if full else k, columns))
    small((u[..., :k] * s[..., None, :]) @ vh[..., :k, :] - wide(a), norm(a), dtype, n)
    orthonormal(u, dtype, m)
    orthonormal(adjoint(vh), dtype, columns)
    assert (s >= 0).all()
    assert (np.diff(s, axis=-1) <= 0).all()
    values = result(xp.linalg.svdvals(xp.asarray(a.copy())), COMPONENT[dtype], (2, k))
    assert (np.abs(values - s) <= RESIDUAL * max(n, 4) * eps(dtype) * norm(a)[:, None]).all()


@by_dtype
@by_size
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(dtype: str, n: int, upper: bool) -> None:
    factor = matrix(dtype, 2, n, n + 2)
    a = (factor @ adjoint(factor)).astype(dtype)
    a[..., range(n), range(n)] = a[..., range(n), range(n)].real
    half = result(xp.linalg.cholesky(xp.asarray(a.copy()), upper=upper), dtype, a.shape)
    assert ((np.tril(half, -1) if upper else np.triu(half, 1)) == 0).all()
    again = adjoint(half) @ half if upper else half @ adjoint(half)
    small(again - wide(a), norm(a), dtype, n)


@by_dtype
@by_size
def test_eigh(dtype: str, n: int) -> None:
    a = matrix(dtype, 2, n, n)
    a = ((a + adjoint(a)) / 2).astype(dtype)
    values, vectors = xp.linalg.eigh(xp.asarray(a.copy()))
    values = result(values, COMPONENT[dtype], (2, n))
    vectors = result(vectors, dtype, (2, n, n))
    small(wide(a) @ vectors - vectors * values[..., None, :], norm(a), dtype, n)
    orthonormal(vectors, dtype, n)
    alone = result(xp.linalg.eigvalsh(xp.asarray(a.copy())), COMPONENT[dtype], (2, n))
    difference = np.abs(np.sort(alone) - np.sort(values))
    assert (difference <= RESIDUAL * max(n, 4) * eps(dtype) * norm(a)[:, None]).all()


@by_dtype
@by_size
def test_eig(dtype: str, n: int) -> None:
    a = matrix(dtype, 2, n, n)
    values, vectors = xp.linalg.eig(xp.asarray(a.copy()))
    form = {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)
    values, vectors = result(values, form, (2, n)), result(vectors, form, (2, n, n))
    # Each pair belongs to a matrix within n eps |a| of a; the vectors have length one.
    small(wide(a) @ vectors - vectors * values[..., None, :], norm(a), dtype, n)
    lengths = np.sqrt(np.sum(np.abs(vectors) ** 2, axis=-2))
    assert (np.abs(lengths - 1) <= RESIDUAL * n * eps(dtype)).all()
    # The eigenvalues sum up to the trace.
    trace = np.trace(wide(a), axis1=-2, axis2=-1)
    assert (np.abs(values.sum(-1) - trace) <= RESIDUAL * n * n * eps(dtype) * norm(a)).all()
    alone = result(xp.linalg.eigvals(xp.asarray(a.copy())), form, (2, n))
    assert (np.abs(alone.sum(-1) - trace) <= RESIDUAL * n * n * eps(dtype) * norm(a)).all()


@by_dtype
@pytest.mark.parametrize(("m", "n"), [(1, 1), (5, 3), (3, 5), (20, 20), (30, 10)])
def test_pinv(dtype: str, m: int, n: int) -> None:
    # The four conditions of Penrose; the products have norm |x| |x^+|.
    a = matrix(dtype, 2, m, n)
    x = result(xp.linalg.pinv(xp.asarray(a.copy())), dtype, (2, n, m))
    a = wide(a)
    condition = norm(a) * norm(x)
    size = max(m, n)
    small(a @ x @ a - a, norm(a) * condition, dtype, size)
    small(x @ a @ x - x, norm(x) * condition, dtype, size)
    small(a @ x - adjoint(a @ x), condition * condition, dtype, size)
    small(x @ a - adjoint(x @ a), condition * condition, dtype, size)


def determinant(rows: list[list[Fraction]]) -> Fraction:
    """Elimination in exact arithmetic."""
    rows = [list(row) for row in rows]
    value = Fraction(1)
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != i:
            rows[i], rows[pivot] = rows[pivot], rows[i]
            value = -value
        value *= rows[i][i]
        for k in range(i + 1, len(rows)):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return value


@pytest.mark.parametrize("dtype", REAL_FLOATING)
@pytest.mark.parametrize("n", [1, 2, 3, 8, 15])
def test_det(dtype: str, n: int) -> None:
    a = np.random.default_rng(20231210).integers(-9, 10, (n, n)).astype(dtype)
    exact = determinant([[Fraction(v) for v in row] for row in a.tolist()])
    # The determinant of a matrix within n eps |a| of a: relative error n^2 eps cond.
    condition = np.linalg.cond(a.astype("float64"))
    bound = RESIDUAL * n * eps(dtype) * condition
    got = float(xp.linalg.det(xp.asarray(a.copy())))
    assert abs(got - float(exact)) <= bound * abs(float(exact))
    sign, logarithm = xp.linalg.slogdet(xp.asarray(a.copy()))
    assert float(sign) == math.copysign(1, exact)
    expected = math.log(abs(exact))
    assert abs(float(logarithm) - expected) <= bound + 2 * eps(dtype) * abs(expected)


@by_dtype
def test_slogdet_where_det_overflows(dtype: str) -> None:
    n = 60
    a = (matrix(dtype, n, n) * 1e20).astype(dtype)
    sign, logarithm = xp.linalg.slogdet(xp.asarray(a.copy()))
    with np.errstate(all="ignore"):  # some LAPACKs leave flags of what they did in passing
        expected_sign, expected = np.linalg.slogdet(a.astype("complex128") / 1e20)
    expected = expected + n * math.log(1e20)
    bound = RESIDUAL * n * eps(dtype) * np.linalg.cond(a)
    assert abs(complex(sign) - expected_sign) <= bound
    assert abs(float(logarithm) - expected) <= bound + n * eps(dtype) * abs(expected)


@by_dtype
@pytest.mark.parametrize("n", [1, 5, 30])
def test_matmul(dtype: str, n: int) -> None:
    # Any order of n products and sums: n eps |a| |b| in each element, 2 sqrt(2) for complex.
    a, b = matrix(dtype, 2, n, n), matrix(dtype, 2, n, n, seed=1)
    c = result(xp.asarray(a.copy()) @ xp.asarray(b.copy()), dtype, a.shape)
    bound = 3 * (n + 2) * eps(dtype) * (np.abs(wide(a)) @ np.abs(wide(b)))
    assert (np.abs(c - wide(a) @ wide(b)) <= bound).all()


# The bound of docs/accuracy.md for sums of any length, in eps times the sum of the sizes. Equal
# terms are the worst: their errors have one sign, so one by one they add up to n / 8 eps.
LONG_BOUND = 128
ON_HOST = xp.__array_namespace_info__().default_device().type == "cpu"


def bound_of_products(kind: str, n: int, dtype: str) -> float:
    # Libraries of accelerators add up in an order of their own, for which the page promises no
    # bound: in any order each term takes part in n roundings of eps / 2 at most, and in 2 n of
    # them in each part of a complex number. Errors of random terms have both signs.
    if ON_HOST or kind != "equal":
        return LONG_BOUND
    return max(LONG_BOUND, n * (math.sqrt(2) if dtype in COMPLEX else 0.5))


LENGTHS_OF_SUMS = (1000, 2000, 70_000, 1_000_003)


def every_other(values: np.ndarray) -> Any:
    return xp.asarray(np.repeat(values, 2, -1))[..., ::2]


def terms(dtype: str, kind: str, *shape: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    parts = [random.normal(size=shape), random.normal(size=shape)]
    if kind == "equal":
        parts = [np.full(shape, 0.7), np.full(shape, 0.3)]
    return (parts[0] + 1j * parts[1] if dtype in COMPLEX else parts[0]).astype(dtype)


def near_sum(what: Any, actual: Any, exact: Any, size: Any, dtype: str, bound: float) -> None:
    off = np.max(np.abs(to_numpy(actual) - exact) / size) / eps(dtype)
    assert off <= bound, (what, off)


@by_dtype
def test_products_of_any_length(dtype: str) -> None:
    shapes = (("n", "n"), ("1n", "n1"), ("3n", "n2"), ("40n", "n"), ("n", "n2"), ("23n", "n2"))
    for n in LENGTHS_OF_SUMS:
        for kind in ("equal", "signed"):
            bound = bound_of_products(kind, n, dtype)
            for of1, of2 in shapes if n < 10**6 else shapes[:3]:
                if dtype != "float32" and n > 10**5:
                    continue
                sizes = [
                    [n if c == "n" else int(c) for c in of.replace("40", "4")] for of in (of1, of2)
                ]
                a, b = (terms(dtype, kind, *s, seed=i) for i, s in enumerate(sizes))
                exact, size = wide(a) @ wide(b), np.abs(wide(a)) @ np.abs(wide(b))
                for how, x, y in (
                    ("contiguous", contiguous(a), contiguous(b)),
                    ("strided", every_other(a), every_other(b)),
                ):
                    what = (kind, how, a.shape, b.shape)
                    near_sum(what, x @ y, exact, size, dtype, bound)
                    if a.ndim == b.ndim == 1:
                        dot = np.sum(np.conj(wide(a)) * wide(b))
                        near_sum(what, xp.vecdot(x, y), dot, size, dtype, bound)
                        near_sum(what, xp.tensordot(x, y, axes=1), exact, size, dtype, bound)


@by_dtype
def test_norms_of_any_length(dtype: str) -> None:
    for n in LENGTHS_OF_SUMS:
        for kind in ("equal", "signed"):
            if dtype != "float32" and n > 10**5:
                continue
            for shape, axis in (((n,), None), ((n, 2), 0), ((2, n), (1,)), ((2, n), (0, 1))):
                a = terms(dtype, kind, *shape)
                sizes = np.abs(wide(a))
                for p in (0.5, 1, 2, 3, -1) if n < 10**6 else (1, 2):
                    exact = np.sum(sizes**p, axis) ** (1 / sizes.dtype.type(p))
                    bound = LONG_BOUND / min(abs(p), 1)
                    for how, x in (("contiguous", contiguous(a)), ("strided", every_other(a))):
                        got = xp.linalg.vector_norm(x, ord=p, axis=axis)
                        near_sum((p, kind, how, shape, axis), got, exact, exact, dtype, bound)
            a = terms(dtype, kind, 2, n)
            sizes, x = np.abs(wide(a)), xp.asarray(a)
            for order, exact in (
                ("fro", np.sqrt(np.sum(sizes**2))),
                (math.inf, np.sum(sizes, 1).max()),
                (-math.inf, np.sum(sizes, 1).min()),
            ):
                got = xp.linalg.matrix_norm(x, ord=order)
                near_sum((order, kind, n), got, exact, exact, dtype, LONG_BOUND)


def test_derivatives_of_long_sums() -> None:
    n = 70_000
    cases: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
        "rows": (xp.matmul, (np.full((n, 4), 0.7), np.full((4, 3), 0.3))),
        "columns": (xp.matmul, (np.full((3, 4), 0.3), np.full((4, n), 0.7))),
        "a stack": (xp.matmul, (np.full((70, 1000, 4), 0.7), np.full((4, 3), 0.3))),
        "beside a stack": (xp.matmul, (np.full((3, 4), 0.3), np.full((70, 4, 1000), 0.7))),
        "of itself": (lambda x: xp.matmul(x.mT, x), (np.full((n, 4), 0.7),)),
        "norm": (xp.linalg.vector_norm, (np.full(n, 0.7),)),
        "norm 3": (lambda x: xp.linalg.vector_norm(x, ord=3), (np.full(n, 0.7),)),
        "norm of a matrix": (xp.linalg.matrix_norm, (np.full((n, 2), 0.7),)),
    }
    for name, (function, operands) in cases.items():
        slopes = []
        for dtype in ("float32", "float64"):
            tensors = [torch.asarray(x.astype("float32").astype(dtype)) for x in operands]
            leaves = [t.requires_grad_() for t in tensors]
            result = xp.sum(function(*map(xp.asarray, leaves)))
            slopes.append(torch.autograd.grad(xp.to_torch(result), leaves))
        for got, exact in zip(*slopes, strict=True):
            near_sum(name, xp.asarray(got), exact.numpy(), exact.numpy(), "float32", LONG_BOUND)


# ---------------------------------------------------------------------------------------------
# Fourier transforms, against the sum that defines them

# An FFT errs by O(log2 n) u times the norm of its result; the direct sum in longdouble is exact
# beside it. Lengths: powers of two, of three, primes, mixed.
LENGTHS = [1, 2, 3, 4, 5, 7, 8, 16, 17, 30, 37, 64, 97, 100, 128, 243, 256]
FFT_BOUND = 2
NORMS: dict[str, Callable[[int], tuple[float, float]]] = {
    "backward": lambda n: (1, 1 / n),
    "ortho": lambda n: (1 / math.sqrt(n), 1 / math.sqrt(n)),
    "forward": lambda n: (1 / n, 1),
}


@functools.cache
def dft_matrix(n: int, sign: int) -> np.ndarray:
    # exp(sign 2 pi i j k / n), with j k reduced modulo n before the angle is rounded.
    turns = np.outer(np.arange(n), np.arange(n)) % n
    angles = 2 * np.pi * turns.astype(np.longdouble) / n
    # pi itself to longdouble precision
    angles = angles * (np.longdouble(4) * np.arctan(np.longdouble(1)) / np.pi)
    return np.cos(angles) + sign * 1j * np.sin(angles)


def check_transform(actual: Any, exact: np.ndarray, dtype: str, points: int) -> None:
    values = wide(check_form(actual, dtype, exact.shape))
    error = np.sqrt(np.sum(np.abs(values - exact) ** 2))
    bound = FFT_BOUND * (1 + math.log2(points)) * eps(dtype) * np.sqrt(np.sum(np.abs(exact) ** 2))
    assert error <= bound, f"{error / bound:.2f} of the bound"


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("mode", NORMS)
@pytest.mark.parametrize("dtype", REAL_FLOATING)
def test_transforms(dtype: str, mode: str, n: int) -> None:
    forward, backward = NORMS[mode](n)
    complex_dtype = {"float32": "complex64", "float64": "complex128"}[dtype]
    half = n // 2 + 1
    z, x = matrix(complex_dtype, 3, n), matrix(dtype, 3, n)
    there, back = dft_matrix(n, -1), dft_matrix(n, 1)
    kwargs = {"norm": mode}

    def run(name: str, values: np.ndarray, **more: Any) -> Any:
        return getattr(xp.fft, name)(xp.asarray(values.copy()), **kwargs, **more)

    exact = (wide(z) @ there) * np.longdouble(forward)
    check_transform(run("fft", z), exact, complex_dtype, n)
    check_transform(run("ifft", z), (wide(z) @ back) * np.longdouble(backward), complex_dtype, n)
    exact = (wide(x) @ there)[:, :half]
    check_transform(run("rfft", x), exact * np.longdouble(forward), complex_dtype, n)
    check_transform(run("ihfft", x), np.conj(exact) * np.longdouble(backward), complex_dtype, n)
    # The transforms to real take half of a spectrum with the symmetry of real data.
    spectrum = (wide(x) @ there).astype(complex_dtype)
    whole = wide(spectrum)
    whole[:, half:] = np.conj(whole[:, 1 : n - half + 1][:, ::-1])
    whole[:, 0] = whole[:, 0].real
    if n % 2 == 0:
        whole[:, n // 2] = whole[:, n // 2].real
    exact = (whole @ back).real * np.longdouble(backward)
    check_transform(run("irfft", spectrum[:, :half], n=n), exact, dtype, n)
    exact = (np.conj(whole) @ back).real * np.longdouble(forward)
    check_transform(run("hfft", spectrum[:, :half], n=n), exact, dtype, n)


@pytest.mark.parametrize("shape", [(4, 4), (5, 7), (16, 9), (3, 8, 5)])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_transforms_of_many_axes(dtype: str, shape: tuple[int, ...]) -> None:
    z = matrix(dtype, *shape)
    there, back = wide(z), wide(z)
    for i, n in enumerate(shape):
        there = np.moveaxis(np.moveaxis(there, i, -1) @ dft_matrix(n, -1), -1, i)
        back = np.moveaxis(np.moveaxis(back, i, -1) @ dft_matrix(n, 1), -1, i)
    points = math.prod(shape)
    check_transform(xp.fft.fftn(xp.asarray(z.copy())), there, dtype, points)
    check_transform(xp.fft.ifftn(xp.asarray(z.copy())), back / points, dtype, points)
    real = COMPONENT[dtype]
    x = matrix(real, *shape)
    exact = wide(x).astype(np.clongdouble)
    for i, n in enumerate(shape):
        exact = np.moveaxis(np.moveaxis(exact, i, -1) @ dft_matrix(n, -1), -1, i)
    half = exact[..., : shape[-1] // 2 + 1]
    check_transform(xp.fft.rfftn(xp.asarray(x.copy())), half, dtype, points)
    axes = tuple(range(len(shape)))
    again = xp.fft.irfftn(xp.asarray(half.astype(dtype)), s=shape, axes=axes)
    check_transform(again, wide(x), real, points)
