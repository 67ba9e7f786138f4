"""Products of matrices and vectors on a mesh, for all layouts of the operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..._devices.device import spec_of
from ..._routes import elementwise as el
from ..._routes import linear_algebra as la
from ..._routes import reductions as red
from ..._routes._kernels import Kernel
from ..._torch import Tensor, torch
from ._dispatch import by_rules
from ._sharded import (
    Aligned,
    Sharded,
    as_divided,
    extents,
    found,
    parts_of,
    resized,
    together,
    turned,
)
from .along import STACKS, free_axis
from .reductions import combined, dims_of, filled, in_order, reduced_shape, untouched

# --- matrices -------------------------------------------------------------------------------------


def _matmul(one: Kernel, x1: Tensor, x2: Tensor) -> Any:
    """Multiply each part's rows or columns, or add the products of the parts.

    If each part needs all of the other matrix, the parts of that matrix travel around the ranks, so
    that no rank holds all of it.
    """
    if x1.dim() == 0 or x2.dim() == 0 or x1.shape[-1] != x2.shape[-2 if x2.dim() > 1 else 0]:
        return NotImplemented  # the kernel for one device raises
    left = x1.unsqueeze(0) if x1.dim() == 1 else x1
    right = x2.unsqueeze(1) if x2.dim() == 1 else x2
    made = _product(one, left, right)
    gone = [-2] * (x1.dim() == 1) + [-1] * (x2.dim() == 1)
    return torch.squeeze(made, gone) if gone else made


def _product(one: Kernel, x1: Tensor, x2: Tensor) -> Any:
    """Multiply matrices; at least one of them is divided."""
    if x1.dim() > 2 or x2.dim() > 2:
        stacks = Aligned("matmul", (x1, x2), {}, core=2)
        if stacks.axis is not None:
            return stacks.result(one)
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
        return as_divided(x1, _round(one, x1, x2, fixed=0), -2)
    if type(x2) is Sharded and columns:
        if type(x1) is not Sharded:
            return as_divided(x2, [one(x1, p) for p in x2.parts], -1)
        return as_divided(x2, _round(one, x2, x1, fixed=1), -1)
    return _added(one, x1, x2)


def _added(one: Kernel, x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply each rank's parts of both, and add the products in the order of the ranks."""
    x = x1 if type(x1) is Sharded else x2
    assert type(x) is Sharded
    lefts, rights = parts_of(x1, x1.dim() - 1, x.mesh), parts_of(x2, x2.dim() - 2, x.mesh)
    own: list[Tensor] = [one(left, right) for left, right in zip(lefts, rights)]
    if not x.shape[x.axis]:
        return own[0]
    return combined(x.mesh, own, filled(x), in_order, weights=())


def _going_round(x: Sharded) -> Iterator[list[tuple[int, Tensor]]]:
    """Yield, for each rank of this process, the parts one after the other, with their ranks.

    The next parts travel while the caller computes with the present ones.
    """
    mesh, size = x.mesh, x.mesh.size
    shapes = [resized(x.shape, x.axis, n) for n in x.lengths]
    for step, held in enumerate(mesh.transport.around(x.parts, shapes)):
        yield [((r - step) % size, t) for r, t in zip(mesh.ranks, held)]


def _round(one: Kernel, x: Sharded, other: Sharded, *, fixed: int) -> list[Tensor]:
    """Multiply parts by the parts of a matrix that is divided along the axis of the sum."""
    length, size = other.shape[other.axis], other.mesh.size
    totals: list[Tensor | None] = [None] * len(x.parts)
    inner = -2 if fixed else -1
    for turn in _going_round(other):
        for i, (rank, block) in enumerate(turn):
            start, n = extents(length, size)[rank]
            # A sum over no elements is 0; one empty block gives zeros of the right shape.
            if n or (rank == 0 and not length):
                own = x.parts[i].narrow(inner, start, n)
                made = one(block, own) if fixed else one(own, block)
                before = totals[i]
                totals[i] = made if before is None else el.add(before, made)
    return [t for t in totals if t is not None]


def _columns(one: Kernel, x1: Sharded, x2: Sharded) -> list[Tensor]:
    """Multiply rows by all columns; the parts with columns travel around the ranks."""
    several: list[dict[int, Tensor]] = [{} for _ in x1.parts]
    for turn in _going_round(x2):
        for i, (rank, block) in enumerate(turn):
            several[i][rank] = one(x1.parts[i], block)
    # Each rank got them in another order.
    ordered = [[blocks[r] for r in range(x2.mesh.size)] for blocks in several]
    return [together(blocks, -1) for blocks in ordered]


