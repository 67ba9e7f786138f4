"""Products of matrices and vectors on a mesh, for all layouts of the operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from ..._devices.device import Spec, spec
from ..._routes import elementwise as el
from ..._routes import linear_algebra as la
from ..._routes import reductions as red
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS, Op
from ..._routes._rows import Row
from ..._routes.movement import concat
from ..._torch import Tensor, torch
from ._sharded import Aligned, Sharded, as_divided, extent, joined, parts_of, seen, shape_of, turned
from .along import Apart, free_axis
from .gathering import SEEN, ByRule, on_one, ruled
from .reductions import combined, dims_of, filled, in_order, reduced_shape

_STACK: Final = "each matrix of the stack needs all of the other operand"


# --- matrices -------------------------------------------------------------------------------------


class Multiplied:
    """Multiply each part's rows or columns, or add the products of the parts.

    If each part needs all of the other matrix, the parts of that matrix travel around the ranks, so
    that no rank holds all of it.
    """

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        add = on_one(el.add, spec)

        def rule(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor) -> Any:
            if (
                x1.dim() == 0
                or x2.dim() == 0
                or x1.shape[-1] != x2.shape[-2 if x2.dim() > 1 else 0]
            ):
                return NotImplemented  # the kernel for one device raises
            try:
                stack_of((x1, x2))
            except RuntimeError:
                return NotImplemented  # and here too
            left = x1.unsqueeze(0) if x1.dim() == 1 else x1
            right = x2.unsqueeze(1) if x2.dim() == 1 else x2
            made = _product(one, add, left, right)
            gone = [-2] * (x1.dim() == 1) + [-1] * (x2.dim() == 1)
            return torch.squeeze(made, gone) if gone else made

        return ruled(op, spec, rule)


def stack_of(operands: Sequence[Tensor]) -> tuple[int, ...]:
    """Return the shape to which the stacks of matrices broadcast."""
    if all(t.dim() <= 2 for t in operands):  # torch.broadcast_shapes is slow
        return ()
    return tuple(torch.broadcast_shapes(*(t.shape[:-2] for t in operands)))  # type: ignore[no-untyped-call]


def on_stacks(
    one: Callable[..., Any], operands: Sequence[Tensor], operation: str
) -> Sharded | None:
    """Return the results for operands divided along their stacks; None if none is divided so."""
    stack = stack_of(operands)
    if not stack:
        return None

    def there(t: Sharded) -> int:
        return t.axis - t.dim()

    along = [
        t for t in operands if type(t) is Sharded and there(t) < -2
        and t.shape[t.axis] == stack[there(t) + 2]
    ]  # fmt: skip
    if not along:
        return None
    axis, mesh = there(along[0]), along[0].mesh
    sources = []
    for t in operands:
        if axis < -t.dim() or t.shape[axis] != stack[axis + 2]:
            whole = seen(t, operation, _STACK)
            sources.append([whole] * len(mesh.transport.ranks))
        else:
            sources.append(parts_of(t, axis + t.dim(), mesh))
    results: Sharded = as_divided(along[0], [one(*several) for several in zip(*sources)], axis)
    return results


def _product(one: Kernel, add: Kernel, x1: Tensor, x2: Tensor) -> Any:
    """Multiply matrices; at least one of them is divided."""
    made = on_stacks(one, (x1, x2), "matmul")
    if made is not None:
        return made
    # A stack of one matrix cannot be divided: divide by rows or columns instead.
    if type(x1) is Sharded and x1.axis < x1.dim() - 2:
        x1 = turned(x1, x1.dim() - 2)
    if type(x2) is Sharded and x2.axis < x2.dim() - 2:
        x2 = turned(x2, x2.dim() - 1)
    # Rows of x1 or columns of x2 give rows or columns of the result.  Only if neither is divided so
    # do the ranks hold summands of the result, which they add.
    rows = type(x1) is Sharded and x1.axis == x1.dim() - 2
    columns = type(x2) is Sharded and x2.axis == x2.dim() - 1
    if type(x1) is Sharded and rows:
        if type(x2) is not Sharded:
            return as_divided(x1, [one(p, x2) for p in x1.parts], -2)
        if columns:
            return as_divided(x1, _columns(one, x1, x2), -2)
        return as_divided(x1, _round(one, add, x1, x2, fixed=0), -2)
    if type(x2) is Sharded and columns:
        if type(x1) is not Sharded:
            return as_divided(x2, [one(x1, p) for p in x2.parts], -1)
        return as_divided(x2, _round(one, add, x2, x1, fixed=1), -1)
    return _added(one, add, x1, x2)


def _added(one: Kernel, add: Kernel, x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply each rank's parts of both, and add the products in the order of the ranks."""
    x = x1 if type(x1) is Sharded else x2
    assert type(x) is Sharded
    lefts, rights = parts_of(x1, x1.dim() - 1, x.mesh), parts_of(x2, x2.dim() - 2, x.mesh)
    own: list[Tensor] = [one(left, right) for left, right in zip(lefts, rights)]
    if not x.shape[x.axis]:
        return own[0]
    total: Tensor = combined(x.mesh, own, filled(x), in_order(add), weights=())
    return total


