"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from .._array import Array, wrap
from .._axes import reduction
from .._calls import shortcut
from .._dtypes import FLOATING
from .._errors import describe
from .._misuse import misuse, refusing
from .._operands import operand
from .._routes import linear_algebra as ops
from .._routes._engine import check_fault
from ._checks import NOT_CONVERGED, compute, decomposable, flag

if TYPE_CHECKING:
    from typing_extensions import Never

__all__ = ["matrix_norm", "vector_norm"]

MatrixOrder: TypeAlias = "float | Literal['fro', 'nuc'] | None"

_ORDERS: Final = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
_BY_SINGULAR_VALUES: Final = ("nuc", 2, -2)


_MATRIX_NORMS: Final = ops.matrix_norm.table
_VECTOR_NORMS: Final = ops.vector_norm.table


@shortcut
def _fast_matrix_norm(x: Any, keepdims: Any, ord: Any) -> Array | None:
    """Compute the norm by the elements: None where anything has to be found out or checked."""
    if type(x) is not Array or type(keepdims) is not bool:
        return None
    if ord is not None and (type(ord) is not str or ord != "fro"):
        return None
    spec, tensor = x._spec, x._tensor
    if tensor.dim() < 2:
        return None
    try:
        norms = _MATRIX_NORMS[spec](tensor, ord="fro", keepdims=keepdims)
    except KeyError:
        return None
    except RuntimeError as error:
        check_fault(error, "matrix_norm", spec.device, (tensor,))
        return None
    return wrap(norms, spec.real)


@shortcut
def _fast_vector_norm(x: Any, axis: Any, keepdims: Any, ord: Any) -> Array | None:
    """Compute it in the plainest cases: None where anything has to be found out or checked."""
    if type(x) is not Array or type(keepdims) is not bool or ord == -math.inf:
        return None
    if type(ord) is not int and type(ord) is not float:
        return None
    spec, tensor = x._spec, x._tensor
    ndim = tensor.dim()
    try:
        kernel = _VECTOR_NORMS[spec]
        if type(axis) is int and -ndim <= axis < ndim:
            axes: tuple[int, ...] | None = (axis % ndim,)
        elif axis is not None or not ndim:
            return None
        elif kernel is ops.vector_norm.native:
            axes = None
        else:
            axes = tuple(range(ndim))
        norms = kernel(tensor, ord, axes, keepdims=keepdims)
    except KeyError:
        return None
    except RuntimeError as error:
        check_fault(error, "vector_norm", spec.device, (tensor,))
        return None
    return wrap(norms, spec.real)


@refusing
def matrix_norm(
    x: Array,
    /,
    *misplaced: Never,
    keepdims: bool = False,
    ord: MatrixOrder = "fro",
    **unknown: Never,
) -> Array:
    """Calculate a norm of a matrix, or of each matrix of a stack.

    See
    https://data-apis.org/array-api/2023.12/extensions/generated/array_api.linalg.matrix_norm.html

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
    if misplaced or unknown:
        raise misuse(matrix_norm, misplaced, unknown)
    made = _fast_matrix_norm(x, keepdims, ord)
    if made is not None:
        return made
    tensor, spec = decomposable("matrix_norm", x)
    keepdims = flag("matrix_norm", keepdims, "keepdims")
    order: Any = "fro" if ord is None else ord
    if isinstance(order, bool) or order not in _ORDERS:
        raise ValueError(
            f"matrix_norm: ord must be one of {', '.join(map(repr, _ORDERS))} or None, got {ord!r}."
        )
    rows, columns = tensor.shape[-2:]
    candidates = {-1: columns, -2: min(rows, columns), -math.inf: rows}
    if candidates.get(order) == 0:
        raise ValueError(
            f"matrix_norm: an empty matrix (shape {tuple(tensor.shape)}) has no norm of the order "
            f"{ord}, which is the least of nothing. Handle the empty case before the call."
        )
    if order in _BY_SINGULAR_VALUES:
        norms = compute(
            ops.matrix_norm,
            spec,
            "matrix_norm",
            NOT_CONVERGED,
            tensor,
            ord=order,
            keepdims=keepdims,
        )
    else:
        norms = ops.matrix_norm.on(spec)(tensor, ord=order, keepdims=keepdims)
    return wrap(norms, spec.real)


@refusing
def vector_norm(
    x: Array,
    /,
    *misplaced: Never,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    ord: float = 2,
    **unknown: Never,
) -> Array:
    """Calculate a norm of the vectors along axes of an array.

    For most orders it is ``sum(abs(x) ** ord) ** (1 / ord)``.

    See
    https://data-apis.org/array-api/2023.12/extensions/generated/array_api.linalg.vector_norm.html

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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[3.0, 4.0], [0.0, -2.0]])
    >>> xp.linalg.vector_norm(x, axis=1)
    Array([5., 2.], dtype=float32, device='cpu')
    >>> xp.linalg.vector_norm(x, ord=1)
    Array(9., dtype=float32, device='cpu')
    """
    if misplaced or unknown:
        raise misuse(vector_norm, misplaced, unknown)
    made = _fast_vector_norm(x, axis, keepdims, ord)
    if made is not None:
        return made
    tensor, spec = operand("vector_norm", x, FLOATING)
    if isinstance(ord, bool) or not isinstance(ord, (int, float)):
        raise TypeError(f"vector_norm: ord must be an int or a float, got {describe(ord)}.")
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
