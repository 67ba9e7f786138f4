"""Products of matrices and vectors, and norms, on the CPU.

Torch and its libraries add up the terms of a product or norm in few running sums, one after the
other, so the error grows with the length.  Here a long sum is a sum of blocks.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from ..._devices.device import spec_of
from ..._devices.facts import mkl, torch_before
from ..._routes import linear_algebra as la
from ..._routes._derivatives import tracked
from ..._routes._dimensions import other_axes
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import cast
from ..._routes._rows import Compose, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.tracing import is_known
from ._numpy import CHEAP, alike, few_threads, in_pieces, many

BLOCK: Final = 512
"""The number of terms that are added up one after the other.

The worst are equal terms, whose rounding errors have one sign: they err by some 60 eps.
"""

SHORT: Final = 2 * BLOCK
"""Up to this number of terms, blocks do not pay; equal terms err by some 120 eps."""

RUN: Final = 2048
"""The same number for NumPy's scalar products, which have 16 running sums."""

LARGE: Final = 1 << 15
"""The same number for products of large matrices, for which the libraries form blocks themselves.

The sums of half precision are of float32, so that they may be as long.
"""

_THIN: Final = 32
"""With fewer rows or columns, the libraries form no blocks."""

# --- products of matrices -------------------------------------------------------------------------


def _by_blocks(multiply: Kernel) -> Kernel:
    """Return the product of matrices whose long sums are sums of blocks.

    The derivative by an operand sums over the rows or columns of the other one.  If it will be
    asked for, rows and columns are divided as well, and torch differentiates the product of parts.
    """

    def product_by_blocks(x1: Tensor, x2: Tensor) -> Tensor:
        if is_known(x1.numel() <= SHORT) and is_known(x2.numel() <= SHORT):
            return multiply(x1, x2)
        if x1.dim() and is_known(x1.shape[-1] <= SHORT) and not tracked(x1, x2):
            return multiply(x1, x2)
        inner = x1.shape[-1] if x1.dim() else 0
        if not inner or not x2.dim() or x2.shape[max(x2.dim() - 2, 0)] != inner:
            return multiply(x1, x2)
        # One matrix of all rows, if the other operand is not a stack.
        rows = x1.numel() // inner if x2.dim() < 3 else x1.shape[-2] if x1.dim() > 1 else 1
        columns = x2.numel() // inner if x1.dim() < 3 else x2.shape[-1] if x2.dim() > 1 else 1
        block = _block(rows, columns, x1.dtype)
        divided = _is_long(inner, rows, columns, x1.dtype)
        turned = rows > columns
        if not divided:
            sizes = (rows, columns, inner), (columns, rows, inner)
            followed = tracked(x1, x2)
            if followed and x1.dim() > 2 < x2.dim() and x1.shape[:-2] != x2.shape[:-2]:
                return _of_stacks(x1, x2)
            if not (followed and any(_is_long(*s, x1.dtype) for s in sizes)):
                return multiply(x1, x2)
        if x1.dtype in dt.HALF:
            return cast(product_by_blocks(cast(x1, dt.float32), cast(x2, dt.float32)), x1.dtype)
        if x1.dim() == x2.dim() == 1:
            return _vecdot(torch.conj_physical(x1), x2, -1)
        if x1.dim() == 1:
            return product_by_blocks(x1.unsqueeze(0), x2).squeeze(-2)
        if x2.dim() == 1:
            return product_by_blocks(x1, x2.unsqueeze(-1)).squeeze(-1)
        if x1.dim() > 2 == x2.dim():
            return torch.unflatten(product_by_blocks(x1.flatten(0, -2), x2), 0, x1.shape[:-1])
        if turned:  # the libraries are fast with few rows
            return product_by_blocks(x2.mT, x1.mT).mT.contiguous()
        if not divided:
            if x1.dim() == 2 < x2.dim():
                return product_by_blocks(x1.unsqueeze(0), x2)
            block = _block(rows, inner, x1.dtype)
            whole = columns // block * block
            right = torch.unflatten(x2.narrow(-1, 0, whole), -1, (-1, block)).transpose(-3, -2)
            product = product_by_blocks(x1.unsqueeze(-3), right).transpose(-3, -2).flatten(-2)
            if whole == columns:
                return product
            last = product_by_blocks(x1, x2.narrow(-1, whole, columns - whole))
            return torch.cat((product, last), -1)
        whole = inner // block * block
        left = torch.unflatten(x1.narrow(-1, 0, whole), -1, (-1, block)).transpose(-3, -2)
        right = torch.unflatten(x2.narrow(-2, 0, whole), -2, (-1, block))
        total = torch.sum(product_by_blocks(left, right), -3)
        if whole == inner:
            return total
        rest = inner - whole
        return total + product_by_blocks(x1.narrow(-1, whole, rest), x2.narrow(-2, whole, rest))

    return product_by_blocks


