"""Elementwise functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..drawing import assume, st
from ._cases import *
from ._table import *
from .draws import *
from .strategies import *

chapter("elementwise_functions")
# --- of one array ---------------------------------------------------------------------------------


def _given(*rows: tuple[tuple[str, ...], str]) -> dict[str, tuple[str, ...]]:
    return {name: dtypes for dtypes, names in rows for name in names.split()}


# Correctly rounded by IEEE 754, or free of rounding: exact for every real dtype.
EXACT_UNARY = _given(
    (REAL, "abs ceil floor sign square trunc"),
    (NUMERIC, "conj isfinite isinf isnan negative positive real round"),
    (REAL_FLOATING, "reciprocal signbit sqrt"),
    (COMPLEX, "imag"),
    (BOOL, "logical_not"),
    (BOOL + INTEGER, "bitwise_invert"),
)
ROUNDED_UNARY = _given(
    (FLOATING, "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2"),
    (FLOATING, "sin sinh tan tanh"),
    (COMPLEX, "abs reciprocal sign sqrt square"),
)


def log1p(z: np.ndarray) -> np.ndarray:
    """log(1 + z) of complex z without the cancellation of NumPy's."""
    x, y = z.real, z.imag
    # Near -1 the sum cancels to -1 as well; there 1 + x is exact.
    size = np.where(
        (abs(1 + x) < 0.5) & (abs(y) < 0.5),
        np.log(np.hypot(1 + x, y)),
        0.5 * np.log1p(x * (2 + x) + y * y),
    )
    return np.asarray(size + 1j * np.arctan2(y, 1 + x))


NUMPY_UNARY: dict[str, Callable[..., Any]] = {
    name: getattr(np, {"round": "rint"}.get(name, name)) for name in (*EXACT_UNARY, *ROUNDED_UNARY)
}

UNCHANGED_FOR_INTEGERS = ("ceil", "floor", "round", "trunc")


def unary(draw: Draw, name: str, dtype: str) -> Trial:
    approximates = dtype in ROUNDED_UNARY.get(name, ())
    values = moderate(dtype) if approximates and dtype in COMPLEX else elements(dtype)
    if approximates and name in ("reciprocal", "sign"):
        values = values.filter(bool)
    x = draw(operands(dtype, draw(shapes()), values))
    if not approximates:
        if dtype in INTEGER and name in UNCHANGED_FOR_INTEGERS:
            return Trial((x,), exactly(x.value))
        return Trial((x,), exactly(NUMPY_UNARY[name](x.value)))
    function = log1p if name == "log1p" and dtype in COMPLEX else NUMPY_UNARY[name]
    exact = np.asarray(function(wide(x.value)))
    out = COMPONENT[dtype] if name == "abs" else dtype
    if dtype in COMPLEX:
        return Trial((x,), lambda actual: within_ulps(actual, exact, out, COMPLEX_ULPS))
    far = np.abs(x.value) > NPU_FARTHEST if name in PERIODIC and dtype == "float32" else None
    return Trial((x,), lambda actual: within_bound(actual, exact, out, name, far))


for _name in sorted({*EXACT_UNARY, *ROUNDED_UNARY}):
    covers(_name, EXACT_UNARY.get(_name, ()) + ROUNDED_UNARY.get(_name, ()))(unary)


def _special(d: Seeded) -> Any:
    values = [0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan, 1e-30]
    x = np.asarray(values, dtype=d.real_name)
    with np.errstate(invalid="ignore"):
        return x if d.kind == "real" else (x[:, None] + 1j * x).astype(d.numpy)


on(
    "abs conj negative positive real round sign square isfinite isinf isnan ceil floor trunc "
    "logical_not bitwise_invert signbit imag exp expm1 sin cos sinh cosh tanh asinh atan",
    one,
    plain,
)
on(
    "abs negative sign square ceil floor trunc round bitwise_invert",
    wide_one,
    plain,
    "whole range",
    when=integer,
)
on(
    "isfinite isinf isnan",
    lambda d: (_special(d),),
    plain,
    "special values",
    when=lambda d: d.is_floating,
)
on("signbit", lambda d: (_special(d),), plain, "special values")
on("tan", lambda d: (d.between(-1.2, 1.2, 4, 6),), plain)
on("acos asin atanh", lambda d: (d.between(-0.9, 0.9, 4, 6),), plain)
on("acosh", lambda d: (d.between(1.1, 9, 4, 6),), plain)
on("log log1p log2 log10 sqrt reciprocal", lambda d: (d.between(0.2, 9, 4, 6),), plain)

