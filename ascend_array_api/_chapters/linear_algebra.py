"""Linear algebra functions of the main namespace; ``linalg`` imports them from here.

Names no device type.

https://data-apis.org/array-api/2023.12/API_specification/linear_algebra_functions.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._arrays.array import Array, wrap
from .._arrays.axes import negative_axis, normalize_axes
from .._calls.elementwise import call, declared, fast_binary
from .._calls.operands import Operand, array_operands, as_truth, operand
from .._calls.plainest import plainest
from .._errors.exceptions import check_memory, describe
from .._errors.foreign_calls import refusing
from .._options import relaxed
from .._routes import linear_algebra as ops
from .._torch import dtypes as dt

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def product(symbol: str, x1: object, x2: object) -> Array:
    """Multiply matrices for the function or operator ``symbol``; check the operands first.

    Shapes are checked only if torch refuses them.
    """
    t1, t2, spec = array_operands(symbol, dt.NUMERIC, x1, x2)
    try:
        return as_truth(wrap(ops.matmul.on(spec)(t1, t2), spec), x1, x2)
    except RuntimeError as error:
        check_memory(error, symbol)
        _check_shapes(symbol, tuple(t1.shape), tuple(t2.shape))
        raise


def _check_shapes(symbol: str, shape1: tuple[int, ...], shape2: tuple[int, ...]) -> None:
    """Check that matrices of these shapes can be multiplied."""
    if not shape1 or not shape2:
        raise ValueError(
            f"{symbol}: expected arrays of at least 1 dimension, got shapes {shape1} and {shape2}. "
            "Use multiply() for a product with one number."
        )
    inner1, inner2 = shape1[-1], shape2[max(len(shape2) - 2, 0)]
    if inner1 != inner2:
        raise ValueError(
            f"{symbol}: matrices of shapes {shape1} and {shape2} cannot be multiplied: the rows of "
            f"the first have {inner1} elements, the columns of the second {inner2}."
        )
    check_stacks(symbol, shape1, shape2)


def check_stacks(function: str, shape1: tuple[int, ...], shape2: tuple[int, ...]) -> None:
    """Check that stacks of matrices broadcast."""
    stacks = shape1[-3::-1], shape2[-3::-1]  # aligned at their last axes
    if any(n1 != n2 and 1 not in (n1, n2) for n1, n2 in zip(*stacks)):
        raise ValueError(
            f"{function}: the stacks of matrices of shapes {shape1} and {shape2} could not be "
            "broadcast together. But for the last two axes, which are the matrices, two sizes of "
            "one axis must be equal, or one of them must be 1."
        )


def _checked_matmul(x1: object, x2: object) -> Array:
    return product("matmul", x1, x2)


@declared(fast_binary(ops.matmul, "matmul", _checked_matmul), _checked_matmul)
def matmul(x1: Array, x2: Array, /) -> Array:
    """Multiply matrices, or stacks of matrices.

    Integers wrap around.  Nothing is conjugated or transposed.

    Parameters
    ----------
    x1 : Array
        An array of a numeric data type and of shape ``(..., M, K)``, or ``(K,)`` for a vector,
        which is taken as one row.
    x2 : Array
        An array of a numeric data type and of shape ``(..., K, N)``, or ``(K,)`` for a vector,
        which is taken as one column.  The stacks, ``...``, of both are broadcast.

    Returns
    -------
    Array
        The products, of shape ``(..., M, N)``; without ``M`` where ``x1`` is a vector, without
        ``N`` where ``x2`` is one.

    Raises
    ------
    TypeError
        If an operand is not an array, is not numeric, or if the data types do not promote.
    ValueError
        If an array has 0 dimensions, if the shapes do not fit, or if the devices differ.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> xp.matmul(x, x)
    Array([[ 7, 10],
           [15, 22]], dtype=int64, device='cpu')
    >>> x @ xp.asarray([1, 1])
    Array([3, 7], dtype=int64, device='cpu')
    """


@plainest("x: array if ndim >= 2", "tensor.mT")
def matrix_transpose(x: Array, /) -> Array:
    """Transpose a matrix, or each matrix of a stack.

    The result is a view: it shares memory with ``x``.

    Parameters
    ----------
    x : Array
        An array of any data type and of shape ``(..., M, N)``.

    Returns
    -------
    Array
        A view of shape ``(..., N, M)``.

    Raises
    ------
    TypeError
        If ``x`` is not an array.
    ValueError
        If the array has fewer than 2 dimensions.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.matrix_transpose(xp.asarray([[1, 2, 3], [4, 5, 6]]))
    Array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int64, device='cpu')
    """
    tensor, spec = matrices("matrix_transpose", x, dt.ANY)
    return wrap(tensor.mT, spec)


def matrices(function: str, x: object, allowed: frozenset[dt.DType]) -> Operand:
    """Check that an operand is a matrix, or a stack of matrices, of an allowed data type."""
    tensor, spec = operand(function, x, allowed)
    if tensor.dim() < 2:
        raise ValueError(
            f"{function}: expected an array of at least 2 dimensions, the last two of which are "
            f"rows and columns; got shape {tuple(tensor.shape)}."
        )
    return tensor, spec


@refusing
def tensordot(
    x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Array:
    """Multiply two arrays and sum over pairs of their axes.

    Integers wrap around.  Nothing is conjugated, and axes are not broadcast.

    Parameters
    ----------
    x1, x2 : Array
        Arrays of a numeric data type.
    axes : int or tuple of two sequences of int
        The axes to sum over: the last so many of ``x1`` with the first so many of ``x2``, in
        order, or the axes of ``x1`` and the axes of ``x2`` that go with them.

    Returns
    -------
    Array
        The sums of products.  Its shape is the remaining axes of ``x1``, then those of ``x2``.

    Raises
    ------
    TypeError
        If an operand is not an array, is not numeric, if the data types do not promote, or if
        ``axes`` is neither an integer nor two sequences of integers.
    ValueError
        If there are not that many axes, if the two sequences are of different lengths or name an
        axis twice, if the axes of a pair differ in size, or if the devices differ.
    AxisError
        If an array has no such axis; both a ValueError and an IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> xp.tensordot(x, x)
    Array(91, dtype=int64, device='cpu')
    >>> xp.tensordot(x, x, axes=((0,), (0,)))
    Array([[17, 22, 27],
           [22, 29, 36],
           [27, 36, 45]], dtype=int64, device='cpu')
    """
    t1, t2, spec = array_operands("tensordot", dt.NUMERIC, x1, x2)
    axes1, axes2 = _paired_axes(axes, t1.dim(), t2.dim())
    shape1, shape2 = t1.shape, t2.shape
    for a1, a2 in zip(axes1, axes2):
        if shape1[a1] != shape2[a2]:
            raise ValueError(
                f"tensordot: axis {a1} of the first array has size {shape1[a1]}, axis {a2} of "
                f"the second size {shape2[a2]}; axes that are summed over must agree in size."
            )
    return as_truth(wrap(ops.tensordot.on(spec)(t1, t2, axes1, axes2), spec), x1, x2)


def _paired_axes(axes: Any, ndim1: int, ndim2: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the axes over which ``tensordot`` sums, counted from the front."""
    given = axes if isinstance(axes, (tuple, list)) else describe(axes)
    error = TypeError(
        "tensordot: axes must be an integer or a pair of sequences of integers, such as "
        f"((0, 1), (1, 0)); got {given}."
    )
    if not isinstance(axes, (int, tuple, list)):
        axes = relaxed.read(axes, (int, tuple), error)
    if isinstance(axes, int) and not isinstance(axes, bool):
        most = min(ndim1, ndim2)
        if not 0 <= axes <= most:
            raise ValueError(
                f"tensordot: cannot sum over {axes} axes of arrays of {ndim1} and {ndim2} "
                f"dimensions; allowed is a number of axes from 0 to {most}."
            )
        return tuple(range(ndim1 - axes, ndim1)), tuple(range(axes))
    if not isinstance(axes, (tuple, list)) or len(axes) != 2:
        raise error
    first, second = (
        a if isinstance(a, (tuple, list)) else relaxed.read(a, tuple, error) for a in axes
    )
    axes1 = normalize_axes("tensordot", first, ndim1)
    axes2 = normalize_axes("tensordot", second, ndim2)
    if len(axes1) != len(axes2):
        raise ValueError(
            f"tensordot: axes {axes} name {len(axes1)} axes of the first array and {len(axes2)} "
            "of the second; they must pair up."
        )
    return axes1, axes2


