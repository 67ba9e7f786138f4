"""Indexing: ``x[key]``, ``x[key] = value``, and the indexing functions.

Names no device type: it asks the backend of the array for what differs.

A key is parsed into views, one step for each item, and then into at most one gather or scatter by
integer arrays.  A key selects the same elements as in NumPy, in the same order of axes.  Both
``getitem`` and ``setitem`` try the plainest keys first, because parsing takes longer than torch's
own indexing.

https://data-apis.org/array-api/2024.12/API_specification/indexing.html
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

import numpy as np

from .._arrays.array import Array, awaited, implements, wrap, wrap_view, wrap_within, wrote
from .._arrays.axes import broadcast, is_int, normalize_axis
from .._arrays.memory import check_writable, meet, overlap, same_place, share_memory
from .._arrays.promotion import SCALARS, promote, promote_scalar, scalar_tensor
from .._calls.elementwise import shortcut
from .._calls.interchange import asarray
from .._calls.operands import converted, operand, same_device
from .._calls.plainest import REFUSED, plainest
from .._devices.device import Spec
from .._errors.exceptions import check_memory, describe, mixed_devices, out_of_bounds
from .._errors.foreign_calls import refusing
from .._options import relaxed, settings
from .._routes import indexing as ops
from .._routes._derivatives import at_hand, tracked
from .._routes._dimensions import other_axes
from .._routes._faults import check_fault
from .._routes._kernels import exact_scalar
from .._routes._operations import Op, cast
from .._routes.movement import clone, flip
from .._torch import Tensor, torch
from .._torch import dtypes as dt
from .._torch.private import in_transform
from .._torch.tracing import traced_as

__all__ = ["take"]


# --- parsing --------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Selection:
    """A parsed key, applied to an array.

    ``view`` is the array after the integers, slices, ``...`` and None of the key.  Two steps are
    left: reverse its dimensions ``flipped``, because torch has no negative strides, and apply
    ``indices`` in its dimensions ``dims``.
    """

    view: Tensor
    flipped: list[int]
    dims: tuple[int, ...]
    indices: list[Tensor]
    squeezed: bool
    """Whether all indices have 0 dimensions.  They are applied with size 1, which is dropped."""
    bounded: bool = False
    """Whether all indices are in bounds, because they are those of masks."""
    first: bool = False
    """Whether the common axes of the indices come first in the result.  As in NumPy they do if
    another item stands between the indices in the key, even a ``...`` that stands for no axis."""


_MASK: Final = "index: the key has a mask"


def _is_mask(item: object) -> TypeGuard[Array]:
    return isinstance(item, Array) and item.dtype is dt.bool


_CONVERTED: Final = (np.ndarray, np.bool_, torch.Tensor, list, bool)
"""The types of key items that relaxed mode converts to arrays."""


def _taken(x: Array, key: tuple[Any, ...], error: IndexError) -> tuple[Any, ...]:
    """Return a key whose sequences and Python Booleans are converted to arrays, in relaxed mode.

    Raise the error in strict mode, and if there is nothing to convert.
    """
    if not any(isinstance(item, _CONVERTED) for item in key):
        raise error
    relaxed.require(error)

    def taken(item: Any) -> Any:
        if not isinstance(item, _CONVERTED):
            return item
        if isinstance(item, torch.Tensor):
            return asarray(item, device=x.device)
        values = np.asarray(item)
        if not values.size and values.dtype.kind == "f":  # an empty list
            values = values.astype(np.int64)
        return asarray(values, device=x.device)

    return tuple(map(taken, key))


def _expanded(x: Array, key: tuple[Any, ...], *, writes: bool) -> tuple[tuple[Any, ...], list[Any]]:
    """Check a key; return it, and its items with full slices in place of ``...``."""
    consumed, ellipses = 0, 0
    for item in key:
        if item is Ellipsis:
            ellipses += 1
        elif _is_mask(item):
            settings.need("boolean_indexing", _MASK)
            consumed += item.ndim
        elif isinstance(item, (slice, Array)) or is_int(item):
            consumed += 1
        elif item is not None:
            hint = "a number with int()" if isinstance(item, float) else "sequences with asarray()"
            error = IndexError(
                f"index: {describe(item)} is not allowed; allowed are integers, slices, ..., None "
                f"and arrays of integers or booleans. Convert {hint} first."
            )
            return _expanded(x, _taken(x, key, error), writes=writes)
        if isinstance(item, Array):
            if item.dtype not in dt.INTEGER_OR_BOOLEAN:
                raise IndexError(
                    f"index: an array of {dt.NAMES[item.dtype]} is not allowed; allowed are "
                    "integer and boolean arrays. Convert it with astype() first."
                )
            if item.device is not x.device:
                raise mixed_devices("index", x.device, item.device)
    if ellipses > 1:
        raise IndexError(f"index: '...' stands {ellipses} times in the key; it may stand once.")
    if consumed > x.ndim:
        raise IndexError(
            f"index: {consumed} axes are indexed, but the array has {x.ndim} dimensions."
        )
    # The standard allows a mask with fewer axes than the array if it is the whole key.
    sole_mask = len(key) == 1 and _is_mask(key[0])
    among = sum(item is not Ellipsis for item in key) > 1
    if among and any(map(_is_mask, key)) and not relaxed.freely():
        instead = (
            "Write x[:, 0] = xp.where(mask, value, x[:, 0]) of a matrix."
            if writes  # the elements that a mask selects are a copy
            else "Apply one after the other, as in x[mask][:, 0, ...]."
        )
        relaxed.require(
            IndexError(
                f"index: a mask beside other items, which the standard leaves undefined. {instead}"
            )
        )
    if consumed < x.ndim and not ellipses and not sole_mask and not relaxed.freely():
        # array_api_strict takes no '...' beside an array of positions.
        gathers = not writes and any(isinstance(item, Array) and item.ndim for item in key)
        relaxed.require(
            IndexError(
                f"index: {consumed} of {x.ndim} axes are indexed, which the standard leaves "
                "undefined. "
                + (
                    "Select along one axis by xp.take(x, indices, axis=0)."
                    if gathers
                    else "Add '...' to the key, as in x[0, ...]."
                )
            )
        )
    rest = [slice(None)] * (x.ndim - consumed)
    items: list[Any] = []
    for item in key:
        items += rest if item is Ellipsis else [item]
    return key, items if ellipses else items + rest


def _list_positions(key: Any, *, writes: bool) -> None:
    """List positions that array_api_strict refuses."""
    items = key if isinstance(key, tuple) else (key,)
    positions = [i for i in items if isinstance(i, Array) and i.dtype is not dt.bool]
    if not positions:
        return
    beside = not all(isinstance(i, Array) or is_int(i) for i in items)
    if not any(i.ndim for i in positions):
        if writes or beside:
            relaxed.beyond("index: an array of one position. Write int(i) in place of it.")
    elif writes:
        relaxed.beyond(
            "setitem: to an array of positions. Write x[int(i), ...] = value for each of them, or "
            "x[mask] = value."
        )
    elif beside:
        relaxed.beyond(
            "index: an array of positions beside slices. Write xp.take(x, indices, axis=1)."
        )


def _list_reversal() -> None:
    """List a slice backwards, which torch alone does not take."""
    relaxed.beyond("index: a slice backwards. Write xp.flip(x, axis=0).", "array_api_compat.torch")


def _sole_positions(x: Array, key: Any) -> Array | None:
    """Return the positions if the key is ``positions`` or ``positions, ...``, else None."""
    if type(key) is tuple and len(key) == 2 and key[1] is Ellipsis:
        key = key[0]
        if type(key) is not Array or not x._tensor.dim():
            return None
    elif type(key) is not Array or x._tensor.dim() != 1:
        return None
    own = key._spec
    return key if own.device is x._spec.device and own.dtype in dt.INTEGER else None


def _at(x: Array, positions: Array) -> _Selection:
    """Return the selection of positions in the first dimension."""
    index = cast(positions._tensor, dt.int64)
    single = index.dim() == 0
    index = index.reshape(1) if single else index
    return _Selection(x._tensor, [], (0,), [index], single)


def _is_points(key: Any, x: Array) -> TypeGuard[tuple[Array, ...]]:
    """Say whether a key has an array of positions for each axis, all of one shape."""
    if type(key) is not tuple or not len(key) == x._tensor.dim() > 1:
        return False
    device, shape = x._spec.device, None
    for item in key:
        if type(item) is not Array or item._spec.device is not device:
            return False
        own = item._tensor.shape
        if item._spec.dtype not in dt.INTEGER or not own or own != (shape or own):
            return False
        shape = own
    return True


def _parse(x: Array, key: Any, *, writes: bool = False) -> _Selection:
    """Check a key and return its selection of an array.

    ``view`` shrinks from item to item, and ``dim`` is the dimension that the next item meets.
    """
    if writes and (sole := _sole_positions(x, key)) is not None:
        return _at(x, sole)
    if _is_points(key, x):
        points = [cast(item._tensor, dt.int64) for item in key]
        return _Selection(x._tensor, [], tuple(range(len(points))), points, False)
    key = key if isinstance(key, tuple) else (key,)
    key, items = _expanded(x, key, writes=writes)
    arrays = [item for item in items if isinstance(item, Array)]
    view, dim = x._tensor, 0
    flipped: list[int] = []
    dims: list[int] = []
    indices: list[Tensor] = []
    for item in items:
        if item is None:
            view = view.unsqueeze(dim)
            dim += 1
        elif isinstance(item, slice):
            view, backwards = _sliced(view, dim, item)
            if backwards:
                flipped.append(dim)
            dim += 1
        elif _is_mask(item):
            view, coordinates = _mask_coordinates(view, dim, item)
            dims += range(dim, dim + len(coordinates))
            indices += coordinates
            dim += len(coordinates)
        elif isinstance(item, Array):
            dims.append(dim)
            indices.append(cast(item._tensor, dt.int64))
            dim += 1
        else:
            position = _checked_position(operator.index(item), view.shape[dim])
            if arrays:  # beside arrays, NumPy broadcasts an integer like an array
                dims.append(dim)
                where = x._spec.device.torch_device  # a divided view names another device
                index = torch.full((), position, dtype=dt.int64, device=where)
                indices.append(wrap_within(index, x._spec.of(dt.int64), position, position)._tensor)
                dim += 1
            else:
                view = view.select(dim, position)
    squeezed = len(indices) > 0 and all(i.dim() == 0 for i in indices)
    # torch treats a 0-dimensional index as an integer, and waits for its value.
    indices = [i.reshape(1) if i.dim() == 0 else i for i in indices]
    first = len(arrays) > 0 and _are_apart(key)  # some torch cannot trace bool() of a list
    bounded = all(map(_is_mask, arrays))
    return _Selection(view, flipped, tuple(dims), indices, squeezed, bounded, first)


def _are_apart(key: tuple[Any, ...]) -> bool:
    """Say whether the integers and arrays of a key do not stand side by side."""
    places = [i for i, item in enumerate(key) if isinstance(item, Array) or is_int(item)]
    return places[-1] - places[0] >= len(places)


def _checked_position(position: int, size: int) -> int:
    if not -size <= position < size:
        raise _out_of_bounds(position, size)
    return position


def _out_of_bounds(position: int, size: int) -> IndexError:
    allowed = f"allowed are {-size} to {size - 1}" if size else "there is no element"
    return IndexError(f"index: {position} is out of bounds for an axis of size {size}; {allowed}.")


def _traced_sliced(view: Tensor, dim: int, item: slice) -> tuple[Tensor, bool]:
    if item.step == 0:
        raise ValueError("slice step cannot be zero")
    if item.step is None or item.step > 0:  # indices() would turn symbolic sizes into constants
        before = (slice(None),) * dim
        if item.step is not None and item.step >= _BEYOND_ALL:
            return view[before + (slice(item.start, item.stop),)][before + (slice(1),)], False
        return view[before + (item,)], False
    size = view.shape[dim]  # the rest does what slice.indices() does: some torch cannot trace that
    start = size - 1 if item.start is None else operator.index(item.start)
    stop = -1 if item.stop is None else operator.index(item.stop)
    if item.start is not None:
        start = max(start + size, -1) if start < 0 else min(start, size - 1)
    if item.stop is not None:
        stop = max(stop + size, -1) if stop < 0 else min(stop, size - 1)
    return _stepped(view, dim, start, stop, operator.index(item.step))


_BEYOND_ALL: Final = 1 << 40
"""A step that is longer than any axis, so that it selects the first element alone."""


@traced_as(_traced_sliced)
def _sliced(view: Tensor, dim: int, item: slice) -> tuple[Tensor, bool]:
    """Return the view that a slice selects in a dimension, and whether to reverse it afterwards."""
    if item.start is None and item.stop is None and item.step is None:
        return view, False
    return _stepped(view, dim, *item.indices(view.shape[dim]))


def _stepped(view: Tensor, dim: int, start: int, stop: int, step: int) -> tuple[Tensor, bool]:
    """Return the view of a range with known ends, and whether to reverse it afterwards."""
    size = view.shape[dim]
    if step > 0:  # torch multiplies the step by a stride in 64 bits: a long step would overflow
        forwards = slice(start, max(start, stop), min(step, size or 1))
        return view[(slice(None),) * dim + (forwards,)], False
    length = len(range(start, stop, step))
    if step == -1 and length == size:
        return view, True
    # torch has no negative steps: take the same elements forwards, from the last one on.
    last = start + (length - 1) * step
    forwards = slice(last, start + 1, -step if length > 1 else 1) if length else slice(0, 0)
    return view[(slice(None),) * dim + (forwards,)], True


def _mask_coordinates(view: Tensor, dim: int, mask: Array) -> tuple[Tensor, list[Tensor]]:
    """Return the view to which a mask applies, and the integer indices that it stands for."""
    tensor = mask._tensor
    if mask.ndim == 0:  # as in NumPy, a mask without axes selects along a new one
        view = view.unsqueeze(dim)
        tensor = tensor.reshape(1)
    shape = view.shape[dim : dim + tensor.dim()]
    # The standard lets an axis of a mask have size 0 whatever the array's axis has.
    if any(m != n and m != 0 for m, n in zip(tensor.shape, shape)):
        raise IndexError(
            f"index: a mask of shape {mask.shape} does not fit axes of shape {tuple(shape)}."
        )
    # The number of True elements decides a shape, so the host waits here anyway.
    return view, list(ops.mask_nonzero.on(mask._spec)(awaited(tensor, mask.device)))


def _is_plain_mask(x: Array, key: Any) -> bool:
    """Say whether a key is a single mask with the shape of the array's first axes."""
    if type(key) is not Array or key._spec is not x._spec.bool:
        return False
    if settings.limited:
        settings.need("boolean_indexing", _MASK)
    shape = key._tensor.shape
    return len(shape) > 0 and shape == x._tensor.shape[: len(shape)]


