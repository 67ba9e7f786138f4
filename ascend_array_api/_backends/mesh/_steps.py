"""Rules for the functions of torch that its derivatives call, for divided tensors.

While torch records derivatives, an operation runs its kernel for one device on divided tensors, so
that torch sees each step.  Each step then arrives here, and so do the functions of the backward
pass.  Rules translate torch's arguments into those of an operation, whose rule knows the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ..._devices.device import spec_of
from ..._routes import creation, indexing, linear_algebra, movement
from ..._routes import reductions as red
from ..._routes._operations import Op
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._dispatch import RULES
from ._sharded import Sharded, as_divided, found, whole
from ._views import put
from .along import STACKS
from .reductions import dims_of
from .selecting import added_at


def _as_it_is(op: Op) -> Callable[..., Any]:
    """Return the rule for a function of torch with the arguments of the operation."""
    return lambda _, *given: op.on(spec_of(found(given)[0]))(*given)


def _to(t: Sharded, dtype: torch.dtype | None) -> Sharded:
    """Return a tensor in the given data type; None stands for its own."""
    return t if dtype in {None, t.dtype} else t.with_parts([p.to(dtype) for p in t.parts])


def _widened(t: Sharded, dtype: torch.dtype | None) -> Sharded:
    """Convert a tensor for a sum or product: torch computes integers in int64 by default."""
    return _to(t, dt.int64 if dtype is None and t.dtype not in dt.FLOATING else dtype)


def _reduction(op: Op) -> Callable[..., Any]:
    def reduce(_: Any, t: Any, dim: Any = None, keepdim: bool = False, **options: Any) -> Any:
        t = (_widened if op in {red.sum, red.prod} else _to)(t, options.get("dtype"))
        by = options.get("correction")
        rest = [1.0 if by is None else float(by)] if op in {red.var, red.std} else []
        return op(t, dims_of(t, dim), keepdim, *rest)

    return reduce


def _norm(_: Any, t: Any, ord: float = 2, dim: Any = None, keepdim: bool = False, **to: Any) -> Any:
    t = _to(t, to.get("dtype"))
    return linear_algebra.vector_norm(t, ord, dims_of(t, dim), keepdims=keepdim)


def _stack(_: Any, tensors: Sequence[Tensor], dim: int = 0) -> Any:
    axis = dim % (tensors[0].dim() + 1)
    return _CAT(_, [t.unsqueeze(axis) for t in tensors], axis)


_CAT: Final = _as_it_is(movement.concat)


def _cumulated(op: Op) -> Callable[..., Any]:
    return lambda _, t, dim, *, dtype=None: op(_widened(t, dtype), dim % t.dim(), False)


def _new(value: float) -> Callable[..., Any]:
    """Return the rule for new tensors, which are divided like new arrays."""

    def new(_: Any, t: Sharded, size: Sequence[int], *, dtype: Any = None, **where: Any) -> Any:
        if where.get("device") not in t.mesh.own:  # not on the mesh
            return NotImplemented
        spec = spec_of(t).of(dtype or t.dtype)
        return creation.full.on(spec)(tuple(size), value, spec.dtype, t.mesh.local.torch_device)

    return new


def _put_back(like: Sharded, shape: Sequence[int], dim: int, positions: range) -> Any:
    """Return zeros of a shape with a tensor written to positions along an axis.

    It is the derivative of a view: elements may go to other ranks than those that read them.
    """
    made = like.of_shape(like.axis, shape, lambda p, own: p.new_zeros(own))
    put(made, {dim: positions}, like)
    return made


def _slice_back(
    _: Any, t: Sharded, sizes: Sequence[int], dim: int, start: int, end: int, step: int
) -> Any:
    positions = range(*slice(start, end, step).indices(sizes[dim]))
    return _put_back(t, sizes, dim % len(sizes), positions)


def _select_back(_: Any, t: Sharded, sizes: Sequence[int], dim: int, index: int) -> Any:
    dim %= len(sizes)
    at = index % sizes[dim]
    return _put_back(t.unsqueeze(dim), sizes, dim, range(at, at + 1))  # type: ignore[arg-type]


def _positions(indices: Sequence[Tensor | None]) -> tuple[list[Tensor], tuple[int, ...]]:
    """Return integer positions, also for masks, and the axes that they index."""
    several: list[Tensor] = []
    dims: list[int] = []
    axis = 0
    for index in indices:
        if index is None:
            axis += 1
            continue
        own = [index]
        if index.dtype is dt.bool:  # a mask stands for several axes
            own = list(indexing.mask_nonzero(index))
        several += own
        dims += range(axis, axis + len(own))
        axis += len(own)
    return several, tuple(dims)


def _index(_: Any, t: Tensor, indices: Sequence[Tensor | None]) -> Any:
    spec = spec_of(found((t, indices))[0]).of(t.dtype)
    return indexing.index.on(spec)(t, *_positions(indices))


def _put(_: Any, t: Tensor, at: Any, values: Tensor, accumulate: bool = False, *__: Any) -> Any:
    if type(t) is not Sharded:
        return NotImplemented
    at, dims = _positions(at)
    if accumulate:  # the derivative of a look-up: a position may occur several times
        return added_at(t, at, values, dims)
    indexing.index_put(t, at, values, dims)
    return t


def _put_apart(func: Any, t: Tensor, *args: Any) -> Any:
    return _put(func, t.clone(), *args)


def _on_stacks(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Compute with the matrices of each part, if all operands divide their stacks alike."""
    x = found(args)[0]
    return STACKS(func, *args, **kwargs) if x.axis < x.dim() - 2 else NotImplemented


