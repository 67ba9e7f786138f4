"""Integer indices: ranks ask each other for rows to read, and send rows to write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..._devices.device import spec_of
from ..._routes import extras, indexing, judging, movement  # noqa: F401  # they make the operations
from ..._routes._rows import Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._dispatch import EVIDENCE, ByRule, by_rules
from ._moves import as_bits, asked, by_owners, numbers_of, picked, sent
from ._sharded import (
    Aligned,
    Sharded,
    broadcast,
    extents,
    found,
    leading,
    parts_of,
    seen,
    shares,
    turned,
    whole,
)
from .along import attempted, free_axis
from .reductions import combined, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..._routes._kernels import Kernel
    from ._mesh import Mesh

    Positions = Sequence[Tensor]
    Dims = tuple[int, ...]

_POSITIONS: Final = "each part needs all positions"


class Indexed:
    """An operation on positions: the indexed axes, and where axes are in the result.

    The axes of positions replace the indexed axes if these are neighbours, and otherwise come
    first, as in torch.
    """

    def __init__(self, x: Tensor, indices: Positions, dims: Dims) -> None:
        self.shape, self.dims = tuple(x.shape), dims
        self.common = broadcast([i.shape for i in indices])
        neighbours = dims[-1] - dims[0] == len(dims) - 1
        self.at = dims[0] if neighbours else 0
        self.others = [d for d in range(len(self.shape)) if d not in dims]
        rest = [self.shape[d] for d in self.others]
        self.result = (*rest[: self.at], *self.common, *rest[self.at :])

    def axis(self, d: int) -> int:
        """Return where an axis that is not indexed is in the result."""
        place = self.others.index(d)
        return place + (len(self.common) if place >= self.at else 0)

    def first(self, t: Tensor) -> Tensor:
        """Move the positions' axes of a result to the front, and merge them."""
        count = len(self.common)
        places = range(self.at, self.at + count)
        return t.movedim(tuple(places), tuple(range(count))).flatten(0, count - 1)

    def back(self, rows: Tensor, common: Sequence[int]) -> Tensor:
        """Undo ``first``."""
        count = len(common)
        places = range(self.at, self.at + count)
        return rows.reshape(*common, *rows.shape[1:]).movedim(tuple(range(count)), tuple(places))

    def rows(self, part: Tensor, places: Tensor) -> Tensor:
        """Return the elements of a part at places, each a row of positions."""
        bits = as_bits(part).permute(*self.dims, *self.others)
        index = indexing.index.on(spec_of(bits))
        found: Tensor = index(bits, list(places.unbind(1)), tuple(range(len(self.dims))))
        return found


