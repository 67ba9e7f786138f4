"""Functions that the standard lacks and that code for arrays of any library looks for.

They have NumPy's names and meaning.  Where such code finds none of them, it goes to NumPy, and that
is to say to the host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _dtypes as dt
from ._array import Array, wrap
from ._axes import as_int
from ._calls import array_operand
from ._errors import wrong_dtype
from ._interchange import check_dtype
from ._routes import creation, indexing

if TYPE_CHECKING:
    import torch

__all__ = ["diag", "logspace"]


def diag(x: Array, /, k: int = 0) -> Array:
    """Return the diagonal of a matrix, or the matrix with a diagonal.

    Parameters
    ----------
    x : Array
        A matrix, or a vector.
    k : int
        Which diagonal: 0 is the main one, a positive number lies above it, a negative one below.

    Returns
    -------
    Array
        Of a matrix, its diagonal, as a view.  Of a vector, a square matrix that has it as its
        diagonal and zeros elsewhere.

    Raises
    ------
    ValueError
        If ``x`` has neither 1 nor 2 dimensions.

    See Also
    --------
    linalg.diagonal : the diagonals of a stack of matrices; this one is in the standard.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.diag.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.diag(xp.asarray([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device='cpu')
    >>> xp.diag(xp.asarray([[1, 2], [3, 4]]), k=1)
    Array([2], dtype=int64, device='cpu')
    """
    x = array_operand("diag", x, dt.ANY)
    offset = as_int("diag", k, "k")
    if x.ndim not in {1, 2}:
        raise ValueError(
            f"diag: expected 1 or 2 dimensions, got {x.ndim}. Use linalg.diagonal() for stacks."
        )
    if x.ndim == 2:
        return wrap(x._tensor.diagonal(offset), x._spec)
    side = x.size + abs(offset)
    device = x._spec.device.torch_device
    matrix = creation.zeros.on(x._spec)((side, side), x._spec.dtype, device)
    indexing.copy_to.on(x._spec)(matrix.diagonal(offset), x._tensor)
    return wrap(matrix, x._spec)


def logspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    *,
    base: float = 10.0,
    dtype: torch.dtype | None = None,
    device: Any | None = None,
    endpoint: bool = True,
) -> Array:
    """Return numbers evenly spaced on a logarithmic scale.

    Parameters
    ----------
    start, stop : int, float or complex
        The exponents of the first and the last number.
    num : int
        How many numbers.
    base : float
        The base of the exponents.
    dtype, device, endpoint
        As for ``linspace``; the data type must be a floating-point one.

    Returns
    -------
    Array
        ``base`` to the power of ``linspace(start, stop, num)``, of shape ``(num,)``; powers that
        are too large are infinite.

    Raises
    ------
    TypeError
        If an exponent is no number, or if ``dtype`` is no floating-point data type or cannot hold
        the exponents.
    ValueError
        If ``num`` is negative, or if there is no such device.

    See Also
    --------
    linspace : numbers evenly spaced; in the standard.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.logspace.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float32, device='cpu')
    """
    from ._creation import linspace

    if dtype is not None and check_dtype("logspace", dtype) not in dt.FLOATING:
        raise wrong_dtype("logspace", dtype, dt.FLOATING, "Use astype() on the result.")
    exponents = linspace(start, stop, num, dtype=dtype, device=device, endpoint=endpoint)
    powers: Array = base**exponents
    return powers
