"""Kernels of linear algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ._errors import AICPU_EXCEPTION, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable

QR_MODES = {0: "reduced", 1: "complete", 2: "r"}


KEPT, COARSER, AS_FLOAT16, AS_HF32, SUMS_IN_FLOAT32 = range(5)
"""The values of `cube_math_type` (ops-nn/matmul/common/op_host/op_api/matmul_util.cpp)."""


def in_cube(x: torch.Tensor, cube_math_type: int) -> torch.Tensor:
    """Return float32 as the cube unit takes it: as it is, of 12 digits (HF32), or as float16.

    Sums are float32. On chips before Atlas A2, torch_npu asks for float16.
    """
    if x.dtype != torch.float32 or cube_math_type in {KEPT, SUMS_IN_FLOAT32}:
        return x
    if cube_math_type == AS_FLOAT16:
        return x.to(torch.float16).to(torch.float32)
    digits, exponents = torch.frexp(x)
    rounded = torch.ldexp(torch.round(digits * 2**12) / 2**12, exponents)
    return torch.where(torch.isfinite(x), rounded, x)


def _matmul(a: torch.Tensor, b: torch.Tensor, cube_math_type: int) -> Any:
    return torch.matmul(in_cube(a, cube_math_type), in_cube(b, cube_math_type))


def _addmm(
    x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: Any, alpha: Any, cube_math_type: int
) -> Any:
    return beta * x + alpha * _matmul(a, b, cube_math_type)


def _addr(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, beta: Any, alpha: Any) -> torch.Tensor:
    return torch.addr(x, a, b, beta=beta, alpha=alpha)


def _cdist(a: torch.Tensor, b: torch.Tensor, p: float, mode: int) -> torch.Tensor:
    del mode
    wide = torch.promote_types(a.dtype, torch.float32)
    return torch.cdist(a.to(wide), b.to(wide), p)


def _single(x: torch.Tensor) -> torch.Tensor:
    """Return matrices as CANN's host code has them decomposed: those of 16 bits in float32."""
    return x.to(torch.float32) if x.dtype.itemsize == 2 else x


def _qr(x: torch.Tensor, mode: int) -> tuple[torch.Tensor, torch.Tensor]:
    q, r = torch.linalg.qr(_single(x), mode=QR_MODES[mode])
    return q, r


def _svd(x: torch.Tensor, full: int, vectors: int) -> tuple[torch.Tensor | None, ...]:
    if not vectors:
        return torch.linalg.svdvals(x), None, None
    u, s, vh = torch.linalg.svd(x, full_matrices=bool(full))
    return s, u, vh.mH


def _inverse(x: torch.Tensor) -> Any:
    result, info = torch.linalg.inv_ex(x.to(torch.promote_types(x.dtype, torch.float32)))
    if info.any():
        raise KernelError(AICPU_EXCEPTION, "a matrix is singular")
    return result


def _cholesky(x: torch.Tensor, upper: int) -> torch.Tensor:
    """ops-math/math/cholesky/op_kernel/cholesky.h: a pivot that is not positive becomes NaN.

    So do all columns from there on, or rows.
    """
    result, info = torch.linalg.cholesky_ex(_single(x), upper=bool(upper))
    place = torch.arange(1, x.shape[-1] + 1, device="cpu")
    place = place[:, None] if upper else place
    info = info[..., None, None]
    return torch.where((info == 0) | (place < info), result, torch.nan).to(x.dtype)


def _triangular_solve(
    b: torch.Tensor, a: torch.Tensor, upper: int, transpose: int, unitriangular: int
) -> tuple[torch.Tensor, torch.Tensor]:
    matrix = a.mT if transpose else a
    is_upper = bool(upper) != bool(transpose)
    options = {"upper": is_upper, "unitriangular": bool(unitriangular)}
    return torch.linalg.solve_triangular(matrix, b, **options), a


def _slogdet(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    sign, logarithm = torch.linalg.slogdet(x)
    return sign, logarithm


def _renorm(x: torch.Tensor, p: Any, axis: int, most: Any) -> torch.Tensor:
    if p != 0:
        return torch.renorm(x, p, axis, most)
    # The norm of order 0 is the number of elements that are not 0, which torch refuses.
    others = [i for i in range(x.ndim) if i != axis % x.ndim]
    norm = (x != 0).sum(others, keepdim=True).to(torch.float32)
    return (x * torch.where(norm > most, most / norm, 1)).to(x.dtype)


TASKS: dict[str, Callable[..., Any]] = {
    "Addmm": _addmm,
    "Addr": _addr,
    "Baddbmm": _addmm,
    "BatchMatMul": _matmul,
    "Cdist": _cdist,
    "Dot": torch.dot,
    "Inverse": _inverse,
    "LinalgCholesky": _cholesky,
    "LinalgCross": lambda a, b, axis: torch.linalg.cross(a, b, dim=axis),
    "LinalgQr": _qr,
    "Matmul": _matmul,
    "Mm": _matmul,
    "Mv": _matmul,
    "Renorm": _renorm,
    "Slogdet": _slogdet,
    "Svd": _svd,
    "Trace": lambda x: torch.trace(x.to(torch.int64) if x.dtype == torch.bool else x),
    "TriangularSolve": _triangular_solve,
}
