"""NumPy's functions that the standard lacks, in relaxed mode.

Names no device type; computes by the functions of the namespace alone.

Each public function here is one of NumPy's main namespace, and its signature is NumPy's: it stands
nowhere else.  Functions of one expression, and those that differ in a name or a number, are rows
at the end; the functions of NumPy's ``linalg`` and ``fft`` too.  The functions are composed of the
namespace's, so they stay on the device of their arrays.  A function that has a parameter ``out``
leaves it alone: ``calls.reading`` writes the result there.
https://numpy.org/doc/stable/reference/routines.html
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from .. import linalg
from .._arrays.array import Array, wrap
from .._arrays.axes import broadcast, is_int, normalize_axes, normalize_axis
from .._arrays.promotion import SCALARS, promote_scalar
from .._calls.interchange import asarray, check_dtype
from .._errors.exceptions import AxisError, wrong_dtype
from .._options import defaults, relaxed
from .._routes._conditions import unless
from .._routes._dimensions import other_axes
from .._torch import dtypes as dt
from . import calls


class _Shaped:
    """The functions of a namespace, in the form that accepts NumPy's calls."""

    def __init__(self, chapter: str = "") -> None:
        self._chapter = chapter

    def __getattr__(self, name: str) -> Any:
        function = calls.shaped(f"{self._chapter}{name}")
        setattr(self, name, function)
        return function


xp: Final = _Shaped()
la: Final = _Shaped("linalg.")
ft: Final = _Shaped("fft.")


def _floating(x: Any) -> Any:
    """Return an operand as an array of floating-point numbers."""
    x = asarray(x)
    return x if x.dtype in dt.FLOATING else xp.astype(x, relaxed.default_float(x.dtype))


def _real(function: str, x: Any) -> Any:
    """Return an operand as an array of real floating-point numbers."""
    x = _floating(x)
    if x.dtype in dt.COMPLEX:
        raise wrong_dtype(function, x.dtype, dt.REAL_FLOATING, "Take real() or imag() of it first.")
    return x


def _pair(x1: Any, x2: Any, *, universal: bool = False) -> Any:
    """Return two operands as arrays of one data type, on one device.

    Beside an array of integers, a number becomes an array of its own data type, unless the function
    is universal.
    """
    device = next((x.device for x in (x1, x2) if isinstance(x, Array)), None)
    x1, x2 = (x if isinstance(x, SCALARS) else asarray(x, device=device) for x in (x1, x2))
    if not universal and not any(getattr(x, "dtype", None) in dt.FLOATING for x in (x1, x2)):
        x1, x2 = (asarray(x, device=device) for x in (x1, x2))
    dtype = xp.result_type(x1, x2)
    return tuple(asarray(x, dtype=dtype, device=device) for x in (x1, x2))


def _along(axis: int, item: Any) -> tuple[Any, ...]:
    """Return the key that selects an item along an axis, and the whole of all other axes."""
    return (*[slice(None)] * axis, item, ...)


def _flat(x: Any) -> Any:
    return xp.reshape(asarray(x), (-1,))


def _led(x: Any, dimensions: int) -> Any:
    """Return an array with axes of size 1 in front, if it has fewer dimensions than some."""
    more = dimensions - x.ndim
    return xp.reshape(x, (*[1] * more, *x.shape)) if more > 0 else x


def _line(function: str, a: Any, axis: int | None) -> tuple[Any, int]:
    """Return an array and an axis of it; without an axis, flatten the array."""
    x = _flat(a) if axis is None else asarray(a)
    return x, normalize_axis(function, 0 if axis is None else axis, x.ndim)


def _unless(wrong: Any, error: type[Exception], text: str, x: Any) -> Any:
    """Return an array; raise an error, as the option ``checks`` says, if a value is true."""
    return wrap(unless(wrong._tensor, error, text, x._tensor), x._spec)


def _within(function: str, places: Any, size: int) -> Any:
    """Return positions, which must be in bounds."""
    text = f"{function}: a position is out of bounds: it must be from 0 to {size - 1}."
    return _unless(xp.any((places < 0) | (places >= size)), ValueError, text, places)


def _to_write(to: Array, values: Any) -> Any:
    """Return values to write to an array, in its data type if they have none of their own."""
    plain = isinstance(values, (*SCALARS, np.generic, list, tuple))
    return asarray(values, dtype=to.dtype if plain else None, device=to.device)


# --- creation -------------------------------------------------------------------------------------


def fromfunction(
    function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **kwargs: Any
) -> Any:
    coordinates = xp.astype(calls.created("indices")(shape), check_dtype("fromfunction", dtype))
    return function(*coordinates, **kwargs)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:  # noqa: N803
    x = asarray(x)
    powers = xp.arange(x.shape[0] if N is None else N, device=x.device)
    result = x[:, None] ** (powers if increasing else xp.flip(powers))[None, :]
    return xp.astype(result, xp.result_type(x.dtype, dt.int64))


# --- shapes ---------------------------------------------------------------------------------------


def size(a: Any, axis: Any = None) -> Any:
    a = asarray(a)
    return math.prod(a.shape[i] for i in normalize_axes("size", axis, a.ndim))


def ravel(a: Any, order: str = "C") -> Any:
    flat = xp.reshape(a, (-1,), order)
    # reshape() returns a view with a step as it is; NumPy's ravel() copies it.
    return flat if flat._tensor.is_contiguous() else xp.asarray(flat, copy=True)


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    a = asarray(a)
    order = [*range(a.ndim)]
    first, second = (normalize_axis("swapaxes", i, a.ndim) for i in (axis1, axis2))
    order[first], order[second] = second, first
    return xp.permute_dims(a, tuple(order))


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    a = asarray(a)
    axis = normalize_axis("rollaxis", axis, a.ndim)
    if not -a.ndim <= start <= a.ndim:
        raise AxisError(
            f"rollaxis: start must be from {-a.ndim} to {a.ndim} for an array of {a.ndim} "
            f"dimensions, got {start}."
        )
    start = start + a.ndim if start < 0 else start
    return xp.moveaxis(a, axis, start - 1 if axis < start else start)


def _at_least(dimensions: int) -> Any:
    def grown(*arys: Any) -> Any:
        results = _all_grown(arys, dimensions)
        return results[0] if len(results) == 1 else tuple(results)

    return grown


def _all_grown(arrays: Any, dimensions: int) -> list[Any]:
    return [_grown(asarray(a), dimensions) for a in arrays]


def _grown(x: Array, dimensions: int) -> Any:
    last = dimensions == 3 and x.ndim in {1, 2}  # NumPy adds the third axis at the end
    return _led(x, 2)[..., None] if last else _led(x, dimensions)


def hstack(tup: Any, *, dtype: Any = None, casting: str = "same_kind") -> Any:
    parts = _all_grown(tup, 1)
    axis = 0 if parts and parts[0].ndim == 1 else 1
    return xp.concat(parts, axis, dtype=dtype, casting=casting)