def _going_round(x: Sharded) -> Iterator[list[tuple[int, Tensor]]]:
    """Yield, for each rank of this process, the parts one after the other, with their ranks.

    The next parts travel while the caller computes with the present ones.
    """
    transport, size = x.mesh.transport, x.mesh.transport.size
    shapes = [shape_of(x.shape, x.axis, size, r) for r in range(size)]
    for step, held in enumerate(transport.around(x.parts, shapes)):
        yield [((r - step) % size, t) for r, t in zip(transport.ranks, held)]


def _round(one: Kernel, add: Kernel, x: Sharded, other: Sharded, *, fixed: int) -> list[Tensor]:
    """Multiply parts by the parts of a matrix that is divided along the axis of the sum."""
    length, size = other.shape[other.axis], other.mesh.transport.size
    totals: list[Tensor | None] = [None] * len(x.parts)
    inner = -2 if fixed else -1
    for turn in _going_round(other):
        for i, (rank, block) in enumerate(turn):
            start, n = extent(length, size, rank)
            # A sum over no elements is 0; one empty block gives zeros of the right shape.
            if n or (rank == 0 and not length):
                own = x.parts[i].narrow(inner, start, n)
                made = one(block, own) if fixed else one(own, block)
                before = totals[i]
                totals[i] = made if before is None else add(before, made)
    return [t for t in totals if t is not None]


def _columns(one: Kernel, x1: Sharded, x2: Sharded) -> list[Tensor]:
    """Multiply rows by all columns; the parts with columns travel around the ranks."""
    size = x2.mesh.transport.size
    several: list[dict[int, Tensor]] = [{} for _ in x1.parts]
    for turn in _going_round(x2):
        for i, (rank, block) in enumerate(turn):
            several[i][rank] = one(x1.parts[i], block)
    join = concat.on(spec(x1.dtype, x1.mesh.local))
    whole: list[Tensor] = []
    for blocks in several:
        ordered = [blocks[r] for r in range(size)]  # each rank got them in another order
        whole.append(join(ordered, ordered[0].dim() - 1))
    return whole


class Contracted:
    """Merge the axes of the sum, and multiply matrices."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel, which multiplies by the mesh's own product."""
        multiply = la.matmul.on(spec)

        def rule(
            _: Kernel, __: list[Sharded], x1: Tensor, x2: Tensor, axes1: Any, axes2: Any
        ) -> Any:
            return la.tensordot_composed(x1, x2, axes1, axes2, multiply)

        return ruled(op, spec, rule)


# --- vectors --------------------------------------------------------------------------------------