def _plain_view(tensor: Tensor, key: Any) -> Tensor | None:
    """Return the view for a tuple that torch itself indexes as NumPy does; None for other keys."""
    if type(key) is not tuple:
        return None
    left, ellipses = tensor.dim(), 0
    for item in key:
        kind = type(item)
        if (kind is slice and item.step is None) or kind is int:
            left -= 1
        elif item is Ellipsis:
            ellipses += 1
        elif item is not None:
            return None
    if left < 0 or ellipses > 1 or (left and not ellipses):
        return None
    try:
        return tensor[key]
    except (IndexError, TypeError, ValueError):
        return None  # _parse() raises the error, in our words


# --- getting --------------------------------------------------------------------------------------


@implements("__getitem__")
def getitem(x: Array, key: Any, /) -> Array:
    """Return the elements that a key selects: a view if they can be one, else a copy."""
    # First the keys that need no parsing, by type.  Types are compared by identity, so that a bool
    # is no int, and subclasses take the general path below.
    tensor, spec, kind = x._tensor, x._spec, type(key)
    indices: list[Tensor] | None = None
    if kind is Array:
        if key._spec is spec.bool and _is_plain_mask(x, key):
            # The number of True elements is the result's size, so the host waits here anyway.
            mask = awaited(key._tensor, key._spec.device)
            try:
                return wrap(ops.mask.on(spec)(tensor, mask), spec)
            except RuntimeError as error:
                check_memory(error, "index")
                raise
        own = key._spec
        if own.dtype is dt.int64 and own.device is spec.device and key._tensor.dim():
            indices = [key._tensor] if tensor.dim() == 1 else None
    elif kind is int and tensor.dim() == 1:
        result = object.__new__(Array)  # wrap(), inlined
        result._spec = spec
        try:
            result._tensor = tensor[key]
        except (IndexError, ValueError) as error:  # ValueError: it has more than 64 bits
            raise _out_of_bounds(key, tensor.shape[0]) from error
        return result
    elif kind is slice and tensor.dim() == 1:
        if key.step is None:
            return wrap_view(tensor[key], spec, tensor, key)
        reverses = type(key.step) is int and key.step == -1 and key.start is key.stop is None
        if reverses:
            return wrap(_flip(spec, tensor, [0]), spec)
        selected, backwards = _sliced(tensor, 0, key)
        return wrap(_flip(spec, selected, [0]) if backwards else selected, spec)
    else:
        plain = (key,) if key is Ellipsis else key
        if (view := _plain_view(tensor, plain)) is not None:
            return wrap_view(view, spec, tensor, key)
        if kind is tuple and _is_points(key, x):
            indices = [cast(item._tensor, dt.int64) for item in key]
    # Then positions for each axis.
    if indices and not settings.lists:
        try:
            found = ops.index.for_users(spec)(tensor, indices, tuple(range(len(indices))))
            return wrap(found, spec)
        except REFUSED as error:  # raised once more below, in our words
            check_fault(error, "index", spec.device)
    # All other keys: take the view, reverse it, gather from it, and move the axes that NumPy has
    # elsewhere than torch.
    if settings.lists:
        _list_positions(key, writes=False)
    sole = _sole_positions(x, key)
    try:
        selection = _parse(x, key) if sole is None else _at(x, sole)
    except RuntimeError as error:  # the positions of a mask need memory
        check_memory(error, "index")
        raise
    found = selection.view
    if selection.flipped:
        found = _flip(spec, found, selection.flipped)
    if selection.indices:
        found = _gather(spec, found, selection)
        if selection.squeezed:
            found = found.squeeze(_gathered_axis(selection))
        elif selection.first:
            found = found.movedim(*_common_axes(selection))
    elif found is tensor:  # x[...] gets a tensor of its own, as every view has
        found = found.view(found.shape)
    return wrap(found, spec)


