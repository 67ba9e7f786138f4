"""Special functions: what SciPy looks for on a namespace that it does not know.

``scipy.special.erf(x)`` is then computed by ``special.erf``, on the device of ``x``, rather than by
NumPy.  Names, operands and special cases are SciPy's, which once it finds a function hands it all
that it was given: so integers count as floating-point numbers of the default data type, and kinds
mix as in NumPy, in strict mode too.  They belong to no version of the standard.

float16 and bfloat16 are computed in float32 and rounded.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Final

from ._array import wrap
from ._calls import binary, unary
from ._operands import operand
from ._routes import special as ops
from ._searching import where

if TYPE_CHECKING:
    from ._array import Array

__all__ = [
    "betaln",
    "boxcox",
    "boxcox1p",
    "chdtr",
    "chdtrc",
    "cosm1",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "exp10",
    "expit",
    "exprel",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "gammasgn",
    "huber",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "j0",
    "j1",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "log_ndtr",
    "logit",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "pseudo_huber",
    "psi",
    "rel_entr",
    "rgamma",
    "sinc",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "zeta",
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
        The values, of the data type to which the operands promote, in the broadcast shape.

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


@binary(ops.boxcox)
def boxcox(x: Array | float, lmbda: Array | float, /) -> Array:
    """Compute the Box-Cox transformation.

    Parameters
    ----------
    x, lmbda : Array, int or float
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
    It is ``(x**lmbda - 1) / lmbda``, or ``log(x)`` where ``lmbda`` is 0; NaN for negative ``x``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.boxcox.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.boxcox(xp.asarray([1.0, 4.0, 9.0], dtype=xp.float64), 0.5)
    Array([0., 2., 4.], dtype=float64, device='cpu')
    """


@binary(ops.boxcox1p)
def boxcox1p(x: Array | float, lmbda: Array | float, /) -> Array:
    """Compute the Box-Cox transformation of 1 + x.

    Parameters
    ----------
    x, lmbda : Array, int or float
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
    It is ``((1 + x)**lmbda - 1) / lmbda``, or ``log1p(x)`` where ``lmbda`` is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.boxcox1p.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.boxcox1p(xp.asarray([0.0, 3.0, 8.0], dtype=xp.float64), 0.5)
    Array([0., 2., 4.], dtype=float64, device='cpu')
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


@unary(ops.cosm1)
def cosm1(x: Array, /) -> Array:
    """Compute cos(x) - 1, without cancellation where x is near 0.

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
    NaN for infinities.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cosm1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.cosm1(xp.asarray([0.0, 1e-8, 3.141592653589793], dtype=xp.float64))
    Array([ 0.e+00, -5.e-17, -2.e+00], dtype=float64, device='cpu')
    """


@unary(ops.entr)
def entr(x: Array, /) -> Array:
    """Compute the entropy -x log(x).

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
    It is 0 for 0 and ``-inf`` for negative numbers.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.entr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.entr(xp.asarray([0.0, 0.5, 2.0], dtype=xp.float64))
    Array([ 0.        ,  0.34657359, -1.38629436], dtype=float64, device='cpu')
    """


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
    It overflows below -26.6 in float64, and below -9.3 in float32.

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


@unary(ops.exp10)
def exp10(x: Array, /) -> Array:
    """Compute 10 to the power of each element.

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
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exp10.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.exp10(xp.asarray([-1.0, 0.0, 2.0], dtype=xp.float64))
    Array([  0.1,   1. , 100. ], dtype=float64, device='cpu')
    """


@unary(ops.exp2)
def exp2(x: Array, /) -> Array:
    """Compute 2 to the power of each element.

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
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exp2.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.exp2(xp.asarray([-1.0, 0.0, 8.0], dtype=xp.float64))
    Array([  0.5,   1. , 256. ], dtype=float64, device='cpu')
    """


@unary(ops.expit)
def expit(x: Array, /) -> Array:
    """Compute the logistic sigmoid, 1 / (1 + exp(-x)).

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
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.expit.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.expit(xp.asarray([-800.0, 0.0, 2.0], dtype=xp.float64))
    Array([0.        , 0.5       , 0.88079708], dtype=float64, device='cpu')
    """


@unary(ops.exprel)
def exprel(x: Array, /) -> Array:
    """Compute the relative error exponential, (exp(x) - 1) / x.

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
    It is 1 for 0, without cancellation near it.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.exprel.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.exprel(xp.asarray([0.0, 1e-10, 1.0], dtype=xp.float64))
    Array([1.        , 1.        , 1.71828183], dtype=float64, device='cpu')
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
        The values, of the data type to which the operands promote, in the broadcast shape.

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
        The values, of the data type to which the operands promote, in the broadcast shape.

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


@binary(ops.huber)
def huber(delta: Array | float, r: Array | float, /) -> Array:
    """Compute the Huber loss.

    Parameters
    ----------
    delta, r : Array, int or float
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
    It is ``r**2 / 2`` where ``abs(r) <= delta``, ``delta * (abs(r) - delta / 2)`` beyond, and
    infinite where ``delta`` is negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.huber.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.huber(1.0, xp.asarray([-0.5, 1.0, 3.0], dtype=xp.float64))
    Array([0.125, 0.5  , 2.5  ], dtype=float64, device='cpu')
    """


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
    It overflows beyond 709 in float64, and beyond 91 in float32.

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
    It overflows beyond 709 in float64, and beyond 91 in float32.

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


@binary(ops.inv_boxcox)
def inv_boxcox(y: Array | float, lmbda: Array | float, /) -> Array:
    """Compute the inverse of the Box-Cox transformation.

    Parameters
    ----------
    y, lmbda : Array, int or float
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
    It is ``(1 + lmbda * y)**(1 / lmbda)``, or ``exp(y)`` where ``lmbda`` is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.inv_boxcox.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.inv_boxcox(xp.asarray([0.0, 2.0, 4.0], dtype=xp.float64), 0.5)
    Array([1., 4., 9.], dtype=float64, device='cpu')
    """


@binary(ops.inv_boxcox1p)
def inv_boxcox1p(y: Array | float, lmbda: Array | float, /) -> Array:
    """Compute the inverse of the Box-Cox transformation of 1 + x.

    Parameters
    ----------
    y, lmbda : Array, int or float
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
    It is ``(1 + lmbda * y)**(1 / lmbda) - 1``, or ``expm1(y)`` where ``lmbda`` is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.inv_boxcox1p.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.inv_boxcox1p(xp.asarray([0.0, 2.0, 4.0], dtype=xp.float64), 0.5)
    Array([0., 3., 8.], dtype=float64, device='cpu')
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


