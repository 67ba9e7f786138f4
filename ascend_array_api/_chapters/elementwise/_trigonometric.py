"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._calls.elementwise import binary, unary
from ..._routes import elementwise as ops

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "sin",
    "sinh",
    "tan",
    "tanh",
]


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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.acosh(xp.asarray([1.0, 2.0, 0.5], dtype=xp.float64))
    Array([0.       , 1.3169579,       nan], dtype=float64, device='cpu')
    >>> xp.acosh(xp.asarray([-1 + 0j, complex(-1, -0.0)], dtype=xp.complex128))
    Array([0.+3.14159265j, 0.-3.14159265j], dtype=complex128, device='cpu')
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
    in [-π/2, π/2], and ``atan(conj(x)) == conj(atan(x))`` but for the last places. Special cases
    are those of ``-1j * atanh(1j * x)``; see `atanh`.

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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.atanh(xp.asarray([0.0, 0.5, 1.0, 2.0], dtype=xp.float64))
    Array([0.        , 0.54930614,        inf,        nan], dtype=float64, device='cpu')
    >>> xp.atanh(xp.asarray([2 + 0j, complex(2, -0.0)], dtype=xp.complex128))
    Array([0.54930614+1.57079633j, 0.54930614-1.57079633j], dtype=complex128, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.cosh(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([1.        , 1.54308063,        inf], dtype=float64, device='cpu')
    >>> xp.cosh(xp.asarray([1j], dtype=xp.complex128))
    Array([0.54030231+0.j], dtype=complex128, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.sinh(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([0.        , 1.17520119,       -inf], dtype=float64, device='cpu')
    >>> xp.sinh(xp.asarray([1j], dtype=xp.complex128))
    Array([0.+0.84147098j], dtype=complex128, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.tanh(xp.asarray([0.0, 1.0, -xp.inf], dtype=xp.float64))
    Array([ 0.        ,  0.76159416, -1.        ], dtype=float64, device='cpu')
    >>> xp.tanh(xp.asarray([100 + 1j], dtype=xp.complex128))
    Array([1.+2.5167471e-87j], dtype=complex128, device='cpu')
    """
