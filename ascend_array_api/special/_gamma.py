"""The gamma function and its relatives."""

from __future__ import annotations

import math
import operator
from typing import Final

from .._arrays.array import Array, wrap
from .._calls.elementwise import binary, unary
from .._calls.operands import operand
from .._chapters.searching import where
from .._errors.foreign_calls import refusing
from .._routes import special as ops

__all__ = [
    "betaln",
    "digamma",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "gammasgn",
    "loggamma",
    "multigammaln",
    "polygamma",
    "psi",
    "rgamma",
    "zeta",
    "zetac",
]


@binary(ops.betaln)
def betaln(a: Array | float, b: Array | float, /) -> Array:
    """Compute the logarithm of the absolute value of the beta function.

    Parameters
    ----------
    a, b : Array, int or float
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
    It is ``gammaln(a) + gammaln(b) - gammaln(a + b)``, without the cancellation for large operands.
    At poles it is infinite.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.betaln.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.betaln(xp.asarray([0.5, 3.0, 1e8], dtype=xp.float64), 2.0)
    Array([  0.28768207,  -2.48490665, -36.8413615 ], dtype=float64, device='cpu')
    """


@unary(ops.gamma)
def gamma(x: Array, /) -> Array:
    """Compute the gamma function.

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
    It is NaN for negative integers and ``-inf``, and infinite for a zero, with its sign. Complex
    arguments are not taken.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gamma.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gamma(xp.asarray([-1.5, 0.5, 5.0], dtype=xp.float64))
    Array([ 2.3632718 ,  1.77245385, 24.        ], dtype=float64, device='cpu')
    """


@binary(ops.gammainc)
def gammainc(a: Array | float, x: Array | float, /) -> Array:
    """Compute the regularized lower incomplete gamma function.

    Parameters
    ----------
    a, x : Array, int or float
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
    It goes from 0 to 1 as ``x`` goes from 0 to infinity; NaN where ``a`` or ``x`` is negative, or
    both are 0 or infinite.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammainc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gammainc(xp.asarray([0.5, 1.0, 100.0], dtype=xp.float64), 1.0)
    Array([8.42700793e-001, 6.32120559e-001, 3.98128082e-159], dtype=float64, device='cpu')
    """


@binary(ops.gammaincc)
def gammaincc(a: Array | float, x: Array | float, /) -> Array:
    """Compute the regularized upper incomplete gamma function.

    Parameters
    ----------
    a, x : Array, int or float
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
    It goes from 1 to 0 as ``x`` goes from 0 to infinity, and is ``1 - gammainc(a, x)`` without the
    cancellation; NaN where ``a`` or ``x`` is negative, or both are 0 or infinite.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammaincc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gammaincc(xp.asarray([0.5, 1.0, 3.0], dtype=xp.float64), 1.0)
    Array([0.15729921, 0.36787944, 0.9196986 ], dtype=float64, device='cpu')
    """


@unary(ops.gammaln)
def gammaln(x: Array, /) -> Array:
    """Compute the logarithm of the absolute value of the gamma function.

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
    It is infinite for 0 and negative integers, and ``-inf`` for ``-inf``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammaln.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gammaln(xp.asarray([-1.5, 0.5, 100.0], dtype=xp.float64))
    Array([  0.86004702,   0.57236494, 359.13420537], dtype=float64, device='cpu')
    """


@unary(ops.gammasgn)
def gammasgn(x: Array, /) -> Array:
    """Compute the sign of the gamma function.

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
    It is 1 or -1; the sign of a zero for a zero, NaN for negative integers and ``-inf``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammasgn.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gammasgn(xp.asarray([-1.5, -0.5, 3.0], dtype=xp.float64))
    Array([ 1., -1.,  1.], dtype=float64, device='cpu')
    """


@unary(ops.loggamma)
def loggamma(x: Array, /) -> Array:
    """Compute the logarithm of the gamma function.

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
    Of real numbers alone: NaN for negative ones, for which `gammaln` is the logarithm of the
    absolute value.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.loggamma.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.loggamma(xp.asarray([-0.5, 0.5, 100.0], dtype=xp.float64))
    Array([         nan,   0.57236494, 359.13420537], dtype=float64, device='cpu')
    """


