"""What comparisons with NumPy are made of: a trial, and the forms that many of them have."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ascend_array_api as xp

from ..drawing import assume, st
from .strategies import (
    COMPLEX,
    DTYPES,
    FLOATING,
    INTEGER,
    PROMOTION,
    SIGNED,
    UNSIGNED,
    Draw,
    Operand,
    axes,
    axis,
    broadcastable,
    check_form,
    elements,
    exactly,
    moderate,
    normalized,
    operands,
    partners,
    same,
    scalar_of,
    shapes,
)


@dataclass(frozen=True)
class Trial:
    """One call on drawn arguments (with operands in them) and the check of its result."""

    args: tuple[Any, ...]
    check: Callable[[Any], None] = field(repr=False)
    kwargs: dict[str, Any] = field(default_factory=dict)


Case = Callable[[Draw, str, str], Trial]  # (draw, function name, dtype name) -> trial
Argument = Callable[[Draw, tuple[int, ...]], Any]  # (draw, shape of the array) -> argument
Values = Callable[[str], "st.SearchStrategy[Any]"]  # dtype name -> values of an array


def by_numpy(
    *arguments: Argument,
    reference: Callable[..., Any] | None = None,
    values: Values = elements,
    shape: Mapping[str, Any] = {},
    check: Callable[[Any], Callable[[Any], None]] = exactly,
    **optional: Argument,
) -> Case:
    """Return the comparison of a function of one array with NumPy's.

    Further arguments are drawn for the shape of the array; those with a name are left out at
    times. ``reference`` is NumPy's function where it has another name.
    """

    def case(draw: Draw, name: str, dtype: str) -> Trial:
        x = draw(operands(dtype, draw(shapes(**shape)), values(dtype)))
        args = [argument(draw, x.value.shape) for argument in arguments]
        kwargs = {
            key: argument(draw, x.value.shape)
            for key, argument in optional.items()
            if draw(st.booleans())
        }
        function = reference or getattr(np, name.rpartition(".")[2])
        return Trial((x, *args), check(function(x.value, *args, **kwargs)), kwargs)

    return case


def an_axis(draw: Draw, shape: tuple[int, ...]) -> int | None:
    """Draw an axis."""
    return axis(draw, len(shape))


def an_axis_or_none(draw: Draw, shape: tuple[int, ...]) -> int | None:
    """Draw an axis, or none where there is none."""
    return axis(draw, len(shape), none=True)


def some_axes(draw: Draw, shape: tuple[int, ...]) -> int | tuple[int, ...] | None:
    """Draw an axis, a tuple of them, or None."""
    return axes(draw, len(shape))


def among(*values: Any) -> Argument:
    """Draw one of some values."""
    return lambda draw, _: draw(st.sampled_from(values))


FLAG = among(True, False)


def whole(low: int, high: int) -> Argument:
    """Draw an integer."""
    return lambda draw, _: draw(st.integers(low, high))


def reduced_count(x: np.ndarray, kwargs: dict[str, Any]) -> int:
    """How many elements go into each element of the result."""
    return math.prod(x.shape[i] for i in normalized(kwargs.get("axis"), x.ndim))


def of_something(name: str) -> Callable[..., Any]:
    """NumPy's reduction, of one element or more: what it gives of none is not defined."""

    def reference(x: np.ndarray, **kwargs: Any) -> Any:
        assume(reduced_count(x, kwargs) > 0)
        return np.asarray(getattr(np, name)(x, **kwargs))

    return reference


def each(expected: Sequence[np.ndarray]) -> Callable[[Any], None]:
    """A check of a list or tuple of arrays."""

    def check(actual: Any) -> None:
        assert isinstance(actual, (list, tuple))
        assert len(actual) == len(expected)
        for got, want in zip(actual, expected, strict=True):
            same(got, want)

    return check


def each_in_a_tuple(expected: Sequence[np.ndarray]) -> Callable[[Any], None]:
    """A check of a tuple of arrays, that is nothing more."""

    def check(actual: Any) -> None:
        assert type(actual) is tuple
        each(expected)(actual)

    return check


def has_form(dtype: str, shape: tuple[int, ...]) -> Callable[[Any], None]:
    """A check of data type and shape alone."""
    return lambda actual: check_form(actual, dtype, shape) is None


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


def truth_elements(dtype: str) -> st.SearchStrategy[Any]:
    """Values with as many zeros as others."""
    return st.one_of(elements(dtype), st.just(np.zeros((), dtype).item()))


def movable(draw: Draw, dtype: str, **options: Any) -> Operand:
    return draw(operands(dtype, draw(shapes(**options))))


def index_dtype(draw: Draw) -> str:
    return str(draw(st.sampled_from(("int64", "int64", "int32", "int16", "int8"))))


def creation_dtype(dtype: str, default: str, draw: Draw) -> dict[str, Any]:
    """``dtype=`` as given; left out, or None, when it is the default."""
    if dtype == default and draw(st.booleans()):
        return {"dtype": None} if draw(st.booleans()) else {}
    return {"dtype": DTYPES[dtype]}


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


def ordered(dtype: str) -> st.SearchStrategy[Any]:
    """Values whose order the standard defines: no NaN."""
    return elements(dtype, nan=False)


def copies(xp: Any, arrays: Any) -> list[Any]:
    """Return copies, so that what was a view is read on the device."""
    return [xp.asarray(x, copy=True) for x in arrays]
