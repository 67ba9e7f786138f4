"""Sums, products, quotients, remainders, magnitudes and signs."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._calls.elementwise import binary, unary
from ..._routes import elementwise as ops

__all__ = [
    "abs",
    "add",
    "divide",
    "floor_divide",
    "multiply",
    "negative",
    "positive",
    "remainder",
    "sign",
    "subtract",
]


@unary(ops.abs)
def abs(x: Array, /) -> Array:
    """Compute the absolute value of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The magnitudes, in the shape of ``x``. The data type is that of ``x``; for complex ``x`` it
        is that of the components: float32 for complex64, float64 for complex128.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    Notes
    -----
    Signed integers wrap: the least one has no positive counterpart and is returned as it is. The
    absolute value of -0 is +0, and that of a NaN is NaN.

    The absolute value of ``a + bj`` is ``hypot(a, b)``: it does not overflow or underflow on the
    way, it is infinite where a component is, even if the other is NaN, and else NaN where one is
    NaN.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.abs(xp.asarray([-128, -1, 5], dtype=xp.int8))
    Array([-128,    1,    5], dtype=int8, device='cpu')
    >>> xp.abs(xp.asarray([3 + 4j, 3e38 + 0j]))
    Array([5.e+00, 3.e+38], dtype=float32, device='cpu')
    """


@binary(ops.add)
def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Add two operands element by element.

    Parameters
    ----------
    x1, x2 : Array, int, float or complex
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The sums. The data type is the one to which the operands promote, the shape the broadcast
        one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a numeric data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Integers wrap around modulo two to the number of their bits. Floating-point sums are rounded
    once; ``inf + -inf`` is NaN, a NaN operand gives NaN, and a sum of zeros is -0 only if both are
    -0. The components of complex operands are added independently, by the same rules.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.add(xp.asarray([100, 27], dtype=xp.int8), xp.asarray([100, 100], dtype=xp.int8))
    Array([-56, 127], dtype=int8, device='cpu')
    >>> xp.add(xp.asarray([1.0, 2.0]), 1j)
    Array([1.+1.j, 2.+1.j], dtype=complex64, device='cpu')
    """


@binary(ops.divide)
def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Divide two operands element by element.

    Parameters
    ----------
    x1 : Array, int, float or complex
        The dividends.
    x2 : Array, int, float or complex
        The divisors. The operands are broadcast together and promoted to one data type. One of them
        may be a Python scalar.

    Returns
    -------
    Array
        The quotients. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a floating-point data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    floor_divide, reciprocal

    Notes
    -----
    Two integer arrays do not divide: the standard leaves it open what they give. Convert them with
    `astype`, or use `floor_divide`.

    Real quotients are rounded once. A NaN operand, ``0 / 0`` and ``inf / inf`` give NaN; other
    numbers divided by a zero are infinite, and finite numbers divided by an infinity are zeros,
    with the sign that the operands' signs give.

    Complex quotients of finite operands neither overflow nor underflow on the way, except where the
    divisor is subnormal or a component is greater than half the greatest number. What infinite and
    NaN components give is left open by the standard, but all NaN gives NaN.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.divide(xp.asarray([1.0, -1.0, 0.0]), xp.asarray([0.0, xp.inf, 0.0]))
    Array([inf, -0., nan], dtype=float32, device='cpu')
    >>> xp.divide(1, xp.asarray([2.0, 4.0]))
    Array([0.5 , 0.25], dtype=float32, device='cpu')
    >>> xp.divide(xp.asarray([1 + 2j]), 1j)
    Array([2.-1.j], dtype=complex64, device='cpu')
    """


@binary(ops.floor_divide)
def floor_divide(x1: Array | float, x2: Array | float, /) -> Array:
    """Divide two operands and round the quotients down to integers.

    Parameters
    ----------
    x1 : Array, int or float
        The dividends.
    x2 : Array, int or float
        The divisors. The operands are broadcast together and promoted to one data type. One of them
        may be a Python scalar.

    Returns
    -------
    Array
        The greatest integers that are not above the quotients. The data type is the one to which
        the operands promote, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.
    ZeroDivisionError
        If an integer is divided by zero, on devices that can tell, such as the CPU.

    See Also
    --------
    remainder, divide

    Notes
    -----
    An integer divided by zero is undefined; on the CPU a ZeroDivisionError is raised. The least
    signed integer divided by -1 wraps around to itself.

    Of finite operands the exact quotient is rounded down, not the rounded one: ``1 // 0.1`` is 9.
    Quotients up to 2**24 in float32 and 2**51 in float64 are exact so; greater ones are within 2
    units in the last place. As the standard prefers, infinities and zeros follow ``floor(x1 /
    x2)``: a finite number divided by an infinity gives a zero and an infinity divided by a finite
    number an infinity, with the sign that the operands' signs give; a nonzero number divided by a
    zero is infinite; ``0 / 0``, ``inf / inf`` and NaN operands give NaN.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.floor_divide(xp.asarray([-7, 7]), xp.asarray([2, -2]))
    Array([-4, -4], dtype=int64, device='cpu')
    >>> xp.floor_divide(xp.asarray([1.0, xp.inf, -1.0]), xp.asarray([0.1, 2.0, xp.inf]))
    Array([ 9., inf, -0.], dtype=float32, device='cpu')
    """


@binary(ops.multiply)
def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Multiply two operands element by element.

    Parameters
    ----------
    x1, x2 : Array, int, float or complex
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The products. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a numeric data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Integers wrap around modulo two to the number of their bits. Real floating-point products are
    rounded once; a NaN operand and ``0 * inf`` give NaN, and else the sign is the one that the
    operands' signs give, of zeros and infinities too.

    Complex: ``(a + bj) (c + dj)`` is ``(ac - bd) + (bc + ad) j``. What infinite and NaN components
    give is left open by the standard, but all NaN gives NaN.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.multiply(xp.asarray([16, 100], dtype=xp.uint8), 16)
    Array([ 0, 64], dtype=uint8, device='cpu')
    >>> xp.multiply(xp.asarray([1.0, 2.0]), xp.asarray([[3.0], [4.0]]))
    Array([[3., 6.],
           [4., 8.]], dtype=float32, device='cpu')
    >>> xp.multiply(xp.asarray([1 + 2j]), 1j)
    Array([-2.+1.j], dtype=complex64, device='cpu')
    """


