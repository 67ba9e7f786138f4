"""Kernels that reduce or accumulate along axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ._dtypes import SIGNED, by_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _all_if_none(x: torch.Tensor, axes: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(axes) if axes else tuple(range(x.ndim))


def _over_axes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Reduce over all axes where none is named."""
    return lambda x, axes, keep: function(x, _all_if_none(x, axes), keepdim=bool(keep))


def _aminmax(x: torch.Tensor, axes: Sequence[int], keep: int) -> tuple[torch.Tensor, torch.Tensor]:
    axes = _all_if_none(x, axes)
    return torch.amin(x, axes, keepdim=bool(keep)), torch.amax(x, axes, keepdim=bool(keep))


def _logical(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def reduced(x: torch.Tensor, axes: Sequence[int] | None, keep: int) -> torch.Tensor:
        return function(x.bool(), _all_if_none(x, axes), bool(keep)) if x.ndim else x.bool()

    return reduced


def _sum(
    x: torch.Tensor, axes: Sequence[int] | None, keep: int, dtype: torch.dtype
) -> torch.Tensor:
    return torch.sum(x, _all_if_none(x, axes), keepdim=bool(keep), dtype=dtype)


def _nansum(
    x: torch.Tensor, axes: Sequence[int] | None, keep: int, dtype: torch.dtype
) -> torch.Tensor:
    return torch.nansum(x, _all_if_none(x, axes), keepdim=bool(keep), dtype=dtype)


def _mean(
    x: torch.Tensor, axes: Sequence[int] | None, keep: int, dtype: torch.dtype
) -> torch.Tensor:
    """ops-math/math/reduce_mean/op_kernel_aicpu/reduce_mean_aicpu.cpp: integers by Eigen's means.

    The sum is of the data type itself, and so is the number of elements, which divides it without
    a fraction; where that wraps to 0, C leaves the quotient open.
    """
    axes = _all_if_none(x, axes)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.mean(x, axes, keepdim=bool(keep), dtype=dtype)
    total = torch.sum(x.to(dtype), axes, keepdim=bool(keep), dtype=dtype)
    count = torch.tensor(x.numel() // max(total.numel(), 1), device="cpu").to(dtype)
    return torch.div(total, count, rounding_mode="trunc") if count else torch.full_like(total, -1)


def _var_mean(
    x: torch.Tensor, axes: Sequence[int] | None, correction: int, keep: int
) -> tuple[torch.Tensor, torch.Tensor]:
    axes = _all_if_none(x, axes)
    wide = x.to(torch.float64)
    mean = wide.mean(axes, keepdim=True)
    count = x.numel() // max(mean.numel(), 1)
    squares = ((wide - mean) ** 2).sum(axes, keepdim=bool(keep))
    return squares / max(count - correction, 0), mean if keep else mean.squeeze(axes)


def _wide(dtype: torch.dtype) -> torch.dtype:
    """ops-math/math/reduce_prod/op_api/aclnn_prod.cpp: float16 is cast to float32 before."""
    return torch.float32 if dtype == torch.float16 else dtype


def _prod_all(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return torch.prod(x, dtype=_wide(dtype))


def _prod(x: torch.Tensor, axis: int, keep: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.prod(x, axis, keepdim=bool(keep), dtype=_wide(dtype))


def _vector_norm(
    x: torch.Tensor, order: float, axes: Sequence[int] | None, keep: int, dtype: torch.dtype
) -> Any:
    axes = _all_if_none(x, axes)
    return torch.linalg.vector_norm(x, float(order), axes, keepdim=bool(keep), dtype=dtype)


def _running_product(x: torch.Tensor, axis: Any, dtype: torch.dtype) -> torch.Tensor:
    if dtype not in SIGNED:
        return torch.cumprod(x, int(axis), dtype=dtype)
    # Products wrap around: the low bits are those of int64.
    wide = x.view(torch.int64) if x.dtype == torch.uint64 else x.to(torch.int64)
    products = torch.cumprod(wide, int(axis))
    return products.view(dtype) if dtype == torch.uint64 else products.to(dtype)


def _with_index(function: Callable[..., Any]) -> Callable[..., Any]:
    """Reduce along one axis to values and indices."""
    return lambda x, axis, keep: tuple(function(x, axis, keepdim=bool(keep)))


def _log_sum_exp(x: torch.Tensor, axes: Sequence[int] | None, keep: int) -> torch.Tensor:
    wide = x if x.is_floating_point() else x.to(torch.float32)
    return torch.logsumexp(wide, _all_if_none(x, axes), keepdim=bool(keep))


TASKS: dict[str, Callable[..., Any]] = {
    "All": _logical(torch.all),
    "Amax": _over_axes(torch.amax),
    "Amin": _over_axes(torch.amin),
    "Aminmax": _aminmax,
    "AminmaxDim": lambda x, axis, keep: _aminmax(x, [axis], keep),
    "Any": _logical(torch.any),
    "ArgMax": lambda x, axis, keep: torch.argmax(x, axis, keepdim=bool(keep)),
    "ArgMin": lambda x, axis, keep: torch.argmin(x, axis, keepdim=bool(keep)),
    "Cummax": lambda x, axis: tuple(torch.cummax(x, axis)),
    "Cummin": lambda x, axis: tuple(torch.cummin(x, axis)),
    "Cumprod": _running_product,
    "Cumsum": lambda x, axis, dtype: torch.cumsum(x, axis, dtype=dtype),
    "Equal": lambda a, b: torch.tensor(torch.equal(a, b), device="cpu"),
    "Histc": lambda x, bins, low, high: torch.histc(x.float(), bins, low, high),
    "Kthvalue": by_order(lambda x, k, axis, keep: tuple(torch.kthvalue(x, k, axis, bool(keep)))),
    "LinalgVectorNorm": _vector_norm,
    "LogSumExp": _log_sum_exp,
    "Max": torch.max,
    "MaxDim": _with_index(torch.max),
    "Mean": _mean,
    "MedianDim": _with_index(torch.median),
    "Min": torch.min,
    "MinDim": _with_index(torch.min),
    "Prod": _prod_all,
    "ProdDim": _prod,
    "ReduceNansum": _nansum,
    "ReduceSum": _sum,
    "Std": lambda *arguments: _var_mean(*arguments)[0].sqrt(),
    "VarCorrection": lambda *arguments: _var_mean(*arguments)[0],
    "VarMean": _var_mean,
}
