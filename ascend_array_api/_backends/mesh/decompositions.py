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
from ..._torch import Tensor
from ._dispatch import by_rules
from ._sharded import Aligned, Sharded, as_divided, found, joined_whole, seen, turned
from .along import FAILING_STACKS, attempted


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
    q, r = la.qr(joined_whole(mesh, small, -2, counts), "reduced")
    blocks = q.split(counts, -2)
    return [la.matmul(p, blocks[k]) for (p, _), k in zip(own, mesh.ranks)], r


def _laid(rows: list[Tensor], x: Sharded) -> Sharded:
    """Return the rows of all parts as a matrix divided by rows."""
    shape = (*x.shape[:-1], rows[0].shape[-1])
    return Sharded(rows, x.dim() - 2, x.mesh, shape)


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
    turned_over: Any = x.mH
    if not _is_tall(turned_over):
        return NotImplemented
    left, values, right = _svd(one, turned_over, full_matrices=False)
    return right.mH.resolve_conj(), values, left.mH


def _svdvals(one: Kernel, x: Sharded) -> Any:
    tall: Any = x if _is_tall(x) else x.mH
    return one(_split(tall)[1]) if _is_tall(tall) else NotImplemented


def _thin(x: Sharded) -> bool:
    less, more = sorted(x.shape[-2:])
    return more >= less * x.mesh.size and less > 0


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
        stacks = Aligned("solve", (x1, x2), {}, core=2)
        if stacks.axis is None:
            return NotImplemented
        own = stacks.run(lambda *given: given)
        made = attempted(stacks.like, lambda i: one(*own[i]))
        return NotImplemented if made is None else as_divided(stacks.like, made, stacks.axis)
    if type(x2) is not Sharded or x2.axis != x2.dim() - 1 or x1.dim() != 2 or x2.dim() != 2:
        return NotImplemented
    matrix, sides = seen(x1, "solve", _MATRIX), x2.parts
    made = attempted(x2, lambda i: one(matrix, sides[i]))
    return NotImplemented if made is None else x2.with_parts(made)


_NOT_TALL: Final = "of a matrix that is not tall, each number of the result hangs on all"

ROWS: Final = by_rules(
    ("qr", _tall(_qr), _NOT_TALL),
    ("svd", _tall(_svd), _NOT_TALL),
    ("svdvals", _tall(_svdvals), _NOT_TALL),
    ("lstsq", _tall(_lstsq), _NOT_TALL),
    ("pinv", _tall(_pinv), _NOT_TALL),
    ("matrix_rank", _tall(_matrix_rank), _NOT_TALL),
    ("solve", _solve, _MATRIX),
)
