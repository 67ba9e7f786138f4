"""Statistical functions.

Names no device type.  ``utility`` uses its reductions for ``all`` and ``any``.

https://data-apis.org/array-api/2023.12/API_specification/statistical_functions.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from .._arrays.array import Array, wrap
from .._arrays.axes import Axes, as_bool, as_number, normalize_axis, reduction
from .._calls.elementwise import call
from .._calls.interchange import check_dtype
from .._calls.operands import operand
from .._calls.plainest import plainest
from .._calls.traces import plain
from .._errors.exceptions import wrong_dtype
from .._options.relaxed import LOGICAL
from .._routes import reductions as ops
from .._routes._operations import CAST, OPS, Op, cast
from .._torch import dtypes as dt

F = TypeVar("F", bound="Callable[..., Any]")

__all__ = [
    "cumulative_sum",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]

_ACCUMULATED_IN: Final = {
    **dict.fromkeys(dt.SIGNED, dt.int64),
    **dict.fromkeys(dt.UNSIGNED, dt.uint64),
    **{d: d for d in dt.FLOATING},
}
"""The data type in which each data type is added and multiplied if the call names none."""

_SUMMED_IN_INT64: Final = (dt.SIGNED | {dt.uint8}) - {dt.int64}

_ACCUMULATED_AS_IS: Final = frozenset(d for d in dt.NUMERIC if _ACCUMULATED_IN[d] is d)


def accumulator(function: str, own: dt.DType, dtype: dt.AnyDType) -> dt.DType:
    """Return the data type in which to add or multiply the elements of an array."""
    dtype = check_dtype(function, dtype)
    if dtype is None:
        return _ACCUMULATED_IN[own]
    if dtype not in dt.NUMERIC:
        raise wrong_dtype(function, dtype, dt.NUMERIC, "Choose one of them as dtype.")
    if own in dt.COMPLEX and dtype not in dt.COMPLEX:
        raise TypeError(
            f"{function}: an array of {dt.NAMES[own]} is not cast to {dt.NAMES[dtype]}, "
            "which would lose the imaginary part. Use real() first."
        )
    return dtype


def reduce(op: Op, x: object, axis: Any, keepdims: Any, *parameters: Any) -> Array:
    """Reduce an array along axes; check the arguments first."""
    function = op.name
    tensor, spec = operand(function, x, op.dtypes)
    if spec.dtype not in op.dtypes:
        op = OPS[LOGICAL[function]]
    tensor, axes, keep = reduction(function, tensor, axis, keepdims)
    if function in {"max", "min"} and 0 in [tensor.shape[i] for i in axes]:
        raise ValueError(
            f"{function}: an array of shape {tuple(tensor.shape)} has no elements to choose from "
            f"along axis {axis}. Handle the empty case before the call."
        )
    result = call(op, spec, function, tensor, axes, keep, *parameters)
    return wrap(result, spec.bool if op.returns == "bool" else spec)


def _accumulate(op: Op, x: object, axis: Any, dtype: dt.AnyDType, keepdims: Any) -> Array:
    """Add or multiply the elements of an array along axes; check the arguments first."""
    function = op.name
    tensor, spec = operand(function, x, op.dtypes)
    chosen = accumulator(function, spec.dtype, dtype)
    widens, spec = spec.dtype in _SUMMED_IN_INT64, spec.of(chosen)
    # torch's own functions cast while they add, which saves a pass over memory.
    if not (widens and chosen is dt.int64 and op.is_native(spec)):
        tensor = cast(tensor, chosen)
    tensor, axes, keep = reduction(function, tensor, axis, keepdims)
    return wrap(call(op, spec, function, tensor, axes, keep), spec)


def _cumulate(op: Op, x: object, axis: Any, dtype: dt.AnyDType, include_initial: Any) -> Array:
    """Compute a cumulative sum or product; check the arguments first."""
    function = op.name
    tensor, spec = operand(function, x, op.dtypes)
    chosen = accumulator(function, spec.dtype, dtype)
    include_initial = as_bool(function, include_initial, "include_initial")
    ndim = tensor.dim()
    if ndim == 0:
        raise ValueError(
            f"{function}: expected an array of at least 1 dimension, got one of 0 dimensions. "
            "Give it one with reshape() first."
        )
    if axis is None and ndim > 1:
        raise ValueError(
            f"{function}: an axis is required for an array of {ndim} dimensions. Name one, or "
            "flatten the array with reshape(x, (-1,)) first."
        )
    along = 0 if axis is None else normalize_axis(function, axis, ndim)
    if chosen is not spec.dtype:
        tensor, spec = CAST.on(spec)(tensor, chosen), spec.of(chosen)
    return wrap(call(op, spec, function, tensor, along, include_initial), spec)


def _spread(op: Op, x: object, axis: Any, correction: Any, keepdims: Any) -> Array:
    """Calculate the variance or the standard deviation along axes; check the arguments first."""
    return reduce(op, x, axis, keepdims, as_number(op.name, correction, "correction"))


# --- the plainest calls ---------------------------------------------------------------------------

_AXIS_AND_KEEPDIMS: Final = "x: array, axis: any axis, keepdims: bool"


def reduced(
    op: Op, dtypes: frozenset[dt.DType], widened: frozenset[dt.DType] = frozenset()
) -> Callable[[F], F]:
    """Turn the body of a reduction into the function, with its plainest calls inlined.

    ``dtypes`` are computed as they are; ``widened`` ones are accumulated in int64.
    """
    plain.note(op, dtypes)
    form = f"{_AXIS_AND_KEEPDIMS}{', dtype: None' if widened else ''}"
    # torch parses a single axis faster than a tuple of one; kernels of the engine need the tuple.
    along = "axis if kernel is native else (axis % ndim,)"
    if_all = "axis is not None or keepdims is False"
    narrow = plainest(
        f"{form} if spec.dtype in dtypes and ({if_all})",
        f"kernel(tensor) if axis is None else kernel(tensor, {along}, keepdims)",
        kernel=op,
        returns="spec.bool" if op.returns == "bool" else "spec",
        dtypes=dtypes,
    )
    if not widened:
        return narrow
    # torch's own function casts by itself.
    source = "(tensor if kernel is native else cast(spec)(tensor, dt.int64))"
    wide = plainest(
        f"{form} if spec.dtype in widened and ({if_all})",
        f"kernel({source}) if axis is None else kernel({source}, {along}, keepdims)",
        kernel=op,
        within="spec.of(dt.int64)",
        returns="spec.of(dt.int64)",
        widened=widened,
        cast=CAST.on,
    )
    return lambda body: narrow(wide(body))


def _spread_by(op: Op) -> Callable[[F], F]:
    """Turn the body of ``var`` or ``std`` into the function, with its plainest calls inlined."""
    plain.note(op, op.dtypes)
    return plainest(
        f"{_AXIS_AND_KEEPDIMS}, correction: number if ndim",
        "kernel(tensor, tuple(range(ndim)) if axis is None else (axis % ndim,), keepdims, "
        "correction)",
        kernel=op,
    )


def _cumulated(op: Op) -> Callable[[F], F]:
    """Turn the body of a cumulative function into it, with its plainest calls inlined."""
    form = "x: array, axis: only axis, dtype: None, include_initial: False if spec.dtype in dtypes"
    compute = "kernel(tensor, axis % ndim if axis else 0, False)"
    return plainest(form, compute, kernel=op, dtypes=_ACCUMULATED_AS_IS)


_WIDENED: Final = dt.SIGNED - {dt.int64}


@_cumulated(ops.cumulative_prod)
def cumulative_prod(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: dt.AnyDType = None,
    include_initial: bool = False,
) -> Array:
    """Calculate the cumulative product of the elements of an array.

    Integers wrap around.

    Parameters
    ----------
    x : Array
        An array of a numeric data type and of at least one dimension.
    axis : int, optional
        The axis along which to go; it may be left out for an array of one dimension.
    dtype : dtype, optional
        The data type of the result, to which the elements are cast before they are multiplied.  By
        default that of ``x``, but int64 for signed and uint64 for unsigned integers.
    include_initial : bool, optional
        Whether the result starts with 1, the product of no elements.

    Returns
    -------
    Array
        An array of the shape of ``x``; with the initial value, the axis has one element more.

    Raises
    ------
    TypeError
        If ``x`` or ``dtype`` is not numeric, or if a complex array would be cast to a real one.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If the axis is left out for an array of several dimensions, or if there are none.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([2, 3, 4])
    >>> xp.cumulative_prod(x)
    Array([ 2,  6, 24], dtype=int64, device='cpu')
    >>> xp.cumulative_prod(x, include_initial=True)
    Array([ 1,  2,  6, 24], dtype=int64, device='cpu')
    """
    return _cumulate(ops.cumulative_prod, x, axis, dtype, include_initial)


@_cumulated(ops.cumulative_sum)
def cumulative_sum(
    x: Array,
    /,
    *,
    axis: int | None = None,
    dtype: dt.AnyDType = None,
    include_initial: bool = False,
) -> Array:
    """Calculate the cumulative sum of the elements of an array.

    Integers wrap around.

    Parameters
    ----------
    x : Array
        An array of a numeric data type and of at least one dimension.
    axis : int, optional
        The axis along which to go; it may be left out for an array of one dimension.
    dtype : dtype, optional
        The data type of the result, to which the elements are cast before they are added.  By
        default that of ``x``, but int64 for signed and uint64 for unsigned integers.
    include_initial : bool, optional
        Whether the result starts with 0, the sum of no elements.

    Returns
    -------
    Array
        An array of the shape of ``x``; with the initial value, the axis has one element more.

    Raises
    ------
    TypeError
        If ``x`` or ``dtype`` is not numeric, or if a complex array would be cast to a real one.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If the axis is left out for an array of several dimensions, or if there are none.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2], [3, 4]], dtype=xp.int8)
    >>> xp.cumulative_sum(x, axis=0)
    Array([[1, 2],
           [4, 6]], dtype=int64, device='cpu')
    >>> xp.cumulative_sum(x, axis=1, include_initial=True)
    Array([[0, 1, 3],
           [0, 3, 7]], dtype=int64, device='cpu')
    """
    return _cumulate(ops.cumulative_sum, x, axis, dtype, include_initial)


@reduced(ops.max, dt.REAL)
def max(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Find the greatest value of an array.

    NaN propagates: where an element is NaN, so is the result.  Which of +0 and -0 is returned is
    not specified.

    Parameters
    ----------
    x : Array
        An array of a real-valued data type.
    axis : int or tuple of int, optional
        The axes along which to look for it; by default all of them, and none for ``()``.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the same data type.

    Raises
    ------
    TypeError
        If ``x`` is boolean or complex.
    ValueError
        If there are no elements to choose from, or if an axis is given twice.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 7], [4, 2]])
    >>> xp.max(x)
    Array(7, dtype=int64, device='cpu')
    >>> xp.max(x, axis=1)
    Array([7, 4], dtype=int64, device='cpu')
    """
    result = plain.max(x, axis, keepdims)
    return reduce(ops.max, x, axis, keepdims) if result is None else result


