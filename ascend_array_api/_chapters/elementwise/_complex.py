"""Components and conjugates of complex numbers."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._calls.elementwise import unary
from ..._routes import elementwise as ops

__all__ = ["conj", "imag", "real"]


@unary(ops.conj)
def conj(x: Array, /) -> Array:
    """Compute the complex conjugate of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The elements with the sign of the imaginary parts flipped, those of zeros included; a copy
        of real ``x``. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    imag, real

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.conj(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1.-2.j, 3.+4.j], dtype=complex64, device='cpu')
    """


@unary(ops.imag)
def imag(x: Array, /) -> Array:
    """Return the imaginary part of each element.

    Parameters
    ----------
    x : Array
        The complex numbers, of a complex floating-point data type.

    Returns
    -------
    Array
        The imaginary parts, in the shape of ``x``: float32 for complex64, float64 for complex128.
        It is a view of ``x``, as in NumPy.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a complex floating-point data type.

    See Also
    --------
    real, conj

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.imag(xp.asarray([1 + 2j, 3 - 4j]))
    Array([ 2., -4.], dtype=float32, device='cpu')
    """


@unary(ops.real)
def real(x: Array, /) -> Array:
    """Return the real part of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The real parts, in the shape of ``x``. The data type is that of ``x``; for complex ``x`` it
        is that of the components: float32 for complex64, float64 for complex128.  It is a view of
        ``x``, as in NumPy.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    imag, conj

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.real(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1., 3.], dtype=float32, device='cpu')
    >>> xp.real(xp.asarray([1, 2], dtype=xp.int8))
    Array([1, 2], dtype=int8, device='cpu')
    """
