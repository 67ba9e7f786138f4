"""Elementwise functions.

https://data-apis.org/array-api/2023.12/API_specification/elementwise_functions.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _dtypes as dt
from ._array import Array, wrap
from ._calls import binary, call, unary
from ._errors import describe
from ._operands import operand, operands
from ._routes import elementwise as ops

if TYPE_CHECKING:
    from builtins import bool as _bool

    from torch import Tensor

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "not_equal",
    "positive",
    "pow",
    "real",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.abs.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.abs(xp.asarray([-128, -1, 5], dtype=xp.int8))
    Array([-128,    1,    5], dtype=int8, device='cpu')
    >>> xp.abs(xp.asarray([3 + 4j, 3e38 + 0j]))
    Array([5.e+00, 3.e+38], dtype=float32, device='cpu')
    """


@unary(ops.acos)
def acos(x: Array, /) -> Array:
    """Compute the inverse cosine of each element, in radians.

    Parameters
    ----------
    x : Array
        The cosines, of a floating-point data type.

    Returns
    -------
    Array
        The principal values: for real ``x`` in [0, π]. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    Notes
    -----
    For real ``x`` the result is NaN outside [-1, 1] and for NaN; it is +0 for 1.

    Complex: the branch cuts are (-inf, -1) and (1, inf) on the real axis, where the sign of a zero
    imaginary part says from which side the cut is approached. The real part of the result is in
    [0, π], the imaginary part has the sign opposite to that of the operand, zeros included, so that
    ``acos(conj(x)) == conj(acos(x))``. Where ``a + bj`` is not finite (``b`` positive):

    - ``a + inf j`` is ``π/2 - inf j`` for finite ``a``; ``-inf + inf j`` is ``3π/4 - inf j`` and
      ``inf + inf j`` is ``π/4 - inf j``.
    - ``-inf + bj`` is ``π - inf j`` and ``inf + bj`` is ``0 - inf j``.
    - ``±0 + nan j`` is ``π/2 + nan j``; ``±inf + nan j`` is ``nan ± inf j`` with either sign;
      ``nan + inf j`` is ``nan - inf j``; other NaNs give ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.acos.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.acos(xp.asarray([1.0, 0.0, -1.0, 2.0], dtype=xp.float64))
    Array([0.        , 1.57079633, 3.14159265,        nan], dtype=float64, device='cpu')
    >>> xp.acos(xp.asarray([2 + 0j, complex(2, -0.0)], dtype=xp.complex128))
    Array([0.-1.3169579j, 0.+1.3169579j], dtype=complex128, device='cpu')
    """


@unary(ops.acosh)
def acosh(x: Array, /) -> Array:
    """Compute the inverse hyperbolic cosine of each element.

    Parameters
    ----------
    x : Array
        The hyperbolic cosines, of a floating-point data type.

    Returns
    -------
    Array
        The principal values, for real ``x`` not negative. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    Notes
    -----
    For real ``x`` the result is NaN below 1 and for NaN, +0 for 1, and inf for inf.

    Complex: the branch cut is (-inf, 1) on the real axis, where the sign of a zero imaginary part
    says from which side the cut is approached. The real part of the result is not negative, the
    imaginary part is in [-π, π], and ``acosh(conj(x)) == conj(acosh(x))``. Where ``a + bj`` is not
    finite (``b`` positive):

    - ``a + inf j`` is ``inf + π/2 j`` for finite ``a``; ``-inf + inf j`` is ``inf + 3π/4 j`` and
      ``inf + inf j`` is ``inf + π/4 j``.
    - ``-inf + bj`` is ``inf + πj`` and ``inf + bj`` is ``inf + 0j``.
    - ``±inf + nan j`` and ``nan + inf j`` are ``inf + nan j``; ``0 + nan j`` is ``nan ± π/2 j``
      with either sign; other NaNs give ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.acosh.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.acosh(xp.asarray([1.0, 2.0, 0.5], dtype=xp.float64))
    Array([0.       , 1.3169579,       nan], dtype=float64, device='cpu')
    >>> xp.acosh(xp.asarray([-1 + 0j, complex(-1, -0.0)], dtype=xp.complex128))
    Array([0.+3.14159265j, 0.-3.14159265j], dtype=complex128, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.add.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.add(xp.asarray([100, 27], dtype=xp.int8), xp.asarray([100, 100], dtype=xp.int8))
    Array([-56, 127], dtype=int8, device='cpu')
    >>> xp.add(xp.asarray([1.0, 2.0]), 1j)
    Array([1.+1.j, 2.+1.j], dtype=complex64, device='cpu')
    """


@unary(ops.asin)
def asin(x: Array, /) -> Array:
    """Compute the inverse sine of each element, in radians.

    Parameters
    ----------
    x : Array
        The sines, of a floating-point data type.

    Returns
    -------
    Array
        The principal values: for real ``x`` in [-π/2, π/2]. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    asinh

    Notes
    -----
    For real ``x`` the result is NaN outside [-1, 1] and for NaN; a zero keeps its sign.

    Complex: the branch cuts are (-inf, -1) and (1, inf) on the real axis, where the sign of a zero
    imaginary part says from which side the cut is approached. The real part of the result is in
    [-π/2, π/2], both parts have the signs of the operand's, and ``asin(conj(x)) == conj(asin(x))``.
    Special cases are those of ``-1j * asinh(1j * x)``; see `asinh`.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.asin.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.asin(xp.asarray([0.0, 0.5, 1.0], dtype=xp.float64))
    Array([0.        , 0.52359878, 1.57079633], dtype=float64, device='cpu')
    >>> xp.asin(xp.asarray([2 + 0j, complex(2, -0.0)], dtype=xp.complex128))
    Array([1.57079633+1.3169579j, 1.57079633-1.3169579j], dtype=complex128, device='cpu')
    """


@unary(ops.asinh)
def asinh(x: Array, /) -> Array:
    """Compute the inverse hyperbolic sine of each element.

    Parameters
    ----------
    x : Array
        The hyperbolic sines, of a floating-point data type.

    Returns
    -------
    Array
        The principal values. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    Notes
    -----
    For real ``x`` infinities, zeros and NaN are returned as they are.

    Complex: the branch cuts are (-inf j, -j) and (j, inf j) on the imaginary axis, where the sign
    of a zero real part says from which side the cut is approached. The imaginary part of the result
    is in [-π/2, π/2]; ``asinh(conj(x)) == conj(asinh(x))`` and ``asinh(-x) == -asinh(x)``. Where
    ``a + bj`` is not finite (``a`` and ``b`` positive):

    - ``a + inf j`` is ``inf + π/2 j``, ``inf + bj`` is ``inf + 0j``, and ``inf + inf j`` is
      ``inf + π/4 j``.
    - ``inf + nan j`` is ``inf + nan j``, and ``nan + inf j`` is ``±inf + nan j`` with either sign.
    - ``nan + 0j`` is ``nan + 0j``; other NaNs give ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.asinh.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.asinh(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([0.        , 0.88137359,       -inf], dtype=float64, device='cpu')
    >>> xp.asinh(xp.asarray([2j, complex(-0.0, 2)], dtype=xp.complex128))
    Array([ 1.3169579+1.57079633j, -1.3169579+1.57079633j], dtype=complex128, device='cpu')
    """


