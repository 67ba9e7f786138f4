"""Set functions.

Names no device type.  The number of distinct elements decides a shape, so each function waits for
the device, and raises late errors there.

https://data-apis.org/array-api/2023.12/API_specification/set_functions.html
"""

from __future__ import annotations

from typing import NamedTuple

from .._arrays.array import Array, awaited, wrap
from .._arrays.axes import as_bool
from .._calls.elementwise import call
from .._calls.operands import operand, operands
from .._devices.device import Spec
from .._errors.foreign_calls import refusing
from .._options import settings
from .._routes import movement
from .._routes import searching as ops
from .._torch import Tensor
from .._torch import dtypes as dt

__all__ = ["unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAllResult(NamedTuple):
    """The result of ``unique_all``."""

    values: Array
    """The distinct elements."""
    indices: Array
    """The index of the first occurrence of each in the flattened array."""
    inverse_indices: Array
    """For each element of the array the index of its value."""
    counts: Array
    """How often each occurs."""


class UniqueCountsResult(NamedTuple):
    """The result of ``unique_counts``."""

    values: Array
    """The distinct elements."""
    counts: Array
    """How often each occurs."""


class UniqueInverseResult(NamedTuple):
    """The result of ``unique_inverse``."""

    values: Array
    """The distinct elements."""
    inverse_indices: Array
    """For each element of the array the index of its value."""


@refusing
def isin(x1: Array | int, x2: Array | int, /, *, invert: bool = False) -> Array:
    """Test for each element of one array whether it is in another.

    Parameters
    ----------
    x1 : Array or int
        The elements to look for.
    x2 : Array or int
        The elements among which to look, in any shape.  The data types must promote to one
        another, and one of ``x1`` and ``x2`` may be a Python scalar.
    invert : bool, optional
        Whether to test for the opposite.

    Returns
    -------
    Array
        A boolean array in the shape of ``x1``.

    Raises
    ------
    TypeError
        If the data types do not promote to one another.
    ValueError
        If the arrays are on different devices.

    Notes
    -----
    Elements are compared as ``equal`` does it, so that NaN is in no array.  The standard asks for
    integers; here all data types are allowed.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> xp.isin(x, xp.asarray([2, 3, 5]))
    Array([[False,  True],
           [ True, False]], dtype=bool, device='cpu')
    >>> xp.isin(x, 4, invert=True)
    Array([[ True,  True],
           [ True, False]], dtype=bool, device='cpu')
    """
    t1, t2, spec = operands("isin", dt.ANY, x1, x2)
    found = ops.isin.on(spec)(t1, t2, invert=as_bool("isin", invert, "invert"))
    return wrap(found, spec.bool)


@refusing
def unique_all(x: Array, /) -> UniqueAllResult:
    """Return the distinct elements, where they first occur, the inverse, and their counts.

    Parameters
    ----------
    x : Array
        The array, of any data type; it is flattened.

    Returns
    -------
    namedtuple of Array
        ``values``: the distinct elements, in one dimension, in ascending order.
        ``indices``: the index of the first occurrence of each in the flattened array.
        ``inverse_indices``: in the shape of ``x``, the index in ``values`` of each element.
        ``counts``: how often each occurs.
        The last three are of ``int64``.

    Notes
    -----
    Elements are compared as ``equal`` does it: each NaN is distinct, and comes last; the zeros of
    both signs are one value, with the sign of the first one.  Complex numbers are ordered by
    their real parts, and then by their imaginary parts.

    The shape of the result depends on the values, so that the host waits for the device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> result = xp.unique_all(xp.asarray([[3, 1], [1, 2]]))
    >>> result.values
    Array([1, 2, 3], dtype=int64, device='cpu')
    >>> result.indices
    Array([1, 3, 0], dtype=int64, device='cpu')
    >>> result.inverse_indices
    Array([[2, 0],
           [0, 1]], dtype=int64, device='cpu')
    >>> result.counts
    Array([2, 1, 1], dtype=int64, device='cpu')
    """
    tensor, flat, spec = _flat("unique_all", x)
    indices, inverse, counts = ops.unique.on(spec)(flat)
    values = movement.index_select.on(spec)(flat, indices, 0)
    inverse = inverse if flat is tensor else inverse.view(tensor.shape)
    places = (wrap(made, spec.of(dt.int64)) for made in (indices, inverse, counts))
    return UniqueAllResult(wrap(values, spec), *places)


@refusing
def unique_counts(x: Array, /) -> UniqueCountsResult:
    """Return the distinct elements and their counts.

    Parameters
    ----------
    x : Array
        The array, of any data type; it is flattened.

    Returns
    -------
    namedtuple of Array
        ``values``: the distinct elements, in one dimension, in ascending order.
        ``counts``: how often each occurs, of ``int64``.

    Notes
    -----
    ``unique_all`` says which elements are distinct, and in which order they come.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> result = xp.unique_counts(xp.asarray([3, 1, 1, 2]))
    >>> result.values
    Array([1, 2, 3], dtype=int64, device='cpu')
    >>> result.counts
    Array([2, 1, 1], dtype=int64, device='cpu')
    """
    _, flat, spec = _flat("unique_counts", x)
    values, counts = ops.unique_counts.on(spec)(flat)
    return UniqueCountsResult(wrap(values, spec), wrap(counts, spec.of(dt.int64)))


@refusing
def unique_inverse(x: Array, /) -> UniqueInverseResult:
    """Return the distinct elements and the indices that rebuild the array from them.

    Parameters
    ----------
    x : Array
        The array, of any data type; it is flattened.

    Returns
    -------
    namedtuple of Array
        ``values``: the distinct elements, in one dimension, in ascending order.
        ``inverse_indices``: in the shape of ``x``, the index in ``values`` of each element, of
        ``int64``.

    Notes
    -----
    ``unique_all`` says which elements are distinct, and in which order they come.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> result = xp.unique_inverse(xp.asarray([[3, 1], [1, 2]]))
    >>> result.values
    Array([1, 2, 3], dtype=int64, device='cpu')
    >>> result.inverse_indices
    Array([[2, 0],
           [0, 1]], dtype=int64, device='cpu')
    """
    tensor, flat, spec = _flat("unique_inverse", x)
    values, inverse = ops.unique_inverse.on(spec)(flat)
    if flat is not tensor:
        inverse = inverse.view(tensor.shape)
    return UniqueInverseResult(wrap(values, spec), wrap(inverse, spec.of(dt.int64)))


@refusing
def unique_values(x: Array, /) -> Array:
    """Return the distinct elements.

    Parameters
    ----------
    x : Array
        The array, of any data type; it is flattened.

    Returns
    -------
    Array
        The distinct elements, in one dimension, in ascending order.

    Notes
    -----
    ``unique_all`` says which elements are distinct, and in which order they come.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.unique_values(xp.asarray([[3, 1], [1, 2]]))
    Array([1, 2, 3], dtype=int64, device='cpu')
    """
    _, flat, spec = _flat("unique_values", x)
    return wrap(ops.unique_values.on(spec)(flat), spec)


def _flat(function: str, x: object) -> tuple[Tensor, Tensor, Spec]:
    """Return a tensor, the same in one dimension, and its spec; the host waits for the values."""
    tensor, spec = operand(function, x, dt.ANY)
    flat = tensor if tensor.dim() == 1 else call(movement.reshape, spec, function, tensor, (-1,))
    settings.need("data_dependent_shapes", f"{function}: the shape of its result depends on values")
    return awaited(tensor, spec.device), flat, spec
