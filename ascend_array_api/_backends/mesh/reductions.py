"""Reductions on a mesh: first of each part, then of the small results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..._routes import indexing  # noqa: F401  # it makes an operation
from ..._routes import reductions as red
from ..._routes._evidence import Evidence
from ..._routes._operations import OPS
from ..._routes._rows import Row
from ..._routes.movement import concat
from ..._torch import dtypes as dt
from ..._torch import torch
from ._sharded import Sharded, extent
from .gathering import SEEN, ByRule, on_one, ruled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from ..._devices.device import Spec
    from ..._routes._operations import Kernel, Op


def lengths(x: Sharded) -> list[int]:
    """Return the sizes of all parts along the divided axis."""
    size = x.mesh.transport.size
    return [extent(x.shape[x.axis], size, r)[1] for r in range(size)]


def everywhere(x: Sharded, own: Sequence[Tensor]) -> list[Tensor]:
    """Return, in every process, the small results of all parts that are not empty."""
    filled = [t for p, t in zip(x.parts, own) if p.shape[x.axis]]
    shape = (filled or own)[0].shape
    made = x.mesh.transport.exchange(own, [shape] * x.mesh.transport.size)
    return [t for t, n in zip(made, lengths(x)) if n]


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


def partial(one: Kernel, x: Sharded, dims: tuple[int, ...], *, dtype: torch.dtype) -> list[Tensor]:
    """Return the reductions of all ranks' parts that are not empty, with all axes kept."""
    shape = reduced_shape(x, dims, keepdim=True)
    own = [
        one(p, dims, True) if p.shape[x.axis] else p.new_empty(shape, dtype=dtype) for p in x.parts
    ]
    return everywhere(x, own)


@dataclass(frozen=True)
class Reduced:
    """Reduce each part, then the results by another operation."""

    combined: str
    """The name of the other operation."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel of the parts, followed by the kernel of their results."""
        to = {"bool": dt.bool, "other": dt.int64}.get(op.returns, spec.dtype)
        join, last = (on_one(o, spec.of(to)) for o in (concat, OPS[self.combined]))

        def rule(
            one: Kernel, _: list[Sharded], x: Sharded, dim: Any = None, keepdim: bool = False
        ) -> Any:
            dims = dims_of(x, dim)
            made = untouched(one, x, dims, keepdim)
            if made is not None:
                return made
            if not x.shape[x.axis]:
                return one(x.parts[0], dims, keepdim)  # all parts are empty and equal
            several = join(partial(one, x, dims, dtype=to), x.axis)
            return last(several, (x.axis,), True).reshape(reduced_shape(x, dims, keepdim))

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
            means = partial(one, x, dims, dtype=x.dtype)
            return mean_of(x, means).reshape(reduced_shape(x, dims, keepdim))

        return ruled(op, spec, rule)


def mean_of(x: Sharded, means: list[Tensor], factor: float = 1.0) -> Tensor:
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

        def both(p: Tensor, dim: tuple[int, ...]) -> tuple[Tensor, Tensor]:
            if once:  # it reads the part once; on CPUs it takes longer than both
                return torch.var_mean(p, dim, correction=0, keepdim=True)[::-1]
            return mean(p, dim, True), var(p, dim, True, 0.0)

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
            shape = reduced_shape(x, dim, keepdim=True)
            own = [
                torch.stack(both(p, dim)) if p.shape[x.axis] else p.new_empty([2, *shape])
                for p in x.parts
            ]
            several = everywhere(x, own)
            factor = count / (count - correction)
            if len({n for n in lengths(x) if n}) == 1:  # half of the steps of the other way
                means, spreads = torch.stack(several).unbind(1)
                weight = 1 / len(several)  # before the sum, which might overflow
                off = means - torch.sum(means * weight, 0)
                result = torch.sum((off * off + spreads) * (weight * factor), 0)
            else:
                middle = mean_of(x, [t[0] for t in several])
                apart = [(t[0] - middle) ** 2 + t[1] for t in several]
                result = mean_of(x, apart, factor)
            result = result.reshape(reduced_shape(x, dim, keepdim))
            return torch.sqrt(result) if self.root else result

        return ruled(op, spec, rule)


def _extremes(one: Kernel, _: list[Sharded], x: Sharded) -> tuple[Tensor, Tensor]:
    """Return the least and the greatest element, of some."""
    own = [torch.stack(one(p)) if p.numel() else p.new_empty(2) for p in x.parts]
    least, most = torch.stack(everywhere(x, own), 1).unbind()
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
