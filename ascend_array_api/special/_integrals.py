"""Exponential and elliptic integrals, and the dilogarithm."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import binary, unary
from .._routes import integrals as ops

__all__ = ["ellipk", "ellipkm1", "exp1", "expi", "expn", "spence"]


@unary(ops.ellipk)
def ellipk(m: Array, /) -> Array:
    """Compute the complete elliptic integral of the first kind.

    Parameters
    ----------
    m : Array
        The arguments, real; integers count as numbers of the default floating-point data type.

    Returns
    -------
    Array
        The values, in the shape and of the data type of ``m``.

    Raises
    ------
    TypeError
        If ``m`` is not an Array, or complex.

    Notes
    -----
    The parameter is ``m``, the square of the modulus: infinite for 1, NaN above.

    Algorithm: the arithmetic-geometric mean.  https://dlmf.nist.gov/19.8.E5

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ellipk.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.ellipk(xp.asarray([-1.0, 0.0, 0.5], dtype=xp.float64))
    Array([1.31102878, 1.57079633, 1.85407468], dtype=float64, device='cpu')
    """


@unary(ops.ellipkm1)
def ellipkm1(p: Array, /) -> Array:
    """Compute the complete elliptic integral of the first kind around 1.

    Parameters
    ----------
    p : Array
        The arguments, real; integers count as numbers of the default floating-point data type.

    Returns
    -------
    Array
        The values, in the shape and of the data type of ``p``.

    Raises
    ------
    TypeError
        If ``p`` is not an Array, or complex.

    Notes
    -----
    It is ``ellipk(1 - p)``, exact also where ``p`` is near 0; NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ellipkm1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.ellipkm1(xp.asarray([1e-30, 0.5, 1.0], dtype=xp.float64))
    Array([35.92507076,  1.85407468,  1.57079633], dtype=float64, device='cpu')
    """


@unary(ops.exp1)
def exp1(x: Array, /) -> Array:
    """Compute the exponential integral E1.

    Parameters
    ----------
    x : Array
        The arguments, real; integers count as numbers of the default floating-point data type.

    Returns
    -------
    Array
        The values, in the shape and of the data type of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or complex.

    Notes
    -----
    Infinite for 0, NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exp1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.exp1(xp.asarray([1e-5, 1.0, 100.0], dtype=xp.float64))
    Array([1.09357198e+01, 2.19383934e-01, 3.68359776e-46], dtype=float64, device='cpu')
    """


@unary(ops.expi)
def expi(x: Array, /) -> Array:
    """Compute the exponential integral Ei.

    Parameters
    ----------
    x : Array
        The arguments, real; integers count as numbers of the default floating-point data type.

    Returns
    -------
    Array
        The values, in the shape and of the data type of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or complex.

    Notes
    -----
    Minus infinity for 0; of negative numbers it is ``-exp1(-x)``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.expi.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.expi(xp.asarray([-1.0, 0.5, 100.0], dtype=xp.float64))
    Array([-2.19383934e-01,  4.54219905e-01,  2.71555274e+41], dtype=float64, device='cpu')
    """


@binary(ops.expn)
def expn(n: Array | float, x: Array | float, /) -> Array:
    """Compute the generalized exponential integral of order n.

    Parameters
    ----------
    n, x : Array, int or float
        The operands, real, broadcast together and promoted to one data type. One of
        them may be a Python scalar.

    Returns
    -------
    Array
        The values, of the operands' promoted data type, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    Of whole orders from 0 on, and others rounded down; NaN where an operand is negative.

    Algorithm: a series up to 1, a continued fraction beyond.  https://dlmf.nist.gov/8.19

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.expn.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.expn(2.0, xp.asarray([0.0, 1.0, 100.0], dtype=xp.float64))
    Array([1.00000000e+00, 1.48495507e-01, 3.64782143e-46], dtype=float64, device='cpu')
    """


@unary(ops.spence)
def spence(x: Array, /) -> Array:
    """Compute Spence's function, the dilogarithm of 1 - x.

    Parameters
    ----------
    x : Array
        The arguments, real; integers count as numbers of the default floating-point data type.

    Returns
    -------
    Array
        The values, in the shape and of the data type of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or complex.

    Notes
    -----
    NaN for negative numbers.

    Algorithm: a series in the logarithm.  https://dlmf.nist.gov/25.12

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.spence.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.spence(xp.asarray([0.0, 0.5, 2.0], dtype=xp.float64))
    Array([ 1.64493407,  0.58224053, -0.82246703], dtype=float64, device='cpu')
    """
