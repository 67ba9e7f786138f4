"""Distribution functions, and their inverses."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import binary, unary
from .._routes import special as ops

__all__ = ["chdtr", "chdtrc", "log_ndtr", "ndtr", "ndtri"]


@binary(ops.chdtr)
def chdtr(v: Array | float, x: Array | float, /) -> Array:
    """Compute the distribution function of the chi-square distribution.

    Parameters
    ----------
    v, x : Array, int or float
        The operands, real, broadcast together and promoted to one data type. One of
        them may be a Python scalar.

    Returns
    -------
    Array
        The values, of the data type to which the operands promote, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    The degrees of freedom are ``v``; NaN where an operand is negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.chdtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.chdtr(3.0, xp.asarray([0.0, 1.0, 10.0], dtype=xp.float64))
    Array([0.        , 0.19874804, 0.98143386], dtype=float64, device='cpu')
    """


@binary(ops.chdtrc)
def chdtrc(v: Array | float, x: Array | float, /) -> Array:
    """Compute the survival function of the chi-square distribution.

    Parameters
    ----------
    v, x : Array, int or float
        The operands, real, broadcast together and promoted to one data type. One of
        them may be a Python scalar.

    Returns
    -------
    Array
        The values, of the data type to which the operands promote, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    The degrees of freedom are ``v``; NaN where an operand is negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.chdtrc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.chdtrc(3.0, xp.asarray([0.0, 1.0, 100.0], dtype=xp.float64))
    Array([1.00000000e+00, 8.01251957e-01, 1.55415943e-21], dtype=float64, device='cpu')
    """


@unary(ops.log_ndtr)
def log_ndtr(x: Array, /) -> Array:
    """Compute the logarithm of the distribution function of the normal distribution.

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
    Exact also in the tails, where `ndtr` is 0 or 1.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.log_ndtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.log_ndtr(xp.asarray([-100.0, 0.0, 10.0], dtype=xp.float64))
    Array([-5.00552421e+03, -6.93147181e-01, -7.61985302e-24], dtype=float64, device='cpu')
    """


@unary(ops.ndtr)
def ndtr(x: Array, /) -> Array:
    """Compute the distribution function of the normal distribution.

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
    It goes from 0 to 1.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ndtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.ndtr(xp.asarray([-10.0, 0.0, 1.0], dtype=xp.float64))
    Array([7.61985302e-24, 5.00000000e-01, 8.41344746e-01], dtype=float64, device='cpu')
    """


@unary(ops.ndtri)
def ndtri(x: Array, /) -> Array:
    """Compute the quantiles of the normal distribution, the inverse of `ndtr`.

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
    It is infinite for 0 and 1, and NaN beyond.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.ndtri.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.ndtri(xp.asarray([1e-10, 0.5, 0.975], dtype=xp.float64))
    Array([-6.3613409 ,  0.        ,  1.95996398], dtype=float64, device='cpu')
    """
