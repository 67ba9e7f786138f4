"""Products of matrices on a mesh: of rows, of columns, or of parts that are added."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ... import _dtypes as dt
from ..._routes import elementwise as el
from ..._routes import linear_algebra  # noqa: F401  # it makes the operation
from ..._routes._engine import Row
from ..._routes._evidence import Evidence
from ._sharded import Sharded, seen, share
from .gathering import SEEN, on_one, ruled
from .reductions import everywhere

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ..._devices import Spec
    from ..._routes._engine import Kernel, Op

_OTHER: Final = "the other matrix is divided, and each part needs all of it"


@dataclass(frozen=True)
class Multiplied:
    """Multiply the rows or columns of each part, or add what the parts give."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, of parts."""
        add = on_one(el.add, spec)

        def rule(one: Kernel, _: list[Sharded], x1: Tensor, x2: Tensor) -> Any:
            if (
                x1.dim() == 0
                or x2.dim() == 0
                or x1.shape[-1] != x2.shape[-2 if x2.dim() > 1 else 0]
            ):
                return NotImplemented  # one device says what is wrong
            if type(x1) is Sharded and x1.axis < x1.dim() - 1 and x2.dim() <= 2:
                return _by_rows(one, x1, seen(x2, "matmul", _OTHER))
            if type(x2) is Sharded and x2.axis == x2.dim() - 1 > 0 and x1.dim() <= 2:
                return _by_columns(one, seen(x1, "matmul", _OTHER), x2)
            if _within(x1, x1.dim() - 1) and _within(x2, max(x2.dim() - 2, 0)) and x1.shape[-1]:
                return _added(one, add, x1, x2)
            return NotImplemented

        return ruled(op, spec, rule)


def _within(x: Tensor, axis: int) -> bool:
    """Say whether an operand is a vector or matrix, divided if at all along an axis."""
    return x.dim() <= 2 and (type(x) is not Sharded or x.axis == axis)


def _added(one: Kernel, add: Callable[..., Tensor], x1: Tensor, x2: Tensor) -> Tensor:
    """Multiply what each rank has of both, and add that in the order of the ranks."""
    x = x1 if type(x1) is Sharded else x2
    assert type(x) is Sharded
    own = []
    for i, rank in enumerate(x.mesh.transport.ranks):
        left, right = (
            t.parts[i] if type(t) is Sharded else share(t, axis, x.mesh, rank)
            for t, axis in ((x1, x1.dim() - 1), (x2, max(x2.dim() - 2, 0)))
        )
        own.append(one(left, right))
    return functools.reduce(add, everywhere(x, own))


def _by_rows(one: Kernel, x1: Sharded, x2: Tensor) -> Sharded:
    shape = (*x1.shape[:-1], *x2.shape[1:])
    return Sharded([one(p, x2) for p in x1.parts], x1.axis, x1.mesh, shape)


def _by_columns(one: Kernel, x1: Tensor, x2: Sharded) -> Sharded:
    shape = (*x2.shape[:-2], *x1.shape[:-1], x2.shape[-1])
    return Sharded([one(x1, p) for p in x2.parts], len(shape) - 1, x2.mesh, shape)


ROWS: Final = [
    Row(
        "matmul",
        dt.NUMERIC,
        Multiplied(),
        "no rule serves for how these two matrices are divided",
        Evidence(SEEN, "absent"),
    ),
]
