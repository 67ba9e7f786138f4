"""Manipulation functions.

Names no device type: operations compute, and views are torch's own.

https://data-apis.org/array-api/2023.12/API_specification/manipulation_functions.html
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from .._arrays.array import Array, wrap
from .._arrays.axes import as_bool, as_int, as_ints, broadcast, held, normalize_axes, normalize_axis
from .._arrays.promotion import promote
from .._calls.operands import operand, same_device
from .._calls.plainest import REFUSED, first, plainest
from .._devices.device import Spec
from .._errors.exceptions import describe, not_broadcastable
from .._errors.foreign_calls import refusing
from .._options import relaxed, settings
from .._routes import movement as ops
from .._routes._operations import cast
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.private import register_batch

__all__ = [
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]


# --- the plainest calls ---------------------------------------------------------------------------

_Tensor: Final = torch.Tensor


def _broadcast_to_one(*arrays: Any) -> list[Array] | None:
    """Broadcast arrays to the shape of the largest one; return None if that does not fit all."""
    device: Any = None
    target: Any = None
    most = -1
    for x in arrays:
        if type(x) is not Array:
            return None
        tensor, own = x._tensor, x._spec.device
        if type(tensor) is not _Tensor or (device is not None and own is not device):
            return None
        device, ndim = own, tensor.dim()
        if ndim > most or (ndim == most and tensor.numel() > target.numel()):
            target, most = tensor, ndim
    if target is None:
        return None
    try:
        return [
            wrap(target if x._tensor is target else x._tensor.expand_as(target), x._spec)
            for x in arrays
        ]
    except REFUSED:
        return None


def _joined(join: Callable[..., Tensor]) -> Callable[..., Array | None]:
    """Return the shortcut that joins arrays of one spec by torch's function ``join``."""
    skips = join is ops.concat.native

    def joined(arrays: Any, axis: Any) -> Array | None:
        kind = type(arrays)
        if (kind is not tuple and kind is not list) or type(axis) is not int:
            return None
        spec, tensors = None, []
        for x in arrays:
            if type(x) is not Array:
                return None
            if spec is None:
                spec = x._spec
            elif x._spec is not spec:
                return None
            tensors.append(x._tensor)
        if spec is None or not ops.concat.is_plain(spec):
            return None
        try:
            made = join(tensors, axis) if axis else join(tensors)  # one argument less to parse
        except REFUSED:
            return None
        # torch.cat skips tensors of shape (0,) among tensors of any shape.  The standard refuses
        # arrays of different dimensions, so leave such calls to the function.
        if skips:
            ndim = made.dim()
            if not -ndim <= axis < ndim:
                return None
            if ndim != 1:
                for tensor in tensors:
                    if tensor.dim() != ndim:
                        return None
        return wrap(made, spec)

    return joined


# --- functions ------------------------------------------------------------------------------------


