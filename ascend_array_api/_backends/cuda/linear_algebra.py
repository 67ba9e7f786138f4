"""Linear algebra on GPUs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

from ..._devices.facts import triton
from ..._routes import linear_algebra as la
from ..._routes._derivatives import plain as undisturbed
from ..._routes._derivatives import tracked
from ..._routes._evidence import Evidence
from ..._routes._kernels import Kernel
from ..._routes._operations import cast
from ..._routes._rows import Compose, Flagged, Row
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import products_in_tf32
from ..._torch.tracing import constant, traced_as
from ._common import slow, wrong
from ._fused import plain
from ._late import late

_TF32: Final = frozenset({dt.float32, dt.complex64})


@constant  # the compiler guards the switch itself
def tf32_is_asked_for() -> bool:
    """Say whether products of float32 take 11 binary digits of their operands."""
    return products_in_tf32("cuda")


_by_limbs: Final = functools.partial(la.matmul_by_limbs, width=16, carrier=dt.float64)
_SMALL: Final = {1: 1 << 28, 2: 1 << 28, 4: 1 << 30, 8: 1 << 32}
"""The number of multiplications up to which one kernel is faster, by bytes of the data type."""


_product: Final = late("_products", "product")


def _matmul_integer(x1: Tensor, x2: Tensor) -> Tensor:
    fit = x1.dim() and x2.dim() and x1.shape[-1] == x2.shape[-2 if x2.dim() > 1 else 0]
    if not fit or not plain(x1, x2):
        return _by_limbs(x1, x2)
    columns = x2.shape[-1] if x2.dim() > 1 else 1
    rows = max(x1.numel(), x2.numel() // max(columns, 1))  # of a stack of matrices, of all
    if rows * columns > _SMALL[x1.itemsize]:
        return _by_limbs(x1, x2)
    return _product(x1, x2)


def _in_double(x: Tensor) -> Tensor:
    return cast(x, dt.complex128 if x.is_complex() else dt.float64)


def _matmul_floating(x1: Tensor, x2: Tensor) -> Tensor:
    if not tf32_is_asked_for():
        product: Tensor = torch.matmul(x1, x2)
    elif x1.numel() * x2.shape[-1] > _FEW:
        product = la.matmul_in_parts(x1, x2)
    else:
        product = cast(torch.matmul(_in_double(x1), _in_double(x2)), x1.dtype)
    return product


_FEW: Final = 2**24
"""Up to this number of products of elements, GPUs that are slow in float64 are fast enough."""


def _vecdot(x1: Tensor, x2: Tensor, axis: int) -> Tensor:
    if tf32_is_asked_for():
        return torch.sum(torch.conj(x1) * x2, axis)
    return la.vecdot.native(x1, x2, axis)


def _qr_one_by_one(x: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """Decompose each complex matrix by itself, because torch uses cuBLAS for several at once."""
    if x.ndim == 2 or not x.is_complex():
        q, r = torch.linalg.qr(x, mode)
        return q, r
    pairs = [torch.linalg.qr(matrix, mode) for matrix in x.reshape(-1, *x.shape[-2:])]
    q, r = (torch.stack(parts) for parts in zip(*pairs))
    return q.view(*x.shape[:-2], *q.shape[-2:]), r.view(*x.shape[:-2], *r.shape[-2:])


def qr(x: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """Decompose scaled matrices, complex ones one by one; NaN for matrices that are not finite."""
    q, r = _qr_of_finite(x, mode)
    return q, torch.triu(r)


_qr_of_finite: Final = la.of_finite(functools.partial(la.qr_scaled, decompose=_qr_one_by_one))


def _by_rows(x: Tensor, factor: Callable[..., Any], **parameters: Any) -> Any:
    """Factor matrices by reflections, but stacks of small ones, which take long so, by rotations.

    Rotations lose up to 1000 times as much, so these are done in float64.
    """
    if x.ndim == 2 or max(x.shape[-2:]) > _SMALL_SIDE:
        return factor(x, driver="gesvd", **parameters)
    results = factor(_in_double(x), **parameters)
    if not isinstance(results, tuple):
        return cast(results, dt.REAL_OF.get(x.dtype, x.dtype))
    left, values, right = results
    return cast(left, x.dtype), cast(values, dt.REAL_OF.get(x.dtype, x.dtype)), cast(right, x.dtype)


_SMALL_SIDE: Final = 32


def svd(x: Tensor, *, full_matrices: bool) -> Any:
    """Decompose matrices of any shape."""
    return _by_rows(x, torch.linalg.svd, full_matrices=full_matrices)


def svdvals(x: Tensor) -> Any:
    """Return the singular values of matrices of any shape."""
    return _by_rows(x, torch.linalg.svdvals)


def _matrix_rank(x: Tensor, rtol: Tensor) -> Tensor:
    return la.rank_of_values(svdvals(x), rtol)


def _pinv(x: Tensor, rtol: Tensor) -> Tensor:
    exact: Tensor = la.pinv_of_factors(x.detach(), rtol)
    if not tracked(x):
        return exact
    result: Tensor = torch.linalg.pinv(x, rtol=rtol)  # for its derivative alone
    return result + (exact - result).detach()


def _nan_where(failed: Tensor, result: Tensor) -> Tensor:
    return result.masked_fill((failed != 0)[..., None, None], math.nan)


def cholesky_unchecked(x: Tensor, *, upper: bool) -> Tensor:
    """Return NaN for matrices that are not positive definite; the host does not wait."""
    factor, failed = torch.linalg.cholesky_ex(x, upper=upper)
    return _nan_where(failed, factor)


def _has_nan(x: Tensor) -> Tensor:
    """Say of each matrix whether it has NaN, which the pivots of cuSOLVER may pass over."""
    x = x.detach()
    if not x.shape[-1]:
        return torch.zeros(x.shape[:-2], dtype=dt.bool, device=x.device)
    # In one reduction: a maximum keeps NaN.
    if x.is_complex():
        return torch.isnan(torch.view_as_real(x.resolve_conj()).amax((-3, -2, -1)))
    return torch.isnan(x.amax((-2, -1)))


def _solved(solve: Callable[..., Any], x: Tensor, *others: Tensor) -> tuple[Tensor, Tensor]:
    """Return a solution, NaN for a matrix with NaN, and whether the factorization failed."""
    if x.dtype in _TF32 and tf32_is_asked_for():
        solution, failed = solve(_in_double(x), *map(_in_double, others))
        solution = cast(solution, x.dtype)
    else:
        solution, failed = solve(x, *others)
    return solution.masked_fill(_has_nan(x)[..., None, None], math.nan), failed


_inv: Final = functools.partial(_solved, torch.linalg.inv_ex)
_solve: Final = functools.partial(_solved, torch.linalg.solve_ex)
_followed_det: Final = la.determinant(la.scaled_product)


def det(x: Tensor) -> Tensor:
    """Return the determinants; NaN for matrices with NaN."""
    return _followed_det(x).masked_fill(_has_nan(x), math.nan)


def slogdet(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the signs and logarithms of determinants; NaN for matrices with NaN."""
    sign, logarithm = la.slogdet.native(x)
    nan = _has_nan(x)
    return sign.masked_fill(nan, math.nan), logarithm.masked_fill(nan, math.nan)


