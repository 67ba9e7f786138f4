"""Decompositions of a tall matrix: first of each part, then of the small factors together.

Let ``A_r = Q_r R_r`` for the rows ``A_r`` of each rank, and let ``Q R`` be the decomposition of all
``R_r`` stacked.  Each rank multiplies ``Q_r`` by its own rows of ``Q``.  The products are the rows
of an orthogonal matrix, whose product with ``R`` is ``A``.  Only the small ``R_r`` are exchanged.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from ..._routes import linear_algebra as la
from ..._routes._kernels import Kernel
from ..._routes._operations import OPS
from ..._routes._rows import Row
from ..._torch import Tensor
from ._dispatch import EVIDENCE, ByRule
from ._sharded import Sharded, as_divided, found, seen, together, turned
from .along import FAILING_STACKS, attempted
from .products import on_stacks


def _is_tall(x: Sharded) -> bool:
    """Say whether each rank's part has at least as many rows as columns."""
    rows, columns = x.shape[-2:]
    return rows >= columns * x.mesh.size and columns > 0


def _tall(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return the rule to decompose a matrix with many rows, or columns, or each stack by itself."""

    @functools.wraps(rule)
    def or_stacked(one: Kernel, *given: Any, **options: Any) -> Any:
        x = given[0]
        if type(x) is Sharded and x.axis >= x.dim() - 2:
            made = rule(one, *given, **options)
            if made is not NotImplemented:
                return made
        return FAILING_STACKS(one, *given, **options)

    return or_stacked


def _split(x: Sharded) -> tuple[list[Tensor], Tensor]:
    """Return the rows of the orthogonal factor for each part, and the small factor."""
    x = turned(x, x.dim() - 2)
    mesh, columns = x.mesh, x.shape[-1]
    counts = [min(n, columns) for n in x.lengths]
    own: list[Any] = [la.qr(p, "reduced") for p in x.parts]
    # 0, or NaN for a part that is not finite: then all results become NaN, in every process.
    small = [r + (p * 0).sum((-2, -1), keepdim=True) for p, (_, r) in zip(x.parts, own)]
    shapes = [(*x.shape[:-2], n, columns) for n in counts]
    q, r = la.qr(together(mesh.transport.exchange(small, shapes), -2), "reduced")
    blocks = q.split(counts, -2)
    return [la.matmul(p, blocks[k]) for (p, _), k in zip(own, mesh.ranks)], r


def _laid(rows: list[Tensor], x: Sharded) -> Sharded:
    """Return the rows of all parts as a matrix divided by rows."""
    shape = (*x.shape[:-1], rows[0].shape[-1])
    return Sharded(rows, x.dim() - 2, x.mesh, shape)


def _adjoint(x: Sharded) -> Sharded:
    parts = [p.mH.resolve_conj() for p in x.parts]
    axis = {x.dim() - 2: x.dim() - 1, x.dim() - 1: x.dim() - 2}.get(x.axis, x.axis)
    return Sharded(parts, axis, x.mesh, (*x.shape[:-2], x.shape[-1], x.shape[-2]))


def _qr(_: Kernel, x: Sharded, mode: str) -> Any:
    if not _is_tall(x) or (mode == "complete" and x.shape[-2] != x.shape[-1]):
        return NotImplemented
    rows, r = _split(x)
    return _laid(rows, x), r


def _svd(one: Kernel, x: Sharded, *, full_matrices: bool) -> Any:
    if full_matrices and x.shape[-2] != x.shape[-1]:
        return NotImplemented
    if _is_tall(x):
        rows, r = _split(x)
        u, values, right = one(r, full_matrices=False)
        return _laid([la.matmul(p, u) for p in rows], x), values, right
    turned_over = _adjoint(x)
    if not _is_tall(turned_over):
        return NotImplemented
    left, values, right = _svd(one, turned_over, full_matrices=False)
    return right.mH.resolve_conj(), values, _adjoint(left)


def _svdvals(one: Kernel, x: Sharded) -> Any:
    tall = next((t for t in (x, _adjoint(x)) if _is_tall(t)), None)
    return NotImplemented if tall is None else one(_split(tall)[1])


def _thin(x: Sharded) -> bool:
    return _is_tall(x) or _is_tall(_adjoint(x))


def _lstsq(_: Kernel, x1: Sharded, x2: Tensor, *, rcond: float) -> Any:
    return la.lstsq_of_factors(x1, x2, rcond) if _thin(x1) else NotImplemented


def _pinv(_: Kernel, x: Sharded, rtol: Tensor) -> Any:
    return la.pinv_of_factors(x, rtol) if _thin(x) else NotImplemented


def _matrix_rank(_: Kernel, x: Sharded, rtol: Tensor) -> Any:
    return la.rank_of_values(la.svdvals(x), rtol) if _thin(x) else NotImplemented


_MATRIX: Final = "each right-hand side needs all of the matrix"


def _solve(one: Kernel, x1: Tensor, x2: Tensor) -> Any:
    """Solve for each part's right-hand sides, or with each part's matrices."""
    divided = found((x1, x2))
    if all(t.axis < t.dim() - 2 for t in divided):
        several: list[tuple[Tensor, ...]] = []

        def held(*own: Tensor) -> Tensor:
            several.append(own)
            return own[1]

        shaped = on_stacks(held, (x1, x2), "solve")
        if shaped is None:
            return NotImplemented
        made = attempted(divided[0], lambda i: one(*several[i]))
        return NotImplemented if made is None else as_divided(shaped, made)
    if type(x2) is not Sharded or x2.axis != x2.dim() - 1 or x1.dim() != 2 or x2.dim() != 2:
        return NotImplemented
    matrix, sides = seen(x1, "solve", _MATRIX), x2.parts
    made = attempted(x2, lambda i: one(matrix, sides[i]))
    return NotImplemented if made is None else x2.with_parts(made)


_NOT_TALL: Final = "of a matrix that is not tall, each number of the result hangs on all"

ROWS: Final = [
    Row(name, OPS[name].dtypes, ByRule(rule), why, EVIDENCE)
    for name, rule, why in (
        ("qr", _tall(_qr), _NOT_TALL),
        ("svd", _tall(_svd), _NOT_TALL),
        ("svdvals", _tall(_svdvals), _NOT_TALL),
        ("lstsq", _tall(_lstsq), _NOT_TALL),
        ("pinv", _tall(_pinv), _NOT_TALL),
        ("matrix_rank", _tall(_matrix_rank), _NOT_TALL),
        ("solve", _solve, _MATRIX),
    )
]
