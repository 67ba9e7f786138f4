"""Rounding to integers."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._calls.elementwise import unary
from ..._routes import elementwise as ops

__all__ = ["ceil", "floor", "round", "trunc"]


@unary(ops.ceil)
def ceil(x: Array, /) -> Array:
    """Round each element up to an integer.

    Parameters
    ----------
    x : Array
        The numbers, of a real-valued data type.

    Returns
    -------
    Array
        The least integers that are not below the elements. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real-valued data type.

    See Also
    --------
    floor, round, trunc

    Notes
    -----
    Integers, infinities, zeros and NaN are returned as they are. A number between -1 and 0 gives
    -0.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.ceil(xp.asarray([-1.5, -0.5, 1.2]))
    Array([-1., -0.,  2.], dtype=float32, device='cpu')
    >>> xp.ceil(xp.asarray([1, 2], dtype=xp.uint16))
    Array([1, 2], dtype=uint16, device='cpu')
    """


@unary(ops.floor)
def floor(x: Array, /) -> Array:
    """Round each element down to an integer.

    Parameters
    ----------
    x : Array
        The numbers, of a real-valued data type.

    Returns
    -------
    Array
        The greatest integers that are not above the elements. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real-valued data type.

    See Also
    --------
    ceil, round, trunc

    Notes
    -----
    Integers, infinities, zeros and NaN are returned as they are.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.floor(xp.asarray([-1.5, -0.0, 1.8]))
    Array([-2., -0.,  1.], dtype=float32, device='cpu')
    >>> xp.floor(xp.asarray([1, 2], dtype=xp.uint16))
    Array([1, 2], dtype=uint16, device='cpu')
    """


@unary(ops.round)
def round(x: Array, /) -> Array:
    """Round each element to the nearest integer.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The rounded numbers. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    ceil, floor, trunc

    Notes
    -----
    Numbers halfway between two integers go to the even one. Integers, infinities, zeros and NaN are
    returned as they are; negative numbers that round to zero give -0. The components of complex
    numbers are rounded independently.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.round(xp.asarray([0.5, 1.5, 2.5, -0.2]))
    Array([ 0.,  2.,  2., -0.], dtype=float32, device='cpu')
    >>> xp.round(xp.asarray([1.5 - 2.5j]))
    Array([2.-2.j], dtype=complex64, device='cpu')
    """


@unary(ops.trunc)
def trunc(x: Array, /) -> Array:
    """Round each element towards zero.

    Parameters
    ----------
    x : Array
        The numbers, of a real-valued data type.

    Returns
    -------
    Array
        The elements without their fractional parts. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real-valued data type.

    See Also
    --------
    ceil, floor, round

    Notes
    -----
    Integers, infinities, zeros and NaN are returned as they are; numbers between -1 and 0 give -0.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.trunc(xp.asarray([-1.5, -0.5, 1.8]))
    Array([-1., -0.,  1.], dtype=float32, device='cpu')
    >>> xp.trunc(xp.asarray([1, 2], dtype=xp.uint16))
    Array([1, 2], dtype=uint16, device='cpu')
    """