def inv_unchecked(x: Tensor) -> Tensor:
    """Return NaN for matrices that the factorization finds singular; the host does not wait."""
    inverse, failed = _inv(x)
    return _nan_where(failed, inverse)


def solve_unchecked(x1: Tensor, x2: Tensor) -> Tensor:
    """Return NaN for matrices that the factorization finds singular; the host does not wait."""
    solution, failed = _solve(x1, x2)
    return _nan_where(failed, solution)


_note: Final = late("_singular", "note")


def _noting(unchecked: Kernel, solver: Callable[..., tuple[Tensor, Tensor]]) -> Kernel:
    """Return a solver that can report singular matrices itself: see ``Flagged``."""

    def noted(*given: Any) -> Tensor:
        *tensors, flag = given
        result, info = solver(*tensors)
        return _note(info, tensors[0], result, flag)

    @functools.wraps(unchecked)
    def notes_singular(*tensors: Tensor) -> Tensor:
        return unchecked(*tensors)

    flagged = Flagged(noted, undisturbed).otherwise(lambda *_, **__: None)
    notes_singular.noted = flagged  # type: ignore[attr-defined]
    return notes_singular


def _traced_rotated(x: Tensor) -> bool:  # noqa: ARG001
    return False  # asking for the size would make the compiler guard on it


