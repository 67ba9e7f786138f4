"""Every function of the namespace against NumPy, on drawn dtypes, shapes, strides and values.

``TABLE`` maps each function to the dtypes that the standard (of 2023.12, or a later version that
knows more of them) gives it to and to a *case*, which draws the arguments and says what the
result has to be. What is compared, and how:

- Integers, booleans, data movement and IEEE operations that round once: exactly, with the sign
  of each zero. Integer arithmetic wraps around as NumPy's does.
- Elementwise functions that approximate: in ulps of a reference in wider precision.
- Sums of products (reductions, matmul, FFT, linear algebra): within the textbook bound for any
  order of evaluation, which each case states.

dtype and shape are always compared; no call may change its inputs. Left out is what the standard
leaves undefined: integer division by zero, shifts by the width or more, casts of floats that the
integer dtype cannot hold, the order of NaNs in sorting, infinities and NaN in complex arithmetic
(tests/test_special_cases.py covers what the standard does say about those).
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from strategies import (
    ALL,
    BINARY,
    BOOL,
    COMPLEX,
    COMPLEX_OF,
    COMPLEX_ULPS,
    COMPONENT,
    DTYPES,
    FLOATING,
    INTEGER,
    LONG_SIDES,
    NUMERIC,
    PROMOTION,
    REAL,
    REAL_FLOATING,
    SIGNED,
    UNSIGNED,
    WIDER,
    Draw,
    Operand,
    arrays_of,
    axes,
    axis,
    broadcastable,
    check_form,
    elements,
    eps,
    exactly,
    examples,
    matmul_check,
    moderate,
    nested,
    normalized,
    operands,
    partners,
    pooled,
    real_ulps,
    same,
    scalar_of,
    shapes,
    to_numpy,
    unique_axes,
    wide,
    within,
    within_ulps,
)

import ascend_array_api as xp


@dataclass(frozen=True)
class Call:
    """One call: arguments (with operands in them) and the check of its result."""

    args: tuple[Any, ...]
    check: Callable[[Any], None] = field(repr=False)
    kwargs: dict[str, Any] = field(default_factory=dict)


Case = Callable[[Draw, str, str], Call]  # (draw, function name, dtype name) -> call


@dataclass(frozen=True)
class Entry:
    dtypes: tuple[str, ...]
    case: Case


TABLE: dict[str, Entry] = {}


def covers(*names: str, dtypes: tuple[str, ...]) -> Callable[[Case], Case]:
    """Enter a case for functions, each given to ``dtypes`` by the standard."""

    def enter(case: Case) -> Case:
        for name in names:
            assert name not in TABLE, name
            TABLE[name] = Entry(dtypes, case)
        return case

    return enter


def function_named(name: str) -> Callable[..., Any]:
    return operator.attrgetter(name)(xp)


# ---------------------------------------------------------------------------------------------
# Elementwise functions

# Correctly rounded by IEEE 754, or free of rounding: exact for every real dtype.
EXACT_UNARY = {
    "abs": REAL,
    "bitwise_invert": BOOL + INTEGER,
    "ceil": REAL,
    "conj": NUMERIC,
    "floor": REAL,
    "imag": COMPLEX,
    "isfinite": NUMERIC,
    "isinf": NUMERIC,
    "isnan": NUMERIC,
    "logical_not": BOOL,
    "negative": NUMERIC,
    "positive": NUMERIC,
    "real": NUMERIC,
    "reciprocal": REAL_FLOATING,
    "round": NUMERIC,
    "sign": REAL,
    "signbit": REAL_FLOATING,
    "sqrt": REAL_FLOATING,
    "square": REAL,
    "trunc": REAL,
}
ROUNDED_UNARY = {
    "abs": COMPLEX,
    "acos": FLOATING,
    "acosh": FLOATING,
    "asin": FLOATING,
    "asinh": FLOATING,
    "atan": FLOATING,
    "atanh": FLOATING,
    "cos": FLOATING,
    "cosh": FLOATING,
    "exp": FLOATING,
    "expm1": FLOATING,
    "log": FLOATING,
    "log10": FLOATING,
    "log1p": FLOATING,
    "log2": FLOATING,
    "reciprocal": COMPLEX,
    "sign": COMPLEX,
    "sin": FLOATING,
    "sinh": FLOATING,
    "sqrt": COMPLEX,
    "square": COMPLEX,
    "tan": FLOATING,
    "tanh": FLOATING,
}


def log1p(z: np.ndarray) -> np.ndarray:
    """log(1 + z) of complex z without the cancellation of NumPy's."""
    x, y = z.real, z.imag
    return np.asarray(0.5 * np.log1p(x * (2 + x) + y * y) + 1j * np.arctan2(y, 1 + x))


NUMPY_UNARY: dict[str, Callable[..., Any]] = {
    name: getattr(np, {"round": "rint"}.get(name, name)) for name in (*EXACT_UNARY, *ROUNDED_UNARY)
}
UNCHANGED_FOR_INTEGERS = ("ceil", "floor", "round", "trunc")


def unary(draw: Draw, name: str, dtype: str) -> Call:
    approximates = dtype in ROUNDED_UNARY.get(name, ())
    values = moderate(dtype) if approximates and dtype in COMPLEX else elements(dtype)
    if approximates and name in ("reciprocal", "sign"):
        values = values.filter(bool)
    x = draw(operands(dtype, draw(shapes()), values))
    if not approximates:
        if dtype in INTEGER and name in UNCHANGED_FOR_INTEGERS:
            return Call((x,), exactly(x.value))
        return Call((x,), exactly(NUMPY_UNARY[name](x.value)))
    function = log1p if name == "log1p" and dtype in COMPLEX else NUMPY_UNARY[name]
    exact = np.asarray(function(wide(x.value)))
    out = COMPONENT[dtype] if name == "abs" else dtype
    ulps = COMPLEX_ULPS if dtype in COMPLEX else real_ulps(name)
    return Call((x,), lambda actual: within_ulps(actual, exact, out, ulps))


for _name in sorted({*EXACT_UNARY, *ROUNDED_UNARY}):
    covers(_name, dtypes=EXACT_UNARY.get(_name, ()) + ROUNDED_UNARY.get(_name, ()))(unary)


def promoting_pair(
    draw: Draw,
    dtype: str,
    allowed: Sequence[str],
    values: Callable[[str], st.SearchStrategy[Any]],
    second_values: Callable[[str], st.SearchStrategy[Any]] | None = None,
    *,
    scalars: bool = True,
) -> tuple[list[Any], list[np.ndarray], str]:
    """Two arguments that broadcast and promote: as arguments, as values, and the dtype of both.

    The first argument to be drawn has dtype ``dtype``; either of the two may come first in the
    call, and one may be a Python scalar.
    """
    second_values = second_values or values
    other = draw(st.sampled_from(partners(dtype, allowed))) if draw(st.booleans()) else dtype
    pair = [dtype, other]
    strategies = [values, second_values]
    if draw(st.booleans()):
        pair.reverse()
    result = PROMOTION[dtype, other]
    shape1, shape2 = draw(broadcastable(2))
    args: list[Any] = [
        draw(operands(name, shape, strategy(name)))
        for name, shape, strategy in zip(pair, (shape1, shape2), strategies, strict=True)
    ]
    found = [arg.value for arg in args]
    if scalars and draw(st.integers(0, 4)) == 0:
        index = draw(st.integers(0, 1))
        result = pair[1 - index]
        args[index] = scalar_of(draw, result, strategies[index](result))
        found[index] = np.asarray(args[index], dtype=result)
    return args, [value.astype(result) for value in found], result


def binary(draw: Draw, name: str, dtype: str) -> Call:
    function = BINARY[name]
    args, (x1, x2), result = promoting_pair(
        draw, dtype, function.dtypes, function.first, function.second
    )
    assume(function.defined(x1, x2))
    return Call(tuple(args), function.check(x1, x2, result))


for _name, _function in BINARY.items():
    covers(_name, dtypes=_function.dtypes)(binary)


@covers("nextafter", dtypes=REAL_FLOATING)
def nextafter(draw: Draw, name: str, dtype: str) -> Call:
    args, (x1, x2), _ = promoting_pair(draw, dtype, (dtype,), elements)
    return Call(tuple(args), exactly(np.nextafter(x1, x2)))


@covers("clip", dtypes=REAL)
def clip(draw: Draw, name: str, dtype: str) -> Call:
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
    return Call((x, *bounds), exactly(expected, signed_zeros=False))


# ---------------------------------------------------------------------------------------------
# Reductions


def sum_dtype(dtype: str) -> str:
    """The dtype of a sum or product when none is asked for."""
    if dtype in SIGNED:
        return "int64"
    return "uint64" if dtype in UNSIGNED else dtype


def result_dtype(draw: Draw, dtype: str) -> tuple[dict[str, Any], str]:
    """A ``dtype=`` argument, or none, and the dtype that the result then has."""
    if draw(st.booleans()):
        return {}, sum_dtype(dtype)
    if draw(st.integers(0, 3)) == 0:
        return {"dtype": None}, sum_dtype(dtype)
    wider = {"float32": FLOATING, "float64": FLOATING}
    chosen = draw(st.sampled_from(INTEGER if dtype in INTEGER else wider.get(dtype, COMPLEX)))
    return {"dtype": DTYPES[chosen]}, chosen


def reduction_arguments(draw: Draw, ndim: int, *, tuples: bool = True) -> dict[str, Any]:
    kwargs: dict[str, Any] = {}
    if draw(st.integers(0, 3)):
        kwargs["axis"] = axes(draw, ndim) if tuples else axis(draw, ndim, none=True)
    if draw(st.booleans()):
        kwargs["keepdims"] = draw(st.booleans())
    return kwargs


def reduced_count(x: np.ndarray, kwargs: dict[str, Any]) -> int:
    """How many elements go into each element of the result."""
    return math.prod(x.shape[i] for i in normalized(kwargs.get("axis"), x.ndim))


@covers("sum", dtypes=NUMERIC)
def total(draw: Draw, name: str, dtype: str) -> Call:
    values = moderate(dtype, 1e6) if dtype in FLOATING else None
    x = draw(operands(dtype, draw(shapes()), values))
    kwargs = reduction_arguments(draw, x.value.ndim)
    asked, result = result_dtype(draw, dtype)
    source = x.value.astype(result)
    if result in INTEGER:
        expected = np.asarray(np.sum(source, dtype=result, **kwargs))
        return Call((x,), exactly(expected), kwargs | asked)
    exact = np.asarray(np.sum(wide(source), **kwargs))
    # Any order of n - 1 additions: (n - 1) u sum|x|, each component of a complex sum on its own.
    tolerance = reduced_count(source, kwargs) * eps(result) * np.sum(np.abs(source), **kwargs)
    return Call((x,), lambda actual: within(actual, exact, result, tolerance), kwargs | asked)


