"""Utility functions.

Names no device type.

https://data-apis.org/array-api/2023.12/API_specification/utility_functions.html
"""

from __future__ import annotations

from .._arrays.array import Array, wrap
from .._arrays.axes import Axes, as_int, normalize_axis
from .._calls.operands import operand, same_device
from .._calls.plainest import plainest
from .._calls.traces import plain
from .._devices.device import Spec
from .._options import relaxed
from .._routes import reductions as ops
from .._routes.elementwise import subtract
from .._torch import Tensor
from .._torch import dtypes as dt
from .statistical import reduce, reduced

__all__ = ["all", "any"]


@reduced(ops.all, ops.all.dtypes)
def all(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Test whether all elements of an array are true.

    An element is true unless it is zero; NaN and infinities are true, and a complex number is
    true where either part is.

    Parameters
    ----------
    x : Array
        An array of any data type.
    axis : int or tuple of int, optional
        The axes along which to test; by default all of them, and none for ``()``.
    keepdims : bool, optional
        Whether the tested axes stay in the result, with size 1.

    Returns
    -------
    Array
        A boolean array.  Where there are no elements to test, it is True.

    Raises
    ------
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 0], [2, 3]])
    >>> xp.all(x)
    Array(False, dtype=bool, device='cpu')
    >>> xp.all(x, axis=1)
    Array([False,  True], dtype=bool, device='cpu')
    """
    result = plain.all(x, axis, keepdims)
    return reduce(ops.all, x, axis, keepdims) if result is None else result


@reduced(ops.any, ops.any.dtypes)
def any(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Test whether any element of an array is true.

    An element is true unless it is zero; NaN and infinities are true, and a complex number is
    true where either part is.

    Parameters
    ----------
    x : Array
        An array of any data type.
    axis : int or tuple of int, optional
        The axes along which to test; by default all of them, and none for ``()``.
    keepdims : bool, optional
        Whether the tested axes stay in the result, with size 1.

    Returns
    -------
    Array
        A boolean array.  Where there are no elements to test, it is False.

    Raises
    ------
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[0, 0], [0, 3]])
    >>> xp.any(x)
    Array(True, dtype=bool, device='cpu')
    >>> xp.any(x, axis=1, keepdims=True)
    Array([[False],
           [ True]], dtype=bool, device='cpu')
    """
    result = plain.any(x, axis, keepdims)
    return reduce(ops.any, x, axis, keepdims) if result is None else result


@plainest(
    "x: array, axis: axis, n: count, prepend: None, append: None if n <= tensor.shape[axis]",
    # The differences of a single array are one subtraction, if torch's own function is the kernel.
    "of_one(tensor, n, axis % ndim) if n and kernel is native and subtracts(spec) "
    "else kernel([tensor], axis % ndim, n)",
    kernel=ops.diff,
    of_one=ops.diff_of_one,
    subtracts=subtract.is_native,
)
def diff(
    x: Array,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Array | None = None,
    append: Array | None = None,
) -> Array:
    """Calculate the n-th discrete forward difference along an axis.

    The first difference is ``out[i] = x[i + 1] - x[i]``; the next ones are differences of
    differences.  Integers wrap around.

    Parameters
    ----------
    x : Array
        An array of a numeric data type.
    axis : int, optional
        The axis along which to take differences.
    n : int, optional
        How many times to take differences; for 0 the elements themselves are returned.
    prepend : Array, optional
        What to put before ``x`` along the axis first: an array of the same data type and, but for
        the axis, of the same shape.
    append : Array, optional
        What to put after ``x``.

    Returns
    -------
    Array
        An array of the same data type and, but for the axis, of the same shape.  The axis has as
        many elements as ``prepend``, ``x`` and ``append`` together, less ``n``.

    Raises
    ------
    TypeError
        If ``x`` is not numeric, or ``prepend`` or ``append`` is of another data type.
    ValueError
        If there are fewer than ``n`` elements along the axis, or if shapes do not fit.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1, 4, 9, 16])
    >>> xp.diff(x)
    Array([3, 5, 7], dtype=int64, device='cpu')
    >>> xp.diff(x, n=2)
    Array([2, 2], dtype=int64, device='cpu')
    >>> xp.diff(x, prepend=xp.asarray([0]))
    Array([1, 3, 5, 7], dtype=int64, device='cpu')
    """
    tensor, spec = operand("diff", x, ops.diff.dtypes)
    along = normalize_axis("diff", axis, tensor.dim())
    times = as_int("diff", n, "n")
    parts = [tensor]
    length = tensor.shape[along]
    if prepend is not None:
        parts.insert(0, _side(tensor, spec, prepend, along))
        length += parts[0].shape[along]
    if append is not None:
        parts.append(_side(tensor, spec, append, along))
        length += parts[-1].shape[along]
    sides = (side._spec for side in (prepend, append) if isinstance(side, Array))
    spec = same_device("diff", spec, *sides)
    if not 0 <= times <= length:
        raise ValueError(
            f"diff: n must be from 0 to {length}, the number of elements along axis {axis}, "
            f"got {n}.{relaxed.HINT if times > length else ''}"
        )
    return wrap(ops.diff.on(spec)(parts, along, times), spec)


def _side(tensor: Tensor, spec: Spec, part: object, axis: int) -> Tensor:
    """Check an array that is put before or after another one, and return its tensor."""
    side, own = operand("diff", part, dt.ANY)
    same_device("diff", spec, own)
    if own.dtype is not spec.dtype:
        raise TypeError(
            f"diff: prepend and append must be of the data type of x, {dt.NAMES[spec.dtype]}, "
            f"not {dt.NAMES[own.dtype]}. Convert them with astype() first."
        )
    expected, given = list(tensor.shape), list(side.shape)
    if len(given) == len(expected):
        expected[axis] = given[axis]
    if given != expected:
        raise ValueError(
            f"diff: prepend and append must have the shape of x, {tuple(tensor.shape)}, except "
            f"along axis {axis}, not {tuple(side.shape)}. Bring them to it with broadcast_to()."
        )
    return side
