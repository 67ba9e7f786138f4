"""Sorting functions.

Names no device type.

https://data-apis.org/array-api/2023.12/API_specification/sorting_functions.html
"""

from __future__ import annotations

from typing import Any, Final

from .._arrays.array import Array, wrap, wrap_within
from .._arrays.axes import as_bool, normalize_axis
from .._calls.elementwise import call
from .._calls.operands import Operand, operand
from .._calls.plainest import plainest
from .._routes import searching as ops
from .._routes._operations import Op
from .._torch import dtypes as dt

__all__ = ["argsort", "sort"]


_FORM: Final = "x: array, axis: axis, descending: bool, stable: bool"
_SORTED: Final = "kernel(tensor, axis=axis % ndim, descending=descending, stable=stable)"


@plainest(
    _FORM, _SORTED, kernel=ops.argsort, returns="spec.of(dt.int64)", below="tensor.shape[axis]"
)
def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the indices that sort an array along an axis.

    Parameters
    ----------
    x : Array
        The array, of a real-valued or the boolean data type, of at least one dimension.
    axis : int, optional
        The axis along which to sort.
    descending : bool, optional
        Whether the greatest element comes first instead of the least one.
    stable : bool, optional
        Whether equal elements keep their order, in either direction.  Without that the order of
        equal elements is not defined.

    Returns
    -------
    Array
        The indices, of ``int64``, in the shape of ``x``.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    TypeError
        If the data type is complex.

    Notes
    -----
    NaN counts as greater than every number and equal to itself, so that it comes last in
    ascending order; the zeros of both signs are equal.  Booleans, which the standard leaves out,
    are sorted as False < True.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([3, 1, 3, 2])
    >>> xp.argsort(x)
    Array([1, 3, 0, 2], dtype=int64, device='cpu')
    >>> xp.argsort(x, descending=True)
    Array([0, 2, 3, 1], dtype=int64, device='cpu')
    """
    indices, spec = _sorted(ops.argsort, x, axis, descending, stable)
    return wrap_within(indices, spec.of(dt.int64), 0, indices.shape[axis] - 1)


@plainest(_FORM, _SORTED, kernel=ops.sort)
def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return a sorted copy of an array.

    Parameters
    ----------
    x : Array
        The array, of a real-valued or the boolean data type, of at least one dimension.
    axis : int, optional
        The axis along which to sort.
    descending : bool, optional
        Whether the greatest element comes first instead of the least one.
    stable : bool, optional
        Whether equal elements, which are the zeros of both signs, keep their order.

    Returns
    -------
    Array
        A new array, of the shape and data type of ``x``.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    TypeError
        If the data type is complex.

    Notes
    -----
    NaN counts as greater than every number, so that it comes last in ascending order.  Booleans,
    which the standard leaves out, are sorted as False < True.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[3, 1, 2], [4, 6, 5]])
    >>> xp.sort(x)
    Array([[1, 2, 3],
           [4, 5, 6]], dtype=int64, device='cpu')
    >>> xp.sort(x, axis=0, descending=True)
    Array([[4, 6, 5],
           [3, 1, 2]], dtype=int64, device='cpu')
    """
    return wrap(*_sorted(ops.sort, x, axis, descending, stable))


def _sorted(op: Op, x: object, axis: Any, descending: Any, stable: Any) -> Operand:
    name = op.name
    tensor, spec = operand(name, x, ops.sort.dtypes)
    result = call(
        op,
        spec,
        name,
        tensor,
        axis=normalize_axis(name, axis, tensor.dim()),
        descending=as_bool(name, descending, "descending"),
        stable=as_bool(name, stable, "stable"),
    )
    return result, spec