def _requests(
    mesh: Mesh, what: Indexed, indices: Positions, axis: int
) -> tuple[int, list[Tensor], list[Tensor]] | None:
    """Return the axis that divides positions, each rank's places as rows, and who owns them.

    Return None if a position is out of bounds, or if positions have no axes.  All processes return
    the same, because what follows is a collective.
    """
    if not what.common:
        return None
    if not any(type(i) is Sharded for i in indices):
        parts = shares(indices[0].expand(what.common), 0, mesh)
        indices = [Sharded(parts, 0, mesh, what.common), *indices[1:]]
    aligned = Aligned("index", indices, {})
    if aligned.axis is None:
        return None
    # Each rank checks its own positions.  One exchange of flags then makes all ranks agree.
    places, bad, sizes = [], [], [what.shape[d] for d in what.dims]
    for several in aligned.run(torch.broadcast_tensors):
        flat = [torch.where(i < 0, i + n, i).reshape(-1) for i, n in zip(several, sizes)]
        outside = [((i < 0) | (i >= n)).any() for i, n in zip(flat, sizes)]
        bad.append([int(any(map(bool, outside)))])
        places.append(torch.stack(flat, 1))
    if any(flag for (flag,) in numbers_of(mesh, bad)):
        return None
    most = max(extents(what.shape[axis], mesh.size)[0][1], 1)
    column = what.dims.index(axis)
    return aligned.axis, places, [p[:, column] // most for p in places]


def _refused(indices: Positions, x: Tensor, dims: Dims, put: Kernel | None = None) -> Any:
    """Raise the error of one device for positions out of bounds, in every process."""
    own = [whole(i) for i in indices]
    # For empty operands torch does not report positions out of bounds.
    shape = [n if d in dims else 1 for d, n in enumerate(x.shape)]
    nothing = torch.zeros((), dtype=dt.int8, device=own[0].device).expand(shape)
    if put is None:
        indexing.index.native(nothing, own, dims)
    else:
        put(nothing.contiguous(), own, nothing.new_zeros(()), dims)
    return NotImplemented  # it is something else


def _in_order(indices: Positions, common: tuple[int, ...]) -> list[Tensor]:
    """Divide positions along their first long axis, so that ranks hold them in order.

    Of several writes to one place the last must stay, as on one device.
    """
    first = leading(common)
    return [
        turned(i.expand(common), first) if type(i) is Sharded and i.shape[i.axis] != 1 else whole(i)  # type: ignore[arg-type]
        for i in indices
    ]


def _here(x: Sharded, places: Tensor, what: Indexed, i: int) -> Tensor:
    """Convert places in the whole to places in a part."""
    start, _ = x.extents[i]
    shift = [start if d == x.axis else 0 for d in what.dims]
    return places - torch.tensor(shift, dtype=dt.int64, device=places.device)


def _index(one: Kernel, x: Tensor, indices: Positions, dims: Dims) -> Any:
    what, first = Indexed(x, indices, dims), found((x, indices))[0]
    mesh = first.mesh
    if type(x) is not Sharded:
        aligned = Aligned("index", indices, {})
        if aligned.axis is None:
            return NotImplemented
        if not x.numel():
            _refused(indices, x, dims)
        rows = aligned.run(lambda *own: own)
        made = attempted(first, lambda i: one(x, list(rows[i]), dims))
        if made is None:
            return _refused(indices, x, dims)
        return Sharded(made, what.at + aligned.axis, mesh, what.result)
    if x.axis not in dims:
        own = [seen(i, "index", _POSITIONS) for i in indices]

        def of_part(p: Tensor) -> Any:
            if not p.shape[x.axis]:  # torch does not report positions out of bounds
                _refused(own, x, dims)
            return one(p, own, dims)

        return Sharded([of_part(p) for p in x.parts], what.axis(x.axis), mesh, what.result)
    asks = _requests(mesh, what, indices, x.axis)
    if asks is None:
        return _refused(indices, x, dims) if what.common else NotImplemented
    axis, places, owners = asks
    answers = asked(mesh, owners, places, lambda i, p: what.rows(x.parts[i], _here(x, p, what, i)))
    shapes = mesh.shapes(what.common, axis)
    parts = [what.back(answer.view(x.dtype), shape) for answer, shape in zip(answers, shapes)]
    return Sharded(parts, what.at + axis, mesh, what.result)


def _index_select(one: Kernel, x: Tensor, index: Tensor, axis: int) -> Any:
    at = [index.to(dt.int64)]
    return _index(lambda p, i, dims: one(p, i[0], dims[0]), x, at, (axis % x.dim(),))


def _index_put(one: Kernel, x: Tensor, indices: Positions, value: Tensor, dims: Dims) -> Any:
    if type(x) is not Sharded:
        return NotImplemented
    crosses = x.axis in dims
    if not _put(x, indices, value, dims, one) or (crosses and not value.numel()):
        _refused(indices, x, dims, one)  # does not raise if there was nothing to write
    return None


def _put_inside(
    _: Kernel, x: Tensor, indices: Positions, value: Tensor, dims: Dims, **told: Any
) -> Any:
    if type(x) is not Sharded:
        return NotImplemented
    once = [told]  # all parts see the same positions, so one report is enough

    def put(*given: Any) -> None:
        # By the composition: it writes all or nothing, which a device's kernel may not.
        judging.put_inside.native(*given, **(once.pop() if once else {}))

    wrong = not _put(x, indices, value, dims, put)
    if x.axis in dims:
        where = x.mesh.local.torch_device
        judging.tell(torch.full((), wrong, dtype=dt.bool, device=where), **told)
    return None


def _put(
    x: Sharded,
    indices: Positions,
    value: Tensor,
    dims: Dims,
    put: Callable[..., Any],
    handed: Callable[..., Any] | None = None,
) -> bool:
    """Write values to each part, or hand them to the ranks that own their places.

    These write them in order, or by ``handed``.  If any position is out of bounds there, write
    nothing and return False; else return True.
    """
    what, mesh = Indexed(x, indices, dims), x.mesh
    if x.axis not in dims:
        own = [seen(i, "index_put", _POSITIONS) for i in indices]
        values = parts_of(value.expand(what.result), what.axis(x.axis), mesh)
        for part, given in zip(x.parts, values):
            put(part, own, given, dims)
        return True
    asks = _requests(mesh, what, _in_order(indices, what.common), x.axis)
    if asks is None:
        return False
    axis, places, owners = asks
    values = parts_of(value.expand(what.result), what.at + axis, mesh)
    # Stable, so that writes to one place stay in the order of the positions.
    orders, counts = by_owners(mesh, owners)
    rows = [as_bits(what.first(v)) for v in values]
    arrived = (
        sent(mesh, [picked(r, o) for r, o in zip(several, orders)], counts)
        for several in (places, rows)
    )
    for i, (p, v) in enumerate(zip(*arrived)):
        target = as_bits(x.parts[i]).permute(*what.dims, *what.others)
        write = handed or indexing.index_put.on(spec_of(target))
        write(target, list(_here(x, p, what, i).unbind(1)), v, dims=tuple(range(len(dims))))
    return True


def added_at(x: Sharded, indices: Positions, value: Tensor, dims: Dims) -> Sharded:
    """Add values at positions, which may repeat: the derivative of a look-up."""

    def add(part: Tensor, at: list[Tensor], given: Tensor, dims: Dims) -> None:
        places = dict(zip(dims, at))
        key = [places.get(d) for d in range(part.dim())]
        torch.ops.aten.index_put_(part, key, given, accumulate=True)

    _put(x, indices, value, dims, add, add)
    return x


def _take_along_axis(one: Kernel, x: Tensor, indices: Tensor, dim: int) -> Any:
    t = found((x, indices))[0]
    if x.dim() == 1:
        return _index(lambda p, i, _: one(p, i[0], 0), x, [indices], (0,))
    if any(x.shape[d] != indices.shape[d] for d in range(x.dim()) if d != dim):
        return NotImplemented
    axis = t.axis if t.axis != dim else free_axis(t, {dim})
    if axis is None:  # the other axes have one element each
        flat = _take_along_axis(one, x.reshape(-1), indices.reshape(-1), 0)
        return flat if flat is NotImplemented else flat.reshape(indices.shape)
    xs, places = parts_of(x, axis, t.mesh), parts_of(indices, axis, t.mesh)
    made = attempted(t, lambda i: one(xs[i], places[i], dim=dim))
    if made is None:
        return NotImplemented
    return turned(Sharded(made, axis, t.mesh, indices.shape), t.axis)


def _added_at(one: Kernel, *operands: Any) -> Any:
    """Sum or count the values of each part for all positions, then add the parts' results."""
    *vectors, length = operands
    mesh = found(vectors)[0].mesh
    own = [one(*several, length) for several in zip(*(parts_of(v, 0, mesh) for v in vectors))]
    return combined(mesh, own, mesh.size, in_order, weights=())


_ASKS: Final = "ranks ask each other for the rows at the positions"
_HANDED: Final = "ranks hand each other what is written to their parts"

_ADDED: Final = "what the parts give is added up"

ROWS: Final = [
    *by_rules(
        ("index sorted_by take", _index, _ASKS),
        ("index_select", _index_select, _ASKS),
        ("take_along_axis", _take_along_axis, _ASKS),
        ("index_put", _index_put, _HANDED),
        ("put_inside", _put_inside, _HANDED),
        ("count_at", _added_at, _ADDED),
    ),
    # Chapters add up uint16 and uint32 as uint64, so these two have no kernels.
    Row("sum_at", dt.REAL - {dt.uint16, dt.uint32}, ByRule(_added_at), _ADDED, EVIDENCE),
]
