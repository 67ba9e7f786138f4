"""Comparisons, and the larger and the smaller of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..._arrays.array import Array, wrap
from ..._calls.elementwise import binary, call
from ..._calls.operands import operand, operands, same_device
from ..._calls.plainest import first
from ..._errors.exceptions import describe
from ..._options import relaxed as _relaxed
from ..._routes import elementwise as ops
from ..._routes._faults import check_fault
from ..._routes._kernels import takes_scalar
from ..._routes._operations import OPS, call_with_scalars
from ..._torch import dtypes as dt

if TYPE_CHECKING:
    from torch import Tensor

    from ..._devices.device import Spec
    from ..._routes._kernels import Kernels

__all__ = [
    "clip",
    "equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "not_equal",
]


def _plainest_clip(x: Any, low: Any, high: Any) -> Array | None:
    """Clip by numbers that torch takes exactly, or by arrays of the same data type and device.

    It returns None where anything has to be found out, checked or explained.
    """
    if type(x) is not Array:
        return None
    spec, tensor = x._spec, x._tensor
    kind, other = type(low), type(high)
    try:
        if kind in _NUMBERS and other in _NUMBERS:
            found, native = ops.clip.kernels_for(spec), ops.clip.native
            if found.takes(low) is not native or found.takes(high) is not native:
                return None
            made = native(tensor, low, high)
        elif kind is other is Array and low._spec is high._spec is spec:
            made = ops.clip.kernels[spec].users(tensor, low._tensor, high._tensor)
        elif low is None or high is None:
            op, bound = (ops.maximum, low) if high is None else (ops.minimum, high)
            both, native = ops.clip.kernels_for(spec), ops.clip.native
            # Of integers neither the derivatives nor the signs of 0 tell both functions apart.
            if type(bound) is int and spec.dtype in dt.INTEGER and both.takes(bound) is native:
                made = native(tensor, low, high)
            else:
                made = _clip_by_one(op.kernels[spec], tensor, spec, bound)
        else:
            return None
    except KeyError:
        return None
    except RuntimeError as error:
        check_fault(error, "clip", spec.device, (tensor,))
        return None
    return None if made is None else wrap(made, spec)


@first(_plainest_clip)
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.clip(xp.asarray([-1.0, 0.5, 2.0]), 0, 1)
    Array([0. , 0.5, 1. ], dtype=float32, device='cpu')
    >>> xp.clip(xp.asarray([1, 5, 9]), xp.asarray([2, 2, 2]), None)
    Array([2, 5, 9], dtype=int64, device='cpu')
    """
    return _clip(x, min, max)


_NUMBERS: Final = frozenset({int, float})


def _clip_by_one(found: Kernels, x: Tensor, spec: Spec, bound: Any) -> Any:
    if type(bound) is Array:
        return found.users(x, bound._tensor) if bound._spec is spec else None
    kernel = found.takes(bound) if type(bound) in _NUMBERS else None
    return None if kernel is None else kernel(x, bound)


def _clip(x: object, min: Any, max: Any) -> Array:
    """Clip, with all checks."""
    tensor, spec = operand("clip", x, ops.clip.dtypes)
    if takes_scalar(ops.clip, spec, min) and takes_scalar(ops.clip, spec, max):
        clipped = call_with_scalars(ops.clip, spec, "clip", tensor, min, max)
        return wrap(clipped, spec)
    relaxed = _relaxed.on()
    refusal = _relaxed.refusal(_clip, wrap(tensor, spec), min, max)
    if refusal is not None:
        _relaxed.add_to_report(refusal)
    if relaxed and spec.dtype in dt.LIMITS:
        least, most = dt.LIMITS[spec.dtype]  # a bound beyond them leaves its side open
        min = None if isinstance(min, int) and min < least else min
        max = None if isinstance(max, int) and max > most else max
    if min is None:
        op = ops.positive if max is None else ops.minimum
    else:
        op = ops.maximum if max is None else ops.clip
    given = [b for b in (min, max) if b is not None]
    if relaxed:
        for bound in given:
            tensor, _, spec = operands("clip", op.dtypes, wrap(tensor, spec), bound)
    bounds = [_bound(tensor, spec, b) for b in given]
    spec = same_device("clip", spec, *(b._spec for b in given if isinstance(b, Array)))
    if spec.dtype is dt.bool:
        return _clip_truth(tensor, spec, min, max)
    return wrap(call(op, spec, "clip", tensor, *bounds), spec)


def _clip_truth(tensor: Tensor, spec: Spec, min: Any, max: Any) -> Array:
    """Clip Booleans by Booleans, in relaxed mode."""
    result = OPS["clone"].on(spec)(tensor)
    for name, bound in (("logical_or", min), ("logical_and", max)):
        if bound is not None:
            result = call(OPS[name], spec, "clip", result, _bound(tensor, spec, bound))
    return wrap(result, spec)


def _bound(elements: Tensor, own: Spec, bound: object) -> Tensor:
    """Return a bound of ``clip`` as a tensor of the data type of the elements."""
    if isinstance(bound, Array) and (bound.device, bound._spec.dtype) == (own.device, own.dtype):
        return bound._tensor
    x = wrap(elements, own)
    _, tensor, spec = operands("clip", ops.clip.dtypes, x, bound)
    if spec.dtype is not own.dtype:
        raise TypeError(
            f"clip: {describe(bound)} as a bound would turn {describe(x)} into one of "
            f"{dt.NAMES[spec.dtype]}. Convert one of them with astype() first.{_relaxed.HINT}"
        )
    return tensor


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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.equal(xp.asarray([xp.nan, -0.0, 1.0]), xp.asarray([xp.nan, 0.0, 2.0]))
    Array([False,  True, False], dtype=bool, device='cpu')
    >>> xp.equal(xp.asarray([2**53, 2**53 + 1]), 2**53)
    Array([ True, False], dtype=bool, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.greater_equal(xp.asarray([1.0, 2.0, xp.nan]), xp.asarray([2.0, 2.0, 2.0]))
    Array([False,  True, False], dtype=bool, device='cpu')
    >>> xp.greater_equal(xp.asarray([2**63, 2**63 + 1], dtype=xp.uint64), 2**63)
    Array([ True,  True], dtype=bool, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.less_equal(xp.asarray([1.0, 2.0, xp.nan]), xp.asarray([2.0, 2.0, 2.0]))
    Array([ True,  True, False], dtype=bool, device='cpu')
    >>> xp.less_equal(xp.asarray([2**63, 2**63 + 1], dtype=xp.uint64), 2**63)
    Array([ True, False], dtype=bool, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.minimum(xp.asarray([1.0, xp.nan, 3.0]), xp.asarray([2.0, 2.0, 2.0]))
    Array([ 1., nan,  2.], dtype=float32, device='cpu')
    >>> xp.minimum(xp.asarray([0, 2**64 - 1], dtype=xp.uint64), 2**63)
    Array([                  0, 9223372036854775808], dtype=uint64, device='cpu')
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

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.not_equal(xp.asarray([xp.nan, -0.0, 1.0]), xp.asarray([xp.nan, 0.0, 2.0]))
    Array([ True, False,  True], dtype=bool, device='cpu')
    >>> xp.not_equal(xp.asarray([1 + 1j, 1 - 1j]), 1 + 1j)
    Array([False,  True], dtype=bool, device='cpu')
    """