def column_stack(tup: Any) -> Any:
    return xp.concat([a if a.ndim > 1 else _grown(a, 2).T for a in map(asarray, tup)], 1)


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    x = asarray(ary)
    parts, length = indices_or_sections, x.shape[axis]
    if isinstance(parts, int):
        each, more = divmod(length, parts)
        parts = [i * each + min(i, more) for i in range(1, parts)]
    ends = [*map(int, parts)]
    return [x[_along(axis % x.ndim, slice(*e))] for e in zip([0, *ends], [*ends, None])]


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    x = asarray(ary)
    if isinstance(indices_or_sections, int) and x.shape[axis] % indices_or_sections:
        raise ValueError(
            f"split: {x.shape[axis]} elements along axis {axis} do not divide into "
            f"{indices_or_sections} equal parts. Use array_split() for unequal ones."
        )
    return array_split(x, indices_or_sections, axis)


def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    x = asarray(ary)
    if x.ndim < 2:
        raise ValueError(f"vsplit: the array must have 2 axes or more, got {x.ndim}. Use split().")
    return split(x, indices_or_sections, 0)


def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    x = asarray(m)
    first, second = normalize_axes("rot90", axes, x.ndim)
    for _ in range(k % 4):
        x = xp.flip(swapaxes(x, first, second), first)
    return x


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    parts = [asarray(arr), asarray(values)]
    return xp.concat([_flat(p) for p in parts] if axis is None else parts, axis or 0)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    x, axis = _line("delete", arr, axis)
    kept = xp.ones(x.shape[axis], dtype=dt.bool, device=x.device)
    kept[calls.positions(obj, x.device) if isinstance(obj, (tuple, list)) else obj] = False
    return x[_along(axis, kept)]


def insert(arr: Any, obj: int, values: Any, axis: int | None = None) -> Any:
    if not isinstance(obj, int):
        raise TypeError("insert: relaxed mode takes one position, an integer.")
    x, axis = _line("insert", arr, axis)
    if not -x.shape[axis] <= obj <= x.shape[axis]:
        raise IndexError(
            f"insert: position {obj} is out of bounds for axis {axis}, of {x.shape[axis]} elements."
        )
    at = obj + x.shape[axis] if obj < 0 else obj
    head, tail = (x[_along(axis, s)] for s in (slice(None, at), slice(at, None)))
    new = _led(asarray(values, dtype=x.dtype, device=x.device), x.ndim)
    new = xp.moveaxis(new, 0, axis)  # as NumPy does for a single position
    sizes = (*x.shape[:axis], new.shape[axis], *x.shape[axis + 1 :])
    return xp.concat([head, xp.broadcast_to(new, sizes), tail], axis)


