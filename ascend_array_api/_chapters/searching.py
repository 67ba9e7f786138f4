"""Searching functions.

Names no device type.  Results that hold positions remember their bounds, so that indexing by them
needs no check.

https://data-apis.org/array-api/2023.12/API_specification/searching_functions.html
"""

from __future__ import annotations

from typing import Any, Final, Literal

from .._arrays.array import Array, awaited, wrap, wrap_within
from .._arrays.axes import Axes, as_bool, normalize_axis, reduction
from .._calls import traces
from .._calls.elementwise import call
from .._calls.operands import array_operand, converted, operand, operands, same_device
from .._calls.plainest import plainest
from .._errors.exceptions import Missing, MisuseError, describe, out_of_bounds, wrong_dtype
from .._errors.foreign_calls import refusing
from .._options import relaxed, settings
from .._routes import elementwise
from .._routes import searching as ops
from .._routes._operations import Op, cast
from .._routes.indexing import sorted_by
from .._torch import dtypes as dt

__all__ = ["argmax", "argmin", "nonzero", "searchsorted", "where"]


# --- the fast paths -------------------------------------------------------------------------------


# --- the functions --------------------------------------------------------------------------------


_EXTREME: Final = "x: array, axis: any axis, keepdims: False if tensor.numel()"
_PLACE: Final = "kernel(tensor, axis if axis is None else axis % ndim)"
_SIZE: Final = "(tensor.numel() if axis is None else tensor.shape[axis])"


@plainest(_EXTREME, _PLACE, kernel=ops.argmax, returns="spec.of(dt.int64)", below=_SIZE)
def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the indices of the greatest elements along an axis.

    Parameters
    ----------
    x : Array
        The array, of a real-valued data type.
    axis : int, optional
        The axis along which to search.  By default the index is that in the flattened array.
    keepdims : bool, optional
        Whether the axes that were searched stay in the result, with size 1.

    Returns
    -------
    Array
        The indices, of ``int64``: of each greatest element that of its first occurrence.

    Raises
    ------
    ValueError
        If there are no elements to search.
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    TypeError
        If the data type is not real-valued.

    Notes
    -----
    NaN counts as greater than every number, and the first one is found, as in NumPy.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 5, 5], [9, 2, 3]])
    >>> xp.argmax(x)
    Array(3, dtype=int64, device='cpu')
    >>> xp.argmax(x, axis=1)
    Array([1, 0], dtype=int64, device='cpu')
    """
    return _index_of(ops.argmax, x, axis, keepdims)


@plainest(_EXTREME, _PLACE, kernel=ops.argmin, returns="spec.of(dt.int64)", below=_SIZE)
def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the indices of the least elements along an axis.

    Parameters
    ----------
    x : Array
        The array, of a real-valued data type.
    axis : int, optional
        The axis along which to search.  By default the index is that in the flattened array.
    keepdims : bool, optional
        Whether the axes that were searched stay in the result, with size 1.

    Returns
    -------
    Array
        The indices, of ``int64``: of each least element that of its first occurrence.

    Raises
    ------
    ValueError
        If there are no elements to search.
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    TypeError
        If the data type is not real-valued.

    Notes
    -----
    NaN counts as less than every number, and the first one is found, as in NumPy.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[4, 1, 1], [9, 2, 3]])
    >>> xp.argmin(x)
    Array(1, dtype=int64, device='cpu')
    >>> xp.argmin(x, axis=0, keepdims=True)
    Array([[0, 0, 0]], dtype=int64, device='cpu')
    """
    return _index_of(ops.argmin, x, axis, keepdims)


def _index_of(op: Op, x: object, axis: Any, keepdims: Any) -> Array:
    name = op.name
    tensor, spec = operand(name, x, op.dtypes)
    if axis is not None:
        axis = normalize_axis(name, axis, tensor.dim())
    size = tensor.numel() if axis is None else tensor.shape[axis]
    if size == 0:
        where = "" if axis is None else f" along axis {axis}"
        raise ValueError(
            f"{name}: an array of shape {tuple(tensor.shape)} has no elements{where} among "
            "which to search."
        )
    index = call(op, spec, name, tensor, axis)
    if as_bool(name, keepdims, "keepdims"):
        index = index.view((1,) * tensor.dim()) if axis is None else index.unsqueeze(axis)
    return wrap_within(index, spec.of(dt.int64), 0, size - 1)