class Dotted:
    """Multiply vectors part by part; add the products if the vectors themselves are divided."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        add = on_one(el.add, spec)

        def rule(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor, axis: int) -> Any:
            aligned = Aligned("vecdot", (x1, x2), {})
            if aligned.axis is None:
                return NotImplemented
            along = axis % len(aligned.shape)
            own = aligned.run(lambda a, b: one(a, b, axis=axis))
            if aligned.axis != along:
                shape = (*aligned.shape[:along], *aligned.shape[along + 1 :])
                return joined(own, aligned.axis - (along < aligned.axis), aligned.mesh, shape)
            n, size = aligned.shape[along], aligned.mesh.transport.size
            count = sum(extent(n, size, r)[1] > 0 for r in range(size))
            return combined(aligned.mesh, own, max(count, 1), in_order(add), weights=())

        return ruled(op, spec, rule)


def _cross(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor, axis: int) -> Any:
    shape = torch.broadcast_shapes(x1.shape, x2.shape)  # type: ignore[no-untyped-call]
    along = axis % len(shape)

    def aside(t: Tensor) -> Tensor | None:
        if type(t) is not Sharded or t.axis + len(shape) - t.dim() != along:
            return t
        free = free_axis(t, {t.axis})
        return None if free is None else turned(t, free)

    left, right = aside(x1), aside(x2)
    if left is None or right is None:
        return NotImplemented
    aligned = Aligned("cross", (left, right), {})
    if aligned.axis in {None, along}:
        return NotImplemented
    return aligned.result(lambda a, b: one(a, b, axis=axis))


class Normed:
    """Compute the norm of the parts' norms."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        of_norms, add = (on_one(o, spec.real) for o in (op, red.sum))

        def rule(
            one: Kernel, _: list[Sharded], x: Sharded, ord: float, axes: Any, *, keepdims: bool
        ) -> Any:
            dims = dims_of(x, axes) if axes else ()
            own = [one(p, ord, dims, keepdims=True) for p in x.parts]
            final = reduced_shape(x, dims, keepdim=keepdims)
            if x.axis not in dims:
                axis = x.axis if keepdims else x.axis - sum(d < x.axis for d in dims)
                sizes = [
                    shape_of(final, axis, x.mesh.transport.size, r) for r in x.mesh.transport.ranks
                ]
                parts = [t.reshape(s) for t, s in zip(own, sizes)]
                return Sharded(parts, axis, x.mesh, final)
            if not x.shape[x.axis]:
                return own[0].reshape(final)

            def total(several: Tensor) -> Tensor:
                made: Tensor = (
                    of_norms(several, ord, (0,), keepdims=False)
                    if ord
                    else add(several, (0,), False)
                )
                return made

            return combined(x.mesh, own, filled(x), total).reshape(final)

        return ruled(op, spec, rule)


class OfMatrices:
    """Compute norms of matrices by norms of vectors, by sums or by singular values."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel, composed of the mesh's operations."""
        real = spec.real
        norm, values, absolute = la.vector_norm.on(spec), la.svdvals.on(spec), el.abs.on(spec)
        total, most, least = red.sum.on(real), red.max.on(real), red.min.on(real)

        def rule(
            one: Kernel, divided: list[Sharded], x: Sharded, *, ord: Any, keepdims: bool
        ) -> Any:
            rows, columns = x.dim() - 2, x.dim() - 1
            if x.axis < rows:
                return _STACKED.rule(one, divided, x, ord=ord, keepdims=keepdims)
            if ord == "fro" or 0 in x.shape:
                return norm(x, 2, (rows, columns), keepdims=keepdims)
            if ord in {2, -2, "nuc"}:
                several = values(x)
                if ord == "nuc":
                    made = total(several, (several.dim() - 1,), False)
                else:
                    made = several[..., 0 if ord == 2 else -1]
                return made[..., None, None] if keepdims else made
            summed = rows if abs(ord) == 1 else columns
            sums = total(absolute(x), (summed,), True)
            made = (most if ord > 0 else least)(sums, (rows, columns), True)
            return made if keepdims else made.reshape(made.shape[:-2])

        return ruled(op, spec, rule)


_STACKED: Final = Apart(lambda *_, **__: (-2, -1))


def _matrix_power(one: Kernel, divided: list[Sharded], x: Sharded, n: int) -> Any:
    made = _STACKED.rule(one, divided, x, n=n)
    return la.matrix_power.native(x, n) if made is NotImplemented else made


_EVIDENCE: Final = Evidence(SEEN, "absent")
_ROUND: Final = "where each part needs all of the other operand, its parts go round"

ROWS: Final = [
    Row(name, OPS[name].dtypes, route, why, _EVIDENCE)
    for name, route, why in (
        ("matmul", Multiplied(), _ROUND),
        ("tensordot", Contracted(), _ROUND),
        ("vecdot", Dotted(), "what the parts give is added up"),
        ("cross", ByRule(_cross), "there is no other axis to divide along meanwhile"),
        ("vector_norm", Normed(), "what the parts give is small, and is all that it hangs on"),
        ("matrix_norm", OfMatrices(), "what the parts give is small, and is all that it hangs on"),
        ("matrix_power", ByRule(_matrix_power), _ROUND),
    )
]
