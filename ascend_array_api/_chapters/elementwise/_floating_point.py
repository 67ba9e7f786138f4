"""What floating-point numbers are: their class, sign and neighbours."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._calls.elementwise import binary, unary
from ..._routes import elementwise as ops

__all__ = ["copysign", "isfinite", "isinf", "isnan", "signbit"]


@binary(ops.copysign)
def copysign(x1: Array | float, x2: Array | float, /) -> Array:
    """Combine the magnitudes of one operand with the signs of another.

    Parameters
    ----------
    x1 : Array, int or float
        The magnitudes; their own signs do not matter.
    x2 : Array, int or float
        The signs. The operands are broadcast together and promoted to one data type. One of them
        may be a Python scalar.

    Returns
    -------
    Array
        The numbers with the magnitudes of ``x1`` and the sign bits of ``x2``. The data type is the
        one to which the operands promote, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real floating-point data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    signbit, sign

    Notes
    -----
    Only the sign bit counts, so -0 and a NaN with its sign bit set are negative. A NaN in ``x1``
    stays a NaN and takes the sign bit as well.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.copysign(xp.asarray([1.0, -2.0, xp.inf]), xp.asarray([-0.0, 3.0, -1.0]))
    Array([ -1.,   2., -inf], dtype=float32, device='cpu')
    """


@unary(ops.isfinite)
def isfinite(x: Array, /) -> Array:
    """Say for each element whether it is finite.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        True where the element is neither infinite nor NaN. The data type is bool, the shape that of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    isinf, isnan

    Notes
    -----
    A complex number is finite where both of its components are. Integers are finite.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.isfinite(xp.asarray([1.0, -xp.inf, xp.nan]))
    Array([ True, False, False], dtype=bool, device='cpu')
    >>> xp.isfinite(xp.asarray([1 + 2j, complex(1, xp.nan)]))
    Array([ True, False], dtype=bool, device='cpu')
    """


@unary(ops.isinf)
def isinf(x: Array, /) -> Array:
    """Say for each element whether it is infinite.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        True where the element is inf or -inf. The data type is bool, the shape that of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    isfinite, isnan

    Notes
    -----
    A complex number is infinite where one of its components is, even if the other is NaN. Integers
    are finite.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.isinf(xp.asarray([1.0, -xp.inf, xp.nan]))
    Array([False,  True, False], dtype=bool, device='cpu')
    >>> xp.isinf(xp.asarray([1 + 2j, complex(xp.nan, xp.inf)]))
    Array([False,  True], dtype=bool, device='cpu')
    """


@unary(ops.isnan)
def isnan(x: Array, /) -> Array:
    """Say for each element whether it is NaN.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        True where the element is NaN. The data type is bool, the shape that of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    isfinite, isinf

    Notes
    -----
    A complex number is NaN where one of its components is, even if the other is infinite. Integers
    are never NaN.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.isnan(xp.asarray([1.0, -xp.inf, xp.nan]))
    Array([False, False,  True], dtype=bool, device='cpu')
    >>> xp.isnan(xp.asarray([1 + 2j, complex(xp.nan, xp.inf)]))
    Array([False,  True], dtype=bool, device='cpu')
    """


@binary(ops.nextafter)
def nextafter(x1: Array | float, x2: Array | float, /) -> Array:
    """Find the next representable number in the direction of another.

    Parameters
    ----------
    x1 : Array, int or float
        The numbers to start from.
    x2 : Array, int or float
        The numbers to go towards. The operands are broadcast together and promoted to one data
        type. One of them may be a Python scalar.

    Returns
    -------
    Array
        The neighbours of ``x1`` on the side of ``x2``, or ``x2`` where both are equal. The data
        type is the one to which the operands promote, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real floating-point data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    Notes
    -----
    A NaN operand gives NaN. Of zeros with different signs the second is returned, and the
    neighbours of zero are subnormal. float16 is not supported.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.nextafter(xp.asarray([1.0, 0.0, 0.0]), xp.asarray([2.0, -1.0, -0.0]))
    Array([ 1.0000001e+00, -1.4012985e-45, -0.0000000e+00], dtype=float32, device='cpu')
    """


@unary(ops.signbit)
def signbit(x: Array, /) -> Array:
    """Say for each element whether its sign bit is set.

    Parameters
    ----------
    x : Array
        The numbers, of a real floating-point data type.

    Returns
    -------
    Array
        True for negative numbers, -0, -inf, and NaNs with their sign bit set. The data type is
        bool, the shape that of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real floating-point data type.

    See Also
    --------
    sign, copysign

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.signbit(xp.asarray([-0.0, 0.0, -xp.inf]))
    Array([ True, False,  True], dtype=bool, device='cpu')
    """