def _gathered_axis(selection: _Selection) -> int:
    """Return where torch puts the common axes of the indices: first if ``dims`` has gaps."""
    dims = selection.dims
    return dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0


def _common_axes(selection: _Selection) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the common axes of the indices twice: where torch puts them, and as first axes."""
    count = max(i.dim() for i in selection.indices)
    axis = _gathered_axis(selection)
    return tuple(range(axis, axis + count)), tuple(range(count))


def _flip(spec: Spec, tensor: Tensor, dims: list[int]) -> Tensor:
    if settings.lists:
        _list_reversal()
    try:
        flipped: Tensor = flip.on(spec)(tensor, dims)
    except RuntimeError as error:
        check_memory(error, "index")
        raise
    return flipped


def _gather(spec: Spec, view: Tensor, selection: _Selection, op: Op = ops.index) -> Tensor:
    kernel = op.on(spec) if selection.bounded else op.for_users(spec)
    try:
        gathered: Tensor = kernel(view, selection.indices, selection.dims)
    except (RuntimeError, IndexError) as error:
        check_fault(error, "index", spec.device)
        raise _index_error(error, selection, op.name) from error
    if not gathered.numel():
        _check_of_nothing(spec, view, selection)
    return gathered


def _check_of_nothing(spec: Spec, view: Tensor, selection: _Selection) -> None:
    """Raise for positions out of bounds; torch does not check them if the result is empty."""
    for dim, index in zip(selection.dims, selection.indices):
        size, index = view.shape[dim], spec.device.backend.collect(index)
        if index.numel() and at_hand(index):
            low, high = (int(t) for t in torch.aminmax(index))
            for position in (low, high):
                _checked_position(position, size)


def _index_error(error: Exception, selection: _Selection, function: str = "index") -> Exception:
    shapes = [tuple(i.shape) for i in selection.indices]
    if broadcast(*shapes) is None:
        return _not_broadcastable(shapes)
    if isinstance(error, IndexError) and not str(error).startswith(f"{function}: "):
        return IndexError(f"{function}: an element of an index array is out of bounds: {error}")
    return error  # in our words already, or of another kind


def _not_broadcastable(shapes: list[tuple[int, ...]]) -> IndexError:
    names = ", ".join(map(str, shapes))
    return IndexError(f"index: index arrays of shapes {names} could not be broadcast together.")


# --- setting --------------------------------------------------------------------------------------


_Tensor: Final = torch.Tensor


@shortcut
def _fast_setitem(x: Array, key: Any, value: Any) -> bool | None:
    """Write by torch's own copy to a view where that does all that ``_set`` would do.

    These are keys that ``_plain_view`` takes, and values of the same spec in other memory; and
    positions, for which see ``_put_at``.  Return True if the value was written, else None; nothing
    has changed then.
    """
    if type(value) is not Array:
        return None
    if type(key) is Array:
        return _put_at(x, key, value)
    spec, target, tensor = x._spec, x._tensor, value._tensor
    if value._spec is not spec or not type(target) is type(tensor) is _Tensor or in_transform():
        return None
    # The end of ``x[key] += y`` has nothing more to write: the value is the view itself.
    if tensor._base is not None and getattr(value, "_whole", None) is target and value._key is key:
        return None if tracked(target, tensor) else True
    view = _plain_view(target, key)
    if view is None:
        return None
    try:
        # torch drops leading axes of size 1 from a value with more axes than the view; strict mode
        # refuses such a value.  A stride of 0 may mean that elements share memory.  For specs in
        # ``plain``, torch's copy is the kernel, and its errors are no faults of devices.
        if tensor.dim() > view.dim() or 0 in target.stride() or not ops.copy_to.is_plain(spec):
            return None
        if meet(target, tensor):
            return None
        view.copy_(tensor)
    except REFUSED:
        return None
    return True


def _put_at(x: Array, key: Array, value: Array) -> bool | None:
    """Write values to as many positions of a vector; return None if that takes more work."""
    own, target, index, tensor = x._spec, x._tensor, key._tensor, value._tensor
    if own.device.local is not own.device or settings.lists:
        return None
    if not value._spec.device is key._spec.device is own.device:
        return None
    if value._spec.dtype is not own.dtype or key._spec.dtype is not dt.int64:
        return None
    if target.dim() != 1 or index.dim() == 0 or index.shape != tensor.shape:
        return None
    if not (type(target) is type(index) is type(tensor) is _Tensor) or in_transform():
        return None
    if 0 in target.stride() or meet(target, tensor) or meet(target, index):
        return None
    try:
        ops.index_put.for_users(own)(target, [index], tensor, (0,))
    except REFUSED as error:
        check_fault(error, "index", own.device)
        return None
    wrote(x, ())  # the kernel has marked the tensor
    return True


@implements("__setitem__")
def setitem(x: Array, key: Any, value: Any, /) -> None:
    """Write a value to what a key selects, or raise and leave the array as it was."""
    if _fast_setitem(x, key, value):
        return
    if settings.lists:
        _list_positions(key, writes=True)
    try:
        written = _set(x, key, value)
    except RuntimeError as error:
        check_memory(error, "setitem")
        raise
    wrote(x, (value, key, written), written is not None)


def _set(x: Array, key: Any, value: Any) -> Tensor | None:
    """Write a value; return the tensor to which a kernel wrote, None if the array had the value.

    All checks come before the first write.  A view on a mesh may be a copy, so no branch writes to
    such a view.
    """
    spec = x._spec
    array = type(key) is Array
    # A mask with a scalar is one kernel; it takes the scalar itself if that is exact.
    masks = array and _is_plain_mask(x, key)
    if masks and ops.mask_fill.takes_scalars(spec) and exact_scalar(spec, value):
        check_writable("setitem", x._tensor)
        ops.mask_fill.on(spec)(x._tensor, _apart(x, key), value)
        return x._tensor
    # Otherwise the value becomes a tensor of the array's data type.
    tensor = _value(x, value)
    check_writable("setitem", x._tensor)
    if masks and tensor.dim() == 0:
        if overlap(x._tensor, tensor):
            tensor = clone.on(spec)(tensor)
        ops.mask_fill.on(spec)(x._tensor, _apart(x, key), tensor)
        return x._tensor
    # Arrays that are divided over a mesh.  A key that selects part of the divided axis has no view,
    # so write by positions along that axis.  Where derivatives are tracked, collect all operands,
    # write to the whole, and divide it again: autograd cannot see writes to the parts.
    backend = spec.device.backend
    axis = backend.divided_axis(x._tensor)
    along: range | None = None
    followed = axis is not None and tracked(x._tensor, tensor) and not _is_all(x._tensor, key)
    if axis is not None and (followed or not _is_all_along(key, axis, x.ndim)):
        key, items = _expanded(x, key if isinstance(key, tuple) else (key,), writes=True)
        if followed:
            held = wrap(backend.collect(x._tensor, "setitem"), spec)
            own = tuple(
                wrap(backend.collect(i._tensor, "setitem"), i._spec) if isinstance(i, Array) else i
                for i in key
            )
            setitem(held, own, wrap(backend.collect(tensor, "setitem"), spec))
            backend.write(x._tensor, held._tensor)
            return x._tensor
        if not any(isinstance(item, Array) for item in items):
            return _set_across(x, items, tensor, axis)
        key, along = _all_along(x, key, axis)
    # Keys that need no parsing.
    if not array:
        if _is_all(x._tensor, key):
            _copy_to(spec, x._tensor, tensor)
            return x._tensor
        plain = _plain_view(x._tensor, key if type(key) is tuple else (key,))
        if plain is not None:
            _copy_to(spec, plain, tensor)
            return x._tensor
    selection = _parse(x, key, writes=True)
    view = selection.view
    # No arrays in the key: copy to the view.  Reverse the value instead of the view.
    if not selection.indices:
        if selection.flipped:
            tensor = _flip(spec, _broadcast(tensor, view.shape), selection.flipped)
        _copy_to(spec, view, tensor)
        return x._tensor
    # Arrays in the key: scatter.  Where axes are reversed, scatter into a reversed copy and copy
    # that back, so that torch's rules for the order of axes hold unchanged.
    if selection.flipped:
        target = _flip(spec, view, selection.flipped)
    else:
        target = view
    tensor = _scattered(tensor, _shape_along(x, target, along), selection)
    if along is not None:
        tensor = _add_positions(x, target, along, tensor, selection)
    # torch reads values and indices while it writes, so neither may share the target's memory.
    if share_memory(target, tensor):
        tensor = clone.on(x._spec)(tensor)
    int64 = spec.of(dt.int64)
    kernel = ops.index_put.on(spec) if selection.bounded else ops.index_put.for_users(spec)
    indices = [clone.on(int64)(i) if share_memory(target, i) else i for i in selection.indices]
    try:
        kernel(target, indices, tensor, selection.dims)
    except (RuntimeError, IndexError) as error:
        check_fault(error, "index", x._spec.device)
        raise _index_error(error, selection) from error
    if selection.flipped:
        ops.copy_to.on(spec)(view, _flip(spec, target, selection.flipped))
    return target


def _is_all(tensor: Tensor, key: Any) -> bool:
    """Say whether a key is ``...``, or ``:`` for the only axis."""
    if type(key) is slice:
        return tensor.dim() == 1 and key.start is None and key.stop is None and key.step is None
    return key is Ellipsis


def _copy_to(spec: Spec, view: Tensor, value: Tensor) -> None:
    """Write a value to a view, broadcast to its shape."""
    if value.shape != view.shape:
        value = _broadcast(value, view.shape)
    if overlap(view, value):
        value = clone.on(spec)(value)
    elif value.numel() and same_place(view, value) and not tracked(view, value):
        return  # the end of x[key] += y, which has written there
    ops.copy_to.on(spec)(view, value)


def _apart(x: Array, mask: Array) -> Tensor:
    """Return a mask with as many axes as an array, and in memory of its own."""
    tensor = mask._tensor
    if overlap(x._tensor, tensor):
        tensor = clone.on(mask._spec)(tensor)
    missing = x.ndim - tensor.dim()
    return tensor.reshape((*tensor.shape, *(1,) * missing)) if missing else tensor


def _set_across(x: Array, items: list[Any], value: Tensor, axis: int) -> Tensor | None:
    """Write by positions along the divided axis of an array on a mesh.

    Return None if the value is the view itself.  That is so at the end of ``x[key] += y``: the
    in-place operator has written to the view, and Python then assigns the view to ``x[key]``.
    """
    from .._chapters.creation import arange

    spec = x._spec
    at = [i for i, item in enumerate(items) if item is not None][axis]
    item, size = items[at], x.shape[axis]
    selection = _parse(x, (*items[:at], slice(None), *items[at + 1 :]), writes=True)
    view = selection.view
    where = spec.device.backend.divided_axis(view)
    assert where is not None
    before, after = view.shape[:where], view.shape[where + 1 :]
    sliced = isinstance(item, slice)
    if sliced:
        positions = _positions_of(item, size)
    else:
        position = _checked_position(operator.index(item), size) % size
        positions = range(position, position + 1)
    if not selection.flipped and spec.device.backend.is_view(view, value, where, positions):
        return None
    if sliced:
        value = _broadcast(value, (*before, len(positions), *after))
    else:
        value = _broadcast(value, (*before, *after)).unsqueeze(where)
    if selection.flipped:
        value = _flip(spec, value, selection.flipped)
    along = arange(positions.start, positions.stop, positions.step, device=x.device)
    ops.index_put.on(spec)(view, [along._tensor], value, (where,))
    return view


def _positions_of(part: slice, size: int) -> range:
    """Return the positions that a slice selects of an axis of a size."""
    positions = range(*part.indices(size))
    start = positions.start
    # One position needs no step; the step of the slice may not fit into 64 bits.
    return positions if len(positions) > 1 else range(start, start + len(positions))


def _all_along(x: Array, key: tuple[Any, ...], axis: int) -> tuple[tuple[Any, ...], range | None]:
    """Return the key with ``:`` in place of its slice for an axis, and the slice's positions.

    The positions are None if the slice selects the whole axis, or if an array indexes the axis.
    """
    at = 0
    for place, item in enumerate(key):
        if item is Ellipsis:
            others = (i.ndim if _is_mask(i) else i is not None for i in key if i is not Ellipsis)
            at += x.ndim - sum(others)
        elif at == axis and isinstance(item, slice):
            positions = _positions_of(item, x.shape[axis])
            part = positions if positions != range(x.shape[axis]) else None
            return (*key[:place], slice(None), *key[place + 1 :]), part
        elif item is not None:
            at += item.ndim if _is_mask(item) else 1
        if at > axis:
            break
    return key, None


def _shape_along(x: Array, target: Tensor, along: range | None) -> tuple[int, ...]:
    """Return the shape of the part of a target that is written to.

    ``along`` has the positions along the divided axis; None stands for the whole axis.
    """
    if along is None:
        return tuple(target.shape)
    axis = x._spec.device.backend.divided_axis(target)
    return tuple(len(along) if d == axis else n for d, n in enumerate(target.shape))


def _add_positions(
    x: Array, target: Tensor, along: range, value: Tensor, selection: _Selection
) -> Tensor:
    """Add positions along the divided axis to a selection; return the value with axes to match."""
    from .._chapters.creation import arange

    axis = x._spec.device.backend.divided_axis(target)
    assert axis is not None
    # In the value, the divided axis stands among the axes without indices; the common axes of the
    # indices may lie before it.
    dims, (there, _) = selection.dims, _common_axes(selection)
    others = other_axes(target.dim(), dims)
    place = others.index(axis)
    place += len(there) if place >= there[0] else 0
    # The positions get an axis of their own, in front of the common axes of the other indices.
    positions = arange(along.start, along.stop, along.step, device=x.device)._tensor
    selection.indices = [positions.reshape(-1, *(1 for _ in there)), *selection.indices]
    order = sorted(zip((axis, *dims), selection.indices), key=lambda pair: pair[0])
    selection.dims = tuple(d for d, _ in order)
    selection.indices = [i for _, i in order]
    # One index more may close a gap in ``dims``, so ask again where torch puts the common axes.
    first = _gathered_axis(selection)
    return value.movedim((place, *there), tuple(range(first, first + len(there) + 1)))


def _is_all_along(key: Any, axis: int, ndim: int) -> bool:
    """Say whether a key of integers and slices selects the whole of an axis."""
    items = [i for i in (key if isinstance(key, tuple) else (key,)) if i is not None]
    if not all(isinstance(i, (int, slice)) or i is ... for i in items):
        return False
    if ... in items:
        at = items.index(...)
        items[at : at + 1] = [slice(None)] * (ndim - len(items) + 1)
    return len(items) == ndim and items[axis] == slice(None)


_VALUES: Final = (Array, *SCALARS)


def _value(x: Array, value: Any) -> Tensor:
    """Return a value as a tensor of the array's data type and device."""
    if type(value) is Array and value._spec is x._spec:
        return value._tensor
    if not isinstance(value, _VALUES):
        error = TypeError(
            f"setitem: expected an Array or a Python scalar, got {describe(value)}. "
            "Convert it with asarray() first."
        )
        own = x.dtype if isinstance(value, (list, tuple)) else None
        scalar = relaxed.scalar(value, error)
        value = converted(value, x.device, error, own) if scalar is None else scalar
    if isinstance(value, Array):
        if value.device is not x.device:
            raise mixed_devices("setitem", x.device, value.device)
        promoted = promote("setitem", x.dtype, value.dtype)
        if promoted in dt.COMPLEX and x.dtype not in dt.COMPLEX:
            raise TypeError(
                f"setitem: an array of {dt.NAMES[x.dtype]} cannot take complex values. "
                "Take real() or imag() of them first."
            )
        return cast(value._tensor, x.dtype)
    return _scalar_value(x, value)


