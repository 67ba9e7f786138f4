"""Reductions on a mesh: first of each part, then of the small results."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Final

from ..._routes import elementwise as el
from ..._routes import indexing  # noqa: F401  # it makes an operation
from ..._routes import reductions as red
from ..._routes._operations import Op
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._dispatch import by_rules
from ._moves import as_bits
from ._sharded import Sharded, extents, together

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..._routes._kernels import Kernel
    from ._mesh import Mesh


def filled(x: Sharded) -> int:
    """Return how many parts are not empty: these come first."""
    _, most = extents(x.shape[x.axis], x.mesh.size)[0]
    return -(-x.shape[x.axis] // most) if most else 0


LARGE: Final = 1 << 19
"""From so many bytes for one process on, results are not gathered: two collectives are faster."""


def combined(
    mesh: Mesh,
    own: Sequence[Tensor],
    count: int,
    join: Callable[[Tensor], Tensor],
    lead: int = 0,
    weights: Sequence[float] | None = None,
) -> Tensor:
    """Return, in every process, what the results of the first ranks come to together.

    Small results are gathered.  Of large ones each rank joins a share and hands it to all, so that
    a process receives two times their size at most, however many ranks there are.  This is for
    every data type and in the order of the ranks.  The devices' library adds up faster where it
    can, in an order of its own.  Every process gets the same bits in each way.

    Parameters
    ----------
    mesh : Mesh
    own : sequence of Tensor
        The results of this process's ranks, which have one shape.
    count : int
        How many ranks have a result to join.
    join : callable
        Takes the results along a new first axis, and joins them element by element.
    lead : int, default: 0
        How many axes come before those of the elements; ``join`` takes them away.
    weights : sequence of float, optional
        The weights of the ranks, if the results are added up and may be overwritten.  Empty stands
        for ones.
    """
    transport, (like, *_) = mesh.transport, own
    size, shape = mesh.size, like.shape[lead:]
    if like.nbytes * (size - 1) < LARGE:
        return join(transport.stacked(own)[:count])
    if (
        weights is not None
        and like.dtype in transport.adds
        and not torch.are_deterministic_algorithms_enabled()
    ):
        for t, r in zip(own, mesh.ranks):
            if r >= count:
                t.zero_()
            elif weights:
                t.mul_(weights[r])
        return transport.added(own)
    n = math.prod(shape)
    width = -(-n // size)

    def in_rows(t: Tensor) -> Tensor:
        flat = as_bits(t).reshape(*t.shape[:lead], n)
        if width * size > n:
            filling = flat.new_zeros((*flat.shape[:-1], width * size - n))
            flat = together([flat, filling], -1)
        return flat.view(t.dtype).reshape(*flat.shape[:-1], size, width).movedim(-2, 0)

    shares = [join(rows[:count]) for rows in transport.dealt([in_rows(t) for t in own])]
    made = transport.stacked(shares)
    return as_bits(made).reshape(-1)[:n].reshape(shape).view(made.dtype)


def in_order(several: Tensor) -> Tensor:
    """Add results up, one after the other."""
    return functools.reduce(el.add, several.unbind())


def dims_of(x: Tensor, dim: Any) -> tuple[int, ...]:
    """Return the axes to reduce, as non-negative numbers."""
    if dim is None or dim == ():
        return tuple(range(x.dim()))
    return tuple(d % x.dim() for d in ((dim,) if isinstance(dim, int) else dim))


def untouched(
    x: Sharded, dims: tuple[int, ...], keepdim: bool, make: Callable[[Tensor, tuple[int, ...]], Any]
) -> Sharded:
    """Return what ``make`` reduces of each part, over other axes than the divided one."""
    axis = x.axis if keepdim else x.axis - sum(d < x.axis for d in dims)
    return x.of_shape(axis, reduced_shape(x, dims, keepdim), make)


def reduced_shape(x: Tensor, dims: tuple[int, ...], keepdim: bool) -> list[int]:
    """Return the shape of a reduced tensor."""
    if keepdim:
        return [1 if d in dims else n for d, n in enumerate(x.shape)]
    return [n for d, n in enumerate(x.shape) if d not in dims]


def partial(
    one: Kernel,
    x: Sharded,
    dims: tuple[int, ...],
    keepdim: bool,
    dtype: torch.dtype | None = None,
    lead: Sequence[int] = (),
) -> list[Tensor]:
    """Return the reductions of this process's parts; of an empty one there is none."""
    shape = [*lead, *reduced_shape(x, dims, keepdim)]
    return [
        one(p, dims, keepdim) if p.shape[x.axis] else p.new_empty(shape, dtype=dtype)
        for p in x.parts
    ]


