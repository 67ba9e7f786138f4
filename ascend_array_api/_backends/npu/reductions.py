"""Reductions on NPUs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from ..._devices.device import spec_of
from ..._routes import movement
from ..._routes import reductions as red
from ..._routes._derivatives import tracked
from ..._routes._rows import Compose, Row, Via
from ..._torch import dtypes as dt
from ..._torch import torch
from . import MOST_DIMENSIONS
from ._common import derivative, launches, on_host, refused, slow, wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

# --- variance -------------------------------------------------------------------------------------


def _var_by_distances(x: Tensor, dim: tuple[int, ...], keepdim: bool, correction: float) -> Tensor:
    freedom = math.prod(x.shape[i] for i in dim) - correction
    if not freedom > 0:  # this form also catches a correction of NaN
        return torch.sum(x, dim, keepdim) * math.nan
    if x.numel() == 0:
        return torch.sum(x, dim, keepdim)
    away = x - torch.mean(x, dim, keepdim=True)
    return torch.sum(away * away, dim, keepdim) / freedom


def _std_by_distances(x: Tensor, dim: tuple[int, ...], keepdim: bool, correction: float) -> Tensor:
    variance = _var_by_distances(x, dim, keepdim, correction)
    if not tracked(x):
        return torch.sqrt(variance)
    alike = variance == 0  # there the derivative of the root would be infinite
    return torch.where(alike, 0, torch.sqrt(torch.where(alike, 1, variance)))


def _with_whole_correction(
    native: Callable[..., Tensor], by_distances: Callable[..., Tensor]
) -> Callable[..., Tensor]:
    """Return torch's function for whole corrections, the only ones that CANN's kernel takes."""

    def kernel(x: Tensor, dim: tuple[int, ...], keepdim: bool, correction: float) -> Tensor:
        if float(correction).is_integer():
            return native(x, dim, keepdim, int(correction))
        if x.dtype in dt.HALF:
            return by_distances(x.to(dt.float32), dim, keepdim, correction).to(x.dtype)
        return by_distances(x, dim, keepdim, correction)

    return kernel


# --- extrema --------------------------------------------------------------------------------------


def _of_some(native: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return torch's function for an extremum, which refuses empty axes as on other devices."""

    def kernel(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
        axes = range(x.dim()) if dim is None else dim
        if x.numel() == 0 and 0 in [x.shape[i] for i in axes]:
            raise IndexError("there are no elements along a reduced axis")
        return native(x) if dim is None else native(x, dim, keepdim)

    return kernel


def _of_one_axis(native: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return torch's any or all; convert to booleans first if there are several axes."""

    def kernel(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
        if dim is not None and len(dim) == 1:
            return native(x, dim[0], keepdim)
        return native(x) if dim is None else native(x, dim, keepdim)

    return kernel


def _mean_of_parts(x: Tensor, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """Return the mean of complex numbers by one mean of both parts."""
    axes = tuple(range(x.dim())) if dim is None else dim
    if not axes or x.dim() == MOST_DIMENSIONS:
        return red.mean_of_parts(x, dim, keepdim)
    parts = torch.view_as_real(x.resolve_conj())
    return torch.view_as_complex(torch.mean(parts, axes, keepdim))


# --- the others -----------------------------------------------------------------------------------


def _cumulative_prod_complex(x: Tensor, axis: int, initial: bool) -> Tensor:
    # Each round doubles the number of elements in each product.  (W. D. Hillis,
    # G. L. Steele, Data parallel algorithms, Communications of the ACM 29, 1986.)
    concat = movement.concat.on(spec_of(x))
    result, length, done = x.clone(), x.shape[axis], 1
    while done < length:
        first = result.narrow(axis, 0, done)
        rest = result.narrow(axis, done, length - done) * result.narrow(axis, 0, length - done)
        result = concat([first, rest], axis)
        done *= 2
    return red.with_initial(result, axis, 1) if initial else result


def _cumulative_prod(x: Tensor, axis: int, initial: bool) -> Tensor:
    if tracked(x):
        return _cumulative_prod_complex(x, axis, initial)
    result: Tensor = red.cumulative_prod.native(x, axis, initial)
    return result


def _all_complex(x: Tensor, *axes: Any, **parameters: Any) -> Tensor:
    return torch.all(x != 0, *axes, **parameters)


def _any_complex(x: Tensor, *axes: Any, **parameters: Any) -> Tensor:
    return torch.any(x != 0, *axes, **parameters)


# --- rows -----------------------------------------------------------------------------------------

_F64: Final = frozenset({dt.float64})
_FRACTION: Final = on_host(
    "torch_npu copies to the host for a correction that is not whole", "aten::var.correction"
)

_WITH_KERNEL: Final = dt.REAL - dt.WIDE_UNSIGNED
_NOT_BYTES: Final = _WITH_KERNEL - {dt.uint8}  # of these torch gives bytes
_CONVERTED: Final = launches("torch makes Booleans of the elements before it reduces several axes")
_NOTHING: Final = wrong(
    "the error where there are no elements to choose from comes too late", "aclnnAmax", "aclnnAmin"
)

ROWS: Final = (
    Row("max", _WITH_KERNEL, Compose(_of_some(torch.amax)), *_NOTHING),
    Row("min", _WITH_KERNEL, Compose(_of_some(torch.amin)), *_NOTHING),
    Row("var", _F64, Compose(_var_by_distances), *refused("aclnnVarCorrection")),
    Row("std", _F64, Compose(_std_by_distances), *refused("aclnnStd")),
    Row(
        "var",
        dt.REAL_FLOATING - _F64,
        Compose(_with_whole_correction(red.var.native, _var_by_distances)),
        *_FRACTION,
    ),
    Row(
        "std",
        dt.REAL_FLOATING - _F64,
        Compose(_with_whole_correction(red.std.native, _std_by_distances)),
        *_FRACTION,
    ),
    Row("mean", {dt.complex64}, Compose(_mean_of_parts), *slow("aclnnReduceSum")),
    Row("cumulative_prod", dt.COMPLEX, Compose(_cumulative_prod_complex), *refused("aclnnCumprod")),
    Row(
        "cumulative_sum",
        {dt.float16},
        Via(dt.float32),
        *wrong("aclnnCumsum rounds each sum to float16", "aclnnCumsum"),
    ),
    Row(
        "cumulative_prod",
        {dt.float16},
        Via(dt.float32),
        *wrong("aclnnCumprod rounds each product to float16", "aclnnCumprod"),
    ),
    Row(
        "cumulative_prod",
        dt.REAL_FLOATING - {dt.float16},
        Compose(_cumulative_prod),
        *derivative(
            "torch counts zeros for the derivative by sums of booleans, which CANN refuses",
            "aclnnCumsum",
        ),
    ),
    Row("all", _NOT_BYTES, Compose(_of_one_axis(torch.all)), *_CONVERTED),
    Row("any", _NOT_BYTES, Compose(_of_one_axis(torch.any)), *_CONVERTED),
    Row("all", dt.COMPLEX, Compose(_all_complex), *refused("aclnnAll")),
    Row("any", dt.COMPLEX, Compose(_any_complex), *refused("aclnnAny")),
)