def _scalar_value(x: Array, value: complex) -> Tensor:
    dtype = promote_scalar("setitem", value, x.dtype)
    if dtype in dt.COMPLEX and x.dtype not in dt.COMPLEX:
        raise TypeError(
            f"setitem: an array of {dt.NAMES[x.dtype]} cannot take {describe(value)}. "
            "Use its real or imag part."
        )
    if dtype is not x.dtype:  # relaxed mode converts the number first, as NumPy does
        value = bool(value) if x.dtype is dt.bool else _whole(value.real, x.dtype)
    return scalar_tensor(value, x._spec)


def _whole(value: float, dtype: dt.DType) -> int:
    """Return the integer part of a float, which must fit a data type."""
    if not math.isfinite(value):
        error = ValueError if math.isnan(value) else OverflowError
        raise error(f"setitem: the Python float {value} cannot be converted to {dt.NAMES[dtype]}.")
    promote_scalar("setitem", int(value), dtype)
    return int(value)


def _scattered(value: Tensor, shape: tuple[int, ...], selection: _Selection) -> Tensor:
    """Return a value in the shape and order of axes that torch's scatter wants.

    ``shape`` is that of the target.  The value is broadcast in NumPy's order of axes, and its axes
    are moved afterwards.
    """
    if len(selection.indices) == 1 and not selection.squeezed:  # the plainest case, unmoved
        (index,), (dim,) = selection.indices, selection.dims
        if value.shape == (*shape[:dim], *index.shape, *shape[dim + 1 :]):
            return value
    shapes = [tuple(i.shape) for i in selection.indices]
    common = broadcast(*shapes)
    if common is None:
        raise _not_broadcastable(shapes)
    # NumPy has the common axes of the indices first, or where torch has them; squeezed ones vanish.
    axis = 0 if selection.first else _gathered_axis(selection)
    rest = [n for d, n in enumerate(shape) if d not in selection.dims]
    shown = () if selection.squeezed else common
    value = _broadcast(value, (*rest[:axis], *shown, *rest[axis:]))
    if selection.squeezed:
        return value.unsqueeze(_gathered_axis(selection))
    if selection.first:
        there, front = _common_axes(selection)
        return value.movedim(front, there)
    return value


