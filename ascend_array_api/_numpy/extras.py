"""Functions beyond the standard that code for arrays of any library looks for.

Names no device type.  The functions have NumPy's names and meaning.  Without them, such code falls
back to NumPy, that is to the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from .._arrays.array import Array, awaited, wrap
from .._arrays.axes import Axes, as_bool, as_int, normalize_axes
from .._arrays.promotion import SCALARS
from .._calls.interchange import asarray, check_dtype
from .._calls.operands import array_operand, array_operands, as_truth, same_device
from .._chapters import creation, data_type, elementwise, manipulation, searching, statistical
from .._chapters.sorting import sort
from .._devices.device import AnyDevice
from .._errors.exceptions import describe, wrong_dtype
from .._errors.foreign_calls import called
from .._errors.foreign_names import PORTABLE
from .._options import relaxed, settings
from .._routes import extras as ops
from .._routes import movement
from .._routes._dimensions import other_axes
from .._routes._operations import cast
from .._routes.linear_algebra import DECOMPOSED
from .._torch import dtypes as dt
from ..linalg import eigvals

__all__ = ["bincount", "convolve", "diag", "logspace", "median", "roots"]

F = TypeVar("F", bound="Callable[..., Any]")


def _extra(body: F) -> F:
    """Turn the body of a function into the function; a porting report lists its calls."""
    name = body.__name__
    text = f"{name}: the standard has no such function. Write {PORTABLE[name]}."
    before = ("    if settings.lists:", "        beyond(text)")
    return called(body, before, {"settings": settings, "beyond": relaxed.beyond, "text": text})


@_extra
def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """Count how often each of the integers from 0 on occurs.

    Parameters
    ----------
    x : Array
        A vector of integers, none of them negative.
    weights : Array, optional
        What each element counts, an array of the shape of ``x`` and of a real-valued data type; by
        default 1.
    minlength : int
        The least length of the result.

    Returns
    -------
    Array
        The number of elements that are 0, 1, 2 and so on up to the greatest element, or beyond it
        up to ``minlength``; of int64.  With ``weights``, the sums of the weights of these elements,
        of the data type of ``weights``, but int64 for signed and uint64 for unsigned integers.

    Raises
    ------
    TypeError
        If ``x`` is not an array of integers, or ``weights`` not one of real numbers.
    ValueError
        If ``x`` is no vector or has a negative element, if ``weights`` has another shape or is on
        another device, or if ``minlength`` is negative.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.bincount.html

    NumPy's sums are of float64 for weights of every data type.  The host waits for the least and
    the greatest element, because the length of the result depends on them.  Weights may be
    differentiated.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.bincount(xp.asarray([0, 2, 2, 1]), minlength=4)
    Array([1, 1, 2, 0], dtype=int64, device='cpu')
    >>> xp.bincount(xp.asarray([0, 1, 1]), weights=xp.asarray([0.5, 1.0, 2.0]))
    Array([0.5, 3. ], dtype=float32, device='cpu')
    """
    x = array_operand("bincount", x, dt.INTEGER)
    length = as_int("bincount", minlength, "minlength")
    if x.ndim != 1:
        raise ValueError(f"bincount: expected a vector, got {x.ndim} dimensions (shape {x.shape}).")
    if length < 0:
        raise ValueError(f"bincount: minlength must not be negative, got {length}.")
    positions = wrap(cast(x._tensor, dt.int64), x._spec.of(dt.int64))
    settings.need("data_dependent_shapes", "bincount: the shape of its result depends on values")
    if x.size:
        awaited(x._tensor, x._spec.device)
        ends = statistical.min(positions), statistical.max(positions)
        least, most = manipulation.stack(ends)._tensor.tolist()
        if least < 0:
            raise ValueError(f"bincount: elements must be from 0 to 2**63 - 2, got {least}.")
        length = length if length > most else most + 1
    if weights is None:
        counts = ops.count_at.on(positions._spec)(positions._tensor, length)
        return wrap(counts, positions._spec)
    weights = array_operand("bincount", weights, dt.REAL)
    own = same_device("bincount", weights._spec, x._spec)
    if weights.shape != x.shape:
        raise ValueError(
            f"bincount: there must be a weight for each element, got weights of shape "
            f"{weights.shape} for shape {x.shape}."
        )
    spec = own.of(statistical.accumulator("bincount", weights.dtype, None))
    values = cast(weights._tensor, spec.dtype)
    return wrap(ops.sum_at.on(spec)(values, positions._tensor, length), spec)


@_extra
def convolve(x1: Array, x2: Array, /, mode: str = "full") -> Array:
    """Convolve two vectors, as in a product of two polynomials.

    Parameters
    ----------
    x1, x2 : Array
        Vectors of a numeric data type, neither of them empty; an array of 0 dimensions is taken for
        one of 1 element.
    mode : {"full", "same", "valid"}
        Which elements of the convolution: all, where the vectors overlap at least by 1; the middle
        ones, as many as the longer vector has; or those where they overlap completely.

    Returns
    -------
    Array
        For ``M`` and ``N`` elements a vector of ``M + N - 1``, ``max(M, N)`` or
        ``max(M, N) - min(M, N) + 1``, of their promoted data type.

    Raises
    ------
    TypeError
        If an operand is not an array, is not numeric, or if the data types do not promote.
    ValueError
        If an array is empty or has more than 1 dimension, if the devices differ, or if there is no
        such mode.

    See Also
    --------
    fft.fft : for two long vectors: faster there, the product of both transforms.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.convolve.html

    Integers wrap around.  It takes ``M`` times ``N`` products.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.convolve(xp.asarray([1, 2, 3]), xp.asarray([0, 1, 10]))
    Array([ 0,  1, 12, 23, 30], dtype=int64, device='cpu')
    >>> xp.convolve(xp.asarray([1, 2, 3]), xp.asarray([0, 1, 10]), mode="valid")
    Array([12], dtype=int64, device='cpu')
    """
    t1, t2, spec = array_operands("convolve", dt.NUMERIC, x1, x2)
    if t1.dim() > 1 or t2.dim() > 1 or not (t1.numel() and t2.numel()):
        raise ValueError(
            "convolve: expected two vectors, neither of them empty, got shapes "
            f"{tuple(t1.shape)} and {tuple(t2.shape)}."
        )
    short, long = sorted((t1.reshape(-1), t2.reshape(-1)), key=len)
    start, count = {
        "full": (0, len(long) + len(short) - 1),
        "same": ((len(short) - 1) // 2, len(long)),
        "valid": (len(short) - 1, len(long) - len(short) + 1),
    }.get(mode, (-1, 0))
    if start < 0:
        raise ValueError(f"convolve: mode must be 'full', 'same' or 'valid', got {mode!r}.")
    product = ops.convolve.on(spec)(long, short).narrow(0, start, count)
    return as_truth(wrap(product, spec), x1, x2)


@_extra
def diag(x: Array, /, k: int = 0) -> Array:
    """Return the diagonal of a matrix, or the matrix with a diagonal.

    Parameters
    ----------
    x : Array
        A matrix, or a vector.
    k : int
        Which diagonal: 0 is the main one, a positive number lies above it, a negative one below.

    Returns
    -------
    Array
        Of a matrix, its diagonal, as a view.  Of a vector, a square matrix that has it as its
        diagonal and zeros elsewhere.

    Raises
    ------
    ValueError
        If ``x`` has neither 1 nor 2 dimensions.

    See Also
    --------
    linalg.diagonal : the diagonals of a stack of matrices; this one is in the standard.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.diag.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.diag(xp.asarray([1, 2]))
    Array([[1, 0],
           [0, 2]], dtype=int64, device='cpu')
    >>> xp.diag(xp.asarray([[1, 2], [3, 4]]), k=1)
    Array([2], dtype=int64, device='cpu')
    """
    x = array_operand("diag", x, dt.ANY)
    offset = as_int("diag", k, "k")
    if x.ndim not in {1, 2}:
        raise ValueError(
            f"diag: expected 1 or 2 dimensions, got {x.ndim}. Use linalg.diagonal() for stacks."
        )
    if x.ndim == 2:
        return wrap(x._tensor.diagonal(offset), x._spec)
    return wrap(movement.diagonal_matrix.on(x._spec)(x._tensor, offset), x._spec)


@_extra
def logspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    *,
    base: float = 10.0,
    dtype: dt.AnyDType = None,
    device: AnyDevice = None,
    endpoint: bool = True,
) -> Array:
    """Return numbers evenly spaced on a logarithmic scale.

    Parameters
    ----------
    start, stop : int, float or complex
        The exponents of the first and the last number.
    num : int
        How many numbers.
    base : float
        The base of the exponents.
    dtype, device, endpoint
        As for ``linspace``; the data type must be a floating-point one.

    Returns
    -------
    Array
        ``base`` to the power of ``linspace(start, stop, num)``, of shape ``(num,)``; powers that
        are too large are infinite.

    Raises
    ------
    TypeError
        If an exponent is no number, or if ``dtype`` is no floating-point data type or cannot hold
        the exponents.
    ValueError
        If ``num`` is negative, or if there is no such device.

    See Also
    --------
    linspace : numbers evenly spaced; in the standard.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.logspace.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.logspace(0, 2, 3)
    Array([  1.,  10., 100.], dtype=float32, device='cpu')
    """
    if dtype is not None and check_dtype("logspace", dtype) not in dt.FLOATING:
        raise wrong_dtype("logspace", dtype, dt.FLOATING, "Use astype() on the result.")
    exponents = creation.linspace(start, stop, num, dtype=dtype, device=device, endpoint=endpoint)
    kept = exponents.dtype
    # Rounded exponents would be off by their size, times the precision of the data type.
    wide = dt.complex128 if kept in dt.COMPLEX else dt.float64
    if wide is not kept:
        exponents = creation.linspace(
            start, stop, num, dtype=wide, device=device, endpoint=endpoint
        )
    if not isinstance(base, SCALARS) and getattr(base, "shape", None) != ():
        relaxed.require(TypeError(f"logspace: base must be a number, got {describe(base)}."))
        base = asarray(base, dtype=exponents.dtype, device=exponents.device)
        exponents = manipulation.reshape(exponents, (-1, *[1] * base.ndim))
    powers: Array = base**exponents
    return wrap(cast(powers._tensor, kept), powers._spec.of(kept))


@_extra
def median(x: Array, /, axis: Axes = None, *, keepdims: bool = False) -> Array:
    """Find the median: of sorted numbers the middle one, or the mean of the two in the middle.

    NaN propagates: where an element is NaN, so is the result.  The median of no elements is NaN.

    Parameters
    ----------
    x : Array
        An array of a real floating-point data type.
    axis : int or tuple of int, optional
        The axes along which to look for it; by default all of them, and none for ``()``.
    keepdims : bool, optional
        Whether the reduced axes stay in the result, with size 1.

    Returns
    -------
    Array
        An array of the same data type.

    Raises
    ------
    TypeError
        If ``x`` is not of a real floating-point data type.
    AxisError
        If the array has no such axis; both a ValueError and an IndexError.
    ValueError
        If an axis is given twice.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.median.html

    The mean of two large numbers does not overflow, as it does in NumPy.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1.0, 7.0, 2.0], [4.0, xp.nan, 5.0]])
    >>> xp.median(x, axis=0)
    Array([2.5, nan, 3.5], dtype=float32, device='cpu')
    >>> xp.median(x, axis=1, keepdims=True)
    Array([[ 2.],
           [nan]], dtype=float32, device='cpu')
    """
    x = array_operand("median", x, dt.REAL_FLOATING)
    axes = normalize_axes("median", axis, x.ndim)
    keep = as_bool("median", keepdims, "keepdims")
    kept = tuple(other_axes(x.ndim, axes))
    shape = tuple(x.shape[i] for i in kept)
    count = math.prod([x.shape[i] for i in axes])
    if count:
        rows = manipulation.reshape(manipulation.permute_dims(x, kept + axes), (*shape, count))
        ordered = sort(rows, stable=False)
        low, high = (ordered[..., i] for i in ((count - 1) // 2, count // 2))
        if count % 2:
            middle = high
        elif x.dtype in dt.HALF:
            single = data_type.astype(low, dt.float32) + data_type.astype(high, dt.float32)
            middle = data_type.astype(single * 0.5, x.dtype)
        else:
            middle = (low + high) * 0.5
            large = elementwise.isinf(middle)
            middle = searching.where(large, low * 0.5 + high * 0.5, middle)
        last = ordered[..., count - 1]  # NaN comes last
        result = searching.where(elementwise.isnan(last), last, middle)
    else:
        result = creation.full(shape, math.nan, dtype=x.dtype, device=x.device)
    if keep:
        sizes = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
        result = manipulation.reshape(result, sizes)
    return result


@_extra
def roots(x: Array, /) -> Array:
    """Find the roots of a polynomial, as the eigenvalues of its companion matrix.

    Parameters
    ----------
    x : Array
        The coefficients, that of the highest power first: a vector of float32, float64, complex64
        or complex128.

    Returns
    -------
    Array
        The roots, in no particular order, of the complex data type of the precision of ``x``: as
        many as there are coefficients after the first one that is not 0; none if all are 0.

    Raises
    ------
    TypeError
        If ``x`` is not an array of a data type that is allowed.
    ValueError
        If ``x`` is no vector.
    LinAlgError
        If the algorithm does not converge.

    See Also
    --------
    linalg.eigvals : which finds them.

    Notes
    -----
    Not in the standard.  https://numpy.org/doc/stable/reference/generated/numpy.roots.html

    NumPy returns real numbers where all roots are real.  Since the number of roots depends on the
    coefficients, the host waits for them.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.sort(xp.round(xp.real(xp.roots(xp.asarray([1.0, -3.0, 2.0])))))
    Array([1., 2.], dtype=float32, device='cpu')
    """
    x = array_operand("roots", x, DECOMPOSED)
    if x.ndim != 1:
        raise ValueError(f"roots: expected a vector, got {x.ndim} dimensions (shape {x.shape}).")
    dtype, device = dt.COMPLEX_OF.get(x.dtype, x.dtype), x.device
    places = searching.nonzero(x)[0]._tensor.tolist()
    if not places:
        return creation.zeros(0, dtype=dtype, device=device)
    first, last = places[0], places[-1]
    at_zero = creation.zeros(x.size - 1 - last, dtype=dtype, device=device)
    degree = last - first
    if not degree:
        return at_zero
    top = -x[first + 1 : last + 1] / x[first]
    below = creation.eye(degree - 1, degree, dtype=x.dtype, device=device)
    companion = manipulation.concat((manipulation.reshape(top, (1, degree)), below))
    return manipulation.concat((eigvals(companion), at_zero))
