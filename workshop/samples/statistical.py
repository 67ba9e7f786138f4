"""Statistical functions, and utilities."""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any

import numpy as np

from ..drawing import assume, st
from ._cases import *
from ._table import *
from .draws import *
from .strategies import *

chapter("statistical_functions")


@covers("sum prod", NUMERIC)
def folded(draw: Draw, name: str, dtype: str) -> Trial:
    values = moderate(dtype, 1e6) if name == "sum" else near_one(dtype)
    x = draw(operands(dtype, draw(shapes()), values if dtype in FLOATING else None))
    kwargs = reduction_arguments(draw, x.value.ndim)
    asked, result = result_dtype(draw, dtype)
    source = x.value.astype(result)
    fold = getattr(np, name)
    if result in INTEGER:
        expected = np.asarray(fold(source, dtype=result, **kwargs))
        return Trial((x,), exactly(expected), kwargs | asked)
    exact = np.asarray(fold(wide(source), **kwargs))
    count = reduced_count(source, kwargs)
    if name == "prod":
        # n - 1 products of relative error eps each (3 eps for complex ones).
        ulps = 1 + 3 * count
        return Trial((x,), lambda a: within_ulps(a, exact, result, ulps), kwargs | asked)
    # Any order of n - 1 additions: (n - 1) u sum|x|, each component of a complex sum on its own.
    tolerance = count * eps(result) * np.sum(np.abs(source), **kwargs)
    return Trial((x,), lambda actual: within(actual, exact, result, tolerance), kwargs | asked)


def near_one(dtype: str) -> st.SearchStrategy[Any]:
    """Factors of which 600 neither overflow nor underflow in float32, and zero."""
    factors: st.SearchStrategy[Any] = st.integers(-128, 128).map(lambda i: 1 + i / 1024)
    factors = st.one_of(factors, factors.map(operator.neg), st.just(0.0))
    if dtype in COMPLEX:
        angle = st.integers(0, 7).map(lambda i: cmath.exp(0.25j * math.pi * i))
        factors = st.builds(operator.mul, factors, angle)
    return factors


for _name in ("max", "min"):
    covers(_name, REAL)(
        by_numpy(
            reference=of_something(_name),
            check=lambda x: exactly(x, signed_zeros=False),
            axis=some_axes,
            keepdims=FLAG,
        )
    )


@covers("mean", FLOATING)
def mean(draw: Draw, name: str, dtype: str) -> Trial:
    x = draw(operands(dtype, draw(shapes()), moderate(dtype, 1e6)))
    kwargs = reduction_arguments(draw, x.value.ndim)
    count = reduced_count(x.value, kwargs)
    exact = np.asarray(np.sum(wide(x.value), **kwargs) / count)
    # The bound of the sum, and one division.
    tolerance = (count + 1) * eps(dtype) * np.sum(np.abs(x.value), **kwargs) / max(count, 1)
    return Trial((x,), lambda actual: within(actual, exact, dtype, tolerance), kwargs)


@covers("var std", REAL_FLOATING)
def spread(draw: Draw, name: str, dtype: str) -> Trial:
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
        return Trial((x,), lambda actual: within(actual, exact, dtype, error), kwargs)

    def check(actual: Any) -> None:
        low, high = (np.sqrt(np.maximum(exact + sign * error, 0)) for sign in (-1, 1))
        tolerance = (high - low) / 2 + 2 * u * high
        within(actual, np.asarray((low + high) / 2), dtype, tolerance)

    return Trial((x,), check, kwargs)


chapter("utility_functions")
covers("all any", ALL)(by_numpy(values=truth_elements, axis=some_axes, keepdims=FLAG))

chapter("statistical_functions")


@covers("cumulative_sum cumulative_prod", NUMERIC)
def cumulative(draw: Draw, name: str, dtype: str) -> Trial:
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
        return Trial((x,), exactly(reference(source)), kwargs)
    exact = reference(wide(source))
    count = x.value.shape[along] + 1
    if sums:
        size = reference(np.abs(wide(source)))
        tolerance = count * eps(result) * size
        return Trial((x,), lambda actual: within(actual, exact, result, tolerance), kwargs)
    return Trial((x,), lambda actual: within_ulps(actual, exact, result, 1 + 3 * count), kwargs)


chapter("utility_functions")


@covers("diff", NUMERIC)
def diff(draw: Draw, name: str, dtype: str) -> Trial:
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
    return Trial((x,), exactly(whole), kwargs)


def _reduced(f: Any, _xp: Any, x: Any) -> Any:
    return f(x), f(x, axis=1), f(x, axis=(0, 2), keepdims=True)


on("sum mean max min std var", lambda d: (d.values(3, 4, 6),), _reduced)
on("max min", lambda d: (d.wide(3, 4, 6),), _reduced, "whole range", when=integer)
on("prod", lambda d: (d.between(1, 2, 2, 3, 2),), _reduced)
on(
    "sum prod",
    lambda d: (d.between(1, 2, 2, 3, 2), d.dtype),
    lambda f, _, x, t: f(x, dtype=t, axis=1),
    "dtype",
)
on(
    "std var",
    lambda d: (d.values(3, 4, 6),),
    lambda f, _, x: (f(x, correction=1), f(x, axis=1, correction=2)),
    "correction",
)
on(
    "std var",
    lambda d: (d.values(3, 4, 6),),
    lambda f, _, x: f(x, axis=1, correction=0.5),
    "fractional correction",
)
on("cumulative_sum", one, lambda f, _, x: (f(x, axis=1), f(x, axis=0, include_initial=True)))
on(
    "cumulative_prod",
    lambda d: (d.between(1, 2, 3, 4),),
    lambda f, _, x: (f(x, axis=1), f(x, axis=0, include_initial=True)),
)
on("all any", lambda d: (d.repeated(3, 4, 6),), _reduced)
on(
    "all",
    lambda d: (d.between(1, 9, 3, 4, 6),),
    _reduced,
    "no zeros",
    when=lambda d: d.kind != "bool",
)
on(
    "diff",
    lambda d: (d.values(4, 6), d.values(4, 2)),
    lambda f, _, x, y: (f(x), f(x, axis=0, n=2), f(x, prepend=y, append=y)),
)

because("all any", flat=BOOLEAN)
slope("sum mean prod", "no axes", lambda f, _, x: f(x, axis=()), [[1.5, -0.5], [2.0, 3.0]])
for _label, _x in (
    ("zero", [[2.0, 0.0, -1.5], [0.5, 3.0, 1.0]]),
    ("zeros", [[2.0, 0.0, 0.0], [0.5, 3.0, 1.0]]),
):
    slope("prod", _label, lambda f, _, x: (f(x), f(x, axis=1)), _x)
    slope("cumulative_prod", _label, lambda f, _, x: f(x, axis=1), _x)
    slope("cumulative_prod", f"{_label}, complex", lambda f, _, x: f(x * 1j, axis=1), _x)