@reduced(ops.mean, dt.FLOATING)
def mean(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Calculate the arithmetic mean of an array.

    The mean of no elements is NaN, and NaN propagates.  The real and the imaginary part of complex
    numbers are averaged each on its own.

    Parameters
    ----------
    x : Array
        An array of a floating-point data type; complex since version 2024.12 of the standard.
    axis : int or tuple of int, optional
        The axes along which to average; by default all of them, and none for ``()``.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the same data type.

    Raises
    ------
    TypeError
        If ``x`` is not of a floating-point data type.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    References
    ----------
    https://data-apis.org/array-api/2024.12/API_specification/generated/array_api.mean.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> xp.mean(x)
    Array(2.5, dtype=float32, device='cpu')
    >>> xp.mean(x, axis=0, keepdims=True)
    Array([[2., 3.]], dtype=float32, device='cpu')
    """
    result = plain.mean(x, axis, keepdims)
    return reduce(ops.mean, x, axis, keepdims) if result is None else result


@reduced(ops.min, dt.REAL)
def min(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Find the least value of an array.

    NaN propagates: where an element is NaN, so is the result.  Which of +0 and -0 is returned is
    not specified.

    Parameters
    ----------
    x : Array
        An array of a real-valued data type.
    axis : int or tuple of int, optional
        The axes along which to look for it; by default all of them, and none for ``()``.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the same data type.

    Raises
    ------
    TypeError
        If ``x`` is boolean or complex.
    ValueError
        If there are no elements to choose from, or if an axis is given twice.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, 7.0], [xp.nan, 2.0]])
    >>> xp.min(x)
    Array(nan, dtype=float32, device='cpu')
    >>> xp.min(x, axis=1)
    Array([ 1., nan], dtype=float32, device='cpu')
    """
    result = plain.min(x, axis, keepdims)
    return reduce(ops.min, x, axis, keepdims) if result is None else result


@reduced(ops.prod, _ACCUMULATED_AS_IS, _WIDENED)
def prod(
    x: Array, /, *, axis: Axes = None, dtype: dt.AnyDType = None, keepdims: bool = False
) -> Array:
    """Calculate the product of the elements of an array.

    Integers wrap around.  The product of no elements is 1.

    Parameters
    ----------
    x : Array
        An array of a numeric data type.
    axis : int or tuple of int, optional
        The axes along which to go; by default all of them, and none for ``()``.
    dtype : dtype, optional
        The data type of the result, to which the elements are cast before they are multiplied.  By
        default that of ``x``, but int64 for signed and uint64 for unsigned integers.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the data type ``dtype``.

    Raises
    ------
    TypeError
        If ``x`` or ``dtype`` is not numeric, or if a complex array would be cast to a real one.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[100, 2], [3, 4]], dtype=xp.int8)
    >>> xp.prod(x)
    Array(2400, dtype=int64, device='cpu')
    >>> xp.prod(x, axis=0, dtype=xp.int8)
    Array([44,  8], dtype=int8, device='cpu')
    """
    made = plain.prod(x, axis, keepdims) if dtype is None else None
    return _accumulate(ops.prod, x, axis, dtype, keepdims) if made is None else made


@_spread_by(ops.std)
def std(
    x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Calculate the standard deviation of an array.

    It is the square root of ``var``.  The result is NaN where ``var`` is NaN: for ``N`` elements if
    ``N - correction`` is not positive.
    NaN propagates, and so does an infinity, as NaN.

    Parameters
    ----------
    x : Array
        An array of a real floating-point data type.
    axis : int or tuple of int, optional
        The axes along which to calculate it; by default all of them, and none for ``()``.
    correction : int or float, optional
        The number that is subtracted from the number of elements to give the divisor: 0 for a
        whole population, 1 for a sample.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the same data type.

    Raises
    ------
    TypeError
        If ``x`` is not of a real floating-point data type, or ``correction`` is not a number.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1.0, 3.0, 5.0])
    >>> xp.std(x, correction=1)
    Array(2., dtype=float32, device='cpu')
    >>> xp.std(x, correction=3)
    Array(nan, dtype=float32, device='cpu')
    """
    made = plain.std(x, axis, keepdims, correction)
    return _spread(ops.std, x, axis, correction, keepdims) if made is None else made


@reduced(ops.sum, _ACCUMULATED_AS_IS, _WIDENED)
def sum(
    x: Array, /, *, axis: Axes = None, dtype: dt.AnyDType = None, keepdims: bool = False
) -> Array:
    """Calculate the sum of the elements of an array.

    Integers wrap around.  The sum of no elements is 0.

    Parameters
    ----------
    x : Array
        An array of a numeric data type.
    axis : int or tuple of int, optional
        The axes along which to go; by default all of them, and none for ``()``.
    dtype : dtype, optional
        The data type of the result, to which the elements are cast before they are added.  By
        default that of ``x``, but int64 for signed and uint64 for unsigned integers.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the data type ``dtype``.

    Raises
    ------
    TypeError
        If ``x`` or ``dtype`` is not numeric, or if a complex array would be cast to a real one.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    Notes
    -----
    The sum starts from +0, so that the sum of negative zeros is +0.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[100, 100], [3, 4]], dtype=xp.int8)
    >>> xp.sum(x)
    Array(207, dtype=int64, device='cpu')
    >>> xp.sum(x, axis=1, dtype=xp.int8)
    Array([-56,   7], dtype=int8, device='cpu')
    """
    made = plain.sum(x, axis, keepdims) if dtype is None else None
    return _accumulate(ops.sum, x, axis, dtype, keepdims) if made is None else made


@_spread_by(ops.var)
def var(
    x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Calculate the variance of an array.

    It is the sum of the squared distances from the mean, divided by ``N - correction`` for ``N``
    elements; where that divisor is not positive, the result is NaN.
    NaN propagates, and so does an infinity, as NaN.

    Parameters
    ----------
    x : Array
        An array of a real floating-point data type.
    axis : int or tuple of int, optional
        The axes along which to calculate it; by default all of them, and none for ``()``.
    correction : int or float, optional
        The number that is subtracted from the number of elements to give the divisor: 0 for a
        whole population, 1 for a sample.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the same data type.

    Raises
    ------
    TypeError
        If ``x`` is not of a real floating-point data type, or ``correction`` is not a number.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, 3.0], [5.0, 5.0]])
    >>> xp.var(x)
    Array(2.75, dtype=float32, device='cpu')
    >>> xp.var(x, axis=1, correction=1)
    Array([2., 0.], dtype=float32, device='cpu')
    """
    made = plain.var(x, axis, keepdims, correction)
    return _spread(ops.var, x, axis, correction, keepdims) if made is None else made