@covers("prod", dtypes=NUMERIC)
def product(draw: Draw, name: str, dtype: str) -> Call:
    values = near_one(dtype) if dtype in FLOATING else None
    x = draw(operands(dtype, draw(shapes()), values))
    kwargs = reduction_arguments(draw, x.value.ndim)
    asked, result = result_dtype(draw, dtype)
    source = x.value.astype(result)
    if result in INTEGER:
        expected = np.asarray(np.prod(source, dtype=result, **kwargs))
        return Call((x,), exactly(expected), kwargs | asked)
    exact = np.asarray(np.prod(wide(source), **kwargs))
    # n - 1 products of relative error eps each (3 eps for complex ones).
    ulps = 1 + 3 * reduced_count(source, kwargs)
    return Call((x,), lambda actual: within_ulps(actual, exact, result, ulps), kwargs | asked)


def near_one(dtype: str) -> st.SearchStrategy[Any]:
    """Factors of which 600 neither overflow nor underflow in float32, and zero."""
    factors: st.SearchStrategy[Any] = st.integers(-128, 128).map(lambda i: 1 + i / 1024)
    factors = st.one_of(factors, factors.map(operator.neg), st.just(0.0))
    if dtype in COMPLEX:
        angle = st.integers(0, 7).map(lambda i: cmath.exp(0.25j * math.pi * i))
        factors = st.builds(operator.mul, factors, angle)
    return factors


@covers("max", "min", dtypes=REAL)
def extreme(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes())))
    kwargs = reduction_arguments(draw, x.value.ndim)
    assume(reduced_count(x.value, kwargs) > 0)  # implementation-defined
    expected = np.asarray(getattr(np, name)(x.value, **kwargs))
    return Call((x,), exactly(expected, signed_zeros=False), kwargs)


@covers("mean", dtypes=FLOATING)
def mean(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes()), moderate(dtype, 1e6)))
    kwargs = reduction_arguments(draw, x.value.ndim)
    count = reduced_count(x.value, kwargs)
    exact = np.asarray(np.sum(wide(x.value), **kwargs) / count)
    # The bound of the sum, and one division.
    tolerance = (count + 1) * eps(dtype) * np.sum(np.abs(x.value), **kwargs) / max(count, 1)
    return Call((x,), lambda actual: within(actual, exact, dtype, tolerance), kwargs)


@covers("var", "std", dtypes=REAL_FLOATING)
def spread(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes()), moderate(dtype, 1e4)))
    kwargs = reduction_arguments(draw, x.value.ndim)
    correction = draw(st.sampled_from((None, 0, 1, 0.0, 1.0, 0.5, 2, -1.5)))
    if correction is not None:
        kwargs["correction"] = correction
    count = reduced_count(x.value, kwargs)
    freedom = count - (correction or 0)
    over = normalized(kwargs.get("axis"), x.value.ndim)
    keepdims = kwargs.get("keepdims", False)
    values = wide(x.value)
    center = np.sum(values, axis=over, keepdims=True) / count
    squares = np.sum((values - center) ** 2, axis=over, keepdims=keepdims)
    exact = np.asarray(squares / freedom)
    if freedom <= 0:
        exact = np.full_like(exact, np.nan)
    # Chan, Golub and LeVeque (1983): relative error n u k for an updating algorithm and
    # n u + (n u k)**2 for two passes, where k**2 = sum(x**2) / squares; both here, in
    # absolute terms, with a constant of 4.
    whole = np.sum(values**2, axis=over, keepdims=keepdims)
    u = eps(dtype)
    error = 4 * count * u * (np.sqrt(whole * squares) + squares + count * u * whole)
    error = np.asarray(np.where(freedom > 0, error / abs(freedom or 1), 0))
    if name == "var":
        return Call((x,), lambda actual: within(actual, exact, dtype, error), kwargs)

    def check(actual: Any) -> None:
        low, high = (np.sqrt(np.maximum(exact + sign * error, 0)) for sign in (-1, 1))
        tolerance = (high - low) / 2 + 2 * u * high
        within(actual, np.asarray((low + high) / 2), dtype, tolerance)

    return Call((x,), check, kwargs)


def truth_elements(dtype: str) -> st.SearchStrategy[Any]:
    """Values with as many zeros as others."""
    return st.one_of(elements(dtype), st.just(np.zeros((), dtype).item()))


@covers("all", "any", dtypes=ALL)
def truth(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes()), truth_elements(dtype)))
    kwargs = reduction_arguments(draw, x.value.ndim)
    return Call((x,), exactly(getattr(np, name)(x.value, **kwargs)), kwargs)


@covers("count_nonzero", dtypes=ALL)
def count_nonzero(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes()), truth_elements(dtype)))
    kwargs = reduction_arguments(draw, x.value.ndim)
    expected = np.asarray(np.sum(x.value != 0, dtype="int64", **kwargs))
    return Call((x,), exactly(expected), kwargs)


@covers("argmax", "argmin", dtypes=REAL)
def argextreme(draw: Draw, name: str, dtype: str) -> Call:
    # The first occurrence counts; where NaN stands is unspecified.
    x = draw(operands(dtype, draw(shapes()), elements(dtype, nan=False)))
    kwargs = reduction_arguments(draw, x.value.ndim, tuples=False)
    assume(reduced_count(x.value, kwargs) > 0)
    expected = np.asarray(getattr(np, name)(x.value, **kwargs), dtype="int64")
    return Call((x,), exactly(expected), kwargs)


@covers("cumulative_sum", "cumulative_prod", dtypes=NUMERIC)
def cumulative(draw: Draw, name: str, dtype: str) -> Call:
    sums = name == "cumulative_sum"
    values = (moderate(dtype, 1e6) if sums else near_one(dtype)) if dtype in FLOATING else None
    x = draw(operands(dtype, draw(shapes(min_dims=1)), values))
    ndim = x.value.ndim
    kwargs: dict[str, Any] = {}
    if ndim > 1 or draw(st.booleans()):
        kwargs["axis"] = axis(draw, ndim)
    asked, result = result_dtype(draw, dtype)
    along = kwargs.get("axis", 0)
    source = x.value.astype(result)
    accumulate = (np.add if sums else np.multiply).accumulate
    initial = draw(st.booleans())

    def reference(source: np.ndarray) -> np.ndarray:
        out = accumulate(source, axis=along, dtype=source.dtype)
        if not initial:
            return np.asarray(out)
        start = 0 if sums else 1
        shape = [1 if i == along % ndim else side for i, side in enumerate(out.shape)]
        return np.concatenate((np.full(shape, start, out.dtype), out), axis=along)

    kwargs |= asked
    if initial or draw(st.booleans()):
        kwargs["include_initial"] = initial
    if result in INTEGER:
        return Call((x,), exactly(reference(source)), kwargs)
    exact = reference(wide(source))
    count = x.value.shape[along] + 1
    if sums:
        size = reference(np.abs(wide(source)))
        tolerance = count * eps(result) * size
        return Call((x,), lambda actual: within(actual, exact, result, tolerance), kwargs)
    return Call((x,), lambda actual: within_ulps(actual, exact, result, 1 + 3 * count), kwargs)


@covers("diff", dtypes=NUMERIC)
def diff(draw: Draw, name: str, dtype: str) -> Call:
    values = moderate(dtype, 1e6) if dtype in FLOATING else None
    shape = draw(shapes(min_dims=1))
    x = draw(operands(dtype, shape, values))
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        kwargs["axis"] = axis(draw, len(shape))
    along = kwargs.get("axis", -1) % len(shape)
    parts = [x.value]
    for end in ("prepend", "append"):
        if draw(st.integers(0, 2)) == 0:
            side = draw(st.integers(0, 2))
            part = draw(operands(dtype, (*shape[:along], side, *shape[along + 1 :]), values))
            kwargs[end] = part
            parts.insert(0 if end == "prepend" else len(parts), part.value)
    whole = np.concatenate(parts, axis=along)
    n = draw(st.integers(0, 3))
    assume(whole.shape[along] >= n)
    if n != 1 or draw(st.booleans()):
        kwargs["n"] = n
    for _ in range(n):  # the definition; each subtraction rounds once
        following, previous = (
            np.take(whole, range(*bounds), axis=along)
            for bounds in ((1, whole.shape[along]), (0, whole.shape[along] - 1))
        )
        whole = following - previous
    return Call((x,), exactly(whole), kwargs)


# ---------------------------------------------------------------------------------------------
# Manipulation


def movable(draw: Draw, dtype: str, **options: Any) -> Operand:
    return draw(operands(dtype, draw(shapes(**options))))


@covers("broadcast_to", dtypes=ALL)
def broadcast_to(draw: Draw, name: str, dtype: str) -> Call:
    small, full = draw(broadcastable(2))
    full = np.broadcast_shapes(small, full)
    x = draw(operands(dtype, small))
    return Call((x, full), exactly(np.broadcast_to(x.value, full)))


@covers("broadcast_arrays", dtypes=ALL)
def broadcast_arrays(draw: Draw, name: str, dtype: str) -> Call:
    count = draw(st.integers(1, 4))
    dtypes = [dtype, *(draw(st.sampled_from(ALL)) for _ in range(count - 1))]
    args = tuple(
        draw(operands(other, shape))
        for other, shape in zip(dtypes, draw(broadcastable(count)), strict=True)
    )
    expected = np.broadcast_arrays(*(arg.value for arg in args))
    return Call(args, each(expected))


def each(expected: Sequence[np.ndarray]) -> Callable[[Any], None]:
    """A check of a list or tuple of arrays."""

    def check(actual: Any) -> None:
        assert isinstance(actual, (list, tuple))
        assert len(actual) == len(expected)
        for got, want in zip(actual, expected, strict=True):
            same(got, want)

    return check


def joined(draw: Draw, dtype: str) -> tuple[list[str], str]:
    """Dtypes of up to four arrays that promote together, and the dtype that they promote to."""
    dtypes = [dtype]
    result = dtype
    for _ in range(draw(st.integers(0, 3))):
        dtypes.append(draw(st.sampled_from(partners(result))))
        result = PROMOTION[result, dtypes[-1]]
    return dtypes, result


@covers("concat", dtypes=ALL)
def concat(draw: Draw, name: str, dtype: str) -> Call:
    dtypes, result = joined(draw, dtype)
    kwargs: dict[str, Any] = {}
    if draw(st.integers(0, 3)) == 0:
        kwargs["axis"] = None
        parts = [movable(draw, other) for other in dtypes]
        expected = np.concatenate([part.value.reshape(-1).astype(result) for part in parts])
    else:
        shape = draw(shapes(min_dims=1))
        if draw(st.booleans()):
            kwargs["axis"] = axis(draw, len(shape))
        along = kwargs.get("axis", 0) % len(shape)
        parts = [
            draw(operands(other, (*shape[:along], draw(st.integers(0, 3)), *shape[along + 1 :])))
            for other in dtypes
        ]
        expected = np.concatenate([part.value.astype(result) for part in parts], axis=along)
    sequence = draw(st.sampled_from((list, tuple)))(parts)
    return Call((sequence,), exactly(expected), kwargs)


