"""The incomplete beta function, and quotients of gamma functions."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import binary, ternary
from .._routes import beta as ops

__all__ = ["betainc", "betaincc", "binom", "poch"]


@ternary(ops.betainc)
def betainc(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    """Compute the regularized incomplete beta function.

    Parameters
    ----------
    a, b, x : Array, int or float
        The operands, real, broadcast together and promoted to one data type. All but one of
        them may be Python scalars.

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
    It goes from 0 for ``x`` = 0 to 1 for ``x`` = 1; NaN outside the domain: ``a`` and ``b`` are at
    least 0.

    Algorithm: the integral after the substitution t = x exp(-s), by the Gauss-Legendre formula,
    with a fixed number of nodes for all operands.  https://dlmf.nist.gov/8.17

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.betainc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.betainc(2.0, 3.0, xp.asarray([0.0, 0.5, 1.0], dtype=xp.float64))
    Array([0.    , 0.6875, 1.    ], dtype=float64, device='cpu')
    """


@ternary(ops.betaincc)
def betaincc(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    """Compute the complement of the regularized incomplete beta function.

    Parameters
    ----------
    a, b, x : Array, int or float
        The operands, real, broadcast together and promoted to one data type. All but one of
        them may be Python scalars.

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
    It is ``1 - betainc(a, b, x)``, without the cancellation near 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.betaincc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.betaincc(2.0, 3.0, xp.asarray([0.0, 0.5, 0.999], dtype=xp.float64))
    Array([1.000e+00, 3.125e-01, 3.997e-09], dtype=float64, device='cpu')
    """


@binary(ops.binom)
def binom(n: Array | float, k: Array | float, /) -> Array:
    """Compute binomial coefficients, also of numbers that are not whole.

    Parameters
    ----------
    n, k : Array, int or float
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
    Whole numbers give whole numbers, up to 2**45 in float64.  NaN where ``n`` is a negative
    integer, as in SciPy.  At infinite operands it is the limit, and NaN if there is none.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.binom.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.binom(xp.asarray([5.0, 40.0, 0.5], dtype=xp.float64), 2.0)
    Array([ 1.00e+01,  7.80e+02, -1.25e-01], dtype=float64, device='cpu')
    """


@binary(ops.poch)
def poch(x: Array | float, m: Array | float, /) -> Array:
    """Compute the Pochhammer symbol, gamma(x + m) / gamma(x).

    Parameters
    ----------
    x, m : Array, int or float
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
    At infinite operands it is the limit, and NaN if there is none, because gamma functions of
    large negative numbers have poles.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.poch.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.poch(xp.asarray([1.0, 0.5, 1e10], dtype=xp.float64), 2.0)
    Array([2.0e+00, 7.5e-01, 1.0e+20], dtype=float64, device='cpu')
    """
