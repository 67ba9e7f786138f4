"""Bessel functions of the orders 0 and 1."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import unary
from .._routes import special as ops

__all__ = ["i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"]


@unary(ops.i0)
def i0(x: Array, /) -> Array:
    """Compute the modified Bessel function of the first kind of order zero.

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
    It overflows beyond 713.9 in float64, and beyond 91.9 in float32. Of infinities it is
    infinite, where SciPy's is NaN.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i0.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.i0(xp.asarray([0.0, 0.5, 2.0], dtype=xp.float64))
    Array([1.        , 1.06348337, 2.2795853 ], dtype=float64, device='cpu')
    """


@unary(ops.i0e)
def i0e(x: Array, /) -> Array:
    """Compute the modified Bessel function of the first kind of order zero, times exp(-abs(x)).

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

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i0e.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.i0e(xp.asarray([0.0, 0.5, 1000.0], dtype=xp.float64))
    Array([1.        , 0.64503527, 0.01261724], dtype=float64, device='cpu')
    """


@unary(ops.i1)
def i1(x: Array, /) -> Array:
    """Compute the modified Bessel function of the first kind of order one.

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
    It overflows beyond 713.9 in float64, and beyond 91.9 in float32. Of infinities it is
    the same infinities, where SciPy's is NaN.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.i1(xp.asarray([0.0, 0.5, 2.0], dtype=xp.float64))
    Array([0.        , 0.25789431, 1.59063685], dtype=float64, device='cpu')
    """


@unary(ops.i1e)
def i1e(x: Array, /) -> Array:
    """Compute the modified Bessel function of the first kind of order one, times exp(-abs(x)).

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

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.i1e.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.i1e(xp.asarray([0.0, 0.5, 1000.0], dtype=xp.float64))
    Array([0.        , 0.1564208 , 0.01261093], dtype=float64, device='cpu')
    """


@unary(ops.j0)
def j0(x: Array, /) -> Array:
    """Compute the Bessel function of the first kind of order zero.

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
    For large arguments the absolute error grows as the rounding of the argument itself.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.j0.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.j0(xp.asarray([0.0, 0.5, 100.0], dtype=xp.float64))
    Array([1.        , 0.93846981, 0.01998585], dtype=float64, device='cpu')
    """


@unary(ops.j1)
def j1(x: Array, /) -> Array:
    """Compute the Bessel function of the first kind of order one.

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
    For large arguments the absolute error grows as the rounding of the argument itself.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.j1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.j1(xp.asarray([0.0, 0.5, 100.0], dtype=xp.float64))
    Array([ 0.        ,  0.24226846, -0.07714535], dtype=float64, device='cpu')
    """


@unary(ops.k0)
def k0(x: Array, /) -> Array:
    """Compute the modified Bessel function of the second kind of order zero.

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
    It is infinite for 0, and NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k0.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.k0(xp.asarray([0.5, 2.0, 10.0], dtype=xp.float64))
    Array([9.24419071e-01, 1.13893873e-01, 1.77800623e-05], dtype=float64, device='cpu')
    """


@unary(ops.k0e)
def k0e(x: Array, /) -> Array:
    """Compute the modified Bessel function of the second kind of order zero, times exp(x).

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
    It is infinite for 0, and NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k0e.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.k0e(xp.asarray([0.5, 2.0, 1000.0], dtype=xp.float64))
    Array([1.52410939, 0.84156822, 0.03962832], dtype=float64, device='cpu')
    """


@unary(ops.k1)
def k1(x: Array, /) -> Array:
    """Compute the modified Bessel function of the second kind of order one.

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
    It is infinite for 0, and NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.k1(xp.asarray([0.5, 2.0, 10.0], dtype=xp.float64))
    Array([1.65644112e+00, 1.39865882e-01, 1.86487735e-05], dtype=float64, device='cpu')
    """


@unary(ops.k1e)
def k1e(x: Array, /) -> Array:
    """Compute the modified Bessel function of the second kind of order one, times exp(x).

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
    It is infinite for 0, and NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.k1e.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.k1e(xp.asarray([0.5, 2.0, 1000.0], dtype=xp.float64))
    Array([2.73100971, 1.03347685, 0.03964813], dtype=float64, device='cpu')
    """


@unary(ops.y0)
def y0(x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of order zero.

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
    It is ``-inf`` for 0, and NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.y0.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.y0(xp.asarray([0.5, 2.0, 100.0], dtype=xp.float64))
    Array([-0.44451873,  0.51037567, -0.07724431], dtype=float64, device='cpu')
    """


@unary(ops.y1)
def y1(x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of order one.

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
    It is ``-inf`` for 0, and NaN for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.y1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.y1(xp.asarray([0.5, 2.0, 100.0], dtype=xp.float64))
    Array([-1.47147239, -0.10703243, -0.02037231], dtype=float64, device='cpu')
    """
