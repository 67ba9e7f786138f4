"""Rules for torch's own functions of a divided tensor: views, and functions that move elements.

There are three ways.  If elements stay in their parts, the view of each part is the view of the
whole, and shares memory.  If elements would cross parts, a copy takes the place of the view, and
``_reach`` keeps it equal.  NotImplemented leaves the call to torch's decomposition, or to a gather.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from ..._routes import indexing
from ..._torch import Tensor, torch
from ._dispatch import RULES
from ._moves import Pieces, balanced, flowed, selected
from ._reach import View, refill, viewed
from ._sharded import Sharded, extents, located, resized, seen, turned, whole


def _alike(func: Any, t: Sharded, *args: Any, **kwargs: Any) -> Any:
    """Compute a result of the same shape from each part."""
    if "device" in kwargs:
        if kwargs["device"] not in t.mesh.own:
            return NotImplemented
        kwargs["device"] = t.mesh.local.torch_device
    return t.with_parts([func(p, *args, **kwargs) for p in t.parts])


_LEAVES: Final = "it goes to a device that is none of the mesh's"


def _to_copy(func: Any, t: Sharded, *args: Any, **kwargs: Any) -> Any:
    """Convert each part; gather the tensor if it leaves the mesh, say for a kernel on the host."""
    device: Any = kwargs.get("device")
    if device in t.mesh.own or device.type == t.mesh.local.torch_device.type:
        return _alike(func, t, *args, **kwargs)
    return func(seen(t, "to", _LEAVES), *args, **kwargs)


def put(t: Sharded, at: dict[int, range], value: Tensor) -> None:
    """Write to positions along one axis, or to points given by positions along several."""
    if not value.numel():
        return
    # By the operation, whose rule hands each element to the rank that has its place.
    dims = sorted(at)
    here = t.mesh.local.torch_device
    ranges = [at[d] for d in dims]
    places = [torch.arange(r.start, r.stop, r.step, device=here) for r in ranges]
    indexing.index_put(t, places, value, tuple(dims))


def _along(
    t: Sharded, dim: int, at: range, made: Callable[..., Any], like: Callable[[Tensor], Tensor]
) -> Any:
    """Return a copy in place of the view of positions along the divided axis."""
    shape = resized(t.shape, dim, len(at))

    def back(t: Sharded, value: Tensor) -> None:
        put(t, {dim: at}, value.reshape(shape))

    return viewed(t, View(made, back, like, (dim, at)))


def _turned(t: Sharded, axis: int) -> Sharded:
    """Return the same view of a tensor, divided along another axis: a copy that is kept equal."""
    made: Sharded = viewed(t, View(lambda t: turned(t, axis), refill))
    return made


def _select(func: Any, t: Sharded, dim: int, index: int) -> Any:
    dim %= t.dim()
    if dim == t.axis:  # one rank has all selected elements, and all ranks need them
        index += t.shape[dim] if index < 0 else 0
        at = range(index, index + 1)
        on_one = functools.partial(torch.select, dim=dim, index=index)
        return _along(t, dim, at, lambda t: func(located(t, index), dim, 0), on_one)
    shape = (*t.shape[:dim], *t.shape[dim + 1 :])
    return t.of_shape(t.axis - (dim < t.axis), shape, lambda p, _: func(p, dim, index))


def _slice(
    func: Any, t: Sharded, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    dim, n = dim % t.dim(), t.shape[dim]
    positions = range(*slice(start, end, step).indices(n))
    if dim == t.axis:
        if len(positions) == n:
            return t.with_parts([func(p, dim) for p in t.parts])
        on_one = functools.partial(torch.ops.aten.slice, dim=dim, start=start, end=end, step=step)
        return _along(t, dim, positions, lambda t: selected(t, positions), on_one)
    shape = (*t.shape[:dim], len(positions), *t.shape[dim + 1 :])
    return t.of_shape(t.axis, shape, lambda p, _: func(p, dim, start, end, step))


def _permute(func: Any, t: Sharded, dims: Sequence[int]) -> Any:
    dims = [d % t.dim() for d in dims]
    shape = [t.shape[d] for d in dims]
    return t.of_shape(dims.index(t.axis), shape, lambda p, _: func(p, dims))


def _transpose(func: Any, t: Sharded, dim0: int = 0, dim1: int = 1) -> Any:  # noqa: ARG001
    order = list(range(t.dim()))
    a, b = dim0 % t.dim(), dim1 % t.dim()
    order[a], order[b] = order[b], order[a]
    return _permute(torch.ops.aten.permute.default, t, order)


def _unsqueeze(func: Any, t: Sharded, dim: int) -> Any:
    dim %= t.dim() + 1
    shape = (*t.shape[:dim], 1, *t.shape[dim:])
    return t.of_shape(t.axis + (dim <= t.axis), shape, lambda p, _: func(p, dim))


def _squeeze(func: Any, t: Sharded, dims: Any = None) -> Any:  # noqa: ARG001
    given = range(t.dim()) if dims is None else (dims,) if isinstance(dims, int) else dims
    gone = [d for d in {d % t.dim() for d in given} if t.shape[d] == 1]
    if t.axis in gone:
        longest = max(range(t.dim()), key=lambda d: t.shape[d])
        if longest in gone:  # one element, which no axis can divide
            return torch.squeeze(viewed(t, View(whole, refill)), tuple(gone))
        t = _turned(t, longest)
    shape = [n for d, n in enumerate(t.shape) if d not in gone]
    axis = t.axis - sum(d < t.axis for d in gone)
    return t.of_shape(axis, shape, lambda p, _: torch.squeeze(p, tuple(gone)))


def _expand(func: Any, t: Sharded, sizes: Sequence[int], **kwargs: Any) -> Any:
    new = len(sizes) - t.dim()
    axis, shape = t.axis + new, [t.shape[d - new] if n == -1 else n for d, n in enumerate(sizes)]
    if shape[axis] != t.shape[t.axis]:  # the divided axis itself is repeated
        return NotImplemented
    return t.of_shape(axis, shape, lambda p, s: func(p, s, **kwargs))


def _view(func: Any, t: Sharded, size: Any) -> Any:
    if isinstance(size, torch.dtype):
        # A change of size would join or split elements along the divided axis.
        last = t.axis == t.dim() - 1 and size.itemsize != t.dtype.itemsize
        if last:
            return NotImplemented
        n = t.shape[-1] * t.dtype.itemsize // size.itemsize
        return t.of_shape(t.axis, (*t.shape[:-1], n), lambda p, _: func(p, size))
    shape = without_blank(size, t.numel())
    axis = reshaped_axis(t, shape)
    if axis is None:
        return viewed(t, across(shape))
    return t.of_shape(axis, shape, func)


def across(shape: Sequence[int]) -> View:
    """Return the view in another shape whose elements cross parts."""
    return View(lambda t: reshaped(t, shape), refill, lambda t: t.reshape(shape))


def _unsafe_view(func: Any, t: Sharded, size: Any) -> Any:
    """Return the elements in another shape; no copy is kept, because the tensor is temporary."""
    shape = without_blank(size, t.numel())
    axis = reshaped_axis(t, shape)
    return reshaped(t, shape) if axis is None else t.of_shape(axis, shape, func)


def reshaped(t: Sharded, shape: Sequence[int]) -> Tensor:
    """Return the elements in another shape, moved between parts."""
    return flowed(t, shape) if shape else whole(t).reshape(())


def without_blank(size: Sequence[int], count: int) -> tuple[int, ...]:
    """Return a shape for so many elements, with the size in place of -1."""
    known = math.prod(n for n in size if n != -1)
    return tuple(count // known if n == -1 and known else max(n, 0) for n in size)


def reshaped_axis(t: Sharded, shape: Sequence[int]) -> int | None:
    """Return the axis along which the reshaped parts divide the reshaped tensor, or None."""
    size = t.mesh.size
    own = extents(t.shape[t.axis], size)
    before, after = math.prod(t.shape[: t.axis]), math.prod(t.shape[t.axis + 1 :])
    # Everything before the axis must multiply to the same, so that parts interleave alike, and
    # every rank's part must keep its number of elements.
    for axis, m in enumerate(shape):
        if math.prod(shape[:axis]) == before:
            inner = math.prod(shape[axis + 1 :])
            if all(a * after == b * inner for (_, a), (_, b) in zip(own, extents(m, size))):
                return axis
    return None


def _unbind(func: Any, t: Sharded, dim: int = 0) -> Any:
    dim %= t.dim()
    if dim == t.axis:
        if t.dim() == 1:
            return NotImplemented  # each result is one number, which has no parts
        t = _turned(t, max((d for d in range(t.dim()) if d != dim), key=lambda d: t.shape[d]))
    shape = (*t.shape[:dim], *t.shape[dim + 1 :])
    rows = [func(p, dim) for p in t.parts]
    return [Sharded(list(ps), t.axis - (dim < t.axis), t.mesh, shape) for ps in zip(*rows)]


def _any(func: Any, t: Sharded, *args: Any) -> Any:
    if args:
        return NotImplemented
    return func(t.mesh.transport.stacked([func(p) for p in t.parts]))


def _diagonal(func: Any, t: Sharded, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    dim1, dim2 = dim1 % t.dim(), dim2 % t.dim()
    rest = [n for d, n in enumerate(t.shape) if d not in {dim1, dim2}]
    rows, columns = t.shape[dim1], t.shape[dim2]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    shape = (*rest, length)
    if t.axis not in {dim1, dim2}:
        axis = t.axis - (dim1 < t.axis) - (dim2 < t.axis)
        return t.of_shape(axis, shape, lambda p, _: func(p, offset, dim1, dim2))
    first, second = max(-offset, 0), max(offset, 0)
    at = {dim1: range(first, first + length), dim2: range(second, second + length)}
    low, high = sorted(at)

    def back(t: Sharded, value: Tensor) -> None:
        put(t, at, value.movedim(-1, low if high - low == 1 else 0))

    made = functools.partial(_along_diagonal, func, offset=offset, dims=(dim1, dim2), length=length)
    return viewed(t, View(made, back, lambda t: t.diagonal(offset, dim1, dim2)))


def _along_diagonal(
    func: Any, t: Sharded, offset: int, dims: tuple[int, int], length: int
) -> Sharded:
    # In a part whose rows begin at ``start``, the diagonal is ``start`` further to the right; in a
    # part of columns it is further down.
    sign = 1 if t.axis == dims[0] else -1
    places = extents(t.shape[t.axis], t.mesh.size)
    skipped = max(-offset, 0) if t.axis == dims[0] else max(offset, 0)
    sizes = [max(min(start + n, skipped + length) - max(start, skipped), 0) for start, n in places]
    own = [func(p, offset + sign * at, *dims) for p, (at, _) in zip(t.parts, t.extents)]
    return balanced(t.mesh, Pieces(own, sizes), t.dim() - 2)


def _pairs(func: Any, t: Sharded) -> Any:
    """View complex numbers as pairs."""
    return t.of_shape(t.axis, (*t.shape, 2), lambda p, _: func(p))


def _unpaired(func: Any, t: Sharded) -> Any:
    if t.axis == t.dim() - 1:
        return NotImplemented
    return t.of_shape(t.axis, t.shape[:-1], lambda p, _: func(p))


_ALIKE: Final = "_conj _neg_view alias clone detach empty_like full_like ones_like zeros_like"
"""Torch's functions whose results have the shape of the operand."""

RULES.update(
    {
        **dict.fromkeys(_ALIKE.split(), _alike),
        "_to_copy": _to_copy,
        "_unsafe_view": _unsafe_view,
        "any": _any,
        "diagonal": _diagonal,
        "expand": _expand,
        "permute": _permute,
        "select": _select,
        "slice": _slice,
        "squeeze": _squeeze,
        "t": _transpose,
        "transpose": _transpose,
        "unbind": _unbind,
        "unsqueeze": _unsqueeze,
        "view": _view,
        "view_as_complex": _unpaired,
        "view_as_real": _pairs,
    }
)