@refusing
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Calculate the dot products of vectors along an axis; the first operand is conjugated.

    Integers wrap around.

    Parameters
    ----------
    x1, x2 : Array
        Arrays of a numeric data type.  They are broadcast, but for the axis itself, which must
        have the same size in both.
    axis : int
        The axis that holds the vectors, counted from the back: it must be negative.

    Returns
    -------
    Array
        The dot products: the broadcast shape without the axis.

    Raises
    ------
    TypeError
        If an operand is not an array, is not numeric, or if the data types do not promote.
    ValueError
        If the vectors differ in length, if the shapes do not broadcast, or if the devices differ.
    AxisError
        If ``axis`` is not negative, or an array does not have it; both a ValueError and an
        IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> xp.vecdot(x, xp.asarray([10, 1]))
    Array([12, 34], dtype=int64, device='cpu')
    >>> z = xp.asarray([1 + 1j, 2j])
    >>> xp.vecdot(z, z)
    Array(6.+0.j, dtype=complex64, device='cpu')
    """
    t1, t2, spec = array_operands("vecdot", dt.NUMERIC, x1, x2)
    axis = negative_axis("vecdot", axis, t1.dim(), t2.dim())
    if t1.shape[axis] != t2.shape[axis]:
        raise ValueError(
            f"vecdot: the vectors along axis {axis} have {t1.shape[axis]} and {t2.shape[axis]} "
            f"elements (shapes {tuple(t1.shape)} and {tuple(t2.shape)}); they must have the same "
            "number."
        )
    return as_truth(wrap(call(ops.vecdot, spec, "vecdot", t1, t2, axis), spec), x1, x2)