because("isfinite isinf isnan signbit logical_not", flat=BOOLEAN)
because("bitwise_invert", flat=INTEGERS)
slope("cosh expm1 sinh tanh", "far", plain, [[30.0, -30.0]])
# Complex numbers near and on the axes, and on both sides of branch cuts.
slope(
    "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 reciprocal sign sin "
    "sinh sqrt square tan tanh abs",
    "odd",
    plain,
    [0.3 + 0.4j, -0.7 + 1.2j, 1.5 - 0.2j, -2 - 3j, 0.01 + 0.02j, 3 + 0.1j],
)
slope(
    "acos asin asinh atan atanh cos cosh exp expm1 log1p reciprocal sign sin sinh square tan tanh "
    "abs",
    "axes",
    plain,
    [0.3j, -0.4j, 0.5, -0.6],
)
slope("expm1 log1p negative sign tan tanh", "axes too", plain, [-0.9 + 0j, 2 + 0j, 1j])
slope("log1p", "negative", plain, [-0.5, -0.1, 0.4])
slope("round", "around zero", plain, [-0.4, 0.3, 0.6 - 0.3j, -0.2 + 0.4j])

# --- of two arrays --------------------------------------------------------------------------------

Check = Callable[[Any], None]


@dataclass(frozen=True)
class Binary:
    """What is known of a function: where it is defined, and what its result has to be.

    ``check(x1, x2, name)`` takes values that have been promoted to dtype ``name`` already, and
    gives the check of a result.
    """

    dtypes: tuple[str, ...]
    check: Callable[[np.ndarray, np.ndarray, str], Check]
    first: Callable[[str], st.SearchStrategy[Any]] = elements
    second: Callable[[str], st.SearchStrategy[Any]] = elements
    defined: Callable[[np.ndarray, np.ndarray], bool] = lambda x1, x2: True


def _exact(function: Callable[..., Any], **options: Any) -> Callable[..., Check]:
    return lambda x1, x2, name: exactly(function(x1, x2), **options)


def _rounded(function: Callable[..., Any], name: str) -> Callable[..., Check]:
    def check(x1: np.ndarray, x2: np.ndarray, dtype: str) -> Check:
        exact = np.asarray(function(wide(x1), wide(x2)))
        return lambda actual: within_bound(actual, exact, dtype, name)

    return check


def _exact_or_complex(function: Callable[..., Any]) -> Callable[..., Check]:
    def check(x1: np.ndarray, x2: np.ndarray, name: str) -> Check:
        if name not in COMPLEX:
            return exactly(function(x1, x2))
        exact = np.asarray(function(wide(x1), wide(x2)))
        return lambda actual: within_ulps(actual, exact, name, COMPLEX_ULPS)

    return check


def _logaddexp(x1: np.ndarray, x2: np.ndarray, name: str) -> Check:
    exact = np.logaddexp(wide(x1), wide(x2))
    # max + log1p(exp(min - max)): two terms rounded on their own, which may cancel.
    size = np.maximum(np.where(np.isfinite(exact), np.maximum(np.abs(x1), np.abs(x2)), 0), 1)
    return lambda actual: within(actual, exact, name, 4 * eps(name) * size)


