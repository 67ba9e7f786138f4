"""Exponentials, logarithms, powers and roots."""

from __future__ import annotations

from ..._arrays.array import Array
from ..._calls.elementwise import binary, unary
from ..._routes import elementwise as ops

__all__ = [
    "exp",
    "expm1",
    "hypot",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "pow",
    "sqrt",
    "square",
]


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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.expm1(xp.asarray([1e-10, 1.0, -xp.inf], dtype=xp.float64))
    Array([ 1.00000000e-10,  1.71828183e+00, -1.00000000e+00], dtype=float64, device='cpu')
    >>> xp.expm1(xp.asarray([1e-10 + 1e-10j], dtype=xp.complex128))
    Array([1.e-10+1.e-10j], dtype=complex128, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.hypot(xp.asarray([3.0, 3e38]), xp.asarray([4.0, 0.0]))
    Array([5.e+00, 3.e+38], dtype=float32, device='cpu')
    >>> xp.hypot(xp.asarray([xp.inf], dtype=xp.float64), xp.nan)
    Array([inf], dtype=float64, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logaddexp(xp.asarray([0.0, 1000.0, -1000.0], dtype=xp.float64), 0.0)
    Array([6.93147181e-01, 1.00000000e+03, 0.00000000e+00], dtype=float64, device='cpu')
    >>> xp.logaddexp(xp.asarray([-xp.inf, -xp.inf]), xp.asarray([2.0, -xp.inf]))
    Array([  2., -inf], dtype=float32, device='cpu')
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
        If the shapes cannot be broadcast together, or the arrays are on different devices; if the
        exponent is a negative Python integer, and the base holds integers.
    OverflowError
        If a Python integer is out of bounds for the data type of the array.

    Notes
    -----
    Integer powers wrap around modulo two to the number of bits. What negative exponents in an array
    of integers give is undefined; to look for them would be to wait for the device.

    Real floating-point operands:

    - A zero exponent gives 1, and so does the base 1, whatever the other operand is, NaN included;
      other NaN operands give NaN.
    - A negative finite base with a finite exponent that is no integer gives NaN.
    - An infinite exponent gives inf, 1 or +0 according to the magnitude of the base (1 for -1).
    - A base of ±0 or ±inf gives 0 or inf; the result is negative where the base is, and the
      exponent is an odd integer.

    Complex: special cases are those of ``exp(x2 * log(x1))``, with the branch cut of `log`; a zero
    exponent gives 1.

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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.square(xp.asarray([15, 16, -12], dtype=xp.int8))
    Array([ -31,    0, -112], dtype=int8, device='cpu')
    >>> xp.square(xp.asarray([1 + 2j]))
    Array([-3.+4.j], dtype=complex64, device='cpu')
    """
