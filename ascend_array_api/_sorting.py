"""Sorting functions.

https://data-apis.org/array-api/2023.12/API_specification/sorting_functions.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import _dtypes as dt
from . import _late
from ._array import Array, wrap
from ._axes import as_bool, normalize_axis
from ._calls import call, shortcut
from ._misuse import misuse, refusing
from ._operands import Operand, operand
from ._routes import searching as ops
from ._routes._engine import check_fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Never

    from ._routes._engine import Op

__all__ = ["argsort", "sort"]


def _fast(op: Op) -> Callable[[Any, Any, Any, Any], Array | None]:
    """Return a function that sorts in the plainest cases.

    It returns None where anything has to be found out, checked or explained.
    """
    table, positions = op.table, op is ops.argsort

    @shortcut
    def made(x: Any, axis: Any, descending: Any, stable: Any) -> Array | None:
        if type(x) is not Array or type(axis) is not int:
            return None
        if type(descending) is not bool or type(stable) is not bool:
            return None
        spec, tensor = x._spec, x._tensor
        ndim = tensor.dim()
        if not -ndim <= axis < ndim:
            return None
        axis %= ndim
        try:
            tensor = table[spec](tensor, axis=axis, descending=descending, stable=stable)
        except KeyError:
            return None
        except RuntimeError as error:
            check_fault(error, op.name, spec.device, (tensor,))
            return None
        if not positions:
            return wrap(tensor, spec)
        return _late.know(wrap(tensor, spec.of(dt.int64)), 0, tensor.shape[axis] - 1)

    return made


_fast_argsort: Final = _fast(ops.argsort)
_fast_sort: Final = _fast(ops.sort)


@refusing
def argsort(
    x: Array,
    /,
    *misplaced: Never,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    **unknown: Never,
) -> Array:
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.argsort.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([3, 1, 3, 2])
    >>> xp.argsort(x)
    Array([1, 3, 0, 2], dtype=int64, device='cpu')
    >>> xp.argsort(x, descending=True)
    Array([0, 2, 3, 1], dtype=int64, device='cpu')
    """
    if misplaced or unknown:
        raise misuse(argsort, misplaced, unknown)
    places = _fast_argsort(x, axis, descending, stable)
    if places is not None:
        return places
    indices, spec = _sorted(ops.argsort, x, axis, descending, stable)
    return _late.know(wrap(indices, spec.of(dt.int64)), 0, indices.shape[axis] - 1)


@refusing
def sort(
    x: Array,
    /,
    *misplaced: Never,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    **unknown: Never,
) -> Array:
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.sort.html

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
    if misplaced or unknown:
        raise misuse(sort, misplaced, unknown)
    made = _fast_sort(x, axis, descending, stable)
    return wrap(*_sorted(ops.sort, x, axis, descending, stable)) if made is None else made


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