_DECOMPOSITIONS: Final = (
    "_linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd linalg_cholesky_ex "
    "linalg_eig linalg_inv_ex linalg_lu_factor_ex linalg_lu_solve linalg_qr linalg_solve_triangular"
)
"""Torch's functions of stacks of matrices."""


def _diagonal(func: Any, t: Sharded, *rest: Any) -> Any:
    """Put vectors on the diagonals of matrices, or the gradient of diagonals back, part by part."""
    # Both functions end in offset, dim1 and dim2; only the second has sizes before these.
    *sizes, _, dim1, dim2 = rest if len(rest) > 2 else (*rest, *(0, -2, -1)[len(rest) :])
    n = t.dim() + 1
    if t.axis >= min(dim1 % n, dim2 % n):
        return NotImplemented
    own = [t.mesh.shapes(shape, t.axis) for shape in sizes]
    made = [func(p, *s, *rest[len(sizes) :]) for p, *s in zip(t.parts, *own)]
    return as_divided(t, made)


def _check_errors(func: Any, info: Sharded, *args: Any, **kwargs: Any) -> Any:
    """Raise in every process if the decomposition of any part failed."""
    return func(whole(info), *args, **kwargs)


def _is_same_size(_: Any, t: Tensor, other: Tensor) -> bool:
    return t.shape == other.shape


def _zeros_laid(_: Any, t: Tensor, like: Tensor, **__: Any) -> Any:
    """Return zeros for the tangent of a tensor, with the same layout in memory.

    Forward derivatives take views of a tangent as of its tensor, so strides must agree.
    """

    def zeros(p: Tensor) -> Tensor:
        size = p.untyped_storage().nbytes() // p.element_size()
        memory = p.new_zeros(size, dtype=t.dtype)
        return memory.as_strided(p.shape, p.stride(), p.storage_offset())

    return like.with_parts(list(map(zeros, like.parts))) if type(like) is Sharded else zeros(like)


RULES.update(
    {
        "_new_zeros_with_same_feature_meta": _zeros_laid,
        **dict.fromkeys(("mm", "bmm", "mv", "dot"), _as_it_is(linear_algebra.matmul)),
        **dict.fromkeys(_DECOMPOSITIONS.split(), _on_stacks),
        **dict.fromkeys(("diag_embed", "diagonal_backward"), _diagonal),
        "_linalg_check_errors": _check_errors,
        "sum": _reduction(red.sum),
        "mean": _reduction(red.mean),
        "prod": _reduction(red.prod),
        "amax": _reduction(red.max),
        "amin": _reduction(red.min),
        "var": _reduction(red.var),
        "std": _reduction(red.std),
        "linalg_vector_norm": _norm,
        "cat": _CAT,
        "stack": _stack,
        "cumsum": _cumulated(red.cumulative_sum),
        "cumprod": _cumulated(red.cumulative_prod),
        "tril": _as_it_is(creation.tril),
        "triu": _as_it_is(creation.triu),
        "flip": _as_it_is(movement.flip),
        "roll": _as_it_is(movement.roll),
        "repeat": _as_it_is(movement.tile),
        "new_zeros": _new(0.0),
        "new_ones": _new(1.0),
        "is_same_size": _is_same_size,
        "index": _index,
        "index_put": _put_apart,
        "index_put_": _put,
        "_index_put_impl_": _put,
        "slice_backward": _slice_back,
        "select_backward": _select_back,
    }
)