@first(_broadcast_to_one)
def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Broadcast arrays against one another.

    Parameters
    ----------
    *arrays : Array
        The arrays, of any data types.

    Returns
    -------
    list of Array
        The arrays in one common shape, each with its own data type.  They are views, in which
        one element of an array can stand in many places; copy them before writing to them.

    Raises
    ------
    ValueError
        If the shapes could not be broadcast together, or the arrays are on different devices.

    Notes
    -----
    From version 2025.12 of the standard on, the result is a tuple.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> row, column = xp.broadcast_arrays(xp.asarray([1, 2, 3]), xp.asarray([[10], [20]]))
    >>> row
    Array([[1, 2, 3],
           [1, 2, 3]], dtype=int64, device='cpu')
    >>> column
    Array([[10, 10, 10],
           [20, 20, 20]], dtype=int64, device='cpu')
    """
    checked = [operand("broadcast_arrays", x, dt.ANY) for x in arrays]
    if checked:
        same_device("broadcast_arrays", *(spec for _, spec in checked))
    shape = _broadcast("broadcast_arrays", *(tuple(tensor.shape) for tensor, _ in checked))
    return [wrap(_expanded(tensor, shape), spec) for tensor, spec in checked]


@refusing
def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Broadcast shapes against one another.

    Parameters
    ----------
    *shapes : tuple of int
        The shapes.

    Returns
    -------
    tuple of int
        The shape that arrays of these shapes have together; ``()`` where none is given.

    Raises
    ------
    ValueError
        If the shapes could not be broadcast together, or a size is negative.
    TypeError
        If a shape is not a tuple of integers.  Sizes of None, with which the standard marks
        unknown ones, do not occur here, where every array knows its shape.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.broadcast_shapes((8, 1, 6, 1), (7, 1, 5))
    (8, 7, 6, 5)
    >>> xp.broadcast_shapes()
    ()
    """
    checked = [as_ints("broadcast_shapes", shape, "a shape") for shape in shapes]
    for shape in checked:
        _check_sizes("broadcast_shapes", shape, "a shape")
    return _broadcast("broadcast_shapes", *checked)


@plainest("x: array, shape: sizes", "torch.broadcast_to(tensor, shape)")
def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """Broadcast an array to a shape.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    shape : tuple of int
        The shape, to which that of ``x`` must broadcast.

    Returns
    -------
    Array
        The array in that shape, with its data type.  It is a view, in which one element of ``x``
        can stand in many places; copy it before writing to it.

    Raises
    ------
    ValueError
        If the array could not be broadcast to the shape.
    TypeError
        If the shape is not a tuple of integers.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.broadcast_to(xp.asarray([1, 2, 3]), (2, 3))
    Array([[1, 2, 3],
           [1, 2, 3]], dtype=int64, device='cpu')
    """
    tensor, spec = operand("broadcast_to", x, dt.ANY)
    shape = as_ints("broadcast_to", shape, "shape")
    _check_sizes("broadcast_to", shape, "shape")
    sizes = tensor.shape
    new = len(shape) - len(sizes)
    fits = new >= 0
    for size, asked in zip(sizes, shape[new:] if fits else ()):
        fits = fits and (size == asked or size == 1)
    if not fits:
        raise ValueError(
            f"broadcast_to: an array of shape {tuple(tensor.shape)} could not be broadcast to "
            f"shape {shape}. Counted from the last axis, its sizes must be 1 or those of the shape."
        )
    return wrap(_expanded(tensor, shape), spec)


