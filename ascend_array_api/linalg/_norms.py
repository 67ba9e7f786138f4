"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any, Final, Literal, TypeAlias

from .._arrays.array import Array, wrap
from .._arrays.axes import Axes, as_bool, as_number, reduction
from .._calls.operands import operand
from .._calls.plainest import plainest
from .._options import relaxed
from .._routes import linear_algebra as ops
from .._torch.dtypes import FLOATING
from ._checks import compute, decomposable

__all__ = ["matrix_norm", "vector_norm"]

MatrixOrder: TypeAlias = "float | Literal['fro', 'nuc'] | None"

_ORDERS: Final = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def _axes(axis: int | None, ndim: int, native: bool) -> tuple[int, ...] | None:
    if axis is not None:
        return (axis % ndim,)
    return None if native else tuple(range(ndim))


@plainest(
    "x: array, keepdims: bool if ndim >= 2 and type(ord) is str and ord == 'fro'",
    "kernel(tensor, ord='fro', keepdims=keepdims)",
    kernel=ops.matrix_norm,
    returns="spec.real",
)
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: MatrixOrder = "fro") -> Array:
    """Calculate a norm of a matrix, or of each matrix of a stack.

    Parameters
    ----------
    x : Array
        An array of one of float32, float64, complex64 and complex128, of shape ``(..., M, N)``.
    keepdims : bool
        Whether the last two axes stay in the result, with size 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf} or None
        Which norm: the Frobenius norm, also for None; the nuclear norm, which is the sum of the
        singular values; for 1 and -1 the greatest and the least sum of the absolute values of a
        column, for inf and -inf of a row; for 2 and -2 the greatest and the least singular value.

    Returns
    -------
    Array
        The norms, of shape ``(...)`` and of the real data type of the precision of ``x``.  Norms
        by singular values are NaN for a matrix with NaN or an infinity.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If the array has fewer than 2 dimensions, if there is no such norm, or if an empty matrix
        has no column, row or singular value that could be the least.  Its other norms are 0.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, -2.0], [2.0, 4.0]])
    >>> xp.linalg.matrix_norm(x)
    Array(5., dtype=float32, device='cpu')
    >>> xp.linalg.matrix_norm(x, ord=1)
    Array(6., dtype=float32, device='cpu')
    """
    tensor, spec = decomposable("matrix_norm", x)
    keepdims = as_bool("matrix_norm", keepdims, "keepdims")
    order: Any = "fro" if ord is None else ord
    allowed = f"matrix_norm: ord must be one of {', '.join(map(repr, _ORDERS))} or None, got "
    if not isinstance(order, (str, int, float)):
        order = relaxed.read(order, (int, float), ValueError(f"{allowed}{ord!r}."))
    if isinstance(order, bool) or order not in _ORDERS:
        raise ValueError(f"{allowed}{ord!r}.")
    rows, columns = tensor.shape[-2:]
    candidates = {-1: columns, -2: min(rows, columns), -math.inf: rows}
    if candidates.get(order) == 0:
        raise ValueError(
            f"matrix_norm: an empty matrix (shape {tuple(tensor.shape)}) has no norm of the order "
            f"{ord}, which is the least of nothing. Handle the empty case before the call."
        )
    norms = compute(ops.matrix_norm, spec, tensor, ord=order, keepdims=keepdims)
    return wrap(norms, spec.real)


@plainest(
    "x: array, axis: any axis, keepdims: bool, ord: number if ord != -inf and (ndim or axis is not "
    "None)",
    "kernel(tensor, ord, axes(axis, ndim, kernel is native), keepdims=keepdims)",
    kernel=ops.vector_norm,
    returns="spec.real",
    inf=math.inf,
    axes=_axes,
)
def vector_norm(x: Array, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Array:
    """Calculate a norm of the vectors along axes of an array.

    For most orders it is ``sum(abs(x) ** ord) ** (1 / ord)``.

    Parameters
    ----------
    x : Array
        An array of a floating-point data type.
    axis : int or tuple of int, optional
        The axes that hold the vectors; by default all of them.  For ``()`` each element is a
        vector by itself.
    keepdims : bool
        Whether these axes stay in the result, with size 1.
    ord : int or float
        The order.  For inf and -inf it is the greatest and the least absolute value, for 0 the
        number of elements that are not 0.

    Returns
    -------
    Array
        The norms, of the real data type of the precision of ``x``.  For vectors without elements
        they are 0, and infinite for a negative order.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a floating-point data type, or ``ord`` is not a real number.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis stands twice in ``axis``, or if ``ord`` is -inf for vectors without elements.

    Notes
    -----
    Powers overflow and underflow on the way, as in NumPy: of order 2 in float32 those of numbers
    beyond 1e19 and below 1e-19.  ``hypot`` avoids that.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[3.0, 4.0], [0.0, -2.0]])
    >>> xp.linalg.vector_norm(x, axis=1)
    Array([5., 2.], dtype=float32, device='cpu')
    >>> xp.linalg.vector_norm(x, ord=1)
    Array(9., dtype=float32, device='cpu')
    """
    tensor, spec = operand("vector_norm", x, FLOATING)
    ord = as_number("vector_norm", ord, "ord")
    shape = tensor.shape
    tensor, axes, keep = reduction("vector_norm", tensor, axis, keepdims)
    if ord == -math.inf and 0 in [tensor.shape[i] for i in axes]:
        raise ValueError(
            f"vector_norm: vectors without elements (shape {tuple(shape)}, axis {axis}) have no "
            "norm of the order -inf, which is the least of nothing. Handle the empty case before "
            "the call."
        )
    norms = ops.vector_norm.on(spec)(tensor, ord, axes, keepdims=keep)
    return wrap(norms, spec.real)