@plainest(
    "x: array, axis: None, keepdims: False if ndim",
    "kernel(tensor, tuple(range(ndim)), False)",
    kernel=ops.count_nonzero,
    returns="spec.of(dt.int64)",
)
def count_nonzero(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Count the elements that are not zero.

    Parameters
    ----------
    x : Array
        The array, of any data type.  False counts as zero, NaN does not; a complex number is
        zero where both of its parts are.
    axis : int or tuple of int, optional
        The axes along which to count; by default all of them.
    keepdims : bool, optional
        Whether these axes stay in the result, with size 1.

    Returns
    -------
    Array
        The counts, of ``int64``.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[0, 1, 2], [0, 0, 3]])
    >>> xp.count_nonzero(x)
    Array(3, dtype=int64, device='cpu')
    >>> xp.count_nonzero(x, axis=0)
    Array([0, 1, 2], dtype=int64, device='cpu')
    """
    tensor, spec = operand("count_nonzero", x, dt.ANY)
    tensor, axes, keep = reduction("count_nonzero", tensor, axis, keepdims)
    return wrap(ops.count_nonzero.on(spec)(tensor, axes, keep), spec.of(dt.int64))


@refusing
def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Return the indices of the elements that are not zero.

    Parameters
    ----------
    x : Array
        The array, of any data type, of at least one dimension.  False counts as zero, NaN does
        not; a complex number is zero where both of its parts are.

    Returns
    -------
    tuple of Array
        For each axis the indices along it, of ``int64``, in the order in which the elements lie
        in the flattened array.

    Raises
    ------
    ValueError
        If the array has no dimensions.

    Notes
    -----
    The shape of the result depends on the values, so that the host waits for the device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> rows, columns = xp.nonzero(xp.asarray([[0, 1, 2], [0, 0, 3]]))
    >>> rows
    Array([0, 0, 1], dtype=int64, device='cpu')
    >>> columns
    Array([1, 2, 2], dtype=int64, device='cpu')
    """
    tensor, spec = operand("nonzero", x, dt.ANY)
    if tensor.dim() == 0:
        raise ValueError(
            "nonzero: an array of 0 dimensions has no indices. "
            "Compare it with 0, or give it a dimension with reshape() first."
        )
    settings.need("data_dependent_shapes", "nonzero: the shape of its result depends on values")
    places = ops.nonzero.on(spec)(awaited(tensor, spec.device))
    index = spec.of(dt.int64)
    columns = (places.squeeze(1),) if tensor.dim() == 1 else places.unbind(1)
    pairs = zip(columns, tensor.shape)
    return tuple([wrap_within(column, index, 0, n - 1) for column, n in pairs])