@first(_joined(ops.concat.native))
def concat(arrays: tuple[Array, ...] | list[Array], /, *, axis: int | None = 0) -> Array:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : tuple or list of Array
        The arrays, at least one.  Their shapes may differ along ``axis`` alone, and their data
        types must promote to one another.
    axis : int or None, optional
        The axis along which to join them.  With None they are flattened first.

    Returns
    -------
    Array
        A new array with all elements, of the data type to which those of the arrays promote.

    Raises
    ------
    ValueError
        If there are no arrays, the shapes do not fit, or the arrays are on different devices.
    IndexError
        If the arrays do not have such an axis; the error is a ValueError as well.
    TypeError
        If the data types do not promote to one another.

    See Also
    --------
    stack : Join arrays along a new axis.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x, y = xp.asarray([[1, 2]]), xp.asarray([[3, 4], [5, 6]])
    >>> xp.concat([x, y])
    Array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int64, device='cpu')
    >>> xp.concat([x, y], axis=None)
    Array([1, 2, 3, 4, 5, 6], dtype=int64, device='cpu')
    """
    tensors, spec = _promoted("concat", arrays)
    if axis is None:
        tensors = [ops.reshape.on(spec)(t, (-1,)) for t in tensors]
        axis = 0
    else:
        first = tensors[0].shape
        axis = normalize_axis("concat", axis, len(first))
        for tensor in tensors[1:]:
            shape = tensor.shape
            if shape != first and (
                _without(shape, axis) != _without(first, axis) or len(shape) != len(first)
            ):
                raise ValueError(
                    f"concat: arrays of shapes {tuple(first)} and {tuple(shape)} do not fit; they "
                    f"may differ in the size of axis {axis} alone."
                )
    return wrap(ops.concat.on(spec)(tensors, axis), spec)


@plainest("x: array, axis: int", "tensor.unsqueeze(axis)")
def expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """Insert new axes of size 1.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    axis : int or tuple of int
        The place of the new axis, or the places of several, in the shape of the result.

    Returns
    -------
    Array
        The array with the new axes, as a view.

    Raises
    ------
    IndexError
        If the result has no such axis; the error is a ValueError as well.
    ValueError
        If a place is given twice.

    References
    ----------
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.expand_dims.html

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1, 2, 3])
    >>> xp.expand_dims(x, axis=-1).shape
    (3, 1)
    >>> xp.expand_dims(x, axis=(0, 2)).shape
    (1, 3, 1)
    """
    tensor, spec = operand("expand_dims", x, dt.ANY)
    if type(axis) is int:
        return wrap(tensor.unsqueeze(normalize_axis("expand_dims", axis, tensor.dim() + 1)), spec)
    ndim = tensor.dim() + (len(axis) if isinstance(axis, tuple) else 1)
    for place in sorted(normalize_axes("expand_dims", _axes("expand_dims", axis), ndim)):
        tensor = tensor.unsqueeze(place)
    return wrap(tensor, spec)


@refusing
def flip(x: Array, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Reverse the order of the elements along axes.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    axis : int or tuple of int, optional
        The axes to reverse; by default all of them.

    Returns
    -------
    Array
        A new array with the elements in the new order.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> xp.flip(x)
    Array([[4, 3],
           [2, 1]], dtype=int64, device='cpu')
    >>> xp.flip(x, axis=0)
    Array([[3, 4],
           [1, 2]], dtype=int64, device='cpu')
    """
    tensor, spec = operand("flip", x, dt.ANY)
    axes = normalize_axes("flip", axis, tensor.dim())
    return wrap(ops.flip.on(spec)(tensor, axes), spec)


@plainest(
    "x: array, source: axis, destination: axis",
    # For two axes the attribute mT is faster than a call.
    "tensor.mT if ndim == 2 and (source - destination) % 2 "
    "else tensor.movedim(source, destination)",
)
def moveaxis(
    x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /
) -> Array:
    """Move axes to new places; the others keep their order.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    source : int or tuple of int
        The axes to move.
    destination : int or tuple of int
        The place of each of them in the result.

    Returns
    -------
    Array
        The array with its axes moved, as a view.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    ValueError
        If an axis or a place is given twice, or their numbers differ.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.zeros((3, 4, 5))
    >>> xp.moveaxis(x, 0, -1).shape
    (4, 5, 3)
    >>> xp.moveaxis(x, (0, 1), (-1, -2)).shape
    (5, 4, 3)
    """
    tensor, spec = operand("moveaxis", x, dt.ANY)
    ndim = tensor.dim()
    if type(source) is type(destination) is int:
        first = normalize_axis("moveaxis", source, ndim)
        place = normalize_axis("moveaxis", destination, ndim)
        return wrap(tensor.movedim(first, place), spec)
    sources = normalize_axes("moveaxis", _axes("moveaxis", source, "source"), ndim)
    destinations = normalize_axes("moveaxis", _axes("moveaxis", destination, "destination"), ndim)
    if len(sources) != len(destinations):
        raise ValueError(
            f"moveaxis: got {len(sources)} axes in source and {len(destinations)} in destination; "
            "each axis to move needs its place."
        )
    return wrap(tensor.movedim(sources, destinations), spec)