def _tensordot(_: Kernel, x1: Tensor, x2: Tensor, axes1: Any, axes2: Any) -> Any:
    """Merge the axes of the sum, and multiply matrices by the mesh's own product."""
    multiply = la.matmul.on(spec_of(found((x1, x2))[0]))
    return la.tensordot_composed(x1, x2, axes1, axes2, multiply)


# --- vectors --------------------------------------------------------------------------------------


def _vecdot(one: Kernel, x1: Tensor, x2: Tensor, axis: int) -> Any:
    """Multiply vectors part by part; add the products if the vectors themselves are divided."""
    aligned = Aligned("vecdot", (x1, x2), {})
    if aligned.axis is None:
        return NotImplemented
    along = axis % len(aligned.shape)
    own = aligned.run(lambda a, b: one(a, b, axis=axis))
    if aligned.axis != along:
        return as_divided(aligned.like, own, aligned.axis - (along < aligned.axis))
    return combined(aligned.mesh, own, max(filled(aligned.like), 1), in_order, weights=())


def _cross(one: Kernel, x1: Tensor, x2: Tensor, axis: int) -> Any:
    aligned = Aligned("cross", (x1, x2), {})
    if aligned.axis is None:
        return NotImplemented
    if aligned.axis != axis % len(aligned.shape):
        return aligned.result(lambda a, b: one(a, b, axis=axis))
    like = aligned.like
    free = free_axis(like, {like.axis})
    if free is None:
        return NotImplemented
    x1, x2 = (turned(t, free) if t is like else t for t in (x1, x2))
    return _cross(one, x1, x2, axis)


def _vector_norm(one: Kernel, x: Sharded, ord: float, axes: Any, *, keepdims: bool) -> Any:
    """Compute the norm of the parts' norms."""
    dims = dims_of(x, axes) if axes else ()

    def own(p: Tensor, shape: Sequence[int]) -> Any:
        return one(p, ord, dims, keepdims=True).reshape(shape)

    if x.axis not in dims:
        return untouched(x, dims, keepdims, own)
    final = reduced_shape(x, dims, keepdim=keepdims)
    if not x.shape[x.axis]:
        return own(x.parts[0], final)

    def total(several: Tensor) -> Tensor:
        if ord:
            return la.vector_norm(several, ord, (0,), keepdims=False)
        return red.sum(several, (0,), False)

    return combined(x.mesh, [own(p, final) for p in x.parts], filled(x), total)


def _matrix_norm(one: Kernel, x: Sharded, *, ord: Any, keepdims: bool) -> Any:
    """Compute norms of matrices by norms of vectors, by sums or by singular values."""
    rows, columns = x.dim() - 2, x.dim() - 1
    if x.axis < rows:
        return STACKS(one, x, ord=ord, keepdims=keepdims)
    if ord == "fro" or 0 in x.shape:
        return la.vector_norm(x, 2, (rows, columns), keepdims=keepdims)
    if ord in {2, -2, "nuc"}:
        several = la.svdvals(x)
        if ord == "nuc":
            made = red.sum(several, (several.dim() - 1,), False)
        else:
            made = several[..., 0 if ord == 2 else -1]
        return made[..., None, None] if keepdims else made
    sums = red.sum(el.abs(x), (rows if abs(ord) == 1 else columns,), True)
    made = (red.max if ord > 0 else red.min)(sums, (rows, columns), True)
    return made if keepdims else made.reshape(made.shape[:-2])


def _matrix_power(one: Kernel, x: Sharded, n: int) -> Any:
    made = STACKS(one, x, n=n)
    return la.matrix_power.native(x, n) if made is NotImplemented else made


_ROUND: Final = "where each part needs all of the other operand, its parts go round"

ROWS: Final = by_rules(
    ("matmul", _matmul, _ROUND),
    ("tensordot", _tensordot, _ROUND),
    ("vecdot", _vecdot, "what the parts give is added up"),
    ("cross", _cross, "there is no other axis to divide along meanwhile"),
    ("vector_norm", _vector_norm, "what the parts give is small, and is all that it hangs on"),
    ("matrix_norm", _matrix_norm, "what the parts give is small, and is all that it hangs on"),
    ("matrix_power", _matrix_power, _ROUND),
)
