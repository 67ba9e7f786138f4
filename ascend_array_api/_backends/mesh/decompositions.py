"""Decompositions of a tall matrix: first of each part, then of the small factors together.

Let ``A_r = Q_r R_r`` for the rows ``A_r`` of each rank, and let ``Q R`` be the decomposition of all
``R_r`` stacked.  Each rank multiplies ``Q_r`` by its own rows of ``Q``.  The products are the rows
of an orthogonal matrix, whose product with ``R`` is ``A``.  Only the small ``R_r`` are exchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..._devices.device import Spec
from ..._routes import linear_algebra as la
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS, Op
from ..._routes._rows import Row
from ..._torch import Tensor
from ._moves import together
from ._sharded import Sharded, as_divided, extent, seen, turned
from .along import Apart, attempted
from .gathering import SEEN, on_one, ruled
from .products import on_stacks

_STACKED: Final = Apart(lambda *_, **__: (-2, -1), fails=True)


def _is_tall(x: Sharded) -> bool:
    """Say whether each rank's part has at least as many rows as columns."""
    rows, columns = x.shape[-2:]
    return rows >= columns * x.mesh.transport.size and columns > 0


class Tall:
    """Decompose a matrix with many rows, or columns, by its parts, or each stack by itself.

    Parameters
    ----------
    follow : callable
        Returns the rule.  It takes the decomposition into orthogonal rows and a small matrix, the
        kernels for one device and the kernels of the mesh.
    """

    def __init__(self, follow: Callable[[_Parts], Callable[..., Any]]) -> None:
        self.follow = follow

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""
        rule = self.follow(_Parts(spec))

        def or_stacked(one: Kernel, divided: list[Sharded], *given: Any, **options: Any) -> Any:
            x = given[0]
            if type(x) is Sharded and x.axis >= x.dim() - 2:
                made = rule(one, *given, **options)
                if made is not NotImplemented:
                    return made
            return _STACKED.rule(one, divided, *given, **options)

        return ruled(op, spec, or_stacked)


class _Parts:
    """The kernels that factor a tall matrix by parts."""

    def __init__(self, spec: Spec) -> None:
        self.qr, self.multiply = on_one(la.qr, spec), on_one(la.matmul, spec)
        self.spec = spec

    def split(self, x: Sharded) -> tuple[list[Tensor], Tensor]:
        """Return the rows of the orthogonal factor for each part, and the small factor."""
        x = turned(x, x.dim() - 2)
        mesh, size, columns = x.mesh, x.mesh.transport.size, x.shape[-1]
        counts = [min(extent(x.shape[-2], size, r)[1], columns) for r in range(size)]
        own = [self.qr(p, "reduced") for p in x.parts]
        # 0, or NaN for a part that is not finite: then all results become NaN, in every process.
        small = [r + (p * 0).sum((-2, -1), keepdim=True) for p, (_, r) in zip(x.parts, own)]
        shapes = [(*x.shape[:-2], n, columns) for n in counts]
        q, r = self.qr(together(mesh.transport.exchange(small, shapes), -2), "reduced")
        blocks = q.split(counts, -2)
        rows = [self.multiply(p, blocks[k]) for (p, _), k in zip(own, mesh.transport.ranks)]
        return rows, r

    def laid(self, rows: list[Tensor], x: Sharded) -> Sharded:
        """Return the rows of all parts as a matrix divided by rows."""
        shape = (*x.shape[:-1], rows[0].shape[-1])
        return Sharded(rows, x.dim() - 2, x.mesh, shape)


def _adjoint(x: Sharded) -> Sharded:
    parts = [p.mH.resolve_conj() for p in x.parts]
    axis = {x.dim() - 2: x.dim() - 1, x.dim() - 1: x.dim() - 2}.get(x.axis, x.axis)
    return Sharded(parts, axis, x.mesh, (*x.shape[:-2], x.shape[-1], x.shape[-2]))


def _qr(by: _Parts) -> Callable[..., Any]:
    def rule(_: Kernel, x: Sharded, mode: str) -> Any:
        if not _is_tall(x) or (mode == "complete" and x.shape[-2] != x.shape[-1]):
            return NotImplemented
        rows, r = by.split(x)
        return by.laid(rows, x), r

    return rule


