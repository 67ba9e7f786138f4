"""Creation functions; ``asarray`` and ``from_dlpack`` are in ``_calls.interchange``.

Names no device type: operations and backends make the tensors.

https://data-apis.org/array-api/2023.12/API_specification/creation_functions.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np

from .._arrays.array import Array, wrap, wrap_within
from .._arrays.axes import Shape, as_bool, as_int, held, normalize_shape
from .._arrays.promotion import SCALARS, promote_scalar, scalar_value
from .._calls.interchange import asarray, check_complex, check_dtype, fitting, from_dlpack
from .._calls.operands import converted, operand, same_device
from .._calls.plainest import REFUSED, first, plainest
from .._devices.device import AnyDevice, Device, Spec, parsed, spec
from .._errors.exceptions import describe, mixed_dtypes, wrong_dtype
from .._errors.foreign_calls import refusing
from .._options import defaults, relaxed
from .._options.defaults import resolve
from .._routes import creation as ops
from .._routes import elementwise
from .._routes._faults import check_fault
from .._routes._operations import Op, cast
from .._routes.creation import in_turn
from .._routes.movement import clone, copy
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .linear_algebra import matrices
from .manipulation import broadcast_to

__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]


def _checked_target(function: str, dtype: dt.AnyDType, device: AnyDevice) -> Spec:
    dtype = check_dtype(function, dtype)
    return spec(dtype or defaults.float_dtype(), resolve(device, function))


def known_target(dtype: Any, device: Any) -> Spec | None:
    """Return the spec of a result if its data type and device were checked before, else None.

    It looks up what ``_checked_target`` has remembered, and checks nothing itself.
    """
    kind = type(device)
    if kind is str or kind is _TorchDevice:
        where = parsed(device)
    elif device is None:
        where = defaults.device()
    else:
        where = device if kind is Device else None
    if where is None:
        return None
    if dtype is None:
        dtype = defaults.float_dtype()
    elif type(dtype) is not _DType:
        return None
    return where._specs.get(dtype)


_DType: Final = torch.dtype
_TorchDevice: Final = torch.device


def _target(function: str, dtype: dt.AnyDType, device: AnyDevice) -> Spec:
    """Return the spec of a result, and check its data type and device."""
    known = known_target(dtype, device)
    return _checked_target(function, dtype, device) if known is None else known


def _like(
    function: str, x: object, dtype: dt.AnyDType, device: AnyDevice
) -> tuple[tuple[int, ...], Spec]:
    """Return the shape of an array, and the spec of a result that is like it."""
    tensor, own = operand(function, x, dt.ANY)
    if dtype is None and device is None:
        return tuple(tensor.shape), own
    dtype = check_dtype(function, dtype) or own.dtype
    where = own.device if device is None else resolve(device, function)
    return tuple(tensor.shape), spec(dtype, where)


# --- the plainest calls ---------------------------------------------------------------------------

_Tensor: Final = torch.Tensor


def _plainest_filled(op: Op | None, make: Callable[..., Tensor]) -> Callable[..., Array | None]:
    """Return the shortcut for arrays that torch's function ``make`` creates.

    ``op`` is None for uninitialized arrays, which no kernel fills.
    """

    def filled(shape: Any, dtype: Any, device: Any) -> Array | None:
        target = known_target(dtype, device)
        if target is None:
            return None
        if not (target.device.plain if op is None else op.is_plain(target)):
            return None
        kind = type(shape)
        try:
            if kind is int:
                tensor = make(shape, dtype=target.dtype, device=target.device.torch_device)
            elif kind is tuple and shape:
                for size in shape:
                    if type(size) is not int:
                        return None
                tensor = make(*shape, dtype=target.dtype, device=target.device.torch_device)
            else:
                return None
        except REFUSED:
            return None
        return wrap(tensor, target)

    return filled


_LIKE: Final = "x: array, dtype: None, device: None if tensor.is_contiguous()"

_LARGEST: Final = {d: torch.finfo(d).max for d in dt.FLOATING}
_EXACT: Final = {**dict.fromkeys(dt.FLOATING, 2**53), **dict.fromkeys(dt.HALF, 2**24)}
_WHOLE: Final = {d: min(_EXACT[d], int(largest)) for d, largest in _LARGEST.items()}
_PLAIN: Final[dict[type, dict[dt.DType, tuple[float, float]]]] = {
    bool: {dt.bool: (False, True)},
    int: {**dt.LIMITS, **{d: (-largest, largest) for d, largest in _WHOLE.items()}},
    float: {d: (-largest, largest) for d, largest in _LARGEST.items() if d not in dt.HALF},
}
"""For a type of Python scalars and a data type, the bounds in which torch converts them as we do.

