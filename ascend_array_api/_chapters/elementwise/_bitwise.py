"""Bitwise functions and shifts."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._calls.elementwise import binary, unary
from ..._routes import elementwise as ops

__all__ = [
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
]


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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bitwise_xor(xp.asarray([12, -1]), xp.asarray([10, 255]))
    Array([   6, -256], dtype=int64, device='cpu')
    >>> xp.bitwise_xor(xp.asarray([True, False]), True)
    Array([False,  True], dtype=bool, device='cpu')
    """