@covers("stack", dtypes=ALL)
def stack(draw: Draw, name: str, dtype: str) -> Call:
    dtypes, result = joined(draw, dtype)
    shape = draw(shapes(max_dims=3))
    parts = [draw(operands(other, shape)) for other in dtypes]
    kwargs = {"axis": axis(draw, len(shape) + 1)} if draw(st.booleans()) else {}
    expected = np.stack([part.value.astype(result) for part in parts], **kwargs)
    sequence = draw(st.sampled_from((list, tuple)))(parts)
    return Call((sequence,), exactly(expected), kwargs)


@covers("unstack", dtypes=ALL)
def unstack(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype, min_dims=1)
    kwargs = {"axis": axis(draw, x.value.ndim)} if draw(st.booleans()) else {}

    def check(actual: Any) -> None:
        assert type(actual) is tuple
        each(list(np.moveaxis(x.value, kwargs.get("axis", 0), 0)))(actual)

    return Call((x,), check, kwargs)


@covers("expand_dims", dtypes=ALL)
def expand_dims(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    ndim = x.value.ndim
    if draw(st.booleans()):
        where: Any = axis(draw, ndim + 1)
    else:
        total = ndim + draw(st.integers(1, 3))
        chosen = draw(st.permutations(range(total)))[: total - ndim]
        where = tuple(i - total if draw(st.booleans()) else i for i in chosen)
    return Call((x,), exactly(np.expand_dims(x.value, where)), {"axis": where})


@covers("squeeze", dtypes=ALL)
def squeeze(draw: Draw, name: str, dtype: str) -> Call:
    shape = draw(shapes(max_dims=3))
    ones = [i for i, side in enumerate(shape) if side == 1]
    if not ones:
        shape, ones = (1, *shape), [0]
    chosen = draw(st.lists(st.sampled_from(ones), unique=True))
    signed = tuple(i - len(shape) if draw(st.booleans()) else i for i in chosen)
    where: Any = signed[0] if len(signed) == 1 and draw(st.booleans()) else signed
    x = draw(operands(dtype, shape))
    return Call((x, where), exactly(np.squeeze(x.value, axis=where)))


@covers("flip", dtypes=ALL)
def flip(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    kwargs = {"axis": axes(draw, x.value.ndim)} if draw(st.booleans()) else {}
    return Call((x,), exactly(np.flip(x.value, **kwargs)), kwargs)


@covers("moveaxis", dtypes=ALL)
def moveaxis(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    ndim = x.value.ndim
    if ndim and draw(st.booleans()):
        where: tuple[Any, Any] = (axis(draw, ndim), axis(draw, ndim))
    else:
        source = unique_axes(draw, ndim)
        target = draw(st.permutations(range(ndim)))[: len(source)]
        where = (source, tuple(i - ndim if draw(st.booleans()) else i for i in target))
    return Call((x, *where), exactly(np.moveaxis(x.value, *where)))


@covers("permute_dims", dtypes=ALL)
def permute_dims(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    ndim = x.value.ndim
    order = tuple(
        i - ndim if draw(st.booleans()) else i for i in draw(st.permutations(range(ndim)))
    )
    return Call((x, order), exactly(np.transpose(x.value, order)))


@covers("repeat", dtypes=ALL)
def repeat(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype, max_dims=3)
    kwargs: dict[str, Any] = {}
    if x.value.ndim and draw(st.booleans()):
        kwargs["axis"] = axis(draw, x.value.ndim)
    elif draw(st.booleans()):
        kwargs["axis"] = None
    where = kwargs.get("axis")
    length = x.value.size if where is None else x.value.shape[where]
    if draw(st.booleans()):
        count: Any = draw(st.integers(0, 3))
        expected = np.repeat(x.value, count, **kwargs)
    else:
        side = draw(st.sampled_from((1, length)))
        count = draw(
            operands(draw(st.sampled_from(("int64", "int32"))), (side,), st.integers(0, 3))
        )
        expected = np.repeat(x.value, np.broadcast_to(count.value, (length,)), **kwargs)
    return Call((x, count), exactly(expected), kwargs)


def merged_shapes(draw: Draw, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape of as many elements: flat, axes merged, axes of size one put in, or permuted."""
    size = math.prod(shape)
    form = draw(st.sampled_from(("flat", "merge", "ones", "permute", "split")))
    if form == "flat":
        return (size,)
    if form == "merge" and len(shape) > 1:
        i = draw(st.integers(0, len(shape) - 2))
        return (*shape[:i], shape[i] * shape[i + 1], *shape[i + 2 :])
    if form == "ones":
        i = draw(st.integers(0, len(shape)))
        return (*shape[:i], 1, *shape[i:])
    if form == "split" and any(side % 2 == 0 and side for side in shape):
        i = next(i for i, side in enumerate(shape) if side and side % 2 == 0)
        return (*shape[:i], 2, shape[i] // 2, *shape[i + 1 :])
    return tuple(draw(st.permutations(shape)))


@covers("reshape", dtypes=ALL)
def reshape(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    shape = merged_shapes(draw, x.value.shape)
    expected = x.value.reshape(shape)
    unknown = [i for i, side in enumerate(shape) if math.prod(shape[:i] + shape[i + 1 :])]
    if unknown and draw(st.booleans()):
        i = draw(st.sampled_from(unknown))
        shape = (*shape[:i], -1, *shape[i + 1 :])
    kwargs = {"copy": draw(st.sampled_from((None, True)))} if draw(st.booleans()) else {}
    return Call((x, shape), exactly(expected), kwargs)


@covers("roll", dtypes=ALL)
def roll(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    ndim = x.value.ndim
    kwargs: dict[str, Any] = {}
    amount = st.integers(-9, 9)
    shift: Any = draw(amount)
    if draw(st.booleans()):
        kwargs["axis"] = axes(draw, ndim)
        if isinstance(kwargs["axis"], tuple) and draw(st.booleans()):
            shift = tuple(draw(amount) for _ in kwargs["axis"])
    # NumPy does not take an empty tuple of axes: nothing moves.
    expected = x.value if kwargs.get("axis") == () else np.roll(x.value, shift, **kwargs)
    return Call((x, shift), exactly(expected), kwargs)


@covers("tile", dtypes=ALL)
def tile(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype, max_dims=3)
    repetitions = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    return Call((x, repetitions), exactly(np.tile(x.value, repetitions)))


@covers("tril", "triu", dtypes=ALL)
def triangle(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype, min_dims=2)
    kwargs = {"k": draw(st.integers(-5, 5))} if draw(st.booleans()) else {}
    return Call((x,), exactly(getattr(np, name)(x.value, **kwargs)), kwargs)


@covers("matrix_transpose", "linalg.matrix_transpose", dtypes=ALL)
def matrix_transpose(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype, min_dims=2)
    return Call((x,), exactly(np.swapaxes(x.value, -1, -2)))


@covers("take", dtypes=ALL)
def take(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype, min_dims=1)
    kwargs = {} if x.value.ndim == 1 and draw(st.booleans()) else {"axis": axis(draw, x.value.ndim)}
    side = x.value.shape[kwargs.get("axis", 0)]
    shape = (draw(st.integers(0, 5)) if side else 0,)
    indices = draw(operands(index_dtype(draw), shape, st.integers(-side, max(side - 1, 0))))
    expected = np.take(x.value, indices.value, axis=kwargs.get("axis", 0))
    return Call((x, indices), exactly(expected), kwargs)


def index_dtype(draw: Draw) -> str:
    return str(draw(st.sampled_from(("int64", "int64", "int32", "int16", "int8"))))


@covers("take_along_axis", dtypes=ALL)
def take_along_axis(draw: Draw, name: str, dtype: str) -> Call:
    shape = draw(shapes(min_dims=1, min_side=1))
    x = draw(operands(dtype, shape))
    kwargs = {"axis": axis(draw, len(shape))} if draw(st.booleans()) else {}
    along = kwargs.get("axis", -1) % len(shape)
    sides = [1 if draw(st.integers(0, 3)) == 0 else side for side in shape]
    sides[along] = draw(st.integers(0, 4))
    side = shape[along]
    indices = draw(operands(index_dtype(draw), tuple(sides), st.integers(-side, side - 1)))
    full = list(
        np.broadcast_shapes(
            shape[:along] + (1,) + shape[along + 1 :],
            tuple(1 if i == along else s for i, s in enumerate(sides)),
        )
    )
    full[along] = sides[along]
    grid = list(np.indices(full, sparse=True))
    grid[along] = np.broadcast_to(indices.value, full)
    return Call((x, indices), exactly(x.value[tuple(grid)]), kwargs)


# ---------------------------------------------------------------------------------------------
# Creation


def creation_dtype(dtype: str, default: str, draw: Draw) -> dict[str, Any]:
    """``dtype=`` as given; left out, or None, when it is the default."""
    if dtype == default and draw(st.booleans()):
        return {"dtype": None} if draw(st.booleans()) else {}
    return {"dtype": DTYPES[dtype]}


def has_form(dtype: str, shape: tuple[int, ...]) -> Callable[[Any], None]:
    return lambda actual: check_form(actual, dtype, shape) is None


def shape_argument(draw: Draw) -> tuple[Any, tuple[int, ...]]:
    shape = draw(shapes())
    return (shape[0] if len(shape) == 1 and draw(st.booleans()) else shape), shape


@covers("zeros", "ones", "empty", dtypes=ALL)
def filled(draw: Draw, name: str, dtype: str) -> Call:
    argument, shape = shape_argument(draw)
    kwargs = creation_dtype(dtype, "float32", draw)
    if name == "empty":
        return Call((argument,), has_form(dtype, shape), kwargs)
    return Call((argument,), exactly(getattr(np, name)(shape, dtype)), kwargs)


@covers("zeros_like", "ones_like", "empty_like", dtypes=ALL)
def filled_like(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, draw(st.sampled_from(ALL)) if draw(st.booleans()) else dtype)
    shape = x.value.shape
    kwargs = creation_dtype(dtype, x.value.dtype.name, draw)
    if name == "empty_like":
        return Call((x,), has_form(dtype, shape), kwargs)
    return Call((x,), exactly(getattr(np, name.removesuffix("_like"))(shape, dtype)), kwargs)


@covers("full", dtypes=ALL)
def full(draw: Draw, name: str, dtype: str) -> Call:
    argument, shape = shape_argument(draw)
    value = draw(elements(dtype))
    default = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}[type(value)]
    kwargs = creation_dtype(dtype, default, draw)
    return Call((argument, value), exactly(np.full(shape, value, dtype)), kwargs)


@covers("full_like", dtypes=ALL)
def full_like(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, draw(st.sampled_from(ALL)) if draw(st.booleans()) else dtype)
    value = draw(elements(dtype))
    kwargs = creation_dtype(dtype, x.value.dtype.name, draw)
    return Call((x, value), exactly(np.full(x.value.shape, value, dtype)), kwargs)


@covers("eye", dtypes=ALL)
def eye(draw: Draw, name: str, dtype: str) -> Call:
    args: list[Any] = [draw(st.integers(0, 5))]
    if draw(st.booleans()):
        args.append(draw(st.one_of(st.none(), st.integers(0, 5))))
    kwargs = {"k": draw(st.integers(-6, 6))} if draw(st.booleans()) else {}
    expected = np.eye(*args, **kwargs, dtype=dtype)
    return Call(tuple(args), exactly(expected), kwargs | creation_dtype(dtype, "float32", draw))


@covers("arange", dtypes=REAL)
def arange(draw: Draw, name: str, dtype: str) -> Call:
    count, step = draw(st.integers(0, 40)), draw(st.integers(-5, 5).filter(bool))
    if dtype in INTEGER:
        info = np.iinfo(dtype)
        start = draw(elements(dtype))
        stop = start + count * step
        # Every number that the call mentions has to fit.
        assume(info.min <= stop <= info.max and (step > 0 or dtype in SIGNED))
        expected = np.asarray(list(range(start, stop, step)), dtype=dtype)
        default, check = "int64", exactly(expected)
    else:
        start = draw(st.integers(-64, 64)) / 8
        step = step / draw(st.sampled_from((1.0, 2.0, 3.0)))
        stop = start + (count - 0.5) * step if count else start
        exact = np.asarray(start + np.arange(count, dtype=np.longdouble) * step)
        # start and step rounded, a product and a sum rounded.
        tolerance = 4 * eps(dtype) * (abs(start) + count * abs(step))
        default, check = "float32", lambda actual: within(actual, exact, dtype, tolerance)
    kwargs = creation_dtype(dtype, default, draw)
    args: tuple[Any, ...] = (start, stop, step)
    if step == 1 and draw(st.booleans()):
        args = (stop,) if start == 0 and type(start) is type(stop) else (start, stop)
    return Call(args, check, kwargs)


@covers("linspace", dtypes=FLOATING)
def linspace(draw: Draw, name: str, dtype: str) -> Call:
    ends = moderate(dtype, 1e3)
    if draw(st.integers(0, 3)) == 0:
        ends = st.integers(-100, 100)
    start, stop = draw(ends), draw(ends)
    num = draw(st.one_of(st.integers(0, 5), st.integers(0, 70)))
    endpoint = draw(st.sampled_from((None, True, False)))
    intervals = num if endpoint is False else num - 1
    steps = np.arange(num, dtype=np.longdouble)
    exact = np.asarray(start + steps * (stop - start) / max(intervals, 1)).astype(WIDER[dtype])
    # Ends and step rounded, a product and a sum rounded.
    tolerance = 4 * eps(dtype) * (abs(start) + abs(stop))

    def check(actual: Any) -> None:
        within(actual, exact, dtype, tolerance)
        values = to_numpy(actual)
        if num:
            assert values[0] == np.asarray(start, dtype)
        if num > 1 and endpoint is not False:
            assert values[-1] == np.asarray(stop, dtype)

    kwargs: dict[str, Any] = {} if endpoint is None else {"endpoint": endpoint}
    default = "complex64" if isinstance(start, complex) or isinstance(stop, complex) else "float32"
    if draw(st.booleans()):
        return Call((start, stop, num), check, kwargs | creation_dtype(dtype, default, draw))
    return Call((start, stop), check, kwargs | {"num": num} | creation_dtype(dtype, default, draw))


@covers("meshgrid", dtypes=ALL)
def meshgrid(draw: Draw, name: str, dtype: str) -> Call:
    parts = [
        draw(operands(dtype, (draw(st.integers(0, 4)),))) for _ in range(draw(st.integers(0, 3)))
    ]
    kwargs = {"indexing": draw(st.sampled_from(("xy", "ij")))} if draw(st.booleans()) else {}
    expected = np.meshgrid(*(part.value for part in parts), **kwargs)
    return Call(tuple(parts), each(expected), kwargs)


@covers("asarray", dtypes=ALL)
def asarray(draw: Draw, name: str, dtype: str) -> Call:
    form = draw(st.sampled_from(("array", "numpy", "nested", "scalar")))
    shape = () if form == "scalar" else draw(shapes(max_dims=3))
    if form == "nested" and 0 in shape:
        shape = shape[: shape.index(0) + 1]  # what lies behind an empty axis is not in the list
    x = draw(operands(dtype, shape))
    kwargs: dict[str, Any] = {}
    if form in ("array", "numpy"):
        if draw(st.booleans()):
            kwargs["copy"] = draw(st.sampled_from((None, True)))
        if draw(st.booleans()):
            kwargs["dtype"] = draw(st.sampled_from((None, DTYPES[dtype])))
        obj: Any = x if form == "array" else np.array(x.value)
    else:
        obj = x.value.tolist()
        kind_of = {"b": "bool", "i": "int64", "u": "int64", "f": "float32", "c": "complex64"}
        default = kind_of[x.value.dtype.kind] if x.value.size else "float32"
        kwargs = creation_dtype(dtype, default, draw)
    return Call((obj,), exactly(x.value), kwargs)


@covers("from_dlpack", dtypes=ALL)
def from_dlpack(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    obj: Any = x if draw(st.booleans()) else np.array(x.value)
    kwargs = {"copy": draw(st.sampled_from((None, True)))} if draw(st.booleans()) else {}
    return Call((obj,), exactly(x.value), kwargs)


@covers("astype", dtypes=ALL)
def astype(draw: Draw, name: str, dtype: str) -> Call:
    target = draw(st.sampled_from(COMPLEX + BOOL if dtype in COMPLEX else ALL))
    values = elements(dtype)
    if dtype in FLOATING and target in INTEGER:  # what does not fit is undefined
        info, precision = np.iinfo(target), np.finfo(dtype).nmant + 1
        low, high = (math.copysign(min(abs(v), 2.0**precision), v) for v in (info.min, info.max))
        values = elements(dtype, low=low, high=high, nan=False, inf=False)
    x = draw(operands(dtype, draw(shapes()), values))
    if dtype in INTEGER and target in INTEGER:
        info = np.iinfo(target)
        assume(all(info.min <= int(v) <= info.max for v in x.value.flat))
    kwargs = {"copy": draw(st.booleans())} if draw(st.booleans()) else {}
    return Call((x, DTYPES[target]), exactly(x.value.astype(target)), kwargs)


# ---------------------------------------------------------------------------------------------
# Searching, sorting and sets


@covers("where", dtypes=ALL)
def where(draw: Draw, name: str, dtype: str) -> Call:
    args, (x1, x2), _ = promoting_pair(draw, dtype, ALL, elements)
    full = np.broadcast_shapes(x1.shape, x2.shape)
    start = draw(st.integers(0, len(full)))
    shape = tuple(1 if draw(st.booleans()) else side for side in full[start:])
    condition = draw(operands("bool", shape))
    return Call((condition, *args), exactly(np.where(condition.value, x1, x2)))


@covers("nonzero", dtypes=ALL)
def nonzero(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes(min_dims=1)), truth_elements(dtype)))
    expected = [indices.astype("int64") for indices in np.nonzero(x.value)]

    def check(actual: Any) -> None:
        assert type(actual) is tuple
        each(expected)(actual)

    return Call((x,), check)


def ordered(dtype: str) -> st.SearchStrategy[Any]:
    """Values whose order the standard defines: no NaN."""
    return elements(dtype, nan=False)


def stable_order(x: np.ndarray, where: int, *, descending: bool) -> np.ndarray:
    if not descending:
        return np.argsort(x, axis=where, kind="stable")
    backwards = np.argsort(np.flip(x, where), axis=where, kind="stable")
    return np.flip(x.shape[where] - 1 - backwards, where)


def sort_arguments(draw: Draw, ndim: int) -> dict[str, Any]:
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        kwargs["axis"] = axis(draw, ndim)
    for flag in ("descending", "stable"):
        if draw(st.booleans()):
            kwargs[flag] = draw(st.booleans())
    return kwargs


@covers("sort", "argsort", dtypes=REAL)
def sort(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes(min_dims=1)), ordered(dtype)))
    kwargs = sort_arguments(draw, x.value.ndim)
    along, stable = kwargs.get("axis", -1), kwargs.get("stable", True)
    order = stable_order(x.value, along, descending=kwargs.get("descending", False))
    expected = np.take_along_axis(x.value, order, along)
    if name == "sort":
        return Call((x,), exactly(expected, signed_zeros=stable), kwargs)
    if stable:
        return Call((x,), exactly(order), kwargs)

    def check(actual: Any) -> None:
        indices = check_form(actual, "int64", x.value.shape)
        counting = np.sort(indices, axis=along)
        assert (np.diff(counting, axis=along) == 1).all(), "an index is missing"
        assert ((indices >= 0) & (indices < x.value.shape[along])).all()
        assert (np.take_along_axis(x.value, indices, along) == expected).all()

    return Call((x,), check, kwargs)


@covers("searchsorted", dtypes=REAL)
def searchsorted(draw: Draw, name: str, dtype: str) -> Call:
    size = draw(st.one_of(st.integers(0, 6), st.sampled_from(LONG_SIDES)))
    values = pooled(draw, dtype, (size,), ordered(dtype))
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        kwargs["side"] = draw(st.sampled_from(("left", "right")))
    side = kwargs.get("side", "left")
    if draw(st.integers(0, 2)) == 0:
        kwargs["sorter"] = fixed(draw, np.argsort(values, kind="stable").astype("int64"))
        x1 = fixed(draw, values)
    else:
        x1 = fixed(draw, np.sort(values))
    other = draw(st.sampled_from(partners(dtype, REAL))) if draw(st.booleans()) else dtype
    result = PROMOTION[dtype, other]
    # Half of what is sought is there.
    present = st.sampled_from(values.tolist()) if size else st.nothing()
    if draw(st.integers(0, 3)) == 0:
        x2: Any = scalar_of(draw, dtype, st.one_of(present, ordered(dtype)))
        needles = np.asarray(x2, dtype)
    else:
        sought = st.one_of(present, ordered(other)) if other == dtype else ordered(other)
        x2 = draw(operands(other, draw(shapes(max_dims=3)), sought))
        needles = x2.value.astype(result)
    expected = np.searchsorted(np.sort(values).astype(result), needles, side=side)
    return Call((x1, x2), exactly(np.asarray(expected, dtype="int64")), kwargs)


def fixed(draw: Draw, value: np.ndarray) -> Operand:
    """An operand with exactly these values, in a drawn layout."""
    layout = (
        draw(st.sampled_from(("contiguous", "view", "reversed"))) if value.ndim else "contiguous"
    )
    if layout == "reversed":
        storage = np.ascontiguousarray(np.flip(value))
        base = xp.asarray(storage)
        array = base[tuple(slice(None, None, -1) for _ in value.shape)]
    elif layout == "view":
        storage = np.repeat(value, 2, axis=-1)
        base = xp.asarray(storage)
        array = base[..., ::2]
    else:
        storage = value.copy()
        array = base = xp.asarray(storage)
    return Operand(array, value, layout, base, storage.copy())


@covers("isin", dtypes=ALL)
def isin(draw: Draw, name: str, dtype: str) -> Call:
    args, (x1, x2), _ = promoting_pair(draw, dtype, ALL, elements)
    kwargs = {"invert": draw(st.booleans())} if draw(st.booleans()) else {}
    return Call(tuple(args), exactly(np.isin(x1, x2, **kwargs)), kwargs)


@covers("unique_all", "unique_counts", "unique_inverse", "unique_values", dtypes=ALL)
def unique(draw: Draw, name: str, dtype: str) -> Call:
    values = elements(dtype)
    if dtype in FLOATING:  # several NaNs
        values = st.one_of(values, st.just(math.nan))
    x = draw(operands(dtype, draw(shapes(max_dims=3)), values))
    flat = x.value.reshape(-1)
    found: dict[Any, list[int]] = {}  # value -> places; each NaN is a value of its own
    for place, item in enumerate(flat.tolist()):
        found.setdefault(item if item == item else ("nan", place), []).append(place)
    fields = {
        "unique_all": ("values", "indices", "inverse_indices", "counts"),
        "unique_counts": ("values", "counts"),
        "unique_inverse": ("values", "inverse_indices"),
        "unique_values": ("values",),
    }[name]

    def check(actual: Any) -> None:
        if name == "unique_values":
            parts = {"values": actual}
        else:
            assert isinstance(actual, tuple)
            assert actual._fields == fields
            parts = actual._asdict()
        values = check_form(parts["values"], dtype, (len(found),))
        numbers = [value for value in values.tolist() if value == value]
        assert len(set(numbers)) == len(numbers)
        assert set(numbers) == {key for key in found if not isinstance(key, tuple)}
        if "counts" in parts:
            counts = check_form(parts["counts"], "int64", values.shape)
            for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                assert count == (len(found[value]) if value == value else 1), value
        if "indices" in parts:
            indices = check_form(parts["indices"], "int64", values.shape)
            for value, index in zip(values.tolist(), indices.tolist(), strict=True):
                if value == value:
                    assert index == found[value][0], value
                else:
                    assert ("nan", index) in found
            assert len(set(indices.tolist())) == len(found)
        if "inverse_indices" in parts:
            inverse = check_form(parts["inverse_indices"], "int64", x.value.shape)
            assert ((inverse >= 0) & (inverse < max(len(found), 1))).all()
            again = values[inverse]
            assert ((again == x.value) | ((again != again) & (x.value != x.value))).all()
            assert len(set(inverse.reshape(-1).tolist())) == len(found)

    return Call((x,), check)


# ---------------------------------------------------------------------------------------------
# Linear algebra


def matrix_values(dtype: str) -> st.SearchStrategy[Any]:
    return moderate(dtype) if dtype in FLOATING else elements(dtype)


def promoted_operands(
    draw: Draw, dtype: str, shapes: Sequence[tuple[int, ...]], allowed: Sequence[str]
) -> tuple[list[Operand], list[np.ndarray], str]:
    """Two operands of given shapes, dtypes that promote, and their values in the common dtype."""
    other = draw(st.sampled_from(partners(dtype, allowed))) if draw(st.booleans()) else dtype
    pair = [dtype, other] if draw(st.booleans()) else [other, dtype]
    result = PROMOTION[dtype, other]
    args = [
        draw(operands(name, shape, matrix_values(name)))
        for name, shape in zip(pair, shapes, strict=True)
    ]
    return args, [arg.value.astype(result) for arg in args], result


@covers("matmul", "linalg.matmul", dtypes=NUMERIC)
def matmul(draw: Draw, name: str, dtype: str) -> Call:
    side = st.one_of(st.integers(0, 4), st.sampled_from(LONG_SIDES[:2]))
    m, k, n = draw(side), draw(side), draw(side)
    batch1, batch2 = draw(broadcastable(2, max_dims=2))
    shape1 = (k,) if draw(st.integers(0, 3)) == 0 else (*batch1, m, k)
    shape2 = (k,) if draw(st.integers(0, 3)) == 0 else (*batch2, k, n)
    assume(math.prod(shape1) <= 1200 and math.prod(shape2) <= 1200)
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)
    return Call(tuple(args), matmul_check(x1, x2, result, np.matmul, k))


@covers("tensordot", "linalg.tensordot", dtypes=NUMERIC)
def tensordot(draw: Draw, name: str, dtype: str) -> Call:
    shape1 = draw(shapes(max_dims=3, long=False))
    shape2 = draw(shapes(max_dims=3, long=False))
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        count = draw(st.integers(0, min(len(shape1), len(shape2))))
        if count != 2 or draw(st.booleans()):
            kwargs["axes"] = count
        shape2 = shape1[len(shape1) - count :] + shape2[count:]
    else:
        first = unique_axes(draw, len(shape1))[: len(shape2)]
        places = draw(st.permutations(range(len(shape2))))[: len(first)]
        sides = list(shape2)
        for place, i in zip(places, first, strict=True):
            sides[place] = shape1[i]
        shape2 = tuple(sides)
        second = tuple(i - len(shape2) if draw(st.booleans()) else i for i in places)
        form = draw(st.sampled_from((tuple, list)))
        kwargs["axes"] = (form(first), form(second))
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)
    product = partial(np.tensordot, axes=kwargs.get("axes", 2))
    terms = math.prod(shape1)  # at least as many as are contracted
    return Call(tuple(args), matmul_check(x1, x2, result, product, terms), kwargs)


@covers("vecdot", "linalg.vecdot", dtypes=NUMERIC)
def vecdot(draw: Draw, name: str, dtype: str) -> Call:
    batch1, batch2 = draw(broadcastable(2, max_dims=3))
    k = draw(st.one_of(st.integers(0, 4), st.sampled_from(LONG_SIDES)))
    back = draw(st.integers(1, 1 + min(len(batch1), len(batch2))))
    kwargs = {} if back == 1 and draw(st.booleans()) else {"axis": -back}
    shape1, shape2 = (
        (*batch[: len(batch) + 1 - back], k, *batch[len(batch) + 1 - back :])
        for batch in (batch1, batch2)
    )
    assume(math.prod(shape1) <= 1200 and math.prod(shape2) <= 1200)
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)

    def product(x1: np.ndarray, x2: np.ndarray) -> np.ndarray:
        return np.asarray(np.sum(np.conj(x1) * x2, axis=-back, dtype=x1.dtype))

    return Call(tuple(args), matmul_check(x1, x2, result, product, k), kwargs)


@covers("linalg.outer", dtypes=NUMERIC)
def outer(draw: Draw, name: str, dtype: str) -> Call:
    sides = st.one_of(st.integers(0, 4), st.sampled_from(LONG_SIDES))
    shape1, shape2 = (draw(sides),), (draw(sides),)
    args, (x1, x2), result = promoted_operands(draw, dtype, (shape1, shape2), NUMERIC)
    return Call(tuple(args), matmul_check(x1, x2, result, np.multiply.outer, 1))


@covers("linalg.cross", dtypes=NUMERIC)
def cross(draw: Draw, name: str, dtype: str) -> Call:
    batch1, batch2 = draw(broadcastable(2, max_dims=3))
    back = draw(st.integers(1, 1 + min(len(batch1), len(batch2))))
    kwargs = {} if back == 1 and draw(st.booleans()) else {"axis": -back}
    shapes = tuple(
        (*batch[: len(batch) + 1 - back], 3, *batch[len(batch) + 1 - back :])
        for batch in (batch1, batch2)
    )
    args, (x1, x2), result = promoted_operands(draw, dtype, shapes, NUMERIC)

    def product(x1: np.ndarray, x2: np.ndarray, sign: int = -1) -> np.ndarray:
        a, b = (np.moveaxis(x, -back, 0) for x in (x1, x2))
        cycle = [(1, 2), (2, 0), (0, 1)]
        # sign wraps for unsigned dtypes as subtraction does
        rows = [a[i] * b[j] + np.asarray(sign).astype(x1.dtype) * (a[j] * b[i]) for i, j in cycle]
        return np.moveaxis(np.stack(rows), 0, -back)

    if result in INTEGER:
        return Call(tuple(args), exactly(product(x1, x2)), kwargs)
    exact = product(wide(x1), wide(x2))
    size = product(np.abs(wide(x1)), np.abs(wide(x2)), 1)
    tolerance = COMPLEX_ULPS * eps(result) * size  # two products and a difference
    return Call(tuple(args), lambda actual: within(actual, exact, result, tolerance), kwargs)


@covers("linalg.diagonal", dtypes=ALL)
def diagonal(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype, min_dims=2)
    kwargs = {"offset": draw(st.integers(-5, 5))} if draw(st.booleans()) else {}
    expected = np.diagonal(x.value, **kwargs, axis1=-2, axis2=-1)
    return Call((x,), exactly(expected), kwargs)


@covers("linalg.trace", dtypes=NUMERIC)
def trace(draw: Draw, name: str, dtype: str) -> Call:
    x = draw(operands(dtype, draw(shapes(min_dims=2)), matrix_values(dtype)))
    kwargs = {"offset": draw(st.integers(-5, 5))} if draw(st.booleans()) else {}
    asked, result = result_dtype(draw, dtype)
    entries = np.diagonal(x.value.astype(result), **kwargs, axis1=-2, axis2=-1)
    if result in INTEGER:
        return Call((x,), exactly(np.sum(entries, axis=-1, dtype=result)), kwargs | asked)
    exact = np.asarray(np.sum(wide(entries), axis=-1))
    tolerance = entries.shape[-1] * eps(result) * np.sum(np.abs(entries), axis=-1)
    return Call((x,), lambda actual: within(actual, exact, result, tolerance), kwargs | asked)


def square_shape(draw: Draw, *, min_side: int = 0) -> tuple[int, ...]:
    batch = draw(shapes(max_dims=2, long=False))
    side = draw(st.integers(min_side, 5))
    return (*batch, side, side)


def small(dtype: str) -> st.SearchStrategy[Any]:
    """Entries of at most 1 in size on a coarse grid."""
    part = st.integers(-16, 16).map(lambda i: i / 16)
    return st.builds(complex, part, part) if dtype in COMPLEX else part


def matrix(draw: Draw, dtype: str, shape: tuple[int, ...], dominance: float = 0.0) -> Operand:
    """Matrices; with ``dominance`` the diagonal outweighs each row that many times."""
    values = pooled(draw, dtype, shape, small(dtype))
    side = min(shape[-2:])
    values[..., range(side), range(side)] += dominance * max(shape[-1], 1)
    return fixed(draw, values)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def matrix_norms(x: np.ndarray) -> np.ndarray:
    """Frobenius norms that broadcast against the matrices."""
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1), keepdims=True))


def double(value: np.ndarray) -> np.ndarray:
    """The widest precision that NumPy's linear algebra computes in."""
    return value.astype("complex128" if value.dtype.kind == "c" else "float64")


# Matrices here are at most 5 by 5. A backward stable algorithm errs by a modest multiple of
# n eps times the norm (times the condition number where a system is solved); 32 covers n = 5,
# the constants of LAPACK's bounds, and NumPy's own error in float64.
STABLE = 32.0


@covers("linalg.inv", dtypes=FLOATING)
def inv(draw: Draw, name: str, dtype: str) -> Call:
    # Twice diagonally dominant: the condition number is below 3 in the maximum norm.
    x = matrix(draw, dtype, square_shape(draw), dominance=3.0)
    exact = np.linalg.inv(double(x.value))
    tolerance = STABLE * eps(dtype) * matrix_norms(exact)
    return Call((x,), lambda actual: within(actual, exact, dtype, tolerance))


@covers("linalg.solve", dtypes=FLOATING)
def solve(draw: Draw, name: str, dtype: str) -> Call:
    other = draw(st.sampled_from(FLOATING))
    result = PROMOTION[dtype, other]
    side = draw(st.integers(0, 5))
    batch1, batch2 = draw(broadcastable(2, max_dims=2))
    x1 = matrix(draw, dtype, (*batch1, side, side), dominance=3.0)
    vector = draw(st.booleans())
    shape2 = (side,) if vector else (*batch2, side, draw(st.integers(0, 4)))
    x2 = draw(operands(other, shape2, small(other)))
    ordinates = double(x2.value)[..., None] if vector else double(x2.value)
    exact = np.matmul(np.linalg.inv(double(x1.value)), ordinates)
    if vector:
        exact = exact[..., 0]
    tolerance = STABLE * eps(result) * max(1.0, float(np.max(np.abs(exact), initial=0)))
    return Call((x1, x2), lambda actual: within(actual, exact, result, tolerance))


@covers("linalg.det", dtypes=FLOATING)
def det(draw: Draw, name: str, dtype: str) -> Call:
    x = matrix(draw, dtype, square_shape(draw), dominance=draw(st.sampled_from((0.0, 1.0))))
    exact = np.asarray(np.linalg.det(double(x.value)))
    # Elimination: the determinant of a matrix within n eps |x| of x.
    size = matrix_norms(x.value)[..., 0, 0] ** x.value.shape[-1]
    tolerance = STABLE * eps(dtype) * size
    return Call((x,), lambda actual: within(actual, exact, dtype, tolerance))


@covers("linalg.slogdet", dtypes=FLOATING)
def slogdet(draw: Draw, name: str, dtype: str) -> Call:
    singular = draw(st.integers(0, 4)) == 0
    shape = square_shape(draw, min_side=int(singular))
    x = fixed(draw, np.zeros(shape, dtype)) if singular else matrix(draw, dtype, shape, 3.0)
    sign, logarithm = np.linalg.slogdet(double(x.value))

    def check(actual: Any) -> None:
        assert actual._fields == ("sign", "logabsdet")
        within(actual.sign, np.asarray(sign), dtype, STABLE * eps(dtype))
        tolerance = STABLE * eps(dtype) * (1 + np.abs(logarithm))
        if singular:
            same(actual.logabsdet, np.full(shape[:-2], -np.inf, COMPONENT[dtype]))
        else:
            within(actual.logabsdet, np.asarray(logarithm), COMPONENT[dtype], tolerance)

    return Call((x,), check)


@covers("linalg.cholesky", dtypes=FLOATING)
def cholesky(draw: Draw, name: str, dtype: str) -> Call:
    shape = square_shape(draw)
    factor = pooled(draw, dtype, shape, small(dtype))
    values = factor @ adjoint(factor) + np.asarray(max(shape[-1], 1), dtype) * np.eye(
        shape[-1], dtype=dtype
    )
    x = fixed(draw, values)
    upper = draw(st.sampled_from((None, False, True)))
    lower = np.linalg.cholesky(double(x.value))
    exact = adjoint(lower) if upper else lower
    tolerance = STABLE * eps(dtype) * matrix_norms(exact)
    kwargs = {} if upper is None else {"upper": upper}

    def check(actual: Any) -> None:
        within(actual, exact, dtype, tolerance)
        other_half = np.tril(to_numpy(actual), -1) if upper else np.triu(to_numpy(actual), 1)
        assert (other_half == 0).all()

    return Call((x,), check, kwargs)


def hermitian(draw: Draw, dtype: str) -> Operand:
    factor = pooled(draw, dtype, square_shape(draw), small(dtype))
    return fixed(draw, factor + adjoint(factor))


@covers("linalg.eigvalsh", "linalg.eigh", dtypes=FLOATING)
def eigh(draw: Draw, name: str, dtype: str) -> Call:
    x = hermitian(draw, dtype)
    real = COMPONENT[dtype]
    exact = np.linalg.eigvalsh(double(x.value))
    norms = matrix_norms(x.value)

    def check_values(actual: Any) -> np.ndarray:
        values = check_form(actual, real, exact.shape)
        error = np.abs(np.sort(values, axis=-1) - exact)
        assert (error <= STABLE * eps(dtype) * norms[..., 0]).all(), (values, exact)
        return values

    def check(actual: Any) -> None:
        assert actual._fields == ("eigenvalues", "eigenvectors")
        values = check_values(actual.eigenvalues)
        vectors = double(check_form(actual.eigenvectors, dtype, x.value.shape))
        check_orthonormal(vectors, dtype)
        residual = double(x.value) @ vectors - vectors * values[..., None, :]
        assert (np.abs(residual) <= STABLE * eps(dtype) * norms).all(), residual

    return Call((x,), check if name == "linalg.eigh" else lambda a: check_values(a) is None)


def check_orthonormal(columns: np.ndarray, dtype: str) -> None:
    gram = adjoint(columns) @ columns
    error = np.abs(gram - np.eye(columns.shape[-1]))
    assert (error <= STABLE * eps(dtype)).all(), gram


@covers("linalg.eigvals", "linalg.eig", dtypes=FLOATING)
def eig(draw: Draw, name: str, dtype: str) -> Call:
    shape = square_shape(draw)
    values = pooled(draw, dtype, shape, small(dtype)) / 8
    # Diagonal entries 2 apart, rows of at most sqrt(2)/2 beside them: simple eigenvalues, one in
    # each Gershgorin disc, so that their real parts order them.
    values[..., range(shape[-1]), range(shape[-1])] += 2 * np.arange(shape[-1])
    x = fixed(draw, values.astype(dtype))
    result = COMPLEX_OF[dtype]
    exact = np.sort_complex(np.linalg.eigvals(double(x.value)).astype("complex128"))
    norms = 1 + matrix_norms(x.value)

    def check_values(actual: Any) -> np.ndarray:
        values = check_form(actual, result, exact.shape)
        error = np.abs(np.sort_complex(values) - exact)
        assert (error <= 4 * STABLE * eps(dtype) * norms[..., 0]).all(), (values, exact)
        return values

    def check(actual: Any) -> None:
        assert actual._fields == ("eigenvalues", "eigenvectors")
        values = check_values(actual.eigenvalues)
        vectors = double(check_form(actual.eigenvectors, result, shape))
        lengths = np.sqrt(np.sum(np.abs(vectors) ** 2, axis=-2))
        assert (np.abs(lengths - 1) <= STABLE * eps(dtype)).all(), lengths
        residual = double(x.value) @ vectors - vectors * values[..., None, :]
        assert (np.abs(residual) <= STABLE * eps(dtype) * norms).all(), residual

    return Call((x,), check if name == "linalg.eig" else lambda a: check_values(a) is None)


def rectangle(draw: Draw, *, min_side: int = 0) -> tuple[int, ...]:
    sides = st.integers(min_side, 5)
    return (*draw(shapes(max_dims=2, long=False)), draw(sides), draw(sides))


@covers("linalg.svdvals", "linalg.svd", dtypes=FLOATING)
def svd(draw: Draw, name: str, dtype: str) -> Call:
    x = matrix(draw, dtype, rectangle(draw))
    *batch, m, n = x.value.shape
    k = min(m, n)
    exact = np.linalg.svd(double(x.value), compute_uv=False)
    norms = matrix_norms(x.value)
    full = draw(st.sampled_from((None, True, False))) if name == "linalg.svd" else None

    def check_values(actual: Any) -> np.ndarray:
        values = check_form(actual, COMPONENT[dtype], (*batch, k))
        assert (np.diff(values, axis=-1) <= 0).all(), "singular values must descend"
        assert (np.abs(values - exact) <= STABLE * eps(dtype) * norms[..., 0]).all()
        return values

    def check(actual: Any) -> None:
        assert actual._fields == ("U", "S", "Vh")
        rows, columns = (k, k) if full is False else (m, n)
        left = double(check_form(actual.U, dtype, (*batch, m, rows)))
        values = check_values(actual.S)
        right = double(check_form(actual.Vh, dtype, (*batch, columns, n)))
        check_orthonormal(left, dtype)
        check_orthonormal(adjoint(right), dtype)
        again = (left[..., :k] * values[..., None, :]) @ right[..., :k, :]
        assert (np.abs(again - double(x.value)) <= STABLE * eps(dtype) * norms).all()

    kwargs = {} if full is None else {"full_matrices": full}
    return Call((x,), check if name == "linalg.svd" else lambda a: check_values(a) is None, kwargs)


@covers("linalg.qr", dtypes=FLOATING)
def qr(draw: Draw, name: str, dtype: str) -> Call:
    x = matrix(draw, dtype, rectangle(draw))
    *batch, m, n = x.value.shape
    mode = draw(st.sampled_from((None, "reduced", "complete")))
    k = m if mode == "complete" else min(m, n)

    def check(actual: Any) -> None:
        assert actual._fields == ("Q", "R")
        q = double(check_form(actual.Q, dtype, (*batch, m, k)))
        r = double(check_form(actual.R, dtype, (*batch, k, n)))
        check_orthonormal(q, dtype)
        assert (np.tril(r, -1) == 0).all()
        error = np.abs(q @ r - double(x.value))
        assert (error <= STABLE * eps(dtype) * matrix_norms(x.value)).all()

    return Call((x,), check, {} if mode is None else {"mode": mode})


def of_low_rank(draw: Draw, dtype: str) -> Operand:
    """Matrices of small whole numbers, of any rank, with a wide gap in the singular values."""
    *batch, m, n = rectangle(draw)
    rank = draw(st.integers(0, max(min(m, n), 1)))
    whole: st.SearchStrategy[Any] = st.integers(-2, 2)
    if dtype in COMPLEX:
        whole = st.builds(complex, whole, whole)
    left = pooled(draw, dtype, (*batch, m, rank), whole)
    right = pooled(draw, dtype, (*batch, rank, n), whole)
    x = fixed(draw, np.asarray(left @ right, dtype=dtype))
    singular = np.linalg.svd(double(x.value), compute_uv=False)
    assume(((singular < 1e-10) | (singular > 0.05)).all())
    return x


def rank_tolerance(draw: Draw, x: Operand) -> dict[str, Any]:
    """``rtol`` as a float, as an array for each matrix, or left out."""
    real = COMPONENT[x.value.dtype.name]
    form = draw(st.sampled_from(("default", "none", "float", "array")))
    if form == "default":
        return {}
    if form == "none":
        return {"rtol": None}
    if form == "float":
        return {"rtol": draw(st.sampled_from((1e-4, 1e-3)))}
    return {"rtol": fixed(draw, np.full(x.value.shape[:-2], 1e-4, dtype=real))}


@covers("linalg.matrix_rank", dtypes=FLOATING)
def matrix_rank(draw: Draw, name: str, dtype: str) -> Call:
    x = of_low_rank(draw, dtype)
    singular = np.linalg.svd(double(x.value), compute_uv=False)
    expected = np.asarray(np.sum(singular > 1e-3 * singular.max(-1, initial=0, keepdims=True), -1))
    return Call((x,), exactly(expected.astype("int64")), rank_tolerance(draw, x))


@covers("linalg.pinv", dtypes=FLOATING)
def pinv(draw: Draw, name: str, dtype: str) -> Call:
    x = of_low_rank(draw, dtype)
    kwargs = rank_tolerance(draw, x)
    source = double(x.value)
    exact = (
        np.linalg.pinv(source, rcond=1e-9)
        if source.size
        else np.zeros(np.swapaxes(source, -1, -2).shape, source.dtype)
    )
    # Perturbation of a pseudo-inverse: eps |x| |x^+|^2, both norms Frobenius.
    size = matrix_norms(x.value) * matrix_norms(exact) ** 2 + matrix_norms(exact)
    tolerance = STABLE * eps(dtype) * size
    return Call((x,), lambda actual: within(actual, exact, dtype, tolerance), kwargs)


@covers("linalg.matrix_power", dtypes=FLOATING)
def matrix_power(draw: Draw, name: str, dtype: str) -> Call:
    n = draw(st.integers(-4, 6))
    x = matrix(draw, dtype, square_shape(draw), dominance=3.0 if n < 0 else 0.0)
    exact = np.linalg.matrix_power(double(x.value), n)
    base = matrix_norms(x.value if n >= 0 else np.linalg.inv(double(x.value)))
    tolerance = STABLE * max(abs(n), 1) * eps(dtype) * np.maximum(base ** abs(n), 1e-30)
    return Call((x, n), lambda actual: within(actual, exact, dtype, tolerance))


@covers("linalg.matrix_norm", dtypes=FLOATING)
def matrix_norm(draw: Draw, name: str, dtype: str) -> Call:
    order = draw(st.sampled_from((None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf, 1.0)))
    x = matrix(draw, dtype, rectangle(draw, min_side=0 if order in (None, "fro", "nuc") else 1))
    kwargs: dict[str, Any] = {} if order is None else {"ord": order}
    if draw(st.booleans()):
        kwargs["keepdims"] = draw(st.booleans())
    keepdims = kwargs.get("keepdims", False)
    source = double(x.value)
    if order in (None, "fro"):
        exact = np.sqrt(np.sum(np.abs(source) ** 2, axis=(-2, -1), keepdims=keepdims))
    elif order in ("nuc", 2, -2):
        singular = np.linalg.svd(source, compute_uv=False)
        reduce = {"nuc": np.sum, 2: np.max, -2: np.min}[order]
        exact = reduce(singular, axis=-1)
        exact = exact[..., None, None] if keepdims else exact
    else:
        sums = np.sum(np.abs(source), axis=-2 if abs(order) == 1 else -1, keepdims=True)
        exact = (np.max if order > 0 else np.min)(sums, axis=(-2, -1), keepdims=keepdims)
    sizes = matrix_norms(source) if keepdims else matrix_norms(source)[..., 0, 0]
    real = COMPONENT[dtype]
    tolerance = STABLE * eps(dtype) * sizes
    return Call((x,), lambda actual: within(actual, np.asarray(exact), real, tolerance), kwargs)


@covers("linalg.vector_norm", dtypes=FLOATING)
def vector_norm(draw: Draw, name: str, dtype: str) -> Call:
    order = draw(
        st.sampled_from((None, 2, 1, 0, 3, 2.5, 0.5, -1, -2, -0.5, math.inf, -math.inf, 2.0))
    )
    x = draw(operands(dtype, draw(shapes()), moderate(dtype, 100.0)))
    kwargs = reduction_arguments(draw, x.value.ndim)
    count = reduced_count(x.value, kwargs)
    # The norm of no elements is defined where a sum of powers is.
    assume(count > 0 or order in (None, 2, 2.0, 1, 0))
    if order is not None:
        kwargs["ord"] = order
    over = normalized(kwargs.get("axis"), x.value.ndim)
    p = 2 if order is None else order
    size = np.abs(wide(x.value))
    options: Any = {"axis": over, "keepdims": kwargs.get("keepdims", False)}
    if p == 0:
        exact = np.sum(size != 0, **options).astype(size.dtype)
    elif math.isinf(p):
        exact = (np.max if p > 0 else np.min)(size, **options)
    else:
        exact = np.sum(size**p, **options) ** (np.longdouble(1) / p)
    # n - 1 sums, a power before and after; the root divides the error of the sum by |p|.
    ulps = (count + 4) * max(1.0, 1 / abs(p) if p else 1.0) + 4
    real = COMPONENT[dtype]
    return Call((x,), lambda a: within_ulps(a, np.asarray(exact), real, ulps), kwargs)


# ---------------------------------------------------------------------------------------------
# Fourier transforms

# NumPy's transform in longdouble is the reference. An FFT of n points errs by some log2(n) eps
# times the norm of its result; 4 (1 + log2 n) eps leaves room for the twiddle factors.


def fft_check(exact: np.ndarray, dtype: str, points: int) -> Callable[[Any], None]:
    norm = math.sqrt(float(np.sum(np.abs(exact) ** 2)))
    tolerance = 4 * (1 + math.log2(max(points, 1))) * eps(dtype) * norm
    return lambda actual: within(actual, exact, dtype, tolerance)


def fft_norm(draw: Draw) -> dict[str, Any]:
    norm = draw(st.sampled_from((None, "backward", "ortho", "forward")))
    return {} if norm is None else {"norm": norm}


FFT_OF_REAL = ("rfft", "ihfft", "rfftn")
FFT_TO_REAL = ("irfft", "hfft", "irfftn")


def fft_result(name: str, dtype: str) -> str:
    if name in FFT_TO_REAL:
        return COMPONENT[dtype]
    return COMPLEX_OF[dtype]


def fft_shape(draw: Draw) -> tuple[int, ...]:
    return tuple(draw(shapes(min_dims=1, max_dims=3)))


def fft1(draw: Draw, name: str, dtype: str) -> Call:
    short = name.removeprefix("fft.")
    shape = fft_shape(draw)
    kwargs: dict[str, Any] = {"axis": axis(draw, len(shape))} if draw(st.booleans()) else {}
    side = shape[kwargs.get("axis", -1)]
    assume(side > 0)
    if draw(st.booleans()) or (short in FFT_TO_REAL and side == 1):
        kwargs["n"] = draw(st.one_of(st.integers(1, 8), st.sampled_from((16, 37))))
    points = kwargs.get("n", 2 * (side - 1) if short in FFT_TO_REAL else side)
    kwargs |= fft_norm(draw)
    x = draw(operands(dtype, shape, moderate(dtype)))
    exact = getattr(np.fft, short)(wide(x.value), **kwargs)
    return Call((x,), fft_check(exact, fft_result(short, dtype), points), kwargs)


def fftn(draw: Draw, name: str, dtype: str) -> Call:
    short = name.removeprefix("fft.")
    shape = fft_shape(draw)
    kwargs: dict[str, Any] = {}
    if draw(st.booleans()):
        kwargs["axes"] = unique_axes(draw, len(shape), min_size=1)
    over = kwargs.get("axes", tuple(range(len(shape))))
    assume(all(shape[i] > 0 for i in over))
    points = [shape[i] for i in over]
    if ("axes" in kwargs and draw(st.booleans())) or (short in FFT_TO_REAL and points[-1] == 1):
        kwargs["axes"] = over
        kwargs["s"] = points = [draw(st.integers(1, 6)) for _ in over]
    elif short in FFT_TO_REAL:
        points[-1] = 2 * (points[-1] - 1)
    kwargs |= fft_norm(draw)
    values = wide(draw(operands(dtype, shape, moderate(dtype))).value)
    if short in FFT_TO_REAL:
        # Such a transform is defined for the image of a real array.
        values = np.fft.rfftn(
            wide(
                pooled(
                    draw,
                    COMPONENT[dtype],
                    tuple(
                        points[over.index(i)] if i in over else side for i, side in enumerate(shape)
                    ),
                    moderate(COMPONENT[dtype]),
                )
            ),
            axes=over,
        )
    x = fixed(draw, values.astype(dtype))
    exact = getattr(np.fft, short)(wide(x.value), **kwargs)
    return Call((x,), fft_check(exact, fft_result(short, dtype), math.prod(points)), kwargs)


for _name in ("fft", "ifft", "irfft", "hfft"):
    covers(f"fft.{_name}", dtypes=COMPLEX)(fft1)
for _name in ("rfft", "ihfft"):
    covers(f"fft.{_name}", dtypes=REAL_FLOATING)(fft1)
for _name in ("fftn", "ifftn", "irfftn"):
    covers(f"fft.{_name}", dtypes=COMPLEX)(fftn)
covers("fft.rfftn", dtypes=REAL_FLOATING)(fftn)


@covers("fft.fftfreq", "fft.rfftfreq", dtypes=REAL_FLOATING)
def fft_frequencies(draw: Draw, name: str, dtype: str) -> Call:
    n = draw(st.integers(1, 70))
    kwargs: dict[str, Any] = {"d": draw(st.sampled_from((1.0, 0.1, 3.0, 1 / 3)))}
    kwargs = kwargs if draw(st.booleans()) else {}
    whole = getattr(np.fft, name.removeprefix("fft."))(n) * n
    exact = np.rint(whole).astype(np.longdouble) / (n * np.longdouble(kwargs.get("d", 1.0)))
    kwargs |= creation_dtype(dtype, "float32", draw)
    # d rounded, a product, a quotient.
    return Call((n,), lambda actual: within_ulps(actual, exact, dtype, 3), kwargs)


@covers("fft.fftshift", "fft.ifftshift", dtypes=FLOATING)
def fftshift(draw: Draw, name: str, dtype: str) -> Call:
    x = movable(draw, dtype)
    kwargs = {"axes": axes(draw, x.value.ndim)} if draw(st.booleans()) else {}
    shifted = getattr(np.fft, name.removeprefix("fft."))
    # NumPy does not take an empty tuple of axes, nor no dimensions: nothing moves.
    moves = normalized(kwargs.get("axes"), x.value.ndim)
    expected = shifted(x.value, **kwargs) if moves else x.value
    return Call((x,), exactly(expected), kwargs)


# ---------------------------------------------------------------------------------------------
# The test


def comparison(name: str) -> Any:
    """The test of one function.

    Each has a test of its own, because Hypothesis keeps something of every parameter that a test
    was run with, and does not bear a thousand of them.
    """

    @pytest.mark.parametrize("dtype", TABLE[name].dtypes)
    @examples(10)
    @given(data=st.data())
    @np.errstate(all="ignore")  # references overflow and meet NaN like what they check
    def test(dtype: str, data: st.DataObject) -> None:
        call = TABLE[name].case(data.draw, name, dtype)
        note(f"{name}(*{call.args}, **{call.kwargs})")
        result = function_named(name)(*arrays_of(call.args), **arrays_of(call.kwargs))
        call.check(result)
        for operand in nested((call.args, call.kwargs)):
            operand.check_unchanged()

    return test


for _name in TABLE:
    globals()[f"test_{_name.replace('.', '_')}"] = comparison(_name)


# ---------------------------------------------------------------------------------------------
# Indexing


@st.composite
def basic_keys(draw: Draw, shape: tuple[int, ...]) -> Any:
    """Integers and slices for each axis, an ellipsis for some of them, and new axes."""
    key: list[Any] = []
    for side in shape:
        if side and draw(st.integers(0, 2)) == 0:
            key.append(draw(st.integers(-side, side - 1)))
        else:
            key.append(draw(st.slices(side)))
    if draw(st.integers(0, 2)) == 0:
        start = draw(st.integers(0, len(key)))
        stop = draw(st.integers(start, len(key)))
        key[start:stop] = [...]
    for _ in range(draw(st.sampled_from((0, 0, 1, 2)))):
        key.insert(draw(st.integers(0, len(key))), None)
    return key[0] if len(key) == 1 and draw(st.booleans()) else tuple(key)


@st.composite
def keys(draw: Draw, shape: tuple[int, ...]) -> Any:
    """Keys as the standard has them: basic ones, a mask, or an integer (array) for each axis."""
    form = draw(st.sampled_from(("basic", "basic", "mask", "integers")))
    if form == "mask":
        return draw(operands("bool", shape))
    if form == "integers" and shape and 0 not in shape:
        count = len(shape)
        full = draw(broadcastable(count, max_dims=2))
        key = tuple(
            draw(operands(index_dtype(draw), part, st.integers(-side, side - 1)))
            if i == 0 or draw(st.booleans())
            else draw(st.integers(-side, side - 1))
            for i, (part, side) in enumerate(zip(full, shape, strict=True))
        )
        return key[0] if count == 1 and draw(st.booleans()) else key
    return draw(basic_keys(shape))


def numpy_key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(numpy_key, key))
    return key.value if isinstance(key, Operand) else key


@pytest.mark.parametrize("dtype", ALL)
@examples(25)
@given(data=st.data())
def test_getitem(dtype: str, data: st.DataObject) -> None:
    x = movable(data.draw, dtype)
    key = data.draw(keys(x.value.shape), label="key")
    same(x.array[arrays_of(key)], np.asarray(x.value[numpy_key(key)]))
    for operand in nested((x, key)):
        operand.check_unchanged()


@pytest.mark.parametrize("dtype", ALL)
@examples(25)
@given(data=st.data())
def test_setitem(dtype: str, data: st.DataObject) -> None:
    # The array is a view: what lies between its elements must stay.
    shape = data.draw(shapes(max_dims=3), label="shape")
    steps = [data.draw(st.integers(1, 2)) for _ in shape]
    every = (..., *(slice(None, None, step) for step in steps))
    expected = pooled(
        data.draw,
        dtype,
        tuple(side * step for side, step in zip(shape, steps, strict=True)),
        elements(dtype),
    )
    storage = xp.asarray(expected.copy())
    key = data.draw(keys(shape), label="key")
    target = expected[every][numpy_key(key)]
    # A mask takes one value for all; other keys take what broadcasts to the selection.
    whole = () if isinstance(key, Operand) and key.value.dtype == bool else target.shape
    if data.draw(st.booleans()):
        start = data.draw(st.integers(0, len(whole)))
        value: Any = data.draw(
            operands(dtype, tuple(1 if data.draw(st.booleans()) else n for n in whole[start:]))
        )
        raw = value.value
        # NumPy sets an element that an index names twice to either value.
        if isinstance(key, (tuple, Operand)) and any(nested(key)) and target.ndim:
            raw = raw.reshape(-1)[:1].reshape(()) if raw.size else raw
            value = fixed(data.draw, raw)
    else:
        value = data.draw(elements(dtype), label="value")
        raw = np.asarray(value, dtype)
    storage[every][arrays_of(key)] = arrays_of(value)
    expected[every][numpy_key(key)] = raw
    same(storage, expected)
    for operand in nested((key, value)):
        operand.check_unchanged()


# ---------------------------------------------------------------------------------------------
# Functions of dtypes and shapes


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_can_cast(source: str, target: str) -> None:
    expected = PROMOTION.get((source, target)) == target
    assert xp.can_cast(DTYPES[source], DTYPES[target]) is expected
    assert xp.can_cast(xp.zeros((2,), dtype=DTYPES[source]), DTYPES[target]) is expected


@examples(300)
@given(data=st.data())
def test_result_type(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(ALL), min_size=1, max_size=4))
    scalar, takes = data.draw(
        st.sampled_from(((None, ALL), (True, BOOL), (1, NUMERIC), (1.5, FLOATING), (1j, FLOATING)))
    )
    expected: str | None = names[0]
    for name in names[1:]:
        expected = PROMOTION.get((expected, name)) if expected else None
    if scalar == 1j:
        expected = COMPLEX_OF.get(expected or "")
    elif expected not in takes:
        expected = None
    args: list[Any] = [
        DTYPES[name]
        if data.draw(st.booleans())
        else xp.ones(data.draw(shapes()), dtype=DTYPES[name])
        for name in names
    ]
    if scalar is not None:
        args.insert(data.draw(st.integers(0, len(args))), scalar)
    if expected is None:
        with pytest.raises(TypeError):
            xp.result_type(*args)
    else:
        assert xp.result_type(*args) == DTYPES[expected]


def test_result_type_of_scalars_is_the_error_that_numpy_raises_for_nothing() -> None:
    with pytest.raises(ValueError, match="at least one array"):
        np.result_type()
    for scalars in ((), (1, 2.0, True)):
        with pytest.raises(ValueError, match="at least one Array or data type"):
            xp.result_type(*scalars)


KIND_NAMES = {
    "bool": BOOL,
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGER,
    "real floating": REAL_FLOATING,
    "complex floating": COMPLEX,
    "numeric": NUMERIC,
}


@pytest.mark.parametrize("dtype", ALL)
def test_isdtype(dtype: str) -> None:
    for kind, members in KIND_NAMES.items():
        assert xp.isdtype(DTYPES[dtype], kind) is (dtype in members)
    for other in ALL:
        assert xp.isdtype(DTYPES[dtype], DTYPES[other]) is (dtype == other)
        for kind, members in KIND_NAMES.items():
            either = dtype == other or dtype in members
            assert xp.isdtype(DTYPES[dtype], (kind, DTYPES[other])) is either
    assert xp.isdtype(DTYPES[dtype], ()) is False


@pytest.mark.parametrize("dtype", FLOATING)
def test_finfo(dtype: str) -> None:
    expected = np.finfo(COMPONENT[dtype])
    for argument in (DTYPES[dtype], xp.ones((2,), dtype=DTYPES[dtype])):
        info = xp.finfo(argument)
        assert info.dtype == DTYPES[COMPONENT[dtype]]
        assert type(info.bits) is int
        assert info.bits == expected.bits
        for name in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(info, name)) is float
            assert getattr(info, name) == float(getattr(expected, name))


@pytest.mark.parametrize("dtype", INTEGER)
def test_iinfo(dtype: str) -> None:
    expected = np.iinfo(dtype)
    for argument in (DTYPES[dtype], xp.ones((2,), dtype=DTYPES[dtype])):
        info = xp.iinfo(argument)
        assert info.dtype == DTYPES[dtype]
        for name in ("bits", "max", "min"):
            assert type(getattr(info, name)) is int
            assert getattr(info, name) == int(getattr(expected, name))


@pytest.mark.parametrize(
    ("function", "wrong"), [("finfo", BOOL + INTEGER), ("iinfo", BOOL + FLOATING)]
)
def test_info_of_other_kinds(function: str, wrong: tuple[str, ...]) -> None:
    for dtype in wrong:
        with pytest.raises((TypeError, ValueError)):
            getattr(xp, function)(DTYPES[dtype])


@examples(200)
@given(data=st.data())
def test_broadcast_shapes(data: st.DataObject) -> None:
    drawn = data.draw(
        st.lists(st.tuples(*[st.integers(0, 3)] * 2) | shapes(long=False), max_size=4)
    )
    try:
        expected = np.broadcast_shapes(*drawn)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            xp.broadcast_shapes(*drawn)
        return
    result = xp.broadcast_shapes(*drawn)
    assert type(result) is tuple
    assert result == expected


def test_constants() -> None:
    assert xp.newaxis is None
    for name in ("e", "inf", "pi"):
        assert type(getattr(xp, name)) is float
        assert getattr(xp, name) == getattr(math, name)
    assert type(xp.nan) is float
    assert math.isnan(xp.nan)


# ---------------------------------------------------------------------------------------------
# Completeness

#: Covered by a test of their own in this file.
ON_THEIR_OWN = {
    "broadcast_shapes": test_broadcast_shapes,
    "can_cast": test_can_cast,
    "e": test_constants,
    "finfo": test_finfo,
    "iinfo": test_iinfo,
    "inf": test_constants,
    "isdtype": test_isdtype,
    "nan": test_constants,
    "newaxis": test_constants,
    "pi": test_constants,
    "result_type": test_result_type,
}

#: No function of the standard that NumPy has, with the reason.
EXEMPT = {
    "DeviceError": "an error of this namespace",
    "HostFallback": "an entry of this namespace's report",
    "HostFallbackError": "an error of this namespace",
    "HostFallbackWarning": "a warning of this namespace",
    "fallback_report": "a report of this namespace",
    "random": "tests/test_random.py compares it",
    "special": "tests/test_special.py compares it",
    "diag": "tests/test_relaxed.py compares it",
    "logspace": "tests/test_relaxed.py compares it",
    **dict.fromkeys(
        ("bincount", "convolve", "linalg.lstsq", "median", "roots"),
        "tests/test_extras.py compares it",
    ),
    "Array": "the class of arrays",
    "Device": "the class of devices",
    "bfloat16": "NumPy lacks it; tests/test_operators.py promotes it",
    "float16": "beside the standard; tests/test_operators.py promotes it",
    "options": "settings of this namespace",
    "to_torch": "conversion to torch",
    **dict.fromkeys(ALL, "a dtype: every test here uses it"),
    "__array_namespace_info__": "describes this namespace, not NumPy's",
    "__array_api_version__": "a version",
    "__version__": "a version",
    "linalg": "a namespace, whose names are listed here",
    "fft": "a namespace, whose names are listed here",
}


def test_every_name_is_covered() -> None:
    names = set(xp.__all__)
    names |= {f"linalg.{name}" for name in xp.linalg.__all__}
    names |= {f"fft.{name}" for name in xp.fft.__all__}
    covered = set(TABLE) | set(ON_THEIR_OWN) | set(EXEMPT)
    assert names - covered == set(), "not compared with NumPy, and not exempt"
    assert covered - names == set(), "listed here, but not in the namespace"


def test_tables_are_disjoint() -> None:
    assert not set(TABLE) & set(ON_THEIR_OWN)
    assert not (set(TABLE) | set(ON_THEIR_OWN)) & set(EXEMPT)