Floats beside the half-size data types are missing: torch rounds them to float32 first, and so may
round twice.
"""
_NONE: Final[dict[dt.DType, tuple[float, float]]] = {}


def _plainest_full(shape: Any, value: Any, dtype: Any, device: Any) -> Array | None:
    kind = type(value)
    if dtype is None and kind is not float:
        return None
    target = known_target(dtype, device)
    if target is None or not ops.full.is_plain(target):
        return None
    bounds = _PLAIN.get(kind, _NONE).get(target.dtype)
    if bounds is None or not bounds[0] <= value <= bounds[1]:
        return None
    sizes = (shape,) if type(shape) is int else shape
    if type(sizes) is not tuple:
        return None
    for size in sizes:
        if type(size) is not int:
            return None
    try:
        where = target.device.torch_device
        tensor = torch.full(sizes, value, dtype=target.dtype, device=where)
    except REFUSED:
        return None
    return wrap(tensor, target)


def _plainest_range(start: Any, stop: Any, step: Any, dtype: Any, device: Any) -> Array | None:
    """Return a range of integers with step 1, counted by torch itself; None for other calls."""
    first, end = (0, start) if stop is None else (start, stop)
    if type(first) is not int or type(end) is not int or type(step) is not int or step != 1:
        return None
    target = known_target(defaults.int_dtype() if dtype is None else dtype, device)
    if target is None or not ops.arange.is_plain(target):
        return None
    low, high = _COUNTED.get(target.dtype, (0, 0))
    if not low <= first < end <= high:
        return None
    where = target.device.torch_device
    try:
        if first == 0:
            tensor = torch.arange(end, dtype=target.dtype, device=where)
        else:
            tensor = torch.arange(first, end, dtype=target.dtype, device=where)
    except REFUSED:
        return None
    return wrap_within(tensor, target, first, end - 1)


def _plainest_eye(rows: Any, columns: Any, k: Any, dtype: Any, device: Any) -> Array | None:
    target = known_target(dtype, device)
    width = rows if columns is None else columns
    numbers = type(rows) is type(width) is type(k) is int and not k
    if target is None or not numbers or not target.device.plain:
        return None
    try:
        kernel = ops.eye.kernels_for(target).exact
        tensor = kernel(rows, width, 0, target.dtype, target.device.torch_device)
    except (*REFUSED, OverflowError):
        return None
    return wrap(tensor, target)


_COUNTED: Final = {**dt.LIMITS, **dict.fromkeys((dt.float32, dt.float64), (-(2**53), 2**53))}
"""For each data type, the bounds in which torch counts integers exactly."""


# --- arguments ------------------------------------------------------------------------------------


def _number(function: str, value: Any, name: str, kinds: tuple[type, ...]) -> Any:
    """Return an argument that must be a number, or an array of 0 dimensions, as Python's number.

    The host waits for the array's value.  Relaxed mode takes NumPy's numbers too.
    """
    words = "an int, float or complex" if complex in kinds else "an int or a float"
    text = f"{function}: {name} must be {words}, got "
    if isinstance(value, Array) and value.ndim == 0:
        value = value._scalar("float")
    elif isinstance(value, np.number) and not isinstance(value, kinds):
        relaxed.require(TypeError(f"{text}{describe(value)}."))
        value = value.item()
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise TypeError(f"{text}{describe(value)}.")
    return value


def _real_scalar(function: str, value: object, name: str) -> float:
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    value = int(value) if isinstance(value, np.integer) else value
    number: float = _number(function, value, name, (int, float))
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError(f"{function}: {name} must be finite, got {number}.")
    return number


@first(_plainest_range)
def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: dt.AnyDType = None,
    device: AnyDevice = None,
) -> Array:
    """Return evenly spaced values in a half-open interval.

    Parameters
    ----------
    start : int, float or Array
        The first value; or, where ``stop`` is not given, the end of an interval that starts at 0.
    stop : int, float or Array, optional
        The end of the interval, itself not included.
    step : int, float or Array
        The distance between values; it may be negative, but not 0.  Arrays must be of 0 dimensions,
        and their values are waited for.
    dtype : dtype, optional
        A numeric data type; by default the default integer data type where all arguments are
        integers, else the default real floating-point one.
    device : Device or str, optional
        The device; by default the default device.

    Returns
    -------
    Array
        A one-dimensional array of ``ceil((stop - start) / step)`` elements, or of none.

    Raises
    ------
    TypeError
        If an argument is no real number, or a float where ``dtype`` is an integer data type.
    ValueError
        If ``step`` is 0, or if an argument is not finite.
    OverflowError
        If a value does not fit the integer data type.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.arange(10, 2, -3)
    Array([10,  7,  4], dtype=int64, device='cpu')
    >>> xp.arange(2.0)
    Array([0., 1.], dtype=float32, device='cpu')
    """
    first, end = (0, start) if stop is None else (start, stop)
    first = _real_scalar("arange", first, "start")
    end = _real_scalar("arange", end, "stop")
    step = _real_scalar("arange", step, "step")
    if step == 0:
        raise ValueError("arange: step must not be 0.")
    integers = isinstance(first, int) and isinstance(end, int) and isinstance(step, int)
    if dtype is None:
        dtype = defaults.int_dtype() if integers else defaults.float_dtype()
    target = _target("arange", dtype, device)
    dtype = target.dtype
    if dtype in dt.COMPLEX:
        real = arange(first, end, step, dtype=dt.REAL_OF[dtype], device=device)
        return wrap(cast(real._tensor, dtype), target)
    if dtype not in dt.REAL:
        raise wrong_dtype("arange", dtype, dt.NUMERIC, "Use astype() on the result.")
    if isinstance(first, int) and isinstance(end, int) and isinstance(step, int):
        length = max(-((first - end) // step), 0)
    else:
        length = max(math.ceil((end - first) / step), 0)
        if dtype in dt.INTEGER:
            error = TypeError(
                f"arange: with dtype={dt.NAMES[dtype]} start, stop and step must be integers, got "
                f"{first!r}, {end!r} and {step!r}. Leave dtype out and astype() the result."
            )
            relaxed.require(error)
            first, step = int(first), int(first + step) - int(first)  # as NumPy steps
    held("arange", length, "the number of elements")
    if length and dtype in dt.INTEGER:
        for value in (first, first + (length - 1) * step):
            promote_scalar("arange", value, dtype)
    if length < 2:
        step = 1  # an unused step need not fit the data type
    kernel = ops.arange.on(target)
    made = kernel(first, step, length, dtype, target.device.torch_device)
    if not (isinstance(first, int) and isinstance(step, int) and length):
        return wrap(made, target)
    last = first + (length - 1) * step
    return wrap_within(made, target, min(first, last), max(first, last))


@first(_plainest_filled(None, torch.empty))
def empty(shape: Shape, *, dtype: dt.AnyDType = None, device: AnyDevice = None) -> Array:
    """Return an array whose elements are whatever the memory holds.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    dtype : dtype, optional
        The data type; by default the default real floating-point one.
    device : Device or str, optional
        The device; by default the default device.

    Returns
    -------
    Array
        An array to be written to.

    Raises
    ------
    ValueError
        If a size is negative, or if there is no such device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.empty((2, 3)).shape
    (2, 3)
    """
    target = _target("empty", dtype, device)
    return _empty(normalize_shape("empty", shape), target)


def _empty(shape: tuple[int, ...], target: Spec) -> Array:
    where = target.device.torch_device
    try:
        made = torch.empty(*in_turn(shape), dtype=target.dtype, device=where)
        return wrap(target.device.backend.place(made), target)
    except RuntimeError as error:
        check_fault(error, "empty", target.device, (target.dtype, shape))
        raise


@plainest(f"{_LIKE} and spec.device.plain", "torch.empty_like(tensor)")
def empty_like(x: Array, /, *, dtype: dt.AnyDType = None, device: AnyDevice = None) -> Array:
    """Return an array of the shape of another, whose elements are whatever the memory holds.

    Parameters
    ----------
    x : Array
        The array whose shape, and by default whose data type and device, the result has.
    dtype : dtype, optional
        The data type.
    device : Device or str, optional
        The device.

    Returns
    -------
    Array
        An array to be written to.

    Raises
    ------
    TypeError
        If ``x`` is not an array.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.empty_like(xp.ones((2, 3), dtype=xp.int8)).dtype
    torch.int8
    """
    return _empty(*_like("empty_like", x, dtype, device))


@first(_plainest_eye)
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: dt.AnyDType = None,
    device: AnyDevice = None,
) -> Array:
    """Return a matrix with ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    n_rows, n_cols : int
        The numbers of rows and of columns; by default as many columns as rows.
    k : int
        The diagonal: 0 is the main one, positive numbers are above it, negative ones below.
    dtype : dtype, optional
        The data type; by default the default real floating-point one.
    device : Device or str, optional
        The device; by default the default device.

    Returns
    -------
    Array
        An array of shape ``(n_rows, n_cols)``.

    Raises
    ------
    ValueError
        If a size is negative.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.eye(2, 3, k=1, dtype=xp.uint8)
    Array([[0, 1, 0],
           [0, 0, 1]], dtype=uint8, device='cpu')
    """
    target = _target("eye", dtype, device)
    shape = normalize_shape("eye", (n_rows, n_rows if n_cols is None else n_cols))
    diagonal = _diagonal("eye", k, *shape)
    kernel = ops.eye.on(target)
    return wrap(kernel(*shape, diagonal, target.dtype, target.device.torch_device), target)


def _diagonal(function: str, k: object, rows: int, columns: int) -> int:
    """Return the number of a diagonal, clamped to one step beyond the corners of the matrix."""
    return max(-rows, min(as_int(function, k, "k"), columns))


@first(_plainest_full)
def full(
    shape: Shape,
    fill_value: complex | Array,
    *,
    dtype: dt.AnyDType = None,
    device: AnyDevice = None,
) -> Array:
    """Return an array filled with a value.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    fill_value : bool, int, float, complex or 0-dimensional Array
        The value.
    dtype : dtype, optional
        The data type; by default that of an array, or the default one for a Python scalar.
    device : Device or str, optional
        The device; by default that of an array, or the default device.

    Returns
    -------
    Array
        An array of that shape.

    Raises
    ------
    TypeError
        If the value is complex and the data type is not, or a float and the data type is integer.
    OverflowError
        If an integer does not fit the data type.
    ValueError
        If a size is negative, if there is no such device, or if an array as value has dimensions.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.full((2, 2), 2**64 - 1, dtype=xp.uint64)
    Array([[18446744073709551615, 18446744073709551615],
           [18446744073709551615, 18446744073709551615]], dtype=uint64, device='cpu')
    """
    sizes = normalize_shape("full", shape)
    fill_value = _fill_value("full", fill_value)
    if isinstance(fill_value, Array):
        _, target = _like("full", fill_value, dtype, device)
    else:
        dtype = defaults.dtype_of(fill_value) if dtype is None else dtype
        target = _target("full", dtype, device)
    return _full("full", sizes, fill_value, target)


_FILLS: Final = (Array, *SCALARS)


def _fill_value(function: str, value: object) -> complex | Array:
    """Return a fill value: a Python scalar, or an array of 0 dimensions; in relaxed mode of any."""
    error: Exception
    if isinstance(value, Array) and value.ndim:
        error = ValueError(
            f"{function}: an array as fill_value must have 0 dimensions, got {value.ndim}. "
            "Use broadcast_to() instead."
        )
    elif isinstance(value, _FILLS):
        return value
    else:
        error = TypeError(
            f"{function}: fill_value must be a Python scalar or an array of 0 dimensions, got "
            f"{describe(value)}."
        )
    return converted(value, None, error)


def _full(function: str, shape: tuple[int, ...], value: complex | Array, target: Spec) -> Array:
    where = target.device.torch_device
    if isinstance(value, Array):
        same = broadcast_to(asarray(value, dtype=target.dtype, device=target.device), shape)
        return wrap(clone.on(target)(same._tensor), target, same)
    dtype = target.dtype
    if isinstance(value, float) and dtype in dt.INTEGER:  # which strict mode refuses
        promote_scalar(function, value, dtype)
    number = scalar_value(fitting(function, value, dtype), dtype)
    return wrap(ops.full.on(target)(shape, number, dtype, where), target)


@refusing
def full_like(
    x: Array, /, fill_value: complex | Array, *, dtype: dt.AnyDType = None, device: AnyDevice = None
) -> Array:
    """Return an array of the shape of another, filled with a value.

    Parameters
    ----------
    x : Array
        The array whose shape, and by default whose data type and device, the result has.
    fill_value : bool, int, float, complex or 0-dimensional Array
        The value.
    dtype : dtype, optional
        The data type.
    device : Device or str, optional
        The device.

    Returns
    -------
    Array
        An array of that shape.

    Raises
    ------
    TypeError
        If ``x`` is not an array, if the value is complex and the data type is not, or if it is a
        float and the data type is integer.
    OverflowError
        If an integer does not fit the data type.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.full_like(xp.ones(2), 3)
    Array([3., 3.], dtype=float32, device='cpu')
    """
    shape, target = _like("full_like", x, dtype, device)
    return _full("full_like", shape, _fill_value("full_like", fill_value), target)


@refusing
def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: dt.AnyDType = None,
    device: AnyDevice = None,
    endpoint: bool = True,
) -> Array:
    """Return evenly spaced numbers over an interval.

    Parameters
    ----------
    start, stop : int, float, complex or Array
        The ends of the interval.  Arrays must be of 0 dimensions, and their values are waited for.
    num : int
        The number of values.
    dtype : dtype, optional
        A numeric data type; by default the default complex one if an end is complex, else the
        default real one.  To an integer type the values are rounded down, as NumPy does; the
        standard asks for floating-point ones alone.
    device : Device or str, optional
        The device; by default the default device.
    endpoint : bool
        Whether ``stop`` is the last value.  If not, the values are those that come before it when
        the interval is divided into ``num`` steps.

    Returns
    -------
    Array
        A one-dimensional array of ``num`` elements.  The first is exactly ``start``, and the last
        is exactly ``stop`` if that is included.  Last bits of others differ between devices.

    Raises
    ------
    TypeError
        If an end is no number, if it is complex and the data type is not, if the data type is
        bool, or if ``endpoint`` is not True or False.
    ValueError
        If ``num`` is negative, or if there is no such device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.linspace(0, 1, 5)
    Array([0.  , 0.25, 0.5 , 0.75, 1.  ], dtype=float32, device='cpu')
    >>> xp.linspace(0, 1j, 2, endpoint=False)
    Array([0.+0.j , 0.+0.5j], dtype=complex64, device='cpu')
    """
    as_bool("linspace", endpoint, "endpoint")
    if type(start) not in _NUMBERS or type(stop) not in _NUMBERS:
        ends = start, stop  # a NumPy scalar has a data type of its own, which may decide
        typed = any(isinstance(x, np.inexact) for x in ends)
        known = typed and all(isinstance(x, (*_NUMBERS, np.number)) for x in ends)
        if dtype is None and known and relaxed.on():
            dtype = check_dtype("linspace", np.result_type(start, stop))
        start, stop = (
            _number("linspace", x, name, _NUMBERS) for x, name in zip(ends, ("start", "stop"))
        )
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    if dtype is None:
        dtype = defaults.complex_dtype() if is_complex else defaults.float_dtype()
    target = _target("linspace", dtype, device)
    dtype = target.dtype
    if is_complex:
        check_complex("linspace", dt.complex128, dtype)
    if dtype not in dt.NUMERIC:
        raise wrong_dtype("linspace", dtype, dt.NUMERIC, "Use astype() on the result.")
    (count,) = normalize_shape("linspace", as_int("linspace", num, "num"), "num")
    steps = count if endpoint else count + 1
    if dtype in dt.INTEGER:  # NumPy rounds the values down
        whole = _whole_linspace(start, stop, count, steps, target)
        if whole is not None:
            return whole
        exact = linspace(start, stop, num, dtype=dt.float64, device=device, endpoint=endpoint)
        return wrap(cast(elementwise.floor.on(exact._spec)(exact._tensor), dtype), target)
    kernel = ops.linspace.on(target)
    held = dt.complex128 if dtype in dt.COMPLEX else dt.float64  # the kernel rounds once
    ends = scalar_value(start, held), scalar_value(stop, held)
    values = kernel(*ends, steps, dtype, target.device.torch_device)
    return wrap(values if endpoint else values[:count], target)


def _whole_linspace(
    start: complex, stop: complex, count: int, steps: int, target: Spec
) -> Array | None:
    """Divide an interval between integers in integer arithmetic; None if the ends are no integers.

    A rounded quotient could fall just short of an integer, and rounding down would then lose 1.
    Where multiples do not fit into 64 bits, Python computes them.
    """
    if isinstance(start, complex) or isinstance(stop, complex):
        return None
    if not (float(start).is_integer() and float(stop).is_integer()):
        return None
    first, apart, parts = int(start), int(stop) - int(start), max(steps - 1, 1)
    if max(abs(first), abs(int(stop))) >= 2**63 or abs(apart) * steps >= 2**63:
        exact = [first + apart * n // parts for n in range(count)]
        return asarray(exact, dtype=target.dtype, device=target.device)
    spec = target.of(dt.int64)
    counted = ops.arange.on(spec)(0, apart, count, dt.int64, target.device.torch_device)
    # Tensors, because some devices take Python integers as float64, which would round them.
    by, begin = (
        ops.full.on(spec)((), n, dt.int64, target.device.torch_device) for n in (parts, first)
    )
    values = elementwise.floor_divide.on(spec)(counted, by) + begin
    return wrap(cast(values, target.dtype), target)


_NUMBERS: Final = (int, float, complex)


@refusing
def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> list[Array]:
    """Return coordinate matrices from coordinate vectors.

    Parameters
    ----------
    *arrays : Array
        One-dimensional arrays of one data type on one device.
    indexing : {"xy", "ij"}
        With ``"xy"`` (Cartesian) the first two axes of the results are exchanged.

    Returns
    -------
    list of Array
        One array for each vector, all of one shape: the sizes of the vectors.  From version
        2025.12 of the standard on, in the namespace ``v2025_12``, it is a tuple.

    Raises
    ------
    ValueError
        If an array is not one-dimensional, or if ``indexing`` is neither of the two.
    TypeError
        If the data types differ.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> a, b = xp.meshgrid(xp.asarray([1, 2, 3]), xp.asarray([10, 20]))
    >>> a
    Array([[1, 2, 3],
           [1, 2, 3]], dtype=int64, device='cpu')
    >>> b
    Array([[10, 10, 10],
           [20, 20, 20]], dtype=int64, device='cpu')
    """
    if indexing not in {"xy", "ij"}:
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}.")
    vectors = [operand("meshgrid", x, dt.ANY) for x in arrays]
    for tensor, _ in vectors:
        if tensor.dim() != 1:
            raise ValueError(
                f"meshgrid: arrays must be one-dimensional, got {tensor.dim()} dimensions. "
                "Use reshape(x, (-1,)) first."
            )
    if not vectors:
        return []
    specs = [own for _, own in vectors]
    same_device("meshgrid", *specs)
    for own in specs[1:]:
        if own.dtype is not specs[0].dtype:
            error = mixed_dtypes("meshgrid", specs[0].dtype, own.dtype)
            relaxed.promote_kinds(specs[0].dtype, own.dtype, error)
    axes = list(range(len(vectors)))
    if indexing == "xy":
        axes[:2] = reversed(axes[:2])
    shape = [vectors[axis][0].shape[0] for axis in axes]
    keys: list[Any] = [(..., *[None] * (len(axes) - 1 - axes.index(i))) for i in range(len(axes))]
    grids = (t[key].expand(*shape) for (t, _), key in zip(vectors, keys))
    return [wrap(copy.on(own)(grid), own) for grid, own in zip(grids, specs)]


@first(_plainest_filled(ops.full, torch.ones))
def ones(shape: Shape, *, dtype: dt.AnyDType = None, device: AnyDevice = None) -> Array:
    """Return an array of ones.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    dtype : dtype, optional
        The data type; by default the default real floating-point one.
    device : Device or str, optional
        The device; by default the default device.

    Returns
    -------
    Array
        An array of that shape.

    Raises
    ------
    ValueError
        If a size is negative, or if there is no such device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.ones(2, dtype=xp.bool)
    Array([ True,  True], dtype=bool, device='cpu')
    """
    target = _target("ones", dtype, device)
    return _ones(normalize_shape("ones", shape), target)


_ONE: Final = {
    dt.bool: True,
    **dict.fromkeys(dt.INTEGER, 1),
    **dict.fromkeys(dt.REAL_FLOATING, 1.0),
    **dict.fromkeys(dt.COMPLEX, 1.0 + 0.0j),
}


def _ones(shape: tuple[int, ...], target: Spec) -> Array:
    dtype, where = target.dtype, target.device.torch_device
    return wrap(ops.full.on(target)(shape, _ONE[dtype], dtype, where), target)


@plainest(_LIKE, "torch.ones_like(tensor)", plain=ops.full)
def ones_like(x: Array, /, *, dtype: dt.AnyDType = None, device: AnyDevice = None) -> Array:
    """Return an array of ones of the shape of another.

    Parameters
    ----------
    x : Array
        The array whose shape, and by default whose data type and device, the result has.
    dtype : dtype, optional
        The data type.
    device : Device or str, optional
        The device.

    Returns
    -------
    Array
        An array of that shape.

    Raises
    ------
    TypeError
        If ``x`` is not an array.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.ones_like(xp.zeros(2, dtype=xp.int16))
    Array([1, 1], dtype=int16, device='cpu')
    """
    return _ones(*_like("ones_like", x, dtype, device))


@plainest("x: array, k: int if k == 0", "native(tensor)", plain=ops.tril)
def tril(x: Array, /, *, k: int = 0) -> Array:
    """Return the lower triangle of a matrix, or of each matrix in a stack.

    Parameters
    ----------
    x : Array
        An array of at least two dimensions, the last two of which are the matrices.
    k : int
        The diagonal above which elements become zero: 0 is the main one, positive numbers are
        above it, negative ones below.

    Returns
    -------
    Array
        A new array of the shape and data type of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.tril(xp.ones((3, 3), dtype=xp.int8), k=-1)
    Array([[0, 0, 0],
           [1, 0, 0],
           [1, 1, 0]], dtype=int8, device='cpu')
    """
    return _triangle(ops.tril, x, k)


@plainest("x: array, k: int if k == 0", "native(tensor)", plain=ops.triu)
def triu(x: Array, /, *, k: int = 0) -> Array:
    """Return the upper triangle of a matrix, or of each matrix in a stack.

    Parameters
    ----------
    x : Array
        An array of at least two dimensions, the last two of which are the matrices.
    k : int
        The diagonal below which elements become zero: 0 is the main one, positive numbers are
        above it, negative ones below.

    Returns
    -------
    Array
        A new array of the shape and data type of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.triu(xp.ones((2, 3), dtype=xp.int8), k=1)
    Array([[0, 1, 1],
           [0, 0, 1]], dtype=int8, device='cpu')
    """
    return _triangle(ops.triu, x, k)


def _triangle(op: Op, x: Array, k: int) -> Array:
    tensor, spec = matrices(op.name, x, dt.ANY)
    if type(k) is not int or k:  # 0 needs no check: every matrix has a main diagonal
        k = _diagonal(op.name, k, *tensor.shape[-2:])
    return wrap(op.on(spec)(tensor, k), spec)


@first(_plainest_filled(ops.zeros, torch.zeros))
def zeros(shape: Shape, *, dtype: dt.AnyDType = None, device: AnyDevice = None) -> Array:
    """Return an array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    dtype : dtype, optional
        The data type; by default the default real floating-point one.
    device : Device or str, optional
        The device; by default the default device.

    Returns
    -------
    Array
        An array of that shape.

    Raises
    ------
    ValueError
        If a size is negative, or if there is no such device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.zeros((2, 2))
    Array([[0., 0.],
           [0., 0.]], dtype=float32, device='cpu')
    """
    target = _target("zeros", dtype, device)
    return _zeros(normalize_shape("zeros", shape), target)


def _zeros(shape: tuple[int, ...], target: Spec) -> Array:
    where = target.device.torch_device
    return wrap(ops.zeros.on(target)(shape, target.dtype, where), target)


@plainest(_LIKE, "torch.zeros_like(tensor)", plain=ops.zeros)
def zeros_like(x: Array, /, *, dtype: dt.AnyDType = None, device: AnyDevice = None) -> Array:
    """Return an array of zeros of the shape of another.

    Parameters
    ----------
    x : Array
        The array whose shape, and by default whose data type and device, the result has.
    dtype : dtype, optional
        The data type.
    device : Device or str, optional
        The device.

    Returns
    -------
    Array
        An array of that shape.

    Raises
    ------
    TypeError
        If ``x`` is not an array.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.zeros_like(xp.ones(2), dtype=xp.complex64)
    Array([0.+0.j, 0.+0.j], dtype=complex64, device='cpu')
    """
    return _zeros(*_like("zeros_like", x, dtype, device))