def _svd(by: _Parts) -> Callable[..., Any]:
    def rule(one: Kernel, x: Sharded, *, full_matrices: bool) -> Any:
        if full_matrices and x.shape[-2] != x.shape[-1]:
            return NotImplemented
        if _is_tall(x):
            rows, r = by.split(x)
            u, values, right = one(r, full_matrices=False)
            return by.laid([by.multiply(p, u) for p in rows], x), values, right
        turned_over = _adjoint(x)
        if not _is_tall(turned_over):
            return NotImplemented
        left, values, right = rule(one, turned_over, full_matrices=False)
        return right.mH.resolve_conj(), values, _adjoint(left)

    return rule


def _svdvals(by: _Parts) -> Callable[..., Any]:
    def rule(one: Kernel, x: Sharded) -> Any:
        tall = next((t for t in (x, _adjoint(x)) if _is_tall(t)), None)
        return NotImplemented if tall is None else one(by.split(tall)[1])

    return rule


def _thin(x: Any) -> bool:
    return type(x) is Sharded and (_is_tall(x) or _is_tall(_adjoint(x)))


def _lstsq(_by: _Parts) -> Callable[..., Any]:
    def rule(_: Kernel, x1: Sharded, x2: Tensor, *, rcond: float) -> Any:
        if not _thin(x1):
            return NotImplemented
        return la.lstsq_of_factors(x1, x2, rcond)

    return rule


def _pinv(_by: _Parts) -> Callable[..., Any]:
    def rule(_: Kernel, x: Sharded, rtol: Tensor) -> Any:
        return la.pinv_of_factors(x, rtol) if _thin(x) else NotImplemented

    return rule


def _matrix_rank(by: _Parts) -> Callable[..., Any]:
    def rule(_: Kernel, x: Sharded, rtol: Tensor) -> Any:
        if not _thin(x):
            return NotImplemented
        return la.rank_of_values(la.svdvals.on(by.spec)(x), rtol)

    return rule


_MATRIX: Final = "each right-hand side needs all of the matrix"


class Solved:
    """Solve for each part's right-hand sides, or with each part's matrices."""

    def kernel(self, op: Op, spec: Spec) -> Kernel:
        """Return the kernel for one device, called with parts."""

        def rule(one: Kernel, divided: list[Sharded], x1: Tensor, x2: Tensor) -> Any:
            if all(t.axis < t.dim() - 2 for t in divided):
                return _on_stacks(one, divided, x1, x2)
            if type(x2) is Sharded and x2.axis == x2.dim() - 1 and x1.dim() == x2.dim() == 2:
                matrix = seen(x1, "solve", _MATRIX)
                sides = x2
                made = attempted(sides, lambda i: one(matrix, sides.parts[i]))
                return NotImplemented if made is None else sides.with_parts(made)
            return NotImplemented

        return ruled(op, spec, rule)


def _on_stacks(one: Kernel, divided: list[Sharded], x1: Tensor, x2: Tensor) -> Any:
    several: list[tuple[Tensor, ...]] = []

    def held(*own: Tensor) -> Tensor:
        several.append(own)
        return own[1]

    shaped = on_stacks(held, (x1, x2), "solve")
    if shaped is None:
        return NotImplemented
    made = attempted(divided[0], lambda i: one(*several[i]))
    return NotImplemented if made is None else as_divided(shaped, made)


_EVIDENCE: Final = Evidence(SEEN, "absent")
_NOT_TALL: Final = "of a matrix that is not tall, each number of the result hangs on all"

ROWS: Final = [
    *(
        Row(name, OPS[name].dtypes, Tall(follow), _NOT_TALL, _EVIDENCE)
        for name, follow in (
            ("qr", _qr),
            ("svd", _svd),
            ("svdvals", _svdvals),
            ("lstsq", _lstsq),
            ("pinv", _pinv),
            ("matrix_rank", _matrix_rank),
        )
    ),
    Row("solve", OPS["solve"].dtypes, Solved(), _MATRIX, _EVIDENCE),
]