def _of_stacks(x1: Tensor, x2: Tensor) -> Tensor:
    """Return the product of stacks of matrices; ``torch.matmul`` would join a stack to one matrix.

    Then the derivative by the other operand is one long sum.
    """
    stack = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])  # type: ignore[no-untyped-call]
    left, right = (x.expand(*stack, *x.shape[-2:]).flatten(0, -3) for x in (x1, x2))
    return torch.unflatten(torch.bmm(left, right), 0, stack)


def _block(rows: int, columns: int, dtype: torch.dtype) -> int:
    """Return the number of terms of a block for a product of so many rows and columns."""
    return BLOCK if min(rows, columns) < _THIN and dtype not in dt.HALF else LARGE


def _is_long(inner: int, rows: int, columns: int, dtype: torch.dtype) -> bool:
    return is_known(inner > 2 * _block(rows, columns, dtype))


# --- products of vectors --------------------------------------------------------------------------


def _vecdot(x1: Tensor, x2: Tensor, axis: int) -> Tensor:
    length = x1.shape[axis]
    last = axis in {-1, x1.dim() - 1} and x1.is_contiguous() and x2.is_contiguous()
    fast = last and many(x1) and alike(x1, x2) and few_threads()
    if not (fast and hasattr(np, "vecdot")):
        if x1.dim() == x2.dim() == 1 and not is_known(length <= SHORT):
            return la.vecdot_summed(x1, x2, axis)
        return la.vecdot.native(x1, x2, axis)
    operands = [x.numpy().reshape(-1, length) for x in (x1, x2)]
    run = RUN if length > 2 * RUN else length
    whole = length // run * run
    a, b = (v[:, :whole].reshape(len(v), -1, run) for v in operands)
    out = np.empty(a.shape[:2], a.dtype)

    def compute(result: Any, a: Any, b: Any) -> None:
        with np.errstate(all="ignore"):
            np.vecdot(a, b, out=result)

    if len(a) == 1:
        in_pieces(compute, out[0], a[0], b[0], grain=max(1, CHEAP // run))
    else:
        in_pieces(compute, out, a, b, grain=max(1, CHEAP // run))
    total = torch.sum(torch.from_numpy(out), 1) if whole > run else torch.from_numpy(out[:, 0])
    if whole < length:
        rest = np.empty(len(a), a.dtype)
        compute(rest, *(v[:, whole:] for v in operands))
        total = total.add_(torch.from_numpy(rest))
    return total.view(x1.shape[:-1])


# --- norms ----------------------------------------------------------------------------------------


def _vector_norm(x: Tensor, ord: float, axes: tuple[int, ...], *, keepdims: bool) -> Tensor:
    if is_known(x.numel() <= SHORT) or ord == 0 or math.isinf(ord) or not x.numel():
        return _native_norm(x, ord, axes, keepdims=keepdims)
    if tracked(x) or torch.compiler.is_compiling():
        return _summed_norm(x, ord, axes, keepdims=keepdims)
    norms = _norm_of_norms(x, ord, axes)
    if not keepdims:
        norms = norms.reshape([norms.shape[i] for i in other_axes(norms.dim(), axes)])
    return cast(norms, dt.REAL_OF.get(x.dtype, x.dtype))


def _native_norm(x: Tensor, ord: float, axes: tuple[int, ...], *, keepdims: bool) -> Tensor:
    norm: Tensor
    if ord == 2 and x.is_complex() and x.numel():
        parts = torch.view_as_real(x.resolve_conj())
        norm = torch.linalg.vector_norm(parts, 2, (*axes, x.dim()), keepdim=keepdims)
        return norm.squeeze(-1) if keepdims else norm
    norm = la.vector_norm.native(x, ord, None if len(axes) == x.dim() else axes, keepdims=keepdims)
    return norm


def _summed_norm(x: Tensor, ord: float, axes: tuple[int, ...], *, keepdims: bool) -> Tensor:
    """Return the norm in the steps of its definition, which torch can differentiate twice.

    The derivative at 0 is 0, as that of torch's own norm.
    """
    wide = cast(x, dt.float32) if x.dtype in dt.HALF else x
    if ord == 2:
        powers = wide * wide if not x.is_complex() else wide.real**2 + wide.imag**2
    else:
        powers = _power(torch.abs(wide), ord)
    total = torch.sum(powers, axes, keepdims)
    return cast(_power(total, 1 / ord), dt.REAL_OF.get(x.dtype, x.dtype))


def _power(x: Tensor, order: float) -> Tensor:
    """Return powers of sizes; the derivative at 0 is 0, and not infinite."""
    if order >= 1:
        return x if order == 1 else torch.pow(x, order)
    zero = x == 0
    powers = torch.pow(torch.where(zero, 1.0, x), order)
    return torch.where(zero, math.inf if order < 0 else 0.0, powers)


def _norm_of_norms(x: Tensor, ord: float, axes: tuple[int, ...]) -> Tensor:
    """Return the norm of the norms of blocks; the axes stay."""
    if ord == 2 and x.is_complex():
        parts = torch.view_as_real(x.resolve_conj())
        return _norm_of_norms(parts, ord, (*axes, x.dim())).squeeze(-1)
    first, count = min(axes, default=0), len(axes)
    if count > 1 and x.is_contiguous() and max(axes) - first == count - 1:
        merged = x.flatten(first, first + count - 1)
        return torch.unflatten(_norm_of_norms(merged, ord, (first,)), first, (1,) * count)
    for axis in sorted(axes, key=lambda i: -x.shape[i]):
        x = _norm_along(x, ord, axis)
    return x if axes else torch.linalg.vector_norm(x, ord, ())


def _norm_along(x: Tensor, ord: float, axis: int) -> Tensor:
    wide = dt.float32 if x.dtype in dt.HALF else None
    length = x.shape[axis]
    if length <= SHORT:
        norms: Tensor = torch.linalg.vector_norm(x, ord, axis, keepdim=True, dtype=wide)
        return norms
    whole = length // BLOCK * BLOCK
    blocks = torch.unflatten(x.narrow(axis, 0, whole), axis, (-1, BLOCK))
    norms = torch.linalg.vector_norm(blocks, ord, axis + 1, dtype=wide)
    if whole < length:
        rest = x.narrow(axis, whole, length - whole)
        last = torch.linalg.vector_norm(rest, ord, axis, keepdim=True, dtype=wide)
        norms = torch.cat((norms, last), axis)
    return _norm_along(norms, ord, axis)


def _matrix_norm(x: Tensor, ord: float | str, *, keepdims: bool) -> Any:
    if is_known(x.numel() <= SHORT) or 0 in x.shape or ord in {2, -2, "nuc"}:
        return la.matrix_norm.native(x, ord, keepdims=keepdims)
    rows, columns = x.dim() - 2, x.dim() - 1
    norm = la.vector_norm.on(spec_of(x))
    if ord == "fro":
        return norm(x, 2, (rows, columns), keepdims=keepdims)
    assert not isinstance(ord, str)
    sums = norm(x, 1, (rows if abs(ord) == 1 else columns,), keepdims=True)
    return (torch.amax if ord > 0 else torch.amin)(sums, (rows, columns), keepdim=keepdims)


# --- rows -----------------------------------------------------------------------------------------

_WIDE: Final = frozenset({dt.float32, dt.float64})
_SEEN: Final = Evidence("torch 2.11 and 2.13, CPU")
_GROWS: Final = "errors grow with the length: torch adds up one term after the other"
_NO_DOT: Final = "without MKL the scalar product of two vectors is 0"
_SEEN_DOT: Final = Evidence(
    "torch 2.7.1 and 2.8, CPU (aarch64)", "wrong", ("aten::dot", "aten::vdot")
)
_WITHOUT_DOT: Final = ~mkl & torch_before(2, 9)

ROWS: Final = (
    Row("matmul", _WIDE | dt.HALF, Compose(_by_blocks(torch.matmul)), _GROWS, _SEEN),
    Row("matmul", dt.COMPLEX, Compose(_by_blocks(torch.matmul)), _GROWS, _SEEN, ~_WITHOUT_DOT),
    Row(
        "matmul",
        dt.COMPLEX,
        Compose(_by_blocks(la.matmul_summed)),
        _NO_DOT,
        _SEEN_DOT,
        _WITHOUT_DOT,
    ),
    Row("vecdot", _WIDE, Compose(_vecdot), _GROWS, _SEEN),
    Row("vecdot", dt.COMPLEX, Compose(_vecdot), _GROWS, _SEEN, ~_WITHOUT_DOT),
    Row("vecdot", dt.COMPLEX, Compose(la.vecdot_summed), _NO_DOT, _SEEN_DOT, _WITHOUT_DOT),
    Row("vector_norm", dt.FLOATING, Compose(_vector_norm), _GROWS, _SEEN),
    Row("matrix_norm", la.DECOMPOSED, Compose(_matrix_norm), _GROWS, _SEEN),
)