@traced_as(_traced_rotated)
def _rotated(x: Tensor) -> bool:
    """Say whether torch uses cuSOLVER's Jacobi rotations for such matrices."""
    rows = x.shape[-1]
    return _FEWEST <= rows <= _MOST and (rows > _FEWEST or x.ndim == 2)


_FEWEST, _MOST = 32, 512


def eigh(x: Tensor) -> Any:
    """Decompose symmetric matrices of float32, in float64 if torch would use rotations."""
    if not _rotated(x):
        return torch.linalg.eigh(x)
    return tuple([cast(t, dt.float32) for t in torch.linalg.eigh(cast(x, dt.float64))])


def eigvalsh(x: Tensor) -> Any:
    """Return the eigenvalues of symmetric matrices of float32, as `eigh` does."""
    if not _rotated(x):
        return torch.linalg.eigvalsh(x)
    return cast(torch.linalg.eigvalsh(cast(x, dt.float64)), dt.float32)


_INTEGER: Final = dt.INTEGER - dt.WIDE_UNSIGNED
_F32: Final = frozenset({dt.float32})
_NO_PRODUCT: Final = (
    "torch has no product of integer matrices on this device type",
    Evidence("torch 2.11 to 2.13, CUDA"),
)
_COARSE: Final = wrong(
    "a switch of torch, which any library may set, leaves products 11 binary digits"
)
_SQUARES: Final = wrong(
    "the squares of large elements overflow, and those of small ones vanish; of several complex "
    "matrices those of low rank give NaN; of a column of float32 with NaN or an infinity there is "
    "no end"
)
_ROTATED: Final = slow(
    "of float32 torch asks for Jacobi's method, which takes up to 2.7 times as long as to bring "
    "float64 to three diagonals, and is less exact"
)
_JACOBI: Final = wrong(
    "torch asks for Jacobi's method, of which singular values of 1000 rows of float32 are off by "
    "0.02 %, and vectors are not orthogonal"
)
_PASSED_OVER: Final = wrong(
    "the factorization passes over NaN, and the result is finite; a product of some pivots may "
    "overflow"
)
_WAITS: Final = (
    (
        "torch waits for the device to see whether it shall raise, and may return finite numbers "
        "for a matrix with NaN"
    ),
    Evidence("torch 2.11 to 2.13, CUDA", "host"),
)

ROWS: Final = (
    Row("matmul", _INTEGER, Compose(_matmul_integer), *_NO_PRODUCT, triton),
    Row("matmul", _INTEGER, Compose(_by_limbs), *_NO_PRODUCT, ~triton),
    Row("matmul", _TF32, Compose(_matmul_floating), *_COARSE),
    Row("vecdot", _TF32, Compose(_vecdot), *_COARSE),
    Row("qr", la.DECOMPOSED, Compose(qr), *_SQUARES),
    Row("eigh", _F32, Compose(la.of_finite(eigh)), *_ROTATED),
    Row("eigvalsh", _F32, Compose(la.of_finite(eigvalsh)), *_ROTATED),
    Row("svd", la.DECOMPOSED, Compose(la.of_finite(svd)), *_JACOBI),
    Row("svdvals", la.DECOMPOSED, Compose(la.of_finite(svdvals)), *_JACOBI),
    Row("matrix_rank", la.DECOMPOSED, Compose(la.of_finite(_matrix_rank)), *_JACOBI),
    Row("pinv", la.DECOMPOSED, Compose(la.of_finite(_pinv)), *_JACOBI),
    Row("cholesky", la.DECOMPOSED, Compose(cholesky_unchecked), *_WAITS),
    Row("det", la.DECOMPOSED, Compose(det), *_PASSED_OVER),
    Row("slogdet", la.DECOMPOSED, Compose(slogdet), *_PASSED_OVER),
    Row("inv", la.DECOMPOSED, Compose(_noting(inv_unchecked, _inv)), *_WAITS, triton),
    Row("inv", la.DECOMPOSED, Compose(inv_unchecked), *_WAITS, ~triton),
    Row("solve", la.DECOMPOSED, Compose(_noting(solve_unchecked, _solve)), *_WAITS, triton),
    Row("solve", la.DECOMPOSED, Compose(solve_unchecked), *_WAITS, ~triton),
)
