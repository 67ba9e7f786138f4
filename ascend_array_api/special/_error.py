"""The error function and its relatives."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import unary
from .._routes import special as ops

__all__ = ["erf", "erfc", "erfcx", "erfinv"]


@unary(ops.erf)
def erf(x: Array, /) -> Array:
    """Compute the error function.

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
    It goes from -1 to 1; a zero keeps its sign.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erf.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.erf(xp.asarray([0.0, 0.5, 2.0], dtype=xp.float64))
    Array([0.        , 0.52049988, 0.99532227], dtype=float64, device='cpu')
    """


@unary(ops.erfc)
def erfc(x: Array, /) -> Array:
    """Compute the complementary error function, 1 - erf(x), without cancellation.

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
    It goes from 2 to 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erfc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.erfc(xp.asarray([0.0, 0.5, 10.0], dtype=xp.float64))
    Array([1.00000000e+00, 4.79500122e-01, 2.08848758e-45], dtype=float64, device='cpu')
    """


@unary(ops.erfcx)
def erfcx(x: Array, /) -> Array:
    """Compute the scaled complementary error function, exp(x**2) erfc(x).

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
    It overflows below -26.62 in float64, and below -9.38 in float32.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erfcx.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.erfcx(xp.asarray([-1.0, 0.0, 100.0], dtype=xp.float64))
    Array([5.00898008, 1.        , 0.00564161], dtype=float64, device='cpu')
    """


@unary(ops.erfinv)
def erfinv(x: Array, /) -> Array:
    """Compute the inverse of the error function.

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
    It is infinite for -1 and 1, and NaN beyond.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.erfinv.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.erfinv(xp.asarray([-1.0, 0.0, 0.5], dtype=xp.float64))
    Array([      -inf, 0.        , 0.47693628], dtype=float64, device='cpu')
    """
