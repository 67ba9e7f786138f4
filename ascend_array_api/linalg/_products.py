"""Products of vectors and matrices, and functions of their diagonals."""

from __future__ import annotations

from typing import Any

from .._arrays.array import Array, wrap
from .._arrays.axes import as_int, negative_axis
from .._calls.elementwise import call
from .._calls.operands import array_operands
from .._calls.plainest import plainest
from .._chapters.linear_algebra import matrices
from .._chapters.statistical import accumulator
from .._errors.exceptions import wrong_dtype
from .._errors.foreign_calls import refusing
from .._options import relaxed
from .._routes import elementwise, reductions
from .._routes import linear_algebra as ops
from .._routes._operations import cast
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from ._checks import compute, square
from ._systems import SINGULAR

__all__ = ["cross", "diagonal", "matrix_power", "outer", "trace"]


@refusing
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Calculate the cross products of vectors of 3 elements.

    Integers wrap around.

    Parameters
    ----------
    x1, x2 : Array
        Arrays of a numeric data type.  They are broadcast, but for the axis itself, which must
        have size 3 in both.
    axis : int
        The axis that holds the vectors, counted from the back: it must be negative.

    Returns
    -------
    Array
        The cross products, in the broadcast shape.

    Raises
    ------
    TypeError
        If an operand is not an array, is not numeric, or if the data types do not promote.
    ValueError
        If the vectors have not 3 elements, if the shapes do not broadcast, or if the devices
        differ.
    AxisError
        If ``axis`` is not negative, or an array does not have it; both a ValueError and an
        IndexError.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([[0, 1, 0], [0, 0, 1]]))
    Array([[ 0,  0,  1],
           [ 0, -1,  0]], dtype=int64, device='cpu')
    """
    t1, t2, spec = array_operands("cross", dt.NUMERIC, x1, x2)
    axis = negative_axis("cross", axis, t1.dim(), t2.dim())
    if t1.shape[axis] != 3 or t2.shape[axis] != 3:
        raise ValueError(
            f"cross: the vectors along axis {axis} have {t1.shape[axis]} and {t2.shape[axis]} "
            f"elements (shapes {tuple(t1.shape)} and {tuple(t2.shape)}); both must have 3."
        )
    return wrap(call(ops.cross, spec, "cross", t1, t2, axis), spec)


@refusing
def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Return a diagonal of a matrix, or of each matrix of a stack.

    The result is a view: it shares memory with ``x``.

    Parameters
    ----------
    x : Array
        An array of any data type and of shape ``(..., M, N)``.
    offset : int
        Which diagonal: the main one for 0, one above for a positive offset, one below for a
        negative one.

    Returns
    -------
    Array
        A view of shape ``(..., K)``, where ``K`` is the length of the diagonal; it is 0 for an
        offset beyond the matrix.

    Raises
    ------
    TypeError
        If ``x`` is not an array or ``offset`` not an integer.
    ValueError
        If the array has fewer than 2 dimensions.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> xp.linalg.diagonal(x)
    Array([1, 5], dtype=int64, device='cpu')
    >>> xp.linalg.diagonal(x, offset=1)
    Array([2, 6], dtype=int64, device='cpu')
    """
    if type(x) is Array and type(offset) is int and offset == 0 and x._tensor.dim() > 1:
        return wrap(torch.linalg.diagonal(x._tensor), x._spec)
    tensor, spec = matrices("diagonal", x, dt.ANY)
    return wrap(_entries("diagonal", tensor, offset), spec)


def _entries(function: str, x: Tensor, offset: Any) -> Tensor:
    """Return the entries of matrices on a diagonal, as a view."""
    if type(offset) is int and offset == 0:
        main: Tensor = torch.linalg.diagonal(x)  # torch is faster without arguments for axes
        return main
    rows, columns = x.shape[-2:]
    within = max(-rows, min(as_int(function, offset, "offset"), columns))  # torch wants int64
    return x.diagonal(within, -2, -1)


