"""Axes and shapes: checked, and brought to one form.

Knows nothing of arrays and operations, only of Python values and the shapes of tensors.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Final, TypeAlias

from .._errors.exceptions import AxisError, describe, wrong_axis
from .._options import relaxed
from .._torch import Tensor

Axes: TypeAlias = int | tuple[int, ...] | None
"""The axes of a function; None for its default, most often all."""

Shape: TypeAlias = int | tuple[int, ...]
"""The shape of an array; an integer for one axis."""


def is_int(value: object) -> bool:
    """Say whether an axis or a position is an integer, of Python or of NumPy."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def normalize_axis(function: str, axis: Any, ndim: int) -> int:
    """Return an axis counted from the front.

    Raises
    ------
    TypeError
        If the axis is not an integer.
    AxisError
        If there is no such axis; both a ValueError and an IndexError.
    """
    if type(axis) is int and -ndim <= axis < ndim:
        return tuple(range(ndim))[axis]  # a constant to the compiler: see other_axes
    if not is_int(axis):
        axis = relaxed.read(axis, int, wrong_axis(function, axis, ndim))
    if not -ndim <= axis < ndim:
        raise wrong_axis(function, axis, ndim)
    return tuple(range(ndim))[int(axis)]


def normalize_axes(function: str, axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Return axes counted from the front: all axes for None, one for an integer.

    Raise if an axis stands twice.
    """
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        if getattr(axis, "shape", ()) == ():
            return (normalize_axis(function, axis, ndim),)
        given: tuple[int, ...] = relaxed.read(axis, tuple, wrong_axis(function, axis, ndim))
        axis = given
    axes = tuple([normalize_axis(function, a, ndim) for a in axis])
    if len(axes) > 1 and len(set(axes)) != len(axes):
        raise ValueError(f"{function}: an axis stands twice in {tuple(axis)}.")
    return axes


def reduction(
    function: str, tensor: Tensor, axis: Axes, keepdims: Any
) -> tuple[Tensor, tuple[int, ...], bool]:
    """Check the arguments of a reduction, and return them as torch's reductions take them.

    torch reduces all axes if it gets none.  So if no axis is to be reduced (the axes are ``()``, or
    the array has none), the tensor gets a new last axis of size 1, and that axis is reduced.
    """
    axes = normalize_axes(function, axis, tensor.dim())
    keepdims = as_bool(function, keepdims, "keepdims")
    if not axes:
        return tensor.unsqueeze(-1), (tensor.dim(),), False
    return tensor, axes, keepdims


def normalize_shape(function: str, shape: Any, name: str = "shape") -> tuple[int, ...]:
    """Return a shape, given as an integer or as a sequence of them, as a tuple."""
    if type(shape) is int and 0 <= shape < _SIZES:
        return (shape,)
    if isinstance(shape, (tuple, list)):
        sizes = tuple([n if type(n) is int else as_int(function, n, name) for n in shape])
    elif getattr(shape, "shape", ()) == ():
        sizes = (as_int(function, shape, name),)
    else:
        sizes = as_ints(function, shape, name)
    for size in sizes:
        if size < 0:
            raise ValueError(f"{function}: {name} must not be negative, got {shape}.")
        held(function, size, name)
    return sizes


_SIZES: Final = 2**63
"""The number of elements that no axis reaches: torch counts them in int64."""


def held(function: str, count: int, name: str) -> int:
    """Return a number of elements; raise if no axis can have so many."""
    if count >= _SIZES:
        raise ValueError(f"{function}: {name} must be less than 2**63, got {count}.")
    return count


def as_int(function: str, value: Any, name: str) -> int:
    """Return an integer argument as a Python integer."""
    if type(value) is int:
        return value
    if not hasattr(value, "__index__") or isinstance(value, bool):
        raise TypeError(f"{function}: {name} must be an integer, got {describe(value)}.")
    return operator.index(value)


def negative_axis(function: str, axis: Any, *ndims: int) -> int:
    """Return an axis that arrays with different numbers of axes have in common, from the back.

    Broadcasting aligns arrays at their last axes, so only an axis counted from the back is the same
    axis in each.

    Raises
    ------
    TypeError
        If the axis is not an integer.
    AxisError
        If it is not negative, or one of the arrays does not have it.
    """
    least = min(ndims)
    if not is_int(axis):
        axis = relaxed.read(axis, int, wrong_axis(function, axis, least))
    if not -least <= axis <= -1:
        allowed = f"from {-least} to -1" if least else "none, since an array has no axes"
        hint = relaxed.HINT if 0 <= axis < least else ""
        raise AxisError(
            f"{function}: axis {axis} is not allowed; the arrays are aligned at their last axes, "
            f"so the axis is counted from the back: allowed are axes {allowed}.{hint}"
        )
    return int(axis)


def as_ints(function: str, values: Any, name: str) -> tuple[int, ...]:
    """Return a tuple of integers, or a list as SciPy passes it, as a tuple of Python integers."""
    if not isinstance(values, (tuple, list)):
        error = TypeError(
            f"{function}: {name} must be a tuple of integers, got {describe(values)}."
        )
        values = relaxed.read(values, tuple, error)
    for value in values:
        if type(value) is not int:
            return tuple([as_int(function, v, f"each element of {name}") for v in values])
    return tuple(values)


def as_bool(function: str, value: Any, name: str) -> bool:
    """Return an argument that must be True or False."""
    if isinstance(value, bool):
        return value
    error = TypeError(f"{function}: {name} must be True or False, got {describe(value)}.")
    return relaxed.read(value, bool, error)  # type: ignore[no-any-return]


def as_number(function: str, value: Any, name: str) -> float:
    """Return an argument that must be a real number, as Python's."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    error = TypeError(f"{function}: {name} must be an int or a float, got {describe(value)}.")
    return relaxed.read(value, (int, float), error)  # type: ignore[no-any-return]


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...] | None:
    """Return the shape to which shapes broadcast together, or None if they do not."""
    result = [1] * max([0, *map(len, shapes)])
    for shape in shapes:
        for place, size in enumerate(shape, len(result) - len(shape)):
            if result[place] == 1:
                result[place] = size
            elif size != 1 and size != result[place]:  # not by hash: a size may be a symbol
                return None
    return tuple(result)