def _floor_divide(x1: np.ndarray, x2: np.ndarray, name: str) -> Check:
    expected = np.floor_divide(x1, x2)
    if name in INTEGER:
        return exactly(expected)

    def check(actual: Any) -> None:
        # From 2**p on not every integer is a number of the dtype, and the rounded quotient is
        # within one ulp; below, it is the floor itself, with the sign of the quotient.
        values = check_form(actual, name, expected.shape)
        error = ulp_error(values, expected.astype(np.longdouble), name)
        large = np.abs(expected) >= 2.0 ** np.finfo(name).nmant
        assert np.where(large, error <= 1, values == expected).all(), (values, expected)
        assert (np.signbit(values) == np.signbit(expected)).all(), (values, expected)
        assert (np.where(np.isinf(values), 0, values % 1) == 0).all(), values

    return check


def _power(x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
    """NumPy's powers, but not by the square root, which it takes for a single exponent of 0.5.

    That of minus infinity is NaN, the power is infinite.
    """
    shape = np.broadcast_shapes(x1.shape, x2.shape)
    exponents = np.array([*np.broadcast_to(x2, shape).ravel(), 1], dtype=x2.dtype)
    bases = np.array([*np.broadcast_to(x1, shape).ravel(), 1], dtype=x1.dtype)
    return np.power(bases, exponents)[:-1].reshape(shape)


def _pow(x1: np.ndarray, x2: np.ndarray, name: str) -> Check:
    if name in INTEGER:
        return exactly(_power(x1, x2))
    if name in REAL_FLOATING:
        return _rounded(_power, "pow")(x1, x2, name)
    logarithm = np.log(wide(x1))
    exact = np.exp(wide(x2) * logarithm)
    # exp(x2 * log(x1)) in working precision: the error of the product becomes relative.
    ulps = COMPLEX_ULPS + 4 * np.abs(wide(x2) * logarithm)
    return lambda actual: within_ulps(actual, exact, name, ulps)


def _finite(name: str) -> st.SearchStrategy[Any]:
    return elements(name, nan=False, inf=False)


def _divisors(name: str) -> st.SearchStrategy[Any]:
    return _finite(name).filter(bool)


def _moderate_if_complex(name: str) -> st.SearchStrategy[Any]:
    return moderate(name) if name in COMPLEX else elements(name)


def _shifts(name: str) -> st.SearchStrategy[Any]:
    width = 8 * np.dtype(name).itemsize
    return st.one_of(st.sampled_from((0, width - 1)), st.integers(0, width - 1))


def _no_zero_divisor(x1: np.ndarray, x2: np.ndarray) -> bool:
    return bool((x2 != 0).all())  # a small float may have become zero in a narrower dtype


def _ordinary_if_complex(x1: np.ndarray, x2: np.ndarray) -> bool:
    """Complex quotients without overflow in between: both sizes ordinary, no zero divisor."""
    if x1.dtype.kind != "c":
        return True
    return all((np.isfinite(x) & (np.abs(x) < 1e4)).all() for x in (x1, x2)) and bool(
        (np.abs(x2) > 1e-4).all()
    )


def _ordinary_power(x1: np.ndarray, x2: np.ndarray) -> bool:
    return _ordinary_if_complex(x2, x1) and (x1.dtype.kind != "c" or bool((np.abs(x2) < 8).all()))


BINARY = {
    **{name: Binary(ALL, _exact(getattr(np, name))) for name in ("equal", "not_equal")},
    **{
        name: Binary(REAL, _exact(getattr(np, name)))
        for name in ("greater", "greater_equal", "less", "less_equal")
    },
    **{
        f"logical_{name}": Binary(BOOL, _exact(getattr(np, f"logical_{name}")))
        for name in ("and", "or", "xor")
    },
    **{
        f"bitwise_{name}": Binary(BOOL + INTEGER, _exact(getattr(np, f"bitwise_{name}")))
        for name in ("and", "or", "xor")
    },
    **{
        f"bitwise_{name}_shift": Binary(
            INTEGER, _exact(getattr(np, f"{name}_shift")), second=_shifts
        )
        for name in ("left", "right")
    },
    # The standard lets the sign of a zero be that of either operand.
    **{
        name: Binary(REAL, _exact(getattr(np, name), signed_zeros=False))
        for name in ("maximum", "minimum")
    },
    "add": Binary(NUMERIC, _exact(np.add)),
    "subtract": Binary(NUMERIC, _exact(np.subtract)),
    "multiply": Binary(
        NUMERIC, _exact_or_complex(np.multiply), _moderate_if_complex, _moderate_if_complex
    ),
    "divide": Binary(
        FLOATING,
        _exact_or_complex(np.divide),
        _moderate_if_complex,
        _moderate_if_complex,
        _ordinary_if_complex,
    ),
    "floor_divide": Binary(REAL, _floor_divide, _finite, _divisors, _no_zero_divisor),
    "remainder": Binary(REAL, _exact(np.remainder), _finite, _divisors, _no_zero_divisor),
    "pow": Binary(
        NUMERIC,
        _pow,
        lambda name: moderate(name, 10.0) if name in COMPLEX else elements(name),
        # Negative exponents of integers are unspecified.
        lambda name: (
            moderate(name, 4.0)
            if name in COMPLEX
            else elements(name, low=0, high=70)
            if name in INTEGER
            else elements(name)
        ),
        _ordinary_power,
    ),
    "atan2": Binary(REAL_FLOATING, _rounded(np.arctan2, "atan2")),
    "copysign": Binary(REAL_FLOATING, _exact(np.copysign)),
    "hypot": Binary(REAL_FLOATING, _rounded(np.hypot, "hypot")),
    "logaddexp": Binary(REAL_FLOATING, _logaddexp),
}


def binary(draw: Draw, name: str, dtype: str) -> Trial:
    function = BINARY[name]
    args, (x1, x2), result = promoting_pair(
        draw, dtype, function.dtypes, function.first, function.second
    )
    assume(function.defined(x1, x2))
    return Trial(tuple(args), function.check(x1, x2, result))


for _name, _function in BINARY.items():
    covers(_name, _function.dtypes)(binary)


@covers("nextafter", REAL_FLOATING)
def nextafter(draw: Draw, name: str, dtype: str) -> Trial:
    args, (x1, x2), _ = promoting_pair(draw, dtype, (dtype,), elements)
    return Trial(tuple(args), exactly(np.nextafter(x1, x2)))


@covers("clip", REAL)
def clip(draw: Draw, name: str, dtype: str) -> Trial:
    shape, low_shape, high_shape = draw(broadcastable(3))
    full = np.broadcast_shapes(shape, low_shape, high_shape)
    x = draw(operands(dtype, full))
    bounds: list[Any] = []
    for bound_shape in (low_shape, high_shape):
        form = draw(st.sampled_from(("none", "scalar", "array")))
        if form == "none":
            bounds.append(None)
        elif form == "scalar":
            bounds.append(draw(elements(dtype, nan=False)))
        else:
            bounds.append(draw(operands(dtype, bound_shape)))
    low, high = (bound.value if isinstance(bound, Operand) else bound for bound in bounds)
    low_value, high_value = (None if b is None else np.asarray(b, dtype) for b in (low, high))
    expected = x.value
    if low_value is not None and high_value is not None:
        assume(not (low_value > high_value).any())  # unspecified
    if low_value is not None:
        expected = np.maximum(expected, low_value)
    if high_value is not None:
        expected = np.minimum(expected, high_value)
    return Trial((x, *bounds), exactly(expected, signed_zeros=False))


on(
    "add subtract multiply maximum minimum equal not_equal less less_equal greater greater_equal "
    "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor atan2 copysign hypot "
    "logaddexp nextafter",
    two,
    plain,
)
on(
    "add subtract multiply maximum minimum equal not_equal less less_equal greater greater_equal "
    "bitwise_and bitwise_or bitwise_xor",
    wide_two,
    plain,
    "whole range",
    when=integer,
)
on(
    "add subtract multiply maximum minimum equal not_equal less less_equal greater greater_equal",
    lambda d: (d.values(4, 6), 3 if integer(d) else 0.5),
    plain,
    "Python scalar",
    when=lambda d: d.kind != "bool",
)
on("add multiply", lambda d: (d.values(4, 1), d.values(6)), plain, "broadcast")
on("divide floor_divide remainder", lambda d: (d.values(4, 6), d.nonzero(4, 6)), plain)
on(
    "floor_divide remainder",
    lambda d: (d.wide(4, 6), d.nonzero(4, 6)),
    plain,
    "whole range",
    when=integer,
)
on(
    "bitwise_left_shift bitwise_right_shift",
    lambda d: (d.values(4, 6), d.between(0, 5, 4, 6)),
    plain,
)
on(
    "bitwise_left_shift bitwise_right_shift",
    lambda d: (d.wide(4, 6), d.between(0, 8 * d.numpy.itemsize - 1, 4, 6)),
    plain,
    "whole range",
)
on("pow", lambda d: (d.between(0.5, 3, 4, 6), d.between(0, 3, 4, 6)), plain)
on("pow", lambda d: (d.values(4, 6), 2), plain, "Python scalar")
on("clip", lambda d: (d.values(4, 6), d.between(1, 2, 4, 6), d.between(3, 5, 4, 6)), plain)
on(
    "clip",
    lambda d: (d.values(4, 6),),
    lambda f, _, x: (f(x, 1, 4), f(x, 1), f(x, max=4)),
    "Python scalars",
    numpy=lambda _, x: (np.clip(x, 1, 4), np.clip(x, 1, None), np.clip(x, None, 4)),
)

because(
    "equal greater greater_equal less less_equal logical_and logical_or logical_xor not_equal",
    flat=BOOLEAN,
)
because("bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor", flat=INTEGERS)
slope(
    "add subtract multiply divide pow atan2 hypot logaddexp copysign maximum minimum",
    "broadcast",
    plain,
    [[0.75], [1.5]],
    [[0.5, 1.25, 1.9]],
)
slope(
    "add subtract pow",
    "odd",
    plain,
    [0.3 + 0.4j, -0.7 + 1.2j, 1.5 - 0.2j, -2 - 3j, 0.01 + 0.02j, 3 + 0.1j],
    [3 + 0.1j, 0.01 + 0.02j, -2 - 3j, 1.5 - 0.2j, -0.7 + 1.2j, 0.3 + 0.4j],
)
slope("copysign", "signs", plain, [-1.5, 2.0, -0.5, 0.7], [1.0, -2.0, -3.0, 0.4])
slope("hypot", "axes", plain, [3.0, 0.0, -2.0], [-4.0, 1.5, 0.0])
slope("atan2", "quadrants", plain, [3.0, -0.5, -2.0], [-4.0, -1.5, 1.0])
slope("nextafter", "away", plain, [1.0, -2.0, 0.5], [3.0, -3.0, -0.5])
slope("logaddexp", "apart", plain, [1.0, 50.0, -800.0], [1.0, -700.0, -900.0])
slope(
    "floor_divide remainder", "signs", plain, [5.3, -5.3, 7.1, -0.2, 1e3], [2.0, 2.0, -3.0, 5, -7.5]
)
slope("pow", "square", lambda _, xp, x: x**2, [0.0, -1.5, 2.0])
slope("pow", "cube", lambda f, xp, x: f(x, xp.asarray(3.0, dtype=xp.float64)), [0.0, -1.5, 2.0])
slope("pow", "zeroth", lambda f, _, x: f(x, 0), [0.0, -1.5, 2.0], second=False)
slope("pow", "complex square", lambda f, _, x: f(x, 2), [0.5 + 1j, -1.5, 2.0j])
slope("pow", "scalar base", lambda f, _, x: f(2.0, x), [0.0, -1.5, 2.0])
slope("pow", "complex exponents", plain, [0.5 + 1j, -1.5 - 1j, 2.0j], [1j, 2.0, 1.0])
slope("clip", "arrays", plain, [-2.0, 0.5, 3.0], [-1.0, -1.0, -1.0], [1.0, 1.5, 2.0])
slope("clip", "min", lambda f, _, x, b: f(x, min=b), [-2.0, 0.5], [-1.0, -1.0])
slope("clip", "max", lambda f, _, x, b: f(x, max=b), [-2.0, 0.5], [-1.0, 1.0])
slope("clip", "none", plain, [-2.0, 0.5])