@refusing
def multigammaln(a: Array, d: int, /) -> Array:
    """Compute the logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : Array
        The arguments, real; integers count as numbers of the default floating-point data type.
    d : int
        The dimension, at least 1.

    Returns
    -------
    Array
        The values, in the shape and of the data type of ``a``.

    Raises
    ------
    TypeError
        If ``a`` is not an Array, or complex, or ``d`` is not an integer.
    ValueError
        If ``d`` is less than 1.

    Notes
    -----
    It is NaN where ``a`` is not greater than ``(d - 1) / 2``: SciPy raises an error, for which an
    accelerator would have to be waited for.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.multigammaln.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.multigammaln(xp.asarray([1.0, 1.5, 10.0], dtype=xp.float64), 3)
    Array([        nan,  2.16867753, 36.81285863], dtype=float64, device='cpu')
    """
    checked = wrap(*operand("multigammaln", a, ops.gammaln.dtypes, mixes=True))
    dimension = operator.index(d)
    if dimension < 1:
        raise ValueError(f"multigammaln: d must be at least 1, got {dimension}.")
    result = gammaln(checked)
    for k in range(1, dimension):
        result = result + gammaln(checked - 0.5 * k)
    result = result + dimension * (dimension - 1) / 4 * math.log(math.pi)
    return where(checked > (dimension - 1) / 2, result, math.nan)


@binary(ops.polygamma)
def polygamma(n: Array | float, x: Array | float, /) -> Array:
    """Compute the polygamma functions, the derivatives of `psi`.

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
    The orders ``n`` are whole numbers and not negative, else the result is NaN: also if ``n`` is
    infinite, since the signs alternate. Of order 0 it is `psi`, and of others infinite at 0 and
    negative integers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.polygamma.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.polygamma(1, xp.asarray([0.5, 1.0, 2.0], dtype=xp.float64))
    Array([4.9348022 , 1.64493407, 0.64493407], dtype=float64, device='cpu')
    """


@unary(ops.psi)
def psi(x: Array, /) -> Array:
    """Compute the digamma function, the derivative of the logarithm of the gamma function.

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
    It is NaN for negative integers and ``-inf``, and infinite for a zero, with the opposite sign.
    Complex arguments are not taken.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.psi.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.psi(xp.asarray([-0.5, 1.0, 100.0], dtype=xp.float64))
    Array([ 0.03648997, -0.57721566,  4.60016185], dtype=float64, device='cpu')
    """


@unary(ops.rgamma)
def rgamma(x: Array, /) -> Array:
    """Compute the reciprocal of the gamma function.

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
    It is 0 for 0 and negative integers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.rgamma.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.rgamma(xp.asarray([-1.0, 0.5, 5.0], dtype=xp.float64))
    Array([0.        , 0.56418958, 0.04166667], dtype=float64, device='cpu')
    """


@binary(ops.zeta)
def zeta(x: Array | float, q: Array | float, /) -> Array:
    """Compute the Hurwitz zeta function, the sum of (k + q)**-x for k = 0, 1, 2, ...

    Parameters
    ----------
    x, q : Array, int or float
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
    It is infinite where ``x`` is 1 or ``q`` is 0 or a negative integer; NaN where ``x`` is below 1,
    or ``q`` is negative and ``x`` no integer. With ``q`` of 1 it is Riemann's.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.zeta.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.zeta(xp.asarray([2.0, 3.0, 4.0], dtype=xp.float64), 1.0)
    Array([1.64493407, 1.2020569 , 1.08232323], dtype=float64, device='cpu')
    """


digamma: Final = psi
"""Another name of `psi`, as in SciPy."""


@unary(ops.zetac)
def zetac(x: Array, /) -> Array:
    """Compute the Riemann zeta function minus 1.

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
    Infinite at 1; exact also where the zeta function is nearly 1.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.zetac.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.zetac(xp.asarray([-1.0, 2.0, 50.0], dtype=xp.float64))
    Array([-1.08333333e+00,  6.44934067e-01,  8.88178421e-16], dtype=float64, device='cpu')
    """
