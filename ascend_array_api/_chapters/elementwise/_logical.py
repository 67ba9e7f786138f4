"""Logical functions."""

from __future__ import annotations

from builtins import bool as _bool

from ..._arrays.array import Array
from ..._calls.elementwise import binary, unary
from ..._routes import elementwise as ops

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]


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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logical_xor(xp.asarray([[True], [False]]), xp.asarray([True, False]))
    Array([[False,  True],
           [ True, False]], dtype=bool, device='cpu')
    """
