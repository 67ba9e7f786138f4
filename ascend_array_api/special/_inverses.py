"""The inverses of the incomplete gamma and beta functions, and of distributions."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import binary, ternary
from .._routes import inverses as ops

__all__ = [
    "bdtri",
    "betaincinv",
    "chdtri",
    "fdtri",
    "gammainccinv",
    "gammaincinv",
    "nbdtri",
    "pdtri",
    "stdtrit",
]


@ternary(ops.bdtri)
def bdtri(k: Array | float, n: Array | float, y: Array | float, /) -> Array:
    """Compute the probability for which the binomial distribution function has a value.

    Parameters
    ----------
    k, n, y : Array, int or float
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
    It is ``p`` with ``bdtr(k, n, p) == y``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.bdtri.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.bdtri(1.0, 3.0, xp.asarray([0.0, 0.5, 1.0], dtype=xp.float64))
    Array([1. , 0.5, 0. ], dtype=float64, device='cpu')
    """


@ternary(ops.betaincinv)
def betaincinv(a: Array | float, b: Array | float, y: Array | float, /) -> Array:
    """Compute the inverse of the regularized incomplete beta function.

    Parameters
    ----------
    a, b, y : Array, int or float
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
    It is ``x`` with ``betainc(a, b, x) == y``; NaN outside the domain.

    Algorithm: Halley's method, a fixed number of steps, for the logarithm of the smaller tail.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.betaincinv.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.betaincinv(2.0, 3.0, xp.asarray([0.0, 0.6875, 1.0], dtype=xp.float64))
    Array([0. , 0.5, 1. ], dtype=float64, device='cpu')
    """


@binary(ops.chdtri)
def chdtri(v: Array | float, p: Array | float, /) -> Array:
    """Compute the inverse of the survival function of the chi-square distribution.

    Parameters
    ----------
    v, p : Array, int or float
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
    It is ``x`` with ``chdtrc(v, x) == p``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.chdtri.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.chdtri(3.0, xp.asarray([1.0, 0.5, 1e-10], dtype=xp.float64))
    Array([ 0.        ,  2.36597388, 49.54215593], dtype=float64, device='cpu')
    """


@ternary(ops.fdtri)
def fdtri(dfn: Array | float, dfd: Array | float, p: Array | float, /) -> Array:
    """Compute the quantiles of the F distribution.

    Parameters
    ----------
    dfn, dfd, p : Array, int or float
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
    It is ``x`` with ``fdtr(dfn, dfd, x) == p``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.fdtri.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.fdtri(2.0, 5.0, xp.asarray([0.1, 0.5, 0.9], dtype=xp.float64))
    Array([0.1076122 , 0.79876978, 3.77971608], dtype=float64, device='cpu')
    """


@binary(ops.gammainccinv)
def gammainccinv(a: Array | float, y: Array | float, /) -> Array:
    """Compute the inverse of the regularized upper incomplete gamma function.

    Parameters
    ----------
    a, y : Array, int or float
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
    It is ``x`` with ``gammaincc(a, x) == y``; NaN outside the domain.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammainccinv.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gammainccinv(2.0, xp.asarray([1e-100, 0.5, 1.0], dtype=xp.float64))
    Array([235.72541016,   1.67834699,   0.        ], dtype=float64, device='cpu')
    """


@binary(ops.gammaincinv)
def gammaincinv(a: Array | float, y: Array | float, /) -> Array:
    """Compute the inverse of the regularized lower incomplete gamma function.

    Parameters
    ----------
    a, y : Array, int or float
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
    It is ``x`` with ``gammainc(a, x) == y``; NaN outside the domain.

    Algorithm: Halley's method, a fixed number of steps, for the logarithm of the smaller tail.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gammaincinv.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gammaincinv(2.0, xp.asarray([0.0, 0.5, 1.0], dtype=xp.float64))
    Array([0.        , 1.67834699,        inf], dtype=float64, device='cpu')
    """


@ternary(ops.nbdtri)
def nbdtri(k: Array | float, n: Array | float, y: Array | float, /) -> Array:
    """Compute the probability for which the negative binomial distribution function has a value.

    Parameters
    ----------
    k, n, y : Array, int or float
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
    It is ``p`` with ``nbdtr(k, n, p) == y``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.nbdtri.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.nbdtri(1.0, 3.0, xp.asarray([0.0, 0.5, 1.0], dtype=xp.float64))
    Array([0.        , 0.61427243, 1.        ], dtype=float64, device='cpu')
    """


@binary(ops.pdtri)
def pdtri(k: Array | float, y: Array | float, /) -> Array:
    """Compute the mean for which the Poisson distribution function has a value.

    Parameters
    ----------
    k, y : Array, int or float
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
    It is ``m`` with ``pdtr(k, m) == y``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pdtri.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.pdtri(2.0, xp.asarray([1e-10, 0.5, 0.9], dtype=xp.float64))
    Array([29.14590148,  2.67406031,  1.10206533], dtype=float64, device='cpu')
    """


@binary(ops.stdtrit)
def stdtrit(df: Array | float, p: Array | float, /) -> Array:
    """Compute the quantiles of Student's t distribution.

    Parameters
    ----------
    df, p : Array, int or float
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
    It is ``t`` with ``stdtr(df, t) == p``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.stdtrit.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.stdtrit(2.0, xp.asarray([0.01, 0.5, 0.975], dtype=xp.float64))
    Array([-6.96455673,  0.        ,  4.30265273], dtype=float64, device='cpu')
    """