@unary(ops.atan)
def atan(x: Array, /) -> Array:
    """Compute the inverse tangent of each element, in radians.

    Parameters
    ----------
    x : Array
        The tangents, of a floating-point data type.

    Returns
    -------
    Array
        The principal values: for real ``x`` in [-π/2, π/2]. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    atanh, atan2

    Notes
    -----
    For real ``x`` infinities give ±π/2, a zero keeps its sign, and NaN gives NaN.

    Complex: the branch cuts are (-inf j, -j) and (j, inf j) on the imaginary axis, where the sign
    of a zero real part says from which side the cut is approached. The real part of the result is
    in [-π/2, π/2], and ``atan(conj(x)) == conj(atan(x))``. Special cases are those of
    ``-1j * atanh(1j * x)``; see `atanh`.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.atan.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.atan(xp.asarray([0.0, 1.0, xp.inf], dtype=xp.float64))
    Array([0.        , 0.78539816, 1.57079633], dtype=float64, device='cpu')
    >>> xp.atan(xp.asarray([2j, complex(-0.0, 2)], dtype=xp.complex128))
    Array([ 1.57079633+0.54930614j, -1.57079633+0.54930614j], dtype=complex128, device='cpu')
    """


@binary(ops.atan2)
def atan2(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the angle, in radians, of the points with the given coordinates.

    Parameters
    ----------
    x1 : Array, int or float
        The y coordinates.
    x2 : Array, int or float
        The x coordinates. The operands are broadcast together and promoted to one data type. One of
        them may be a Python scalar.

    Returns
    -------
    Array
        The angles between the positive x axis and the rays from the origin to the points, in
        [-π, π]. The data type is the one to which the operands promote, the shape the broadcast
        one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real floating-point data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    atan

    Notes
    -----
    The signs of both operands, of zeros too, choose the quadrant:

    - The result has the sign of ``x1``. It is ±0 where ``x1`` is a zero or ``x2`` is inf (and
      ``x1`` is finite), and ``x2`` is positive or +0; it is ±π where ``x2`` is negative or -0
      instead.
    - It is ±π/2 where ``x1`` is not zero and ``x2`` is, or where ``x1`` is infinite and ``x2`` is
      not.
    - Two infinities give ±π/4 for ``x2`` = inf and ±3π/4 for ``x2`` = -inf.
    - A NaN operand gives NaN.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.atan2.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.atan2(xp.asarray([1.0, -1.0, 0.0]), xp.asarray([-1.0, -1.0, -0.0]))
    Array([ 2.3561945, -2.3561945,  3.1415927], dtype=float32, device='cpu')
    >>> xp.atan2(xp.asarray([xp.inf, 1.0], dtype=xp.float64), -xp.inf)
    Array([2.35619449, 3.14159265], dtype=float64, device='cpu')
    """


@unary(ops.atanh)
def atanh(x: Array, /) -> Array:
    """Compute the inverse hyperbolic tangent of each element.

    Parameters
    ----------
    x : Array
        The hyperbolic tangents, of a floating-point data type.

    Returns
    -------
    Array
        The principal values. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    Notes
    -----
    For real ``x`` the result is NaN outside [-1, 1] and for NaN, ±inf for ±1, and ±0 for ±0.

    Complex: the branch cuts are (-inf, -1] and [1, inf) on the real axis, where the sign of a zero
    imaginary part says from which side the cut is approached. The imaginary part of the result is
    in [-π/2, π/2]; ``atanh(conj(x)) == conj(atanh(x))`` and ``atanh(-x) == -atanh(x)``. Special
    cases (``a`` and ``b`` positive):

    - ``1 + 0j`` is ``inf + 0j``.
    - ``a + inf j``, ``inf + bj`` and ``inf + inf j`` are ``0 + π/2 j``; ``nan + inf j`` is
      ``±0 + π/2 j`` with either sign.
    - ``0 + nan j`` and ``inf + nan j`` are ``0 + nan j``; other NaNs give ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.atanh.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.atanh(xp.asarray([0.0, 0.5, 1.0, 2.0], dtype=xp.float64))
    Array([0.        , 0.54930614,        inf,        nan], dtype=float64, device='cpu')
    >>> xp.atanh(xp.asarray([2 + 0j, complex(2, -0.0)], dtype=xp.complex128))
    Array([0.54930614+1.57079633j, 0.54930614-1.57079633j], dtype=complex128, device='cpu')
    """


@binary(ops.bitwise_and)
def bitwise_and(x1: Array | int, x2: Array | int, /) -> Array:
    """Combine the bits of two operands by AND, element by element.

    Parameters
    ----------
    x1, x2 : Array, int or bool
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The combined bits. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to an integer or boolean data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Signed integers are taken in two's complement. For booleans this is the logical operation.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.bitwise_and.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bitwise_and(xp.asarray([12, -1]), xp.asarray([10, 255]))
    Array([  8, 255], dtype=int64, device='cpu')
    >>> xp.bitwise_and(xp.asarray([True, False]), True)
    Array([ True, False], dtype=bool, device='cpu')
    """


@unary(ops.bitwise_invert)
def bitwise_invert(x: Array, /) -> Array:
    """Invert each bit of each element.

    Parameters
    ----------
    x : Array
        The bits, of an integer or boolean data type.

    Returns
    -------
    Array
        The inverted bits. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of an integer or boolean data type.

    Notes
    -----
    For signed integers the result is ``-x - 1``, for unsigned ones the greatest value less ``x``,
    and for booleans the logical negation.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.bitwise_invert.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bitwise_invert(xp.asarray([0, 1, -1], dtype=xp.int8))
    Array([-1, -2,  0], dtype=int8, device='cpu')
    >>> xp.bitwise_invert(xp.asarray([0, 1, 255], dtype=xp.uint8))
    Array([255, 254,   0], dtype=uint8, device='cpu')
    """


@binary(ops.bitwise_left_shift)
def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Shift the bits of each element to the left, filling up with zeros.

    Parameters
    ----------
    x1 : Array or int
        The bits to shift.
    x2 : Array or int
        How many places to shift, not negative. The operands are broadcast together and promoted to
        one data type. One of them may be a Python scalar.

    Returns
    -------
    Array
        The shifted bits. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to an integer data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Bits shifted beyond the left end are lost; a shift by as many places as there are bits, or more,
    gives 0. What a negative shift gives is undefined.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.bitwise_left_shift.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bitwise_left_shift(xp.asarray([1, 64, 255], dtype=xp.uint8), 1)
    Array([  2, 128, 254], dtype=uint8, device='cpu')
    >>> xp.bitwise_left_shift(xp.asarray([1, 1], dtype=xp.int8), xp.asarray([7, 8], dtype=xp.int8))
    Array([-128,    0], dtype=int8, device='cpu')
    """


@binary(ops.bitwise_or)
def bitwise_or(x1: Array | int, x2: Array | int, /) -> Array:
    """Combine the bits of two operands by OR, element by element.

    Parameters
    ----------
    x1, x2 : Array, int or bool
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The combined bits. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to an integer or boolean data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Signed integers are taken in two's complement. For booleans this is the logical operation.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.bitwise_or.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bitwise_or(xp.asarray([12, -1]), xp.asarray([10, 255]))
    Array([14, -1], dtype=int64, device='cpu')
    >>> xp.bitwise_or(xp.asarray([True, False]), True)
    Array([ True,  True], dtype=bool, device='cpu')
    """


@binary(ops.bitwise_right_shift)
def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    """Shift the bits of each element to the right, keeping the sign.

    Parameters
    ----------
    x1 : Array or int
        The bits to shift.
    x2 : Array or int
        How many places to shift, not negative. The operands are broadcast together and promoted to
        one data type. One of them may be a Python scalar.

    Returns
    -------
    Array
        The shifted bits. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to an integer data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    A shift by ``n`` places is the floor division by two to the power of ``n``: places on the left
    are filled with the sign bit of signed integers and with zeros for unsigned ones, also beyond as
    many places as there are bits. What a negative shift gives is undefined.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.bitwise_right_shift.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bitwise_right_shift(xp.asarray([-5, 5, 127], dtype=xp.int8), 1)
    Array([-3,  2, 63], dtype=int8, device='cpu')
    >>> xp.bitwise_right_shift(xp.asarray([2**64 - 1], dtype=xp.uint64), 63)
    Array([1], dtype=uint64, device='cpu')
    """


@binary(ops.bitwise_xor)
def bitwise_xor(x1: Array | int, x2: Array | int, /) -> Array:
    """Combine the bits of two operands by exclusive OR, element by element.

    Parameters
    ----------
    x1, x2 : Array, int or bool
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The combined bits. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to an integer or boolean data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Signed integers are taken in two's complement. For booleans this is the logical operation.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.bitwise_xor.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bitwise_xor(xp.asarray([12, -1]), xp.asarray([10, 255]))
    Array([   6, -256], dtype=int64, device='cpu')
    >>> xp.bitwise_xor(xp.asarray([True, False]), True)
    Array([False,  True], dtype=bool, device='cpu')
    """


@unary(ops.ceil)
def ceil(x: Array, /) -> Array:
    """Round each element up to an integer.

    Parameters
    ----------
    x : Array
        The numbers, of a real-valued data type.

    Returns
    -------
    Array
        The least integers that are not below the elements. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real-valued data type.

    See Also
    --------
    floor, round, trunc

    Notes
    -----
    Integers, infinities, zeros and NaN are returned as they are. A number between -1 and 0 gives
    -0.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.ceil.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.ceil(xp.asarray([-1.5, -0.5, 1.2]))
    Array([-1., -0.,  2.], dtype=float32, device='cpu')
    >>> xp.ceil(xp.asarray([1, 2], dtype=xp.uint16))
    Array([1, 2], dtype=uint16, device='cpu')
    """


def clip(x: Array, /, min: Array | float | None = None, max: Array | float | None = None) -> Array:
    """Limit each element to a range.

    Parameters
    ----------
    x : Array
        The numbers, of a real-valued data type.
    min, max : Array, int or float, optional
        The bounds of the range, which are part of it; None leaves that side open. They are
        broadcast with ``x`` and must promote with it to the data type of ``x``.

    Returns
    -------
    Array
        The elements, or the bounds where elements are beyond them; a copy of ``x`` if both bounds
        are None. The data type is that of ``x``, the shape the broadcast one.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real-valued data type; if a bound is neither an Array
        nor a Python scalar nor None, or would change the data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a bound is a Python integer that is out of bounds for the data type of ``x``.

    See Also
    --------
    maximum, minimum

    Notes
    -----
    A NaN in ``x`` or in a bound gives NaN. Where ``min`` is greater than ``max`` the result is
    ``max``. Integers are compared exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.clip.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.clip(xp.asarray([-1.0, 0.5, 2.0]), 0, 1)
    Array([0. , 0.5, 1. ], dtype=float32, device='cpu')
    >>> xp.clip(xp.asarray([1, 5, 9]), xp.asarray([2, 2, 2]), None)
    Array([2, 5, 9], dtype=int64, device='cpu')
    """
    tensor, spec = operand("clip", x, ops.clip.dtypes)
    if min is None:
        op = ops.positive if max is None else ops.minimum
    else:
        op = ops.maximum if max is None else ops.clip
    bounds = [_bound(wrap(tensor, spec), b) for b in (min, max) if b is not None]
    return wrap(call(op, spec, "clip", tensor, *bounds), spec)


def _bound(x: Array, bound: object) -> Tensor:
    """Return a bound of ``clip`` as a tensor of the data type of the elements."""
    _, tensor, spec = operands("clip", ops.clip.dtypes, x, bound)
    if spec is not x._spec:
        raise TypeError(
            f"clip: {describe(bound)} as a bound would turn {describe(x)} into one of "
            f"{dt.NAMES[spec.dtype]}. Convert one of them with astype() first."
        )
    return tensor


@unary(ops.conj)
def conj(x: Array, /) -> Array:
    """Compute the complex conjugate of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The elements with the sign of the imaginary parts flipped, those of zeros included; a copy
        of real ``x``. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    imag, real

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.conj.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.conj(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1.-2.j, 3.+4.j], dtype=complex64, device='cpu')
    """


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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.copysign.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.copysign(xp.asarray([1.0, -2.0, xp.inf]), xp.asarray([-0.0, 3.0, -1.0]))
    Array([ -1.,   2., -inf], dtype=float32, device='cpu')
    """


@unary(ops.cos)
def cos(x: Array, /) -> Array:
    """Compute the cosine of each element.

    Parameters
    ----------
    x : Array
        The angles in radians, of a floating-point data type.

    Returns
    -------
    Array
        The cosines. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    cosh, acos

    Notes
    -----
    For real ``x`` infinities and NaN give NaN; zeros give 1.

    Complex: an entire function; special cases are those of ``cosh(1j * x)``. See `cosh`.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.cos.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.cos(xp.asarray([0.0, xp.pi, xp.inf], dtype=xp.float64))
    Array([ 1., -1., nan], dtype=float64, device='cpu')
    >>> xp.cos(xp.asarray([1j], dtype=xp.complex128))
    Array([1.54308063-0.j], dtype=complex128, device='cpu')
    """


@unary(ops.cosh)
def cosh(x: Array, /) -> Array:
    """Compute the hyperbolic cosine of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The hyperbolic cosines. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    cos, acosh

    Notes
    -----
    For real ``x`` infinities give inf, zeros give 1, and NaN gives NaN.

    Complex: an entire function with ``cosh(conj(x)) == conj(cosh(x))`` and ``cosh(-x) == cosh(x)``.
    Where ``a + bj`` is not finite (``a`` positive):

    - ``inf + bj`` is ``inf * (cos(b) + sin(b) j)`` for finite ``b``, where the imaginary part is a
      zero if ``b`` is one, and ``inf + nan j`` for others, where the real part may have either
      sign.
    - ``0 + bj`` is ``nan ± 0j`` where ``b`` is infinite or NaN; so is ``nan ± 0j``, with either
      sign.
    - ``a + bj`` is ``nan + nan j`` in all other cases.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.cosh.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.cosh(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([1.        , 1.54308063,        inf], dtype=float64, device='cpu')
    >>> xp.cosh(xp.asarray([1j], dtype=xp.complex128))
    Array([0.54030231+0.j], dtype=complex128, device='cpu')
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

    Complex quotients of finite operands neither overflow nor underflow on the way, except that a
    subnormal divisor may. What infinite and NaN components give is left open by the standard, but
    all NaN gives NaN.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.divide.html

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


@binary(ops.equal)
def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Say for each pair of elements whether they are equal.

    Parameters
    ----------
    x1, x2 : Array, bool, int, float or complex
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The truth values of ``x1 == x2``. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or their data types
        do not promote.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    See Also
    --------
    not_equal

    Notes
    -----
    A NaN, or a complex number with a NaN component, equals nothing, itself included. -0 equals +0.
    Complex numbers are equal where both components are. Integers are compared exactly, int64 and
    uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.equal.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.equal(xp.asarray([xp.nan, -0.0, 1.0]), xp.asarray([xp.nan, 0.0, 2.0]))
    Array([False,  True, False], dtype=bool, device='cpu')
    >>> xp.equal(xp.asarray([2**53, 2**53 + 1]), 2**53)
    Array([ True, False], dtype=bool, device='cpu')
    """


@unary(ops.exp)
def exp(x: Array, /) -> Array:
    """Compute e to the power of each element.

    Parameters
    ----------
    x : Array
        The exponents, of a floating-point data type.

    Returns
    -------
    Array
        The powers of e. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    expm1, log

    Notes
    -----
    For real ``x`` zeros give 1, inf gives inf, -inf gives +0, and NaN gives NaN.

    Complex: ``a + bj`` gives ``exp(a) * (cos(b) + sin(b) j)``, an entire function with
    ``exp(conj(x)) == conj(exp(x))``. Where the operand is not finite:

    - ``-inf + bj`` gives zeros with the signs of ``cos(b)`` and ``sin(b)`` for finite ``b``, and
      zeros of either sign for others.
    - ``inf + bj`` gives infinities with those signs for finite ``b`` (but ``inf + 0j`` for ``b`` =
      0), and ``±inf + nan j`` for others, with either sign.
    - ``nan + 0j`` is ``nan + 0j``, and everything else gives ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.exp.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.exp(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([1.        , 2.71828183, 0.        ], dtype=float64, device='cpu')
    >>> xp.exp(xp.asarray([xp.pi * 1j], dtype=xp.complex128))
    Array([-1.+1.2246468e-16j], dtype=complex128, device='cpu')
    """


@unary(ops.expm1)
def expm1(x: Array, /) -> Array:
    """Compute e to the power of each element, less 1.

    Parameters
    ----------
    x : Array
        The exponents, of a floating-point data type.

    Returns
    -------
    Array
        The values of ``exp(x) - 1``, accurate near 0 too. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    exp, log1p

    Notes
    -----
    For real ``x`` zeros are returned as they are, inf gives inf, -inf gives -1, and NaN gives NaN.

    Complex: an entire function with ``expm1(conj(x)) == conj(expm1(x))``. Where
    ``a + bj`` is not finite:

    - ``-inf + bj`` gives -1 with an imaginary zero, of the sign of ``sin(b)`` for finite ``b`` and
      of either sign for others.
    - ``inf + bj`` gives infinities with the signs of ``cos(b)`` and ``sin(b)`` for finite ``b``
      (but ``inf + 0j`` for ``b`` = 0), and ``±inf + nan j`` for others, with either sign.
    - ``nan + 0j`` is ``nan + 0j``, and everything else gives ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.expm1.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.expm1(xp.asarray([1e-10, 1.0, -xp.inf], dtype=xp.float64))
    Array([ 1.00000000e-10,  1.71828183e+00, -1.00000000e+00], dtype=float64, device='cpu')
    >>> xp.expm1(xp.asarray([1e-10 + 1e-10j], dtype=xp.complex128))
    Array([1.e-10+1.e-10j], dtype=complex128, device='cpu')
    """


@unary(ops.floor)
def floor(x: Array, /) -> Array:
    """Round each element down to an integer.

    Parameters
    ----------
    x : Array
        The numbers, of a real-valued data type.

    Returns
    -------
    Array
        The greatest integers that are not above the elements. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real-valued data type.

    See Also
    --------
    ceil, round, trunc

    Notes
    -----
    Integers, infinities, zeros and NaN are returned as they are.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.floor.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.floor(xp.asarray([-1.5, -0.0, 1.8]))
    Array([-2., -0.,  1.], dtype=float32, device='cpu')
    >>> xp.floor(xp.asarray([1, 2], dtype=xp.uint16))
    Array([1, 2], dtype=uint16, device='cpu')
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

    Floating-point quotients are those of Python's ``//`` for finite operands: the exact quotient is
    rounded down, not the rounded one. As the standard prefers, infinities and zeros follow
    ``floor(x1 / x2)`` instead: a finite number divided by an infinity gives a zero and an infinity
    divided by a finite number an infinity, with the sign that the operands' signs give; a nonzero
    number divided by a zero is infinite; ``0 / 0``, ``inf / inf`` and NaN operands give NaN.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.floor_divide.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.floor_divide(xp.asarray([-7, 7]), xp.asarray([2, -2]))
    Array([-4, -4], dtype=int64, device='cpu')
    >>> xp.floor_divide(xp.asarray([1.0, xp.inf, -1.0]), xp.asarray([0.1, 2.0, xp.inf]))
    Array([ 9., inf, -0.], dtype=float32, device='cpu')
    """


@binary(ops.greater)
def greater(x1: Array | float, x2: Array | float, /) -> Array:
    """Say for each pair of elements whether the first is greater than the second.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The truth values of ``x1 > x2``. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Complex numbers have no order and raise. A comparison with NaN is False. -0 equals +0. Integers
    are compared exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.greater.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.greater(xp.asarray([1.0, 2.0, xp.nan]), xp.asarray([2.0, 2.0, 2.0]))
    Array([False, False, False], dtype=bool, device='cpu')
    >>> xp.greater(xp.asarray([2**63, 2**63 + 1], dtype=xp.uint64), 2**63)
    Array([False,  True], dtype=bool, device='cpu')
    """


@binary(ops.greater_equal)
def greater_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """Say for each pair of elements whether the first is greater than or equal to the second.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The truth values of ``x1 >= x2``. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Complex numbers have no order and raise. A comparison with NaN is False. -0 equals +0. Integers
    are compared exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.greater_equal.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.greater_equal(xp.asarray([1.0, 2.0, xp.nan]), xp.asarray([2.0, 2.0, 2.0]))
    Array([False,  True, False], dtype=bool, device='cpu')
    >>> xp.greater_equal(xp.asarray([2**63, 2**63 + 1], dtype=xp.uint64), 2**63)
    Array([ True,  True], dtype=bool, device='cpu')
    """


@binary(ops.hypot)
def hypot(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the square root of the sum of the squares.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The legs of right triangles. The operands are broadcast together and promoted to one data
        type. One of them may be a Python scalar.

    Returns
    -------
    Array
        The hypotenuses. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real floating-point data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    abs

    Notes
    -----
    The squares do not overflow or underflow on the way. The result is inf where an operand is
    infinite, even if the other is NaN, and else NaN where one is NaN. Neither the order nor the
    signs of the operands matter.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.hypot.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.hypot(xp.asarray([3.0, 3e38]), xp.asarray([4.0, 0.0]))
    Array([5.e+00, 3.e+38], dtype=float32, device='cpu')
    >>> xp.hypot(xp.asarray([xp.inf], dtype=xp.float64), xp.nan)
    Array([inf], dtype=float64, device='cpu')
    """


@unary(ops.imag)
def imag(x: Array, /) -> Array:
    """Return the imaginary part of each element.

    Parameters
    ----------
    x : Array
        The complex numbers, of a complex floating-point data type.

    Returns
    -------
    Array
        A copy of the imaginary parts, in the shape of ``x``: float32 for complex64, float64 for
        complex128.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a complex floating-point data type.

    See Also
    --------
    real, conj

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.imag.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.imag(xp.asarray([1 + 2j, 3 - 4j]))
    Array([ 2., -4.], dtype=float32, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.isfinite.html

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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.isinf.html

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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.isnan.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.isnan(xp.asarray([1.0, -xp.inf, xp.nan]))
    Array([False, False,  True], dtype=bool, device='cpu')
    >>> xp.isnan(xp.asarray([1 + 2j, complex(xp.nan, xp.inf)]))
    Array([False,  True], dtype=bool, device='cpu')
    """


@binary(ops.less)
def less(x1: Array | float, x2: Array | float, /) -> Array:
    """Say for each pair of elements whether the first is less than the second.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The truth values of ``x1 < x2``. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Complex numbers have no order and raise. A comparison with NaN is False. -0 equals +0. Integers
    are compared exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.less.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.less(xp.asarray([1.0, 2.0, xp.nan]), xp.asarray([2.0, 2.0, 2.0]))
    Array([ True, False, False], dtype=bool, device='cpu')
    >>> xp.less(xp.asarray([2**63, 2**63 + 1], dtype=xp.uint64), 2**63)
    Array([False, False], dtype=bool, device='cpu')
    """


@binary(ops.less_equal)
def less_equal(x1: Array | float, x2: Array | float, /) -> Array:
    """Say for each pair of elements whether the first is less than or equal to the second.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The truth values of ``x1 <= x2``. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Complex numbers have no order and raise. A comparison with NaN is False. -0 equals +0. Integers
    are compared exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.less_equal.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.less_equal(xp.asarray([1.0, 2.0, xp.nan]), xp.asarray([2.0, 2.0, 2.0]))
    Array([ True,  True, False], dtype=bool, device='cpu')
    >>> xp.less_equal(xp.asarray([2**63, 2**63 + 1], dtype=xp.uint64), 2**63)
    Array([ True, False], dtype=bool, device='cpu')
    """


@unary(ops.log)
def log(x: Array, /) -> Array:
    """Compute the natural logarithm of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The principal values. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    log1p, log2, log10, exp

    Notes
    -----
    For real ``x`` the result is NaN below 0 and for NaN, -inf for zeros, +0 for 1, and inf for inf.

    Complex: the real part of the result is ``log(abs(x))``, the imaginary part the angle of ``x``,
    in [-π, π]. The branch cut is the negative real axis, where the sign of a zero imaginary part
    says from which side the cut is approached; ``log(conj(x)) == conj(log(x))``. Special cases
    (``b`` positive):

    - ``-0 + 0j`` is ``-inf + πj``, and ``0 + 0j`` is ``-inf + 0j``.
    - ``a + inf j`` is ``inf + π/2 j`` for finite ``a``; ``-inf + inf j`` is ``inf + 3π/4 j`` and
      ``inf + inf j`` is ``inf + π/4 j``.
    - ``-inf + bj`` is ``inf + πj`` and ``inf + bj`` is ``inf + 0j``.
    - ``±inf + nan j`` and ``nan + inf j`` are ``inf + nan j``; other NaNs give ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.log.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.log(xp.asarray([1.0, 0.0, -1.0], dtype=xp.float64))
    Array([  0., -inf,  nan], dtype=float64, device='cpu')
    >>> xp.log(xp.asarray([-1 + 0j, complex(-1, -0.0)], dtype=xp.complex128))
    Array([0.+3.14159265j, 0.-3.14159265j], dtype=complex128, device='cpu')
    """


@unary(ops.log10)
def log10(x: Array, /) -> Array:
    """Compute the logarithm to base 10 of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The principal values. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    log

    Notes
    -----
    For real ``x`` the result is NaN below 0 and for NaN, -inf for zeros, +0 for 1, and inf for inf.

    Complex: the value and the special cases are those of ``log(x) / log(10)``, component by
    component; see `log`.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.log10.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.log10(xp.asarray([1.0, 10.0, 1000.0, -1.0], dtype=xp.float64))
    Array([ 0.,  1.,  3., nan], dtype=float64, device='cpu')
    >>> xp.log10(xp.asarray([10j], dtype=xp.complex128))
    Array([1.+0.68218818j], dtype=complex128, device='cpu')
    """


@unary(ops.log1p)
def log1p(x: Array, /) -> Array:
    """Compute the natural logarithm of 1 plus each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The values of ``log(1 + x)``, accurate near 0 too. The data type and shape are those of
        ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    log, expm1

    Notes
    -----
    For real ``x`` the result is NaN below -1 and for NaN, -inf for -1, and inf for inf; a zero
    keeps its sign.

    Complex: the branch cut is (-inf, -1) on the real axis; ``log1p(conj(x)) == conj(log1p(x))``.
    Special cases (``b`` positive):

    - ``-1 + 0j`` is ``-inf + 0j``.
    - ``a + inf j`` is ``inf + π/2 j`` for finite ``a``; ``-inf + inf j`` is ``inf + 3π/4 j`` and
      ``inf + inf j`` is ``inf + π/4 j``.
    - ``-inf + bj`` is ``inf + πj`` and ``inf + bj`` is ``inf + 0j``.
    - ``±inf + nan j`` and ``nan + inf j`` are ``inf + nan j``; other NaNs give ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.log1p.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.log1p(xp.asarray([1e-10, 1.0, -1.0], dtype=xp.float64))
    Array([1.00000000e-10, 6.93147181e-01,           -inf], dtype=float64, device='cpu')
    >>> xp.log1p(xp.asarray([1e-10 + 1e-10j], dtype=xp.complex128))
    Array([1.e-10+1.e-10j], dtype=complex128, device='cpu')
    """


@unary(ops.log2)
def log2(x: Array, /) -> Array:
    """Compute the logarithm to base 2 of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The principal values. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    log

    Notes
    -----
    For real ``x`` the result is NaN below 0 and for NaN, -inf for zeros, +0 for 1, and inf for inf.

    Complex: the value and the special cases are those of ``log(x) / log(2)``, component by
    component; see `log`.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.log2.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.log2(xp.asarray([1.0, 2.0, 8.0, -1.0], dtype=xp.float64))
    Array([ 0.,  1.,  3., nan], dtype=float64, device='cpu')
    >>> xp.log2(xp.asarray([2j], dtype=xp.complex128))
    Array([1.+2.26618007j], dtype=complex128, device='cpu')
    """


@binary(ops.logaddexp)
def logaddexp(x1: Array | float, x2: Array | float, /) -> Array:
    """Compute the logarithm of the sum of two exponentials.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The values of ``log(exp(x1) + exp(x2))``. The data type is the one to which the operands
        promote, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real floating-point data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    log1p

    Notes
    -----
    The exponentials do not overflow or underflow on the way. A NaN operand gives NaN; else the
    result is inf where an operand is inf, and the other operand where one is -inf.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.logaddexp.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logaddexp(xp.asarray([0.0, 1000.0, -1000.0], dtype=xp.float64), 0.0)
    Array([6.93147181e-01, 1.00000000e+03, 0.00000000e+00], dtype=float64, device='cpu')
    >>> xp.logaddexp(xp.asarray([-xp.inf, -xp.inf]), xp.asarray([2.0, -xp.inf]))
    Array([  2., -inf], dtype=float32, device='cpu')
    """


@binary(ops.logical_and)
def logical_and(x1: Array | _bool, x2: Array | _bool, /) -> Array:
    """Combine two operands by AND, element by element.

    Parameters
    ----------
    x1, x2 : Array or bool
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        True where both operands are. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a boolean data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    bitwise_and

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.logical_and.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logical_and(xp.asarray([[True], [False]]), xp.asarray([True, False]))
    Array([[ True, False],
           [False, False]], dtype=bool, device='cpu')
    """


@unary(ops.logical_not)
def logical_not(x: Array, /) -> Array:
    """Negate each element.

    Parameters
    ----------
    x : Array
        The truth values, of a boolean data type.

    Returns
    -------
    Array
        True where ``x`` is False. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a boolean data type.

    See Also
    --------
    bitwise_invert

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.logical_not.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logical_not(xp.asarray([True, False]))
    Array([False,  True], dtype=bool, device='cpu')
    """


@binary(ops.logical_or)
def logical_or(x1: Array | _bool, x2: Array | _bool, /) -> Array:
    """Combine two operands by OR, element by element.

    Parameters
    ----------
    x1, x2 : Array or bool
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        True where an operand is. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a boolean data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    bitwise_or

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.logical_or.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logical_or(xp.asarray([[True], [False]]), xp.asarray([True, False]))
    Array([[ True,  True],
           [ True, False]], dtype=bool, device='cpu')
    """


@binary(ops.logical_xor)
def logical_xor(x1: Array | _bool, x2: Array | _bool, /) -> Array:
    """Combine two operands by exclusive OR, element by element.

    Parameters
    ----------
    x1, x2 : Array or bool
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        True where exactly one operand is. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a boolean data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.

    See Also
    --------
    bitwise_xor

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.logical_xor.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logical_xor(xp.asarray([[True], [False]]), xp.asarray([True, False]))
    Array([[False,  True],
           [ True, False]], dtype=bool, device='cpu')
    """


@binary(ops.maximum)
def maximum(x1: Array | float, x2: Array | float, /) -> Array:
    """Select the greater of each pair of elements.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The greater elements. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    See Also
    --------
    minimum, clip

    Notes
    -----
    A NaN operand gives NaN. Of zeros with different signs either may be returned. Complex numbers
    have no order and raise. Integers are compared exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.maximum.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.maximum(xp.asarray([1.0, xp.nan, 3.0]), xp.asarray([2.0, 2.0, 2.0]))
    Array([ 2., nan,  3.], dtype=float32, device='cpu')
    >>> xp.maximum(xp.asarray([0, 2**64 - 1], dtype=xp.uint64), 2**63)
    Array([ 9223372036854775808, 18446744073709551615], dtype=uint64, device='cpu')
    """


@binary(ops.minimum)
def minimum(x1: Array | float, x2: Array | float, /) -> Array:
    """Select the lesser of each pair of elements.

    Parameters
    ----------
    x1, x2 : Array, int or float
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The lesser elements. The data type is the one to which the operands promote, the shape the
        broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or they do not
        promote to a real-valued data type.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    See Also
    --------
    maximum, clip

    Notes
    -----
    A NaN operand gives NaN. Of zeros with different signs either may be returned. Complex numbers
    have no order and raise. Integers are compared exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.minimum.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.minimum(xp.asarray([1.0, xp.nan, 3.0]), xp.asarray([2.0, 2.0, 2.0]))
    Array([ 1., nan,  2.], dtype=float32, device='cpu')
    >>> xp.minimum(xp.asarray([0, 2**64 - 1], dtype=xp.uint64), 2**63)
    Array([                  0, 9223372036854775808], dtype=uint64, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.multiply.html

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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.negative.html

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

    References
    ----------
    https://data-apis.org/array-api/2024.12/API_specification/generated/array_api.nextafter.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.nextafter(xp.asarray([1.0, 0.0, 0.0]), xp.asarray([2.0, -1.0, -0.0]))
    Array([ 1.0000001e+00, -1.4012985e-45, -0.0000000e+00], dtype=float32, device='cpu')
    """


@binary(ops.not_equal)
def not_equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Say for each pair of elements whether they differ.

    Parameters
    ----------
    x1, x2 : Array, bool, int, float or complex
        The operands, broadcast together and promoted to one data type. One of them may be a Python
        scalar.

    Returns
    -------
    Array
        The truth values of ``x1 != x2``. The data type is bool, the shape the broadcast one.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither an Array nor a Python scalar, or their data types
        do not promote.
    ValueError
        If the shapes cannot be broadcast together, or the arrays are on different devices.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    See Also
    --------
    equal

    Notes
    -----
    A NaN, or a complex number with a NaN component, differs from everything, itself included. -0
    equals +0. Complex numbers differ where one of their components does. Integers are compared
    exactly, int64 and uint64 too.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.not_equal.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.not_equal(xp.asarray([xp.nan, -0.0, 1.0]), xp.asarray([xp.nan, 0.0, 2.0]))
    Array([ True, False,  True], dtype=bool, device='cpu')
    >>> xp.not_equal(xp.asarray([1 + 1j, 1 - 1j]), 1 + 1j)
    Array([False,  True], dtype=bool, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.positive.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.positive(xp.asarray([-1, 2]))
    Array([-1,  2], dtype=int64, device='cpu')
    """


@binary(ops.pow)
def pow(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Raise the elements of one operand to the powers given by another.

    Parameters
    ----------
    x1 : Array, int, float or complex
        The bases.
    x2 : Array, int, float or complex
        The exponents. The operands are broadcast together and promoted to one data type. One of
        them may be a Python scalar.

    Returns
    -------
    Array
        The powers. The data type is the one to which the operands promote, the shape the broadcast
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
    Integer powers wrap around modulo two to the number of bits. What a negative integer exponent
    gives is undefined.

    Real floating-point operands:

    - A zero exponent gives 1, and so does the base 1, whatever the other operand is, NaN included;
      other NaN operands give NaN.
    - A negative finite base with a finite exponent that is no integer gives NaN.
    - An infinite exponent gives inf, 1 or +0 according to the magnitude of the base (1 for -1).
    - A base of ±0 or ±inf gives 0 or inf; the result is negative where the base is, and the
      exponent is an odd integer.

    Complex: special cases are those of ``exp(x2 * log(x1))``, with the branch cut of `log`; a zero
    exponent gives 1.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.pow.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.pow(xp.asarray([2, 3, -7], dtype=xp.int8), xp.asarray([7, 4, 2], dtype=xp.int8))
    Array([-128,   81,   49], dtype=int8, device='cpu')
    >>> xp.pow(xp.asarray([-8.0, -2.0, xp.nan]), xp.asarray([1 / 3, 3.0, 0.0]))
    Array([nan, -8.,  1.], dtype=float32, device='cpu')
    >>> xp.pow(2, xp.asarray([0.5, -1.0], dtype=xp.float64))
    Array([1.41421356, 0.5       ], dtype=float64, device='cpu')
    """


@unary(ops.real)
def real(x: Array, /) -> Array:
    """Return the real part of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        A copy of the real parts, in the shape of ``x``. The data type is that of ``x``; for complex
        ``x`` it is that of the components: float32 for complex64, float64 for complex128.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    imag, conj

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.real.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.real(xp.asarray([1 + 2j, 3 - 4j]))
    Array([1., 3.], dtype=float32, device='cpu')
    >>> xp.real(xp.asarray([1, 2], dtype=xp.int8))
    Array([1, 2], dtype=int8, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2024.12/API_specification/generated/array_api.reciprocal.html

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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.remainder.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.remainder(xp.asarray([-7, 7]), xp.asarray([3, -3]))
    Array([ 2, -2], dtype=int64, device='cpu')
    >>> xp.remainder(xp.asarray([-1.0, 1.0, 6.0]), xp.asarray([xp.inf, xp.inf, -3.0]))
    Array([inf,  1., -0.], dtype=float32, device='cpu')
    """


@unary(ops.round)
def round(x: Array, /) -> Array:
    """Round each element to the nearest integer.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The rounded numbers. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    ceil, floor, trunc

    Notes
    -----
    Numbers halfway between two integers go to the even one. Integers, infinities, zeros and NaN are
    returned as they are; negative numbers that round to zero give -0. The components of complex
    numbers are rounded independently.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.round.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.round(xp.asarray([0.5, 1.5, 2.5, -0.2]))
    Array([ 0.,  2.,  2., -0.], dtype=float32, device='cpu')
    >>> xp.round(xp.asarray([1.5 - 2.5j]))
    Array([2.-2.j], dtype=complex64, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.sign.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.sign(xp.asarray([-2.5, 0.0, xp.nan]))
    Array([-1.,  0., nan], dtype=float32, device='cpu')
    >>> xp.sign(xp.asarray([3 + 4j, 0j]))
    Array([0.6+0.8j, 0. +0.j ], dtype=complex64, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.signbit.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.signbit(xp.asarray([-0.0, 0.0, -xp.inf]))
    Array([ True, False,  True], dtype=bool, device='cpu')
    """


@unary(ops.sin)
def sin(x: Array, /) -> Array:
    """Compute the sine of each element.

    Parameters
    ----------
    x : Array
        The angles in radians, of a floating-point data type.

    Returns
    -------
    Array
        The sines. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    sinh, asin

    Notes
    -----
    For real ``x`` infinities and NaN give NaN; a zero keeps its sign.

    Complex: an entire function; special cases are those of ``-1j * sinh(1j * x)``. See `sinh`.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.sin.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.sin(xp.asarray([0.0, xp.pi / 2, xp.inf], dtype=xp.float64))
    Array([ 0.,  1., nan], dtype=float64, device='cpu')
    >>> xp.sin(xp.asarray([1j], dtype=xp.complex128))
    Array([0.+1.17520119j], dtype=complex128, device='cpu')
    """


@unary(ops.sinh)
def sinh(x: Array, /) -> Array:
    """Compute the hyperbolic sine of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The hyperbolic sines. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    sin, asinh

    Notes
    -----
    For real ``x`` infinities, zeros and NaN are returned as they are.

    Complex: an entire function with ``sinh(conj(x)) == conj(sinh(x))`` and
    ``sinh(-x) == -sinh(x)``. Where ``a + bj`` is not finite (``a`` positive):

    - ``inf + bj`` is ``inf * (cos(b) + sin(b) j)`` for finite ``b``, where the imaginary part is a
      zero if ``b`` is one, and ``±inf + nan j`` for others, with either sign.
    - ``0 + bj`` is ``±0 + nan j`` where ``b`` is infinite or NaN, with either sign.
    - ``nan + 0j`` is ``nan + 0j``, and everything else gives ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.sinh.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.sinh(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([0.        , 1.17520119,       -inf], dtype=float64, device='cpu')
    >>> xp.sinh(xp.asarray([1j], dtype=xp.complex128))
    Array([0.+0.84147098j], dtype=complex128, device='cpu')
    """


@unary(ops.sqrt)
def sqrt(x: Array, /) -> Array:
    """Compute the square root of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The principal values. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    square

    Notes
    -----
    For real ``x`` the result is rounded once; it is NaN below 0 and for NaN. Zeros and inf are
    returned as they are, -0 too.

    Complex: the real part of the result is not negative. The branch cut is the negative real axis,
    where the sign of a zero imaginary part says from which side the cut is approached;
    ``sqrt(conj(x)) == conj(sqrt(x))``. Special cases (``b`` positive):

    - ``±0 + 0j`` is ``0 + 0j``.
    - ``a + inf j`` is ``inf + inf j`` for all ``a``, NaN included.
    - ``-inf + bj`` is ``0 + inf j`` and ``inf + bj`` is ``inf + 0j``.
    - ``-inf + nan j`` is ``nan ± inf j`` with either sign, ``inf + nan j`` is ``inf + nan j``, and
      other NaNs give ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.sqrt.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.sqrt(xp.asarray([4.0, -0.0, -1.0], dtype=xp.float64))
    Array([ 2., -0., nan], dtype=float64, device='cpu')
    >>> xp.sqrt(xp.asarray([-4 + 0j, complex(-4, -0.0)], dtype=xp.complex128))
    Array([0.+2.j, 0.-2.j], dtype=complex128, device='cpu')
    """


@unary(ops.square)
def square(x: Array, /) -> Array:
    """Multiply each element by itself.

    Parameters
    ----------
    x : Array
        The numbers, of a numeric data type.

    Returns
    -------
    Array
        The squares. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a numeric data type.

    See Also
    --------
    multiply, sqrt

    Notes
    -----
    Special cases are those of ``multiply(x, x)``: integers wrap around modulo two to the number of
    their bits.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.square.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.square(xp.asarray([15, 16, -12], dtype=xp.int8))
    Array([ -31,    0, -112], dtype=int8, device='cpu')
    >>> xp.square(xp.asarray([1 + 2j]))
    Array([-3.+4.j], dtype=complex64, device='cpu')
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

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.subtract.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.subtract(xp.asarray([0, 5], dtype=xp.uint32), xp.asarray([1, 2], dtype=xp.uint32))
    Array([4294967295,          3], dtype=uint32, device='cpu')
    >>> xp.subtract(1, xp.asarray([0.25, xp.inf]))
    Array([0.75, -inf], dtype=float32, device='cpu')
    """


@unary(ops.tan)
def tan(x: Array, /) -> Array:
    """Compute the tangent of each element.

    Parameters
    ----------
    x : Array
        The angles in radians, of a floating-point data type.

    Returns
    -------
    Array
        The tangents. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    tanh, atan

    Notes
    -----
    For real ``x`` infinities and NaN give NaN; a zero keeps its sign.

    Complex: special cases are those of ``-1j * tanh(1j * x)``. See `tanh`.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.tan.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.tan(xp.asarray([0.0, xp.pi / 4, xp.inf], dtype=xp.float64))
    Array([ 0.,  1., nan], dtype=float64, device='cpu')
    >>> xp.tan(xp.asarray([1 + 100j], dtype=xp.complex128))
    Array([2.5167471e-87+1.j], dtype=complex128, device='cpu')
    """


@unary(ops.tanh)
def tanh(x: Array, /) -> Array:
    """Compute the hyperbolic tangent of each element.

    Parameters
    ----------
    x : Array
        The numbers, of a floating-point data type.

    Returns
    -------
    Array
        The hyperbolic tangents. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a floating-point data type.

    See Also
    --------
    tan, atanh

    Notes
    -----
    For real ``x`` infinities give ±1, a zero keeps its sign, and NaN gives NaN.

    Complex: ``tanh(conj(x)) == conj(tanh(x))`` and ``tanh(-x) == -tanh(x)``; a large real part does
    not overflow. Where ``a + bj`` is not finite (``a`` and ``b`` positive):

    - ``inf + bj`` is ``1 + 0j``; so are ``inf + inf j`` and ``inf + nan j``, where the zero may
      have either sign.
    - ``0 + inf j`` and ``0 + nan j`` are ``0 + nan j``.
    - ``nan + 0j`` is ``nan + 0j``, and everything else gives ``nan + nan j``.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.tanh.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.tanh(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([ 0.        ,  0.76159416, -1.        ], dtype=float64, device='cpu')
    >>> xp.tanh(xp.asarray([100 + 1j], dtype=xp.complex128))
    Array([1.+2.5167471e-87j], dtype=complex128, device='cpu')
    """


@unary(ops.trunc)
def trunc(x: Array, /) -> Array:
    """Round each element towards zero.

    Parameters
    ----------
    x : Array
        The numbers, of a real-valued data type.

    Returns
    -------
    Array
        The elements without their fractional parts. The data type and shape are those of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or not of a real-valued data type.

    See Also
    --------
    ceil, floor, round

    Notes
    -----
    Integers, infinities, zeros and NaN are returned as they are; numbers between -1 and 0 give -0.

    References
    ----------
    https://data-apis.org/array-api/2023.12/API_specification/generated/array_api.trunc.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.trunc(xp.asarray([-1.5, -0.5, 1.8]))
    Array([-1., -0.,  1.], dtype=float32, device='cpu')
    >>> xp.trunc(xp.asarray([1, 2], dtype=xp.uint16))
    Array([1, 2], dtype=uint16, device='cpu')
    """
