"""Distribution functions, and their inverses."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import binary, ternary, unary
from .._routes import beta
from .._routes import special as ops

__all__ = [
    "bdtr",
    "bdtrc",
    "chdtr",
    "chdtrc",
    "fdtr",
    "fdtrc",
    "gdtr",
    "gdtrc",
    "log_ndtr",
    "nbdtr",
    "nbdtrc",
    "ndtr",
    "ndtri",
    "pdtr",
    "pdtrc",
    "stdtr",
]


@ternary(beta.bdtr)
def bdtr(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    """Compute the distribution function of the binomial distribution.

    Parameters
    ----------
    k, n, p : Array, int or float
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
    The sum of the terms 0 to floor(``k``), of floor(``n``) trials with probability ``p``; NaN where
    ``k`` is negative or exceeds ``n``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.bdtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.bdtr(1.0, 3.0, xp.asarray([0.0, 0.5, 0.9], dtype=xp.float64))
    Array([1.   , 0.5  , 0.028], dtype=float64, device='cpu')
    """


@ternary(beta.bdtrc)
def bdtrc(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    """Compute the survival function of the binomial distribution.

    Parameters
    ----------
    k, n, p : Array, int or float
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
    The sum of the terms from floor(``k``) + 1 on, of floor(``n``) trials with probability ``p``; 1
    where ``k`` is negative, NaN where it exceeds ``n``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.bdtrc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.bdtrc(1.0, 3.0, xp.asarray([0.0, 0.5, 0.9], dtype=xp.float64))
    Array([0.   , 0.5  , 0.972], dtype=float64, device='cpu')
    """


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
        The values, of the operands' promoted data type, in the broadcast shape.

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
        The values, of the operands' promoted data type, in the broadcast shape.

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


@ternary(beta.fdtr)
def fdtr(dfn: Array | float, dfd: Array | float, x: Array | float, /) -> Array:
    """Compute the distribution function of the F distribution.

    Parameters
    ----------
    dfn, dfd, x : Array, int or float
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
    The degrees of freedom are ``dfn`` and ``dfd``, positive and finite; NaN where ``x`` is
    negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.fdtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.fdtr(2.0, 5.0, xp.asarray([0.0, 1.0, 10.0], dtype=xp.float64))
    Array([0.        , 0.56879885, 0.98211146], dtype=float64, device='cpu')
    """


@ternary(beta.fdtrc)
def fdtrc(dfn: Array | float, dfd: Array | float, x: Array | float, /) -> Array:
    """Compute the survival function of the F distribution.

    Parameters
    ----------
    dfn, dfd, x : Array, int or float
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
    The degrees of freedom are ``dfn`` and ``dfd``, positive and finite; NaN where ``x`` is
    negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.fdtrc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.fdtrc(2.0, 5.0, xp.asarray([0.0, 1.0, 1e3], dtype=xp.float64))
    Array([1.00000000e+00, 4.31201150e-01, 3.10555388e-07], dtype=float64, device='cpu')
    """


@ternary(ops.gdtr)
def gdtr(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    """Compute the distribution function of the gamma distribution.

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
    It is ``gammainc(b, a * x)``: ``a`` is the rate and ``b`` the shape.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gdtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gdtr(1.0, 2.0, xp.asarray([0.0, 1.0, 10.0], dtype=xp.float64))
    Array([0.        , 0.26424112, 0.9995006 ], dtype=float64, device='cpu')
    """


@ternary(ops.gdtrc)
def gdtrc(a: Array | float, b: Array | float, x: Array | float, /) -> Array:
    """Compute the survival function of the gamma distribution.

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
    It is ``gammaincc(b, a * x)``: ``a`` is the rate and ``b`` the shape.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.gdtrc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.gdtrc(1.0, 2.0, xp.asarray([0.0, 1.0, 100.0], dtype=xp.float64))
    Array([1.00000000e+00, 7.35758882e-01, 3.75727674e-42], dtype=float64, device='cpu')
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


@ternary(beta.nbdtr)
def nbdtr(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    """Compute the distribution function of the negative binomial distribution.

    Parameters
    ----------
    k, n, p : Array, int or float
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
    The probability of at most floor(``k``) failures before success number floor(``n``), whose
    probability is ``p``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.nbdtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.nbdtr(1.0, 3.0, xp.asarray([0.1, 0.5, 1.0], dtype=xp.float64))
    Array([0.0037, 0.3125, 1.    ], dtype=float64, device='cpu')
    """


@ternary(beta.nbdtrc)
def nbdtrc(k: Array | float, n: Array | float, p: Array | float, /) -> Array:
    """Compute the survival function of the negative binomial distribution.

    Parameters
    ----------
    k, n, p : Array, int or float
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
    The probability of more than floor(``k``) failures before success number floor(``n``), whose
    probability is ``p``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.nbdtrc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.nbdtrc(1.0, 3.0, xp.asarray([0.1, 0.5, 1.0], dtype=xp.float64))
    Array([0.9963, 0.6875, 0.    ], dtype=float64, device='cpu')
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


@binary(ops.pdtr)
def pdtr(k: Array | float, m: Array | float, /) -> Array:
    """Compute the distribution function of the Poisson distribution.

    Parameters
    ----------
    k, m : Array, int or float
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
    The sum of the terms 0 to floor(``k``), where the mean is ``m``; NaN where an operand is
    negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pdtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.pdtr(2.0, xp.asarray([0.0, 1.0, 10.0], dtype=xp.float64))
    Array([1.       , 0.9196986, 0.0027694], dtype=float64, device='cpu')
    """


@binary(ops.pdtrc)
def pdtrc(k: Array | float, m: Array | float, /) -> Array:
    """Compute the survival function of the Poisson distribution.

    Parameters
    ----------
    k, m : Array, int or float
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
    The sum of the terms from floor(``k``) + 1 on, where the mean is ``m``; NaN where an operand is
    negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pdtrc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.pdtrc(2.0, xp.asarray([0.0, 1.0, 1e-5], dtype=xp.float64))
    Array([0.00000000e+00, 8.03013971e-02, 1.66665417e-16], dtype=float64, device='cpu')
    """


@binary(beta.stdtr)
def stdtr(df: Array | float, t: Array | float, /) -> Array:
    """Compute the distribution function of Student's t distribution.

    Parameters
    ----------
    df, t : Array, int or float
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
    The degrees of freedom are ``df``, positive; for infinitely many it is that of the normal
    distribution.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.stdtr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.stdtr(2.0, xp.asarray([-1e3, 0.0, 1.0], dtype=xp.float64))
    Array([4.99999250e-07, 5.00000000e-01, 7.88675135e-01], dtype=float64, device='cpu')
    """