@unary(ops.negative)
def negative(x: Array, /) -> Array:
    """Negate each element.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The values of ``-x``. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    Notes
    -----
    Integers wrap around: the least signed integer is returned as it is, and unsigned ones are
    subtracted from two to the number of their bits. The sign of floating-point numbers is flipped,
    also that of zeros; for complex numbers in both components.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.negative(xp.asarray([-128, 1], dtype=xp.int8))
    Array([-128,   -1], dtype=int8, device='cpu')
    >>> xp.negative(xp.asarray([0, 1], dtype=xp.uint16))
    Array([    0, 65535], dtype=uint16, device='cpu')
    >>> xp.negative(xp.asarray([0.0, xp.inf]))
    Array([ -0., -inf], dtype=float32, device='cpu')
    """


@unary(ops.positive)
def positive(x: Array, /) -> Array:
    """Return each element as it is.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        A copy of ``x``. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.positive(xp.asarray([-1, 2]))
    Array([-1,  2], dtype=int64, device='cpu')
    """


@unary(ops.reciprocal)
def reciprocal(x: Array, /) -> Array:
    """Compute the reciprocal of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The values of ``1 / x``. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    divide

    Notes
    -----
    Special cases are those of `divide`: zeros give infinities and infinities give zeros, of the
    same sign.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.reciprocal(xp.asarray([2.0, -0.0, xp.inf]))
    Array([ 0.5, -inf,  0. ], dtype=float32, device='cpu')
    >>> xp.reciprocal(xp.asarray([1 + 1j]))
    Array([0.5-0.5j], dtype=complex64, device='cpu')
    """


@binary(ops.remainder)
def remainder(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the remainders of the floor division of two operands.

    Parameters
    ----------
    x1 : Array, int or float
        The dividends.
    x2 : Array, int or float
        The divisors. The operands are broadcast together and promoted to one data type. One of them
        may be a Python scalar.

    Returns
    -------
    Array
        The remainders, with the signs of the divisors: those of Python's ``%``. The data type is
        the one to which the operands promote, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.
    ZeroDivisionError
        If an integer is divided by zero, on devices that can tell, such as the CPU.

    See Also
    --------
    floor_divide

    Notes
    -----
    An integer divided by zero is undefined; on the CPU a ZeroDivisionError is raised.

    Floating-point remainders are exact up to one rounding, however large the quotient. A zero
    result has the sign of the divisor, -0 included. The remainder by an infinity is the dividend if
    that has the same sign or is a zero (then with the sign of the divisor), and else the infinity.
    An infinite dividend, a zero divisor and a NaN operand give NaN.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.remainder(xp.asarray([-7, 7]), xp.asarray([3, -3]))
    Array([ 2, -2], dtype=int64, device='cpu')
    >>> xp.remainder(xp.asarray([-1.0, 1.0, 6.0]), xp.asarray([xp.inf, xp.inf, -3.0]))
    Array([inf,  1., -0.], dtype=float32, device='cpu')
    """


@unary(ops.sign)
def sign(x: Array, /) -> Array:
    """Compute the sign of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        -1, 0 or 1 for real ``x``; ``x / abs(x)``, or 0 for zeros, for complex ``x``. The data type
        and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    signbit, copysign

    Notes
    -----
    NaN gives NaN; a complex number with a NaN component gives NaN in both. -0 gives a zero.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.sign(xp.asarray([-2.5, 0.0, xp.nan]))
    Array([-1.,  0., nan], dtype=float32, device='cpu')
    >>> xp.sign(xp.asarray([3 + 4j, 0j]))
    Array([0.6+0.8j, 0. +0.j ], dtype=complex64, device='cpu')
    """


@binary(ops.subtract)
def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Subtract two operands element by element.

    Parameters
    ----------
    x1 : Array, int, float or complex
        The numbers to subtract from.
    x2 : Array, int, float or complex
        The numbers to subtract. The operands are broadcast together and promoted to one data type.
        One of them may be a Python scalar.

    Returns
    -------
    Array
        The differences. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a numeric data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    See Also
    --------
    add

    Notes
    -----
    Integers wrap around modulo two to the number of their bits. For floating-point numbers the
    result is that of ``x1 + (-x2)``; see `add`.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.subtract(xp.asarray([0, 5], dtype=xp.uint32), xp.asarray([1, 2], dtype=xp.uint32))
    Array([4294967295,          3], dtype=uint32, device='cpu')
    >>> xp.subtract(1, xp.asarray([0.25, xp.inf]))
    Array([0.75, -inf], dtype=float32, device='cpu')
    """