def _reduced(last: Op, to: torch.dtype | None = None) -> Callable[..., Any]:
    """Return the rule that reduces each part to a data type, then the results by an operation."""

    def rule(one: Kernel, x: Sharded, dim: Any = None, keepdim: bool = False) -> Any:
        dims = dims_of(x, dim)
        if x.axis not in dims:
            return untouched(x, dims, keepdim, lambda p, _: one(p, dims, keepdim))
        if not x.shape[x.axis]:
            return one(x.parts[0], dims, keepdim)  # all parts are empty and equal
        own = partial(one, x, dims, keepdim, to)
        weights = () if last is red.sum else None
        return combined(x.mesh, own, filled(x), lambda t: last(t, (0,), False), weights=weights)

    return rule


def _mean(one: Kernel, x: Sharded, dim: Any = None, keepdim: bool = False) -> Any:
    """Average the parts' means, weighted by their sizes."""
    dims = dims_of(x, dim)
    if x.axis not in dims:
        return untouched(x, dims, keepdim, lambda p, _: one(p, dims, keepdim))
    if not x.numel():
        return NotImplemented
    own, weights = partial(one, x, dims, keepdim), [n / x.shape[x.axis] for n in x.lengths]
    return combined(x.mesh, own, filled(x), lambda t: mean_of(x, t.unbind()), weights=weights)


def mean_of(x: Sharded, means: Sequence[Tensor], factor: float = 1.0) -> Tensor:
    """Return the mean of the parts' means, times a factor."""
    weights = [n / x.shape[x.axis] * factor for n in x.lengths if n]
    total = means[0] * weights[0]
    for mean, weight in zip(means[1:], weights[1:]):
        total = torch.add(total, mean, alpha=weight)
    return total


def _var(one: Kernel, x: Sharded, dim: Any, keepdim: bool, correction: float) -> Any:
    """Compute the variance from the parts' means and variances."""
    dims = dims_of(x, dim)
    if x.axis not in dims:
        return untouched(x, dims, keepdim, lambda p, _: one(p, dims, keepdim, correction))
    count = math.prod(x.shape[d] for d in dims)
    if not count - correction > 0 or not x.numel():
        return NotImplemented
    backend = x.mesh.local.backend
    once = backend.asynchronous and not any(o.row(x.dtype, backend) for o in (red.mean, red.var))

    def both(p: Tensor, dim: tuple[int, ...], keepdim: bool) -> Tensor:
        if once:  # it reads the part once; on CPUs it takes longer than both
            return torch.stack(torch.var_mean(p, dim, correction=0, keepdim=keepdim)[::-1])
        return torch.stack((red.mean(p, dim, keepdim), red.var(p, dim, keepdim, 0.0)))

    factor = count / (count - correction)
    alike = len({n for n in x.lengths if n}) == 1

    def joined(several: Tensor) -> Tensor:
        means, spreads = several.unbind(1)
        if alike:  # half of the steps of the other way
            weight = 1 / len(several)  # before the sum, which might overflow
            off = means - torch.sum(means * weight, 0)
            return torch.sum((off * off + spreads) * (weight * factor), 0)
        middle = mean_of(x, means.unbind())
        return mean_of(x, ((means - middle) ** 2 + spreads).unbind(), factor)

    return combined(x.mesh, partial(both, x, dims, keepdim, lead=[2]), filled(x), joined, lead=1)


def _std(one: Kernel, x: Sharded, dim: Any, keepdim: bool, correction: float) -> Any:
    """Compute the root of the variance."""
    made = _var(one, x, dim, keepdim, correction)
    apart = made is NotImplemented or type(made) is Sharded
    return made if apart else torch.sqrt(made)


def _extremes(one: Callable[..., Any], x: Sharded) -> tuple[Tensor, Tensor]:
    """Return the least and the greatest element, of some."""
    own = [torch.stack(one(p)) if p.numel() else p.new_empty(2) for p in x.parts]
    least, most = x.mesh.transport.stacked(own)[: filled(x)].unbind(1)
    return one(least)[0], one(most)[1]


_WHY: Final = "what the parts give is small, and is all that the result hangs on"

ROWS: Final = by_rules(
    ("sum", _reduced(red.sum), _WHY),
    ("prod", _reduced(red.prod), _WHY),
    ("max", _reduced(red.max), _WHY),
    ("min", _reduced(red.min), _WHY),
    ("all", _reduced(red.all, dt.bool), _WHY),
    ("any", _reduced(red.any, dt.bool), _WHY),
    ("count_nonzero", _reduced(red.sum, dt.int64), _WHY),
    ("extremes", _extremes, _WHY),
    ("mean", _mean, _WHY),
    ("var", _var, _WHY),
    ("std", _std, _WHY),
)