@plainest(
    "x1: array, x2: alike, sorter: None if ndim == 1 and side in sides",
    "kernel(tensor, x2._tensor, right=side == 'right')",
    kernel=ops.searchsorted,
    returns="spec.of(dt.int64)",
    sides=("left", "right"),
)
def searchsorted(
    x1: Array,
    x2: Array | float,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: Array | None = None,
) -> Array:
    """Find the places in a sorted array at which values keep it sorted when they are inserted.

    Parameters
    ----------
    x1 : Array
        The array, of one dimension and a real-valued data type, sorted in ascending order unless
        there is a ``sorter``.
    x2 : Array or int or float
        The values, of a real-valued data type that promotes with that of ``x1``.
    side : {"left", "right"}, optional
        Whether a value that equals elements of ``x1`` goes before or after them.
    sorter : Array, optional
        Integers that sort ``x1`` in ascending order, as ``argsort`` returns them.

    Returns
    -------
    Array
        The places, of ``int64``, in the shape of ``x2``.

    Raises
    ------
    ValueError
        If ``x1`` is not of one dimension, ``sorter`` is not of its shape, ``side`` is neither
        ``"left"`` nor ``"right"``, or the arrays are on different devices.
    TypeError
        If a data type is not real-valued, the two do not promote to one another, or that of
        ``sorter`` is not an integer.
    IndexError
        If a position in ``sorter`` is out of bounds.  On an accelerator the option ``checks`` says
        when it is raised.

    Notes
    -----
    NaN counts as greater than every number and equal to itself, as it does for ``sort``; the
    zeros of both signs are equal.

    References
    ----------
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.searchsorted.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x1 = xp.asarray([1, 3, 3, 7])
    >>> xp.searchsorted(x1, xp.asarray([0, 3, 8]))
    Array([0, 1, 4], dtype=int64, device='cpu')
    >>> xp.searchsorted(x1, 3, side="right")
    Array(3, dtype=int64, device='cpu')
    """
    x1 = array_operand("searchsorted", x1, dt.REAL)
    if isinstance(x2, Array):
        x2 = array_operand("searchsorted", x2, dt.REAL)
    t1, t2, spec = operands("searchsorted", dt.REAL, x1, x2)
    if t1.dim() != 1:
        raise ValueError(
            f"searchsorted: the first array must be of 1 dimension, got shape {x1.shape}. "
            "Search each row by itself."
        )
    if side not in {"left", "right"}:
        raise ValueError(f"searchsorted: side must be 'left' or 'right', got {side!r}.")
    if sorter is not None:
        order, own = operand("searchsorted", sorter, dt.INTEGER)
        spec = same_device("searchsorted", spec, own)
        if order.shape != t1.shape:
            raise ValueError(
                f"searchsorted: sorter must be of the shape of the first array, {x1.shape}, got "
                f"{tuple(order.shape)}."
            )
        try:
            found = call(sorted_by, spec, "searchsorted", t1, [cast(order, dt.int64)], (0,))
        except IndexError as error:
            raise IndexError(out_of_bounds("sorted_by", len(t1))) from error
        t1, spec = found, wrap(found, spec)._spec
    found = call(ops.searchsorted, spec, "searchsorted", t1, t2, right=side == "right")
    return wrap(found, spec.of(dt.int64))


@traces.chosen
@plainest(
    "condition: array, x1: array, x2: array if x1._spec is x2._spec and spec is x1._spec.bool",
    "kernel(tensor, x1._tensor, x2._tensor)",
    kernel=elementwise.where,
    within="x1._spec",
    returns="x1._spec",
)
def where(condition: Array, x1: Array | complex, x2: Array | complex, /) -> Array:
    """Choose elements from one array or another.

    Parameters
    ----------
    condition : Array
        A boolean array.
    x1 : Array or bool or int or float or complex
        The elements to take where ``condition`` is True.
    x2 : Array or bool or int or float or complex
        The elements to take elsewhere.  One of ``x1`` and ``x2`` may be a Python scalar.

    Returns
    -------
    Array
        A new array with the chosen elements, of the common shape of the three, and of the data
        type to which those of ``x1`` and ``x2`` promote.

    Raises
    ------
    ValueError
        If the shapes could not be broadcast together, or the arrays are on different devices.
    TypeError
        If ``condition`` is not boolean, or the data types of ``x1`` and ``x2`` do not promote to
        one another.

    References
    ----------
    https://data-apis.org/array-api/2024.12/API_specification/generated/array_api.where.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([-1.0, 4.0, -9.0])
    >>> xp.where(x > 0, x, 0.0)
    Array([0., 4., 0.], dtype=float32, device='cpu')
    """
    if x2 is None or isinstance(x2, Missing):
        raise MisuseError(
            "where: it takes 3 arguments. nonzero(condition) finds the positions."
            f"{'' if relaxed.on() else relaxed.HINT}"
        )
    if not isinstance(condition, Array):
        refusal = TypeError(
            f"where: the condition must be a boolean Array, got {describe(condition)}. "
            "Convert it with asarray() first."
        )
        condition = converted(condition, None, refusal)
    if condition.dtype is not dt.bool:
        refusal = wrong_dtype(
            "where",
            condition.dtype,
            dt.BOOLEAN,
            "Compare it, as in where(x != 0, ...).",
        )
        relaxed.require(refusal)
        condition = condition != 0
    t1, t2, spec = operands("where", dt.ANY, x1, x2)
    spec = same_device("where", spec, condition._spec)
    return wrap(call(elementwise.where, spec, "where", condition._tensor, t1, t2), spec)
