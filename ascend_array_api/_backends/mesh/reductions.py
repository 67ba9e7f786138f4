"""Reductions on a mesh: first of each part, then of the small results."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..._routes import indexing  # noqa: F401  # it makes an operation
from ..._routes import reductions as red
from ..._routes._evidence import Evidence
from ..._routes._operations import OPS, Op
from ..._routes._rows import Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ._moves import as_bits, together
from ._sharded import Sharded, extent
from .gathering import SEEN, ByRule, on_one, ruled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..._devices.device import Spec
    from ..._routes._kernels import Kernel
    from ._mesh import Mesh


def lengths(x: Sharded) -> list[int]:
    """Return the sizes of all parts along the divided axis."""
    size = x.mesh.transport.size
    return [extent(x.shape[x.axis], size, r)[1] for r in range(size)]


def filled(x: Sharded) -> int:
    """Return how many parts are not empty: these come first."""
    most = extent(x.shape[x.axis], x.mesh.transport.size, 0)[1]
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
    size, shape = transport.size, like.shape[lead:]
    if like.nbytes * (size - 1) < LARGE:
        return join(transport.stacked(own)[:count])
    if (
        weights is not None
        and like.dtype in transport.adds
        and not torch.are_deterministic_algorithms_enabled()
    ):
        for t, r in zip(own, transport.ranks):
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


def in_order(add: Kernel) -> Callable[[Tensor], Tensor]:
    """Return the function that adds results up, one after the other."""
    return lambda several: functools.reduce(add, several.unbind())


def dims_of(x: Tensor, dim: Any) -> tuple[int, ...]:
    """Return the axes to reduce, as non-negative numbers."""
    if dim is None or dim == ():
        return tuple(range(x.dim()))
    return tuple(d % x.dim() for d in ((dim,) if isinstance(dim, int) else dim))


def untouched(
    one: Kernel, x: Sharded, dims: tuple[int, ...], keepdim: bool, *rest: Any
) -> Sharded | None:
    """Reduce each part over other axes than the divided one; None if that one is among them."""
    if x.axis in dims:
        return None
    shape = reduced_shape(x, dims, keepdim)
    axis = x.axis if keepdim else x.axis - sum(d < x.axis for d in dims)
    return Sharded([one(p, dims, keepdim, *rest) for p in x.parts], axis, x.mesh, shape)


def reduced_shape(x: Tensor, dims: tuple[int, ...], keepdim: bool) -> list[int]:
    """Return the shape of a reduced tensor."""
    if keepdim:
        return [1 if d in dims else n for d, n in enumerate(x.shape)]
    return [n for d, n in enumerate(x.shape) if d not in dims]


def partial(
    one: Kernel, x: Sharded, dims: tuple[int, ...], keepdim: bool, *, dtype: torch.dtype
) -> list[Tensor]:
    """Return the reductions of this process's parts; of an empty one there is none."""
    shape = reduced_shape(x, dims, keepdim)
    return [
        one(p, dims, keepdim) if p.shape[x.axis] else p.new_empty(shape, dtype=dtype)
        for p in x.parts
    ]


@dataclass(frozen=True)
class Reduced:
    """Reduce each part, then the results by another operation."""

    combined: str
    """The name of the other operation."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel of the parts, followed by the kernel of their results."""
        to = {"bool": dt.bool, "other": dt.int64}.get(op.returns, spec.dtype)
        last = on_one(OPS[self.combined], spec.of(to))

        def rule(
            one: Kernel, _: list[Sharded], x: Sharded, dim: Any = None, keepdim: bool = False
        ) -> Any:
            dims = dims_of(x, dim)
            made = untouched(one, x, dims, keepdim)
            if made is not None:
                return made
            if not x.shape[x.axis]:
                return one(x.parts[0], dims, keepdim)  # all parts are empty and equal
            own = partial(one, x, dims, keepdim, dtype=to)
            return combined(
                x.mesh,
                own,
                filled(x),
                lambda several: last(several, (0,), False),
                weights=() if self.combined == "sum" else None,
            )

        return ruled(op, spec, rule)


