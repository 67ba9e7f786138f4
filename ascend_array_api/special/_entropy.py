"""Entropies and losses."""

from __future__ import annotations

from .._arrays.array import Array
from .._calls.elementwise import binary, unary
from .._routes import special as ops

__all__ = ["entr", "huber", "kl_div", "pseudo_huber", "rel_entr"]


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
        The values, of the operands' promoted data type, in the broadcast shape.

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
        The values, of the operands' promoted data type, in the broadcast shape.

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
        The values, of the operands' promoted data type, in the broadcast shape.

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
        The values, of the operands' promoted data type, in the broadcast shape.

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