def _broadcast(tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a value broadcast to a shape; relaxed mode drops leading axes of size 1."""
    if tensor.shape == shape:
        return tensor
    more = tensor.dim() - len(shape)
    ones = more > 0 and all(n == 1 for n in tensor.shape[:more])
    if ones:
        relaxed.require(_too_large(tensor, shape))
        return _broadcast(tensor.reshape(tensor.shape[more:]), shape)
    try:
        return tensor.expand(shape)
    except RuntimeError as error:
        raise _too_large(tensor, shape) from error


def _too_large(tensor: Tensor, shape: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"setitem: a value of shape {tuple(tensor.shape)} could not be broadcast to the "
        f"selected elements, of shape {tuple(shape)}."
    )


# --- functions ------------------------------------------------------------------------------------


@plainest(
    "x: array, indices: array, axis: only axis if indices._spec.dtype is dt.int64 and "
    "indices._spec.device is spec.device and indices._tensor.dim() == 1 and "
    "tensor.numel() and indices._tensor.numel()",
    "kernel(tensor, [indices._tensor], (axis % ndim if axis else 0,))",
    kernel=ops.take,
)
def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """Select elements along an axis by their positions.

    Parameters
    ----------
    x : Array
        An array of one or more dimensions.
    indices : Array
        A one-dimensional integer array on the device of ``x``; negative numbers count from the end.
    axis : int, optional
        The axis; required unless ``x`` has one dimension.

    Returns
    -------
    Array
        An array of the data type of ``x`` and of its shape, except that ``axis`` has as many
        elements as ``indices``.

    Raises
    ------
    TypeError
        If ``indices`` is not an integer array.
    ValueError
        If ``indices`` is not one-dimensional or on another device, if ``axis`` is missing, or if
        there is no such axis.
    IndexError
        If a position is out of bounds.  On an accelerator the option ``checks`` says when it is
        raised; until then, the result holds some other element of ``x``.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> xp.take(xp.asarray([[1, 2, 3], [4, 5, 6]]), xp.asarray([2, 0]), axis=1)
    Array([[3, 1],
           [6, 4]], dtype=int64, device='cpu')
    """
    tensor, spec = operand("take", x, dt.ANY)
    positions, index_spec = operand("take", indices, dt.INTEGER)
    spec = same_device("take", spec, index_spec)
    if positions.dim() != 1:
        raise ValueError(
            f"take: indices must be one-dimensional, got {positions.dim()} dimensions. "
            "Use take_along_axis() or indexing for others."
        )
    if axis is None:
        if tensor.dim() != 1:
            raise ValueError(
                f"take: axis is required for an array of {tensor.dim()} dimensions; it may be left "
                f"out for one dimension only.{relaxed.HINT}"
            )
        axis = 0
    dim = normalize_axis("take", axis, tensor.dim())
    selection = _Selection(tensor, [], (dim,), [cast(positions, dt.int64)], False)
    return wrap(_gather(spec, tensor, selection, ops.take), spec)


@refusing
def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Select elements along an axis by positions that differ from place to place.

    Parameters
    ----------
    x : Array
        An array of one or more dimensions.
    indices : Array
        An integer array on the device of ``x``, with as many dimensions, whose shape broadcasts
        with that of ``x`` apart from ``axis``; negative numbers count from the end.
    axis : int
        The axis; by default the last.

    Returns
    -------
    Array
        An array of the data type of ``x`` and of the broadcast shape, in which ``axis`` has the
        size that it has in ``indices``.

    Raises
    ------
    TypeError
        If ``indices`` is not an integer array.
    ValueError
        If the shapes do not broadcast, the devices differ, or there is no such axis.
    IndexError
        If a position is out of bounds.  On an accelerator the option ``checks`` says when it is
        raised; until then, the result holds some other element of ``x``.

    Notes
    -----
    The positions that ``argsort`` returns select the sorted elements.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> x = xp.asarray([[3, 1, 2], [5, 6, 4]])
    >>> xp.take_along_axis(x, xp.argsort(x, axis=-1), axis=-1)
    Array([[1, 2, 3],
           [4, 5, 6]], dtype=int64, device='cpu')
    """
    tensor, spec = operand("take_along_axis", x, dt.ANY)
    positions, index_spec = operand("take_along_axis", indices, dt.INTEGER)
    spec = same_device("take_along_axis", spec, index_spec)
    dim = normalize_axis("take_along_axis", axis, tensor.dim())
    shape, index_shape = tuple(tensor.shape), tuple(positions.shape)
    outer = broadcast(*((*s[:dim], *s[dim + 1 :]) for s in (shape, index_shape)))
    if len(shape) != len(index_shape) or outer is None:
        raise ValueError(
            f"take_along_axis: indices of shape {index_shape} could not be broadcast with an array "
            f"of shape {shape} apart from axis {dim}; both must have as many dimensions."
        )
    positions = cast(positions, dt.int64)
    op = ops.take_along_axis
    kernel = op.on(spec) if 0 in outer else op.for_users(spec)  # without a look-up nothing is wrong
    try:
        found = kernel(tensor, positions, dim)
    except (RuntimeError, IndexError) as error:
        check_fault(error, "take_along_axis", spec.device)
        if str(error).startswith("take_along_axis: "):  # it is in our words already
            raise
        size = shape[dim]
        if bool(((positions < -size) | (positions >= size)).any()):
            raise IndexError(out_of_bounds("take_along_axis", size)) from error
        raise
    return wrap(found, spec)