@refusing
def matrix_power(x: Array, n: int, /) -> Array:
    """Raise a square matrix, or each of a stack, to an integer power.

    Parameters
    ----------
    x : Array
        An array of shape ``(..., M, M)`` and of a floating-point data type; of one of float32,
        float64, complex64 and complex128 if ``n`` is negative.  In relaxed mode also of integers,
        which wrap around, unless ``n`` is negative.
    n : int
        The exponent.  For 0 the result is the identity matrix, for a negative exponent a power of
        the inverse.

    Returns
    -------
    Array
        The powers, of the shape of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed, or ``n`` not an integer.
    ValueError
        If the matrices are not square.
    LinAlgError
        If ``n`` is negative and a matrix is found to be singular; see ``inv``.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.matrix_power(xp.asarray([[1.0, 1.0], [1.0, 0.0]]), 10)
    Array([[89., 55.],
           [55., 34.]], dtype=float32, device='cpu')
    """
    n = as_int("matrix_power", n, "n")
    allowed = dt.FLOATING if n >= 0 else ops.DECOMPOSED
    if n >= 0 and isinstance(x, Array) and x.dtype in dt.INTEGER:
        refusal = wrong_dtype("matrix_power", x.dtype, allowed)
        allowed = dt.NUMERIC if relaxed.allows(refusal) else allowed
    tensor, spec = square("matrix_power", x, allowed)
    if n < 0:
        inverse = compute(ops.inv, spec, tensor, failure=SINGULAR, function="matrix_power")
        made = wrap(inverse, spec)
        tensor, spec = made._tensor, made._spec
    return wrap(ops.matrix_power.on(spec)(tensor, abs(n)), spec)


@plainest(
    "x1: array, x2: alike if ndim == 1 and x2._tensor.dim() == 1 and is_native(spec)",
    "torch.outer(tensor, x2._tensor)",
    kernel=elementwise.multiply,
    is_native=elementwise.multiply.is_native,
)
def outer(x1: Array, x2: Array, /) -> Array:
    """Calculate the outer product of two vectors.

    Integers wrap around.  Nothing is conjugated.

    Parameters
    ----------
    x1, x2 : Array
        Arrays of a numeric data type and of 1 dimension, with ``N`` and ``M`` elements.

    Returns
    -------
    Array
        The products of each element of ``x1`` with each of ``x2``, of shape ``(N, M)``.

    Raises
    ------
    TypeError
        If an operand is not an array, is not numeric, or if the data types do not promote.
    ValueError
        If an array has not 1 dimension, or if the devices differ.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4, 5]))
    Array([[ 3,  4,  5],
           [ 6,  8, 10]], dtype=int64, device='cpu')
    """
    t1, t2, spec = array_operands("outer", dt.NUMERIC, x1, x2)
    if t1.dim() != 1 or t2.dim() != 1:
        raise ValueError(
            "outer: expected two arrays of 1 dimension, got shapes "
            f"{tuple(t1.shape)} and {tuple(t2.shape)}. Flatten them with reshape(x, (-1,)) first, "
            "or use tensordot(x1, x2, axes=0)."
        )
    return wrap(elementwise.multiply.on(spec)(t1.unsqueeze(1), t2), spec)


@refusing
def trace(x: Array, /, *, offset: int = 0, dtype: dt.AnyDType = None) -> Array:
    """Sum a diagonal of a matrix, or of each matrix of a stack.

    Integers wrap around.

    Parameters
    ----------
    x : Array
        An array of a numeric data type and of shape ``(..., M, N)``.
    offset : int
        Which diagonal: the main one for 0, one above for a positive offset, one below for a
        negative one.
    dtype : dtype, optional
        The data type of the result, to which the elements are cast before they are added.  By
        default that of ``x``, but int64 for signed and uint64 for unsigned integers.

    Returns
    -------
    Array
        The sums, of shape ``(...)`` and of the data type ``dtype``; 0 for an empty diagonal.

    Raises
    ------
    TypeError
        If ``x`` or ``dtype`` is not numeric, if a complex array would be cast to a real one, or
        if ``offset`` is not an integer.
    ValueError
        If the array has fewer than 2 dimensions.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[100, 2], [3, 100]], dtype=xp.int8)
    >>> xp.linalg.trace(x)
    Array(200, dtype=int64, device='cpu')
    >>> xp.linalg.trace(x, offset=1)
    Array(2, dtype=int64, device='cpu')
    """
    tensor, spec = matrices("trace", x, dt.NUMERIC)
    spec = spec.of(accumulator("trace", spec.dtype, dtype))
    entries = _entries("trace", tensor, offset)
    return wrap(reductions.sum.on(spec)(cast(entries, spec.dtype), -1), spec)