@binary(ops.kl_div)
def kl_div(x: Array | float, y: Array | float, /) -> Array:
    """Compute the elementwise Kullback-Leibler divergence, x log(x / y) - x + y.

    Parameters
    ----------
    x, y : Array, int or float
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
    It is ``y`` where ``x`` is 0 and ``y`` is not negative, and infinite where one is negative or
    ``y`` alone is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.kl_div.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.kl_div(xp.asarray([0.0, 1.0, 2.0], dtype=xp.float64), 1.5)
    Array([1.5       , 0.09453489, 0.07536414], dtype=float64, device='cpu')
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


@unary(ops.logit)
def logit(x: Array, /) -> Array:
    """Compute the logit, log(x / (1 - x)).

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
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.logit.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.logit(xp.asarray([0.0, 0.25, 0.5], dtype=xp.float64))
    Array([       -inf, -1.09861229,  0.        ], dtype=float64, device='cpu')
    """


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
        The values, of the data type to which the operands promote, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    The orders ``n`` are whole numbers and not negative, else the result is NaN. At 0 and negative
    integers it is infinite, and NaN for the order 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.polygamma.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.polygamma(1, xp.asarray([0.5, 1.0, 2.0], dtype=xp.float64))
    Array([4.9348022 , 1.64493407, 0.64493407], dtype=float64, device='cpu')
    """


@binary(ops.pseudo_huber)
def pseudo_huber(delta: Array | float, r: Array | float, /) -> Array:
    """Compute the pseudo-Huber loss, delta**2 (sqrt(1 + (r / delta)**2) - 1).

    Parameters
    ----------
    delta, r : Array, int or float
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
    It is 0 where an operand is 0, and infinite where ``delta`` is negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.pseudo_huber.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.pseudo_huber(1.0, xp.asarray([0.0, 1.0, 3.0], dtype=xp.float64))
    Array([0.        , 0.41421356, 2.16227766], dtype=float64, device='cpu')
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


digamma: Final = psi
"""Another name of `psi`, as in SciPy."""


@binary(ops.rel_entr)
def rel_entr(x: Array | float, y: Array | float, /) -> Array:
    """Compute the elementwise relative entropy, x log(x / y).

    Parameters
    ----------
    x, y : Array, int or float
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
    It is 0 where ``x`` is 0 and ``y`` is not negative, and infinite where one is negative or ``y``
    alone is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.rel_entr.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.rel_entr(xp.asarray([0.0, 1.0, 2.0], dtype=xp.float64), 1.5)
    Array([ 0.        , -0.40546511,  0.57536414], dtype=float64, device='cpu')
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


@unary(ops.sinc)
def sinc(x: Array, /) -> Array:
    """Compute sin(pi x) / (pi x).

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
    It is 1 for 0. The convention is NumPy's.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.sinc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.sinc(xp.asarray([0.0, 0.5, 1.5], dtype=xp.float64))
    Array([ 1.        ,  0.63661977, -0.21220659], dtype=float64, device='cpu')
    """


@binary(ops.xlog1py)
def xlog1py(x: Array | float, y: Array | float, /) -> Array:
    """Compute x log(1 + y), which is 0 where x is 0.

    Parameters
    ----------
    x, y : Array, int or float
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
    It is NaN where ``y`` is NaN or less than -1, unless ``x`` is 0 and ``y`` is a number.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.xlog1py.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.xlog1py(xp.asarray([0.0, 1.0, 2.0], dtype=xp.float64), 1e-10)
    Array([0.e+00, 1.e-10, 2.e-10], dtype=float64, device='cpu')
    """


@binary(ops.xlogy)
def xlogy(x: Array | float, y: Array | float, /) -> Array:
    """Compute x log(y), which is 0 where x is 0.

    Parameters
    ----------
    x, y : Array, int or float
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
    It is NaN where ``y`` is NaN or negative, unless ``x`` is 0 and ``y`` is a number.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.xlogy.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.xlogy(xp.asarray([0.0, 1.0, 2.0], dtype=xp.float64), 2.0)
    Array([0.        , 0.69314718, 1.38629436], dtype=float64, device='cpu')
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
        The values, of the data type to which the operands promote, in the broadcast shape.

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
