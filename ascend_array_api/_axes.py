"""Axes and shapes, checked and brought to one form."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ._errors import describe, wrong_axis

if TYPE_CHECKING:
    from collections.abc import Sequence


def normalize_axis(function: str, axis: Any, ndim: int) -> int:
    """Return an axis counted from the front.

    Raises
    ------
    TypeError
        If the axis is not an integer.
    AxisError
        If there is no such axis; both a ValueError and an IndexError.
    """
    if not isinstance(axis, int) or isinstance(axis, bool) or not -ndim <= axis < ndim:
        raise wrong_axis(function, axis, ndim)
    return axis % ndim


def normalize_axes(function: str, axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Return axes counted from the front: all for None, one for an integer, no axis twice."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        return (normalize_axis(function, axis, ndim),)
    axes = tuple(normalize_axis(function, a, ndim) for a in axis)
    if len(set(axes)) != len(axes):
        raise ValueError(f"{function}: an axis stands twice in {tuple(axis)}.")
    return axes


def normalize_shape(function: str, shape: Any, name: str = "shape") -> tuple[int, ...]:
    """Return a shape, given as an integer or as a sequence of them, as a tuple."""
    if isinstance(shape, (tuple, list)):
        sizes = tuple(as_int(function, n, name) for n in shape)
    else:
        sizes = (as_int(function, shape, name),)
    if any(n < 0 for n in sizes):
        raise ValueError(f"{function}: {name} must not be negative, got {shape}.")
    return sizes


def as_int(function: str, value: Any, name: str) -> int:
    """Return an integer argument as a Python integer."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{function}: {name} must be an integer, got {describe(value)}.") from None