def resize(a: Any, new_shape: Any) -> Any:
    x = _flat(a)
    sizes = calls.as_tuple(new_shape)
    if any(size < 0 for size in sizes):
        raise ValueError(f"resize: no size may be negative, got {sizes}.")
    if not x.size:
        return xp.zeros(sizes, dtype=x.dtype, device=x.device)
    total = math.prod(sizes)
    return xp.reshape(xp.tile(x, -(-total // x.size))[:total], sizes)


def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    x = asarray(array)
    widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()
    if mode == "constant":
        values = np.broadcast_to(np.asarray(kwargs.pop("constant_values", 0)), (x.ndim, 2)).tolist()
    calls.refuse("pad", kwargs, dict.fromkeys(kwargs))
    for axis, (before, after) in enumerate(widths):
        if mode == "constant":
            sides = [
                xp.full(
                    (*x.shape[:axis], n, *x.shape[axis + 1 :]), v, dtype=x.dtype, device=x.device
                )
                for n, v in zip((before, after), values[axis])
            ]
            x = xp.concat([sides[0], x, sides[1]], axis)
        elif mode in {"edge", "reflect", "symmetric", "wrap"}:
            places = np.pad(np.arange(x.shape[axis]), (before, after), mode=mode)  # type: ignore[call-overload]
            x = xp.take(x, asarray(places, device=x.device), axis)
        else:
            raise ValueError(
                f"pad: mode {mode!r} is not taken; there are 'constant', 'edge', 'reflect', "
                "'symmetric' and 'wrap'."
            )
    return x


# --- elementwise ----------------------------------------------------------------------------------


def _elementwise(function: Any) -> Any:
    """Add the parameters of NumPy's universal functions to a function of arrays."""
    name = function.__name__
    count = len(inspect.signature(function).parameters)

    @functools.wraps(function)
    def universal(*operands: Any, out: Any = None, where: Any = True, **named: Any) -> Any:
        if len(operands) == count + 1 and out is None:
            *operands, out = operands  # type: ignore[assignment]
        dtype = named.pop("dtype", None)
        for word in named.keys() - {"casting", "order", "subok"}:
            raise TypeError(f"{name}: there is no parameter {word!r}.")
        if dtype is not None:
            operands = tuple(asarray(x, dtype=check_dtype(name, dtype)) for x in operands)
        return calls.written(name, out, calls.chosen(name, where, function(*operands), out))

    return universal


@_elementwise
def cbrt(x: Any) -> Any:
    x = _floating(x)
    root = xp.pow(xp.abs(x), 1 / 3)
    # The exponent is not exactly a third, so correct the root by one step of Newton's method.
    usable = xp.isfinite(x) & (x != 0)
    safe = xp.where(usable, root, xp.ones_like(root))
    root = xp.where(usable, safe - (safe - xp.abs(x) / (safe * safe)) / 3, root)
    return xp.copysign(root, x)


@_elementwise
def heaviside(x1: Any, x2: Any) -> Any:
    x1, x2 = (_floating(x) for x in _pair(x1, x2))
    return xp.where(xp.isnan(x1), x1, xp.where(x1 == 0, x2, xp.astype(x1 > 0, x1.dtype)))


def _leaving_out_nan(function: Any, x1: Any, x2: Any) -> Any:
    x1, x2 = _pair(x1, x2, universal=True)
    best = function(x1, x2)
    if x1.dtype not in dt.FLOATING:
        return best
    return xp.where(xp.isnan(x1), x2, xp.where(xp.isnan(x2), x1, best))


@_elementwise
def exp2(x: Any) -> Any:
    x = _floating(x)
    return xp.pow(xp.full_like(x, 2), x)


@_elementwise
def logaddexp2(x1: Any, x2: Any) -> Any:
    x1, x2 = _pair(x1, x2)
    return xp.logaddexp(_floating(x1) * math.log(2), _floating(x2) * math.log(2)) / math.log(2)


@_elementwise
def float_power(x1: Any, x2: Any) -> Any:
    x1, x2 = _pair(x1, x2)
    dtype = dt.complex128 if x1.dtype in dt.COMPLEX else dt.float64
    return xp.pow(xp.astype(x1, dtype), xp.astype(x2, dtype))


@_elementwise
def fmod(x1: Any, x2: Any) -> Any:
    x1, x2 = _pair(x1, x2, universal=True)
    if x1.dtype in dt.FLOATING:
        return xp.copysign(xp.remainder(xp.abs(x1), xp.abs(x2)), x1)
    rest = xp.remainder(x1, x2)  # has the sign of x2; abs() would overflow
    return xp.where((rest != 0) & ((x1 < 0) != (x2 < 0)), rest - x2, rest)


def modf(x: Any) -> Any:
    x = _floating(x)
    whole = xp.trunc(x)
    part = xp.where(xp.isinf(x), xp.zeros_like(x), x - whole)
    return xp.copysign(part, x), whole


def angle(z: Any, deg: bool = False) -> Any:
    z = asarray(z)
    result = xp.atan2(_floating(xp.imag(z)), _floating(xp.real(z)))
    return result * (180 / math.pi) if deg else result


def sinc(x: Any) -> Any:
    x = math.pi * _floating(x)
    return xp.where(x == 0, 1.0, xp.sin(x) / xp.where(x == 0, 1.0, x))


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    x = asarray(x)
    if x.dtype not in dt.FLOATING:
        return xp.asarray(x, copy=copy)
    if x.dtype in dt.COMPLEX:
        x = xp.asarray(x, copy=True) if copy else x
        for part in (xp.real(x), xp.imag(x)):  # views
            nan_to_num(part, False, nan, posinf, neginf)
        return x
    limit = xp.finfo(x.dtype).max
    result = xp.where(xp.isnan(x), nan, x)
    result = xp.where(x == math.inf, limit if posinf is None else posinf, result)
    result = xp.where(x == -math.inf, -limit if neginf is None else neginf, result)
    if copy:
        return result
    x[...] = result
    return x


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    a, b = (_floating(x) for x in _pair(a, b))
    near = (xp.isfinite(b) & (xp.abs(a - b) <= atol + rtol * xp.abs(b))) | (a == b)
    return near | (xp.isnan(a) & xp.isnan(b)) if equal_nan else near


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    a1, a2 = asarray(a1), asarray(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return bool(xp.all(same | (_not_a_number(a1) & _not_a_number(a2)) if equal_nan else same))


def _not_a_number(x: Array) -> Any:
    return xp.isnan(x) if x.dtype in dt.FLOATING else xp.zeros_like(x, dtype=dt.bool)


def array_equiv(a1: Any, a2: Any) -> bool:
    a1, a2 = asarray(a1), asarray(a2)
    return broadcast(a1.shape, a2.shape) is not None and bool(xp.all(a1 == a2))


def unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Any:
    p = asarray(p)
    whole = p.dtype in dt.SIGNED and is_int(period)
    p = p if whole else _floating(p)
    axis = normalize_axis("unwrap", axis, p.ndim)
    jumps = xp.diff(p, axis=axis)
    half = period // 2 if whole else period / 2
    reduced = xp.remainder(jumps + half, period) - half
    if 2 * half == period:  # a jump by half a period keeps its sign
        reduced = xp.where((reduced == -half) & (jumps > 0), half, reduced)
    discont = period / 2 if discont is None else discont
    correction = xp.where(xp.abs(jumps) < discont, 0, reduced - jumps)
    first = xp.zeros_like(p[_along(axis, slice(None, 1))])
    return p + xp.concat([first, cumsum(correction, axis, p.dtype)], axis)


# --- sums and statistics --------------------------------------------------------------------------


def _cumulative(name: str, ours: str) -> Any:
    def function(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        x, axis = _line(name, a, axis)
        return getattr(xp, ours)(x, axis=axis, dtype=dtype)

    return function


cumsum: Any = _cumulative("cumsum", "cumulative_sum")
cumprod: Any = _cumulative("cumprod", "cumulative_prod")


@functools.cache
def _own(name: str) -> Any:
    """Return the function that a function without NaN computes by."""
    own = globals().get(name[3:])
    return calls.reading(name[3:], own) if own else getattr(xp, name[3:])


def _without_nan(a: Any, fill: Any) -> Any:
    """Return an array with a value in place of NaN, and where it was not NaN."""
    x = asarray(a)
    nan = _not_a_number(x)
    return (xp.where(nan, xp.full_like(x, fill), x) if x.dtype in dt.FLOATING else x), ~nan


def _sum_without_nan(name: str, fill: float) -> Any:
    return lambda a, *args, **named: _own(name)(_without_nan(a, fill)[0], *args, **named)


def _place_without_nan(name: str, fill: float) -> Any:
    def reduced(a: Any, axis: int | None = None, *args: Any, **named: Any) -> Any:
        x, there = _without_nan(a, fill)
        text = f"{name}: all elements along the axis are NaN."
        x = _unless(xp.any(~xp.any(there, axis)), ValueError, text, x)
        return _own(name)(x, axis, *args, **named)

    return reduced


def _extremum_without_nan(name: str, fill: float) -> Any:
    def reduced(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, **named: Any
    ) -> Any:
        x, there = _without_nan(a, fill)
        result = _own(name)(x, axis, keepdims=keepdims, **named)
        if x.dtype in dt.FLOATING and not named:
            some = xp.any(there, axis, keepdims=keepdims)
            result = xp.where(some, result, xp.full_like(result, math.nan))
        return result

    return reduced


def _moment_without_nan(name: str, fill: float) -> Any:
    def reduced(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, **named: Any) -> Any:
        x, there = _without_nan(a, fill)
        where = there & named.pop("where", True)
        result = _own(name)(x, axis, dtype, where=where, **named)
        if name != "nanmean" and x.dtype in dt.FLOATING:
            count = xp.count_nonzero(where, axis, keepdims=named.get("keepdims", False))
            result = xp.where(count > named.get("ddof", 0), result, math.nan)
        return result

    return reduced


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    a = asarray(a)
    if weights is None:
        result = xp.mean(a, axis, keepdims=keepdims)
        total = xp.full_like(result, a.size / max(result.size, 1))
    else:
        weights = asarray(weights, device=a.device)
        if weights.shape != a.shape:
            axes = normalize_axes("average", axis, a.ndim)
            if weights.shape != tuple(a.shape[i] for i in axes):
                raise (TypeError if axis is None else ValueError)(
                    f"average: weights have shape {weights.shape}; they must have that of the "
                    f"array, {a.shape}, or that of it along the axes, axis={axis}."
                )
            weights = xp.permute_dims(weights, tuple(axes.index(i) for i in sorted(axes)))
            weights = xp.reshape(
                weights, (*(n if i in axes else 1 for i, n in enumerate(a.shape)),)
            )
        dtype = xp.result_type(a, weights)
        dtype = dtype if dtype in dt.FLOATING else defaults.float_dtype()
        a, weights = (xp.astype(x, dtype, copy=False) for x in (a, weights))
        weights = xp.broadcast_to(weights, a.shape)
        total = xp.sum(weights, axis, keepdims=keepdims)
        text = "average: weights sum to 0, which nothing is divided by."
        divisor = _unless(xp.any(total == 0), ZeroDivisionError, text, total)
        result = xp.sum(a * weights, axis, keepdims=keepdims) / divisor
    return (result, total) if returned else result


def _sorted(function: str, a: Any, axis: Any) -> Any:
    """Return an array with the axes as its first one, sorted, and its shape with these kept."""
    x = asarray(a)
    x = _real(function, x) if x.dtype not in dt.INTEGER else x
    axes = normalize_axes(function, axis, x.ndim)
    rest = other_axes(x.ndim, axes)
    kept = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    x = xp.reshape(xp.permute_dims(x, (*axes, *rest)), (-1, *[x.shape[i] for i in rest]))
    return xp.sort(x, 0), kept


def _at(x: Any, places: Any) -> Any:
    """Return the elements at places along the first axis, some places for each of the others."""
    return xp.take_along_axis(x, xp.clip(places, 0, max(x.shape[0] - 1, 0)), 0)


def nanmedian(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    x, kept = _sorted("nanmedian", _floating(a), axis)
    count = xp.count_nonzero(~xp.isnan(x), 0, keepdims=True)
    low, high = _at(x, (count - 1) // 2), _at(x, count // 2)
    result = xp.where(low == high, low, (low + high) / 2)  # of two infinities too
    result = xp.where(count > 0, result, math.nan)[0, ...]
    return xp.reshape(result, kept) if keepdims else result


def _share(name: str, most: int) -> Any:
    """Return a function that interpolates between sorted elements, at shares from 0 to ``most``."""
    omit = name.startswith("nan")

    def function(
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: Any = None,
    ) -> Any:
        # Shares that the host knows stay there, so their check does not wait for an accelerator.
        given = q if isinstance(q, Array) else asarray(q, device="cpu")
        shares = xp.astype(given, dt.float64) / most
        wrong = xp.any(~((shares >= 0) & (shares <= 1)))
        shares = _unless(wrong, ValueError, f"{name}: q must be from 0 to {most}.", shares)
        x, kept = _sorted(name, a, axis)
        last: Any = x.shape[0] - 1
        # Positions are of float64: the data type of the elements may not hold them.
        at = calls.lying(shares, 0, x.ndim)
        if omit:
            count = xp.count_nonzero(~_not_a_number(x), 0)
            last = xp.astype(count - 1, dt.float64)
            at = at.to_device(x.device)
        at = at * last
        below = xp.floor(at)
        ends = [
            xp.astype(place, dt.int64).to_device(x.device)
            for place in (below, xp.minimum(below + 1, last))
        ]
        low, high = (_at(x, i) if omit else xp.take(x, _flat(i), 0) for i in ends)
        if given.dtype in dt.INTEGER and most == 1:  # each is an element
            result = low
        else:
            own = dtype = x.dtype if x.dtype in dt.FLOATING else relaxed.default_float(x.dtype)
            if given.dtype in dt.FLOATING and isinstance(q, (Array, np.ndarray)):
                dtype = xp.result_type(x.dtype, given.dtype)
            low, high = (xp.astype(v, own, copy=False) for v in (low, high))
            part = xp.astype(at - below, dtype).to_device(x.device)
            low, high, step = (xp.astype(v, dtype, copy=False) for v in (low, high, high - low))
            result = xp.where(part >= 0.5, high - step * (1 - part), low + step * part)
        if omit:
            result = xp.where(count > 0, result, math.nan)
        elif x.dtype in dt.FLOATING:
            result = xp.where(xp.isnan(x[-1, ...]), x[-1, ...], result)  # NaN is sorted to the end
        shape = kept if keepdims else x.shape[1:]
        return xp.reshape(result, (*given.shape, *shape))

    return function


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    x, *others = (_floating(given) for given in (m, y) if given is not None)
    if any(given.ndim > 2 for given in (x, *others)):
        raise ValueError("cov: variables and observations are 2 axes; an array has more of them.")
    x = x.T if not rowvar and x.ndim == 2 else _grown(x, 2)
    for other in others:
        other = _grown(other, 2)
        x = xp.concat([x, other.T if not rowvar and other.shape[0] != 1 else other], 0)
    x = x if dtype is None else xp.astype(x, check_dtype("cov", dtype))
    x = x - xp.mean(x, 1, keepdims=True)
    ddof = (0 if bias else 1) if ddof is None else ddof
    return xp.squeeze(x @ xp.conj(x.T) / max(x.shape[1] - ddof, 0))


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    c: Array = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviation = xp.sqrt(xp.real(la.diagonal(c)))
    c = c / deviation[:, None] / deviation[None, :]
    return xp.clip(c, -1, 1) if c.dtype not in dt.COMPLEX else c


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    a = _flat(a)
    if isinstance(bins, str):
        raise TypeError(f"histogram: bins={bins!r} is not taken: give a number, or the edges.")
    if not isinstance(bins, int):
        edges = asarray(bins, device=a.device)
        if bool(xp.any(edges[1:] < edges[:-1])):
            raise ValueError("histogram: bins must not fall.")
        return edges
    if bins < 1:
        raise ValueError(f"histogram: bins must be a positive integer, got {bins}.")
    low, high = (float(v) for v in range) if range is not None else (0.0, 1.0)
    if range is None and a.size:
        low, high = float(xp.min(a)), float(xp.max(a))
    if not (low <= high and math.isfinite(high - low)):
        raise ValueError(
            f"histogram: the range must be of finite numbers that do not fall, got {low}, {high}."
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    dtype = a.dtype if a.dtype in dt.FLOATING else None
    return xp.linspace(low, high, bins + 1, dtype=dtype, device=a.device)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> Any:
    a = _flat(a)
    edges: Array = histogram_bin_edges(a, bins, range)
    n = edges.size - 1
    place = xp.searchsorted(edges, a, "right") - 1
    place = xp.where(a == edges[-1], n - 1, place)
    inside = (place >= 0) & (place < n)
    weights = None if weights is None else _flat(asarray(weights, device=a.device))[inside]
    counts = xp.bincount(place[inside], weights, n)
    if density:
        counts = counts / xp.diff(edges) / xp.sum(counts)
    return counts, edges


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    x, bins = _pair(x, bins)
    side: Any = "left" if right else "right"
    falls = bins.size > 1 and bool(bins[0] > bins[-1])
    rising = xp.flip(bins) if falls else bins
    if bool(xp.any(rising[1:] < rising[:-1])):
        raise ValueError("digitize: bins must rise or fall, not both.")
    places = xp.searchsorted(rising, x, side)
    return bins.size - places if falls else places


# --- differences, integrals, polynomials ----------------------------------------------------------


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    x = _flat(ary)
    ends = [[] if end is None else [_flat(end)] for end in (to_begin, to_end)]
    for end in ends[0] + ends[1]:
        if not relaxed.casts(end.dtype, x.dtype):
            raise TypeError(
                f"ediff1d: {dt.NAMES[end.dtype]} at an end is not cast to {dt.NAMES[x.dtype]}."
            )
    return xp.concat([xp.astype(p, x.dtype) for p in (*ends[0], xp.diff(x), *ends[1])])


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = asarray(y)
    axis = normalize_axis("trapezoid", axis, y.ndim)
    if x is not None:
        x = asarray(x, device=y.device)
        dx = xp.diff(x, axis=axis if x.ndim > 1 else 0)
        if x.ndim == 1:
            dx = calls.lying(dx, 0, y.ndim - axis)
    upper, lower = y[_along(axis, slice(1, None))], y[_along(axis, slice(None, -1))]
    return xp.sum(dx * (upper + lower) / 2.0, axis)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = _floating(f)
    axes = normalize_axes("gradient", axis, f.ndim)
    steps = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
    if len(steps) != len(axes):
        raise TypeError(f"gradient: {len(steps)} spacings were given for {len(axes)} axes.")
    results = [_slope(f, step, along) for step, along in zip(steps, axes)]
    return results[0] if len(results) == 1 else tuple(results)


def _slope(f: Array, step: Any, axis: int) -> Any:
    def part(*ends: int | None) -> Any:
        return f[_along(axis, slice(*ends))]

    if f.shape[axis] < 2:
        raise ValueError("gradient: an axis needs at least 2 elements.")
    step = step if isinstance(step, SCALARS) else asarray(step, device=f.device)
    if isinstance(step, Array) and step.ndim:
        widths = calls.lying(xp.diff(step), 0, f.ndim - axis)
        first, last = widths[:1, ...], widths[-1:, ...]
        a, b = widths[:-1, ...], widths[1:, ...]
        inner = (
            -b / (a * (a + b)) * part(None, -2)
            + (b - a) / (a * b) * part(1, -1)
            + a / (b * (a + b)) * part(2, None)
        )
    else:
        first = last = step
        inner = (part(2, None) - part(None, -2)) / (2.0 * step)
    ends = (part(1, 2) - part(None, 1)) / first, (part(-1, None) - part(-2, -1)) / last
    return xp.astype(xp.concat([ends[0], inner, ends[1]], axis), f.dtype, copy=False)


def _in_one_period(x: Array, at: Array, values: Array, period: float) -> Any:
    """Return points within one period, in order, with the ones before and after it."""
    if not period:
        raise ValueError("interp: period must not be 0.")
    x, at = xp.remainder(x, period), xp.remainder(at, period)
    order = xp.argsort(at)
    at, values = xp.take(at, order), xp.take(values, order)
    at = xp.concat([at[-1:] - period, at, at[:1] + period])
    return x, at, xp.concat([values[-1:], values, values[:1]])


def _interpolated(x: Any, at: Any, values: Any, left: Any, right: Any, period: Any) -> Any:
    x, at, values = _floating(x), _floating(at), asarray(values)
    if period is not None:
        x, at, values = _in_one_period(x, at, values, abs(period))
        left = right = None
    values = _floating(values)
    if at.size == 1:
        inside = xp.full(x.shape, values[0], dtype=values.dtype, device=x.device)
    else:
        i = xp.clip(xp.searchsorted(at, x, "right") - 1, 0, at.size - 2)
        (start, below), (end, above) = ((xp.take(at, j), xp.take(values, j)) for j in (i, i + 1))
        slope = (above - below) / (end - start)
        inside = slope * (x - start) + below
        inside = xp.where(xp.isnan(inside), slope * (x - end) + above, inside)
        inside = xp.where((x == start) | (xp.isnan(inside) & (below == above)), below, inside)
    inside = xp.where(x < at[0], values[0] if left is None else left, inside)
    inside = xp.where(x == at[-1], values[-1], inside)
    inside = xp.where(x > at[-1], values[-1] if right is None else right, inside)
    return xp.where(xp.isnan(x), x, inside)


def polyval(p: Any, x: Any) -> Any:
    p, x = _pair(p, x)
    y = xp.zeros_like(x)
    for i in range(p.shape[0]):
        y = y * x + p[i]
    return y


def polyfit(
    x: Any, y: Any, deg: int, rcond: Any = None, full: Any = False, w: Any = None, cov: Any = False
) -> Any:
    x, y = _pair(_floating(x), _floating(y))
    powers = vander(x, deg + 1)
    if w is not None:
        w = asarray(w, device=x.device)
        powers, y = powers * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    scale = xp.sqrt(xp.sum(powers * powers, 0))
    solution = la.lstsq(powers / scale, y, rcond)[0]
    return solution / (scale[:, None] if y.ndim == 2 else scale)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    a, v = _pair(a, v)
    if v.shape[0] > a.shape[0]:
        return xp.flip(xp.conj(correlate(v, a, mode)))
    return xp.convolve(a, xp.conj(xp.flip(v)), mode)


# --- searching, sets ------------------------------------------------------------------------------


def argwhere(a: Any) -> Any:
    a = asarray(a)
    if not a.ndim:
        return xp.zeros((int(bool(a != 0)), 0), dtype=dt.int64, device=a.device)
    return xp.stack(xp.nonzero(a), 1)


def extract(condition: Any, arr: Any) -> Any:
    x = _flat(arr)
    return x[_flat(asarray(condition, device=x.device)) != 0]


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    x, axis = _line("compress", a, axis)
    return xp.take(x, xp.nonzero(asarray(condition, device=x.device))[0], axis)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    if not condlist or any(asarray(c).dtype is not dt.bool for c in condlist):
        raise TypeError("select: condlist must hold one or more arrays of bool.")
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        result = xp.where(condition, choice, result)
    return result


def copyto(dst: Array, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if where is not True:
        src = xp.where(where, src, dst)
    if isinstance(src, SCALARS):
        if promote_scalar("copyto", src, dst.dtype) is not dst.dtype:
            raise TypeError(
                f"copyto: {src!r} is not cast to {dt.NAMES[dst.dtype]}. Write it with x[...] = ..."
            )
        dst[...] = src
    else:
        calls.written("copyto", dst, asarray(src, device=dst.device))


def putmask(a: Array, mask: Any, values: Any) -> None:
    values = resize(_to_write(a, values), a.shape)
    a[...] = xp.where(asarray(mask, device=a.device), values, a)


def place(arr: Array, mask: Any, vals: Any) -> None:
    mask = xp.reshape(asarray(mask, device=arr.device) != 0, arr.shape)
    values = _flat(xp.astype(_to_write(arr, vals), arr.dtype, copy=False))
    if not values.size:
        text = "place: there are no values, and elements to write."
        arr[...] = _unless(xp.any(mask), ValueError, text, arr)
        return
    turn = xp.remainder(cumsum(mask, dtype=dt.int64) - 1, values.size)
    arr[...] = xp.where(mask, xp.reshape(xp.take(values, turn), arr.shape), arr)


def put(a: Array, ind: Any, v: Any, mode: str = "raise") -> None:
    places = calls.in_bounds("put", _flat(calls.positions(ind, a.device)), a.size, mode)
    if not a.size or not a.device.backend.asynchronous:  # accelerators report it as they write
        text = f"put: a position is out of bounds for an array of {a.size} elements."
        wrong = xp.any((places < -a.size) | (places >= a.size))
        a[...] = _unless(wrong, IndexError, text, a)
    values = _to_write(a, v)
    if places.size and values.size:
        a[_coordinates(places, a.shape)] = resize(values, places.size)


def put_along_axis(arr: Array, indices: Any, values: Any, axis: int | None = -1) -> None:
    if axis is None:
        put(arr, indices, values)
        return
    axis = normalize_axis("put_along_axis", axis, arr.ndim)
    key: list[Any] = [
        calls.lying(xp.arange(n, device=arr.device), i, arr.ndim) for i, n in enumerate(arr.shape)
    ]
    key[axis] = asarray(indices, device=arr.device)
    arr[tuple(key)] = values


def fill_diagonal(a: Array, val: Any, wrap: bool = False) -> None:
    if a.ndim < 2 or (a.ndim > 2 and len({*a.shape}) > 1):
        raise ValueError(
            f"fill_diagonal: the array must have 2 axes, or more of one size, got shape {a.shape}."
        )
    places = xp.arange(min(a.shape), device=a.device)
    values = val if isinstance(val, SCALARS) else resize(_to_write(a, val), min(a.shape))
    a[(places,) * a.ndim] = values


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    sizes = calls.as_tuple(shape)
    return _coordinates(_within("unravel_index", calls.positions(indices), math.prod(sizes)), sizes)


def _coordinates(places: Any, sizes: tuple[int, ...]) -> tuple[Any, ...]:
    """Return places in a flattened array by axes; out of bounds along the first if they are."""
    coordinates: list[Any] = []
    for n in reversed(sizes[1:]):
        coordinates.append(xp.remainder(places, n))
        places = xp.floor_divide(places, n)
    return (*([places] if sizes else []), *reversed(coordinates))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
    result: Any = 0
    for place, n in zip(multi_index, calls.as_tuple(dims)):
        result = result * n + _within("ravel_multi_index", calls.positions(place), n)
    return result


def ix_(*args: Any) -> tuple[Array, ...]:
    arrays = [calls.positions(a) for a in args]
    if any(a.ndim != 1 for a in arrays):
        raise ValueError("ix_: each argument must have 1 axis.")
    arrays = [xp.nonzero(a)[0] if a.dtype is dt.bool else a for a in arrays]
    return tuple(calls.lying(a, i, len(arrays)) for i, a in enumerate(arrays))


def _triangle_of(name: str) -> Any:
    def function(arr: Any, k: int = 0) -> Any:
        sizes = asarray(arr).shape
        if len(sizes) != 2:
            raise ValueError(f"{name}: the array must have 2 axes, got shape {sizes}.")
        return calls.created(name.removesuffix("_from"))(sizes[0], k, sizes[1])

    return function


def diag_indices_from(arr: Any) -> Any:
    sizes = asarray(arr).shape
    if len(sizes) < 2 or len({*sizes}) != 1:
        raise ValueError(
            f"diag_indices_from: the array must have 2 axes or more of one size, got {sizes}."
        )
    return calls.created("diag_indices")(sizes[0], len(sizes))


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    x = asarray(ar)
    if axis is not None and x.ndim > 1:
        raise TypeError("unique: axis is not taken, in relaxed mode neither.")
    values, index, inverse, counts = xp.unique_all(x)
    if equal_nan and values.dtype in dt.FLOATING:
        more = int(xp.count_nonzero(xp.isnan(values))) - 1
        if more > 0:  # they are at the end, each one as a value of its own
            last = values.size - more
            counts = xp.concat([counts[: last - 1], _flat(xp.sum(counts[last - 1 :]))])
            values, index = values[:last], index[:last]
            inverse = xp.clip(inverse, 0, last - 1)
    asked = (True, return_index, return_inverse, return_counts)
    results = [part for part, a in zip((values, index, inverse, counts), asked) if a]
    return results[0] if len(results) == 1 else tuple(results)


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    ar1, ar2 = _pair(ar1, ar2)
    return unique(ar1[xp.isin(ar1, ar2)])


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    _, ar2 = _pair(ar1, ar2)
    ar1 = _flat(asarray(ar1)) if assume_unique else unique(ar1)
    return ar1[~xp.isin(ar1, ar2)]


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    ar1, ar2 = (unique(a) for a in _pair(ar1, ar2))
    return xp.sort(xp.concat([ar1[~xp.isin(ar1, ar2)], ar2[~xp.isin(ar2, ar1)]]))


def lexsort(keys: Any, axis: int = -1) -> Any:
    keys = [asarray(k) for k in keys]
    order = xp.argsort(keys[0], axis)
    for key in keys[1:]:
        again = xp.argsort(xp.take_along_axis(key, order, axis), axis)
        order = xp.take_along_axis(order, again, axis)
    return order


def _parted(function: str, a: Any, kth: Any, axis: int | None) -> Any:
    """Return an array to be sorted, if it has the elements ``kth``."""
    x, along = _line(function, a, axis)
    size = x.shape[along]
    for k in relaxed.as_python(kth) if len(np.shape(kth)) else (relaxed.as_python(kth),):
        if not -size <= k < size:
            raise ValueError(f"{function}: kth={k} is out of bounds for {size} elements.")
    return x


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    x = asarray(arr)
    axis = normalize_axis("apply_along_axis", axis, x.ndim)
    lines = xp.moveaxis(x, axis, -1)
    outer_shape = lines.shape[:-1]
    parts = [asarray(func1d(lines[place], *args, **kwargs)) for place in np.ndindex(*outer_shape)]
    result = xp.reshape(xp.stack(parts), (*outer_shape, *parts[0].shape))
    # The result of each line takes the place of the line's axis.
    own = range(parts[0].ndim)
    return xp.moveaxis(
        result, tuple(len(outer_shape) + i for i in own), tuple(axis + i for i in own)
    )


# --- products -------------------------------------------------------------------------------------


def dot(a: Any, b: Any, out: Any = None) -> Any:
    a, b = _pair(a, b)
    if not a.ndim or not b.ndim:
        return xp.multiply(a, b)
    if b.ndim <= 2:
        return xp.matmul(a, b)
    return xp.tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2,)))


def inner(a: Any, b: Any) -> Any:
    a, b = _pair(a, b)
    if not a.ndim or not b.ndim:
        return xp.multiply(a, b)
    return xp.tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def outer(a: Any, b: Any, out: Any = None) -> Any:
    a, b = _pair(a, b)
    return _flat(a)[:, None] * _flat(b)[None, :]


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return la.diagonal(xp.moveaxis(asarray(a), (axis1, axis2), (-2, -1)), offset=offset)


def kron(a: Any, b: Any) -> Any:
    a, b = _pair(a, b)
    n = max(a.ndim, b.ndim)
    a, b = (_led(x, n) for x in (a, b))
    left = xp.reshape(a, tuple(m for k in a.shape for m in (k, 1)))
    right = xp.reshape(b, tuple(m for k in b.shape for m in (1, k)))
    return xp.reshape(left * right, tuple(i * j for i, j in zip(a.shape, b.shape)))


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    a, b = _pair(a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = xp.moveaxis(a, axisa, -1), xp.moveaxis(b, axisb, -1)
    return xp.moveaxis(la.cross(a, b), -1, axisc)


def einsum(*operands: Any, out: Any = None, optimize: Any = False, **named: Any) -> Any:
    """Sum products of arrays over indices that a text names; multiply two arrays at a time."""
    calls.refuse("einsum", named, dict.fromkeys(n for n in named if n not in {"order", "casting"}))
    if operands and not isinstance(operands[0], str):
        operands = _with_text(operands)
    if not operands:
        raise TypeError("einsum: the subscripts are missing, a text that comes first.")
    inputs, result = _subscripts(operands[0], [asarray(x) for x in operands[1:]])
    labels, left = _summed_out(*inputs[0], needed={*result}.union(*(t[0] for t in inputs[1:])))
    for i, (right_labels, right) in enumerate(inputs[1:], 1):
        needed = {*result}.union(*(t[0] for t in inputs[i + 1 :]))
        right_labels, right = _summed_out(right_labels, right, needed={*labels, *needed})
        labels, left = _contracted((labels, left), (right_labels, right), needed)
    labels, left = _summed_out(labels, left, needed=set(result))
    order = tuple(labels.index(c) for c in result)
    return xp.permute_dims(left, order)


def _with_text(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands, each followed by a list of the numbers of its axes, behind a text."""
    given = *operands[1::2], *(operands[-1:] if len(operands) % 2 else ())
    lists = [relaxed.as_python(axes) for axes in given]
    if len(operands) < 2 or not all(isinstance(axes, (list, tuple)) for axes in lists):
        raise TypeError(
            "einsum: the subscripts must be a text that comes first, or a list of integers behind "
            "each array."
        )
    letters = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",)
    terms = ["".join("..." if i is Ellipsis else letters[i] for i in axes) for axes in lists]
    arrays = operands[: len(operands) // 2 * 2 : 2]
    text = ",".join(terms[: len(arrays)])
    return (f"{text}->{terms[-1]}" if len(operands) % 2 else text, *arrays)


def _subscripts(text: str, arrays: list[Array]) -> tuple[list[tuple[str, Array]], str]:
    """Return each array with its indices, and the indices of the result."""
    given, arrow, result = text.replace(" ", "").partition("->")
    terms = given.split(",")
    if len(terms) != len(arrays):
        raise ValueError(f"einsum: {text!r} is for {len(terms)} arrays, got {len(arrays)}.")
    if arrow and (len({*result.replace("...", "")}) < len(result.replace("...", ""))):
        raise ValueError(f"einsum: the result of {text!r} names an index twice.")
    for label in {*text} - {*" ,.->"}:
        if not (label.isascii() and label.isalpha()):
            raise ValueError(f"einsum: {label!r} in {text!r} is no letter.")
        if label in result and label not in given:
            raise ValueError(f"einsum: the index {label!r} of the result is one of no array.")
    spare = "".join(chr(c) for c in range(0x3B1, 0x3B1 + 20))  # for '...': no user writes Greek
    extents: list[int] = []
    full = []
    for term, x in zip(terms, arrays):
        count = x.ndim - len(term.replace("...", "")) if "..." in term else 0
        if len(term.replace("...", "")) + count != x.ndim or count < 0:
            raise ValueError(
                f"einsum: {term!r} does not name the axes of an array of shape {x.shape}."
            )
        extents.append(count)
        full.append(term.replace("...", spare[20 - count :]))
    most = spare[20 - max(extents) :]
    if arrow:
        result = result.replace("...", most)
    else:
        once = [c for c in "".join(full) if "".join(full).count(c) == 1 and c not in spare]
        result = most + "".join(sorted(once))
    sizes: dict[str, int] = {}
    for term, x in zip(full, arrays):
        for label, n in zip(term, x.shape):
            if sizes.get(label, 1) not in {1, n} and n != 1:
                raise ValueError(f"einsum: the index {label!r} has sizes {sizes[label]} and {n}.")
            if sizes.get(label, 1) == 1:
                sizes[label] = n
    common = xp.result_type(*arrays)
    return [
        (term, xp.broadcast_to(xp.astype(x, common, copy=False), tuple(sizes[c] for c in term)))
        for term, x in zip(full, arrays)
    ], result


def _summed_out(labels: str, x: Array, needed: set[str]) -> tuple[str, Array]:
    """Take diagonals for repeated indices, and sum over indices that no one needs later."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            x = la.diagonal(xp.moveaxis(x, (first, second), (-2, -1)))
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    gone = tuple(i for i, c in enumerate(labels) if c not in needed)
    if gone:
        x = xp.any(x, axis=gone) if x.dtype is dt.bool else xp.sum(x, axis=gone, dtype=x.dtype)
        labels = "".join(c for c in labels if c in needed)
    return labels, x


def _contracted(
    left: tuple[str, Array], right: tuple[str, Array], needed: set[str]
) -> tuple[str, Array]:
    """Multiply two arrays by a product of matrices; sum over indices that are no longer needed."""
    shared = [c for c in left[0] if c in right[0]]
    stacked = [c for c in shared if c in needed]
    summed = [c for c in shared if c not in needed]
    rows = [c for c in left[0] if c not in shared]
    columns = [c for c in right[0] if c not in shared]
    sizes = dict(zip(left[0] + right[0], left[1].shape + right[1].shape))

    def matrix(term: tuple[str, Array], *groups: list[str]) -> Any:
        order = tuple(term[0].index(c) for group in groups for c in group)
        extent = [math.prod(sizes[c] for c in group) for group in groups[1:]]
        stack = [sizes[c] for c in groups[0]]
        return xp.reshape(xp.permute_dims(term[1], order), (*stack, *extent))

    product = xp.matmul(
        matrix(left, stacked, rows, summed), matrix(right, stacked, summed, columns)
    )
    labels = "".join([*stacked, *rows, *columns])
    return labels, xp.reshape(product, tuple(sizes[c] for c in labels))


# --- the extensions -------------------------------------------------------------------------------


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norm of vectors or matrices."""
    x = _floating(x)
    if axis is None and (ord is None or x.ndim == 1):
        result = la.vector_norm(_flat(x), ord=2 if ord is None else ord)
        return xp.reshape(result, (1,) * x.ndim) if keepdims else result
    axes = normalize_axes("linalg.norm", axis, x.ndim)
    if len(axes) == 1:
        return la.vector_norm(x, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError("linalg.norm: expected one axis for vectors, or two for matrices.")
    result = la.matrix_norm(xp.moveaxis(x, axes, (-2, -1)), ord="fro" if ord is None else ord)
    return xp.expand_dims(result, tuple(sorted(axes))) if keepdims else result


def _cond(x: Any, p: Any = None) -> Any:
    """Return the condition number of matrices."""
    x = _floating(x)
    if 0 in x.shape[-2:]:
        raise linalg.LinAlgError("linalg.cond: an empty matrix has no condition number.")
    if p in {None, 2, -2}:
        s = la.svdvals(x)
        result = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        # inv() refuses singular matrices; their condition number is infinite.
        singular = la.slogdet(x).sign == 0
        unit = xp.eye(x.shape[-1], dtype=x.dtype, device=x.device)
        inverse = la.inv(xp.where(singular[..., None, None], unit, x))
        product = _norm(x, p, (-2, -1)) * _norm(inverse, p, (-2, -1))
        result = xp.where(singular, math.inf, product)
    # The condition number of a zero matrix is infinite too. Only NaN gives NaN.
    return xp.where(xp.isnan(result) & ~xp.any(xp.isnan(x), (-2, -1)), math.inf, result)


def _of_two_axes(name: str) -> Any:
    return lambda a, s=None, axes=(-2, -1), norm=None, out=None: getattr(ft, f"{name[:-1]}n")(
        a, s=s, axes=axes, **({} if norm is None else {"norm": norm})
    )


# --- rows -----------------------------------------------------------------------------------------

_UNIVERSAL: Final[dict[str, Callable[..., Any]]] = {
    "deg2rad": lambda x: _real("deg2rad", x) * (math.pi / 180),
    "degrees": lambda x: _real("degrees", x) * (180 / math.pi),
    "fabs": lambda x: xp.abs(_real("fabs", x)),
    "fmax": lambda x1, x2: _leaving_out_nan(xp.maximum, x1, x2),
    "fmin": lambda x1, x2: _leaving_out_nan(xp.minimum, x1, x2),
    "isneginf": lambda x: _real("isneginf", x) == -math.inf,
    "isposinf": lambda x: _real("isposinf", x) == math.inf,
    "rad2deg": lambda x: _real("rad2deg", x) * (180 / math.pi),
    "radians": lambda x: _real("radians", x) * (math.pi / 180),
}
"""Universal functions of one expression."""

ROWS: Final[dict[str, Callable[..., Any]]] = {
    **{name: _elementwise(calls.named(name, function)) for name, function in _UNIVERSAL.items()},
    **{f"atleast_{n}d": _at_least(n) for n in (1, 2, 3)},
    **{name: _sum_without_nan(name, 0.0) for name in ("nansum", "nancumsum")},
    **{name: _sum_without_nan(name, 1.0) for name in ("nanprod", "nancumprod")},
    **{name: _moment_without_nan(name, 0.0) for name in ("nanmean", "nanstd", "nanvar")},
    "nanmax": _extremum_without_nan("nanmax", -math.inf),
    "nanmin": _extremum_without_nan("nanmin", math.inf),
    "nanargmax": _place_without_nan("nanargmax", -math.inf),
    "nanargmin": _place_without_nan("nanargmin", math.inf),
    **{name: _share(name, 1) for name in ("quantile", "nanquantile")},
    **{name: _share(name, 100) for name in ("percentile", "nanpercentile")},
    **{name: _triangle_of(name) for name in ("tril_indices_from", "triu_indices_from")},
    "allclose": lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: bool(
        xp.all(isclose(a, b, rtol, atol, equal_nan))
    ),
    "array": lambda object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None: (
        _led(xp.asarray(object, dtype=dtype, copy=copy), ndmin)
    ),
    "argpartition": lambda a, kth, axis=-1, kind="introselect", order=None: xp.argsort(
        _parted("argpartition", a, kth, axis), axis
    ),
    "copy": lambda a, order="K", subok=False: xp.asarray(a, copy=True),
    "diagflat": lambda v, k=0: xp.diag(_flat(v), k),
    "divmod": lambda x1, x2: (xp.floor_divide(x1, x2), xp.remainder(x1, x2)),
    "dsplit": lambda ary, indices_or_sections: split(ary, indices_or_sections, 2),
    "dstack": lambda tup: xp.concat(_all_grown(tup, 3), 2),
    "flatnonzero": lambda a: xp.nonzero(_flat(a))[0],
    "fliplr": lambda m: xp.flip(m, 1),
    "flipud": lambda m: xp.flip(m, 0),
    "hsplit": lambda ary, indices_or_sections: split(
        ary, indices_or_sections, 1 if asarray(ary).ndim > 1 else 0
    ),
    "interp": lambda x, xp, fp, left=None, right=None, period=None: _interpolated(
        x, xp, fp, left, right, period
    ),
    "iscomplex": lambda x: xp.imag(x) != 0,
    "iscomplexobj": lambda x: asarray(x).dtype in dt.COMPLEX,
    "isreal": lambda x: xp.imag(x) == 0,
    "isrealobj": lambda x: asarray(x).dtype not in dt.COMPLEX,
    "issubdtype": lambda arg1, arg2: np.issubdtype(*(dt.NAMES.get(d, d) for d in (arg1, arg2))),
    "matvec": lambda x1, x2: xp.matmul(x1, asarray(x2)[..., None])[..., 0],
    "ndim": lambda a: asarray(a).ndim,
    "partition": lambda a, kth, axis=-1, kind="introselect", order=None: xp.sort(
        _parted("partition", a, kth, axis), axis
    ),
    "promote_types": lambda type1, type2: xp.result_type(
        *(check_dtype("promote_types", d) for d in (type1, type2))
    ),
    "ptp": lambda a, axis=None, out=None, keepdims=False: (
        xp.max(a, axis, keepdims=keepdims) - xp.min(a, axis, keepdims=keepdims)
    ),
    "shape": lambda a: asarray(a).shape,
    "trace": lambda a, offset=0, axis1=0, axis2=1, dtype=None, out=None: xp.sum(
        diagonal(a, offset, axis1, axis2), -1, dtype
    ),
    "union1d": lambda ar1, ar2: unique(xp.concat([_flat(a) for a in _pair(ar1, ar2)])),
    "vdot": lambda a, b: xp.vecdot(*map(_flat, _pair(a, b))),
    "vecmat": lambda x1, x2: xp.matmul(xp.conj(asarray(x1))[..., None, :], x2)[..., 0, :],
    "vstack": lambda tup, *, dtype=None, casting="same_kind": xp.concat(
        _all_grown(tup, 2), 0, dtype=dtype, casting=casting
    ),
}
"""More functions of NumPy's main namespace, by name."""

LINALG: Final[dict[str, Callable[..., Any]]] = {
    "cond": _cond,
    "multi_dot": lambda arrays, *, out=None: functools.reduce(dot, arrays),
    "norm": _norm,
}
FFT: Final = {name: _of_two_axes(name) for name in ("fft2", "ifft2", "rfft2", "irfft2")}