@dataclass(frozen=True)
class Averaged:
    """Average the parts' means, weighted by their sizes."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel of the parts, followed by the average."""

        def rule(
            one: Kernel, _: list[Sharded], x: Sharded, dim: Any = None, keepdim: bool = False
        ) -> Any:
            dims = dims_of(x, dim)
            made = untouched(one, x, dims, keepdim)
            if made is not None:
                return made
            if not x.numel():
                return NotImplemented
            own = partial(one, x, dims, keepdim, dtype=x.dtype)
            weights = [n / x.shape[x.axis] for n in lengths(x)]
            return combined(
                x.mesh,
                own,
                filled(x),
                lambda several: mean_of(x, several.unbind()),
                weights=weights,
            )

        return ruled(op, spec, rule)


def mean_of(x: Sharded, means: Sequence[Tensor], factor: float = 1.0) -> Tensor:
    """Return the mean of the parts' means, times a factor."""
    weights = [n / x.shape[x.axis] * factor for n in lengths(x) if n]
    total = means[0] * weights[0]
    for mean, weight in zip(means[1:], weights[1:]):
        total = torch.add(total, mean, alpha=weight)
    return total


@dataclass(frozen=True)
class Spread:
    """Compute the variance, or its root, from the parts' means and variances."""

    root: bool

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel of the parts, followed by the combination of their results."""
        mean, var = on_one(red.mean, spec), on_one(red.var, spec)
        local = spec.device.local
        once = local.backend.late and not any(
            o.row(spec.dtype, local.type) for o in (red.mean, red.var)
        )

        def both(p: Tensor, dim: tuple[int, ...], keepdim: bool) -> tuple[Tensor, Tensor]:
            if once:  # it reads the part once; on CPUs it takes longer than both
                return torch.var_mean(p, dim, correction=0, keepdim=keepdim)[::-1]
            return mean(p, dim, keepdim), var(p, dim, keepdim, 0.0)

        def rule(
            one: Kernel,
            _: list[Sharded],
            x: Sharded,
            dim: tuple[int, ...],
            keepdim: bool,
            correction: float,
        ) -> Any:
            dim = dims_of(x, dim)
            made = untouched(one, x, dim, keepdim, correction)
            if made is not None:
                return made
            count = math.prod(x.shape[d] for d in dim)
            if not count - correction > 0 or not x.numel():
                return NotImplemented
            shape = reduced_shape(x, dim, keepdim)
            own = [
                torch.stack(both(p, dim, keepdim)) if p.shape[x.axis] else p.new_empty([2, *shape])
                for p in x.parts
            ]
            factor = count / (count - correction)
            alike = len({n for n in lengths(x) if n}) == 1

            def joined(several: Tensor) -> Tensor:
                means, spreads = several.unbind(1)
                if alike:  # half of the steps of the other way
                    weight = 1 / len(several)  # before the sum, which might overflow
                    off = means - torch.sum(means * weight, 0)
                    return torch.sum((off * off + spreads) * (weight * factor), 0)
                middle = mean_of(x, means.unbind())
                return mean_of(x, ((means - middle) ** 2 + spreads).unbind(), factor)

            result = combined(x.mesh, own, filled(x), joined, lead=1)
            return torch.sqrt(result) if self.root else result

        return ruled(op, spec, rule)


def _extremes(one: Kernel, _: list[Sharded], x: Sharded) -> tuple[Tensor, Tensor]:
    """Return the least and the greatest element, of some."""
    own = [torch.stack(one(p)) if p.numel() else p.new_empty(2) for p in x.parts]
    least, most = x.mesh.transport.stacked(own)[: filled(x)].unbind(1)
    return one(least)[0], one(most)[1]


_WHY: Final = "what the parts give is small, and is all that the result hangs on"
_EVIDENCE: Final = Evidence(SEEN, "absent")

ROWS: Final = [
    *(
        Row(name, OPS[name].dtypes, Reduced(name), _WHY, _EVIDENCE)
        for name in ("sum", "prod", "max", "min", "all", "any")
    ),
    Row("count_nonzero", OPS["count_nonzero"].dtypes, Reduced("sum"), _WHY, _EVIDENCE),
    Row("extremes", OPS["extremes"].dtypes, ByRule(_extremes), _WHY, _EVIDENCE),
    Row("mean", dt.FLOATING, Averaged(), _WHY, _EVIDENCE),
    Row("var", dt.REAL_FLOATING, Spread(root=False), _WHY, _EVIDENCE),
    Row("std", dt.REAL_FLOATING, Spread(root=True), _WHY, _EVIDENCE),
]