@plainest(
    "x: array, axes: integers",
    "tensor.mT if axes == (1, 0) and tensor.dim() == 2 else torch.permute(tensor, axes)",
)
def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """Put the axes into another order.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    axes : tuple of int
        For each axis of the result the axis of ``x`` that it is; every axis stands there once.

    Returns
    -------
    Array
        The array with its axes in that order, as a view.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    ValueError
        If an axis is missing or is given twice.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.permute_dims(xp.zeros((3, 4, 5)), (2, 0, 1)).shape
    (5, 3, 4)
    """
    tensor, spec = operand("permute_dims", x, dt.ANY)
    ndim = tensor.dim()
    order = normalize_axes("permute_dims", as_ints("permute_dims", axes, "axes"), ndim)
    if len(order) != ndim:
        raise ValueError(
            f"permute_dims: axes {axes} name {len(order)} of the array's {ndim} axes; "
            "each must stand there once."
        )
    return wrap(torch.permute(tensor, order), spec)


@plainest(
    "x: array, repeats: count, axis: only axis",
    "native(tensor, repeats, axis or 0)",
    plain=ops.repeat,
)
def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Repeat each element a number of times.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    repeats : int or Array
        How many times to repeat the elements: one number for all, or an integer array of one
        dimension with a number for each (or, of size 1, for all).
    axis : int, optional
        The axis along which to repeat.  By default the array is flattened first.

    Returns
    -------
    Array
        A new array with the repeated elements.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    ValueError
        If ``repeats`` is negative or of the wrong shape, or is on another device.
    TypeError
        If ``repeats`` is neither an integer nor an integer array.

    Notes
    -----
    With an array for ``repeats`` the shape of the result depends on the values in it, so that the
    host waits for the device.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1, 2, 3])
    >>> xp.repeat(x, 2)
    Array([1, 1, 2, 2, 3, 3], dtype=int64, device='cpu')
    >>> xp.repeat(x, xp.asarray([2, 0, 1]))
    Array([1, 1, 3], dtype=int64, device='cpu')
    """
    tensor, spec = operand("repeat", x, dt.ANY)
    if axis is None:
        if tensor.dim() != 1:
            tensor = ops.reshape.on(spec)(tensor, (-1,))
        axis = 0
    axis = normalize_axis("repeat", axis, tensor.dim())
    times = _repeats(spec, repeats, tensor.shape[axis])
    return wrap(ops.repeat.on(spec)(tensor, times, axis), spec)


def _repeats(spec: Spec, repeats: int | Array, size: int) -> int | Tensor:
    """Check the numbers of repetitions of the elements along an axis, and return them."""
    if not isinstance(repeats, Array) and not relaxed.converts(repeats):
        times = as_int("repeat", repeats, "repeats")
        if times < 0:
            raise ValueError(f"repeat: repeats must not be negative, got {times}.")
        return held("repeat", times, "repeats")
    settings.need("data_dependent_shapes", "repeat: the shape of its result depends on repeats")
    tensor, own = operand("repeat", repeats, dt.INTEGER)
    same_device("repeat", spec, own)
    if tuple(tensor.shape) not in {(1,), (size,)}:
        error = ValueError(
            f"repeat: repeats of shape {tuple(tensor.shape)} could not be broadcast to the {size} "
            f"elements; allowed are shapes (1,) and ({size},)."
        )
        return _repeats(spec, relaxed.read(repeats, int, error), size)
    tensor = cast(tensor, dt.int64)
    if wrap(ops.any_negative.on(own.of(dt.int64))(tensor))._scalar("repeat"):
        raise ValueError(
            "repeat: repeats must not be negative"
            + (", nor greater than int64 holds." if own.dtype is dt.uint64 else ".")
        )
    return tensor


@plainest("x: array, shape: integers, copy: None", "kernel(tensor, shape)", kernel=ops.reshape)
def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """Give an array another shape, with its elements in the same order.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    shape : tuple of int
        The shape.  One size may be -1, and is then found from the number of elements.
    copy : bool, optional
        True always copies, False never does; by default the array is copied only where the
        result cannot be a view.

    Returns
    -------
    Array
        The array in the new shape.

    Raises
    ------
    ValueError
        If the shape does not hold as many elements, or a copy would be needed and ``copy`` is
        False.
    TypeError
        If the shape is not a tuple of integers.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([1, 2, 3, 4, 5, 6])
    >>> xp.reshape(x, (2, -1))
    Array([[1, 2, 3],
           [4, 5, 6]], dtype=int64, device='cpu')
    """
    tensor, spec = operand("reshape", x, dt.ANY)
    sizes = _sizes(tensor, as_ints("reshape", shape, "shape"))
    if copy is None:
        return wrap(ops.reshape.on(spec)(tensor, sizes), spec)
    if as_bool("reshape", copy, "copy"):
        return wrap(ops.copy.on(spec)(tensor).view(sizes), spec)
    if not spec.device.backend.keeps_parts(tensor, sizes):
        raise ValueError(
            f"reshape: an array of shape {tuple(tensor.shape)} that is divided along axis "
            f"{spec.device.backend.divided_axis(tensor)} cannot be seen in shape {sizes} without "
            "a copy. Pass copy=None to allow it."
        )
    try:
        return wrap(tensor.view(sizes), spec)
    except RuntimeError as error:
        raise ValueError(
            f"reshape: an array of shape {tuple(tensor.shape)} with strides {tensor.stride()} "
            f"cannot be seen in shape {sizes} without a copy. Pass copy=None to allow it."
        ) from error


def _sizes(tensor: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a new shape for a tensor, with the size that fits in place of -1."""
    count = tensor.numel()
    unknown = shape.count(-1)
    known = math.prod([n for n in shape if n != -1])
    if unknown > 1 or any(n < -1 for n in shape):
        raise ValueError(
            f"reshape: sizes must not be negative, except for one that may be -1; got {shape}."
        )
    if unknown and known and count % known == 0:
        return tuple(count // known if n == -1 else n for n in shape)
    if unknown or known != count:
        raise ValueError(
            f"reshape: an array of shape {tuple(tensor.shape)} has {count} elements and cannot "
            f"have shape {shape}"
            + (", in which -1 could be any size." if unknown and not known and not count else ".")
        )
    return shape


@plainest(
    "x: array, shift: int, axis: only axis", "torch.roll(tensor, shift, axis or 0)", plain=ops.roll
)
def roll(
    x: Array, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None
) -> Array:
    """Move the elements along axes; those that leave at one end come back at the other.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    shift : int or tuple of int
        The number of places by which to move the elements, toward larger indices if it is positive:
        one number for all axes, or a tuple with one for each axis.
    axis : int or tuple of int, optional
        The axes along which to move.  By default the array is flattened, rolled, and brought back
        to its shape.  An axis that is given twice is moved along twice.

    Returns
    -------
    Array
        A new array with the elements moved.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.
    ValueError
        If ``shift`` is a tuple and ``axis`` is not one of the same length.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> xp.roll(x, 1)
    Array([[6, 1, 2],
           [3, 4, 5]], dtype=int64, device='cpu')
    >>> xp.roll(x, (1, -1), axis=(0, 1))
    Array([[5, 6, 4],
           [2, 3, 1]], dtype=int64, device='cpu')
    """
    tensor, spec = operand("roll", x, dt.ANY)
    shifts: tuple[int, ...]
    if getattr(shift, "shape", ()):
        shift = as_ints("roll", shift, "shift")
    if getattr(axis, "shape", ()):
        axis = as_ints("roll", axis, "axis")
    if isinstance(shift, tuple):
        shifts = as_ints("roll", shift, "shift")
        if not isinstance(axis, tuple) or len(axis) != len(shifts):
            raise ValueError(
                f"roll: with {len(shifts)} shifts in a tuple, axis must be a tuple of as many "
                f"axes, got {axis!r}."
            )
    else:
        count = len(axis) if isinstance(axis, tuple) else 1
        shifts = (as_int("roll", shift, "shift"),) * count
    flat = axis is None and tensor.dim() != 1
    source = ops.reshape.on(spec)(tensor, (-1,)) if flat else tensor
    along = 0 if axis is None else axis
    places = along if isinstance(along, tuple) else (along,)
    sizes = source.shape
    axes = tuple([normalize_axis("roll", a, len(sizes)) for a in places])
    if not axes:
        return wrap(ops.copy.on(spec)(source), spec)
    shifts = tuple([s % (sizes[a] or 1) for s, a in zip(shifts, axes)])
    rolled = (ops.roll if len(axes) == 1 else ops.roll_several).on(spec)(source, shifts, axes)
    return wrap(rolled.view(tensor.shape) if flat else rolled, spec)


@plainest("x: array, axis: axis if tensor.shape[axis] == 1", "tensor.squeeze(axis)")
def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """Remove axes of size 1.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    axis : int or tuple of int
        The axes to remove.

    Returns
    -------
    Array
        The array without these axes, as a view.

    Raises
    ------
    ValueError
        If the size of an axis is not 1.
    IndexError
        If the array has no such axis; the error is a ValueError as well.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.squeeze(xp.zeros((1, 3, 1)), axis=(0, 2)).shape
    (3,)
    """
    tensor, spec = operand("squeeze", x, dt.ANY)
    axes = normalize_axes("squeeze", _axes("squeeze", axis), tensor.dim())
    shape = tensor.shape
    for a in axes:
        if shape[a] != 1:
            raise ValueError(
                f"squeeze: axis {a} of an array of shape {tuple(shape)} has size {shape[a]}; "
                "only axes of size 1 can be removed. Select one element along it by indexing."
            )
    return wrap(tensor.squeeze(axes[0] if len(axes) == 1 else axes), spec)


@first(_joined(torch.stack))
def stack(arrays: tuple[Array, ...] | list[Array], /, *, axis: int = 0) -> Array:
    """Join arrays along a new axis.

    Parameters
    ----------
    arrays : tuple or list of Array
        The arrays, at least one, all of one shape.  Their data types must promote to one another.
    axis : int, optional
        The place of the new axis in the shape of the result.

    Returns
    -------
    Array
        A new array with one axis more, of the data type to which those of the arrays promote.

    Raises
    ------
    ValueError
        If there are no arrays, their shapes differ, or they are on different devices.
    IndexError
        If the result has no such axis; the error is a ValueError as well.
    TypeError
        If the data types do not promote to one another.

    See Also
    --------
    concat : Join arrays along an axis that they have.
    unstack : The inverse.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x, y = xp.asarray([1, 2, 3]), xp.asarray([4, 5, 6])
    >>> xp.stack([x, y])
    Array([[1, 2, 3],
           [4, 5, 6]], dtype=int64, device='cpu')
    >>> xp.stack([x, y], axis=-1)
    Array([[1, 4],
           [2, 5],
           [3, 6]], dtype=int64, device='cpu')
    """
    tensors, spec = _promoted("stack", arrays)
    first = tensors[0].shape
    for tensor in tensors[1:]:
        if tensor.shape != first:
            raise ValueError(
                f"stack: the arrays must be of one shape, got {tuple(first)} and "
                f"{tuple(tensor.shape)}. Bring them to one with broadcast_to(), or join them with "
                "concat()."
            )
    axis = normalize_axis("stack", axis, len(first) + 1)
    return wrap(ops.stacked(tensors, axis, spec), spec)


register_batch(Array, stack)


@plainest(
    "x: array, repetitions: sizes if len(repetitions) >= (tensor.dim() or 1)",
    "tensor.repeat(*repetitions)",
    plain=ops.tile,
)
def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """Build an array by repeating an array as a whole.

    Parameters
    ----------
    x : Array
        The array, of any data type.
    repetitions : tuple of int
        How many times to repeat along each axis.  The shorter one of ``repetitions`` and the
        shape of ``x`` is filled up with ones in front.

    Returns
    -------
    Array
        A new array of ``max(x.ndim, len(repetitions))`` dimensions.

    Raises
    ------
    ValueError
        If a number of repetitions is negative.
    TypeError
        If ``repetitions`` is not a tuple of integers.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.tile(xp.asarray([1, 2, 3]), (2, 2))
    Array([[1, 2, 3, 1, 2, 3],
           [1, 2, 3, 1, 2, 3]], dtype=int64, device='cpu')
    """
    tensor, spec = operand("tile", x, dt.ANY)
    times = as_ints("tile", repetitions, "repetitions")
    _check_sizes("tile", times, "repetitions")
    times = (1,) * (tensor.dim() - len(times)) + times
    return wrap(ops.tile.on(spec)(tensor, times), spec)


@refusing
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Split an array into its parts along an axis.

    Parameters
    ----------
    x : Array
        The array, of any data type, of at least one dimension.
    axis : int, optional
        The axis, which the parts do not have.

    Returns
    -------
    tuple of Array
        The parts, as views.

    Raises
    ------
    IndexError
        If the array has no such axis; the error is a ValueError as well.

    See Also
    --------
    stack : The inverse.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> real, imaginary = xp.unstack(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=-1)
    >>> real
    Array([1., 3.], dtype=float32, device='cpu')
    """
    tensor, spec = operand("unstack", x, dt.ANY)
    parts = []
    for part in tensor.unbind(normalize_axis("unstack", axis, tensor.dim())):
        array = object.__new__(Array)  # wrap(), inlined because there may be many parts
        array._tensor = part
        array._spec = spec
        parts.append(array)
    return tuple(parts)


# --- arguments ------------------------------------------------------------------------------------


def _axes(function: str, axis: Any, name: str = "axis") -> Any:
    """Return an ``axis`` argument that must not be None; ``normalize_axes`` checks the rest."""
    if axis is None:
        hint = relaxed.HINT if function == "squeeze" else ""
        raise TypeError(
            f"{function}: {name} must be an integer or a tuple of integers, got {describe(axis)}."
            f"{hint}"
        )
    return axis


def _check_sizes(function: str, sizes: tuple[int, ...], name: str) -> None:
    for size in sizes:
        if size < 0:
            raise ValueError(f"{function}: {name} must not have negative elements, got {sizes}.")
        held(function, size, name)


def _broadcast(function: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which shapes broadcast together, or raise."""
    result = broadcast(*shapes)
    if result is None:
        raise not_broadcastable(function, *shapes)
    return result


def _expanded(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Broadcast a tensor.  torch parses single sizes faster than a tuple of sizes."""
    return tensor.expand(*shape) if shape else tensor.expand(())


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*shape[:axis], *shape[axis + 1 :])


def _promoted(function: str, arrays: Any) -> tuple[list[Tensor], Spec]:
    """Check arrays that are to be joined; return tensors of one data type, and their spec."""
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"{function}: expected a tuple or list of Arrays, got {describe(arrays)}.")
    if not arrays:
        raise ValueError(f"{function}: expected at least one Array, got none.")
    tensors, specs = [], []
    alike = True
    for x in arrays:
        tensor, own = operand(function, x, dt.ANY)
        tensors.append(tensor)
        specs.append(own)
        alike = alike and own is specs[0]
    spec = specs[0]
    if alike:
        return tensors, spec
    spec = same_device(function, *specs)
    dtype = spec.dtype
    for own in specs[1:]:
        dtype = promote(function, dtype, own.dtype)
    return [cast(tensor, dtype) for tensor in tensors], spec.of(dtype)
