"""Elementary functions, where the plain formula loses digits or divides by 0."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import binary, ternary, unary
from .._routes import special as ops

__all__ = [
    "boxcox",
    "boxcox1p",
    "cbrt",
    "cosdg",
    "cosm1",
    "cotdg",
    "exp2",
    "exp10",
    "expit",
    "exprel",
    "inv_boxcox",
    "inv_boxcox1p",
    "logit",
    "radian",
    "sinc",
    "sindg",
    "tandg",
    "xlog1py",
    "xlogy",
]


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
        The values, of the operands' promoted data type, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    It is ``(x**lmbda - 1) / lmbda``, or ``log(x)`` where ``lmbda`` is 0; NaN for negative ``x``.
    For infinite ``lmbda`` it is the limit.

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
        The values, of the operands' promoted data type, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    It is ``((1 + x)**lmbda - 1) / lmbda``, or ``log1p(x)`` where ``lmbda`` is 0.
    For infinite ``lmbda`` it is the limit.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.boxcox1p.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.boxcox1p(xp.asarray([0.0, 3.0, 8.0], dtype=xp.float64), 0.5)
    Array([0., 2., 4.], dtype=float64, device='cpu')
    """


@unary(ops.cbrt)
def cbrt(x: Array, /) -> Array:
    """Compute cube roots.

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
    Those of negative numbers are negative.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cbrt.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.cbrt(xp.asarray([-8.0, 0.0, 2.0], dtype=xp.float64))
    Array([-2.        ,  0.        ,  1.25992105], dtype=float64, device='cpu')
    """


@unary(ops.cosdg)
def cosdg(x: Array, /) -> Array:
    """Compute the cosine of an angle in degrees.

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
    Exact at multiples of 90; NaN for infinities, for which SciPy's is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cosdg.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.cosdg(xp.asarray([0.0, 60.0, 180.0], dtype=xp.float64))
    Array([ 1. ,  0.5, -1. ], dtype=float64, device='cpu')
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


@unary(ops.cotdg)
def cotdg(x: Array, /) -> Array:
    """Compute the cotangent of an angle in degrees.

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
    Infinite at multiples of 180; NaN for infinities, for which SciPy's is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.cotdg.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.cotdg(xp.asarray([0.0, 45.0, 90.0], dtype=xp.float64))
    Array([inf,  1.,  0.], dtype=float64, device='cpu')
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
        The values, of the operands' promoted data type, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    It is ``(1 + lmbda * y)**(1 / lmbda)``, or ``exp(y)`` where ``lmbda`` is 0.
    For infinite ``lmbda`` and finite ``y`` it is the limit; NaN if the signs differ.

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
        The values, of the operands' promoted data type, in the broadcast shape.

    Raises
    ------
    TypeError
        If no operand is an Array, or one is complex.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    It is ``(1 + lmbda * y)**(1 / lmbda) - 1``, or ``expm1(y)`` where ``lmbda`` is 0.
    For infinite ``lmbda`` and finite ``y`` it is the limit; NaN if the signs differ.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.inv_boxcox1p.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.inv_boxcox1p(xp.asarray([0.0, 2.0, 4.0], dtype=xp.float64), 0.5)
    Array([0., 3., 8.], dtype=float64, device='cpu')
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


@ternary(ops.radian)
def radian(d: Array | float, m: Array | float, s: Array | float, /) -> Array:
    """Convert an angle from degrees, minutes and seconds to radians.

    Parameters
    ----------
    d, m, s : Array, int or float
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
    It is ``(d + m / 60 + s / 3600) * pi / 180``.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.radian.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.radian(xp.asarray([0.0, 90.0, 180.0], dtype=xp.float64), 30.0, 0.0)
    Array([0.00872665, 1.57952297, 3.1503193 ], dtype=float64, device='cpu')
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


@unary(ops.sindg)
def sindg(x: Array, /) -> Array:
    """Compute the sine of an angle in degrees.

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
    Exact at multiples of 90; NaN for infinities, for which SciPy's is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.sindg.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.sindg(xp.asarray([0.0, 30.0, 90.0], dtype=xp.float64))
    Array([0. , 0.5, 1. ], dtype=float64, device='cpu')
    """


@unary(ops.tandg)
def tandg(x: Array, /) -> Array:
    """Compute the tangent of an angle in degrees.

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
    Infinite at odd multiples of 90; NaN for infinities, for which SciPy's is 0.

    References
    ----------
    https://docs.scipy.org/doc/scipy/reference/generated/scipy.special.tandg.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.special.tandg(xp.asarray([0.0, 45.0, 90.0], dtype=xp.float64))
    Array([ 0.,  1., inf], dtype=float64, device='cpu')
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
        The values, of the operands' promoted data type, in the broadcast shape.

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
        The values, of the operands' promoted data type, in the broadcast shape.

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
